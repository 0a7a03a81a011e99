//! A model that follows a script: which entry answers a request. Pure: what was used before comes
//! in, what is used now goes out.

use std::collections::BTreeSet;
use std::time::Duration;

use regex::Regex;
use serde_json::Value;
use thiserror::Error;

use manos_model::{CallArguments, FinishReason, ModelRequest, StepMessage};

/// How much of a message an error repeats, in characters.
const QUOTE_CHARS_MAX: usize = 80;

/// When an entry answers. Without conditions it always does; with both, both must hold.
#[derive(Debug, Clone, Default)]
pub struct ScriptWhen {
    /// On the JSON text of the newest message, when that is a tool result.
    pub result: Option<Regex>,
    /// On the newest message, when that is the person's: in a turn's first step, and after they
    /// answered a question with something else than yes or no.
    pub user: Option<Regex>,
}

/// A call that an entry asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptCall {
    /// The tool.
    pub tool: String,
    /// Its arguments: a value, or raw text that may be no JSON.
    pub arguments: CallArguments,
}

/// One entry of a script.
#[derive(Debug, Clone, Default)]
pub struct ScriptEntry {
    /// When it answers.
    pub when: ScriptWhen,
    /// What it asks for.
    pub calls: Vec<ScriptCall>,
    /// What it says: the source of a template over `result` and `user`.
    pub say: Option<String>,
    /// How the reply ends; by default `ToolCalls` with calls, `Stop` without.
    pub finish: Option<FinishReason>,
    /// Whether it serves only once.
    pub once: bool,
    /// How long the reply takes.
    pub delay: Duration,
}

impl ScriptEntry {
    /// Returns how the reply ends.
    pub fn finish_reason(&self) -> FinishReason {
        self.finish.clone().unwrap_or(if self.calls.is_empty() {
            FinishReason::Stop
        } else {
            FinishReason::ToolCalls
        })
    }
}

/// No entry answers.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the script has no entry for {newest}")]
pub struct NoEntry {
    /// The newest message, shortened.
    pub newest: String,
}

/// The script of a model; the first entry that matches answers.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::{Script, ScriptEntry};
/// let script = Script::new(vec![ScriptEntry { say: Some("Hola".into()), ..Default::default() }]);
/// assert_eq!(script.entries().len(), 1);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Script {
    entries: Vec<ScriptEntry>,
}

impl Script {
    /// Takes the entries in their order.
    pub fn new(entries: Vec<ScriptEntry>) -> Self {
        Self { entries }
    }

    /// Returns the entries.
    pub fn entries(&self) -> &[ScriptEntry] {
        &self.entries
    }

    /// Finds the entry that answers, by its position. `used` holds the positions that have served.
    ///
    /// # Errors
    ///
    /// [`NoEntry`] when nothing matches.
    pub fn pick(&self, used: &BTreeSet<usize>, request: &ModelRequest) -> Result<usize, NoEntry> {
        let newest = Newest::of(request);
        let free = |at: &usize, entry: &ScriptEntry| !(entry.once && used.contains(at));
        self.entries
            .iter()
            .enumerate()
            .find(|(at, entry)| free(at, entry) && newest.matches(&entry.when))
            .map(|(at, _)| at)
            .ok_or_else(|| NoEntry { newest: newest.quoted() })
    }
}

/// Returns what a `say` template sees: `result`, the newest tool result of the turn or null, and
/// `user`, the person's newest words.
pub fn script_values(request: &ModelRequest) -> serde_json::Map<String, Value> {
    let newest = Newest::of(request);
    let result = request.messages.iter().rev().find_map(|message| match message {
        StepMessage::Result(result) => Some(result.content.clone()),
        _ => None,
    });
    let user = newest.user.map(str::to_owned).or_else(|| {
        request.messages.iter().rev().find_map(|message| match message {
            StepMessage::User(text) => Some(text.clone()),
            StepMessage::Result(result) => user_reply(&result.content).map(str::to_owned),
            _ => None,
        })
    });
    let mut values = serde_json::Map::new();
    values.insert("result".to_owned(), result.unwrap_or(Value::Null));
    values.insert("user".to_owned(), Value::String(user.unwrap_or_default()));
    values
}

/// The newest message, as conditions see it.
struct Newest<'a> {
    /// The person's words, when the newest message is theirs.
    user: Option<&'a str>,
    /// The JSON text of a tool result, when the newest message is one.
    result: Option<String>,
}

impl<'a> Newest<'a> {
    fn of(request: &'a ModelRequest) -> Self {
        match request.messages.last() {
            Some(StepMessage::User(text)) => Self { user: Some(text), result: None },
            Some(StepMessage::Result(newest)) => {
                // Later calls of the step got a result too; the words are in the one asked about.
                let mut step = request.messages.iter().rev().map_while(|message| match message {
                    StepMessage::Result(result) => Some(result),
                    _ => None,
                });
                let user = step.find_map(|result| user_reply(&result.content));
                let result = serde_json::to_string(&newest.content).ok();
                Self { user, result }
            }
            _ => Self { user: None, result: None },
        }
    }

    fn matches(&self, when: &ScriptWhen) -> bool {
        let fits = |pattern: &Option<Regex>, text: Option<&str>| match (pattern, text) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(pattern), Some(text)) => pattern.is_match(text),
        };
        fits(&when.user, self.user) && fits(&when.result, self.result.as_deref())
    }

    fn quoted(&self) -> String {
        let (what, text) = match (self.user, &self.result) {
            (Some(text), _) => ("the message", text),
            (None, Some(text)) => ("the result", text.as_str()),
            (None, None) => return "a request without a message".to_owned(),
        };
        let short: String = text.chars().take(QUOTE_CHARS_MAX).collect();
        let more = if short.len() < text.len() { "…" } else { "" };
        format!("{what} \"{}{more}\"", short.escape_debug())
    }
}

/// The person's words in the result of a call that they answered with something else.
fn user_reply(content: &Value) -> Option<&str> {
    let replied = content.get("reason").and_then(Value::as_str) == Some("user_replied");
    if !replied {
        return None;
    }
    content.get("userReply").and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use manos_model::{ToolCallId, ToolResult, ToolSet};

    use super::*;

    fn request(messages: Vec<StepMessage>) -> ModelRequest {
        ModelRequest {
            system: String::new(),
            history: Arc::default(),
            messages: Arc::new(messages),
            tools: Arc::new(ToolSet::new(Vec::new())),
            step: 1,
        }
    }

    fn user(text: &str) -> StepMessage {
        StepMessage::User(text.to_owned())
    }

    fn result(content: Value) -> StepMessage {
        let call_id = ToolCallId::new("call-1");
        StepMessage::Result(ToolResult { call_id, content, failed: false })
    }

    fn entry(user: Option<&str>, result: Option<&str>) -> ScriptEntry {
        let regex = |text: Option<&str>| text.map(|text| Regex::new(text).unwrap());
        let when = ScriptWhen { result: regex(result), user: regex(user) };
        ScriptEntry { when, ..ScriptEntry::default() }
    }

    #[test]
    fn the_first_entry_that_matches_answers() {
        let script = Script::new(vec![
            entry(Some("(?i)pedido"), None),
            entry(None, Some("confirmado")),
            entry(Some("otra"), None),
        ]);
        let replied =
            json!({"executed": false, "reason": "user_replied", "userReply": "otra cosa"});
        let not_asked = json!({"executed": false, "reason": "not_asked"});
        let cases = [
            ("the person's words", vec![user("un Pedido")], Some(0)),
            ("a result", vec![user("un pedido"), result(json!({"estado": "confirmado"}))], Some(1)),
            ("a result that is text", vec![user("x"), result(json!("confirmado"))], Some(1)),
            ("older words do not count", vec![user("un pedido"), result(json!({}))], None),
            ("words in place of yes or no", vec![user("x"), result(replied.clone())], Some(2)),
            (
                "later calls of that step",
                vec![user("x"), result(replied), result(not_asked)],
                Some(2),
            ),
            (
                "a note is nobody's word",
                vec![user("pedido"), StepMessage::Note("cut".into())],
                None,
            ),
            ("nothing", vec![], None),
        ];
        for (why, messages, expected) in cases {
            let picked = script.pick(&BTreeSet::new(), &request(messages));
            assert_eq!(picked.ok(), expected, "{why}");
        }
    }

    #[test]
    fn an_entry_that_serves_once_gives_way() {
        let once = ScriptEntry { once: true, ..ScriptEntry::default() };
        let script = Script::new(vec![once, ScriptEntry::default()]);
        let request = request(vec![user("a")]);
        assert_eq!(script.pick(&BTreeSet::new(), &request), Ok(0));
        assert_eq!(script.pick(&BTreeSet::from([0]), &request), Ok(1));
        assert_eq!(script.pick(&BTreeSet::from([0, 1]), &request), Ok(1));
    }

    #[test]
    fn no_entry_names_what_it_has_none_for() {
        let script = Script::new(vec![entry(Some("^x$"), None)]);
        let long = "a\n".repeat(200);
        let error = script.pick(&BTreeSet::new(), &request(vec![user(&long)])).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with("the script has no entry for the message \"a\\na\\n"), "{text}");
        assert!(text.len() < 250, "{text}");
    }

    #[test]
    fn a_template_sees_the_result_and_the_words() {
        let values = script_values(&request(vec![user("dos"), result(json!({"id": 7}))]));
        assert_eq!(Value::Object(values), json!({"result": {"id": 7}, "user": "dos"}));
        let values = script_values(&request(vec![user("dos")]));
        assert_eq!(Value::Object(values), json!({"result": null, "user": "dos"}));
    }
}
