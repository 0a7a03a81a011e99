//! Running cargo, and other programs, from inside cargo.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::repo::Repo;

/// Variables that cargo sets for the program it runs. Handed on, they would look like a changed
/// environment to build scripts that watch them, and half the libraries would be built again.
const OF_THIS_PACKAGE: [&str; 5] =
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"];

/// A program started at the root of the checkout, without what cargo set for this one.
pub(crate) fn command(repo: &Repo, program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&repo.root);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if OF_THIS_PACKAGE.iter().any(|prefix| name.starts_with(prefix)) {
            command.env_remove(&*name);
        }
    }
    command
}

/// Runs `cargo` with these arguments; its output is the reader's.
pub(crate) fn run(repo: &Repo, arguments: &[&str]) -> Result<()> {
    let status = command(repo, "cargo").args(arguments).status().context("cargo did not start")?;
    if !status.success() {
        bail!("`cargo {}` ended with {status}", arguments.join(" "));
    }
    Ok(())
}

/// What `cargo metadata` says, as it says it.
pub(crate) fn metadata(repo: &Repo, extra: &[&str]) -> Result<Value> {
    let output = command(repo, "cargo")
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(extra)
        .output()
        .context("cargo did not start")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("`cargo metadata` did not print JSON")
}

/// Builds the `manos` command and returns where it is.
///
/// Selects the whole workspace, as the tests do: with the command's package alone, libraries would
/// be built with fewer features, that is, all over again.
pub(crate) fn manos(repo: &Repo) -> Result<PathBuf> {
    run(repo, &["build", "--quiet", "--workspace", "--bin", "manos"])?;
    let metadata = metadata(repo, &["--no-deps"])?;
    let target = metadata["target_directory"].as_str().context("no target folder in metadata")?;
    Ok(PathBuf::from(target).join("debug/manos"))
}
