//! How a try to tell somebody of a fact came to nothing.

/// The kinds of trouble, as the log of deliveries names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoticeTrouble {
    /// Refused, unreachable or lost.
    Connection,
    /// The name has no address.
    Dns,
    /// A status that is no 2xx, redirects among them.
    HttpError,
    /// Whatever is none of the others: an address that may not be reached, an answer that is none.
    Other,
    /// No answer in time.
    Timeout,
    /// The certificate or the handshake.
    Tls,
}

impl NoticeTrouble {
    /// All kinds, in the order of the words.
    pub const ALL: [Self; 6] =
        [Self::Connection, Self::Dns, Self::HttpError, Self::Other, Self::Timeout, Self::Tls];

    /// Returns the word in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Connection => "connection",
            Self::Dns => "dns",
            Self::HttpError => "http_error",
            Self::Other => "other",
            Self::Timeout => "timeout",
            Self::Tls => "tls",
        }
    }

    /// Returns the kind of this word.
    ///
    /// ```
    /// use manos_model::NoticeTrouble;
    /// assert_eq!(NoticeTrouble::from_word("dns"), Some(NoticeTrouble::Dns));
    /// assert_eq!(NoticeTrouble::from_word("none"), None);
    /// ```
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|trouble| trouble.as_str() == word)
    }
}
