//! The small pieces of the sentences.

use serde_json::Value;

/// Characters of a name from the arguments that are repeated.
const NAME_CHARS_MAX: usize = 60;

/// Names the JSON type of a value.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Array(_) => "array",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
        Value::Number(_) => "number",
        Value::Object(_) => "object",
        Value::String(_) => "string",
    }
}

/// Puts a name in quotes, cut when it is long.
pub(crate) fn quoted(name: &str) -> String {
    match name.char_indices().nth(NAME_CHARS_MAX) {
        Some((at, _)) => {
            Value::String(format!("{}…", name.get(..at).unwrap_or_default())).to_string()
        }
        None => Value::from(name).to_string(),
    }
}

/// Cuts text to at most `bytes_max` bytes, at a character, with `…` after it when it was cut.
pub(crate) fn cut(mut text: String, bytes_max: usize) -> String {
    const MARK: char = '…';
    if text.len() <= bytes_max {
        return text;
    }
    let room = bytes_max.saturating_sub(MARK.len_utf8());
    let at = (0..=room).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    text.truncate(at);
    text.push(MARK);
    text
}

/// Writes `a, b, c` after `before`.
pub(super) fn listed(before: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    format!("{before}{}", items.join(", "))
}

/// Writes the names of types, `null` last: `integer`, `integer or null`, `array, object or string`.
pub(super) fn types(names: &[String]) -> String {
    let mut names = names.to_vec();
    names.sort_by_key(|name| name == "null");
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// Says that there is no such property, and which one may have been meant.
pub(super) fn no_property(name: &str, known: &[&str]) -> String {
    let nearest = known
        .iter()
        .map(|candidate| {
            (strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase()), candidate)
        })
        .filter(|(distance, candidate)| *distance <= (candidate.chars().count() / 3).max(1))
        .min_by_key(|(distance, _)| *distance);
    match nearest {
        Some((_, candidate)) => {
            format!("no property {} (did you mean {}?)", quoted(name), quoted(candidate))
        }
        None => format!("no property {}", quoted(name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_falls_between_characters_and_is_marked() {
        assert_eq!(cut("ñañaña".to_owned(), 6), "ña…");
        assert_eq!(cut("ñaña".to_owned(), 6), "ñaña");
        assert_eq!(cut("🍰🍰".to_owned(), 4), "…");
    }

    #[test]
    fn the_nearest_name_is_offered_when_it_is_near() {
        let known = ["cantidad", "producto", "id"];
        let cases = [
            ("one letter short", "cantida", Some("cantidad")),
            ("letters swapped", "cnatidad", Some("cantidad")),
            ("another case", "Producto", Some("producto")),
            ("short names need to be very near", "xyz", None),
            ("another word", "direccion", None),
        ];
        for (why, name, expected) in cases {
            let said = no_property(name, &known);
            match expected {
                Some(near) => assert!(said.contains(&format!("did you mean \"{near}\"")), "{why}"),
                None => assert_eq!(said, format!("no property \"{name}\""), "{why}"),
            }
        }
    }
}
