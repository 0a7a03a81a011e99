//! The file format, held fast: a file of every version that ever was, and the tables of this one.

use std::path::{Path, PathBuf};

use manos_ports::Store as _;
use manos_store::{MemoryStore, SqliteOptions, SqliteStore};

use crate::sample;

/// The format of this program.
const NEWEST: u32 = 2;

fn golden_file(format: u32) -> PathBuf {
    let name = format!("../../fixtures/store/v{format}.sqlite3");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn format_of(path: &Path) -> u32 {
    let file = rusqlite::Connection::open(path).unwrap();
    file.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_file_of_every_format_reads_and_goes_on() {
    for format in 1..=NEWEST {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("espiga.db");
        std::fs::copy(golden_file(format), &path).unwrap();
        let memory = MemoryStore::default();
        sample::fill(&memory).await;

        sample::assert_alike(&SqliteStore::open_read(&path).unwrap(), &memory).await;
        assert_eq!(format_of(&path), format, "reading changes nothing");

        let store = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
        sample::assert_alike(&store, &memory).await;
        let next = manos_testkit::contract::store::commit("terminal:local", 3);
        assert_eq!(store.commit(next).await.unwrap().revision, 4);
        drop(store);
        assert_eq!(format_of(&path), NEWEST);
        assert_eq!(tables_of(&path), tables_of_a_new_store(), "as if it had been made today");
    }
}

#[tokio::test]
#[ignore = "writes the golden file of a new format; those of old ones never change"]
async fn write_the_golden_file() {
    let path = golden_file(NEWEST);
    assert!(!path.exists(), "{} is there already", path.display());
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made.db");
    sample::fill(&SqliteStore::open(&made, SqliteOptions::default()).unwrap()).await;
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::copy(made, path).unwrap();
}

#[tokio::test]
async fn a_store_that_is_opened_again_is_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    sample::fill(&SqliteStore::open(&path, SqliteOptions::default()).unwrap()).await;
    let memory = MemoryStore::default();
    sample::fill(&memory).await;
    let again = SqliteStore::open(&path, SqliteOptions::default()).unwrap();
    sample::assert_alike(&again, &memory).await;
}

fn tables_of(path: &Path) -> String {
    let file = rusqlite::Connection::open(path).unwrap();
    let mut tables =
        file.prepare("SELECT sql FROM sqlite_schema WHERE sql NOT NULL ORDER BY name").unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    tables.collect::<Result<Vec<_>, _>>().unwrap().join(";\n")
}

fn tables_of_a_new_store() -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    drop(SqliteStore::open(&path, SqliteOptions::default()).unwrap());
    tables_of(&path)
}

/// When this changes, so must the format: raise it, migrate, and add a golden file.
#[test]
fn the_tables_are_those_of_format_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    drop(SqliteStore::open(&path, SqliteOptions::default()).unwrap());
    let file = rusqlite::Connection::open(&path).unwrap();
    let number = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    insta::assert_snapshot!(format!(
        "application_id {:#x}, user_version {}\n\n{}",
        number("application_id"),
        number("user_version"),
        tables_of(&path),
    ));
}
