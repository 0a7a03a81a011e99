//! What is to become of one prepared call.

use serde::{Deserialize, Serialize};

use manos_model::{Failure, RunFact};

use crate::{ApprovalRecord, ApprovedCall, PreparedCall, ToolSpec};

/// What the ledger says of earlier runs with equal arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Standing {
    /// Done before, inside the window of the tool's `dedupe`.
    Deduped(RunFact),
    /// Done before, recently enough to warn of it.
    Done(RunFact),
    /// Nothing is known.
    Fresh,
    /// It may have been done.
    Unknown {
        /// The run.
        previous: RunFact,
        /// Whether this same turn asked for it.
        same_turn: bool,
        /// Whether it is inside the window of the tool's `dedupe`.
        in_window: bool,
    },
}

/// Whether a person can be asked, and may be.
#[derive(Debug, Clone, PartialEq)]
pub enum Asking {
    /// Somebody can be asked.
    Possible,
    /// An equal call was refused in this turn.
    Refused {
        /// What the model is to do.
        instruction: String,
    },
    /// Nobody is asked.
    Impossible {
        /// Why, for the model.
        because: String,
    },
}

/// What is to become of a call.
///
/// Exhaustive on purpose.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// It runs.
    Allow(ApprovedCall),
    /// A person is asked.
    Confirm(PreparedCall),
    /// It does not run.
    Deny(Failure),
}

/// Decides about one prepared call, in the order of the rules: duplicate, unknown, confirmed.
///
/// ```
/// # use manos_policy::{Asking, PreparedCall, Standing, ToolSpec, Verdict, decide};
/// # use manos_schema::ToolSchema;
/// # let spec = ToolSpec { name: "pagar".to_owned().try_into().unwrap(), confirm: true, dedupe: None,
/// #     schema: ToolSchema::compile(&serde_json::json!({"type": "object"})).unwrap().into(),
/// #     read_only: false, idempotent: false, definition: String::new() };
/// let call = PreparedCall::new("call-1".into(), &spec, serde_json::Map::new());
/// let verdict = decide(call, &spec, &Standing::Fresh, &Asking::Possible);
/// assert!(matches!(verdict, Verdict::Confirm(_)));
/// ```
pub fn decide(
    call: PreparedCall,
    spec: &ToolSpec,
    standing: &Standing,
    asking: &Asking,
) -> Verdict {
    match standing {
        Standing::Deduped(previous) => {
            return Verdict::Deny(Failure::Duplicate { previous: previous.clone() });
        }
        Standing::Unknown { previous, same_turn, in_window } if !spec.repeatable() => {
            let held_back = *same_turn || (!spec.confirm && spec.dedupe.is_some() && *in_window);
            if held_back {
                return Verdict::Deny(Failure::UnknownOutcome { previous: previous.clone() });
            }
        }
        Standing::Done(_) | Standing::Fresh | Standing::Unknown { .. } => {}
    }
    if !spec.confirm {
        return Verdict::Allow(ApprovedCall::new(call, ApprovalRecord::ByPolicy));
    }
    match asking {
        Asking::Possible => Verdict::Confirm(call),
        Asking::Refused { instruction } => {
            Verdict::Deny(Failure::Rejected { instruction: instruction.clone() })
        }
        Asking::Impossible { because } => {
            Verdict::Deny(Failure::NotAsked { because: because.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use manos_schema::ToolSchema;
    use serde_json::{Map, json};

    use super::*;
    use crate::Dedupe;

    fn spec(confirm: bool, dedupe: bool, read_only: bool) -> ToolSpec {
        ToolSpec {
            name: "pagar".to_owned().try_into().unwrap(),
            schema: ToolSchema::compile(&json!({"type": "object"})).unwrap().into(),
            confirm,
            dedupe: dedupe.then(Dedupe::args),
            read_only,
            idempotent: false,
            definition: "v1".into(),
        }
    }

    fn word(verdict: &Verdict) -> &str {
        match verdict {
            Verdict::Allow(_) => "allow",
            Verdict::Confirm(_) => "confirm",
            Verdict::Deny(failure) => failure.code(),
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn a_call_runs_asks_or_is_held_back() {
        let fact = || RunFact { result: json!("P-1"), seconds_ago: 12 };
        let unknown =
            |same_turn, in_window| Standing::Unknown { previous: fact(), same_turn, in_window };
        let no = || Asking::Impossible { because: "no chat".into() };
        let refused = || Asking::Refused { instruction: "stop".into() };
        let yes = || Asking::Possible;
        let cases = [
            ("needs no yes", spec(false, false, false), Standing::Fresh, yes(), "allow"),
            ("needs a yes", spec(true, false, false), Standing::Fresh, yes(), "confirm"),
            ("nobody to ask", spec(true, false, false), Standing::Fresh, no(), "not_asked"),
            (
                "no is no for this turn",
                spec(true, false, false),
                Standing::Fresh,
                refused(),
                "rejected",
            ),
            (
                "nobody to ask does not matter",
                spec(false, false, false),
                Standing::Fresh,
                no(),
                "allow",
            ),
            (
                "done a moment ago",
                spec(true, true, false),
                Standing::Deduped(fact()),
                yes(),
                "duplicate",
            ),
            (
                "dedupe without confirm",
                spec(false, true, false),
                Standing::Deduped(fact()),
                yes(),
                "duplicate",
            ),
            (
                "confirm alone warns and asks",
                spec(true, false, false),
                Standing::Done(fact()),
                yes(),
                "confirm",
            ),
            (
                "unknown in this turn, confirm",
                spec(true, false, false),
                unknown(true, false),
                yes(),
                "unknown_outcome",
            ),
            (
                "unknown in this turn, bare",
                spec(false, false, false),
                unknown(true, false),
                yes(),
                "unknown_outcome",
            ),
            (
                "unknown before, confirm asks",
                spec(true, true, false),
                unknown(false, true),
                yes(),
                "confirm",
            ),
            (
                "unknown before, dedupe alone",
                spec(false, true, false),
                unknown(false, true),
                yes(),
                "unknown_outcome",
            ),
            (
                "unknown long before, dedupe alone",
                spec(false, true, false),
                unknown(false, false),
                yes(),
                "allow",
            ),
            (
                "unknown before, bare",
                spec(false, false, false),
                unknown(false, false),
                yes(),
                "allow",
            ),
            (
                "reading again is reading",
                spec(false, false, true),
                unknown(true, true),
                yes(),
                "allow",
            ),
        ];
        for (why, spec, standing, asking, expected) in cases {
            let call = PreparedCall::new("c1".into(), &spec, Map::new());
            assert_eq!(word(&decide(call, &spec, &standing, &asking)), expected, "{why}");
        }
    }
}
