//! A person at a terminal: what is typed goes to the chat, what comes out goes to the screen.
//!
//! The talk is either busy, or it waits for a line, or for an answer. Whatever is to be printed
//! while the person writes calls the line off, prints, and lets the person go on.

mod channel;
mod leave;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use manos::WouldRun;
use manos::chat::{Doing, Inbound, InboundBody};
use manos::engine::Surface;
use manos::model::{ConfirmationId, Timestamp};
use manos::ports::{Channel, Clock as _, Output, OutputKind, Progress};
use manos::runtime::{Runtime, SystemClock};
use manos::text::{Choice, Say, safe_text};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

use self::channel::{Shown, TerminalChannel};
use self::leave::Signals;
use super::keyboard::{Heard, Keyboard, Order, What};
use super::keys::Letters;
use super::piped::title_of;
use super::screen::{Block, Screen};
use super::{Talk, inbound, open_runtime};
use crate::failure::Failure;
use crate::output;

/// How often live rows are drawn anew.
const FRAME: Duration = Duration::from_millis(80);

/// A second Ctrl-C within this time leaves.
const TWICE: Duration = Duration::from_secs(2);

/// How long after its deadline a question is looked at again; the chat has ended it by then.
const AFTER_DEADLINE: Duration = Duration::from_millis(500);

/// How long a line that is called off may take to end.
const CALL_OFF_WAIT: Duration = Duration::from_secs(3);

const SURFACE: Surface = Surface { buttons: true, edits: true, repeats: true, voice: false };

/// What is known before anything is written.
const HELP: &str = "Ctrl-C stops what is going on, Ctrl-D leaves, /help says what can be written";

pub(crate) async fn run(mut talk: Talk) -> Result<ExitCode, Failure> {
    let (channel, shown) = TerminalChannel::new(talk.chat.clone());
    if talk.dry_run.is_some() {
        let channel = channel.clone();
        let would_run: WouldRun = Arc::new(move |tool: &str, arguments: &str| {
            channel.aside(format!("would run {tool} {arguments}"));
        });
        talk.dry_run = Some(would_run);
    }
    let channel = Arc::new(channel) as Arc<dyn Channel>;
    let dry_run = talk.dry_run.clone();
    let runtime = open_runtime(&talk.file, channel, talk.answers_too, dry_run)?;
    let mut signals = Signals::listen()
        .map_err(|error| Failure::failed(format!("signals cannot be listened to: {error}")))?;
    let keyboard = Keyboard::start(runtime.spec().agent.name.as_str())
        .map_err(|error| Failure::failed(format!("the keyboard cannot be read: {error}")))?;
    let mut talking = Talking {
        talk: &talk,
        runtime: &runtime,
        keyboard,
        screen: Screen::stdout(),
        shown,
        state: State::Busy,
        settled: None,
        heard: VecDeque::new(),
        later: VecDeque::new(),
        interrupted_at: None,
        question: None,
    };
    talking.screen.aside(HELP);
    let result = match runtime.resume().await {
        Ok(_) => talking.talk(&mut signals).await,
        Err(error) => Err(error.into()),
    };
    talking.leave(&mut signals).await;
    result.map(|()| ExitCode::SUCCESS)
}

/// What the talk waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// An answer, until the question is looked at again.
    Answer { order: u64, until: Instant },
    /// The chat.
    Busy,
    /// A line.
    Line { order: u64 },
}

/// The question on the screen.
#[derive(Debug)]
struct Question {
    id: ConfirmationId,
    title: String,
    text: String,
    letters: Option<Letters>,
    deadline: Timestamp,
    /// Whether something was said to it.
    answered: bool,
}

struct Talking<'a> {
    talk: &'a Talk,
    runtime: &'a Runtime,
    keyboard: Keyboard,
    screen: Screen,
    shown: mpsc::Receiver<Shown>,
    state: State,
    /// Ends when the chat does nothing, or asks.
    settled: Option<Pin<Box<dyn Future<Output = Doing> + Send>>>,
    /// Heard while something was printed.
    heard: VecDeque<Heard>,
    /// Lines that wait until a question is answered.
    later: VecDeque<String>,
    interrupted_at: Option<Instant>,
    question: Option<Question>,
}

type Flow = Result<ControlFlow<()>, Failure>;

impl Talking<'_> {
    async fn talk(&mut self, signals: &mut Signals) -> Result<(), Failure> {
        let mut frames = tokio::time::interval(FRAME);
        frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
        self.wait_for_chat();
        loop {
            if let Some(heard) = self.heard.pop_front() {
                if self.hear(heard).await?.is_break() {
                    return Ok(());
                }
                continue;
            }
            let until = match self.state {
                State::Answer { until, .. } => Some(until),
                State::Busy | State::Line { .. } => None,
            };
            tokio::select! {
                Some(shown) = self.shown.recv() => self.show(shown).await,
                heard = self.keyboard.hear() => self.heard.push_back(heard),
                doing = ready(&mut self.settled) => self.settle(doing),
                () = passed(until) => self.call_off().await,
                _ = frames.tick(), if self.state == State::Busy => self.screen.tick(),
                interrupt = signals.next() => {
                    if !interrupt || self.interrupt().await?.is_break() {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn wait_for_chat(&mut self) {
        let (runtime, chat) = (self.runtime.clone(), self.talk.chat.clone());
        self.settled = Some(Box::pin(async move { runtime.settled(&chat).await }));
        self.state = State::Busy;
    }

    /// The chat does nothing, or asks.
    fn settle(&mut self, doing: Doing) {
        self.settled = None;
        self.screen.rest();
        match doing {
            Doing::Busy => self.wait_for_chat(),
            Doing::Idle => {
                if self.question.take().is_some_and(|question| !question.answered) {
                    // It was asked by a process that could not be told how it ends.
                    let expired = self.runtime.spec().agent.texts.choice(Choice::Expired);
                    self.screen.aside(&expired);
                }
                if let Some(line) = self.later.pop_front() {
                    self.heard.push_back(Heard { order: None, what: What::Line(line) });
                } else {
                    self.state = State::Line { order: self.keyboard.order(Order::Line) };
                }
            }
            Doing::Waiting { id, tool, text, deadline, .. } => {
                if self.question.as_ref().is_none_or(|question| question.id != id) {
                    let agent = &self.runtime.spec().agent;
                    let labels = agent.confirm.buttons.then(|| {
                        [Say::ButtonYes, Say::ButtonNo].map(|label| agent.texts.say(&label))
                    });
                    let title = title_of(&tool, self.runtime);
                    self.ask(id.clone(), title, text, labels, deadline);
                }
                let letters = self.question.as_mut().and_then(|question| {
                    question.answered = false;
                    question.letters
                });
                let question = id.as_str().to_owned();
                let order = self.keyboard.order(Order::Answer { question, letters });
                let until = Instant::now() + time_to(deadline) + AFTER_DEADLINE;
                self.state = State::Answer { order, until };
            }
        }
    }

    /// Calls off what the person is writing; what was heard instead is dealt with later.
    async fn call_off(&mut self) {
        let (State::Line { order } | State::Answer { order, .. }) = self.state else { return };
        self.keyboard.call_off();
        loop {
            let hearing = tokio::time::timeout(CALL_OFF_WAIT, self.keyboard.hear()).await;
            // The thread of a terminal that has gone away may hang.
            let Ok(heard) = hearing else { break };
            let is_end = heard.order == Some(order) || matches!(heard.what, What::Broken(_));
            if heard.what != What::Off {
                self.heard.push_back(heard);
            }
            if is_end {
                break;
            }
        }
        self.wait_for_chat();
    }

    async fn show(&mut self, shown: Shown) {
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
                self.output(*output);
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

    fn ask(
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

    async fn hear(&mut self, heard: Heard) -> Flow {
        let ended = match self.state {
            State::Line { order } | State::Answer { order, .. } => heard.order == Some(order),
            State::Busy => false,
        };
        let was = self.state;
        if ended {
            self.wait_for_chat();
        }
        match heard.what {
            What::Broken(why) => {
                return Err(Failure::failed(format!("the keyboard cannot be read: {why}")));
            }
            What::End => return Ok(ControlFlow::Break(())),
            // With nothing going on and nothing written there is nothing to stop.
            What::Interrupt if ended && matches!(was, State::Line { .. }) => {
                return Ok(ControlFlow::Break(()));
            }
            What::Interrupt => return self.interrupt().await,
            What::Off => {}
            // It was written before this question stood on the screen.
            What::Line(line) if self.question.is_some() => self.later.push_back(line),
            What::Line(line) => self.say(&line).await,
            What::Press { question, yes } => {
                // Of a question that has ended meanwhile the chat knows that it has.
                let id = ConfirmationId::new(question.as_str());
                self.deliver(self.inbound_of(InboundBody::Press { id, yes })).await;
            }
            What::Words { question, words } => match &self.question {
                // Another one stands there now, which these words do not answer.
                Some(asked) if asked.id.as_str() != question => {}
                Some(_) | None => self.say(&words).await,
            },
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Ctrl-C: the first stops the turn, a second one soon after leaves.
    async fn interrupt(&mut self) -> Flow {
        let now = Instant::now();
        if self.interrupted_at.is_some_and(|at| now - at < TWICE) {
            return Ok(ControlFlow::Break(()));
        }
        self.interrupted_at = Some(now);
        self.call_off().await;
        self.screen.rest();
        if self.question.is_none() {
            // A question says itself how it ended.
            let cancelled = self.runtime.spec().agent.texts.choice(Choice::Cancelled);
            self.screen.aside(&cancelled);
        }
        self.deliver(self.inbound_of(InboundBody::Cancel)).await;
        Ok(ControlFlow::Continue(()))
    }

    async fn say(&mut self, line: &str) {
        match inbound(line, &self.talk.user, SURFACE) {
            Ok(inbound) => self.deliver(inbound).await,
            Err(failure) => self.screen.aside(&failure.sentence),
        }
    }

    fn inbound_of(&self, body: InboundBody) -> Inbound {
        Inbound { message_id: None, user: self.talk.user.clone(), surface: SURFACE, body }
    }

    /// Hands something to the chat, while outputs that are on their way are shown. What it refuses
    /// is said, and the talk goes on.
    async fn deliver(&mut self, inbound: Inbound) {
        if let Some(question) = &mut self.question {
            question.answered = true;
        }
        let runtime = self.runtime;
        let delivering = runtime.deliver(&self.talk.chat, inbound);
        tokio::pin!(delivering);
        loop {
            tokio::select! {
                taken = &mut delivering => {
                    if let Err(error) = taken {
                        self.screen.erase();
                        output::failure(&error.into());
                    }
                    self.wait_for_chat();
                    return;
                }
                Some(shown) = self.shown.recv() => self.show(shown).await,
            }
        }
    }
}

/// Waits for a future that may not be there.
async fn ready(settled: &mut Option<Pin<Box<dyn Future<Output = Doing> + Send>>>) -> Doing {
    match settled {
        Some(settled) => settled.await,
        None => std::future::pending().await,
    }
}

async fn passed(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until).await,
        None => std::future::pending().await,
    }
}

/// How long it is until then; nothing when it has passed.
fn time_to(deadline: Timestamp) -> Duration {
    let millis = deadline.as_millisecond() - SystemClock.now().as_millisecond();
    Duration::from_millis(u64::try_from(millis).unwrap_or(0))
}
