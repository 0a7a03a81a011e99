//! Whether a statement reads or writes, told from its words alone.

use super::tokens::{Kind, Token};

/// Whether the statement surely only reads; `false` when in doubt.
pub(super) fn is_query(sql: &str, tokens: &[Token]) -> bool {
    let Some((first, rest)) = tokens.split_first() else {
        return false;
    };
    if first.is_word(sql, "explain") {
        let rest = match rest {
            [query, plan, rest @ ..]
                if query.is_word(sql, "query") && plan.is_word(sql, "plan") =>
            {
                rest
            }
            _ => rest,
        };
        return is_query(sql, rest);
    }
    let verb = if first.is_word(sql, "with") { main_verb(sql, rest) } else { Some(first) };
    let reads = verb.is_some_and(|verb| READING.iter().any(|word| verb.is_word(sql, word)));
    reads && !writes_inside(sql, tokens) && !keeps_or_locks(sql, tokens)
}

/// Whether it is a `create trigger`, whose body holds semicolons.
pub(super) fn is_trigger(sql: &str, tokens: &[Token]) -> bool {
    let [create, second, rest @ ..] = tokens else {
        return false;
    };
    create.is_word(sql, "create")
        && (second.is_word(sql, "trigger")
            || ((second.is_word(sql, "temp") || second.is_word(sql, "temporary"))
                && rest.first().is_some_and(|third| third.is_word(sql, "trigger"))))
}

/// Calls back for each token that stands outside of all parentheses.
pub(super) fn outside<'t>(
    sql: &'t str,
    tokens: &'t [Token],
) -> impl Iterator<Item = (usize, &'t Token)> + 't {
    let mut depth = 0_usize;
    tokens.iter().enumerate().filter(move |(_, token)| {
        if token.is_symbol(sql, "(") {
            depth += 1;
            return false;
        }
        if token.is_symbol(sql, ")") {
            depth = depth.saturating_sub(1);
            return false;
        }
        depth == 0
    })
}

/// The verb after `with … as (…)`.
fn main_verb<'t>(sql: &'t str, tokens: &'t [Token]) -> Option<&'t Token> {
    outside(sql, tokens)
        .map(|(_, token)| token)
        .find(|token| READING.iter().chain(&WRITING).any(|word| token.is_word(sql, word)))
}

/// PostgreSQL lets a `with` hold statements that write.
fn writes_inside(sql: &str, tokens: &[Token]) -> bool {
    tokens.windows(2).any(|pair| {
        pair[0].is_symbol(sql, "(")
            && pair[1].kind == Kind::Word
            && WRITING_INSIDE.iter().any(|word| pair[1].is_word(sql, word))
    })
}

/// `select … into table` makes a table, `select … for update` locks rows.
fn keeps_or_locks(sql: &str, tokens: &[Token]) -> bool {
    let mut before: Option<&Token> = None;
    for (_, token) in outside(sql, tokens) {
        if token.is_word(sql, "into") {
            return true;
        }
        let locks = LOCKING.iter().any(|word| token.is_word(sql, word));
        if locks && before.is_some_and(|before| before.is_word(sql, "for")) {
            return true;
        }
        before = Some(token);
    }
    false
}

const READING: [&str; 2] = ["select", "values"];
const WRITING: [&str; 5] = ["insert", "update", "delete", "replace", "merge"];
const WRITING_INSIDE: [&str; 4] = ["insert", "update", "delete", "merge"];
const LOCKING: [&str; 4] = ["update", "share", "no", "key"];
