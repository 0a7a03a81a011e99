//! A window of tmux with `manos chat` in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How long a screen may take to come; a busy machine is slow.
const WAIT: Duration = Duration::from_secs(40);

/// A folder with an agent, and a window at a time in which somebody talks to it.
pub(crate) struct Window {
    folder: TempDir,
    variables: Vec<String>,
    size: (u16, u16),
    /// How many windows there were: each has a server of its own.
    windows: u32,
}

impl Window {
    /// The agent that `manos init` writes.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = Command::new(env!("CARGO_BIN_EXE_manos"))
            .arg("init")
            .arg(folder.path().join("pan"))
            .output()
            .unwrap();
        assert!(made.status.success(), "{made:?}");
        Self { folder, variables: Vec::new(), size: (80, 40), windows: 0 }
    }

    /// Changes the agent file.
    pub(crate) fn agent(self, change: impl Fn(&str) -> String) -> Self {
        let path = self.folder.path().join("pan").join("agent.yaml");
        let text = fs::read_to_string(&path).unwrap();
        let changed = change(&text);
        assert_ne!(text, changed, "the agent file is another one now");
        fs::write(path, changed).unwrap();
        self
    }

    /// Sets a variable for the command.
    pub(crate) fn variable(mut self, assignment: &str) -> Self {
        self.variables.push(assignment.to_owned());
        self
    }

    /// Makes the window narrower.
    pub(crate) fn columns(mut self, columns: u16) -> Self {
        self.size.0 = columns;
        self
    }

    /// Starts the command and waits for its prompt.
    pub(crate) fn start(self) -> Self {
        self.start_until(|screen| screen.ends_with("\n>"))
    }

    /// Starts the command and waits for a screen.
    pub(crate) fn start_until(mut self, is_there: impl Fn(&str) -> bool) -> Self {
        self.windows += 1;
        let talk = format!(
            "env -u NO_COLOR -u OPENAI_API_KEY HOME='{home}' XDG_STATE_HOME='{home}/state' {} \
             '{}' chat agent.yaml; echo \"left with $?\"; \
             stty -a | tr ' ;' '\\n\\n' | grep -xE -e '-?(icanon|echo)'; exec sleep 600",
            self.variables.join(" "),
            env!("CARGO_BIN_EXE_manos"),
            home = self.folder.path().display(),
        );
        let (columns, rows) = (self.size.0.to_string(), self.size.1.to_string());
        let folder = self.folder.path().join("pan");
        let folder = folder.to_str().unwrap();
        self.tmux(
            &["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, "-c"]
                .into_iter()
                .chain([folder, &talk])
                .collect::<Vec<_>>(),
        );
        self.tmux(&["pipe-pane", &format!("cat >> '{}'", self.written_path().display())]);
        self.wait_for(is_there);
        self
    }

    /// Sends keys by their names in tmux.
    pub(crate) fn keys(&self, keys: &[&str]) {
        let mut arguments = vec!["send-keys"];
        arguments.extend(keys);
        self.tmux(&arguments);
    }

    /// Pastes a text as terminals do.
    pub(crate) fn paste(&self, text: &str) {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer", "-p"]);
    }

    /// Makes the window narrower while the command runs.
    pub(crate) fn narrow(&self, columns: u16) {
        let (columns, rows) = (columns.to_string(), self.size.1.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// What stands in the window, without blanks at its ends.
    pub(crate) fn screen(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p"]);
        let rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// Waits until the screen holds a text.
    pub(crate) fn see(&self, text: &str) -> String {
        self.wait_for(|screen| screen.contains(text))
    }

    /// Waits until the screen ends with a text.
    pub(crate) fn see_last(&self, text: &str) -> String {
        self.wait_for(|screen| screen.ends_with(text))
    }

    /// Waits for a screen.
    pub(crate) fn wait_for(&self, is_there: impl Fn(&str) -> bool) -> String {
        let began = Instant::now();
        loop {
            let screen = self.screen();
            if is_there(&screen) {
                return screen;
            }
            assert!(began.elapsed() < WAIT, "this screen never changed as it should:\n{screen}");
            pause(50);
        }
    }

    /// Every byte that was written to the terminal.
    pub(crate) fn written(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.written_path()).unwrap()).into_owned()
    }

    /// The folder that the command takes for the home of the person.
    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    /// Closes the window, whatever stands in it.
    pub(crate) fn close(&self) {
        self.tmux(&["kill-server"]);
    }

    /// The process id of the command.
    pub(crate) fn process(&self) -> String {
        let shell = self.tmux(&["list-panes", "-F", "#{pane_pid}"]);
        let children = format!("/proc/{0}/task/{0}/children", shell.trim());
        fs::read_to_string(children).unwrap().trim().to_owned()
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join(format!("tmux-{}", self.windows))
    }

    fn written_path(&self) -> PathBuf {
        self.folder.path().join("written")
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let run = Command::new("tmux")
            .env_remove("TMUX")
            .env("LC_ALL", "C.UTF-8")
            .arg("-S")
            .arg(self.socket())
            .args(arguments)
            .output();
        let run = match run {
            Ok(run) => run,
            Err(error) => panic!("these tests need tmux, which did not start: {error}"),
        };
        assert!(run.status.success(), "tmux {arguments:?}: {run:?}");
        String::from_utf8(run.stdout).unwrap()
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // It may be closed already.
        let _closed = Command::new("tmux").arg("-S").arg(self.socket()).arg("kill-server").output();
    }
}

#[expect(clippy::disallowed_methods, reason = "another process draws; nothing tells when it has")]
pub(crate) fn pause(millis: u64) {
    std::thread::sleep(Duration::from_millis(millis));
}
