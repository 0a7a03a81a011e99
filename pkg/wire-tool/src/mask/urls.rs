//! Finds `user:password@` in addresses.

use std::ops::Range;

/// Returns the places of credentials in the text, in order, each at a character boundary.
pub(super) fn credentials(text: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for (found, _) in text.match_indices(SEPARATOR) {
        let start = found + SEPARATOR.len();
        let rest = &text[start..];
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`'))
            .unwrap_or(rest.len());
        if let Some(length) = user_info(&rest[..end]) {
            places.push(start..start + length);
        }
    }
    places
}

/// How long the credentials at the start of an address without its scheme are.
fn user_info(address: &str) -> Option<usize> {
    let authority = address.find(['/', '?', '#']).unwrap_or(address.len());
    if let Some(at) = address[..authority].rfind('@') {
        return Some(at);
    }
    // A password with a bare slash: `user:pa/ss@host`. A port before the slash is no password.
    let (user, after) = address.split_once(':')?;
    let secret_end = after.find('@')?;
    let until_slash = after.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = until_slash.bytes().all(|byte| byte.is_ascii_digit());
    (!is_port && !user.contains('/')).then_some(user.len() + 1 + secret_end)
}

const SEPARATOR: &str = "://";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_told_from_other_at_signs() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("postgres://ana:pw@db/x", &["ana:pw"], "the usual form"),
            ("redis://:pw@h:1", &[":pw"], "no user"),
            ("https://token@h/x", &["token"], "a user alone may be a token"),
            ("a://u:p@w@h/x", &["u:p@w"], "an @ in the password"),
            ("a://u:p/w@h/x", &["u:p/w"], "a slash in the password"),
            ("https://h/x?mail=a@b.c", &[], "an @ in the query"),
            ("http://h:80/a@b", &[], "a port, and an @ in the path"),
            ("see a://u:p@h, b://v:q@i", &["u:p", "v:q"], "two"),
            ("ana@example.com", &[], "an address of mail"),
            ("://", &[], "nothing after it"),
            ("ñ://ü:ß@é", &["ü:ß"], "letters beyond ASCII"),
        ];
        for (text, expected, why) in cases {
            let found: Vec<&str> =
                credentials(text).into_iter().map(|place| &text[place]).collect();
            assert_eq!(found, *expected, "{why}");
        }
    }
}
