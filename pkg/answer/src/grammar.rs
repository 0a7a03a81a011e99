//! The grammar of an answer: which phrases may stand together, and what they add up to.
//!
//! A message is a yes when it can be cut, without a rest, into phrases of the lists that are all on
//! the side of yes or on neither side, with at least one that is a yes by itself. The same for a
//! no. A message that can be read both ways is neither.

mod readings;

use self::readings::{Next, Readings};
use crate::asked::{Answer, Asked};
use crate::language::Language;
use crate::lexicon::classes::Classes;
use crate::lexicon::{Candidates, Lexicon, NO_WORD, NodeId};
use crate::message::{Gap, Message, WORDS_MAX};

/// The same word more often than this in a row is a recogniser that loops, or a joke.
pub const REPEATS_MAX: usize = 5;

/// English, signs, and each language once.
const LEXICONS_MAX: usize = Language::ALL.len() + 1;

/// Decides what a message says.
pub(crate) fn judge(message: &Message, asked: &Asked<'_>) -> Answer {
    if repeats(message) > REPEATS_MAX {
        return Answer::Other;
    }
    let lexicons = Lexicons::of(asked.languages);
    let Some(candidates) = candidates(message, &lexicons) else { return Answer::Other };
    let mut readings = [Readings::default(); WORDS_MAX + 1];
    readings[0] = Readings::START;
    // Where a "no" ends right before the next word: "no cancela" may be its opposite.
    let mut negated = 0_u64;
    for start in 0..message.len() {
        let mut hidden = 0;
        for (place, lexicon) in lexicons.iter().enumerate() {
            let walk = Walk { message, lexicon, candidates: &candidates[place * message.len()..] };
            let here = readings[start];
            let is_sound = walk.from(start, &mut |end, classes, is_crossed| {
                let is_last = end == message.len();
                let is_whole = start == 0 && is_last;
                if classes.meets(Classes::TRAP)
                    || (classes.meets(Classes::TRAP_TIGHT) && !is_crossed)
                    || (classes.meets(Classes::TRAP_WHOLE) && is_whole)
                {
                    return false;
                }
                let length_bit = 1_u64 << (end - start);
                if classes.meets(Classes::HIDE) {
                    hidden |= length_bit;
                }
                // English comes last, so that what another language hides is known by then.
                let is_hidden = place + 1 == lexicons.count && hidden & length_bit != 0;
                if !is_crossed && !is_hidden {
                    let gap = if is_last { Gap::Stop } else { message.gap(end) };
                    let next = Next { is_last, gap, is_negated: negated & (1 << start) != 0 };
                    // A cross or a thumb is no negation of what is typed beside it.
                    if place > 0 && classes.meets(Classes::NO) && gap == Gap::Blank {
                        negated |= 1 << end;
                    }
                    readings[end] = readings[end].union(here.followed_by(classes, next, asked));
                }
                true
            });
            if !is_sound {
                return Answer::Other;
            }
        }
    }
    readings[message.len()].answer()
}

/// Returns how often a word is said in a row, at most.
fn repeats(message: &Message) -> usize {
    let mut most = 1;
    let mut row = 1;
    for index in 1..message.len() {
        row = if message.word(index) == message.word(index - 1) { row + 1 } else { 1 };
        most = most.max(row);
    }
    most
}

/// Returns the candidates of each word in each list, list by list; `None` when a word is in none.
fn candidates(message: &Message, lexicons: &Lexicons) -> Option<Vec<Candidates>> {
    let words = message.len();
    let mut candidates = Vec::with_capacity(words * lexicons.count);
    let mut known = 0_u64;
    for lexicon in lexicons.iter() {
        for index in 0..words {
            let found = lexicon.candidates(message.word(index), message.is_accented(index));
            if found[0] != NO_WORD {
                known |= 1 << index;
            }
            candidates.push(found);
        }
    }
    (known.count_ones() as usize == words).then_some(candidates)
}

/// The lists to try: signs first, English last.
struct Lexicons {
    lists: [Option<&'static Lexicon>; LEXICONS_MAX],
    count: usize,
}

impl Lexicons {
    fn of(languages: &[Language]) -> Lexicons {
        let mut lexicons = Lexicons { lists: [None; LEXICONS_MAX], count: 0 };
        lexicons.add(Lexicon::signs());
        for (index, &language) in languages.iter().enumerate() {
            let is_new = languages.iter().take(index).all(|before| *before != language);
            if language != Language::En && is_new {
                lexicons.add(Lexicon::of(language));
            }
        }
        lexicons.add(Lexicon::of(Language::En));
        lexicons
    }

    fn add(&mut self, lexicon: &'static Lexicon) {
        if let Some(place) = self.lists.get_mut(self.count) {
            *place = Some(lexicon);
            self.count += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = &'static Lexicon> {
        self.lists.iter().flatten().copied()
    }
}

/// Finds the phrases of one list that start at a word.
struct Walk<'a> {
    message: &'a Message,
    lexicon: &'static Lexicon,
    candidates: &'a [Candidates],
}

impl Walk<'_> {
    /// Calls `visit` with the end and the kinds of each phrase that starts at a word, and whether
    /// punctuation parts it; stops and returns `false` when it does.
    fn from(&self, start: usize, visit: &mut dyn FnMut(usize, Classes, bool) -> bool) -> bool {
        self.numbers(start).all(|word| match self.lexicon.root(word) {
            Some(node) => self.on(node, start + 1, false, visit),
            None => true,
        })
    }

    fn on(
        &self,
        node: NodeId,
        end: usize,
        is_crossed: bool,
        visit: &mut dyn FnMut(usize, Classes, bool) -> bool,
    ) -> bool {
        let classes = self.lexicon.classes(node);
        if classes != Classes::NONE && !visit(end, classes, is_crossed) {
            return false;
        }
        if end == self.message.len() {
            return true;
        }
        let is_crossed = is_crossed || self.message.gap(end) != Gap::Blank;
        self.numbers(end).all(|word| match self.lexicon.next(node, word) {
            Some(next) => self.on(next, end + 1, is_crossed, visit),
            None => true,
        })
    }

    fn numbers(&self, index: usize) -> impl Iterator<Item = u16> {
        let candidates = self.candidates.get(index).copied().unwrap_or([NO_WORD; 3]);
        candidates.into_iter().take_while(|number| *number != NO_WORD)
    }
}
