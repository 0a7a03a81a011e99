//! The nearest known name.

/// A longer name is no slip of the finger.
const NAME_BYTES_MAX: usize = 128;

/// Names this far away or further are no suggestion: a third of the letters, and two at least.
fn distance_max(name: &str) -> usize {
    (name.chars().count() / 3).max(2)
}

/// Returns the known name that a mistyped one most likely means.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > NAME_BYTES_MAX {
        return None;
    }
    let folded = fold(name);
    known
        .into_iter()
        .map(|known| (strsim::damerau_levenshtein(&folded, &fold(known)), known))
        .filter(|(distance, known)| {
            // A name that has nothing of the other left is no suggestion, however short it is.
            *distance <= distance_max(name) && *distance < known.chars().count()
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// A sentence that suggests the nearest name, or lists the names when there are few.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    const LISTED_MAX: usize = 12;
    if let Some(nearest) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{nearest}`?");
    }
    let mut once: Vec<&str> = Vec::new();
    for name in known {
        if !once.contains(name) {
            once.push(name);
        }
    }
    match once.len() {
        0 => String::new(),
        1..=LISTED_MAX => format!("known here: {}", quoted(&once)),
        _ => String::new(),
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Case, and `-` against `_`, cost nothing.
fn fold(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_known_twice_is_listed_once() {
        assert_eq!(suggestion("xyz", &["sql", "sql", "tools"]), "known here: `sql`, `tools`");
    }

    #[test]
    fn a_suggestion_is_near_or_there_is_none() {
        let known = ["timeout", "tools", "time_zone", "money", "sql"];
        let cases = [
            ("timout", Some("timeout")),
            ("tool", Some("tools")),
            ("time-zone", Some("time_zone")),
            ("TimeZone", Some("time_zone")),
            ("mnoey", Some("money")),
            ("xyz", None),
            ("comando", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
