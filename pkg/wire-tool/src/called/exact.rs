//! JSON in which no key stands twice: of two values for one key, two readers may take a different
//! one each, and then somebody checked another call than the one that runs.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// Why a body is not read.
#[derive(Debug, thiserror::Error)]
#[error("the body is not the JSON that is expected: {problem}")]
pub struct ExactError {
    /// What is wrong, with its line and column; it holds no value of the body.
    problem: String,
}

/// Reads JSON; a key that stands twice in one object is an error.
///
/// # Errors
///
/// [`ExactError`].
///
/// ```
/// use manos_wire_tool::called::read_exact;
/// assert_eq!(read_exact(br#"{"a":1.50}"#).unwrap().to_string(), r#"{"a":1.50}"#);
/// assert!(read_exact(br#"{"a":{"b":1,"b":2}}"#).is_err());
/// ```
pub fn read_exact(body: &[u8]) -> Result<Value, ExactError> {
    let problem = |error: serde_json::Error| {
        // Other messages may repeat a text of the body.
        let problem = match error.classify() {
            serde_json::error::Category::Data if error.to_string().starts_with(TWICE) => {
                error.to_string()
            }
            _ => format!("at line {} column {}", error.line(), error.column()),
        };
        ExactError { problem }
    };
    serde_json::from_slice::<NoKeyTwice>(body).map_err(problem)?;
    serde_json::from_slice(body).map_err(problem)
}

const TWICE: &str = "a key stands twice in one object";

/// Any JSON, looked through and not kept.
struct NoKeyTwice;

impl<'de> Deserialize<'de> for NoKeyTwice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = NoKeyTwice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<NoKeyTwice, E> {
        Ok(NoKeyTwice)
    }

    fn visit_i64<E>(self, _: i64) -> Result<NoKeyTwice, E> {
        Ok(NoKeyTwice)
    }

    fn visit_u64<E>(self, _: u64) -> Result<NoKeyTwice, E> {
        Ok(NoKeyTwice)
    }

    fn visit_f64<E>(self, _: f64) -> Result<NoKeyTwice, E> {
        Ok(NoKeyTwice)
    }

    fn visit_str<E>(self, _: &str) -> Result<NoKeyTwice, E> {
        Ok(NoKeyTwice)
    }

    fn visit_unit<E>(self) -> Result<NoKeyTwice, E> {
        Ok(NoKeyTwice)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<NoKeyTwice, A::Error> {
        while items.next_element::<NoKeyTwice>()?.is_some() {}
        Ok(NoKeyTwice)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NoKeyTwice, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = entries.next_key::<String>()? {
            entries.next_value::<NoKeyTwice>()?;
            if !keys.insert(key) {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(NoKeyTwice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        let good = [
            "{}",
            r#"[1,-2.5e9,12345678901234567890.10,"x",null,true,{"a":{"a":1},"b":[{"a":1},{"a":2}]}]"#,
        ];
        for text in good {
            let expected: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read_exact(text.as_bytes()).unwrap(), expected, "{text}");
        }
        let bad = [
            (r#"{"a":1,"a":1}"#, "twice"),
            (r#"[{"x":{"a":1,"b":2,"\u0061":3}}]"#, "twice, written in another way"),
            (r#"{"a":1"#, "cut off"),
            (r#"{"a":1} x"#, "more behind it"),
            ("", "nothing"),
        ];
        for (text, why) in bad {
            let error = read_exact(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("line 1 column"), "{why}: {error}");
        }
        let secret = read_exact(br#"{"secret-value" 1}"#).unwrap_err().to_string();
        assert!(!secret.contains("secret-value"), "{secret}");
        let deep = "[".repeat(1_000);
        assert!(read_exact(deep.as_bytes()).is_err());
    }
}
