//! The language of scenarios: one thing that happens in the world.
//!
//! A step says by small numbers what is meant; which model call, which message that is depends on
//! the moment, so that a list from which steps were dropped can still be played.

use crate::chance::Dice;
use crate::world::{FlightKind, World};

/// One thing that happens. What does not fit the moment is passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the numbers of a step say which of several is meant, and how")]
pub enum Step {
    /// Somebody writes; the message is on its way.
    Says { chat: u8, user: u8, what: u8 },
    /// Somebody presses a button of a question they have seen, an old one too.
    Presses { chat: u8, user: u8, which: u8, yes: bool },
    /// Code asks for a call.
    Asks { chat: u8, tool: u8, who: u8 },
    /// Somebody stops the turn, clears the chat, takes it over or gives it back.
    Operates { chat: u8, what: u8 },
    /// A message arrives; a copy of it may stay on its way, to come again.
    Arrives { which: u8, copy: bool, hold: bool },
    /// A model call comes to something.
    Model { which: u8, how: u8, calls: [u8; 3], hold: bool },
    /// A tool does its work in the world; nobody is told yet.
    Acts { which: u8 },
    /// The end of a run is reported.
    Ends { which: u8, how: u8, hold: bool },
    /// An output arrives at the person; nobody is told yet.
    Takes { which: u8 },
    /// The end of an output is reported.
    Sent { which: u8, how: u8, hold: bool },
    /// Time goes by.
    Waits { seconds: u16 },
    /// The clock is put forward or back.
    Jumps { seconds: i16 },
    /// Whatever is due is done.
    Ticks,
    /// A chat takes up what has been held up.
    Pumps { chat: u8 },
    /// A new process takes up the next chat that the old one left.
    Wakes,
    /// What becomes of the next commit.
    Fate { how: u8 },
    /// The store takes nothing, or takes again.
    Full { full: bool },
    /// The store reads nothing, or reads again.
    Unreadable { unreadable: bool },
    /// The process dies, and another one starts.
    Crashes { serves: bool },
    /// A chat at rest leaves the memory.
    Sleeps { chat: u8 },
    /// A human says how an unknown run ended.
    Settles { which: u8 },
}

/// Draws the next step; what there is to go on with is more likely.
pub(crate) fn next_step(dice: &mut Dice, world: &World) -> Step {
    let flights = |wanted: fn(&FlightKind) -> bool| {
        world.flights.values().filter(|flight| wanted(&flight.kind)).count()
    };
    let models = flights(|kind| matches!(kind, FlightKind::Model { .. }));
    let tools = flights(|kind| matches!(kind, FlightKind::Tool { .. }));
    let sends = flights(|kind| matches!(kind, FlightKind::Send { .. }));
    let some = |count: usize, weight: usize| if count > 0 { weight } else { 0 };
    let table: [(usize, u8); 21] = [
        (if world.mail.len() < 6 { 12 } else { 1 }, 0),
        (some(world.questions_seen(), 5), 1),
        (1, 2),
        (2, 3),
        (some(world.mail.len(), 26), 4),
        (some(models, 30), 5),
        (some(tools, 14), 6),
        (some(tools, 18), 7),
        (some(sends, 18), 8),
        (some(sends, 22), 9),
        (5, 10),
        (1, 11),
        (6, 12),
        (2, 13),
        (some(world.to_wake.len(), 30), 14),
        (4, 15),
        (if world.faults.full { 20 } else { 1 }, 16),
        (if world.faults.unreadable { 30 } else { 1 }, 17),
        (2, 18),
        (2, 19),
        (1, 20),
    ];
    let total = table.iter().map(|(weight, _)| weight).sum();
    let mut left = dice.below(total);
    let row = table.iter().find(|(weight, _)| {
        let found = left < *weight;
        left = left.saturating_sub(*weight);
        found
    });
    step(row.map_or(12, |(_, number)| *number), dice)
}

fn step(number: u8, dice: &mut Dice) -> Step {
    let hold = dice.one_in(6);
    match number {
        0 => Step::Says { chat: dice.byte(), user: dice.byte(), what: dice.byte() },
        1 => Step::Presses {
            chat: dice.byte(),
            user: dice.byte(),
            which: dice.byte(),
            yes: !dice.one_in(3),
        },
        2 => Step::Asks { chat: dice.byte(), tool: dice.byte(), who: dice.byte() },
        3 => Step::Operates { chat: dice.byte(), what: dice.byte() },
        4 => Step::Arrives { which: dice.byte(), copy: dice.one_in(6), hold },
        5 => {
            let calls = [dice.byte(), dice.byte(), dice.byte()];
            Step::Model { which: dice.byte(), how: dice.byte(), calls, hold }
        }
        6 => Step::Acts { which: dice.byte() },
        7 => Step::Ends { which: dice.byte(), how: dice.byte(), hold },
        8 => Step::Takes { which: dice.byte() },
        9 => Step::Sent { which: dice.byte(), how: dice.byte(), hold },
        10 => Step::Waits { seconds: waits(dice) },
        11 => Step::Jumps { seconds: if dice.one_in(2) { 300 } else { -120 } },
        13 => Step::Pumps { chat: dice.byte() },
        14 => Step::Wakes,
        15 => Step::Fate { how: dice.byte() },
        16 => Step::Full { full: dice.one_in(3) },
        17 => Step::Unreadable { unreadable: dice.one_in(4) },
        18 => Step::Crashes { serves: !dice.one_in(8) },
        19 => Step::Sleeps { chat: dice.byte() },
        20 => Step::Settles { which: dice.byte() },
        _ => Step::Ticks,
    }
}

/// Mostly moments, sometimes past a deadline, rarely past the age of a turn.
fn waits(dice: &mut Dice) -> u16 {
    match dice.below(12) {
        0..=7 => 1,
        8 | 9 => 20,
        10 => 125,
        _ => 700,
    }
}
