//! The wire structs, and only those. Everything is optional, and what has an odd kind is absent.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A field of which any kind is taken: its text as it stands.
pub(super) type Raw<'a> = Option<&'a RawValue>;

/// A chunk of a stream, or a whole response.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Many<One<Choice<'a>>>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) usage: One<Usage<'a>>,
}

/// One of the replies; only the first is read.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(borrow, default)]
    pub(super) delta: One<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) index: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) message: One<Delta<'a>>,
}

/// A piece of a reply, or the whole of it.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) function_call: One<Function<'a>>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_details: Many<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) refusal: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Many<One<Call<'a>>>,
}

/// A piece of a tool call.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Call<'a> {
    #[serde(borrow, default)]
    pub(super) extra_content: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) function: One<Function<'a>>,
    #[serde(borrow, default)]
    pub(super) id: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) index: Raw<'a>,
}

/// Name and arguments.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) name: Raw<'a>,
}

/// One part of a content that is a list.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ContentPart<'a> {
    #[serde(borrow, default)]
    pub(super) text: Raw<'a>,
}

/// Tokens.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct Usage<'a> {
    #[serde(borrow, default)]
    pub(super) completion_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) completion_tokens_details: One<CompletionDetails<'a>>,
    #[serde(borrow, default)]
    pub(super) prompt_tokens: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) prompt_tokens_details: One<PromptDetails<'a>>,
}

/// Of the reply.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct CompletionDetails<'a> {
    #[serde(borrow, default)]
    pub(super) reasoning_tokens: Raw<'a>,
}

/// Of the request.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct PromptDetails<'a> {
    #[serde(borrow, default)]
    pub(super) cached_tokens: Raw<'a>,
}

/// An error in a server's words.
#[derive(Debug, Default, serde::Deserialize)]
pub(super) struct ErrorBody<'a> {
    #[serde(borrow, default)]
    pub(super) code: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) detail: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) error: Raw<'a>,
    #[serde(borrow, default)]
    pub(super) message: Raw<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: Raw<'a>,
}

/// An object, or nothing when it is something else.
#[derive(Debug)]
pub(super) struct One<T>(pub(super) Option<T>);

impl<T> Default for One<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// The elements of a list; of anything else, none.
#[derive(Debug)]
pub(super) struct Many<T>(pub(super) Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for One<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ManyVisitor(PhantomData))
    }
}

/// Takes every scalar for nothing.
macro_rules! scalars_are_nothing {
    ($nothing:expr) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}

struct OneVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OneVisitor<T> {
    type Value = One<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    // A number comes here too, as an object with one private key; it has none of our fields.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|value| One(Some(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(One(None))
    }

    scalars_are_nothing!(One(None));
}

struct ManyVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ManyVisitor<T> {
    type Value = Many<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(element) = seq.next_element()? {
            all.push(element);
        }
        Ok(Many(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Many(Vec::new()))
    }

    scalars_are_nothing!(Many(Vec::new()));
}
