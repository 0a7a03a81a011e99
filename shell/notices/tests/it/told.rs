//! What is told, to whom, and how often.

use std::collections::BTreeSet;
use std::time::Duration;

use manos_notices::TRAIL_PAGE;
use manos_ports::{Commit, DeliveryState, Store as _};
use manos_testkit::contract::store::commit;
use serde_json::json;

use crate::world::{Answer, Try, process, run, world};

#[tokio::test(start_paused = true)]
async fn a_run_is_told_with_its_arguments_and_its_user() {
    let world = world(&["a.example"], |_| Answer::Status(204));
    world.runs(7).await;
    let told = world.post.tries.wait(1).await.remove(0);
    let expected = json!({
        "event_id": told.id(),
        "type": "web.tool",
        "data": {
            "call_id": "web:7", "tool_name": "hacer", "arguments": {"a": 1}, "origin_domain": null,
            "response": {"run": 7}, "duration_ms": 1,
        },
    });
    assert_eq!(told.body, expected);
    world.ends().await;
    let rows = world.deliveries().await;
    assert_eq!((rows.len(), rows[0].state), (1, DeliveryState::Delivered));
}

#[tokio::test(start_paused = true)]
async fn each_try_of_a_notice_sends_the_same() {
    let failing = [500, 302, 204];
    let tries = std::sync::atomic::AtomicUsize::new(0);
    let world = world(&["a.example"], move |_| {
        Answer::Status(failing[tries.fetch_add(1, std::sync::atomic::Ordering::SeqCst).min(2)])
    });
    world.runs(1).await;
    let told = world.post.tries.wait(3).await;
    assert!(told.iter().all(|one| one.body == told[0].body), "{told:?}");
    let waits: Vec<i64> =
        told.windows(2).map(|two| two[1].at.duration_since(two[0].at).as_secs()).collect();
    assert_eq!(waits, [5, 10]);
    world.passes(Duration::from_hours(48)).await;
    assert_eq!(world.post.tries.count(), 3, "what arrived is not told again");
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_hears_what_it_wants_of_its_own_agent() {
    let kept = std::sync::Arc::default();
    let clock = std::sync::Arc::new(manos_testkit::fakes::FakeClock::new(
        manos_testkit::contract::store::noon(0),
    ));
    let world = process(kept, clock, &["a.example"], &[], |_| Answer::Status(200));
    world.runs(1).await;
    let mut of_another = run(2);
    for line in &mut of_another.audit {
        line.json = line.json.replace("espiga", "otra");
    }
    world.store.commit(of_another).await.unwrap();
    world.ends().await;
    let kinds: Vec<String> = world.post.tries.all().iter().map(kind).collect();
    let expected = ["turn.started", "tool.started", "tool.succeeded", "web.tool", "turn.finished"];
    assert_eq!(kinds, expected);
}

fn kind(one: &Try) -> String {
    one.body["type"].as_str().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_run_that_began_pages_before_it_ended_is_told_whole() {
    let world = world(&["a.example"], |_| Answer::Status(200));
    let Commit { mut audit, turns_started, .. } = run(1);
    let end = audit.split_off(2);
    world.store.commit(Commit { audit, turns_started, ..commit("web:1", 0) }).await.unwrap();
    for other in 100..100 + TRAIL_PAGE as u64 {
        world.runs(other).await;
    }
    world.store.commit(Commit { audit: end, ..commit("web:1", 1) }).await.unwrap();
    world.ends().await;
    let told = world.post.tries.all();
    let last = told.iter().find(|one| one.run() == 1).unwrap();
    assert_eq!(last.body["data"]["arguments"], json!({"a": 1}));
    let runs: BTreeSet<u64> = told.iter().map(Try::run).collect();
    assert_eq!(runs.len(), TRAIL_PAGE + 1);
}

#[tokio::test(start_paused = true)]
async fn what_happened_before_somebody_was_to_be_told_is_not_told() {
    let world = world(&["a.example"], |_| Answer::Status(200));
    world.kept.commit(run(1)).await.unwrap();
    world.runs(2).await;
    world.ends().await;
    let runs: Vec<u64> = world.post.tries.all().iter().map(Try::run).collect();
    assert_eq!(runs, [2]);
}
