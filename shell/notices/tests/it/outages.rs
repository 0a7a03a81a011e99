//! Endpoints that are down, for a while or for good.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use manos_notices::{POSTS_MAX, WAITING_MAX};
use manos_ports::{Clock as _, DeliveryState, EndpointStatus, Store as _};
use manos_testkit::contract::store::noon;
use manos_testkit::fakes::Seen;

use crate::world::{Answer, Try, World, world};

/// An endpoint that is down until the switch is on.
fn switched() -> (World, Arc<AtomicBool>) {
    let up = Arc::new(AtomicBool::new(false));
    let is_up = up.clone();
    let world = world(&["a.example"], move |_| {
        if is_up.load(Ordering::SeqCst) { Answer::Status(204) } else { Answer::Gone }
    });
    (world, up)
}

/// The runs in the order in which they arrived.
fn arrived(world: &World, from: usize) -> Vec<u64> {
    world.post.tries.all()[from..].iter().map(Try::run).collect()
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_was_down_gets_everything_in_the_order_of_retry() {
    let (world, up) = switched();
    for number in 1..=4 {
        world.runs(number).await;
        world.passes(Duration::from_secs(1)).await;
    }
    world.passes(Duration::from_mins(20)).await;
    let before = world.post.tries.count();
    let rows = world.deliveries().await;
    let mut due: Vec<_> = rows.iter().map(|row| (row.state, row.audit_id)).collect();
    assert!(due.iter().all(|(state, _)| matches!(state, DeliveryState::Waiting(_))), "{rows:?}");
    due.sort_by_key(|(state, audit_id)| match state {
        DeliveryState::Waiting(at) => (*at, *audit_id),
        _ => (noon(0), *audit_id),
    });
    up.store(true, Ordering::SeqCst);
    world.runs(5).await;
    world.passes(Duration::from_hours(1)).await;
    // The new one is due at once; the old ones when their turn comes.
    let mut expected = vec![5];
    expected.extend(due.iter().map(|(_, audit_id)| audit_id.div_ceil(4)));
    assert_eq!(arrived(&world, before), expected);
    assert_eq!(world.endpoint().await.status, EndpointStatus::Active);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_stays_dead_for_a_day_is_failing_and_recovers() {
    let (world, up) = switched();
    world.runs(1).await;
    world.passes(Duration::from_mins(24 * 60 - 1)).await;
    assert_eq!(world.endpoint().await.status, EndpointStatus::Active, "not before the day is over");
    world.passes(Duration::from_mins(2)).await;
    let row = world.deliveries().await.remove(0);
    assert_eq!(row.state, DeliveryState::Failed);
    assert_eq!((row.first_at, row.at), (Some(noon(0)), noon(24 * 3600)));
    assert_eq!((row.attempts as usize, row.attempts), (world.post.tries.count(), 34));
    assert_eq!(world.endpoint().await.status, EndpointStatus::Failing);
    world.passes(Duration::from_hours(100)).await;
    assert_eq!(world.post.tries.count(), 34, "what is given up is not tried again");

    up.store(true, Ordering::SeqCst);
    world.runs(2).await;
    world.passes(Duration::from_secs(1)).await;
    assert_eq!(world.endpoint().await.status, EndpointStatus::Active);
    assert_eq!(arrived(&world, 34), [2]);
}

const MANY: u64 = 10_000;

/// Tells `MANY` runs to a live endpoint and a dead one, and returns how often the live one was told
/// of each.
async fn beside_a_dead_one(dead: Answer) -> (World, BTreeMap<u64, usize>) {
    let arrived: Arc<Seen<u64>> = Arc::default();
    let seen = arrived.clone();
    let world = world(&["dead.example", "live.example"], move |one| {
        if one.host != "live.example" {
            return dead;
        }
        seen.push(one.run());
        Answer::Status(200)
    });
    for number in 1..=MANY {
        world.runs(number).await;
    }
    let mut told = BTreeMap::new();
    for run in arrived.wait(usize::try_from(MANY).unwrap()).await {
        *told.entry(run).or_default() += 1;
    }
    (world, told)
}

/// Each run, once.
fn each_once() -> BTreeMap<u64, usize> {
    (1..=MANY).map(|run| (run, 1)).collect()
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_hangs_does_not_slow_another() {
    let (world, told) = beside_a_dead_one(Answer::Hangs).await;
    assert_eq!(world.clock.now(), noon(0), "not for a moment");
    assert!(told == each_once(), "{} were told", told.len());
    let dead = world.post.tries.count() - told.len();
    assert_eq!(dead, POSTS_MAX, "the dead one has so many tries at a time");
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_refuses_does_not_slow_another_and_its_queue_is_bounded() {
    let (world, told) = beside_a_dead_one(Answer::Gone).await;
    assert!(told == each_once(), "{} were told", told.len());
    world.passes(Duration::from_secs(1)).await;
    let endpoints = world.kept.delivery_log().endpoints().await.unwrap();
    let dead = endpoints.iter().find(|row| row.label == "dead.example").unwrap();
    assert_eq!(dead.waiting, WAITING_MAX);
    assert!(dead.cursor < MANY * 4, "the rest waits in the trail");
}
