//! What an idle chat takes, and whether a turn costs more when many chats are known.

use std::path::Path;

use clap::Args;

use crate::clock;
use crate::ours::Ours;
use crate::rounds::{CHATS, store_folder};
use crate::server::Server;
use crate::workload::{Kind, Workload};

/// How much is measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Chats that come to be known, each by one turn.
    #[arg(long, default_value_t = 100_000)]
    chats: usize,
}

/// Chats after which a line is printed, as parts of all.
const STOPS: [usize; 5] = [100, 10, 4, 2, 1];

/// The most turns measured at a stop.
const TURNS_MAX: usize = 1_280;

/// Makes one turn in each chat, and measures at some numbers of chats known.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let server = Server::start()?;
    let workload = Workload { kind: Kind::Effect, ..Workload::default() };
    let folder = tempfile::tempdir_in(store_folder()?)?;
    let ours = Ours::start(&workload, server.base_url(), folder.path(), usize::MAX).await?;
    println!("one turn in each chat, {CHATS} chats at once, a tool with effects\n");
    println!(
        "| chats known | CPU µs a turn of a new chat | of a chat that sleeps | memory MB | store MB | store bytes a chat |"
    );
    println!("|---|---|---|---|---|---|");
    let mut known = 0;
    let turns = (options.chats / STOPS[0]).clamp(CHATS, TURNS_MAX) / CHATS * CHATS;
    for part in STOPS {
        let goal = options.chats / part;
        let fill = goal.saturating_sub(known + turns) / CHATS * CHATS;
        ours.make_turns_from(known, CHATS, fill).await?;
        known += fill;
        let started = clock::start();
        ours.make_turns_from(known, CHATS, turns).await?;
        let new = started.cost().cpu_us(turns);
        known += turns;
        let started = clock::start();
        // The first chats sleep: they spoke longest ago.
        ours.make_turns_from(0, CHATS, turns).await?;
        let old = started.cost().cpu_us(turns);
        let (memory, store) = (clock::resident(), stored(folder.path()));
        println!(
            "| {known} | {new:.0} | {old:.0} | {} | {} | {} |",
            memory / 1_000_000,
            store / 1_000_000,
            store / known.max(1) as u64,
        );
    }
    ours.stop().await;
    println!("\nafter the store was closed: {} MB in its file", stored(folder.path()) / 1_000_000);
    Ok(())
}

/// Bytes of the store and its log.
fn stored(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| Some(entry.metadata().ok()?.len())).sum()
}
