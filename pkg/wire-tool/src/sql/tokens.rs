//! Cuts SQL text into tokens; blanks and comments are left out.

use super::{Delimited, SqlError};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Starts with a digit.
    Number,
    /// `:name`.
    Parameter,
    /// A name in quotes, backticks or brackets.
    QuotedName,
    /// One or two other characters.
    Symbol,
    /// A string or a dollar quote.
    Text,
    /// A keyword or a bare name.
    Word,
}

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    pub(super) fn text<'s>(&self, sql: &'s str) -> &'s str {
        &sql[self.start..self.end]
    }

    pub(super) fn is_word(&self, sql: &str, word: &str) -> bool {
        self.kind == Kind::Word && self.text(sql).eq_ignore_ascii_case(word)
    }

    pub(super) fn is_symbol(&self, sql: &str, symbol: &str) -> bool {
        self.kind == Kind::Symbol && self.text(sql) == symbol
    }
}

/// Returns all tokens of the text.
pub(super) fn tokens(sql: &str) -> Result<Vec<Token>, SqlError> {
    let mut reader = Reader { sql, bytes: sql.as_bytes(), at: 0, brackets: 0, tokens: Vec::new() };
    while reader.at < reader.bytes.len() {
        reader.step()?;
    }
    Ok(reader.tokens)
}

/// A byte of a name. Everything beyond ASCII counts, as in SQLite and PostgreSQL; so a cut never
/// falls inside a character.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

const VERTICAL_TAB: u8 = 0x0b;

struct Reader<'s> {
    sql: &'s str,
    bytes: &'s [u8],
    at: usize,
    /// How many subscripts are open.
    brackets: usize,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn step(&mut self) -> Result<(), SqlError> {
        let start = self.at;
        match self.bytes[start] {
            0 => return Err(SqlError::Nul { offset: start }),
            byte if byte.is_ascii_whitespace() || byte == VERTICAL_TAB => self.at += 1,
            b'-' if self.peek(1) == Some(b'-') => self.line_comment(),
            b'/' if self.peek(1) == Some(b'*') => self.block_comment()?,
            b'\'' => self.text(false)?,
            quote @ (b'"' | b'`') => self.quoted_name(quote)?,
            b'[' => self.bracket()?,
            b']' => {
                self.brackets = self.brackets.saturating_sub(1);
                self.symbol(1);
            }
            b'$' => self.dollar()?,
            b':' => self.colon()?,
            b'?' => return Err(self.placeholder(in_name)),
            b'@' if self.peek(1).is_some_and(starts_name) => {
                return Err(self.placeholder(in_name));
            }
            byte if byte.is_ascii_digit() => {
                self.run(Kind::Number, |byte| in_name(byte) || byte == b'.');
            }
            byte if starts_name(byte) => self.word()?,
            _ => self.symbol(1),
        }
        Ok(())
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token { kind, start, end: self.at });
    }

    fn run(&mut self, kind: Kind, goes_on: impl Fn(u8) -> bool) {
        let start = self.at;
        self.at += 1;
        self.skip(goes_on);
        self.push(kind, start);
    }

    fn skip(&mut self, goes_on: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&goes_on) {
            self.at += 1;
        }
    }

    fn symbol(&mut self, bytes: usize) {
        let start = self.at;
        self.at += bytes;
        self.push(Kind::Symbol, start);
    }

    fn placeholder(&mut self, goes_on: impl Fn(u8) -> bool) -> SqlError {
        let offset = self.at;
        self.at += 1;
        self.skip(goes_on);
        SqlError::Placeholder { found: self.sql[offset..self.at].to_owned(), offset }
    }

    fn line_comment(&mut self) {
        self.skip(|byte| byte != b'\n');
    }

    fn block_comment(&mut self) -> Result<(), SqlError> {
        let offset = self.at;
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth += 1;
                    self.at += 2;
                }
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                (Some(_), _) => self.at += 1,
                (None, _) => {
                    return Err(SqlError::Unterminated { what: Delimited::Comment, offset });
                }
            }
        }
    }

    /// A string; `backslashes` as in PostgreSQL's `E'…'`.
    fn text(&mut self, backslashes: bool) -> Result<(), SqlError> {
        let start = self.at;
        self.at += 1;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b'\\'), Some(_)) if backslashes => self.at += 2,
                (Some(b'\''), Some(b'\'')) => self.at += 2,
                (Some(b'\''), _) => {
                    self.at += 1;
                    self.push(Kind::Text, start);
                    return Ok(());
                }
                (Some(_), _) => self.at += 1,
                (None, _) => {
                    let what = Delimited::Text;
                    return Err(SqlError::Unterminated { what, offset: start });
                }
            }
        }
    }

    fn quoted_name(&mut self, close: u8) -> Result<(), SqlError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek(0) {
                // Inside brackets nothing can be doubled.
                Some(byte) if byte == close && close != b']' && self.peek(1) == Some(close) => {
                    self.at += 2;
                }
                Some(byte) if byte == close => {
                    self.at += 1;
                    self.push(Kind::QuotedName, start);
                    return Ok(());
                }
                Some(_) => self.at += 1,
                None => {
                    let what = Delimited::QuotedName;
                    return Err(SqlError::Unterminated { what, offset: start });
                }
            }
        }
    }

    /// `[` is a subscript after a value in PostgreSQL and opens a quoted name elsewhere in SQLite.
    fn bracket(&mut self) -> Result<(), SqlError> {
        let touches = self.tokens.last().is_some_and(|last| {
            last.end == self.at
                && (matches!(last.kind, Kind::Word | Kind::QuotedName | Kind::Parameter)
                    || last.is_symbol(self.sql, ")")
                    || last.is_symbol(self.sql, "]"))
        });
        let nested = self.brackets > 0;
        let array = self.tokens.last().is_some_and(|last| last.is_word(self.sql, "array"));
        if touches || nested || array {
            self.brackets += 1;
            self.symbol(1);
            return Ok(());
        }
        self.quoted_name(b']')
    }

    fn dollar(&mut self) -> Result<(), SqlError> {
        let start = self.at;
        let mut end = start + 1;
        let tag_byte = |byte: u8| in_name(byte) && byte != b'$';
        if self.bytes.get(end).copied().is_some_and(starts_name) {
            while self.bytes.get(end).copied().is_some_and(tag_byte) {
                end += 1;
            }
        }
        if self.bytes.get(end) == Some(&b'$') {
            let tag = &self.sql[start..=end];
            let Some(length) = self.sql[end + 1..].find(tag) else {
                let what = Delimited::DollarQuote;
                return Err(SqlError::Unterminated { what, offset: start });
            };
            self.at = end + 1 + length + tag.len();
            self.push(Kind::Text, start);
            return Ok(());
        }
        if self.peek(1).is_some_and(in_name) {
            return Err(self.placeholder(in_name));
        }
        self.symbol(1);
        Ok(())
    }

    fn colon(&mut self) -> Result<(), SqlError> {
        match self.peek(1) {
            Some(b':' | b'=') => self.symbol(2),
            // In brackets it is a slice such as `a[1:n]`.
            Some(byte) if in_name(byte) && !(self.brackets > 0 && self.after_value()) => {
                return self.parameter();
            }
            _ => self.symbol(1),
        }
        Ok(())
    }

    fn parameter(&mut self) -> Result<(), SqlError> {
        if !self.peek(1).is_some_and(starts_name) {
            return Err(self.placeholder(in_name));
        }
        self.run(Kind::Parameter, in_name);
        Ok(())
    }

    fn after_value(&self) -> bool {
        self.tokens.last().is_some_and(|last| {
            last.kind != Kind::Symbol
                || last.is_symbol(self.sql, ")")
                || last.is_symbol(self.sql, "]")
        })
    }

    fn word(&mut self) -> Result<(), SqlError> {
        let start = self.at;
        self.skip(in_name);
        let word = &self.bytes[start..self.at];
        if word.eq_ignore_ascii_case(b"e") && self.peek(0) == Some(b'\'') {
            return self.text(true);
        }
        self.push(Kind::Word, start);
        Ok(())
    }
}
