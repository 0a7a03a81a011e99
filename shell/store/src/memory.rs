//! The store that forgets everything with its process: for tests, and agents that need no past.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use manos_model::{ChatKey, MessageId, RunId, Timestamp, TurnId};
use manos_ports::{
    AuditLine, AuditQuery, AuditRow, CallRow, ChatQuery, ChatSummary, Commit, Committed,
    DeliveryLog, LoggedCommit, RunRow, RunState, RunsQuery, Store, StoreError, StoredChat,
};

use crate::lines;

mod deliveries;

use deliveries::Deliveries;

/// Keeps everything in memory; nothing is ever thrown away but message ids and
/// calls from outside.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use manos_ports::{ChatQuery, Store as _};
/// use manos_store::MemoryStore;
///
/// let store = MemoryStore::default();
/// assert!(store.load(&"terminal:local".into()).await.unwrap().is_none());
/// # });
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    chats: BTreeMap<ChatKey, Chat>,
    turns: BTreeMap<TurnId, (ChatKey, usize)>,
    audit: Vec<(ChatKey, AuditLine)>,
    runs: Vec<RunRow>,
    run_places: BTreeMap<RunId, usize>,
    calls: BTreeMap<String, CallRow>,
    deliveries: Deliveries,
}

#[derive(Debug)]
struct Chat {
    active: String,
    memory: Option<Arc<str>>,
    awake: bool,
    last_at: Timestamp,
    messages: BTreeMap<MessageId, Timestamp>,
    log: Vec<Logged>,
}

/// One commit; its place in the log is its revision less one.
#[derive(Debug)]
struct Logged {
    events: Vec<String>,
    active_before: Option<String>,
    memory_before: Option<Arc<str>>,
    audit: Range<usize>,
}

impl MemoryStore {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // Nothing below panics between two changes, so what a poisoned lock guards is whole.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn commit(&mut self, commit: Commit) -> Result<Committed, StoreError> {
        let found = self.chats.get(&commit.chat).map_or(0, Chat::revision);
        if found != commit.revision {
            return Err(StoreError::Conflict { expected: commit.revision, found });
        }
        let chat = self.chats.entry(commit.chat.clone()).or_insert_with(|| Chat::new(commit.at));
        if let Some(message) = commit.message_id {
            if chat.messages.contains_key(&message) {
                return Err(StoreError::Duplicate);
            }
            chat.messages.insert(message, commit.at);
        }
        let audit_first = self.audit.len();
        self.audit.extend(commit.audit.into_iter().map(|line| (commit.chat.clone(), line)));
        let audit = audit_first..self.audit.len();
        let audit_last = (!audit.is_empty()).then(|| id_of(audit.end - 1));
        let turn_starts = !commit.turns_started.is_empty();
        for turn in commit.turns_started {
            self.turns.entry(turn).or_insert_with(|| (commit.chat.clone(), chat.log.len()));
        }
        chat.log.push(Logged {
            events: commit.events,
            active_before: commit.active_before,
            memory_before: chat.memory.clone().filter(|_| turn_starts),
            audit,
        });
        chat.active = commit.active;
        chat.awake = commit.awake;
        chat.last_at = commit.at;
        if let Some(memory) = commit.memory {
            chat.memory = Some(memory.into());
        }
        let revision = chat.revision();
        for run in commit.runs {
            self.keep_run(run);
        }
        self.calls.extend(commit.calls.into_iter().map(|call| (call.key.clone(), call)));
        Ok(Committed { revision, audit_last })
    }

    fn keep_run(&mut self, run: RunRow) {
        let place = self.run_places.get(&run.run_id);
        if let Some(known) = place.and_then(|&place| self.runs.get_mut(place)) {
            *known = run;
        } else {
            self.run_places.insert(run.run_id.clone(), self.runs.len());
            self.runs.push(run);
        }
    }

    fn audit(&self, query: &AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        let first = usize::try_from(query.after).unwrap_or(usize::MAX);
        let lines = self.audit.iter().enumerate().skip(first);
        let wanted = lines.filter(|(_, (chat, line))| {
            query.chat.as_ref().is_none_or(|wanted| wanted == chat)
                && query.turn.as_ref().is_none_or(|wanted| line.turn_id.as_ref() == Some(wanted))
        });
        wanted
            .take(query.limit)
            .map(|(place, (_, line))| {
                Ok(AuditRow { id: id_of(place), json: audit_json(place, line)? })
            })
            .collect()
    }

    fn turn_log(&self, turn: &TurnId) -> Result<Option<(ChatKey, Vec<LoggedCommit>)>, StoreError> {
        let Some((key, first)) = self.turns.get(turn) else { return Ok(None) };
        let Some(chat) = self.chats.get(key) else { return Ok(None) };
        let tells = |logged: &Logged| {
            self.audit[logged.audit.clone()]
                .iter()
                .any(|(_, line)| line.turn_id.as_ref() == Some(turn))
        };
        let last = chat.log.iter().rposition(tells).unwrap_or(*first).max(*first);
        let commits = chat.log.iter().zip(1_u64..).take(last + 1).skip(*first);
        let commits = commits.map(|(logged, revision)| {
            let places = logged.audit.clone();
            Ok(LoggedCommit {
                revision,
                events: logged.events.clone(),
                active_before: logged.active_before.clone(),
                memory_before: logged.memory_before.as_deref().map(str::to_owned),
                audit: places
                    .map(|place| audit_json(place, &self.audit[place].1))
                    .collect::<Result<_, _>>()?,
            })
        });
        Ok(Some((key.clone(), commits.collect::<Result<_, StoreError>>()?)))
    }
}

impl Chat {
    fn new(at: Timestamp) -> Self {
        Self {
            active: String::new(),
            memory: None,
            awake: false,
            last_at: at,
            messages: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    fn revision(&self) -> u64 {
        self.log.len() as u64
    }
}

/// Ids count from 1.
fn id_of(place: usize) -> u64 {
    place as u64 + 1
}

fn audit_json(place: usize, line: &AuditLine) -> Result<String, StoreError> {
    lines::with_id(id_of(place), &line.json).ok_or_else(|| StoreError::Corrupt {
        place: "the store in memory".to_owned(),
        what: format!("audit event {} is not a JSON object", id_of(place)),
    })
}

#[async_trait]
impl Store for MemoryStore {
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.kept().commit(commit)
    }

    async fn load(&self, chat: &ChatKey) -> Result<Option<StoredChat>, StoreError> {
        Ok(self.kept().chats.get(chat).map(|chat| StoredChat {
            revision: chat.revision(),
            active: chat.active.clone(),
            memory: chat.memory.as_deref().map(str::to_owned),
        }))
    }

    async fn seen(&self, chat: &ChatKey, message: &MessageId) -> Result<bool, StoreError> {
        Ok(self.kept().chats.get(chat).is_some_and(|chat| chat.messages.contains_key(message)))
    }

    async fn chats(&self, query: ChatQuery) -> Result<Vec<ChatSummary>, StoreError> {
        let kept = self.kept();
        let after = query.after.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let later = kept.chats.range::<ChatKey, _>((after, Bound::Unbounded));
        let wanted = later.filter(|(_, chat)| chat.awake || !query.awake_only);
        let summaries = wanted.take(query.limit).map(|(key, chat)| ChatSummary {
            chat: key.clone(),
            revision: chat.revision(),
            awake: chat.awake,
            last_at: chat.last_at,
        });
        Ok(summaries.collect())
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        self.kept().audit(&query)
    }

    async fn call(&self, key: &str) -> Result<Option<CallRow>, StoreError> {
        Ok(self.kept().calls.get(key).cloned())
    }

    async fn runs(&self, query: RunsQuery) -> Result<Vec<RunRow>, StoreError> {
        let kept = self.kept();
        let wanted = kept.runs.iter().rev().filter(|run| {
            query.run_id.as_ref().is_none_or(|wanted| *wanted == run.run_id)
                && (run.state == RunState::Unknown || !query.unknown_only)
        });
        Ok(wanted.take(query.limit).cloned().collect())
    }

    async fn turn_log(
        &self,
        turn: &TurnId,
    ) -> Result<Option<(ChatKey, Vec<LoggedCommit>)>, StoreError> {
        self.kept().turn_log(turn)
    }

    async fn forget_messages(&self, before: Timestamp) -> Result<u64, StoreError> {
        let mut forgotten = 0;
        for chat in self.kept().chats.values_mut() {
            let known = chat.messages.len();
            chat.messages.retain(|_, at| *at >= before);
            forgotten += (known - chat.messages.len()) as u64;
        }
        Ok(forgotten)
    }

    async fn forget_calls(&self, before: Timestamp) -> Result<u64, StoreError> {
        let calls = &mut self.kept().calls;
        let known = calls.len();
        calls.retain(|_, call| call.at >= before);
        Ok((known - calls.len()) as u64)
    }

    fn delivery_log(&self) -> &dyn DeliveryLog {
        self
    }
}
