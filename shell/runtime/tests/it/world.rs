//! A runtime among fakes, and the agent that most tests talk to.
//!
//! It has rules for `hacer` (changes something), `leer` (reads), `pedir` (asks first) and `poner`
//! (idempotent); anything else is the model's.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use manos_chat::{
    ChatSpec, Doing, GATHER, Inbound, InboundBody, MESSAGE_CHARS_MAX, MESSAGE_IDS_KEPT, Rule,
    Speaker, Then, WAITING_MAX, When,
};
use manos_engine::{AgentParts, AgentSpec, ConfirmSettings, Limits, QuestionBody, Surface, Tool};
use manos_model::{ChatKey, ModelReply, RunEnd, RunId, Seed, StepMessage, Timestamp};
use manos_policy::{Access, ToolSpec};
use manos_ports::{AuditQuery, Store as _, ToolExecutor};
use manos_runtime::{Chance, DeliverError, Parts, Receipt, Runtime};
use manos_schema::ToolSchema;
use manos_store::MemoryStore;
use manos_testkit::fakes::{FakeChannel, FakeClock, FakeExecutor, FakeProvider, FlakyStore, Plan};
use manos_text::{Formats, Labels, Language, Locale, Money, Texts};
use serde_json::{Value, json};

/// A channel that can tell when something is sent twice.
pub(crate) const REPEATS: Surface =
    Surface { buttons: false, edits: false, repeats: true, voice: false };

/// A channel that cannot.
pub(crate) const ONCE: Surface =
    Surface { buttons: false, edits: false, repeats: false, voice: false };

/// Counts; ids differ from process to process.
#[derive(Debug)]
struct Counting {
    process: u64,
    drawn: AtomicU64,
}

impl Chance for Counting {
    fn draw(&self) -> Seed {
        let drawn = self.drawn.fetch_add(1, Ordering::Relaxed);
        Seed(u128::from(self.process) << 64 | u128::from(drawn))
    }
}

pub(crate) struct World {
    pub(crate) runtime: Runtime,
    pub(crate) kept: Arc<MemoryStore>,
    pub(crate) store: Arc<FlakyStore>,
    pub(crate) provider: Arc<FakeProvider>,
    pub(crate) executor: Arc<FakeExecutor>,
    pub(crate) channel: Arc<FakeChannel>,
    pub(crate) clock: Arc<FakeClock>,
    process: u64,
}

/// What a world is made from; the rest is as usual.
pub(crate) struct Around {
    pub(crate) executor: FakeExecutor,
    pub(crate) channel: FakeChannel,
    pub(crate) provider: FakeProvider,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            executor: FakeExecutor::default(),
            channel: FakeChannel::default(),
            provider: FakeProvider::new(|request| {
                let said = request.messages.iter().rev().find_map(|message| match message {
                    StepMessage::User(words) => Some(words.clone()),
                    _ => None,
                });
                Ok(ModelReply::of_text(format!("oí {}", said.unwrap_or_default())))
            }),
        }
    }
}

impl Around {
    /// Tools do what the closure says, by their name.
    pub(crate) fn tools(plan: impl Fn(&str) -> Plan + Send + Sync + 'static) -> Self {
        let executor = FakeExecutor::new(move |order| plan(order.call.tool().as_str()));
        Self { executor, ..Self::default() }
    }

    /// Every run waits until the test ends it.
    pub(crate) fn waiting_tools() -> Self {
        Self::tools(|_| Plan::Waits)
    }
}

pub(crate) fn world(around: Around) -> World {
    let now = Timestamp::from_second(1_767_639_780).unwrap();
    start(around, Arc::default(), Arc::new(FakeClock::new(now)), 1)
}

fn start(around: Around, kept: Arc<MemoryStore>, clock: Arc<FakeClock>, process: u64) -> World {
    let store = Arc::new(FlakyStore::new(kept.clone()));
    let provider = Arc::new(around.provider);
    let executor = Arc::new(around.executor);
    let channel = Arc::new(around.channel);
    let runtime = Runtime::new(Parts {
        spec: Arc::new(spec()),
        store: store.clone(),
        provider: Some(provider.clone()),
        executor: executor.clone(),
        channel: channel.clone(),
        clock: clock.clone(),
        chance: Arc::new(Counting { process, drawn: AtomicU64::new(0) }),
    });
    World { runtime, kept, store, provider, executor, channel, clock, process }
}

impl World {
    /// Another process over the same store. This one has to be stuck, as nothing kills it.
    pub(crate) fn next_process(&self, around: Around) -> World {
        self.store.set_full(true);
        start(around, self.kept.clone(), self.clock.clone(), self.process + 1)
    }

    /// Another process over the same store, with these tools.
    pub(crate) fn next_process_with(&self, executor: Arc<dyn ToolExecutor>) -> Runtime {
        self.store.set_full(true);
        Runtime::new(Parts {
            spec: Arc::new(spec()),
            store: self.kept.clone(),
            provider: None,
            executor,
            channel: Arc::new(FakeChannel::default()),
            clock: self.clock.clone(),
            chance: Arc::new(Counting { process: self.process + 1, drawn: AtomicU64::new(0) }),
        })
    }

    pub(crate) async fn send(
        &self,
        chat: &ChatKey,
        body: InboundBody,
        id: Option<&str>,
    ) -> Result<Receipt, DeliverError> {
        self.send_on(chat, body, id, REPEATS).await
    }

    pub(crate) async fn send_on(
        &self,
        chat: &ChatKey,
        body: InboundBody,
        id: Option<&str>,
        surface: Surface,
    ) -> Result<Receipt, DeliverError> {
        let message_id = id.map(Into::into);
        let inbound = Inbound { message_id, user: "web:ana".into(), surface, body };
        self.runtime.deliver(chat, inbound).await
    }

    pub(crate) async fn says(&self, words: &str) -> Receipt {
        self.send(&chat(), InboundBody::Text(words.into()), None).await.unwrap()
    }

    pub(crate) async fn settled(&self) -> Doing {
        self.runtime.settled(&chat()).await
    }

    /// When what may be kept a little later is kept.
    pub(crate) async fn later(&self) {
        tokio::time::sleep(Duration::from_secs(2)).await;
    }

    pub(crate) async fn asks(&self, words: &str) -> Doing {
        self.says(words).await;
        self.settled().await
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.channel.texts(&chat())
    }

    /// The run that was started in this place.
    pub(crate) async fn run(&self, number: usize) -> RunId {
        self.executor.started.wait(number).await[number - 1].run_id.clone()
    }

    pub(crate) async fn events(&self) -> Vec<Value> {
        let query = AuditQuery { chat: Some(chat()), turn: None, after: 0, limit: usize::MAX };
        let rows = self.kept.audit(query).await.unwrap();
        rows.iter().map(|row| serde_json::from_str(&row.json).unwrap()).collect()
    }

    /// The kinds of the events of the trail, in order.
    pub(crate) async fn trail(&self) -> Vec<String> {
        let events = self.events().await;
        events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) async fn count(&self, kind: &str) -> usize {
        self.trail().await.iter().filter(|found| *found == kind).count()
    }
}

pub(crate) fn chat() -> ChatKey {
    "web:1".into()
}

pub(crate) fn done() -> RunEnd {
    RunEnd::Done(json!({"ok": true}))
}

/// Lets everything that can go on without a timer go on.
pub(crate) async fn breathe() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

fn spec() -> ChatSpec {
    let tools = [
        tool("hacer", |_| {}),
        tool("leer", |spec| spec.read_only = true),
        tool("pedir", |spec| spec.confirm = true),
        tool("poner", |spec| spec.idempotent = true),
    ];
    let rules = tools.iter().map(|tool| rule(tool.spec.name.as_str())).collect();
    ChatSpec {
        agent: agent(tools.into()),
        rules,
        fallback: None,
        greeting: None,
        direct_tools: Vec::new(),
        answer_languages: vec![manos_answer::Language::Es],
        waiting_max: WAITING_MAX,
        message_chars_max: MESSAGE_CHARS_MAX,
        gather: GATHER,
        message_ids_kept: MESSAGE_IDS_KEPT,
    }
}

fn rule(tool: &str) -> Rule {
    let speaker = Speaker { reply: Some(format!("listo: {tool}")), ..Speaker::default() };
    Rule {
        when: When { equals: vec![tool.into()], ..When::default() },
        then: Then::Tool { tool: tool.into(), arguments: Vec::new(), speaker },
    }
}

fn tool(name: &str, change: impl Fn(&mut ToolSpec)) -> Tool {
    let mut spec = ToolSpec {
        name: name.to_owned().try_into().unwrap(),
        schema: Arc::new(ToolSchema::compile(&json!({"type": "object"})).unwrap()),
        confirm: false,
        dedupe: None,
        read_only: false,
        idempotent: false,
        definition: "v1".into(),
    };
    change(&mut spec);
    Tool {
        spec,
        title: name.into(),
        description: format!("Hace {name}."),
        labels: Labels::new(),
        quote: None,
        body: QuestionBody::Arguments,
        fixed: Vec::new(),
        cancels: false,
        redact: false,
        timeout: Some(Duration::from_secs(15)),
    }
}

fn agent(tools: Vec<Tool>) -> AgentSpec {
    let locale = Locale::from_tag("es-CO").unwrap();
    let money = Money { symbol: "$".into(), decimals: 0 };
    let parts = AgentParts {
        name: "prueba".into(),
        persona: "Eres el asistente.".into(),
        has_model: true,
        texts: Texts::new(Language::Es),
        formats: Formats::new(&locale, money, jiff::tz::TimeZone::UTC),
        access: Access::default(),
        confirm: ConfirmSettings::default(),
        limits: Limits::default(),
        max_steps_message: None,
    };
    AgentSpec::new(parts, tools).unwrap()
}

/// Replies by chat, for many chats at once.
pub(crate) fn by_chat(world: &World) -> BTreeMap<String, Vec<String>> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (chat, _) in world.channel.arrived.all() {
        texts.entry(chat.as_str().to_owned()).or_insert_with(|| world.channel.texts(&chat));
    }
    texts
}
