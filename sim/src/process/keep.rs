//! Events into decisions, decisions into commits.

use std::collections::VecDeque;

use manos_chat::{Chat, ChatEffect, Event, Inbound, InboundBody, Keep};
use manos_engine::KnownEnd;
use manos_model::{ChatKey, Failure, RunEnd, RunId, Stamp};
use manos_ports::StoreError;

use super::{Desk, Loaded, Offered, PENDING_MAX, RETRY_WAIT, Resume};
use crate::watch::Promise;
use crate::world::World;

/// What one commit brings about.
#[derive(Debug, Default)]
pub(super) struct Decided {
    effects: Vec<ChatEffect>,
    events: Vec<(Offered, Stamp)>,
    keep: Option<Keep>,
}

/// A commit of which the store does not say whether it is kept.
#[derive(Debug)]
pub(super) struct Doubt {
    revision: u64,
    begun: VecDeque<Offered>,
    decided: Decided,
}

impl Doubt {
    fn into_offered(self) -> VecDeque<Offered> {
        let mut events = self.begun;
        events.extend(self.decided.events.into_iter().map(|(offered, _)| offered));
        events
    }
}

/// The store failed.
struct Failed;

impl Desk {
    /// Decides, keeps, acts; in as few commits as the events allow.
    pub(super) fn keep(&mut self, world: &mut World, chat: &ChatKey, batch: Vec<Offered>) {
        let loaded = self.load(world, chat);
        let mut events = std::mem::take(&mut self.unkept);
        events.extend(batch);
        if loaded.is_err() {
            return self.give_back(world, events);
        }
        self.add_resumed(world, &mut events);
        while !events.is_empty() && !world.crashed {
            if self.load(world, chat).is_err() {
                return self.give_back(world, events);
            }
            if self.keep_some(world, chat, &mut events).is_err() {
                return self.give_back(world, events);
            }
        }
        self.retry = None;
        self.send_next(world, chat);
    }

    fn give_back(&mut self, world: &mut World, events: VecDeque<Offered>) {
        self.refuse(world, events);
        let waits = !self.unkept.is_empty() || self.doubt.is_some() || self.resume == Resume::Asked;
        self.retry = waits.then(|| world.even_ms + RETRY_WAIT);
    }

    fn load(&mut self, world: &mut World, chat: &ChatKey) -> Result<(), StoreError> {
        if self.loaded.is_some() {
            return Ok(());
        }
        let loaded = match world.load(chat)? {
            None => {
                let chat = Chat::new(chat.clone());
                let active = chat.active_json().unwrap_or_default();
                Loaded { chat, revision: 0, active }
            }
            Some(stored) => {
                let read = Chat::read(chat.clone(), &stored.active, stored.memory.as_deref());
                let chat = match read {
                    Ok(chat) => chat,
                    Err(error) => {
                        world.watch.breaks(Promise::Sound, || error.to_string());
                        Chat::new(chat.clone())
                    }
                };
                Loaded { chat, revision: stored.revision, active: stored.active }
            }
        };
        if !loaded.chat.awake() && self.resume != Resume::Done {
            self.resume = Resume::Done;
        } else if self.resume == Resume::Unknown {
            self.resume = Resume::Due;
        }
        let revision = loaded.revision;
        self.loaded = Some(loaded);
        self.settle_doubt(world, chat, revision);
        Ok(())
    }

    fn add_resumed(&mut self, world: &mut World, events: &mut VecDeque<Offered>) {
        let place = match self.resume {
            Resume::Unknown | Resume::Done => return,
            Resume::Asked => Some(0),
            Resume::Due => events.iter().position(|offered| reads_the_chat(&offered.event)),
        };
        let reset = events.iter().any(|offered| is_reset(&offered.event));
        let Some(place) = place.or_else(|| reset.then_some(events.len())) else { return };
        let known = self.known_ends(world);
        events.insert(place, Offered::happened(Event::Resumed { known }));
        self.resume = Resume::Asked;
    }

    fn known_ends(&self, world: &mut World) -> Vec<(RunId, KnownEnd)> {
        let Some(loaded) = &self.loaded else { return Vec::new() };
        let runs = loaded.chat.runs_under_way();
        runs.map(|run| (run.run_id.clone(), world.known_end(&run.call.tool, &run.run_id))).collect()
    }

    fn keep_some(
        &mut self,
        world: &mut World,
        chat: &ChatKey,
        events: &mut VecDeque<Offered>,
    ) -> Result<(), Failed> {
        let mut decided = Decided::default();
        while let Some(mut offered) = events.pop_front() {
            let received = matches!(offered.event, Event::Received(_));
            if received && self.pending.batch.has_message() {
                events.push_front(offered);
                break;
            }
            offered.event = unless_seen(world, chat, offered.event);
            let stamp = offered.begun.unwrap_or_else(|| world.stamp());
            self.decide(world, chat, offered, stamp, &mut decided);
        }
        let room = self.pending.events.len() + decided.events.len() <= PENDING_MAX;
        if decided.keep == Some(Keep::Later) && room {
            self.begin(world, chat, decided);
            return Ok(());
        }
        self.commit(world, chat, decided, events)
    }

    fn decide(
        &mut self,
        world: &mut World,
        chat: &ChatKey,
        offered: Offered,
        stamp: Stamp,
        decided: &mut Decided,
    ) {
        let Some(loaded) = &mut self.loaded else { return };
        let spec = std::sync::Arc::clone(&world.settings.spec);
        // A refusal changes nothing; its sender hears of it.
        let Ok(mut decision) = loaded.chat.apply(&spec, &offered.event, stamp) else { return };
        let batch = &mut self.pending.batch;
        if let Err(error) = batch.add(chat, &spec, &offered.event, stamp, &mut decision) {
            world.watch.breaks(Promise::Sound, || error.to_string());
        }
        if offered.begun.is_none() {
            decided.effects.append(&mut decision.effects);
        }
        let nobody_waits = offered.taken.is_none() && offered.begun.is_none();
        if decision.keep != Keep::Later || !nobody_waits {
            decided.keep = Some(Keep::First);
        }
        decided.keep.get_or_insert(Keep::Later);
        decided.events.push((offered, stamp));
    }

    /// Keeps what has begun and waits to be kept.
    pub(super) fn keep_pending(&mut self, world: &mut World, chat: &ChatKey) {
        if self.pending.since.is_none() {
            return;
        }
        let mut left = VecDeque::new();
        if self.commit(world, chat, Decided::default(), &mut left).is_err() {
            self.give_back(world, left);
        }
    }

    fn commit(
        &mut self,
        world: &mut World,
        chat: &ChatKey,
        decided: Decided,
        left: &mut VecDeque<Offered>,
    ) -> Result<(), Failed> {
        if decided.events.is_empty() && self.pending.since.is_none() {
            return Ok(());
        }
        let Some(loaded) = &mut self.loaded else { return Ok(()) };
        let mut pending = std::mem::take(&mut self.pending);
        let batch = std::mem::take(&mut pending.batch);
        let commit =
            match batch.commit(&mut loaded.chat, loaded.revision, world.now(), &loaded.active) {
                Ok(commit) => commit,
                Err(error) => {
                    world.watch.breaks(Promise::Sound, || error.to_string());
                    return Ok(());
                }
            };
        let active = commit.active.clone();
        match world.commit(&commit) {
            Ok(committed) => {
                loaded.revision = committed.revision;
                loaded.active = active;
                self.kept(world, chat, decided);
                Ok(())
            }
            Err(error) => {
                let revision = loaded.revision;
                self.loaded = None;
                let begun = pending.events.into_iter().map(|(event, stamp)| Offered {
                    event,
                    taken: None,
                    begun: Some(stamp),
                    refused: false,
                });
                let doubt = Doubt { revision, begun: begun.collect(), decided };
                self.failed(world, chat, &error, doubt, left)
            }
        }
    }

    /// A commit has failed; the store is asked whether it is kept all the same.
    fn failed(
        &mut self,
        world: &mut World,
        chat: &ChatKey,
        error: &StoreError,
        doubt: Doubt,
        left: &mut VecDeque<Offered>,
    ) -> Result<(), Failed> {
        if !matches!(error, StoreError::Failed { .. }) {
            return self.not_kept(world, error, doubt.into_offered(), left);
        }
        let revision = doubt.revision;
        self.doubt = Some(doubt);
        let known = self.load(world, chat).is_ok();
        if self.loaded.as_ref().is_some_and(|loaded| loaded.revision > revision) {
            return Ok(());
        }
        if let Some(doubt) = self.doubt.as_mut().filter(|_| !known) {
            for (offered, _) in &mut doubt.decided.events {
                if let Some(mail) = offered.taken.take() {
                    offered.refused = true;
                    world.not_acknowledged(mail);
                }
            }
        }
        self.refuse(world, std::mem::take(left));
        Err(Failed)
    }

    /// The store has been read: now it is known.
    fn settle_doubt(&mut self, world: &mut World, chat: &ChatKey, revision: u64) {
        let Some(doubt) = self.doubt.take() else { return };
        if revision > doubt.revision {
            self.kept(world, chat, doubt.decided);
            return;
        }
        let later = std::mem::take(&mut self.unkept);
        let events = doubt.into_offered().into_iter().filter(|offered| !offered.refused);
        self.refuse(world, events.collect());
        self.unkept.extend(later);
    }

    fn kept(&mut self, world: &mut World, chat: &ChatKey, decided: Decided) {
        for (Offered { event, taken, begun, .. }, _) in decided.events {
            if begun.is_none() {
                self.ended(&event);
            }
            if let Some(mail) = taken {
                world.acknowledged(&mail, matches!(event, Event::Duplicate(_)));
            }
        }
        self.start(world, chat, decided.effects);
    }

    fn start(&mut self, world: &mut World, chat: &ChatKey, effects: Vec<ChatEffect>) {
        for run_id in super::start::start_all(world, chat, effects) {
            let end = RunEnd::NotDone(Failure::Expired);
            let event = Event::ToolEnded { run_id, end, duration_ms: 0 };
            self.orders.push(Offered::happened(event));
        }
    }

    fn begin(&mut self, world: &mut World, chat: &ChatKey, decided: Decided) {
        for (offered, stamp) in decided.events {
            self.ended(&offered.event);
            self.pending.events.push((offered.event, stamp));
            self.pending.since.get_or_insert(world.even_ms);
        }
        self.start(world, chat, decided.effects);
    }

    /// What came from outside is refused; what has happened is offered again.
    fn not_kept(
        &mut self,
        world: &mut World,
        error: &StoreError,
        mut events: VecDeque<Offered>,
        left: &mut VecDeque<Offered>,
    ) -> Result<(), Failed> {
        let has_message = |offered: &Offered| matches!(&offered.event, Event::Received(inbound) if inbound.message_id.is_some());
        if matches!(error, StoreError::Duplicate) && events.iter().any(has_message) {
            for offered in events.into_iter().rev() {
                left.push_front(Offered { event: as_duplicate(offered.event), ..offered });
            }
            return Ok(());
        }
        events.append(left);
        self.refuse(world, events);
        Err(Failed)
    }

    fn refuse(&mut self, world: &mut World, events: VecDeque<Offered>) {
        for offered in events {
            match (offered.taken, offered.event) {
                // The sender hears that it was not taken, or hears nothing: the process is dead.
                (Some(mail), _) => world.not_acknowledged(mail),
                (None, Event::Resumed { .. }) => {}
                (taken, event) => {
                    let (begun, refused) = (offered.begun, offered.refused);
                    self.unkept.push_back(Offered { event, taken, begun, refused });
                }
            }
        }
    }
}

fn unless_seen(world: &World, chat: &ChatKey, event: Event) -> Event {
    let Event::Received(inbound) = &event else { return event };
    let Some(message_id) = &inbound.message_id else { return event };
    match world.seen(chat, message_id) {
        Ok(true) => Event::Duplicate(message_id.clone()),
        Ok(false) | Err(_) => event,
    }
}

fn as_duplicate(event: Event) -> Event {
    match event {
        Event::Received(inbound) => match inbound.message_id {
            Some(message_id) => Event::Duplicate(message_id),
            None => Event::Received(inbound),
        },
        other => other,
    }
}

fn is_reset(event: &Event) -> bool {
    matches!(event, Event::Received(Inbound { body: InboundBody::Reset, .. }))
}

fn reads_the_chat(event: &Event) -> bool {
    matches!(event, Event::Received(_)) && !is_reset(event)
}
