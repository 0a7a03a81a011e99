//! Which result columns hold JSON, told from how they are written.
//!
//! SQLite has no JSON type: what `json_object(…)` gives is text like any other. A tool's author who
//! writes such a call means JSON, though, so the text is read back as JSON. Only the shape of the
//! SQL decides, never the data: text that somebody typed into a table stays text.

use super::shape::outside;
use super::tokens::{Kind, Token};

/// What can be known of a result column from the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResultColumn {
    /// Whether each of its values is made by a JSON function: a call of `json`, `json_object`,
    /// `json_array`, `json_group_array`, `json_group_object`, `json_set`, `json_insert`,
    /// `json_replace`, `json_patch` or `json_remove`; a subquery of one such column; or `case`,
    /// `coalesce`, `ifnull` and `iif` over such values, string literals and `null`.
    pub json: bool,
    /// Whether the author gave it a name with `as`, or one after the expression.
    pub named: bool,
}

/// Reads the result columns of a statement; empty when they cannot be counted.
pub(super) fn columns(sql: &str, tokens: &[Token]) -> Vec<ResultColumn> {
    let mut found: Option<Vec<ResultColumn>> = None;
    for list in lists(sql, tokens) {
        let Some(columns) = list_columns(sql, list) else {
            return Vec::new();
        };
        match &mut found {
            None => found = Some(columns),
            Some(before) if before.len() == columns.len() => {
                for (column, other) in before.iter_mut().zip(columns) {
                    column.json &= other.json;
                }
            }
            Some(_) => return Vec::new(),
        }
    }
    found.unwrap_or_default()
}

/// The column lists of the outermost `select`s, or the one after `returning`.
fn lists<'t>(sql: &'t str, tokens: &'t [Token]) -> Vec<&'t [Token]> {
    let outer: Vec<(usize, &Token)> = outside(sql, tokens).collect();
    let returning = outer.iter().any(|(_, token)| token.is_word(sql, "returning"));
    let opener = if returning { "returning" } else { "select" };
    let mut lists = Vec::new();
    for (place, (index, token)) in outer.iter().enumerate() {
        if !token.is_word(sql, opener) {
            continue;
        }
        let end = outer[place + 1..]
            .iter()
            .find(|(_, token)| AFTER_LIST.iter().any(|word| token.is_word(sql, word)))
            .map_or(tokens.len(), |(end, _)| *end);
        lists.push(&tokens[index + 1..end]);
    }
    lists
}

fn list_columns(sql: &str, list: &[Token]) -> Option<Vec<ResultColumn>> {
    let list = match list {
        [first, rest @ ..] if first.is_word(sql, "distinct") || first.is_word(sql, "all") => rest,
        _ => list,
    };
    commas(sql, list).into_iter().map(|item| column(sql, item)).collect()
}

fn column(sql: &str, item: &[Token]) -> Option<ResultColumn> {
    if item.last()?.is_symbol(sql, "*") {
        return None;
    }
    let (expression, named) = match item {
        [expression @ .., before, _] if before.is_word(sql, "as") => (expression, true),
        [expression @ .., last]
            if !expression.is_empty()
                && matches!(last.kind, Kind::Word | Kind::QuotedName)
                && !last.is_word(sql, "end")
                && !expression.last().is_some_and(|before| before.is_symbol(sql, ".")) =>
        {
            (expression, true)
        }
        _ => (item, false),
    };
    Some(ResultColumn { json: is_json(sql, expression, NESTING_MAX), named })
}

/// Whether an expression can only give JSON text or null.
fn is_json(sql: &str, expression: &[Token], nesting: usize) -> bool {
    let Some(nesting) = nesting.checked_sub(1) else {
        return false;
    };
    let [first, rest @ ..] = expression else {
        return false;
    };
    if first.is_symbol(sql, "(") {
        return match group(sql, expression) {
            Some((inside, [])) if inside.first().is_some_and(|t| t.is_word(sql, "select")) => {
                let columns = columns(sql, inside);
                matches!(columns[..], [ResultColumn { json: true, .. }])
            }
            Some((inside, [])) => is_json(sql, inside, nesting),
            _ => false,
        };
    }
    if first.is_word(sql, "case") {
        return case_is_json(sql, rest, nesting);
    }
    let Some((inside, after)) = group(sql, rest) else {
        return false;
    };
    let is = |words: &[&str]| words.iter().any(|word| first.is_word(sql, word));
    if is(&JSON_FUNCTIONS) {
        return only_windows(sql, after);
    }
    if !after.is_empty() {
        return false;
    }
    let arguments = commas(sql, inside);
    if is(&["coalesce", "ifnull"]) {
        return arguments.iter().all(|value| is_branch(sql, value, nesting));
    }
    is(&["iif", "if"]) && arguments.iter().skip(1).all(|value| is_branch(sql, value, nesting))
}

/// A value inside `case` or `coalesce`: what the author wrote in quotes counts as JSON there.
fn is_branch(sql: &str, value: &[Token], nesting: usize) -> bool {
    match value {
        [only] => only.kind == Kind::Text || only.is_word(sql, "null"),
        _ => is_json(sql, value, nesting),
    }
}

/// `when … then VALUE … else VALUE end`, without the `case` before it.
fn case_is_json(sql: &str, tokens: &[Token], nesting: usize) -> bool {
    let [body @ .., end] = tokens else {
        return false;
    };
    if !end.is_word(sql, "end") {
        return false;
    }
    let mut open = 0_usize;
    let mut value_from = None;
    let mut values = Vec::new();
    for (index, token) in outside(sql, body) {
        if token.is_word(sql, "case") {
            open += 1;
        } else if token.is_word(sql, "end") {
            open = open.saturating_sub(1);
        } else if open == 0 {
            let opens = token.is_word(sql, "then") || token.is_word(sql, "else");
            if opens || token.is_word(sql, "when") {
                values.extend(value_from.take().map(|from: usize| &body[from..index]));
            }
            if opens {
                value_from = Some(index + 1);
            }
        }
    }
    values.extend(value_from.map(|from| &body[from..]));
    !values.is_empty() && values.iter().all(|value| is_branch(sql, value, nesting))
}

/// `filter (…)` and `over (…)` after an aggregate.
fn only_windows(sql: &str, mut tokens: &[Token]) -> bool {
    while let [word, rest @ ..] = tokens {
        if !(word.is_word(sql, "filter") || word.is_word(sql, "over")) {
            return false;
        }
        let Some((_, after)) = group(sql, rest) else {
            return false;
        };
        tokens = after;
    }
    true
}

/// What stands in the parentheses that open here, and what after them.
fn group<'t>(sql: &str, tokens: &'t [Token]) -> Option<(&'t [Token], &'t [Token])> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        if token.is_symbol(sql, "(") {
            depth += 1;
        } else if token.is_symbol(sql, ")") {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return (index > 0).then(|| (&tokens[1..index], &tokens[index + 1..]));
        }
    }
    None
}

/// Cuts at the commas outside of parentheses.
fn commas<'t>(sql: &str, tokens: &'t [Token]) -> Vec<&'t [Token]> {
    let mut items = Vec::new();
    let mut start = 0;
    for (index, token) in outside(sql, tokens) {
        if token.is_symbol(sql, ",") {
            items.push(&tokens[start..index]);
            start = index + 1;
        }
    }
    items.push(&tokens[start..]);
    items
}

/// How deep expressions are looked into; deeper ones are taken for text.
const NESTING_MAX: usize = 32;

const JSON_FUNCTIONS: [&str; 10] = [
    "json",
    "json_array",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_patch",
    "json_remove",
    "json_replace",
    "json_set",
];

const AFTER_LIST: [&str; 11] = [
    "except",
    "from",
    "group",
    "having",
    "intersect",
    "limit",
    "order",
    "select",
    "union",
    "where",
    "window",
];
