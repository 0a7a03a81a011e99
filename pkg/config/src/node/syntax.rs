//! What is said of a text that is not YAML.

use saphyr_parser::ScanError;

use crate::report::{self, Report};
use crate::source::{Source, Span};

/// Says what the parser could not read, and names the usual causes.
pub(super) fn tell(error: &ScanError, at: usize, report: &mut Report<'_>) {
    let line_number = report.source.line_of(at);
    let line = report.source.line(line_number);
    let before = report.source.line(line_number.saturating_sub(1).max(1));
    if let Some(span) = [line_number, line_number.saturating_sub(1).max(1)]
        .into_iter()
        .find_map(|number| unquoted_variable(report.source, number))
    {
        report.error(
            report::SYNTAX,
            span,
            "inside `{ … }` or `[ … ]` a variable must be quoted",
            format!("write \"{}\"", report.source.text.get(span.start..span.end).unwrap_or("${X}")),
        );
        return;
    }
    let info = error.info();
    let help = if line.trim_start_matches(' ').starts_with('\t') {
        "indent with blanks: YAML does not take tabs there"
    } else if info.contains("mapping values") || before.matches(": ").count() > 1 {
        "a text that holds `: ` must be quoted"
    } else if info.contains("anchor") {
        "an alias `*name` repeats what stands at `&name`; quote a text that begins with `*`"
    } else if info.contains("quoted scalar") {
        "the text that begins here has no closing quote"
    } else if line.trim_start().starts_with(['@', '`', '%']) || line.contains(": @") {
        "a text that begins with this character must be quoted"
    } else {
        "check the quotes, brackets and indentation on this line and the one before"
    };
    report.error(report::SYNTAX, Span::new(at, at), format!("this is not YAML: {info}"), help);
}

/// The first `${NAME}` of a line that stands in braces or brackets and in no quotes.
fn unquoted_variable(source: &Source<'_>, line_number: usize) -> Option<Span> {
    let line = source.line(line_number);
    let start = source.offset(line_number, 1);
    let (mut quote, mut flow) = (None, false);
    for (index, char) in line.char_indices() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (None, '"' | '\'') => quote = Some(char),
            (None, '$') if flow && line[index..].starts_with("${") => {
                let end = line[index..].find('}').map_or(line.len(), |at| index + at + 1);
                return Some(Span::new(start + index, start + end));
            }
            (None, '{' | '[') => flow = true,
            (None, '#') if index == 0 || line[..index].ends_with(' ') => return None,
            _ => {}
        }
    }
    None
}
