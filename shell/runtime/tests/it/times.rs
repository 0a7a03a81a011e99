//! Deadlines, and clocks that jump.

use std::time::Duration;

use jiff::SignedDuration;
use manos_chat::{Doing, InboundBody};
use manos_model::ChatKey;

use crate::world::{Around, World, breathe, world};

fn deadline(doing: &Doing) -> String {
    match doing {
        Doing::Waiting { deadline, .. } => deadline.to_string(),
        Doing::Busy | Doing::Idle => panic!("nobody is asked"),
    }
}

async fn asked() -> World {
    let world = world(Around::default());
    world.asks("pedir").await;
    world
}

#[tokio::test(start_paused = true)]
async fn a_question_expires_once_at_its_deadline() {
    let world = asked().await;
    tokio::time::sleep(Duration::from_secs(119)).await;
    assert_eq!(world.count("confirm.expired").await, 0);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(world.count("confirm.expired").await, 1);
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(world.count("confirm.expired").await, 1);
    // A yes that comes now is a new message.
    world.asks("sí").await;
    assert_eq!(world.executor.started.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_forward_ends_the_wait_soon() {
    let world = asked().await;
    world.clock.jump(SignedDuration::from_hours(1));
    tokio::time::sleep(Duration::from_secs(31)).await;
    assert_eq!(world.count("confirm.expired").await, 1);
    world.clock.jump(SignedDuration::from_hours(-2));
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert_eq!(world.count("confirm.expired").await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_jumps_back_prolongs_the_wait_and_breaks_nothing() {
    let world = asked().await;
    world.clock.jump(SignedDuration::from_mins(-3));
    tokio::time::sleep(Duration::from_mins(4)).await;
    assert_eq!(world.count("confirm.expired").await, 0);
    let offered = world.store.offered.count();
    tokio::time::sleep(Duration::from_secs(40)).await;
    assert_eq!(world.store.offered.count(), offered, "nothing is written while nothing happens");
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(world.count("confirm.expired").await, 1);
}

#[tokio::test(start_paused = true)]
async fn a_restart_keeps_question_and_deadline() {
    let world = asked().await;
    let before = deadline(&world.settled().await);
    tokio::time::sleep(Duration::from_mins(1)).await;
    let next = world.next_process(Around::default());
    next.runtime.resume().await.unwrap();
    assert_eq!(deadline(&next.settled().await), before);
    assert_eq!(next.texts(), [""; 0], "it was shown already");
    let third = next.next_process(Around::default());
    third.runtime.resume().await.unwrap();
    assert_eq!(deadline(&third.settled().await), before);
    assert_eq!(third.asks("sí").await, Doing::Idle);
    assert_eq!(third.texts(), ["listo: pedir"]);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_passed_while_no_process_ran_ends_the_wait_at_once() {
    let world = asked().await;
    world.clock.jump(SignedDuration::from_hours(5));
    let next = world.next_process(Around::default());
    next.runtime.resume().await.unwrap();
    next.settled().await;
    breathe().await;
    assert_eq!(next.count("confirm.expired").await, 1);
    next.asks("sí").await;
    assert_eq!(next.executor.started.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_message_id_is_remembered_for_eight_days() {
    let world = world(Around::default());
    let text = || manos_chat::InboundBody::Text("hola".into());
    // Days later, whether the message is known by then.
    for (days, known) in [(0, false), (7, true), (2, false), (1, true)] {
        world.clock.jump(SignedDuration::from_hours(days * 24));
        // Any message makes the runtime look for old ids.
        world.send(&"web:2".into(), text(), Some(&format!("day {days}"))).await.unwrap();
        breathe().await;
        let receipt = world.send(&crate::world::chat(), text(), Some("m1")).await.unwrap();
        assert_eq!(receipt.duplicate, known, "{days} days later");
    }
}

#[tokio::test(start_paused = true)]
async fn messages_in_a_row_on_a_messenger_are_one_turn() {
    let world = world(Around::default());
    let chat: ChatKey = "telegram:1".into();
    for words in ["hola", "quiero pan"] {
        world.send(&chat, InboundBody::Text(words.into()), None).await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(world.channel.texts(&chat), [] as [&str; 0], "there may be more");
    assert_eq!(world.runtime.settled(&chat).await, Doing::Idle);
    assert_eq!(world.channel.texts(&chat), ["oí hola\nquiero pan"]);
}
