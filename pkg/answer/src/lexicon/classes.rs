//! What a phrase of a list can be.

use std::ops::{BitOr, BitOrAssign};

/// A set of kinds; a phrase can be several, as in Portuguese `não` and a trap of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Classes(u16);

impl Classes {
    pub(crate) const NONE: Classes = Classes(0);
    /// A yes by itself.
    pub(crate) const YES: Classes = Classes(1);
    /// May stand beside a yes, and is no answer alone: praise.
    pub(crate) const YES_WITH: Classes = Classes(1 << 1);
    /// A no by itself.
    pub(crate) const NO: Classes = Classes(1 << 2);
    /// A no by itself, unless the waiting action is a cancelling one.
    pub(crate) const CANCEL: Classes = Classes(1 << 3);
    /// May stand beside a no, and is no answer alone: "wait".
    pub(crate) const NO_WITH: Classes = Classes(1 << 4);
    /// May stand beside either, and is no answer alone: "please", "sir".
    pub(crate) const WITH: Classes = Classes(1 << 5);
    /// May stand before either: a greeting. After it, it is something else ("yes, hello?").
    pub(crate) const OPENING: Classes = Classes(1 << 6);
    /// A sound of speech: may stand before something else.
    pub(crate) const FILLER: Classes = Classes(1 << 7);
    /// Makes the whole message no answer, wherever it stands.
    pub(crate) const TRAP: Classes = Classes(1 << 8);
    /// The same, when no punctuation parts its words.
    pub(crate) const TRAP_TIGHT: Classes = Classes(1 << 9);
    /// A word that means something else here than in English.
    pub(crate) const HIDE: Classes = Classes(1 << 10);
    /// The first item of a numbered menu.
    pub(crate) const MENU_YES: Classes = Classes(1 << 11);
    /// The second item of a numbered menu.
    pub(crate) const MENU_NO: Classes = Classes(1 << 12);

    /// Makes a message no answer that consists of nothing else.
    pub(crate) const TRAP_WHOLE: Classes = Classes(1 << 13);
    /// A no by itself that turns round behind another: "don't reject".
    pub(crate) const REFUSE: Classes = Classes(1 << 14);

    /// Returns the kind that a heading of a list names.
    pub(crate) fn of_heading(heading: &str) -> Option<Classes> {
        match heading {
            "yes" => Some(Classes::YES),
            "yes with" => Some(Classes::YES_WITH),
            "no" => Some(Classes::NO),
            "cancel" => Some(Classes::CANCEL),
            "no with" => Some(Classes::NO_WITH),
            "with" => Some(Classes::WITH),
            "opening" => Some(Classes::OPENING),
            "filler" => Some(Classes::FILLER),
            "trap" => Some(Classes::TRAP),
            "trap whole" => Some(Classes::TRAP_WHOLE),
            "refuse" => Some(Classes::REFUSE),
            "hide" => Some(Classes::HIDE),
            "menu yes" => Some(Classes::MENU_YES),
            "menu no" => Some(Classes::MENU_NO),
            _ => None,
        }
    }

    /// Returns whether the two sets have a kind in common.
    pub(crate) const fn meets(self, other: Classes) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns the kinds of both sets, for constants.
    pub(crate) const fn or(self, other: Classes) -> Classes {
        Classes(self.0 | other.0)
    }
}

impl BitOr for Classes {
    type Output = Classes;

    fn bitor(self, other: Classes) -> Classes {
        self.or(other)
    }
}

impl BitOrAssign for Classes {
    fn bitor_assign(&mut self, other: Classes) {
        *self = self.or(other);
    }
}
