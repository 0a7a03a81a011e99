use std::path::Path;
use std::sync::Barrier;

use serde_json::json;

use manos_model::RunId;
use manos_ports::ToolExecutor as _;

use super::*;
use crate::fixture::{Bench, context, failed};
use crate::{Executor, Runner};

const SCHEMA: &str = "
create table notes (id integer primary key, text text not null unique, extra json);
create table lines (note integer not null references notes (id), n integer check (n > 0),
                    constraint n_small check (n < 100));
insert into notes values (1, 'one', '{\"a\":[1]}');
create trigger no_ten before insert on lines when new.n = 10
begin select raise(abort, 'ten is taken'); end;
";

fn spec(query: &str) -> SqlSpec {
    SqlSpec {
        database: "shop".to_owned(),
        query: query.to_owned(),
        one_row: false,
        journal: true,
        read_only: false,
    }
}

fn one_row(query: &str) -> SqlSpec {
    SqlSpec { one_row: true, ..spec(query) }
}

fn bench_at(path: &Path, spec: SqlSpec) -> Bench {
    let mut databases = Databases::new();
    databases.insert("shop", SqliteDatabase::open(path, Some(SCHEMA)).unwrap());
    Bench::new(Executor::builder().databases(databases), Runner::Sql(spec))
}

fn bench(spec: SqlSpec) -> Bench {
    bench_at(Path::new(":memory:"), spec)
}

fn count(path: &Path, table: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row(&format!("select count(*) from {table}"), [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn the_last_rows_are_the_result() {
    let cases = [
        (spec("select 1 as b, 'x' as a"), json!([{"b": 1, "a": "x"}]), "in the order of columns"),
        (spec("select 1 as a where 0"), json!([]), "no rows"),
        (one_row("select 1 as a where 0"), json!(null), "no row"),
        (one_row("select 1 as a union select 2"), json!({"a": 1}), "the first of several"),
        (
            one_row("select 1.5 as r, null as n, x'00ff' as b"),
            json!({"r": 1.5, "n": null, "b": "AP8"}),
            "each kind",
        ),
        (one_row("select 9e999 as r"), json!({"r": null}), "what JSON has no word for"),
        (spec("insert into notes (text) values ('a'), ('b')"), json!({"changed": 2}), "no columns"),
        (
            spec("insert into notes (text) values ('c'); select count(*) as n from notes"),
            json!([{"n": 2}]),
            "several statements",
        ),
        (
            one_row("insert into notes (text) values ('d') returning id"),
            json!({"id": 2}),
            "returning",
        ),
        (
            one_row("select json_object('a', json_array(1))"),
            json!({"a": [1]}),
            "JSON without a name",
        ),
        (one_row("select json_array(1, 2) as result"), json!([1, 2]), "JSON named result"),
        (
            one_row("select json_array(1) as items, 3 as total"),
            json!({"items": [1], "total": 3}),
            "a JSON column among others",
        ),
        (
            one_row("select json_array(1) as items"),
            json!({"items": [1]}),
            "a JSON column with a name",
        ),
        (
            one_row("with r as (select json_array(1) as x) select x as json from r"),
            json!([1]),
            "named json",
        ),
        (one_row("select extra from notes"), json!({"extra": {"a": [1]}}), "declared as JSON"),
        (one_row("select '[1]' as result"), json!({"result": "[1]"}), "text stays text"),
        (one_row("select 'x' as json"), json!({"json": "x"}), "what is no JSON stays text"),
        (spec("select json_object('k', id) as json from notes"), json!([{"k": 1}]), "in each row"),
        (one_row("select null as error, false as b"), json!({"error": null, "b": 0}), "no error"),
    ];
    for (spec, expected, why) in cases {
        let query = spec.query.clone();
        assert_eq!(bench(spec).run(json!({})).await, RunEnd::Done(expected), "{why}: {query}");
    }
}

#[tokio::test]
async fn arguments_are_bound_as_they_are() {
    let mega = "ñ".repeat(500_000);
    let cases = [
        (json!("x"), json!("x")),
        (json!("'; drop table notes; --"), json!("'; drop table notes; --")),
        (json!("\" or 1=1 --"), json!("\" or 1=1 --")),
        (json!(":ctx_user"), json!(":ctx_user")),
        (json!("%_"), json!("%_")),
        (json!("a\0b"), json!("a\0b")),
        (json!(mega), json!(mega)),
        (json!(""), json!("")),
        (json!(null), json!(null)),
        (json!(true), json!(1)),
        (json!(7), json!(7)),
        (json!(0.5), json!(0.5)),
        (json!(["a", {"b": 1}]), json!(r#"["a",{"b":1}]"#)),
    ];
    let bench = bench(one_row("select :a as a, :missing as m"));
    for (given, expected) in cases {
        let end = bench.run(json!({"a": given, "other": 1})).await;
        assert_eq!(end, RunEnd::Done(json!({"a": expected, "m": null})));
    }
    let end = bench.run(serde_json::from_str(r#"{"a": 9223372036854775808}"#).unwrap()).await;
    assert_eq!(end, RunEnd::NotDone(failed("the number in \"a\" is too large for the database")));
}

#[tokio::test]
async fn no_argument_becomes_sql_in_any_position() {
    let attacks = [
        "1; drop table notes",
        "1) --",
        "' or ''='",
        "notes",
        "id desc",
        "1 union select 1",
        "*/ x",
    ];
    let positions = [
        "select id from notes where id = :a",
        "select id from notes where text like :a escape '\\'",
        "select id from notes where text in (:a, 'none')",
        "select :a as id from notes where 0",
        "select id from notes where id = 99 order by :a",
        "select id from notes where id = 99 group by :a",
        "insert into notes (id, text) select 5, 'five' where :a = 0 returning id",
        "update notes set text = text where text = :a returning id",
        "delete from notes where text = :a returning id",
    ];
    for position in positions {
        let bench = bench(spec(&format!("{position}; select count(*) as n from notes")));
        let alone = self::bench(spec(position));
        for (index, attack) in attacks.iter().enumerate() {
            // A run id of its own each time: an equal one would only be told what was done.
            let run_id = format!("run-{index}");
            let counted = bench.run_as(&run_id, json!({"a": attack})).await;
            assert_eq!(counted, RunEnd::Done(json!([{"n": 1}])), "{position} {attack}");
            let found = alone.run_as(&run_id, json!({"a": attack})).await;
            assert_eq!(found, RunEnd::Done(json!([])), "{position} {attack}");
        }
    }
    let limit = bench(spec("select id from notes limit :a"));
    let end = limit.run(json!({"a": "1; drop table notes"})).await;
    assert_eq!(end, RunEnd::NotDone(failed("a value has a type that the table does not take")));
}

#[tokio::test]
async fn facts_win_over_arguments() {
    let query = "select :ctx_chat as c, :ctx_user as u, :ctx_channel as h, :ctx_locale as l, \
                 :ctx_now as n, :ctx_run as r";
    let end = bench(one_row(query)).run(json!({"ctx_user": "terminal:eve"})).await;
    let expected = json!({
        "c": "terminal:ana", "u": "terminal:ana", "h": "terminal", "l": "es-CO",
        "n": "2026-01-02T03:04:05.000Z", "r": "run-1"
    });
    assert_eq!(end, RunEnd::Done(expected));
}

#[tokio::test]
async fn what_the_database_refuses_is_readable_and_undone() {
    let insert = "insert into notes (text) values ('kept?');";
    let cases = [
        (
            "insert into notes (text) values ('one')",
            "there is already a row with this value: notes.text",
        ),
        ("insert into notes (text) values (:none)", "a value is missing: notes.text"),
        ("insert into lines values (9, 1)", "it refers to a row that does not exist, or is needed"),
        ("insert into lines values (1, 0)", "a value is not allowed"),
        ("insert into lines values (1, 100)", "a value is not allowed: n_small"),
        ("insert into lines values (1, 10)", "ten is taken"),
        ("insert into nowhere values (1)", "the query of this tool does not fit its database"),
        ("select abs(-9223372036854775808)", "the query failed"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    for (query, expected) in cases {
        let end = bench_at(&path, spec(&format!("{insert} {query}"))).run(json!({})).await;
        assert_eq!(end, RunEnd::NotDone(failed(expected)), "{query}");
        assert_eq!(count(&path, "notes"), 1, "{query}");
    }
}

#[tokio::test]
async fn an_error_in_the_result_rolls_back() {
    let insert = "insert into notes (text) values ('kept?');";
    let cases = [
        (
            one_row("select 'sold out' as error, 3 as left_over"),
            json!({"error": "sold out", "left_over": 3}),
        ),
        (spec("select 'sold out' as error"), json!({"error": "sold out"})),
        (one_row("select json_object('error', 'no') as json"), json!({"error": "no"})),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    for (case, expected) in cases {
        let query = format!("{insert} {}", case.query);
        let end = bench_at(&path, SqlSpec { query, ..case }).run(json!({})).await;
        assert_eq!(end, RunEnd::NotDone(Failure::Said(expected)));
        assert_eq!(count(&path, "notes"), 1);
        assert!(!journal::exists(&Connection::open(&path).unwrap()).unwrap());
    }
}

#[tokio::test]
async fn a_tool_that_may_only_read_cannot_write() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shop.db");
    let writes = [
        "delete from notes",
        "insert into notes (text) values ('x')",
        "drop table lines",
        "create temp table t (a)",
        "pragma user_version = 3",
    ];
    for path in [Path::new(":memory:"), &file] {
        for write in writes {
            let bench = bench_at(path, SqlSpec { read_only: true, ..spec(write) });
            let end = bench.run(json!({})).await;
            assert_eq!(end, RunEnd::NotDone(failed("this tool may only read")), "{write}");
            let end = bench.executor_settle("run-1").await;
            assert_eq!(end, Settled::NotDone);
        }
    }
    assert_eq!(count(&file, "notes"), 1);
    let read = bench(spec("select id from notes"));
    assert_eq!(read.run(json!({})).await, RunEnd::Done(json!([{"id": 1}])));
}

#[tokio::test]
async fn a_run_is_written_down_and_not_done_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let query = "insert into notes (text) values (:t) returning id";
    let bench = bench_at(&path, one_row(query));
    assert_eq!(bench.executor_settle("run-1").await, Settled::NotDone);
    assert_eq!(bench.run_as("run-1", json!({"t": "a"})).await, RunEnd::Done(json!({"id": 2})));
    assert_eq!(bench.executor_settle("run-1").await, Settled::Done(json!({"id": 2})));
    assert_eq!(bench.executor_settle("run-2").await, Settled::NotDone);
    let again = bench.run_as("run-1", json!({"t": "b"})).await;
    assert_eq!(again, RunEnd::Done(json!({"id": 2})));
    assert_eq!(count(&path, "notes"), 2);
    assert_eq!(count(&path, JOURNAL_TABLE), 1);

    let silent = bench_at(&path, SqlSpec { journal: false, ..one_row(query) });
    assert_eq!(silent.run_as("run-3", json!({"t": "c"})).await, RunEnd::Done(json!({"id": 3})));
    assert_eq!(silent.executor_settle("run-3").await, Settled::Unknown);
    assert_eq!(count(&path, JOURNAL_TABLE), 1);
}

#[tokio::test]
async fn a_long_query_ends_at_its_timeout_and_leaves_nothing() {
    let endless = "with recursive n (i) as (select 1 union all select i + 1 from n) \
                   select count(*) as n from n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let writing = format!("insert into notes (text) values ('x'); {endless}");
    for query in [endless, &writing] {
        let bench = bench_at(&path, spec(query)).timeout_ms(100);
        let started = std::time::Instant::now();
        let end = bench.run(json!({})).await;
        assert_eq!(end, RunEnd::NotDone(Failure::Timeout { after_ms: 100 }));
        assert!(started.elapsed() < Duration::from_secs(2));
        assert_eq!(count(&path, "notes"), 1);
    }
}

#[tokio::test]
async fn a_cancelled_query_leaves_nothing_and_the_connection_is_as_good_as_new() {
    let slow = "insert into notes (text) values (:t); \
                with recursive n (i) as (select 1 union all select i + 1 from n where i < :n) \
                select count(*) as n from n";
    let bench = bench(one_row(slow));
    let (end, ()) = tokio::join!(bench.run(json!({"t": "x", "n": 1_000_000_000})), async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        bench.cancel.cancel();
    });
    let undone = RunEnd::NotDone(failed("it was stopped; nothing was done"));
    assert_eq!(end, undone);
    assert_eq!(bench.run(json!({"t": "x", "n": 3})).await, undone, "it never begins");
    let bench = bench.with_new_token();
    assert_eq!(bench.run(json!({"t": "x", "n": 3})).await, RunEnd::Done(json!({"n": 3})));
}

#[tokio::test]
async fn a_lock_of_somebody_else_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let bench = bench_at(&path, spec("insert into notes (text) values ('x')")).timeout_ms(150);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let end = bench.run(json!({})).await;
    assert_eq!(end, RunEnd::NotDone(Failure::Timeout { after_ms: 150 }));
    let bench = bench.timeout_ms(5000);
    let (end, ()) = tokio::join!(bench.run(json!({})), async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        other.execute_batch("rollback").unwrap();
    });
    assert_eq!(end, RunEnd::Done(json!({"changed": 1})));
}

#[tokio::test]
async fn too_many_rows_are_refused_and_undone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let query = "insert into notes (text) values ('x'); select hex(zeroblob(600000)) as big";
    let end = bench_at(&path, spec(query)).run(json!({})).await;
    let RunEnd::NotDone(Failure::Transport { kind, .. }) = end else {
        panic!("{end:?}");
    };
    assert_eq!(kind, "too_large");
    assert_eq!(count(&path, "notes"), 1);
}

#[test]
fn what_cannot_run_is_told_when_the_executor_is_built() {
    let build = |query: &str, database: &str| {
        let mut databases = Databases::new();
        databases.insert("shop", SqliteDatabase::open(":memory:", None).unwrap());
        let spec = SqlSpec { database: database.to_owned(), ..spec(query) };
        let builder = Executor::builder().databases(databases);
        let error = builder.tool(crate::fixture::name(), Runner::Sql(spec)).build().unwrap_err();
        error.problems.into_iter().map(|(_, problem)| problem.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(build("select 1", "store"), ["there is no database \"store\""]);
    assert_eq!(build("-- nothing", "shop"), ["the query is empty"]);
    assert_eq!(build("select :ctx_usr", "shop"), ["there is no fact :ctx_usr"]);
    assert_eq!(build("select ?", "shop"), ["the query cannot be used"]);
}

#[test]
fn a_new_database_is_made_once_and_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.db");
    let broken = SqliteDatabase::open(&path, Some("create table a (b); insert into nowhere"));
    assert!(matches!(broken, Err(DatabaseError::Init { .. })));
    let control = SqliteDatabase::open(&path, Some("create table a (b); commit; begin"));
    assert!(matches!(control, Err(DatabaseError::InitText { .. })));
    let script = "create table a (b); insert into a values (1)";
    let barrier = Barrier::new(6);
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                barrier.wait();
                SqliteDatabase::open(&path, Some(script)).unwrap();
            });
        }
    });
    SqliteDatabase::open(&path, Some("create table never (a)")).unwrap();
    assert_eq!(count(&path, "a"), 1);
    let nowhere = folder.path().join("missing").join("x.db");
    assert!(matches!(SqliteDatabase::open(nowhere, None), Err(DatabaseError::Open { .. })));
}

#[tokio::test]
async fn a_full_disk_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    drop(bench_at(&path, spec("select 1")));
    let query =
        "pragma max_page_count = 12; insert into notes (text) values (hex(zeroblob(90000)))";
    let end = bench_at(&path, spec(query)).run(json!({})).await;
    assert_eq!(end, RunEnd::NotDone(failed("the disk of the database is full")));
    assert_eq!(count(&path, "notes"), 1);
}

impl Bench {
    async fn executor_settle(&self, run_id: &str) -> Settled {
        self.executor.settle(&crate::fixture::name(), &RunId::new(run_id), &context()).await
    }
}

#[tokio::test]
#[ignore = "a measurement: run it alone, with --run-ignored only --no-capture"]
#[expect(clippy::print_stderr, reason = "the figures are what it is for")]
async fn measure() {
    const CALLS: u32 = 2000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let cases = [
        ("read a file", path.as_path(), spec("select id, text from notes where id = :i")),
        ("read in memory", Path::new(":memory:"), spec("select id, text from notes where id = :i")),
        ("write a file", &path, one_row("insert into notes (text) values (:t) returning id")),
        (
            "write in memory",
            Path::new(":memory:"),
            one_row("insert into notes (text) values (:t) returning id"),
        ),
    ];
    for (what, path, spec) in cases {
        let bench = bench_at(path, spec);
        let started = std::time::Instant::now();
        for n in 0..CALLS {
            let end = bench.run_as(&format!("r{n}"), json!({"i": 1, "t": format!("t{n}")})).await;
            assert!(matches!(end, RunEnd::Done(_)), "{end:?}");
        }
        eprintln!("{what}: {:?} a call", started.elapsed() / CALLS);
    }
}
