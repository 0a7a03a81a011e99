//! Punctuation whose meaning depends on what stands around it, emoticons and mentions.

use std::str::Chars;

use super::{Gap, Reader};

impl Reader {
    /// Reads one mark of punctuation; `rest` is what follows it, and may be used up in part.
    pub(super) fn punctuation(&mut self, mark: char, rest: &mut Chars<'_>) -> Option<()> {
        let next = rest.clone().next().unwrap_or(' ');
        match mark {
            '.' => self.full_stop(next, rest),
            '!' => {
                // `!yes` is a command of a chat bot, not an exclamation.
                if self.is_first() && !self.exclaiming {
                    return None;
                }
                self.separate(Gap::Stop)
            }
            '¡' => {
                self.exclaiming = true;
                self.separate(Gap::Stop)
            }
            '\'' | '’' | '‘' | 'ʼ' | '´' => {
                if !self.is_in_word() {
                    return None;
                }
                // `si'` is how `sì` is typed where the keyboard has no accents.
                self.accented |= !next.is_alphanumeric();
                Some(())
            }
            '·' | '‧' => (self.message.text.ends_with('l') && is_l(next)).then_some(()),
            '-' | '–' | '—' | '‐' | '‑' => {
                if next.is_ascii_digit() {
                    return None;
                }
                if self.is_in_word() && next.is_alphabetic() {
                    return self.end_word();
                }
                self.separate(Gap::Stop)?;
                self.dashed = true;
                Some(())
            }
            '*' | '_' => {
                let inside = self.previous.is_alphanumeric() && next.is_alphanumeric();
                if inside { None } else { self.end_word() }
            }
            ':' | '=' | '<' => match emoticon(mark, rest) {
                Some(emoticon) => self.sign(&emoticon),
                None if mark == ':' => self.separate(Gap::Colon),
                None => None,
            },
            // `1)` and `#1` are items of a menu.
            ')' if self.previous.is_ascii_digit() => self.separate(Gap::Stop),
            '#' if next.is_ascii_digit() => self.end_word(),
            '@' if !self.is_in_word() => self.mention(rest),
            _ => None,
        }
    }

    fn full_stop(&mut self, next: char, rest: &mut Chars<'_>) -> Option<()> {
        // Dots that trail off are a doubt; two of them before a word are a slip of the finger.
        if next == '.' || next == '…' {
            let mut ahead = rest.clone();
            ahead.next();
            let goes_on = next == '.' && ahead.clone().next().is_some_and(|c| c != '.' && c != '…');
            if !goes_on || ahead.all(|c| !c.is_alphanumeric()) {
                return None;
            }
            rest.next();
            return self.separate(Gap::Stop);
        }
        let word = self.message.text.get(self.start..).unwrap_or_default();
        if word.ends_with('l') && is_l(next) {
            return Some(());
        }
        let after = rest.clone().nth(1).unwrap_or(' ');
        let is_one_letter = word.chars().count() == 1 || word.contains('.');
        if is_one_letter && next.is_alphabetic() && !after.is_alphanumeric() {
            self.message.text.push('.');
            return Some(());
        }
        self.separate(Gap::Stop)
    }

    /// Reads `@name`: any name that begins or ends in `bot` is the bot.
    fn mention(&mut self, rest: &mut Chars<'_>) -> Option<()> {
        let mut name = String::new();
        while let Some(character) = rest.clone().next() {
            if !(character.is_alphanumeric() || character == '_') {
                break;
            }
            name.extend(character.to_lowercase());
            rest.next();
        }
        if name.starts_with("bot") || name.ends_with("bot") {
            "bot".clone_into(&mut name);
        }
        self.sign(&format!("@{name}"))
    }
}

/// Reads an emoticon such as `:)` or `<3`; `None` when there is none, and nothing is used up.
fn emoticon(eyes: char, rest: &mut Chars<'_>) -> Option<String> {
    let mut ahead = rest.clone();
    let mut mouth = ahead.next()?;
    if mouth == '-' && eyes != '<' {
        mouth = ahead.next()?;
    }
    let fits = if eyes == '<' { mouth == '3' } else { "()DPp3[]|/".contains(mouth) };
    if !fits {
        return None;
    }
    while ahead.clone().next() == Some(mouth) {
        ahead.next();
    }
    if ahead.clone().next().is_some_and(char::is_alphanumeric) {
        return None;
    }
    *rest = ahead;
    let eyes = if eyes == '=' { ':' } else { eyes };
    Some(format!("{eyes}{mouth}"))
}

fn is_l(character: char) -> bool {
    matches!(character, 'l' | 'L')
}
