//! JSON text → value, strictly: RFC 8259 and less.
//!
//! Owns the reading of the text that a model wrote. It refuses what other readers let through: a key
//! twice in one object, half a surrogate pair, a NUL in a text, anything after the value, too many
//! levels. Digits of numbers are kept as they were sent. It never guesses: what is broken stays
//! broken, and the error says where.

use serde_json::{Map, Number, Value};

use crate::{number, pointer};

#[cfg(test)]
mod tests;

/// A value that was read, and what only the reader noticed.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) value: Value,
    /// Some number in it is not exact ([`number::is_exact`]).
    pub(crate) has_inexact: bool,
}

/// Why text is not a value, and at which byte.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReadError {
    pub(crate) offset: usize,
    pub(crate) kind: ReadErrorKind,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ReadErrorKind {
    /// The key at this pointer stands twice in its object.
    DuplicateKey {
        path: String,
        key: String,
    },
    Syntax(&'static str),
    TooDeep,
}

/// Reads the one value that `text` is, from byte `start` to byte `end`.
pub(crate) fn read_within(
    text: &str,
    start: usize,
    end: usize,
    depth_max: usize,
) -> Result<Read, ReadError> {
    let bytes = text.as_bytes().get(..end).unwrap_or_default();
    let mut reader = Reader { text, bytes, at: start, depth_left: depth_max, has_inexact: false };
    reader.skip_blanks();
    let value = reader.value()?;
    reader.skip_blanks();
    if reader.at < reader.bytes.len() {
        return Err(reader.error("more text after the JSON value"));
    }
    Ok(Read { value, has_inexact: reader.has_inexact })
}

/// Reads the one value that `text` is.
pub(crate) fn read(text: &str, depth_max: usize) -> Result<Read, ReadError> {
    read_within(text, 0, text.len(), depth_max)
}

/// The first letters of keys by which `serde_json` hands numbers and raw text to itself.
///
/// Stored and read again, an object with such a key would come back as another value.
pub(crate) const PRIVATE_KEY_PREFIX: &str = "$serde_json::private::";

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth_left: usize,
    has_inexact: bool,
}

impl<'t> Reader<'t> {
    fn value(&mut self) -> Result<Value, ReadError> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(_) => Err(self.error("a JSON value was expected")),
            None => Err(self.error("the text ends where a JSON value was expected")),
        }
    }

    fn nested(
        &mut self,
        inner: fn(&mut Self) -> Result<Value, ReadError>,
    ) -> Result<Value, ReadError> {
        let Some(left) = self.depth_left.checked_sub(1) else {
            return Err(ReadError { offset: self.at, kind: ReadErrorKind::TooDeep });
        };
        self.depth_left = left;
        self.at += 1;
        let value = inner(self)?;
        self.depth_left = left + 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, ReadError> {
        let mut map = Map::new();
        self.skip_blanks();
        if self.take(b'}') {
            return Ok(Value::Object(map));
        }
        loop {
            self.skip_blanks();
            let key_at = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.expected("a key in double quotes was expected"));
            }
            let key = self.string()?;
            if key.starts_with(PRIVATE_KEY_PREFIX) {
                return Err(ReadError {
                    offset: key_at,
                    kind: ReadErrorKind::Syntax("this key is reserved"),
                });
            }
            if map.contains_key(&key) {
                let path = pointer::with_key("", &key);
                return Err(ReadError {
                    offset: key_at,
                    kind: ReadErrorKind::DuplicateKey { path, key },
                });
            }
            self.skip_blanks();
            if !self.take(b':') {
                return Err(self.expected("a colon was expected after the key"));
            }
            self.skip_blanks();
            let value =
                self.value().map_err(|error| error.below(|| pointer::with_key("", &key)))?;
            map.insert(key, value);
            self.skip_blanks();
            if self.take(b'}') {
                return Ok(Value::Object(map));
            }
            if !self.take(b',') {
                return Err(self.expected("a comma or a closing brace was expected"));
            }
        }
    }

    fn array(&mut self) -> Result<Value, ReadError> {
        let mut items = Vec::new();
        self.skip_blanks();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            self.skip_blanks();
            let index = items.len();
            items.push(
                self.value().map_err(|error| error.below(|| pointer::with_index("", index)))?,
            );
            self.skip_blanks();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return Err(self.expected("a comma or a closing bracket was expected"));
            }
        }
    }

    fn string(&mut self) -> Result<String, ReadError> {
        self.at += 1;
        let mut built = String::new();
        let mut run = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    built.push_str(self.slice(run));
                    self.at += 1;
                    return Ok(built);
                }
                Some(b'\\') => {
                    built.push_str(self.slice(run));
                    self.at += 1;
                    built.push(self.escape()?);
                    run = self.at;
                }
                Some(0..=0x1f) => {
                    return Err(self.error("a control character must be escaped inside a text"));
                }
                Some(_) => self.at += 1,
                None => return Err(self.error("the text ends inside a text in double quotes")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ReadError> {
        let escaped = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                let start = self.at;
                self.at += 1;
                return self.unicode_escape().and_then(|character| match character {
                    '\0' => Err(ReadError {
                        offset: start,
                        kind: ReadErrorKind::Syntax("a text cannot hold the NUL character"),
                    }),
                    other => Ok(other),
                });
            }
            Some(_) => return Err(self.error("no such escape")),
            None => return Err(self.error("the text ends inside an escape")),
        };
        self.at += 1;
        Ok(escaped)
    }

    fn unicode_escape(&mut self) -> Result<char, ReadError> {
        const UNPAIRED: &str = "half of a surrogate pair stands alone";
        let start = self.at;
        let unit = self.four_digits()?;
        let unpaired = ReadError { offset: start, kind: ReadErrorKind::Syntax(UNPAIRED) };
        let code = match unit {
            0xd800..=0xdbff => {
                if !(self.take(b'\\') && self.take(b'u')) {
                    return Err(unpaired);
                }
                let low = self.four_digits()?;
                if !(0xdc00..=0xdfff).contains(&low) {
                    return Err(unpaired);
                }
                0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
            }
            other => other,
        };
        char::from_u32(code).ok_or(unpaired)
    }

    fn four_digits(&mut self) -> Result<u32, ReadError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.error("four hexadecimal digits were expected"));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Number, ReadError> {
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        let text = self.slice(start);
        let malformed = ReadError { offset: start, kind: ReadErrorKind::Syntax("not a number") };
        if !number::is_number(text) {
            return Err(malformed);
        }
        self.has_inexact |= !number::is_exact(text);
        text.parse().map_err(|_| malformed)
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, ReadError> {
        if self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.error("a JSON value was expected"))
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// The text from `start` to here; both ends stand beside ASCII, so they are boundaries.
    fn slice(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// An error here, or the one about the end when nothing more comes.
    fn expected(&self, message: &'static str) -> ReadError {
        if self.peek().is_none() {
            self.error("the text ends before the JSON value does")
        } else {
            self.error(message)
        }
    }

    fn error(&self, message: &'static str) -> ReadError {
        ReadError { offset: self.at, kind: ReadErrorKind::Syntax(message) }
    }
}

impl ReadError {
    /// Puts the step from the parent before the path, on the way up.
    fn below(self, step: impl FnOnce() -> String) -> Self {
        match self.kind {
            ReadErrorKind::DuplicateKey { path, key } => Self {
                offset: self.offset,
                kind: ReadErrorKind::DuplicateKey { path: step() + &path, key },
            },
            kind => Self { offset: self.offset, kind },
        }
    }
}
