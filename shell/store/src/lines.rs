//! Several JSON texts in one column, and the `id` in front of an audit event.
//!
//! Texts are joined into a JSON array and cut apart again without being rewritten, so that every
//! digit and every key stays where it was.

use serde_json::value::RawValue;

/// Joins JSON texts into one JSON array, each as it is.
pub(crate) fn joined<'a>(texts: impl IntoIterator<Item = &'a str, IntoIter: Clone>) -> String {
    let texts = texts.into_iter();
    let bytes: usize = texts.clone().map(|text| text.len() + 1).sum();
    let mut array = String::with_capacity(bytes + 2);
    array.push('[');
    for text in texts {
        if array.len() > 1 {
            array.push(',');
        }
        array.push_str(text);
    }
    array.push(']');
    array
}

/// Cuts a JSON array into the texts of its elements.
pub(crate) fn parted(array: &str) -> Result<Vec<&str>, serde_json::Error> {
    let elements: Vec<&RawValue> = serde_json::from_str(array)?;
    Ok(elements.into_iter().map(RawValue::get).collect())
}

/// Puts `id` first in a JSON object; `None` when the text is no object.
pub(crate) fn with_id(id: u64, object: &str) -> Option<String> {
    let rest = object.trim_start().strip_prefix('{')?;
    let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
    Some(format!("{{\"id\":{id}{comma}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were() {
        let cases: &[(&str, &[&str])] = &[
            ("none", &[]),
            ("digits are kept", &[r#"{"n":1.10}"#, r#"{"n":123456789012345678901234567890}"#]),
            ("commas and brackets inside", &[r#"{"a":"],[","b":[1,{"c":2}]}"#]),
            ("laid out over lines", &["{\n  \"a\": 1\n}", "{}"]),
        ];
        for (why, texts) in cases {
            let array = joined(texts.iter().copied());
            assert_eq!(parted(&array).unwrap(), *texts, "{why}");
        }
        assert!(parted("[{\"a\":1}").is_err(), "a cut text is not half read");
    }

    #[test]
    fn the_id_stands_first() {
        let cases = [
            ("before the rest", r#"{"seq":1}"#, Some(r#"{"id":7,"seq":1}"#)),
            ("alone in an empty object", "{}", Some(r#"{"id":7}"#)),
            ("blanks stay", "{ \"seq\": 1 }", Some("{\"id\":7, \"seq\": 1 }")),
            ("not an object", "[1]", None),
        ];
        for (why, object, expected) in cases {
            assert_eq!(with_id(7, object).as_deref(), expected, "{why}");
        }
    }
}
