//! Results are cut before they reach a model.

use serde_json::Value;

use manos_model::Failure;
use manos_text::{Say, Texts};

/// Text from a failing tool is cut to this many bytes.
const FAILURE_TEXT_BYTES_MAX: usize = 1024;

/// Cuts a result whose text is longer than `bytes_max` at a character boundary; what is left is
/// text that ends with a note of how much is missing.
///
/// ```
/// use manos_engine::bounded_result;
/// use manos_text::{Language, Texts};
/// use serde_json::json;
/// let texts = Texts::new(Language::En);
/// assert_eq!(bounded_result(json!({"a": 1}), 100, &texts), json!({"a": 1}));
/// assert_eq!(bounded_result(json!("ñandú"), 4, &texts), json!("ñan… [cut: 3 bytes are missing]"));
/// ```
pub fn bounded_result(result: Value, bytes_max: usize, texts: &Texts) -> Value {
    let printed = match result.as_str() {
        Some(text) if text.len() <= bytes_max => return result,
        Some(text) => text.to_owned(),
        None => result.to_string(),
    };
    if printed.len() <= bytes_max { result } else { Value::String(cut(&printed, bytes_max, texts)) }
}

/// The failure as the model reads it: every text that a tool wrote is cut, then the whole.
pub(crate) fn bounded_failure(failure: &Failure, bytes_max: usize, texts: &Texts) -> Value {
    let value = failure.to_value();
    let from_tool = matches!(
        failure,
        Failure::Exit { .. }
            | Failure::Failed { .. }
            | Failure::HttpStatus { .. }
            | Failure::Said(_)
            | Failure::Transport { .. }
    );
    bounded_result(if from_tool { cut_texts(value, texts) } else { value }, bytes_max, texts)
}

fn cut_texts(value: Value, texts: &Texts) -> Value {
    match value {
        Value::String(text) if text.len() > FAILURE_TEXT_BYTES_MAX => {
            Value::String(cut(&text, FAILURE_TEXT_BYTES_MAX, texts))
        }
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| cut_texts(item, texts)).collect())
        }
        Value::Object(map) => {
            let cut = map.into_iter().map(|(key, inner)| (key, cut_texts(inner, texts)));
            Value::Object(cut.collect())
        }
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => value,
    }
}

fn cut(text: &str, bytes_max: usize, texts: &Texts) -> String {
    let end = text.floor_char_boundary(bytes_max);
    format!("{}… {}", &text[..end], texts.say(&Say::ResultCut { bytes: text.len() - end }))
}

#[cfg(test)]
mod tests {
    use manos_text::Language;
    use serde_json::json;

    use super::*;

    #[test]
    fn text_of_a_failing_tool_is_cut_wherever_it_stands() {
        let texts = Texts::new(Language::Es);
        let long = "é".repeat(600);
        let cut = "é".repeat(512) + "… [cortado: faltan 176 bytes]";
        let cases = [
            (
                "a message",
                Failure::Failed { message: long.clone() },
                json!({"error": "failed", "message": cut}),
            ),
            (
                "the tool's own object",
                Failure::Said(json!({"error": {"why": [long]}})),
                json!({"error": {"why": [cut]}}),
            ),
            (
                "the person's words are not a tool's",
                Failure::UserReplied { user_reply: "é".repeat(600) },
                json!({"executed": false, "reason": "user_replied", "userReply": "é".repeat(600)}),
            ),
        ];
        for (why, failure, expected) in cases {
            assert_eq!(bounded_failure(&failure, 16 * 1024, &texts), expected, "{why}");
        }
        let all = json!({"error": "x".repeat(900), "more": "x".repeat(900)});
        let bounded = bounded_failure(&Failure::Said(all), 1000, &texts);
        assert!(bounded.as_str().unwrap().len() < 1100, "the whole has a bound too");
    }
}
