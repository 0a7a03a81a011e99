//! Which chats are awake. An awake chat is one task; an idle one is nothing but rows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use manos_model::ChatKey;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::actor::{Actor, Order};
use crate::runtime::Shared;

/// Orders that wait for one chat; a sender waits beyond it.
const ORDERS_MAX: usize = 64;

/// Idle chats kept in memory; beyond it a chat leaves as soon as it is idle.
pub(crate) const IDLE_KEPT_MAX: usize = 1024;

#[derive(Debug)]
pub(crate) struct Registry {
    shared: Arc<Shared>,
    awake: Mutex<HashMap<ChatKey, mpsc::Sender<Order>>>,
    actors: TaskTracker,
}

impl Registry {
    pub(crate) fn new(shared: Arc<Shared>) -> Arc<Self> {
        Arc::new(Self { shared, awake: Mutex::new(HashMap::new()), actors: TaskTracker::new() })
    }

    /// Takes a chat up that an earlier process left with work.
    pub(crate) async fn wake(self: &Arc<Self>, chat: &ChatKey) {
        self.send(chat, Order::Wake).await;
    }

    /// Sends an order to a chat, waking it when it sleeps.
    pub(crate) async fn send(self: &Arc<Self>, chat: &ChatKey, order: Order) {
        let mut order = order;
        loop {
            let sender = self.sender(chat);
            match sender.send(order).await {
                Ok(()) => return,
                // The chat fell asleep in between: wake it again.
                Err(mpsc::error::SendError(back)) => order = back,
            }
        }
    }

    fn sender(self: &Arc<Self>, chat: &ChatKey) -> mpsc::Sender<Order> {
        let mut awake = self.awake.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = awake.get(chat).filter(|sender| !sender.is_closed()) {
            return sender.clone();
        }
        let (sender, receiver) = mpsc::channel(ORDERS_MAX);
        let actor = Actor::new(
            chat.clone(),
            Arc::clone(&self.shared),
            Arc::clone(self),
            sender.downgrade(),
            receiver,
        );
        self.actors.spawn(actor.run());
        awake.insert(chat.clone(), sender.clone());
        sender
    }

    /// Whether more chats are awake than are kept while idle.
    pub(crate) fn crowded(&self) -> bool {
        self.awake.lock().unwrap_or_else(PoisonError::into_inner).len() > IDLE_KEPT_MAX
    }

    /// Lets an idle chat leave, unless an order came in the meantime. What is still put into the
    /// closed queue by somebody who had begun to send is the chat's to hand on.
    pub(crate) fn leave(&self, chat: &ChatKey, receiver: &mut mpsc::Receiver<Order>) -> bool {
        let mut awake = self.awake.lock().unwrap_or_else(PoisonError::into_inner);
        if !receiver.is_empty() {
            return false;
        }
        receiver.close();
        awake.remove(chat);
        true
    }

    /// Returns the chats that are awake.
    pub(crate) fn awake(&self) -> Vec<ChatKey> {
        self.awake.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Whether no chat has an order that it did not take yet.
    pub(crate) fn nothing_waits(&self) -> bool {
        let awake = self.awake.lock().unwrap_or_else(PoisonError::into_inner);
        awake.values().all(|sender| sender.capacity() == sender.max_capacity())
    }

    /// Lets every chat leave.
    pub(crate) async fn close(&self) {
        self.awake.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.actors.close();
        self.actors.wait().await;
    }
}
