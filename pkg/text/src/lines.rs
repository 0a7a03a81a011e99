//! Prints the arguments of a call for the person who is asked, and results in short.
//!
//! Nothing of the arguments is left out, however deep; a summary of a result may leave out.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::safe_text;

/// Words for raw values, by argument key: `producto` → `pan_de_bono` → `Pan de bono`.
pub type Labels = BTreeMap<String, BTreeMap<String, Words>>;

/// The words for one raw value: the first is printed, all of them are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    printed: String,
    others: Vec<String>,
}

impl Words {
    /// One word to print, and others to read: plurals, short forms.
    pub fn new(printed: impl Into<String>, others: Vec<String>) -> Self {
        Self { printed: printed.into(), others }
    }

    /// Returns the word that is printed.
    pub fn printed(&self) -> &str {
        &self.printed
    }

    /// Returns the words that are only read.
    pub fn others(&self) -> &[String] {
        &self.others
    }

    /// Returns every word that is read.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.printed()).chain(self.others.iter().map(String::as_str))
    }
}

impl From<&str> for Words {
    fn from(printed: &str) -> Self {
        Self::new(printed, Vec::new())
    }
}

/// The most characters of a result summary; a longer one ends in `…`.
pub const SUMMARY_CHARS_MAX: usize = 200;

/// Prints arguments as lines, one bullet per argument or list item, without a newline at the end.
///
/// - A value with a label prints as the label, inside lists and objects too.
/// - A list item that is an object of one whole number and one text prints as `• 5 × text`; other
///   objects print as `key: value` pairs; what is nested stands indented below.
/// - A list of such amounts that is the only argument with a structure prints without its key;
///   every other argument prints with it.
/// - A text among pairs that could be taken for more of them stands in quotes; an empty one is `""`.
///
/// Keys and values are made safe first ([`safe_text`]), so a value never starts a line.
///
/// # Examples
///
/// ```
/// use manos_text::{Labels, argument_lines};
/// use serde_json::json;
///
/// let args = json!({"items": [
///     {"cantidad": 5, "producto": "torta_chocolate"},
///     {"cantidad": 2, "producto": "cafe"},
/// ]});
/// let words = [("torta_chocolate".to_owned(), "Torta de chocolate".into())];
/// let labels = Labels::from([("producto".to_owned(), words.into())]);
/// assert_eq!(
///     argument_lines(args.as_object().unwrap(), &labels),
///     "• 5 × Torta de chocolate\n• 2 × cafe",
/// );
/// ```
pub fn argument_lines(arguments: &Map<String, Value>, labels: &Labels) -> String {
    let mut printer = Printer { labels, lines: Vec::new() };
    let structured = arguments.values().filter(|value| is_structured(value)).count();
    for (key, value) in arguments {
        match value {
            Value::Array(items)
                if structured == 1 && items.iter().all(|item| printer.amount(item).is_some()) =>
            {
                printer.items(key, items, 0);
            }
            _ => printer.field(key, value, 0),
        }
    }
    printer.lines.join("\n")
}

/// Says a result in one line, for the warning that something was done before.
///
/// Lists of objects and objects inside objects are left out; an empty text means that nothing is
/// left to say. At most [`SUMMARY_CHARS_MAX`] characters.
///
/// # Examples
///
/// ```
/// use manos_text::result_summary;
/// use serde_json::json;
///
/// let result = json!({"id": "P-7", "items": [{"producto": "cafe"}], "total": 9000});
/// assert_eq!(result_summary(&result), "id: P-7, total: 9000");
/// ```
pub fn result_summary(result: &Value) -> String {
    let no_labels = Labels::new();
    let printer = Printer { labels: &no_labels, lines: Vec::new() };
    let flat = |key: &str, value: &Value| match value {
        Value::Object(_) => None,
        Value::Array(items) if items.iter().any(is_structured) => None,
        Value::Array(items) => {
            Some(items.iter().map(|i| printer.scalar(key, i)).collect::<Vec<_>>().join(", "))
        }
        scalar => Some(printer.scalar(key, scalar)),
    };
    let whole = match result {
        Value::Null => String::new(),
        Value::Object(map) => {
            let pairs = map.iter().filter_map(|(key, value)| {
                Some(format!("{}: {}", safe_text(key), flat(key, value)?))
            });
            pairs.collect::<Vec<_>>().join(", ")
        }
        other => flat("", other).unwrap_or_default(),
    };
    cut(whole.trim(), SUMMARY_CHARS_MAX)
}

fn cut(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars_max - 1).chain(['…']).collect(),
    }
}

struct Printer<'a> {
    labels: &'a Labels,
    lines: Vec<String>,
}

impl Printer<'_> {
    fn push(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}• {text}", "  ".repeat(depth)));
    }

    /// One argument, or one entry of a nested object, with its key.
    fn field(&mut self, key: &str, value: &Value, depth: usize) {
        let shown_key = safe_text(key);
        match value {
            Value::Array(items) if !items.is_empty() => {
                self.push(depth, &format!("{shown_key}:"));
                self.items(key, items, depth + 1);
            }
            Value::Object(map) if !map.is_empty() => {
                self.push(depth, &format!("{shown_key}:"));
                for (key, value) in map {
                    self.field(key, value, depth + 1);
                }
            }
            scalar => {
                let line = format!("{shown_key}: {}", self.scalar(key, scalar));
                self.push(depth, &line);
            }
        }
    }

    fn items(&mut self, key: &str, items: &[Value], depth: usize) {
        for (index, item) in items.iter().enumerate() {
            if let Some(amount) = self.amount(item) {
                self.push(depth, &amount);
                continue;
            }
            match item {
                Value::Array(inner) if !inner.is_empty() => {
                    self.push(depth, &format!("#{}", index + 1));
                    self.items(key, inner, depth + 1);
                }
                Value::Object(map) if !map.is_empty() => self.record(map, index, depth),
                scalar => {
                    let line = self.scalar(key, scalar);
                    self.push(depth, &line);
                }
            }
        }
    }

    /// A list item with keys: plain pairs on its line, what is nested below.
    fn record(&mut self, map: &Map<String, Value>, index: usize, depth: usize) {
        let (nested, plain): (Vec<_>, Vec<_>) = map.iter().partition(|(_, v)| is_structured(v));
        let pairs: Vec<String> = plain
            .into_iter()
            .map(|(key, value)| {
                let shown = self.scalar(key, value);
                let shown = if value.is_string() { quoted_if_unclear(&shown) } else { shown };
                format!("{}: {shown}", quoted_if_unclear(&safe_text(key)))
            })
            .collect();
        let head = if pairs.is_empty() { format!("#{}", index + 1) } else { pairs.join(", ") };
        self.push(depth, &head);
        for (key, value) in nested {
            self.field(key, value, depth + 1);
        }
    }

    /// `5 × text`, when the item is one whole number and one text and no more.
    fn amount(&self, item: &Value) -> Option<String> {
        let map = item.as_object().filter(|map| map.len() == 2)?;
        let is_whole = |key: &String, value: &Value| {
            self.label(key, value).is_none()
                && value.as_number().is_some_and(|n| !n.as_str().contains(['.', 'e', 'E']))
        };
        let (_, count) = map.iter().find(|(key, value)| is_whole(key, value))?;
        let (key, text) = map.iter().find(|(_, value)| value.is_string())?;
        Some(format!("{count} × {}", self.scalar(key, text)))
    }

    fn label(&self, key: &str, value: &Value) -> Option<&str> {
        let words = self.labels.get(key)?;
        let raw = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            Value::Number(_) | Value::Bool(_) | Value::Null => Cow::Owned(value.to_string()),
            Value::Array(_) | Value::Object(_) => return None,
        };
        words.get(&*raw).map(Words::printed)
    }

    fn scalar(&self, key: &str, value: &Value) -> String {
        if let Some(label) = self.label(key, value) {
            return safe_text(label).into_owned();
        }
        match value {
            Value::String(text) if text.is_empty() => "\"\"".to_owned(),
            Value::String(text) => safe_text(text).into_owned(),
            // Empty lists and objects, numbers with their digits, `true`, `null`.
            other => other.to_string(),
        }
    }
}

/// Quotes what could be read as more pairs on the same line.
fn quoted_if_unclear(text: &str) -> String {
    let unclear = text.contains(", ") || text.contains(": ") || text.ends_with([':', ',']);
    let looks_quoted = text.starts_with('"') && text != "\"\"";
    if unclear || looks_quoted { Value::from(text).to_string() } else { text.to_owned() }
}

/// Tells whether a value takes lines of its own.
fn is_structured(value: &Value) -> bool {
    match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests;
