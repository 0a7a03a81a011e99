//! Who was told what.

use manos_model::{NoticeEventId, NoticeTrouble, Timestamp};
use manos_ports::{
    Commit, DELIVERIES_KEPT_MAX, DeliveryQuery, DeliveryRow, DeliveryState, DeliveryTry,
    ENDPOINTS_KEPT_MAX, EndpointRow, EndpointStatus, NewDelivery, NoticeEndpoint, Store,
};

use crate::contract::store::{audit_lines, commit, noon};

fn endpoint(id: &str) -> NoticeEndpoint {
    NoticeEndpoint { id: id.into(), label: format!("{id}.example") }
}

fn new(event: u64) -> NewDelivery {
    NewDelivery {
        event_id: NoticeEventId::new(format!("evt_{event}")),
        kind: "chat.tool".to_owned(),
        audit_id: event,
    }
}

fn row(endpoint: &str, event: u64, at: Timestamp) -> DeliveryRow {
    let NewDelivery { event_id, kind, audit_id } = new(event);
    DeliveryRow {
        endpoint: endpoint.into(),
        event_id,
        kind,
        audit_id,
        state: DeliveryState::Waiting(at),
        attempts: 0,
        first_at: None,
        at,
        trouble: None,
        http_status: None,
    }
}

fn tried(event: u64, at: Timestamp, state: DeliveryState) -> DeliveryTry {
    let failed = state != DeliveryState::Delivered;
    DeliveryTry {
        event_id: new(event).event_id,
        at,
        state,
        trouble: failed.then_some(NoticeTrouble::HttpError),
        http_status: Some(if failed { 503 } else { 204 }),
    }
}

/// One endpoint that has taken up these events at noon.
async fn one_endpoint(store: &impl Store, events: impl IntoIterator<Item = u64>) {
    let log = store.delivery_log();
    log.register(&"espiga".into(), vec![endpoint("a")], noon(0)).await.unwrap();
    let events: Vec<NewDelivery> = events.into_iter().map(new).collect();
    let cursor = events.last().map_or(0, |event| event.audit_id);
    log.take_up(&"a".into(), cursor, events, noon(0)).await.unwrap();
}

async fn due(store: &impl Store, at: Timestamp, limit: usize) -> Vec<u64> {
    let due = store.delivery_log().due(&"a".into(), at, limit).await.unwrap();
    due.into_iter().map(|row| row.audit_id).collect()
}

async fn listed(store: &impl Store) -> Vec<DeliveryRow> {
    let query = DeliveryQuery { endpoint: None, limit: usize::MAX };
    store.delivery_log().deliveries(query).await.unwrap()
}

/// Where nobody was ever to be told, everything is empty.
pub async fn nobody_is_told_before_somebody_is_known(store: &impl Store) {
    let log = store.delivery_log();
    assert_eq!(log.endpoints().await.unwrap(), []);
    assert_eq!(log.endpoint(&"a".into()).await.unwrap(), None);
    assert_eq!(log.due(&"a".into(), noon(9), 10).await.unwrap(), []);
    assert_eq!(listed(store).await, []);
}

/// A new endpoint begins behind what is kept; a known one goes on where it was.
pub async fn an_endpoint_begins_where_the_trail_is(store: &impl Store) {
    let log = store.delivery_log();
    let first = Commit { audit: audit_lines(None, [1, 2]), ..commit("web:1", 0) };
    store.commit(first).await.unwrap();
    log.register(&"espiga".into(), vec![endpoint("a")], noon(0)).await.unwrap();
    let second = Commit { audit: audit_lines(None, [3]), ..commit("web:1", 1) };
    store.commit(second).await.unwrap();
    let again = NoticeEndpoint { label: "moved.example".to_owned(), ..endpoint("a") };
    log.register(&"espiga".into(), vec![again, endpoint("b")], noon(1)).await.unwrap();
    let stands = |id: &str, label: &str, cursor| EndpointRow {
        id: id.into(),
        agent: "espiga".into(),
        label: label.to_owned(),
        status: EndpointStatus::Active,
        cursor,
        waiting: 0,
        next_at: None,
    };
    let expected = [stands("a", "moved.example", 2), stands("b", "b.example", 3)];
    assert_eq!(log.endpoints().await.unwrap(), expected);
    assert_eq!(log.endpoint(&"b".into()).await.unwrap().as_ref(), Some(&expected[1]));
}

/// What is taken up waits, and moves the cursor; what is known already stays as it is.
pub async fn what_is_taken_up_waits_and_moves_the_cursor(store: &impl Store) {
    one_endpoint(store, [3, 4]).await;
    let log = store.delivery_log();
    log.tried(&"a".into(), vec![tried(3, noon(1), DeliveryState::Delivered)]).await.unwrap();
    log.take_up(&"a".into(), 9, vec![new(3), new(4), new(7)], noon(2)).await.unwrap();
    let stands = log.endpoint(&"a".into()).await.unwrap().unwrap();
    assert_eq!((stands.cursor, stands.waiting, stands.next_at), (9, 2, Some(noon(0))));
    assert_eq!(due(store, noon(2), 10).await, [4, 7]);
    log.take_up(&"nobody".into(), 9, vec![new(8)], noon(2)).await.unwrap();
    assert_eq!(listed(store).await.len(), 3, "nothing is taken up for whom nobody knows");
}

/// The one that is due for the longest time comes first.
pub async fn deliveries_are_due_in_the_order_of_their_time(store: &impl Store) {
    one_endpoint(store, [1, 2, 3, 4]).await;
    let tries = vec![
        tried(1, noon(1), DeliveryState::Waiting(noon(30))),
        tried(2, noon(1), DeliveryState::Waiting(noon(20))),
    ];
    store.delivery_log().tried(&"a".into(), tries).await.unwrap();
    let cases: [(&str, i64, usize, &[u64]); 5] = [
        ("not tried yet", 0, 10, &[3, 4]),
        ("at the very instant", 20, 10, &[3, 4, 2]),
        ("all of them", 30, 10, &[3, 4, 2, 1]),
        ("only so many", 30, 3, &[3, 4, 2]),
        ("none before", -1, 10, &[]),
    ];
    for (why, at, limit, expected) in cases {
        assert_eq!(due(store, noon(at), limit).await, expected, "{why}");
    }
    let stands = store.delivery_log().endpoint(&"a".into()).await.unwrap().unwrap();
    assert_eq!((stands.waiting, stands.next_at), (4, Some(noon(0))));
}

/// Each try is counted; the first, the last and what came of it are kept.
pub async fn tries_are_counted_and_kept(store: &impl Store) {
    one_endpoint(store, [1, 2]).await;
    let log = store.delivery_log();
    let again = DeliveryState::Waiting(noon(50));
    log.tried(&"a".into(), vec![tried(1, noon(1), again)]).await.unwrap();
    log.tried(&"a".into(), vec![tried(1, noon(51), DeliveryState::Delivered)]).await.unwrap();
    log.tried(&"a".into(), vec![tried(1, noon(60), again)]).await.unwrap();
    let expected = DeliveryRow {
        state: DeliveryState::Delivered,
        attempts: 2,
        first_at: Some(noon(1)),
        at: noon(51),
        http_status: Some(204),
        ..row("a", 1, noon(0))
    };
    assert_eq!(listed(store).await, [row("a", 2, noon(0)), expected], "what is over stays over");
}

/// One that is given up makes its endpoint failing, one that arrives makes it active.
pub async fn an_endpoint_fails_and_recovers_by_its_deliveries(store: &impl Store) {
    one_endpoint(store, [1, 2, 3]).await;
    let cases = [
        (1, DeliveryState::Waiting(noon(9)), EndpointStatus::Active),
        (1, DeliveryState::Failed, EndpointStatus::Failing),
        (2, DeliveryState::Waiting(noon(9)), EndpointStatus::Failing),
        (3, DeliveryState::Delivered, EndpointStatus::Active),
        (1, DeliveryState::Failed, EndpointStatus::Active),
    ];
    let log = store.delivery_log();
    for (event, state, expected) in cases {
        log.tried(&"a".into(), vec![tried(event, noon(1), state)]).await.unwrap();
        let stands = log.endpoint(&"a".into()).await.unwrap().unwrap();
        assert_eq!(stands.status, expected, "after {event} {state:?}");
    }
}

/// Endpoints do not see each other's deliveries.
pub async fn deliveries_are_listed_latest_first_and_by_endpoint(store: &impl Store) {
    one_endpoint(store, [1, 2]).await;
    let log = store.delivery_log();
    log.register(&"espiga".into(), vec![endpoint("b")], noon(0)).await.unwrap();
    log.take_up(&"b".into(), 2, vec![new(2)], noon(1)).await.unwrap();
    log.tried(&"b".into(), vec![tried(1, noon(2), DeliveryState::Failed)]).await.unwrap();
    let (two, one) = (row("a", 2, noon(0)), row("a", 1, noon(0)));
    let of_b = row("b", 2, noon(1));
    assert_eq!(listed(store).await, [of_b.clone(), two.clone(), one]);
    let query = |endpoint: &str, limit| DeliveryQuery { endpoint: Some(endpoint.into()), limit };
    assert_eq!(log.deliveries(query("a", 1)).await.unwrap(), [two]);
    assert_eq!(log.deliveries(query("b", 9)).await.unwrap(), [of_b]);
    assert_eq!(log.deliveries(DeliveryQuery::default()).await.unwrap(), []);
}

/// What is over is forgotten beyond a number; what waits never is.
pub async fn what_is_over_is_forgotten_beyond_a_number(store: &impl Store) {
    let max = DELIVERIES_KEPT_MAX as u64;
    one_endpoint(store, 1..=max + 3).await;
    let over = (2..=max + 2).map(|event| tried(event, noon(1), DeliveryState::Delivered));
    store.delivery_log().tried(&"a".into(), over.collect()).await.unwrap();
    let left: Vec<u64> = listed(store).await.into_iter().map(|row| row.audit_id).collect();
    let mut expected: Vec<u64> = (3..=max + 3).rev().collect();
    expected.push(1);
    assert_eq!(left, expected);
}

/// Of endpoints too, the ones that no file has named for the longest time are forgotten.
pub async fn endpoints_are_forgotten_beyond_a_number(store: &impl Store) {
    one_endpoint(store, [1]).await;
    let log = store.delivery_log();
    let others = (0..ENDPOINTS_KEPT_MAX).map(|number| endpoint(&format!("n{number}")));
    log.register(&"otra".into(), others.collect(), noon(1)).await.unwrap();
    assert_eq!(log.endpoints().await.unwrap().len(), ENDPOINTS_KEPT_MAX);
    assert_eq!(log.endpoint(&"a".into()).await.unwrap(), None);
    assert_eq!(listed(store).await, [], "with their deliveries");
}
