//! What the words so far can mean: the sides that a message can still be on.

use crate::asked::{Answer, Asked};
use crate::lexicon::classes::Classes;
use crate::message::Gap;

/// What stands around a phrase.
#[derive(Clone, Copy)]
pub(super) struct Next {
    pub(super) is_last: bool,
    /// What stands behind it.
    pub(super) gap: Gap,
    /// A "no" stands right before it.
    pub(super) is_negated: bool,
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
pub(super) struct Readings(u64);

impl Readings {
    /// Nothing was read yet.
    pub(super) const START: Readings = Readings::one(Side::Neither, false, 0);

    const fn one(side: Side, is_hesitant: bool, count: u32) -> Readings {
        Readings(1 << (side as u32 + SIDES_COUNT * (is_hesitant as u32 + 2 * count)))
    }

    pub(super) fn union(self, other: Readings) -> Readings {
        Readings(self.0 | other.0)
    }

    fn meets(self, other: Readings) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the readings after one more phrase.
    pub(super) fn followed_by(self, classes: Classes, next: Next, asked: &Asked<'_>) -> Readings {
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

    pub(super) fn answer(self) -> Answer {
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
