//! What one request costs: our client against the floor's, alone.

use std::sync::Arc;

use clap::Args;
use manos_net::{HttpClient, HttpMethod, HttpRequest};
use tokio::task::JoinSet;

use crate::clock::{self, median};
use crate::floor;
use crate::rounds::CHATS;
use crate::server::Server;
use crate::workload::Replies;

/// How much is measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Requests a round and side.
    #[arg(long, default_value_t = 6_400)]
    requests: usize,
    /// Rounds; medians are printed.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Bytes of a request's body.
    #[arg(long, default_value_t = 2_000)]
    body: usize,
}

/// A client that has sent something and read all of the answer.
#[derive(Clone)]
enum Side {
    Floor(reqwest::Client),
    Ours(HttpClient),
}

impl Side {
    async fn ask(&self, url: &str, body: &[u8]) -> anyhow::Result<usize> {
        let mut bytes = 0;
        match self {
            Self::Floor(client) => {
                let request = client.post(url).header("content-type", "application/json");
                let mut response = request.body(body.to_vec()).send().await?;
                while let Some(chunk) = response.chunk().await? {
                    bytes += chunk.len();
                }
            }
            Self::Ours(client) => {
                let request = HttpRequest {
                    headers: vec![("content-type".to_owned(), "application/json".to_owned())],
                    body: body.to_vec().into(),
                    ..HttpRequest::new(HttpMethod::Post, url)
                };
                let mut response = client.send(request).await?;
                while let Some(chunk) = response.chunk().await? {
                    bytes += chunk.len();
                }
            }
        }
        Ok(bytes)
    }

    /// Asks so often, so many at once; returns the microseconds of processor time a request.
    async fn round(
        &self,
        url: &Arc<str>,
        body: &Arc<[u8]>,
        at_once: usize,
        requests: usize,
    ) -> anyhow::Result<f64> {
        let started = clock::start();
        let mut tasks = JoinSet::new();
        for _ in 0..at_once {
            let (side, url, body) = (self.clone(), Arc::clone(url), Arc::clone(body));
            tasks.spawn(async move {
                for _ in 0..requests / at_once {
                    anyhow::ensure!(side.ask(&url, &body).await? > 0, "an empty answer");
                }
                Ok(())
            });
        }
        while let Some(ended) = tasks.join_next().await {
            ended??;
        }
        Ok(started.cost().cpu_us(requests / at_once * at_once))
    }
}

/// Measures and prints a table.
pub(crate) async fn run(options: &Options) -> anyhow::Result<()> {
    let server = Server::start()?;
    let (floor, ours) = (Side::Floor(floor::client()?), Side::Ours(HttpClient::default()));
    let text = "a".repeat(options.body);
    let body = format!(r#"{{"model":"bench","messages":[{{"role":"user","content":"{text}"}}]}}"#);
    let body: Arc<[u8]> = body.into_bytes().into();
    println!("CPU in µs a request, medians of {} rounds of {}\n", options.rounds, options.requests);
    println!("| replies | at once | floor | ours | × |");
    println!("|---|---|---|---|---|");
    for (name, replies) in [("whole", Replies::Whole), ("stream", Replies::Stream)] {
        let url: Arc<str> =
            format!("{}/{}/chat/completions", server.base_url(), replies.path()).into();
        for at_once in [1, CHATS] {
            let mut rounds = Vec::new();
            for round in 0..=options.rounds {
                let of_floor = floor.round(&url, &body, at_once, options.requests).await?;
                let of_ours = ours.round(&url, &body, at_once, options.requests).await?;
                // The first opens the connections.
                if round > 0 {
                    rounds.push((of_floor, of_ours));
                }
            }
            let of = |pick: fn(&(f64, f64)) -> f64| median(rounds.iter().map(pick).collect());
            let (of_floor, of_ours) = (of(|round| round.0), of(|round| round.1));
            let ratio = of(|round| round.1 / round.0);
            println!("| {name} | {at_once} | {of_floor:.1} | {of_ours:.1} | **{ratio:.2}** |");
        }
    }
    Ok(())
}
