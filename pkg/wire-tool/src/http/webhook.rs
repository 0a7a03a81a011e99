//! The envelope for tools without an endpoint, which the organisation's webhook runs.

use manos_model::{ChannelName, ChatKey, UserId};
use serde_json::{Map, Value, json};

use super::endpoint::JSON;
use super::{Call, Encoded, Method, UrlTemplate, UrlTemplateError};
use crate::address::Target;
use crate::canonical;

/// Channels on which people speak over the phone network.
const PHONE: [&str; 4] = ["call", "phone", "sip", "voice"];
/// Channels on which people come from a web page.
const WEB: [&str; 3] = ["web", "web-call", "webcall"];

/// Where the person is, which decides the form of the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// A messenger, the terminal, and whatever is neither of the others.
    Chat,
    /// A phone call; a number that is not known is `null`.
    Phone {
        /// Who calls.
        from_number: Option<&'a str>,
        /// Who is called.
        to_number: Option<&'a str>,
    },
    /// A web call or web chat.
    Web {
        /// The domain of the page; `null` when it is not known.
        origin_domain: Option<&'a str>,
    },
}

impl Place<'_> {
    /// Returns the place that a channel is, with nothing known of it.
    pub fn of_channel(channel: &ChannelName) -> Self {
        let name = channel.as_str();
        if PHONE.contains(&name) {
            Self::Phone { from_number: None, to_number: None }
        } else if WEB.contains(&name) {
            Self::Web { origin_domain: None }
        } else {
            Self::Chat
        }
    }
}

/// What the webhook is told about a call.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// The call.
    pub call: Call<'a>,
    /// Where the person is.
    pub place: Place<'a>,
    /// The key of the chat.
    pub chat: &'a ChatKey,
    /// The chat's channel.
    pub channel: &'a ChannelName,
    /// Who asked.
    pub user: &'a UserId,
}

impl Envelope<'_> {
    /// Returns the type of the envelope.
    pub fn kind(&self) -> &'static str {
        match self.place {
            Place::Chat => "chat.tool",
            Place::Phone { .. } => "telephony.tool",
            Place::Web { .. } => "web.tool",
        }
    }

    /// Returns what stands in `data`.
    pub fn data(&self) -> Map<String, Value> {
        let mut data = Map::new();
        let mut put = |key: &str, value: Value| data.insert(key.to_owned(), value);
        let mut id = String::new();
        self.call.call_id.write(&mut id);
        put("call_id", serde_json::from_str(&id).unwrap_or_default());
        put("tool_name", json!(self.call.tool));
        put("arguments", Value::Object(self.call.arguments.clone()));
        match self.place {
            Place::Chat => {
                put("chat_key", json!(self.chat.as_str()));
                put("channel", json!(self.channel.as_str()));
                put("user", json!(self.user.as_str()));
            }
            Place::Phone { from_number, to_number } => {
                put("from_number", json!(from_number));
                put("to_number", json!(to_number));
            }
            Place::Web { origin_domain } => {
                put("origin_domain", json!(origin_domain));
            }
        }
        data
    }

    /// Returns the body, in the canonical form.
    pub fn body(&self) -> String {
        let mut body = String::from("{\"data\":");
        canonical::write_object(&self.data(), &[], &mut body);
        body.push_str(",\"type\":");
        canonical::write_string(self.kind(), &mut body);
        body.push('}');
        body
    }
}

/// Where tools without an endpoint are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    url: UrlTemplate,
}

impl Webhook {
    /// Reads its address.
    ///
    /// # Errors
    ///
    /// [`UrlTemplateError`]; nothing stands for an argument in it.
    pub fn new(url: &str) -> Result<Self, UrlTemplateError> {
        let url = UrlTemplate::parse(url)?;
        if url.names().is_empty() {
            Ok(Self { url })
        } else {
            Err(UrlTemplateError::HoleOutsidePath)
        }
    }

    /// Returns its address.
    pub fn target(&self) -> &Target {
        self.url.example()
    }

    /// Encodes a call.
    pub fn encode(&self, envelope: &Envelope<'_>) -> Encoded {
        Encoded {
            method: Method::Post,
            target: self.url.example().clone(),
            body: envelope.body().into_bytes(),
            content_type: Some(JSON.to_owned()),
            headers: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use manos_model::{RunId, Timestamp};

    use super::*;
    use crate::http::CallId;

    fn body(chat: &str, place: impl Fn(&ChannelName) -> Place<'static>) -> String {
        let arguments = json!({"date": "2026-04-21"});
        let (chat, user) = (ChatKey::new(chat), UserId::new("telegram:42"));
        let channel = chat.channel();
        let call = Call {
            tool: "search_appointments",
            arguments: arguments.as_object().unwrap(),
            call_id: &CallId::of_chat(&chat),
            run_id: &RunId::new("0"),
            at: Timestamp::UNIX_EPOCH,
        };
        let place = place(&channel);
        Envelope { call, place, chat: &chat, channel: &channel, user: &user }.body()
    }

    #[test]
    fn each_place_has_its_envelope() {
        let phone = |_: &ChannelName| Place::Phone {
            from_number: Some("+14155550199"),
            to_number: Some("+15551234567"),
        };
        let web = |_: &ChannelName| Place::Web { origin_domain: Some("www.example.com") };
        let cases = [
            (
                body("call:987654321", phone),
                r#"{"data":{"arguments":{"date":"2026-04-21"},"call_id":987654321,"from_number":"+14155550199","to_number":"+15551234567","tool_name":"search_appointments"},"type":"telephony.tool"}"#,
                "a phone call",
            ),
            (
                body("call:987654321", web),
                r#"{"data":{"arguments":{"date":"2026-04-21"},"call_id":987654321,"origin_domain":"www.example.com","tool_name":"search_appointments"},"type":"web.tool"}"#,
                "a web call",
            ),
            (
                body("call:CA1", Place::of_channel),
                r#"{"data":{"arguments":{"date":"2026-04-21"},"call_id":"CA1","from_number":null,"to_number":null,"tool_name":"search_appointments"},"type":"telephony.tool"}"#,
                "a call of which nothing is known",
            ),
            (
                body("web:7f3c", Place::of_channel),
                r#"{"data":{"arguments":{"date":"2026-04-21"},"call_id":"web:7f3c","origin_domain":null,"tool_name":"search_appointments"},"type":"web.tool"}"#,
                "web chat",
            ),
            (
                body("telegram:123", Place::of_channel),
                r#"{"data":{"arguments":{"date":"2026-04-21"},"call_id":"telegram:123","channel":"telegram","chat_key":"telegram:123","tool_name":"search_appointments","user":"telegram:42"},"type":"chat.tool"}"#,
                "a messenger",
            ),
            (
                body("terminal:ñ", Place::of_channel),
                r#"{"data":{"arguments":{"date":"2026-04-21"},"call_id":"terminal:%C3%B1","channel":"terminal","chat_key":"terminal:ñ","tool_name":"search_appointments","user":"telegram:42"},"type":"chat.tool"}"#,
                "the terminal",
            ),
        ];
        for (got, expected, why) in cases {
            assert_eq!(got, expected, "{why}");
        }
    }

    #[test]
    fn the_webhook_is_one_address() {
        assert!(Webhook::new("https://a.example/hook?k=v").is_ok());
        assert_eq!(
            Webhook::new("https://a.example/{tool}"),
            Err(UrlTemplateError::HoleOutsidePath)
        );
    }
}
