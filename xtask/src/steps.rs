//! The order in which everything is checked, and how a step reports.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::programs::{self, is_installed};
use crate::repo::Repo;
use crate::{
    bfcl, booking, cargo, docs, features, fixtures, generate, json_schema, layers, licences, model,
    openapi, say, sdk,
};

/// Whether the real model takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RealModel {
    Always,
    Never,
    /// When the variable `CI` is set.
    WhenCi,
}

/// One step: its name, the command that repeats it alone, and what it does.
struct Step {
    name: &'static str,
    again: &'static str,
    run: Run,
}

type Run = Box<dyn Fn(&Repo) -> Result<()>>;

impl Step {
    fn cargo(name: &'static str, again: &'static str) -> Self {
        let run = move |repo: &Repo| {
            let arguments: Vec<&str> = again.split(' ').skip(1).collect();
            cargo::run(repo, &arguments)
        };
        Self { name, again, run: Box::new(run) }
    }

    fn own(name: &'static str, again: &'static str, run: fn(&Repo) -> Result<()>) -> Self {
        Self { name, again, run: Box::new(run) }
    }
}

/// Runs every step and stops at the first that fails.
///
/// # Errors
///
/// The failed step's own error, with the command that repeats it.
pub(crate) fn test(repo: &Repo, model: RealModel) -> Result<()> {
    let with_model = match model {
        RealModel::Always => true,
        RealModel::Never => false,
        RealModel::WhenCi => std::env::var_os("CI").is_some(),
    };
    let took = run_all(repo, &steps(with_model))?;
    say::line("\nAll passed:");
    for (name, time) in &took {
        say::line(&format!("{:>8}  {name}", seconds(*time)));
    }
    say::line(&format!("{:>8}  in all", seconds(took.iter().map(|(_, time)| *time).sum())));
    if !with_model {
        say::line("The real model was not asked: set CI or give --model to have it take part.");
    }
    Ok(())
}

/// Runs steps in order until one fails, and returns how long each took.
fn run_all(repo: &Repo, steps: &[Step]) -> Result<Vec<(&'static str, Duration)>> {
    let mut took = Vec::new();
    for step in steps {
        say::line(&format!("\n── {} · {}", step.name, step.again));
        let start = Instant::now();
        (step.run)(repo).with_context(|| {
            format!("step \"{}\" failed; repeat it with: {}", step.name, step.again)
        })?;
        took.push((step.name, start.elapsed()));
    }
    Ok(took)
}

/// Runs `test` again with `CI` set, which the tests below see too.
pub(crate) fn ci(repo: &Repo) -> Result<()> {
    let itself = std::env::current_exe()?;
    let status =
        cargo::command(repo, &itself.to_string_lossy()).arg("test").env("CI", "1").status()?;
    if !status.success() {
        bail!("`CI=1 cargo xtask test` ended with {status}");
    }
    Ok(())
}

fn steps(with_model: bool) -> Vec<Step> {
    let mut steps = vec![
        Step::own("programs", "cargo xtask test", |_| programs::need(&programs::OF_THE_TESTS)),
        Step::cargo("format", "cargo fmt --all --check"),
        Step::own("layers", "cargo xtask check-layers", layers::check),
        Step::own("licences", "cargo xtask check-licences", licences::check),
        Step::own("fixtures", "cargo xtask check-fixtures", fixtures::check),
        Step::cargo("lints", "cargo clippy --workspace --all-targets -- -D warnings"),
        tests(),
        Step::cargo("examples in the documentation", "cargo test --doc --workspace"),
        Step::cargo("documentation", "cargo doc --workspace --no-deps"),
        Step::own("generated references", "cargo xtask gen --check", generate::check),
        Step::own("documents", "cargo xtask check-docs", docs::check),
        Step::own("features", "cargo xtask check-features", features::check),
        Step::own("packages for other languages", "cargo xtask sdk", sdk::check),
        Step::own("booking over HTTP", "cargo xtask booking", booking::check),
        Step::own("examples", "cargo xtask examples", examples),
    ];
    if with_model {
        steps.push(Step::own("real documents", "cargo xtask openapi", openapi::check));
        steps.push(Step::own("function documents", "cargo xtask bfcl", bfcl::check));
        steps.push(Step::own("JSON Schema suite", "cargo xtask json-schema", json_schema::check));
        steps.push(Step::own("real model", "cargo xtask model-chat", model::chat));
    }
    steps
}

/// The tests proper: with nextest, which ends a test that hangs, or with cargo's own runner.
fn tests() -> Step {
    if is_installed("cargo-nextest") {
        Step::cargo("tests", "cargo nextest run --workspace --no-fail-fast")
    } else {
        Step::cargo("tests", "cargo test --workspace --lib --bins --tests --no-fail-fast")
    }
}

/// Runs each example program without input, and checks each example agent file.
pub(crate) fn examples(repo: &Repo) -> Result<()> {
    let manos = cargo::manos(repo)?;
    let mut found = 0_usize;
    for manifest in repo.files("examples", "toml")? {
        if manifest.file_name().is_some_and(|name| name != "Cargo.toml") {
            continue;
        }
        found += 1;
        let manifest = manifest.to_string_lossy();
        say::line(&format!("run {manifest}"));
        let status = cargo::command(repo, "cargo")
            .args(["run", "--quiet", "--manifest-path", &manifest])
            .stdin(std::process::Stdio::null())
            .status()?;
        if !status.success() {
            bail!("the example {manifest} ended with {status}");
        }
    }
    for file in repo.files("examples", "yaml")? {
        // The file of a program leaves its tools to the program, which was just run.
        let of_a_program = repo.root.join(&file).with_file_name("Cargo.toml").is_file();
        if of_a_program || !docs::is_agent_file(&repo.read(&file.to_string_lossy())?) {
            continue;
        }
        found += 1;
        say::line(&format!("check {}", file.display()));
        let status =
            cargo::command(repo, &manos.to_string_lossy()).arg("check").arg(&file).status()?;
        if !status.success() {
            bail!("`manos check {}` ended with {status}", file.display());
        }
    }
    if found == 0 {
        bail!("examples/ holds no example");
    }
    Ok(())
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_that_fails_is_the_last_and_says_how_to_repeat_it() {
        let repo = Repo { root: std::env::temp_dir() };
        let steps = [
            Step::own("one", "cargo one", |_| Ok(())),
            Step::own("two", "cargo two --now", |_| bail!("it is Monday")),
            Step::own("three", "cargo three", |_| bail!("never reached")),
        ];
        let error = run_all(&repo, &steps).unwrap_err();
        assert_eq!(
            format!("{error:#}"),
            "step \"two\" failed; repeat it with: cargo two --now: it is Monday"
        );
    }

    #[test]
    fn the_real_model_is_the_last_step_and_only_when_wanted() {
        let names = |with_model| steps(with_model).iter().map(|step| step.name).collect::<Vec<_>>();
        assert_eq!(names(true).last(), Some(&"real model"));
        assert_eq!(names(true)[..names(true).len() - 4], names(false)[..]);
    }
}
