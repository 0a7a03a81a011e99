//! Tool names ↔ the names that a provider takes.
//!
//! Providers take `^[a-zA-Z0-9_-]{1,64}$`; tools may be called `calendar.create v2`. One illegal
//! name must not cost the whole request, and two long names must not become one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use manos_model::sha256_hex;

/// The longest name on a wire, in bytes.
pub const WIRE_NAME_BYTES_MAX: usize = 64;

/// Maps the names of one tool set to legal, distinct ones and back.
///
/// A legal name stays as it is. Of any other, each illegal character becomes `_`; where that is too
/// long or taken, it is cut and gets a piece of the name's digest.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::NameTable;
/// let names = NameTable::new(["calendar.create", "calendar_create"]);
/// let wire = names.to_wire("calendar.create").into_owned();
/// assert_ne!(wire, "calendar_create");
/// assert_eq!(names.to_name(&wire), "calendar.create");
/// assert_eq!(names.to_wire("send email!"), "send_email_"); // invented by the model
/// ```
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct NameTable {
    /// Only the names that had to change.
    wire_of: BTreeMap<String, String>,
    name_of: BTreeMap<String, String>,
    /// Every name on the wire, for names that the model invents.
    taken: BTreeSet<String>,
}

impl NameTable {
    /// Makes the table; the result depends on the names and their order alone.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        let mut table = Self::default();
        // Legal names first: none of them may lose its place to one that is made up.
        table.taken.extend(names.iter().filter(|n| is_legal(n)).map(|n| (*n).to_owned()));
        for name in names.into_iter().filter(|name| !is_legal(name)) {
            if table.wire_of.contains_key(name) {
                continue;
            }
            let wire = free_name(name, &table.taken);
            table.taken.insert(wire.clone());
            table.name_of.insert(wire.clone(), name.to_owned());
            table.wire_of.insert(name.to_owned(), wire);
        }
        table
    }

    /// Returns whether the set has a tool of this name, its own one.
    pub fn has(&self, name: &str) -> bool {
        self.wire_of.contains_key(name)
            || (is_legal(name) && self.taken.contains(name) && !self.name_of.contains_key(name))
    }

    /// Returns the name for the wire. A name that is not in the set, as models invent them, becomes
    /// a legal one that no tool of the set has.
    pub fn to_wire<'a>(&'a self, name: &'a str) -> Cow<'a, str> {
        if is_legal(name) {
            return Cow::Borrowed(name);
        }
        match self.wire_of.get(name) {
            Some(wire) => Cow::Borrowed(wire),
            None => Cow::Owned(free_name(name, &self.taken)),
        }
    }

    /// Returns the tool's name for one from the wire, or the text itself when it is none of ours.
    pub fn to_name<'a>(&'a self, wire: &'a str) -> &'a str {
        self.name_of.get(wire).map_or(wire, String::as_str)
    }
}

fn is_legal(name: &str) -> bool {
    (1..=WIRE_NAME_BYTES_MAX).contains(&name.len()) && name.bytes().all(is_legal_byte)
}

fn is_legal_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn free_name(name: &str, taken: &BTreeSet<String>) -> String {
    const DIGEST_CHARS: usize = 8;
    let plain: String = name
        .chars()
        .map(|c| if u8::try_from(c).is_ok_and(is_legal_byte) { c } else { '_' })
        .collect();
    if is_legal(&plain) && !taken.contains(&plain) {
        return plain;
    }
    let digest = sha256_hex(&[name.as_bytes()]);
    let digest = digest.get(..DIGEST_CHARS).unwrap_or(&digest);
    let stem: String = plain.chars().take(WIRE_NAME_BYTES_MAX - 2 * DIGEST_CHARS).collect();
    let mut wire = format!("{stem}_{digest}");
    let mut more = 1_u32;
    while taken.contains(&wire) {
        more += 1;
        wire = format!("{stem}_{digest}{more}");
    }
    wire
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_become_legal_and_come_back() {
        let long_a = format!("{}a", "x".repeat(63 + 16));
        let long_b = format!("{}b", "x".repeat(63 + 16));
        let names = [
            "ver_menu",
            "calendar.create",
            "calendar_create",
            "ver menú",
            "a/b",
            "a:b",
            "",
            "🥐",
            &long_a,
            &long_b,
        ];
        let table = NameTable::new(names);
        let wires: BTreeSet<String> = names.iter().map(|n| table.to_wire(n).into_owned()).collect();
        assert_eq!(wires.len(), names.len(), "all distinct");
        for name in names {
            let wire = table.to_wire(name);
            assert!(is_legal(&wire), "{wire}");
            assert_eq!(table.to_name(&wire), name);
        }
        assert_eq!(table.to_wire("ver menú"), "ver_men_");
        assert_eq!(table.to_wire("ver_menu"), "ver_menu");
    }

    #[test]
    fn an_invented_name_is_legal_and_is_no_tools() {
        let table = NameTable::new(["send_email_"]);
        let wire = table.to_wire("send email!");
        assert!(is_legal(&wire) && wire != "send_email_", "{wire}");
        assert_eq!(table.to_name("crear_pedidos"), "crear_pedidos");
        assert_eq!(table.to_name("get_x<|channel|>commentary"), "get_x<|channel|>commentary");
    }

    proptest! {
        #[test]
        fn any_set_of_names_maps_both_ways(names in prop::collection::btree_set("[a-b._ é-]{0,70}", 0..12)) {
            let table = NameTable::new(names.iter().map(String::as_str));
            let mut seen = BTreeSet::new();
            for name in &names {
                let wire = table.to_wire(name).into_owned();
                prop_assert!(is_legal(&wire));
                prop_assert_eq!(table.to_name(&wire), name.as_str());
                prop_assert!(seen.insert(wire));
            }
        }
    }
}
