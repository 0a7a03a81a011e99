//! Whose run it was: for ends that come after a run was given up.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use manos_model::{ChatKey, RunId};

/// The chats of runs under way, and of those told as unknown whose end may still come.
#[derive(Debug, Default)]
pub(crate) struct LateRuns(Mutex<Runs>);

#[derive(Debug, Default)]
struct Runs {
    under_way: HashMap<RunId, ChatKey>,
    unknown: VecDeque<(RunId, ChatKey)>,
}

/// Late ends that are waited for; beyond it the oldest is forgotten, and stays unknown until a
/// human settles it.
const LATE_RUNS_MAX: usize = 4_096;

impl LateRuns {
    pub(crate) fn started(&self, run_id: RunId, chat: ChatKey) {
        self.runs().under_way.insert(run_id, chat);
    }

    pub(crate) fn ended(&self, run_id: &RunId, unknown: bool) {
        let mut runs = self.runs();
        let Some(chat) = runs.under_way.remove(run_id) else { return };
        if !unknown {
            return;
        }
        if runs.unknown.len() >= LATE_RUNS_MAX {
            runs.unknown.pop_front();
        }
        runs.unknown.push_back((run_id.clone(), chat));
    }

    /// Returns the chat of a run that ended late.
    pub(crate) fn take(&self, run_id: &RunId) -> Option<ChatKey> {
        let mut runs = self.runs();
        // The late end may be here before the run was given up.
        if let Some(chat) = runs.under_way.remove(run_id) {
            return Some(chat);
        }
        let at = runs.unknown.iter().position(|(waited, _)| waited == run_id)?;
        runs.unknown.remove(at).map(|(_, chat)| chat)
    }

    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chat() -> ChatKey {
        "web:1".into()
    }

    #[test]
    fn an_end_finds_its_chat_once_when_it_may_come_late() {
        for (given_up, unknown, found) in [
            (false, false, Some(chat())), // it overtook the first end
            (true, true, Some(chat())),
            (true, false, None), // its end is known
        ] {
            let late = LateRuns::default();
            late.started("r".into(), chat());
            if given_up {
                late.ended(&"r".into(), unknown);
            }
            assert_eq!(late.take(&"r".into()), found, "given up {given_up}, unknown {unknown}");
            assert_eq!(late.take(&"r".into()), None);
        }
    }

    #[test]
    fn only_so_many_late_ends_are_waited_for() {
        let late = LateRuns::default();
        for number in 0..=LATE_RUNS_MAX {
            let run_id = RunId::new(number.to_string());
            late.started(run_id.clone(), chat());
            late.ended(&run_id, true);
        }
        assert_eq!(late.take(&"0".into()), None);
        assert_eq!(late.take(&"1".into()), Some(chat()));
    }
}
