//! What the trail shows of a model request.

use serde_json::{Value, json};

use manos_model::{StepMessage, ToolResult};

use super::Turn;
use super::ask::is_hidden;
use crate::{Step, bounded_result};

/// A message in the trail is cut to this many bytes; results stand there whole with their run.
const SHOWN_BYTES_MAX: usize = 2 * 1024;

impl Turn {
    /// The messages that came after the model's last reply: what this request adds.
    pub(super) fn new_messages(&self, step: &Step<'_>) -> Vec<Value> {
        let replied =
            self.messages.iter().rposition(|m| matches!(m, StepMessage::Assistant { .. }));
        let first = replied.map_or(0, |at| at + 1);
        self.messages[first..].iter().map(|message| self.shown_message(message, step)).collect()
    }

    fn shown_message(&self, message: &StepMessage, step: &Step<'_>) -> Value {
        let cut =
            |text: &str| bounded_result(Value::from(text), SHOWN_BYTES_MAX, &step.agent.texts);
        match message {
            StepMessage::Assistant { text, .. } => json!({"assistant": cut(text)}),
            StepMessage::Note(text) => json!({"note": cut(text)}),
            StepMessage::Result(result) => self.shown_result(result, step),
            StepMessage::User(text) => json!({"user": cut(text)}),
        }
    }

    /// The result of a call; of a redacted tool only that there is one.
    fn shown_result(&self, result: &ToolResult, step: &Step<'_>) -> Value {
        let name = self.messages.iter().rev().find_map(|message| match message {
            StepMessage::Assistant { calls, .. } => {
                calls.iter().find(|call| call.id == result.call_id).map(|call| call.name.as_str())
            }
            StepMessage::Note(_) | StepMessage::Result(_) | StepMessage::User(_) => None,
        });
        let tool = name.and_then(|name| step.agent.tool(name));
        let call_id = result.call_id.as_str();
        if tool.is_some_and(|tool| is_hidden(tool, step)) {
            return json!({"call_id": call_id, "failed": result.failed});
        }
        let content = bounded_result(result.content.clone(), SHOWN_BYTES_MAX, &step.agent.texts);
        json!({"call_id": call_id, "failed": result.failed, "result": content})
    }
}
