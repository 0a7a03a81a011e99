//! The keys of a rule.

use super::TEXTS;
use crate::shape::{Field, Shape, Struct};

const TEXT_OR_TEXTS: Shape = Shape::Either(&[Shape::Text, TEXTS]);

/// One rule.
pub(super) static RULE: Struct = Struct {
    name: "rule",
    doc: "What is done with messages of some kind before a model is asked.",
    fields: &[
        Field::new("when", Shape::Struct(&WHEN), "Which messages; all conditions must hold.")
            .required(),
        Field::new(
            "then",
            Shape::Struct(&THEN),
            "What is done: one of `reply`, `tool`, `ask_model`, `handoff`, `ignore`.",
        )
        .required(),
    ],
};

static WHEN: Struct = Struct {
    name: "when",
    doc: "Which messages a rule is for.",
    fields: &[
        Field::new(
            "equals",
            TEXT_OR_TEXTS,
            "The message is one of these, case and accents folded.",
        ),
        Field::new("command", Shape::Text, "The message is this command: `/menu` or `menu`."),
        Field::new(
            "matches",
            Shape::Pattern,
            "The message matches; named groups are for `args` and `reply`.",
        ),
        Field::new("channel", TEXT_OR_TEXTS, "It came on one of these channels."),
        Field::new("role", TEXT_OR_TEXTS, "Its writer has one of these roles."),
        Field::new(
            "between",
            Shape::List(&Shape::Text),
            "It came between two times of day: `[\"22:00\", \"06:00\"]`.",
        ),
    ],
};

static THEN: Struct = Struct {
    name: "then",
    doc: "What a rule does.",
    fields: &[
        Field::new(
            "reply",
            Shape::Template,
            "What is said; with `tool`, over `result` and `args`.",
        ),
        Field::new(
            "otherwise",
            Shape::Template,
            "With `tool`: what is said when it was not done, over `failure`.",
        ),
        Field::new("tool", Shape::Text, "The tool that is called."),
        Field::new(
            "args",
            Shape::Map(&Shape::Any),
            "Its arguments; texts are templates over the named groups.",
        ),
        Field::new("ask_model", Shape::Bool, "The model decides."),
        Field::new("handoff", Shape::Bool, "A person takes over."),
        Field::new("ignore", Shape::Bool, "Nothing is done."),
        Field::new(
            "result_as",
            Shape::Text,
            "With `tool`: keeps the result for later rules of the chat.",
        ),
    ],
};

/// `{ each: REGEX, in: GROUP }` among the arguments of a rule.
pub(crate) static EACH: Struct = Struct {
    name: "each_argument",
    doc: "One object per match inside a group.",
    fields: &[
        Field::new("each", Shape::Pattern, "What one object matches.").required(),
        Field::new("in", Shape::Text, "The group it is looked for in.").required(),
    ],
};
