//! What is kept before it begins, what is kept a little later, and what a crash in between loses.

use std::time::Duration;

use manos_chat::{Doing, InboundBody};
use manos_model::{CallArguments, FinishReason, ModelReply, RequestedCall, StepMessage};
use manos_testkit::fakes::{FakeProvider, Plan};

use crate::world::{Around, chat, done, world};

/// A model that calls this tool and says a word when it has the result.
fn calling(tool: &'static str) -> FakeProvider {
    FakeProvider::new(move |request| {
        let told = request.messages.iter().any(|m| matches!(m, StepMessage::Result(_)));
        if told {
            return Ok(ModelReply::of_text("hecho"));
        }
        let call =
            RequestedCall { wire_id: None, name: tool.into(), arguments: CallArguments::Missing };
        Ok(ModelReply {
            calls: vec![call],
            finish: FinishReason::ToolCalls,
            ..ModelReply::of_text("")
        })
    })
}

#[tokio::test(start_paused = true)]
async fn a_turn_is_kept_as_often_as_its_promises_need() {
    // The message and the answer; for an effect also its start and its end; then the delivery.
    for (tool, commits) in [("leer", 2), ("hacer", 4), ("poner", 4)] {
        let world = world(Around { provider: calling(tool), ..Around::default() });
        world.asks("algo").await;
        assert_eq!(world.texts(), ["hecho"], "{tool}");
        assert_eq!(world.store.offered.count(), commits, "{tool}");
        assert_eq!(world.count("reply.sent").await, 0, "{tool}: it waits for company");
        world.later().await;
        assert_eq!(world.store.offered.count(), commits + 1, "{tool}");
        assert_eq!(world.count("reply.sent").await, 1, "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_next_message_takes_along_what_waits() {
    let world = world(Around { provider: calling("leer"), ..Around::default() });
    world.asks("uno").await;
    world.asks("dos").await;
    assert_eq!(world.store.offered.count(), 4);
    let trail = world.trail().await;
    let second = trail.iter().rposition(|kind| kind == "message.received").unwrap();
    assert_eq!(trail[second - 1], "reply.sent", "in the order in which it happened");
}

#[tokio::test(start_paused = true)]
async fn an_order_hurries_what_waits_for_the_commit_of_another_chat() {
    let world = world(Around { provider: calling("leer"), ..Around::default() });
    world.store.set_lonely(true);
    world.asks("uno").await;
    world.later().await;
    assert_eq!(world.count("reply.sent").await, 0, "nobody keeps it company");
    world.asks("dos").await;
    let trail = world.trail().await;
    let second = trail.iter().rposition(|kind| kind == "message.received").unwrap();
    assert_eq!(trail[second - 1], "reply.sent", "in the order in which it happened");
    assert_eq!(world.texts(), ["hecho", "hecho"]);
    world.later().await;
    world.runtime.shutdown(Duration::from_secs(1)).await;
    assert_eq!(world.count("reply.sent").await, 2, "the end waits for nobody");
}

#[tokio::test(start_paused = true)]
async fn a_slow_model_does_not_keep_the_trail_behind() {
    let world = world(Around { provider: calling("leer"), ..Around::tools(|_| Plan::Waits) });
    world.says("algo").await;
    world.run(1).await;
    assert_eq!(world.count("tool.started").await, 0);
    world.later().await;
    assert_eq!(world.count("tool.started").await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_crash_repeats_what_only_reads_and_loses_nothing() {
    let world = world(Around { provider: calling("leer"), ..Around::waiting_tools() });
    world.says("algo").await;
    world.run(1).await;
    let next = world.next_process(Around { provider: calling("leer"), ..Around::default() });
    next.runtime.resume().await.unwrap();
    assert_eq!(next.settled().await, Doing::Idle);
    next.later().await;
    assert_eq!(next.texts(), ["hecho"]);
    assert_eq!(next.executor.started.count(), 1);
    assert_eq!(next.count("message.received").await, 1);
    assert_eq!(next.count("tool.interrupted").await, 0, "nobody knows of a run that left no trace");
    assert_eq!(next.count("turn.finished").await, 1);
}

#[tokio::test(start_paused = true)]
async fn what_has_begun_does_not_begin_again_when_its_commit_fails() {
    for (tool, failing) in [("leer", 2), ("leer", 3), ("hacer", 2), ("hacer", 3), ("hacer", 4)] {
        let world = world(Around { provider: calling(tool), ..Around::default() });
        world.store.fail_at(failing);
        world.says("algo").await;
        world.settled().await;
        world.later().await;
        let case = format!("{tool}, commit {failing} fails");
        assert_eq!(world.texts(), ["hecho"], "{case}");
        assert_eq!(world.executor.started.count(), 1, "{case}");
        assert_eq!(world.provider.requests.count(), 2, "{case}");
        assert_eq!(world.count("turn.finished").await, 1, "{case}");
        assert_eq!(world.count("reply.sent").await, 1, "{case}");
        assert_eq!(world.count("tool.started").await, 1, "{case}");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_waits_when_the_runtime_shuts_down() {
    let world = world(Around { provider: calling("leer"), ..Around::default() });
    world.asks("algo").await;
    world.runtime.shutdown(Duration::from_millis(1)).await;
    assert_eq!(world.count("reply.sent").await, 1);
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_ended_is_kept_before_the_model_hears_of_it() {
    let world = world(Around { provider: calling("hacer"), ..Around::waiting_tools() });
    world.send(&chat(), InboundBody::Text("algo".into()), None).await.unwrap();
    let run = world.run(1).await;
    world.store.set_full(true);
    world.executor.end(&run, done());
    let offered = world.store.offered.count();
    world.store.offered.wait(offered + 2).await;
    assert_eq!(world.provider.requests.count(), 1);
    world.store.set_full(false);
    world.settled().await;
    assert_eq!(world.texts(), ["hecho"]);
}
