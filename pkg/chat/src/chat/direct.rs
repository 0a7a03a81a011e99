//! `!tool name key=value key2="with spaces"` and `!tools`, for the roles that have them.

use manos_engine::{Confirmer, DirectCall};
use manos_model::{CallArguments, UserId};
use serde_json::{Map, Value};

use super::apply::Applying;
use crate::Inbound;

impl Applying<'_> {
    /// Whether this user has a role that may write direct commands.
    pub(super) fn may_direct(&self, user: &UserId) -> bool {
        let access = &self.spec.agent.access;
        self.spec.direct_tools.iter().any(|role| access.has_role(user, role))
    }

    /// Takes a message that is a direct command; says whether it was one.
    pub(super) fn direct(&mut self, inbound: &Inbound, words: &str) -> bool {
        if !self.may_direct(&inbound.user) {
            return false;
        }
        let words = words.trim();
        if words == "!tools" {
            let offer = self.spec.agent.offer(&inbound.user);
            let lines: Vec<String> = offer
                .declarations
                .iter()
                .map(|tool| format!("{}: {}", tool.name, tool.description))
                .collect();
            self.answer_at_once(inbound, None, &lines.join("\n"));
            return true;
        }
        let rest = if words == "!tool" { Some("") } else { words.strip_prefix("!tool ") };
        let Some(rest) = rest else { return false };
        let Some((tool, arguments)) = read_command(rest) else {
            self.answer_at_once(inbound, None, "!tool NAME key=value key2=\"with spaces\"");
            return true;
        };
        let arguments = CallArguments::Value(Value::Object(arguments));
        self.start_call(inbound, DirectCall { tool, arguments }, None, Confirmer::Chat);
        true
    }
}

/// Reads a tool's name and its arguments. A value that is JSON is taken as JSON, else as text.
fn read_command(text: &str) -> Option<(String, Map<String, Value>)> {
    let mut words = split_words(text)?.into_iter();
    let tool = words.next()?.text;
    let mut arguments = Map::new();
    for word in words {
        let (key, value) = word.text.split_once('=')?;
        let value = match serde_json::from_str(value) {
            Ok(value) if !word.quoted => value,
            _ => Value::String(value.to_owned()),
        };
        if arguments.insert(key.to_owned(), value).is_some() {
            return None;
        }
    }
    Some((tool, arguments))
}

struct Word {
    text: String,
    quoted: bool,
}

/// Splits at blanks outside double quotes; `None` when a quote stays open.
fn split_words(text: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut word = Word { text: String::new(), quoted: false };
    let mut open = false;
    for c in text.chars() {
        match c {
            '"' => {
                open = !open;
                word.quoted = true;
            }
            c if c.is_whitespace() && !open => {
                if !word.text.is_empty() || word.quoted {
                    words.push(std::mem::replace(
                        &mut word,
                        Word { text: String::new(), quoted: false },
                    ));
                }
            }
            c => word.text.push(c),
        }
    }
    if !word.text.is_empty() || word.quoted {
        words.push(word);
    }
    (!open).then_some(words)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_line_is_a_name_and_its_values() {
        let read = |text: &str| read_command(text).map(|(tool, args)| (tool, Value::Object(args)));
        assert_eq!(
            read(r#"pedir cantidad=2 nota="con leche" id="7" items=[1,2]"#),
            Some((
                "pedir".into(),
                json!({"cantidad": 2, "nota": "con leche", "id": "7", "items": [1, 2]})
            ))
        );
        assert_eq!(read("pedir"), Some(("pedir".into(), json!({}))));
        for bad in ["", "pedir x", "pedir a=1 a=2", "pedir a=\"open"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
}
