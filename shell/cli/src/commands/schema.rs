//! `manos schema`: the JSON Schema of the agent file, for editors.

use std::process::ExitCode;

use crate::failure::Failure;
use crate::output;

pub(crate) fn run() -> Result<ExitCode, Failure> {
    let schema = manos::config::json_schema();
    let text = serde_json::to_string_pretty(&schema).map_err(|error| Failure::of(&error))?;
    output::line(&text);
    Ok(ExitCode::SUCCESS)
}
