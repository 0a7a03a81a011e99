//! How a tool run ended, and what the model reads when a call came to nothing.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One way in which arguments do not fit their schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// JSON Pointer into the arguments; empty for the whole.
    pub path: String,
    /// What was expected there, in a few words.
    pub expected: String,
    /// What came, bounded; `null` where nothing came.
    pub got: Value,
}

/// How one execution of a tool ended.
///
/// Exhaustive on purpose: whoever reads an end must decide about all three.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RunEnd {
    /// A result was read whole and is no failure.
    Done(Value),
    /// It never began, or the tool said no: nothing was done.
    NotDone(Failure),
    /// It may have been done.
    Unknown(Failure),
}

impl RunEnd {
    /// Sorts a result that was read whole: a top-level `error` that is neither `null` nor `false`
    /// is the tool saying no.
    ///
    /// ```
    /// use manos_model::{Failure, RunEnd};
    /// use serde_json::json;
    /// assert_eq!(RunEnd::of_result(json!({"total": 3})), RunEnd::Done(json!({"total": 3})));
    /// let no = json!({"error": "no such order"});
    /// assert_eq!(RunEnd::of_result(no.clone()), RunEnd::NotDone(Failure::Said(no)));
    /// ```
    pub fn of_result(result: Value) -> Self {
        if says_no(&result) { Self::NotDone(Failure::Said(result)) } else { Self::Done(result) }
    }
}

/// Whether a result has a top-level `error` that is neither `null` nor `false`.
pub fn says_no(result: &Value) -> bool {
    result.get("error").is_some_and(|error| !matches!(error, Value::Null | Value::Bool(false)))
}

/// Facts about an earlier run that a failure tells the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunFact {
    /// The result as the model saw it.
    pub result: Value,
    /// How long ago it ended, in whole seconds.
    pub seconds_ago: u64,
}

impl RunFact {
    fn to_value(&self) -> Value {
        json!({"result": self.result, "secondsAgo": self.seconds_ago})
    }
}

/// Why a call came to nothing, as the model reads it. Never shown to the person as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Failure {
    /// The lines of the question were different after the yes, again and again.
    Changed,
    /// Equal arguments were done a moment ago.
    Duplicate {
        /// The run that was.
        previous: RunFact,
    },
    /// A process ended with a code other than 0.
    Exit {
        /// Its code; absent when a signal ended it.
        code: Option<i32>,
        /// The end of what it wrote to standard error.
        message: String,
    },
    /// The approval, or the wait for it, ran out.
    Expired,
    /// The tool failed without more to say.
    Failed {
        /// A safe sentence.
        message: String,
    },
    /// An HTTP reply that is no success.
    HttpStatus {
        /// Its status.
        status: u16,
        /// Its body, bounded.
        body: Value,
    },
    /// We stopped while it ran.
    Interrupted,
    /// The arguments do not fit.
    InvalidArguments {
        /// Each misfit.
        violations: Vec<Violation>,
    },
    /// Nobody was asked.
    NotAsked {
        /// Why not.
        because: String,
    },
    /// This user may not.
    NotAllowed {
        /// The tool that was wanted.
        tool: String,
    },
    /// The reply sends us elsewhere, where we do not follow.
    Redirect {
        /// Its status.
        status: u16,
        /// A safe sentence.
        message: String,
    },
    /// The person said no.
    Rejected {
        /// What the model is to do now.
        instruction: String,
    },
    /// The tool's own object with its `error`.
    Said(Value),
    /// It took too long.
    Timeout {
        /// The limit.
        after_ms: u64,
    },
    /// The question would be too long to be read.
    TooLongToConfirm {
        /// Its length in characters.
        chars: usize,
        /// The limit.
        max: usize,
    },
    /// The request failed on its way.
    Transport {
        /// `dns`, `connection`, `tls`, `blocked_address`, `too_large` or `bad_reply`.
        kind: String,
        /// A safe sentence.
        message: String,
    },
    /// An equal call may already have been done.
    UnknownOutcome {
        /// The run whose end is not known.
        previous: RunFact,
    },
    /// No such tool.
    UnknownTool {
        /// The name that came.
        name: String,
        /// At most three near names.
        did_you_mean: Vec<String>,
    },
    /// The person answered with something else.
    UserReplied {
        /// Their words.
        user_reply: String,
    },
}

impl Failure {
    /// Returns the JSON that the model reads.
    ///
    /// ```
    /// use manos_model::Failure;
    /// assert_eq!(Failure::Timeout { after_ms: 15000 }.to_value().to_string(),
    ///            r#"{"error":"timeout","after_ms":15000}"#);
    /// ```
    pub fn to_value(&self) -> Value {
        match self {
            Self::Changed => json!({"executed": false, "reason": "changed"}),
            Self::Duplicate { previous } => {
                json!({"executed": false, "reason": "duplicate", "previous": previous.to_value()})
            }
            Self::Exit { code, message } => {
                json!({"error": "exit", "code": code, "message": message})
            }
            Self::Expired => json!({"executed": false, "reason": "expired"}),
            Self::Failed { message } => json!({"error": "failed", "message": message}),
            Self::HttpStatus { status, body } => {
                json!({"error": "http_status", "status": status, "body": body})
            }
            Self::Interrupted => json!({"executed": "unknown", "reason": "interrupted"}),
            Self::InvalidArguments { violations } => {
                json!({"error": "invalid_arguments", "violations": violations})
            }
            Self::NotAsked { because } => {
                json!({"executed": false, "reason": "not_asked", "because": because})
            }
            Self::NotAllowed { tool } => json!({"error": "not_allowed", "tool": tool}),
            Self::Redirect { status, message } => {
                json!({"error": "redirect", "status": status, "message": message})
            }
            Self::Rejected { instruction } => {
                json!({"executed": false, "reason": "rejected", "instruction": instruction})
            }
            Self::Said(value) => value.clone(),
            Self::Timeout { after_ms } => json!({"error": "timeout", "after_ms": after_ms}),
            Self::TooLongToConfirm { chars, max } => {
                json!({"error": "too_long_to_confirm", "chars": chars, "max": max})
            }
            Self::Transport { kind, message } => json!({"error": kind, "message": message}),
            Self::UnknownOutcome { previous } => json!({
                "executed": false, "reason": "unknown_outcome", "previous": previous.to_value()
            }),
            Self::UnknownTool { name, did_you_mean } => {
                json!({"error": "unknown_tool", "name": name, "did_you_mean": did_you_mean})
            }
            Self::UserReplied { user_reply } => {
                json!({"executed": false, "reason": "user_replied", "userReply": user_reply})
            }
        }
    }

    /// Returns the word in `error` or `reason`, for the audit trail.
    pub fn code(&self) -> &str {
        match self {
            Self::Changed => "changed",
            Self::Duplicate { .. } => "duplicate",
            Self::Exit { .. } => "exit",
            Self::Expired => "expired",
            Self::Failed { .. } => "failed",
            Self::HttpStatus { .. } => "http_status",
            Self::Interrupted => "interrupted",
            Self::InvalidArguments { .. } => "invalid_arguments",
            Self::NotAsked { .. } => "not_asked",
            Self::NotAllowed { .. } => "not_allowed",
            Self::Redirect { .. } => "redirect",
            Self::Rejected { .. } => "rejected",
            Self::Said(_) => "said_no",
            Self::Timeout { .. } => "timeout",
            Self::TooLongToConfirm { .. } => "too_long_to_confirm",
            Self::Transport { kind, .. } => kind,
            Self::UnknownOutcome { .. } => "unknown_outcome",
            Self::UnknownTool { .. } => "unknown_tool",
            Self::UserReplied { .. } => "user_replied",
        }
    }
}
