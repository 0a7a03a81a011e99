//! `docs/features.md`: one line per feature the product answers for, with the proof; and in the same
//! form `docs/field-reports.md`: one line per report of what went wrong elsewhere.
//!
//! A row is `| id | answer | proof |`. The answer is `yes`, `not yet`, or `differs: why`. A proof is
//! a list of code spans: a test as `package::path::name`, or a file from the root. `yes` needs one,
//! and every proof that is named must exist, whatever the answer.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use crate::repo::Repo;
use crate::say;

const FEATURES: &str = "docs/features.md";
const REPORTS: &str = "docs/field-reports.md";

/// The three lists of features and how many each has.
const LISTS: [(char, u16); 3] = [('A', 241), ('B', 65), ('C', 140)];

/// The kinds of reports and the numbers of each.
const REPORT_KINDS: [(char, &[u16]); 7] = [
    ('A', &[1, 2, 4, 6, 8, 10, 12]),
    ('B', &[16, 18, 20, 22, 24, 26, 28, 30]),
    ('C', &[32, 34, 36, 38, 40, 42, 44, 46, 48, 50]),
    ('D', &[52, 54, 56, 58, 60, 62, 64, 66, 68]),
    ('E', &[70, 71, 73, 75, 77, 79, 81, 83, 85, 87, 89, 91, 93, 95]),
    ('F', &[98, 100, 102, 104, 107, 109, 111, 112, 114]),
    ('G', &[116, 118, 120, 122, 124, 126, 128, 130, 132]),
];

/// Fails when a row is missing, given twice, unreadable, or names a proof that does not exist.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let sources = Sources::read(repo)?;
    for (file, what, due) in
        [(FEATURES, "features", ids().collect()), (REPORTS, "field reports", report_ids())]
    {
        let page = Page::read(&repo.read(file)?);
        let wrong = page.wrong(&due, |proof| sources.has(repo, proof));
        if !wrong.is_empty() {
            bail!("{file} does not hold:\n  {}", wrong.join("\n  "));
        }
        say::line(&page.summary(what));
    }
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    Differs(String),
    NotYet,
    Yes,
}

#[derive(Debug)]
struct Row {
    id: String,
    answer: Answer,
    proofs: Vec<String>,
}

/// The table as it was read, and what could not be.
#[derive(Debug, Default)]
struct Page {
    rows: Vec<Row>,
    unreadable: Vec<String>,
}

impl Page {
    fn read(text: &str) -> Self {
        let mut page = Self::default();
        for line in text.lines().filter(|line| is_row(line)) {
            match read_row(line) {
                Some(row) => page.rows.push(row),
                None => page.unreadable.push(line.to_owned()),
            }
        }
        page
    }

    fn wrong(&self, due: &BTreeSet<String>, proves: impl Fn(&str) -> bool) -> Vec<String> {
        let mut wrong: Vec<String> = self
            .unreadable
            .iter()
            .map(|line| format!("not `| id | answer | proof |`: {line}"))
            .collect();
        let mut seen = BTreeSet::new();
        for row in &self.rows {
            let id = &row.id;
            if !seen.insert(id.as_str()) {
                wrong.push(format!("{id} is given twice"));
            }
            if row.answer == Answer::Yes && row.proofs.is_empty() {
                wrong.push(format!("{id} says yes and names no proof"));
            }
            if row.answer == Answer::Differs(String::new()) {
                wrong.push(format!("{id} differs and does not say why"));
            }
            for proof in row.proofs.iter().filter(|proof| !proves(proof)) {
                wrong.push(format!("{id} names `{proof}`, which does not exist"));
            }
        }
        wrong.extend(
            due.iter()
                .filter(|id| !seen.contains(id.as_str()))
                .map(|id| format!("{id} is missing")),
        );
        wrong.extend(
            seen.iter()
                .filter(|id| !due.contains(**id))
                .map(|id| format!("{id} is no id of this page")),
        );
        wrong
    }

    fn summary(&self, what: &str) -> String {
        let count =
            |fits: fn(&Answer) -> bool| self.rows.iter().filter(|row| fits(&row.answer)).count();
        format!(
            "{} {what}: {} yes, {} differ, {} not yet",
            self.rows.len(),
            count(|answer| *answer == Answer::Yes),
            count(|answer| matches!(answer, Answer::Differs(_))),
            count(|answer| *answer == Answer::NotYet),
        )
    }
}

fn ids() -> impl Iterator<Item = String> {
    LISTS
        .into_iter()
        .flat_map(|(list, count)| (1..=count).map(move |number| format!("{list}{number}")))
}

fn report_ids() -> BTreeSet<String> {
    let ids = |(kind, numbers): &(char, &[u16])| -> Vec<String> {
        numbers.iter().map(|number| format!("{kind}{number}")).collect()
    };
    REPORT_KINDS.iter().flat_map(ids).collect()
}

/// A line whose first cell looks like an id.
fn is_row(line: &str) -> bool {
    let Some(first) = line.trim().strip_prefix('|').and_then(|rest| rest.split('|').next()) else {
        return false;
    };
    let mut characters = first.trim().chars();
    characters.next().is_some_and(|letter| letter.is_ascii_uppercase())
        && characters.next().is_some_and(|digit| digit.is_ascii_digit())
}

fn read_row(line: &str) -> Option<Row> {
    let cells = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<&str> = cells.split(" |").map(|cell| cell.trim_matches(['|', ' '])).collect();
    let [id, answer, proof] = cells.as_slice() else { return None };
    let answer = match *answer {
        "yes" => Answer::Yes,
        "not yet" => Answer::NotYet,
        other => Answer::Differs(other.strip_prefix("differs:")?.trim().to_owned()),
    };
    let proofs = proof.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    Some(Row { id: (*id).to_owned(), answer, proofs })
}

/// The test functions of each package.
#[derive(Debug)]
struct Sources {
    /// Package name to the functions in its sources that can be a test.
    tests: BTreeMap<String, BTreeSet<String>>,
}

impl Sources {
    fn read(repo: &Repo) -> Result<Self> {
        let mut tests = BTreeMap::new();
        for manifest in repo.files("", "toml")? {
            if manifest.file_name().is_none_or(|name| name != "Cargo.toml") {
                continue;
            }
            let text = repo.read(&manifest.to_string_lossy())?;
            let Some(name) = package_name(&text) else { continue };
            let folder = manifest.parent().map(|folder| folder.to_string_lossy().into_owned());
            let mut found = BTreeSet::new();
            for file in repo.files(&folder.unwrap_or_default(), "rs")? {
                found.extend(test_names(&repo.read(&file.to_string_lossy())?));
            }
            tests.insert(name, found);
        }
        Ok(Self { tests })
    }

    /// Whether a proof exists: a test of a package of ours, or a file of the checkout.
    fn has(&self, repo: &Repo, proof: &str) -> bool {
        match proof.split_once("::") {
            Some((package, path)) => {
                let name = path.rsplit("::").next().unwrap_or(path);
                self.tests.get(package).is_some_and(|tests| tests.contains(name))
            }
            None => repo.root.join(proof.split('#').next().unwrap_or(proof)).exists(),
        }
    }
}

fn package_name(manifest: &str) -> Option<String> {
    let (_, package) = manifest.split_once("[package]")?;
    let line = package.lines().find(|line| line.starts_with("name = "))?;
    Some(line.split('"').nth(1)?.to_owned())
}

/// The functions under a `#[test]`-like attribute, and the public ones of a contract suite, which
/// become tests where a macro names them.
fn test_names(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut under_attribute = false;
    let contract = source.contains("_contract!");
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            under_attribute |= line.contains("test]") || line.contains("test(");
        } else if let Some(name) = function_name(line) {
            if under_attribute || (contract && line.starts_with("pub ")) {
                names.insert(name.to_owned());
            }
            under_attribute = false;
        } else if !line.starts_with("//") && !line.is_empty() {
            under_attribute = false;
        }
    }
    names
}

fn function_name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_declaration = before.split_whitespace().all(|word| matches!(word, "pub" | "async"));
    let name = after.split(['(', '<']).next()?;
    is_declaration.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(change: impl Fn(&str) -> Option<String>) -> Vec<String> {
        let rows: Vec<String> = ids()
            .filter_map(|id| change(&id).or_else(|| Some(format!("| {id} | not yet | |"))))
            .collect();
        let text = format!(
            "# Features\n\n| id | answer | proof |\n| --- | --- | --- |\n{}",
            rows.join("\n")
        );
        Page::read(&text).wrong(&ids().collect(), |proof| {
            proof == "manos-engine::turn::a_test" || proof == "README.md"
        })
    }

    #[test]
    fn a_page_with_a_row_for_each_id_holds() {
        assert_eq!(page(|_| None), Vec::<String>::new());
        assert_eq!(ids().count(), 446);
    }

    #[test]
    fn each_way_to_be_wrong_is_named() {
        let cases = [
            ("| A7 | yes | |", "A7 says yes and names no proof"),
            (
                "| A7 | yes | `manos-engine::turn::gone` |",
                "A7 names `manos-engine::turn::gone`, which does not exist",
            ),
            ("| A7 | differs: | |", "A7 differs and does not say why"),
            (
                "| A7 | differs: we ask first | `gone.md` |",
                "A7 names `gone.md`, which does not exist",
            ),
            ("| A6 | not yet | |", "A6 is given twice"),
            ("| A242 | not yet | |", "A242 is no id of this page"),
            ("| A7 | maybe | |", "not `| id | answer | proof |`: | A7 | maybe | |"),
            ("| A7 | yes |", "not `| id | answer | proof |`: | A7 | yes |"),
            ("", "A7 is missing"),
        ];
        for (row, expected) in cases {
            let wrong = page(|id| (id == "A7").then(|| row.to_owned()));
            assert!(wrong.iter().any(|found| found == expected), "{row}: {wrong:?}");
        }
    }

    #[test]
    fn a_yes_with_its_proofs_holds() {
        for row in [
            "| A7 | yes | `manos-engine::turn::a_test` |",
            "| A7 | yes | `manos-engine::turn::a_test`, `README.md` |",
            "| A7 | differs: we ask first | |",
        ] {
            assert_eq!(
                page(|id| (id == "A7").then(|| row.to_owned())),
                Vec::<String>::new(),
                "{row}"
            );
        }
    }

    #[test]
    fn only_functions_under_a_test_attribute_are_tests() {
        let source = "
            #[test]
            fn plain() {}
            #[tokio::test(start_paused = true)]
            #[expect(clippy::panic, reason = \"x\")]
            async fn with_a_runtime() {}
            fn helper() {}
            #[derive(Debug)]
            struct S;
            pub fn public() {}
        ";
        assert_eq!(
            test_names(source),
            BTreeSet::from(["plain".to_owned(), "with_a_runtime".to_owned()])
        );
    }
}
