//! Processes that end, in order or not, and those that come after them.

use std::time::Duration;

use manos_notices::{NOTICES_GRACE, POST_WAIT};
use manos_ports::{Clock as _, DeliveryState, Store as _};
use manos_testkit::contract::store::noon;

use crate::world::{Answer, Try, run, world};

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_between_a_run_and_its_notice_loses_none() {
    let first = world(&["a.example"], |_| Answer::Hangs);
    first.runs(1).await;
    first.runs(2).await;
    let lost = first.post.tries.wait(2).await;
    let next = first.killed_and_next(&["a.example"], |_| Answer::Status(204));
    next.notices.begin().await.unwrap();
    let told = next.post.tries.wait(2).await;
    let ids = |tries: &[Try]| tries.iter().map(|one| one.id().to_owned()).collect::<Vec<_>>();
    assert_eq!(ids(&told), ids(&lost), "under the same ids");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_before_it_looks_loses_none() {
    let first = world(&["a.example"], |_| Answer::Hangs);
    first.notices.begin().await.unwrap();
    // Kept, and nobody was woken.
    first.kept.commit(run(1)).await.unwrap();
    let next = first.killed_and_next(&["a.example"], |_| Answer::Status(204));
    next.notices.begin().await.unwrap();
    assert_eq!(next.post.tries.wait(1).await[0].run(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_was_told_is_not_told_again_after_a_restart() {
    let first =
        world(
            &["a.example"],
            |one| {
                if one.run() == 2 { Answer::Gone } else { Answer::Status(204) }
            },
        );
    for number in 1..=3 {
        first.runs(number).await;
    }
    assert_eq!(first.ends().await, Duration::ZERO, "nothing is on its way");
    assert_eq!(first.post.tries.count(), 3);
    let next = first.killed_and_next(&["a.example"], |_| Answer::Status(204));
    next.runs(4).await;
    next.passes(Duration::from_mins(1)).await;
    let told: Vec<u64> = next.post.tries.all().iter().map(Try::run).collect();
    assert_eq!(told, [4, 2]);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_comes_back_into_the_file_goes_on_where_it_was() {
    let first = world(&["a.example"], |_| Answer::Status(204));
    first.runs(1).await;
    first.ends().await;
    let without = first.killed_and_next(&["b.example"], |_| Answer::Status(204));
    without.runs(2).await;
    without.ends().await;
    let again = without.killed_and_next(&["a.example"], |_| Answer::Status(204));
    again.runs(3).await;
    again.ends().await;
    let told: Vec<u64> = again.post.tries.all().iter().map(Try::run).collect();
    assert_eq!(told, [2, 3]);
}

#[tokio::test(start_paused = true)]
async fn an_ending_process_waits_a_short_time_for_what_is_on_its_way() {
    let world = world(&["a.example"], |_| Answer::Hangs);
    world.runs(1).await;
    world.post.tries.wait(1).await;
    assert_eq!(world.ends().await, NOTICES_GRACE);
    let row = world.deliveries().await.remove(0);
    assert_eq!((row.state, row.attempts), (DeliveryState::Waiting(noon(0)), 0));
    world.passes(POST_WAIT * 2).await;
    assert_eq!(world.post.tries.count(), 1, "nothing is sent after the end");
    let before = world.clock.now();
    assert_eq!(world.ends().await, Duration::ZERO, "it can be ended twice");
    assert_eq!(world.clock.now(), before);
}
