//! The servers that speak Chat Completions, by name: where they are and in what they differ.
//!
//! Data only. A difference stands here when somebody ran into it; each has a link.

use crate::{IdAlphabet, IdForm, KeyPlace, SchemaForm, Setting};

/// One server or service, and how it differs from the rest.
#[derive(Debug, PartialEq, Eq)]
pub struct Server {
    /// Where it is, up to `/chat/completions`; none where each user has an address of their own.
    pub base_url: Option<&'static str>,
    /// Which words it takes for a call that must be made.
    pub choice: Choice,
    /// Under which name it takes the most tokens of a reply.
    pub cap: Cap,
    /// Which ids of calls it takes.
    pub ids: IdForm,
    /// Where it looks for the key.
    pub key: KeyPlace,
    /// The variable that usually holds the key; none where no key is asked for.
    pub key_variable: Option<&'static str>,
    /// What it refuses or cannot do.
    pub lacks: &'static [Lack],
    /// Its name in an agent file, and the family of what it wants back.
    pub name: &'static str,
    /// Which schemas it takes, `strict` not asked for.
    pub schema: SchemaForm,
    /// Where all this is said.
    pub source: &'static str,
}

/// How a call that must be made is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// `any` for at least one; a tool by name.
    AnyOrNamed,
    /// `required` for at least one; a tool by name.
    RequiredOrNamed,
    /// Not at all: the field itself is refused. To force one tool, it is the only one shown.
    Shown,
    /// `required` alone; to force one tool, it is the only one shown.
    Words,
}

impl Choice {
    /// Returns whether one tool can be forced by its name.
    pub fn takes_names(self) -> bool {
        match self {
            Self::AnyOrNamed | Self::RequiredOrNamed => true,
            Self::Shown | Self::Words => false,
        }
    }
}

/// The name of the field that bounds a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cap {
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `max_tokens`.
    MaxTokens,
}

/// Something that a server refuses or cannot do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// `parallel_tool_calls` is refused or means nothing.
    ParallelToolCalls,
    /// `stream_options` is refused; usage comes unasked.
    StreamOptions,
    /// `strict` is refused or enforces nothing.
    Strict,
    /// A message of the person may not follow a result at once.
    UserAfterResult,
}

/// Longer ids are refused: <https://github.com/vercel/ai/issues/5171>.
const FORTY: IdForm = IdForm { alphabet: IdAlphabet::Any, bytes_max: 40, bytes_min: 1 };

/// Exactly nine letters and digits: <https://github.com/nearai/ironclaw/issues/1241>.
const NINE: IdForm = IdForm { alphabet: IdAlphabet::Plain, bytes_max: 9, bytes_min: 9 };

/// What most servers are like; each row says only in what it differs.
const COMMON: Server = Server {
    base_url: None,
    choice: Choice::RequiredOrNamed,
    cap: Cap::MaxTokens,
    ids: FORTY,
    key: KeyPlace::Bearer,
    key_variable: None,
    lacks: &[],
    name: "compatible",
    schema: SchemaForm::OpenAi,
    source: "https://platform.openai.com/docs/api-reference/chat",
};

/// A server of which nothing is known but its address.
pub static COMPATIBLE: Server = COMMON;

/// OpenAI itself. Newer models refuse `max_tokens`: <https://github.com/teilomillet/gollm/issues/33>.
pub static OPENAI: Server = Server {
    base_url: Some("https://api.openai.com/v1"),
    cap: Cap::MaxCompletionTokens,
    key_variable: Some("OPENAI_API_KEY"),
    name: "openai",
    ..COMMON
};

/// Every server with a name, in the order of the names, [`OPENAI`] included.
pub static SERVERS: &[Server] = &[
    // The address holds the resource's name; the older form ends in `?api-version=…`, which stays.
    Server {
        cap: Cap::MaxCompletionTokens,
        key: KeyPlace::Header("api-key"),
        key_variable: Some("AZURE_OPENAI_API_KEY"),
        name: "azure",
        source: "https://learn.microsoft.com/en-us/azure/ai-services/openai/api-version-lifecycle",
        ..COMMON
    },
    // Refuses fields that it does not know: https://github.com/Kilo-Org/kilocode/issues/10375
    Server {
        base_url: Some("https://api.cerebras.ai/v1"),
        cap: Cap::MaxCompletionTokens,
        key_variable: Some("CEREBRAS_API_KEY"),
        name: "cerebras",
        source: "https://inference-docs.cerebras.ai/resources/openai",
        ..COMMON
    },
    Server {
        base_url: Some("https://api.deepinfra.com/v1/openai"),
        key_variable: Some("DEEPINFRA_API_KEY"),
        lacks: &[Lack::Strict],
        name: "deepinfra",
        source: "https://deepinfra.com/docs/openai_api",
        ..COMMON
    },
    // `max_completion_tokens` is not documented, and `reasoning_content` has to go back with the
    // calls it came with: https://github.com/abhigyanpatwari/GitNexus/issues/43. Models that think,
    // which they do unasked, refuse `tool_choice`: https://github.com/can1357/oh-my-pi/issues/7315,
    // https://github.com/vectorize-io/hindsight/pull/1294
    Server {
        base_url: Some("https://api.deepseek.com/v1"),
        choice: Choice::Shown,
        key_variable: Some("DEEPSEEK_API_KEY"),
        lacks: &[Lack::ParallelToolCalls, Lack::Strict],
        name: "deepseek",
        source: "https://api-docs.deepseek.com/guides/thinking_mode",
        ..COMMON
    },
    Server {
        base_url: Some("https://api.fireworks.ai/inference/v1"),
        key_variable: Some("FIREWORKS_API_KEY"),
        lacks: &[Lack::Strict],
        name: "fireworks",
        source: "https://docs.fireworks.ai/tools-sdks/openai-compatibility",
        ..COMMON
    },
    // Refuses another server's `reasoning_content`: https://github.com/janhq/jan/issues/8136
    Server {
        base_url: Some("https://api.groq.com/openai/v1"),
        cap: Cap::MaxCompletionTokens,
        key_variable: Some("GROQ_API_KEY"),
        lacks: &[Lack::Strict],
        name: "groq",
        source: "https://console.groq.com/docs/api-reference",
        ..COMMON
    },
    // Takes `tool_choice` as a word alone.
    Server {
        base_url: Some("http://127.0.0.1:8080/v1"),
        choice: Choice::Words,
        lacks: &[Lack::Strict],
        name: "llamacpp",
        schema: SchemaForm::Grammar,
        source: "https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md",
        ..COMMON
    },
    // Takes `tool_choice` as a word alone.
    Server {
        base_url: Some("http://127.0.0.1:1234/v1"),
        choice: Choice::Words,
        lacks: &[Lack::ParallelToolCalls, Lack::Strict],
        name: "lmstudio",
        schema: SchemaForm::Grammar,
        source: "https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/670",
        ..COMMON
    },
    // Refuses `stream_options` (https://github.com/avante-corp/avante.nvim/issues/2347),
    // `max_completion_tokens` (https://github.com/yazinsai/OpenOats/pull/319), and a person's
    // message after a result (https://github.com/datapizza-labs/datapizza-ai/issues/98).
    Server {
        base_url: Some("https://api.mistral.ai/v1"),
        choice: Choice::AnyOrNamed,
        ids: NINE,
        key_variable: Some("MISTRAL_API_KEY"),
        lacks: &[Lack::StreamOptions, Lack::Strict, Lack::UserAfterResult],
        name: "mistral",
        source: "https://docs.mistral.ai/api/",
        ..COMMON
    },
    // "tool_choice 'required' is incompatible with thinking enabled", and its models think unasked.
    Server {
        base_url: Some("https://api.moonshot.ai/v1"),
        choice: Choice::Shown,
        key_variable: Some("MOONSHOT_API_KEY"),
        lacks: &[Lack::ParallelToolCalls, Lack::Strict],
        name: "moonshot",
        source: "https://platform.moonshot.ai/docs/api/chat",
        ..COMMON
    },
    Server {
        base_url: Some("https://integrate.api.nvidia.com/v1"),
        key_variable: Some("NVIDIA_API_KEY"),
        lacks: &[Lack::Strict],
        name: "nvidia",
        source: "https://docs.api.nvidia.com/nim/reference/llm-apis",
        ..COMMON
    },
    Server {
        base_url: Some("https://api.openai.com/v1"),
        cap: Cap::MaxCompletionTokens,
        key_variable: Some("OPENAI_API_KEY"),
        name: "openai",
        ..COMMON
    },
    Server {
        base_url: Some("https://openrouter.ai/api/v1"),
        key_variable: Some("OPENROUTER_API_KEY"),
        name: "openrouter",
        source: "https://openrouter.ai/docs/api-reference/overview",
        ..COMMON
    },
    Server {
        base_url: Some("https://api.together.xyz/v1"),
        key_variable: Some("TOGETHER_API_KEY"),
        lacks: &[Lack::ParallelToolCalls, Lack::Strict],
        name: "together",
        source: "https://docs.together.ai/docs/openai-api-compatibility",
        ..COMMON
    },
    // `required` since 0.8.3; `strict` enforces nothing unless it is started so.
    Server {
        base_url: Some("http://127.0.0.1:8000/v1"),
        lacks: &[Lack::Strict],
        name: "vllm",
        schema: SchemaForm::Grammar,
        source: "https://docs.vllm.ai/en/latest/features/tool_calling/",
        ..COMMON
    },
    Server {
        base_url: Some("https://api.x.ai/v1"),
        cap: Cap::MaxCompletionTokens,
        key_variable: Some("XAI_API_KEY"),
        name: "xai",
        source: "https://docs.x.ai/docs/api-reference",
        ..COMMON
    },
];

impl Server {
    /// Returns the server of this name.
    ///
    /// ```
    /// use manos_wire_llm::openai::Server;
    /// assert_eq!(Server::named("groq").unwrap().key_variable, Some("GROQ_API_KEY"));
    /// assert!(Server::named("nobody").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Server> {
        SERVERS.iter().find(|server| server.name == name)
    }

    /// Returns which settings mean nothing to it.
    ///
    /// ```
    /// use manos_wire_llm::{Setting, openai::OPENAI};
    /// assert_eq!(OPENAI.ignored(), [] as [Setting; 0]);
    /// ```
    pub fn ignored(&self) -> Vec<Setting> {
        let rows = [
            (self.lacks(Lack::ParallelToolCalls), Setting::ParallelToolCalls),
            (self.lacks(Lack::Strict), Setting::Strict),
            (self.choice == Choice::Shown, Setting::ToolChoiceRequired),
        ];
        rows.into_iter().filter_map(|(is, setting)| is.then_some(setting)).collect()
    }

    /// Returns whether it refuses this or cannot do it.
    pub fn lacks(&self, what: Lack) -> bool {
        self.lacks.contains(&what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_has_a_name_of_its_own_an_address_and_a_source() {
        let names: Vec<&str> = SERVERS.iter().map(|server| server.name).collect();
        assert!(names.is_sorted() && names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
        for server in SERVERS {
            assert!(server.source.starts_with("https://"), "{}", server.name);
            let local = server.base_url.is_some_and(|url| url.contains("127.0.0.1"));
            assert_eq!(server.key_variable.is_none(), local, "{}: whose key?", server.name);
            assert_eq!(server.base_url.is_none(), server.name == "azure", "{}", server.name);
        }
        assert_eq!(Server::named("openai"), Some(&OPENAI));
    }
}
