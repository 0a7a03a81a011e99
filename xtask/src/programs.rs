//! Programs that the tests start and cargo does not bring.
//!
//! Where it may (as root, on a system with `apt-get`) a missing one is installed; elsewhere it is
//! named and the command fails. Nothing is left out in silence.

use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::say;

/// One program, the Debian package it comes in, and who starts it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    pub(crate) why: &'static str,
}

/// What the ordinary tests start.
pub(crate) const OF_THE_TESTS: [Program; 1] = [Program {
    name: "tmux",
    package: "tmux",
    why: "the terminal tests type into a real terminal",
}];

/// What the packages for other languages and their examples need.
pub(crate) const OF_THE_SDKS: [Program; 3] = [
    Program { name: "node", package: "nodejs", why: "the Node package is tested by Node's runner" },
    Program { name: "npm", package: "npm", why: "the Node package's test tools come from it" },
    Program {
        name: "python3",
        package: "python3-venv",
        why: "the Python package is tested by pytest",
    },
];

/// What the real model needs.
pub(crate) const OF_THE_MODEL: [Program; 5] = [
    Program { name: "ip", package: "iproute2", why: "the model's network has a loopback only" },
    Program { name: "mount", package: "mount", why: "the model's weights are shown to its user" },
    Program { name: "python3", package: "python3", why: "the model's server is a Python library" },
    Program { name: "setpriv", package: "util-linux", why: "the server runs as nobody" },
    Program { name: "unshare", package: "util-linux", why: "the server gets a network of its own" },
];

/// Makes sure that these programs are there.
pub(crate) fn need(programs: &[Program]) -> Result<()> {
    let missing: Vec<Program> =
        programs.iter().copied().filter(|program| !is_installed(program.name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().map(|program| program.package).collect();
    if is_root()? && is_installed("apt-get") {
        say::line(&format!("installing {}", packages.join(", ")));
        apt_get(&["update", "-q"])?;
        let install = ["install", "-y", "-q", "--no-install-recommends"];
        apt_get(&[&install[..], &packages[..]].concat())?;
        return Ok(());
    }
    let reasons: Vec<String> =
        missing.iter().map(|program| format!("  {}: {}", program.name, program.why)).collect();
    bail!(
        "missing, and not installed because this is not root on a system with apt-get:\n{}\non Debian: apt-get install {}",
        reasons.join("\n"),
        packages.join(" ")
    )
}

/// Whether a program of this name is on the path.
pub(crate) fn is_installed(name: &str) -> bool {
    let Some(path) = std::env::var_os("PATH") else { return false };
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Whether this process is root.
pub(crate) fn is_root() -> Result<bool> {
    let output = Command::new("id").arg("-u").output().context("`id` did not start")?;
    Ok(output.stdout.trim_ascii() == b"0")
}

fn apt_get(arguments: &[&str]) -> Result<()> {
    let status = Command::new("apt-get")
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .status()
        .context("apt-get did not start")?;
    if !status.success() {
        bail!("`apt-get {}` ended with {status}", arguments.join(" "));
    }
    Ok(())
}
