//! The model's server as the measuring process sees it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::Context as _;

use crate::mock::Counts;

/// A server that ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    process: Child,
    base_url: String,
    client: reqwest::Client,
}

impl Server {
    /// Starts this program once more as a server.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg("mock")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the model's server could not be started")?;
        let mut port = String::new();
        let output = process.stdout.take().context("the server prints nothing")?;
        BufReader::new(output).read_line(&mut port)?;
        let base_url = format!("http://127.0.0.1:{}", port.trim());
        Ok(Self { process, base_url, client: crate::floor::client()? })
    }

    /// Its address.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// What it has been asked so far.
    pub(crate) async fn counts(&self) -> anyhow::Result<Counts> {
        let url = format!("{}/counts", self.base_url);
        let body = self.client.get(url).send().await?.bytes().await?;
        Ok(serde_json::from_slice(&body)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends with its standard input; waiting keeps no dead process around.
        drop(self.process.stdin.take());
        let _ended = self.process.wait();
    }
}
