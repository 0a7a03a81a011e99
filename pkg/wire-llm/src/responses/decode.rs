//! Events and whole bodies → a reply: what each adds to it.

use manos_model::{FinishReason, ModelReply, Usage};

use super::types::{self, Event, Item, Response};
use super::{failure, order};
use crate::lenient::{Many, One, Raw, number, says_something, text};
use crate::{DecodeError, ReplyReader, SseEvent};

mod call;
mod items;

use items::{Items, Place};

/// The reply so far.
#[derive(Debug, Default)]
pub(super) struct Partial {
    items: Items,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
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
        if data == b"[DONE]" {
            self.done = true;
            return Ok(());
        }
        if event.name == "error" {
            return Err(DecodeError::InBand(failure::in_band(data)));
        }
        match serde_json::from_slice::<One<Event<'_>>>(data) {
            Ok(One(Some(found))) => {
                let kind = found.kind.and_then(text).unwrap_or_default();
                let kind = if kind.is_empty() { event.name } else { kind.as_ref() };
                self.take_event(kind, &found, data, on_text)
            }
            // A list: some gateways wrap their errors in one.
            Ok(One(None)) => self.whole(data, on_text),
            Err(error) if error.is_eof() => Err(DecodeError::Truncated),
            // An event with a name of its own may carry what it likes.
            Err(_) if !is_ours(event.name) => Ok(()),
            Err(_) => Err(DecodeError::NotJson),
        }
    }

    fn whole(&mut self, json: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        let response: Response<'_> = match serde_json::from_slice::<One<Response<'_>>>(json) {
            Ok(One(Some(response))) => response,
            Ok(One(None)) => match serde_json::from_slice::<Many<One<Response<'_>>>>(json) {
                Ok(Many(list)) => {
                    let first = list.into_iter().find_map(|One(response)| response);
                    first.ok_or(DecodeError::NotAReply)?
                }
                Err(_) => return Err(DecodeError::NotJson),
            },
            Err(error) if error.is_eof() => return Err(DecodeError::Truncated),
            Err(_) => return Err(DecodeError::NotJson),
        };
        if response.output.is_none() && response.status.is_none() && response.error.is_none() {
            return Err(DecodeError::NotAReply);
        }
        self.take_response("", &response, json, on_text)
    }

    fn has_content(&self) -> bool {
        self.items.has_content()
    }

    fn is_ended(&self) -> bool {
        self.finish.is_some()
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn finish(self: Box<Self>) -> ModelReply {
        let Self { items, finish, usage, .. } = *self;
        let (text, calls, ordered) = items.finish();
        // Only a reply with calls is ever sent back within its turn.
        let opaque = match &ordered {
            Some(ordered) if !calls.is_empty() => order::keep(ordered),
            Some(_) | None => Vec::new(),
        };
        let finish = match finish {
            Some(FinishReason::Stop) | None if !calls.is_empty() => FinishReason::ToolCalls,
            Some(finish) => finish,
            None => FinishReason::Stop,
        };
        ModelReply { calls, finish, opaque, usage, ..ModelReply::of_text(text) }
    }
}

/// Whether an event of this name has JSON in it.
fn is_ours(name: &str) -> bool {
    matches!(name, "" | "message") || name.starts_with("response.")
}

impl Partial {
    fn take_event(
        &mut self,
        kind: &str,
        event: &Event<'_>,
        data: &[u8],
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let id = event.item_id.and_then(text);
        let place = Place {
            index: event.output_index.and_then(number),
            id: id.as_deref().filter(|id| !id.is_empty()),
        };
        let part = event.content_index.and_then(number).unwrap_or(0);
        match kind {
            "response.output_item.added" | "response.output_item.done" => {
                let Some(raw) = event.item else { return Ok(()) };
                let Ok(One(Some(item))) = serde_json::from_str::<One<Item<'_>>>(raw.get()) else {
                    return Ok(());
                };
                if kind == "response.output_item.added" {
                    self.items.announce(place, &item)
                } else {
                    self.items.end(place, &item, raw.get(), on_text)
                }
            }
            "response.function_call_arguments.delta" | "response.custom_tool_call_input.delta" => {
                self.items.arguments_piece(place, event.delta)
            }
            "response.function_call_arguments.done" | "response.custom_tool_call_input.done" => {
                self.items.arguments(place, event.arguments.or(event.input))
            }
            "response.output_text.delta" | "response.refusal.delta" => {
                self.items.text_piece(place, part, event.delta, on_text)
            }
            "response.output_text.done" | "response.refusal.done" => {
                self.items.text(place, part, event.text.or(event.refusal), on_text)
            }
            "response.content_part.done" => {
                let One(Some(whole)) = &event.part else { return Ok(()) };
                self.items.text(place, part, whole.text.or(whole.refusal), on_text)
            }
            "response.completed"
            | "response.done"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled" => {
                let none = Response::default();
                let response = event.response.0.as_ref().unwrap_or(&none);
                self.take_response(kind, response, data, on_text)?;
                self.done = true;
                Ok(())
            }
            "error" => Err(DecodeError::InBand(failure::in_band(data))),
            // Progress, reasoning in pieces, tools of the provider's own, and what is yet to come.
            _ if event.error.is_some_and(says_something) => {
                Err(DecodeError::InBand(failure::in_band(data)))
            }
            _ => Ok(()),
        }
    }

    /// Takes the end of a response: the last event of a stream, or all of one that is not streamed.
    fn take_response(
        &mut self,
        kind: &str,
        response: &Response<'_>,
        data: &[u8],
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        if let Some(error) = response.error.filter(|raw| says_something(raw)) {
            return Err(DecodeError::InBand(failure::in_band(error.get().as_bytes())));
        }
        if let One(Some(usage)) = &response.usage {
            self.usage = read_usage(usage).or(self.usage);
        }
        let status = response.status.and_then(text).unwrap_or_default();
        let ended = match (kind, status.as_ref()) {
            ("response.failed" | "response.cancelled", _) | (_, "failed" | "cancelled") => {
                return Err(DecodeError::InBand(failure::in_band(data)));
            }
            // Some servers give a cut response the name of a complete one.
            ("response.incomplete", _) | (_, "incomplete") => Some(cut_for(response)),
            ("response.completed" | "response.done", _) | (_, "completed") => {
                Some(FinishReason::Stop)
            }
            // Still at work, or of no known state: no end.
            (_, "in_progress" | "queued") => None,
            (_, _) => response.output.is_some().then_some(FinishReason::Stop),
        };
        let output = response.output.as_ref().map_or(&[][..], |Many(output)| output);
        self.items.reconcile(output, on_text)?;
        let whole = ended == Some(FinishReason::Stop);
        self.finish =
            if whole && self.items.has_cut_call() { Some(FinishReason::Length) } else { ended };
        Ok(())
    }
}

/// Why a response is incomplete. One that is so for no known reason is cut all the same.
fn cut_for(response: &Response<'_>) -> FinishReason {
    let reason = response.incomplete_details.0.as_ref().and_then(|details| details.reason);
    match reason.and_then(text).as_deref() {
        Some("content_filter") => FinishReason::ContentFilter,
        _ => FinishReason::Length,
    }
}

fn read_usage(usage: &types::Usage<'_>) -> Option<Usage> {
    let count = |raw: Raw<'_>| raw.and_then(number);
    let (input, output) = (count(usage.input_tokens), count(usage.output_tokens));
    if input.is_none() && output.is_none() {
        return None;
    }
    let cached = usage.input_tokens_details.0.as_ref().and_then(|d| count(d.cached_tokens));
    let reasoning = usage.output_tokens_details.0.as_ref().and_then(|d| count(d.reasoning_tokens));
    Some(Usage {
        tokens_input: input.unwrap_or(0),
        tokens_output: output.unwrap_or(0),
        tokens_cached: cached.unwrap_or(0),
        tokens_reasoning: reasoning.unwrap_or(0),
    })
}
