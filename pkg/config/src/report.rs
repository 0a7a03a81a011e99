//! Gathers every mistake of one file, so that all are told at once.

use crate::diagnostic::{Diagnostic, Severity};
use crate::source::{Place, Source, Span};

/// How much of a line is kept before and after a place.
const EXCERPT_CHARS_AROUND: usize = 200;
/// The most diagnostics of one kind that are gathered before they are sorted and cut.
const GATHERED_MAX: usize = 1_000;
/// The most diagnostics of one severity; what is beyond is counted.
pub const DIAGNOSTICS_MAX: usize = 50;

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        $($(#[$doc])* pub(crate) const $name: &str = $code;)*
        /// All codes a [`Diagnostic`] may have.
        pub const CODES: &[&str] = &[$($code,)*];
    };
}

codes! {
    /// SQL or a template that names an argument the schema does not have.
    BAD_ARGUMENT = "config.bad_argument",
    /// A value out of its range, or of the wrong form.
    BAD_VALUE = "config.bad_value",
    /// Two things that exclude each other.
    CONFLICT = "config.conflict",
    /// One key twice in one map.
    DUPLICATE_KEY = "config.duplicate_key",
    /// Two tools of one name.
    DUPLICATE_TOOL = "config.duplicate_tool",
    /// A tool that everyone on a public channel may use, and that can do harm.
    EXPOSED_TOOL = "config.exposed_tool",
    /// A file that cannot be read.
    FILE = "config.file",
    /// A setting that means nothing where it stands.
    IGNORED_SETTING = "config.ignored_setting",
    /// Something that a limit of ours refuses.
    LIMIT = "config.limit",
    /// A required key that is not there.
    MISSING_KEY = "config.missing_key",
    /// An environment variable that is not set.
    MISSING_VARIABLE = "config.missing_variable",
    /// A lookup that must only read, and may not.
    NOT_READ_ONLY = "config.not_read_only",
    /// Something this build does not do yet.
    NOT_BUILT_YET = "config.not_built_yet",
    /// A regular expression that does not compile.
    PATTERN = "config.pattern",
    /// A JSON Schema that does not compile.
    SCHEMA = "config.schema",
    /// SQL that cannot be read.
    SQL = "config.sql",
    /// Text that is not YAML.
    SYNTAX = "config.syntax",
    /// A template that does not compile.
    TEMPLATE = "config.template",
    /// More mistakes than are shown.
    TOO_MANY = "config.too_many",
    /// A tool that changes things and says nothing about confirming.
    UNDECIDED_CONFIRM = "config.undecided_confirm",
    /// A key that is not known.
    UNKNOWN_KEY = "config.unknown_key",
    /// A name that refers to nothing.
    UNKNOWN_NAME = "config.unknown_name",
    /// Requests that nobody can check for their sender.
    UNSIGNED = "config.unsigned",
    /// A value of the wrong type.
    WRONG_TYPE = "config.wrong_type",
    /// YAML that means different things to different readers.
    YAML_TRAP = "config.yaml_trap",
}

/// The diagnostics of one file so far.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) source: &'a Source<'a>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) unsupported: Vec<Diagnostic>,
    /// Where literal secrets stand; excerpts do not show them.
    pub(crate) secret_spans: Vec<Span>,
    /// Values that miss a variable; nothing more is said about them.
    pub(crate) unknown_values: Vec<Span>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(source: &'a Source<'a>) -> Self {
        Self {
            source,
            errors: Vec::new(),
            warnings: Vec::new(),
            unsupported: Vec::new(),
            secret_spans: Vec::new(),
            unknown_values: Vec::new(),
        }
    }

    pub(crate) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let overlaps = |value: &Span| span.start < value.end && value.start < span.end;
        if self.is_full() {
            return;
        }
        if code != MISSING_VARIABLE && self.unknown_values.iter().any(overlaps) {
            return;
        }
        let found = self.diagnostic(Severity::Error, code, span, message.into(), help.into());
        self.errors.push(found);
    }

    /// Whether further errors are not gathered.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= GATHERED_MAX
    }

    pub(crate) fn warning(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.warnings.len() >= GATHERED_MAX {
            return;
        }
        let found = self.diagnostic(Severity::Warning, code, span, message.into(), help.into());
        self.warnings.push(found);
    }

    /// Notes a thing that is understood and cannot be run.
    pub(crate) fn not_built(&mut self, span: Span, what: &str, help: impl Into<String>) {
        if self.unsupported.len() >= GATHERED_MAX {
            return;
        }
        let message = format!("this build cannot run {what} yet");
        let severity = Severity::Error;
        let found = self.diagnostic(severity, NOT_BUILT_YET, span, message, help.into());
        self.unsupported.push(found);
    }

    fn diagnostic(
        &self,
        severity: Severity,
        code: &'static str,
        span: Span,
        message: String,
        help: String,
    ) -> Diagnostic {
        let place = self.source.place(span.start);
        let (excerpt, excerpt_skipped) = self.excerpt(place);
        Diagnostic {
            severity,
            code,
            file: self.source.name.to_owned(),
            line: place.line,
            column: place.column,
            length: self.source.length(span),
            message,
            help,
            excerpt,
            excerpt_skipped,
        }
    }

    /// The line around a place, without what is known or sounds like a secret, character by
    /// character, so that columns stay; and how many characters are left out before it.
    fn excerpt(&self, place: Place) -> (String, usize) {
        let skipped = place.column.saturating_sub(EXCERPT_CHARS_AROUND);
        let start = self.source.offset(place.line, skipped + 1);
        let end = self.source.offset(place.line, place.column + EXCERPT_CHARS_AROUND);
        let text = self.source.text.get(start..end).unwrap_or_default();
        let hidden = |at: usize| self.secret_spans.iter().any(|s| (s.start..s.end).contains(&at));
        let shown: String = text
            .char_indices()
            .map(|(at, char)| {
                let keep = matches!(char, ' ' | '"' | '\'') || !hidden(start + at);
                if keep { char } else { '•' }
            })
            .collect();
        (masked(&shown), skipped)
    }
}

/// Sorts by place, drops what was said twice, and keeps [`DIAGNOSTICS_MAX`] of them.
///
/// The last one of a list that was cut says how many are left out.
pub(crate) fn settle(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.sort_by(|a, b| {
        (&a.file, a.line, a.column, &a.message).cmp(&(&b.file, b.line, b.column, &b.message))
    });
    found.dedup();
    if found.len() > DIAGNOSTICS_MAX {
        let more = found.len() - DIAGNOSTICS_MAX;
        found.truncate(DIAGNOSTICS_MAX);
        if let Some(last) = found.last().cloned() {
            found.push(Diagnostic {
                code: TOO_MANY,
                message: format!("and {more} more after this place"),
                help: "mend these first, then run it again".to_owned(),
                ..last
            });
        }
    }
    found
}

/// Hides what stands behind a key that sounds like a secret, for files that are not even a tree;
/// `${NAME}` stays readable.
fn masked(line: &str) -> String {
    let chars: Vec<char> = line.chars().collect();
    let mut shown = chars.clone();
    let mut index = 0;
    while index < chars.len() {
        if chars[index] != ':' || !names_a_secret(&chars[..index]) {
            index += 1;
            continue;
        }
        let mut at = index + 1;
        while at < chars.len() && matches!(chars[at], ' ' | '\t' | '"' | '\'' | '[') {
            at += 1;
        }
        let is_variable = chars[at..].starts_with(&['$', '{']);
        while at < chars.len() && !matches!(chars[at], '"' | '\'' | ',' | '}') {
            if !is_variable && chars[at] != ' ' {
                shown[at] = '•';
            }
            at += 1;
        }
        index = at.max(index + 1);
    }
    mask_userinfo(&chars, &mut shown);
    shown.into_iter().collect()
}

/// How keys end that hold a secret.
const SECRET_KEYS: [&str; 6] =
    ["api_key", "api-key", "secret", "token", "password", "authorization"];

fn names_a_secret(before: &[char]) -> bool {
    let key: String = before
        .iter()
        .rev()
        .skip_while(|c| matches!(c, '"' | '\'' | ' '))
        .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
        .collect();
    // The key was read backwards.
    let key: String = key.chars().rev().collect::<String>().to_lowercase();
    SECRET_KEYS.iter().any(|end| key.ends_with(end))
}

/// Masks the password in `scheme://user:password@host`.
fn mask_userinfo(chars: &[char], shown: &mut [char]) {
    for start in 0..chars.len() {
        if !chars[start..].starts_with(&[':', '/', '/']) {
            continue;
        }
        let rest = start + 3..chars.len();
        let stop = rest.clone().find(|at| matches!(chars[*at], ' ' | '/' | '"' | '\'' | ','));
        let stop = stop.unwrap_or(chars.len());
        let Some(sign) = (rest.start..stop).rfind(|at| chars[*at] == '@') else { continue };
        let Some(colon) = (rest.start..sign).find(|at| chars[*at] == ':') else { continue };
        if !chars[colon + 1..].starts_with(&['$', '{']) {
            shown[colon + 1..sign].fill('•');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_hides_secrets_and_keeps_columns() {
        let cases = [
            ("a literal key", "  api_key: sk-1", "  api_key: ••••"),
            ("in a flow map", r#"{ secret: "abc", url: x }"#, r#"{ secret: "•••", url: x }"#),
            ("a variable is no secret", r#"api_key: "${KEY}""#, r#"api_key: "${KEY}""#),
            ("a header", "X-Api-Key: abc", "X-Api-Key: •••"),
            ("a password in an address", "postgres://me:pw@host/db", "postgres://me:••@host/db"),
            ("an ordinary key", "key: [items]", "key: [items]"),
        ];
        for (why, line, expected) in cases {
            assert_eq!(masked(line), expected, "{why}");
        }
    }

    #[test]
    fn every_code_is_ours_and_stands_once() {
        let mut seen = std::collections::BTreeSet::new();
        for code in CODES {
            assert!(code.starts_with("config.") && seen.insert(code), "{code}");
        }
    }
}
