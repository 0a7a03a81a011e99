//! The registry of model providers: the one place that knows them by name.

use std::sync::Arc;

use manos_config::ModelConfig;
use manos_net::HttpClient;
use manos_ports::Provider;
use manos_providers::{Candidate, Fallback, HttpModel, HttpModelConfig, Scripted};
use manos_text::Formats;
use manos_wire_llm::anthropic::Messages;
use manos_wire_llm::gemini::GenerateContent;
use manos_wire_llm::ollama::Ollama;
use manos_wire_llm::openai::{Chat, SERVERS};
use manos_wire_llm::responses::Responses;
use manos_wire_llm::{CallOptions, Dialect, RetryPolicy};

use crate::OpenError;

/// Makes the provider of a model and of those that are asked when it does not answer.
pub(crate) fn provider(
    model: &ModelConfig,
    fallback_models: &[ModelConfig],
    formats: &Formats,
    client: &HttpClient,
) -> Result<Arc<dyn Provider>, OpenError> {
    if fallback_models.is_empty() {
        return single(model, RetryPolicy::default(), formats, client);
    }
    let mut candidates = Vec::new();
    let all = std::iter::once(model).chain(fallback_models);
    for (at, model) in all.enumerate() {
        let is_last = at == fallback_models.len();
        let policy = if is_last { RetryPolicy::default() } else { RetryPolicy::before_another() };
        candidates.push(Candidate {
            provider_name: model.provider.clone(),
            model: model.model.clone(),
            provider: single(model, policy, formats, client)?,
        });
    }
    Ok(Arc::new(Fallback::new(candidates)))
}

/// Makes the provider of one model.
fn single(
    model: &ModelConfig,
    policy: RetryPolicy,
    formats: &Formats,
    client: &HttpClient,
) -> Result<Arc<dyn Provider>, OpenError> {
    if model.provider == "scripted" {
        let scripted = Scripted::new(model.script.clone(), formats.clone())
            .map_err(|source| OpenError::Script { source })?;
        return Ok(Arc::new(scripted));
    }
    let dialect = dialect(&model.provider);
    let home = dialect.home().map(str::to_owned);
    let Some(base_url) = model.base_url.clone().or(home) else {
        return Err(OpenError::NoBaseUrl { provider: model.provider.clone() });
    };
    let options = CallOptions {
        keep_alive: model.keep_alive,
        max_output_tokens: model.max_output_tokens,
        num_ctx: model.num_ctx,
        parallel_tool_calls: model.parallel_tool_calls,
        streaming: model.streaming,
        strict: model.strict,
        temperature: model.temperature.clone(),
        tool_choice: model.tool_choice.clone(),
        ..CallOptions::new(base_url, model.model.clone())
    };
    let config = HttpModelConfig {
        api_key: model.api_key.clone(),
        price: model.price.clone(),
        timeout: model.timeout,
        first_byte: model.first_byte_timeout,
        idle: model.idle_timeout,
        ..HttpModelConfig::new(model.provider.clone(), options)
    };
    Ok(Arc::new(HttpModel::new(dialect, config, client.clone()).with_retry_policy(policy)))
}

/// Returns the names of the providers that have a dialect or an address of their own, sorted.
pub fn provider_names() -> Vec<&'static str> {
    let own = ["anthropic", "gemini", "ollama", "openai-responses"];
    let mut names: Vec<&str> = own.into_iter().chain(SERVERS.iter().map(|one| one.name)).collect();
    names.sort_unstable();
    names
}

/// Returns the dialect of a provider; whoever is not named here speaks Chat Completions.
pub(crate) fn dialect(provider: &str) -> Arc<dyn Dialect> {
    match provider {
        "anthropic" => Arc::new(Messages::default()),
        "gemini" => Arc::new(GenerateContent::default()),
        "ollama" => Arc::new(Ollama),
        "openai-responses" => Arc::new(Responses),
        _ => Arc::new(Chat::named(provider)),
    }
}
