//! What keys mean outside the line editor: letters that answer, and text typed ahead.

use std::collections::VecDeque;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation as _;

/// The most text that is kept while nobody reads it, in bytes; what is typed beyond it is dropped.
pub(crate) const AHEAD_BYTES_MAX: usize = 64 * 1024;

/// The most lines that are kept.
pub(crate) const AHEAD_LINES_MAX: usize = 20;

/// A key, reduced to what matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    /// Enter.
    Enter,
    /// Backspace.
    Back,
    /// Ctrl-U.
    Clear,
    /// A character.
    Char(char),
    /// Pasted text.
    Paste(String),
}

/// Reads an event of the terminal; `None` for what means nothing here.
pub(crate) fn key(event: Event) -> Option<Key> {
    match event {
        Event::Paste(text) => Some(Key::Paste(text)),
        Event::Key(KeyEvent { code, modifiers, kind, .. }) if kind != KeyEventKind::Release => {
            let control = modifiers.contains(KeyModifiers::CONTROL);
            let plain = !modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
            match code {
                KeyCode::Char('c') if control => Some(Key::Interrupt),
                KeyCode::Char('d') if control => Some(Key::End),
                KeyCode::Char('u') if control => Some(Key::Clear),
                // Some terminals send a line feed for Enter.
                KeyCode::Char('j') if control => Some(Key::Enter),
                KeyCode::Enter => Some(Key::Enter),
                KeyCode::Backspace => Some(Key::Back),
                KeyCode::Char(c) if plain => Some(Key::Char(c)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The letters that answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Letters {
    pub(crate) yes: char,
    pub(crate) no: char,
}

impl Letters {
    /// The first letters of the labels where they differ, else `y` and `n`.
    pub(crate) fn of(yes: &str, no: &str) -> Self {
        let first = |label: &str| {
            let letter = label.chars().find(|c| c.is_alphabetic())?;
            letter.to_lowercase().next()
        };
        match (first(yes), first(no)) {
            (Some(yes), Some(no)) if yes != no => Self { yes, no },
            _ => Self { yes: 'y', no: 'n' },
        }
    }

    /// What a letter answers.
    pub(crate) fn answer(self, letter: char) -> Option<bool> {
        let mut lower = letter.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(c), None) if c == self.yes => Some(true),
            (Some(c), None) if c == self.no => Some(false),
            _ => None,
        }
    }

    /// What a line answers that is one of the letters and nothing else.
    pub(crate) fn answer_line(self, line: &str) -> Option<bool> {
        let mut chars = line.trim().chars();
        let answer = self.answer(chars.next()?)?;
        chars.next().is_none().then_some(answer)
    }
}

/// Text that was typed while nobody read it.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    lines: VecDeque<String>,
    text: String,
    ended: bool,
}

impl Ahead {
    /// Takes a key that edits or ends a line; the others change nothing.
    pub(crate) fn take(&mut self, key: &Key) {
        match key {
            Key::Char(c) => self.push(c.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.push(text),
            Key::Back => drop_last(&mut self.text),
            Key::Clear => self.text.clear(),
            Key::Enter => {
                let line = std::mem::take(&mut self.text);
                if !line.trim().is_empty() && self.lines.len() < AHEAD_LINES_MAX {
                    self.lines.push_back(line);
                }
            }
            Key::Interrupt => *self = Self::default(),
            Key::End => self.ended = self.text.is_empty(),
        }
    }

    fn push(&mut self, text: &str) {
        if self.text.len() + text.len() <= AHEAD_BYTES_MAX {
            self.text.push_str(text);
        }
    }

    /// The next whole line.
    pub(crate) fn next_line(&mut self) -> Option<String> {
        self.lines.pop_front()
    }

    /// Tells whether Ctrl-D followed the last whole line.
    pub(crate) fn take_end(&mut self) -> bool {
        std::mem::take(&mut self.ended)
    }

    /// The line that has no end yet.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Takes the line that has no end yet.
    pub(crate) fn take_text(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// Puts back a line that was being edited.
    pub(crate) fn put_back(&mut self, text: &str) {
        self.text.insert_str(0, text);
    }
}

/// Takes the last character away, as people see it.
pub(crate) fn drop_last(text: &mut String) {
    let at = text.grapheme_indices(true).next_back().map_or(0, |(at, _)| at);
    text.truncate(at);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode, modifiers: KeyModifiers) -> Option<Key> {
        key(Event::Key(KeyEvent::new(code, modifiers)))
    }

    #[test]
    fn keys_mean_what_their_caps_say() {
        let cases = [
            (KeyCode::Char('c'), KeyModifiers::CONTROL, Some(Key::Interrupt)),
            (KeyCode::Char('d'), KeyModifiers::CONTROL, Some(Key::End)),
            (KeyCode::Char('S'), KeyModifiers::SHIFT, Some(Key::Char('S'))),
            (KeyCode::Char('s'), KeyModifiers::ALT, None),
            (KeyCode::Char('s'), KeyModifiers::CONTROL, None),
            (KeyCode::Enter, KeyModifiers::NONE, Some(Key::Enter)),
            (KeyCode::Up, KeyModifiers::NONE, None),
        ];
        for (code, modifiers, meaning) in cases {
            assert_eq!(press(code, modifiers), meaning, "{code:?} with {modifiers:?}");
        }
    }

    #[test]
    fn letters_are_those_of_the_labels_where_they_differ() {
        let cases = [
            ("Sí", "No", 's', 'n'),
            ("Oui", "Non", 'o', 'n'),
            ("Ja", "Nein", 'j', 'n'),
            ("✅ Dale", "❌ Mejor no", 'd', 'm'),
            ("Confirmar", "Cancelar", 'y', 'n'),
            ("👍", "👎", 'y', 'n'),
            ("はい", "いいえ", 'は', 'い'),
        ];
        for (yes_label, no_label, yes, no) in cases {
            assert_eq!(Letters::of(yes_label, no_label), Letters { yes, no }, "{yes_label}");
        }
    }

    #[test]
    fn only_the_letter_itself_answers() {
        let letters = Letters::of("Sí", "No");
        let cases = [
            ("s", Some(true)),
            (" S ", Some(true)),
            ("n", Some(false)),
            ("", None),
            ("y", None),
            ("sí", None),
            ("s n", None),
            ("ss", None),
            ("s?", None),
        ];
        for (line, answer) in cases {
            assert_eq!(letters.answer_line(line), answer, "{line:?}");
        }
    }

    #[test]
    fn what_is_typed_ahead_is_kept_in_lines() {
        let mut ahead = Ahead::default();
        for c in "2 cofe".chars() {
            ahead.take(&Key::Char(c));
        }
        ahead.take(&Key::Back);
        ahead.take(&Key::Paste("fee".into()));
        ahead.take(&Key::Enter);
        ahead.take(&Key::Enter);
        ahead.take(&Key::Char('é'));
        assert_eq!(ahead.next_line().as_deref(), Some("2 coffee"));
        assert_eq!(ahead.next_line(), None, "an empty line is no line");
        ahead.put_back("caf");
        assert_eq!(ahead.take_text(), "café");
        ahead.take(&Key::Char('x'));
        ahead.take(&Key::End);
        assert!(!ahead.take_end(), "Ctrl-D ends no line that is begun");
        ahead.take(&Key::Interrupt);
        assert_eq!(ahead.take_text(), "", "Ctrl-C takes everything back");
        ahead.take(&Key::End);
        assert!(ahead.take_end(), "on an empty line it leaves");
    }

    #[test]
    fn what_is_typed_ahead_is_bounded() {
        let mut ahead = Ahead::default();
        for _ in 0..AHEAD_LINES_MAX + 5 {
            ahead.take(&Key::Paste("x".repeat(AHEAD_BYTES_MAX)));
            ahead.take(&Key::Char('y'));
            ahead.take(&Key::Enter);
        }
        let kept: Vec<String> = std::iter::from_fn(|| ahead.next_line()).collect();
        assert_eq!(kept.len(), AHEAD_LINES_MAX);
        assert!(kept.iter().all(|line| line.len() == AHEAD_BYTES_MAX));
    }

    #[test]
    fn backspace_takes_what_people_see_as_one() {
        let mut text = "a👨‍👩‍👧".to_owned();
        drop_last(&mut text);
        assert_eq!(text, "a");
        drop_last(&mut text);
        drop_last(&mut text);
        assert_eq!(text, "");
    }
}
