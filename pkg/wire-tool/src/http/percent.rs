//! Percent-encoding by RFC 3986.

/// Adds a text with everything encoded but `A-Z a-z 0-9 - _ . ~`.
pub(super) fn push(text: &str, out: &mut String) {
    push_where(text, |byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte), out);
}

/// Encodes everything but `A-Z a-z 0-9 - _ . ~`.
///
/// ```
/// use manos_wire_tool::http::percent_encoded;
/// assert_eq!(percent_encoded("no show/ñ"), "no%20show%2F%C3%B1");
/// ```
pub fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push(text, &mut out);
    out
}

/// Adds a text with every byte encoded that is not kept.
pub(super) fn push_where(text: &str, kept: impl Fn(u8) -> bool, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if kept(byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 0xf)]));
        }
    }
}
