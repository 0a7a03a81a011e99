//! Tools that are described elsewhere, printed as a file that checks.

use std::path::Path;

use crate::environment::{TestEnvironment, finish};

fn fixture(folder: &TestEnvironment, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/import").join(name);
    std::fs::copy(from, folder.path(name)).unwrap();
}

/// The variables that standard error names.
fn variables(stderr: &str) -> Vec<String> {
    let line = stderr.lines().find_map(|line| line.split_once("set these variables: "));
    line.map_or_else(Vec::new, |(_, names)| names.split(", ").map(str::to_owned).collect())
}

#[test]
fn what_is_printed_checks_once_its_secrets_are_set() {
    for (from, document, tools) in
        [("vapi", "vapi.json", 3), ("retell", "retell.json", 3), ("openapi", "shop.yaml", 6)]
    {
        let folder = TestEnvironment::empty();
        fixture(&folder, document);
        let printed = folder.run(&["import", from, document]);
        assert_eq!(printed.code, Some(0), "{printed}");
        folder.write("agent.yaml", &printed.stdout);
        let unset = folder.run(&["check", "agent.yaml"]);
        assert!(unset.stderr.contains("config.missing_variable"), "{unset}");

        let set = |arguments: &[&str]| {
            let mut command = folder.command(arguments);
            for name in variables(&printed.stderr) {
                command.env(name, "set-for-the-test");
            }
            let piped = std::process::Stdio::piped;
            finish(command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap(), b"")
        };
        let checked = set(&["check", "agent.yaml"]);
        assert_eq!(checked.code, Some(0), "{from}: {checked}");
        assert!(checked.stdout.starts_with("agent.yaml: good"), "{checked}");
        let listed = set(&["tools", "agent.yaml"]);
        assert_eq!(listed.stdout.lines().count(), tools + 1, "{listed}");
    }
}

#[test]
fn what_is_no_export_says_what_to_give() {
    let folder = TestEnvironment::empty();
    let ran = folder.run_with(&["import", "vapi", "-"], b"{}");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran}");
    assert!(ran.stderr.contains("give the JSON of one tool"), "{ran}");
}
