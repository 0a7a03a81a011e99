//! `manos reset`: clears one chat.

use std::process::ExitCode;
use std::sync::Arc;

use manos::chat::{Inbound, InboundBody};
use manos::engine::Surface;
use manos::model::ChatKey;

use crate::agent_file::{self, Purpose};
use crate::args::ResetArgs;
use crate::commands::{block_on, stored};
use crate::failure::Failure;
use crate::output;
use crate::terminal::{Nobody, SHUTDOWN_SOON, open_runtime};

pub(crate) fn run(args: &ResetArgs) -> Result<ExitCode, Failure> {
    let file = agent_file::load(&args.file, Purpose::Run)?;
    let chat = ChatKey::new(&args.key);
    let store = stored(&file)?;
    block_on(async move {
        if store.load(&chat).await?.is_none() {
            return Err(Failure::failed(format!("there is no chat {chat}"))
                .hint("list them: manos chats FILE"));
        }
        drop(store);
        let runtime = open_runtime(&file, Arc::new(Nobody), None, None)?;
        let inbound = Inbound {
            message_id: None,
            user: "operator".into(),
            surface: Surface::default(),
            body: InboundBody::Reset,
        };
        runtime.deliver(&chat, inbound).await?;
        runtime.shutdown(SHUTDOWN_SOON).await;
        output::line(&format!("{chat} is cleared; its ledger and audit trail stay"));
        Ok(ExitCode::SUCCESS)
    })
}
