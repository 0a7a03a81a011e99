//! Events and whole bodies → a reply: what each adds to it.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use manos_model::{FinishReason, ModelReply, Opaque, Usage};

use super::failure;
use super::types::{self, Call, Choice, Chunk, ContentPart, Delta, Function};
use crate::lenient::{Many, One, OneOrMany, Raw, number, says_something, text};
use crate::pieces::{Piece, Pieces};
use crate::{
    Assembler, CallPiece, DecodeError, OPAQUE_BYTES_MAX, REPLY_BYTES_MAX, ReplyReader, SseEvent,
};

/// The reply so far.
#[derive(Debug, Default)]
pub(super) struct Partial {
    /// Of what goes back.
    family: &'static str,
    text: Pieces,
    calls: Assembler,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    reasoning: Pieces,
    reasoning_details: Vec<String>,
    /// What goes back with a call, by the call's position.
    extras: BTreeMap<usize, String>,
    opaque_bytes: usize,
    choices_seen: bool,
    tool_calls_seen: bool,
    /// It came as one body, which says that nothing is missing.
    is_whole: bool,
    done: bool,
}

impl ReplyReader for Partial {
    fn event(
        &mut self,
        event: SseEvent<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let data = event.data.trim_ascii();
        if self.done || data.is_empty() {
            return Ok(());
        }
        if matches!(data, b"[DONE]" | b"\"[DONE]\"") {
            self.done = true;
            return Ok(());
        }
        if event.name == "error" {
            return Err(DecodeError::InBand(failure::in_band(data)));
        }
        match self.take_json(data, on_text) {
            // An event with a name of its own may carry what it likes.
            Err(DecodeError::NotJson) if !matches!(event.name, "" | "message") => Ok(()),
            other => other,
        }
    }

    fn whole(&mut self, json: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        self.is_whole = true;
        self.take_json(json, on_text)
    }

    fn has_content(&self) -> bool {
        self.text.len() > 0 || !self.calls.is_empty()
    }

    fn is_ended(&self) -> bool {
        self.done || self.finish.is_some() || (self.is_whole && self.choices_seen)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>) -> ModelReply {
        let opaque = self.opaque();
        let calls = self.calls.finish();
        // Ended without a reason: `[DONE]`, or a whole body, says that nothing is missing.
        let finish = self.finish.unwrap_or(if calls.is_empty() {
            FinishReason::Stop
        } else {
            FinishReason::ToolCalls
        });
        ModelReply {
            text: self.text.finish(),
            calls,
            finish,
            opaque,
            usage: self.usage,
            origin: None,
        }
    }
}

impl Partial {
    /// Starts with nothing; what goes back is of this family.
    pub(super) fn new(family: &'static str) -> Self {
        Self { family, ..Self::default() }
    }

    fn take_json(&mut self, data: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        let chunk: Chunk<'_> = match serde_json::from_slice::<One<Chunk<'_>>>(data) {
            Ok(One(Some(chunk))) => chunk,
            // A list: some gateways wrap their errors in one.
            Ok(One(None)) => match serde_json::from_slice::<Many<One<Chunk<'_>>>>(data) {
                Ok(Many(chunks)) => {
                    let first = chunks.into_iter().find_map(|One(chunk)| chunk);
                    first.ok_or(DecodeError::NotAReply)?
                }
                Err(_) => return Err(DecodeError::NotJson),
            },
            Err(error) if error.is_eof() => return Err(DecodeError::Truncated),
            Err(_) => return Err(DecodeError::NotJson),
        };
        if let Some(error) = chunk.error.filter(|raw| says_something(raw)) {
            return Err(DecodeError::InBand(failure::in_band(error.get().as_bytes())));
        }
        // An error that is the whole of its event, as older servers send it.
        if chunk.object.is_some_and(|raw| raw.get() == "\"error\"") {
            return Err(DecodeError::InBand(failure::in_band(data)));
        }
        if let One(Some(usage)) = &chunk.usage {
            self.usage = read_usage(usage).or(self.usage);
        }
        let choices = chunk.choices.0.iter().filter_map(|One(choice)| choice.as_ref());
        // Of several without a number the first is the reply.
        let first = choices.clone().position(|choice| choice.index.and_then(number).is_none());
        for (at, choice) in choices.enumerate() {
            let index = choice.index.and_then(number);
            if index == Some(0) || (index.is_none() && first == Some(at)) {
                self.choices_seen = true;
                self.take_choice(choice, on_text)?;
            }
        }
        Ok(())
    }

    fn take_choice(
        &mut self,
        choice: &Choice<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        if let One(Some(delta)) = &choice.delta {
            self.take_delta(delta, Assembler::add, on_text)?;
        } else if let One(Some(message)) = &choice.message {
            // Some streams repeat the whole reply in their last chunk, and some have the calls only
            // there.
            if self.calls.is_empty() {
                self.take_message(message, on_text)?;
            }
        }
        if let Some(reason) = choice.finish_reason.and_then(text).filter(|text| !text.is_empty()) {
            if reason == "error" {
                return Err(DecodeError::InBand(failure::in_band(ENDED_IN_ERROR)));
            }
            // A cut stays a cut, whatever is said after it.
            if self.finish != Some(FinishReason::Length) {
                self.finish = Some(finish_reason(&reason));
            }
        }
        Ok(())
    }

    fn take_message(
        &mut self,
        message: &Delta<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        if self.text.len() == 0 {
            return self.take_delta(message, Assembler::add_whole, on_text);
        }
        self.take_calls(message, Assembler::add_whole)
    }

    fn take_delta(
        &mut self,
        delta: &Delta<'_>,
        add: Add,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        for raw in [delta.content, delta.refusal].into_iter().flatten() {
            self.take_text(raw, on_text);
        }
        if self.text.len() > REPLY_BYTES_MAX {
            return Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX });
        }
        self.take_calls(delta, add)?;
        self.take_reasoning(delta);
        Ok(())
    }

    fn take_calls(&mut self, delta: &Delta<'_>, add: Add) -> Result<(), DecodeError> {
        let OneOrMany(calls) = &delta.tool_calls;
        for One(call) in calls {
            let Some(call) = call else { continue };
            self.tool_calls_seen = true;
            self.take_call(call, add)?;
        }
        if let (One(Some(function)), false) = (&delta.function_call, self.tool_calls_seen) {
            self.take_function(function, None, None, add)?;
        }
        Ok(())
    }

    fn take_text(&mut self, raw: &RawValue, on_text: &mut dyn FnMut(&str)) {
        let mut take = |raw: &RawValue| {
            if let Some(piece) = Piece::of_json(raw) {
                let new = self.text.push(&piece);
                if !new.is_empty() {
                    on_text(new);
                }
            }
        };
        if raw.get().starts_with('[') {
            let parts = serde_json::from_str::<Many<One<ContentPart<'_>>>>(raw.get());
            for One(part) in parts.unwrap_or_default().0 {
                if let Some(text) = part.and_then(|part| part.text) {
                    take(text);
                }
            }
        } else {
            take(raw);
        }
    }

    fn take_call(&mut self, call: &Call<'_>, add: Add) -> Result<(), DecodeError> {
        let none = Function::default();
        let function = call.function.0.as_ref().unwrap_or(&none);
        let index = call.index.and_then(number);
        let at = self.take_function(function, index, call.id, add)?;
        if let (Some(at), Some(extra)) = (at, call.extra_content.filter(|raw| raw.get() != "null"))
        {
            self.opaque_bytes = self.opaque_bytes.saturating_add(extra.get().len());
            self.extras.insert(at, extra.get().to_owned());
        }
        Ok(())
    }

    fn take_function(
        &mut self,
        function: &Function<'_>,
        index: Option<u64>,
        id: Raw<'_>,
        add: Add,
    ) -> Result<Option<usize>, DecodeError> {
        let id = id.and_then(text);
        let name = function.name.and_then(text);
        let piece = CallPiece {
            index,
            id: id.as_deref(),
            name: name.as_deref(),
            arguments: function.arguments,
        };
        Ok(add(&mut self.calls, piece)?)
    }

    fn take_reasoning(&mut self, delta: &Delta<'_>) {
        if let Some(piece) = delta.reasoning_content.and_then(Piece::of_json) {
            let new = self.reasoning.push(&piece).len();
            self.opaque_bytes = self.opaque_bytes.saturating_add(new);
        }
        for detail in &delta.reasoning_details.0 {
            self.opaque_bytes = self.opaque_bytes.saturating_add(detail.get().len());
            if self.opaque_bytes <= OPAQUE_BYTES_MAX {
                self.reasoning_details.push(detail.get().to_owned());
            }
        }
    }

    /// What goes back with this reply; only a reply with calls is ever sent back within its turn.
    fn opaque(&self) -> Vec<Opaque> {
        if self.calls.is_empty() || self.opaque_bytes > OPAQUE_BYTES_MAX {
            return Vec::new();
        }
        let item = |json: String| Opaque { family: self.family.to_owned(), json };
        let mut opaque = Vec::new();
        if self.reasoning.len() > 0 {
            let text = serde_json::Value::from(self.reasoning.clone().finish());
            opaque.push(item(format!(r#"{{"reasoning_content":{text}}}"#)));
        }
        if !self.reasoning_details.is_empty() {
            let all = self.reasoning_details.join(",");
            opaque.push(item(format!(r#"{{"reasoning_details":[{all}]}}"#)));
        }
        for (call, extra) in &self.extras {
            opaque.push(item(format!(r#"{{"call":{call},"extra_content":{extra}}}"#)));
        }
        opaque
    }
}

/// What is known of a reply that ends in an error and does not say which.
const ENDED_IN_ERROR: &[u8] = br#"{"message":"the reply ended in an error"}"#;

type Add = fn(&mut Assembler, CallPiece<'_>) -> Result<Option<usize>, crate::AssembleError>;

fn finish_reason(text: &str) -> FinishReason {
    match text {
        "stop" | "end_turn" | "eos" => FinishReason::Stop,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolCalls,
        "length" | "max_tokens" | "model_length" => FinishReason::Length,
        "content_filter" => FinishReason::ContentFilter,
        other => FinishReason::Other(other.to_owned()),
    }
}

fn read_usage(usage: &types::Usage<'_>) -> Option<Usage> {
    let count = |raw: Raw<'_>| raw.and_then(number);
    let tokens_cached = usage.prompt_tokens_details.0.as_ref().and_then(|d| count(d.cached_tokens));
    let reasoning = usage.completion_tokens_details.0.as_ref();
    let tokens_reasoning = reasoning.and_then(|d| count(d.reasoning_tokens));
    let (input, output) = (count(usage.prompt_tokens), count(usage.completion_tokens));
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        tokens_input: input.unwrap_or(0),
        tokens_output: output.unwrap_or(0),
        tokens_cached: tokens_cached.unwrap_or(0),
        tokens_reasoning: tokens_reasoning.unwrap_or(0),
    })
}
