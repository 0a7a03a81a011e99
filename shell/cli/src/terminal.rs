//! The person at the terminal, or the pipe in their place.
//!
//! | file | subject |
//! | --- | --- |
//! | `piped.rs` | one message a line in, plain lines or JSON objects out |
//! | `lines.rs` | reading lines of any bytes |
//! | `interactive.rs` | a person at a terminal: the loop |
//! | `interactive/` | its channel, what is shown, and leaving in order |
//! | `screen.rs` | replies, questions, the spinner and text on its way |
//! | `wrap.rs` | text in rows |
//! | `keyboard.rs` | the thread that reads keys, lines and answers |
//! | `keys.rs` | what keys mean; text typed ahead |
//! | `editor.rs` | the line editor with its history |
//! | `plain.rs` | a line where the cursor cannot be moved |
//! | `raw.rs` | the terminal's modes |
//! | `signals.rs` | being asked to end |

mod editor;
pub(crate) mod interactive;
mod keyboard;
mod keys;
mod lines;
pub(crate) mod piped;
mod plain;
mod raw;
mod screen;
pub(crate) mod signals;
mod wrap;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use manos::chat::{Inbound, InboundBody};
use manos::engine::Surface;
use manos::model::{ChatKey, ConfirmationId, UserId};
use manos::ports::{Accepted, Channel, ChannelError, Output, Progress};
use manos::runtime::Runtime;
use manos::{Opening, WouldRun, open};
use manos_answer::Language;

use crate::agent_file::LoadedFile;
use crate::failure::Failure;

/// A talk with an agent.
pub(crate) struct Talk {
    pub(crate) chat: ChatKey,
    pub(crate) user: UserId,
    pub(crate) file: LoadedFile,
    pub(crate) answers_too: Option<Language>,
    pub(crate) dry_run: Option<WouldRun>,
}

/// How long commands that change one thing wait at their end.
pub(crate) const SHUTDOWN_SOON: Duration = Duration::from_secs(5);

/// Opens an agent on a channel.
pub(crate) fn open_runtime(
    file: &LoadedFile,
    channel: Arc<dyn Channel>,
    answers_too: Option<Language>,
    dry_run: Option<WouldRun>,
) -> Result<Runtime, Failure> {
    Ok(open(Opening {
        file: &file.agent,
        secrets: &file.secrets,
        folder: &file.folder,
        channel,
        handlers: BTreeMap::new(),
        answers_too,
        dry_run,
    })?)
}

/// Notes which file the agent runs from, and takes up what an earlier process left.
pub(crate) async fn begin(runtime: &Runtime, file: &LoadedFile) -> Result<(), Failure> {
    runtime.announce(&file.digest).await?;
    runtime.resume().await?;
    Ok(())
}

/// The channel of commands that talk to nobody: outputs wait in the store for a channel that does.
#[derive(Debug)]
pub(crate) struct Nobody;

#[async_trait]
impl Channel for Nobody {
    fn serves(&self, _chat: &ChatKey) -> bool {
        false
    }

    async fn send(&self, _chat: &ChatKey, _output: &Output) -> Result<Accepted, ChannelError> {
        Err(ChannelError::NotSent { source: "nobody is here".into() })
    }

    fn progress(&self, _chat: &ChatKey, _progress: Progress) {}
}

/// What a line from the person is: a press, or words.
pub(crate) fn inbound(line: &str, user: &UserId, surface: Surface) -> Result<Inbound, Failure> {
    let mut words = line.split_whitespace();
    let body = if words.next() == Some("/press") {
        press(words)?
    } else {
        InboundBody::Text(line.to_owned())
    };
    Ok(Inbound { message_id: None, user: user.clone(), surface, body })
}

fn press<'a>(words: impl Iterator<Item = &'a str>) -> Result<InboundBody, Failure> {
    let words: Vec<&str> = words.collect();
    match words.as_slice() {
        [id, answer @ ("yes" | "no")] => {
            Ok(InboundBody::Press { id: ConfirmationId::new(*id), yes: *answer == "yes" })
        }
        _ => Err(Failure::usage("a press is written /press ID yes or /press ID no")),
    }
}
