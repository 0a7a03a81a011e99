//! A JSON text to the tree, with places.

use crate::node::{DEPTH_MAX, Entry, Form, Node, Text, Value, scalar};
use crate::source::Span;

/// Reads a text that is one JSON object, whole; `None` when it is not, and YAML may try.
pub(super) fn read(text: &str) -> Option<Node> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0)?;
    reader.blanks();
    (reader.at == text.len()).then_some(node)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    /// Steps over one character, after blanks.
    fn eat(&mut self, char: char) -> Option<()> {
        self.blanks();
        let found = self.rest().starts_with(char);
        found.then(|| self.at += char.len_utf8())
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        self.blanks();
        let start = self.at;
        let value = match self.rest().chars().next()? {
            '{' | '[' if depth >= DEPTH_MAX => return None,
            '{' => self.map(depth)?,
            '[' => self.list(depth)?,
            '"' => {
                Value::Text(Text { text: self.string()?, form: Form::DoubleQuoted, trap: false })
            }
            _ => self.word()?,
        };
        Some(Node { value, span: Span::new(start, self.at) })
    }

    fn map(&mut self, depth: usize) -> Option<Value> {
        self.eat('{')?;
        let mut entries = Vec::new();
        if self.eat('}').is_some() {
            return Some(Value::Map(entries));
        }
        loop {
            self.blanks();
            let start = self.at;
            let key = self.string()?;
            let key_span = Span::new(start, self.at);
            self.eat(':')?;
            let node = self.value(depth + 1)?;
            entries.push(Entry { key, key_span, node });
            if self.eat(',').is_none() {
                self.eat('}')?;
                return Some(Value::Map(entries));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.eat('[')?;
        let mut items = Vec::new();
        if self.eat(']').is_some() {
            return Some(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.eat(',').is_none() {
                self.eat(']')?;
                return Some(Value::List(items));
            }
        }
    }

    /// Finds the end of a string; its escapes are read by `serde_json`.
    fn string(&mut self) -> Option<String> {
        let rest = self.rest();
        let mut escaped = false;
        let (end, _) = rest.char_indices().skip(1).find(|(_, char)| {
            let ends = *char == '"' && !escaped;
            escaped = *char == '\\' && !escaped;
            ends
        })?;
        let text = serde_json::from_str(&rest[..=end]).ok()?;
        self.at += end + 1;
        Some(text)
    }

    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
        let word = &rest[..end.unwrap_or(rest.len())];
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ if scalar::is_json_number(word) => Value::Number(word.to_owned()),
            _ => return None,
        };
        self.at += word.len();
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_read_as_json_and_the_rest_is_left_to_yaml() {
        let cases = [
            ("{\"a\": [1, -2.50e3, true, null, \"\\ud83d\\ude00\\/\"]}", true),
            ("\n{\t\"a\":\t{} }\n", true),
            ("{a: 1}", false),
            ("{\"a\": 01}", false),
            ("{\"a\": 1,}", false),
            ("{\"a\": 1} x", false),
            ("[1]", false),
            ("{\"a", false),
        ];
        for (text, expected) in cases {
            let node = read(text);
            assert_eq!(node.is_some(), expected, "{text}");
            if let Some(node) = node {
                let value: serde_json::Value = serde_json::from_str(text).unwrap();
                assert_eq!(node.json(), value, "{text}");
            }
        }
    }
}
