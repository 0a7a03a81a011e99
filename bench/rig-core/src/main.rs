//! The nine wire cases in which crates of the field lose, double, glue or invent tool calls: what
//! ours makes of the same bytes, and what `rig-core` does.
//!
//! The bytes are recorded cases of `fixtures/llm`; that ours is right in all nine is a test of
//! `manos-wire-llm` (`variations::wire_cases`). This prints both, to be looked at when either changes.

use bytes::Bytes;
use manos_model::{CallArguments, ModelReply};
use manos_wire_llm::{Dialect, EncodedTools, anthropic, openai, responses};
use rig_core::completion::{CompletionRequest, CompletionResponse, ToolDefinition};
use rig_core::message::{AssistantContent, ToolCall};
use rig_core::providers::{anthropic::AnthropicConfig, openai::OpenAIConfig};
use rig_core::test_utils::SequencedStreamingHttpClient;
use serde_json::json;

/// One of the cases.
struct Case {
    name: &'static str,
    wire: Wire,
    /// In the pieces in which they come.
    pieces: Vec<&'static [u8]>,
}

#[derive(Clone, Copy)]
enum Wire {
    Anthropic,
    Chat,
    Responses,
}

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../fixtures/llm/", $name)).as_slice()
    };
}

fn cases() -> Vec<Case> {
    let chat = |name, bytes| Case { name, wire: Wire::Chat, pieces: vec![bytes] };
    let crlf = fixture!("anthropic/crlf-and-unknown.sse");
    let between = crlf.windows(2).rposition(|pair| pair == b"\r\n").map_or(0, |at| at + 1);
    let (head, tail) = crlf.split_at(between);
    vec![
        chat("Chat: the first index is 1", fixture!("openai/first-index-1.sse")),
        chat("Chat: the first index is 3", fixture!("openai/first-index-3.sse")),
        chat("Chat: no index", fixture!("openai/index-missing.sse")),
        chat("Chat: no [DONE]", fixture!("openai/no-done.sse")),
        chat("Chat: one index, a new id", fixture!("openai/index-reused.sse")),
        chat("Chat: an object, no id, nothing", fixture!("openai/object-no-id-and-nothing.sse")),
        chat(
            "Chat: cut by its length in the arguments",
            fixture!("openai/length-in-arguments.sse"),
        ),
        Case {
            name: "Anthropic: a chunk ends between CR and LF",
            wire: Wire::Anthropic,
            pieces: vec![head, tail],
        },
        Case {
            name: "Anthropic: the connection ends early",
            wire: Wire::Anthropic,
            pieces: vec![fixture!("anthropic/early-end.sse")],
        },
        Case {
            name: "Responses: the connection ends early",
            wire: Wire::Responses,
            pieces: vec![fixture!("responses/early-end.sse")],
        },
    ]
}

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("| case | ours | rig-core 0.44.0 |\n|---|---|---|");
    for case in cases() {
        let ours = ours(&case);
        let theirs = runtime.block_on(theirs(&case))?;
        println!("| {} | {ours} | {theirs} |", case.name);
    }
    Ok(())
}

fn ours(case: &Case) -> String {
    let dialect: &dyn Dialect = match case.wire {
        Wire::Anthropic => &anthropic::Messages::default(),
        Wire::Chat => &openai::Chat::default(),
        Wire::Responses => &responses::Responses,
    };
    let mut decoder = dialect.decoder(&EncodedTools::default());
    let pushed = case.pieces.iter().try_for_each(|piece| decoder.push(piece, &mut |_| {}));
    match pushed.and_then(|()| decoder.finish(&mut |_| {})) {
        Ok(reply) => in_words(&reply),
        Err(error) => format!("error: {error}"),
    }
}

fn in_words(reply: &ModelReply) -> String {
    let calls = reply.calls.iter().map(|call| {
        let arguments = match &call.arguments {
            CallArguments::Missing => "nothing".to_owned(),
            CallArguments::Text(text) => format!("`{text}`"),
            CallArguments::Value(value) => format!("`{value}`"),
        };
        format!("{} {arguments}", call.name)
    });
    told(&reply.text, calls, &format!("{:?}", reply.finish))
}

async fn theirs(case: &Case) -> anyhow::Result<String> {
    let chunks = case.pieces.iter().map(|piece| Ok(Bytes::from_static(piece))).collect();
    let http = SequencedStreamingHttpClient::new(chunks);
    let mut request = CompletionRequest::new("Hola").max_tokens(100);
    for name in ["pay", "ver", "now"] {
        let schema = json!({"type": "object", "properties": {}});
        request = request.tool(ToolDefinition::new(name.try_into()?, "A tool.", schema));
    }
    let streamed = match case.wire {
        Wire::Anthropic => AnthropicConfig::new("k").connect(http).completion("m").stream(request),
        Wire::Chat => OpenAIConfig::new("k").connect(http).chat("m").stream(request),
        Wire::Responses => OpenAIConfig::new("k").connect(http).responses("m").stream(request),
    };
    let finished = match streamed {
        Ok(streamed) => streamed.finish().await,
        Err(error) => Err(error),
    };
    Ok(match finished {
        Ok(response) => in_their_words(&response),
        Err(error) => format!("error: {}", error.to_string().replace('\n', " ")),
    })
}

fn in_their_words(response: &CompletionResponse) -> String {
    let calls = response.choice.iter().filter_map(|content| match content {
        AssistantContent::ToolCall(ToolCall { function, .. }) => {
            let arguments = serde_json::to_string(&function.arguments).unwrap_or_default();
            let raw = function.invalid_arguments.as_ref();
            let raw = raw.map(|raw| format!(" (repaired from `{raw}`)")).unwrap_or_default();
            Some(format!("{} `{arguments}`{raw}", function.name))
        }
        _ => None,
    });
    told(&response.text(), calls, &format!("{:?}", response.finish_reason()))
}

fn told(text: &str, calls: impl Iterator<Item = String>, finish: &str) -> String {
    let calls: Vec<String> = calls.collect();
    let text = if text.is_empty() { String::new() } else { format!("“{text}”, ") };
    format!("{text}{} calls [{}], {finish}", calls.len(), calls.join(", "))
}
