//! The audit trail of a chat, and what must hold of it.

use serde_json::Value;

use crate::talk::Said;

/// All events of the chat; the store may have others, of the agent itself.
#[derive(Debug, Default)]
pub(crate) struct Trail(Vec<Value>);

impl Trail {
    pub(crate) fn read(text: &str) -> Self {
        Self(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    pub(crate) fn events(&self) -> &[Value] {
        &self.0
    }

    pub(crate) fn of_type<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(move |event| event["type"] == kind)
    }

    pub(crate) fn count(&self, kind: &str) -> usize {
        self.of_type(kind).count()
    }

    pub(crate) fn texts_of(&self, kind: &str) -> Vec<String> {
        self.of_type(kind).map(|event| event["text"].as_str().unwrap().to_owned()).collect()
    }

    /// The lines that were taken.
    pub(crate) fn received(&self) -> Vec<String> {
        self.texts_of("message.received")
    }

    pub(crate) fn replies(&self) -> Vec<String> {
        let replies = self.of_type("reply.sent").filter(|event| event["output"] == "reply");
        replies.map(|event| event["text"].as_str().unwrap().to_owned()).collect()
    }

    /// The ends of runs that change something: tool, arguments and what came of it.
    pub(crate) fn effects(&self, tools: &[&str]) -> Vec<String> {
        let ends = self.0.iter().filter(|event| {
            let ended = ["tool.failed", "tool.succeeded"].iter().any(|kind| event["type"] == *kind);
            ended && tools.iter().any(|tool| event["tool"] == *tool)
        });
        ends.map(|end| {
            let started = self.of_type("tool.started").find(|s| s["run_id"] == end["run_id"]);
            let arguments = &started.unwrap()["arguments"];
            format!("{} {arguments} → {} {}", end["tool"], end["result"], end["failure"])
        })
        .collect()
    }

    /// `seq` has no gap, and ids grow.
    pub(crate) fn check_numbers(&self) {
        let numbers: Vec<u64> = self.0.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
        let counted: Vec<u64> = (1..).take(numbers.len()).collect();
        assert_eq!(numbers, counted);
        let ids: Vec<u64> = self.0.iter().map(|event| event["id"].as_u64().unwrap()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    }

    /// Nothing that was in the trail has gone from it or has changed.
    pub(crate) fn must_go_on_from(&self, before: &Self) {
        assert_eq!(self.0.get(..before.0.len()), Some(&before.0[..]));
    }

    /// Whatever a person has seen was kept before.
    pub(crate) fn must_know(&self, said: &Said) {
        for output in &said.outputs {
            let known = match output["type"].as_str() {
                Some("confirm") => self
                    .of_type("confirm.asked")
                    .any(|asked| asked["confirmation_id"] == output["id"]),
                Some("edit") => self.0.iter().any(|event| {
                    event["confirmation_id"] == output["id"] && event["type"] != "confirm.asked"
                }),
                _ => self
                    .of_type("turn.finished")
                    .any(|finished| finished["turn_id"] == output["turn_id"]),
            };
            assert!(known, "{output} was told and is not in the trail");
        }
    }

    /// Whatever the trail says was sent was printed by one of the processes, in that order.
    pub(crate) fn must_be_told(&self, printed: &[Said]) {
        let mut told: Vec<(&Value, &Value)> = Vec::new();
        for output in printed.iter().flat_map(|said| &said.outputs) {
            let id = if output["type"] == "reply" { &output["turn_id"] } else { &output["id"] };
            let what = (id, &output["text"]);
            if !told.contains(&what) {
                told.push(what);
            }
        }
        let sent: Vec<(&Value, &str)> = self
            .of_type("reply.sent")
            .map(|event| match event["output"].as_str().unwrap() {
                "reply" => (&event["turn_id"], "reply"),
                other => (&event["confirmation_id"], other),
            })
            .collect();
        let told_ids: Vec<&Value> = told.iter().map(|(id, _)| *id).collect();
        let sent_ids: Vec<&Value> = sent.iter().map(|(id, _)| *id).collect();
        assert_eq!(told_ids, sent_ids);
    }
}
