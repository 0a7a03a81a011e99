//! What OpenAI's `strict` counts in one schema.

use serde_json::Value;

use super::rules::{STRICT_CHARS_MAX, STRICT_ENUM_CHARS_MAX, STRICT_KEYS_MAX, STRICT_VALUES_MAX};

/// What a schema has used up.
#[derive(Debug, Default)]
pub(super) struct Budget {
    chars: usize,
    keys: usize,
    values: usize,
}

impl Budget {
    /// Counts a key; fails when the schema has too many.
    pub(super) fn take_key(&mut self, key: &str) -> Result<(), &'static str> {
        self.keys += 1;
        self.chars += key.chars().count();
        if self.keys > STRICT_KEYS_MAX {
            return Err("it has too many keys");
        }
        self.check_chars()
    }

    /// Counts the values of one enum; fails when they are too many or too long.
    pub(super) fn take_values(&mut self, values: &[Value]) -> Result<(), &'static str> {
        let chars: usize = values.iter().map(|value| value.to_string().chars().count()).sum();
        self.values += values.len();
        self.chars += chars;
        if self.values > STRICT_VALUES_MAX {
            return Err("it has too many values in enums");
        }
        if chars > STRICT_ENUM_CHARS_MAX {
            return Err("the values of an enum are too long");
        }
        self.check_chars()
    }

    fn check_chars(&self) -> Result<(), &'static str> {
        if self.chars > STRICT_CHARS_MAX {
            return Err("its keys and values are too long together");
        }
        Ok(())
    }
}
