//! The group of processes that one call started.

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::Child;
use tokio::time::timeout;

use super::{KILL_WAIT_MAX, TERM_GRACE};

/// Ends with its owner: a group that was not seen to end is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    leader: Option<Pid>,
}

impl Group {
    /// The group that this process leads.
    pub(super) fn of(child: &Child) -> Self {
        let leader = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Self { leader }
    }

    /// Kills whatever is left of the group, at once. Does nothing the second time.
    pub(super) fn kill(&mut self) {
        if let Some(leader) = self.leader.take() {
            signal(leader, Signal::KILL);
        }
    }

    /// Asks the group to end, and kills it when it does not.
    pub(super) async fn stop(&mut self, child: &mut Child) {
        if let Some(leader) = self.leader {
            signal(leader, Signal::TERM);
            if timeout(TERM_GRACE, child.wait()).await.is_err() {
                tracing::debug!("a program did not end when it was asked to");
            }
        }
        self.kill();
        if timeout(KILL_WAIT_MAX, child.wait()).await.is_err() {
            tracing::warn!("a killed program is not gone yet");
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

fn signal(leader: Pid, signal: Signal) {
    // Nobody is left in the group: that is what is wanted.
    if let Err(error) = kill_process_group(leader, signal)
        && error != rustix::io::Errno::SRCH
    {
        tracing::debug!(%error, "a group of processes could not be signalled");
    }
}
