//! An agent's own wordings: found by key, parsed, and checked before anything is said with them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};

use super::say::{Sentence, sentence};

/// The most bytes of one wording.
const WORDING_BYTES_MAX: usize = 8 * 1024;

/// Texts of a button longer than this are cut or refused by the platforms.
const BUTTON_CHARS_MAX: usize = 20;

/// The prefix of the public names.
const PUBLIC_PREFIX: &str = "ai.tools.";

/// A wording of the agent file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// A button's label is longer than platforms show.
    #[error("the text {key:?} has {chars} characters, a button has room for {BUTTON_CHARS_MAX}")]
    ButtonTooLong {
        /// The key as written.
        key: String,
        /// How many there are.
        chars: usize,
    },
    /// Nothing is said.
    #[error("the text {key:?} is empty")]
    Empty {
        /// The key as written.
        key: String,
    },
    /// Not a Fluent pattern.
    #[error("the text {key:?} cannot be read: {message}")]
    Syntax {
        /// The key as written.
        key: String,
        /// What the parser says.
        message: String,
    },
    /// Over the limit.
    #[error("the text {key:?} has {bytes} bytes, the limit is {WORDING_BYTES_MAX}")]
    TooLong {
        /// The key as written.
        key: String,
        /// How many there are.
        bytes: usize,
    },
    /// No sentence has that key.
    #[error("there is no text {key:?}")]
    UnknownKey {
        /// The key as written.
        key: String,
    },
    /// A function, or another sentence, is used.
    #[error("the text {key:?} uses {name}; only variables can be used")]
    UnknownReference {
        /// The key as written.
        key: String,
        /// What is used.
        name: String,
    },
    /// A variable that this sentence does not have.
    #[error("the text {key:?} has no variable ${name}; it has {known}")]
    UnknownVariable {
        /// The key as written.
        key: String,
        /// The variable without its `$`.
        name: String,
        /// Those it has.
        known: String,
    },
}

impl TextError {
    /// Returns the key as it was written.
    pub fn key(&self) -> &str {
        match self {
            Self::ButtonTooLong { key, .. }
            | Self::Empty { key }
            | Self::Syntax { key, .. }
            | Self::TooLong { key, .. }
            | Self::UnknownKey { key }
            | Self::UnknownReference { key, .. }
            | Self::UnknownVariable { key, .. } => key,
        }
    }
}

/// Reads one wording.
pub(super) fn read(
    key: &str,
    wording: &str,
) -> Result<(&'static Sentence, FluentResource), TextError> {
    let owned = || key.to_owned();
    let sentence =
        sentence(&plain_key(key)).ok_or_else(|| TextError::UnknownKey { key: owned() })?;
    if wording.len() > WORDING_BYTES_MAX {
        return Err(TextError::TooLong { key: owned(), bytes: wording.len() });
    }
    if wording.trim().is_empty() {
        return Err(TextError::Empty { key: owned() });
    }
    let chars = wording.chars().count();
    if sentence.key.starts_with("button-") && chars > BUTTON_CHARS_MAX {
        return Err(TextError::ButtonTooLong { key: owned(), chars });
    }
    let resource =
        FluentResource::try_new(as_source(sentence.key, wording)).map_err(|(_, errors)| {
            let message = errors.first().map_or_else(String::new, ToString::to_string);
            TextError::Syntax { key: owned(), message }
        })?;
    let pattern = match resource.get_entry(0) {
        Some(Entry::Message(message)) if resource.get_entry(1).is_none() => message.value.as_ref(),
        _ => None,
    };
    let Some(pattern) = pattern else {
        return Err(TextError::Syntax { key: owned(), message: "not one text".to_owned() });
    };
    check(key, sentence, pattern)?;
    Ok((sentence, resource))
}

/// Brings `ai.tools.confirmExpired`, `confirmExpired` and `confirm_expired` to `confirm-expired`.
fn plain_key(key: &str) -> String {
    let name = key.strip_prefix(PUBLIC_PREFIX).unwrap_or(key);
    let mut plain = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            plain.push('-');
            plain.push(c.to_ascii_lowercase());
        } else {
            plain.push(if c == '_' { '-' } else { c });
        }
    }
    plain
}

/// Writes a wording as a Fluent message: every line indented, and a sign that would begin something
/// else there quoted.
fn as_source(key: &str, wording: &str) -> String {
    let mut source = format!("{key} =");
    let mut depth = 0_usize;
    for line in wording.trim_matches('\n').lines() {
        source.push_str("\n    ");
        let text = line.trim_start();
        match text.chars().next() {
            Some(sign @ ('[' | '*' | '.')) if depth == 0 => {
                let _infallible = write!(source, "{{ \"{sign}\" }}{}", &text[1..]);
            }
            _ => source.push_str(text),
        }
        let opened = line.matches('{').count();
        depth = (depth + opened).saturating_sub(line.matches('}').count());
    }
    source.push('\n');
    source
}

fn check(key: &str, sentence: &Sentence, pattern: &Pattern<&str>) -> Result<(), TextError> {
    let mut used = Used::default();
    used.pattern(pattern);
    if let Some(name) = used.references.into_iter().next() {
        return Err(TextError::UnknownReference { key: key.to_owned(), name });
    }
    let unknown = used.variables.into_iter().find(|name| !sentence.variables.contains(&&**name));
    unknown.map_or(Ok(()), |name| {
        let known: Vec<String> = sentence.variables.iter().map(|name| format!("${name}")).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(TextError::UnknownVariable { key: key.to_owned(), name, known })
    })
}

/// Lists the variables of a pattern.
pub(super) fn variables_of(pattern: &Pattern<&str>) -> BTreeSet<String> {
    let mut used = Used::default();
    used.pattern(pattern);
    used.variables
}

#[derive(Default)]
struct Used {
    variables: BTreeSet<String>,
    references: Vec<String>,
}

impl Used {
    fn pattern(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                self.expression(expression);
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(inline) => self.inline(inline),
            Expression::Select { selector, variants } => {
                self.inline(selector);
                for variant in variants {
                    self.pattern(&variant.value);
                }
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>) {
        match inline {
            InlineExpression::StringLiteral { .. } | InlineExpression::NumberLiteral { .. } => {}
            InlineExpression::VariableReference { id } => {
                self.variables.insert(id.name.to_owned());
            }
            InlineExpression::FunctionReference { id, .. } => {
                self.references.push(format!("{}()", id.name));
            }
            InlineExpression::MessageReference { id, .. } => {
                self.references.push(id.name.to_owned());
            }
            InlineExpression::TermReference { id, .. } => {
                self.references.push(format!("-{}", id.name));
            }
            InlineExpression::Placeable { expression } => self.expression(expression),
        }
    }
}
