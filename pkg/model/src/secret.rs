//! A value that must not be printed.

use std::fmt;

/// A value that has neither `Serialize` nor a telling `Debug`; [`Secret::expose`] reads it.
///
/// ```
/// use manos_model::Secret;
/// let key = Secret::new("sk-1".to_owned());
/// assert_eq!(format!("{key:?}"), "Secret(…)");
/// assert_eq!(key.expose(), "sk-1");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Wraps the value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Returns the value; the caller must not print it.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}
