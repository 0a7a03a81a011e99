//! What reading a model's reply costs: each dialect on a long stream with tool calls, beside
//! `serde_json` reading the JSON of the same stream bare.
//!
//! A program of its own, since it counts allocations: a counting allocator would stand in the way of
//! the other measurements.

#![expect(clippy::print_stdout, reason = "its output is what it is for")]

use std::alloc::System;
use std::time::Instant;

use anyhow::Context as _;
use clap::Parser;
use manos_wire_llm::EncodedTools;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

mod streams;

use streams::Stream;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// How much comes from the network at once.
const CHUNK_BYTES: usize = 4096;

/// Measures what reading a model's reply costs.
#[derive(Debug, Parser)]
struct Args {
    /// Pieces of text in a stream.
    #[arg(long, default_value_t = 20_000)]
    texts: usize,
    /// Tool calls in a stream.
    #[arg(long, default_value_t = 100)]
    calls: usize,
    /// Pieces of each call's arguments, where they come in pieces.
    #[arg(long, default_value_t = 200)]
    pieces: usize,
    /// Rounds; medians are printed.
    #[arg(long, default_value_t = 15)]
    rounds: usize,
}

/// What one way of reading cost.
#[derive(Debug, Clone, Copy)]
struct Cost {
    seconds: f64,
    allocations: usize,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    println!("{} texts, {} calls in {} pieces each\n", args.texts, args.calls, args.pieces);
    println!(
        "| dialect | MB | events | ours MB/s | into `Value` | checked only | × `Value` | allocations an event | `Value`'s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for stream in streams::all(args.texts, args.calls, args.pieces) {
        let ours = median(args.rounds, || ours(&stream, args.calls))?;
        let value = median(args.rounds, || bare::<serde_json::Value>(&stream))?;
        let ignored = median(args.rounds, || bare::<serde::de::IgnoredAny>(&stream))?;
        println!("{}", row(&stream, ours, value, ignored));
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
fn row(stream: &Stream, ours: Cost, value: Cost, ignored: Cost) -> String {
    let megabytes = stream.bytes.len() as f64 / 1e6;
    let events = stream.payloads.len();
    let each = |cost: Cost| cost.allocations as f64 / events as f64;
    format!(
        "| {} | {megabytes:.1} | {events} | **{:.0}** | {:.0} | {:.0} | **{:.2}** | **{:.2}** | {:.2} |",
        stream.name,
        megabytes / ours.seconds,
        megabytes / value.seconds,
        megabytes / ignored.seconds,
        value.seconds / ours.seconds,
        each(ours),
        each(value),
    )
}

/// Reads so often and returns the round in the middle.
fn median(rounds: usize, mut once: impl FnMut() -> anyhow::Result<()>) -> anyhow::Result<Cost> {
    let mut costs = Vec::new();
    for _ in 0..rounds.max(1) {
        let region = Region::new(ALLOCATOR);
        let started = Instant::now();
        once()?;
        let seconds = started.elapsed().as_secs_f64();
        let change = region.change();
        costs.push(Cost { seconds, allocations: change.allocations + change.reallocations });
    }
    costs.sort_by(|left, right| left.seconds.total_cmp(&right.seconds));
    costs.get(costs.len() / 2).copied().context("no rounds")
}

fn ours(stream: &Stream, calls: usize) -> anyhow::Result<()> {
    let mut decoder = stream.dialect.decoder(&EncodedTools::default());
    let mut shown = 0;
    for chunk in stream.bytes.chunks(CHUNK_BYTES) {
        decoder.push(chunk, &mut |text| shown += text.len())?;
    }
    let reply = decoder.finish(&mut |_| {})?;
    anyhow::ensure!(reply.text.len() == shown && shown > 0, "{}: words are missing", stream.name);
    anyhow::ensure!(reply.calls.len() == calls, "{}: calls are missing", stream.name);
    Ok(())
}

fn bare<T: serde::de::DeserializeOwned>(stream: &Stream) -> anyhow::Result<()> {
    for payload in &stream.payloads {
        let json = stream.bytes.get(payload.clone()).context("a payload outside of its stream")?;
        std::hint::black_box(serde_json::from_slice::<T>(json)?);
    }
    Ok(())
}
