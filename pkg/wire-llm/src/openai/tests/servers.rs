//! What goes out to servers that differ.

use proptest::prelude::*;
use serde_json::Value;

use super::super::*;
use crate::histories::requests;

fn sent(chat: Chat, request: &ModelRequest, options: &CallOptions) -> Value {
    let tools = chat.tools(&request.tools, options);
    serde_json::from_slice(&chat.request(request, &tools, options).body).unwrap()
}

proptest! {
    #[test]
    fn whatever_happened_to_a_turn_every_server_takes_what_is_sent((request, options) in requests()) {
        for server in SERVERS {
            let body = sent(Chat::of(server), &request, &options);
            let complaints = complaints(&body, server);
            prop_assert!(complaints.is_empty(), "{}: {complaints:?}\n{body:#}", server.name);
        }
    }
}
