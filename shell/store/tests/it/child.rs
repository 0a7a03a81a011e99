//! A second process: the running test, started again in another role.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

/// Names the store that a child works on; whoever has it is a child.
const ROLE: &str = "MANOS_STORE_TEST_CHILD";

/// The store to work on, in the process that was started to do so.
pub(crate) fn role() -> Option<PathBuf> {
    std::env::var_os(ROLE).map(PathBuf::from)
}

/// Tells the parent something.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// The command that runs one test of this binary as a child.
pub(crate) fn command(binary: &Path, test: &str, store: &Path) -> Command {
    let mut command = Command::new(binary);
    command.args(["--exact", test, "--nocapture"]).env(ROLE, store);
    command
}

/// A child that is killed when it is no longer needed.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Running {
    /// Starts the test of this name, as in `crash::a_test`, on a store.
    pub(crate) fn start(test: &str, store: &Path) -> Self {
        let mut command = command(&std::env::current_exe().unwrap(), test, store);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The rest of the next line that starts so; `None` when there is no more.
    pub(crate) fn next(&mut self, prefix: &str) -> Option<String> {
        self.lines.find_map(|line| line.unwrap().strip_prefix(prefix).map(str::to_owned))
    }

    /// Kills it, as a power cut of the process would, and waits for its end.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail when it has ended, which is what is wanted.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
