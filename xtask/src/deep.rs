//! What takes too long for every change: a hundred times as many worlds, and every deliberate fault.

use anyhow::Result;

use crate::repo::Repo;
use crate::{cargo, faults};

/// Worlds of 400 steps, played one after another.
const WORLDS: &str = "260000";

/// Plays the worlds and looks for the faults.
///
/// # Errors
///
/// When a world breaks a promise, or a fault is not found.
pub(crate) fn run(repo: &Repo) -> Result<()> {
    faults::check(repo)?;
    // After those of the tests, so that none is played twice.
    cargo::run(repo, &["run", "--release", "-p", "manos-sim", "--", "10000", WORLDS])
}
