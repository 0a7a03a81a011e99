//! Text that arrives in pieces of JSON strings, some of them cut inside a character.
//!
//! A server that escapes everything beyond ASCII may cut between the two `\u` escapes of one emoji.
//! Each half alone is no character; together they are.

use std::borrow::Cow;

use serde_json::value::RawValue;

/// Collects text and mends what was cut between two halves of a surrogate pair.
#[derive(Debug, Default, Clone)]
pub(crate) struct Pieces {
    text: String,
    /// The first half of a pair whose second half has not come yet.
    high: Option<u16>,
}

impl Pieces {
    /// Appends a piece and returns what of the text is new.
    pub(crate) fn push(&mut self, piece: &Piece<'_>) -> &str {
        let start = self.text.len();
        match piece {
            Piece::Text(text) => {
                self.give_up_half(text.is_empty());
                self.text.push_str(text);
            }
            Piece::Broken(bytes) => self.push_broken(bytes),
        }
        self.text.get(start..).unwrap_or_default()
    }

    /// Returns how many bytes are held.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the text so far.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Ends the text; half a character becomes the replacement sign.
    pub(crate) fn finish(mut self) -> String {
        self.give_up_half(false);
        self.text
    }

    fn give_up_half(&mut self, nothing_follows: bool) {
        if !nothing_follows && self.high.take().is_some() {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }

    /// Takes UTF-8 in which lone surrogates stand as three bytes each.
    fn push_broken(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let good = match std::str::from_utf8(rest) {
                Ok(text) => text.len(),
                Err(error) => error.valid_up_to(),
            };
            let (text, tail) = rest.split_at(good);
            if !text.is_empty() {
                self.give_up_half(false);
                self.text.push_str(&String::from_utf8_lossy(text));
            }
            rest = tail;
            if let [0xED, second, third, after @ ..] = tail {
                self.push_half(0xD000 | u16::from(second & 0x3F) << 6 | u16::from(third & 0x3F));
                rest = after;
            } else if let [_, after @ ..] = tail {
                self.text.push(char::REPLACEMENT_CHARACTER);
                rest = after;
            }
        }
    }

    fn push_half(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            let pair = char::decode_utf16([high, unit]).next();
            if let Some(Ok(character)) = pair {
                self.text.push(character);
                return;
            }
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
        } else {
            self.text.push(char::REPLACEMENT_CHARACTER);
        }
    }
}

/// One piece out of a JSON string.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// It has half a character in it: UTF-8 with surrogates as three bytes.
    Broken(Vec<u8>),
    /// Whole characters.
    Text(Cow<'a, str>),
}

impl<'a> Piece<'a> {
    /// Reads a JSON string; `None` when it is something else.
    pub(crate) fn of_json(raw: &'a RawValue) -> Option<Self> {
        let json = raw.get();
        let inside = json.strip_prefix('"')?.strip_suffix('"')?;
        if !inside.contains('\\') {
            return Some(Self::Text(Cow::Borrowed(inside)));
        }
        if let Ok(text) = serde_json::from_str::<String>(json) {
            return Some(Self::Text(Cow::Owned(text)));
        }
        serde_json::from_str::<Bytes>(json).ok().map(|Bytes(bytes)| Self::Broken(bytes))
    }
}

/// Asks `serde_json` for the bytes of a string, which may then hold lone surrogates.
struct Bytes(Vec<u8>);

impl<'de> serde::Deserialize<'de> for Bytes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = Bytes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
            fn visit_str<E>(self, text: &str) -> Result<Bytes, E> {
                Ok(Bytes(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join(pieces: &[&str]) -> String {
        let mut all = Pieces::default();
        for piece in pieces {
            let raw = RawValue::from_string((*piece).to_owned()).unwrap();
            all.push(&Piece::of_json(&raw).unwrap());
        }
        all.finish()
    }

    #[test]
    fn a_character_cut_between_two_pieces_comes_out_whole() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("plain", &[r#""ho""#, r#""la""#], "hola"),
            ("escapes", &[r#""a\n\"""#, r#""\u00f1""#], "a\n\"ñ"),
            ("whole pair", &[r#""\ud83e\udd50""#], "🥐"),
            ("cut pair", &[r#""x\ud83e""#, r#""\udd50y""#], "x🥐y"),
            ("an empty piece between", &[r#""\ud83e""#, r#""""#, r#""\udd50""#], "🥐"),
            ("no second half", &[r#""\ud83e""#, r#""y""#], "\u{fffd}y"),
            ("no first half", &[r#""\udd50y""#], "\u{fffd}y"),
            ("no end", &[r#""\ud83e""#], "\u{fffd}"),
            ("two first halves", &[r#""\ud83e""#, r#""\ud83e\udd50""#], "\u{fffd}🥐"),
        ];
        for (why, pieces, expected) in cases {
            assert_eq!(join(pieces), *expected, "{why}");
        }
    }

    #[test]
    fn what_is_no_string_is_no_piece() {
        for json in ["1", "null", "{}", "[\"a\"]"] {
            let raw = RawValue::from_string(json.to_owned()).unwrap();
            assert!(Piece::of_json(&raw).is_none(), "{json}");
        }
    }
}
