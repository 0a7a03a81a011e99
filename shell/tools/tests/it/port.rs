use manos_model::{Failure, RunEnd};
use manos_ports::{Settled, ToolExecutor as _};
use manos_tools::{Executor, Runner, native};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{context, executor, order, settled};

#[tokio::test]
async fn an_approved_call_runs_and_its_record_settles_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let executor = executor(&path, "insert into notes (text) values (:text) returning id, text");
    let order = order("write", "run-1", &json!({"text": "x"}));
    let token = CancellationToken::new();
    assert_eq!(settled(&executor, &order).await, Settled::NotDone);
    let result = json!({"id": 1, "text": "x"});
    assert_eq!(executor.run(&order, &context(), &token).await, RunEnd::Done(result.clone()));
    assert_eq!(settled(&executor, &order).await, Settled::Done(result));
}

#[tokio::test]
async fn what_keeps_no_record_cannot_be_settled() {
    let tool = native(|_, _| async { Ok(json!(1)) });
    let name = "write".to_owned().try_into().unwrap();
    let executor = Executor::builder().tool(name, Runner::Native(tool)).build().unwrap();
    let settled = settled(&executor, &order("write", "run-1", &json!({}))).await;
    assert_eq!(settled, Settled::Unknown);
}

#[tokio::test]
async fn a_tool_without_runner_does_nothing() {
    let executor = Executor::builder().build().unwrap();
    let order = order("write", "run-1", &json!({}));
    let end = executor.run(&order, &context(), &CancellationToken::new()).await;
    let expected = Failure::Failed { message: "this tool cannot run".to_owned() };
    assert_eq!(end, RunEnd::NotDone(expected));
}

#[tokio::test]
async fn sql_that_does_not_fit_its_database_is_found_without_running_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let cases = [
        ("insert into notes (text) values (:text)", None),
        ("insert into nowhere values (1)", Some("no such table: nowhere")),
        ("select :text::integer", Some("Invalid parameter name: :text::integer")),
    ];
    for (query, expected) in cases {
        let problems = executor(&path, query).check_databases().await;
        let found = problems.first().map(|(_, problem)| problem.as_str());
        match (found, expected) {
            (None, None) => {}
            (Some(found), Some(expected)) => assert!(found.starts_with(expected), "{found}"),
            (found, expected) => unreachable!("{query}: {found:?}, not {expected:?}"),
        }
    }
}
