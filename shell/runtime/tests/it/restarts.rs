//! Taking up: before anything else is read, however it comes to it.

use std::time::Duration;

use manos_chat::{Doing, InboundBody};
use manos_model::ChatKey;
use manos_ports::Settled;
use manos_testkit::fakes::{FakeChannel, FakeExecutor};

use crate::world::{Around, breathe, by_chat, chat, world};

fn not_done() -> Around {
    Around { executor: FakeExecutor::default().settling(Settled::NotDone), ..Around::default() }
}

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_before_the_chat_is_taken_up_waits_for_it() {
    for resumed in [false, true] {
        let world = world(Around::waiting_tools());
        world.says("hacer").await;
        world.run(1).await;
        let next = world.next_process(not_done());
        next.says("hola").await;
        if resumed {
            next.runtime.resume().await.unwrap();
        }
        // Nobody asks for it in the first case: the message alone has the chat taken up.
        next.channel.arrived.wait(2).await;
        assert_eq!(next.texts(), ["listo: hacer", "oí hola"], "resumed {resumed}");
        assert_eq!(next.executor.started.count(), 1);
        assert_eq!(next.executor.asked_about.count(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_is_cleared_first_does_not_run_what_was_left() {
    let world = world(Around::waiting_tools());
    world.says("hacer").await;
    world.run(1).await;
    let around = Around { channel: FakeChannel::of_nobody(), ..not_done() };
    let next = world.next_process(around);
    next.send(&chat(), InboundBody::Reset, None).await.unwrap();
    assert_eq!(next.settled().await, Doing::Idle);
    next.runtime.shutdown(Duration::from_secs(5)).await;
    assert_eq!(next.executor.started.count(), 0);
    assert_eq!(next.count("tool.late").await, 1, "its run is settled");
}

#[tokio::test(start_paused = true)]
async fn a_human_who_settles_a_run_starts_nothing_else() {
    let unclear = manos_model::RunEnd::Unknown(manos_model::Failure::Interrupted);
    let world = world(Around::tools(move |tool| match tool {
        "hacer" => manos_testkit::fakes::Plan::Ends(unclear.clone()),
        _ => manos_testkit::fakes::Plan::Waits,
    }));
    world.asks("hacer").await;
    let run = world.run(1).await;
    world.says("poner").await;
    world.run(2).await;
    let around = Around { channel: FakeChannel::of_nobody(), ..not_done() };
    let next = world.next_process(around);
    next.runtime.settle(&chat(), run, true).await.unwrap();
    let started = tokio::time::Instant::now();
    next.runtime.shutdown(Duration::from_secs(5)).await;
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert_eq!(next.executor.started.count(), 0);
    // The turn is left as it was, for the process that serves the chat.
    let third = next.next_process(not_done());
    third.runtime.resume().await.unwrap();
    third.settled().await;
    assert_eq!(third.texts(), ["listo: poner"]);
}

#[tokio::test(start_paused = true)]
async fn outputs_that_another_process_sends_keep_nobody_waiting() {
    let world = world(Around::default());
    let nobody = Around { channel: FakeChannel::of_nobody(), ..Around::default() };
    let cli = world.next_process(nobody);
    assert_eq!(cli.asks("hacer").await, Doing::Idle);
    cli.runtime.shutdown(Duration::from_secs(5)).await;
    let next = cli.next_process(Around::default());
    next.runtime.resume().await.unwrap();
    next.settled().await;
    assert_eq!(next.texts(), ["listo: hacer"]);
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_cannot_be_read_at_the_start_is_taken_up_when_it_can() {
    let world = world(Around::waiting_tools());
    world.says("hacer").await;
    world.run(1).await;
    let next = world.next_process(not_done());
    next.store.set_unreadable(true);
    next.runtime.resume().await.unwrap();
    breathe().await;
    next.store.set_unreadable(false);
    next.channel.arrived.wait(1).await;
    assert_eq!(next.texts(), ["listo: hacer"]);
}

#[tokio::test(start_paused = true)]
async fn a_taking_up_that_is_not_kept_is_made_again() {
    let world = world(Around::waiting_tools());
    world.says("hacer").await;
    world.run(1).await;
    let next = world.next_process(not_done());
    next.store.set_full(true);
    next.runtime.resume().await.unwrap();
    next.store.offered.wait(3).await;
    assert_eq!(next.executor.started.count(), 0);
    next.store.set_full(false);
    next.channel.arrived.wait(1).await;
    assert_eq!(next.executor.started.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_chats_are_taken_up() {
    const CHATS: usize = 1_000;
    let world = world(Around::waiting_tools());
    for number in 0..CHATS {
        let chat = ChatKey::new(format!("web:{number}"));
        world.send(&chat, InboundBody::Text("hacer".into()), None).await.unwrap();
    }
    world.executor.started.wait(CHATS).await;
    let next = world.next_process(not_done());
    assert_eq!(next.runtime.resume().await.unwrap(), CHATS);
    next.channel.arrived.wait(CHATS).await;
    assert_eq!(next.executor.started.count(), CHATS);
    let texts = by_chat(&next);
    assert_eq!(texts.len(), CHATS);
    assert!(texts.values().all(|texts| *texts == ["listo: hacer"]));
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(next.runtime.awake_chats(), 0);
    assert_eq!(next.runtime.resume().await.unwrap(), 0, "nothing is left");
}
