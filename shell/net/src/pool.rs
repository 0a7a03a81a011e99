//! Open connections that wait for their next request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use manos_wire_tool::address::{AddressPolicy, Host, Scheme, Target};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use crate::http1::Http1;
use crate::http2::{Http2, Stream};

/// How long a connection waits for its next request before it is closed.
pub const POOL_IDLE_WAIT: Duration = Duration::from_mins(1);

/// How many connections to one host wait at most; one more is closed when its request ends.
pub const IDLE_CONNECTIONS_PER_HOST_MAX: usize = 256;

/// How many connections wait at most in all; one more is closed when its request ends.
pub const IDLE_CONNECTIONS_MAX: usize = 512;

/// What two requests must share to share a connection.
///
/// A connection that was opened for an address of the operator's may lead into a private network:
/// it never carries a request whose address a model chose.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    scheme: Scheme,
    host: Host,
    port: u16,
    model_chosen: bool,
}

impl Key {
    pub(crate) fn new(target: &Target, policy: &AddressPolicy) -> Self {
        Self {
            scheme: target.scheme(),
            host: target.host().clone(),
            port: target.port(),
            model_chosen: matches!(policy, AddressPolicy::ModelChosen { .. }),
        }
    }
}

/// A connection with room for one more request.
#[derive(Debug)]
pub(crate) enum Free {
    Http1(Box<Http1>),
    Http2(Http2, Stream),
}

/// The connections of a client.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    waiting: Mutex<Waiting>,
    tasks: Mutex<JoinSet<()>>,
}

#[derive(Debug, Default)]
struct Waiting {
    hosts: BTreeMap<Key, Connections>,
    http1_count: usize,
    sweeper: Option<AbortHandle>,
}

#[derive(Debug, Default)]
struct Connections {
    /// The one used last is taken first, so that those too many grow old.
    http1: Vec<(Instant, Box<Http1>)>,
    http2: Vec<Http2>,
}

impl Pool {
    /// The tasks that drive shared connections, and the one that sweeps.
    pub(crate) fn tasks(&self) -> &Mutex<JoinSet<()>> {
        &self.tasks
    }

    /// Takes a connection that the other side has not closed, as far as can be known.
    pub(crate) fn take(&self, key: &Key) -> Option<Free> {
        loop {
            let mut http1 = {
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                let connections = waiting.hosts.get_mut(key)?;
                let shared = connections.http2.iter().find_map(|one| Some((one, one.place()?)));
                if let Some((http2, stream)) = shared {
                    return Some(Free::Http2(http2.clone(), stream));
                }
                let (since, http1) = connections.http1.pop()?;
                waiting.http1_count -= 1;
                if since.elapsed() >= POOL_IDLE_WAIT {
                    continue;
                }
                http1
            };
            if http1.is_usable() {
                return Some(Free::Http1(http1));
            }
        }
    }

    /// Puts a connection back after its request, when another may follow and there is room.
    pub(crate) fn put(self: &Arc<Self>, key: Key, mut http1: Box<Http1>) {
        if !http1.is_usable() {
            return;
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.http1_count >= IDLE_CONNECTIONS_MAX {
            return;
        }
        let connections = waiting.hosts.entry(key).or_default();
        if connections.http1.len() >= IDLE_CONNECTIONS_PER_HOST_MAX {
            return;
        }
        connections.http1.push((Instant::now(), http1));
        waiting.http1_count += 1;
        self.keep_sweeping(&mut waiting);
    }

    /// Offers a new connection to others. When another one with room came first, that one is used.
    pub(crate) fn share(self: &Arc<Self>, key: Key, http2: Http2) -> Option<Free> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let connections = waiting.hosts.entry(key).or_default();
        connections.http2.retain(|one| !one.is_closed());
        let earlier = connections.http2.iter().find_map(|one| Some((one.clone(), one.place()?)));
        let (http2, stream) = if let Some(earlier) = earlier {
            earlier
        } else {
            let stream = http2.place()?;
            connections.http2.push(http2.clone());
            (http2, stream)
        };
        self.keep_sweeping(&mut waiting);
        Some(Free::Http2(http2, stream))
    }

    /// One task closes what has waited too long, and ends when nothing waits.
    fn keep_sweeping(self: &Arc<Self>, waiting: &mut Waiting) {
        if waiting.sweeper.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        let pool = Arc::downgrade(self);
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.sweeper = Some(tasks.spawn(sweep(pool)));
    }

    /// Closes what has waited too long; returns whether anything still waits.
    fn close_old(&self) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.hosts.retain(|_, connections| {
            connections
                .http1
                .retain_mut(|(since, http1)| since.elapsed() < POOL_IDLE_WAIT && http1.is_usable());
            connections.http2.retain(|one| {
                let old = one.idle_since().is_some_and(|since| since.elapsed() >= POOL_IDLE_WAIT);
                !old && !one.is_closed()
            });
            !connections.http1.is_empty() || !connections.http2.is_empty()
        });
        waiting.http1_count = waiting.hosts.values().map(|one| one.http1.len()).sum();
        if waiting.hosts.is_empty() {
            waiting.sweeper = None;
        }
        !waiting.hosts.is_empty()
    }
}

async fn sweep(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(POOL_IDLE_WAIT / 2).await;
        let Some(pool) = pool.upgrade() else { return };
        if !pool.close_old() {
            return;
        }
    }
}
