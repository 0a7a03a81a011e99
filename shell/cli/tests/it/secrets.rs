//! What comes from a variable is nowhere to be found: not in the store, a log or on the console.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;
use std::thread;

use crate::environment::{Ran, TestEnvironment, finish};

/// Tools that tell what they should not, as a result and as a failure, and rules that read it out.
const TELLTALE: &str = r#"
name: chismoso
language: es
model:
  provider: openai
  model: gpt
  base_url: BASE
  api_key: "${MODEL_KEY}"
tools:
  - name: contar
    description: Cuenta.
    confirm: false
    command: [/bin/sh, -c, 'printf "{\"key\":\"%s\",\"b64\":\"%s\",\"n\":%s}" "$KEY" "$(printf %s "$KEY" | base64)" "$PIN"']
    env: { KEY: "${TOOL_KEY}", PIN: "${PIN}", PATH: "/usr/bin:/bin" }
  - name: fallar
    description: Falla.
    confirm: false
    command: [/bin/sh, -c, 'echo "cannot reach http://h/?k=$KEY"; exit 1']
    env: { KEY: "${TOOL_KEY}" }
rules:
  - when: { equals: cuenta }
    then: { tool: contar, reply: "{{ result }}", result_as: contado }
  - when: { equals: otra vez }
    then: { reply: "{{ contado.key }} {{ contado.b64 }} {{ contado.n }}" }
  - when: { equals: falla }
    then: { tool: fallar, reply: "{{ result }}", otherwise: "{{ failure }}" }
"#;

const TOOL_KEY: &str = "tk/9f+Zq ñ7$x";
const MODEL_KEY: &str = "clave-del-modelo-4711";
const PIN: &str = "9021044377";

/// A model's server that repeats the key it was sent in its refusal.
fn refusing_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut head = [0; 4096];
            let _read = stream.read(&mut head);
            let body = format!(r#"{{"error":{{"message":"no model for key {MODEL_KEY} here"}}}}"#);
            let _written = write!(
                stream,
                "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
        }
    });
    base
}

fn run(folder: &TestEnvironment, arguments: &[&str], input: &[u8]) -> Ran {
    let child = folder
        .command(arguments)
        .env("TOOL_KEY", TOOL_KEY)
        .env("MODEL_KEY", MODEL_KEY)
        .env("PIN", PIN)
        .env("RUST_LOG", "trace")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    finish(child, input)
}

/// Every file of a folder but the agent file, whose text holds no secret.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect()
}

/// The value and how it looks in a URL, in JSON and in base64.
pub(crate) fn forms(secret: &str) -> Vec<String> {
    let mut encoded = String::new();
    for byte in secret.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    let plus = encoded.replace("%20", "+");
    vec![secret.to_owned(), encoded, plus, base64_head(secret)]
}

/// Base64 without its last group, which depends on what follows.
fn base64_head(secret: &str) -> String {
    let output = std::process::Command::new("/bin/sh")
        .args(["-c", r#"printf %s "$1" | base64"#, "sh", secret])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap().trim().to_owned();
    text[..text.len() / 4 * 4 - 4].to_owned()
}

#[test]
fn no_secret_is_kept_logged_or_printed() {
    let folder = TestEnvironment::empty();
    folder.write("agent.yaml", &TELLTALE.replace("BASE", &refusing_server()));
    let lines = "cuenta\notra vez\nfalla\nsomething for the model\n";
    let mut printed = vec![("chat", run(&folder, &["chat", "agent.yaml"], lines.as_bytes()))];
    assert!(printed[0].1.stdout.contains("***"), "the tools told nothing: {}", printed[0].1);
    for arguments in [
        &["call", "agent.yaml", "contar"][..],
        &["call", "agent.yaml", "fallar"],
        &["audit", "agent.yaml"],
        &["audit", "agent.yaml", "--json"],
        &["runs", "agent.yaml"],
        &["chats", "agent.yaml"],
    ] {
        printed.push((arguments[0], run(&folder, arguments, b"")));
    }
    let mut seen = files(&folder.path(""));
    seen.extend(printed.iter().flat_map(|(name, ran)| {
        let streams = [("stdout", &ran.stdout), ("stderr", &ran.stderr)];
        streams.map(|(stream, text)| (format!("{stream} of {name}"), text.clone().into_bytes()))
    }));
    for secret in [TOOL_KEY, MODEL_KEY, PIN] {
        for form in forms(secret) {
            for (name, bytes) in &seen {
                let found = bytes.windows(form.len()).position(|window| window == form.as_bytes());
                assert_eq!(found, None, "{name} holds {form:?}");
            }
        }
    }
}

/// The file is copied while the process that writes it lives, so that what is still in the
/// write-ahead log is looked at too.
#[test]
fn no_secret_is_in_the_write_ahead_log() {
    let folder = TestEnvironment::empty();
    folder.write("agent.yaml", &TELLTALE.replace("BASE", "http://127.0.0.1:9/v1"));
    let mut child = folder
        .command(&["chat", "agent.yaml"])
        .env("TOOL_KEY", TOOL_KEY)
        .env("MODEL_KEY", MODEL_KEY)
        .env("PIN", PIN)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.as_mut().unwrap().write_all(b"cuenta\n").unwrap();
    let mut first = [0; 1];
    child.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    let seen = files(&folder.path(""));
    assert!(seen.iter().any(|(name, bytes)| name.ends_with("-wal") && !bytes.is_empty()));
    let kept = |word: &[u8]| {
        seen.iter().any(|(_, bytes)| bytes.windows(word.len()).any(|window| window == word))
    };
    assert!(kept(b"***"), "the result was not kept");
    for form in [TOOL_KEY, MODEL_KEY, PIN].into_iter().flat_map(forms) {
        assert!(!kept(form.as_bytes()), "{form:?} is kept");
    }
    finish(child, b"");
}
