//! What goes out to servers that differ.

use serde_json::Value;

use super::super::*;
use crate::sample::every_turn_is_taken;

#[test]
fn whatever_happened_to_a_turn_every_server_takes_what_is_sent() {
    for server in SERVERS {
        let complaints = |body: &Value| complaints(body, server);
        every_turn_is_taken(&Chat::of(server), None, complaints);
    }
}
