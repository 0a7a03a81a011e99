//! Text in rows of a terminal: nothing hidden, nothing cut, nothing wider than the window.
//!
//! Terminals disagree about the width of joined emoji: some draw one picture, some draw its parts
//! side by side. [`columns`] takes the larger figure, so that a row never runs over the edge in
//! either, and the number of rows is known when they must be erased again.

use manos::text::safe_text;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// What a tab becomes.
const TAB: &str = "    ";

/// Marks of list items; the rows after the first are set in as far as its words.
const BULLETS: [&str; 4] = ["• ", "- ", "* ", "│ "];

/// A hanging indent is left out where it would take more than this part of the row.
const INDENT_PART: usize = 3;

/// Returns how many columns `text` takes at most.
pub(crate) fn columns(text: &str) -> usize {
    text.graphemes(true).map(cluster_columns).sum()
}

fn cluster_columns(cluster: &str) -> usize {
    let parts = cluster.chars().map(|c| c.width().unwrap_or(0)).sum();
    cluster.width().max(parts)
}

/// Returns one line of text with everything hidden made visible; a tab becomes blanks, and blanks
/// that align columns stay.
pub(crate) fn visible(line: &str) -> String {
    let line = line.trim_end_matches('\r').replace('\t', TAB);
    let mut out = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(start) = rest.find(TAB) {
        let (before, from) = rest.split_at(start);
        let after = from.trim_start_matches(' ');
        out.push_str(&safe_text(before));
        out.push_str(&from[..from.len() - after.len()]);
        rest = after;
    }
    out.push_str(&safe_text(rest));
    out
}

/// Breaks a text into rows of at most `width` columns.
///
/// Rows break at blanks, else between wide characters, else anywhere but inside a character as
/// people see it. A character wider than the window stands in a row of its own. Empty lines stay.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    for line in text.trim_end_matches('\n').split('\n') {
        wrap_line(&visible(line), width.max(1), &mut rows);
    }
    rows
}

fn wrap_line(line: &str, width: usize, rows: &mut Vec<String>) {
    let indent = hanging_indent(line, width);
    let mut row = String::new();
    let mut taken = 0;
    // Where the row can be broken, in bytes of it.
    let mut break_at = 0;
    for cluster in line.graphemes(true) {
        let wide = cluster_columns(cluster);
        if cluster == " " && taken + wide > width && !row.trim_end().is_empty() {
            // The blank is the end of the row; those that follow it go too.
            break_at = row.len();
            continue;
        }
        if wide > 1 && !row.trim_end().is_empty() {
            break_at = row.len();
        }
        while taken + wide > width && !row.trim_end().is_empty() {
            let rest = row.split_off(if break_at == 0 { row.len() } else { break_at });
            rows.push(row.trim_end().to_owned());
            row = format!("{}{}", " ".repeat(indent), rest.trim_start());
            taken = columns(&row);
            break_at = 0;
        }
        if taken + wide > width {
            // Too wide behind the indent.
            row.clear();
            taken = 0;
        }
        row.push_str(cluster);
        taken += wide;
        if wide > 1 || (cluster == " " && taken > indent && !row.trim().is_empty()) {
            break_at = row.len();
        }
    }
    rows.push(row.trim_end().to_owned());
}

fn hanging_indent(line: &str, width: usize) -> usize {
    let words = line.trim_start_matches(' ');
    let bullet = BULLETS.iter().find(|bullet| words.starts_with(**bullet));
    let indent = line.len() - words.len() + bullet.map_or(0, |bullet| columns(bullet));
    if indent * INDENT_PART > width { 0 } else { indent }
}

/// Cuts a line to one row of `width` columns, with `…` for what is left out.
pub(crate) fn fit(line: &str, width: usize) -> String {
    if columns(line) <= width {
        return line.to_owned();
    }
    let mut row = String::new();
    let mut taken = 1;
    for cluster in line.graphemes(true) {
        taken += cluster_columns(cluster);
        if taken > width {
            break;
        }
        row.push_str(cluster);
    }
    row.push('…');
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_break_where_people_would_break_them() {
        let cases: [(&str, usize, &[&str], &str); 19] = [
            ("", 10, &[""], "nothing is one empty row"),
            ("pan y café", 20, &["pan y café"], "what fits stays"),
            ("pan y café", 6, &["pan y", "café"], "rows break at blanks"),
            ("pan y café", 5, &["pan y", "café"], "a blank over the edge is the end of the row"),
            ("abcdefgh", 3, &["abc", "def", "gh"], "a long word breaks anywhere"),
            ("ab cdefgh", 4, &["ab", "cdef", "gh"], "a long word starts in its own row"),
            ("a\n\nb", 9, &["a", "", "b"], "empty lines stay"),
            ("a\n", 9, &["a"], "the last line end makes no row"),
            ("パンとコーヒー", 6, &["パンと", "コーヒ", "ー"], "wide characters take two columns"),
            ("パンabc", 5, &["パン", "abc"], "narrow ones go on after wide ones"),
            ("漢字", 1, &["漢", "字"], "wider than the window: one in a row"),
            ("ee\u{301}e", 2, &["ee\u{301}", "e"], "an accent stays on its letter"),
            ("👨‍👩‍👧👨‍👩‍👧", 7, &["👨‍👩‍👧", "👨‍👩‍👧"], "joined emoji are never torn"),
            ("🇨🇱🇵🇪", 3, &["🇨🇱", "🇵🇪"], "flags are never torn"),
            ("• uno dos tres", 9, &["• uno dos", "  tres"], "list items hang"),
            ("• uno dos", 5, &["• uno", "dos"], "but not where there is no room"),
            ("  uno dos", 6, &["  uno", "  dos"], "set-in lines stay set in"),
            ("a  b", 9, &["a  b"], "two blanks stay two"),
            ("a      b", 9, &["a      b"], "blanks that align stay"),
        ];
        for (text, width, rows, why) in cases {
            assert_eq!(wrap(text, width), rows, "{why}: {text:?} at {width}");
        }
    }

    #[test]
    fn no_row_is_wider_than_the_window_and_nothing_is_lost() {
        let text = "• 5 × Torta de chocolate blanco, パンとコーヒー 👨‍👩‍👧👍🏽 $12.500\n\tfin\u{301} 🇨🇱";
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        for width in 6..90 {
            let rows = wrap(text, width);
            assert!(rows.iter().all(|row| columns(row) <= width), "{width}: {rows:?}");
            assert_eq!(letters(&rows.concat()), letters(text), "{width}");
        }
    }

    #[test]
    fn what_hides_is_shown() {
        let cases = [
            ("a\u{1b}[31mb", r"a\u{1b}[31mb", "an escape sequence is not obeyed"),
            ("gpj.\u{202e}exe", r"gpj.\u{202e}exe", "nothing turns the reading direction"),
            ("bell\u{7}", r"bell\u{7}", "nor rings"),
            ("a\tb", "a    b", "a tab is blanks"),
            ("line\r", "line", "the end of a line from Windows"),
            ("x\ry", "x⏎y", "nothing is written over"),
        ];
        for (line, shown, why) in cases {
            assert_eq!(visible(line), shown, "{why}");
        }
    }

    #[test]
    fn one_row_is_cut_with_a_mark() {
        assert_eq!(fit("Crear pedido…", 20), "Crear pedido…");
        assert_eq!(fit("Crear pedido…", 6), "Crear…");
        assert_eq!(fit("パンとコーヒー", 6), "パン…");
    }
}
