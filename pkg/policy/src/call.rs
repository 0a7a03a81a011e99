//! A call on its way to being run: prepared, then approved. Only this package approves.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use manos_model::{
    ConfirmationId, RunId, Timestamp, ToolCallId, ToolName, UserId, canonical_object, sha256_hex,
};

use crate::ToolSpec;

/// SHA-256 over tool name, tool definition and parsed arguments, in hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(String);

impl Digest {
    /// Returns the hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A call of a known tool with parsed arguments. It may not run yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreparedCall {
    /// Our id of the call.
    pub id: ToolCallId,
    /// The tool.
    pub tool: ToolName,
    /// The parsed arguments, fixed values merged in.
    pub arguments: Map<String, Value>,
    /// What an approval is bound to.
    pub digest: Digest,
}

impl PreparedCall {
    /// Binds arguments to a tool as it is now.
    pub fn new(id: ToolCallId, spec: &ToolSpec, arguments: Map<String, Value>) -> Self {
        let canonical = canonical_object(&arguments);
        let digest = Digest(sha256_hex(&[
            spec.name.as_str().as_bytes(),
            spec.definition.as_bytes(),
            canonical.as_bytes(),
        ]));
        Self { id, tool: spec.name.clone(), arguments, digest }
    }
}

/// Why a call may run: plain data, kept with the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ApprovalRecord {
    /// A person said yes to exactly this.
    ByPerson {
        /// The question.
        confirmation_id: ConfirmationId,
        /// What was asked about.
        digest: Digest,
        /// Who said yes.
        by: UserId,
        /// When.
        at: Timestamp,
    },
    /// The tool needs no confirmation.
    ByPolicy,
}

/// A call that may run, with exactly these arguments.
///
/// Only this package makes one: from a verdict of [`crate::decide`], from an answered
/// [`crate::Confirmation`], or again from a stored record whose digest still matches. An executor
/// that takes an `&ApprovedCall` cannot be handed a call that nobody approved.
///
/// It has no public constructor:
///
/// ```compile_fail,E0451
/// fn forge(call: manos_policy::PreparedCall) -> manos_policy::ApprovedCall {
///     manos_policy::ApprovedCall { call, approval: manos_policy::ApprovalRecord::ByPolicy }
/// }
/// ```
///
/// and cannot be read back from text:
///
/// ```compile_fail,E0277
/// let forged: manos_policy::ApprovedCall = serde_json::from_str("{}").unwrap();
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovedCall {
    call: PreparedCall,
    approval: ApprovalRecord,
}

impl ApprovedCall {
    pub(crate) fn new(call: PreparedCall, approval: ApprovalRecord) -> Self {
        Self { call, approval }
    }

    /// Returns the tool.
    pub fn tool(&self) -> &ToolName {
        &self.call.tool
    }

    /// Returns our id of the call.
    pub fn id(&self) -> &ToolCallId {
        &self.call.id
    }

    /// Returns the parsed arguments.
    pub fn arguments(&self) -> &Map<String, Value> {
        &self.call.arguments
    }

    /// Returns the digest that was approved.
    pub fn digest(&self) -> &Digest {
        &self.call.digest
    }

    /// Returns why it may run.
    pub fn approval(&self) -> &ApprovalRecord {
        &self.approval
    }
}

/// An approved call about to run, under the run id of the event that starts it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOrder {
    /// What runs.
    pub call: ApprovedCall,
    /// Under which id.
    pub run_id: RunId,
}
