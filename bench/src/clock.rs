//! Time on the wall, processor time and memory of this process.

use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Who is kept to which core, so that the server's work does not stand in the client's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Core {
    /// The first.
    Client,
    /// The second.
    Server,
}

/// Keeps this process to one core where there are two. With a single one nothing is changed.
pub(crate) fn keep_to_core(core: Core) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if cores < 2 {
        return;
    }
    let mut set = CpuSet::new();
    set.set(usize::from(core == Core::Server));
    // A machine that does not let us choose measures less steadily, and still measures.
    let _kept = sched_setaffinity(None, &set);
}

/// What a stretch of work cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Processor time of this process, the kernel's for it included.
    pub(crate) cpu: Duration,
    /// Time on the wall.
    pub(crate) wall: Duration,
}

impl Cost {
    /// Per turn, in microseconds of processor time.
    pub(crate) fn cpu_us(self, turns: usize) -> f64 {
        per(self.cpu, turns)
    }

    /// Per turn, in microseconds on the wall.
    pub(crate) fn wall_us(self, turns: usize) -> f64 {
        per(self.wall, turns)
    }
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn per(time: Duration, turns: usize) -> f64 {
    time.as_secs_f64() * 1e6 / turns.max(1) as f64
}

/// A stretch of work under way.
#[derive(Debug)]
pub(crate) struct Started {
    cpu: Duration,
    wall: Instant,
}

/// Starts measuring.
pub(crate) fn start() -> Started {
    Started { cpu: cpu(), wall: Instant::now() }
}

impl Started {
    /// Says what it cost so far.
    pub(crate) fn cost(&self) -> Cost {
        Cost { cpu: cpu().saturating_sub(self.cpu), wall: self.wall.elapsed() }
    }
}

fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_nanos(nanoseconds)
}

/// The memory of this process that is in use, in bytes; 0 where the system does not say.
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// The middle one.
pub(crate) fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(f64::NAN)
}
