//! Worlds from their numbers. The seeds are always the same: a failure here is one of the change at
//! hand.

use std::collections::BTreeSet;

use manos_model::AuditKind;
use manos_sim::{play, play_real, replay};

/// Steps drawn in a world.
const STEPS: usize = 400;

/// Worlds of one test; each of the four plays a quarter of a million steps.
const WORLDS: u64 = 650;

/// Plays worlds from this number on.
fn worlds(first: u64) {
    let mut count = 0;
    for seed in first..first + WORLDS {
        let world = play(seed, STEPS);
        assert!(
            world.broken.is_none(),
            "{:?}\nrepeat it with: cargo run -p manos-sim -- {seed}",
            world.broken
        );
        count += world.count;
    }
    assert!(count > 250_000, "only {count} steps");
}

#[test]
fn what_is_promised_holds_in_the_first_worlds() {
    worlds(0);
}

#[test]
fn what_is_promised_holds_in_the_second_worlds() {
    worlds(WORLDS);
}

#[test]
fn what_is_promised_holds_in_the_third_worlds() {
    worlds(2 * WORLDS);
}

#[test]
fn what_is_promised_holds_in_the_fourth_worlds() {
    worlds(3 * WORLDS);
}

#[test]
fn equal_numbers_give_equal_worlds_and_steps_can_be_played_again() {
    let (first, second) = (play(7, STEPS), play(7, STEPS));
    assert_eq!((first.steps.clone(), first.count), (second.steps, second.count));
    let again = replay(7, &first.steps);
    assert_eq!((again.count, again.kinds), (first.count, first.kinds));
    assert_ne!(play(8, STEPS).steps, first.steps);
}

#[test]
fn the_worlds_reach_everything_that_a_trail_can_say() {
    let mut seen = BTreeSet::new();
    for seed in 0..60 {
        seen.extend(play(seed, STEPS).kinds);
    }
    let never: Vec<&str> = AuditKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|name| !seen.contains(*name))
        .collect();
    // Nobody starts an agent here, and a model that asks three times for the same call that fails is
    // rare; `manos-chat` has scripts of both.
    assert_eq!(never, ["config.loaded", "loop.repeated"]);
}

#[test]
fn what_is_promised_holds_in_the_runtime_itself() {
    let mut count = 0;
    let mut broken = Vec::new();
    for seed in 0..REAL_WORLDS {
        let world = play_real(seed, STEPS).unwrap();
        broken.extend(world.broken.map(|broken| (seed, broken)));
        count += world.count;
    }
    assert_eq!(broken, []);
    assert!(count > 400 * REAL_WORLDS, "only {count} steps");
}

/// Worlds that are played through the runtime.
const REAL_WORLDS: u64 = 50;
