//! What servers do to a reply that is the same all the while: each way is its own row, and each row
//! is cut at every byte.
//!
//! The recorded cases stand for reports of the field; these are the neighbours of those reports.

#![expect(
    clippy::needless_pass_by_value,
    clippy::too_many_lines,
    reason = "each function is a table, and its rows are made of values"
)]

mod anthropic;
mod chat;
mod framing;
mod gemini;
mod ollama;
mod responses;
mod wire_cases;

use manos_model::FinishReason;
use serde_json::Value;

use crate::Dialect;
use crate::recorded::{brief, decode_every_way, event};

/// Reason, events, text, calls.
type Row<'a> = (&'a str, Vec<Value>, &'a str, &'a [&'a str]);

/// Checks that the events of each row, and `end` after them, make its reply.
fn check(dialect: &dyn Dialect, rows: &[Row<'_>], end: &[Value]) {
    for (why, events, text, calls) in rows {
        let stream: String = events.iter().chain(end).map(event).collect();
        let reply = decode_every_way(dialect, why, stream.as_bytes()).0;
        let reply = reply.unwrap_or_else(|error| panic!("{why}: {error}"));
        let (said, asked, _) = brief(&reply);
        assert_eq!((said.as_str(), asked.as_slice()), (*text, owned(calls).as_slice()), "{why}");
    }
}

/// Checks that each stream is an error whose message holds these words.
fn check_refused(dialect: &dyn Dialect, rows: &[(&str, Vec<Value>, &str)], end: &[Value]) {
    for (why, events, words) in rows {
        let stream: String = events.iter().chain(end).map(event).collect();
        let reply = decode_every_way(dialect, why, stream.as_bytes()).0;
        let message = reply.map(|reply| brief(&reply)).unwrap_err().failure().message;
        assert!(message.contains(words), "{why}: {message}");
    }
}

/// Checks that each whole body makes its reply.
fn check_whole(dialect: &dyn Dialect, rows: &[(&str, Value, &str, &[&str], FinishReason)]) {
    for (why, body, text, calls, finish) in rows {
        let reply = decode_every_way(dialect, why, body.to_string().as_bytes()).0;
        let reply = reply.unwrap_or_else(|error| panic!("{why}: {error}"));
        assert_eq!(brief(&reply), ((*text).to_owned(), owned(calls), finish.clone()), "{why}");
    }
}

fn owned(calls: &[&str]) -> Vec<String> {
    calls.iter().map(|call| (*call).to_owned()).collect()
}
