//! The kinds of characters, and how a letter is folded.

use unicode_normalization::char::decompose_canonical;

/// What a character is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Ends a word.
    Blank,
    /// A Chinese or Japanese character: a word by itself, as no blanks part the words there.
    Ideograph,
    /// Shows nothing or only chooses a variant: skipped.
    Ignored,
    /// A letter or a digit.
    Letter,
    /// An accent as a character of its own.
    Mark,
    /// Depends on what stands around it.
    Punctuation,
    /// Makes the message no answer.
    Refused,
    /// An emoji or another symbol: a word by itself, known or not.
    Sign,
    /// Parts two phrases.
    Stop,
}

/// Returns the ordinary form of a full-width character.
pub(super) fn narrow(character: char) -> char {
    match character {
        '\u{FF01}'..='\u{FF5E}' => {
            char::from_u32(u32::from(character) - 0xFEE0).unwrap_or(character)
        }
        _ => character,
    }
}

/// Returns the kind of a character.
pub(super) fn class(character: char) -> Class {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Letter,
        ' ' | '\t' => Class::Blank,
        ',' | ';' | '\r' => Class::Stop,
        '!'..='~' => Class::Punctuation,
        '\0'..='\u{9F}' => Class::Refused,
        _ => class_beyond_ascii(character),
    }
}

fn class_beyond_ascii(character: char) -> Class {
    match character {
        '¡' | '’' | '‘' | 'ʼ' | '´' | '·' | '‧' | '…' | '‥' | '–' | '—' | '‐' | '‑' => {
            Class::Punctuation
        }
        '、' | '。' | '،' | '؛' | '‼' => Class::Stop,
        // Question marks, direction overrides, replacement characters.
        '¿' | '؟' | '⁇' | '⁈' | '⁉' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            Class::Refused
        }
        // Zero-width characters and marks of direction, the soft hyphen, the Arabic stretcher,
        // variation selectors, the keycap frame, skin tones.
        '\u{AD}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2060}'
        | '\u{FEFF}'
        | '\u{61C}'
        | '\u{640}'
        | '\u{FE0E}'
        | '\u{FE0F}'
        | '\u{20E3}'
        | '\u{1F3FB}'..='\u{1F3FF}' => Class::Ignored,
        '\u{300}'..='\u{36F}' | '\u{64B}'..='\u{655}' | '\u{670}' => {
            if is_spelling_mark(character) { Class::Mark } else { Class::Refused }
        }
        '\u{3005}' | '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' => Class::Ideograph,
        _ if character.is_whitespace() => Class::Blank,
        _ if character.is_alphanumeric() => Class::Letter,
        _ => Class::Sign,
    }
}

/// Returns whether a combining mark belongs to the spelling of a language with a list, and not to
/// decoration such as striking through.
fn is_spelling_mark(mark: char) -> bool {
    matches!(
        mark,
        '\u{300}'..='\u{304}' | '\u{306}'..='\u{308}' | '\u{30A}'..='\u{30C}' | '\u{323}'
            | '\u{327}' | '\u{328}' | '\u{64B}'..='\u{655}' | '\u{670}'
    )
}

/// Adds a letter in lower case and without its accents; returns whether it had one, or `None` for
/// a mark that is no spelling.
pub(super) fn fold_onto(letter: char, text: &mut String) -> Option<bool> {
    if letter.is_ascii() {
        text.push(letter.to_ascii_lowercase());
        return Some(false);
    }
    let mut accented = false;
    let mut spelled = true;
    for lower in letter.to_lowercase() {
        decompose_canonical(lower, |part| match part {
            // The Latin letters that Unicode does not take apart.
            'ß' => text.push_str("ss"),
            'æ' => text.push_str("ae"),
            'œ' => text.push_str("oe"),
            'ø' => text.push('o'),
            'ł' => text.push('l'),
            'đ' => text.push('d'),
            'ı' => text.push('i'),
            '\u{300}'..='\u{36F}' | '\u{64B}'..='\u{655}' | '\u{670}' => {
                accented = true;
                spelled &= is_spelling_mark(part);
            }
            _ => text.push(part),
        });
    }
    spelled.then_some(accented)
}
