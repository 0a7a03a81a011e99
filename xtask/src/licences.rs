//! The licence and the source of every library in the lock file.
//!
//! `deny.toml` holds the list, in the form that `cargo deny` reads; this check reads the same list,
//! so that it holds on a machine without that tool.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::repo::Repo;
use crate::{cargo, say};

/// Where libraries may come from, besides our own folders: the language's own registry.
const REGISTRY: &str = "registry+https://github.com/rust-lang/";

/// Fails when a library has a licence outside the list or comes from elsewhere.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let allowed = allowed(&repo.read("deny.toml")?)?;
    let metadata = cargo::metadata(repo, &[])?;
    let packages = metadata["packages"].as_array().context("metadata without packages")?;
    let broken: Vec<String> =
        packages.iter().filter_map(|package| complaint(package, &allowed)).collect();
    if !broken.is_empty() {
        bail!("licences or sources that deny.toml does not allow:\n  {}", broken.join("\n  "));
    }
    say::line(&format!("{} packages have an allowed licence and source", packages.len()));
    Ok(())
}

fn complaint(package: &Value, allowed: &BTreeSet<String>) -> Option<String> {
    let name = package["name"].as_str().unwrap_or("?");
    match package["source"].as_str() {
        Some(other) if !other.starts_with(REGISTRY) => {
            return Some(format!("{name} comes from {other}"));
        }
        Some(_) | None => {}
    }
    let Some(expression) = package["license"].as_str() else {
        return Some(format!("{name} states no licence"));
    };
    (!is_allowed(expression, allowed)).then(|| format!("{name} is under {expression}"))
}

/// The ids between the brackets of `allow = [ … ]`.
fn allowed(deny: &str) -> Result<BTreeSet<String>> {
    let (_, rest) = deny.split_once("\nallow = [").context("deny.toml has no list of licences")?;
    let (list, _) = rest.split_once(']').context("the list in deny.toml is not closed")?;
    Ok(list.split('"').skip(1).step_by(2).map(str::to_owned).collect())
}

/// Whether an SPDX expression can be met with allowed licences alone. `OR` is a choice, `AND` is
/// both, `WITH` is part of the id, and the old `/` is a choice.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = either(&words, &mut at, allowed);
    met && at == words.len()
}

fn either(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut met = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= both(words, at, allowed);
    }
    met
}

fn both(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &BTreeSet<String>) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let met = either(words, at, allowed);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return met && closed;
    }
    let mut id = (*word).to_owned();
    if words.get(*at) == Some(&"WITH") {
        id = format!("{id} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed.contains(&id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_met_by_allowed_licences_alone() {
        let list = allowed("[licenses]\nallow = [\n  \"MIT\", # why\n  \"Apache-2.0 WITH LLVM-exception\",\n  \"Zlib\",\n]\n").unwrap();
        let cases = [
            ("MIT", true),
            ("GPL-3.0", false),
            ("GPL-3.0 OR MIT", true),
            ("MIT/GPL-3.0", true),
            ("MIT AND GPL-3.0", false),
            ("MIT AND (Zlib OR GPL-3.0)", true),
            ("(MIT OR GPL-3.0) AND GPL-2.0", false),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0", false),
            ("", false),
            ("(MIT", false),
        ];
        for (expression, expected) in cases {
            assert_eq!(is_allowed(expression, &list), expected, "{expression}");
        }
    }

    #[test]
    fn a_library_from_elsewhere_is_named() {
        let list = BTreeSet::from(["MIT".to_owned()]);
        let from = |source: Option<&str>| {
            complaint(&serde_json::json!({"name": "x", "license": "MIT", "source": source}), &list)
        };
        assert_eq!(from(None), None);
        assert_eq!(from(Some(REGISTRY)), None);
        assert_eq!(from(Some("git+https://h/x")).unwrap(), "x comes from git+https://h/x");
    }
}
