//! Who was told what, in tables of their own beside those of the store.
//!
//! Changes go through the one writer, after the commits that wait with them; a file in which nobody
//! was ever to be told has no such tables.

mod read;
mod write;

use async_trait::async_trait;

use manos_model::{AgentName, CursorId, NoticeEndpointId, Timestamp};
use manos_ports::{
    DeliveryLog, DeliveryQuery, DeliveryRow, DeliveryTry, EndpointRow, NewDelivery, NoticeEndpoint,
    StoreError,
};

use super::SqliteStore;

#[async_trait]
impl DeliveryLog for SqliteStore {
    async fn register(
        &self,
        agent: &AgentName,
        endpoints: Vec<NoticeEndpoint>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let agent = agent.clone();
        self.writer()?
            .beside(move |connection, audit_last| {
                write::register(connection, &agent, &endpoints, audit_last, at)
            })
            .await
    }

    async fn endpoints(&self) -> Result<Vec<EndpointRow>, StoreError> {
        self.patient.read(|connection, place| read::endpoints(connection, place, None)).await
    }

    async fn endpoint(&self, id: &NoticeEndpointId) -> Result<Option<EndpointRow>, StoreError> {
        let id = id.clone();
        let read = self
            .patient
            .read(move |connection, place| read::endpoints(connection, place, Some(&id)));
        Ok(read.await?.pop())
    }

    async fn take_up(
        &self,
        endpoint: &NoticeEndpointId,
        cursor: CursorId,
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        let endpoint = endpoint.clone();
        self.writer()?
            .beside(move |connection, _| {
                write::take_up(connection, &endpoint, cursor, &deliveries, at)
            })
            .await
    }

    async fn due(
        &self,
        endpoint: &NoticeEndpointId,
        at: Timestamp,
        limit: usize,
    ) -> Result<Vec<DeliveryRow>, StoreError> {
        let endpoint = endpoint.clone();
        self.patient
            .read(move |connection, place| read::due(connection, place, &endpoint, at, limit))
            .await
    }

    async fn tried(
        &self,
        endpoint: &NoticeEndpointId,
        tries: Vec<DeliveryTry>,
    ) -> Result<(), StoreError> {
        let endpoint = endpoint.clone();
        self.writer()?
            .beside(move |connection, _| write::tried(connection, &endpoint, &tries))
            .await
    }

    async fn deliveries(&self, query: DeliveryQuery) -> Result<Vec<DeliveryRow>, StoreError> {
        self.patient
            .read(move |connection, place| read::deliveries(connection, place, &query))
            .await
    }
}
