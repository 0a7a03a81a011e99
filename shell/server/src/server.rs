//! Binding, serving, ending in order.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::Served;
use crate::connection::{self, CONNECTIONS_MAX};
use crate::handle::Shared;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be listened at.
    #[error("{address} cannot be listened at")]
    Listen {
        /// The address, as it was given.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Two agents have one name, and so one path.
    #[error("two agents are called `{name}`")]
    TwoAgents {
        /// The name.
        name: String,
    },
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// How long to wait before connections are taken again when the system has none to give.
const ACCEPT_WAIT: Duration = Duration::from_millis(100);

impl Server {
    /// Listens at an address for agents that are open. `hosts` are the names, apart from loopback,
    /// that requests may be sent to.
    ///
    /// # Errors
    ///
    /// [`ServeError`].
    pub async fn bind(
        address: &str,
        agents: Vec<Served>,
        hosts: Vec<String>,
    ) -> Result<Self, ServeError> {
        for (index, agent) in agents.iter().enumerate() {
            if agents[..index].iter().any(|other| other.name == agent.name) {
                return Err(ServeError::TwoAgents { name: agent.name.clone() });
            }
        }
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| ServeError::Listen { address: address.to_owned(), source })?;
        Ok(Self { listener, shared: Arc::new(Shared::new(agents, hosts)) })
    }

    /// Returns where it listens.
    ///
    /// # Errors
    ///
    /// When the system does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is over; then takes no new connection, lets the requests under way have
    /// `grace` for their end, and gives up the rest. The agents go on; they are ended after it.
    pub async fn serve(self, stop: impl Future<Output = ()>, grace: Duration) {
        let closing = CancellationToken::new();
        let connections = TaskTracker::new();
        tokio::select! {
            () = self.accept(&connections, &closing) => {}
            () = stop => {}
        }
        self.shared.close();
        closing.cancel();
        connections.close();
        if tokio::time::timeout(grace, connections.wait()).await.is_err() {
            tracing::warn!("requests were still under way when the server ended");
        }
    }

    /// Takes connections for ever.
    async fn accept(&self, connections: &TaskTracker, closing: &CancellationToken) {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let (stream, peer) = match self.listener.accept().await {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(%error, "a connection was not taken");
                    tokio::time::sleep(ACCEPT_WAIT).await;
                    continue;
                }
            };
            // Replies are small and whole.
            let _slower = stream.set_nodelay(true);
            let shared = Arc::clone(&self.shared);
            let served = connection::serve(stream, peer.ip(), shared, closing.clone());
            connections.spawn(async move {
                served.await;
                drop(place);
            });
        }
    }
}
