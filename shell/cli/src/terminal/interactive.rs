//! A person at a terminal: what is typed goes to the chat, what comes out goes to the screen.
//!
//! The talk is either busy, or it waits for a line, or for an answer. Whatever is to be printed
//! while the person writes calls the line off, prints, and lets the person go on.

mod channel;
mod leave;
mod show;

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
use manos::ports::{Channel, Clock as _};
use manos::runtime::{Runtime, SystemClock};
use manos::text::{Choice, Say};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior};

use self::channel::{Shown, TerminalChannel};
use super::keyboard::{Heard, Keyboard, Order, What};
use super::keys::Letters;
use super::piped::title_of;
use super::screen::Screen;
use super::{Talk, begin, inbound, open_runtime};
use crate::failure::Failure;
use crate::output;
use crate::terminal::signals::{Asked, Signals};

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
    let mut signals = Signals::listen()?;
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
        leaving: false,
    };
    talking.screen.aside(HELP);
    let result = match begin(&runtime, &talk.file).await {
        Ok(()) => talking.talk(&mut signals).await,
        Err(failure) => Err(failure),
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
    /// Whether nothing is read any more.
    leaving: bool,
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
                doing = ready(&mut self.settled) => self.settle(doing).await,
                () = passed(until) => self.call_off().await,
                _ = frames.tick(), if self.state == State::Busy => self.screen.tick(),
                asked = signals.next() => {
                    if asked != Asked::Interrupt || self.interrupt().await?.is_break() {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn wait_for_chat(&mut self) {
        let (runtime, chat) = (self.runtime.clone(), self.talk.chat.clone());
        self.settled = Some(Box::pin(async move { runtime.settled(&chat).await }));
    }

    /// The chat does nothing, or asks.
    async fn settle(&mut self, doing: Doing) {
        self.settled = None;
        self.screen.rest();
        match doing {
            Doing::Busy => {
                self.call_off().await;
                self.wait_for_chat();
            }
            Doing::Idle => {
                self.call_off().await;
                self.settled = None;
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
                    self.call_off().await;
                    self.settled = None;
                    self.ask(id.clone(), title, text, labels, deadline);
                }
                if let Some(asked) = &mut self.question {
                    // It runs from when the question was shown.
                    asked.deadline = deadline;
                }
                self.read_answer();
            }
        }
    }

    /// Reads the answer to the question on the screen; goes on when it is read already.
    fn read_answer(&mut self) {
        let Some(asked) = &mut self.question else { return };
        let until = Instant::now() + time_to(asked.deadline) + AFTER_DEADLINE;
        if let State::Answer { order, .. } = self.state {
            self.state = State::Answer { order, until };
            return;
        }
        asked.answered = false;
        let question = asked.id.as_str().to_owned();
        let order = self.keyboard.order(Order::Answer { question, letters: asked.letters });
        self.state = State::Answer { order, until };
    }

    /// Waits until the chat knows that its question stands on the screen: words that come before
    /// that are no answer.
    async fn wait_until_shown(&mut self) {
        loop {
            tokio::select! {
                _ = ready(&mut self.settled) => break,
                Some(shown) = self.shown.recv() => self.show(shown).await,
            }
        }
        self.settled = None;
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
        self.state = State::Busy;
        self.wait_for_chat();
    }

    async fn hear(&mut self, heard: Heard) -> Flow {
        let ended = match self.state {
            State::Line { order } | State::Answer { order, .. } => heard.order == Some(order),
            State::Busy => false,
        };
        let was = self.state;
        if ended {
            self.state = State::Busy;
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
            What::Words { question, words } => {
                self.wait_until_shown().await;
                // Where another question stands by now, these words do not answer it.
                let of_this = |asked: &Question| asked.id.as_str() == question;
                if self.question.as_ref().is_none_or(of_this) {
                    self.say(&words).await;
                } else {
                    self.wait_for_chat();
                }
            }
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
