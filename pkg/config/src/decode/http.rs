//! Addresses and headers.

use manos_model::Secret;
use manos_wire_tool::address::{AddressPolicy, HostPattern, Target};
use manos_wire_tool::http::{UrlTemplate, UrlTemplateError, Webhook as HttpWebhook};

use super::tool::{Arguments, Context};
use super::{Decoder, value};
use crate::agent::{Endpoint, Method, Network, RequestFormat, Webhook};
use crate::node::Node;
use crate::report;
use crate::shape::suggestion;

/// What can be done about an empty secret of requests that go out.
pub(super) const UNSIGNED: &str = "set the variable, or remove the key to send unsigned requests";

/// Headers that are ours to set.
const RESERVED: [&str; 10] = [
    "connection",
    "content-length",
    "host",
    "idempotency-key",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

impl Decoder<'_, '_> {
    pub(super) fn network(&mut self) -> Network {
        let Some(node) = self.root.get("network") else { return Network::default() };
        if let Some(proxy) = node.get("proxy") {
            self.web_address(proxy, None);
        }
        Network { allow_http: self.hosts(node, "allow_http"), proxy: value::secret(node, "proxy") }
    }

    /// Reads a list of hosts and says which of them are none.
    pub(super) fn hosts(&mut self, node: &Node, key: &str) -> Vec<String> {
        let items = node.get(key).map(Node::items).unwrap_or_default();
        for item in items {
            let Some(Err(error)) = item.text().map(HostPattern::parse) else { continue };
            let help = "write host, host:port, *.example.com or *";
            self.error(report::BAD_VALUE, item.span, format!("this is no host: {error}"), help);
        }
        value::texts(node, key).unwrap_or_default()
    }

    /// Checks that a text is an address, and with `network` that requests may go there.
    pub(super) fn web_address(&mut self, node: &Node, network: Option<&Network>) {
        let Some(text) = node.text() else { return };
        if !is_web_address(text) {
            let help = "write https://host/path";
            self.error(report::BAD_VALUE, node.span, "this is no web address", help);
            return;
        }
        let Some(network) = network else { return };
        let target = match Target::parse(text) {
            Ok(target) => target,
            Err(error) => {
                let help = "write https://host/path";
                self.error(report::BAD_VALUE, node.span, error.to_string(), help);
                return;
            }
        };
        let allow_http = network.allow_http.iter().filter_map(|host| HostPattern::parse(host).ok());
        let policy = AddressPolicy::Configured { allow_http: allow_http.collect() };
        if policy.check_target(&target).is_err() {
            let message = "plain http goes only to loopback and to hosts that are allowed";
            let help = "write https, or add the host to `network.allow_http`";
            self.error(report::BAD_VALUE, node.span, message, help);
        }
    }

    pub(super) fn endpoint(
        &mut self,
        node: &Node,
        arguments: &Arguments,
        context: &Context<'_>,
    ) -> Endpoint {
        if let Some(url) = node.get("url") {
            self.web_address(url, Some(context.network));
            self.path_arguments(url, arguments);
            self.whole_address(url);
        }
        let method = match value::text(node, "method").as_deref() {
            Some("GET") => Method::Get,
            Some("PUT") => Method::Put,
            Some("PATCH") => Method::Patch,
            Some("DELETE") => Method::Delete,
            _ => Method::Post,
        };
        let request_format = match value::text(node, "request_format").as_deref() {
            Some("vapi") => RequestFormat::Vapi,
            Some("retell") => RequestFormat::Retell,
            _ => RequestFormat::Standard,
        };
        Endpoint {
            url: Secret::new(value::text(node, "url").unwrap_or_default()),
            method,
            headers: self.headers(node, &context.prefix),
            request_format,
            placement: None,
        }
    }

    /// What only taking the whole address apart can find. Quiet where more is told already.
    pub(super) fn whole_address(&mut self, node: &Node) {
        let Some(Err(error)) = node.text().map(UrlTemplate::parse) else { return };
        if error == UrlTemplateError::HoleOutsidePath {
            return;
        }
        let help = "write https://host/path";
        if node.text().is_some_and(|text| Target::parse(text).is_ok()) {
            self.error(report::BAD_VALUE, node.span, error.to_string(), help);
        }
    }

    /// `{name}` stands in the path only and names a required scalar.
    fn path_arguments(&mut self, node: &Node, arguments: &Arguments) {
        let Some(text) = node.text() else { return };
        let path_start = text
            .find("://")
            .and_then(|at| text[at + 3..].find(['/', '?', '#']).map(|path| at + 3 + path));
        let path_start = path_start.unwrap_or(text.len());
        let path_end = text[path_start..].find(['?', '#']).map_or(text.len(), |at| path_start + at);
        let mut at = 0;
        while let Some(open) = text[at..].find('{').map(|open| at + open) {
            let Some(close) = text[open..].find('}').map(|close| open + close) else { return };
            let name = &text[open + 1..close];
            let span = node.within(self.report.source, open, close + 1 - open);
            at = close + 1;
            if open < path_start || open >= path_end {
                let message = format!("`{{{name}}}` may stand in the path only");
                let help = "for GET and DELETE, arguments go into the query by themselves";
                self.error(report::BAD_VALUE, span, message, help);
                continue;
            }
            let known: Vec<&str> = arguments.names.iter().map(String::as_str).collect();
            if !arguments.names.contains(name) {
                let message = format!("this tool has no argument `{name}`");
                self.error(report::BAD_ARGUMENT, span, message, suggestion(name, &known));
                continue;
            }
            let source = arguments.schema.source();
            let required = source["required"].as_array();
            let required = required.is_some_and(|list| list.iter().any(|item| item == name));
            let kind = source["properties"][name]["type"].as_str().unwrap_or_default();
            if !required || !matches!(kind, "string" | "integer" | "boolean") {
                let message = format!("`{name}` stands in a path");
                let help = "make it required, and a string, an integer or a boolean";
                self.error(report::BAD_ARGUMENT, span, message, help);
            }
        }
    }

    pub(super) fn headers(&mut self, node: &Node, prefix: &str) -> Vec<(String, Secret<String>)> {
        let ours = format!("x-{}-", prefix.to_ascii_lowercase());
        let mut found = Vec::new();
        for entry in node.get("headers").map(Node::entries).unwrap_or_default() {
            let lower = entry.key.to_ascii_lowercase();
            if RESERVED.contains(&lower.as_str()) || lower.starts_with(&ours) {
                let message = format!("the header `{}` is set by us", entry.key);
                self.error(report::CONFLICT, entry.key_span, message, "remove it");
            } else if !is_header_name(&entry.key) {
                let message = "this is no name of a header";
                self.error(
                    report::BAD_VALUE,
                    entry.key_span,
                    message,
                    "use letters, digits and `-`",
                );
            }
            let Some(text) = entry.node.text() else { continue };
            if text.contains(|c: char| c.is_control() && c != '\t') {
                let message = "a header cannot hold line breaks and control characters";
                self.error(report::BAD_VALUE, entry.node.span, message, "remove them");
            }
            found.push((entry.key.clone(), Secret::new(text.to_owned())));
        }
        found
    }

    pub(super) fn webhook(&mut self, network: &Network) -> Option<Webhook> {
        let node = self.root.get("webhook")?;
        let url = node.get("url")?;
        self.web_address(url, Some(network));
        self.whole_address(url);
        if url.text().map(HttpWebhook::new) == Some(Err(UrlTemplateError::HoleOutsidePath)) {
            let help = "all tools without an endpoint are sent to one address";
            self.error(report::BAD_VALUE, url.span, "no argument stands in this address", help);
        }
        self.empty_secrets(node, UNSIGNED);
        Some(Webhook { url: value::secret(node, "url")?, secrets: value::secrets(node, "secret") })
    }

    /// Signing with an empty key would sign nothing.
    pub(super) fn empty_secrets(&mut self, node: &Node, help: &str) {
        let Some(secret) = node.get("secret") else { return };
        for one in std::iter::once(secret).chain(secret.items()) {
            if one.text() == Some("") {
                self.error(report::BAD_VALUE, one.span, "this secret is empty", help);
            }
        }
    }
}

fn is_web_address(text: &str) -> bool {
    if text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return false;
    }
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    if !scheme.eq_ignore_ascii_case("https") && !scheme.eq_ignore_ascii_case("http") {
        return false;
    }
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let host = rest[..end].rsplit('@').next().unwrap_or_default();
    !host.is_empty() && !host.contains(['{', '}'])
}

fn is_header_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_and_a_host() {
        let cases = [
            ("https://a.example/x?y", true),
            ("HTTP://127.0.0.1:8080", true),
            ("http://user:password@[::1]:9/x", true),
            ("ftp://a.example", false),
            ("https://", false),
            ("https:// a", false),
            ("a.example", false),
            ("https://{host}/x", false),
        ];
        for (text, expected) in cases {
            assert_eq!(is_web_address(text), expected, "{text}");
        }
    }
}
