//! A folder of its own, an environment of its own, and what the command printed there.

use std::fmt;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use regex::Regex;
use tempfile::TempDir;

/// A folder in which the command runs.
pub(crate) struct TestEnvironment {
    dir: TempDir,
}

impl TestEnvironment {
    /// A folder with the bakery in it.
    pub(crate) fn bakery() -> Self {
        let environment = Self::empty();
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bakery");
        for name in ["agent.yaml", "schema.sql"] {
            fs::copy(example.join(name), environment.path(name)).unwrap();
        }
        environment
    }

    /// The bakery with a model that follows this script.
    pub(crate) fn scripted(script: &str) -> Self {
        let environment =
            Self::modelled("model: { provider: scripted, model: play, script: script.yaml }");
        environment.write("script.yaml", script);
        environment
    }

    /// The bakery with this model, without rules.
    pub(crate) fn modelled(model: &str) -> Self {
        let environment = Self::bakery();
        let agent = environment.read("agent.yaml");
        let (head, rest) = agent.split_once("\nmodel:\n").unwrap();
        let (_, tail) = rest.split_once("\nstore:").unwrap();
        let (tail, _) = tail.split_once("\nrules:").unwrap();
        environment.write("agent.yaml", &format!("{head}\n{model}\nstore:{tail}"));
        environment
    }

    /// A folder with nothing in it.
    pub(crate) fn empty() -> Self {
        Self { dir: TempDir::new().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Replaces text in a file; the text must be there.
    pub(crate) fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} does not hold {from:?}");
        self.write(name, &text.replace(from, to));
    }

    /// The command in the folder; nothing of our own environment reaches it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manos"));
        command.args(arguments).current_dir(self.dir.path()).env_clear();
        command
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    /// Runs the command with these bytes as its input.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let child = self.spawn(arguments);
        finish(child, input)
    }

    /// Starts the command.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        self.command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Talks to the agent, a message a line.
    pub(crate) fn chat(&self, lines: &[&str]) -> Ran {
        self.chat_as(&[], lines)
    }

    /// Talks to the agent with more arguments.
    pub(crate) fn chat_as(&self, arguments: &[&str], lines: &[&str]) -> Ran {
        let input = lines.join("\n") + "\n";
        let all: Vec<&str> = ["chat", "agent.yaml"].iter().chain(arguments).copied().collect();
        self.run_with(&all, input.as_bytes())
    }

    /// The rows of a query on the shop's database, as text.
    pub(crate) fn shop(&self, query: &str) -> Vec<String> {
        let db = rusqlite::Connection::open(self.path("shop.db")).unwrap();
        let mut statement = db.prepare(query).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        rows.map(Result::unwrap).collect()
    }

    /// The orders in the shop, as `id chat estado total`.
    pub(crate) fn orders(&self) -> Vec<String> {
        self.shop(
            "select id || ' ' || chat || ' ' || estado || ' ' || total from pedidos order by 1",
        )
    }

    /// The events of the trail.
    pub(crate) fn events(&self) -> Vec<serde_json::Value> {
        let ran = self.run(&["audit", "agent.yaml", "--json"]);
        assert_eq!(ran.code, Some(0), "{ran}");
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The types of the events of the trail.
    pub(crate) fn event_types(&self) -> Vec<String> {
        let types = self.events().into_iter();
        types.map(|event| event["type"].as_str().unwrap().to_owned()).collect()
    }

    /// The turn of the newest event of a type.
    pub(crate) fn turn_of(&self, event_type: &str) -> String {
        let events = self.events();
        let found = events.iter().rfind(|event| event["type"] == event_type);
        found.unwrap()["turn_id"].as_str().unwrap().to_owned()
    }
}

/// Gives a started command its input and waits for its end.
pub(crate) fn finish(mut child: Child, input: &[u8]) -> Ran {
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // Beside the reading, since a pipe holds only so much. A command that ends early reads none.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code(),
    }
}

/// What a command printed and how it ended.
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl fmt::Debug for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Printed for comparing: ids and times masked, and left out that the agent has no model.
impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&masked(&self.stdout))?;
        for line in masked(&self.stderr).lines().filter(|line| !line.contains("OPENAI_API_KEY")) {
            writeln!(f, "! {line}")?;
        }
        match self.code {
            Some(0) => Ok(()),
            Some(code) => writeln!(f, "exit {code}"),
            None => writeln!(f, "killed"),
        }
    }
}

/// Puts a word in place of everything that differs from run to run.
pub(crate) fn masked(text: &str) -> String {
    let masks = [
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| -05)", "TIME"),
        (r"\b(c_|evt_)?[0-9a-f]{32}\b", "${1}ID"),
        (r"\b[0-9a-f]{60,64}\b", "DIGEST"),
        (r"\bprocess \d+", "process PID"),
        (r"\b\d+ ms\b", "N ms"),
        (r#""secondsAgo":\d+"#, "\"secondsAgo\":N"),
    ];
    masks.iter().fold(text.to_owned(), |text, (pattern, word)| {
        Regex::new(pattern).unwrap().replace_all(&text, *word).into_owned()
    })
}
