//! One request to one reply.

use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::Request as HttpRequest;
use hyper::body::{Body as _, Incoming};
use hyper::header::{ALLOW, HeaderValue};
use manos_ports::Clock as _;
use manos_runtime::SystemClock;
use manos_wire_tool::called::Request;
use serde_json::json;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::Served;
use crate::addressed::is_host;
use crate::calls::{self, BODY_BYTES_MAX, CALLS_AT_ONCE_MAX};
use crate::connection::BODY_WAIT;
use crate::gate::Addresses;
use crate::problem::{Problem, Reply, reply};
use crate::routes::Route;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Shared {
    agents: Vec<Arc<Served>>,
    hosts: Vec<String>,
    addresses: Addresses,
    /// Calls of all agents at once.
    pub(crate) calls: Arc<Semaphore>,
    /// Calls that were taken; they go on when whoever asked has gone.
    pub(crate) tasks: TaskTracker,
    closing: AtomicBool,
}

impl Shared {
    pub(crate) fn new(agents: Vec<Served>, hosts: Vec<String>) -> Self {
        Self {
            agents: agents.into_iter().map(Arc::new).collect(),
            hosts,
            addresses: Addresses::default(),
            calls: Arc::new(Semaphore::new(CALLS_AT_ONCE_MAX)),
            tasks: TaskTracker::new(),
            closing: AtomicBool::new(false),
        }
    }

    /// Takes no new request from now on.
    pub(crate) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    fn agent(&self, name: &str) -> Result<&Arc<Served>, Problem> {
        self.agents.iter().find(|agent| agent.name == name).ok_or(Problem::UnknownAgent)
    }
}

/// A request with its body read, owned.
#[derive(Debug)]
pub(crate) struct Whole {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
}

impl Whole {
    /// Returns it as it is checked.
    pub(crate) fn request(&self) -> Request<'_> {
        Request { method: &self.method, path: &self.path, headers: &self.headers, body: &self.body }
    }
}

/// Answers a request; every end is a reply.
pub(crate) async fn handle(
    shared: Arc<Shared>,
    address: IpAddr,
    request: HttpRequest<Incoming>,
) -> Result<Reply, Infallible> {
    let route = Route::of(request.uri().path());
    let answered = answer(&shared, address, request, route.as_ref()).await;
    Ok(answered.unwrap_or_else(|problem| {
        tracing::info!(%address, ?route, ?problem, "a request was not served");
        let mut reply = problem.reply();
        if let (Problem::Method, Some(route)) = (&problem, &route) {
            reply.headers_mut().insert(ALLOW, HeaderValue::from_static(route.method()));
        }
        reply
    }))
}

async fn answer(
    shared: &Arc<Shared>,
    address: IpAddr,
    request: HttpRequest<Incoming>,
    route: Option<&Route>,
) -> Result<Reply, Problem> {
    if !shared.addresses.lets_in(address) {
        return Err(Problem::TooMany);
    }
    if !is_host(host(&request), &shared.hosts) || request.headers().contains_key("origin") {
        return Err(Problem::ForAnotherHost);
    }
    let route = route.ok_or(Problem::NotFound)?;
    if request.method().as_str() != route.method() {
        return Err(Problem::Method);
    }
    match route {
        Route::Health => Ok(reply(200, &json!({"status": "ok"}))),
        Route::Ready if shared.is_closing() => Err(Problem::Closing),
        Route::Ready => Ok(reply(200, &json!({"status": "ready"}))),
        _ if shared.is_closing() => Err(Problem::Closing),
        Route::Retell { agent, tool } => {
            let agent = shared.agent(agent)?;
            let whole = whole(request).await?;
            calls::retell(shared, agent, tool, &whole, now()).await
        }
        Route::Tools { agent, tool } => {
            let agent = shared.agent(agent)?;
            let whole = whole(request).await?;
            calls::tools(shared, agent, tool, &whole, now()).await
        }
        Route::Vapi { agent } => {
            let agent = shared.agent(agent)?;
            let whole = whole(request).await?;
            calls::vapi(shared, agent, &whole, now()).await
        }
    }
}

/// The time in Unix seconds, as signatures have it.
fn now() -> i64 {
    SystemClock.now().as_second()
}

/// The host that a request is for: of an absolute address, else of the header. Two headers are none.
fn host(request: &HttpRequest<Incoming>) -> Option<&str> {
    if let Some(authority) = request.uri().authority() {
        return Some(authority.as_str());
    }
    let mut hosts = request.headers().get_all("host").iter();
    let host = hosts.next()?;
    if hosts.next().is_some() { None } else { host.to_str().ok() }
}

/// Reads the body, within its limits.
async fn whole(request: HttpRequest<Incoming>) -> Result<Whole, Problem> {
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = head.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
    // What says that it is too long need not be waited for.
    if body.size_hint().lower() > BODY_BYTES_MAX as u64 {
        return Err(Problem::TooLarge(BODY_BYTES_MAX));
    }
    let read = Limited::new(body, BODY_BYTES_MAX).collect();
    let body = match tokio::time::timeout(BODY_WAIT, read).await {
        Err(_) => return Err(Problem::TooSlow),
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            return Err(Problem::TooLarge(BODY_BYTES_MAX));
        }
        Ok(Err(_)) => return Err(Problem::BadRequest("the body breaks off".to_owned())),
    };
    Ok(Whole { method: head.method.as_str().to_owned(), path, headers: headers.collect(), body })
}
