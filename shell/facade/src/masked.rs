//! A store whose audit trail holds no secrets.
//!
//! What a tool says when it fails is masked where it is said. A result is for the model as it is,
//! and so are a person's words: in the trail, which people and other programs read, what came from
//! a variable of the agent file is masked all the same.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use manos_model::{ChatKey, MessageId, Secret, Timestamp, TurnId};
use manos_ports::{
    AuditQuery, AuditRow, ChatQuery, ChatSummary, Commit, Committed, LoggedCommit, RunRow,
    RunsQuery, Store, StoreError, StoredChat,
};
use manos_wire_tool::mask::Masker;
use serde_json::Value;

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

/// Masks audit events on their way into the store; everything else goes through.
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
impl Store for MaskedStore {
    async fn commit(&self, mut commit: Commit) -> Result<Committed, StoreError> {
        for line in &mut commit.audit {
            if let Some(masked) = masked_line(&self.masker, &line.json) {
                line.json = masked;
            }
        }
        self.inner.commit(commit).await
    }

    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        self.inner.load(chat).await
    }

    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        self.inner.seen(chat, message).await
    }

    async fn chats(&self, query: ChatQuery) -> Result<Vec<ChatSummary>, StoreError> {
        self.inner.chats(query).await
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        self.inner.audit(query).await
    }

    async fn runs(&self, query: RunsQuery) -> Result<Vec<RunRow>, StoreError> {
        self.inner.runs(query).await
    }

    async fn turn_log(
        &self,
        turn: &TurnId,
    ) -> Result<Option<(ChatKey, Vec<LoggedCommit>)>, StoreError> {
        self.inner.turn_log(turn).await
    }

    async fn forget_messages(&self, before: Timestamp) -> Result<u64, StoreError> {
        self.inner.forget_messages(before).await
    }
}

/// The event without secrets; `None` when it holds none, which is nearly always.
fn masked_line(masker: &Masker, json: &str) -> Option<String> {
    if matches!(masker.mask(json), Cow::Borrowed(_)) {
        return None;
    }
    let mut event: Value = serde_json::from_str(json).ok()?;
    let fields = event.as_object_mut()?;
    for (key, value) in fields {
        if !KEPT.contains(&key.as_str()) {
            mask_texts(masker, value);
        }
    }
    Some(event.to_string())
}

fn mask_texts(masker: &Masker, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(masked) = masker.mask(text) {
                *text = masked;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask_texts(masker, item)),
        Value::Object(map) => {
            *map = std::mem::take(map)
                .into_iter()
                .map(|(key, mut inner)| {
                    mask_texts(masker, &mut inner);
                    (masker.mask(&key).into_owned(), inner)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
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
