//! Names and ids. Ids are inputs: the shell draws the randomness, [`crate::Ids`] shapes it.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Takes the text as it is.
            pub fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }
    };
}

text_id! {
    /// The name of an agent, as its file says.
    AgentName
}
text_id! {
    /// The kind of place people write from: `terminal`, `telegram`, `web`.
    ChannelName
}
text_id! {
    /// Names one place where people and the agent talk: `telegram:12345`, `terminal:local`.
    ChatKey
}
text_id! {
    /// One question to a person; unguessable, as its buttons carry it.
    ConfirmationId
}
text_id! {
    /// One output on its way to a channel.
    DeliveryId
}
text_id! {
    /// The channel's own id of an inbound message; equal ids are one message.
    MessageId
}
text_id! {
    /// One address that is told what happens, within its agent.
    NoticeEndpointId
}
text_id! {
    /// One fact that is told; equal for every try and every endpoint.
    NoticeEventId
}
text_id! {
    /// One execution of a tool: 128 random bits in hex, equal for every try of it.
    RunId
}
text_id! {
    /// Our own id of a tool call, unique within the store; a provider's id is kept beside it.
    ToolCallId
}
text_id! {
    /// One turn.
    TurnId
}
text_id! {
    /// Who wrote a message, always with the channel: `telegram:42`, `terminal:local`.
    UserId
}

impl ChatKey {
    /// Returns what stands before the first colon, or the whole key.
    ///
    /// ```
    /// use manos_model::{ChannelName, ChatKey};
    /// assert_eq!(ChatKey::new("telegram:1").channel(), ChannelName::new("telegram"));
    /// ```
    pub fn channel(&self) -> ChannelName {
        ChannelName::new(self.0.split(':').next().unwrap_or_default())
    }
}

/// The name the model uses to ask for a tool.
///
/// 1 to [`ToolName::CHARS_MAX`] characters without control characters; the name on a provider's
/// wire is made from it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

/// Why a text is not a tool name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolNameError {
    /// A control character, or a blank at either end.
    #[error("tool name has {found:?} at character {index}")]
    BadCharacter {
        /// The character.
        found: char,
        /// Where, counted from 0.
        index: usize,
    },
    /// Nothing at all.
    #[error("a tool name cannot be empty")]
    Empty,
    /// More than [`ToolName::CHARS_MAX`] characters.
    #[error("tool name has {chars} characters, the limit is {max}", max = ToolName::CHARS_MAX)]
    TooLong {
        /// How many it has.
        chars: usize,
    },
}

impl ToolName {
    /// The longest name, in characters.
    pub const CHARS_MAX: usize = 128;

    /// Checks the text and takes it.
    ///
    /// # Errors
    ///
    /// [`ToolNameError`] when it is empty, too long, or has a control character.
    pub fn new(text: impl Into<String>) -> Result<Self, ToolNameError> {
        let text = text.into();
        let chars = text.chars().count();
        if chars == 0 {
            return Err(ToolNameError::Empty);
        }
        if chars > Self::CHARS_MAX {
            return Err(ToolNameError::TooLong { chars });
        }
        if let Some((index, found)) = text.chars().enumerate().find(|(_, c)| c.is_control()) {
            return Err(ToolNameError::BadCharacter { found, index });
        }
        Ok(Self(text))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = ToolNameError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::new(text)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_name_is_short_visible_text() {
        let cases = [
            ("plain", "crear_pedido", None),
            ("dots and blanks are mapped per provider", "calendar.create v2", None),
            ("empty", "", Some(ToolNameError::Empty)),
            ("a line break", "a\nb", Some(ToolNameError::BadCharacter { found: '\n', index: 1 })),
        ];
        for (why, text, expected) in cases {
            assert_eq!(ToolName::new(text).err(), expected, "{why}");
        }
        assert_eq!(
            ToolName::new("x".repeat(129)).err(),
            Some(ToolNameError::TooLong { chars: 129 })
        );
    }
}
