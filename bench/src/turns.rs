//! What a turn costs, one after another and with many chats at once.

use clap::Args;

use crate::clock;
use crate::ours::Ours;
use crate::rounds::{Amount, CHATS, Compared, POOL, Sides, store_folder};
use crate::server::Server;
use crate::workload::{Kind, Replies, Workload};

/// How much is measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Turns a round and side.
    #[arg(long, default_value_t = 1_920)]
    turns: usize,
    /// Rounds; medians are printed.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Messages of earlier turns that are sent along.
    #[arg(long, default_value_t = 10)]
    history: usize,
    /// Chats that take turns.
    #[arg(long, default_value_t = POOL)]
    chats: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { turns: 1_920, rounds: 5, history: 10, chats: POOL }
    }
}

/// What is profiled.
#[derive(Debug, Clone, Args)]
pub(crate) struct ProfileOptions {
    /// Turns.
    #[arg(long, default_value_t = 20_000)]
    turns: usize,
    /// Chats at once.
    #[arg(long, default_value_t = 64)]
    at_once: usize,
    /// Replies in pieces.
    #[arg(long)]
    stream: bool,
    /// A tool that only reads.
    #[arg(long)]
    read_only: bool,
    /// Messages of earlier turns that are sent along.
    #[arg(long, default_value_t = 10)]
    history: usize,
}

const CASES: [(&str, Kind, Replies); 4] = [
    ("read-only", Kind::ReadOnly, Replies::Whole),
    ("effect", Kind::Effect, Replies::Whole),
    ("read-only, stream", Kind::ReadOnly, Replies::Stream),
    ("effect, stream", Kind::Effect, Replies::Stream),
];

/// Measures and prints a table.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let server = Server::start()?;
    println!(
        "µs a turn, medians of {} rounds of {} turns, {} messages of history; × is ours ÷ floor of the same round\n",
        options.rounds, options.turns, options.history,
    );
    println!(
        "| tool, replies | at once | CPU floor | CPU ours | CPU × | wall floor | wall ours | wall × | turns/s ours |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut told = Vec::new();
    for (name, kind, replies) in CASES {
        let workload = Workload { kind, replies, history: options.history, ..Workload::default() };
        let warm = options.history.div_ceil(2).max(1);
        let mut sides = Sides::start(&workload, &server, options.chats, warm).await?;
        for at_once in [1, CHATS] {
            let amount = Amount { turns: options.turns, rounds: options.rounds, at_once };
            let compared = sides.compare(amount, &server).await?;
            println!("{}", row(name, at_once, &compared));
        }
        told.push(sides.finish().await?);
    }
    println!("\nboth sides asked the model the same; audit events a turn: {told:?}");
    Ok(())
}

fn row(name: &str, at_once: usize, compared: &Compared) -> String {
    let Compared { floor, ours, ratio } = compared;
    format!(
        "| {name} | {at_once} | {:.0} | {:.0} | **{:.2}** | {:.0} | {:.0} | {:.2} | {:.0} |",
        floor.cpu,
        ours.cpu,
        ratio.cpu,
        floor.wall,
        ours.wall,
        ratio.wall,
        1e6 / ours.wall,
    )
}

/// Runs ours alone, for a profiler.
pub(crate) async fn profile(options: &ProfileOptions) -> anyhow::Result<()> {
    let server = Server::start()?;
    let workload = Workload {
        kind: if options.read_only { Kind::ReadOnly } else { Kind::Effect },
        replies: if options.stream { Replies::Stream } else { Replies::Whole },
        history: options.history,
        ..Workload::default()
    };
    let folder = tempfile::tempdir_in(store_folder()?)?;
    let ours = Ours::start(&workload, server.base_url(), folder.path(), POOL).await?;
    let started = clock::start();
    ours.make_turns(options.at_once, options.turns).await?;
    let cost = started.cost();
    println!(
        "CPU {:.1} µs, wall {:.1} µs",
        cost.cpu_us(options.turns),
        cost.wall_us(options.turns)
    );
    ours.stop().await;
    Ok(())
}
