//! The `manos` command.
//!
//! | file | subject |
//! | --- | --- |
//! | `args.rs` | what can be written on the command line |
//! | `failure.rs` | errors as one sentence, what to do, and an exit code |
//! | `output.rs` | the only place that prints |
//! | `agent_file.rs` | loading the agent file and telling what is wrong with it |
//! | `commands/` | one file for each command |
//! | `terminal/` | the person at the terminal, or the pipe in their place |

mod agent_file;
mod args;
mod commands;
mod failure;
mod logs;
mod output;
mod terminal;

use std::process::ExitCode;

use clap::Parser as _;

use crate::args::{Cli, Command, NoticesCommand};
use crate::failure::Failure;

/// See `docs/decisions/` for what it brings and costs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    logs::start(cli.log);
    match run(cli.command) {
        Ok(code) => code,
        Err(failure) => {
            output::failure(&failure);
            failure.exit_code()
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Audit(args) => commands::audit::run(&args),
        Command::Call(args) => commands::call::run(&args),
        Command::Chat(args) => commands::chat::run(&args),
        Command::Chats(args) => commands::chats::run(&args),
        Command::Check(args) => Ok(commands::check::run(&args)),
        Command::Classify(args) => commands::classify::run(&args),
        Command::Completions(args) => Ok(commands::completions::run(&args)),
        Command::Deliveries(args) => commands::deliveries::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Notices(NoticesCommand::Test(args)) => commands::notices::test(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Reset(args) => commands::reset::run(&args),
        Command::Runs(args) => commands::runs::run(&args),
        Command::Schema => commands::schema::run(),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(&args),
        Command::Sign(args) => commands::signing::sign(&args),
        Command::Tools(args) => commands::tools::run(&args),
        Command::Verify(args) => commands::signing::verify(&args),
    }
}
