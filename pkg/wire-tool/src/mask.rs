//! Keeps secrets out of text that leaves for a model, a log or an audit trail.

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;
use std::ops::Range;

use manos_model::Secret;
use serde_json::Value;

mod forms;
mod urls;

pub use forms::base64;

/// The longest text of a failing tool that a model is shown, in bytes; the rest is cut.
pub const FAILURE_BYTES_MAX: usize = 1024;

/// Secrets shorter than this are not looked for: they would blot out half of every text.
pub const SECRET_BYTES_MIN: usize = 4;

/// A number with fewer digits is never taken for a secret: it is an amount more often.
pub const NUMBER_DIGITS_MIN: usize = 8;

/// What stands where something was masked.
pub const MASK: &str = "***";

/// Replaces known secrets, their base64, URL and JSON forms, and `user:password@` in addresses.
///
/// ```
/// use manos_model::Secret;
/// use manos_wire_tool::mask::Masker;
/// let masker = Masker::new([Secret::new("hunter2!".to_owned())]);
/// assert_eq!(masker.mask("password=hunter2%21&x=1"), "password=***&x=1");
/// assert_eq!(masker.mask("cannot reach postgres://ana:pw@db/x"), "cannot reach postgres://***@db/x");
/// ```
#[derive(Clone, Default)]
pub struct Masker {
    needles: Vec<String>,
}

impl fmt::Debug for Masker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Masker({} forms)", self.needles.len())
    }
}

impl Masker {
    /// Takes every secret that is to stay out of texts.
    pub fn new(secrets: impl IntoIterator<Item = Secret<String>>) -> Self {
        let mut needles: Vec<String> = secrets
            .into_iter()
            .filter(|secret| secret.expose().len() >= SECRET_BYTES_MIN)
            .flat_map(|secret| forms::forms(secret.expose()))
            .filter(|form| form.len() >= SECRET_BYTES_MIN)
            .collect();
        needles.sort();
        needles.dedup();
        Self { needles }
    }

    /// Returns the text with everything secret replaced by [`MASK`].
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.masked_at(text, urls::credentials(text))
    }

    /// The text without these places and without any secret.
    fn masked_at<'t>(&self, text: &'t str, mut places: Vec<Range<usize>>) -> Cow<'t, str> {
        for needle in &self.needles {
            places.extend(text.match_indices(needle.as_str()).map(|(at, _)| at..at + needle.len()));
        }
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        places.sort_by_key(|place| (place.start, place.end));
        Cow::Owned(replace(text, &places))
    }

    /// Masks every text inside a value, keys too.
    pub fn mask_value(&self, value: &mut Value) {
        each_text(value, &|text| self.mask(text));
    }

    /// Takes what a tool answered without the secrets that it repeats; all else stays as it is,
    /// addresses with a password of their own too. A number that is a secret from its first digit
    /// to its last becomes [`MASK`] as well, when it has [`NUMBER_DIGITS_MIN`] digits.
    ///
    /// ```
    /// use manos_model::Secret;
    /// use manos_wire_tool::mask::Masker;
    /// let masker = Masker::new([Secret::new("hunter2!".to_owned())]);
    /// let answer = serde_json::json!({"env": "KEY=hunter2!", "from": "ftp://ana:pw@host", "n": 1.50});
    /// let expected = serde_json::json!({"env": "KEY=***", "from": "ftp://ana:pw@host", "n": 1.50});
    /// assert_eq!(masker.answer(answer), expected);
    /// ```
    #[must_use]
    pub fn answer(&self, mut value: Value) -> Value {
        if !self.needles.is_empty() {
            each_text(&mut value, &|text| self.masked_at(text, Vec::new()));
        }
        value
    }

    /// Takes what a model said without the secrets that it repeats; all else stays as it is, as in
    /// [`Masker::answer`].
    #[must_use]
    pub fn words(&self, text: String) -> String {
        match self.masked_at(&text, Vec::new()) {
            Cow::Borrowed(_) => text,
            Cow::Owned(masked) => masked,
        }
    }

    /// Masks a text and cuts it to [`FAILURE_BYTES_MAX`], keeping its beginning.
    pub fn failure_text(&self, text: &str) -> String {
        cut(&self.mask(text)).into_owned()
    }

    /// Masks a text and keeps the last [`FAILURE_BYTES_MAX`] of it, where the cause usually stands.
    pub fn failure_tail(&self, text: &str) -> String {
        let masked = self.mask(text);
        let mut start = masked.len().saturating_sub(FAILURE_BYTES_MAX);
        while !masked.is_char_boundary(start) {
            start += 1;
        }
        let tail = masked[start..].trim();
        if start == 0 { tail.to_owned() } else { format!("…{tail}") }
    }

    /// Masks and cuts every text inside a value that a failing tool gave. Keys are masked too.
    pub fn failure_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.failure_text(text)),
            Value::Array(items) => items.iter().map(|item| self.failure_value(item)).collect(),
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(key, item)| (self.mask(key).into_owned(), self.failure_value(item)))
                    .collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }
}

/// Replaces every text inside a value, and every number with digits enough to be a secret.
fn each_text(value: &mut Value, masked: &dyn Fn(&str) -> Cow<'_, str>) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(new) = masked(text) {
                *text = new;
            }
        }
        Value::Number(number) => {
            let digits = number.to_string();
            if digits.len() >= NUMBER_DIGITS_MIN && masked(&digits) == MASK {
                *value = Value::from(MASK);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, masked)),
        Value::Object(map) => {
            for item in map.values_mut() {
                each_text(item, masked);
            }
            if map.keys().any(|key| matches!(masked(key), Cow::Owned(_))) {
                let fields = std::mem::take(map).into_iter();
                *map = fields.map(|(key, item)| (masked(&key).into_owned(), item)).collect();
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// Cuts at a character boundary and says how much is missing.
fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= FAILURE_BYTES_MAX {
        return Cow::Borrowed(text);
    }
    let mut end = FAILURE_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut short = text[..end].to_owned();
    // Writing to a String cannot fail.
    let _ = write!(short, "… ({} more bytes)", text.len() - end);
    Cow::Owned(short)
}

/// Replaces sorted places, joined where they overlap.
fn replace(text: &str, places: &[Range<usize>]) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for place in places {
        if place.start >= done {
            masked.push_str(&text[done..place.start]);
            masked.push_str(MASK);
        }
        done = done.max(place.end);
    }
    masked.push_str(&text[done..]);
    masked
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn masker(secret: &str) -> Masker {
        Masker::new([Secret::new(secret.to_owned())])
    }

    #[test]
    fn every_form_of_a_secret_is_masked() {
        let masker = masker("s3cr3t/+ ñ\"");
        let cases = [
            ("key s3cr3t/+ ñ\" end", "key *** end", "as it is"),
            ("?k=s3cr3t%2F%2B%20%C3%B1%22", "?k=***", "percent encoding"),
            ("?k=s3cr3t%2f%2b%20%c3%b1%22", "?k=***", "in lower case"),
            ("?k=s3cr3t%2F%2B+%C3%B1%22", "?k=***", "a form's encoding"),
            (
                "c3NlY3IgczNjcjN0LysgczNjcjN0LysgzA",
                "c3NlY3IgczNjcjN0LysgczNjcjN0LysgzA",
                "no other",
            ),
            ("b64 czNjcjN0Lysgw7Ei;", "b64 ***;", "base64"),
            (r#"{"k":"s3cr3t/+ ñ\""}"#, r#"{"k":"***"}"#, "inside JSON"),
        ];
        for (text, expected, why) in cases {
            assert_eq!(masker.mask(text), expected, "{why}");
        }
    }

    #[test]
    fn base64_is_found_at_every_alignment() {
        let masker = masker("correct-horse-battery");
        for prefix in ["", "u", "us", "use", "user:"] {
            let encoded = forms::base64(format!("{prefix}correct-horse-battery!").as_bytes());
            assert!(masker.mask(&encoded).contains(MASK), "{prefix}: {encoded}");
        }
    }

    #[test]
    fn short_secrets_do_not_blot_out_the_text() {
        assert_eq!(masker("a").mask("banana"), "banana");
    }

    #[test]
    fn overlapping_secrets_become_one_mask() {
        let masker = Masker::new(["abcdef", "defghi"].map(|secret| Secret::new(secret.to_owned())));
        assert_eq!(masker.mask("x abcdefghi y"), "x *** y");
    }

    #[test]
    fn a_secret_is_masked_before_the_text_is_cut() {
        let text = format!("{}hunter2hunter2", "x".repeat(FAILURE_BYTES_MAX - 4));
        let masked = masker("hunter2hunter2").failure_text(&text);
        assert!(!masked.contains("hunt"), "{masked}");
        assert!(masked.len() < FAILURE_BYTES_MAX + 32);
    }

    #[test]
    fn a_cut_falls_between_characters() {
        let masker = Masker::default();
        let text = format!("x{}", "ñ".repeat(FAILURE_BYTES_MAX));
        assert!(masker.failure_text(&text).ends_with("… (1026 more bytes)"));
        assert!(masker.failure_tail(&text).starts_with('…'));
    }

    #[test]
    fn texts_inside_a_value_are_masked() {
        let value = json!({"error": ["mysql://a:b@c/d", 1], "hunter2x": null});
        let expected = json!({"error": ["mysql://***@c/d", 1], "***": null});
        assert_eq!(masker("hunter2x").failure_value(&value), expected);
    }

    #[test]
    fn an_answer_loses_its_secrets_and_nothing_else() {
        let masker = Masker::new(["90210443", "5432"].map(|text| Secret::new(text.to_owned())));
        let cases = [
            (json!("pin 90210443"), json!("pin ***"), "in a text"),
            (
                json!({"90210443": [{"a": "pin 90210443"}]}),
                json!({"***": [{"a": "pin ***"}]}),
                "deep",
            ),
            (json!(90_210_443), json!("***"), "as a number"),
            (json!(190_210_443), json!(190_210_443), "another number that holds it"),
            (json!({"price": 5432}), json!({"price": 5432}), "a short one is an amount"),
            (
                json!(["db://ana:pw@host", 1.50, null]),
                json!(["db://ana:pw@host", 1.50, null]),
                "no secret",
            ),
        ];
        for (answer, expected, why) in cases {
            assert_eq!(masker.answer(answer), expected, "{why}");
        }
    }

    proptest! {
        #[test]
        fn no_secret_survives(secret in "[^*]{4,20}", before in ".{0,9}", after in ".{0,9}") {
            let masked = masker(&secret).mask(&format!("{before}{secret}{after}")).into_owned();
            prop_assert!(!masked.contains(&secret));
        }
    }
}
