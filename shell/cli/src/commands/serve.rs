//! `manos serve`: agents behind HTTP, until a signal ends it.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use manos::model::{Ids, Secret};
use manos::runtime::{Chance as _, Runtime, SystemChance};
use manos::server::{CallChannel, ServeError, Served, Server};

use crate::agent_file::{self, LoadedFile, Purpose};
use crate::args::ServeArgs;
use crate::commands::block_on;
use crate::failure::Failure;
use crate::output;
use crate::terminal::signals::{Asked, Signals};
use crate::terminal::{begin, open_runtime};

pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let files = args
        .files
        .iter()
        .map(|path| agent_file::load(path, Purpose::Run))
        .collect::<Result<Vec<_>, _>>()?;
    let listen = listen(args.listen.as_deref(), &files)?;
    for note in files.iter().flat_map(|file| &file.notes) {
        output::note(note);
    }
    block_on(serve(&files, &listen))
}

async fn serve(files: &[LoadedFile], listen: &str) -> Result<ExitCode, Failure> {
    let mut signals = Signals::listen()?;
    let made = Secret::new(format!("mk_{}", Ids::new(SystemChance.draw()).next_hex()));
    let mut runtimes = Vec::new();
    let mut served = Vec::new();
    for file in files {
        let runtime = open_runtime(file, Arc::new(CallChannel), None, None)?;
        served.push(Served::new(&file.agent, runtime.clone(), &made));
        runtimes.push(runtime);
    }
    let hosts = files.iter().flat_map(|file| file.agent.server.hosts.clone()).collect();
    let server = Server::bind(listen, served, hosts).await?;
    for (file, runtime) in files.iter().zip(&runtimes) {
        begin(runtime, file).await?;
    }
    announce(files, &server, &made)?;
    let grace = files.iter().map(|file| file.agent.limits.shutdown_grace).max();
    let asked = stop(server, runtimes, grace.unwrap_or_default(), &mut signals).await;
    Ok(match asked {
        // Whoever looks after processes asked for it: that is how a server ends.
        Asked::Terminate | Asked::Interrupt => ExitCode::SUCCESS,
        Asked::HangUp => asked.exit_code(),
    })
}

/// Serves until a signal, and ends in order; another signal ends it at once.
async fn stop(
    server: Server,
    runtimes: Vec<Runtime>,
    grace: Duration,
    signals: &mut Signals,
) -> Asked {
    let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
    let serving = server.serve(
        async {
            // The sender goes when a signal came.
            let _stopped = receiver.await;
        },
        grace,
    );
    tokio::pin!(serving);
    let asked = tokio::select! {
        () = serving.as_mut() => return Asked::Terminate,
        asked = signals.next() => asked,
    };
    drop(sender);
    let in_order = async {
        serving.await;
        for runtime in &runtimes {
            runtime.shutdown(grace).await;
        }
    };
    tokio::select! {
        () = in_order => {}
        // Somebody is in a hurry.
        _ = signals.next() => {
            for runtime in &runtimes {
                runtime.shutdown(Duration::ZERO).await;
            }
        }
    }
    asked
}

/// The address: of the command line, else the one that all files agree on.
fn listen(given: Option<&str>, files: &[LoadedFile]) -> Result<String, Failure> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let mut addresses = files.iter().map(|file| &file.agent.server.listen);
    let Some(first) = addresses.next() else {
        return Err(Failure::usage("no agent file was named"));
    };
    if addresses.any(|other| other != first) {
        return Err(Failure::usage("the files name different addresses in `server.listen`")
            .hint("say which with --listen ADDRESS:PORT"));
    }
    Ok(first.clone())
}

/// Says where the agents are, and the key that was made for those that have none, once.
fn announce(files: &[LoadedFile], server: &Server, made: &Secret<String>) -> Result<(), Failure> {
    let address = server
        .address()
        .map_err(|error| Failure::failed(format!("the system does not say where: {error}")))?;
    for file in files {
        output::line(&format!("{} at http://{address}", file.agent.name));
    }
    if files.iter().any(|file| file.agent.server.api_keys.is_empty()) {
        output::line(&format!("API key for this run: {}", made.expose()));
    }
    Ok(())
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        let failure = Self::of(&error);
        match error {
            ServeError::Listen { .. } => {
                failure.hint("choose a free one: --listen 127.0.0.1:8081, or port 0 for any")
            }
            ServeError::TwoAgents { .. } => failure.hint("give each a `name` of its own"),
            _ => failure,
        }
    }
}
