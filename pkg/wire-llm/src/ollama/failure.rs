//! Responses that are errors → what to do about them.

use manos_model::ModelFailureKind;

use crate::error_words::ErrorWords;
use crate::refusals::{self, Asked, refuse, settled};
use crate::{Refusal, Trouble};

/// The variable that usually holds the key of ollama.com.
const KEY_VARIABLE: &str = "OLLAMA_API_KEY";

/// Reads a response whose status is no success; `model` is the name that was asked for.
pub(super) fn refusal(status: u16, body: &[u8], model: &str) -> Refusal {
    let words = ErrorWords::of_body(body);
    if let Some(own) = own(status, &words, model) {
        return own;
    }
    let asked = Asked { key_variable: KEY_VARIABLE, model };
    let mut refusal = refusals::refusal(status, &words, asked);
    if words.is_too_long() {
        // What a model takes here is what the server gives it, which is little unless it is told.
        refusal.failure.message +=
            "; or start Ollama with more room: `OLLAMA_CONTEXT_LENGTH=16384 ollama serve`";
    }
    refusal
}

/// Reads an error that came inside a successful response.
pub(super) fn in_band(data: &[u8]) -> Refusal {
    let words = ErrorWords::of_body(data);
    let asked = Asked { key_variable: KEY_VARIABLE, model: "of the request" };
    own(200, &words, asked.model).unwrap_or_else(|| refusals::in_band(&words, asked))
}

/// What only this server says.
fn own(status: u16, words: &ErrorWords, model: &str) -> Option<Refusal> {
    let config = |message: String| Some(settled(ModelFailureKind::Config, message));
    let said = words.said();
    if words.has(&["does not support tools"]) {
        return config(format!(
            "the model {model} cannot call tools: choose one that can, from https://ollama.com/search?c=tools"
        ));
    }
    if words.has(&["does not support chat", "does not support generate"]) {
        return config(format!("the model {model} cannot chat: choose another one{said}"));
    }
    if status == 404 && (words.has(&["not found, try pulling"]) || is_not_pulled(words)) {
        return config(format!(
            "Ollama has no model {model} yet: run `ollama pull {model}`, or see `ollama list` for those it has"
        ));
    }
    if matches!(status, 404 | 405) {
        return config(format!(
            "there is no Ollama at this address ({status}): set model.base_url to that of its server, such as http://localhost:11434{said}"
        ));
    }
    if status == 401 {
        return config(format!(
            "Ollama does not know who calls (401): run `ollama signin` for a model of its cloud, or set model.api_key, such as ${{{KEY_VARIABLE}}}"
        ));
    }
    if words.has(&["requires more system memory", "requires more memory", "out of memory"]) {
        return config(format!(
            "the model {model} does not fit into this machine's memory: choose a smaller one, or close other programs{said}"
        ));
    }
    if words.has(&[
        "newer version of ollama",
        "does not support this model",
        "unknown model architecture",
    ]) {
        return config(format!(
            "this Ollama is too old for the model {model}: install the newest one, then run `ollama pull {model}`{said}"
        ));
    }
    if words.has(&["runner process", "unable to load model", "failed to load model", "runner has"])
    {
        return Some(refuse(
            ModelFailureKind::Unavailable,
            format!(
                "Ollama could not run the model {model}: see the log of `ollama serve`, and try `ollama run {model}`{said}"
            ),
            Trouble::Status(503),
        ));
    }
    None
}

/// `model "x" not found` and `model 'x' not found`.
fn is_not_pulled(words: &ErrorWords) -> bool {
    words.has(&["model"]) && words.has(&["not found"])
}

#[cfg(test)]
mod tests;
