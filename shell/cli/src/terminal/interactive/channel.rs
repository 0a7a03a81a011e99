//! The channel of a person at a terminal: everything goes through one queue, in order.

use async_trait::async_trait;
use manos::model::ChatKey;
use manos::ports::{Accepted, Channel, ChannelError, Output, Progress};
use tokio::sync::{mpsc, oneshot};

/// Things that wait to be shown. Outputs wait for room; progress that finds none is lost.
const QUEUE_MAX: usize = 1_024;

/// Something to show.
#[derive(Debug)]
pub(super) enum Shown {
    /// A line beside the talk.
    Aside(String),
    /// An output; told when it stands on the screen.
    Output(Box<Output>, oneshot::Sender<()>),
    /// What goes on.
    Progress(Progress),
}

/// The side of the runtime.
#[derive(Debug, Clone)]
pub(super) struct TerminalChannel {
    chat: ChatKey,
    queue: mpsc::Sender<Shown>,
}

impl TerminalChannel {
    pub(super) fn new(chat: ChatKey) -> (Self, mpsc::Receiver<Shown>) {
        let (queue, shown) = mpsc::channel(QUEUE_MAX);
        (Self { chat, queue }, shown)
    }

    /// Shows a line beside the talk.
    pub(super) fn aside(&self, line: String) {
        let _lost = self.queue.try_send(Shown::Aside(line));
    }
}

#[async_trait]
impl Channel for TerminalChannel {
    fn serves(&self, chat: &ChatKey) -> bool {
        *chat == self.chat
    }

    async fn send(&self, _chat: &ChatKey, output: &Output) -> Result<Accepted, ChannelError> {
        let (sender, shown) = oneshot::channel();
        let queued = Shown::Output(Box::new(output.clone()), sender);
        let gone = || ChannelError::NotSent { source: "the terminal is not read any more".into() };
        self.queue.send(queued).await.map_err(|_| gone())?;
        shown.await.map_err(|_| gone())?;
        Ok(Accepted)
    }

    fn progress(&self, _chat: &ChatKey, progress: Progress) {
        let _lost = self.queue.try_send(Shown::Progress(progress));
    }
}
