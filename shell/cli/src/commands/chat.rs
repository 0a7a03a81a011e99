//! `manos chat`: talks to the agent, at a terminal or through a pipe.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Arc;

use manos::WouldRun;
use manos::model::{ChatKey, UserId};
use manos_answer::Language;

use crate::agent_file::{self, Purpose};
use crate::args::ChatArgs;
use crate::commands::block_on;
use crate::failure::Failure;
use crate::output;
use crate::terminal::{self, Talk};

pub(crate) fn run(args: &ChatArgs) -> Result<ExitCode, Failure> {
    let answers_too = match args.lang.as_deref() {
        None => None,
        Some(tag) => Some(Language::from_tag(tag).ok_or_else(|| {
            Failure::usage(format!("answers in {tag} are not understood"))
                .hint("languages: es, en, pt, fr, it, de, ca, nl, pl, tr, ja, zh, ar")
        })?),
    };
    let file = agent_file::load(&args.file, Purpose::Run)?;
    file.notes.iter().for_each(|note| output::note(note));
    let name = args.user.as_deref().unwrap_or("local");
    let own = format!("terminal:{name}");
    let talk = Talk {
        chat: ChatKey::new(args.chat.as_deref().unwrap_or(&own)),
        user: UserId::new(own.as_str()),
        file,
        answers_too,
        dry_run: args.dry_run.then(would_run),
    };
    let at_terminal =
        !args.json && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    block_on(async move {
        if at_terminal {
            terminal::interactive::run(talk).await
        } else {
            terminal::piped::run(talk, args.json).await
        }
    })
}

fn would_run() -> WouldRun {
    Arc::new(|tool: &str, arguments: &str| output::line(&format!("would run {tool} {arguments}")))
}
