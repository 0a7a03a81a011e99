//! Stores that are held, newer, unreadable, or cannot be written.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;

use crate::environment::{Ran, TestEnvironment, finish};

#[test]
fn a_store_that_is_held_names_the_process_and_readers_go_on() {
    let bakery = TestEnvironment::bakery();
    let mut holder = bakery.spawn(&["chat", "agent.yaml"]);
    let pid = holder.id();
    std::io::Write::write_all(holder.stdin.as_mut().unwrap(), "2 café\n".as_bytes()).unwrap();
    let mut said = BufReader::new(holder.stdout.take().unwrap()).lines();
    said.find(|line| line.as_ref().unwrap().contains("¿Confirmas?")).unwrap().unwrap();

    let refused: Vec<Ran> = vec![
        bakery.chat(&["hola"]),
        bakery.run(&["call", "agent.yaml", "ver_menu"]),
        bakery.run(&["reset", "agent.yaml", "terminal:local"]),
    ];
    for ran in &refused {
        assert_eq!(ran.code, Some(1), "{ran}");
        assert!(ran.stderr.contains(&format!("process {pid}")), "{ran}");
    }
    insta::assert_snapshot!(refused[0], @r"
    ! error: ./espiga.db is in use by process PID
    !   help: end that process, or wait until it has ended, and try again
    exit 1
    ");
    for reader in ["audit", "chats", "runs", "tools", "check"] {
        let ran = bakery.run(&[reader, "agent.yaml"]);
        assert_eq!(ran.code, Some(0), "{reader}: {ran}");
    }
    let ended = finish(holder, b"");
    assert_eq!(ended.code, Some(0), "{ended}");
    assert_eq!(bakery.chat(&["hola"]).code, Some(0), "the lock died with its process");
}

#[test]
fn a_killed_process_leaves_a_store_that_opens() {
    let bakery = TestEnvironment::bakery();
    let mut holder = bakery.spawn(&["chat", "agent.yaml"]);
    std::io::Write::write_all(holder.stdin.as_mut().unwrap(), "2 café\n".as_bytes()).unwrap();
    let mut said = BufReader::new(holder.stdout.take().unwrap()).lines();
    said.find(|line| line.as_ref().unwrap().contains("¿Confirmas?")).unwrap().unwrap();
    holder.kill().unwrap();
    holder.wait().unwrap();
    let ran = bakery.chat(&["sí"]);
    assert!(ran.stdout.contains("Listo, tu pedido es el P-1001."), "{ran}");
}

#[test]
fn a_store_of_a_newer_program_is_left_alone() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["hola"]);
    let db = rusqlite::Connection::open(bakery.path("espiga.db")).unwrap();
    db.pragma_update(None, "user_version", 999).unwrap();
    drop(db);
    let ran = bakery.chat(&["hola"]);
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!(ran, @r"
    ! error: ./espiga.db has format 999; this program knows formats up to 2
    !   help: use the newer program that made it
    exit 1
    ");
    assert_eq!(bakery.run(&["audit", "agent.yaml"]).code, Some(1));
}

#[test]
fn a_file_that_is_no_store_is_left_alone() {
    let bakery = TestEnvironment::bakery();
    bakery.write("espiga.db", "these are not the bytes of a database, whatever its name says\n");
    let ran = bakery.chat(&["hola"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(bakery.read("espiga.db").starts_with("these are not"));
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let bakery = TestEnvironment::bakery();
    fs::set_permissions(bakery.path("."), fs::Permissions::from_mode(0o555)).unwrap();
    let free = fs::write(bakery.path("probe"), "").is_ok();
    let ran = bakery.chat(&["hola"]);
    fs::set_permissions(bakery.path("."), fs::Permissions::from_mode(0o755)).unwrap();
    if free {
        // Whoever may write anywhere cannot be refused: the place itself has to be impossible.
        bakery.edit("agent.yaml", "store: sqlite:espiga.db", "store: sqlite:schema.sql/espiga.db");
    }
    let ran = if free { bakery.chat(&["hola"]) } else { ran };
    assert_eq!(ran.code, Some(1), "{ran}");
    assert!(ran.stderr.contains("espiga.db"), "{ran}");
}

#[test]
fn a_store_in_a_folder_that_is_not_there_is_told() {
    let bakery = TestEnvironment::bakery();
    bakery.edit("agent.yaml", "store: sqlite:espiga.db", "store: sqlite:none/espiga.db");
    let ran = bakery.chat(&["hola"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    insta::assert_snapshot!(ran, @r"
    ! error: ./none/espiga.db could not be locked: No such file or directory (os error 2)
    !   help: make the folder that the file is to be in
    exit 1
    ");
}

#[test]
fn a_database_of_the_tools_that_cannot_be_opened_is_told() {
    let bakery = TestEnvironment::bakery();
    bakery.edit("agent.yaml", "url: \"sqlite:shop.db\"", "url: \"sqlite:none/shop.db\"");
    let ran = bakery.chat(&["hola"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    insta::assert_snapshot!(ran, @r"
    ! error: the database `shop` cannot be opened: the database ./none/shop.db cannot be opened: unable to open database file: ./none/shop.db: Error code 14: unable to open database file
    !   help: its path and `init` stand under `databases`; the folder must be there
    exit 1
    ");
}

#[test]
fn a_schema_that_fails_leaves_no_half_made_database() {
    let bakery = TestEnvironment::bakery();
    bakery.edit("schema.sql", "create view", "create vieuw");
    let ran = bakery.chat(&["hola"]);
    assert_eq!(ran.code, Some(1), "{ran}");
    bakery.edit("schema.sql", "create vieuw", "create view");
    let ran = bakery.chat(&["menú"]);
    assert!(ran.stdout.contains("Almojábana"), "{ran}");
}

/// A file of more than so many 512-byte blocks cannot be written: what a full disk is like. The
/// signal that would come with it is turned off, as it is on a full disk.
fn on_a_full_disk(bakery: &TestEnvironment, blocks: u32, input: &str) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" chat agent.yaml");
    let child = std::process::Command::new("/bin/sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_manos")])
        .current_dir(bakery.path("."))
        .env_clear()
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    finish(child, input.as_bytes())
}

#[test]
fn nothing_is_done_that_cannot_be_written_down() {
    let bakery = TestEnvironment::bakery();
    bakery.chat(&["1 café", "sí"]);
    for blocks in [1, 64, 200] {
        let ran = on_a_full_disk(&bakery, blocks, "2 café\nsí\nmis pedidos\n");
        assert_eq!(ran.code, Some(1), "{blocks}: {ran}");
        assert!(ran.stderr.contains("check that the disk has room"), "{blocks}: {ran}");
        assert!(!ran.stderr.contains('\u{1b}'), "colours that nobody sees: {ran}");
        assert!(!ran.stdout.contains("Listo"), "{blocks}: {ran}");
    }
    assert_eq!(bakery.orders(), ["P-1001 terminal:local confirmado 3500"]);
    let ran = bakery.chat(&["2 café", "sí"]);
    assert!(ran.stdout.contains("Listo, tu pedido es el P-1002."), "with room again: {ran}");
}
