//! From names to addresses.

use std::fmt;
use std::io;
use std::net::IpAddr;

use async_trait::async_trait;

/// Looks names up. The client asks once for a connection and connects to nothing but the answer.
#[async_trait]
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Returns the addresses of a name, best first.
    ///
    /// # Errors
    ///
    /// Whatever kept it from finding out; an empty answer means the same.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The machine's own look-up, with its `hosts` file and name servers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((name, 0)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}
