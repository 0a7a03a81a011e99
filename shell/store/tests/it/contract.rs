//! What every store must do, done by each.

use manos_store::{MemoryStore, SqliteOptions, SqliteStore};

mod memory {
    use super::*;

    manos_testkit::store_contract!(MemoryStore::default());
}

mod sqlite {
    use super::*;

    manos_testkit::store_contract!(
        folder = tempfile::tempdir().unwrap();
        SqliteStore::open(folder.path().join("espiga.db"), SqliteOptions::default()).unwrap()
    );
}
