//! A door that a test opens and shuts.

use tokio::sync::watch;

/// Whoever passes waits while it is shut. Open at first.
#[derive(Debug)]
pub struct Gate {
    open: watch::Sender<bool>,
}

impl Default for Gate {
    fn default() -> Self {
        Self { open: watch::Sender::new(true) }
    }
}

impl Gate {
    /// Lets nobody through from now on.
    pub fn shut(&self) {
        self.open.send_replace(false);
    }

    /// Lets everybody through.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until it is open.
    pub async fn pass(&self) {
        let mut changes = self.open.subscribe();
        // The sender lives as long as the gate.
        let _open = changes.wait_for(|open| *open).await;
    }
}
