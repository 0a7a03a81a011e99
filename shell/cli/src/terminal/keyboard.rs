//! The keyboard: a thread of its own that reads keys all the time, and lines and answers when told.
//!
//! While nobody asks for a line, what is typed is kept for the next one, and Ctrl-C is heard. What
//! was typed before a question stood on the screen is never its answer: it waits for the next line,
//! and the answer is read once the keyboard has been quiet. A letter answers when it stays alone;
//! followed by another it begins words. Enter alone answers nothing.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc as blocking;
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event;
use tokio::sync::mpsc;

use super::editor::{Edited, Editor, POLL, PROMPT};
use super::keys::{Ahead, Key, Letters, key};
use super::screen::{Ability, window};
use super::wrap::wrap;
use super::{plain, raw};
use crate::output;

/// A letter that stays alone for this time is an answer.
const ALONE: Duration = Duration::from_millis(600);

/// A person who was typing when a question came has stopped after this time without a key.
const QUIET: Duration = Duration::from_millis(600);

/// Things heard that wait to be dealt with; the thread waits when there are more.
const HEARD_MAX: usize = 64;

/// How long the thread may take to end.
const END_WAIT: Duration = Duration::from_millis(500);

/// What the keyboard is told to read.
#[derive(Debug)]
pub(crate) enum Order {
    /// An answer to this question, by a letter where it has them, or by words.
    Answer { question: String, letters: Option<Letters> },
    /// A line.
    Line,
}

/// What was heard.
#[derive(Debug)]
pub(crate) struct Heard {
    /// The order that ended with it.
    pub(crate) order: Option<u64>,
    pub(crate) what: What,
}

/// What a person did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// The keyboard cannot be read.
    Broken(String),
    /// Ctrl-D, with nothing written.
    End,
    /// Ctrl-C, with nothing written.
    Interrupt,
    /// A line that answers nothing.
    Line(String),
    /// Nothing: the order was called off.
    Off,
    /// A letter under this question; whether it was the one for yes.
    Press { question: String, yes: bool },
    /// Words under this question.
    Words { question: String, words: String },
}

/// The keyboard. Dropping it ends its thread and gives the terminal back as it was.
#[derive(Debug)]
pub(crate) struct Keyboard {
    orders: Option<blocking::Sender<(u64, Order)>>,
    heard: mpsc::Receiver<Heard>,
    off: Arc<AtomicBool>,
    ended: blocking::Receiver<()>,
    number: u64,
}

impl Keyboard {
    /// Starts to read keys.
    pub(crate) fn start(agent: &str) -> io::Result<Self> {
        let ability = Ability::of_environment();
        let off = Arc::new(AtomicBool::new(false));
        let (orders, taken) = blocking::channel();
        let (sender, heard) = mpsc::channel(HEARD_MAX);
        let (alive, ended) = blocking::channel();
        let ears = Ears {
            orders: taken,
            heard: sender,
            off: Arc::clone(&off),
            ability,
            editor: ability.moves.then(|| Editor::new(agent, Arc::clone(&off), ability.lively)),
            ahead: Ahead::default(),
            typed_at: None,
            left: None,
        };
        thread::Builder::new().name("keyboard".to_owned()).spawn(move || {
            let _alive = alive;
            ears.run();
        })?;
        Ok(Self { orders: Some(orders), heard, off, ended, number: 0 })
    }

    /// Starts to read a line or an answer; returns the number that its end is heard with.
    pub(crate) fn order(&mut self, order: Order) -> u64 {
        self.number += 1;
        self.off.store(false, Ordering::Relaxed);
        if let Some(orders) = &self.orders {
            // A thread that has ended has said why.
            let _ended = orders.send((self.number, order));
        }
        self.number
    }

    /// Calls the order off; its end is heard all the same.
    pub(crate) fn call_off(&self) {
        self.off.store(true, Ordering::Relaxed);
    }

    /// Waits for the next thing. Cancel safe.
    pub(crate) async fn hear(&mut self) -> Heard {
        let gone = || Heard { order: None, what: What::Broken("it is not read any more".into()) };
        self.heard.recv().await.unwrap_or_else(gone)
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.orders = None;
        self.heard.close();
        self.call_off();
        // It ends by dropping its end; one that does not is given up with the process.
        let _ended = self.ended.recv_timeout(END_WAIT);
        raw::leave();
    }
}

/// The thread's side.
struct Ears {
    orders: blocking::Receiver<(u64, Order)>,
    heard: mpsc::Sender<Heard>,
    off: Arc<AtomicBool>,
    ability: Ability,
    /// None where the cursor cannot be moved.
    editor: Option<Editor>,
    ahead: Ahead,
    /// When a key was last typed ahead.
    typed_at: Option<Instant>,
    /// An answer that was being written when its order was called off, with its question.
    left: Option<(String, String)>,
}

/// How the answering of a question begins.
enum First {
    /// It is a letter alone; whether the one for yes.
    Letter(bool),
    /// There is no answer.
    Over(What),
    /// Words, of which these are the first.
    Words(String),
}

impl Ears {
    fn run(mut self) {
        if let Err(error) = self.listen() {
            self.say(None, What::Broken(error.to_string()));
        }
        raw::leave();
    }

    fn listen(&mut self) -> io::Result<()> {
        loop {
            raw::enter(self.ability)?;
            let Some((number, order)) = self.next_order()? else { return Ok(()) };
            let what = match order {
                Order::Answer { question, letters } => self.answer(question, letters)?,
                Order::Line => self.line()?,
            };
            self.say(Some(number), what);
        }
    }

    fn say(&self, order: Option<u64>, what: What) {
        // Nobody listens any more when the talk is over.
        let _over = self.heard.blocking_send(Heard { order, what });
    }

    /// Keeps what is typed until there is an order; `None` when there will be no more.
    fn next_order(&mut self) -> io::Result<Option<(u64, Order)>> {
        loop {
            match self.orders.try_recv() {
                Ok(order) => return Ok(Some(order)),
                Err(blocking::TryRecvError::Disconnected) => return Ok(None),
                Err(blocking::TryRecvError::Empty) => {}
            }
            if !event::poll(POLL)? {
                continue;
            }
            // A key that was pressed after the order belongs to it.
            if let Ok(order) = self.orders.try_recv() {
                return Ok(Some(order));
            }
            if self.keep_typed()? {
                self.say(None, What::Interrupt);
            }
        }
    }

    /// Waits a moment for a key and keeps it; tells whether it was Ctrl-C.
    fn keep_typed(&mut self) -> io::Result<bool> {
        if !event::poll(POLL)? {
            return Ok(false);
        }
        let Some(key) = key(event::read()?) else { return Ok(false) };
        self.ahead.take(&key);
        self.typed_at = Some(Instant::now());
        Ok(key == Key::Interrupt)
    }

    fn line(&mut self) -> io::Result<What> {
        self.typed_at = None;
        if let Some(line) = self.ahead.next_line() {
            for row in wrap(&format!("{PROMPT}{line}"), window().0) {
                output::line(&row);
            }
            return Ok(What::Line(line));
        }
        if self.ahead.take_end() {
            return Ok(What::End);
        }
        if let Some((_, text)) = self.left.take() {
            // What was begun as an answer is kept when the question has ended.
            self.ahead.put_back(&text);
        }
        let mut text = self.ahead.take_text();
        loop {
            match self.edit(&text)? {
                Edited::Line(line) if line.trim().is_empty() => {}
                Edited::Line(line) => return Ok(What::Line(line)),
                Edited::Interrupt { had_text: true } => {}
                Edited::Interrupt { had_text: false } => return Ok(What::Interrupt),
                Edited::End => return Ok(What::End),
                Edited::Off { text, .. } => {
                    self.ahead.put_back(&text);
                    return Ok(What::Off);
                }
            }
            text.clear();
        }
    }

    fn answer(&mut self, question: String, letters: Option<Letters>) -> io::Result<What> {
        while self.typed_at.is_some_and(|at| at.elapsed() < QUIET) {
            if self.is_called_off() {
                return Ok(What::Off);
            }
            if self.keep_typed()? {
                return Ok(What::Interrupt);
            }
        }
        self.typed_at = None;
        let mut text = match self.left.take() {
            Some((of, text)) if of == question => text,
            Some((_, text)) => {
                self.ahead.put_back(&text);
                String::new()
            }
            None => String::new(),
        };
        loop {
            if let Some(letters) = letters.filter(|_| text.is_empty()) {
                match self.first_key(letters)? {
                    First::Letter(yes) => return Ok(What::Press { question, yes }),
                    First::Over(what) => return Ok(what),
                    First::Words(first) => text = first,
                }
            }
            match self.edit(&text)? {
                Edited::Line(line) if line.trim().is_empty() => {}
                Edited::Line(line) => {
                    let letter = letters.and_then(|letters| letters.answer_line(&line));
                    return Ok(match letter {
                        Some(yes) => What::Press { question, yes },
                        None => What::Words { question, words: line },
                    });
                }
                Edited::Interrupt { had_text: true } => {}
                Edited::Interrupt { had_text: false } => return Ok(What::Interrupt),
                Edited::End => return Ok(What::End),
                Edited::Off { text, .. } => {
                    self.left = Some((question, text));
                    return Ok(What::Off);
                }
            }
            text.clear();
        }
    }

    /// Waits for a letter that stays alone, or the beginning of words.
    fn first_key(&mut self, letters: Letters) -> io::Result<First> {
        self.write_prompt();
        let mut pressed: Option<(char, bool)> = None;
        loop {
            if self.is_called_off() {
                self.erase(0);
                return Ok(First::Over(What::Off));
            }
            if !event::poll(if pressed.is_some() { ALONE } else { POLL })? {
                let Some((_, yes)) = pressed else { continue };
                return Ok(Self::whole(First::Letter(yes)));
            }
            let Some(key) = key(event::read()?) else { continue };
            let before = pressed.map_or_else(String::new, |(letter, _)| letter.to_string());
            match (key, pressed) {
                (Key::Char(c), None) if letters.answer(c).is_some() => {
                    output::raw(c.to_string().as_bytes());
                    pressed = letters.answer(c).map(|yes| (c, yes));
                }
                (Key::Char(c), _) => {
                    self.erase(0);
                    return Ok(First::Words(format!("{before}{c}")));
                }
                (Key::Paste(text), _) => {
                    self.erase(0);
                    return Ok(First::Words(before + &text));
                }
                (Key::Enter, Some((_, yes))) => return Ok(Self::whole(First::Letter(yes))),
                (Key::Back | Key::Clear, Some(_)) => {
                    pressed = None;
                    self.erase(0);
                    self.write_prompt();
                }
                (Key::Interrupt, _) => return Ok(Self::whole(First::Over(What::Interrupt))),
                (Key::End, None) => return Ok(Self::whole(First::Over(What::End))),
                (Key::Enter | Key::Back | Key::Clear, None) | (Key::End, Some(_)) => {}
            }
        }
    }

    /// Ends the line on the screen.
    fn whole(first: First) -> First {
        output::raw(b"\n");
        first
    }

    /// Edits a line, and leaves the cursor at the beginning of a row of its own.
    fn edit(&mut self, text: &str) -> io::Result<Edited> {
        let edited = match &mut self.editor {
            Some(editor) => editor.edit(text)?,
            None => plain::edit(text, &self.off)?,
        };
        raw::enter(self.ability)?;
        match &edited {
            // The editor ends its line itself.
            Edited::End if self.editor.is_some() => {}
            Edited::Line(_) => {}
            Edited::Interrupt { .. } | Edited::End => output::raw(b"\n"),
            Edited::Off { rows_above, .. } => self.erase(*rows_above),
        }
        Ok(edited)
    }

    fn is_called_off(&self) -> bool {
        self.off.swap(false, Ordering::Relaxed)
    }

    fn write_prompt(&self) {
        if self.ability.lively {
            output::raw(format!("\u{1b}[36m{PROMPT}\u{1b}[0m").as_bytes());
        } else {
            output::raw(PROMPT.as_bytes());
        }
    }

    /// Takes the line away that is being written, which began so many rows above the cursor.
    fn erase(&self, rows_above: usize) {
        if !self.ability.moves {
            output::raw(b"\n");
            return;
        }
        let up = if rows_above > 0 { format!("\u{1b}[{rows_above}A") } else { String::new() };
        output::raw(format!("\r{up}\u{1b}[J").as_bytes());
    }
}
