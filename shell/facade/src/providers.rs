//! The registry of model providers: the one place that knows them by name.

use std::sync::Arc;

use manos_config::ModelConfig;
use manos_model::Secret;
use manos_net::{HttpClient, Proxy};
use manos_ports::Provider;
use manos_providers::{HttpModel, HttpModelConfig, Scripted};
use manos_text::Formats;
use manos_wire_llm::openai::Chat;
use manos_wire_llm::{CallOptions, Dialect};

use crate::OpenError;

/// Where `provider: openai` is, unless the file says otherwise.
const OPENAI_BASE_URL: &str = "https://api.openai.com/v1";

/// Makes the provider of a model.
pub(crate) fn provider(
    model: &ModelConfig,
    formats: &Formats,
    proxy: Option<&Secret<String>>,
) -> Result<Arc<dyn Provider>, OpenError> {
    if model.provider == "scripted" {
        let scripted = Scripted::new(model.script.clone(), formats.clone())
            .map_err(|source| OpenError::Script { source })?;
        return Ok(Arc::new(scripted));
    }
    let base_url = match &model.base_url {
        Some(base_url) => base_url.clone(),
        None if model.provider == "openai" => OPENAI_BASE_URL.to_owned(),
        None => return Err(OpenError::NoBaseUrl { provider: model.provider.clone() }),
    };
    let proxy = proxy.map_or(Proxy::Off, |proxy| Proxy::Url(proxy.expose().clone()));
    let config = HttpModelConfig {
        api_key: model.api_key.clone(),
        options: CallOptions::new(base_url, model.model.clone()),
        timeout: model.timeout,
    };
    let client = HttpClient::new(proxy);
    Ok(Arc::new(HttpModel::new(dialect(&model.provider), config, client)))
}

/// Returns the dialect of a provider; whoever is not named here speaks Chat Completions.
fn dialect(provider: &str) -> Arc<dyn Dialect> {
    // One arm for each provider with a dialect of its own comes before it.
    let _ = provider;
    Arc::new(Chat::default())
}
