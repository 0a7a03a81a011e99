//! By which names a call that comes again is known.

use manos_model::sha256_hex;

use super::{Platform, Proof};

/// The longest `Idempotency-Key` that is taken, in bytes; a longer one is refused.
pub const IDEMPOTENCY_KEY_BYTES_MAX: usize = 255;

/// What names a call.
///
/// A platform's own ids come first, then the key that the caller gave the call, then its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity<'a> {
    /// Who calls.
    pub platform: Platform,
    /// For whom the names hold: the caller's own name; a caller sees no call of another.
    pub caller: &'a str,
    /// The tool that is called.
    pub tool: &'a str,
    /// The platform's id of the conversation; empty when it has none.
    pub call_id: &'a str,
    /// The platform's id of this one tool call.
    pub tool_call_id: Option<&'a str>,
    /// The value of `Idempotency-Key`.
    pub idempotency_key: Option<&'a str>,
}

impl Identity<'_> {
    /// Returns the names, the one that decides first; none when nothing names the call.
    ///
    /// The second, where there is one, is the signature: with it a request that comes again under a
    /// key that nobody signed is known for what it is.
    ///
    /// ```
    /// use manos_wire_tool::called::{Identity, Platform, Proof};
    /// let identity = Identity {
    ///     platform: Platform::Vapi,
    ///     caller: "vapi",
    ///     tool: "book",
    ///     call_id: "c1",
    ///     tool_call_id: Some("t1"),
    ///     idempotency_key: None,
    /// };
    /// let proof = Proof { signed: None };
    /// assert_eq!(identity.known_as(&proof).len(), 1);
    /// assert_eq!(identity.known_as(&proof), identity.known_as(&Proof { signed: Some("x".into()) }));
    /// ```
    pub fn known_as(&self, proof: &Proof) -> Vec<String> {
        if let Some(tool_call_id) = self.tool_call_id {
            // The ids stand in what was signed, so nobody else can choose them.
            return vec![self.name("id", &[self.call_id, tool_call_id])];
        }
        let key = self.idempotency_key.map(|key| self.name("key", &[self.tool, key]));
        let signed = proof.signed.as_deref().map(|signed| self.name("signed", &[signed]));
        key.into_iter().chain(signed).collect()
    }

    fn name(&self, kind: &str, parts: &[&str]) -> String {
        let all = [self.caller].into_iter().chain(parts.iter().copied());
        let all: Vec<&[u8]> = all.map(str::as_bytes).collect();
        format!("{}:{kind}:{}", self.platform.as_str(), sha256_hex(&all))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const PLAIN: Identity<'static> = Identity {
        platform: Platform::Manos,
        caller: "tools",
        tool: "book",
        call_id: "",
        tool_call_id: None,
        idempotency_key: None,
    };

    fn names(identity: &Identity<'_>, signed: Option<&str>) -> Vec<String> {
        identity.known_as(&Proof { signed: signed.map(str::to_owned) })
    }

    #[test]
    fn ids_come_before_the_key_and_the_key_before_the_signature() {
        let keyed = Identity { idempotency_key: Some("k"), ..PLAIN };
        let by_id = Identity { platform: Platform::Vapi, tool_call_id: Some("t"), ..keyed.clone() };
        assert_eq!(names(&PLAIN, None), Vec::<String>::new(), "nothing names it");
        assert_eq!(names(&PLAIN, Some("s")).len(), 1, "the signature alone");
        let both = names(&keyed, Some("s"));
        assert_eq!((both.len(), &both[1]), (2, &names(&PLAIN, Some("s"))[0]), "the key decides");
        assert_eq!(names(&keyed, None), both[..1], "signed anew, the key is the same");
        assert_eq!(names(&by_id, Some("s")), names(&by_id, None), "ids are enough");
    }

    #[test]
    fn no_two_calls_have_one_name() {
        let with = |call_id, tool_call_id| Identity {
            platform: Platform::Vapi,
            call_id,
            tool_call_id: Some(tool_call_id),
            ..PLAIN
        };
        let keyed =
            |caller, tool, key| Identity { caller, tool, idempotency_key: Some(key), ..PLAIN };
        let all = [
            with("a", "b"),
            with("ab", ""),
            with("", "ab"),
            with("a\",\"b", ""),
            Identity { platform: Platform::Retell, ..with("a", "b") },
            keyed("tools", "book", "k"),
            keyed("tools", "cancel", "k"),
            keyed("other", "book", "k"),
        ];
        let unique: BTreeSet<String> =
            all.iter().flat_map(|identity| names(identity, None)).collect();
        assert_eq!(unique.len(), all.len());
    }
}
