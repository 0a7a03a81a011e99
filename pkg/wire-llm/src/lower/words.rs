//! What cannot be shown as a keyword → a sentence in the description.

use serde_json::{Map, Value};

/// How much may be added to one description, in characters; further sentences are left out.
pub(super) const HINT_CHARS_MAX: usize = 1_000;

/// How long one value in a sentence may be, in characters; a longer one is not told.
const VALUE_CHARS_MAX: usize = 400;

/// Returns the sentence for a plain keyword, none where it needs none.
pub(super) fn of_plain(keyword: &str, value: &Value) -> Option<String> {
    let shown = short(value)?;
    let sentence = match keyword {
        "contentEncoding" | "contentMediaType" => format!("Content: {shown}."),
        "default" => format!("Default: {shown}."),
        "examples" => format!("Examples: {shown}."),
        "exclusiveMaximum" => format!("Less than {shown}."),
        "exclusiveMinimum" => format!("Greater than {shown}."),
        "format" => format!("Format: {}.", value.as_str()?),
        "maxItems" => format!("At most {shown} items."),
        "maxLength" => format!("At most {shown} characters."),
        "maxProperties" => format!("At most {shown} keys."),
        "maximum" => format!("At most {shown}."),
        "minItems" => format!("At least {shown} items."),
        "minLength" => format!("At least {shown} characters."),
        "minProperties" => format!("At least {shown} keys."),
        "minimum" => format!("At least {shown}."),
        "multipleOf" => format!("A multiple of {shown}."),
        "pattern" => format!("Must match the pattern {}", value.as_str()?),
        "uniqueItems" if value == &Value::Bool(true) => "No item twice.".to_owned(),
        _ => return None,
    };
    Some(sentence)
}

/// Returns the sentence for keywords that hold schemas.
pub(super) fn of_hard(hard: &Map<String, Value>) -> Option<String> {
    if hard.is_empty() {
        return None;
    }
    Some(format!("Must also satisfy {}", short(&Value::Object(hard.clone()))?))
}

/// Returns the sentence for the only values that are taken.
pub(super) fn of_values(values: &[Value]) -> Option<String> {
    let list = values.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
    let fits = list.chars().count() <= HINT_CHARS_MAX;
    fits.then(
        || if values.len() == 1 { format!("Always {list}.") } else { format!("One of {list}.") },
    )
}

/// Adds sentences to a description; one that it holds already is not added again.
pub(super) fn described(description: Option<String>, sentences: &[String]) -> Option<String> {
    let mut text = description.unwrap_or_default();
    let mut added = 0;
    for sentence in sentences {
        added += sentence.chars().count() + 1;
        if added > HINT_CHARS_MAX || text.contains(sentence.as_str()) {
            continue;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(sentence);
    }
    (!text.is_empty()).then_some(text)
}

fn short(value: &Value) -> Option<String> {
    let text = value.to_string();
    (text.chars().count() <= VALUE_CHARS_MAX).then_some(text)
}
