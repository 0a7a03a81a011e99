//! The model and its key.

use std::time::Duration;

use super::{Decoder, value};
use crate::agent::{ModelChoice, ModelConfig};
use crate::built;
use crate::node::Node;
use crate::report;
use crate::shape::nearest;

/// Providers with an adapter of their own.
const OWN: [&str; 6] = ["openai", "openai-responses", "anthropic", "gemini", "ollama", "scripted"];
/// Services that speak Chat Completions, and where.
const COMPATIBLE: [(&str, &str); 6] = [
    ("deepseek", "https://api.deepseek.com/v1"),
    ("groq", "https://api.groq.com/openai/v1"),
    ("mistral", "https://api.mistral.ai/v1"),
    ("openrouter", "https://openrouter.ai/api/v1"),
    ("together", "https://api.together.xyz/v1"),
    ("xai", "https://api.x.ai/v1"),
];
/// Providers that ask for no key.
const KEYLESS: [&str; 2] = ["ollama", "scripted"];

impl Decoder<'_, '_> {
    pub(super) fn model(&mut self, missing: &[String]) -> ModelChoice {
        let Some(node) = self.root.get("model") else { return ModelChoice::None };
        let optional = value::bool_or(node, "optional", false);
        if let [name, ..] = missing {
            return ModelChoice::Off { reason: format!("the variable `{name}` is not set") };
        }
        let Some(config) = self.model_config(node) else { return ModelChoice::None };
        if config.api_key.is_none() && needs_key(node) {
            if optional {
                return ModelChoice::Off { reason: "the model has no key".to_owned() };
            }
            self.missing_key(node);
        }
        ModelChoice::Use(Box::new(config))
    }

    pub(super) fn fallback_models(&mut self) -> Vec<ModelConfig> {
        let list = self.root.get("fallback_models").map(Node::items).unwrap_or_default();
        let mut found = Vec::new();
        for node in list {
            let Some(config) = self.model_config(node) else { continue };
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
        let help = "add `api_key: \"${NAME}\"`, or say `optional: true` to run on rules alone";
        self.error(report::MISSING_KEY, span, "this model has no key", help);
    }

    fn model_config(&mut self, node: &Node) -> Option<ModelConfig> {
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
            self.web_address(url, None);
        }
        Some(ModelConfig {
            model,
            base_url: value::text(node, "base_url").or_else(|| home_of(&provider)),
            api_key: value::secret(node, "api_key").filter(|key| !key.expose().is_empty()),
            timeout: value::duration_or(node, "timeout", Duration::from_mins(1)),
            script,
            provider,
        })
    }

    fn provider(&mut self, node: &Node, provider: &str) {
        let Some(place) = node.get("provider") else { return };
        if built::PROVIDERS_NOT.contains(&provider) {
            let help = "an OpenAI-compatible `base_url` works with `provider: openai`";
            self.report.not_built(place.span, &format!("the provider `{provider}`"), help);
            return;
        }
        let known = OWN.into_iter().chain(COMPATIBLE.into_iter().map(|(name, _)| name));
        if known.clone().any(|known| known == provider) || node.get("base_url").is_some() {
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

/// A service at its own address asks for a key; one behind `base_url` may not.
fn needs_key(node: &Node) -> bool {
    let provider = value::text(node, "provider").unwrap_or_default();
    node.get("base_url").is_none() && !KEYLESS.contains(&provider.as_str())
}

fn home_of(provider: &str) -> Option<String> {
    COMPATIBLE.iter().find(|(name, _)| *name == provider).map(|(_, url)| (*url).to_owned())
}
