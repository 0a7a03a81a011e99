//! The documentation, held to what the program does.
//!
//! Every `console` block that calls `manos` is run and its output compared; every block marked
//! `yaml agent` is loaded by `manos check`; links between files of the checkout lead somewhere; and
//! some words stand nowhere in the project.

mod console;
mod links;
mod markdown;
mod words;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::repo::Repo;
use crate::{cargo, say};

/// Pages outside `docs/` and `examples/`.
const PAGES: [&str; 6] =
    ["AGENTS.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"];

/// Runs every check of the documentation and reports all that fails at once.
pub(crate) fn check(repo: &Repo) -> Result<()> {
    let mut pages: Vec<PathBuf> =
        PAGES.iter().map(PathBuf::from).filter(|page| repo.root.join(page).is_file()).collect();
    pages.extend(repo.files("docs", "md")?);
    pages.extend(repo.files("examples", "md")?);

    let mut wrong = words::check(repo)?;
    let mut ran = console::Ran::default();
    let manos = cargo::manos(repo)?;
    for page in &pages {
        let text = repo.read(&page.to_string_lossy())?;
        wrong.extend(links::check(repo, page, &text)?);
        let blocks = markdown::blocks(&text);
        wrong.extend(console::check(repo, &manos, page, &blocks, &mut ran)?);
    }
    if !wrong.is_empty() {
        bail!("{} things in the documentation do not hold:\n\n{}", wrong.len(), wrong.join("\n\n"));
    }
    say::line(&format!(
        "{} pages hold: {} commands run, {} agent files checked, {} console blocks without manos",
        pages.len(),
        ran.commands,
        ran.agents,
        ran.left_out
    ));
    Ok(())
}

/// Whether YAML text looks like an agent file: it has a name, and something an agent does.
pub(crate) fn is_agent_file(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    has("name:") && (has("tools:") || has("rules:") || has("model:"))
}

/// Where something stands, for the reader.
fn place(page: &Path, line: usize) -> String {
    format!("{}:{line}", page.display())
}
