//! How many requests and calls are let in.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// Requests of one address in a minute; more are refused until the minute is over.
pub const REQUESTS_PER_MINUTE_MAX: u32 = 6_000;

/// Addresses that are counted by themselves; what is beyond shares one count.
pub const ADDRESSES_MAX: usize = 10_000;

const MINUTE: Duration = Duration::from_mins(1);

/// Counts the requests of each address.
#[derive(Debug)]
pub(crate) struct Addresses(Mutex<Counts>);

#[derive(Debug)]
struct Counts {
    since: Instant,
    by_address: HashMap<IpAddr, u32>,
    others: u32,
}

impl Default for Addresses {
    fn default() -> Self {
        let counts = Counts { since: Instant::now(), by_address: HashMap::new(), others: 0 };
        Self(Mutex::new(counts))
    }
}

impl Addresses {
    /// Whether one more request of an address is let in.
    pub(crate) fn lets_in(&self, address: IpAddr) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.since.elapsed() >= MINUTE {
            *counts = Counts { since: Instant::now(), by_address: HashMap::new(), others: 0 };
        }
        let known =
            counts.by_address.len() < ADDRESSES_MAX || counts.by_address.contains_key(&address);
        let count =
            if known { counts.by_address.entry(address).or_default() } else { &mut counts.others };
        *count = count.saturating_add(1);
        *count <= REQUESTS_PER_MINUTE_MAX
    }
}

/// Names that somebody is working on. While a name is held, nobody else can hold it.
#[derive(Debug, Default)]
pub(crate) struct Held {
    names: Mutex<HashSet<String>>,
    freed: Notify,
}

impl Held {
    /// Waits until none of the names is held, and holds them all.
    pub(crate) async fn hold(self: &Arc<Self>, names: Vec<String>) -> Holding {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            // Listening before looking, so that what is freed in between is not missed.
            freed.as_mut().enable();
            if self.try_hold(&names) {
                return Holding { held: Arc::clone(self), names };
            }
            freed.await;
        }
    }

    fn try_hold(&self, names: &[String]) -> bool {
        let mut held = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let free = names.iter().all(|name| !held.contains(name));
        if free {
            held.extend(names.iter().cloned());
        }
        free
    }
}

/// Holds names until it is dropped.
#[derive(Debug)]
pub(crate) struct Holding {
    held: Arc<Held>,
    names: Vec<String>,
}

impl Drop for Holding {
    fn drop(&mut self) {
        let mut held = self.held.names.lock().unwrap_or_else(PoisonError::into_inner);
        for name in &self.names {
            held.remove(name);
        }
        drop(held);
        self.held.freed.notify_waiters();
    }
}

/// Counts what goes on in each chat.
#[derive(Debug, Default)]
pub(crate) struct Chats(Mutex<HashMap<String, usize>>);

impl Chats {
    /// Takes a place in a chat, when fewer than `max` are taken.
    pub(crate) fn enter(self: &Arc<Self>, chat: &str, max: usize) -> Option<Place> {
        let mut chats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = chats.entry(chat.to_owned()).or_default();
        if *taken >= max {
            return None;
        }
        *taken += 1;
        Some(Place { chats: Arc::clone(self), chat: chat.to_owned() })
    }
}

/// A place in a chat, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    chats: Arc<Chats>,
    chat: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut chats = self.chats.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = chats.get_mut(&self.chat) {
            *taken -= 1;
            if *taken == 0 {
                chats.remove(&self.chat);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_asks_too_often_waits_for_the_next_minute() {
        let addresses = Addresses::default();
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        for _ in 0..REQUESTS_PER_MINUTE_MAX {
            assert!(addresses.lets_in(one));
        }
        assert!(!addresses.lets_in(one));
        assert!(addresses.lets_in(other), "others are not kept out");
        addresses.0.lock().unwrap().since -= MINUTE;
        assert!(addresses.lets_in(one));
    }

    #[test]
    fn addresses_beyond_the_limit_share_one_count() {
        let addresses = Addresses::default();
        let many = u32::try_from(ADDRESSES_MAX).unwrap() + REQUESTS_PER_MINUTE_MAX;
        let let_in = (0..=many).filter(|n| addresses.lets_in(n.to_be_bytes().into())).count();
        assert_eq!(let_in, usize::try_from(many).unwrap());
        assert_eq!(addresses.0.lock().unwrap().by_address.len(), ADDRESSES_MAX);
    }

    #[tokio::test]
    async fn a_name_is_held_by_one_at_a_time() {
        let held = Arc::new(Held::default());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let first = held.hold(names(&["a", "b"])).await;
        let _free = held.hold(names(&["c"])).await;
        let waiting = held.hold(names(&["b", "d"]));
        tokio::pin!(waiting);
        let at_once = tokio::time::timeout(Duration::ZERO, waiting.as_mut()).await;
        assert!(at_once.is_err());
        drop(first);
        waiting.await;
    }

    #[test]
    fn a_place_in_a_chat_is_given_back() {
        let chats = Arc::new(Chats::default());
        let first = chats.enter("call:1", 1);
        assert!(first.is_some() && chats.enter("call:1", 1).is_none());
        assert!(chats.enter("call:2", 1).is_some());
        drop(first);
        assert!(chats.enter("call:1", 1).is_some());
        assert!(chats.0.lock().unwrap().is_empty());
    }
}
