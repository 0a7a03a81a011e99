//! The errors of models that people meet: each is a sentence that says what to do.
//!
//! Bodies are in the form that each provider publishes; the message of the person names the trouble
//! that the server then has.

use std::net::TcpListener;

use crate::environment::TestEnvironment;
use crate::model_server::{Answer, Asked, ModelServer};

/// What the person writes, and what the server answers.
type Trouble = (&'static str, u16, &'static str);

/// An agent without tools at this address.
fn agent(provider: &str, address: &str) -> TestEnvironment {
    let folder = TestEnvironment::empty();
    folder.write(
        "agent.yaml",
        &format!(
            "name: a\nlanguage: en\nmodel: {{ provider: {provider}, model: m-9, api_key: k-1, base_url: '{address}', timeout: 5s }}\n"
        ),
    );
    folder
}

/// Meets each trouble and returns what the trail says of it, a line each.
fn met(provider: &str, troubles: &'static [Trouble]) -> String {
    let answer = move |asked: &Asked| {
        let last = troubles.iter().max_by_key(|(said, ..)| asked.body.rfind(said));
        last.map(|(_, status, body)| Answer::new(*status, *body).header("retry-after-ms: 1"))
    };
    let server = ModelServer::answering(answer);
    let folder = agent(provider, &server.address);
    let said: Vec<&str> = troubles.iter().map(|(said, ..)| *said).collect();
    let ran = folder.chat(&said);
    assert_eq!(ran.code, Some(0), "{ran}");
    assert!(!ran.stdout.contains("k-1") && !ran.stderr.contains("k-1"), "{ran}");
    let reasons = reasons(&folder);
    for reason in &reasons {
        let beginning: String = reason.chars().take(40).collect();
        assert!(ran.stderr.contains(&beginning), "{beginning} is not said: {ran}");
    }
    let told: Vec<String> = reasons.into_iter().zip(&said).map(line).collect();
    assert_eq!(told.len(), said.len(), "each ends in a reason: {told:#?}");
    told.join("\n")
}

fn line((reason, said): (String, &&str)) -> String {
    format!("{said}: {reason}")
}

/// Why the turns went wrong, in order.
fn reasons(folder: &TestEnvironment) -> Vec<String> {
    let events = folder.events().into_iter().filter(|event| event["type"] == "loop.error");
    events.map(|event| event["reason"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn chat_completions() {
    insta::assert_snapshot!(met("openai", &[
        ("wrong key", 401, r#"{"error":{"message":"Incorrect API key provided: sk-proj-abc. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#),
        ("unknown model", 404, r#"{"error":{"message":"The model `m-9` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#),
        ("no quota", 429, r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#),
        ("too long", 400, r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#),
        ("filtered question", 400, r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","type":null,"param":"prompt","code":"content_filter","status":400}}"#),
        ("filtered answer", 200, r#"{"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]}"#),
        ("blocked region", 403, r#"{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}"#),
        ("a page", 200, "<!doctype html><html><title>Sign in</title></html>"),
        ("a page that is not there", 404, "<html><head><title>404 Not Found</title></head></html>"),
        ("another thing", 200, r#"{"status":"ok"}"#),
        ("moved", 301, ""),
    ]), @r"
    wrong key: the model's server refused the key (401): check model.api_key and the variable it names, such as ${OPENAI_API_KEY}
    unknown model: the model's server knows no model m-9, or not this address (404): check model.model and model.base_url. It says: The model `m-9` does not exist or you do not have access to it.
    no quota: the account at the model's server has no credit left (429): top it up or use another model.api_key
    too long: the chat is too long for the model (400): lower history.messages or max_result_bytes, offer fewer tools, or choose a model that takes more
    filtered question: the model's server refused what the chat says by its content filter (400): reword the instructions, or change the filter in its account. It says: The response was filtered due to the prompt triggering Azure OpenAI's content management policy.
    filtered answer: the model's reply was stopped by its provider's content filter: reword the instructions or the message, or use another model
    blocked region: the model's server does not serve the country that we call from (403): run from a country that it serves, set network.proxy, or use another provider. It says: Country, region, or territory not supported
    a page: the model's server answered with a web page: check model.base_url
    a page that is not there: the model's server knows no model m-9, or not this address (404): check model.model and model.base_url
    another thing: the model's server answered with JSON that is no reply: check model.base_url
    moved: the model's server sends us elsewhere (301): set model.base_url to the address that it moved to
    ");
}

#[test]
fn responses() {
    insta::assert_snapshot!(met("openai-responses", &[
        ("wrong key", 401, r#"{"error":{"message":"Incorrect API key provided: sk-proj-abc.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#),
        ("unknown model", 400, r#"{"error":{"message":"The requested model 'm-9' does not exist.","type":"invalid_request_error","param":"model","code":"model_not_found"}}"#),
        ("no quota", 429, r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#),
        ("too long", 400, r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}"#),
        ("filtered question", 400, r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}"#),
        ("filtered answer", 200, r#"{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}"#),
        ("blocked region", 403, r#"{"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}"#),
        ("a page", 200, "<!doctype html><html><title>Sign in</title></html>"),
        ("another thing", 200, r#"{"status":"ok"}"#),
    ]), @r"
    wrong key: the model's server refused the key (401): check model.api_key and the variable it names, such as ${OPENAI_API_KEY}
    unknown model: the model's server knows no model m-9, or not this address (400): check model.model and model.base_url. It says: The requested model 'm-9' does not exist.
    no quota: the account at the model's server has no credit left (429): top it up or use another model.api_key
    too long: the chat is too long for the model (400): lower history.messages or max_result_bytes, offer fewer tools, or choose a model that takes more
    filtered question: the model's server refused what the chat says by its usage policy: reword the instructions, or choose another model. It says: Invalid prompt: your prompt was flagged as potentially violating our usage policy.
    filtered answer: the model's reply was stopped by its provider's content filter: reword the instructions or the message, or use another model
    blocked region: the model's server does not serve the country that we call from (403): run from a country that it serves, set network.proxy, or use another provider. It says: Country, region, or territory not supported
    a page: the model's server answered with a web page: check model.base_url
    another thing: the model's server answered with JSON that is no reply: check model.base_url
    ");
}

#[test]
fn anthropic() {
    insta::assert_snapshot!(met("anthropic", &[
        ("wrong key", 401, r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"},"request_id":"req_1"}"#),
        ("unknown model", 404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: m-9"},"request_id":"req_1"}"#),
        ("no quota", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."}}"#),
        ("too long", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#),
        ("filtered question", 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#),
        ("refused answer", 200, r#"{"type":"message","role":"assistant","content":[],"stop_reason":"refusal"}"#),
        ("blocked region", 403, r#"{"error":{"type":"forbidden","message":"Request not allowed"}}"#),
        ("a page", 200, "<!doctype html><html><title>Sign in</title></html>"),
        ("another thing", 200, r#"{"status":"ok"}"#),
    ]), @r"
    wrong key: the model's server refused the key (401): check model.api_key and the variable it names, such as ${ANTHROPIC_API_KEY}
    unknown model: the model's server knows no model m-9, or not this address (404): check model.model and model.base_url. It says: model: m-9
    no quota: the account at the model's server has no credit left (400): top it up or use another model.api_key
    too long: the chat is too long for the model (400): lower history.messages or max_result_bytes, offer fewer tools, or choose a model that takes more
    filtered question: the model's server stopped the reply by its content filter (400): reword the instructions or the message. It says: Output blocked by content filtering policy
    refused answer: the model's reply was stopped by its provider's content filter: reword the instructions or the message, or use another model
    blocked region: the model's server does not serve the country that we call from (403): run from a country that it serves, set network.proxy, or use another provider. It says: Request not allowed
    a page: the model's server answered with a web page: check model.base_url
    another thing: the model's server answered with JSON that is no reply: check model.base_url
    ");
}

#[test]
fn gemini() {
    insta::assert_snapshot!(met("gemini", &[
        ("wrong key", 400, r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#),
        ("unknown model", 404, r#"{"error":{"code":404,"message":"models/m-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.","status":"NOT_FOUND"}}"#),
        ("no quota", 429, r#"{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED"}}"#),
        ("too long", 400, r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#),
        ("filtered question", 200, r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#),
        ("filtered answer", 200, r#"{"candidates":[{"content":{"parts":[]},"finishReason":"SAFETY"}]}"#),
        ("blocked region", 400, r#"{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}"#),
        ("a page", 200, "<!doctype html><html><title>Sign in</title></html>"),
        ("another thing", 200, r#"{"status":"ok"}"#),
    ]), @r"
    wrong key: the model's server refused the key (400): check model.api_key and the variable it names, such as ${GEMINI_API_KEY}
    unknown model: the model's server knows no model m-9, or not this address (404): check model.model and model.base_url. It says: models/m-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.
    no quota: the model's server has too many requests of this account (429): try later or raise its quota. It says: You exceeded your current quota, please check your plan and billing details. (after 5 tries) (it asks to wait 1 s)
    too long: the chat is too long for the model (400): lower history.messages or max_result_bytes, offer fewer tools, or choose a model that takes more
    filtered question: the model's server blocked what the chat says by its content filter (SAFETY): reword the instructions, or start a new chat without the message that it blocks
    filtered answer: the model's reply was stopped by its provider's content filter: reword the instructions or the message, or use another model
    blocked region: the model's server does not serve the country that we call from (400): run from a country that it serves, set network.proxy, or use another provider. It says: User location is not supported for the API use.
    a page: the model's server answered with a web page: check model.base_url
    another thing: the model's server answered with JSON that is no reply: check model.base_url
    ");
}

#[test]
fn ollama() {
    insta::assert_snapshot!(met("ollama", &[
        ("wrong key", 401, r#"{"error":"unauthorized"}"#),
        ("unknown model", 404, r#"{"error":"model \"m-9\" not found, try pulling it first"}"#),
        ("no tools", 400, r#"{"error":"registry.ollama.ai/library/m-9:latest does not support tools"}"#),
        ("too long", 400, r#"{"error":"the input length exceeds the context length"}"#),
        ("a page", 200, "<!doctype html><html><title>Sign in</title></html>"),
        ("another thing", 200, r#"{"status":"ok"}"#),
    ]), @r"
    wrong key: Ollama does not know who calls (401): run `ollama signin` for a model of its cloud, or set model.api_key, such as ${OLLAMA_API_KEY}
    unknown model: Ollama has no model m-9 yet: run `ollama pull m-9`, or see `ollama list` for those it has
    no tools: the model m-9 cannot call tools: choose one that can, from https://ollama.com/search?c=tools
    too long: the chat is too long for the model (400): lower history.messages or max_result_bytes, offer fewer tools, or choose a model that takes more; or start Ollama with more room: `OLLAMA_CONTEXT_LENGTH=16384 ollama serve`
    a page: the model's server answered with a web page: check model.base_url
    another thing: the model's server answered with JSON that is no reply: check model.base_url
    ");
}

#[test]
fn a_refusal_in_words_is_what_the_person_reads() {
    let says = r#"{"choices":[{"message":{"content":null,"refusal":"I cannot help with that."},"finish_reason":"stop"}]}"#;
    let server = ModelServer::always(Answer::new(200, says));
    let folder = agent("openai", &server.address);
    insta::assert_snapshot!(folder.chat(&["how do I pick a lock?"]), @"I cannot help with that.");
}

#[test]
fn a_call_in_words_is_neither_shown_nor_run() {
    let markup = r#"{"choices":[{"message":{"content":"Voy. <tool_call>{\"name\": \"crear_pedido\", \"arguments\": {\"items\": []}}</tool_call>"},"finish_reason":"stop"}]}"#;
    let says = r#"{"choices":[{"message":{"content":"No pude."},"finish_reason":"stop"}]}"#;
    let server = ModelServer::start(vec![markup.to_owned(), says.to_owned()]);
    let bakery = TestEnvironment::modelled(&format!(
        "model: {{ provider: vllm, model: m, base_url: '{}' }}",
        server.address
    ));
    insta::assert_snapshot!(bakery.chat(&["un pedido"]), @"No pude.");
    let again = &server.seen()[1].body;
    assert!(again.contains("refused before it reached the tool"), "{again}");
    assert!(!bakery.event_types().contains(&"tool.started".to_owned()));
}

#[test]
fn a_server_in_trouble_is_asked_again_and_then_named() {
    let busy = r#"{"error":{"message":"Rate limit reached for requests","type":"requests","code":"rate_limit_exceeded"}}"#;
    for (status, body) in [(429, busy), (503, "upstream connect error")] {
        let answer = Answer::new(status, body).header("retry-after-ms: 1");
        let server = ModelServer::always(answer);
        let folder = agent("openai", &server.address);
        folder.chat(&["hi"]);
        let reasons = reasons(&folder);
        assert!(reasons[0].contains("try later"), "{reasons:?}");
        assert!(reasons[0].contains("after 5 tries"), "{reasons:?}");
        assert_eq!(server.seen().len(), 5);
    }
}

#[test]
fn a_server_that_is_down_is_named_in_every_dialect() {
    let gone = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}", listener.local_addr().unwrap())
    };
    let expected = [
        ("openai", "check model.base_url and that the server runs"),
        ("anthropic", "check model.base_url and that the server runs"),
        ("ollama", "start it with `ollama serve`"),
    ];
    for (provider, hint) in expected {
        let folder = agent(provider, &gone);
        folder.edit("agent.yaml", "timeout: 5s", "timeout: 1s");
        folder.chat(&["hi"]);
        let reasons = reasons(&folder);
        assert!(reasons[0].contains(hint), "{provider}: {reasons:?}");
    }
}

#[test]
fn a_certificate_that_nobody_signed_is_named_and_trusted_by_nobody() {
    let server = ModelServer::between();
    let folder = agent("openai", &server.address);
    folder.chat(&["hi"]);
    let reasons = reasons(&folder);
    let reason = regex::Regex::new(r"localhost:\d+").unwrap().replace_all(&reasons[0], "HOST");
    insta::assert_snapshot!(reason, @"the model cannot be reached: no safe connection to HOST: nobody known here vouches for its certificate; if a proxy or virus scanner opens TLS on this network, or the server has a certificate of its own making, add the issuing certificate to this machine's trusted ones or name its file in SSL_CERT_FILE; check model.base_url and the certificates");
}
