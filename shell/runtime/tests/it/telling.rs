//! What people are told, in which order, and what they never see.

use manos_chat::InboundBody;
use manos_ports::OutputKind;
use manos_testkit::fakes::{FakeChannel, Taking};

use crate::world::{Around, breathe, chat, world};

#[tokio::test(start_paused = true)]
async fn outputs_keep_the_order_of_the_messages() {
    let world = world(Around::default());
    for number in 0..10 {
        world.says(&format!("mensaje {number}")).await;
    }
    world.settled().await;
    let expected: Vec<String> = (0..10).map(|number| format!("oí mensaje {number}")).collect();
    assert_eq!(world.texts(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_output_waits_until_the_one_before_it_is_sure_to_have_arrived() {
    let world = world(Around::default());
    world.channel.gate.shut();
    world.says("uno").await;
    world.says("dos").await;
    world.channel.tried.wait(1).await;
    breathe().await;
    assert_eq!(world.channel.tried.count(), 1);
    world.channel.gate.open();
    world.settled().await;
    assert_eq!(world.texts(), ["oí uno", "oí dos"]);
}

#[tokio::test(start_paused = true)]
async fn a_question_that_was_taken_back_before_it_was_sent_is_never_seen() {
    let world = world(Around::default());
    world.channel.gate.shut();
    world.says("hola").await;
    world.channel.tried.wait(1).await;
    world.says("pedir").await;
    world.send(&chat(), InboundBody::Reset, None).await.unwrap();
    world.channel.gate.open();
    world.settled().await;
    assert_eq!(world.texts(), ["oí hola"]);
    assert_eq!(world.count("confirm.asked").await, 1);
}

#[tokio::test(start_paused = true)]
async fn whatever_a_channel_does_the_next_output_goes_out() {
    // What it does with the first output, how often it is asked, what the trail says of it.
    for (taking, tries, told) in [
        (Taking::Arrives, 1, "reply.sent"),
        (Taking::Fails, 5, "reply.unknown"), // tried again, since it surely did not arrive
        (Taking::Hangs, 1, "reply.unknown"),
        (Taking::Panics, 1, "reply.unknown"),
        (Taking::Unclear, 1, "reply.unknown"),
    ] {
        let channel = FakeChannel::new(move |output| {
            if format!("{output:?}").contains("uno") { taking } else { Taking::Arrives }
        });
        let world = world(Around { channel, ..Around::default() });
        world.says("uno").await;
        world.says("dos").await;
        world.settled().await;
        assert_eq!(world.channel.tried.count(), tries + 1, "{taking:?}");
        assert_eq!(world.texts().last().unwrap(), "oí dos", "{taking:?}");
        let trail = world.trail().await;
        let told_of = trail.iter().find(|kind| kind.starts_with("reply."));
        assert_eq!(told_of.unwrap(), told, "{taking:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_withdrawn_is_not_tried_once_more() {
    let channel = FakeChannel::new(|output| match output.kind {
        OutputKind::Confirm { .. } => Taking::Fails,
        _ => Taking::Arrives,
    });
    let world = world(Around { channel, ..Around::default() });
    world.says("pedir").await;
    world.channel.tried.wait(1).await;
    world.send(&chat(), InboundBody::Reset, None).await.unwrap();
    world.asks("hola").await;
    let tried = world.channel.tried.all();
    let asked = tried.iter().filter(|(_, o)| matches!(o.kind, OutputKind::Confirm { .. }));
    assert_eq!(asked.count(), 1, "the question is over");
    assert_eq!(world.texts(), ["oí hola"]);
}
