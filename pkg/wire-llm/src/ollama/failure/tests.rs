use manos_model::ModelFailureKind::{self, BadReply, Config, RefusedCall, TooLong, Unavailable};

use super::*;

#[test]
fn a_refusal_says_which_command_mends_it() {
    let tools = r#"{"error":"registry.ollama.ai/library/gemma3:4b does not support tools"}"#;
    let old = r#"{"error":"model \"qwen3\" not found, try pulling it first"}"#;
    let new = r#"{"error":"model 'qwen3' not found"}"#;
    let nested = r#"{"error":"{\"error\":{\"code\":400,\"message\":\"request (8889 tokens) exceeds the available context size (4096 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}"}"#;
    let long = r#"{"error":"prompt too long; exceeded max context length by 4 tokens"}"#;
    let memory =
        r#"{"error":"model requires more system memory (9.0 GiB) than is available (4.2 GiB)"}"#;
    let runner = r#"{"error":"llama runner process has terminated: exit status 2"}"#;
    let version = r#"{"error":"this model requires a newer version of Ollama"}"#;
    let call = r#"{"error":"error parsing tool call: raw='{', err=unexpected end of JSON input"}"#;
    let busy = r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#;
    let cases: &[(&str, u16, &str, ModelFailureKind, Trouble, &str)] = &[
        ("no tools", 400, tools, Config, Trouble::Final, "cannot call tools"),
        ("not pulled, as once said", 404, old, Config, Trouble::Final, "`ollama pull qwen3`"),
        ("not pulled", 404, new, Config, Trouble::Final, "`ollama pull qwen3`"),
        ("another server", 404, "404 page not found", Config, Trouble::Final, "model.base_url"),
        ("another method", 405, "", Config, Trouble::Final, "model.base_url"),
        ("too long, as the runner says", 400, nested, TooLong, Trouble::Final, "history.messages"),
        ("too long", 400, long, TooLong, Trouble::Final, "history.messages"),
        ("no memory", 500, memory, Config, Trouble::Final, "smaller"),
        ("the runner died", 500, runner, Unavailable, Trouble::Status(503), "`ollama serve`"),
        ("too old", 412, version, Config, Trouble::Final, "newest"),
        ("the model's own call", 500, call, RefusedCall, Trouble::Final, "error parsing"),
        (
            "a model of the cloud",
            401,
            r#"{"error":"unauthorized"}"#,
            Config,
            Trouble::Final,
            "`ollama signin`",
        ),
        ("busy", 503, busy, Unavailable, Trouble::Status(503), "try later"),
    ];
    for (why, status, body, kind, trouble, words) in cases {
        let refusal = refusal(*status, body.as_bytes(), "qwen3");
        let message = &refusal.failure.message;
        assert_eq!((refusal.failure.kind, refusal.trouble), (*kind, *trouble), "{why}: {message}");
        assert!(message.contains(words), "{why}: {message}");
    }
}

#[test]
fn an_error_inside_a_success_is_read_by_its_words() {
    let cases: &[(&str, &str, ModelFailureKind)] = &[
        ("the runner died", r#""llama runner process no longer running: 2""#, Unavailable),
        ("the model's own call", r#""error parsing tool call: raw='{'""#, RefusedCall),
        ("no memory", r#""CUDA error: out of memory""#, Config),
        ("anything else", r#""boom""#, BadReply),
    ];
    for (why, data, kind) in cases {
        let refusal = in_band(data.as_bytes());
        assert_eq!(refusal.failure.kind, *kind, "{why}: {}", refusal.failure.message);
    }
}
