//! Lines and whole bodies → a reply: what each adds to it.

use manos_model::{FinishReason, ModelReply, Opaque, Usage};

use super::types::{Call, Chunk, Function, Message};
use super::{FAMILY, failure};
use crate::lenient::{Many, One, number, says_something, text};
use crate::pieces::{Piece, Pieces};
use crate::{
    Assembler, CallPiece, DecodeError, OPAQUE_BYTES_MAX, REPLY_BYTES_MAX, ReplyReader, SseEvent,
};

/// The reply so far.
#[derive(Debug, Default)]
pub(super) struct Partial {
    text: Pieces,
    thinking: Pieces,
    calls: Assembler,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
}

impl ReplyReader for Partial {
    // Some gateways put the lines into events.
    fn event(
        &mut self,
        event: SseEvent<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let data = event.data.trim_ascii();
        if data.is_empty() || data == b"[DONE]" {
            return Ok(());
        }
        if event.name == "error" {
            return Err(DecodeError::InBand(failure::in_band(data)));
        }
        self.whole(data, on_text)
    }

    fn whole(&mut self, json: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        let chunk: Chunk<'_> = match serde_json::from_slice::<One<Chunk<'_>>>(json) {
            Ok(One(Some(chunk))) => chunk,
            Ok(One(None)) => match serde_json::from_slice::<Many<One<Chunk<'_>>>>(json) {
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
        if self.is_ended() {
            return Ok(());
        }
        if let One(Some(message)) = &chunk.message {
            self.take_message(message, on_text)?;
        }
        if chunk.done.is_some_and(|raw| raw.get() == "true") {
            self.take_end(&chunk);
        }
        Ok(())
    }

    fn has_content(&self) -> bool {
        self.text.len() > 0 || !self.calls.is_empty()
    }

    fn is_ended(&self) -> bool {
        self.finish.is_some()
    }

    fn is_done(&self) -> bool {
        self.is_ended()
    }

    fn finish(self: Box<Self>) -> ModelReply {
        let Self { text, thinking, calls, finish, usage } = *self;
        let mut opaque = Vec::new();
        // Only a reply with calls is ever sent back within its turn.
        if !calls.is_empty() && (1..=OPAQUE_BYTES_MAX).contains(&thinking.len()) {
            let thinking = serde_json::Value::from(thinking.finish());
            let json = format!(r#"{{"thinking":{thinking}}}"#);
            opaque.push(Opaque { family: FAMILY.to_owned(), json });
        }
        let calls = calls.finish();
        let finish = match finish {
            // The server says `stop` after calls, too.
            Some(FinishReason::Stop) | None if !calls.is_empty() => FinishReason::ToolCalls,
            Some(finish) => finish,
            None => FinishReason::Stop,
        };
        ModelReply { calls, finish, opaque, usage, ..ModelReply::of_text(text.finish()) }
    }
}

impl Partial {
    fn take_message(
        &mut self,
        message: &Message<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        if let Some(piece) = message.content.and_then(Piece::of_json) {
            let new = self.text.push(&piece);
            if !new.is_empty() {
                on_text(new);
            }
            if self.text.len() > REPLY_BYTES_MAX {
                return Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX });
            }
        }
        if let Some(piece) = message.thinking.and_then(Piece::of_json) {
            // Once too long it does not go back; no more of it is kept then.
            if self.thinking.len() <= OPAQUE_BYTES_MAX {
                self.thinking.push(&piece);
            }
        }
        for One(call) in &message.tool_calls.0 {
            if let Some(call) = call {
                self.take_call(call)?;
            }
        }
        Ok(())
    }

    /// Takes a call. Each is whole, whatever index it has: servers give all of them index 0.
    fn take_call(&mut self, call: &Call<'_>) -> Result<(), DecodeError> {
        let none = Function::default();
        let function = call.function.0.as_ref().unwrap_or(&none);
        let (id, name) = (call.id.and_then(text), function.name.and_then(text));
        self.calls.add_whole(CallPiece {
            index: None,
            id: id.as_deref(),
            name: name.as_deref(),
            arguments: function.arguments,
        })?;
        Ok(())
    }

    fn take_end(&mut self, chunk: &Chunk<'_>) {
        let reason = chunk.done_reason.and_then(text).unwrap_or_default();
        self.finish = Some(match reason.as_ref() {
            // Old servers give no reason.
            "" | "stop" | "tool_calls" => FinishReason::Stop,
            "length" => FinishReason::Length,
            // `load` and `unload`: the model was moved, and nobody was answered.
            other => FinishReason::Other(other.to_owned()),
        });
        let (input, output) =
            (chunk.prompt_eval_count.and_then(number), chunk.eval_count.and_then(number));
        if input.is_some() || output.is_some() {
            self.usage = Some(Usage {
                tokens_input: input.unwrap_or(0),
                tokens_output: output.unwrap_or(0),
                tokens_cached: 0,
                tokens_reasoning: 0,
            });
        }
    }
}
