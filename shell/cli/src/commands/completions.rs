//! `manos completions`: the completion script of a shell.

use std::process::ExitCode;

use clap::CommandFactory as _;

use crate::args::{Cli, CompletionsArgs};
use crate::output;

pub(crate) fn run(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "manos", &mut script);
    output::raw(&script);
    ExitCode::SUCCESS
}
