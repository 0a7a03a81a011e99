use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::Instant as RealInstant;

use serde_json::json;

use manos_wire_tool::mask::Masker;

use super::*;
use crate::fixture::{Bench, failed};
use crate::{Executor, Runner};

fn spec(argv: &[&str]) -> CommandSpec {
    CommandSpec {
        argv: argv.iter().map(|&part| part.to_owned()).collect(),
        env: BTreeMap::new(),
        cwd: std::env::temp_dir(),
        output_bytes_max: COMMAND_OUTPUT_BYTES_MAX,
    }
}

fn sh(script: &str) -> CommandSpec {
    spec(&["sh", "-c", script])
}

fn bench(spec: CommandSpec) -> Bench {
    Bench::new(Executor::builder(), Runner::Command(spec))
}

fn exit(code: Option<i32>, message: &str) -> Failure {
    Failure::Exit { code, message: message.to_owned() }
}

#[tokio::test]
async fn each_way_to_end_is_told_apart() {
    let cases = [
        ("cat", RunEnd::Done(json!({"a": "ñ'\"$(id)"})), "it reads its arguments"),
        ("echo '{\"total\": 1.50}'", RunEnd::Done(json!({"total": 1.5})), "JSON"),
        ("printf 'two words\n'", RunEnd::Done(json!("two words\n")), "text as it is"),
        ("true", RunEnd::Done(json!("")), "nothing"),
        ("exec <&-; echo 1", RunEnd::Done(json!(1)), "it reads nothing"),
        ("printf '\\377x'", RunEnd::Done(json!("\u{fffd}x")), "no UTF-8"),
        (
            "echo '{\"error\":\"closed\"}'",
            RunEnd::NotDone(Failure::Said(json!({"error": "closed"}))),
            "it says no",
        ),
        (
            "echo '{\"error\":\"closed\"}'; exit 3",
            RunEnd::NotDone(Failure::Said(json!({"error": "closed"}))),
            "it says no and why",
        ),
        ("echo gone >&2; exit 3", RunEnd::NotDone(exit(Some(3), "gone")), "a code and a reason"),
        ("echo [1]; exit 1", RunEnd::NotDone(exit(Some(1), "")), "no object"),
        ("kill -SEGV $$", RunEnd::Unknown(exit(None, "")), "a signal is no answer"),
    ];
    for (script, expected, why) in cases {
        let end = bench(sh(script)).run(json!({"a": "ñ'\"$(id)"})).await;
        let same = match (&end, &expected) {
            (RunEnd::Done(left), RunEnd::Done(right)) => manos_model::equal_values(left, right),
            _ => end == expected,
        };
        assert!(same, "{why}: {script}: {end:?}");
    }
}

#[tokio::test]
async fn a_program_that_does_not_start_did_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain"), "x").unwrap();
    let at = |program: &str| CommandSpec { cwd: folder.path().to_owned(), ..spec(&[program]) };
    let gone = CommandSpec { cwd: folder.path().join("none"), ..spec(&["true"]) };
    let cases = [
        (at("no-such-program-here"), "the program was not found"),
        (at("./missing"), "the program was not found"),
        (at("./plain"), "the program may not be run"),
        (gone, "the program was not found"),
    ];
    for (spec, expected) in cases {
        assert_eq!(bench(spec).run(json!({})).await, RunEnd::NotDone(failed(expected)));
    }
}

#[tokio::test]
async fn a_relative_program_is_found_from_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("tool");
    fs::write(&program, "#!/bin/sh\npwd\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let spec = CommandSpec { cwd: folder.path().to_owned(), ..spec(&["./tool"]) };
    let real = folder.path().canonicalize().unwrap();
    let end = bench(spec).run(json!({})).await;
    assert_eq!(end, RunEnd::Done(json!(format!("{}\n", real.display()))));
}

#[tokio::test]
async fn the_environment_holds_what_was_named_and_the_facts() {
    let mut spec = sh("env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD= | sort");
    spec.env.insert("TOKEN".to_owned(), Secret::new("a b".to_owned()));
    spec.env.insert("PATH".to_owned(), Secret::new("/usr/bin:/bin".to_owned()));
    spec.env.insert("MANOS_USER".to_owned(), Secret::new("terminal:eve".to_owned()));
    let expected = "MANOS_CHANNEL=terminal\nMANOS_CHAT=terminal:ana\nMANOS_LOCALE=es-CO\n\
                    MANOS_NOW=2026-01-02T03:04:05.000Z\nMANOS_RUN=run-1\nMANOS_USER=terminal:ana\n\
                    PATH=/usr/bin:/bin\nTOKEN=a b\n";
    assert_eq!(bench(spec).run(json!({})).await, RunEnd::Done(json!(expected)));
}

#[tokio::test]
async fn a_hang_ends_at_the_timeout_with_its_whole_family() {
    let folder = tempfile::tempdir().unwrap();
    // The child ignores the polite signal and writes when it outlives its parent.
    let script = "trap '' TERM; (sleep 3; touch survived) & touch started; sleep 30";
    let spec = CommandSpec { cwd: folder.path().to_owned(), ..sh(script) };
    let started = RealInstant::now();
    let end = bench(spec).timeout_ms(300).run(json!({})).await;
    assert_eq!(end, RunEnd::Unknown(Failure::Timeout { after_ms: 300 }));
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
    assert!(folder.path().join("started").exists());
    tokio::time::sleep(Duration::from_millis(3500).saturating_sub(started.elapsed())).await;
    assert!(!folder.path().join("survived").exists());
}

#[tokio::test]
async fn cancelling_stops_it_and_leaves_the_end_unknown() {
    let bench = bench(sh("sleep 30"));
    let started = RealInstant::now();
    let (end, ()) = tokio::join!(bench.run(json!({})), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        bench.cancel.cancel();
    });
    assert_eq!(end, RunEnd::Unknown(Failure::Interrupted));
    assert!(started.elapsed() < Duration::from_secs(3));
}

#[tokio::test]
async fn who_forks_and_leaves_neither_holds_us_up_nor_lives_on() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("(sleep 2; touch held) & echo '{\"ok\":true}'", "held", "it holds the pipe"),
        ("(sleep 2; touch let) >/dev/null 2>&1 & echo '{\"ok\":true}'", "let", "it lets go"),
    ];
    for (script, file, why) in cases {
        let spec = CommandSpec { cwd: folder.path().to_owned(), ..sh(script) };
        let started = RealInstant::now();
        assert_eq!(bench(spec).run(json!({})).await, RunEnd::Done(json!({"ok": true})), "{why}");
        assert!(started.elapsed() < Duration::from_millis(1500), "{why}: {:?}", started.elapsed());
        tokio::time::sleep(Duration::from_millis(2500).saturating_sub(started.elapsed())).await;
        assert!(!folder.path().join(file).exists(), "{why}");
    }
}

#[tokio::test]
async fn endless_output_is_cut_off_and_the_end_unknown() {
    let started = RealInstant::now();
    let end = bench(sh("yes 0123456789 | head -c 100000000")).run(json!({})).await;
    let RunEnd::Unknown(Failure::Transport { kind, .. }) = end else {
        panic!("{end:?}");
    };
    assert_eq!(kind, "too_large");
    assert!(started.elapsed() < Duration::from_secs(3));

    let noisy = "yes 0123456789 | head -c 20000000 >&2; echo last words >&2; exit 4";
    let end = bench(sh(noisy)).run(json!({})).await;
    let RunEnd::NotDone(Failure::Exit { code: Some(4), message }) = end else {
        panic!("{end:?}");
    };
    assert!(message.ends_with("last words") && message.len() < 1100, "{message}");
}

#[tokio::test]
async fn long_arguments_and_long_output_do_not_wait_for_each_other() {
    let text = "x".repeat(900_000);
    let end = bench(sh("cat")).run(json!({"a": text, "b": "'; rm -rf ~"})).await;
    assert_eq!(end, RunEnd::Done(json!({"a": text, "b": "'; rm -rf ~"})));
    let end = bench(sh("head -c 10 >/dev/null; echo '\"enough\"'")).run(json!({"a": text})).await;
    assert_eq!(end, RunEnd::Done(json!("enough")));
}

#[tokio::test]
async fn secrets_in_what_it_says_are_masked() {
    let mut spec = sh("echo \"no $TOKEN at mysql://u:p@h\" >&2; exit 1");
    spec.env.insert("TOKEN".to_owned(), Secret::new("tops3cret".to_owned()));
    let masker = Masker::new(spec.env.values().cloned());
    let bench = Bench::new(Executor::builder().masker(masker), Runner::Command(spec));
    let expected = exit(Some(1), "no *** at mysql://***@h");
    assert_eq!(bench.run(json!({})).await, RunEnd::NotDone(expected));
}

#[tokio::test]
async fn dropping_the_run_kills_the_group() {
    let folder = tempfile::tempdir().unwrap();
    let script = "touch started; sleep 1; touch survived";
    let spec = CommandSpec { cwd: folder.path().to_owned(), ..sh(script) };
    let bench = bench(spec);
    let waited = tokio::time::timeout(Duration::from_millis(400), bench.run(json!({}))).await;
    assert!(waited.is_err() && folder.path().join("started").exists());
    tokio::time::sleep(Duration::from_millis(1200)).await;
    assert!(!folder.path().join("survived").exists());
}

#[tokio::test]
#[ignore = "a measurement: run it alone, with --ignored --nocapture"]
#[expect(clippy::print_stderr, reason = "the figures are what it is for")]
async fn measure() {
    const CALLS: u32 = 300;
    let bench = bench(spec(&["cat"]));
    let started = RealInstant::now();
    for _ in 0..CALLS {
        assert_eq!(bench.run(json!({"a": 1})).await, RunEnd::Done(json!({"a": 1})));
    }
    eprintln!("a process: {:?} a call", started.elapsed() / CALLS);
}
