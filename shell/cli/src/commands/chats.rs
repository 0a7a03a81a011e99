//! `manos chats`: what is stored.

use std::process::ExitCode;

use manos::ports::ChatQuery;
use manos::runtime::agent_chat;

use crate::agent_file::{self, Purpose};
use crate::args::FileArgs;
use crate::commands::{block_on, stored};
use crate::failure::Failure;
use crate::output;

/// Chats read from the store at once.
const PAGE: usize = 500;

pub(crate) fn run(args: &FileArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Look)?;
    let store = stored(&file)?;
    block_on(async move {
        let mut rows = vec![["CHAT", "LAST", "COMMITS", "STATE"].map(str::to_owned)];
        let own = agent_chat(&file.agent.name);
        let mut after = None;
        loop {
            let page = store.chats(ChatQuery { awake_only: false, after, limit: PAGE }).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.chat.clone());
            // Facts about the agent itself are kept beside the chats, and are none.
            let chats = page.into_iter().filter(|chat| chat.chat != own);
            rows.extend(chats.map(|chat| {
                let state = if chat.awake { "open" } else { "idle" };
                [
                    chat.chat.as_str().to_owned(),
                    format!("{:.3}", chat.last_at),
                    chat.revision.to_string(),
                    state.to_owned(),
                ]
            }));
        }
        output::table(&rows);
        Ok(ExitCode::SUCCESS)
    })
}
