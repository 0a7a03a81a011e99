//! What this build can run. The rest is read and checked, and never silently ignored.

/// Channels that are served, the terminal apart.
pub(crate) const CHANNELS: &[&str] = &[];
/// Whether endpoints and the webhook can be called.
pub(crate) const ENDPOINTS: bool = true;
/// Built-in tools that can be run.
pub(crate) const BUILTINS: &[&str] = &[];
