//! The booking example: each of its apps as a user would start it, and the agent talking to it.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::repo::Repo;
use crate::sdk::{Python, npm};
use crate::{cargo, programs, say};

const FOLDER: &str = "examples/booking";
const SECRET: &str = "whsec_of_this_test";

/// How long an app may take until it answers.
const START_WAIT: Duration = Duration::from_secs(30);

/// What a customer types, and what the replies must hold, in order.
const TALK: [(&str, &[&str]); 9] = [
    ("free 2026-04-21", &["Free on 2026-04-21: 09:00, 10:00, 11:00, 15:00, 16:00"]),
    (
        "book 2026-04-21 10:00 haircut for Ada",
        &["Book an appointment", "• haircut for Ada", "• 2026-04-21 at 10:00"],
    ),
    ("yes", &["Booked: A-1001, 2026-04-21 at 10:00."]),
    ("book 2026-04-21 10:00 colour for Bob", &["• colour for Bob"]),
    ("yes", &["2026-04-21 at 10:00 is taken."]),
    ("free 2026-04-21", &["Free on 2026-04-21: 09:00, 11:00, 15:00, 16:00"]),
    ("cancel A-1001", &["Cancel an appointment"]),
    ("yes", &["A-1001 is cancelled."]),
    ("free 2026-04-21", &["Free on 2026-04-21: 09:00, 10:00, 11:00, 15:00, 16:00"]),
];

/// What the app is told of while that is said: each run once, in some order.
const TOLD: [&str; 6] = [
    "told of chat.tool book_appointment",
    "told of chat.tool book_appointment",
    "told of chat.tool cancel_appointment",
    "told of chat.tool search_appointments",
    "told of chat.tool search_appointments",
    "told of chat.tool search_appointments",
];

/// Books through both apps.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    programs::need(&programs::OF_THE_SDKS)?;
    let python = Python::ready(repo)?;
    npm(repo, &format!("{FOLDER}/express"), &["ci", "--no-audit", "--no-fund"])?;
    let manos = cargo::manos(repo)?;
    for app in ["fastapi", "express"] {
        say::line(&format!("booking through {app}"));
        let port = free_port()?;
        let folder = format!("{FOLDER}/{app}");
        let mut command = if app == "fastapi" {
            let port = port.to_string();
            python.command(
                repo,
                &folder,
                &["-m", "uvicorn", "app:app", "--log-level", "warning", "--port", &port],
            )
        } else {
            let mut node = cargo::command(repo, "node");
            node.current_dir(repo.root.join(&folder)).arg("app.js").env("PORT", port.to_string());
            node
        };
        command.env("WEBHOOK_SECRET", SECRET).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut app = App { child: command.spawn().context("the app did not start")? };
        answers(port)?;
        talk(repo, &manos, port)?;
        was_told(&app.end()?)?;
    }
    Ok(())
}

/// A running app; it ends with this value.
struct App {
    child: Child,
}

impl App {
    /// Ends it, and returns what it printed.
    fn end(&mut self) -> Result<String> {
        self.child.kill()?;
        let mut printed = String::new();
        let mut stdout = self.child.stdout.take().context("the app has no standard output")?;
        stdout.read_to_string(&mut printed)?;
        Ok(printed)
    }
}

impl Drop for App {
    fn drop(&mut self) {
        // One that has ended by itself cannot be ended again.
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Whether the app was told of each run, by notices whose signature it checked.
fn was_told(printed: &str) -> Result<()> {
    let mut told: Vec<&str> = printed.lines().filter(|line| line.starts_with("told of")).collect();
    told.sort_unstable();
    if told != TOLD {
        bail!("the app was told {told:#?} and not {TOLD:#?}");
    }
    Ok(())
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn answers(port: u16) -> Result<()> {
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if start.elapsed() > START_WAIT {
            bail!("the app did not answer within {} s", START_WAIT.as_secs());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn talk(repo: &Repo, manos: &Path, port: u16) -> Result<()> {
    let lines: Vec<&str> = TALK.iter().flat_map(|(line, _)| [*line, "\n"]).collect();
    let lines = lines.concat();
    let (printed, _) = chat(repo, manos, port, SECRET, &lines)?;
    let mut rest = printed.as_str();
    for wanted in TALK.iter().flat_map(|(_, wanted)| *wanted) {
        let Some(at) = rest.find(wanted) else {
            bail!("the chat does not say {wanted:?} where it should:\n{printed}");
        };
        rest = &rest[at + wanted.len()..];
    }
    let (printed, trail) = chat(repo, manos, port, "whsec_of_someone_else", "free 2026-04-21\n")?;
    if printed.contains("Free on") || !trail.contains("401") {
        bail!("a request with a wrong signature was served:\n{printed}\n{trail}");
    }
    Ok(())
}

/// Runs `manos chat` with these lines and returns what it printed, and its trail.
fn chat(
    repo: &Repo,
    manos: &Path,
    port: u16,
    secret: &str,
    lines: &str,
) -> Result<(String, String)> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("agent.yaml");
    fs::copy(repo.root.join(FOLDER).join("agent.yaml"), &file)?;
    let start = |arguments: &[&str]| {
        let mut command = Command::new(manos);
        command
            .args(arguments)
            .arg(&file)
            .env("BOOKING_URL", format!("http://127.0.0.1:{port}"))
            .env("WEBHOOK_SECRET", secret)
            .env_remove("OPENAI_API_KEY");
        command
    };
    let mut child = start(&["chat"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    child.stdin.take().context("no standard input")?.write_all(lines.as_bytes())?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        bail!("`manos chat` ended with {}", output.status);
    }
    let trail = start(&["audit", "--json"]).output()?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (printed, trail) = (text(output.stdout), text(trail.stdout));
    for shown in [&printed, &trail] {
        if shown.contains(secret) {
            bail!("the webhook's secret was shown");
        }
    }
    Ok((printed, trail))
}
