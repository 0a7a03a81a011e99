//! The end of a process that is asked to end.

use std::time::Duration;

use manos_chat::InboundBody;
use manos_model::{CallArguments, FinishReason, ModelReply, RequestedCall, StepMessage};
use manos_runtime::DeliverError;
use manos_testkit::fakes::{FakeProvider, Plan};
use tokio::time::Instant;

use crate::world::{Around, breathe, chat, done, world};

const GRACE: Duration = Duration::from_secs(30);

#[tokio::test(start_paused = true)]
async fn shutdown_takes_nothing_new_and_waits_for_what_runs() {
    let world = world(Around::waiting_tools());
    world.says("hacer").await;
    let run = world.run(1).await;
    let started = Instant::now();
    let ending = async {
        breathe().await;
        let late = world.send(&chat(), InboundBody::Text("hola".into()), None).await;
        assert!(matches!(late, Err(DeliverError::Closing)), "{late:?}");
        world.executor.end(&run, done());
    };
    tokio::join!(world.runtime.shutdown(GRACE), ending);
    assert_eq!(world.texts(), ["listo: hacer"]);
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(world.runtime.awake_chats(), 0);
}

#[tokio::test(start_paused = true)]
async fn shutdown_waits_for_what_a_run_leads_to() {
    let provider = FakeProvider::new(|request| {
        let results = request.messages.iter().filter(|m| matches!(m, StepMessage::Result(_)));
        let call = |name: &str| RequestedCall {
            wire_id: None,
            name: name.into(),
            arguments: CallArguments::Missing,
        };
        let calls = match results.count() {
            0 => vec![call("hacer")],
            1 => vec![call("poner"), call("hacer")],
            _ => return Ok(ModelReply::of_text("todo hecho")),
        };
        Ok(ModelReply { calls, finish: FinishReason::ToolCalls, ..ModelReply::of_text("") })
    });
    let world = world(Around { provider, ..Around::waiting_tools() });
    world.says("todo").await;
    let ending = async {
        for number in 1..=3 {
            let run = world.run(number).await;
            breathe().await;
            world.executor.end(&run, done());
        }
    };
    tokio::join!(world.runtime.shutdown(GRACE), ending);
    assert_eq!(world.texts(), ["todo hecho"]);
}

#[tokio::test(start_paused = true)]
async fn when_the_grace_is_over_runs_are_stopped_and_told_or_left_to_the_next_process() {
    // What the run does when it is stopped, and whether that is known and told before the end.
    for (plan, told) in [(Plan::Waits, 1), (Plan::WaitsAnyway, 0)] {
        let case = format!("{plan:?}");
        let world = world(Around::tools(move |_| plan.clone()));
        world.says("hacer").await;
        world.run(1).await;
        let started = Instant::now();
        world.runtime.shutdown(Duration::from_secs(5)).await;
        assert!(started.elapsed() < Duration::from_secs(20), "{case}: {:?}", started.elapsed());
        assert_eq!(world.count("run.unknown").await, told, "{case}");
        assert_eq!(world.texts().len(), told, "{case}");
        let next = world.next_process(Around::default());
        assert_eq!(next.runtime.resume().await.unwrap(), 1 - told, "{case}");
        next.settled().await;
        assert_eq!(next.count("run.unknown").await, 1, "{case}");
        assert_eq!(next.texts().len(), 1 - told, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_waits_for_its_model_is_left_to_the_next_process() {
    let world = world(Around::default());
    world.provider.gate.shut();
    world.says("hola").await;
    world.provider.requests.wait(1).await;
    let started = Instant::now();
    world.runtime.shutdown(Duration::from_secs(5)).await;
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(world.texts(), [""; 0], "no apology: it is answered later");
    let next = world.next_process(Around::default());
    assert_eq!(next.runtime.resume().await.unwrap(), 1);
    next.settled().await;
    assert_eq!(next.texts(), ["oí hola"]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_waits_does_not_hold_a_shutdown_up() {
    let world = world(Around::default());
    world.asks("pedir").await;
    let started = Instant::now();
    world.runtime.shutdown(GRACE).await;
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_late_end_during_a_shutdown_is_kept() {
    let world = world(Around::tools(|_| Plan::WaitsAnyway));
    world.asks("hacer").await;
    let run = world.run(1).await;
    let ending = async {
        breathe().await;
        world.executor.end(&run, done());
    };
    tokio::join!(world.runtime.shutdown(GRACE), ending);
    assert_eq!(world.count("tool.late").await, 1);
}
