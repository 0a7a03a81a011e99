//! One message a line in; plain lines, or one JSON object a line, out.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use manos::chat::Doing;
use manos::engine::Surface;
use manos::model::{ChatKey, ConfirmationId, DeliveryId, Timestamp, TurnId};
use manos::ports::{Accepted, Channel, ChannelError, Output, OutputButton, OutputKind, Progress};
use manos::runtime::Runtime;
use manos::text::{QuestionForm, Say, Texts};
use serde_json::{Value, json};
use tokio::io::BufReader;

use super::signals::{Signals, shut_down};
use super::{Talk, begin, inbound, lines, open_runtime};
use crate::failure::Failure;
use crate::output;

/// Prints what goes out, one output after another.
#[derive(Debug)]
struct Printer {
    chat: ChatKey,
    json: bool,
    /// The questions that were printed by this process.
    printed: Mutex<Vec<ConfirmationId>>,
}

#[async_trait]
impl Channel for Printer {
    fn serves(&self, chat: &ChatKey) -> bool {
        *chat == self.chat
    }

    async fn send(&self, _chat: &ChatKey, sent: &Output) -> Result<Accepted, ChannelError> {
        if let OutputKind::Confirm { id, .. } = &sent.kind {
            self.printed.lock().unwrap_or_else(PoisonError::into_inner).push(id.clone());
        }
        if self.json {
            output::line(&object(sent).to_string());
        } else {
            match &sent.kind {
                OutputKind::Confirm { text, .. } | OutputKind::Reply { text } => {
                    output::line(text);
                }
                OutputKind::Edit { .. } => {}
            }
        }
        Ok(Accepted)
    }

    fn progress(&self, _chat: &ChatKey, _progress: Progress) {}
}

/// An output as the object that other channels of ours send too.
fn object(sent: &Output) -> Value {
    let turn_id = sent.turn_id.as_ref().map(TurnId::as_str);
    match &sent.kind {
        OutputKind::Confirm { id, tool, title, text, buttons, expires_at } => {
            let buttons: Vec<Value> = buttons
                .iter()
                .map(|button| json!({"answer": button.answer, "label": button.label}))
                .collect();
            json!({
                "type": "confirm", "id": id.as_str(), "turn_id": turn_id, "tool": tool,
                "title": title, "text": text, "buttons": buttons,
                "expires_at": expires_at.to_string(),
            })
        }
        OutputKind::Edit { id, text } => json!({"type": "edit", "id": id.as_str(), "text": text}),
        OutputKind::Reply { text } => json!({"type": "reply", "turn_id": turn_id, "text": text}),
    }
}

pub(crate) async fn run(talk: Talk, json: bool) -> Result<ExitCode, Failure> {
    let printer = Arc::new(Printer { chat: talk.chat.clone(), json, printed: Mutex::default() });
    let channel = Arc::clone(&printer) as Arc<dyn Channel>;
    let dry_run = talk.dry_run.clone();
    let runtime = open_runtime(&talk.file, channel, talk.answers_too, dry_run)?;
    let mut signals = Signals::listen()?;
    begin(&runtime, &talk.file).await?;
    let (result, code) = tokio::select! {
        result = converse(&talk, &runtime, &printer) => (result, ExitCode::SUCCESS),
        asked = signals.next() => (Ok(()), asked.exit_code()),
    };
    shut_down(&runtime, talk.file.agent.limits.shutdown_grace, &mut signals).await;
    result.map(|()| code)
}

async fn converse(talk: &Talk, runtime: &Runtime, printer: &Printer) -> Result<(), Failure> {
    let surface =
        Surface { buttons: printer.json, edits: printer.json, repeats: true, voice: false };
    let mut doing = runtime.settled(&talk.chat).await;
    print_open_question(&doing, printer, runtime);
    let mut input = BufReader::new(tokio::io::stdin());
    loop {
        let line = lines::next(&mut input)
            .await
            .map_err(|error| Failure::failed(format!("the input cannot be read: {error}")))?;
        let Some(line) = line else { break };
        if line.trim().is_empty() {
            continue;
        }
        match inbound(&line, &talk.user, surface) {
            Ok(inbound) => {
                runtime.deliver(&talk.chat, inbound).await?;
            }
            Err(failure) => output::failure(&failure),
        }
        doing = runtime.settled(&talk.chat).await;
    }
    tell_open_question(&doing, runtime);
    Ok(())
}

/// A question that an earlier process printed is printed again: the next line answers it.
fn print_open_question(doing: &Doing, printer: &Printer, runtime: &Runtime) {
    let Doing::Waiting { id, turn_id, tool, text, deadline, .. } = doing else { return };
    let printed = printer.printed.lock().unwrap_or_else(PoisonError::into_inner).contains(id);
    if printed {
        return;
    }
    let agent = &runtime.spec().agent;
    let title = title_of(tool, runtime);
    let drawn = printer.json && agent.confirm.buttons;
    let text = asked_in(drawn, text, &title, &agent.texts);
    if !printer.json {
        output::line(&text);
        return;
    }
    let labels = [("yes", Say::ButtonYes), ("no", Say::ButtonNo)];
    let buttons =
        labels.map(|(answer, label)| OutputButton { answer, label: agent.texts.say(&label) });
    let again = Output {
        delivery_id: DeliveryId::new(id.as_str()),
        turn_id: Some(turn_id.clone()),
        kind: OutputKind::Confirm {
            id: id.clone(),
            tool: tool.clone(),
            title,
            text,
            buttons: if agent.confirm.buttons { buttons.to_vec() } else { Vec::new() },
            expires_at: *deadline,
        },
    };
    output::line(&object(&again).to_string());
}

/// A question as it is asked here, with buttons or in writing, whatever form it first had. One
/// without our last line says itself how it is answered.
fn asked_in(drawn: bool, text: &str, title: &str, texts: &Texts) -> String {
    let forms = [QuestionForm::Buttons, QuestionForm::Menu, QuestionForm::Written];
    let tails = forms.map(|form| texts.ask(form, title));
    let head = tails.iter().find_map(|tail| text.strip_suffix(tail.as_str()));
    let form = if drawn { QuestionForm::Buttons } else { QuestionForm::Written };
    head.map_or_else(|| text.to_owned(), |head| format!("{head}{}", texts.ask(form, title)))
}

pub(super) fn title_of(tool: &str, runtime: &Runtime) -> String {
    runtime.spec().agent.tool(tool).map_or(tool, |tool| tool.title.as_str()).to_owned()
}

/// A question that is open at the end of input stays in the store; says until when.
fn tell_open_question(doing: &Doing, runtime: &Runtime) {
    if let Doing::Waiting { tool, deadline, .. } = doing {
        tell_open(&title_of(tool, runtime), *deadline, runtime);
    }
}

/// Says until when a question stays open that is left behind.
pub(super) fn tell_open(title: &str, deadline: Timestamp, runtime: &Runtime) {
    let agent = &runtime.spec().agent;
    let until = deadline.to_zoned(agent.formats.time_zone().clone());
    let time = until.strftime("%Y-%m-%d %H:%M:%S %Z").to_string();
    output::note(&agent.texts.say(&Say::ConfirmOpenUntil { time: &time, title }));
}
