//! What a plain scalar is, and where a byte of a text stands in the file.

use crate::node::{Form, Text, Value};
use crate::source::{Source, Span};

/// Types a plain scalar by YAML 1.2 core, except that only JSON numbers are numbers.
pub(super) fn plain(text: String) -> Value {
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_json_number(&text) => Value::Number(text),
        _ => {
            let trap = is_number_elsewhere(&text);
            Value::Text(Text { text, form: Form::Plain, trap })
        }
    }
}

/// `-? (0 | [1-9][0-9]*) (\.[0-9]+)? ([eE][+-]?[0-9]+)?`
pub(super) fn is_json_number(text: &str) -> bool {
    let rest = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (rest, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether YAML 1.1 or 1.2 readers take this for a number, though JSON does not.
fn is_number_elsewhere(text: &str) -> bool {
    let rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    let lower = rest.to_ascii_lowercase();
    if matches!(lower.as_str(), ".inf" | ".nan") {
        return true;
    }
    if let Some(tail) = lower.strip_prefix("0x") {
        return !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_');
    }
    if let Some(tail) = lower.strip_prefix("0o").or_else(|| lower.strip_prefix("0b")) {
        return !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    }
    // Decimal with a sign, leading zeros, underscores, or a bare point: `+34`, `007`, `1_000`, `.5`.
    let (mantissa, exponent) = match lower.split_once('e') {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (lower.as_str(), None),
    };
    mantissa.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && mantissa.bytes().any(|b| b.is_ascii_digit())
        && mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'_' || b == b'.')
        && mantissa.matches('.').count() <= 1
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

/// Finds a byte of a text in the file. `None` where the writing does not tell, as in folded text.
pub(super) fn place(
    source: &Source<'_>,
    span: Span,
    text: &Text,
    offset: usize,
    length: usize,
) -> Option<Span> {
    let offset = text.text.floor_char_boundary(offset);
    let written = source.text.get(span.start..span.end)?;
    match text.form {
        Form::Plain | Form::SingleQuoted | Form::DoubleQuoted if written.contains(['\n', '\r']) => {
            None
        }
        Form::Plain => Some(range(span.start + offset, length)),
        Form::SingleQuoted => {
            let doubled = text.text.get(..offset)?.matches('\'').count();
            Some(range(span.start + 1 + offset + doubled, length))
        }
        Form::DoubleQuoted => {
            let chars = text.text.get(..offset)?.chars().count();
            Some(range(span.start + 1 + escaped_length(written.get(1..)?, chars)?, length))
        }
        Form::Block => block(source, span, &text.text, offset, length),
        Form::Folded | Form::Variable => None,
    }
}

fn range(start: usize, length: usize) -> Span {
    Span::new(start, start + length)
}

/// How many bytes of double-quoted writing make this many characters.
fn escaped_length(written: &str, chars: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..chars {
        let rest = written.get(at..)?;
        let mut next = rest.chars();
        let first = next.next()?;
        at += first.len_utf8();
        if first == '\\' {
            let escape = next.next()?;
            at += escape.len_utf8();
            at += match escape {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => 0,
            };
        }
    }
    Some(at)
}

/// A line of a `|` text is the end of the source line it came from.
fn block(
    source: &Source<'_>,
    span: Span,
    text: &str,
    offset: usize,
    length: usize,
) -> Option<Span> {
    let before = text.get(..offset)?;
    let index = before.matches('\n').count();
    let within = offset - before.rfind('\n').map_or(0, |at| at + 1);
    let content: Vec<&str> = text.split('\n').take(index + 1).collect();
    // The span begins at the `|` or, for some, at the first line.
    let header = source.line_of(span.start);
    let first = (header..=header + 1).find(|first| {
        content.iter().enumerate().all(|(at, line)| source.line(first + at).ends_with(line))
    })?;
    let (line, content) = (first + index, *content.last()?);
    let start = source.offset(line, 1) + source.line(line).len() - content.len();
    Some(range(start + within, length.min(content.len().saturating_sub(within)).max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_json_calls_a_number_is_one() {
        let cases = [
            ("0", "number"),
            ("-1", "number"),
            ("1.50", "number"),
            ("1e3", "number"),
            ("0755", "trap"),
            ("+34600111222", "trap"),
            (".5", "trap"),
            ("1.", "trap"),
            ("0x1F", "trap"),
            ("0o17", "trap"),
            ("1_000", "trap"),
            (".inf", "trap"),
            ("-.INF", "trap"),
            (".nan", "trap"),
            ("no", "text"),
            ("Yes", "text"),
            ("off", "text"),
            ("y", "text"),
            ("12:30", "text"),
            ("2026-01-01", "text"),
            ("1.2.3", "text"),
            ("e3", "text"),
            ("-", "text"),
            ("true", "bool"),
            ("FALSE", "bool"),
            ("tRUE", "text"),
            ("~", "null"),
            ("", "null"),
        ];
        for (text, expected) in cases {
            let got = match plain(text.to_owned()) {
                Value::Number(kept) => {
                    assert_eq!(kept, text);
                    "number"
                }
                Value::Text(kept) if kept.trap => "trap",
                Value::Text(_) => "text",
                Value::Bool(_) => "bool",
                Value::Null => "null",
                Value::List(_) | Value::Map(_) => "other",
            };
            assert_eq!(got, expected, "{text}");
        }
    }
}
