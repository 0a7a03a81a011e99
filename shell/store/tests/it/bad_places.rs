//! Files that are not ours, too new, read-only or not there.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use manos_ports::StoreError;
use manos_store::{SqliteOptions, SqliteStore};

fn open(path: &Path) -> Result<SqliteStore, StoreError> {
    SqliteStore::open(path, SqliteOptions::default())
}

/// Every file of a folder with its bytes and the time of its last change, but the lock.
fn files(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = entries.map(|entry| {
        let changed = entry.metadata().unwrap().modified().unwrap();
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        (entry.file_name().into_string().unwrap(), (bytes, changed))
    });
    files.filter(|(name, _)| name != "espiga.db.lock").collect()
}

/// A store that claims a format which is not known yet.
fn newer(path: &Path) -> rusqlite::Connection {
    drop(open(path).unwrap());
    let file = rusqlite::Connection::open(path).unwrap();
    file.pragma_update(None, "user_version", 3).unwrap();
    file
}

/// What it is, how it is made, and what is told about it.
type ForeignCase = (&'static str, fn(&Path), &'static str);

fn assert_newer(path: &Path) {
    for refused in [open(path), SqliteStore::open_read(path)] {
        let error = refused.unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 3, known: 2, .. }), "{error:?}");
    }
}

#[test]
fn a_store_of_a_newer_program_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    drop(newer(&path));
    let before = files(folder.path());
    assert_eq!(before.keys().collect::<Vec<_>>(), ["espiga.db"]);
    assert_newer(&path);
    assert_eq!(files(folder.path()), before);
}

#[test]
fn a_newer_store_that_was_not_closed_is_left_as_it_is_with_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let unclosed = newer(&path);
    unclosed.execute_batch("CREATE TABLE of_the_future (id INTEGER)").unwrap();
    let only = |name: &str| files(folder.path()).remove(name).unwrap();
    let before = (only("espiga.db"), only("espiga.db-wal"));
    assert_newer(&path);
    assert_eq!((only("espiga.db"), only("espiga.db-wal")), before);
    drop(unclosed);
}

#[test]
fn what_is_no_store_is_refused_and_left_as_it_is() {
    let cases: [ForeignCase; 3] = [
        (
            "the database of a shop",
            |path| {
                let shop = rusqlite::Connection::open(path).unwrap();
                shop.execute_batch("CREATE TABLE pedidos (id INTEGER)").unwrap();
            },
            "tables of another program",
        ),
        (
            "a text",
            |path| std::fs::write(path, "name: espiga\n".repeat(100)).unwrap(),
            "file is not a database",
        ),
        ("a folder", |path| std::fs::create_dir(path).unwrap(), "a folder, not a file"),
    ];
    for (why, make, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("espiga.db");
        make(&path);
        let before = files(folder.path());
        for refused in [open(&path), SqliteStore::open_read(&path)] {
            let error = refused.unwrap_err();
            let StoreError::Corrupt { place, what } = &error else { panic!("{why}: {error:?}") };
            assert_eq!(*place, path.display().to_string(), "{why}");
            assert!(what.contains(expected), "{why}: {what}");
        }
        assert_eq!(files(folder.path()), before, "{why}");
    }
}

#[test]
fn a_store_that_is_not_there_is_made_to_write_and_missed_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("espiga.db");
    let error = SqliteStore::open_read(&path).unwrap_err();
    let StoreError::Failed { doing, source } = &error else { panic!("{error:?}") };
    assert_eq!(*doing, format!("{} is not a store", path.display()));
    assert_eq!(source.to_string(), "nothing was kept there yet");
    assert!(files(folder.path()).is_empty());

    // A file that was made and never filled, as after a crash at the first start.
    std::fs::write(&path, "").unwrap();
    drop(open(&path).unwrap());
    SqliteStore::open_read(&path).unwrap();

    let error = open(&folder.path().join("no such folder/espiga.db")).unwrap_err();
    assert!(matches!(error, StoreError::Failed { .. }), "{error:?}");
}

#[cfg(unix)]
mod permissions {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::os::unix::process::CommandExt as _;

    use manos_ports::Store as _;
    use manos_testkit::contract::store::commit;

    use crate::child;

    use super::*;

    /// A user that owns nothing here: whoever runs the tests as root may write everywhere.
    const NOBODY: u32 = 65_534;

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[tokio::test]
    async fn what_a_new_store_makes_is_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("espiga.db");
        let store = open(&path).unwrap();
        store.commit(commit("web:1", 0)).await.unwrap();
        for name in ["espiga.db", "espiga.db-wal", "espiga.db-shm", "espiga.db.lock"] {
            let mode = std::fs::metadata(folder.path().join(name)).unwrap().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }

    async fn look_at_what_cannot_be_written(path: &Path) {
        let mut places = vec![path.to_owned()];
        if std::fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o222 == 0 {
            places.push(path.with_file_name("new.db"));
        }
        for place in places {
            let error = open(&place).unwrap_err();
            let StoreError::Failed { doing, .. } = &error else { panic!("{error:?}") };
            assert!(doing.starts_with(&place.display().to_string()), "{doing}");
        }
        let store = SqliteStore::open_read(path).unwrap();
        assert_eq!(store.load(&"web:1".into()).await.unwrap().unwrap().revision, 1);
        child::say("looked");
    }

    #[tokio::test]
    async fn a_store_that_cannot_be_written_is_refused_to_write_and_read_all_the_same() {
        if let Some(path) = child::role() {
            return look_at_what_cannot_be_written(&path).await;
        }
        for (why, folder_mode) in
            [("a read-only file", 0o777), ("a read-only file in a read-only folder", 0o555)]
        {
            let folder = tempfile::tempdir().unwrap();
            let place = folder.path().join("place");
            std::fs::create_dir(&place).unwrap();
            let path = place.join("espiga.db");
            let store = open(&path).unwrap();
            store.commit(commit("web:1", 0)).await.unwrap();
            drop(store);
            let binary = folder.path().join("test");
            std::fs::copy(std::env::current_exe().unwrap(), &binary).unwrap();
            set_mode(&path, 0o444);
            set_mode(&binary, 0o555);
            set_mode(folder.path(), 0o755);
            let root = std::fs::metadata(folder.path()).unwrap().uid() == 0;
            std::fs::remove_file(path.with_file_name("espiga.db.lock")).unwrap();
            set_mode(&place, folder_mode);

            let test = "bad_places::permissions::\
                        a_store_that_cannot_be_written_is_refused_to_write_and_read_all_the_same";
            let mut command = child::command(&binary, test, &path);
            if root {
                command.uid(NOBODY).gid(NOBODY);
            }
            let output = command.output().unwrap();
            set_mode(&place, 0o755);
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success() && told.contains("looked"), "{why}: {output:?}");
        }
    }
}
