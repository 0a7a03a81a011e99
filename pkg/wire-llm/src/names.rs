//! Names ↔ the names that a provider takes: of tools, and of arguments where a provider has a rule.
//!
//! Providers take `^[a-zA-Z0-9_-]{1,64}$`, Gemini only with a letter or `_` first; tools may be called
//! `calendar.create v2`. One illegal name must not cost the whole request, and two long names must not
//! become one. Tools have the same name at every provider, so that a conversation can go on elsewhere.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use manos_model::sha256_hex;

/// The longest name on a wire, in bytes.
pub const WIRE_NAME_BYTES_MAX: usize = 64;

/// Which names a provider takes; none is longer than [`WIRE_NAME_BYTES_MAX`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameRule {
    /// What may stand beside letters, digits and `_`.
    marks: &'static str,
    /// Whether the first must be a letter or `_`.
    leading_letter: bool,
}

impl NameRule {
    /// Tools: what every provider takes.
    ///
    /// <https://platform.openai.com/docs/api-reference/chat/create>,
    /// <https://docs.anthropic.com/en/api/messages>,
    /// <https://ai.google.dev/api/caching#FunctionDeclaration>.
    pub(crate) const TOOL: Self = Self { marks: "-", leading_letter: true };

    /// Keys of arguments at Anthropic, `^[a-zA-Z0-9_.-]{1,64}$`:
    /// <https://github.com/modelcontextprotocol/go-sdk/issues/169>.
    pub(crate) const ANTHROPIC_KEY: Self = Self { marks: "-.", leading_letter: false };

    /// Keys of arguments at Gemini; the stricter of its two servers:
    /// <https://cloud.google.com/vertex-ai/docs/reference/rest/v1/FunctionDeclaration>.
    pub(crate) const GEMINI_KEY: Self = Self { marks: "", leading_letter: true };

    /// Returns whether a name may stay as it is.
    pub(crate) fn takes(self, name: &str) -> bool {
        (1..=WIRE_NAME_BYTES_MAX).contains(&name.len())
            && self.takes_first(name)
            && name.chars().all(|c| self.takes_char(c))
    }

    fn takes_char(self, c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_' || self.marks.contains(c)
    }

    fn takes_first(self, name: &str) -> bool {
        !self.leading_letter || name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }

    /// Returns a legal name that is not taken: as near to `name` as may be.
    fn free_name(self, name: &str, taken: &BTreeSet<String>) -> String {
        const DIGEST_CHARS: usize = 8;
        let mut plain: String =
            name.chars().map(|c| if self.takes_char(c) { c } else { '_' }).collect();
        if !self.takes_first(&plain) {
            plain.insert(0, '_');
        }
        if self.takes(&plain) && !taken.contains(&plain) {
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
}

/// Maps the names of one tool set to legal, distinct ones and back.
///
/// A legal name stays as it is. Of any other, each illegal character becomes `_`, and a first that is
/// no letter gets a `_` before it; where that is too long or taken, it is cut and gets a piece of the
/// name's digest.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameTable {
    rule: NameRule,
    /// Only the names that had to change.
    wire_of: BTreeMap<String, String>,
    name_of: BTreeMap<String, String>,
    /// Every name on the wire, for names that the model invents.
    taken: BTreeSet<String>,
}

impl Default for NameTable {
    fn default() -> Self {
        Self::new([])
    }
}

impl NameTable {
    /// Makes the table of a tool set; the result depends on the names and their order alone.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::by(NameRule::TOOL, names)
    }

    /// Makes a table by another rule.
    pub(crate) fn by<'a>(rule: NameRule, names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        // Legal names first: none of them may lose its place to one that is made up.
        let taken = names.iter().filter(|name| rule.takes(name)).map(|&name| name.to_owned());
        let mut table = Self {
            rule,
            wire_of: BTreeMap::new(),
            name_of: BTreeMap::new(),
            taken: taken.collect(),
        };
        for name in names.into_iter().filter(|name| !rule.takes(name)) {
            if table.wire_of.contains_key(name) {
                continue;
            }
            let wire = rule.free_name(name, &table.taken);
            table.taken.insert(wire.clone());
            table.name_of.insert(wire.clone(), name.to_owned());
            table.wire_of.insert(name.to_owned(), wire);
        }
        table
    }

    /// Returns whether the set has a tool of this name, its own one.
    pub fn has(&self, name: &str) -> bool {
        self.wire_of.contains_key(name)
            || (self.rule.takes(name)
                && self.taken.contains(name)
                && !self.name_of.contains_key(name))
    }

    /// Returns the name for the wire. A name that is not in the set, as models invent them, becomes
    /// a legal one that no tool of the set has.
    pub fn to_wire<'a>(&'a self, name: &'a str) -> Cow<'a, str> {
        if self.rule.takes(name) {
            return Cow::Borrowed(name);
        }
        match self.wire_of.get(name) {
            Some(wire) => Cow::Borrowed(wire),
            None => Cow::Owned(self.rule.free_name(name, &self.taken)),
        }
    }

    /// Returns the tool's name for one from the wire, or the text itself when it is none of ours.
    pub fn to_name<'a>(&'a self, wire: &'a str) -> &'a str {
        self.name_of.get(wire).map_or(wire, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_legal(name: &str) -> bool {
        NameRule::TOOL.takes(name)
    }

    #[test]
    fn names_become_legal_and_come_back() {
        let long_a = format!("{}a", "x".repeat(63 + 16));
        let long_b = format!("{}b", "x".repeat(63 + 16));
        let names = [
            "ver_menu",
            "calendar.create",
            "calendar_create",
            "ver menú",
            "2fa",
            "_2fa",
            "-",
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

    #[test]
    fn each_rule_takes_what_its_provider_takes() {
        let cases = [
            ("a plain name", "order_2", true, true, true),
            ("a dash", "order-id", true, true, false),
            ("a dot", "order.id", false, true, false),
            ("a digit first", "2fa", false, true, false),
            ("a space", "order id", false, false, false),
            ("an accent", "año", false, false, false),
            ("nothing", "", false, false, false),
        ];
        for (why, name, tool, anthropic, gemini) in cases {
            assert_eq!(NameRule::TOOL.takes(name), tool, "a tool with {why}");
            assert_eq!(NameRule::ANTHROPIC_KEY.takes(name), anthropic, "at Anthropic, {why}");
            assert_eq!(NameRule::GEMINI_KEY.takes(name), gemini, "at Gemini, {why}");
        }
        let long = "a".repeat(WIRE_NAME_BYTES_MAX + 1);
        assert!(NameRule::TOOL.takes(&long[1..]) && !NameRule::TOOL.takes(&long));
    }

    #[test]
    fn five_hundred_names_that_look_alike_stay_apart_and_each_keeps_its_place() {
        let names: Vec<String> =
            (0..500).map(|at| format!("{} tool números {at}", "x".repeat(70))).collect();
        let table = NameTable::new(names.iter().map(String::as_str));
        let wires: BTreeSet<_> = names.iter().map(|name| table.to_wire(name)).collect();
        assert_eq!(wires.len(), names.len());
        assert!(wires.iter().all(|wire| is_legal(wire)));
        assert!(names.iter().all(|name| table.to_name(&table.to_wire(name)) == name));
        // A tool that is added at the end renames none of those before it.
        let more = NameTable::new(names.iter().map(String::as_str).chain(["y y"]));
        assert!(names.iter().all(|name| more.to_wire(name) == table.to_wire(name)));
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
