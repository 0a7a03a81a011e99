//! Thinking, which goes back as it came and in its place, or not at all.

use serde_json::Value;
use serde_json::value::RawValue;

use manos_model::Opaque;

use crate::OPAQUE_BYTES_MAX;
use crate::anthropic::FAMILY;
use crate::lenient::Raw;
use crate::pieces::{Piece, Pieces};

/// What a thought counts for beside its bytes, so that empty ones have an end too.
const THOUGHT_BYTES: usize = 64;

/// The thoughts of one reply.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    all: Vec<Thought>,
    bytes: usize,
}

/// One block, and what of the reply stood before it.
#[derive(Debug)]
struct Thought {
    text_bytes: usize,
    calls: usize,
    block: Kept,
}

#[derive(Debug)]
enum Kept {
    Pieces { thinking: Pieces, signature: Pieces },
    Whole(String),
}

impl Thoughts {
    /// Begins a block that comes in pieces and returns its number.
    pub(super) fn begin(&mut self, text_bytes: usize, calls: usize) -> usize {
        let block = Kept::Pieces { thinking: Pieces::default(), signature: Pieces::default() };
        self.keep(Thought { text_bytes, calls, block }, 0);
        self.all.len().saturating_sub(1)
    }

    /// Takes a whole block.
    pub(super) fn add_whole(&mut self, block: &RawValue, text_bytes: usize, calls: usize) {
        let block = block.get();
        let kept = Kept::Whole(block.to_owned());
        self.keep(Thought { text_bytes, calls, block: kept }, block.len());
    }

    /// Takes a piece of a block.
    pub(super) fn add(&mut self, at: usize, thinking: Raw<'_>, signature: Raw<'_>) {
        if self.is_full() {
            return;
        }
        if let Some(Thought { block: Kept::Pieces { thinking: all, signature: signed }, .. }) =
            self.all.get_mut(at)
        {
            for (piece, whole) in [(thinking, all), (signature, signed)] {
                if let Some(piece) = piece.and_then(Piece::of_json) {
                    self.bytes = self.bytes.saturating_add(whole.push(&piece).len());
                }
            }
        }
    }

    fn keep(&mut self, thought: Thought, bytes: usize) {
        self.bytes = self.bytes.saturating_add(bytes + THOUGHT_BYTES);
        if !self.is_full() {
            self.all.push(thought);
        }
    }

    fn is_full(&self) -> bool {
        self.bytes > OPAQUE_BYTES_MAX
    }

    /// Returns what goes back; nothing when it is more than [`OPAQUE_BYTES_MAX`].
    pub(super) fn finish(self) -> Vec<Opaque> {
        if self.is_full() {
            return Vec::new();
        }
        self.all.into_iter().map(Thought::finish).collect()
    }
}

impl Thought {
    fn finish(self) -> Opaque {
        let Self { text_bytes, calls, block } = self;
        let block = match block {
            Kept::Pieces { thinking, signature } => {
                let [thinking, signature] = [thinking, signature].map(|p| Value::from(p.finish()));
                format!(r#"{{"type":"thinking","thinking":{thinking},"signature":{signature}}}"#)
            }
            Kept::Whole(json) => json,
        };
        let json = format!(r#"{{"text_bytes":{text_bytes},"calls":{calls},"block":{block}}}"#);
        Opaque { family: FAMILY.to_owned(), json }
    }
}
