//! Whether the simulator bites: deliberate faults are planted in a copy of the sources, and for each
//! a world must break the promise that the changed line keeps.
//!
//! The faults exist in the copy under `target/` alone. The sources have no switch for them, so no
//! build of the product can.

mod table;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use self::table::{FAULTS, Fault};
use crate::repo::Repo;
use crate::{cargo, say};

/// Worlds in which a fault must be found.
const WORLDS: &str = "1000";

/// The variable that switches one fault on, in the copy.
const SWITCH: &str = "MANOS_PLANTED";

/// Asks, in the copy, whether a fault is switched on.
const ASKS: &str = r#"

/// Whether this deliberate fault is switched on.
pub fn planted(number: u32) -> bool {
    static SWITCHED_ON: std::sync::OnceLock<Option<u32>> = std::sync::OnceLock::new();
    let read = || std::env::var("MANOS_PLANTED").ok()?.parse().ok();
    *SWITCHED_ON.get_or_init(read) == Some(number)
}
"#;

/// Plants every fault, and looks for a world that breaks the promise.
///
/// # Errors
///
/// When a fault does not fit the sources any more, or is not found.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let copy = repo.root.join("target/faults");
    copy_sources(repo, &copy)?;
    for (number, fault) in FAULTS.iter().enumerate() {
        plant(&copy, number, fault)?;
    }
    append(&copy.join("pkg/model/src/lib.rs"), ASKS)?;
    append(&copy.join("sim/Cargo.toml"), BINARY)?;
    let manifest = copy.join("Cargo.toml");
    let manifest = manifest.to_string_lossy();
    // A folder of its own: cargo tells packages of two workspaces apart by their place in each, so in
    // the same folder the copy would pass for the sources.
    let target = copy.join("target");
    let status = cargo::command(repo, "cargo")
        .args(["build", "--quiet", "-p", "manos-sim", "--manifest-path", &manifest])
        .env("CARGO_TARGET_DIR", &target)
        .status()?;
    if !status.success() {
        bail!("the sources with the faults do not build");
    }
    find_all(repo, &target.join("debug/manos-sim-planted"))
}

/// The program has a name of its own, so that it never stands where the real one does.
const BINARY: &str = "\n[[bin]]\nname = \"manos-sim-planted\"\npath = \"src/main.rs\"\n";

fn find_all(repo: &Repo, program: &Path) -> Result<()> {
    let mut missed = Vec::new();
    for (number, fault) in FAULTS.iter().enumerate() {
        let output = cargo::command(repo, &program.to_string_lossy())
            .args(["find", fault.promise, "0", WORLDS])
            .env(SWITCH, number.to_string())
            .output()?;
        let told = String::from_utf8_lossy(&output.stdout);
        match told.lines().next().filter(|_| output.status.success()) {
            Some(line) => say::line(&format!("{:<52} world {line}", fault.name)),
            None => missed.push(fault.name),
        }
    }
    let clean = cargo::command(repo, &program.to_string_lossy()).args(["0", "100"]).status()?;
    if !clean.success() {
        bail!("worlds break promises although no fault is switched on");
    }
    if !missed.is_empty() {
        bail!("{WORLDS} worlds do not find: {}", missed.join("; "));
    }
    say::line(&format!("{} faults, each found", FAULTS.len()));
    Ok(())
}

fn copy_sources(repo: &Repo, copy: &Path) -> Result<()> {
    if copy.exists() {
        std::fs::remove_dir_all(copy)?;
    }
    let listed = cargo::command(repo, "git").args(["ls-files", "-z"]).output()?;
    let listed = String::from_utf8(listed.stdout)?;
    for file in listed.split('\0').filter(|file| !file.is_empty()) {
        let (from, to) = (repo.root.join(file), copy.join(file));
        if from.is_file() {
            std::fs::create_dir_all(to.parent().context("a file stands in a folder")?)?;
            std::fs::copy(from, to)?;
        }
    }
    Ok(())
}

fn plant(copy: &Path, number: usize, fault: &Fault) -> Result<()> {
    let path = copy.join(fault.file);
    let source = std::fs::read_to_string(&path).with_context(|| fault.file.to_owned())?;
    let places = source.matches(fault.line).count();
    if places != 1 {
        bail!("\"{}\" does not fit: {} has its line {places} times", fault.name, fault.file);
    }
    let switch = format!("manos_model::planted({number})");
    let changed = source.replace(fault.line, &fault.instead.replace("PLANTED", &switch));
    std::fs::write(path, changed)?;
    Ok(())
}

fn append(path: &Path, text: &str) -> Result<()> {
    let source = std::fs::read_to_string(path)?;
    std::fs::write(path, source + text)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_fits_a_line_of_the_sources_as_they_are() {
        let repo = Repo::find().unwrap();
        for fault in &FAULTS {
            let source = repo.read(fault.file).unwrap();
            assert_eq!(source.matches(fault.line).count(), 1, "{}", fault.name);
            assert!(fault.instead.contains("PLANTED"), "{}", fault.name);
        }
    }
}
