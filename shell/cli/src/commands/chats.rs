//! `manos chats`: what is stored.

use std::process::ExitCode;

use manos::chat::Chat;
use manos::ports::{ChatQuery, ChatSummary, Store};
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
            for chat in page.into_iter().filter(|chat| chat.chat != own) {
                rows.push([
                    chat.chat.as_str().to_owned(),
                    format!("{:.3}", chat.last_at),
                    chat.revision.to_string(),
                    state(store.as_ref(), &chat).await?.to_owned(),
                ]);
            }
        }
        output::table(&rows);
        Ok(ExitCode::SUCCESS)
    })
}

/// Whether a turn, message or run is open, only an output waits for its channel, or nothing.
async fn state(store: &dyn Store, chat: &ChatSummary) -> Result<&'static str, Failure> {
    if !chat.awake {
        return Ok("idle");
    }
    let Some(stored) = store.load(&chat.chat).await? else { return Ok("idle") };
    let read = Chat::read(chat.chat.clone(), &stored.active, stored.memory.as_deref());
    let only_outputs = read.is_ok_and(|chat| chat.only_outputs_wait());
    Ok(if only_outputs { "unsent" } else { "open" })
}
