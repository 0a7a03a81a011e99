//! Reading a word list and building its tables.

use std::collections::{BTreeMap, BTreeSet};

use super::{Classes, Lexicon, NO_WORD, Node, NodeId, squeeze};
use crate::message::Message;
use crate::pattern;

/// Phrases of up to this many words are also read when they are typed as one word.
const JOINED_WORDS_MAX: usize = 3;

/// A joined phrase shorter than this could be another word.
const JOINED_LETTERS: std::ops::RangeInclusive<usize> = 6..=16;

/// The kinds of phrase that are also read joined; a joined trap would be an unknown word anyway.
const JOINED: Classes = Classes::YES
    .or(Classes::NO)
    .or(Classes::CANCEL)
    .or(Classes::REFUSE)
    .or(Classes::YES_WITH)
    .or(Classes::NO_WITH)
    .or(Classes::WITH);

/// A list as it is written: phrases with their kinds, and the words whose misspellings are read.
#[derive(Default)]
struct List {
    /// Each word with its number, in the order in which they were met.
    words: BTreeMap<String, u16>,
    /// The same words, by number.
    names: Vec<String>,
    /// The words of each part of a phrase between blanks; parts come again and again.
    parts: BTreeMap<String, Option<Vec<u16>>>,
    phrases: Vec<(Vec<u16>, Classes)>,
    misspelled: BTreeSet<u16>,
    complaints: Vec<String>,
}

/// Builds the tables of a list. A line that cannot be read is left out; a test sees to it that
/// there is none.
pub(super) fn build(source: &str) -> Lexicon {
    let list = List::read(source);
    let words: Vec<Box<str>> = list.words.keys().map(|word| Box::from(word.as_str())).collect();
    // From the order in which the words were met to that of the alphabet.
    let mut places = vec![NO_WORD; words.len()];
    for (place, met) in (0..).zip(list.words.values()) {
        if let Some(slot) = places.get_mut(usize::from(*met)) {
            *slot = place;
        }
    }
    let place = |met: u16| places.get(usize::from(met)).copied().unwrap_or(NO_WORD);
    let number = |word: &str| list.words.get(word).map_or(NO_WORD, |met| place(*met));
    let mut lexicon = Lexicon {
        corners: corners(&words),
        unaccented: words.iter().map(|word| number(&format!("'{word}"))).collect(),
        squeezed: squeezed(&words),
        misspelled: list.misspelled.iter().map(|met| place(*met)).collect(),
        roots: vec![0; words.len()],
        // Node 0 stands for none.
        nodes: vec![Node { classes: Classes::NONE, edges_start: 0, edges_end: 0 }],
        edges: Vec::new(),
        words,
    };
    let mut phrases = list.phrases;
    for (phrase, _) in &mut phrases {
        for word in phrase {
            *word = place(*word);
        }
    }
    phrases.sort_by(|(one, _), (other, _)| one.cmp(other));
    phrases.dedup_by(|later, earlier| {
        let is_same = later.0 == earlier.0;
        if is_same {
            earlier.1 |= later.1;
        }
        is_same
    });
    for (word, node) in lexicon.branches(&phrases, 0) {
        if let Some(root) = lexicon.roots.get_mut(usize::from(word)) {
            *root = node;
        }
    }
    lexicon
}

/// Returns what is wrong with a list, line by line.
#[cfg(test)]
pub(super) fn complaints(source: &str) -> Vec<String> {
    List::read(source).complaints
}

impl Lexicon {
    /// Adds the nodes for phrases in order that agree in the words before `depth`, and returns
    /// their edges.
    fn branches(&mut self, phrases: &[(Vec<u16>, Classes)], depth: usize) -> Vec<(u16, NodeId)> {
        let longer = phrases.iter().filter(|(phrase, _)| phrase.len() > depth).count();
        let longer = phrases.get(phrases.len() - longer..).unwrap_or_default();
        let mut edges = Vec::new();
        for group in longer.chunk_by(|(one, _), (other, _)| one.get(depth) == other.get(depth)) {
            let Some((phrase, classes)) = group.first() else { continue };
            let Some(&word) = phrase.get(depth) else { continue };
            // Shorter phrases sort before longer ones, so the one that ends here comes first.
            let ends = phrase.len() == depth + 1;
            let classes = if ends { *classes } else { Classes::NONE };
            let inner = self.branches(group, depth + 1);
            let edges_start = self.edges.len();
            self.edges.extend(inner);
            let (Ok(edges_start), Ok(edges_end), Ok(node)) = (
                u32::try_from(edges_start),
                u32::try_from(self.edges.len()),
                u32::try_from(self.nodes.len()),
            ) else {
                continue;
            };
            self.nodes.push(Node { classes, edges_start, edges_end });
            edges.push((word, node));
        }
        edges
    }
}

impl List {
    fn read(source: &str) -> List {
        let mut list = List::default();
        let mut heading = None;
        for line in source.lines().map(str::trim) {
            if line.is_empty() || line.starts_with("# ") || line == "#" {
                continue;
            }
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                heading = Some(name);
                if name != "misspelled" && Classes::of_heading(name).is_none() {
                    list.complaints.push(format!("no such heading: {line}"));
                }
                continue;
            }
            if !pattern::is_balanced(line) && !line.contains(":)") && !line.contains(":(") {
                list.complaints.push(format!("unbalanced: {line}"));
                continue;
            }
            // An emoticon is no group.
            let phrases = if line.starts_with(':') {
                line.split(" | ").map(str::to_owned).collect()
            } else {
                pattern::expand(line)
            };
            for phrase in phrases {
                match (heading, heading.and_then(Classes::of_heading)) {
                    (_, Some(classes)) => list.add(&phrase, classes),
                    (Some("misspelled"), None) => list.add_misspelled(&phrase),
                    _ => list.complaints.push(format!("under no heading: {line}")),
                }
            }
        }
        list
    }

    fn add(&mut self, phrase: &str, mut classes: Classes) {
        let is_tight = classes == Classes::TRAP && phrase.contains('+');
        if is_tight {
            classes = Classes::TRAP_TIGHT;
        }
        let Some(words) = self.numbers(phrase, is_tight) else {
            self.complaints.push(format!("cannot be read: {phrase}"));
            return;
        };
        if classes.meets(JOINED) && (2..=JOINED_WORDS_MAX).contains(&words.len()) {
            let names = words.iter().filter_map(|word| self.names.get(usize::from(*word)));
            let joined: String = names.map(String::as_str).collect();
            if JOINED_LETTERS.contains(&joined.len())
                && joined.bytes().all(|byte| byte.is_ascii_lowercase())
            {
                let number = self.number(joined);
                self.phrases.push((vec![number], classes));
            }
        }
        self.phrases.push((words, classes));
    }

    fn add_misspelled(&mut self, word: &str) {
        match self.numbers(word, false).as_deref() {
            Some([word]) => {
                self.misspelled.insert(*word);
            }
            _ => self.complaints.push(format!("not one word: {word}")),
        }
    }

    /// Returns the words of a phrase; `'si` is `si` typed without an accent.
    fn numbers(&mut self, phrase: &str, is_tight: bool) -> Option<Vec<u16>> {
        let mut numbers = Vec::new();
        for part in phrase.split(|letter: char| letter == ' ' || (is_tight && letter == '+')) {
            if part.is_empty() {
                continue;
            }
            if !self.parts.contains_key(part) {
                let words = fold(part);
                let words = words.map(|words| words.into_iter().map(|word| self.number(word)));
                let words = words.map(Iterator::collect);
                self.parts.insert(part.to_owned(), words);
            }
            numbers.extend(self.parts.get(part)?.as_ref()?);
        }
        (!numbers.is_empty()).then_some(numbers)
    }

    /// Returns the number of a word, a new one when it was not met before.
    fn number(&mut self, word: String) -> u16 {
        if let Some(number) = self.words.get(&word) {
            return *number;
        }
        let number = u16::try_from(self.words.len()).unwrap_or(NO_WORD);
        self.names.push(word.clone());
        self.words.insert(word, number);
        number
    }
}

/// Returns the folded words of a part of a phrase, or `None` when it cannot be read.
fn fold(part: &str) -> Option<Vec<String>> {
    let (prefix, part) = match part.strip_prefix('\'') {
        Some(rest) => ("'", rest),
        None => ("", part),
    };
    let message = Message::parse(part)?;
    Some((0..message.len()).map(|index| format!("{prefix}{}", message.word(index))).collect())
}

fn corners(words: &[Box<str>]) -> Box<[u16; 257]> {
    let mut corners = Box::new([0; 257]);
    for (byte, corner) in corners.iter_mut().enumerate() {
        let before =
            words.partition_point(|word| word.bytes().next().map_or(0, usize::from) < byte);
        *corner = u16::try_from(before).unwrap_or(u16::MAX);
    }
    corners
}

fn squeezed(words: &[Box<str>]) -> Vec<(Box<str>, u16)> {
    let mut squeezed: Vec<(Box<str>, u16)> = words
        .iter()
        .enumerate()
        .filter_map(|(index, word)| Some((Box::from(squeeze(word)), u16::try_from(index).ok()?)))
        .collect();
    squeezed.sort();
    squeezed
}
