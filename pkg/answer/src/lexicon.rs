//! The word lists, as tables that are quick to search.
//!
//! Owns how a list is written (see `data/README.md`) and how a word of a message finds the words
//! of a list: as it stands, stretched (`siiii`), or misspelled where the list allows it. Each list
//! is read once, when it is first needed, and kept.

mod build;
pub(crate) mod classes;

use std::sync::OnceLock;

use self::classes::Classes;
use crate::language::Language;
use crate::misspelling;

/// How many words of one list a word of a message can stand for.
pub(crate) const CANDIDATES_MAX: usize = 3;

/// The words of a list that a word of a message can stand for; [`NO_WORD`] fills the rest.
pub(crate) type Candidates = [u16; CANDIDATES_MAX];

/// The number of no word.
pub(crate) const NO_WORD: u16 = u16::MAX;

/// A place in the tree of phrases.
pub(crate) type NodeId = u32;

/// One list: its words by number, and its phrases as a tree over those numbers.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// All words in order; the index is the number.
    words: Vec<Box<str>>,
    /// The first word of each first byte, so that a search starts in the right corner.
    corners: Box<[u16; 257]>,
    /// For each word, the number of the same word as it must be typed without an accent.
    unaccented: Vec<u16>,
    /// The words with each run of a letter drawn together, in order.
    squeezed: Vec<(Box<str>, u16)>,
    /// The words whose misspellings are read.
    misspelled: Vec<u16>,
    /// The node of each first word of a phrase; 0 for none.
    roots: Vec<NodeId>,
    nodes: Vec<Node>,
    edges: Vec<(u16, NodeId)>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    classes: Classes,
    edges_start: u32,
    edges_end: u32,
}

static SIGNS: OnceLock<Lexicon> = OnceLock::new();
static LANGUAGES: [OnceLock<Lexicon>; Language::ALL.len()] =
    [const { OnceLock::new() }; Language::ALL.len()];
static EMPTY: OnceLock<Lexicon> = OnceLock::new();

impl Lexicon {
    /// Returns the list of emoji, emoticons and numbers, which every language shares.
    pub(crate) fn signs() -> &'static Lexicon {
        SIGNS.get_or_init(|| build::build(include_str!("../data/signs.txt")))
    }

    /// Returns the list of a language.
    pub(crate) fn of(language: Language) -> &'static Lexicon {
        let built = || build::build(source(language));
        // The index is in range as `ALL` has every language; an empty list would answer nothing.
        match LANGUAGES.get(language as usize) {
            Some(lexicon) => lexicon.get_or_init(built),
            None => EMPTY.get_or_init(|| build::build("")),
        }
    }

    /// Returns the words that a word of a message can stand for.
    pub(crate) fn candidates(&self, word: &str, accented: bool) -> Candidates {
        let mut found = Found::default();
        if let Some(number) = self.number(word) {
            found.add(number);
            if !accented {
                found.add(self.unaccented.get(usize::from(number)).copied().unwrap_or(NO_WORD));
            }
        }
        if has_run(word) {
            self.stretched(word, &mut found);
        }
        if found.count == 0
            && let Some(number) = self.misspelled.iter().find(|number| {
                self.words
                    .get(usize::from(**number))
                    .is_some_and(|right| misspelling::is_misspelling(word, right))
            })
        {
            found.add(*number);
        }
        found.numbers
    }

    /// Returns the node of phrases that begin with a word.
    pub(crate) fn root(&self, word: u16) -> Option<NodeId> {
        self.roots.get(usize::from(word)).copied().filter(|node| *node != 0)
    }

    /// Returns the node of phrases that go on with a word.
    pub(crate) fn next(&self, node: NodeId, word: u16) -> Option<NodeId> {
        let node = self.nodes.get(index(node))?;
        let edges = self.edges.get(index(node.edges_start)..index(node.edges_end))?;
        let found = edges.binary_search_by_key(&word, |(number, _)| *number).ok()?;
        edges.get(found).map(|(_, next)| *next)
    }

    /// Returns what the phrase that ends at a node is.
    pub(crate) fn classes(&self, node: NodeId) -> Classes {
        self.nodes.get(index(node)).map_or(Classes::NONE, |node| node.classes)
    }

    fn number(&self, word: &str) -> Option<u16> {
        let first = usize::from(*word.as_bytes().first()?);
        let start = usize::from(*self.corners.get(first)?);
        let end = usize::from(*self.corners.get(first + 1)?);
        let corner = self.words.get(start..end)?;
        let found = corner.binary_search_by(|known| (**known).cmp(word)).ok()?;
        u16::try_from(start + found).ok()
    }

    /// Adds the words that a word is a stretch of. Nobody stretches an "if", so the unaccented ones
    /// are left out.
    fn stretched(&self, word: &str, found: &mut Found) {
        let squeezed = squeeze(word);
        let start = self.squeezed.partition_point(|(known, _)| **known < *squeezed);
        let same = self.squeezed.iter().skip(start).take_while(|(known, _)| **known == *squeezed);
        for &(_, number) in same {
            let Some(known) = self.words.get(usize::from(number)) else { continue };
            if is_stretch(word, known) {
                found.add(number);
            }
        }
    }
}

fn source(language: Language) -> &'static str {
    match language {
        Language::Es => include_str!("../data/es.txt"),
        Language::En => include_str!("../data/en.txt"),
        Language::Pt => include_str!("../data/pt.txt"),
        Language::Fr => include_str!("../data/fr.txt"),
        Language::It => include_str!("../data/it.txt"),
        Language::De => include_str!("../data/de.txt"),
        Language::Ca => include_str!("../data/ca.txt"),
        Language::Nl => include_str!("../data/nl.txt"),
        Language::Pl => include_str!("../data/pl.txt"),
        Language::Tr => include_str!("../data/tr.txt"),
        Language::Ja => include_str!("../data/ja.txt"),
        Language::Zh => include_str!("../data/zh.txt"),
        Language::Ar => include_str!("../data/ar.txt"),
    }
}

/// Numbers never reach four billion, so that nothing is lost on any machine.
fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Candidates while they are gathered.
struct Found {
    numbers: Candidates,
    count: usize,
}

impl Default for Found {
    fn default() -> Self {
        Found { numbers: [NO_WORD; CANDIDATES_MAX], count: 0 }
    }
}

impl Found {
    /// Adds a word; one that is there already, and one too many, are left out.
    fn add(&mut self, number: u16) {
        if number == NO_WORD || self.numbers.contains(&number) {
            return;
        }
        if let Some(place) = self.numbers.get_mut(self.count) {
            *place = number;
            self.count += 1;
        }
    }
}

fn has_run(word: &str) -> bool {
    word.as_bytes().windows(2).any(|pair| pair[0] == pair[1])
}

/// Draws each run of a letter together: `siiii` and `sii` are `si`.
fn squeeze(word: &str) -> String {
    let mut squeezed = String::with_capacity(word.len());
    let mut last = None;
    for letter in word.chars() {
        if last != Some(letter) {
            squeezed.push(letter);
            last = Some(letter);
        }
    }
    squeezed
}

/// Returns whether a word is another one with some letters held longer. A single letter cannot be
/// held: `kkkk` is a laugh.
fn is_stretch(word: &str, known: &str) -> bool {
    let mut longer = word.chars().peekable();
    let mut shorter = known.chars().peekable();
    if known.chars().nth(1).is_none() {
        return false;
    }
    while let Some(letter) = shorter.next() {
        let mut due = 1;
        while shorter.next_if_eq(&letter).is_some() {
            due += 1;
        }
        let mut had = 0;
        while longer.next_if_eq(&letter).is_some() {
            had += 1;
        }
        if had < due {
            return false;
        }
    }
    longer.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stretched_word_is_the_word_with_letters_held_longer() {
        let cases = [
            ("siiii", "si", true, "held at the end"),
            ("yeees", "yes", true, "held inside"),
            ("okkaay", "okay", true, "held twice"),
            ("pleease", "please", true, "held once"),
            ("god", "good", false, "shorter is another word"),
            ("noon", "no", false, "another letter after"),
            ("kkkk", "k", false, "a single letter is not held"),
            ("sin", "si", false, "another letter after"),
        ];
        for (word, known, expected, reason) in cases {
            assert_eq!(is_stretch(word, known), expected, "{word} of {known}: {reason}");
        }
    }

    #[test]
    fn every_list_is_well_formed() {
        let lists = Language::ALL.map(|language| (language.as_str(), source(language)));
        for (name, list) in lists.into_iter().chain([("signs", include_str!("../data/signs.txt"))])
        {
            assert_eq!(build::complaints(list), Vec::<String>::new(), "{name}.txt");
        }
    }
}
