//! One question about one exact call, answered once.

use serde::{Deserialize, Serialize};

use manos_model::{ConfirmationId, Timestamp, UserId};

use crate::{ApprovalRecord, ApprovedCall, PreparedCall, ToolSpec};

/// Who may answer a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// Anybody who writes in the chat.
    Anyone,
    /// Whoever's message started the turn.
    Requester,
    /// Whoever has this role and writes in the chat.
    Role(String),
}

/// A question to a person about one exact call. Waits until `deadline`; used up by its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Its id; buttons carry it.
    pub id: ConfirmationId,
    /// The call.
    pub call: PreparedCall,
    /// Whose message started the turn.
    pub requester: UserId,
    /// Who may answer.
    pub who: Who,
    /// The whole text as shown.
    pub text: String,
    /// The lines that another tool made, compared again after the yes.
    pub lines: Option<String>,
    /// When it was made.
    pub asked_at: Timestamp,
    /// When the channel took it; an answer counts only after that.
    pub shown_at: Option<Timestamp>,
    /// Until when it waits.
    pub deadline: Timestamp,
}

/// Why an answer did not approve.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfirmationError {
    /// The tool, or its arguments, are not those that were asked about.
    #[error("the call is no longer the one that was asked about")]
    Changed,
    /// The answer came too late.
    #[error("the question waited until {deadline}")]
    Expired {
        /// Until when it waited.
        deadline: Timestamp,
    },
}

impl Confirmation {
    /// Uses up the question with a yes and returns the call that may run, with its record.
    ///
    /// # Errors
    ///
    /// [`ConfirmationError::Expired`] after the deadline, [`ConfirmationError::Changed`] when the
    /// tool's definition is no longer the one that was asked about.
    pub fn approve(
        self,
        spec: &ToolSpec,
        by: UserId,
        at: Timestamp,
    ) -> Result<ApprovedCall, ConfirmationError> {
        if at > self.deadline {
            return Err(ConfirmationError::Expired { deadline: self.deadline });
        }
        let record = ApprovalRecord::ByPerson {
            confirmation_id: self.id,
            digest: self.call.digest.clone(),
            by,
            at,
        };
        reapprove(self.call, record, spec)
    }
}

/// Makes an approved call again from a stored record.
///
/// # Errors
///
/// [`ConfirmationError::Changed`] when the digest of the call, with the tool as it is now, is not
/// the one that was approved, or when the record is of no person and the tool now asks for one.
pub fn reapprove(
    call: PreparedCall,
    record: ApprovalRecord,
    spec: &ToolSpec,
) -> Result<ApprovedCall, ConfirmationError> {
    let now = PreparedCall::new(call.id.clone(), spec, call.arguments.clone()).digest;
    let approved = match &record {
        ApprovalRecord::ByPerson { digest, .. } => *digest == now,
        ApprovalRecord::ByPolicy => !spec.confirm,
    };
    if approved && call.digest == now && call.tool == spec.name {
        Ok(ApprovedCall::new(call, record))
    } else {
        Err(ConfirmationError::Changed)
    }
}

#[cfg(test)]
mod tests {
    use manos_schema::ToolSchema;
    use serde_json::{Map, json};

    use super::*;

    fn spec(definition: &str, confirm: bool) -> ToolSpec {
        ToolSpec {
            name: "pagar".to_owned().try_into().unwrap(),
            schema: ToolSchema::compile(&json!({"type": "object"})).unwrap().into(),
            confirm,
            dedupe: None,
            read_only: false,
            idempotent: false,
            definition: definition.into(),
        }
    }

    fn asked(spec: &ToolSpec) -> Confirmation {
        let mut arguments = Map::new();
        arguments.insert("euros".into(), json!(5));
        Confirmation {
            id: "c_1".into(),
            call: PreparedCall::new("call".into(), spec, arguments),
            requester: "t:1".into(),
            who: Who::Requester,
            text: "?".into(),
            lines: None,
            asked_at: at(0),
            shown_at: Some(at(0)),
            deadline: at(120),
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_yes_approves_exactly_what_was_asked() {
        let spec_now = spec("v1", true);
        let approved = asked(&spec_now).approve(&spec_now, "t:1".into(), at(120)).unwrap();
        assert_eq!(approved.arguments()["euros"], json!(5));
    }

    #[test]
    fn a_late_yes_and_a_changed_tool_approve_nothing() {
        let then = spec("v1", true);
        let late = asked(&then).approve(&then, "t:1".into(), at(121));
        assert_eq!(late.unwrap_err(), ConfirmationError::Expired { deadline: at(120) });
        let changed = asked(&then).approve(&spec("v2", true), "t:1".into(), at(1));
        assert_eq!(changed.unwrap_err(), ConfirmationError::Changed);
    }

    #[test]
    fn arguments_edited_in_the_store_void_the_approval() {
        let spec_now = spec("v1", true);
        let mut asked = asked(&spec_now);
        asked.call.arguments.insert("euros".into(), json!(500));
        let answer = asked.approve(&spec_now, "t:1".into(), at(1));
        assert_eq!(answer.unwrap_err(), ConfirmationError::Changed);
    }

    #[test]
    fn a_record_without_a_person_is_not_enough_once_the_tool_asks() {
        let call = asked(&spec("v1", true)).call;
        let again = reapprove(call, ApprovalRecord::ByPolicy, &spec("v1", true));
        assert_eq!(again.unwrap_err(), ConfirmationError::Changed);
    }
}
