//! Legal, unique names.
//!
//! A tool's name must be legal for every provider, and unique in the document. An argument's name
//! must be one that no provider drops a tool for: `filter[x]` makes some of them do that.

use std::collections::BTreeSet;

use manos_model::sha256_hex;

/// The longest name of an imported tool, in characters.
pub const TOOL_NAME_MAX: usize = 64;

/// The longest name of an argument, in characters.
pub const ARGUMENT_NAME_MAX: usize = 64;

/// How much of the digest of what is named tells two names apart.
const DIGEST_CHARS: usize = 6;

/// Gives out names, each once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Returns a free, legal name that is as near to the wished one as can be. The same document
    /// always gives the same names: what tells them apart is a digest of `whole`, not a count.
    pub(crate) fn tool(&mut self, wished: &str, whole: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let mut name = legal(wished, plain);
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name = format!("op_{name}");
        }
        self.free(&name, whole, TOOL_NAME_MAX)
    }

    /// Returns a free name for an argument; `place` is where it goes, such as `query`.
    pub(crate) fn argument(&mut self, wished: &str, place: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = legal(wished, plain);
        // What begins so comes from us, and no schema may name it.
        let name = if name.starts_with("ctx_") { format!("arg_{name}") } else { name };
        if self.taken.contains(&name) {
            let name = format!("{name}_{place}");
            return self.free(&name, &format!("{place} {wished}"), ARGUMENT_NAME_MAX);
        }
        self.free(&name, wished, ARGUMENT_NAME_MAX)
    }

    fn free(&mut self, name: &str, whole: &str, longest: usize) -> String {
        let mut free = name.to_owned();
        let mut whole = whole.to_owned();
        while free.len() > longest || self.taken.contains(&free) {
            let digest = sha256_hex(&[whole.as_bytes()]);
            let room = longest - DIGEST_CHARS - 1;
            free = format!("{}_{}", cut(name, room), &digest[..DIGEST_CHARS]);
            whole = digest;
        }
        self.taken.insert(free.clone());
        free
    }
}

/// Turns each run of other characters into one `_`; nothing becomes `x`.
fn legal(wished: &str, plain: impl Fn(char) -> bool) -> String {
    let mut name = String::new();
    for c in wished.chars() {
        if plain(c) {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_matches('_');
    if name.is_empty() { "x".to_owned() } else { name.to_owned() }
}

fn cut(name: &str, longest: usize) -> String {
    // Legal names are ASCII.
    name.get(..longest).unwrap_or(name).trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tools_name_is_legal_short_and_its_own() {
        let mut names = Names::default();
        let long = "a".repeat(80);
        let cases = [
            ("listPets", "GET /pets", "listPets"),
            ("issues/add-labels", "POST /x", "issues_add-labels"),
            ("get  /users/{id}", "GET /users/{id}", "get_users_id"),
            ("2fa", "POST /2fa", "op_2fa"),
            ("ñandú", "GET /n", "and"),
            ("…", "GET /e", "x"),
        ];
        for (wished, whole, expected) in cases {
            assert_eq!(names.tool(wished, whole), expected);
        }
        let again = names.tool("listPets", "GET /pets2");
        assert!(again.starts_with("listPets_") && again.len() == 15, "{again}");
        let first = names.tool(&long, "GET /a");
        let second = names.tool(&long, "GET /b");
        assert_eq!((first.len(), second.len()), (TOOL_NAME_MAX, TOOL_NAME_MAX));
        assert_ne!(first, second);
    }

    #[test]
    fn an_argument_that_is_named_twice_says_where_it_goes() {
        let mut names = Names::default();
        assert_eq!(names.argument("id", "body"), "id");
        assert_eq!(names.argument("id", "path"), "id_path");
        assert_eq!(names.argument("filter[name]", "query"), "filter_name");
        assert_eq!(names.argument("ctx_user", "query"), "arg_ctx_user");
        assert_eq!(names.argument("page.size", "query"), "page.size");
    }
}
