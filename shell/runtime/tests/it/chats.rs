//! Many chats, and the messages of one.

use std::time::Duration;

use manos_chat::{Doing, InboundBody};
use manos_model::ChatKey;

use crate::world::{Around, breathe, by_chat, world};

fn text(words: &str) -> InboundBody {
    InboundBody::Text(words.into())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_chats_at_once_do_not_mix() {
    let world = world(Around::default());
    let world = &world;
    let talks = (0..64).map(|number| async move {
        let chat = ChatKey::new(format!("web:{number}"));
        for words in ["hola", "hacer", "leer", "poner", "adiós"] {
            world.send(&chat, text(words), Some(words)).await.unwrap();
        }
        world.runtime.settled(&chat).await
    });
    let ends: Vec<Doing> = futures(talks).await;
    assert!(ends.iter().all(|end| *end == Doing::Idle));
    let texts = by_chat(world);
    assert_eq!(texts.len(), 64);
    for (chat, texts) in texts {
        let expected = ["oí hola", "listo: hacer", "listo: leer", "listo: poner", "oí adiós"];
        assert_eq!(texts, expected, "{chat}");
    }
    assert_eq!(world.executor.started.count(), 64 * 3);
}

/// Runs all of them side by side in this task.
async fn futures<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.map(|one| (Box::pin(one), None)).collect();
    std::future::poll_fn(|context| {
        let mut ready = true;
        for (one, end) in &mut all {
            if end.is_none() {
                match one.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *end = Some(value),
                    std::task::Poll::Pending => ready = false,
                }
            }
        }
        if ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    all.into_iter().filter_map(|(_, end)| end).collect()
}

#[tokio::test(start_paused = true)]
async fn a_chat_at_rest_leaves_the_memory_and_comes_back() {
    let world = world(Around::default());
    for round in 1..=3 {
        // Each of them leaves something that must be forgotten: a run, a model call, an output.
        for words in ["hacer", "leer", "hola"] {
            world.asks(words).await;
        }
        assert_eq!(world.runtime.awake_chats(), 1);
        tokio::time::sleep(Duration::from_secs(32)).await;
        assert_eq!(world.runtime.awake_chats(), 0);
        assert_eq!(world.texts().len(), round * 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_waits_for_something_stays() {
    let world = world(Around::waiting_tools());
    world.says("hacer").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(world.runtime.awake_chats(), 1);
    let world = crate::world::world(Around::default());
    world.asks("pedir").await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(world.runtime.awake_chats(), 1, "its question waits for two minutes");
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(world.runtime.awake_chats(), 0);
}

#[tokio::test(start_paused = true)]
async fn only_so_many_chats_stay_while_they_are_idle() {
    let world = world(Around::default());
    for number in 0..1_100 {
        let chat = ChatKey::new(format!("web:{number}"));
        world.send(&chat, text("hola"), None).await.unwrap();
        world.runtime.settled(&chat).await;
    }
    breathe().await;
    assert!(world.runtime.awake_chats() <= 1_025, "{}", world.runtime.awake_chats());
}

#[tokio::test(start_paused = true)]
async fn messages_wait_in_their_order_and_only_so_many() {
    let world = world(Around::default());
    world.provider.gate.shut();
    for number in 0..23 {
        world.says(&format!("m{number}")).await;
    }
    world.provider.gate.open();
    world.settled().await;
    let texts = world.texts();
    // One runs, twenty wait, and one notice tells of the rest.
    let answered: Vec<String> = (0..21).map(|number| format!("oí m{number}")).collect();
    let (notices, replies): (Vec<_>, Vec<_>) =
        texts.into_iter().partition(|text| !text.starts_with("oí "));
    assert_eq!(replies, answered);
    assert_eq!(notices.len(), 1, "{notices:?}");
}
