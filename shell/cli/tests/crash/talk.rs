//! One chat with the real binary, through as many processes as it takes.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::trail::Trail;

/// A folder with an agent, and what its person says.
pub(crate) struct Talk {
    pub(crate) folder: TempDir,
    pub(crate) lines: &'static [&'static str],
}

/// When a process is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cut {
    /// After so much time.
    After(Duration),
    /// So much time after it has printed so many outputs.
    AfterOutputs(usize, Duration),
    /// It ends by itself.
    Never,
}

/// What one process printed.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) outputs: Vec<Value>,
    /// Whether it came to its end.
    pub(crate) finished: bool,
}

/// A process that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_mins(1);

/// What the scripted model says. It is slow enough to be killed in the middle.
const REPLIES: &str = r#"
- when: { user: "(?i)café" }
  delay: 20ms
  call: [{ tool: crear_pedido, args: { items: [{ producto: cafe, cantidad: 1 }] } }]
- when: { user: "(?i)croissant" }
  delay: 20ms
  call: [{ tool: crear_pedido, args: { items: [{ producto: croissant, cantidad: 1 }] } }]
- when: { user: "(?i)dos" }
  delay: 20ms
  call: [{ tool: crear_pedido, args: { items: [{ producto: pan_de_bono, cantidad: 2 }] } }]
- when: { result: "user_?[rR]epl" }
  delay: 20ms
  call: [{ tool: crear_pedido, args: { items: [{ producto: pan_de_bono, cantidad: 2 }] } }]
- when: { user: "(?i)pan" }
  delay: 20ms
  call: [{ tool: crear_pedido, args: { items: [{ producto: pan_de_bono, cantidad: 1 }] } }]
- when: { result: "confirmado" }
  delay: 20ms
  say: "Listo, es el {{ result.id }}."
- when: { result: "rejected" }
  say: Como quieras.
- when: { user: "." }
  delay: 20ms
  say: Con gusto.
"#;

/// The agent whose tool keeps no journal of its own.
const NOTES: &str = r#"
name: notas
language: es
store: sqlite:notas.db
tools:
  - name: anotar
    title: Anotar
    description: Anota algo.
    parameters: { type: object, properties: { que: { type: string } }, required: [que] }
    confirm: true
    command: [sh, -c, "echo $MANOS_RUN >> noted; sleep 0.02; echo '{}'"]
rules:
  - when: { matches: "^anota (?<que>.+)$" }
    then: { tool: anotar, args: { que: "{{ que }}" }, reply: Anotado. }
fallback: No entendí.
"#;

impl Talk {
    pub(crate) fn in_a_bakery(lines: &'static [&'static str]) -> Self {
        let bakery = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery");
        let folder = TempDir::new().unwrap();
        for file in ["agent.yaml", "schema.sql"] {
            fs::copy(bakery.join(file), folder.path().join(file)).unwrap();
        }
        Self { folder, lines }
    }

    pub(crate) fn in_a_bakery_with_a_model(lines: &'static [&'static str]) -> Self {
        let talk = Self::in_a_bakery(lines);
        let path = talk.folder.path().join("agent.yaml");
        let agent = fs::read_to_string(&path).unwrap();
        let (before, model) = agent.split_once("\nmodel:\n").unwrap();
        let (_, after) = model.split_once("\n\n").unwrap();
        let model = "model: { provider: scripted, model: guion, script: replies.yaml }";
        fs::write(&path, format!("{before}\n{model}\n\n{after}")).unwrap();
        fs::write(talk.folder.path().join("replies.yaml"), REPLIES).unwrap();
        talk
    }

    pub(crate) fn with_notes(lines: &'static [&'static str]) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("agent.yaml"), NOTES).unwrap();
        Self { folder, lines }
    }

    /// The runs that wrote into the notes.
    pub(crate) fn noted(&self) -> Vec<String> {
        let noted = fs::read_to_string(self.folder.path().join("noted")).unwrap_or_default();
        noted.lines().map(str::to_owned).collect()
    }

    /// What the processes wrote to standard error.
    pub(crate) fn errors(&self) -> String {
        fs::read_to_string(self.folder.path().join("errors")).unwrap_or_default()
    }

    /// Starts a process, hands it the lines that are in no trail yet, and reads what it prints until
    /// it ends or is killed.
    pub(crate) fn run(&self, cut: Cut) -> Said {
        let taken = self.trail().received().len();
        let mut child = self.start();
        let mut input = child.stdin.take().unwrap();
        for line in &self.lines[taken..] {
            // A process that was quick to end reads no more.
            if writeln!(input, "{line}").is_err() {
                break;
            }
        }
        drop(input);
        let outputs = read(child.stdout.take().unwrap());
        let said = listen(&outputs, cut);
        if !said.finished {
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        // What it had printed by then was seen.
        let mut said = said;
        said.outputs.extend(outputs.iter());
        if said.finished {
            assert!(status.success(), "{status}: {}", self.errors());
        }
        said
    }

    fn start(&self) -> Child {
        let errors = self.folder.path().join("errors");
        let errors = File::options().create(true).append(true).open(errors).unwrap();
        self.manos(&["chat", "agent.yaml", "--json", "--user", "ana"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors)
            .spawn()
            .unwrap()
    }

    fn manos(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manos"));
        command.current_dir(self.folder.path()).args(arguments).env_remove("OPENAI_API_KEY");
        command
    }

    /// The trail as `manos audit` prints it.
    pub(crate) fn trail(&self) -> Trail {
        let printed = self
            .manos(&["audit", "agent.yaml", "--json", "--chat", "terminal:ana"])
            .output()
            .unwrap();
        if !printed.status.success() {
            let said = String::from_utf8_lossy(&printed.stderr).into_owned();
            // The first process may have been killed before it had made its store, or filled it.
            assert!(said.contains("kept") && said.contains("yet"), "{said}");
            return Trail::default();
        }
        Trail::read(&String::from_utf8(printed.stdout).unwrap())
    }
}

/// Reads outputs in a thread of their own, so that a kill can wait for time and for outputs alike.
fn read(printed: impl std::io::Read + Send + 'static) -> Receiver<Value> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(printed).lines() {
            // The last line of a killed process may be cut.
            let Some(output) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else {
                return;
            };
            if sender.send(output).is_err() {
                return;
            }
        }
    });
    receiver
}

fn listen(printed: &Receiver<Value>, cut: Cut) -> Said {
    let started = Instant::now();
    let mut outputs = Vec::new();
    let mut end = match cut {
        Cut::After(delay) => Some(started + delay),
        Cut::AfterOutputs(..) | Cut::Never => None,
    };
    loop {
        let wait = end.unwrap_or(started + PATIENCE).saturating_duration_since(Instant::now());
        match printed.recv_timeout(wait) {
            Ok(output) => outputs.push(output),
            Err(RecvTimeoutError::Disconnected) => return Said { outputs, finished: true },
            Err(RecvTimeoutError::Timeout) => {
                assert!(end.is_some(), "the process hangs after {outputs:#?}");
                return Said { outputs, finished: false };
            }
        }
        if let Cut::AfterOutputs(count, delay) = cut
            && outputs.len() == count
        {
            end = Some(Instant::now() + delay);
        }
    }
}
