//! Words that stand nowhere in the project: paths of one machine, and hosts that a mirror replaces.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::cargo;
use crate::repo::Repo;

/// Each word in two parts, so that this file does not hold it.
const WORDS: [(&str, &str, &str); 6] = [
    ("/wo", "rk/", "a path of one machine"),
    ("/tmp/br", "ief", "a path of one machine"),
    ("/ro", "ot/", "a path of one machine"),
    ("crates", ".io", "a registry's host: say what is installed, not from where"),
    ("py", "pi.org", "a registry's host: say what is installed, not from where"),
    ("np", "mjs.", "a registry's host: say what is installed, not from where"),
];

/// Files that other tools write and that have to hold such words.
const LEFT_OUT: [&str; 1] = ["Cargo.lock"];

/// One complaint per line of a committed text file that holds one of the words.
pub(super) fn check(repo: &Repo) -> Result<Vec<String>> {
    let output = cargo::command(repo, "git")
        .args(["ls-files", "-z"])
        .output()
        .context("git did not start, so the files of the project are not known")?;
    if !output.status.success() {
        bail!("`git ls-files` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let listed = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    let mut wrong = Vec::new();
    for file in listed.split('\0').filter(|file| !file.is_empty() && !LEFT_OUT.contains(file)) {
        let Ok(bytes) = fs::read(repo.root.join(file)) else { continue };
        let Ok(text) = String::from_utf8(bytes) else { continue };
        wrong.extend(complaints(file, &text));
    }
    Ok(wrong)
}

fn complaints(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (head, tail, why) in WORDS {
        let word = format!("{head}{tail}");
        for (index, line) in text.lines().enumerate() {
            if line.contains(&word) {
                found.push(format!("{file}:{}: holds \"{word}\": {why}", index + 1));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_found_where_it_stands() {
        for (head, tail, why) in WORDS {
            let text = format!("fine\nsee {head}{tail}x\n");
            let found = complaints("a.md", &text);
            assert_eq!(found, [format!("a.md:2: holds \"{head}{tail}\": {why}")]);
        }
        assert_eq!(complaints("a.md", "the work/life balance of a crate"), Vec::<String>::new());
    }
}
