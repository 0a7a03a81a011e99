//! Plays a world: steps drawn from a number, or a given list of them; then everything comes to rest.

use std::panic::{AssertUnwindSafe, catch_unwind};

use manos_chat::{DeliveryOutcome, Event};

use crate::agent;
use crate::chance::Dice;
use crate::process::Process;
use crate::step::{self, Step};
use crate::watch::{Broken, Promise};
use crate::world::{Faults, Flight, FlightKind, ModelEnd, Outcome, World, model_event};

/// What came of a world.
#[derive(Debug)]
pub struct Played {
    /// The steps that were played.
    pub steps: Vec<Step>,
    /// The promise that was broken.
    pub broken: Option<Broken>,
    /// The kinds of audit events that were kept.
    pub kinds: std::collections::BTreeSet<String>,
    /// Steps played, those in which everything comes to rest included.
    pub count: u64,
}

/// A process and the world around it.
#[derive(Debug)]
struct Stage {
    world: World,
    process: Process,
    count: u64,
}

/// Draws and plays `count` steps.
pub fn play(seed: u64, count: usize) -> Played {
    run(seed, &mut |dice, world, played| (played < count).then(|| step::next_step(dice, world)))
}

/// Plays these steps in the world of a number.
pub fn replay(seed: u64, steps: &[Step]) -> Played {
    run(seed, &mut |_, _, played| steps.get(played).copied())
}

type Next<'a> = dyn FnMut(&mut Dice, &World, usize) -> Option<Step> + 'a;

fn run(seed: u64, next: &mut Next<'_>) -> Played {
    let mut dice = Dice::new(seed);
    let mut steps = Vec::new();
    let settings = match agent::settings(&mut dice) {
        Ok(settings) => settings,
        Err(error) => {
            let broken = Broken { promise: Promise::Sound, how: format!("{error:#}") };
            let kinds = std::collections::BTreeSet::new();
            return Played { steps, broken: Some(broken), kinds, count: 0 };
        }
    };
    let mut stage = Stage { world: World::new(settings), process: Process::default(), count: 0 };
    let fell = catch_unwind(AssertUnwindSafe(|| {
        while stage.world.watch.broken().is_none() {
            let Some(step) = next(&mut dice, &stage.world, steps.len()) else { break };
            steps.push(step);
            stage.step(step);
        }
        if stage.world.watch.broken().is_none() {
            stage.rest();
        }
    }));
    if fell.is_err() {
        stage.world.watch.breaks(Promise::Sound, || "something panicked".to_owned());
    }
    let watch = &mut stage.world.watch;
    let kinds = std::mem::take(&mut watch.kinds);
    Played { steps, broken: watch.broken().cloned(), kinds, count: stage.count }
}

impl Stage {
    fn step(&mut self, step: Step) {
        self.count += 1;
        let world = &mut self.world;
        match step {
            Step::Says { chat, user, what } => world.says(chat, user, what),
            Step::Presses { chat, user, which, yes } => world.presses(chat, user, which, yes),
            Step::Asks { chat, tool, who } => world.asks(chat, tool, who),
            Step::Operates { chat, what } => world.operates(chat, what),
            Step::Acts { which } => world.acts(which),
            Step::Takes { which } => world.takes(which),
            Step::Waits { seconds } => world.wait(u64::from(seconds) * 1000),
            Step::Jumps { seconds } => world.jump(i64::from(seconds)),
            Step::Fate { how } => world.faults.next = Some(Faults::fate(how)),
            Step::Full { full } => world.faults.full = full,
            Step::Unreadable { unreadable } => world.faults.unreadable = unreadable,
            Step::Ticks => self.process.tick(world),
            Step::Pumps { chat } => self.process.pump(world, &world.chat(chat)),
            Step::Sleeps { chat } => self.process.sleep(world, &world.chat(chat)),
            Step::Crashes { serves } => self.crash(serves),
            Step::Wakes => self.wake(),
            Step::Arrives { .. }
            | Step::Model { .. }
            | Step::Ends { .. }
            | Step::Sent { .. }
            | Step::Settles { .. } => self.comes(step),
        }
        if self.world.crashed {
            self.crash(true);
        }
    }

    /// Something comes to the process from outside.
    fn comes(&mut self, step: Step) {
        let world = &mut self.world;
        match step {
            Step::Arrives { which, copy, hold } => {
                if let Some(mail) = world.arrives(which, copy) {
                    self.process.deliver(world, mail, hold);
                }
            }
            Step::Model { which, how, calls, hold } => {
                let ended = world.model_ends(which, how, calls);
                if let Some(ModelEnd { chat: Some(chat), turn_id: Some(turn_id), reply, .. }) =
                    ended
                {
                    let event = model_event(turn_id, reply);
                    self.process.happened(world, &chat, event, hold);
                }
            }
            Step::Ends { which, how, hold } => {
                let Some((_, chat, run_id, end)) = world.ends(which, how) else { return };
                let event = Event::ToolEnded { run_id, end, duration_ms: 5 };
                self.process.happened(world, &chat, event, hold);
            }
            Step::Sent { which, how, hold } => {
                let Some((_, chat, delivery_id, outcome)) = world.sent(which, how) else { return };
                let outcome = match outcome {
                    Outcome::NotSent => DeliveryOutcome::NotSent,
                    Outcome::Sent => DeliveryOutcome::Sent,
                    Outcome::Unclear => DeliveryOutcome::Unknown,
                };
                let event = Event::Delivered { delivery_id, outcome };
                self.process.happened(world, &chat, event, hold);
            }
            Step::Settles { which } => {
                let Some((chat, run_id, done)) = world.settles(which) else { return };
                let event = Event::Settled { run_id, done };
                self.process.happened(world, &chat, event, false);
            }
            _ => {}
        }
    }

    fn crash(&mut self, serves: bool) {
        self.process = Process::default();
        self.world.die(serves);
    }

    fn wake(&mut self) {
        if let Some(chat) = self.world.to_wake.pop() {
            self.process.wake(&mut self.world, &chat);
        }
    }

    /// Nothing fails any more, everybody does what is left to do, and time goes by.
    fn rest(&mut self) {
        self.world.faults = Faults::default();
        if !self.world.serves {
            self.crash(true);
        }
        for _ in 0..ROUNDS_MAX {
            if self.world.watch.broken().is_some() {
                return;
            }
            let flight = self.world.flights.values().find(|flight| !flight.orphan);
            let step = match flight.map(|flight: &Flight| &flight.kind) {
                _ if !self.world.to_wake.is_empty() => Step::Wakes,
                _ if !self.world.mail.is_empty() => {
                    Step::Arrives { which: 0, copy: false, hold: false }
                }
                Some(FlightKind::Model { .. }) => {
                    Step::Model { which: 0, how: u8::MAX, calls: [0; 3], hold: false }
                }
                Some(FlightKind::Tool { .. }) => Step::Ends { which: 0, how: 0, hold: false },
                Some(FlightKind::Send { .. }) => Step::Sent { which: 0, how: 2, hold: false },
                None if self.process.quiet() => break,
                None => {
                    self.world.wait(20_000);
                    Step::Ticks
                }
            };
            self.step(step);
        }
        self.world.at_rest();
    }
}

/// More than any world needs to come to rest.
const ROUNDS_MAX: usize = 2_000;
