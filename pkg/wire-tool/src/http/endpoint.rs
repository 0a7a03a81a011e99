//! A call of a tool to the bytes of its request.

use manos_model::{RunId, Timestamp, Violation};
use serde_json::{Map, Value};

use super::{CallId, Method, UrlTemplate, query, retell, vapi};
use crate::address::Target;
use crate::canonical;
use crate::placement::Placement;
use crate::signing::Signed;

/// The form of a request's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RequestFormat {
    /// An envelope with the call and its arguments.
    Retell,
    /// The arguments alone.
    #[default]
    Standard,
    /// An envelope with a list of calls.
    Vapi,
}

impl RequestFormat {
    /// Returns the word that the agent file has for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retell => "retell",
            Self::Standard => "standard",
            Self::Vapi => "vapi",
        }
    }
}

/// What bodies are unless they are placed.
pub(super) const JSON: &str = "application/json";

/// What most bodies fit in, so that they are not moved while they are written.
const BODY_BYTES_USUAL: usize = 256;

/// Where and how a tool is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its address.
    pub url: UrlTemplate,
    /// The method.
    pub method: Method,
    /// The form of the body.
    pub format: RequestFormat,
    /// Where each argument goes, for services that want each in its own place; it takes the place of
    /// `format` for requests.
    pub placement: Option<Placement>,
}

/// One call of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The parsed arguments.
    pub arguments: &'a Map<String, Value>,
    /// The call it belongs to.
    pub call_id: &'a CallId,
    /// Our id of the run, equal for every try of it.
    pub run_id: &'a RunId,
    /// When the run was started, equal for every try of it.
    pub at: Timestamp,
}

/// The bytes of one request, but for its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    /// The method.
    pub method: Method,
    /// Where it goes.
    pub target: Target,
    /// The body; empty for GET and DELETE, unless it was placed.
    pub body: Vec<u8>,
    /// What the body is; `None` when there is none.
    pub content_type: Option<String>,
    /// Arguments that are headers.
    pub headers: Vec<(String, String)>,
}

impl Encoded {
    /// Returns what is signed of it.
    pub fn signed(&self) -> Signed<'_> {
        Signed {
            method: self.method.as_str(),
            path: self.target.path_and_query(),
            body: &self.body,
        }
    }
}

impl Endpoint {
    /// Encodes a call. What stands in the path stands nowhere else.
    ///
    /// # Errors
    ///
    /// A [`Violation`] for each argument that cannot stand in the path.
    ///
    /// ```
    /// use manos_model::{RunId, Timestamp};
    /// use manos_wire_tool::http::{Call, CallId, Endpoint, Method, RequestFormat, UrlTemplate};
    /// let endpoint = Endpoint {
    ///     url: UrlTemplate::parse("https://api.example.com/appointments/{id}")?,
    ///     method: Method::Put,
    ///     format: RequestFormat::Standard,
    ///     placement: None,
    /// };
    /// let arguments = serde_json::json!({"id": "P-1", "time": "10:00", "date": "2025-01-02"});
    /// let call = Call {
    ///     tool: "move_appointment",
    ///     arguments: arguments.as_object().unwrap(),
    ///     call_id: &CallId::new("987654321"),
    ///     run_id: &RunId::new("00112233445566778899aabbccddeeff"),
    ///     at: Timestamp::UNIX_EPOCH,
    /// };
    /// let request = endpoint.encode(&call).unwrap();
    /// assert_eq!(request.target.path_and_query(), "/appointments/P-1");
    /// assert_eq!(request.body, br#"{"date":"2025-01-02","time":"10:00"}"#);
    /// # Ok::<(), manos_wire_tool::http::UrlTemplateError>(())
    /// ```
    pub fn encode(&self, call: &Call<'_>) -> Result<Encoded, Vec<Violation>> {
        if let Some(placement) = &self.placement {
            return self.encode_placed(placement, call.arguments);
        }
        let mut target = self.url.fill(call.arguments)?;
        let in_path = self.url.names();
        let mut body = String::new();
        if self.method.has_body() {
            body.reserve(BODY_BYTES_USUAL);
            match self.format {
                RequestFormat::Retell => retell::write_request(call, in_path, &mut body),
                RequestFormat::Standard => {
                    canonical::write_object(call.arguments, in_path, &mut body);
                }
                RequestFormat::Vapi => vapi::write_request(call, in_path, &mut body),
            }
        } else {
            target.change_path_and_query(|path| query::push(call.arguments, in_path, path));
        }
        let content_type = self.method.has_body().then(|| JSON.to_owned());
        let (method, body) = (self.method, body.into_bytes());
        Ok(Encoded { method, target, body, content_type, headers: Vec::new() })
    }

    fn encode_placed(
        &self,
        placement: &Placement,
        arguments: &Map<String, Value>,
    ) -> Result<Encoded, Vec<Violation>> {
        let placed = placement.place(arguments)?;
        let mut target = self.url.fill(&placed.path)?;
        target.change_path_and_query(|path| query::push_pairs(&placed.query, path));
        Ok(Encoded {
            method: self.method,
            target,
            body: placed.body,
            content_type: placed.content_type,
            headers: placed.headers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: &str = "00112233445566778899aabbccddeeff";
    const TWO: &str = r#"{"service":"consultation","date":"2025-01-02"}"#;

    fn encoded(method: Method, format: RequestFormat, url: &str, arguments: &str) -> Encoded {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let endpoint =
            Endpoint { url: UrlTemplate::parse(url).unwrap(), method, format, placement: None };
        let call = Call {
            tool: "search_appointments",
            arguments: arguments.as_object().unwrap(),
            call_id: &CallId::new("987654321"),
            run_id: &RunId::new(RUN),
            at: Timestamp::constant(1_725_000_000, 123_000_000),
        };
        endpoint.encode(&call).unwrap()
    }

    #[test]
    fn each_format_has_exactly_these_bytes() {
        use Method::{Delete, Get, Patch, Post, Put};
        use RequestFormat::{Retell, Standard, Vapi};
        let vapi = r#"{"message":{"call":{"id":"987654321"},"timestamp":1725000000123,"toolCallList":[{"function":{"arguments":{"date":"2025-01-02","service":"consultation"},"name":"search_appointments"},"id":"call_00112233445566778899aabbccddeeff","type":"function"}],"toolWithToolCallList":[{"function":{"name":"search_appointments"},"toolCall":{"function":{"arguments":{"date":"2025-01-02","service":"consultation"},"name":"search_appointments"},"id":"call_00112233445566778899aabbccddeeff","type":"function"},"type":"function"}],"type":"tool-calls"}}"#;
        let retell = r#"{"args":{"date":"2025-01-02","service":"consultation"},"call":{"call_id":"987654321"},"name":"search_appointments"}"#;
        let standard = r#"{"date":"2025-01-02","service":"consultation"}"#;
        let query = "/x?date=2025-01-02&service=consultation";
        let cases = [
            (Post, Standard, "https://a.example/x", TWO, "/x", standard, "the arguments alone"),
            (Put, Standard, "https://a.example/x", "{}", "/x", "{}", "no arguments"),
            (Post, Vapi, "https://a.example/x", TWO, "/x", vapi, "a list of calls, twice"),
            (Patch, Retell, "https://a.example/x", TWO, "/x", retell, "name, call and args"),
            (Get, Standard, "https://a.example/x", TWO, query, "", "in the query"),
            (Get, Vapi, "https://a.example/x", TWO, query, "", "whatever the format"),
            (Delete, Retell, "https://a.example/x", TWO, query, "", "for DELETE as well"),
            (
                Post,
                Standard,
                "https://a.example/{date}?a=1",
                TWO,
                "/2025-01-02?a=1",
                r#"{"service":"consultation"}"#,
                "what is in the path is not in the body",
            ),
            (
                Get,
                Standard,
                "https://a.example/{date}?a=1",
                TWO,
                "/2025-01-02?a=1&service=consultation",
                "",
                "nor in the query",
            ),
            (
                Post,
                Retell,
                "https://a.example/{date}",
                TWO,
                "/2025-01-02",
                r#"{"args":{"service":"consultation"},"call":{"call_id":"987654321"},"name":"search_appointments"}"#,
                "in any format",
            ),
            (
                Post,
                Standard,
                "https://a.example/x",
                r#"{"n":1.50,"m":{"b":[],"a":null}}"#,
                "/x",
                r#"{"m":{"a":null,"b":[]},"n":1.50}"#,
                "digits as sent, null where it was sent",
            ),
        ];
        for (method, format, url, arguments, path, body, why) in cases {
            let got = encoded(method, format, url, arguments);
            assert_eq!(
                (got.target.path_and_query(), &got.body[..]),
                (path, body.as_bytes()),
                "{why}"
            );
        }
    }

    #[test]
    fn what_is_signed_is_what_is_sent() {
        let got =
            encoded(Method::Get, RequestFormat::Standard, "https://a.example/x?k=v", r#"{"a":1}"#);
        let signed = got.signed();
        assert_eq!((signed.method, signed.path, signed.body), ("GET", "/x?k=v&a=1", &b""[..]));
        assert!(got.target.url().ends_with(signed.path));
    }

    #[test]
    fn placed_arguments_are_sent_and_signed_where_they_were_placed() {
        use crate::placement::{At, Body, BodyForm, Field, Parameter};
        let parameter = |name, at| Parameter::new(name, at);
        let endpoint = Endpoint {
            url: UrlTemplate::parse("https://a.example/pets/{id}?v=1").unwrap(),
            method: Method::Delete,
            format: RequestFormat::Standard,
            placement: Some(Placement {
                parameters: vec![
                    parameter("id", At::Path),
                    parameter("why", At::Query),
                    parameter("X-Trace", At::Header),
                ],
                body: Some(Body {
                    media: "application/x-www-form-urlencoded".into(),
                    form: BodyForm::Form,
                    whole: None,
                    fields: vec![Field::new("note")],
                }),
            }),
        };
        let arguments = serde_json::json!({"id": "a b", "why": "x", "X-Trace": "t", "note": "n n"});
        let call = Call {
            tool: "t",
            arguments: arguments.as_object().unwrap(),
            call_id: &CallId::new("1"),
            run_id: &RunId::new(RUN),
            at: Timestamp::UNIX_EPOCH,
        };
        let got = endpoint.encode(&call).unwrap();
        assert_eq!(got.signed().path, "/pets/a%20b?v=1&why=x");
        assert_eq!(got.signed().body, b"note=n%20n");
        assert_eq!(got.content_type.as_deref(), Some("application/x-www-form-urlencoded"));
        assert_eq!(got.headers, [("X-Trace".to_owned(), "t".to_owned())]);
    }
}
