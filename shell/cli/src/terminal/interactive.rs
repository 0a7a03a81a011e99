//! A person at a terminal.

use std::process::ExitCode;

use super::{Talk, piped};
use crate::failure::Failure;

pub(crate) async fn run(talk: Talk) -> Result<ExitCode, Failure> {
    piped::run(talk, false).await
}
