//! Finds filters and tests that do not exist when a template is loaded, since the engine itself
//! looks for them only when it gets there.
//!
//! It reads just enough of the template to tell code from text and from quoted text; what the
//! engine's parser refuses never gets here.

use minijinja::{Environment, ErrorKind};

use super::TemplateError;

/// Returns an error for the first filter or test in `source` that `environment` does not have.
pub(super) fn check(environment: &Environment<'_>, source: &str) -> Result<(), TemplateError> {
    let mut at = 0;
    while let Some((start, end_mark)) = next_code(source, at) {
        let (end, words) = code_words(source, start, end_mark);
        at = end;
        if end_mark == "%}" && words.first().is_some_and(|word| word.text == "raw") {
            at = source.get(end..).and_then(|rest| rest.find("endraw")).map_or(end, |n| end + n);
            continue;
        }
        check_words(environment, source, &words)?;
    }
    Ok(())
}

/// A name, number or sign of the code.
struct Word<'a> {
    text: &'a str,
    at: usize,
}

fn check_words(
    environment: &Environment<'_>,
    source: &str,
    words: &[Word<'_>],
) -> Result<(), TemplateError> {
    let mut state = environment.empty_state();
    for (index, word) in words.iter().enumerate() {
        let text = |i: usize| words.get(i).map_or("", |word| word.text);
        let before = index.checked_sub(1).map_or("", text);
        let opens_filter_block = index == 0 && word.text == "filter" && is_name(text(1));
        let (found, what) = if word.text == "|" || opens_filter_block {
            let Some(name) = words.get(index + 1).filter(|word| is_name(word.text)) else {
                continue;
            };
            // Nothing is given to it, so it does nothing but exist or not.
            let result = state.apply_filter(name.text, &[]);
            (result.err().map(|e| (e, name, ErrorKind::UnknownFilter)), "filter")
        } else if word.text == "is" && before != "." && !before.is_empty() {
            let skip = usize::from(text(index + 1) == "not");
            let Some(name) = words.get(index + 1 + skip).filter(|word| is_name(word.text)) else {
                continue;
            };
            let result = state.perform_test(name.text, &[]);
            (result.err().map(|e| (e, name, ErrorKind::UnknownTest)), "test")
        } else {
            continue;
        };
        if let Some((_, name, _)) = found.filter(|(error, _, kind)| error.kind() == *kind) {
            let message = format!("there is no {what} `{}`", name.text);
            return Err(TemplateError::at(source, name.at, message));
        }
    }
    Ok(())
}

/// Finds where code begins at or after `at`, past comments, and how it ends.
fn next_code(source: &str, mut at: usize) -> Option<(usize, &'static str)> {
    loop {
        let open = at + source.get(at..)?.find('{')?;
        let inside = open + 2;
        match source.as_bytes().get(open + 1) {
            Some(b'{') => return Some((inside, "}}")),
            Some(b'%') => return Some((inside, "%}")),
            Some(b'#') => at = inside + source.get(inside..)?.find("#}")?,
            _ => at = open + 1,
        }
    }
}

/// Splits code into words up to `end_mark`; quoted text is left out.
fn code_words<'a>(source: &'a str, start: usize, end_mark: &str) -> (usize, Vec<Word<'a>>) {
    let mut words = Vec::new();
    let mut at = start;
    while let Some(rest) = source.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(end_mark) {
            return (at + end_mark.len(), words);
        }
        let first = rest.chars().next().unwrap_or_default();
        let name = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        let length = match first {
            '"' | '\'' => quoted_length(rest, first),
            _ if name > 0 => name,
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() && !matches!(first, '-' | '+' | '"' | '\'') {
            words.push(Word { text: rest.get(..length).unwrap_or_default(), at });
        } else if matches!(first, '"' | '\'') {
            words.push(Word { text: "\"", at });
        }
        at += length;
    }
    (source.len(), words)
}

fn quoted_length(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (index, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return index + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
