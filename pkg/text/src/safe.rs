//! Makes text that a model, a tool or a stranger wrote harmless to show on one line.
//!
//! What a person approves must be what they see: nothing in a value may start a new line, hide,
//! turn the reading direction round, or pass for another word. [`chars`] says which characters show
//! nothing of their own. Tested by tables here and by properties in `tests/it`.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::{Map, Value};
use unicode_properties::UnicodeEmoji as _;
use unicode_script::{Script, ScriptExtension, UnicodeScript as _};
use unicode_segmentation::UnicodeSegmentation as _;

mod chars;

use chars::{is_hidden, is_line_break};

/// What stands on both sides of a word of mixed scripts: `⚠pаypal⚠`.
pub const MIXED_MARK: char = '⚠';

/// The longest run of blanks that is printed as it is.
const BLANKS_MAX: usize = 3;

/// Returns `text` as one line without anything hidden.
///
/// - A line break, also CR LF, prints as `⏎`.
/// - More than three blanks in a row print as `␣×n`.
/// - Control, format, private, unassigned and default-ignorable characters and spaces outside ASCII
///   print as `\u{…}`; the joiners inside an emoji stay.
/// - A word that mixes scripts, such as Latin with one Cyrillic letter, stands between
///   [`MIXED_MARK`]s.
///
/// Safe text stays as it is, so applying this twice changes nothing.
///
/// # Examples
///
/// ```
/// use manos_text::safe_text;
///
/// assert_eq!(safe_text("Torta de chocolate"), "Torta de chocolate");
/// assert_eq!(safe_text("pan\nTotal: $0"), "pan⏎Total: $0");
/// assert_eq!(safe_text("gpj.\u{202e}exe"), r"gpj.\u{202e}exe");
/// ```
pub fn safe_text(text: &str) -> Cow<'_, str> {
    if is_plainly_safe(text) {
        return Cow::Borrowed(text);
    }
    let shown = show_hidden(text);
    Cow::Owned(if shown.is_ascii() { shown } else { mark_mixed(&shown) })
}

/// Returns a copy of `value` with every text and every key made safe.
///
/// Numbers keep their digits. Two keys that become equal are told apart by a trailing `′`, so that
/// nothing is left out.
///
/// # Examples
///
/// ```
/// use manos_text::safe_value;
/// use serde_json::json;
///
/// assert_eq!(safe_value(&json!({"a\n": ["b\n", 1.50]})), json!({"a⏎": ["b⏎", 1.50]}));
/// ```
pub fn safe_value(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::String(text) => Value::String(safe_text(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(safe_value).collect()),
        Value::Object(map) => Value::Object(safe_map(map)),
    }
}

/// Like [`safe_value`], for an object.
pub(crate) fn safe_map(map: &Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::with_capacity(map.len());
    for (key, value) in map {
        let mut key = safe_text(key).into_owned();
        while out.contains_key(&key) {
            key.push('′');
        }
        out.insert(key, safe_value(value));
    }
    out
}

/// Tells the common case without looking anything up: printable Latin and few blanks.
fn is_plainly_safe(text: &str) -> bool {
    let mut blanks = 0;
    text.chars().all(|c| {
        blanks = if c == ' ' { blanks + 1 } else { 0 };
        blanks <= BLANKS_MAX
            && (matches!(c, ' '..='~' | LATIN_FIRST..=LATIN_LAST) && c != SOFT_HYPHEN)
    })
}

// All between is assigned, visible, and of the Latin script or of none, but for the soft hyphen.
const LATIN_FIRST: char = '\u{a1}';
const LATIN_LAST: char = '\u{24f}';
const SOFT_HYPHEN: char = '\u{ad}';

fn show_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut blanks = 0;
    for cluster in text.graphemes(true) {
        if cluster == " " {
            blanks += 1;
            continue;
        }
        if !cluster.starts_with(' ') {
            push_blanks(&mut out, &mut blanks);
        }
        if cluster == "\r\n" {
            out.push('⏎');
        } else if is_emoji_cluster(cluster) {
            out.push_str(cluster);
        } else {
            for c in cluster.chars() {
                // A mark on a blank makes one cluster of the two.
                if c == ' ' {
                    blanks += 1;
                    continue;
                }
                push_blanks(&mut out, &mut blanks);
                if is_line_break(c) {
                    out.push('⏎');
                } else if is_hidden(c) {
                    push_escape(&mut out, c);
                } else {
                    out.push(c);
                }
            }
        }
    }
    push_blanks(&mut out, &mut blanks);
    out
}

fn push_blanks(out: &mut String, blanks: &mut usize) {
    let count = std::mem::take(blanks);
    if count <= BLANKS_MAX {
        out.extend(std::iter::repeat_n(' ', count));
    } else {
        // Writing to a text cannot fail.
        let _infallible = write!(out, "␣×{count}");
    }
}

fn push_escape(out: &mut String, c: char) {
    let _infallible = write!(out, "\\u{{{:x}}}", u32::from(c));
}

const JOINER: char = '\u{200d}';
const EMOJI_STYLE: char = '\u{fe0f}';
const TEXT_STYLE: char = '\u{fe0e}';
const KEYCAP: char = '\u{20e3}';
const BLACK_FLAG: char = '\u{1f3f4}';

/// Regions that have a flag made of tag characters; anything else in tags is hidden text.
const TAG_FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];

/// Tells whether every joiner, style and tag in the cluster does its work inside an emoji.
fn is_emoji_cluster(cluster: &str) -> bool {
    let first = cluster.chars().next().unwrap_or_default();
    if first.is_ascii() {
        // `1️⃣`: a digit, the style, the keycap.
        let rest = cluster.get(1..).unwrap_or_default();
        return first.is_emoji_char() && rest == format!("{EMOJI_STYLE}{KEYCAP}");
    }
    if !first.is_emoji_char() {
        return false;
    }
    if first == BLACK_FLAG && cluster.chars().nth(1).is_some_and(is_tag) {
        return is_tag_flag(cluster);
    }
    let mut previous = '\0';
    let mut chars = cluster.chars().peekable();
    while let Some(c) = chars.next() {
        let fits = match c {
            JOINER => {
                (previous.is_emoji_char() || previous == EMOJI_STYLE)
                    && chars.peek().is_some_and(|next| !next.is_ascii() && next.is_emoji_char())
            }
            EMOJI_STYLE | TEXT_STYLE => previous.is_emoji_char(),
            c => c.is_emoji_char(),
        };
        if !fits {
            return false;
        }
        previous = c;
    }
    true
}

fn is_tag(c: char) -> bool {
    ('\u{e0020}'..='\u{e007f}').contains(&c)
}

fn is_tag_flag(cluster: &str) -> bool {
    let letters: Option<String> = cluster
        .chars()
        .skip(1)
        .map(|c| char::from_u32(u32::from(c).checked_sub(0xe0000)?).filter(|_| is_tag(c)))
        .collect();
    letters
        .and_then(|all| all.strip_suffix('\u{7f}').map(str::to_owned))
        .is_some_and(|region| TAG_FLAGS.contains(&region.as_str()))
}

fn mark_mixed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    for (start, word) in text.unicode_word_indices().flat_map(split_at_underscores) {
        if word.is_ascii() || !mixes_scripts(word) {
            continue;
        }
        let (before, from_word) = rest.split_at(start - (text.len() - rest.len()));
        let after = &from_word[word.len()..];
        out.push_str(before);
        let marked = out.ends_with(MIXED_MARK) && after.starts_with(MIXED_MARK);
        if marked {
            out.push_str(word);
        } else {
            out.push(MIXED_MARK);
            out.push_str(word);
            out.push(MIXED_MARK);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// `clave_ключ` is two words for a reader, though not for Unicode.
fn split_at_underscores((start, word): (usize, &str)) -> impl Iterator<Item = (usize, &str)> {
    let base = word.as_ptr().addr();
    word.split('_').map(move |part| (start + part.as_ptr().addr() - base, part))
}

/// Tells whether no single script writes the whole word.
///
/// Japanese, Korean and Chinese mix scripts by nature and count as one each.
fn mixes_scripts(word: &str) -> bool {
    let mut common = ScriptExtension::default();
    let (mut japanese, mut korean, mut chinese) = (true, true, true);
    for c in word.chars() {
        let scripts = c.script_extension();
        common.intersect_with(scripts);
        let has = |script| scripts.contains_script(script);
        let han = has(Script::Han);
        japanese &= han || has(Script::Hiragana) || has(Script::Katakana);
        korean &= han || has(Script::Hangul);
        chinese &= han || has(Script::Bopomofo);
    }
    common.is_empty() && !(japanese || korean || chinese)
}

#[cfg(test)]
mod tests;
