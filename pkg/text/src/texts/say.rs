//! Every sentence, with its key and its arguments.

use fluent_bundle::{FluentArgs, FluentValue};

/// The key of a sentence and the variables its wording may use.
#[derive(Debug)]
pub(crate) struct Sentence {
    pub(crate) key: &'static str,
    pub(crate) variables: &'static [&'static str],
}

/// Finds a sentence by its exact key.
pub(crate) fn sentence(key: &str) -> Option<&'static Sentence> {
    Sentence::ALL.iter().find(|sentence| sentence.key == key)
}

/// What can stand in a sentence.
trait Argument {
    fn fluent(&self) -> FluentValue<'_>;
}

impl Argument for &str {
    fn fluent(&self) -> FluentValue<'_> {
        FluentValue::from(*self)
    }
}

impl Argument for usize {
    fn fluent(&self) -> FluentValue<'_> {
        FluentValue::from(*self)
    }
}

/// Names in a row, with commas.
impl Argument for &[&str] {
    fn fluent(&self) -> FluentValue<'_> {
        FluentValue::from(self.join(", "))
    }
}

macro_rules! sentences {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident $({ $($field:ident: $kind:ty),+ })? => $key:literal
    ),+ $(,)?) => {
        /// One sentence with its arguments.
        ///
        /// What stands in quotes in the documentation of a variant is the Spanish wording. The
        /// caller makes values from outside safe first ([`crate::safe_text`]).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Say<'a> {
            $(
                $(#[doc = $doc])+
                $name $({
                    $(
                        #[doc = concat!("`$", stringify!($field), "` of the wording.")]
                        $field: $kind,
                    )+
                })?,
            )+
        }

        impl Sentence {
            /// Every sentence.
            pub(crate) const ALL: &'static [Self] = &[$(
                Self { key: $key, variables: &[$($(stringify!($field)),+)?] },
            )+];
        }

        impl Say<'_> {
            /// Returns the key and the arguments.
            pub(crate) fn parts(&self) -> (&'static str, FluentArgs<'_>) {
                match self {
                    $(
                        Self::$name $({ $($field),+ })? => {
                            let arguments = FluentArgs::from_iter([
                                $($((stringify!($field), $field.fluent()),)+)?
                            ] as [(&str, FluentValue<'_>); _]);
                            ($key, arguments)
                        }
                    )+
                }
            }
        }
    };
}

sentences! {
    /// “Voy a: Crear pedido”.
    ConfirmHead { title: &'a str } => "confirm-head",
    /// “¿Confirmas? (sí/no)”. A wording that uses `$lines` is the whole question.
    Confirm { title: &'a str, lines: &'a str } => "confirm",
    /// “¿Confirmas?”, beside buttons. A wording that uses `$lines` is the whole question.
    ConfirmButtons { title: &'a str, lines: &'a str } => "confirm-buttons",
    /// “Sí”; at most 20 characters.
    ButtonYes => "button-yes",
    /// “No”; at most 20 characters.
    ButtonNo => "button-no",
    /// “→ Sí”, at the end of an answered question.
    Choice { choice: &'a str } => "choice",
    /// “otra respuesta”: what was chosen when the answer was neither yes nor no.
    ChoiceReplied => "choice-replied",
    /// “sin respuesta”: what was chosen when nobody answered.
    ChoiceExpired => "choice-expired",
    /// “cancelado”: what was chosen when the turn was cancelled.
    ChoiceCancelled => "choice-cancelled",
    /// “Esa confirmación ya no está activa.”
    ConfirmExpired => "confirm-expired",
    /// “Respuesta recibida: Sí.”
    ConfirmAnswered { answer: &'a str } => "confirm-answered",
    /// “Ojo: ya hice «Crear pedido» hace un momento (resultado: …). Si confirmas, se hará otra vez.”
    ConfirmRepeat { title: &'a str, result: &'a str } => "confirm-repeat",
    /// The same when there is no result worth saying.
    ConfirmRepeatPlain { title: &'a str } => "confirm-repeat-plain",
    /// The same when it is not known whether it was done.
    ConfirmRepeatUnknown { title: &'a str } => "confirm-repeat-unknown",
    /// Until when a question stays open, for the terminal that leaves.
    ConfirmOpenUntil { time: &'a str, title: &'a str } => "confirm-open-until",
    /// A yes came too late, or the approved call did not start in time.
    ApprovalExpired { title: &'a str } => "approval-expired",
    /// Effects of a turn that ended without telling them.
    DoneUntold { titles: &'a [&'a str] } => "done-untold",
    /// The last line of the system prompt; see [`crate::Texts::now_line`].
    Now { weekday: &'a str, date: &'a str, time: &'a str, zone: &'a str } => "now",
    /// Tells the model which tools ask the person.
    ConfirmNote { tools: &'a [&'a str] } => "confirm-note",
    /// Tells the model what was done in the chat; see [`crate::Texts::done_note`].
    DoneNote { lines: &'a str } => "done-note",
    /// One done run of that note.
    DoneLine { when: &'a str, tool: &'a str, arguments: &'a str, result: &'a str } => "done-line",
    /// One run of that note that perhaps was done.
    DoneLineUnknown { when: &'a str, tool: &'a str, arguments: &'a str } => "done-line-unknown",
    /// Tells the model that nobody answered the question.
    WaitExpired { tool: &'a str } => "wait-expired",
    /// Tells the model that its reply was cut.
    Truncated => "truncated",
    /// Tells the model that its provider's filter stopped its reply.
    Filtered => "filtered",
    /// The `instruction` of a rejected call.
    RejectedInstruction => "rejected-instruction",
    /// Why a call was not asked about: an earlier one of the step was not accepted.
    NotAskedEarlier => "not-asked-earlier",
    /// Why a call was not asked about: there is nobody to ask.
    NotAskedNobody => "not-asked-nobody",
    /// Why a call was not asked about: the turn has no questions left.
    NotAskedLimit => "not-asked-limit",
    /// Ends a result that was cut.
    ResultCut { bytes: usize } => "result-cut",
    /// The model could not be reached or refused.
    ModelFailed => "model-failed",
    /// The model said nothing, twice.
    EmptyReply => "empty-reply",
    /// The turn used up its steps.
    MaxSteps => "max-steps",
    /// The same call failed three times.
    RepeatedCall { title: &'a str } => "repeated-call",
    /// A turn was found unfinished and too old to go on.
    TurnTooOld => "turn-too-old",
    /// The message has more characters than are read.
    MessageTooLong { max: usize } => "message-too-long",
    /// A picture, voice note, sticker or place came.
    TextOnly => "text-only",
    /// Too many messages wait; this one is not answered.
    InboxFull => "inbox-full",
    /// “Conversación reiniciada.”
    ResetDone => "reset-done",
    /// A person takes over.
    HandoffStarted => "handoff-started",
    /// The agent is back.
    HandoffEnded => "handoff-ended",
    /// There is no key, so there is no model.
    RulesOnly { variable: &'a str } => "rules-only",
    /// Beside a spinner, while a tool runs.
    Working { title: &'a str } => "working",
    /// No rule matched and there is no model; see [`crate::Texts::no_match`].
    NoMatch { commands: &'a str } => "no-match",
    /// The answer to `/help`; see [`crate::Texts::help`].
    Help { commands: &'a str } => "help",
    /// What `/help` does.
    CommandHelp => "command-help",
    /// What `/reset` does.
    CommandReset => "command-reset",
    /// What `!tools` does.
    CommandTools => "command-tools",
    /// What `!tool` does.
    CommandTool => "command-tool",
    /// A rule's call: the lines changed while the person confirmed.
    RuleChanged { title: &'a str } => "rule-changed",
    /// A rule's call: done a moment ago.
    RuleDuplicate { title: &'a str } => "rule-duplicate",
    /// A rule's call: failed without words of its own.
    RuleFailed { title: &'a str } => "rule-failed",
    /// A rule's call: the arguments do not fit.
    RuleInvalid { title: &'a str } => "rule-invalid",
    /// A rule's call: nobody could be asked.
    RuleNotAsked { title: &'a str } => "rule-not-asked",
    /// A rule's call: the user may not.
    RuleRefused { title: &'a str } => "rule-refused",
    /// A rule's call: the person said no.
    RuleRejected { title: &'a str } => "rule-rejected",
    /// A rule's call: no answer in time.
    RuleTimeout { title: &'a str } => "rule-timeout",
    /// A rule's call: too long to be asked about.
    RuleTooLong { title: &'a str } => "rule-too-long",
    /// A rule's call: perhaps done.
    RuleUnknown { title: &'a str } => "rule-unknown",
}
