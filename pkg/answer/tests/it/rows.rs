//! Rows of answers with the class they must get.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use manos_answer::{Answer, Asked, Language, Voice, read};
use serde::Deserialize;

/// One answer, as the files under `fixtures/answers/` hold it.
#[derive(Debug, Deserialize)]
struct Row {
    text: String,
    lang: String,
    channel: String,
    expect: String,
    /// Accepted too.
    also: Option<String>,
    /// The trap, or in the dialogues the kind of reply.
    kind: String,
    /// A numbered menu was shown.
    #[serde(default)]
    menu: bool,
}

impl Row {
    fn read(&self) -> Answer {
        let language = Language::from_tag(&self.lang).unwrap();
        let voice = (self.channel == "voice").then(Voice::default);
        let asked = Asked { languages: &[language], menu: self.menu, voice, cancels: false };
        read(&self.text, &asked)
    }

    fn accepts(&self, answer: Answer) -> bool {
        answer.as_str() == self.expect || Some(answer.as_str()) == self.also.as_deref()
    }
}

const ANSWERS: &str = include_str!("../../../../fixtures/answers/answers.jsonl");
const DIALOGUES: &str = include_str!("../../../../fixtures/answers/dialogues.jsonl");
const OWN: &str = include_str!("../../../../fixtures/answers/own.jsonl");

fn rows(text: &str) -> Vec<Row> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// How many rows of a group there are, and how many were read as they must.
#[derive(Default)]
struct Count {
    all: usize,
    right: usize,
}

/// What came of a file of rows.
struct Report {
    /// An answer that runs what nobody clearly wanted, or the opposite of what was said.
    wrong: Vec<String>,
    /// A clear answer that was not recognised, or an unclear one read as a no.
    missed: Vec<String>,
    /// Clear answers by language.
    clear: BTreeMap<String, Count>,
}

fn report(rows: &[Row]) -> Report {
    let mut report = Report { wrong: Vec::new(), missed: Vec::new(), clear: BTreeMap::new() };
    for row in rows {
        let answer = row.read();
        let is_right = row.accepts(answer);
        let got = answer.as_str();
        let line = format!("{} {} -> {got} [{}] {:?}", row.lang, row.expect, row.kind, row.text);
        let is_wrong = match answer {
            Answer::Yes => !is_right,
            Answer::No => !is_right && row.expect == "yes",
            Answer::Other => false,
        };
        if is_wrong {
            report.wrong.push(line);
        } else if !is_right {
            report.missed.push(line);
        }
        if row.expect != "other" {
            for group in [row.lang.as_str(), "all"] {
                let count = report.clear.entry(group.to_owned()).or_default();
                count.all += 1;
                count.right += usize::from(is_right);
            }
        }
    }
    report
}

impl Report {
    fn to_text(&self) -> String {
        let mut text = String::from("\nwrong:\n");
        self.wrong.iter().for_each(|line| writeln!(text, "  {line}").unwrap());
        text.push_str("missed:\n");
        self.missed.iter().for_each(|line| writeln!(text, "  {line}").unwrap());
        for (language, count) in &self.clear {
            writeln!(text, "{language}: {} of {}", count.right, count.all).unwrap();
        }
        text
    }
}

impl Report {
    /// Fails unless nothing is wrong, and enough clear answers are recognised: 98 % of all, and
    /// 95 % in each language whose texts are ours.
    fn hold(&self) {
        assert_eq!(self.wrong, Vec::<String>::new(), "{}", self.to_text());
        let floors = [("all", 98)].into_iter();
        let ours = ["es", "en", "pt", "fr", "it", "de", "ca"].map(|language| (language, 95));
        for (group, floor) in floors.chain(ours) {
            let count = &self.clear[group];
            assert!(count.right * 100 >= count.all * floor, "{group}: {}", self.to_text());
        }
    }
}

#[test]
fn the_rows_are_read_as_they_must() {
    let rows = rows(ANSWERS);
    assert!(rows.len() > 1_400);
    report(&rows).hold();
}

#[test]
fn further_rows_of_the_same_kinds_are_read_as_they_must() {
    let rows = rows(OWN);
    assert!(rows.len() > 2_400);
    report(&rows).hold();
}

/// Whole sentences, as people write them to an assistant: whatever asks for more or for something
/// else never runs, and no consent is read as a no.
#[test]
fn sentences_from_dialogues_run_nothing_that_they_do_not_say() {
    let mut recognised = Count::default();
    for row in rows(DIALOGUES) {
        let answer = row.read();
        let fits = match row.kind.as_str() {
            "affirm" | "praise" => answer != Answer::No,
            "affirm+request" => answer == Answer::Other,
            "change" => answer != Answer::Yes,
            kind => panic!("no kind {kind}"),
        };
        assert!(fits, "{} [{}] -> {}", row.text, row.kind, answer.as_str());
        if row.kind == "affirm" {
            recognised.all += 1;
            recognised.right += usize::from(answer == Answer::Yes);
        }
    }
    let Count { all, right } = recognised;
    assert!(right * 100 >= all * 80, "{right} of {all}");
}

/// The rows with a menu are read with it; without it a number answers nothing.
#[test]
fn a_number_answers_only_where_a_menu_was_shown() {
    let rows: Vec<Row> = rows(ANSWERS).into_iter().filter(|row| row.menu).collect();
    assert!(!rows.is_empty());
    for mut row in rows {
        row.menu = false;
        assert_eq!(row.read(), Answer::Other, "{}", row.text);
    }
}

/// Reads a file outside the repository and always fails, to show what came of it:
/// `ANSWERS=path cargo test -p manos-answer -- --ignored elsewhere`.
#[test]
#[ignore = "needs a file named in ANSWERS"]
#[expect(clippy::disallowed_methods, reason = "a tool for people, not a test of the package")]
fn rows_elsewhere_are_reported() {
    let path = std::env::var("ANSWERS").unwrap();
    let rows = rows(&std::fs::read_to_string(path).unwrap());
    panic!("{}", report(&rows).to_text());
}
