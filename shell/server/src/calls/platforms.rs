//! The requests of each platform: who is believed, what is called, and the reply.

use std::sync::Arc;

use hyper::header::HeaderValue;
use manos_model::CallArguments;
use manos_wire_tool::called::{
    Answer, CallerError, IDEMPOTENCY_KEY_BYTES_MAX, Identity, Platform, Proof, Request,
    check_manos, check_retell, check_vapi, read_exact, standard_reply, vapi_end,
};
use manos_wire_tool::http::{CallId, retell as retell_wire, vapi as vapi_wire};
use serde_json::{Value, json};

use super::{Call, Came, make};
use crate::Served;
use crate::handle::{Shared, Whole};
use crate::problem::{Problem, Reply, json_reply, reply};

/// A call with the standard body: the arguments alone. Signed as we sign, or with a key of the API.
pub(crate) async fn tools(
    shared: &Arc<Shared>,
    agent: &Arc<Served>,
    tool: &str,
    whole: &Whole,
    now: i64,
) -> Result<Reply, Problem> {
    let request = whole.request();
    let caller = believed_manos(agent, &request, now)?;
    let call_id = header(&request, &agent.headers.call_id)?;
    let identity = Identity {
        platform: Platform::Manos,
        caller: &caller.name,
        tool,
        call_id: call_id.unwrap_or_default(),
        tool_call_id: None,
        idempotency_key: idempotency_key(&request)?,
    };
    let chat = match (call_id.filter(|id| !id.is_empty()), caller.signed) {
        (Some(id), true) => format!("call:{}", CallId::new(id).as_str()),
        (None, true) => caller.name.clone(),
        (id, false) => format!("{}:{}", caller.name, CallId::new(id.unwrap_or("tools")).as_str()),
    };
    let call = Call {
        chat,
        user: caller.name.clone(),
        tool: tool.to_owned(),
        arguments: text(&request)?.to_owned(),
        known_as: identity.known_as(&caller.proof),
        confirmed_by: caller.signed.then_some(Platform::Manos),
    };
    let came = make(shared, agent, call).await?;
    Ok(standard(&came))
}

/// A call by a custom function of Retell.
pub(crate) async fn retell(
    shared: &Arc<Shared>,
    agent: &Arc<Served>,
    tool: &str,
    whole: &Whole,
    now: i64,
) -> Result<Reply, Problem> {
    let platform = Platform::Retell;
    let request = whole.request();
    let secrets = configured(agent, platform)?;
    let proof = check_retell(&request, secrets, now).map_err(|error| doubted(platform, &error))?;
    let read = retell_wire::read_request(body(&request)?);
    if read.name.as_deref().is_some_and(|name| name != tool) {
        let why = "the function in the body is not the tool in the path";
        return Err(Problem::BadRequest(why.to_owned()));
    }
    let call_id = read.call_id.unwrap_or_default();
    let identity = Identity {
        platform,
        caller: platform.as_str(),
        tool,
        call_id: &call_id,
        tool_call_id: None,
        idempotency_key: idempotency_key(&request)?,
    };
    let call = Call {
        chat: chat(platform, &call_id),
        user: user(platform),
        tool: tool.to_owned(),
        arguments: written(read.arguments),
        known_as: identity.known_as(&proof),
        confirmed_by: Some(platform),
    };
    let came = make(shared, agent, call).await?;
    // Any other status is tried again by the platform, and its body dropped.
    let (_, value) = standard_reply(&came.answer);
    Ok(marked(reply(200, &value), came.again))
}

/// The calls of a `tool-calls` message of Vapi, one after another; one result each.
pub(crate) async fn vapi(
    shared: &Arc<Shared>,
    agent: &Arc<Served>,
    whole: &Whole,
    now: i64,
) -> Result<Reply, Problem> {
    let platform = Platform::Vapi;
    let request = whole.request();
    let secrets = configured(agent, platform)?;
    let proof = check_vapi(&request, secrets, now).map_err(|error| doubted(platform, &error))?;
    let body = body(&request)?;
    let message = match vapi_wire::read_message(&body) {
        Ok(message) => message,
        // Its other messages tell what goes on, and want no answer.
        Err(vapi_wire::MessageError::OtherMessage) if body["message"]["type"].is_string() => {
            return Ok(reply(200, &json!({})));
        }
        Err(error) => return Err(Problem::BadRequest(error.to_string())),
    };
    let call_id = message.call_id.unwrap_or_default();
    let mut ends = Vec::with_capacity(message.calls.len());
    for called in message.calls {
        let identity = Identity {
            platform,
            caller: platform.as_str(),
            tool: &called.name,
            call_id: &call_id,
            tool_call_id: Some(&called.id),
            idempotency_key: None,
        };
        let call = Call {
            chat: chat(platform, &call_id),
            user: user(platform),
            tool: called.name.clone(),
            arguments: written(called.arguments),
            known_as: identity.known_as(&proof),
            confirmed_by: Some(platform),
        };
        // The others still get their results: of another status the platform reads none.
        let answer = match make(shared, agent, call).await {
            Ok(came) => came.answer,
            Err(problem) => problem.into(),
        };
        ends.push(vapi_end(&called.id, &called.name, &answer));
    }
    Ok(json_reply(200, vapi_wire::write_reply(&ends)))
}

/// Who sent a request with the standard body.
struct Caller {
    /// The user, and the chat of calls that name none.
    name: String,
    proof: Proof,
    /// Whether it was signed; else it showed a key.
    signed: bool,
}

/// A signature that is there must be right; without one, a key of the API is asked for.
fn believed_manos(agent: &Served, request: &Request<'_>, now: i64) -> Result<Caller, Problem> {
    let platform = Platform::Manos;
    let names = &agent.headers;
    let is_signed = header(request, &names.signature_v2)?.is_some()
        || header(request, &names.signature)?.is_some();
    if is_signed {
        let secrets = configured(agent, platform)?;
        let proof =
            check_manos(request, names, secrets, now).map_err(|error| doubted(platform, &error))?;
        return Ok(Caller { name: user(platform), proof, signed: true });
    }
    let key = agent.key_name(header(request, "authorization")?).ok_or(Problem::Unauthorized)?;
    Ok(Caller { name: format!("api:{key}"), proof: Proof { signed: None }, signed: false })
}

/// What the platform's requests are checked with; without anything, nobody is believed.
fn configured(
    agent: &Served,
    platform: Platform,
) -> Result<&[manos_model::Secret<String>], Problem> {
    let secrets = agent.secrets(platform);
    if secrets.is_empty() { Err(Problem::Unconfigured) } else { Ok(secrets) }
}

/// The log says why; a stranger is not told.
fn doubted(platform: Platform, error: &CallerError) -> Problem {
    tracing::warn!(platform = platform.as_str(), %error, "a request is not believed");
    Problem::Unauthorized
}

fn header<'a>(request: &Request<'a>, name: &str) -> Result<Option<&'a str>, Problem> {
    request.header(name).map_err(|error| Problem::BadRequest(error.to_string()))
}

fn idempotency_key<'a>(request: &Request<'a>) -> Result<Option<&'a str>, Problem> {
    match header(request, "idempotency-key")? {
        Some(key) if key.is_empty() || key.len() > IDEMPOTENCY_KEY_BYTES_MAX => {
            let why = format!("an Idempotency-Key has 1 to {IDEMPOTENCY_KEY_BYTES_MAX} bytes");
            Err(Problem::BadRequest(why))
        }
        key => Ok(key),
    }
}

/// The arguments as they came; the agent reads them, and tells the caller's model what is wrong.
fn text<'a>(request: &Request<'a>) -> Result<&'a str, Problem> {
    std::str::from_utf8(request.body)
        .map_err(|_| Problem::BadRequest("the body is not UTF-8".to_owned()))
}

fn body(request: &Request<'_>) -> Result<Value, Problem> {
    read_exact(request.body).map_err(|error| Problem::BadRequest(error.to_string()))
}

fn chat(platform: Platform, call_id: &str) -> String {
    if call_id.is_empty() {
        return user(platform);
    }
    format!("call:{}", CallId::new(call_id).as_str())
}

fn user(platform: Platform) -> String {
    format!("call:{}", platform.as_str())
}

fn written(arguments: CallArguments) -> String {
    match arguments {
        CallArguments::Missing => String::new(),
        CallArguments::Text(text) => text,
        CallArguments::Value(value) => value.to_string(),
    }
}

fn standard(came: &Came) -> Reply {
    let (status, value) = standard_reply(&came.answer);
    marked(reply(status, &value), came.again)
}

/// Says of a repeated call that nothing was run.
fn marked(mut reply: Reply, again: bool) -> Reply {
    if again {
        reply.headers_mut().insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    reply
}

impl From<Problem> for Answer {
    fn from(problem: Problem) -> Self {
        Self::Failed(manos_model::Failure::Failed { message: problem.sentence() })
    }
}
