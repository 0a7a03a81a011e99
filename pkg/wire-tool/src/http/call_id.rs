//! The id of the call that a run belongs to, as endpoints read it.

use manos_model::ChatKey;

use super::percent;
use crate::canonical;

/// The longest id, in bytes; the rest is left out. Chat keys are far shorter.
pub const CALL_ID_BYTES_MAX: usize = 1_024;

/// What names the call: ASCII without blanks, so that it can stand in a header.
///
/// ```
/// use manos_model::ChatKey;
/// use manos_wire_tool::http::CallId;
/// assert_eq!(CallId::of_chat(&ChatKey::new("call:987654321")).as_str(), "987654321");
/// assert_eq!(CallId::of_chat(&ChatKey::new("telegram:123")).as_str(), "telegram:123");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallId(String);

impl CallId {
    /// Takes an id and percent-encodes what is not visible ASCII, and `%` itself, so that no two
    /// ids become one.
    pub fn new(id: &str) -> Self {
        let mut end = id.len().min(CALL_ID_BYTES_MAX);
        while !id.is_char_boundary(end) {
            end -= 1;
        }
        let mut text = String::with_capacity(end);
        percent::push_where(&id[..end], |byte| byte.is_ascii_graphic() && byte != b'%', &mut text);
        Self(text)
    }

    /// Takes what follows `call:` in the key of a chat, else the whole key.
    pub fn of_chat(chat: &ChatKey) -> Self {
        let key = chat.as_str();
        Self::new(key.strip_prefix("call:").filter(|id| !id.is_empty()).unwrap_or(key))
    }

    /// Returns the id as it stands in a header.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Adds the id as JSON: a number when it is one of at most 15 digits, else a text.
    pub(super) fn write(&self, out: &mut String) {
        if self.is_number() {
            out.push_str(&self.0);
        } else {
            canonical::write_string(&self.0, out);
        }
    }

    /// Whether it matches `0|[1-9][0-9]{0,14}`: such numbers survive every reader of JSON.
    fn is_number(&self) -> bool {
        let digits = self.0.bytes().all(|byte| byte.is_ascii_digit());
        digits && (self.0 == "0" || (!self.0.starts_with('0') && (1..=15).contains(&self.0.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_one_form_in_headers_and_one_in_json() {
        let cases = [
            ("call:987654321", "987654321", "987654321", "a number"),
            ("call:0", "0", "0", "zero"),
            ("call:007", "007", r#""007""#, "zeros before it would be lost"),
            ("call:999999999999999", "999999999999999", "999999999999999", "15 digits"),
            ("call:1000000000000000", "1000000000000000", r#""1000000000000000""#, "16 digits"),
            ("call:-1", "-1", r#""-1""#, "a sign"),
            ("call:CA12", "CA12", r#""CA12""#, "letters"),
            ("call:", "call:", r#""call:""#, "nothing after it"),
            ("telegram:123", "telegram:123", r#""telegram:123""#, "another channel"),
            (
                "terminal:Ana María",
                "terminal:Ana%20Mar%C3%ADa",
                r#""terminal:Ana%20Mar%C3%ADa""#,
                "what a header cannot carry",
            ),
            ("call:a%20b", "a%2520b", r#""a%2520b""#, "what looks encoded already"),
            ("call:a\"b", "a\"b", r#""a\"b""#, "a quotation mark"),
        ];
        for (key, header, json, why) in cases {
            let id = CallId::of_chat(&ChatKey::new(key));
            let mut written = String::new();
            id.write(&mut written);
            assert_eq!((id.as_str(), written.as_str()), (header, json), "{why}");
        }
    }

    #[test]
    fn an_endless_id_is_cut_between_characters() {
        let id = CallId::new(&"ñ".repeat(CALL_ID_BYTES_MAX));
        assert_eq!(id.as_str().len(), CALL_ID_BYTES_MAX * 3);
    }
}
