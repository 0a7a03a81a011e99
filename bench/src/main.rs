//! What a turn costs, as ratios against a bare floor in the same run.
//!
//! A turn is one message, one tool call that is checked against its schema, and a text, against a
//! model server in a process of its own (`mock`). The floor (`floor`) makes the same two requests
//! with nothing around them; ours (`ours`) is the facade with store and audit trail on. What is the
//! same for both is in `workload`; how it is timed in `clock`; what is asked in `turns`, `growth`
//! and `idle`.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::process::Command;

use anyhow::Context as _;
use clap::{Parser, Subcommand};

mod client;
mod clock;
mod endpoint;
mod floor;
mod growth;
mod idle;
mod mock;
mod ours;
mod rounds;
mod server;
mod turns;
mod workload;

/// The allocator of the `manos` command, for the floor too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures what a turn costs.
#[derive(Debug, Parser)]
struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// One turn after another and 64 chats at once, against the floor (this is the default).
    Turns(turns::Options),
    /// One call of an HTTP tool, against a bare request.
    Endpoint(endpoint::Options),
    /// Cost by number of tools, history and effects done.
    Growth(growth::Options),
    /// Cost by number of chats known, and what an idle chat takes.
    Idle(idle::Options),
    /// Ours alone, to be looked at with a profiler.
    Profile(turns::ProfileOptions),
    /// One request, by our HTTP client and by the floor's.
    Client(client::Options),
    /// The model server; started by the others.
    #[command(hide = true)]
    Mock,
}

/// Variables that would send requests for our own server elsewhere.
const PROXIES: [&str; 6] =
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];

fn main() -> anyhow::Result<()> {
    if PROXIES.iter().any(|name| std::env::var_os(name).is_some()) {
        return without_proxies();
    }
    let what = Args::parse().what.unwrap_or_else(|| What::Turns(turns::Options::default()));
    if matches!(what, What::Mock) {
        clock::keep_to_core(clock::Core::Server);
        return mock::serve();
    }
    clock::keep_to_core(clock::Core::Client);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        match what {
            What::Turns(options) => turns::run(&options).await,
            What::Endpoint(options) => endpoint::run(&options).await,
            What::Growth(options) => growth::run(&options).await,
            What::Idle(options) => idle::run(&options).await,
            What::Profile(options) => turns::profile(&options).await,
            What::Client(options) => client::run(&options).await,
            What::Mock => Ok(()),
        }
    })
}

/// Runs this command again without proxies in its environment.
fn without_proxies() -> anyhow::Result<()> {
    let mut again = Command::new(std::env::current_exe()?);
    again.args(std::env::args_os().skip(1));
    for name in PROXIES {
        again.env_remove(name);
    }
    let status = again.status().context("the benchmark could not start itself")?;
    anyhow::ensure!(status.success(), "the benchmark ended with {status}");
    Ok(())
}
