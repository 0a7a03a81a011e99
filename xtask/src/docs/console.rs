//! The blocks of a page, run as a reader would.
//!
//! A page gets one folder with a copy of `examples/`; its blocks run in order, so a page may build
//! on what it did before. `$` starts a command, what follows is its output, standard error with it.
//! `…` stands for any text inside a line, alone on a line for any lines. A command ends well unless
//! its output ends in `[exit N]`.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use super::markdown::Block;
use super::place;
use crate::cargo;
use crate::repo::Repo;

/// What was run so far.
#[derive(Debug, Default)]
pub(super) struct Ran {
    pub(super) agents: usize,
    pub(super) commands: usize,
    pub(super) left_out: usize,
}

/// Runs the `console` and `yaml agent` blocks of a page; one complaint per thing that differs.
pub(super) fn check(
    repo: &Repo,
    manos: &Path,
    page: &Path,
    blocks: &[Block],
    ran: &mut Ran,
) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let mut room: Option<Room> = None;
    for block in blocks {
        let is_agent = block.info == "yaml agent";
        if !is_agent && block.info != "console" {
            continue;
        }
        let commands = commands(block);
        if !is_agent && !commands.iter().any(|command| calls_manos(&command.text)) {
            ran.left_out += 1;
            continue;
        }
        let room = match &mut room {
            Some(room) => room,
            empty => empty.insert(Room::open(repo, manos)?),
        };
        if is_agent {
            ran.agents += 1;
            wrong.extend(room.load(repo, page, block)?);
        }
        for command in commands.into_iter().filter(|_| !is_agent) {
            ran.commands += 1;
            wrong.extend(room.run(repo, page, &command)?);
        }
    }
    Ok(wrong)
}

/// A command of a block and the output it promises.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Promise {
    line: usize,
    text: String,
    output: Vec<String>,
}

fn commands(block: &Block) -> Vec<Promise> {
    let mut commands: Vec<Promise> = Vec::new();
    let mut continues = false;
    for (index, line) in block.lines.iter().enumerate() {
        if let Some(text) = line.strip_prefix("$ ") {
            let text = text.to_owned();
            continues = text.ends_with('\\');
            commands.push(Promise { line: block.line + index, text, output: Vec::new() });
        } else if let Some(command) = commands.last_mut() {
            if continues {
                command.text.push('\n');
                command.text.push_str(line);
                continues = line.ends_with('\\');
            } else {
                command.output.push(line.clone());
            }
        }
    }
    commands
}

fn calls_manos(command: &str) -> bool {
    command.split('|').any(|part| part.split_whitespace().next() == Some("manos"))
}

/// The folder that a page's commands run in.
#[derive(Debug)]
struct Room {
    folder: tempfile::TempDir,
    now_in: PathBuf,
    path: String,
}

impl Room {
    fn open(repo: &Repo, manos: &Path) -> Result<Self> {
        let folder = tempfile::tempdir().context("no folder for the examples")?;
        copy(&repo.root.join("examples"), &folder.path().join("examples"))?;
        let beside = manos.parent().context("the command has no folder")?;
        let path = format!("{}:{}", beside.display(), std::env::var("PATH").unwrap_or_default());
        Ok(Self { now_in: folder.path().to_owned(), folder, path })
    }

    fn shell(&self, repo: &Repo, text: &str) -> Command {
        let mut command = cargo::command(repo, "sh");
        command
            .args(["-c", &format!("exec 2>&1\n{text}")])
            .current_dir(&self.now_in)
            .env("PATH", &self.path)
            .env("HOME", self.folder.path())
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .stdin(std::process::Stdio::null());
        command
    }

    fn run(&mut self, repo: &Repo, page: &Path, promise: &Promise) -> Result<Option<String>> {
        if let Some(to) = promise.text.strip_prefix("cd ") {
            self.now_in = self.now_in.join(to.trim());
            let there = self.now_in.is_dir();
            return Ok((!there).then(|| format!("{}: no folder {to}", place(page, promise.line))));
        }
        let output = self.shell(repo, &promise.text).output().context("sh did not start")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut found: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
        if !output.status.success() {
            found.push(format!("[exit {}]", output.status.code().unwrap_or(-1)));
        }
        if matches(&promise.output, &found) {
            return Ok(None);
        }
        Ok(Some(format!(
            "{}: $ {}\n  the page says:\n{}\n  the command says:\n{}",
            place(page, promise.line),
            promise.text,
            indented(&promise.output),
            indented(&found)
        )))
    }

    /// Loads an agent file of a page, beside the files of the bakery. Variables it names get a
    /// value, since the page is about the file and not about the reader's keys.
    fn load(&self, repo: &Repo, page: &Path, block: &Block) -> Result<Option<String>> {
        let folder = self.folder.path().join("examples/bakery");
        fs::create_dir_all(&folder)?;
        let text = block.lines.join("\n");
        fs::write(folder.join("page.yaml"), &text)?;
        let mut command = self.shell(repo, "manos check page.yaml");
        command.current_dir(&folder);
        for name in variables(&text) {
            command.env(name, "value-for-the-check");
        }
        let output = command.output().context("sh did not start")?;
        if output.status.success() {
            return Ok(None);
        }
        let said = String::from_utf8_lossy(&output.stdout);
        Ok(Some(format!(
            "{}: the agent file is refused:\n{}",
            place(page, block.line),
            said.trim()
        )))
    }
}

fn variables(text: &str) -> Vec<&str> {
    let parts = text.split("${").skip(1);
    parts.filter_map(|part| part.split(['}', ':']).next()).filter(|name| !name.is_empty()).collect()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    if !from.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn indented(lines: &[String]) -> String {
    lines.iter().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

/// Whether output is what the page promises. Blank lines at the end do not count.
fn matches(promised: &[String], found: &[String]) -> bool {
    let trim = |lines: &[String]| {
        let end = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        lines[..end].to_vec()
    };
    matches_lines(&trim(promised), &trim(found))
}

fn matches_lines(promised: &[String], found: &[String]) -> bool {
    match promised.split_first() {
        None => found.is_empty(),
        Some((first, rest)) if first.trim() == "…" => {
            (0..=found.len()).any(|skip| matches_lines(rest, &found[skip..]))
        }
        Some((first, rest)) => found.split_first().is_some_and(|(line, found)| {
            matches_line(first.trim_end(), line) && matches_lines(rest, found)
        }),
    }
}

fn matches_line(promised: &str, found: &str) -> bool {
    let Some((before, after)) = promised.split_once('…') else { return promised == found };
    let Some(rest) = found.strip_prefix(before) else { return false };
    let mut starts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    starts.any(|at| matches_line(after, &rest[at..]))
}
