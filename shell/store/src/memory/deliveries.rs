//! Who was told what, in memory.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;

use manos_model::{AgentName, CursorId, NoticeEndpointId, NoticeEventId, Timestamp};
use manos_ports::{
    DELIVERIES_KEPT_MAX, DeliveryLog, DeliveryQuery, DeliveryRow, DeliveryState, DeliveryTry,
    ENDPOINTS_KEPT_MAX, EndpointRow, EndpointStatus, NewDelivery, NoticeEndpoint, StoreError,
};

use super::MemoryStore;

/// Every endpoint with its deliveries.
#[derive(Debug, Default)]
pub(super) struct Deliveries {
    endpoints: BTreeMap<NoticeEndpointId, Endpoint>,
    taken_up: u64,
}

#[derive(Debug)]
struct Endpoint {
    agent: AgentName,
    label: String,
    status: EndpointStatus,
    cursor: CursorId,
    /// When it was last made known.
    seen_at: Timestamp,
    /// In the order in which they were taken up.
    rows: BTreeMap<u64, DeliveryRow>,
    places: BTreeMap<NoticeEventId, u64>,
    /// Those that wait, by when they are due.
    waiting: BTreeSet<(Timestamp, u64)>,
}

impl Deliveries {
    fn register(
        &mut self,
        agent: &AgentName,
        endpoints: Vec<NoticeEndpoint>,
        cursor: CursorId,
        at: Timestamp,
    ) {
        for NoticeEndpoint { id, label } in endpoints {
            let known = self.endpoints.entry(id).or_insert_with(|| Endpoint {
                agent: agent.clone(),
                label: String::new(),
                status: EndpointStatus::Active,
                cursor,
                seen_at: at,
                rows: BTreeMap::new(),
                places: BTreeMap::new(),
                waiting: BTreeSet::new(),
            });
            known.label = label;
            known.seen_at = at;
        }
        while self.endpoints.len() > ENDPOINTS_KEPT_MAX {
            let oldest = self.endpoints.iter().min_by_key(|(id, known)| (known.seen_at, *id));
            let Some(id) = oldest.map(|(id, _)| id.clone()) else { return };
            self.endpoints.remove(&id);
        }
    }

    fn take_up(
        &mut self,
        endpoint: &NoticeEndpointId,
        cursor: CursorId,
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) {
        let Some(known) = self.endpoints.get_mut(endpoint) else { return };
        known.cursor = cursor;
        for NewDelivery { event_id, kind, audit_id } in deliveries {
            if known.places.contains_key(&event_id) {
                continue;
            }
            self.taken_up += 1;
            known.places.insert(event_id.clone(), self.taken_up);
            known.waiting.insert((at, self.taken_up));
            let row = DeliveryRow {
                endpoint: endpoint.clone(),
                event_id,
                kind,
                audit_id,
                state: DeliveryState::Waiting(at),
                attempts: 0,
                first_at: None,
                at,
                trouble: None,
                http_status: None,
            };
            known.rows.insert(self.taken_up, row);
        }
    }
}

impl Endpoint {
    fn row(&self, id: &NoticeEndpointId) -> EndpointRow {
        EndpointRow {
            id: id.clone(),
            agent: self.agent.clone(),
            label: self.label.clone(),
            status: self.status,
            cursor: self.cursor,
            waiting: self.waiting.len(),
            next_at: self.waiting.first().map(|&(at, _)| at),
        }
    }

    fn tried(&mut self, tried: &DeliveryTry) {
        let Some(&place) = self.places.get(&tried.event_id) else { return };
        let Some(row) = self.rows.get_mut(&place) else { return };
        let DeliveryState::Waiting(due) = row.state else { return };
        self.waiting.remove(&(due, place));
        row.state = tried.state;
        row.attempts += 1;
        row.first_at.get_or_insert(tried.at);
        row.at = tried.at;
        row.trouble = tried.trouble;
        row.http_status = tried.http_status;
        match tried.state {
            DeliveryState::Delivered => self.status = EndpointStatus::Active,
            DeliveryState::Failed => self.status = EndpointStatus::Failing,
            DeliveryState::Waiting(next) => {
                self.waiting.insert((next, place));
            }
        }
    }

    /// Forgets what is over beyond what stays listed.
    fn prune(&mut self) {
        let over = self.rows.len() - self.waiting.len();
        let too_many = over.saturating_sub(DELIVERIES_KEPT_MAX);
        let is_over = |row: &DeliveryRow| !matches!(row.state, DeliveryState::Waiting(_));
        let oldest = self.rows.iter().filter(|(_, row)| is_over(row)).take(too_many);
        let oldest: Vec<u64> = oldest.map(|(&place, _)| place).collect();
        for place in oldest {
            if let Some(row) = self.rows.remove(&place) {
                self.places.remove(&row.event_id);
            }
        }
    }
}

#[async_trait]
impl DeliveryLog for MemoryStore {
    async fn register(
        &self,
        agent: &AgentName,
        endpoints: Vec<NoticeEndpoint>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let mut kept = self.kept();
        let cursor = kept.audit.len() as u64;
        kept.deliveries.register(agent, endpoints, cursor, at);
        Ok(())
    }

    async fn endpoints(&self) -> Result<Vec<EndpointRow>, StoreError> {
        let kept = self.kept();
        let endpoints = kept.deliveries.endpoints.iter();
        let mut rows: Vec<EndpointRow> = endpoints.map(|(id, known)| known.row(id)).collect();
        rows.sort_by(|one, other| (&one.agent, &one.id).cmp(&(&other.agent, &other.id)));
        Ok(rows)
    }

    async fn endpoint(&self, id: &NoticeEndpointId) -> Result<Option<EndpointRow>, StoreError> {
        Ok(self.kept().deliveries.endpoints.get(id).map(|known| known.row(id)))
    }

    async fn take_up(
        &self,
        endpoint: &NoticeEndpointId,
        cursor: CursorId,
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.kept().deliveries.take_up(endpoint, cursor, deliveries, at);
        Ok(())
    }

    async fn due(
        &self,
        endpoint: &NoticeEndpointId,
        at: Timestamp,
        limit: usize,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        let kept = self.kept();
        let Some(known) = kept.deliveries.endpoints.get(endpoint) else { return Ok(Vec::new()) };
        let due = known.waiting.iter().take_while(|(due, _)| *due <= at).take(limit);
        Ok(due.filter_map(|(_, place)| known.rows.get(place).cloned()).collect())
    }

    async fn tried(
        &self,
        endpoint: &NoticeEndpointId,
        tries: Vec<DeliveryTry>,
    ) -> Result<(), StoreError> {
        let mut kept = self.kept();
        if let Some(known) = kept.deliveries.endpoints.get_mut(endpoint) {
            for tried in &tries {
                known.tried(tried);
            }
            known.prune();
        }
        Ok(())
    }

    async fn deliveries(&self, query: DeliveryQuery) -> Result<Vec<DeliveryRow>, StoreError> {
        let kept = self.kept();
        let endpoints = kept.deliveries.endpoints.iter();
        let wanted =
            endpoints.filter(|(id, _)| query.endpoint.as_ref().is_none_or(|only| only == *id));
        let mut rows: Vec<_> = wanted.flat_map(|(_, known)| &known.rows).collect();
        rows.sort_by_key(|(place, _)| std::cmp::Reverse(**place));
        Ok(rows.into_iter().take(query.limit).map(|(_, row)| row.clone()).collect())
    }
}
