//! Log lines on standard error. What is logged is chosen by `RUST_LOG`; by default errors only.

use tracing_subscriber::EnvFilter;

use crate::args::Log;
use crate::output::Paint;

pub(crate) fn start(form: Log) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("error"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(Paint::stderr().is_on())
        .with_writer(std::io::stderr);
    match form {
        Log::Json => lines.json().init(),
        Log::Text => lines.with_target(false).init(),
    }
}
