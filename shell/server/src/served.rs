//! An agent that is served, with its secrets and keys.

use std::sync::Arc;

use manos_config::AgentFile;
use manos_model::Secret;
use manos_runtime::Runtime;
use manos_wire_tool::called::{Platform, is_secret};
use manos_wire_tool::signing::HeaderNames;

use crate::gate::{Chats, Held};

/// An agent that is served.
#[derive(Debug, Clone)]
pub struct Served {
    pub(crate) name: String,
    pub(crate) runtime: Runtime,
    pub(crate) file: Arc<AgentFile>,
    pub(crate) headers: HeaderNames,
    keys: Vec<Key>,
    /// Names of calls that are being looked up and taken.
    pub(crate) held: Arc<Held>,
    /// Calls that wait or run, by chat.
    pub(crate) chats: Arc<Chats>,
}

/// A key of the HTTP API.
#[derive(Debug, Clone)]
struct Key {
    name: String,
    key: Secret<String>,
}

/// The name of the key that is made at start.
const MADE: &str = "made";

impl Served {
    /// Serves an agent that is open. Without keys in its file it takes `made`.
    pub fn new(file: &AgentFile, runtime: Runtime, made: &Secret<String>) -> Self {
        let own = file.server.api_keys.iter();
        let mut keys: Vec<Key> =
            own.map(|(name, key)| Key { name: name.clone(), key: key.key.clone() }).collect();
        if keys.is_empty() {
            keys.push(Key { name: MADE.to_owned(), key: made.clone() });
        }
        Self {
            name: file.name.as_str().to_owned(),
            runtime,
            // A file that was checked has a prefix that can be part of a header's name.
            headers: HeaderNames::new(&file.signing_prefix).unwrap_or_default(),
            file: Arc::new(file.clone()),
            keys,
            held: Arc::default(),
            chats: Arc::default(),
        }
    }

    /// Returns the name of the key that a request shows; all are compared.
    pub(crate) fn key_name(&self, authorization: Option<&str>) -> Option<&str> {
        let (scheme, shown) = authorization?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let shown = shown.trim();
        let mut found = None;
        for key in &self.keys {
            if is_secret(shown, std::slice::from_ref(&key.key)) {
                found = Some(key.name.as_str());
            }
        }
        found
    }

    /// Returns what the requests of a platform are checked with.
    pub(crate) fn secrets(&self, platform: Platform) -> &[Secret<String>] {
        self.file.caller_secrets(platform.as_str())
    }
}
