//! Calls of tools by other platforms.
//!
//! Every call goes the agent's own path: known, allowed, parsed, valid, not a duplicate, confirmed,
//! kept, run. Here it is only given its name, so that the same call is not taken twice, and its end
//! is waited for.

mod platforms;

use std::sync::Arc;

use manos_chat::{Inbound, InboundBody};
use manos_engine::{CallOutcome, Confirmer, Surface};
use manos_model::{ChatKey, Failure, Ids, UserId};
use manos_runtime::{Chance as _, DeliverError, KnownOutcome, SystemChance};
use manos_wire_tool::called::{Answer, Platform};

use crate::Served;
use crate::handle::Shared;
use crate::problem::Problem;

pub(crate) use platforms::{retell, tools, vapi};

/// The longest body of a call, in bytes; a longer one is refused. Platforms send the whole talk so
/// far along with each call.
pub const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Calls that wait or run at once in all agents; more are refused.
pub const CALLS_AT_ONCE_MAX: usize = 1_024;

/// Calls that wait or run at once in one chat; more are refused. A chat runs one after another.
pub const CALLS_PER_CHAT_MAX: usize = 16;

/// One call, read and believed.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    /// The chat that it is in.
    pub(crate) chat: String,
    /// Who calls.
    pub(crate) user: String,
    /// The tool.
    pub(crate) tool: String,
    /// The arguments as JSON text.
    pub(crate) arguments: String,
    /// The names that it is known by, the one that decides first.
    pub(crate) known_as: Vec<String>,
    /// The platform that asked the person itself, where the agent file says so.
    pub(crate) confirmed_by: Option<Platform>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Came {
    pub(crate) answer: Answer,
    /// Whether it was asked for before.
    pub(crate) again: bool,
}

/// Makes a call, or tells what came of it when it was made before.
///
/// The work goes on when whoever asked has gone: a call that was taken is not given up halfway, and
/// a second request under its name finds it.
pub(crate) async fn make(
    shared: &Arc<Shared>,
    agent: &Arc<Served>,
    call: Call,
) -> Result<Came, Problem> {
    let place = agent.chats.enter(&call.chat, CALLS_PER_CHAT_MAX).ok_or(Problem::Busy)?;
    let permit = Arc::clone(&shared.calls).try_acquire_owned().map_err(|_| Problem::Busy)?;
    let agent = Arc::clone(agent);
    let made = shared.tasks.spawn(async move {
        let came = made(&agent, call).await;
        drop((place, permit));
        came
    });
    // A panic of ours must not look like an end of the call.
    made.await.unwrap_or(Ok(Came { answer: Answer::Unknown, again: false }))
}

async fn made(agent: &Served, mut call: Call) -> Result<Came, Problem> {
    if call.known_as.is_empty() {
        let once = Ids::new(SystemChance.draw()).next_hex();
        call.known_as.push(format!("once:{once}"));
    }
    let first = call.known_as[0].clone();
    // From the look to the commit nobody else may take a call of one of these names.
    let holding = agent.held.hold(call.known_as.clone()).await;
    if let Some(came) = known(agent, &call.known_as).await? {
        return Ok(came);
    }
    let chat = ChatKey::new(&call.chat);
    agent.runtime.deliver(&chat, inbound(agent, call)).await.map_err(|error| not_kept(&error))?;
    drop(holding);
    match outcome(agent, &first).await? {
        Some(answer) => Ok(Came { answer, again: false }),
        // The chat's inbox was full: nothing of it was taken.
        None => Err(Problem::Busy),
    }
}

/// What is known of a call by one of its names.
async fn known(agent: &Served, names: &[String]) -> Result<Option<Came>, Problem> {
    for (index, name) in names.iter().enumerate() {
        match outcome(agent, name).await? {
            None => {}
            Some(answer) if index == 0 => return Ok(Some(Came { answer, again: true })),
            // The signature is known, and what nobody signed says that it is another call.
            Some(_) => return Err(Problem::Replayed),
        }
    }
    Ok(None)
}

async fn outcome(agent: &Served, name: &str) -> Result<Option<Answer>, Problem> {
    let known = agent.runtime.known_call(name).await.map_err(|error| {
        tracing::error!(agent = agent.name, %error, "a call cannot be looked up");
        Problem::Unavailable
    })?;
    Ok(known.map(|known| match known {
        KnownOutcome::Ended(CallOutcome::Done(value)) => Answer::Done(value),
        KnownOutcome::Ended(CallOutcome::Failed(failure)) => Answer::Failed(failure),
        KnownOutcome::Ended(CallOutcome::Replied(user_reply)) => {
            Answer::Failed(Failure::UserReplied { user_reply })
        }
        KnownOutcome::Unknown => Answer::Unknown,
    }))
}

fn inbound(agent: &Served, call: Call) -> Inbound {
    let confirms = |platform: Platform| agent.file.caller_confirms(platform.as_str(), &call.tool);
    let confirmer = match call.confirmed_by {
        Some(platform) if confirms(platform) => Confirmer::CodeYes,
        _ => Confirmer::Nobody,
    };
    Inbound {
        message_id: None,
        user: UserId::new(call.user),
        surface: Surface { repeats: true, ..Surface::default() },
        body: InboundBody::Call {
            tool: call.tool,
            arguments: call.arguments,
            confirmer,
            known_as: call.known_as,
        },
    }
}

fn not_kept(error: &DeliverError) -> Problem {
    match error {
        DeliverError::Closing => Problem::Closing,
        other => {
            tracing::error!(error = %other, "a call was not kept");
            Problem::Unavailable
        }
    }
}
