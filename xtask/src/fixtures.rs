//! Recordings and copied cases: each says where it comes from, and none holds a key or a person.

use std::path::{Path, PathBuf};
use std::{fs, str};

use anyhow::{Result, bail};

use crate::repo::Repo;
use crate::say;

const FOLDER: &str = "fixtures";

/// The pages that say where fixtures come from: a recording's source, or how we wrote them.
const SOURCES: [&str; 2] = ["README.md", "SOURCE.md"];

/// What keys begin with, and how many characters of a token must follow for it to be one.
const KEYS: [(&str, usize); 8] = [
    ("AIza", 30),
    ("AKIA", 16),
    ("EAA", 60),
    ("ghp_", 30),
    ("github_pat_", 30),
    ("sk-", 20),
    ("xapp-", 20),
    ("xoxb-", 20),
];

/// Domains that belong to nobody (RFC 2606 and RFC 6761), and the ones that name software.
const DOMAINS_OF_NOBODY: [&str; 7] =
    ["example", "example.com", "example.net", "example.org", "invalid", "localhost", "test"];

/// The digits of a telephone number with its country, from the shortest in use to the longest.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 10..=15;

/// Fails when a fixture has no source, or holds what looks like a key, an address or a number.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let files = all_files(&repo.root.join(FOLDER))?;
    let mut wrong = Vec::new();
    for file in &files {
        let shown = file.strip_prefix(&repo.root).unwrap_or(file).display();
        if !has_source(file, &repo.root) {
            wrong.push(format!("{shown}: no SOURCE.md beside it or above it"));
        }
        let bytes = fs::read(file)?;
        let Ok(text) = str::from_utf8(&bytes) else { continue };
        for (index, line) in text.lines().enumerate() {
            wrong.extend(leaks(line).map(|what| format!("{shown}:{}: {what}", index + 1)));
        }
    }
    if !wrong.is_empty() {
        bail!("fixtures that cannot stay as they are:\n  {}", wrong.join("\n  "));
    }
    say::line(&format!("{} fixtures have a source and hold no key and no person", files.len()));
    Ok(())
}

fn all_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    if !folder.is_dir() {
        return Ok(files);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(all_files(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn has_source(file: &Path, root: &Path) -> bool {
    let is_said = |folder: &Path| SOURCES.iter().any(|page| folder.join(page).is_file());
    file.ancestors().skip(1).take_while(|folder| *folder != root).any(is_said)
}

/// What in a line looks like a key or like somebody's address.
fn leaks(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|character: char| {
        !(character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.' | '@' | '+'))
    });
    words.filter_map(|word| {
        if let Some((prefix, _)) = KEYS.iter().find(|(prefix, least)| is_key(word, prefix, *least))
        {
            return Some(format!("looks like a key ({prefix}…)"));
        }
        if is_address(word) {
            return Some(format!("looks like somebody's address ({word})"));
        }
        is_phone(word).then(|| format!("looks like a telephone number ({word})"))
    })
}

fn is_key(word: &str, prefix: &str, least: usize) -> bool {
    let Some(rest) = word.strip_prefix(prefix) else { return false };
    // A key is random: words with digits, not a long name with dashes.
    rest.len() >= least && rest.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_address(word: &str) -> bool {
    let word = word.trim_matches(['.', '-', '_', '+']);
    let Some((name, domain)) = word.split_once('@') else { return false };
    let of_nobody = DOMAINS_OF_NOBODY.iter().any(|nobody| {
        domain.strip_suffix(nobody).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    !name.is_empty() && domain.contains('.') && !of_nobody
}

fn is_phone(word: &str) -> bool {
    let Some(digits) = word.strip_prefix('+') else { return false };
    // 555 is the exchange of fiction.
    let is_fiction = digits.contains("555");
    digits.bytes().all(|byte| byte.is_ascii_digit())
        && PHONE_DIGITS.contains(&digits.len())
        && !is_fiction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_leaks_is_named() {
        let key = format!("sk-{}", "a1".repeat(12));
        let cases = [
            (format!(r#"{{"key":"{key}"}}"#), true),
            (r#"{"key":"sk-test"}"#.to_owned(), false),
            ("sk-a-long-name-without-any-number".to_owned(), false),
            ("write to ana@panaderia.co today".to_owned(), true),
            ("write to ana@example.com, or @ana".to_owned(), false),
            ("ana@mail.example".to_owned(), false),
            ("call +573001234567".to_owned(), true),
            ("call +15550001111".to_owned(), false),
            ("at 2026-01-05T12:00:00+00:00".to_owned(), false),
        ];
        for (line, expected) in cases {
            assert_eq!(leaks(&line).next().is_some(), expected, "{line}");
        }
    }

    #[test]
    fn a_fixture_has_its_source_beside_or_above_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("fixtures/llm/openai")).unwrap();
        let file = root.join("fixtures/llm/openai/reply.json");
        fs::write(&file, "{}").unwrap();
        let repo = Repo { root: root.to_owned() };
        let error = check(&repo).unwrap_err().to_string();
        assert!(error.contains("fixtures/llm/openai/reply.json: no SOURCE.md"), "{error}");
        fs::write(root.join("fixtures/llm/SOURCE.md"), "Recorded.").unwrap();
        check(&repo).unwrap();
    }
}
