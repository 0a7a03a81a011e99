//! `manos init`: what it writes runs.

use crate::environment::TestEnvironment;

#[test]
fn the_agent_it_writes_is_good_and_chats() {
    let folder = TestEnvironment::empty();
    insta::assert_snapshot!(folder.run(&["init", "faro"]), @r"
    wrote faro/agent.yaml
    wrote faro/schema.sql
    wrote faro/.gitignore
    now: manos chat faro/agent.yaml
    ");
    insta::assert_snapshot!(folder.run(&["check", "--online", "faro/agent.yaml"]), @"faro/agent.yaml: good");
    let ran = folder.run_with(&["chat", "faro/agent.yaml"], b"menu\n2 coffee\nyes\n");
    insta::assert_snapshot!(ran, @r#"
    Hello! Write "menu", or order with a number and a product: 2 coffee
    • Bread: $2.50
    • Chocolate cake: $28.00
    • Coffee: $3.00
    I am going to: Place an order
    • product: Coffee
    • amount: 2
    Do you confirm? (yes/no)
    Thank you. Your order is number 1.
    "#);
}

#[test]
fn nothing_is_written_over() {
    let folder = TestEnvironment::empty();
    folder.write("agent.yaml", "mine\n");
    insta::assert_snapshot!(folder.run(&["init"]), @r"
    ! error: already there: ./agent.yaml
    !   help: nothing was written; choose another folder: manos init DIR
    exit 1
    ");
    assert_eq!(folder.read("agent.yaml"), "mine\n");
    assert!(!folder.path("schema.sql").exists());
}

#[test]
fn a_gitignore_that_is_there_stays() {
    let folder = TestEnvironment::empty();
    folder.write(".gitignore", "mine\n");
    let ran = folder.run(&["init", "."]);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert_eq!(folder.read(".gitignore"), "mine\n");
}
