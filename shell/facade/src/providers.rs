//! The registry of model providers: the one place that knows them by name.

use std::sync::Arc;

use manos_config::ModelConfig;
use manos_net::HttpClient;
use manos_ports::Provider;
use manos_providers::{HttpModel, HttpModelConfig, Scripted};
use manos_text::Formats;
use manos_wire_llm::anthropic::Messages;
use manos_wire_llm::gemini::GenerateContent;
use manos_wire_llm::ollama::Ollama;
use manos_wire_llm::openai::Chat;
use manos_wire_llm::responses::Responses;
use manos_wire_llm::{CallOptions, Dialect};

use crate::OpenError;

/// Makes the provider of a model.
pub(crate) fn provider(
    model: &ModelConfig,
    formats: &Formats,
    client: HttpClient,
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
    let config = HttpModelConfig {
        api_key: model.api_key.clone(),
        options: CallOptions::new(base_url, model.model.clone()),
        timeout: model.timeout,
    };
    Ok(Arc::new(HttpModel::new(dialect, config, client)))
}

/// Returns the dialect of a provider; whoever is not named here speaks Chat Completions.
fn dialect(provider: &str) -> Arc<dyn Dialect> {
    match provider {
        "anthropic" => Arc::new(Messages::default()),
        "gemini" => Arc::new(GenerateContent::default()),
        "ollama" => Arc::new(Ollama),
        "openai-responses" => Arc::new(Responses),
        _ => Arc::new(Chat::named(provider)),
    }
}
