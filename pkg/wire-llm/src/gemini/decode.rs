//! Chunks, or a whole response → a reply.

use serde_json::Value;

use manos_model::{FinishReason, ModelFailureKind, ModelReply, Opaque, Usage};

use super::types::{Candidate, Chunk, Chunks, FunctionCall, Part, PromptFeedback, UsageMetadata};
use super::{FAMILY, failure};
use crate::lenient::{One, Raw, number, says_something, text};
use crate::pieces::{Piece, Pieces};
use crate::refusals::settled;
use crate::{
    Assembler, CallPiece, DecodeError, OPAQUE_BYTES_MAX, REPLY_BYTES_MAX, ReplyReader, SseEvent,
    safe_words,
};

/// The reply so far.
#[derive(Debug, Default)]
pub(super) struct Partial {
    text: Pieces,
    calls: Assembler,
    signatures: Vec<Signed>,
    signature_bytes: usize,
    finish: Option<FinishReason>,
    usage: Option<Usage>,
    candidate_seen: bool,
    /// It came as one body, which says that nothing is missing.
    is_whole: bool,
}

/// A signature, and which part it belongs to.
#[derive(Debug)]
enum Signed {
    Call { at: usize, signature: String },
    Text { from: usize, to: usize, signature: String },
}

/// What a signature counts for beside its bytes.
const SIGNATURE_BYTES: usize = 64;

impl ReplyReader for Partial {
    fn event(
        &mut self,
        event: SseEvent<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let data = event.data.trim_ascii();
        if data.is_empty() || data == b"[DONE]" {
            return Ok(());
        }
        match self.take_json(data, on_text) {
            // An event with a name of its own may carry what it likes.
            Err(DecodeError::NotJson) if !matches!(event.name, "" | "error" | "message") => Ok(()),
            other => other,
        }
    }

    fn whole(&mut self, json: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        self.take_json(json, on_text)?;
        // A list is a stream of chunks, which only its last one ends.
        self.is_whole = self.candidate_seen && !json.trim_ascii_start().starts_with(b"[");
        Ok(())
    }

    fn has_content(&self) -> bool {
        self.text.len() > 0 || !self.calls.is_empty()
    }

    fn is_ended(&self) -> bool {
        self.is_whole || self.finish.is_some()
    }

    // There is no end mark: older models give a reason to end with every chunk.
    fn is_done(&self) -> bool {
        false
    }

    fn finish(self: Box<Self>) -> ModelReply {
        let this = *self;
        let calls = this.calls.finish();
        // Only a reply with calls is ever sent back within its turn.
        let goes_back = !calls.is_empty() && this.signature_bytes <= OPAQUE_BYTES_MAX;
        let opaque = if goes_back {
            this.signatures.into_iter().map(Signed::finish).collect()
        } else {
            Vec::new()
        };
        // The reason to end is the same with calls and without.
        let finish = match this.finish {
            None | Some(FinishReason::Stop) if !calls.is_empty() => FinishReason::ToolCalls,
            None => FinishReason::Stop,
            Some(finish) => finish,
        };
        ModelReply {
            text: this.text.finish(),
            calls,
            finish,
            opaque,
            usage: this.usage,
            origin: None,
        }
    }
}

impl Partial {
    fn take_json(&mut self, json: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        match serde_json::from_slice::<One<Chunk<'_>>>(json) {
            Ok(One(Some(chunk))) => self.take_chunk(&chunk, on_text),
            Ok(One(None)) => {
                let Ok(chunks) = serde_json::from_slice::<Chunks<'_>>(json) else {
                    return Err(DecodeError::NotJson);
                };
                for raw in chunks.0 {
                    let chunk = serde_json::from_str::<One<Chunk<'_>>>(raw.get());
                    if let Ok(One(Some(chunk))) = chunk {
                        self.take_chunk(&chunk, on_text)?;
                    }
                }
                Ok(())
            }
            Err(error) if error.is_eof() => Err(DecodeError::Truncated),
            Err(_) => Err(DecodeError::NotJson),
        }
    }

    fn take_chunk(
        &mut self,
        chunk: &Chunk<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        if let Some(error) = chunk.error.filter(|raw| says_something(raw)) {
            return Err(DecodeError::InBand(failure::in_band(error.get().as_bytes())));
        }
        if let One(Some(usage)) = &chunk.usage_metadata {
            self.usage = read_usage(usage).or(self.usage);
        }
        let candidates = chunk.candidates.0.iter().filter_map(|One(found)| found.as_ref());
        // Of several without a number the first is the reply.
        let first = candidates.clone().position(|found| found.index.and_then(number).is_none());
        for (at, candidate) in candidates.enumerate() {
            let index = candidate.index.and_then(number);
            if index == Some(0) || (index.is_none() && first == Some(at)) {
                self.candidate_seen = true;
                self.take_candidate(candidate, on_text)?;
            }
        }
        if let One(Some(PromptFeedback { block_reason: Some(reason) })) = &chunk.prompt_feedback
            && let Some(reason) = text(reason).filter(|reason| !reason.is_empty())
        {
            return Err(DecodeError::InBand(failure::blocked(&reason)));
        }
        Ok(())
    }

    fn take_candidate(
        &mut self,
        candidate: &Candidate<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        if let One(Some(content)) = &candidate.content {
            for One(part) in &content.parts.0 {
                if let Some(part) = part {
                    self.take_part(part, on_text)?;
                }
            }
        }
        let Some(reason) = candidate.finish_reason.and_then(text).filter(|r| !r.is_empty()) else {
            return Ok(());
        };
        if is_refused_call(&reason) {
            let said = candidate.finish_message.and_then(text).unwrap_or_default();
            let said = safe_words(&said);
            let said = if said.is_empty() { said } else { format!(". It says: {said}") };
            return Err(DecodeError::InBand(settled(
                ModelFailureKind::RefusedCall,
                format!("the model wrote a call that its own server refused ({reason}){said}"),
            )));
        }
        // A cut stays a cut, whatever is said after it.
        if self.finish != Some(FinishReason::Length) {
            self.finish = Some(finish_reason(&reason));
        }
        Ok(())
    }

    fn take_part(
        &mut self,
        part: &Part<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError> {
        let signature = part.thought_signature.and_then(text).filter(|s| !s.is_empty());
        if let One(Some(call)) = &part.function_call {
            let at = self.calls.len();
            self.take_call(call)?;
            if let Some(signature) = signature
                && self.calls.len() > at
            {
                self.keep(Signed::Call { at, signature: signature.into_owned() });
            }
            return Ok(());
        }
        // A summary of what the model thought is for developers; it need not go back.
        if part.thought.is_some_and(|raw| raw.get() == "true") {
            return Ok(());
        }
        let from = self.text.len();
        if let Some(piece) = part.text.and_then(Piece::of_json) {
            let new = self.text.push(&piece);
            if !new.is_empty() {
                on_text(new);
            }
        }
        if self.text.len() > REPLY_BYTES_MAX {
            return Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX });
        }
        if let Some(signature) = signature {
            let to = self.text.len();
            self.keep(Signed::Text { from, to, signature: signature.into_owned() });
        }
        Ok(())
    }

    fn take_call(&mut self, call: &FunctionCall<'_>) -> Result<(), DecodeError> {
        let (id, name) = (call.id.and_then(text), call.name.and_then(text));
        self.calls.add_whole(CallPiece {
            index: None,
            id: id.as_deref(),
            name: name.as_deref(),
            arguments: call.args,
        })?;
        Ok(())
    }

    fn keep(&mut self, signed: Signed) {
        let (Signed::Call { signature, .. } | Signed::Text { signature, .. }) = &signed;
        let bytes = signature.len().saturating_add(SIGNATURE_BYTES);
        self.signature_bytes = self.signature_bytes.saturating_add(bytes);
        if self.signature_bytes <= OPAQUE_BYTES_MAX {
            self.signatures.push(signed);
        }
    }
}

impl Signed {
    fn finish(self) -> Opaque {
        let json = match self {
            Self::Call { at, signature } => {
                format!(r#"{{"call":{at},"thoughtSignature":{}}}"#, Value::from(signature))
            }
            Self::Text { from, to, signature } => {
                format!(
                    r#"{{"from":{from},"to":{to},"thoughtSignature":{}}}"#,
                    Value::from(signature)
                )
            }
        };
        Opaque { family: FAMILY.to_owned(), json }
    }
}

/// Whether the server threw the model's own call away: what came of it is not to be used.
fn is_refused_call(reason: &str) -> bool {
    matches!(
        reason,
        "MALFORMED_FUNCTION_CALL"
            | "MALFORMED_RESPONSE"
            | "TOO_MANY_TOOL_CALLS"
            | "UNEXPECTED_TOOL_CALL"
    )
}

fn finish_reason(text: &str) -> FinishReason {
    match text {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "BLOCKLIST" | "IMAGE_SAFETY" | "MODEL_ARMOR" | "PROHIBITED_CONTENT" | "RECITATION"
        | "SAFETY" | "SPII" => FinishReason::ContentFilter,
        other => FinishReason::Other(other.to_owned()),
    }
}

fn read_usage(usage: &UsageMetadata<'_>) -> Option<Usage> {
    let count = |raw: Raw<'_>| raw.and_then(number);
    let (prompt, candidates) =
        (count(usage.prompt_token_count), count(usage.candidates_token_count));
    let thoughts = count(usage.thoughts_token_count);
    if prompt.is_none() && candidates.is_none() && thoughts.is_none() {
        return None;
    }
    let tools = count(usage.tool_use_prompt_token_count).unwrap_or(0);
    let thoughts = thoughts.unwrap_or(0);
    Some(Usage {
        tokens_input: prompt.unwrap_or(0).saturating_add(tools),
        // Thoughts are paid for as output, and are not in the candidates' count.
        tokens_output: candidates.unwrap_or(0).saturating_add(thoughts),
        tokens_cached: count(usage.cached_content_token_count).unwrap_or(0),
        tokens_reasoning: thoughts,
    })
}
