//! The floor: the two requests, typed, and one check against a compiled schema. Nothing else.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::workload::{self, MESSAGE, PERSONA, Replies, Workload};

/// The client that the floor uses.
pub(crate) fn client() -> anyhow::Result<reqwest::Client> {
    // The second time it is there already.
    let _installed = rustls::crypto::ring::default_provider().install_default();
    Ok(reqwest::Client::builder()
        .no_proxy()
        .connect_timeout(Duration::from_secs(5))
        .redirect(reqwest::redirect::Policy::none())
        .build()?)
}

/// A bare loop over one model.
pub(crate) struct Floor {
    client: reqwest::Client,
    url: String,
    tools: Vec<Tool>,
    validator: jsonschema::Validator,
    stream: bool,
    history_max: usize,
    chats: Vec<tokio::sync::Mutex<VecDeque<Message>>>,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    messages: &'a [&'a Message],
    tools: &'a [Tool],
    stream: bool,
}

#[derive(Serialize)]
struct Tool {
    r#type: &'static str,
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: String,
    description: &'static str,
    parameters: Value,
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct Message {
    role: String,
    content: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Call>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Call {
    id: String,
    r#type: String,
    function: CallFunction,
}

#[derive(Clone, Serialize, Deserialize)]
struct CallFunction {
    name: String,
    arguments: String,
}

#[derive(Deserialize)]
struct Reply {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
}

#[derive(Deserialize)]
struct Chunk {
    choices: Vec<ChunkChoice>,
}

#[derive(Deserialize)]
struct ChunkChoice {
    delta: Delta,
}

#[derive(Default, Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<DeltaCall>,
}

#[derive(Deserialize)]
struct DeltaCall {
    #[serde(default)]
    id: Option<String>,
    function: DeltaFunction,
}

#[derive(Deserialize)]
struct DeltaFunction {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: String,
}

impl Message {
    fn said(role: &str, text: impl Into<String>) -> Self {
        Self { role: role.to_owned(), content: Some(text.into()), ..Self::default() }
    }
}

impl Floor {
    /// Prepares what does not change between turns.
    pub(crate) fn new(
        workload: &Workload,
        base_url: &str,
        chats: usize,
    ) -> anyhow::Result<Arc<Self>> {
        let tools = workload::tools(workload.tools).into_iter().map(|tool| Tool {
            r#type: "function",
            function: Function {
                name: tool.name,
                description: tool.description,
                parameters: tool.parameters,
            },
        });
        Ok(Arc::new(Self {
            client: client()?,
            url: format!("{base_url}/{}/chat/completions", workload.replies.path()),
            tools: tools.collect(),
            validator: jsonschema::validator_for(&workload::schema())?,
            stream: workload.replies == Replies::Stream,
            history_max: workload.history,
            chats: (0..chats).map(|_| tokio::sync::Mutex::default()).collect(),
        }))
    }

    /// One turn of one chat.
    pub(crate) async fn turn(&self, chat: usize) -> anyhow::Result<String> {
        let mut history = self.chats[chat].lock().await;
        let system = Message::said("system", PERSONA);
        let user = Message::said("user", MESSAGE);
        let mut messages: Vec<&Message> = vec![&system];
        messages.extend(history.iter());
        messages.push(&user);
        let asked = self.reply(&messages).await?;
        let call = asked.tool_calls.first().context("the model called no tool")?;
        let arguments: Value = serde_json::from_str(&call.function.arguments)?;
        anyhow::ensure!(self.validator.is_valid(&arguments), "the arguments are not valid");
        let result = Message {
            tool_call_id: Some(call.id.clone()),
            ..Message::said("tool", workload::result().to_string())
        };
        messages.extend([&asked, &result]);
        let answered = self.reply(&messages).await?;
        let answer = answered.content.context("the model said nothing")?;
        history.extend([user, Message::said("assistant", answer.as_str())]);
        while history.len() > self.history_max {
            history.pop_front();
        }
        Ok(answer)
    }

    async fn reply(&self, messages: &[&Message]) -> anyhow::Result<Message> {
        let Self { tools, stream, .. } = self;
        let body =
            serde_json::to_vec(&Request { model: "bench", messages, tools, stream: *stream })?;
        let request = self.client.post(&self.url).header("content-type", "application/json");
        let mut response = request.body(body).send().await?.error_for_status()?;
        if !self.stream {
            let mut reply: Reply = serde_json::from_slice(&response.bytes().await?)?;
            anyhow::ensure!(!reply.choices.is_empty(), "the reply is empty");
            return Ok(reply.choices.swap_remove(0).message);
        }
        let mut message = Message::said("assistant", "");
        let mut buffer = Vec::new();
        while let Some(bytes) = response.chunk().await? {
            buffer.extend_from_slice(&bytes);
            while let Some(end) = buffer.windows(2).position(|two| two == b"\n\n") {
                message.take(&buffer[..end])?;
                buffer.drain(..end + 2);
            }
        }
        Ok(message)
    }
}

impl Message {
    fn take(&mut self, event: &[u8]) -> anyhow::Result<()> {
        let data = event.strip_prefix(b"data: ").unwrap_or_default();
        if data == b"[DONE]" || data.is_empty() {
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_slice(data)?;
        for choice in chunk.choices {
            if let (Some(piece), Some(content)) = (choice.delta.content, &mut self.content) {
                content.push_str(&piece);
            }
            for piece in choice.delta.tool_calls {
                if let Some(id) = piece.id {
                    let name = piece.function.name.clone().unwrap_or_default();
                    let function = CallFunction { name, arguments: String::new() };
                    self.tool_calls.push(Call { id, r#type: "function".to_owned(), function });
                }
                if let Some(call) = self.tool_calls.last_mut() {
                    call.function.arguments.push_str(&piece.function.arguments);
                }
            }
        }
        Ok(())
    }
}

/// Makes turns in several chats at once, and waits for all of them.
pub(crate) async fn make_turns(
    floor: &Arc<Floor>,
    at_once: usize,
    turns: usize,
) -> anyhow::Result<()> {
    let mut tasks = JoinSet::new();
    for first in 0..at_once {
        let floor = Arc::clone(floor);
        tasks.spawn(async move {
            let mut chat = first;
            for _ in 0..turns / at_once {
                let answer = floor.turn(chat).await?;
                anyhow::ensure!(answer == workload::ANSWER, "another answer: {answer}");
                chat = (chat + at_once) % floor.chats.len();
            }
            Ok(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    Ok(())
}
