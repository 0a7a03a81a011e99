//! The `command` runner: one process for each call, JSON in, JSON out, no shell.
//!
//! The process leads a group of its own. When it ends, or is stopped, its whole group ends; a
//! program that should live on must leave the group (`setsid`).

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::Instant;

use manos_model::{Failure, RunEnd, Secret};

use crate::executor::RunParts;
use crate::stop::Stop;

mod group;
mod pipe;

use group::Group;
use pipe::{Pipe, PipeEnd};

/// The longest output that is read when the tool says nothing else.
pub const COMMAND_OUTPUT_BYTES_MAX: usize = 1024 * 1024;

/// How much of the end of standard error is kept; the rest is read and forgotten.
const ERROR_BYTES_KEPT: usize = 8 * 1024;

/// How long the group has to end by itself after it was asked to.
const TERM_GRACE: Duration = Duration::from_millis(500);

/// How long to wait for a killed process to be gone.
const KILL_WAIT_MAX: Duration = Duration::from_secs(1);

/// How long output is waited for after the process has ended, when others hold its pipes open.
const EOF_WAIT_MAX: Duration = Duration::from_millis(250);

/// A tool that is a program.
///
/// The arguments come as one JSON object on standard input; standard output is the result: JSON,
/// or text as it is. The environment is empty but for `PATH` (ours, unless `env` sets it), what
/// `env` names, and `MANOS_CHAT`, `MANOS_USER`, `MANOS_CHANNEL`, `MANOS_LOCALE`, `MANOS_NOW` and
/// `MANOS_RUN`, which win.
///
/// An exit code other than 0 says that nothing was done. A process that a signal ended, that we had
/// to kill, or that writes more than may be read, has an unknown end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandSpec {
    /// The program and its arguments, as they are: no shell reads them. A program with a slash is
    /// found from `cwd`, one without by `PATH`.
    pub argv: Vec<String>,
    /// Added to the environment.
    pub env: BTreeMap<String, Secret<String>>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// The longest standard output that is read; the run's own limit may be lower.
    pub output_bytes_max: usize,
}

pub(crate) async fn run(
    spec: &CommandSpec,
    path: Option<&OsStr>,
    run: RunParts<'_>,
    stop: Pin<&mut impl Future<Output = Stop>>,
) -> RunEnd {
    let failed = |message: String| RunEnd::NotDone(Failure::Failed { message });
    let mut input = match serde_json::to_vec(run.arguments) {
        Ok(input) => input,
        Err(error) => return failed(format!("the arguments cannot be written: {error}")),
    };
    input.push(b'\n');
    let mut child = match command(spec, path, run).spawn() {
        Ok(child) => child,
        Err(error) => {
            tracing::warn!(tool = %run.tool, %error, "the program of a tool did not start");
            return failed(not_started(&error).to_owned());
        }
    };
    let bytes_max = spec.output_bytes_max.min(run.context.result_bytes_max);
    let mut talk = Talk::new(&mut child, bytes_max);
    match talk.listen(&mut child, input, stop).await {
        TalkEnd::Exited(status) => {
            talk.group.kill();
            talk.run_end(status)
        }
        TalkEnd::Stopped(stop) => {
            talk.group.stop(&mut child).await;
            RunEnd::Unknown(stop.unclear())
        }
        TalkEnd::TooLong => {
            talk.group.stop(&mut child).await;
            RunEnd::Unknown(Failure::Transport {
                kind: "too_large".to_owned(),
                message: format!("the program wrote more than {bytes_max} bytes"),
            })
        }
        TalkEnd::Lost(error) => {
            tracing::error!(tool = %run.tool, %error, "a process could not be waited for");
            let message = "the program was lost".to_owned();
            RunEnd::Unknown(Failure::Failed { message })
        }
    }
}

fn command(spec: &CommandSpec, path: Option<&OsStr>, run: RunParts<'_>) -> Command {
    let [program, arguments @ ..] = &spec.argv[..] else {
        // The builder refuses an empty command; nothing is no program.
        return Command::new("");
    };
    // A relative program would be looked for from our own folder on some systems.
    let program = if program.contains('/') {
        std::path::absolute(&spec.cwd).unwrap_or_else(|_| spec.cwd.clone()).join(program)
    } else {
        Path::new(program).to_owned()
    };
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&spec.cwd).env_clear();
    if let Some(path) = path {
        command.env("PATH", path);
    }
    command.envs(spec.env.iter().map(|(name, value)| (name, value.expose())));
    let context = run.context;
    command
        .env("MANOS_CHAT", context.chat.as_str())
        .env("MANOS_USER", context.user.as_str())
        .env("MANOS_CHANNEL", context.channel.as_str())
        .env("MANOS_LOCALE", &context.locale)
        .env("MANOS_NOW", context.written_at())
        .env("MANOS_RUN", run.run_id.as_str())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    command
}

fn not_started(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::NotFound => "the program was not found",
        std::io::ErrorKind::PermissionDenied => "the program may not be run",
        _ => "the program could not be started",
    }
}

/// One process with its pipes.
struct Talk {
    group: Group,
    stdin: Option<ChildStdin>,
    output: Pipe<tokio::process::ChildStdout>,
    errors: Pipe<tokio::process::ChildStderr>,
}

enum TalkEnd {
    Exited(ExitStatus),
    Lost(std::io::Error),
    Stopped(Stop),
    TooLong,
}

impl Talk {
    fn new(child: &mut Child, bytes_max: usize) -> Self {
        Self {
            group: Group::of(child),
            stdin: child.stdin.take(),
            output: Pipe::up_to(child.stdout.take(), bytes_max),
            errors: Pipe::tail(child.stderr.take(), ERROR_BYTES_KEPT),
        }
    }

    /// Writes and reads at once, so that neither side waits for the other, until the process has
    /// ended and its pipes are empty.
    async fn listen(
        &mut self,
        child: &mut Child,
        input: Vec<u8>,
        mut stop: Pin<&mut impl Future<Output = Stop>>,
    ) -> TalkEnd {
        let mut write = std::pin::pin!(write(self.stdin.take(), input));
        let mut written = false;
        let mut exited: Option<(ExitStatus, Instant)> = None;
        loop {
            if let Some((status, _)) = exited
                && self.output.ended()
                && self.errors.ended()
            {
                return TalkEnd::Exited(status);
            }
            let waited_enough = exited.map_or_else(Instant::now, |(_, at)| at + EOF_WAIT_MAX);
            tokio::select! {
                biased;
                status = child.wait(), if exited.is_none() => match status {
                    Ok(status) => exited = Some((status, Instant::now())),
                    Err(error) => return TalkEnd::Lost(error),
                },
                stop = &mut stop, if exited.is_none() => return TalkEnd::Stopped(stop),
                end = self.output.read(), if !self.output.ended() => {
                    if end == PipeEnd::TooLong {
                        return TalkEnd::TooLong;
                    }
                }
                _ = self.errors.read(), if !self.errors.ended() => {}
                () = &mut write, if !written => written = true,
                () = tokio::time::sleep_until(waited_enough), if exited.is_some() => {
                    if let Some((status, _)) = exited {
                        return TalkEnd::Exited(status);
                    }
                }
            }
        }
    }

    fn run_end(self, status: ExitStatus) -> RunEnd {
        let output = self.output.into_text();
        let result = serde_json::from_str::<Value>(&output);
        if status.success() {
            return RunEnd::of_result(result.unwrap_or(Value::String(output)));
        }
        let message = self.errors.into_text().trim().to_owned();
        let exit = Failure::Exit { code: status.code(), message };
        match (status.code(), result) {
            (Some(_), Ok(said @ Value::Object(_))) => RunEnd::NotDone(Failure::Said(said)),
            (Some(_), _) => RunEnd::NotDone(exit),
            // A signal is no answer: it may have come after the deed.
            (None, _) => RunEnd::Unknown(exit),
        }
    }
}

/// A program need not read what it is told: a closed pipe is no failure.
async fn write(stdin: Option<ChildStdin>, input: Vec<u8>) {
    let Some(mut stdin) = stdin else {
        return;
    };
    if let Err(error) = stdin.write_all(&input).await {
        tracing::debug!(%error, "a program did not read all of its arguments");
    }
}

#[cfg(test)]
mod tests;
