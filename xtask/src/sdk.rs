//! The packages for other languages, each tested by its own language's usual runner, then against
//! each other and against the verifier of the platform whose signatures ours equal.
//!
//! What Python needs is pinned by hash and kept in a virtual environment in the cache; what Node
//! needs is pinned by its lock file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use sha2::{Digest as _, Sha256};

use crate::repo::{self, Repo};
use crate::{cargo, programs, say};

/// What the Python environment holds: the packages' test tools, and what the booking app runs on.
const PYTHON_PINS: [&str; 2] =
    ["sdk/python/requirements-dev.txt", "examples/booking/fastapi/requirements.txt"];

/// The platform's own verifier, read as a file and never installed.
const VENDOR_PINS: &str = "sdk/cross/requirements.txt";

/// Where that verifier is in its package.
const VENDOR_MODULE: &str = "thunderphone/webhooks.py";

/// Tests both packages and lets them and the binary judge each other's signatures.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    programs::need(&programs::OF_THE_SDKS)?;
    let python = Python::ready(repo)?;
    say::line("the Python package");
    run(python.command(repo, "sdk/python", &["-m", "pytest"]))?;
    run(python.command(repo, "sdk/python", &["-m", "mypy"]))?;
    say::line("the Node package");
    npm(repo, "sdk/node", &["ci", "--no-audit", "--no-fund"])?;
    npm(repo, "sdk/node", &["test"])?;
    npm(repo, "sdk/node", &["run", "types"])?;
    say::line("each against the others");
    let manos = cargo::manos(repo)?;
    let mut cross = python.command(repo, "sdk/cross", &["-m", "pytest", "-q", "-W", "error", "."]);
    cross.env("MANOS", manos).env("VENDOR_VERIFIER", python.vendor.join(VENDOR_MODULE));
    run(cross)
}

/// An interpreter with everything that the pins name.
pub(crate) struct Python {
    interpreter: PathBuf,
    vendor: PathBuf,
}

impl Python {
    /// Makes the environment unless it is there with exactly these pins.
    pub(crate) fn ready(repo: &Repo) -> Result<Self> {
        let mut hash = Sha256::new();
        for pins in PYTHON_PINS.iter().chain([&VENDOR_PINS]) {
            hash.update(repo.read(pins)?);
        }
        let pins: Vec<String> = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let folder = repo::cache()?.join("python").join(pins.concat());
        let python = Self { interpreter: folder.join("bin/python"), vendor: folder.join("vendor") };
        let made = folder.join("complete");
        if made.is_file() {
            return Ok(python);
        }
        say::line("making the Python environment");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        let mut venv = cargo::command(repo, "python3");
        venv.args(["-m", "venv"]).arg(&folder);
        run(venv)?;
        for pins in PYTHON_PINS {
            run(python.pip(repo, pins))?;
        }
        let mut vendor = python.pip(repo, VENDOR_PINS);
        vendor.arg("--no-deps").arg("--target").arg(&python.vendor);
        run(vendor)?;
        // The mark is last, so a cut installation never looks like a whole one.
        fs::write(made, "")?;
        Ok(python)
    }

    fn pip(&self, repo: &Repo, pins: &str) -> Command {
        let mut pip = self.command(repo, ".", &["-m", "pip", "install", "--quiet"]);
        pip.args(["--disable-pip-version-check", "--only-binary=:all:", "--require-hashes"])
            .args(["--requirement", pins]);
        pip
    }

    /// The interpreter, started in a folder of the checkout, with our own package on its path.
    pub(crate) fn command(&self, repo: &Repo, folder: &str, arguments: &[&str]) -> Command {
        let mut command = cargo::command(repo, &self.interpreter.to_string_lossy());
        command
            .current_dir(repo.root.join(folder))
            .env("PYTHONPATH", repo.root.join("sdk/python/src"))
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .args(arguments);
        command
    }
}

/// Runs npm in a folder of the checkout.
pub(crate) fn npm(repo: &Repo, folder: &str, arguments: &[&str]) -> Result<()> {
    let mut npm = cargo::command(repo, "npm");
    npm.current_dir(repo.root.join(folder)).args(arguments);
    run(npm)
}

fn run(mut command: Command) -> Result<()> {
    let program = Path::new(command.get_program()).to_owned();
    let status =
        command.status().with_context(|| format!("{} did not start", program.display()))?;
    if !status.success() {
        let arguments: Vec<_> = command.get_args().map(|one| one.to_string_lossy()).collect();
        bail!("`{} {}` ended with {status}", program.display(), arguments.join(" "));
    }
    Ok(())
}
