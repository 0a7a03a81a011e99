//! Plays worlds by their numbers.
//!
//! ```sh
//! manos-sim 17               # one world; when it breaks a promise: the steps that matter
//! manos-sim 0 1000           # a thousand worlds
//! manos-sim find Yes 0 1000  # the first of them that breaks this promise
//! ```

use std::io::Write as _;
use std::process::ExitCode;

use manos_sim::{Played, play, shrink};

/// Steps drawn in a world.
const STEPS: usize = 400;

fn main() -> ExitCode {
    // A panic breaks a promise, and is told with its world.
    std::panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    let first = numbers.first().copied().unwrap_or(0);
    let count = numbers.get(1).copied().unwrap_or(1);
    match arguments.iter().position(|argument| argument == "find") {
        Some(at) => find(arguments.get(at + 1).map_or("", String::as_str), first, count),
        None => play_all(first, count),
    }
}

/// Plays worlds until one breaks this promise.
fn find(promise: &str, first: u64, count: u64) -> ExitCode {
    let breaks = |world: &Played| {
        world.broken.as_ref().is_some_and(|broken| format!("{:?}", broken.promise) == promise)
    };
    let found = (first..first + count).map(|seed| (seed, play(seed, STEPS)));
    match found.into_iter().find(|(_, world)| breaks(world)) {
        Some((seed, world)) => {
            tell(seed, &world);
            ExitCode::SUCCESS
        }
        None => ExitCode::FAILURE,
    }
}

fn play_all(first: u64, count: u64) -> ExitCode {
    let mut played = 0;
    let mut broken = 0;
    for seed in first..first + count {
        let world = play(seed, STEPS);
        played += world.count;
        broken += u64::from(world.broken.is_some());
        tell(seed, &world);
        if let Some(promise) = world.broken.as_ref().map(|broken| broken.promise)
            && count == 1
        {
            for step in shrink(seed, &world.steps, promise) {
                line(&format!("  {step:?}"));
            }
        }
    }
    line(&format!("{played} steps in {count} worlds, {broken} of which break a promise"));
    if broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn tell(seed: u64, world: &Played) {
    if let Some(broken) = &world.broken {
        line(&format!("{seed}: {:?}: {}", broken.promise, broken.how));
        line(&format!("  again, with its steps: cargo run -p manos-sim -- {seed}"));
    }
}

fn line(text: &str) {
    // Nobody may be reading.
    let _unread = writeln!(std::io::stdout(), "{text}").is_err();
}
