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
    /// The number of a menu stands for yes; "yes, one" would be a quantity.
    YesByNumber,
    NoPromised,
    No,
    NoByNumber,
}

const SIDES: [Side; SIDES_COUNT as usize] = [
    Side::Neither,
    Side::YesPromised,
    Side::Yes,
    Side::YesByNumber,
    Side::NoPromised,
    Side::No,
    Side::NoByNumber,
];

const SIDES_COUNT: u32 = 7;

/// Phrases other than fillers and greetings are counted up to here.
const COUNT_MAX: u32 = 2;

/// A set of readings of the words so far, a bit for each: the side, whether a sound of hesitation
/// was in it, and how many phrases it had.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Readings(u64);

impl Readings {
    /// Nothing was read yet.
    const START: Readings = Readings::one(Side::Neither, false, 0);

    const fn one(side: Side, is_hesitant: bool, count: u32) -> Readings {
        Readings(1 << (side as u32 + SIDES_COUNT * (is_hesitant as u32 + 2 * count)))
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
        for side in SIDES {
            let any = [false, true].map(|is_hesitant| {
                (0..=COUNT_MAX)
                    .map(|count| Readings::one(side, is_hesitant, count))
                    .fold(Readings::default(), Readings::union)
            });
            if !self.meets(any[0].union(any[1])) {
                continue;
            }
            let follow = side.followed_by(classes, next, asked);
            for count in 0..=COUNT_MAX {
                for is_hesitant in [false, true] {
                    if self.meets(Readings::one(side, is_hesitant, count)) {
                        after = after.union(follow.readings(side, is_hesitant, count));
                    }
                }
            }
        }
        after
    }

    fn answer(self) -> Answer {
        let has = |side: Side, is_hesitant, counts: std::ops::RangeInclusive<u32>| {
            counts.into_iter().any(|count| self.meets(Readings::one(side, is_hesitant, count)))
        };
        // A yes after a sound of doubt ("er, yes") needs a word more ("er, yes, go ahead").
        let is_yes = [Side::Yes, Side::YesByNumber]
            .into_iter()
            .any(|side| has(side, false, 0..=COUNT_MAX) || has(side, true, COUNT_MAX..=COUNT_MAX));
        let is_no = [Side::No, Side::NoByNumber]
            .into_iter()
            .any(|side| has(side, false, 0..=COUNT_MAX) || has(side, true, 0..=COUNT_MAX));
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

impl Follow {
    /// Returns the readings that one reading becomes.
    fn readings(&self, side: Side, is_hesitant: bool, count: u32) -> Readings {
        let counted = (count + 1).min(COUNT_MAX);
        let mut readings = Readings::default();
        for side in self.sides.iter().flatten() {
            readings = readings.union(Readings::one(*side, is_hesitant, counted));
        }
        if self.may_open {
            readings = readings.union(Readings::one(side, is_hesitant, count));
        }
        if self.may_hesitate {
            readings = readings.union(Readings::one(side, true, count));
        }
        readings
    }
}

impl Side {
    fn followed_by(self, classes: Classes, next: Next, asked: &Asked<'_>) -> Follow {
        // Only an answer may stand before a colon: "user: yes" is somebody's report.
        let may_lean = next.gap != Gap::Colon;
        let same = (may_lean && classes.meets(Classes::WITH)).then_some(self);
        Follow {
            sides: [
                self.yes_after(classes, may_lean, asked),
                self.no_after(classes, may_lean, next.is_negated, asked),
                same,
            ],
            may_open: may_lean && self == Side::Neither && classes.meets(Classes::OPENING),
            // "Este, sí" hesitates; "este sí" wants this one.
            may_hesitate: !next.is_last && next.gap == Gap::Stop && classes.meets(Classes::FILLER),
        }
    }

    /// Returns the side of yes that a phrase leads to.
    fn yes_after(self, classes: Classes, may_lean: bool, asked: &Asked<'_>) -> Option<Side> {
        match self {
            Side::Neither if asked.menu && classes.meets(Classes::MENU_YES) => {
                Some(Side::YesByNumber)
            }
            Side::Neither | Side::YesPromised | Side::Yes if classes.meets(Classes::YES) => {
                Some(Side::Yes)
            }
            Side::Neither | Side::YesPromised if may_lean && classes.meets(Classes::YES_WITH) => {
                Some(Side::YesPromised)
            }
            Side::Yes if may_lean && classes.meets(Classes::YES_WITH) => Some(Side::Yes),
            _ => None,
        }
    }

    /// Returns the side of no that a phrase leads to.
    fn no_after(
        self,
        classes: Classes,
        may_lean: bool,
        is_negated: bool,
        asked: &Asked<'_>,
    ) -> Option<Side> {
        let is_no = classes.meets(Classes::NO)
            || (classes.meets(Classes::REFUSE) && !is_negated)
            || (classes.meets(Classes::CANCEL) && !is_negated && !asked.cancels);
        match self {
            Side::Neither if asked.menu && classes.meets(Classes::MENU_NO) => {
                Some(Side::NoByNumber)
            }
            Side::Neither | Side::NoPromised | Side::No if is_no => Some(Side::No),
            Side::Neither | Side::NoPromised if may_lean && classes.meets(Classes::NO_WITH) => {
                Some(Side::NoPromised)
            }
            Side::No if may_lean && classes.meets(Classes::NO_WITH) => Some(Side::No),
            _ => None,
        }
    }
}
