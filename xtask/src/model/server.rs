//! The model's server: one process that this one starts, watches, and ends by its id.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::http;

/// The changed template, in the run's folder.
pub(super) const TEMPLATE: &str = "template.jinja";

const PROGRAM: &str = include_str!("serve.py");

/// How long loading the weights may take. Seconds on an idle machine.
const START_MAX: Duration = Duration::from_mins(3);

const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Who the server runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    /// The one who started this, who is not root.
    Myself,
    /// The user that owns nothing, since root started this.
    Nobody,
}

/// A running server; dropping it ends the process.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts the server and waits until it has loaded these weights.
    pub(super) fn start(folder: &Path, weights: &Path, user: User) -> Result<Self> {
        let program = folder.join("serve.py");
        fs::write(&program, PROGRAM)?;
        let address = free_address()?;
        let log = folder.join("server.log");
        let output = File::create(&log)?;
        let child = interpreter(user)
            .env_clear()
            .env("PYTHONPATH", folder)
            .current_dir("/")
            .arg(&program)
            .args([weights, &folder.join(TEMPLATE)])
            .arg(address.port().to_string())
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()
            .context("the model's server did not start")?;
        let mut server = Self { child, address, log };
        server.wait()?;
        server.is_ours(weights)?;
        Ok(server)
    }

    /// The address that an OpenAI-compatible client is given.
    pub(super) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    fn wait(&mut self) -> Result<()> {
        let start = Instant::now();
        while http::get(self.address, "/health").is_err() {
            if let Some(status) = self.child.try_wait()? {
                bail!("the model's server ended with {status}:\n{}", self.end_of_log());
            }
            if start.elapsed() > START_MAX {
                bail!("the model was not loaded in {START_MAX:?}:\n{}", self.end_of_log());
            }
            sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// A port can be taken by a stranger; only our server has our weights.
    fn is_ours(&self, weights: &Path) -> Result<()> {
        let props: Value = serde_json::from_str(&http::get(self.address, "/props")?)?;
        let found = props["model_path"].as_str().unwrap_or_default();
        if Path::new(found) != weights {
            bail!("another server answers at {}: it has loaded \"{found}\"", self.address);
        }
        Ok(())
    }

    fn end_of_log(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(12)..].join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Python, as a user who may do nothing. `-B` keeps it from writing beside what it reads; should
/// this process be killed, the kernel ends the server too.
fn interpreter(user: User) -> Command {
    let mut command = Command::new("setpriv");
    if user == User::Nobody {
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    command.args(["--no-new-privs", "--bounding-set=-all", "--pdeathsig=KILL"]);
    command.arg(match user {
        User::Myself => "python3",
        User::Nobody => super::SYSTEM_PYTHON.name,
    });
    command.arg("-B");
    command
}

fn free_address() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}
