//! A store whose audit trail and ledger rows hold no secrets.
//!
//! What a tool or a model's server says is masked where it is said, before anything is decided, so
//! no event, state, history or output holds a secret of theirs. A person's own words are read as
//! they are; in the trail and in the ledger's rows, which people and other programs read, what came
//! from a variable of the agent file is masked all the same.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use manos_model::Secret;
use manos_ports::{Commit, Committed, Store, StoreError, StoreLayer};
use manos_wire_tool::mask::Masker;
use serde_json::Value;

mod provider;

pub(crate) use provider::MaskedProvider;

/// What every event has, and ids: ours, and needed as they are to read the trail.
const KEPT: [&str; 14] = [
    "agent",
    "at",
    "call_id",
    "chat_key",
    "confirmation_id",
    "delivery_id",
    "digest",
    "duration_ms",
    "run_id",
    "seq",
    "step",
    "tool",
    "turn_id",
    "type",
];

/// Masks audit events and ledger rows on their way into the store; the rest goes through.
pub(crate) struct MaskedStore {
    inner: Arc<dyn Store>,
    masker: Masker,
}

impl MaskedStore {
    /// Puts a mask before `store`, where there is something to mask.
    pub(crate) fn before(store: Arc<dyn Store>, secrets: &[Secret<String>]) -> Arc<dyn Store> {
        if secrets.is_empty() {
            return store;
        }
        Arc::new(Self { inner: store, masker: Masker::new(secrets.iter().cloned()) })
    }
}

impl fmt::Debug for MaskedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaskedStore").field("inner", &self.inner).finish_non_exhaustive()
    }
}

#[async_trait]
impl StoreLayer for MaskedStore {
    fn behind(&self) -> &dyn Store {
        self.inner.as_ref()
    }

    async fn commit(&self, mut commit: Commit) -> Result<Committed, StoreError> {
        let audit = commit.audit.iter_mut().map(|line| &mut line.json);
        for json in audit.chain(commit.runs.iter_mut().map(|row| &mut row.json)) {
            if let Some(masked) = masked_line(&self.masker, json) {
                *json = masked;
            }
        }
        self.inner.commit(commit).await
    }
}

/// The event or row without secrets; `None` when it holds none, which is nearly always.
fn masked_line(masker: &Masker, json: &str) -> Option<String> {
    if matches!(masker.mask(json), Cow::Borrowed(_)) {
        return None;
    }
    let mut event: Value = serde_json::from_str(json).ok()?;
    let fields = event.as_object_mut()?;
    for (key, value) in fields {
        if !KEPT.contains(&key.as_str()) {
            masker.mask_value(value);
        }
    }
    Some(event.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_masked_in_what_was_said_and_ids_stay() {
        let masker =
            Masker::new(["sk-123456", "terminal"].map(|text| Secret::new(text.to_owned())));
        let cases = [
            (r#"{"seq":1,"text":"hola"}"#, None, "nothing to mask"),
            (
                r#"{"chat_key":"terminal:ana","type":"turn.started"}"#,
                Some(r#"{"chat_key":"terminal:ana","type":"turn.started"}"#),
                "an id",
            ),
            (
                r#"{"result":{"key":"is sk-123456","n":1.50}}"#,
                Some(r#"{"result":{"key":"is ***","n":1.50}}"#),
                "deep",
            ),
            (r#"{"result":["c2stMTIzNDU2"]}"#, Some(r#"{"result":["***"]}"#), "in base64"),
            (
                r#"{"arguments":{"sk-123456":true}}"#,
                Some(r#"{"arguments":{"***":true}}"#),
                "as a key",
            ),
            (
                r#"{"text":"see db://ana:pw@host"}"#,
                Some(r#"{"text":"see db://***@host"}"#),
                "an address",
            ),
        ];
        for (json, expected, why) in cases {
            assert_eq!(masked_line(&masker, json).as_deref(), expected, "{why}");
        }
    }
}
