//! Notices among fakes: a store in memory, a clock that goes along with paused timers, and endpoints
//! that do as they are told.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use manos_model::{NoticeTrouble, Timestamp, TurnId};
use manos_notices::{Endpoint, NoticedStore, Notices, NoticesParts, Post, Posted};
use manos_ports::{
    AuditLine, Clock, Commit, Companion as _, DeliveryQuery, DeliveryRow, EndpointRow, Store,
};
use manos_store::MemoryStore;
use manos_testkit::contract::store::{commit, noon};
use manos_testkit::fakes::{FakeClock, Seen};
use manos_wire_tool::address::Target;
use manos_wire_tool::notice::{Wanted, endpoint_id};
use serde_json::Value;

/// Whose trail it is.
pub(crate) const AGENT: &str = "espiga";

/// One try as the endpoint saw it.
#[derive(Debug, Clone)]
pub(crate) struct Try {
    pub(crate) host: String,
    pub(crate) body: Value,
    pub(crate) at: Timestamp,
}

impl Try {
    /// The id of the event.
    pub(crate) fn id(&self) -> &str {
        self.body["event_id"].as_str().unwrap()
    }

    /// The number of the run that it tells of.
    pub(crate) fn run(&self) -> u64 {
        self.body["data"]["response"]["run"].as_u64().unwrap()
    }
}

/// What an endpoint does with a try.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer {
    /// It answers with this status.
    Status(u16),
    /// It cannot be reached.
    Gone,
    /// It never answers; the client gives up after its own time.
    Hangs,
}

type Plan = Box<dyn Fn(&Try) -> Answer + Send + Sync>;

/// Endpoints that do what a closure says.
pub(crate) struct FakePost {
    plan: Plan,
    pub(crate) tries: Seen<Try>,
}

impl fmt::Debug for FakePost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FakePost")
    }
}

#[async_trait]
impl Post for FakePost {
    async fn post(&self, endpoint: &Endpoint, body: String, at: Timestamp) -> Posted {
        let body = serde_json::from_str(&body).unwrap();
        let one = Try { host: endpoint.target.host().to_string(), body, at };
        let answer = (self.plan)(&one);
        self.tries.push(one);
        match answer {
            Answer::Status(status) => Posted::of_status(status),
            Answer::Gone => Posted::of_trouble(NoticeTrouble::Connection),
            Answer::Hangs => {
                tokio::time::sleep(manos_notices::POST_WAIT).await;
                Posted::of_trouble(NoticeTrouble::Timeout)
            }
        }
    }
}

/// One process that tells.
pub(crate) struct World {
    pub(crate) kept: Arc<MemoryStore>,
    pub(crate) store: NoticedStore,
    pub(crate) notices: Arc<Notices>,
    pub(crate) post: Arc<FakePost>,
    pub(crate) clock: Arc<FakeClock>,
}

/// A process that tells the ends of runs to these hosts.
pub(crate) fn world(
    hosts: &[&str],
    plan: impl Fn(&Try) -> Answer + Send + Sync + 'static,
) -> World {
    let clock = Arc::new(FakeClock::new(noon(0)));
    process(Arc::default(), clock, hosts, &["web.tool"], plan)
}

/// A process over a store that was there before.
pub(crate) fn process(
    kept: Arc<MemoryStore>,
    clock: Arc<FakeClock>,
    hosts: &[&str],
    kinds: &[&str],
    plan: impl Fn(&Try) -> Answer + Send + Sync + 'static,
) -> World {
    let post = Arc::new(FakePost { plan: Box::new(plan), tries: Seen::default() });
    let notices = Arc::new(Notices::new(NoticesParts {
        agent: AGENT.into(),
        store: kept.clone(),
        endpoints: hosts.iter().map(|host| endpoint(&format!("https://{host}/"), kinds)).collect(),
        post: post.clone(),
        clock: clock.clone(),
        chance: Arc::new(|| u64::MAX),
    }));
    let store = NoticedStore::new(kept.clone(), notices.clone());
    World { kept, store, notices, post, clock }
}

pub(crate) fn endpoint(url: &str, kinds: &[&str]) -> Endpoint {
    let target = Target::parse(url).unwrap();
    Endpoint {
        id: endpoint_id(&AGENT.into(), &target),
        label: target.authority(),
        target,
        wanted: Wanted { kinds: kinds.iter().map(|&kind| kind.to_owned()).collect() },
        signer: None,
    }
}

impl World {
    /// The next process over the same store; this one is killed.
    pub(crate) fn killed_and_next(
        self,
        hosts: &[&str],
        plan: impl Fn(&Try) -> Answer + Send + Sync + 'static,
    ) -> World {
        let (kept, clock) = (self.kept.clone(), self.clock.clone());
        drop(self);
        process(kept, clock, hosts, &["web.tool"], plan)
    }

    /// A turn with one run of this number, kept in one commit, in a chat of its own.
    pub(crate) async fn runs(&self, number: u64) {
        self.store.commit(run(number)).await.unwrap();
    }

    /// Every delivery, the newest first.
    pub(crate) async fn deliveries(&self) -> Vec<DeliveryRow> {
        let query = DeliveryQuery { endpoint: None, limit: usize::MAX };
        self.kept.delivery_log().deliveries(query).await.unwrap()
    }

    /// The only endpoint.
    pub(crate) async fn endpoint(&self) -> EndpointRow {
        self.kept.delivery_log().endpoints().await.unwrap().pop().unwrap()
    }

    /// Lets time pass.
    pub(crate) async fn passes(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// Ends the process in order, and returns how long that took.
    pub(crate) async fn ends(&self) -> Duration {
        let before = self.clock.now();
        self.notices.stop(Duration::from_secs(30)).await;
        Duration::try_from(self.clock.now().duration_since(before)).unwrap()
    }
}

/// The commit of a turn with one run.
pub(crate) fn run(number: u64) -> Commit {
    let chat = format!("web:{number}");
    let line = |seq: u64, rest: &str| AuditLine {
        turn_id: Some(TurnId::new(format!("t{number}"))),
        json: format!(
            r#"{{"seq":{seq},"at":"2026-01-05T12:00:00Z","agent":"{AGENT}","chat_key":"{chat}","turn_id":"t{number}","run_id":"r{number}",{rest}}}"#
        ),
    };
    Commit {
        turns_started: vec![TurnId::new(format!("t{number}"))],
        audit: vec![
            line(1, r#""type":"turn.started","user":"web:ana""#),
            line(2, r#""type":"tool.started","tool":"hacer","arguments":{"a":1}"#),
            line(
                3,
                &format!(
                    r#""type":"tool.succeeded","tool":"hacer","duration_ms":1,"result":{{"run":{number}}}"#
                ),
            ),
            line(4, r#""type":"turn.finished""#),
        ],
        ..commit(&chat, 0)
    }
}
