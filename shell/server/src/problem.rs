//! Errors as `application/problem+json`.

use bytes::Bytes;
use http_body_util::Full;
use hyper::Response;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::json;

/// What a request is answered with.
pub(crate) type Reply = Response<Full<Bytes>>;

/// Why a request is not served. Each has a page in `docs/errors`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Problem {
    /// More is going on than is let in.
    Busy,
    /// The body is not what is expected, and why.
    BadRequest(String),
    /// The server is ending.
    Closing,
    /// The request names another host, or a page of another site sent it.
    ForAnotherHost,
    /// The method is another one.
    Method,
    /// No such path.
    NotFound,
    /// The signature of this request was used for another call.
    Replayed,
    /// The body did not come in time.
    TooSlow,
    /// The body is longer than this.
    TooLarge(usize),
    /// More requests in a minute than are let in.
    TooMany,
    /// Nobody that we know sent it.
    Unauthorized,
    /// The store does not keep what happens.
    Unavailable,
    /// There is no such agent.
    UnknownAgent,
    /// Nothing to check the requests of this platform with is configured.
    Unconfigured,
}

/// The code of each problem.
pub const CODES: [&str; 14] = [
    "server.bad_request",
    "server.busy",
    "server.closing",
    "server.for_another_host",
    "server.method",
    "server.not_found",
    "server.replayed",
    "server.too_large",
    "server.too_many",
    "server.too_slow",
    "server.unauthorized",
    "server.unavailable",
    "server.unconfigured",
    "server.unknown_agent",
];

/// How long a caller should wait before it tries again, in seconds.
const RETRY_AFTER_SECONDS: &str = "5";

impl Problem {
    /// Status, code, and what is wrong in a few words.
    fn told(&self) -> (u16, &'static str, &'static str) {
        match self {
            Self::BadRequest(_) => (400, "server.bad_request", "the request cannot be read"),
            Self::Busy => (429, "server.busy", "too many calls are going on at once"),
            Self::Closing => (503, "server.closing", "the server is ending"),
            Self::ForAnotherHost => {
                (421, "server.for_another_host", "the request is meant for another host or site")
            }
            Self::Method => (405, "server.method", "this path takes another method"),
            Self::NotFound => (404, "server.not_found", "there is nothing at this path"),
            Self::Replayed => {
                (409, "server.replayed", "this signature was used for another call already")
            }
            Self::TooLarge(_) => (413, "server.too_large", "the body is too long"),
            Self::TooMany => (429, "server.too_many", "too many requests from this address"),
            Self::TooSlow => (408, "server.too_slow", "the body did not come in time"),
            Self::Unauthorized => (
                401,
                "server.unauthorized",
                "the request carries no signature or key that is right",
            ),
            Self::Unavailable => (503, "server.unavailable", "the call cannot be kept now"),
            Self::Unconfigured => {
                (403, "server.unconfigured", "this agent has no secret for this platform")
            }
            Self::UnknownAgent => (404, "server.unknown_agent", "there is no such agent here"),
        }
    }

    /// What to do about it.
    fn detail(&self) -> String {
        match self {
            Self::BadRequest(why) => why.clone(),
            Self::Busy | Self::TooMany => "wait a moment and send it again".to_owned(),
            Self::Closing | Self::Unavailable => {
                "nothing was run; send it again under the same Idempotency-Key".to_owned()
            }
            Self::ForAnotherHost => {
                "add the host to `server.hosts`, or leave the Origin header out".to_owned()
            }
            Self::Method => "look at the Allow header".to_owned(),
            Self::NotFound => "tools are called at /tools/AGENT/TOOL, /vapi/AGENT and \
                               /retell/AGENT/TOOL"
                .to_owned(),
            Self::Replayed => "sign the request anew".to_owned(),
            Self::TooLarge(max) => format!("at most {max} bytes are taken"),
            Self::TooSlow => "send the whole body at once".to_owned(),
            Self::Unauthorized => {
                "sign the exact bytes that are sent, with the secret in the agent file, and with \
                 a clock that is right"
                    .to_owned()
            }
            Self::Unconfigured => "set `server.callers` in the agent file".to_owned(),
            Self::UnknownAgent => "the name in the path is `name` in the agent file".to_owned(),
        }
    }

    /// Returns what is wrong and what to do, for a reply that has no place for more.
    pub(crate) fn sentence(&self) -> String {
        format!("{}: {}", self.told().2, self.detail())
    }

    /// Returns the reply.
    pub(crate) fn reply(&self) -> Reply {
        let (status, code, title) = self.told();
        let body = json!({
            "type": "about:blank",
            "title": title,
            "status": status,
            "detail": self.detail(),
            "code": code,
        });
        let mut reply = reply(status, &body);
        let headers = reply.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match status {
            401 => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            429 | 503 => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static(RETRY_AFTER_SECONDS));
            }
            _ => {}
        }
        reply
    }
}

/// Makes a reply of a JSON value.
pub(crate) fn reply(status: u16, body: &serde_json::Value) -> Reply {
    json_reply(status, body.to_string())
}

/// Makes a reply of JSON text.
pub(crate) fn json_reply(status: u16, body: String) -> Reply {
    let mut reply = Response::new(Full::new(Bytes::from(body)));
    // Only statuses of this package come here.
    *reply.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or_default();
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert("cache-control", HeaderValue::from_static("no-store"));
    headers.insert("x-content-type-options", HeaderValue::from_static("nosniff"));
    reply
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_problem_has_a_code_and_each_code_a_page() {
        let all = [
            Problem::BadRequest(String::new()),
            Problem::Busy,
            Problem::Closing,
            Problem::ForAnotherHost,
            Problem::Method,
            Problem::NotFound,
            Problem::Replayed,
            Problem::TooLarge(1),
            Problem::TooMany,
            Problem::TooSlow,
            Problem::Unauthorized,
            Problem::Unavailable,
            Problem::Unconfigured,
            Problem::UnknownAgent,
        ];
        let codes: Vec<&str> = all.iter().map(|problem| problem.told().1).collect();
        assert_eq!(codes, CODES);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors");
        let pages = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let pages: BTreeSet<String> = pages
            .filter_map(|name| name.to_str()?.strip_suffix(".md").map(str::to_owned))
            .filter(|name| name.starts_with("server."))
            .collect();
        assert_eq!(pages, CODES.map(str::to_owned).into());
    }
}
