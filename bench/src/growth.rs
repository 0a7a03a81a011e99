//! How the cost of a turn grows with tools offered, history sent and effects done.

use clap::Args;

use crate::rounds::{Amount, CHATS, Compared, Sides};
use crate::server::Server;
use crate::workload::{Kind, Workload};

/// How much is measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Turns a round and side.
    #[arg(long, default_value_t = 640)]
    turns: usize,
    /// Rounds; medians are printed.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Chats at once where filling them takes long.
const FEW: usize = 8;

/// Measures and prints a table for each thing that grows.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let server = Server::start()?;
    let amount = |at_once| Amount { turns: options.turns, rounds: options.rounds, at_once };
    println!("CPU µs a turn, {CHATS} chats at once, a tool that only reads\n");
    println!("| tools offered | floor | ours | × |\n|---|---|---|---|");
    for tools in [5, 50, 500] {
        let workload = Workload { tools, kind: Kind::ReadOnly, ..Workload::default() };
        let mut sides = Sides::start(&workload, &server, CHATS, 5).await?;
        print_row(tools, &sides.compare(amount(CHATS), &server).await?);
        sides.finish().await?;
    }
    println!(
        "\n{FEW} chats at once from here on\n\n| messages of history sent | floor | ours | × |\n|---|---|---|---|"
    );
    for history in [10, 100, 1_000] {
        let workload = Workload { history, kind: Kind::ReadOnly, ..Workload::default() };
        let mut sides = Sides::start(&workload, &server, FEW, history / 2).await?;
        print_row(history, &sides.compare(amount(FEW), &server).await?);
        sides.finish().await?;
    }
    println!("\n| effects done before in the chat | floor | ours | × |\n|---|---|---|---|");
    for effects in [1, 20, 128] {
        let workload = Workload { kind: Kind::Effect, ..Workload::default() };
        let mut sides = Sides::start(&workload, &server, FEW, effects).await?;
        print_row(effects, &sides.compare(amount(FEW), &server).await?);
        sides.finish().await?;
    }
    Ok(())
}

fn print_row(of: usize, compared: &Compared) {
    let Compared { floor, ours, ratio } = compared;
    println!("| {of} | {:.0} | {:.0} | {:.2} |", floor.cpu, ours.cpu, ratio.cpu);
}
