//! Model calls, runs and outputs on their way, and what tools and the channel really do.

use manos_chat::Event;
use manos_engine::KnownEnd;
use manos_model::{
    CallArguments, ChatKey, ConfirmationId, DeliveryId, Failure, FinishReason, ModelFailure,
    ModelFailureKind, ModelReply, ModelRequest, RequestedCall, RunEnd, RunId, StepMessage,
    ToolName, TurnId,
};
use manos_policy::RunOrder;
use serde_json::{Value, json};

use super::{Flight, FlightId, FlightKind, World};
use crate::agent::{JOURNALED, TOOLS, arguments};
use crate::watch::StartedRun;

/// An output as a channel gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// Equal for every try of it.
    pub id: DeliveryId,
    /// What it is.
    pub kind: OutputKind,
}

/// What goes out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OutputKind {
    /// A question.
    Confirm(ConfirmationId),
    /// New text for a question.
    Edit(ConfirmationId),
    /// A text.
    Reply(String),
}

/// What is reported of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It did not arrive.
    NotSent,
    /// It arrived.
    Sent,
    /// Nobody can tell.
    Unclear,
}

/// What a model call came to.
pub(crate) struct ModelEnd {
    pub(crate) id: FlightId,
    pub(crate) chat: Option<ChatKey>,
    pub(crate) turn_id: Option<TurnId>,
    pub(crate) reply: Result<ModelReply, ModelFailure>,
}

impl World {
    fn fly(&mut self, chat: Option<&ChatKey>, kind: FlightKind) -> FlightId {
        let id = self.new_id();
        self.flights.insert(id, Flight { chat: chat.cloned(), kind, orphan: false, late: false });
        id
    }

    /// A model call is made.
    pub(crate) fn model_called(
        &mut self,
        chat: Option<&ChatKey>,
        turn_id: Option<TurnId>,
        request: ModelRequest,
    ) -> FlightId {
        self.watch.model_called(chat, &request, &self.truth);
        self.fly(chat, FlightKind::Model { turn_id, request })
    }

    /// A tool is asked to run.
    pub(crate) fn tool_started(&mut self, chat: &ChatKey, order: &RunOrder) -> FlightId {
        let run_id = &order.run_id;
        let alive = self
            .flights
            .values()
            .any(|flight| is_run(flight, run_id) && !flight.orphan && !flight.late);
        let started = StartedRun { chat, order, alive, now: self.now() };
        self.watch.tool_started(&started, &self.truth);
        let runs = self.truth.runs_of.entry(order.call.id().clone()).or_default();
        if !runs.contains(run_id) {
            runs.push(run_id.clone());
        }
        let kind = FlightKind::Tool {
            run_id: run_id.clone(),
            call_id: order.call.id().clone(),
            tool: order.call.tool().as_str().to_owned(),
            acted: false,
        };
        self.fly(Some(chat), kind)
    }

    /// An output is handed to the channel.
    pub(crate) fn output_sent(&mut self, chat: &ChatKey, output: Output) -> FlightId {
        self.watch.output_sent(chat, &output);
        self.fly(Some(chat), FlightKind::Send { output, arrived: false })
    }

    /// Finds a flight by the number in a step.
    fn find(&self, which: u8, wanted: impl Fn(&Flight) -> bool) -> Option<FlightId> {
        let found: Vec<FlightId> =
            self.flights.iter().filter(|(_, f)| wanted(f)).map(|(id, _)| *id).collect();
        found.get(usize::from(which) % found.len().max(1)).copied()
    }

    /// A tool does its work, if it did not yet.
    pub(crate) fn acts(&mut self, which: u8) {
        let waiting =
            |flight: &Flight| matches!(flight.kind, FlightKind::Tool { acted: false, .. });
        if let Some(id) = self.find(which, waiting) {
            self.act(id);
        }
    }

    fn act(&mut self, id: FlightId) {
        let Some(flight) = self.flights.get_mut(&id) else { return };
        let FlightKind::Tool { run_id, call_id, tool, acted } = &mut flight.kind else { return };
        if *acted {
            return;
        }
        *acted = true;
        let (run_id, call_id, tool) = (run_id.clone(), call_id.clone(), tool.clone());
        *self.truth.acted.entry(run_id).or_insert(0) += 1;
        self.watch.tool_acted(&tool, &call_id, &self.truth);
    }

    /// The end of a run is reported, truly; a report of an unknown end may be followed by another.
    pub(crate) fn ends(
        &mut self,
        which: u8,
        how: u8,
    ) -> Option<(FlightId, ChatKey, RunId, RunEnd)> {
        let running =
            |flight: &Flight| matches!(flight.kind, FlightKind::Tool { .. }) && !flight.orphan;
        let id = self.find(which, running)?;
        let FlightKind::Tool { run_id, .. } = &self.flights.get(&id)?.kind else { return None };
        let run_id = run_id.clone();
        let was_late = self.flights.get(&id)?.late;
        let chat = self.flights.get(&id)?.chat.clone()?;
        let end = match how % 8 {
            5 if !was_late => {
                self.flights.get_mut(&id)?.late = true;
                RunEnd::Unknown(Failure::Timeout { after_ms: 15_000 })
            }
            6 | 7 if !self.truth.acted.contains_key(&run_id) => {
                // A tool that has said no does not do it for an earlier try.
                self.flights.retain(|_, flight| !is_run(flight, &run_id));
                RunEnd::NotDone(Failure::Said(json!({"error": "no hay"})))
            }
            number => {
                self.act(id);
                self.flights.remove(&id);
                RunEnd::Done(json!({"total": number % 2, "run": run_id.as_str()}))
            }
        };
        Some((id, chat, run_id, end))
    }

    /// A human has looked what became of an unknown run, and says so; it stays true.
    pub(crate) fn settles(&mut self, which: u8) -> Option<(ChatKey, RunId, bool)> {
        let (chat, run_id, done) = self.watch.unknown_run(which, &self.truth)?;
        if self.flights.values().any(|flight| !flight.orphan && is_run(flight, &run_id)) {
            return None;
        }
        self.flights.retain(|_, flight| !is_run(flight, &run_id));
        Some((chat, run_id, done))
    }

    /// Says what a tool knows of a run of an earlier process. What it says stays true.
    pub(crate) fn known_end(&mut self, tool: &ToolName, run_id: &RunId) -> KnownEnd {
        if !JOURNALED.contains(&tool.as_str()) {
            return KnownEnd::Unknown;
        }
        if self.truth.acted.contains_key(run_id) {
            KnownEnd::Done(json!({"run": run_id.as_str()}))
        } else {
            self.flights.retain(|_, flight| !(flight.orphan && is_run(flight, run_id)));
            KnownEnd::NotDone
        }
    }

    /// An output arrives at the person.
    pub(crate) fn takes(&mut self, which: u8) {
        let waiting =
            |flight: &Flight| matches!(flight.kind, FlightKind::Send { arrived: false, .. });
        if let Some(id) = self.find(which, waiting) {
            self.take(id);
        }
    }

    fn take(&mut self, id: FlightId) {
        let Some(flight) = self.flights.get_mut(&id) else { return };
        let Some(chat) = flight.chat.clone() else { return };
        let FlightKind::Send { output, arrived } = &mut flight.kind else { return };
        if *arrived {
            return;
        }
        *arrived = true;
        let output = output.clone();
        *self.truth.arrived.entry(output.id.clone()).or_insert(0) += 1;
        let repeats =
            self.settings.chats.iter().any(|(name, s)| name == chat.as_str() && s.repeats);
        self.watch.output_arrived(&output, repeats, &self.truth);
        if let OutputKind::Confirm(question) = &output.kind {
            self.truth.seen.push((chat, question.clone()));
        }
    }

    /// The end of an output is reported, truly.
    pub(crate) fn sent(
        &mut self,
        which: u8,
        how: u8,
    ) -> Option<(FlightId, ChatKey, DeliveryId, Outcome)> {
        let waiting =
            |flight: &Flight| matches!(flight.kind, FlightKind::Send { .. }) && !flight.orphan;
        let id = self.find(which, waiting)?;
        let FlightKind::Send { output, .. } = &self.flights.get(&id)?.kind else { return None };
        let delivery = output.id.clone();
        let chat = self.flights.get(&id)?.chat.clone()?;
        let arrived_before = self.truth.arrived.contains_key(&delivery);
        let outcome = match how % 12 {
            0 => Outcome::Unclear,
            1 if !arrived_before => Outcome::NotSent,
            _ => {
                self.take(id);
                Outcome::Sent
            }
        };
        self.flights.remove(&id);
        Some((id, chat, delivery, outcome))
    }

    /// A model call comes to something.
    pub(crate) fn model_ends(&mut self, which: u8, how: u8, calls: [u8; 3]) -> Option<ModelEnd> {
        let id = self.find(which, |f| matches!(f.kind, FlightKind::Model { .. }) && !f.orphan)?;
        let flight = self.flights.remove(&id)?;
        let FlightKind::Model { turn_id, request } = flight.kind else { return None };
        Some(ModelEnd { id, chat: flight.chat, turn_id, reply: reply(&request, how, calls) })
    }

    /// The process is dead: runs that it began may still do their work, unless they are rolled back
    /// with it; outputs may still arrive. Nobody hears of either.
    pub(super) fn orphan_flights(&mut self) {
        self.flights.retain(|_, flight| {
            flight.orphan = true;
            match &flight.kind {
                FlightKind::Model { .. } => false,
                FlightKind::Tool { acted, tool, .. } => {
                    !acted && !JOURNALED.contains(&tool.as_str())
                }
                FlightKind::Send { arrived, .. } => !arrived,
            }
        });
    }
}

fn is_run(flight: &Flight, wanted: &RunId) -> bool {
    matches!(&flight.kind, FlightKind::Tool { run_id, .. } if run_id == wanted)
}

/// The event that tells the end of a model call.
pub(crate) fn model_event(turn_id: TurnId, reply: Result<ModelReply, ModelFailure>) -> Event {
    match reply {
        Ok(reply) => Event::ModelReplied { turn_id, reply: Box::new(reply), duration_ms: Some(7) },
        Err(failure) => Event::ModelFailed { turn_id, failure, duration_ms: Some(7) },
    }
}

/// What the model says: mostly calls first, then words that say what it heard.
fn reply(request: &ModelRequest, how: u8, calls: [u8; 3]) -> Result<ModelReply, ModelFailure> {
    let failure = |kind| Err(ModelFailure { kind, message: "the model is away".into() });
    match how % 32 {
        0 => return failure(ModelFailureKind::Unavailable),
        1 => return failure(ModelFailureKind::RefusedCall),
        2 => return failure(ModelFailureKind::TooLong),
        3 => return Ok(ModelReply::of_text("")),
        4 => return Ok(ModelReply { finish: FinishReason::Length, ..calling(&calls[..1]) }),
        5 => {
            let text = "Un momento.".to_owned();
            return Ok(ModelReply { finish: FinishReason::Length, text, ..calling(&calls) });
        }
        _ => {}
    }
    if request.tools.declarations.is_empty() || how >= 128 + 32 {
        return Ok(ModelReply::of_text(heard(request)));
    }
    let count = [1, 1, 1, 2, 2, 3][usize::from(how) % 6];
    let mut reply = calling(&calls[..count]);
    if how.is_multiple_of(7) {
        "Voy.".clone_into(&mut reply.text);
    }
    Ok(reply)
}

fn heard(request: &ModelRequest) -> String {
    let said = request.messages.iter().rev().find_map(|message| match message {
        StepMessage::User(words) => Some(words.as_str()),
        _ => None,
    });
    format!("Oí: {}", said.unwrap_or("nada"))
}

fn calling(calls: &[u8]) -> ModelReply {
    let call = |number: &u8| RequestedCall {
        wire_id: None,
        name: TOOLS[usize::from(number % 32) % TOOLS.len()].to_owned(),
        arguments: match arguments(number / 32) {
            Value::Null => CallArguments::Missing,
            Value::String(text) => CallArguments::Text(text),
            value => CallArguments::Value(value),
        },
    };
    ModelReply {
        calls: calls.iter().map(call).collect(),
        finish: FinishReason::ToolCalls,
        ..ModelReply::of_text("")
    }
}
