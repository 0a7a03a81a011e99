//! Arguments as they were asked for → arguments as the declared schema has them.

use std::collections::BTreeSet;

use serde_json::Value;

use manos_model::CallArguments;

/// What leads the arguments of one tool back to its declared schema, where a provider was shown
/// another form of it. The default changes nothing.
///
/// # Examples
///
/// ```
/// use manos_model::CallArguments;
/// use manos_wire_llm::MapBack;
/// // Strict providers ask for every key; an optional one that was left out comes as null.
/// let back = MapBack::dropping_nulls(["note"]);
/// let mut arguments = CallArguments::Text(r#"{"n":1.10,"note":null}"#.into());
/// back.apply(&mut arguments);
/// let CallArguments::Value(value) = arguments else { panic!("a value") };
/// assert_eq!(value.to_string(), r#"{"n":1.10}"#);
/// ```
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct MapBack {
    /// Keys of the root whose null stands for a key that was left out.
    nulls: BTreeSet<String>,
}

impl MapBack {
    /// Drops the null of each of these keys of the root.
    pub fn dropping_nulls<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        Self { nulls: keys.into_iter().map(str::to_owned).collect() }
    }

    /// Returns whether it changes nothing, so that arguments need not be looked at.
    pub fn is_identity(&self) -> bool {
        self.nulls.is_empty()
    }

    /// Leads arguments back. What has nothing to be led back stays as it came, to the byte: text
    /// that is no JSON, or in which no key is concerned.
    pub fn apply(&self, arguments: &mut CallArguments) {
        match arguments {
            CallArguments::Missing => {}
            CallArguments::Text(text) => {
                if let Ok(mut value) = serde_json::from_str::<Value>(text)
                    && self.drop_nulls(&mut value)
                {
                    *arguments = CallArguments::Value(value);
                }
            }
            CallArguments::Value(value) => {
                self.drop_nulls(value);
            }
        }
    }

    /// Returns whether anything was dropped.
    fn drop_nulls(&self, value: &mut Value) -> bool {
        let Value::Object(object) = value else { return false };
        let before = object.len();
        object.retain(|key, value| !(value.is_null() && self.nulls.contains(key)));
        object.len() < before
    }
}
