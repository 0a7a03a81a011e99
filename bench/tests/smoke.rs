//! The benchmark runs, and both sides do the same work: it ends in an error when the model's server
//! was asked more or less by one of them, or when the trail does not tell of every turn.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::process::Command;

fn bench(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_manos-bench")).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_few_turns_are_the_same_work_on_both_sides() {
    let printed =
        bench(&["turns", "--turns", "64", "--rounds", "1", "--history", "2", "--chats", "64"]);
    let rows: Vec<&str> = printed.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), 9, "a head, and four cases alone and at once:\n{printed}");
    let told = "both sides asked the model the same; audit events a turn: [11, 11, 11, 11]";
    assert!(printed.contains(told), "{printed}");
}

#[test]
fn chats_come_to_be_known() {
    let printed = bench(&["idle", "--chats", "256"]);
    assert!(printed.contains("| chats known |"), "{printed}");
    assert!(printed.contains("after the store was closed"), "{printed}");
}
