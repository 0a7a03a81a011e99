//! Bytes cut anywhere → whole JSON values, one after the other.
//!
//! Finds where a value ends by its brackets alone; whether it is JSON is seen by who reads it.

use super::REPLY_BYTES_MAX;
use crate::DecodeError;

/// Collects the value that has not ended yet.
#[derive(Debug, Default)]
pub(super) struct Values {
    value: Vec<u8>,
    depth: usize,
    in_text: bool,
    after_backslash: bool,
    count: usize,
}

impl Values {
    /// Takes the next bytes and hands over each value that they complete.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        on_value: &mut dyn FnMut(&[u8]) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if self.depth == 0 {
                match byte {
                    b'{' | b'[' => (self.depth, start) = (1, at),
                    byte if byte.is_ascii_whitespace() => {}
                    _ => return Err(DecodeError::NotJson),
                }
            } else if self.ends_with(*byte) {
                let piece = bytes.get(start..=at).unwrap_or_default();
                self.count += 1;
                if self.value.is_empty() {
                    on_value(piece)?;
                } else {
                    self.keep(piece)?;
                    on_value(&self.value)?;
                    self.value.clear();
                }
                start = at + 1;
            }
        }
        if self.depth > 0 { self.keep(bytes.get(start..).unwrap_or_default()) } else { Ok(()) }
    }

    /// Returns how many values have been handed over.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns what is left of a value that was cut.
    pub(super) fn rest(&self) -> Option<&[u8]> {
        (!self.value.is_empty()).then_some(&self.value)
    }

    /// Takes one byte inside a value and returns whether it ends it.
    fn ends_with(&mut self, byte: u8) -> bool {
        if self.after_backslash {
            self.after_backslash = false;
        } else if self.in_text {
            match byte {
                b'\\' => self.after_backslash = true,
                b'"' => self.in_text = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => self.in_text = true,
                b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                b'}' | b']' => {
                    self.depth -= 1;
                    return self.depth == 0;
                }
                _ => {}
            }
        }
        false
    }

    fn keep(&mut self, piece: &[u8]) -> Result<(), DecodeError> {
        if self.value.len().saturating_add(piece.len()) > REPLY_BYTES_MAX {
            return Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX });
        }
        self.value.extend_from_slice(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> (Vec<String>, bool, Result<(), DecodeError>) {
        let (mut values, mut seen) = (Values::default(), Vec::new());
        let outcome = pieces.iter().try_for_each(|piece| {
            values.push(piece, &mut |json| {
                seen.push(String::from_utf8(json.to_vec()).unwrap());
                Ok(())
            })
        });
        (seen, values.rest().is_some(), outcome)
    }

    #[test]
    fn values_end_where_their_brackets_do_wherever_they_are_cut() {
        let cases: &[(&str, &str, &[&str], bool)] = &[
            ("one", "{\"a\":[1]}", &["{\"a\":[1]}"], false),
            ("lines", "{\"a\":1}\n{}\r\n[2] ", &["{\"a\":1}", "{}", "[2]"], false),
            ("no line between", "{}{}", &["{}", "{}"], false),
            ("brackets in text", r#"{"a":"}]\"{"}"#, &[r#"{"a":"}]\"{"}"#], false),
            ("a backslash at the end of text", r#"{"a":"\\"}{}"#, &[r#"{"a":"\\"}"#, "{}"], false),
            ("cut", "{\"a\":1}\n{\"b\"", &["{\"a\":1}"], true),
        ];
        for (why, text, expected, cut_off) in cases {
            for cut in 0..=text.len() {
                let (head, tail) = text.as_bytes().split_at(cut);
                let (seen, rest, outcome) = read(&[head, tail]);
                assert_eq!(
                    (seen.as_slice(), rest),
                    (&expected.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..], *cut_off),
                    "{why}, {cut}"
                );
                assert_eq!(outcome, Ok(()), "{why}");
            }
        }
        assert_eq!(read(&[b"{} x"]).2, Err(DecodeError::NotJson), "words after a value");
    }

    #[test]
    fn a_value_without_end_is_stopped() {
        let mut values = Values::default();
        let piece = vec![b'['; 1024 * 1024];
        let outcome = (0..=8).try_for_each(|_| values.push(&piece, &mut |_| Ok(())));
        assert_eq!(outcome, Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX }));
    }
}
