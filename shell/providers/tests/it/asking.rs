//! Asking a model in any dialect, and what is shown meanwhile.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use manos_model::{
    ModelFailure, ModelReply, ModelRequest, Secret, StepMessage, ToldCall, ToolCallId,
    ToolDeclaration, ToolSet,
};
use manos_net::{HttpClient, Proxy};
use manos_ports::{Deltas, Provider};
use manos_providers::{HttpModel, HttpModelConfig};
use manos_wire_llm::{CallOptions, Dialect, RetryPolicy, Streaming};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::server::Server;

pub(crate) const KEY: &str = "a-key-of-no-known-kind";

#[derive(Debug, Default)]
pub(crate) struct Shown(Mutex<String>);

impl Deltas for Shown {
    fn text(&self, piece: &str) {
        self.0.lock().unwrap().push_str(piece);
    }
}

/// A provider at the server that waits only milliseconds of its own choosing.
pub(crate) fn provider(
    dialect: Arc<dyn Dialect>,
    model: &str,
    server: &Server,
    streaming: Streaming,
) -> HttpModel {
    let options = CallOptions { streaming, ..CallOptions::new(server.base_url.clone(), model) };
    let config = HttpModelConfig {
        api_key: Some(Secret::new(KEY.to_owned())),
        timeout: Duration::from_secs(5),
        ..HttpModelConfig::new("named", options)
    };
    let policy = RetryPolicy { wait_first: Duration::from_millis(2), ..RetryPolicy::default() };
    HttpModel::new(dialect, config, HttpClient::new(Proxy::Off)).with_retry_policy(policy)
}

/// The second step of a turn: a call without its result, of a tool that nobody has.
pub(crate) fn request() -> ModelRequest {
    let call = ToldCall {
        id: ToolCallId::new("t1"),
        wire_id: Some("c.1".to_owned()),
        name: "invented tool!".to_owned(),
        arguments: json!(null),
    };
    let tool = ToolDeclaration {
        name: "calendar.create".to_owned(),
        description: "Makes an entry.".to_owned(),
        parameters: json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
    };
    ModelRequest {
        system: "Breve.\nLunes.".to_owned(),
        history: Arc::default(),
        messages: Arc::new(vec![
            StepMessage::User("Hola".to_owned()),
            StepMessage::Assistant { text: String::new(), calls: vec![call], opaque: Vec::new() },
        ]),
        tools: Arc::new(ToolSet::new(vec![tool])),
        step: 2,
    }
}

/// Returns the reply and what was shown of it meanwhile.
pub(crate) async fn ask(provider: &HttpModel) -> (Result<ModelReply, ModelFailure>, String) {
    let shown = Shown::default();
    let reply = provider.reply(request(), &shown, &CancellationToken::new()).await;
    (reply, shown.0.into_inner().unwrap())
}

/// Asks, and stops as soon as the server has the request.
pub(crate) async fn ask_and_stop(provider: &HttpModel, server: &Server) -> ModelFailure {
    let (shown, cancel) = (Shown::default(), CancellationToken::new());
    let call = provider.reply(request(), &shown, &cancel);
    let stop = async {
        while server.seen().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    tokio::join!(call, stop).0.unwrap_err()
}
