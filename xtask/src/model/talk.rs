//! A fixed talk with the bakery, and the reading of what it left behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::audit;
use super::server::Server;
use crate::repo::Repo;
use crate::{cargo, docs, say};

/// What the person says. Answers stand where a question is likely, and are messages where none came.
/// The model is small: once it has talked without a tool it goes on without, hence the resets.
const LINES: [&str; 28] = [
    "Hola, ¿qué tal?",
    "/reset",
    "Ver menú",
    "/reset",
    "Cotiza 2 cafés y 1 croissant",
    "/reset",
    "Haz un pedido de 5 tortas de chocolate",
    "sí, pero que sean 4",
    "no",
    "/reset",
    "Crea un pedido de 1 café",
    "dale",
    "/reset",
    // There is none, and nothing may be made up in its place.
    "Haz un pedido de 2 pizzas",
    "sí",
    "/reset",
    // More than the schema takes.
    "Haz un pedido de 500 cafés",
    "sí",
    "/reset",
    "Muéstrame mis pedidos",
    "/reset",
    "Cambia el pedido P-1001 a 3 croissants",
    "ok",
    "/reset",
    "Cancela el pedido P-1001",
    "sí",
    "/reset",
    "Gracias, eso es todo",
];

/// What is said where the way of asking is tried and not the bakery.
const FEW_LINES: [&str; 3] = ["Ver menú", "/reset", "Cotiza 2 cafés"];

/// One talk: how the model is asked, and what it is told.
struct Talk {
    /// Its folder.
    name: &'static str,
    /// Further keys of the model.
    settings: &'static str,
    lines: &'static [&'static str],
    /// What the trail must hold, whatever the model says.
    needed: &'static [&'static str],
}

/// Replies in pieces and whole, with a free and a forced choice of tools.
const TALKS: [Talk; 4] = [
    Talk {
        name: "streamed",
        settings: "",
        lines: &LINES,
        // Otherwise the rest holds of a model that was never reached, or never called a tool.
        needed: &["model.replied", "tool.requested", "tool.succeeded"],
    },
    Talk {
        name: "whole",
        settings: "  stream: false\n",
        lines: &FEW_LINES,
        needed: &["model.replied"],
    },
    Talk {
        name: "streamed-forced",
        settings: "  tool_choice: required\n",
        lines: &FEW_LINES,
        needed: &["model.replied", "tool.requested"],
    },
    Talk {
        name: "whole-forced",
        settings: "  stream: false\n  tool_choice: required\n",
        lines: &FEW_LINES,
        needed: &["model.replied", "tool.requested"],
    },
];

/// The bakery's tools that never run without a yes.
const ASKED: [&str; 3] = ["actualizar_pedido", "cancelar_pedido", "crear_pedido"];

/// On a busy machine the model can fall silent, which the talk has to outlive: one failure is taken
/// for so many replies. More than that is a fault of ours.
const REPLIES_PER_FAILURE: usize = 4;

/// How long the whole talk may take: some minutes on two idle cores.
const TALK_MAX: Duration = Duration::from_mins(20);

const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Talks, and fails with everything that does not hold. What was said, what was heard and the trail
/// are left beside the built command until the next talk.
pub(super) fn run(repo: &Repo, manos: &Path, server: &Server) -> Result<()> {
    let target = manos.ancestors().nth(2).context("the command is not in a target folder")?;
    let folder = target.join("model-chat");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    for talk in &TALKS {
        let folder = folder.join(talk.name);
        let agent = agent(repo, &folder, &server.base_url(), talk.settings)?;
        let start = Instant::now();
        hold(repo, manos, &folder, &agent, talk.lines)
            .and_then(|()| read(repo, manos, &folder, &agent, talk))
            .map(|summary| {
                let seconds = start.elapsed().as_secs_f64();
                say::line(&format!("{}: {summary}, in {seconds:.0} s", talk.name));
            })
            .with_context(|| format!("the talk and its trail are in {}", folder.display()))?;
    }
    Ok(())
}

/// A copy of the bakery whose model is the local one. Its rules go, so that each line reaches the
/// model.
fn agent(repo: &Repo, folder: &Path, base_url: &str, settings: &str) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    super::run(Command::new("cp").arg("-R").arg(repo.root.join("examples/bakery/.")).arg(folder))?;
    let mut found = None;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "yaml")
            && docs::is_agent_file(&fs::read_to_string(&path)?)
        {
            found = Some(path);
        }
    }
    let path = found.context("examples/bakery holds no agent file")?;
    let text = fs::read_to_string(&path)?;
    let model = format!(
        "model:\n  provider: openai\n  base_url: {base_url}\n  model: local\n  api_key: local\n  timeout: 5m\n{settings}"
    );
    fs::write(&path, format!("{}{model}", without(&text, &["model", "rules"])))?;
    Ok(path)
}

/// The YAML text without some of its top-level keys.
fn without(text: &str, keys: &[&str]) -> String {
    let mut kept = String::new();
    let mut dropping = false;
    for line in text.lines() {
        let starts_a_key = line.starts_with(|first: char| first.is_ascii_alphabetic());
        if starts_a_key {
            dropping = line.split_once(':').is_some_and(|(key, _)| keys.contains(&key));
        }
        if !dropping {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn hold(repo: &Repo, manos: &Path, folder: &Path, agent: &Path, lines: &[&str]) -> Result<()> {
    let input = folder.join("said.txt");
    fs::write(&input, format!("{}\n", lines.join("\n")))?;
    let mut child = cargo::command(repo, &manos.to_string_lossy())
        .arg("chat")
        .arg(agent)
        .current_dir(folder)
        .stdin(File::open(&input)?)
        .stdout(File::create(folder.join("heard.txt"))?)
        .stderr(File::create(folder.join("errors.txt"))?)
        .spawn()
        .context("the manos command did not start")?;
    let status = end_of(&mut child)?;
    if !status.success() {
        let errors = fs::read_to_string(folder.join("errors.txt")).unwrap_or_default();
        bail!("`manos chat` ended with {status}: {}", errors.trim());
    }
    Ok(())
}

fn end_of(child: &mut Child) -> Result<std::process::ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if start.elapsed() > TALK_MAX {
            child.kill()?;
            child.wait()?;
            bail!("the talk did not end within {TALK_MAX:?}");
        }
        sleep(LOOK_EVERY);
    }
}

/// Reads the trail and the shop; a sentence about what was seen, or everything that is wrong.
fn read(repo: &Repo, manos: &Path, folder: &Path, agent: &Path, talk: &Talk) -> Result<String> {
    let output = cargo::command(repo, &manos.to_string_lossy())
        .arg("audit")
        .arg(agent)
        .arg("--json")
        .current_dir(folder)
        .output()
        .context("the manos command did not start")?;
    if !output.status.success() {
        bail!("`manos audit` ended with {}", output.status);
    }
    fs::write(folder.join("audit.jsonl"), &output.stdout)?;
    let trail = String::from_utf8(output.stdout).context("the trail is not UTF-8")?;
    let events: Vec<Value> =
        trail.lines().map(serde_json::from_str).collect::<Result<_, _>>().context("the trail")?;

    let count = |kind: &str| events.iter().filter(|event| audit::kind(event) == kind).count();
    let mut wrong = audit::complaints(&events, &ASKED);
    let said = talk.lines.iter().filter(|line| !line.starts_with('/')).count();
    if count("message.received") < said {
        wrong.push(format!("{said} lines were said, {} received", count("message.received")));
    }
    for needed in talk.needed {
        if count(needed) == 0 {
            wrong.push(format!("there is no {needed} in the trail"));
        }
    }
    let (failed, replied) = (count("model.failed"), count("model.replied"));
    if failed > replied / REPLIES_PER_FAILURE {
        wrong.push(format!("the model failed {failed} times and replied {replied} times"));
    }
    let done = events
        .iter()
        .filter(|event| audit::kind(event) == "tool.succeeded" && event["tool"] == "crear_pedido");
    let (done, kept) = (done.count(), orders(&folder.join("shop.db"))?);
    if done != kept {
        wrong.push(format!("the trail has {done} orders, the shop has {kept}"));
    }
    if !wrong.is_empty() {
        bail!("the trail does not hold:\n  {}", wrong.join("\n  "));
    }
    Ok(format!(
        "{said} lines, {replied} replies of the model ({failed} failed), {} calls ({} invalid), {} runs, {} questions, {kept} orders: all in order",
        count("tool.requested"),
        count("tool.invalid"),
        count("tool.started"),
        count("confirm.asked"),
    ))
}

/// How many orders the shop's database holds. Python is here for the model's server anyway, and has
/// SQLite in it: often an older one, which must be told to bear with views that it cannot read.
fn orders(shop: &Path) -> Result<usize> {
    let program = "import sqlite3, sys; shop = sqlite3.connect(sys.argv[1]); \
        shop.execute('pragma writable_schema = on'); \
        print(shop.execute('select count(*) from pedidos').fetchone()[0])";
    let output = Command::new("python3").args(["-c", program]).arg(shop).output()?;
    if !output.status.success() {
        bail!("the shop cannot be read: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_goes_with_all_that_belongs_to_it() {
        let text = "name: a\nmodel:\n  provider: x\n\n  # why\n  model: y\ntools:\n  - name: t\nrules: []\nstore: memory\n";
        assert_eq!(
            without(text, &["model", "rules"]),
            "name: a\ntools:\n  - name: t\nstore: memory\n"
        );
    }
}
