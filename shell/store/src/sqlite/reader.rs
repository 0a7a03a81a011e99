//! A thread that reads, so that no worker of the async runtime waits for the disk.
//!
//! There are two, so that a chat is loaded at once while somebody pages through the audit trail.

use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use manos_ports::StoreError;

use super::open;
use super::place::Place;

/// Questions that may wait for one thread; beyond it whoever asks waits.
const QUESTIONS_MAX: usize = 256;

type Question = Box<dyn FnOnce(Result<&Connection, StoreError>) + Send>;

/// The handle on the thread. Dropping it joins the thread.
#[derive(Debug)]
pub(crate) struct Reader {
    place: Place,
    questions: Option<mpsc::Sender<Question>>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts the thread. Without a connection it opens its own at the first question.
    pub(crate) fn start(
        place: &Place,
        name: &str,
        connection: Option<Connection>,
    ) -> Result<Self, StoreError> {
        let (questions, waiting) = mpsc::channel(QUESTIONS_MAX);
        let for_thread = place.clone();
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || answer_all(&for_thread, connection, waiting))
            .map_err(|error| place.io_failed("could not start a reader", error))?;
        Ok(Self { place: place.clone(), questions: Some(questions), thread: Some(thread) })
    }

    /// Reads on the thread.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection, &Place) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let gone = || {
            let source = "its reader has stopped".into();
            StoreError::Failed { doing: format!("{} could not be read", self.place), source }
        };
        let (answer, answered) = oneshot::channel();
        let place = self.place.clone();
        let question: Question = Box::new(move |connection| {
            // Whoever asked may have gone, which changes nothing.
            drop(answer.send(connection.and_then(|connection| read(connection, &place))));
        });
        let questions = self.questions.as_ref().ok_or_else(gone)?;
        questions.send(question).await.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.questions = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(store = %self.place, "a reader of the store panicked");
        }
    }
}

fn answer_all(
    place: &Place,
    mut connection: Option<Connection>,
    mut waiting: mpsc::Receiver<Question>,
) {
    while let Some(question) = waiting.blocking_recv() {
        if connection.is_none() {
            match open::reader(place) {
                Ok(opened) => connection = Some(opened),
                Err(error) => {
                    question(Err(error));
                    continue;
                }
            }
        }
        if let Some(connection) = &connection {
            question(Ok(connection));
        }
    }
}
