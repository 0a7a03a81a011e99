//! Bodies in parts: `multipart/form-data` and its kin.
//!
//! # Source
//!
//! RFC 7578, <https://www.rfc-editor.org/rfc/rfc7578>; names are escaped as browsers do,
//! <https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data>.

use manos_model::{Violation, sha256_hex};
use serde_json::Value;

use super::style::scalar;
use super::{Field, FieldContent};
use crate::canonical;

/// What a part's name must be, in a few words.
pub const PART_NAME_RULE: &str = "a name without control characters";

/// Writes the parts and says what they are, with the boundary between them.
///
/// The boundary is drawn from the content, so that the same arguments are the same bytes, and drawn
/// again until the content does not hold it.
pub(super) fn encode(
    media: &str,
    fields: &[(&Field, &Value)],
) -> Result<(String, Vec<u8>), Vec<Violation>> {
    let mut parts: Vec<(String, String)> = Vec::new();
    for (field, value) in fields {
        if field.name.chars().any(char::is_control) {
            let (path, expected) = (format!("/{}", field.argument), PART_NAME_RULE.to_owned());
            return Err(vec![Violation { path, expected, got: Value::Null }]);
        }
        let name = field.name.replace('"', "%22");
        let each = match (value, field.explode, &field.content) {
            (Value::Array(items), true, FieldContent::Styled | FieldContent::File(_)) => {
                items.iter().collect()
            }
            _ => vec![*value],
        };
        for value in each {
            let mut head = format!("Content-Disposition: form-data; name=\"{name}\"");
            let text = match &field.content {
                FieldContent::File(media) => {
                    head = format!("{head}; filename=\"{name}\"\r\nContent-Type: {media}");
                    scalar(value)
                }
                FieldContent::Styled if !value.is_object() && !value.is_array() => scalar(value),
                FieldContent::Json | FieldContent::Styled => {
                    head.push_str("\r\nContent-Type: application/json");
                    canonical::text(value)
                }
            };
            parts.push((head, text));
        }
    }
    let holds = |boundary: &str| parts.iter().any(|(_, text)| text.contains(boundary));
    let content: Vec<&[u8]> = parts.iter().map(|(_, text)| text.as_bytes()).collect();
    let mut boundary = sha256_hex(&content);
    boundary.truncate(BOUNDARY_CHARS);
    while holds(&boundary) {
        boundary = sha256_hex(&[boundary.as_bytes()]);
        boundary.truncate(BOUNDARY_CHARS);
    }
    let mut bytes = Vec::new();
    for (head, text) in &parts {
        bytes.extend_from_slice(format!("--{boundary}\r\n{head}\r\n\r\n{text}\r\n").as_bytes());
    }
    bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
    Ok((format!("{media}; boundary={boundary}"), bytes))
}

/// How long a boundary is; at most 70 are allowed.
const BOUNDARY_CHARS: usize = 32;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_property_is_a_part() {
        let file = Field { content: FieldContent::File("text/csv".into()), ..Field::new("f\"") };
        let (tags, meta) = (Field::new("tags"), Field::new("meta"));
        let (content, list, object) = (json!("a,b\r\n"), json!(["x", 2]), json!({"k": 1}));
        let fields = [(&file, &content), (&tags, &list), (&meta, &object)];
        let (media, bytes) = encode("multipart/form-data", &fields).unwrap();
        let boundary = media.strip_prefix("multipart/form-data; boundary=").unwrap();
        let body = String::from_utf8(bytes).unwrap();
        let expected = "--B\r\nContent-Disposition: form-data; name=\"f%22\"; filename=\"f%22\"\r\nContent-Type: text/csv\r\n\r\na,b\r\n\r\n\
            --B\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\nx\r\n\
            --B\r\nContent-Disposition: form-data; name=\"tags\"\r\n\r\n2\r\n\
            --B\r\nContent-Disposition: form-data; name=\"meta\"\r\nContent-Type: application/json\r\n\r\n{\"k\":1}\r\n\
            --B--\r\n";
        assert_eq!(body.replace(boundary, "B"), expected);
        assert_eq!(
            encode("multipart/form-data", &fields).unwrap().0,
            media,
            "the same bytes again"
        );
    }

    #[test]
    fn no_content_can_end_its_part() {
        let field = Field::new("a");
        let first = json!("x");
        let (media, _) = encode("m/x", &[(&field, &first)]).unwrap();
        let boundary = media.split("boundary=").nth(1).unwrap().to_owned();
        // A content cannot hold the boundary that is drawn from itself, but one that another draws.
        let second = json!(format!("\r\n--{boundary}--"));
        let (other, _) = encode("m/x", &[(&field, &second)]).unwrap();
        assert!(!second.as_str().unwrap().contains(other.split("boundary=").nth(1).unwrap()));
        let wrong = Field { name: "a\r\nb".into(), ..Field::new("a") };
        assert_eq!(encode("m/x", &[(&wrong, &first)]).unwrap_err()[0].expected, PART_NAME_RULE);
    }
}
