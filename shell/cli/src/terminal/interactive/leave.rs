//! Leaving in order: what runs may end, what is open is told, and the terminal is as it was.

use std::time::Duration;

use super::Talking;
use crate::terminal::keyboard::What;
use crate::terminal::piped::tell_open;
use crate::terminal::signals::Signals;

impl Talking<'_> {
    /// Shuts down: no new input is taken, and what runs has the agent's grace to end. A Ctrl-C or
    /// signal meanwhile stops it at once. Outputs are shown to the last.
    pub(super) async fn leave(mut self, signals: &mut Signals) {
        self.leaving = true;
        self.call_off().await;
        self.settled = None;
        self.screen.rest();
        let runtime = self.runtime;
        let grace = self.talk.file.agent.limits.shutdown_grace;
        let mut shutdown = Box::pin(runtime.shutdown(grace));
        let mut hurried = false;
        loop {
            tokio::select! {
                () = &mut shutdown => break,
                Some(shown) = self.shown.recv() => self.show(shown).await,
                heard = self.keyboard.hear(), if !hurried => {
                    if matches!(heard.what, What::Interrupt | What::Broken(_)) {
                        hurried = true;
                        shutdown = Box::pin(runtime.shutdown(Duration::ZERO));
                    }
                }
                _ = signals.next(), if !hurried => {
                    hurried = true;
                    shutdown = Box::pin(runtime.shutdown(Duration::ZERO));
                }
            }
        }
        while let Ok(shown) = self.shown.try_recv() {
            self.show(shown).await;
        }
        self.screen.rest();
        drop(self.keyboard);
        if let Some(question) = &self.question {
            tell_open(&question.title, question.deadline, runtime);
        }
    }
}
