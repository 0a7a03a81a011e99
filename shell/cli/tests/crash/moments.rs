//! In which moment of a turn a kill came, by the trail it left.

use std::fmt;

use serde_json::Value;

use crate::trail::Trail;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Moment {
    /// Nothing was kept yet.
    BeforeAnything,
    /// A run that only reads was under way.
    Reading,
    /// A run that changes something was under way.
    Running,
    /// Of those: it had been done, and only the tool's journal knew.
    DoneButNotKept,
    /// A model call was under way.
    Thinking,
    /// A question was on its way.
    Asking,
    /// A question waited.
    Waiting,
    /// An output was on its way.
    Telling,
    /// Nothing was going on.
    BetweenTurns,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BeforeAnything => "before anything was kept",
            Self::Reading => "while a tool read",
            Self::Running => "after tool.started of an effect, before its end was kept",
            Self::DoneButNotKept => "  of those: done, and only the shop's journal knew",
            Self::Thinking => "while the model was asked",
            Self::Asking => "after confirm.asked, before confirm.shown",
            Self::Waiting => "while a question waited",
            Self::Telling => "after a turn or an answer, before its output was kept as sent",
            Self::BetweenTurns => "between turns",
        })
    }
}

pub(crate) fn moment(trail: &Trail) -> Moment {
    let events = trail.events();
    let Some(last) = events.last() else { return Moment::BeforeAnything };
    if let Some(started) = open_run(events) {
        let reads = ["cotizar_pedido", "mis_pedidos", "ver_menu"];
        let reading = reads.iter().any(|tool| started["tool"] == *tool);
        return if reading { Moment::Reading } else { Moment::Running };
    }
    if last["type"] == "model.called" {
        return Moment::Thinking;
    }
    let newest = |kinds: &[&str]| {
        events.iter().rposition(|event| kinds.iter().any(|kind| event["type"] == *kind))
    };
    let asked = newest(&["confirm.asked"]);
    let answered = newest(&["confirm.approved", "confirm.rejected", "confirm.replied"]);
    if asked > answered {
        let shown = newest(&["confirm.shown"]) > asked;
        return if shown { Moment::Waiting } else { Moment::Asking };
    }
    if last["type"] == "reply.sent" && last["output"] == "reply" {
        Moment::BetweenTurns
    } else {
        Moment::Telling
    }
}

/// The newest run without an end.
fn open_run(events: &[Value]) -> Option<&Value> {
    let started = events.iter().rposition(|event| event["type"] == "tool.started")?;
    let ends = ["tool.failed", "tool.interrupted", "tool.late", "tool.succeeded"];
    let ended = events[started..].iter().any(|event| {
        event["run_id"] == events[started]["run_id"]
            && ends.iter().any(|kind| event["type"] == *kind)
    });
    (!ended).then(|| &events[started])
}
