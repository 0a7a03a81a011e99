//! What every store must do.
//!
//! [`store_contract!`](crate::store_contract) turns each function of [`cases`] into a test of its
//! own, on a store of its own. [`commit`] and its friends make the rows; they are public so that
//! tests of one store can use them too.

use manos_model::{ChatKey, RunId, Timestamp, TurnId};
use manos_ports::{AuditLine, AuditQuery, Commit, RunRow, RunState, Store};

pub mod cases;

/// Runs the contract of stores on an implementation, each case as one test.
///
/// `store_contract!(MemoryStore::default());` makes a new store for each case. What must live as
/// long as the store, such as a temporary folder, is named first:
/// `store_contract!(folder = tempfile::tempdir().unwrap(); MyStore::open(folder.path()));`
///
/// The package that uses it needs `tokio` with `macros` and `rt`.
#[macro_export]
macro_rules! store_contract {
    ($store:expr) => {
        $crate::store_contract!(_nothing = (); $store);
    };
    ($guard:ident = $make:expr; $store:expr) => {
        $crate::store_contract! {
            @cases ($guard) ($make) ($store)
            a_chat_is_read_back_as_it_was_kept
            an_unknown_chat_is_nothing
            a_late_writer_conflicts_and_leaves_nothing
            a_new_chat_starts_at_nothing
            a_message_is_taken_once_by_each_chat
            memory_stays_until_it_is_replaced
            texts_keep_every_character
            audit_ids_have_no_gap
            refused_commits_use_no_audit_id
            audit_is_read_in_pages
            audit_is_read_by_chat
            audit_is_read_by_turn
            a_turn_is_read_from_start_to_last_with_what_was_before
            a_turn_without_audit_events_is_its_first_commit
            an_unknown_turn_is_nothing
            chats_are_listed_by_key_in_pages
            chats_with_work_left_are_listed_alone
            the_ledger_lists_the_latest_first
            a_run_is_settled_in_place
            many_chats_at_once_are_all_kept
            many_writers_of_one_chat_are_put_in_order
            message_ids_are_forgotten_by_age
            a_call_is_known_by_its_key_and_takes_its_outcome
            calls_are_forgotten_by_age
            nobody_is_told_before_somebody_is_known
            an_endpoint_begins_where_the_trail_is
            what_is_taken_up_waits_and_moves_the_cursor
            deliveries_are_due_in_the_order_of_their_time
            tries_are_counted_and_kept
            an_endpoint_fails_and_recovers_by_its_deliveries
            deliveries_are_listed_latest_first_and_by_endpoint
            what_is_over_is_forgotten_beyond_a_number
            endpoints_are_forgotten_beyond_a_number
        }
    };
    (@cases ($guard:ident) ($make:expr) ($store:expr) $($case:ident)*) => {
        $(
            #[tokio::test]
            async fn $case() {
                let $guard = $make;
                let store = $store;
                $crate::contract::store::cases::$case(&store).await;
            }
        )*
    };
}

/// Noon of a Monday, and so many seconds.
pub fn noon(seconds: i64) -> Timestamp {
    const NOON: i64 = 1_767_614_400;
    Timestamp::from_second(NOON.saturating_add(seconds)).unwrap_or(Timestamp::MAX)
}

/// A commit of a chat at a revision, with one event and nothing else.
pub fn commit(chat: &str, revision: u64) -> Commit {
    Commit {
        chat: ChatKey::new(chat),
        revision,
        at: noon(i64::try_from(revision).unwrap_or(i64::MAX)),
        events: vec![format!(r#"{{"event":"{chat} {revision}"}}"#)],
        active: format!(r#"{{"after":{}}}"#, revision.saturating_add(1)),
        memory: None,
        active_before: None,
        turns_started: Vec::new(),
        awake: false,
        message_id: None,
        audit: Vec::new(),
        runs: Vec::new(),
        calls: Vec::new(),
    }
}

/// Audit lines of one turn, or of none, numbered by `seq`.
pub fn audit_lines(turn: Option<&str>, seqs: impl IntoIterator<Item = u64>) -> Vec<AuditLine> {
    let line = |seq| AuditLine {
        turn_id: turn.map(TurnId::new),
        json: format!(r#"{{"seq":{seq},"turn_id":{}}}"#, serde_json::json!(turn)),
    };
    seqs.into_iter().map(line).collect()
}

/// A row of the ledger.
pub fn run(chat: &str, run_id: &str, state: RunState) -> RunRow {
    RunRow {
        run_id: RunId::new(run_id),
        chat: ChatKey::new(chat),
        state,
        at: noon(0),
        json: format!(r#"{{"tool":"crear_pedido","run":"{run_id}"}}"#),
    }
}

/// Everything in the audit trail.
pub fn whole_trail() -> AuditQuery {
    AuditQuery { limit: usize::MAX, ..AuditQuery::default() }
}

/// Ids of the audit events that a query finds.
pub async fn audit_ids(store: &impl Store, query: AuditQuery) -> Vec<u64> {
    store.audit(query).await.unwrap().into_iter().map(|row| row.id).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_case_is_in_the_contract() {
        let sources = [
            include_str!("store/cases/calls.rs"),
            include_str!("store/cases/chats.rs"),
            include_str!("store/cases/deliveries.rs"),
            include_str!("store/cases/ledger.rs"),
            include_str!("store/cases/trail.rs"),
        ];
        let lines = sources.into_iter().flat_map(str::lines);
        let cases = lines.filter_map(|line| line.strip_prefix("pub async fn ")?.split('(').next());
        let contract = include_str!("store.rs");
        let missing: Vec<&str> =
            cases.filter(|case| !contract.contains(&format!("            {case}\n"))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
