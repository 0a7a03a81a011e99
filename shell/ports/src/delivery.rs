//! Who is told what happened, and what came of it: the queue of notices and its log.

use async_trait::async_trait;

use manos_model::{AgentName, CursorId, NoticeEndpointId, NoticeEventId, NoticeTrouble, Timestamp};

use crate::StoreError;

/// An endpoint as it is made known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoticeEndpoint {
    /// Its id.
    pub id: NoticeEndpointId,
    /// How it is called where its address is not at hand; holds no secret.
    pub label: String,
}

/// Whether notices arrive at an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndpointStatus {
    /// As far as is known.
    Active,
    /// One was given up, and none has arrived since.
    Failing,
}

/// An endpoint as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointRow {
    /// Its id.
    pub id: NoticeEndpointId,
    /// Whose it is.
    pub agent: AgentName,
    /// How it is called.
    pub label: String,
    /// Whether notices arrive.
    pub status: EndpointStatus,
    /// Up to where the trail was read for it.
    pub cursor: CursorId,
    /// Deliveries that are not over.
    pub waiting: usize,
    /// When the earliest of these is due.
    pub next_at: Option<Timestamp>,
}

/// A fact that an endpoint wants to hear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    /// The notice.
    pub event_id: NoticeEventId,
    /// Its kind.
    pub kind: String,
    /// Its place in the trail; what is sent is made from there.
    pub audit_id: CursorId,
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It arrived.
    Delivered,
    /// It was given up.
    Failed,
    /// It is tried when this comes.
    Waiting(Timestamp),
}

/// One notice to one endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    /// Whom it is for.
    pub endpoint: NoticeEndpointId,
    /// The notice.
    pub event_id: NoticeEventId,
    /// Its kind.
    pub kind: String,
    /// Its place in the trail.
    pub audit_id: CursorId,
    /// How far it is.
    pub state: DeliveryState,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was first tried.
    pub first_at: Option<Timestamp>,
    /// When it was last tried, or taken up.
    pub at: Timestamp,
    /// What the last try came to, when that was nothing.
    pub trouble: Option<NoticeTrouble>,
    /// The status of the last answer, when there was one.
    pub http_status: Option<u16>,
}

/// What a try came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryTry {
    /// Which notice.
    pub event_id: NoticeEventId,
    /// When it ended.
    pub at: Timestamp,
    /// How far the delivery is now.
    pub state: DeliveryState,
    /// What it came to, when that was nothing.
    pub trouble: Option<NoticeTrouble>,
    /// The status of the answer, when there was one.
    pub http_status: Option<u16>,
}

/// Which deliveries, the ones taken up last first. The default finds none, since its limit is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryQuery {
    /// To this endpoint only.
    pub endpoint: Option<NoticeEndpointId>,
    /// At most so many.
    pub limit: usize,
}

/// Endpoints that are remembered; beyond it those that were not made known for the longest time are
/// forgotten, with their deliveries.
pub const ENDPOINTS_KEPT_MAX: usize = 100;

/// Deliveries that are over and still listed, for each endpoint; older ones are forgotten.
pub const DELIVERIES_KEPT_MAX: usize = 1_000;

/// Keeps which facts of the audit trail were told to whom.
///
/// No notice is kept here, only its place in the trail. Each endpoint has a cursor into the trail;
/// what lies behind it is over or waits here, what lies before it is still to be read. Part of every
/// [`crate::Store`]; the contract suite of the test kit holds both.
#[async_trait]
pub trait DeliveryLog: Send + Sync {
    /// Makes the endpoints of an agent known. One that is new hears what is kept from now on; one
    /// that was known goes on where it was.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be written.
    async fn register(
        &self,
        agent: &AgentName,
        endpoints: Vec<NoticeEndpoint>,
        at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Lists the endpoints that are known, by agent and then by id.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when they cannot be read.
    async fn endpoints(&self) -> Result<Vec<EndpointRow>, StoreError>;

    /// Returns how an endpoint stands; `None` when it is not known.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    async fn endpoint(&self, id: &NoticeEndpointId) -> Result<Option<EndpointRow>, StoreError>;

    /// Takes up what an endpoint wants to hear of the trail up to `cursor`, due at once; the cursor
    /// moves with it, or neither does. One that is known already stays as it is.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be written.
    async fn take_up(
        &self,
        endpoint: &NoticeEndpointId,
        cursor: CursorId,
        deliveries: Vec<NewDelivery>,
        at: Timestamp,
    ) -> Result<(), StoreError>;

    /// Lists the deliveries of an endpoint that are due at an instant, the one that is due for the
    /// longest time first; at most `limit`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when they cannot be read.
    async fn due(
        &self,
        endpoint: &NoticeEndpointId,
        at: Timestamp,
        limit: usize,
    ) -> Result<Vec<DeliveryRow>, StoreError>;

    /// Keeps what tries came to, in order. One that arrived makes its endpoint active, one that is
    /// given up makes it failing. Of what is over, [`DELIVERIES_KEPT_MAX`] stay listed.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be written.
    async fn tried(
        &self,
        endpoint: &NoticeEndpointId,
        tries: Vec<DeliveryTry>,
    ) -> Result<(), StoreError>;

    /// Lists deliveries.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when they cannot be read.
    async fn deliveries(&self, query: DeliveryQuery) -> Result<Vec<DeliveryRow>, StoreError>;
}
