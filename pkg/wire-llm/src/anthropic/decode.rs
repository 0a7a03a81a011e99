//! Events, or a whole message → a reply.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use manos_model::{FinishReason, ModelReply, Usage};

use super::failure;
use super::types::{self, Block, Delta, Event};
use crate::lenient::{One, Raw, number, says_something, text};
use crate::pieces::{Piece, Pieces};
use crate::{
    AssembleError, Assembler, CallPiece, DecodeError, REPLY_BYTES_MAX, ReplyReader, SseEvent,
};

mod thinking;

use thinking::Thoughts;

/// The reply so far.
#[derive(Debug, Default)]
pub(super) struct Partial {
    text: Pieces,
    calls: Assembler,
    thoughts: Thoughts,
    /// What was last begun under each number.
    begun: BTreeMap<u64, Begun>,
    begun_last: Option<Begun>,
    finish: Option<FinishReason>,
    usage: Tokens,
    done: bool,
}

/// What kind of block a number stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Begun {
    Call,
    /// A block of a kind that is passed over, such as a tool that the provider runs itself.
    Other,
    Text,
    /// Which of the thoughts.
    Thinking(usize),
}

impl ReplyReader for Partial {
    fn event(
        &mut self,
        event: SseEvent<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let data = event.data.trim_ascii();
        // Some gateways end with the mark of another provider.
        if self.done || data.is_empty() || data == b"[DONE]" {
            return Ok(());
        }
        let known = EVENTS.contains(&event.name);
        match serde_json::from_slice::<One<Event<'_>>>(data) {
            Ok(One(Some(read))) => self.take(&read, event.name, on_text),
            Ok(One(None)) if known => Err(DecodeError::NotAReply),
            Err(error) if known && error.is_eof() => Err(DecodeError::Truncated),
            Err(_) if known => Err(DecodeError::NotJson),
            // An event of a name that we do not know may carry what it likes.
            Ok(One(None)) | Err(_) => Ok(()),
        }
    }

    fn whole(&mut self, json: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        let message = match serde_json::from_slice::<One<Event<'_>>>(json) {
            Ok(One(Some(message))) => message,
            Ok(One(None)) => return Err(failure::in_list(json).unwrap_or(DecodeError::NotAReply)),
            Err(error) if error.is_eof() => return Err(DecodeError::Truncated),
            Err(_) => return Err(DecodeError::NotJson),
        };
        if let Some(error) = message.error.filter(|raw| says_something(raw)) {
            return Err(DecodeError::InBand(failure::in_band(error.get().as_bytes())));
        }
        let is_message = message.kind.and_then(text).is_some_and(|kind| kind == "message");
        if !is_message && message.stop_reason.is_none() {
            return Err(DecodeError::NotAReply);
        }
        for raw in &message.content.0 {
            self.take_whole_block(raw, on_text)?;
        }
        self.take_usage(&message.usage);
        self.take_stop_reason(message.stop_reason);
        self.done = true;
        Ok(())
    }

    fn has_content(&self) -> bool {
        self.text.len() > 0 || !self.calls.is_empty()
    }

    fn is_ended(&self) -> bool {
        self.done || self.finish.is_some()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>) -> ModelReply {
        let this = *self;
        let calls = this.calls.finish();
        // Only a reply with calls is ever sent back within its turn.
        let opaque = if calls.is_empty() { Vec::new() } else { this.thoughts.finish() };
        let finish = this.finish.unwrap_or(if calls.is_empty() {
            FinishReason::Stop
        } else {
            FinishReason::ToolCalls
        });
        let text = this.text.finish();
        ModelReply { text, calls, finish, opaque, usage: this.usage.finish(), origin: None }
    }
}

/// The names of events that must be JSON; a stream that names none has them in its data alone.
const EVENTS: [&str; 9] = [
    "",
    "content_block_delta",
    "content_block_start",
    "content_block_stop",
    "error",
    "message",
    "message_delta",
    "message_start",
    "message_stop",
];

impl Partial {
    fn take(
        &mut self,
        event: &Event<'_>,
        name: &str,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let kind = event.kind.and_then(text);
        match kind.as_deref().unwrap_or(name) {
            "content_block_delta" => {
                if let One(Some(delta)) = &event.delta {
                    self.take_delta(event.index.and_then(number), delta, on_text)?;
                }
            }
            "content_block_start" => {
                if let Some(block) = event.content_block {
                    self.begin_block(event.index.and_then(number), block, on_text)?;
                }
            }
            "message_delta" => {
                if let One(Some(delta)) = &event.delta {
                    self.take_stop_reason(delta.stop_reason);
                }
                self.take_usage(&event.usage);
            }
            "message_start" => {
                if let One(Some(message)) = &event.message {
                    self.take_usage(&message.usage);
                }
            }
            "message_stop" => self.done = true,
            // An error with or without its name.
            _ => {
                if let Some(error) = event.error.filter(|raw| says_something(raw)) {
                    return Err(DecodeError::InBand(failure::in_band(error.get().as_bytes())));
                }
            }
        }
        Ok(())
    }

    fn begin_block(
        &mut self,
        index: Option<u64>,
        raw: &RawValue,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let One(Some(block)) = read_block(raw) else { return Ok(()) };
        let begun = match block.kind.and_then(text).as_deref() {
            Some("redacted_thinking") => {
                self.thoughts.add_whole(raw, self.text.len(), self.calls.len());
                Begun::Other
            }
            Some("text") => {
                self.take_text(block.text, on_text)?;
                Begun::Text
            }
            Some("thinking") => {
                let at = self.thoughts.begin(self.text.len(), self.calls.len());
                self.thoughts.add(at, block.thinking, block.signature);
                Begun::Thinking(at)
            }
            Some("tool_use") => {
                // The empty object stands for arguments that are still to come.
                let arguments = block.input.filter(|raw| !is_empty_object(raw));
                self.take_call(index, &block, arguments, Assembler::add)?;
                Begun::Call
            }
            _ => Begun::Other,
        };
        if let Some(index) = index {
            self.begun.insert(index, begun);
        }
        self.begun_last = Some(begun);
        Ok(())
    }

    fn take_whole_block(
        &mut self,
        raw: &RawValue,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let One(Some(block)) = read_block(raw) else { return Ok(()) };
        match block.kind.and_then(text).as_deref() {
            Some("redacted_thinking" | "thinking") => {
                self.thoughts.add_whole(raw, self.text.len(), self.calls.len());
            }
            Some("text") => self.take_text(block.text, on_text)?,
            Some("tool_use") => self.take_call(None, &block, block.input, Assembler::add_whole)?,
            _ => {}
        }
        Ok(())
    }

    fn take_delta(
        &mut self,
        index: Option<u64>,
        delta: &Delta<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let begun = match index {
            Some(index) => self.begun.get(&index).copied(),
            None => self.begun_last,
        };
        match (delta.kind.and_then(text).as_deref(), begun) {
            (Some("text_delta"), _) => self.take_text(delta.text, on_text),
            (Some("thinking_delta" | "signature_delta"), Some(Begun::Thinking(at))) => {
                self.thoughts.add(at, delta.thinking, delta.signature);
                Ok(())
            }
            (Some("input_json_delta"), Some(Begun::Call) | None) => {
                let piece =
                    CallPiece { index, arguments: delta.partial_json, ..CallPiece::default() };
                self.calls.add(piece)?;
                Ok(())
            }
            // Arguments in a block that is no call: whose they are cannot be told.
            (Some("input_json_delta"), Some(Begun::Text | Begun::Thinking(_)))
                if delta.partial_json.is_some_and(|raw| raw.get() != "\"\"") =>
            {
                Err(DecodeError::Assemble(AssembleError::Ambiguous))
            }
            _ => Ok(()),
        }
    }

    fn take_text(
        &mut self,
        raw: Raw<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        if let Some(piece) = raw.and_then(Piece::of_json) {
            let new = self.text.push(&piece);
            if !new.is_empty() {
                on_text(new);
            }
        }
        if self.text.len() > REPLY_BYTES_MAX {
            return Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX });
        }
        Ok(())
    }

    fn take_call(
        &mut self,
        index: Option<u64>,
        block: &Block<'_>,
        arguments: Raw<'_>,
        add: Add,
    ) -> Result<(), DecodeError> {
        let (id, name) = (block.id.and_then(text), block.name.and_then(text));
        let piece = CallPiece { index, id: id.as_deref(), name: name.as_deref(), arguments };
        add(&mut self.calls, piece)?;
        Ok(())
    }

    fn take_stop_reason(&mut self, raw: Raw<'_>) {
        if let Some(reason) = raw.and_then(text).filter(|text| !text.is_empty()) {
            // A cut stays a cut, whatever is said after it.
            if self.finish != Some(FinishReason::Length) {
                self.finish = Some(finish_reason(&reason));
            }
        }
    }

    fn take_usage(&mut self, usage: &One<types::Usage<'_>>) {
        if let One(Some(usage)) = usage {
            self.usage.take(usage);
        }
    }
}

type Add = fn(&mut Assembler, CallPiece<'_>) -> Result<Option<usize>, AssembleError>;

fn read_block(raw: &RawValue) -> One<Block<'_>> {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

fn is_empty_object(raw: &RawValue) -> bool {
    let inside = raw.get().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    inside.is_some_and(|inside| inside.trim().is_empty())
}

fn finish_reason(text: &str) -> FinishReason {
    match text {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "tool_use" => FinishReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => FinishReason::ContentFilter,
        // `pause_turn` among them: only tools that the provider runs itself pause, and none is offered.
        other => FinishReason::Other(other.to_owned()),
    }
}

/// The tokens so far. A stream tells them at its start and again at its end, there as totals.
#[derive(Debug, Default)]
struct Tokens {
    seen: bool,
    input: u64,
    cache_read: u64,
    cache_written: u64,
    output: u64,
}

impl Tokens {
    fn take(&mut self, usage: &types::Usage<'_>) {
        let fields = [
            (usage.input_tokens, &mut self.input),
            (usage.cache_read_input_tokens, &mut self.cache_read),
            (usage.cache_creation_input_tokens, &mut self.cache_written),
            (usage.output_tokens, &mut self.output),
        ];
        for (raw, count) in fields {
            if let Some(number) = raw.and_then(number) {
                self.seen = true;
                *count = number.max(*count);
            }
        }
    }

    fn finish(self) -> Option<Usage> {
        // What is read from the cache or written to it is not in `input_tokens`.
        let cached = self.cache_read.saturating_add(self.cache_written);
        self.seen.then(|| Usage {
            tokens_input: self.input.saturating_add(cached),
            tokens_output: self.output,
            tokens_cached: self.cache_read,
            tokens_reasoning: 0,
        })
    }
}
