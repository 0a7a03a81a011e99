//! The names of our headers.

/// What stands in the middle of our headers when the agent file does not say.
pub const DEFAULT_PREFIX: &str = "Manos";

/// A prefix that cannot be part of a header's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{prefix:?} cannot be part of a header's name: use ASCII letters, digits and `-`")]
pub struct PrefixError {
    /// The prefix.
    pub prefix: String,
}

/// The names of the headers that a request of ours carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderNames {
    /// Of the signature over time, method, path and body.
    pub signature_v2: String,
    /// Of the signature over the body alone.
    pub signature: String,
    /// Of the id of the call.
    pub call_id: String,
    /// Of what the request is: `call`, or `notice`.
    pub event: String,
}

impl HeaderNames {
    /// Puts the names together.
    ///
    /// # Errors
    ///
    /// [`PrefixError`] when a header cannot be called so.
    ///
    /// ```
    /// use manos_wire_tool::signing::HeaderNames;
    /// assert_eq!(HeaderNames::new("Acme")?.signature_v2, "X-Acme-Signature-V2");
    /// # Ok::<(), manos_wire_tool::signing::PrefixError>(())
    /// ```
    pub fn new(prefix: &str) -> Result<Self, PrefixError> {
        if prefix.is_empty() || !prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(PrefixError { prefix: prefix.to_owned() });
        }
        Ok(Self::of(prefix))
    }

    fn of(prefix: &str) -> Self {
        let name = |end: &str| format!("X-{prefix}-{end}");
        Self {
            signature_v2: name("Signature-V2"),
            signature: name("Signature"),
            call_id: name("Call-ID"),
            event: name("Event"),
        }
    }
}

impl Default for HeaderNames {
    fn default() -> Self {
        Self::of(DEFAULT_PREFIX)
    }
}
