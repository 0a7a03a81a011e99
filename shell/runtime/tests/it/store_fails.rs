//! A store that fails: nothing is acknowledged, nothing starts, and what has happened is not lost.

use manos_chat::{Doing, InboundBody};
use manos_model::ModelReply;
use manos_model::{CallArguments, FinishReason, RequestedCall, StepMessage};
use manos_runtime::DeliverError;
use manos_testkit::fakes::{FakeProvider, Plan};

use crate::world::{Around, breathe, chat, done, world};

fn text(words: &str) -> InboundBody {
    InboundBody::Text(words.into())
}

#[tokio::test(start_paused = true)]
async fn nothing_is_acknowledged_and_nothing_starts_before_it_is_kept() {
    for words in ["hacer", "leer", "hola"] {
        let world = world(Around::default());
        world.store.gate.shut();
        let runtime = world.runtime.clone();
        let sending = async { world.send(&chat(), text(words), None).await };
        let watching = async {
            world.store.offered.wait(1).await;
            breathe().await;
            let started = world.executor.started.count() + world.provider.requests.count();
            assert_eq!(started, 0, "{words}");
            world.store.gate.open();
        };
        let (receipt, ()) = tokio::join!(sending, watching);
        assert_eq!(receipt.unwrap().turns_started.len(), 1);
        runtime.settled(&chat()).await;
        let started = world.executor.started.count() + world.provider.requests.count();
        assert_eq!(started, 1, "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_full_store_refuses_a_message_and_nothing_of_it_happens() {
    for words in ["hacer", "leer", "pedir", "hola"] {
        let world = world(Around::default());
        world.store.set_full(true);
        let refused = world.send(&chat(), text(words), Some("m1")).await.unwrap_err();
        assert!(matches!(refused, DeliverError::Store { .. }), "{refused:?}");
        breathe().await;
        assert_eq!(world.executor.started.count() + world.provider.requests.count(), 0, "{words}");
        assert_eq!(world.channel.tried.count(), 0, "{words}");
        assert_eq!(world.trail().await, [""; 0]);
        // The same message is new when it comes again.
        world.store.set_full(false);
        let receipt = world.send(&chat(), text(words), Some("m1")).await.unwrap();
        assert!(!receipt.duplicate);
        world.settled().await;
        assert_eq!(world.texts().len(), 1, "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_run_is_kept_when_the_store_works_again() {
    let world = world(Around::waiting_tools());
    world.says("hacer").await;
    let run = world.run(1).await;
    world.store.set_full(true);
    world.executor.end(&run, done());
    world.store.offered.wait(6).await;
    assert_eq!(world.texts(), [""; 0], "nothing is told before it is kept");
    // A message that comes now is refused; the end of the run stays first.
    world.send(&chat(), text("hola"), None).await.unwrap_err();
    world.store.set_full(false);
    assert_eq!(world.settled().await, Doing::Idle);
    assert_eq!(world.texts(), ["listo: hacer"]);
    assert_eq!(world.executor.started.count(), 1);
    assert_eq!(world.count("tool.succeeded").await, 1);
}

fn calls(tool: &str) -> ModelReply {
    let call =
        RequestedCall { wire_id: None, name: tool.into(), arguments: CallArguments::Missing };
    ModelReply { calls: vec![call], finish: FinishReason::ToolCalls, ..ModelReply::of_text("") }
}

#[tokio::test(start_paused = true)]
async fn a_failing_store_makes_no_model_call_twice() {
    let provider = FakeProvider::new(|request| {
        let told = matches!(request.messages.last(), Some(StepMessage::Result(_)));
        Ok(if told { ModelReply::of_text("hecho") } else { calls("hacer") })
    });
    let world = world(Around { provider, ..Around::tools(|_| Plan::Waits) });
    world.says("algo").await;
    let run = world.run(1).await;
    world.store.set_full(true);
    world.executor.end(&run, done());
    let offered = world.store.offered.count();
    world.store.offered.wait(offered + 8).await;
    assert_eq!(world.provider.requests.count(), 1);
    world.store.set_full(false);
    world.settled().await;
    assert_eq!(world.provider.requests.count(), 2);
    assert_eq!(world.texts(), ["hecho"]);
}

#[tokio::test(start_paused = true)]
async fn whichever_commit_fails_the_effect_is_done_once_and_told_once() {
    let mut refused = 0;
    for failing in 1..=5 {
        let world = world(Around::default());
        world.store.fail_at(failing);
        for words in ["pedir", "sí"] {
            if world.send(&chat(), text(words), None).await.is_err() {
                refused += 1;
                world.says(words).await;
            }
            world.settled().await;
        }
        assert_eq!(world.executor.started.count(), 1, "commit {failing} fails");
        let texts = world.texts();
        assert!(texts[0].starts_with("ask "), "{texts:?}");
        assert_eq!(texts[1..], ["listo: pedir"], "commit {failing} fails");
    }
    // The two that carry a message.
    assert_eq!(refused, 2);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_again_is_taken_once() {
    for forgetful in [false, true] {
        let world = world(Around::default());
        let first = world.send(&chat(), text("hacer"), Some("m1")).await.unwrap();
        assert!(!first.duplicate);
        world.store.set_forgetful(forgetful);
        let chat = chat();
        let (again, other) = tokio::join!(
            world.send(&chat, text("hacer"), Some("m1")),
            world.send(&chat, text("leer"), Some("m2")),
        );
        assert!(again.unwrap().duplicate, "forgetful {forgetful}");
        assert!(!other.unwrap().duplicate);
        world.settled().await;
        assert_eq!(world.texts(), ["listo: hacer", "listo: leer"]);
        assert_eq!(world.count("message.duplicate").await, 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_cannot_be_read_refuses_and_is_there_again_later() {
    let world = world(Around::default());
    world.store.set_unreadable(true);
    let refused = world.send(&chat(), text("hola"), None).await.unwrap_err();
    assert!(matches!(refused, DeliverError::Store { .. }), "{refused:?}");
    world.store.set_unreadable(false);
    world.asks("hola").await;
    assert_eq!(world.texts(), ["oí hola"]);
}

#[tokio::test(start_paused = true)]
async fn whichever_commit_is_kept_and_reported_as_failed_the_effect_is_done_once_and_told_once() {
    for doubtful in 1..=5 {
        let world = world(Around::default());
        world.store.doubt_at(doubtful);
        for words in ["pedir", "sí"] {
            // The store is asked at once, so its sender hears the truth.
            world.says(words).await;
            world.settled().await;
        }
        assert_eq!(world.executor.started.count(), 1, "commit {doubtful} is in doubt");
        let texts = world.texts();
        assert!(texts[0].starts_with("ask "), "{texts:?}");
        assert_eq!(texts[1..], ["listo: pedir"], "commit {doubtful} is in doubt");
    }
}

#[tokio::test(start_paused = true)]
async fn a_commit_in_doubt_is_settled_when_the_store_can_be_read_again() {
    for doubtful in 1..=5 {
        let world = world(Around::default());
        let mut refused = 0;
        world.store.doubt_and_hide_at(doubtful);
        for (words, id) in [("pedir", "m1"), ("sí", "m2")] {
            while let Err(error) = world.send(&chat(), text(words), Some(id)).await {
                assert!(matches!(error, DeliverError::Store { .. }), "{error:?}");
                refused += 1;
                world.store.set_unreadable(false);
            }
            world.later().await;
            world.store.set_unreadable(false);
            world.settled().await;
        }
        assert_eq!(world.executor.started.count(), 1, "commit {doubtful} is in doubt");
        assert_eq!(world.texts()[1..], ["listo: pedir"], "commit {doubtful} is in doubt");
        assert!(refused <= 1, "{refused}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_yes_that_took_too_long_to_be_kept_runs_nothing() {
    let world = world(Around::default());
    world.asks("pedir").await;
    world.store.gate.shut();
    let runtime = world.runtime.clone();
    let sending = async { world.send(&chat(), text("sí"), None).await };
    let waiting = async {
        breathe().await;
        tokio::time::sleep(std::time::Duration::from_secs(121)).await;
        world.store.gate.open();
    };
    let (receipt, ()) = tokio::join!(sending, waiting);
    receipt.unwrap();
    runtime.settled(&chat()).await;
    assert_eq!(world.executor.started.count(), 0);
    assert_eq!(world.texts().len(), 2, "the person is told: {:?}", world.texts());
    assert_eq!(world.count("tool.failed").await, 1);
}
