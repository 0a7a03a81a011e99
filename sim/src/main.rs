//! Plays worlds by their numbers: `manos-sim FIRST [COUNT [STEPS]]`.

use std::process::ExitCode;

use manos_sim::{play, shrink};

/// Steps drawn in a world.
const STEPS: usize = 400;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    let numbers: Vec<u64> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let first = numbers.first().copied().unwrap_or(0);
    let count = numbers.get(1).copied().unwrap_or(1);
    let steps = numbers.get(2).and_then(|steps| usize::try_from(*steps).ok()).unwrap_or(STEPS);
    let mut played = 0;
    let mut failed = false;
    for seed in first..first + count {
        let world = play(seed, steps);
        played += world.count;
        if let Some(broken) = world.broken {
            failed = true;
            println!("{seed}: {:?}: {}", broken.promise, broken.how);
            if count == 1 {
                for step in shrink(seed, &world.steps, broken.promise) {
                    println!("  {step:?}");
                }
            }
        }
    }
    println!("{played} steps");
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
