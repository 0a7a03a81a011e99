//! SQL text read as far as a tool needs it: statements, named parameters, and whether it writes.
//!
//! This is a tokenizer, not a parser. It never changes the text and never places a value into it:
//! arguments are always bound by the database. It knows just enough of SQLite and PostgreSQL to
//! skip what only looks like a parameter: strings, comments, quoted names, `::` casts, dollar
//! quotes and slices. The database has the last word; whoever runs a statement checks that it
//! reads the same parameters.

use std::fmt;

mod columns;
mod shape;
#[cfg(test)]
mod tests;
mod tokens;

pub use columns::ResultColumn;

use tokens::{Kind, Token};

/// One statement of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The statement without the semicolon and without blanks and comments around it.
    pub text: String,
    /// Where it starts in the whole text, in bytes.
    pub offset: usize,
    /// Each use of a named parameter, in order; one name may occur several times.
    pub parameters: Vec<Parameter>,
    /// Whether it surely only reads. `false` when in doubt.
    pub is_query: bool,
    /// What can be known of its result columns; empty when even their number cannot.
    pub columns: Vec<ResultColumn>,
}

/// One use of a named parameter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parameter {
    /// The name without its colon.
    pub name: String,
    /// Where its colon stands in the whole text, in bytes.
    pub offset: usize,
}

/// What opens something that never closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delimited {
    /// A `/* … */` comment.
    Comment,
    /// `$tag$ … $tag$`.
    DollarQuote,
    /// A name in quotes, backticks or brackets.
    QuotedName,
    /// A string.
    Text,
}

impl fmt::Display for Delimited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comment => "comment",
            Self::DollarQuote => "dollar quote",
            Self::QuotedName => "quoted name",
            Self::Text => "string",
        })
    }
}

/// Why SQL text cannot be used for a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SqlError {
    /// A NUL character outside of strings; databases stop reading there.
    #[error("the SQL holds a NUL character")]
    Nul {
        /// Where, in bytes.
        offset: usize,
    },
    /// A placeholder that is not `:name`.
    #[error("arguments are written `:name` in SQL, not `{found}`")]
    Placeholder {
        /// As it stands there.
        found: String,
        /// Where, in bytes.
        offset: usize,
    },
    /// A statement that begins or ends transactions; the runner does that itself.
    #[error("`{word}` cannot be used: every call already runs in one transaction of its own")]
    TransactionControl {
        /// The statement's first word.
        word: String,
        /// Where, in bytes.
        offset: usize,
    },
    /// Something opens and never closes.
    #[error("this {what} is never closed")]
    Unterminated {
        /// What it is.
        what: Delimited,
        /// Where it opens, in bytes.
        offset: usize,
    },
}

impl SqlError {
    /// Returns where in the text it is, in bytes.
    pub fn offset(&self) -> usize {
        match self {
            Self::Nul { offset }
            | Self::Placeholder { offset, .. }
            | Self::TransactionControl { offset, .. }
            | Self::Unterminated { offset, .. } => *offset,
        }
    }

    /// Says who can do something about it.
    pub fn fault(&self) -> manos_model::Fault {
        manos_model::Fault::Config
    }
}

/// Splits a text into its statements.
///
/// Empty statements are left out, so a text of comments alone has none. Comments nest, as in
/// PostgreSQL. A `create trigger` runs to its `end;`.
///
/// # Errors
///
/// [`SqlError`] with the place of the first thing that cannot be used.
///
/// # Examples
///
/// ```
/// use manos_wire_tool::sql::statements;
/// let text = "insert into notes (text) values (:text); select ':no' as a, :id as b -- :nor this";
/// let found = statements(text)?;
/// assert_eq!(found.len(), 2);
/// assert!(!found[0].is_query && found[1].is_query);
/// let names: Vec<&str> = found[1].parameters.iter().map(|p| p.name.as_str()).collect();
/// assert_eq!(names, ["id"]);
/// # Ok::<(), manos_wire_tool::sql::SqlError>(())
/// ```
pub fn statements(sql: &str) -> Result<Vec<Statement>, SqlError> {
    let tokens = tokens::tokens(sql)?;
    let mut found = Vec::new();
    for group in split(sql, &tokens) {
        let [first, .., last] = group else {
            if let [only] = group {
                found.push(statement(sql, group, only, only)?);
            }
            continue;
        };
        found.push(statement(sql, group, first, last)?);
    }
    Ok(found)
}

/// Whether every statement surely only reads. `false` for a text without statements.
///
/// # Errors
///
/// [`SqlError`] as [`statements`].
pub fn is_read_only(sql: &str) -> Result<bool, SqlError> {
    let found = statements(sql)?;
    Ok(!found.is_empty() && found.iter().all(|statement| statement.is_query))
}

fn statement(
    sql: &str,
    group: &[Token],
    first: &Token,
    last: &Token,
) -> Result<Statement, SqlError> {
    let word = first.text(sql);
    if first.kind == Kind::Word && TRANSACTION_WORDS.iter().any(|w| word.eq_ignore_ascii_case(w)) {
        let word = word.to_ascii_lowercase();
        return Err(SqlError::TransactionControl { word, offset: first.start });
    }
    let parameters = group
        .iter()
        .filter(|token| token.kind == Kind::Parameter)
        .map(|token| Parameter { name: token.text(sql)[1..].to_owned(), offset: token.start })
        .collect();
    Ok(Statement {
        text: sql[first.start..last.end].to_owned(),
        offset: first.start,
        parameters,
        is_query: shape::is_query(sql, group),
        columns: columns::columns(sql, group),
    })
}

/// Cuts the tokens at semicolons, but not at those inside a trigger.
fn split<'t>(sql: &str, tokens: &'t [Token]) -> Vec<&'t [Token]> {
    let mut groups = Vec::new();
    let mut start = 0;
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != Kind::Symbol || token.text(sql) != ";" {
            continue;
        }
        let group = &tokens[start..index];
        if shape::is_trigger(sql, group)
            && !group.last().is_some_and(|last| last.is_word(sql, "end"))
        {
            continue;
        }
        groups.push(group);
        start = index + 1;
    }
    groups.push(&tokens[start..]);
    groups
}

/// First words of statements that would break the one transaction of a call.
const TRANSACTION_WORDS: [&str; 9] =
    ["abort", "begin", "commit", "end", "prepare", "release", "rollback", "savepoint", "start"];
