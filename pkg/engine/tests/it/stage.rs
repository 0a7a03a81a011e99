//! A turn with all that it needs around it.

use manos_engine::{
    AgentSpec, Beginning, Caused, Confirmer, DirectCall, Effect, Memory, Step, Surface, Turn,
    TurnEvent,
};
use manos_model::{ChatKey, Ids, Seed, Timestamp};

/// What a turn is played on.
pub(crate) struct Stage {
    pub(crate) agent: AgentSpec,
    pub(crate) memory: Memory,
    pub(crate) now_s: i64,
    seq: u64,
    seed: u128,
}

impl Stage {
    pub(crate) fn new(agent: AgentSpec) -> Self {
        Self { agent, memory: Memory::default(), now_s: 0, seq: 0, seed: 0 }
    }

    fn step<R>(&mut self, transition: impl FnOnce(&mut Step<'_>) -> R) -> (R, Caused) {
        self.seed += 1;
        let chat = ChatKey::new("web:1");
        let mut ids = Ids::new(Seed(self.seed));
        let mut step = Step {
            agent: &self.agent,
            chat: &chat,
            now: Timestamp::from_second(self.now_s).unwrap(),
            ids: &mut ids,
            memory: &mut self.memory,
            seq: &mut self.seq,
            caused: Caused::default(),
        };
        let result = transition(&mut step);
        (result, step.caused)
    }

    pub(crate) fn ask_model(&mut self, text: &str) -> (Turn, String) {
        let beginning = beginning(text);
        let (turn, caused) = self.step(|step| Turn::ask_model(beginning, step));
        (turn, print(&caused))
    }

    pub(crate) fn call(&mut self, call: DirectCall) -> (Turn, String) {
        let (turn, caused) = self.step(|step| Turn::call(beginning(""), call, step));
        (turn, print(&caused))
    }

    /// Applies an event to a turn that was stored and read back just before.
    pub(crate) fn apply(&mut self, turn: &mut Turn, event: TurnEvent) -> String {
        let stored = serde_json::to_string(turn).unwrap();
        let read: Turn = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, *turn, "a turn reads back as it was");
        *turn = read;
        let ((), caused) = self.step(|step| turn.apply(event, step));
        print(&caused)
    }
}

fn beginning(text: &str) -> Beginning {
    let surface = Surface { buttons: true, edits: true, repeats: true, voice: false };
    Beginning { user: "web:ana".into(), text: text.into(), confirmer: Confirmer::Chat, surface }
}

/// The effects, one a line, and the names of the audit events.
fn print(caused: &Caused) -> String {
    let mut lines: Vec<String> = caused.effects.iter().map(line).collect();
    let names: Vec<&str> = caused.audit.iter().map(|event| event.kind.name()).collect();
    lines.push(format!("· {}", names.join(" ")));
    lines.join("\n")
}

fn line(effect: &Effect) -> String {
    match effect {
        Effect::Ask(question) => {
            format!("ask until {}: {}", question.expires_at, question.text.replace('\n', " / "))
        }
        Effect::CallModel(request) => format!("model {}", request.step),
        Effect::Edit { text, .. } => format!("edit {}", text.replace('\n', " / ")),
        Effect::Finish(finished) => {
            let said: Vec<&str> = finished.said.iter().map(|entry| entry.text.as_str()).collect();
            format!("finish {:?} said {said:?} untold {:?}", finished.end, finished.untold)
        }
        Effect::RunTool(run) => format!("run {}", run.order.call.tool()),
        Effect::Say(text) => format!("say {text}"),
        Effect::StopRun(_) => "stop a run".into(),
    }
}
