//! Any model behind HTTP, in whatever dialect its server speaks.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio_util::sync::CancellationToken;

use manos_model::{
    ModelFailure, ModelFailureKind, ModelReply, ModelRequest, Price, ReplyOrigin, Secret, ToolSet,
};
use manos_net::{HttpClient, HttpLimits, HttpMethod, HttpRequest, HttpResponse};
use manos_ports::{Deltas, Provider};
use manos_wire_llm::{
    CallOptions, DecodeError, Dialect, EncodedTools, KeyPlace, RetryPolicy, Streaming, ToolChoice,
    Trouble, WireRequest,
};

use crate::failure::of_http;
use crate::tries::{Failed, until_reply};

/// How many tool sets are kept as ready bytes; when another comes, all are forgotten.
pub const TOOL_SETS_KEPT_MAX: usize = 64;

/// How much of an error's body is read, in bytes.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// The most bytes of one response; a streamed reply is some fifty times its text.
const RESPONSE_BYTES_MAX: u64 = 128 * 1024 * 1024;

/// How long a reply may be silent between two bytes. Models that think send nothing meanwhile.
pub const MODEL_IDLE_WAIT: Duration = Duration::from_mins(1);

/// How long the end of a stream is waited for after its last word, so that the connection can serve
/// again.
const DRAIN_WAIT: Duration = Duration::from_millis(50);

/// Where the model is and how it is asked.
#[derive(Debug, Clone)]
pub struct HttpModelConfig {
    /// The key; none for servers that ask for none.
    pub api_key: Option<Secret<String>>,
    /// Address, model and what each call is made with. A server that streams where it was not
    /// asked to, or the reverse, is understood as well.
    pub options: CallOptions,
    /// The provider's name, for the trail.
    pub provider: String,
    /// What its tokens cost, where that is known.
    pub price: Option<Price>,
    /// For one model call with all its tries.
    pub timeout: Duration,
    /// How long the first byte of a reply may take; none leaves it to `timeout`.
    pub first_byte: Option<Duration>,
    /// How long a reply may be silent between two bytes; none is [`MODEL_IDLE_WAIT`].
    pub idle: Option<Duration>,
}

impl HttpModelConfig {
    /// Asks without a key, for a minute.
    pub fn new(provider: impl Into<String>, options: CallOptions) -> Self {
        Self {
            api_key: None,
            options,
            provider: provider.into(),
            price: None,
            timeout: Duration::from_mins(1),
            first_byte: None,
            idle: None,
        }
    }
}

/// A model behind HTTP.
///
/// It retries what time can mend, within the model timeout, and never after a piece of the reply
/// has come. Tools are encoded once per set.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use manos_net::HttpClient;
/// use manos_providers::{HttpModel, HttpModelConfig};
/// use manos_wire_llm::{CallOptions, openai::Chat};
/// let options = CallOptions::new("https://api.openai.com/v1", "gpt-5-mini");
/// let config = HttpModelConfig::new("openai", options);
/// let provider = HttpModel::new(Arc::new(Chat::default()), config, HttpClient::default());
/// ```
pub struct HttpModel {
    dialect: Arc<dyn Dialect>,
    config: HttpModelConfig,
    client: HttpClient,
    policy: RetryPolicy,
    tools: Mutex<BTreeMap<String, Arc<EncodedTools>>>,
}

impl fmt::Debug for HttpModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpModel")
            .field("dialect", &self.dialect)
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl HttpModel {
    /// Makes the provider; nothing is sent before the first call.
    pub fn new(dialect: Arc<dyn Dialect>, config: HttpModelConfig, client: HttpClient) -> Self {
        let (policy, tools) = (RetryPolicy::default(), Mutex::default());
        Self { dialect, config, client, policy, tools }
    }

    /// Tries with another patience.
    #[must_use]
    pub fn with_retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Returns what a call is made with: a tool is forced at the beginning of a turn only, since a
    /// model that must call one again and again never answers.
    fn options(&self, step: u32) -> Cow<'_, CallOptions> {
        let options = &self.config.options;
        match options.tool_choice {
            ToolChoice::Named(_) | ToolChoice::Required if step > 1 => {
                Cow::Owned(CallOptions { tool_choice: ToolChoice::Auto, ..options.clone() })
            }
            _ => Cow::Borrowed(options),
        }
    }

    fn encoded(&self, tools: &ToolSet, options: &CallOptions) -> Arc<EncodedTools> {
        // One named tool may be all that is shown.
        let id = match &options.tool_choice {
            ToolChoice::Named(name) => format!("{} {name}", tools.id),
            _ => tools.id.clone(),
        };
        let mut kept = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoded) = kept.get(&id) {
            return Arc::clone(encoded);
        }
        if kept.len() >= TOOL_SETS_KEPT_MAX {
            kept.clear();
        }
        let encoded = Arc::new(self.dialect.tools(tools, options));
        kept.insert(id, Arc::clone(&encoded));
        encoded
    }

    fn request(&self, wire: &Wire, left: Duration) -> HttpRequest {
        let accept = match self.config.options.streaming {
            Streaming::On => "text/event-stream",
            Streaming::Off => "application/json",
        };
        let own = wire.headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let mut headers = vec![
            ("content-type".to_owned(), "application/json".to_owned()),
            ("accept".to_owned(), accept.to_owned()),
        ];
        headers.extend(own);
        let key = self.config.api_key.as_ref().filter(|key| !key.expose().is_empty());
        let key = key.map(|key| match wire.key {
            KeyPlace::Bearer => {
                ("authorization".to_owned(), Secret::new(format!("Bearer {}", key.expose())))
            }
            KeyPlace::Header(name) => (name.to_owned(), key.clone()),
        });
        HttpRequest {
            headers,
            secret_headers: key.into_iter().collect(),
            body: wire.body.clone(),
            limits: HttpLimits {
                response_bytes_max: RESPONSE_BYTES_MAX,
                first_byte: self.config.first_byte.unwrap_or(left).min(left),
                idle: self.config.idle.unwrap_or(MODEL_IDLE_WAIT),
                ..HttpLimits::within(left)
            },
            ..HttpRequest::new(HttpMethod::Post, wire.url.as_str())
        }
    }

    async fn once(
        &self,
        wire: &Wire,
        tools: &EncodedTools,
        left: Duration,
        deltas: &dyn Deltas,
    ) -> Result<ModelReply, Failed> {
        let sent = self.client.send(self.request(wire, left)).await;
        let mut response =
            sent.map_err(|error| of_http(&error, false, self.dialect.when_unreachable()))?;
        if !(200..300).contains(&response.status()) {
            return Err(self.refused(&mut response).await);
        }
        let mut decoder = self.dialect.decoder(tools);
        let on_text = &mut |piece: &str| deltas.text(piece);
        loop {
            let chunk = match response.chunk().await {
                Ok(chunk) => chunk,
                Err(error) => {
                    let unreachable = self.dialect.when_unreachable();
                    return Err(of_http(&error, decoder.has_content(), unreachable));
                }
            };
            let Some(chunk) = chunk else { break };
            decoder
                .push(&chunk, on_text)
                .map_err(|error| undecodable(&error, decoder.has_content()))?;
            if decoder.is_done() {
                drain(response).await;
                break;
            }
        }
        let content_came = decoder.has_content();
        decoder.finish(on_text).map_err(|error| undecodable(&error, content_came))
    }

    async fn refused(&self, response: &mut HttpResponse) -> Failed {
        let status = response.status();
        let body = response.head(ERROR_BYTES_MAX).await;
        let refusal = self.dialect.refusal(status, &body, &self.config.options.model);
        let asked = manos_wire_llm::retry_after(
            response.header("retry-after-ms"),
            response.header("retry-after"),
            response.header("date"),
        );
        Failed {
            failure: refusal.failure,
            trouble: refusal.trouble,
            asked: asked.or(refusal.asked),
        }
    }

    /// Says which model a reply came from and what it cost.
    fn signed(&self, mut reply: ModelReply) -> ModelReply {
        let price = self.config.price.as_ref();
        reply.origin = Some(Box::new(ReplyOrigin {
            provider: self.config.provider.clone(),
            model: self.config.options.model.clone(),
            cost: price.zip(reply.usage.as_ref()).map(|(price, usage)| price.of(usage)),
            instead_of: Vec::new(),
        }));
        reply
    }

    /// Blots out the key, should a server repeat it.
    fn without_key(&self, mut failure: ModelFailure) -> ModelFailure {
        if let Some(key) = self.config.api_key.as_ref().filter(|key| !key.expose().is_empty()) {
            failure.message = failure.message.replace(key.expose(), "…");
        }
        failure
    }
}

#[async_trait]
impl Provider for HttpModel {
    async fn reply(
        &self,
        request: ModelRequest,
        deltas: &dyn Deltas,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, ModelFailure> {
        let options = self.options(request.step);
        let tools = self.encoded(&request.tools, &options);
        let wire = Wire::of(self.dialect.request(&request, &tools, &options));
        drop(request);
        let once = |left| self.once(&wire, &tools, left, deltas);
        until_reply(self.policy, self.config.timeout, cancel, once)
            .await
            .map(|reply| self.signed(reply))
            .map_err(|failure| self.without_key(failure))
    }
}

/// A request whose body every try shares.
struct Wire {
    body: Bytes,
    headers: Vec<(&'static str, String)>,
    key: KeyPlace,
    url: String,
}

impl Wire {
    fn of(request: WireRequest) -> Self {
        let WireRequest { body, headers, key, url } = request;
        Self { body: Bytes::from(body), headers, key, url }
    }
}

/// Reads what is left of a response, so that its connection goes back into the pool.
async fn drain(mut response: HttpResponse) {
    let rest = async { while let Ok(Some(_)) = response.chunk().await {} };
    if tokio::time::timeout(DRAIN_WAIT, rest).await.is_err() {
        tracing::debug!("the model's server keeps its stream open after the end");
    }
}

fn undecodable(error: &DecodeError, content_came: bool) -> Failed {
    let trouble = match error {
        _ if content_came => Trouble::Final,
        DecodeError::Empty | DecodeError::Truncated => Trouble::Connection,
        DecodeError::InBand(refusal) => refusal.trouble,
        _ => Trouble::Final,
    };
    let asked = match error {
        DecodeError::InBand(refusal) => refusal.asked,
        _ => None,
    };
    let failure = error.failure();
    if failure.kind == ModelFailureKind::BadReply {
        tracing::debug!(content_came, "the model's reply cannot be read");
    }
    Failed { failure, trouble, asked }
}
