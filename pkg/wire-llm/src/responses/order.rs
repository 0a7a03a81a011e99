//! The order of a reply's output items, as it is kept beside the reply and read back.
//!
//! The provider refuses a reasoning item without the item that followed it, and a message or call
//! with its id but without the reasoning before it. So a reply goes back as it came, item by item in
//! its order, or as its plain words and calls without ids. There is nothing between the two.
//!
//! Reasoning is kept byte for byte; of messages and calls only what the reply does not have: which
//! stretch of the text, which call, the provider's id and the phase.
//!
//! # Source
//!
//! <https://github.com/continuedev/continue/issues/11994>,
//! <https://github.com/openai/openai-dotnet/issues/1050>

use serde::Deserialize;

use manos_model::Opaque;

use super::FAMILY;

/// One output item of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ordered {
    /// A call, by its position among the reply's calls.
    Call { at: usize, id: Option<String> },
    /// Reasoning, byte for byte.
    Reasoning(String),
    /// A message: from where to where in the reply's text.
    Text { from: usize, to: usize, id: Option<String>, phase: Option<String> },
}

impl Ordered {
    /// Returns the item as it is kept.
    fn keep(&self) -> Opaque {
        let json = match self {
            Self::Call { at, id } => serde_json::json!({"call": at, "id": id}).to_string(),
            Self::Reasoning(json) => json.clone(),
            Self::Text { from, to, id, phase } => {
                serde_json::json!({"from": from, "to": to, "id": id, "phase": phase}).to_string()
            }
        };
        Opaque { family: FAMILY.to_owned(), json }
    }

    fn read(json: &str) -> Option<Self> {
        let kept: Kept = serde_json::from_str(json).ok()?;
        match kept {
            Kept { kind: Some(kind), .. } if kind == "reasoning" => {
                Some(Self::Reasoning(json.to_owned()))
            }
            Kept { call: Some(at), id, .. } => Some(Self::Call { at, id }),
            Kept { from: Some(from), to: Some(to), id, phase, .. } => {
                Some(Self::Text { from, to, id, phase })
            }
            Kept { .. } => None,
        }
    }
}

#[derive(Deserialize)]
struct Kept {
    #[serde(default)]
    call: Option<usize>,
    #[serde(default)]
    from: Option<usize>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    phase: Option<String>,
    #[serde(default)]
    to: Option<usize>,
}

/// Returns what is kept beside a reply; nothing when its words and calls say it all.
pub(super) fn keep(items: &[Ordered]) -> Vec<Opaque> {
    let reasoned = items.iter().any(|item| matches!(item, Ordered::Reasoning(_)));
    let has_phase = |item: &Ordered| matches!(item, Ordered::Text { phase: Some(_), .. });
    let follows = !matches!(items.last(), Some(Ordered::Reasoning(_)));
    if (reasoned || items.iter().any(has_phase)) && follows {
        items.iter().map(Ordered::keep).collect()
    } else {
        Vec::new()
    }
}

/// Reads what was kept beside a reply of this text and so many calls.
///
/// Nothing, when it is not the whole of that reply: a call is missing or was added, words were cut,
/// or an item is another provider's.
pub(super) fn read(opaque: &[Opaque], text: &str, calls: usize) -> Option<Vec<Ordered>> {
    let own = opaque.iter().filter(|item| item.family == FAMILY);
    let mut items: Vec<Ordered> =
        own.map(|item| Ordered::read(&item.json)).collect::<Option<_>>()?;
    if items.is_empty() || matches!(items.last(), Some(Ordered::Reasoning(_))) {
        return None;
    }
    let (mut next_call, mut said) = (0, 0);
    for item in &items {
        match item {
            Ordered::Call { at, .. } if *at == next_call => next_call += 1,
            Ordered::Call { .. } => return None,
            Ordered::Reasoning(_) => {}
            Ordered::Text { from, to, .. } => {
                // Only blanks of ours may stand between two messages.
                if !text.get(said..*from)?.trim().is_empty() || text.get(*from..*to)?.is_empty() {
                    return None;
                }
                said = *to;
            }
        }
    }
    // Ids go back only with the reasoning that they belong to.
    for item in &mut items {
        match item {
            Ordered::Call { id, .. } | Ordered::Text { id, .. } => *id = None,
            Ordered::Reasoning(_) => break,
        }
    }
    (next_call == calls && said == text.len()).then_some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<Ordered> {
        vec![
            Ordered::Reasoning(
                r#"{"id":"rs_1", "type":"reasoning","encrypted_content":"x"}"#.into(),
            ),
            Ordered::Text { from: 0, to: 4, id: Some("msg_1".into()), phase: None },
            Ordered::Call { at: 0, id: Some("fc_1".into()) },
            Ordered::Text { from: 6, to: 9, id: None, phase: Some("final_answer".into()) },
        ]
    }

    #[test]
    fn what_is_kept_is_read_back_word_for_word() {
        let items = sample();
        assert_eq!(read(&keep(&items), "Hola\n\nQué", 1), None, "words were cut");
        assert_eq!(read(&keep(&items), "Hola\n\nQue", 1), Some(items));
    }

    #[test]
    fn what_is_not_the_whole_reply_does_not_go_back() {
        let kept = keep(&sample());
        let text = "Hola\n\nQue";
        let mut another = kept.clone();
        another[2].json = "{}".into();
        let mut foreign = kept.clone();
        foreign[2].family = "elsewhere".into();
        let cases: [(&str, &[Opaque], &str, usize); 7] = [
            ("nothing kept", &[], text, 1),
            ("a call too many", &kept, text, 2),
            ("no call", &kept, text, 0),
            ("words added", &kept, "Hola\n\nQue más", 1),
            ("other words between", &kept, "Hola y Que", 1),
            ("an item of no kind", &another, text, 1),
            ("an item is another's", &foreign, text, 1),
        ];
        for (why, kept, text, calls) in cases {
            assert_eq!(read(kept, text, calls), None, "{why}");
        }
    }

    #[test]
    fn reasoning_that_nothing_follows_is_not_kept() {
        let mut items = sample();
        items.truncate(1);
        assert!(keep(&items).is_empty());
        let plain = [Ordered::Call { at: 0, id: Some("fc_1".into()) }];
        assert!(keep(&plain).is_empty(), "words and calls alone need nothing beside them");
    }
}
