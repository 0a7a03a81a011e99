//! A real model in the tests.
//!
//! A small instruct model drives the bakery through `manos chat`: whatever it says, no invalid call
//! runs, every call is in the audit trail, and the process ends in order.
//!
//! Server and weights are third-party packages, so they are pinned by hash ([`fetch`]), and run as
//! an unprivileged user in a network of their own that holds a loopback and nothing else. This
//! command therefore starts itself a second time inside `unshare` and does the rest there.

mod audit;
mod fetch;
mod http;
mod server;
mod talk;
mod template;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use self::server::{Server, User};
use crate::programs::{self, Program};
use crate::repo::Repo;
use crate::{cargo, say};

/// The command that this program gives itself inside the model's network.
pub(crate) const INSIDE: &str = "model-inside";

/// The interpreter that everybody may run; the one on the path may be in somebody's home.
const SYSTEM_PYTHON: Program = Program {
    name: "/usr/bin/python3",
    package: "python3",
    why: "the model's server is a Python library and runs as nobody",
};

/// Has the model drive the bakery, and reads the trail afterwards.
pub(crate) fn chat(repo: &Repo) -> Result<()> {
    let manos = cargo::manos(repo)?;
    enter(repo, "chat", &manos)
}

/// Starts the model and a shell in its network, for trying things by hand.
pub(crate) fn serve(repo: &Repo) -> Result<()> {
    enter(repo, "serve", Path::new("/"))
}

fn enter(repo: &Repo, what: &str, manos: &Path) -> Result<()> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("the real model needs Linux on x86_64: its server is pinned for that");
    }
    programs::need(&programs::OF_THE_MODEL)?;
    let is_root = programs::is_root()?;
    if is_root {
        programs::need(&[SYSTEM_PYTHON])?;
    }
    let kept = fetch::fetch()?;
    let folder = tempfile::Builder::new().prefix("manos-model-").tempdir()?;
    // The server's user reads here and writes nowhere.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
    kept.unpack_server(folder.path())?;
    let template = template::fence(&template::in_weights(&kept.weights)?)?;
    fs::write(folder.path().join(server::TEMPLATE), template)?;

    let mut unshare = cargo::command(repo, "unshare");
    unshare.args(["--net", "--mount"]);
    if !is_root {
        unshare.args(["--user", "--map-root-user"]);
    }
    let status = unshare
        .arg(std::env::current_exe()?)
        .args([INSIDE, what, if is_root { "nobody" } else { "myself" }])
        .args([&kept.weights, folder.path(), manos])
        .status()
        .context("unshare did not start")?;
    if !status.success() {
        bail!("the part inside the model's network ended with {status}");
    }
    Ok(())
}

/// The second half, inside the model's network.
pub(crate) fn inside(repo: &Repo, arguments: &[&str]) -> Result<()> {
    let [what, user, weights, folder, manos] = arguments else {
        bail!("`{INSIDE}` is for this program's own use");
    };
    let user = if *user == "nobody" { User::Nobody } else { User::Myself };
    run(Command::new("ip").args(["link", "set", "lo", "up"]))?;
    let folder = Path::new(folder);
    let weights = show_weights(Path::new(weights), folder, user)?;
    let server = Server::start(folder, &weights, user)?;
    say::line(&format!("the model answers at {}", server.base_url()));
    match *what {
        "chat" => talk::run(repo, Path::new(manos), &server),
        "serve" => shell(&server),
        other => bail!("`{INSIDE} {other}` is not known"),
    }
}

/// Shows the weights at a path that the server's user can reach. The cache may be inside a home
/// that others cannot enter, and half a gigabyte is not copied for that.
fn show_weights(weights: &Path, folder: &Path, user: User) -> Result<PathBuf> {
    if user == User::Myself {
        return Ok(weights.to_owned());
    }
    let shown = folder.join("weights.gguf");
    fs::write(&shown, "")?;
    run(Command::new("mount").arg("--bind").args([weights, &shown]))?;
    Ok(shown)
}

fn shell(server: &Server) -> Result<()> {
    let shell = std::env::var("SHELL").unwrap_or_else(|_| "sh".to_owned());
    say::line("MODEL_BASE_URL holds that address in this shell; leaving it stops the model");
    Command::new(shell).env("MODEL_BASE_URL", server.base_url()).status()?;
    Ok(())
}

fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{command:?} did not start"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}
