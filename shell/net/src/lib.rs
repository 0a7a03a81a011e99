//! The one HTTP client.
