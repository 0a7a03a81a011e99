//! The forms in which a secret turns up in texts.

use std::fmt::Write as _;

/// Returns the secret and what it looks like encoded.
pub(super) fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![
        secret.to_owned(),
        percent(secret, "%20", false),
        percent(secret, "%20", true),
        percent(secret, "+", false),
        in_json(secret),
    ];
    // Base64 works on three bytes at a time, so there are three pictures of a text inside another.
    for before in 0..3 {
        forms.extend(base64_inside(secret.as_bytes(), before));
    }
    let url_safe: Vec<String> =
        forms[5..].iter().map(|form| form.replace('+', "-").replace('/', "_")).collect();
    forms.extend(url_safe);
    forms
}

/// Percent encoding of all but unreserved characters (RFC 3986, 2.3).
fn percent(text: &str, blank: &str, lower: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push_str(blank),
            // Writing to a String cannot fail.
            _ if lower => {
                let _ = write!(encoded, "%{byte:02x}");
            }
            _ => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    encoded
}

fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::String(text.to_owned()).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// The characters of base64 that depend on the secret alone when `before` bytes stand before it.
fn base64_inside(secret: &[u8], before: usize) -> Option<String> {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(secret);
    let encoded = base64(&bytes);
    let whole = bytes.len() * 8 / 6;
    let inside = encoded.get((before * 8).div_ceil(6)..whole)?;
    // A short piece would be found in any text.
    (inside.len() >= BASE64_CHARS_MIN).then(|| inside.to_owned())
}

/// Base64 without padding (RFC 4648, 4).
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let part = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for digit in 0..=chunk.len() {
            let index = (bits >> (18 - 6 * digit)) & 63;
            encoded.push(char::from(DIGITS[index as usize]));
        }
    }
    encoded
}

/// Fewer characters of base64 than this are not looked for.
const BASE64_CHARS_MIN: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, section 10, without padding:
    /// <https://www.rfc-editor.org/rfc/rfc4648#section-10>.
    #[test]
    fn base64_is_that_of_the_standard() {
        let cases = [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, expected) in cases {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }
}
