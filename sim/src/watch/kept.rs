//! What a commit holds, read back.

use manos_chat::{Event, Stamped};
use manos_model::Timestamp;
use manos_ports::Commit;
use serde::Deserialize;
use serde_json::Value;

use super::{Promise, Watch};
use crate::agent::WAITING_MAX;
use crate::world::Truth;

/// An audit event, as far as anything here looks at it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub(super) seq: u64,
    pub(super) at: Option<Timestamp>,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) turn_id: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) call_id: Option<String>,
    pub(super) run_id: Option<String>,
    pub(super) confirmation_id: Option<String>,
    pub(super) digest: Option<String>,
    pub(super) asked_of: Option<String>,
    pub(super) by: Option<String>,
    pub(super) via: Option<String>,
    pub(super) words: Option<String>,
    pub(super) message_id: Option<String>,
    pub(super) delivery_id: Option<String>,
    pub(super) output: Option<String>,
    pub(super) settled: Option<String>,
    pub(super) outcome: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) user: Option<String>,
    pub(super) text: Option<String>,
    pub(super) r#for: Option<String>,
    pub(super) new_messages: Option<Value>,
    pub(super) failure: Option<Value>,
}

/// A commit as it stands in the store.
pub(super) struct Kept<'a> {
    pub(super) commit: &'a Commit,
    pub(super) events: Vec<Stamped>,
    pub(super) lines: Vec<Line>,
}

impl Watch {
    /// A commit is in the store.
    pub(crate) fn kept(&mut self, commit: &Commit, truth: &Truth) {
        let events = commit.events.iter().map(|text| serde_json::from_str::<Stamped>(text));
        let lines = commit.audit.iter().map(|line| serde_json::from_str::<Line>(&line.json));
        let (Ok(events), Ok(lines)) = (events.collect(), lines.collect()) else {
            self.breaks(Promise::Sound, || "a commit does not read back".to_owned());
            return;
        };
        let kept = Kept { commit, events, lines };
        let before = self.chat(&commit.chat).handoff;
        for line in &kept.lines {
            self.line(&kept, line, truth);
        }
        for row in &commit.runs {
            self.row(row, truth);
        }
        for Stamped { event, .. } in &kept.events {
            if let Event::Received(inbound) = event {
                self.received(&kept, inbound);
            }
        }
        self.words_are_somewhere(&kept);
        self.silent(&kept, before);
        self.bounded(&kept);
    }

    fn line(&mut self, kept: &Kept<'_>, line: &Line, truth: &Truth) {
        let chat = self.chat(&kept.commit.chat);
        chat.seq += 1;
        let expected = chat.seq;
        self.must(line.seq == expected, Promise::Trail, || {
            format!("audit event {} where {expected} is due", line.seq)
        });
        if !self.kinds.contains(&line.kind) {
            self.kinds.insert(line.kind.clone());
        }
        self.turn_line(kept, line);
        self.question_line(kept, line, truth);
        self.run_line(kept, line, truth);
        self.output_line(kept, line, truth);
    }

    fn bounded(&mut self, kept: &Kept<'_>) {
        let messages = kept.commit.active.len();
        // Nothing that is played is long: whatever grows without end shows here.
        self.must(messages < ACTIVE_BYTES_MAX, Promise::Bounded, || {
            format!("the small state has {messages} bytes")
        });
        // Only what waits is written with the id that its channel gave it.
        let waiting = kept.commit.active.matches("\"message_id\":").count();
        self.must(waiting <= WAITING_MAX, Promise::Bounded, || format!("{waiting} messages wait"));
        let outbox = kept.commit.active.matches("\"repeats\":").count();
        self.must(outbox <= OUTPUTS_MAX, Promise::Bounded, || format!("{outbox} outputs wait"));
    }
}

/// More than any chat here can have.
const ACTIVE_BYTES_MAX: usize = 256 * 1024;

/// A hundred outputs, and what else a surface is written with.
const OUTPUTS_MAX: usize = 110;
