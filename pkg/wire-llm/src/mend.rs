//! The one place through which a turn's messages go on their way to a provider.
//!
//! Providers refuse a request in which a call has no result, or two, or a result has no call, or
//! anything stands between them. Whatever happened to the turn, what comes out here is well formed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use manos_model::{Opaque, StepMessage, ToldCall, ToolResult, sha256_hex};

/// What a call is said to have come to when no result of it is known.
const FILLER: &str = r#"{"executed":"unknown","reason":"interrupted"}"#;

/// One message as any provider takes it.
#[derive(Debug, Clone, PartialEq)]
pub enum Told<'a> {
    /// A reply of the model; its results follow at once, in the order of its calls.
    Assistant {
        /// Its text; empty only when it has calls.
        text: &'a str,
        /// Its calls with their ids on the wire.
        calls: Vec<(Cow<'a, str>, &'a ToldCall)>,
        /// What goes back unchanged.
        opaque: &'a [Opaque],
    },
    /// The result of a call of the assistant message before.
    Result {
        /// The id on the wire.
        id: Cow<'a, str>,
        /// The call.
        call: &'a ToldCall,
        /// The result as text: a JSON string raw, anything else as compact JSON.
        content: Cow<'a, str>,
        /// Whether it is a failure.
        failed: bool,
    },
    /// Words that are not the model's: the person's, or a note of ours.
    User(&'a str),
}

/// Makes a list of messages that every provider takes.
///
/// - Each call gets exactly one result, right after its reply, in the order of the calls; the first
///   result wins, a missing one is filled in as interrupted, one without a call is dropped.
/// - What stood between a reply and its results comes after them.
/// - Ids on the wire are the provider's own, or ours where it gave none; no two calls share one.
/// - A reply without text and calls, and empty words, are dropped.
///
/// # Examples
///
/// ```
/// use manos_model::{StepMessage, ToldCall, ToolCallId};
/// use manos_wire_llm::{Told, acceptable};
/// let call = ToldCall {
///     id: ToolCallId::new("t1"),
///     wire_id: None,
///     name: "pay".into(),
///     arguments: serde_json::json!({}),
/// };
/// let calls = vec![call];
/// let messages =
///     [StepMessage::Assistant { text: String::new(), calls, opaque: Vec::new() }];
/// let told = acceptable(&messages);
/// assert!(matches!(&told[1], Told::Result { id, .. } if id == "t1"));
/// ```
pub fn acceptable(messages: &[StepMessage]) -> Vec<Told<'_>> {
    acceptable_as(messages, IdForm::ANY)
}

/// What a provider takes as the id of a call.
///
/// Ids come from whichever provider made the call, and after a change of provider within a turn
/// another one sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdForm {
    /// Whether `_` and `-` are taken beside letters and digits; with neither, anything is.
    pub alphabet: IdAlphabet,
    /// The longest one, in bytes.
    pub bytes_max: usize,
    /// The shortest one, in bytes.
    pub bytes_min: usize,
}

/// Of which characters an id may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdAlphabet {
    /// Any.
    Any,
    /// Letters and digits of ASCII.
    Plain,
    /// Letters and digits of ASCII, `_` and `-`.
    Word,
}

impl IdForm {
    /// Anything goes.
    pub const ANY: Self = Self { alphabet: IdAlphabet::Any, bytes_max: usize::MAX, bytes_min: 1 };

    /// Returns whether an id may stay as it is.
    ///
    /// ```
    /// use manos_wire_llm::{IdAlphabet, IdForm};
    /// let nine = IdForm { alphabet: IdAlphabet::Plain, bytes_max: 9, bytes_min: 9 };
    /// assert!(nine.takes("a1b2c3d4e") && !nine.takes("call_1"));
    /// ```
    pub fn takes(&self, id: &str) -> bool {
        (self.bytes_min..=self.bytes_max).contains(&id.len())
            && id.bytes().all(|byte| match self.alphabet {
                IdAlphabet::Any => true,
                IdAlphabet::Plain => byte.is_ascii_alphanumeric(),
                IdAlphabet::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            })
    }

    /// Returns an id that is taken, made of one that is not: the same one each time.
    fn digest(&self, id: &str) -> String {
        const DIGEST_CHARS: usize = 24;
        let length = DIGEST_CHARS.clamp(self.bytes_min, self.bytes_max);
        sha256_hex(&[id.as_bytes()]).chars().take(length).collect()
    }
}

/// Makes a list of messages as [`acceptable`] does, with ids of this form.
pub fn acceptable_as(messages: &[StepMessage], ids_as: IdForm) -> Vec<Told<'_>> {
    let mut told = Vec::with_capacity(messages.len());
    let mut ids = BTreeSet::new();
    let mut used = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        match message {
            StepMessage::Assistant { text, calls, opaque } => {
                if text.is_empty() && calls.is_empty() {
                    continue;
                }
                let calls: Vec<(Cow<'_, str>, &ToldCall)> =
                    calls.iter().map(|call| (wire_id(call, ids_as, &mut ids), call)).collect();
                let mut results = Vec::with_capacity(calls.len());
                for (id, call) in &calls {
                    let found = find_result(messages, at, call, &mut used);
                    results.push(told_result(id.clone(), call, found));
                }
                told.push(Told::Assistant { text, calls, opaque });
                told.append(&mut results);
            }
            // Placed with its call, or an orphan.
            StepMessage::Result(_) => {}
            StepMessage::Note(text) | StepMessage::User(text) => {
                if !text.is_empty() {
                    told.push(Told::User(text));
                }
            }
        }
    }
    told
}

fn find_result<'a>(
    messages: &'a [StepMessage],
    after: usize,
    call: &ToldCall,
    used: &mut BTreeSet<usize>,
) -> Option<&'a ToolResult> {
    let found =
        messages.iter().enumerate().skip(after + 1).find_map(|(at, message)| match message {
            StepMessage::Result(result) if result.call_id == call.id && !used.contains(&at) => {
                Some((at, result))
            }
            _ => None,
        })?;
    used.insert(found.0);
    Some(found.1)
}

fn told_result<'a>(
    id: Cow<'a, str>,
    call: &'a ToldCall,
    found: Option<&'a ToolResult>,
) -> Told<'a> {
    let (content, failed) = match found {
        Some(result) => (content_text(&result.content), result.failed),
        None => (Cow::Borrowed(FILLER), true),
    };
    Told::Result { id, call, content, failed }
}

fn content_text(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        other => Cow::Owned(other.to_string()),
    }
}

/// The provider's id, or ours; told apart when the provider gave one twice.
fn wire_id<'a>(call: &'a ToldCall, form: IdForm, taken: &mut BTreeSet<String>) -> Cow<'a, str> {
    let own = call.id.as_str();
    let given = call.wire_id.as_deref().filter(|id| !id.is_empty());
    let candidates = given.into_iter().chain((!own.is_empty()).then_some(own));
    for candidate in candidates {
        let candidate = if form.takes(candidate) {
            Cow::Borrowed(candidate)
        } else {
            Cow::Owned(form.digest(candidate))
        };
        if taken.insert(candidate.clone().into_owned()) {
            return candidate;
        }
    }
    let mut more = 1_u32;
    loop {
        more += 1;
        let candidate = format!("call_{more}");
        let candidate = if form.takes(&candidate) { candidate } else { form.digest(&candidate) };
        if taken.insert(candidate.clone()) {
            return Cow::Owned(candidate);
        }
    }
}

#[cfg(test)]
mod tests;
