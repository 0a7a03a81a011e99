//! What comes out of the chat, put on the screen.

use manos::model::{ConfirmationId, Timestamp};
use manos::ports::{Output, OutputKind, Progress};
use manos::text::{Say, safe_text};

use super::channel::Shown;
use super::{Question, State, Talking};
use crate::terminal::keys::Letters;
use crate::terminal::screen::Block;

impl Talking<'_> {
    /// Shows one thing; whoever is writing is called off first and goes on below it.
    pub(super) async fn show(&mut self, shown: Shown) {
        match shown {
            Shown::Progress(progress) => {
                if self.state == State::Busy {
                    self.progress(progress);
                }
            }
            Shown::Aside(line) => {
                self.call_off().await;
                self.screen.aside(&line);
            }
            Shown::Output(output, done) => {
                self.call_off().await;
                let asks = matches!(output.kind, OutputKind::Confirm { .. });
                self.output(*output);
                if asks && !self.leaving {
                    // From now on keys are meant for it.
                    self.screen.rest();
                    self.read_answer();
                }
                // Nobody may be waiting for it.
                let _gone = done.send(());
            }
        }
    }

    fn progress(&mut self, progress: Progress) {
        match progress {
            Progress::Text(piece) => self.screen.stream(&piece),
            Progress::TextEnded => self.screen.stream_ended(),
            Progress::Thinking => self.screen.think(),
            Progress::ToolStarted(title) => {
                let working = Say::Working { title: &safe_text(&title) };
                self.screen.work(&self.runtime.spec().agent.texts.say(&working));
            }
            Progress::ToolEnded => self.screen.work_ended(),
        }
    }

    fn output(&mut self, output: Output) {
        match output.kind {
            OutputKind::Reply { text } => self.screen.reply(&text),
            OutputKind::Confirm { id, title, text, buttons, expires_at, .. } => {
                let label = |answer: &str| {
                    let button = buttons.iter().find(|button| button.answer == answer)?;
                    Some(button.label.clone())
                };
                let labels = label("yes").zip(label("no")).map(<[String; 2]>::from);
                self.ask(id, title, text, labels, expires_at);
            }
            OutputKind::Edit { id, text } => {
                let asked = self.question.take_if(|question| question.id == id);
                let choice = asked.and_then(|question| {
                    text.strip_prefix(&question.text).map(|rest| rest.trim_start().to_owned())
                });
                self.screen.aside(choice.as_deref().unwrap_or(&text));
            }
        }
    }

    pub(super) fn ask(
        &mut self,
        id: ConfirmationId,
        title: String,
        text: String,
        labels: Option<[String; 2]>,
        deadline: Timestamp,
    ) {
        let formats = &self.runtime.spec().agent.formats;
        let until = formats.clock_of(&deadline.to_zoned(formats.time_zone().clone()));
        let labels = labels.map(|labels| labels.map(|label| safe_text(&label).into_owned()));
        let letters = labels.as_ref().map(|[yes, no]| Letters::of(yes, no));
        let with_labels = labels.as_ref().map(|[yes, no]| [yes.as_str(), no.as_str()]);
        let letters_shown = letters.zip(with_labels);
        let block = Block { title: &title, text: &text, letters: letters_shown, until: &until };
        self.screen.question(&block);
        self.question = Some(Question { id, title, text, letters, deadline, answered: false });
    }
}
