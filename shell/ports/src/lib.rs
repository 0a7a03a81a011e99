//! The async traits between the runtime and the world, and their errors. Nothing else.

mod channel;
mod clock;
mod companion;
mod delivery;
mod executor;
mod layer;
mod provider;
mod store;

pub use channel::{Accepted, Channel, ChannelError, Output, OutputButton, OutputKind, Progress};
pub use clock::Clock;
pub use companion::Companion;
pub use delivery::{
    DELIVERIES_KEPT_MAX, DeliveryLog, DeliveryQuery, DeliveryRow, DeliveryState, DeliveryTry,
    ENDPOINTS_KEPT_MAX, EndpointRow, EndpointStatus, NewDelivery, NoticeEndpoint,
};
pub use executor::{RunContext, Settled, ToolExecutor};
pub use layer::StoreLayer;
pub use provider::{Deltas, Provider};
pub use store::{
    AuditLine, AuditQuery, AuditRow, CallRow, ChatQuery, ChatSummary, Commit, Committed,
    LoggedCommit, RunRow, RunState, RunsQuery, Store, StoreError, StoredChat,
};
