//! The grammar of an answer: which phrases may stand together, and what they add up to.
//!
//! A message is a yes when it can be cut, without a rest, into phrases of the lists that are all on
//! the side of yes or on neither side, with at least one that is a yes by itself. The same for a
//! no. A message that can be read both ways is neither.

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

/// What stands around a phrase.
#[derive(Clone, Copy)]
struct Next {
    is_last: bool,
    /// What stands behind it.
    gap: Gap,
    /// A "no" stands right before it.
    is_negated: bool,
}

/// A side, as far as a message was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Neither,
    YesPromised,
    Yes,
    NoPromised,
    No,
}

const SIDES: [Side; 5] = [Side::Neither, Side::YesPromised, Side::Yes, Side::NoPromised, Side::No];

/// Phrases other than fillers and greetings are counted up to here.
const COUNT_MAX: u32 = 2;

/// A set of readings of the words so far, a bit for each: the side, whether a sound of hesitation
/// was in it, and how many phrases it had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Readings(u32);

impl Readings {
    /// Nothing was read yet.
    const START: Readings = Readings::one(Side::Neither, false, 0);

    const fn one(side: Side, is_hesitant: bool, count: u32) -> Readings {
        Readings(1 << (side as u32 + 5 * is_hesitant as u32 + 10 * count))
    }

    fn union(self, other: Readings) -> Readings {
        Readings(self.0 | other.0)
    }

    fn meets(self, other: Readings) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the readings after one more phrase.
    fn followed_by(self, classes: Classes, next: Next, asked: &Asked<'_>) -> Readings {
        let mut after = Readings::default();
        if self == after {
            return after;
        }
        for count in 0..=COUNT_MAX {
            for is_hesitant in [false, true] {
                for side in SIDES {
                    if self.meets(Readings::one(side, is_hesitant, count)) {
                        let next = side.followed_by(classes, next, asked);
                        let counted = (count + 1).min(COUNT_MAX);
                        for side in next.sides.into_iter().flatten() {
                            after = after.union(Readings::one(side, is_hesitant, counted));
                        }
                        if next.may_open {
                            after = after.union(Readings::one(side, is_hesitant, count));
                        }
                        if next.may_hesitate {
                            after = after.union(Readings::one(side, true, count));
                        }
                    }
                }
            }
        }
        after
    }

    fn answer(self) -> Answer {
        let mut is_yes = false;
        let mut is_no = false;
        for count in 0..=COUNT_MAX {
            is_yes |= self.meets(Readings::one(Side::Yes, false, count));
            is_no |= self.meets(Readings::one(Side::No, false, count));
            is_no |= self.meets(Readings::one(Side::No, true, count));
        }
        // A yes after a sound of doubt ("er, yes") needs a word more ("er, yes, go ahead").
        is_yes |= self.meets(Readings::one(Side::Yes, true, COUNT_MAX));
        match (is_yes, is_no) {
            (true, false) => Answer::Yes,
            (false, true) => Answer::No,
            _ => Answer::Other,
        }
    }
}

/// What a phrase does to a side.
struct Follow {
    sides: [Option<Side>; 3],
    may_open: bool,
    may_hesitate: bool,
}

impl Side {
    fn followed_by(self, classes: Classes, next: Next, asked: &Asked<'_>) -> Follow {
        let mut yes = Classes::YES;
        let mut no = Classes::NO;
        if !next.is_negated {
            no |= Classes::REFUSE;
            if !asked.cancels {
                no |= Classes::CANCEL;
            }
        }
        if asked.menu {
            yes |= Classes::MENU_YES;
            no |= Classes::MENU_NO;
        }
        // Only an answer may stand before a colon: "user: yes" is somebody's report.
        let may_lean = next.gap != Gap::Colon;
        let is_yes_so_far = matches!(self, Side::Neither | Side::YesPromised | Side::Yes);
        let is_no_so_far = matches!(self, Side::Neither | Side::NoPromised | Side::No);
        let yes_side = if !is_yes_so_far {
            None
        } else if classes.meets(yes) {
            Some(Side::Yes)
        } else if may_lean && classes.meets(Classes::YES_WITH) {
            Some(if self == Side::Yes { Side::Yes } else { Side::YesPromised })
        } else {
            None
        };
        let no_side = if !is_no_so_far {
            None
        } else if classes.meets(no) {
            Some(Side::No)
        } else if may_lean && classes.meets(Classes::NO_WITH) {
            Some(if self == Side::No { Side::No } else { Side::NoPromised })
        } else {
            None
        };
        let same = (may_lean && classes.meets(Classes::WITH)).then_some(self);
        Follow {
            sides: [yes_side, no_side, same],
            may_open: may_lean && self == Side::Neither && classes.meets(Classes::OPENING),
            // "Este, sí" hesitates; "este sí" wants this one.
            may_hesitate: !next.is_last
                && next.gap == Gap::Stop
                && classes.meets(Classes::FILLER),
        }
    }
}
