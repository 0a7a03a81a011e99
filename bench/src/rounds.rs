//! Floor and ours in turns, so that whatever else the machine does meets both.

use std::sync::Arc;

use crate::clock::{self, median};
use crate::floor::{self, Floor};
use crate::ours::{self, Ours};
use crate::server::Server;
use crate::workload::Workload;

/// Chats at once, where there are many.
pub(crate) const CHATS: usize = 64;

/// Chats that take turns, as many as stay in memory: enough for none to have done more than people
/// do in a day.
pub(crate) const POOL: usize = 960;

/// What one side took, medians of all rounds, in microseconds a turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    /// Processor time.
    pub(crate) cpu: f64,
    /// On the wall.
    pub(crate) wall: f64,
}

/// Both sides, and the medians of the ratios within each round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compared {
    /// The floor.
    pub(crate) floor: Taken,
    /// Ours.
    pub(crate) ours: Taken,
    /// Ours divided by the floor.
    pub(crate) ratio: Taken,
}

/// Both sides of one workload, ready.
pub(crate) struct Sides {
    floor: Arc<Floor>,
    ours: Ours,
    folder: tempfile::TempDir,
    turns: u64,
}

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amount {
    /// Turns a round and side.
    pub(crate) turns: usize,
    /// Rounds.
    pub(crate) rounds: usize,
    /// Chats at once.
    pub(crate) at_once: usize,
}

impl Sides {
    /// Starts both sides and fills the history of their chats.
    pub(crate) async fn start(
        workload: &Workload,
        server: &Server,
        chats: usize,
        warm_turns: usize,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir_in(store_folder()?)?;
        let floor = Floor::new(workload, server.base_url(), chats)?;
        let ours = Ours::start(workload, server.base_url(), folder.path(), chats).await?;
        let mut sides = Self { floor, ours, folder, turns: 0 };
        let at_once = chats.min(CHATS);
        sides.round(Amount { turns: warm_turns * chats, rounds: 1, at_once }, server).await?;
        Ok(sides)
    }

    /// Measures.
    pub(crate) async fn compare(
        &mut self,
        amount: Amount,
        server: &Server,
    ) -> anyhow::Result<Compared> {
        let mut rounds = Vec::new();
        for _ in 0..amount.rounds {
            rounds.push(self.round(amount, server).await?);
        }
        let of = |pick: fn(&(Taken, Taken)) -> f64| median(rounds.iter().map(pick).collect());
        Ok(Compared {
            floor: Taken { cpu: of(|round| round.0.cpu), wall: of(|round| round.0.wall) },
            ours: Taken { cpu: of(|round| round.1.cpu), wall: of(|round| round.1.wall) },
            ratio: Taken {
                cpu: of(|round| round.1.cpu / round.0.cpu),
                wall: of(|round| round.1.wall / round.0.wall),
            },
        })
    }

    /// One round of both sides; each must have asked the server the same.
    async fn round(&mut self, amount: Amount, server: &Server) -> anyhow::Result<(Taken, Taken)> {
        let Amount { turns, at_once, .. } = amount;
        let made = turns / at_once * at_once;
        let before = server.counts().await?;
        let started = clock::start();
        floor::make_turns(&self.floor, at_once, turns).await?;
        let of_floor = started.cost();
        let between = server.counts().await?;
        let started = clock::start();
        self.ours.make_turns(at_once, turns).await?;
        let of_ours = started.cost();
        let after = server.counts().await?;
        self.turns += made as u64;
        for (from, to) in [(before, between), (between, after)] {
            let asked = (to.calls - from.calls, to.texts - from.texts);
            anyhow::ensure!(asked == (made as u64, made as u64), "asked {asked:?}, not {made}");
        }
        let taken = |cost: clock::Cost| Taken { cpu: cost.cpu_us(made), wall: cost.wall_us(made) };
        Ok((taken(of_floor), taken(of_ours)))
    }

    /// Closes the store and looks whether the trail tells of every turn. Returns what it holds a
    /// turn.
    pub(crate) async fn finish(self) -> anyhow::Result<u64> {
        self.ours.stop().await;
        let trail = ours::trail(self.folder.path()).await?;
        let turns = self.turns;
        anyhow::ensure!(trail.succeeded == turns, "{trail:?} tells not of {turns} turns");
        Ok(trail.events / turns.max(1))
    }
}

/// Stores lie beside the program: folders for temporary files are memory on many machines, which
/// syncs nothing.
pub(crate) fn store_folder() -> anyhow::Result<std::path::PathBuf> {
    let program = std::env::current_exe()?;
    Ok(program.parent().map_or_else(std::env::temp_dir, std::path::Path::to_owned))
}
