//! The model and its key.

use std::time::Duration;

use manos_model::Price;
use manos_wire_llm::openai::{SERVERS, Server};
use manos_wire_llm::{
    KeepAlive, Setting, Streaming, Strict, ToolChoice, anthropic, gemini, ollama,
};

use super::{Decoder, value};
use crate::agent::{ModelChoice, ModelConfig, Network};
use crate::node::Node;
use crate::report;
use crate::shape::nearest;

/// Providers with a dialect of their own, whether they ask for a key, and what means nothing to
/// them; any other name is a server that speaks Chat Completions.
const OWN: [(&str, bool, &[Setting]); 5] = [
    ("anthropic", true, anthropic::IGNORED),
    ("gemini", true, gemini::IGNORED),
    ("ollama", false, ollama::IGNORED),
    ("openai-responses", true, &[]),
    ("scripted", false, &[]),
];

/// Keys that `ollama` alone takes.
const OF_OLLAMA: [&str; 2] = ["num_ctx", "keep_alive"];

impl Decoder<'_, '_> {
    pub(super) fn model(&mut self, missing: &[String], network: &Network) -> ModelChoice {
        let Some(node) = self.root.get("model") else { return ModelChoice::None };
        let optional = value::bool_or(node, "optional", false);
        if let [name, ..] = missing {
            return ModelChoice::Off { reason: format!("the variable `{name}` is not set") };
        }
        let Some(config) = self.model_config(node, network) else { return ModelChoice::None };
        if config.api_key.is_none() && needs_key(node) {
            if optional {
                return ModelChoice::Off { reason: "the model has no key".to_owned() };
            }
            self.missing_key(node);
        }
        ModelChoice::Use(Box::new(config))
    }

    pub(super) fn fallback_models(&mut self, network: &Network) -> Vec<ModelConfig> {
        let list = self.root.get("fallback_models").map(Node::items).unwrap_or_default();
        let mut found = Vec::new();
        for node in list {
            let Some(config) = self.model_config(node, network) else { continue };
            if config.api_key.is_none() && needs_key(node) {
                self.missing_key(node);
            }
            found.push(config);
        }
        if let (Some(first), None) = (list.first(), self.root.get("model")) {
            let message = "there is no `model` that these could stand in for";
            self.error(report::CONFLICT, first.span, message, "name the first one under `model`");
        }
        found
    }

    fn missing_key(&mut self, node: &Node) {
        let span = node.get("api_key").or(node.get("provider")).map_or(node.span, |n| n.span);
        let provider = value::text(node, "provider").unwrap_or_default();
        let variable = Server::named(&provider).and_then(|server| server.key_variable);
        let variable = variable.unwrap_or("NAME");
        let help = format!(
            "add `api_key: \"${{{variable}}}\"`, or say `optional: true` to run on rules alone"
        );
        self.error(report::MISSING_KEY, span, "this model has no key", help);
    }

    fn model_config(&mut self, node: &Node, network: &Network) -> Option<ModelConfig> {
        let provider = value::text(node, "provider")?;
        self.provider(node, &provider);
        let script = match node.get("script") {
            Some(script) if provider == "scripted" => self.script(script),
            Some(script) => {
                let message = format!("models of `{provider}` have no script");
                self.error(report::CONFLICT, script.span, message, "write `provider: scripted`");
                Vec::new()
            }
            None if provider == "scripted" => {
                let message = "a scripted model needs a `script`";
                let help = "add `script: replies.yaml`, or the entries themselves";
                self.error(report::MISSING_KEY, node.span, message, help);
                Vec::new()
            }
            None => Vec::new(),
        };
        let model = value::text(node, "model").unwrap_or_default();
        if model.is_empty() && provider != "scripted" {
            let help = "add `model:` with the model's name at the provider";
            let span = node.get("provider").map_or(node.span, |node| node.span);
            self.error(report::MISSING_KEY, span, "this model has no `model`", help);
        }
        if let Some(url) = node.get("base_url") {
            self.web_address(url, Some(network));
        }
        self.settings_of_others(node, &provider);
        self.ignored_settings(node, &provider);
        Some(ModelConfig {
            model,
            base_url: value::text(node, "base_url"),
            api_key: value::secret(node, "api_key").filter(|key| !key.expose().is_empty()),
            timeout: value::duration_or(node, "timeout", Duration::from_mins(1)),
            first_byte_timeout: value::duration(node, "first_byte_timeout"),
            idle_timeout: value::duration(node, "idle_timeout"),
            streaming: if value::bool_or(node, "stream", true) {
                Streaming::On
            } else {
                Streaming::Off
            },
            max_output_tokens: node.get("max_output_tokens").and_then(Node::text).and_then(parsed),
            num_ctx: node.get("num_ctx").and_then(Node::text).and_then(parsed),
            keep_alive: keep_alive(node),
            temperature: node.get("temperature").and_then(Node::text).and_then(parsed),
            tool_choice: tool_choice(node),
            parallel_tool_calls: value::bool(node, "parallel_tool_calls"),
            strict: if value::bool_or(node, "strict", false) { Strict::On } else { Strict::Off },
            price: self.price(node),
            script,
            provider,
        })
    }

    /// Refuses keys of another provider.
    fn settings_of_others(&mut self, node: &Node, provider: &str) {
        for key in OF_OLLAMA {
            if let (Some(found), false) = (node.get(key), provider == "ollama") {
                let message = format!("models of `{provider}` have no `{key}`");
                let help = "only `provider: ollama` has it; leave it out";
                self.error(report::CONFLICT, found.span, message, help);
            }
        }
    }

    /// Warns of settings that mean nothing to the provider.
    fn ignored_settings(&mut self, node: &Node, provider: &str) {
        let own = OWN.iter().find(|(name, ..)| *name == provider);
        let ignored = own.map_or_else(
            || Server::named(provider).map(Server::ignored).unwrap_or_default(),
            |(_, _, ignored)| ignored.to_vec(),
        );
        for setting in ignored {
            let (key, is_asked, help) = match setting {
                Setting::ParallelToolCalls => (
                    "parallel_tool_calls",
                    node.get("parallel_tool_calls").is_some(),
                    "leave it out; several calls of one reply are run in their order",
                ),
                Setting::Strict => (
                    "strict",
                    value::bool_or(node, "strict", false),
                    "leave it out; arguments are checked here all the same",
                ),
                Setting::ToolChoiceRequired => (
                    "tool_choice",
                    tool_choice(node) == ToolChoice::Required,
                    "the model may answer without a tool: say so in `persona`, or name the one tool",
                ),
            };
            if let (Some(found), true) = (node.get(key), is_asked) {
                let message = format!("`{key}` means nothing to `{provider}`");
                self.report.warning(report::IGNORED_SETTING, found.span, message, help);
            }
        }
    }

    fn price(&mut self, node: &Node) -> Option<Price> {
        let node = node.get("price")?;
        let currency = value::text(node, "currency").unwrap_or_else(|| "USD".to_owned());
        let (input, output) = (value::text(node, "input")?, value::text(node, "output")?);
        let price = Price::new(currency, &input, &output, value::text(node, "cached").as_deref());
        if let Err(error) = &price {
            let help = "write it as the provider's page does: `{ input: 0.25, output: 2 }`";
            self.error(report::BAD_VALUE, node.span, error.to_string(), help);
        }
        price.ok()
    }

    fn provider(&mut self, node: &Node, provider: &str) {
        let Some(place) = node.get("provider") else { return };
        let own = OWN.into_iter().map(|(name, ..)| name);
        let known = own.chain(SERVERS.iter().map(|server| server.name));
        if node.get("base_url").is_some() {
            return;
        }
        if known.clone().any(|known| known == provider) {
            if Server::named(provider).is_some_and(|server| server.base_url.is_none()) {
                let message = format!("`{provider}` has no address of its own");
                let help = "add `base_url` with the address of your resource";
                self.error(report::MISSING_KEY, place.span, message, help);
            }
            return;
        }
        let help = match nearest(provider, known) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "an OpenAI-compatible service of another name needs a `base_url`".to_owned(),
        };
        let message = format!("the provider `{provider}` is not known");
        self.error(report::UNKNOWN_NAME, place.span, message, help);
    }
}

fn parsed<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn tool_choice(node: &Node) -> ToolChoice {
    match value::text(node, "tool_choice").as_deref() {
        None | Some("auto") => ToolChoice::Auto,
        Some("none") => ToolChoice::None,
        Some("required") => ToolChoice::Required,
        Some(name) => ToolChoice::Named(name.to_owned()),
    }
}

fn keep_alive(node: &Node) -> Option<KeepAlive> {
    if value::text(node, "keep_alive").as_deref() == Some("forever") {
        return Some(KeepAlive::Forever);
    }
    value::duration(node, "keep_alive").map(KeepAlive::For)
}

/// A service at its own address asks for a key; one behind `base_url` may not.
fn needs_key(node: &Node) -> bool {
    let provider = value::text(node, "provider").unwrap_or_default();
    let asks = OWN.iter().find(|(name, ..)| *name == provider).map_or_else(
        || Server::named(&provider).is_none_or(|server| server.key_variable.is_some()),
        |(_, asks, _)| *asks,
    );
    asks && node.get("base_url").is_none()
}
