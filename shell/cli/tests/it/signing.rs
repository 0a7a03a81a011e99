//! `manos sign` and `manos verify` on the vectors that every verifier runs against.

use serde_json::Value;

use crate::environment::{Ran, TestEnvironment};

fn cases() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/signatures/signatures.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

#[test]
fn both_headers_are_printed_a_line_each() {
    let (folder, cases) = (TestEnvironment::empty(), cases());
    let (secret, at) = (text(&cases, "secret"), cases["t"].to_string());
    for vector in cases["vectors"].as_array().unwrap() {
        let (method, path) = (text(vector, "method"), text(vector, "path"));
        let arguments =
            ["sign", "--secret", secret, "--method", method, "--path", path, "--at", &at];
        let ran = folder.run_with(&arguments, text(vector, "body").as_bytes());
        let expected = format!(
            "X-Manos-Signature-V2: t={at},v1={}\nX-Manos-Signature: {}\n",
            text(vector, "v1"),
            text(vector, "legacy"),
        );
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(0), expected.as_str()),
            "{}",
            text(vector, "id")
        );
    }
}

#[test]
fn the_exit_code_and_one_sentence_say_whether_it_is_valid() {
    let (folder, cases) = (TestEnvironment::empty(), cases());
    for case in cases["verifier"].as_array().unwrap() {
        let now = case["now"].to_string();
        let mut arguments = vec!["verify"];
        for secret in case["secrets"].as_array().unwrap() {
            arguments.extend(["--secret", secret.as_str().unwrap()]);
        }
        arguments.extend([
            "--method",
            text(case, "method"),
            "--path",
            text(case, "path"),
            "--now",
            &now,
        ]);
        if let Some(header) = case["header"].as_str() {
            arguments.extend(["--header", header]);
        }
        let ran = folder.run_with(&arguments, text(case, "body").as_bytes());
        let accept = case["accept"].as_bool().unwrap();
        assert_eq!(ran.code, Some(i32::from(!accept)), "{}: {ran}", text(case, "name"));
        let said = if accept { &ran.stdout } else { &ran.stderr };
        assert_eq!(said.lines().count(), 1, "{ran}");
    }
}

#[test]
fn a_secret_comes_from_the_environment_and_is_never_printed() {
    let folder = TestEnvironment::empty();
    let run = |arguments: &[&str], value: &str| -> Ran {
        let mut command = folder.command(arguments);
        let child = command
            .env("QUIET", value)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        crate::environment::finish(child, b"{}")
    };
    let sign =
        ["sign", "--secret-env", "QUIET", "--method", "PUT", "--path", "/x", "--at", "1767225600"];
    let ran = run(&sign, "whsec_test_secret");
    insta::assert_snapshot!(ran.stdout, @"
    X-Manos-Signature-V2: t=1767225600,v1=ee97ce34034a9fe06070c6d61800795e64ae11ff3d816e560b9daf130d2e60eb
    X-Manos-Signature: 6d3bb6a35ccd41cb545a9c319806864a955b3f8bee2aae65fa38c28d743ca554
    ");
    let header = "t=1767225600,v1=00";
    let verify = [
        "verify",
        "--secret-env",
        "QUIET",
        "--method",
        "PUT",
        "--path",
        "/x",
        "--header",
        header,
        "--now",
        "1767225600",
    ];
    let ran = run(&verify, "whsec_test_secret");
    assert!(!ran.to_string().contains("whsec_test_secret"), "{ran}");
    insta::assert_snapshot!(ran, @"
    ! error: the signature was not made with this secret over this method, path and body
    exit 1
    ");
    insta::assert_snapshot!(run(&sign, ""), @"
    ! error: the variable QUIET is not set, is empty or is no text
    exit 2
    ");
    insta::assert_snapshot!(folder.run(&["sign", "--secret", "a", "--path", "/x", "--prefix", "a b"]), @r#"
    ! error: "a b" cannot be part of a header's name: use ASCII letters, digits and `-`
    exit 2
    "#);
    assert_eq!(folder.run(&["sign", "--path", "/x"]).code, Some(2), "no secret at all");
}
