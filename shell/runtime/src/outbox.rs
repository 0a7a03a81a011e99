//! Outputs of one chat, sent one after another.

use std::sync::Arc;
use std::time::Duration;

use manos_chat::{Delivery, DeliveryKind, DeliveryOutcome, Event};
use manos_model::ChatKey;
use manos_ports::{ChannelError, Output, OutputButton, OutputKind};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::actor::Order;
use crate::runtime::Shared;

/// How often an output that surely did not arrive is tried.
const TRIES_MAX: u32 = 5;

/// The wait before the second try; it doubles each time.
const RETRY_WAIT: Duration = Duration::from_millis(500);

/// The queue of a chat's outputs. Its task lives as long as the chat is awake. It holds no more
/// than the outbox of the chat, which has a limit of its own.
#[derive(Debug)]
pub(crate) struct Outbox {
    chat: ChatKey,
    shared: Arc<Shared>,
    own: mpsc::WeakSender<Order>,
    tasks: TaskTracker,
    queue: Option<mpsc::UnboundedSender<Delivery>>,
}

impl Outbox {
    pub(crate) fn new(
        chat: ChatKey,
        shared: Arc<Shared>,
        own: mpsc::WeakSender<Order>,
        tasks: TaskTracker,
    ) -> Self {
        Self { chat, shared, own, tasks, queue: None }
    }

    /// Sends an output after those before it. A chat whose channel is not served by this process
    /// keeps its outputs for one that serves it.
    pub(crate) fn send(&mut self, delivery: Delivery) {
        if !self.shared.parts.channel.serves(&self.chat) {
            return;
        }
        let queue = self.queue.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::unbounded_channel();
            let task = run(self.chat.clone(), Arc::clone(&self.shared), self.own.clone(), receiver);
            self.tasks.spawn(task);
            sender
        });
        // The task ends only when this end of the queue is dropped.
        let _ended = queue.send(delivery);
    }
}

async fn run(
    chat: ChatKey,
    shared: Arc<Shared>,
    own: mpsc::WeakSender<Order>,
    mut queue: mpsc::UnboundedReceiver<Delivery>,
) {
    while let Some(delivery) = queue.recv().await {
        let delivery_id = delivery.id.clone();
        let outcome = send(&chat, &shared, &output(delivery)).await;
        let Some(own) = own.upgrade() else { return };
        let event = Event::Delivered { delivery_id, outcome };
        let order = Order::Event { event: Box::new(event), taken: None };
        if own.send(order).await.is_err() {
            return;
        }
    }
}

async fn send(chat: &ChatKey, shared: &Shared, output: &Output) -> DeliveryOutcome {
    let mut wait = RETRY_WAIT;
    for attempt in 1..=TRIES_MAX {
        match shared.parts.channel.send(chat, output).await {
            Ok(_) => return DeliveryOutcome::Sent,
            Err(ChannelError::NotSent { source }) => {
                tracing::warn!(%chat, attempt, error = %source, "an output did not go out");
                if attempt < TRIES_MAX {
                    tokio::time::sleep(wait).await;
                    wait *= 2;
                }
            }
            Err(error) => {
                tracing::warn!(%chat, %error, "an output may not have arrived");
                return DeliveryOutcome::Unknown;
            }
        }
    }
    DeliveryOutcome::NotSent
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
