//! Stopping, resetting, and tools that do not behave.

use std::time::Duration;

use manos_chat::{Doing, InboundBody};
use manos_model::ModelFailure;
use manos_testkit::fakes::{FakeProvider, Plan};
use serde_json::json;

use crate::world::{Around, breathe, chat, done, world};

#[tokio::test(start_paused = true)]
async fn stopping_a_turn_stops_its_run_only_when_that_changes_nothing() {
    for (words, stopped) in [("leer", 1), ("hacer", 0), ("poner", 0)] {
        for body in [InboundBody::Cancel, InboundBody::Reset] {
            let world = world(Around::waiting_tools());
            world.says(words).await;
            let run = world.run(1).await;
            world.send(&chat(), body.clone(), None).await.unwrap();
            assert_eq!(world.settled().await, Doing::Idle);
            breathe().await;
            assert_eq!(world.executor.stopped.count(), stopped, "{words} {body:?}");
            // A run that goes on ends in the ledger, and is not answered.
            assert_eq!(world.executor.end(&run, done()), stopped == 0, "{words} {body:?}");
            breathe().await;
            assert_eq!(world.count("tool.late").await, 1 - stopped, "{words} {body:?}");
            assert_eq!(world.texts(), [""; 0]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn stopping_a_turn_stops_its_model_call() {
    let world = world(Around::default());
    world.provider.gate.shut();
    world.says("hola").await;
    world.provider.requests.wait(1).await;
    world.send(&chat(), InboundBody::Cancel, None).await.unwrap();
    world.provider.stopped.wait(1).await;
    world.provider.gate.open();
    world.asks("otra").await;
    assert_eq!(world.texts(), ["oí otra"]);
}

#[tokio::test(start_paused = true)]
async fn an_executor_that_does_not_come_back_leaves_an_unknown_run_that_a_late_end_settles() {
    let world = world(Around::tools(|_| Plan::WaitsAnyway));
    let started = tokio::time::Instant::now();
    world.says("hacer").await;
    let run = world.run(1).await;
    assert_eq!(world.settled().await, Doing::Idle);
    let waited = started.elapsed();
    assert!((Duration::from_secs(15)..Duration::from_secs(21)).contains(&waited), "{waited:?}");
    assert_eq!(world.count("run.unknown").await, 1);
    assert_eq!(world.count("tool.timed_out").await, 1);
    assert!(world.executor.end(&run, done()));
    breathe().await;
    let late = world.events().await.into_iter().find(|event| event["type"] == "tool.late");
    assert_eq!(late.unwrap()["settled"], "done");
}

#[tokio::test(start_paused = true)]
async fn a_late_end_that_the_executor_tells_finds_its_sleeping_chat() {
    let unclear = manos_model::RunEnd::Unknown(manos_model::Failure::Timeout { after_ms: 15_000 });
    let world = world(Around::tools(move |_| Plan::Ends(unclear.clone())));
    world.asks("hacer").await;
    let run = world.run(1).await;
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(world.runtime.awake_chats(), 0);
    world.runtime.late(run.clone(), done());
    breathe().await;
    assert_eq!(world.count("tool.late").await, 1);
    // Told again, nobody waits for it.
    world.runtime.late(run, done());
    breathe().await;
    assert_eq!(world.count("tool.late").await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_broken_executor_leaves_an_unknown_run_and_a_broken_provider_an_apology() {
    let world = world(Around::tools(|_| Plan::Panics));
    assert_eq!(world.asks("hacer").await, Doing::Idle);
    assert_eq!(world.count("run.unknown").await, 1);
    assert_eq!(world.texts().len(), 1);

    let provider = FakeProvider::new(|_| -> Result<_, ModelFailure> { panic!("broken") });
    let world = crate::world::world(Around { provider, ..Around::default() });
    assert_eq!(world.asks("hola").await, Doing::Idle);
    assert_eq!(world.count("loop.error").await, 1);
    assert_eq!(world.texts().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_human_settles_an_unknown_run_once() {
    let unclear = manos_model::RunEnd::Unknown(manos_model::Failure::Interrupted);
    let world = world(Around::tools(move |_| Plan::Ends(unclear.clone())));
    world.asks("hacer").await;
    let run = world.run(1).await;
    world.runtime.settle(&chat(), run.clone(), true).await.unwrap();
    let again = world.runtime.settle(&chat(), run, true).await.unwrap_err();
    assert!(again.to_string().contains("no run"), "{again}");
    let late = world.events().await.into_iter().find(|event| event["type"] == "tool.late");
    assert_eq!(late.unwrap()["by"], json!("operator"));
}
