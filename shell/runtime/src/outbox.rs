//! One output on its way to the channel.
//!
//! The queue is the chat's own outbox: its actor sends the oldest, and the next once the end of that
//! one is kept. So outputs keep their order, a question that was withdrawn meanwhile is not sent,
//! and after a crash at most one of them is in doubt.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use manos_chat::{Delivery, DeliveryKind, DeliveryOutcome, Event};
use manos_model::ChatKey;
use manos_ports::{ChannelError, Output, OutputButton, OutputKind};
use tokio_util::sync::CancellationToken;

use crate::effects::Reporter;
use crate::runtime::Shared;

/// How often an output that surely did not arrive is tried.
const TRIES_MAX: u32 = 5;

/// The wait before the second try; it doubles each time.
const RETRY_WAIT: Duration = Duration::from_millis(500);

/// How long a channel may take for one output; then nobody can tell whether it arrived.
const SEND_WAIT: Duration = Duration::from_mins(1);

/// Sends an output and tells its end to the chat.
pub(crate) fn send(
    shared: &Arc<Shared>,
    reporter: Reporter,
    delivery: Delivery,
    withdrawn: CancellationToken,
) {
    let tasks = shared.tasks.clone();
    let shared = Arc::clone(shared);
    tasks.spawn(async move {
        let delivery_id = delivery.id.clone();
        let output = output(delivery);
        if let Some(outcome) = outcome(&shared, reporter.chat(), &output, &withdrawn).await {
            reporter.report(Event::Delivered { delivery_id, outcome }).await;
        }
    });
}

/// What becomes of it; `None` when the process stops before it could arrive: it stays in the outbox
/// of the chat.
async fn outcome(
    shared: &Shared,
    chat: &ChatKey,
    output: &Output,
    withdrawn: &CancellationToken,
) -> Option<DeliveryOutcome> {
    let mut wait = RETRY_WAIT;
    for attempt in 1..=TRIES_MAX {
        if withdrawn.is_cancelled() {
            return Some(DeliveryOutcome::NotSent);
        }
        match try_once(shared, chat, output).await {
            Ok(()) => return Some(DeliveryOutcome::Sent),
            Err(ChannelError::NotSent { source }) => {
                tracing::warn!(%chat, attempt, error = %source, "an output did not go out");
            }
            Err(error) => {
                tracing::warn!(%chat, %error, "an output may not have arrived");
                return Some(DeliveryOutcome::Unknown);
            }
        }
        if attempt < TRIES_MAX {
            tokio::select! {
                biased;
                () = shared.stopping.cancelled() => return None,
                () = withdrawn.cancelled() => return Some(DeliveryOutcome::NotSent),
                () = tokio::time::sleep(wait) => wait *= 2,
            }
        }
    }
    Some(DeliveryOutcome::NotSent)
}

/// A channel that panics or hangs must not leave the chat waiting.
async fn try_once(shared: &Shared, chat: &ChatKey, output: &Output) -> Result<(), ChannelError> {
    let sending = AssertUnwindSafe(shared.parts.channel.send(chat, output)).catch_unwind();
    match tokio::time::timeout(SEND_WAIT, sending).await {
        Ok(Ok(sent)) => sent.map(|_| ()),
        Ok(Err(_panic)) => Err(ChannelError::Unclear { source: "the channel panicked".into() }),
        Err(elapsed) => Err(ChannelError::Unclear { source: elapsed.into() }),
    }
}

fn output(delivery: Delivery) -> Output {
    let kind = match delivery.kind {
        DeliveryKind::Confirm { id, tool, title, text, buttons, expires_at } => {
            OutputKind::Confirm {
                id,
                tool,
                title,
                text,
                buttons: buttons.map_or_else(Vec::new, |[yes, no]| {
                    vec![
                        OutputButton { answer: "yes", label: yes },
                        OutputButton { answer: "no", label: no },
                    ]
                }),
                expires_at,
            }
        }
        DeliveryKind::Edit { id, text } => OutputKind::Edit { id, text },
        DeliveryKind::Reply { text } => OutputKind::Reply { text },
    };
    Output { delivery_id: delivery.id, turn_id: delivery.turn_id, kind }
}
