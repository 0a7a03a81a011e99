//! Reading JSON that may have any kind anywhere, shared by all dialects.
//!
//! Wire structs have fields of these types alone: a field of an odd kind is an absent one, never a
//! reason to lose the reply around it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::pieces::Piece;

/// A field of which any kind is taken: its text as it stands.
pub(crate) type Raw<'a> = Option<&'a RawValue>;

/// Reads text, or a number's digits where text is due.
pub(crate) fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    match Piece::of_json(raw) {
        Some(Piece::Text(text)) => Some(text),
        Some(Piece::Broken(bytes)) => {
            Some(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
        }
        None => raw.get().starts_with(|c: char| c.is_ascii_digit()).then(|| raw.get().into()),
    }
}

/// Reads a whole number, in quotes or not.
pub(crate) fn number(raw: &RawValue) -> Option<u64> {
    raw.get().trim_matches('"').parse().ok()
}

/// Returns whether an `error` field says anything: some servers always send it, empty.
pub(crate) fn says_something(raw: &RawValue) -> bool {
    !matches!(raw.get(), "null" | "false" | "\"\"" | "{}" | "[]" | "0")
}

/// An object, or nothing when it is something else.
#[derive(Debug)]
pub(crate) struct One<T>(pub(crate) Option<T>);

impl<T> Default for One<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// The elements of a list; of anything else, none.
#[derive(Debug)]
pub(crate) struct Many<T>(pub(crate) Vec<T>);

impl<T> Default for Many<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// The elements of a list, or an object in place of a list of one; of anything else, none.
#[derive(Debug)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de RawValue>::deserialize(deserializer)?;
        let read = if raw.get().starts_with('{') {
            serde_json::from_str(raw.get()).map(|one| vec![one])
        } else {
            serde_json::from_str(raw.get()).map(|Many(all)| all)
        };
        read.map(Self).map_err(serde::de::Error::custom)
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
