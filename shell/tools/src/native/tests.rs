use std::sync::Mutex;

use serde_json::json;
use tokio::sync::Notify;

use manos_model::Secret;
use manos_wire_tool::mask::Masker;

use super::*;
use crate::fixture::{Bench, failed};
use crate::{Executor, Runner};

fn bench(tool: Arc<dyn NativeTool>) -> Bench {
    Bench::new(Executor::builder(), Runner::Native(tool))
}

#[tokio::test]
async fn each_end_of_a_handler_is_told_as_it_is() {
    type Case = (Arc<dyn NativeTool>, RunEnd);
    let cases: [Case; 6] = [
        (native(|a, _| async move { Ok(Value::Object(a)) }), RunEnd::Done(json!({"x": 1}))),
        (native_blocking(|_, _| Ok(json!("ok"))), RunEnd::Done(json!("ok"))),
        (
            native(|_, _| async { Ok(json!({"error": "closed"})) }),
            RunEnd::NotDone(Failure::Said(json!({"error": "closed"}))),
        ),
        (
            native(|_, _| async { Err(NativeError::not_done("no stock")) }),
            RunEnd::NotDone(failed("no stock")),
        ),
        (
            native(|_, _| async { Err(NativeError::unknown("line lost")) }),
            RunEnd::Unknown(failed("line lost")),
        ),
        (
            native(|_, c| async move { Ok(json!([c.run_id, c.call_id, c.run.user])) }),
            RunEnd::Done(json!(["run-1", "call-1", "terminal:ana"])),
        ),
    ];
    for (tool, expected) in cases {
        assert_eq!(bench(tool).run(json!({"x": 1})).await, expected);
    }
}

#[tokio::test]
async fn a_panic_is_a_failure_that_tells_nothing() {
    let tools = [
        native(|_, _| async { panic!("password 123") }),
        native_blocking(|_, _| panic!("password 123")),
    ];
    for tool in tools {
        let end = bench(tool).run(json!({})).await;
        assert_eq!(end, RunEnd::Unknown(failed("the tool crashed")));
    }
}

#[tokio::test]
async fn what_a_handler_says_of_its_failure_is_masked() {
    let masker = Masker::new([Secret::new("tops3cret".to_owned())]);
    let tool =
        native(|_, _| async { Err(NativeError::not_done("no postgres://u:p@db with tops3cret")) });
    let bench = Bench::new(Executor::builder().masker(masker), Runner::Native(tool));
    let expected = RunEnd::NotDone(failed("no postgres://***@db with ***"));
    assert_eq!(bench.run(json!({})).await, expected);
}

#[tokio::test]
async fn a_handler_that_cleans_up_for_long_does_not_hold_the_timeout() {
    let go_on = Arc::new(Notify::new());
    let heard: Arc<Mutex<Vec<(RunId, RunEnd)>>> = Arc::default();
    let (go, hear) = (Arc::clone(&go_on), Arc::clone(&heard));
    let tool = native(move |_, context| {
        let go_on = Arc::clone(&go);
        async move {
            context.cancel.cancelled().await;
            go_on.notified().await;
            Ok(json!("done after all"))
        }
    });
    let builder = Executor::builder().late(move |run, end| hear.lock().unwrap().push((run, end)));
    let bench = Bench::new(builder, Runner::Native(tool)).timeout_ms(100);
    let started = Instant::now();
    let end = bench.run(json!({})).await;
    assert_eq!(end, RunEnd::Unknown(Failure::Timeout { after_ms: 100 }));
    assert!(started.elapsed() <= Duration::from_millis(100) + STOP_GRACE * 4);
    assert!(heard.lock().unwrap().is_empty());

    go_on.notify_one();
    bench.executor.wait_for_late().await;
    let expected = vec![(RunId::new("run-1"), RunEnd::Done(json!("done after all")))];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_result_within_the_grace_counts() {
    let tool = native(|_, context| async move {
        context.cancel.cancelled().await;
        Ok(json!("saved"))
    });
    let end = bench(tool).timeout_ms(50).run(json!({})).await;
    assert_eq!(end, RunEnd::Done(json!("saved")));
}

#[tokio::test]
async fn giving_up_when_told_to_leaves_the_end_unknown() {
    let tool = native(|_, context| async move {
        context.cancel.cancelled().await;
        Err(NativeError::not_done("stopped"))
    });
    let bench = bench(tool);
    let (end, ()) = tokio::join!(bench.run(json!({})), async { bench.cancel.cancel() });
    assert_eq!(end, RunEnd::Unknown(Failure::Interrupted));
}

#[tokio::test]
async fn a_run_cancelled_before_it_began_was_not_done() {
    let bench = bench(native(|_, _| async { Ok(json!("done")) }));
    bench.cancel.cancel();
    let expected = RunEnd::NotDone(failed("it was stopped; nothing was done"));
    assert_eq!(bench.run(json!({})).await, expected);
}
