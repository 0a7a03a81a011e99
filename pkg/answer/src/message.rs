//! The words of a message: what is left when case, accents, stray punctuation and invisible
//! characters are folded away.
//!
//! Owns what may be ignored and what may not. Anything that could change the meaning (a question
//! mark, dots that trail off, quotes, brackets, markup, a direction override, a control character)
//! makes the message no answer here already; a letter of another script simply stays what it is
//! and is found in no list.

mod letters;
mod signs;

use self::letters::Class;

/// A message with more characters than this, quoted lines left out, is never an answer.
pub const CHARS_MAX: usize = 300;

/// A message with more words than this is never an answer; an emoji or a Chinese or Japanese
/// character counts as a word.
pub const WORDS_MAX: usize = 48;

/// What stands between a word and the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Gap {
    /// Blanks, a hyphen, or nothing.
    Blank,
    /// A comma, a full stop, a line break: a phrase does not reach over it.
    Stop,
    /// A colon: only an answer may stand before it, as `user: yes` is no answer.
    Colon,
}

/// One folded word of a message.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u16,
    end: u16,
    gap: Gap,
    accented: bool,
}

/// The folded words of a message.
#[derive(Debug)]
pub(crate) struct Message {
    text: String,
    spans: Vec<Span>,
}

impl Message {
    /// Reads the words; `None` when something in the message makes it no answer whatever the words.
    pub(crate) fn parse(text: &str) -> Option<Message> {
        let mut reader = Reader::new(text.len());
        for line in text.lines() {
            if line.trim_start().starts_with('>') {
                continue;
            }
            reader.line(line)?;
        }
        reader.finish()
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(crate) fn word(&self, index: usize) -> &str {
        self.spans
            .get(index)
            .and_then(|span| self.text.get(usize::from(span.start)..usize::from(span.end)))
            .unwrap_or_default()
    }

    /// Returns what stands before a word.
    pub(crate) fn gap(&self, index: usize) -> Gap {
        self.spans.get(index).map_or(Gap::Stop, |span| span.gap)
    }

    /// Returns whether the word was typed with an accent: `sí` is not `si` ("if").
    pub(crate) fn is_accented(&self, index: usize) -> bool {
        self.spans.get(index).is_some_and(|span| span.accented)
    }
}

/// The state of reading one message, character by character.
struct Reader {
    message: Message,
    start: usize,
    accented: bool,
    gap: Gap,
    chars: usize,
    /// Combining marks since the last letter; a pile of them is decoration, not spelling.
    marks: usize,
    /// The character before, skipped ones included.
    previous: char,
    /// A `¡` was read, so that a `!` may come first.
    exclaiming: bool,
    /// The last separator was a dash: a message does not end in one.
    dashed: bool,
}

/// More combining marks than this on one letter are no spelling.
const MARKS_MAX: usize = 2;

impl Reader {
    fn new(bytes: usize) -> Reader {
        let text = String::with_capacity(bytes.min(CHARS_MAX * 2));
        Reader {
            message: Message { text, spans: Vec::with_capacity(8) },
            start: 0,
            accented: false,
            gap: Gap::Blank,
            chars: 0,
            marks: 0,
            previous: '\n',
            exclaiming: false,
            dashed: false,
        }
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let mut rest = line.chars();
        while let Some(raw) = rest.next() {
            self.chars += 1;
            if self.chars > CHARS_MAX {
                return None;
            }
            let character = letters::narrow(raw);
            match letters::class(character) {
                Class::Ignored => {}
                Class::Letter => self.letter(character)?,
                Class::Ideograph => {
                    self.end_word()?;
                    self.message.text.push(character);
                    self.end_word()?;
                }
                Class::Mark => self.mark()?,
                Class::Blank => self.end_word()?,
                Class::Stop => self.separate(Gap::Stop)?,
                Class::Sign => {
                    // ♂ and ♀ only choose the person of the emoji before them.
                    let is_gender = matches!(character, '♀' | '♂') && self.previous == '\u{200D}';
                    if !is_gender {
                        self.sign(character.encode_utf8(&mut [0; 4]))?;
                    }
                }
                Class::Punctuation => self.punctuation(character, &mut rest)?,
                Class::Refused => return None,
            }
            self.previous = character;
        }
        self.previous = '\n';
        self.separate(Gap::Stop)
    }

    fn letter(&mut self, character: char) -> Option<()> {
        self.marks = 0;
        let accented = letters::fold_onto(character, &mut self.message.text)?;
        self.accented |= accented;
        Some(())
    }

    fn mark(&mut self) -> Option<()> {
        self.marks += 1;
        self.accented = true;
        (self.marks <= MARKS_MAX && self.is_in_word()).then_some(())
    }

    fn is_in_word(&self) -> bool {
        self.message.text.len() > self.start
    }

    fn is_first(&self) -> bool {
        self.message.spans.is_empty() && !self.is_in_word()
    }

    fn end_word(&mut self) -> Option<()> {
        let end = self.message.text.len();
        if end > self.start {
            if self.message.spans.len() == WORDS_MAX {
                return None;
            }
            let (start, end) = (u16::try_from(self.start).ok()?, u16::try_from(end).ok()?);
            let span = Span { start, end, gap: self.gap, accented: self.accented };
            self.message.spans.push(span);
            self.start = usize::from(end);
            self.gap = Gap::Blank;
            self.dashed = false;
        }
        self.accented = false;
        self.marks = 0;
        Some(())
    }

    fn separate(&mut self, gap: Gap) -> Option<()> {
        self.end_word()?;
        self.gap = self.gap.max(gap);
        Some(())
    }

    /// Adds an emoji or an emoticon, which is a word by itself.
    fn sign(&mut self, sign: &str) -> Option<()> {
        self.end_word()?;
        self.message.text.push_str(sign);
        self.end_word()
    }

    fn finish(mut self) -> Option<Message> {
        self.end_word()?;
        let ends_well = self.gap != Gap::Colon && !self.dashed;
        (ends_well && !self.message.spans.is_empty()).then_some(self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Option<String> {
        let message = Message::parse(text)?;
        let words: Vec<_> = (0..message.len()).map(|index| message.word(index)).collect();
        Some(words.join(" "))
    }

    #[test]
    fn what_does_not_matter_is_folded_away() {
        let cases = [
            ("  SÍ  ", "si", "case, accent, padding"),
            ("s\u{69}\u{301}", "si", "a decomposed accent"),
            ("ｙｅｓ", "yes", "full width"),
            ("yes\u{200B}", "yes", "an invisible character"),
            ("don’t", "dont", "a typographic apostrophe"),
            ("vas-y", "vas y", "a hyphen inside a word"),
            ("*sí*", "si", "markup of bold"),
            ("¡sí!", "si", "exclamation marks"),
            ("- sí", "si", "a dash in front"),
            ("👍🏽", "👍", "a skin tone"),
            ("👍️", "👍", "a variation selector"),
            ("🙅🏽‍♀️", "🙅", "the gender of a gesture"),
            ("2️⃣", "2", "a keycap"),
            ("cancel·la", "cancella", "a Catalan middle dot"),
            ("cancel.la", "cancella", "the same, typed as a stop"),
            ("O.K.", "o.k", "an abbreviation"),
            ("はい。", "は い", "no blanks between words"),
            ("HAYIR", "hayir", "a Turkish dotless i"),
            ("> ¿Confirmas?\nsí", "si", "a quoted line"),
            ("sí :)", "si :)", "an emoticon"),
            ("@Mi_bot sí", "@bot si", "the bot's own name"),
        ];
        for (text, expected, reason) in cases {
            assert_eq!(words(text).as_deref(), Some(expected), "{text:?}: {reason}");
        }
    }

    #[test]
    fn what_could_matter_makes_it_no_answer() {
        let cases = [
            ("", "nothing"),
            (" \u{3000} ", "blanks"),
            ("> sí", "only a quote"),
            ("sí?", "a question"),
            ("¿sí", "a question"),
            ("sí...", "trailing off"),
            ("sí…", "trailing off"),
            ("!sí", "a command"),
            ("/sí", "a command"),
            ("\"sí\"", "quotes"),
            ("(sí)", "a stage direction"),
            ("~sí~", "struck through"),
            ("s\u{336}í\u{336}", "struck through by marks"),
            ("sí\u{202E}on", "a direction override"),
            ("yes\u{8}\u{8}no", "a control character"),
            ("sí && no", "a shell line"),
            ("sí:", "unfinished"),
            ("sí -", "unfinished"),
            ("-1", "a negative number"),
            ("si_no", "a name of a program"),
        ];
        for (text, reason) in cases {
            assert_eq!(words(text), None, "{text:?}: {reason}");
        }
    }

    #[test]
    fn a_message_over_a_limit_is_no_answer() {
        assert!(words(&"a".repeat(CHARS_MAX)).is_some());
        assert!(words(&"a".repeat(CHARS_MAX + 1)).is_none());
        assert!(words(&"a ".repeat(WORDS_MAX)).is_some());
        assert!(words(&"a ".repeat(WORDS_MAX + 1)).is_none());
        let quote = format!("> {}\nsí", "a".repeat(CHARS_MAX + 1));
        assert_eq!(words(&quote).as_deref(), Some("si"));
    }

    #[test]
    fn a_word_knows_what_stood_before_it() {
        let gaps = |text: &str| {
            let message = Message::parse(text).unwrap();
            (0..message.len()).map(|index| message.gap(index)).collect::<Vec<_>>()
        };
        assert_eq!(gaps("sí, claro"), [Gap::Blank, Gap::Stop]);
        assert_eq!(gaps("sí\nclaro"), [Gap::Blank, Gap::Stop]);
        assert_eq!(gaps("sí: claro"), [Gap::Blank, Gap::Colon]);
        assert_eq!(gaps("sí claro"), [Gap::Blank, Gap::Blank]);
        assert_eq!(gaps("vas-y"), [Gap::Blank, Gap::Blank]);
    }
}
