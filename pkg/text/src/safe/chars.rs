//! Which characters break a line, and which show nothing of their own.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Tells whether `c` ends a line anywhere.
pub(super) fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Tells whether `c` must be printed by its number.
pub(super) fn is_hidden(c: char) -> bool {
    if matches!(c, ' '..='~') {
        return false;
    }
    is_default_ignorable(c)
        || c == BRAILLE_BLANK
        || matches!(
            c.general_category(),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
                | GeneralCategory::PrivateUse
                | GeneralCategory::SpaceSeparator
                | GeneralCategory::Surrogate
                | GeneralCategory::Unassigned
        )
}

/// A symbol by its category, a blank by its looks.
const BRAILLE_BLANK: char = '\u{2800}';

/// Tells whether a renderer shows nothing for `c`.
///
/// # Source
///
/// `Default_Ignorable_Code_Point` of Unicode's `DerivedCoreProperties.txt`
/// (<https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt>).
fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
