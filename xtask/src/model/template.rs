//! The chat template of the weights, changed so that small models call tools.
//!
//! The model writes a call as a fenced block, whatever its own template asks for; the server works
//! out how to read calls by rendering the template. So the template is given the fence as marker.
//! The weights carry the template; it is read from there and changed here, and not kept.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// The header of the weights is searched this far. In the pinned file the template ends at 5.9 MB.
const HEADER_BYTES_MAX: u64 = 16 << 20;

const KEY: &[u8] = b"tokenizer.chat_template";

/// How the format of the weights marks a value as text.
/// Source: <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>, `GGUF_METADATA_VALUE_TYPE_STRING`.
const IS_TEXT: u32 = 8;

/// Each change: what stands there once, and what stands there afterwards.
const CHANGES: [(&str, &str); 6] = [
    (
        r"within <tool_call></tool_call> XML tags:\n<tool_call>\n",
        r"within a json code block:\n```json\n",
    ),
    // The tools come before the system text, which ends in the time: so the server reads the tools
    // once and not once a minute.
    ("{{- messages[0]['content'] }}", ""),
    (
        r#"<args-json-object>}\n</tool_call><|im_end|>\n" }}"#,
        r#"<args-json-object>}\n```\n\n" + (messages[0]['content'] if messages[0]['role'] == 'system' else '') + "<|im_end|>\n" }}"#,
    ),
    (r#"'\n<tool_call>\n{"name": "'"#, r#"'\n```json\n{"name": "'"#),
    (r"'}\n</tool_call>'", r"'}\n```'"),
    // Without this sentence the model makes the same call again for ever.
    (
        r"'\n</tool_response>'",
        r"'\n</tool_response>\nThe function has run. Answer my question in plain words with this result.'",
    ),
];

/// Reads the template out of the weights.
pub(super) fn in_weights(weights: &Path) -> Result<String> {
    let mut header = Vec::new();
    File::open(weights)?.take(HEADER_BYTES_MAX).read_to_end(&mut header)?;
    in_header(&header)
}

/// The value of the template's key: after the key a type, a length, and the text.
fn in_header(header: &[u8]) -> Result<String> {
    let key = header.windows(KEY.len()).position(|window| window == KEY);
    let after = key.map(|at| &header[at + KEY.len()..]).context("the weights hold no template")?;
    let (kind, after) = after.split_first_chunk().context("the weights end in the template")?;
    let (length, after) = after.split_first_chunk().context("the weights end in the template")?;
    if u32::from_le_bytes(*kind) != IS_TEXT {
        bail!("the template in the weights is not text");
    }
    let length = usize::try_from(u64::from_le_bytes(*length))?;
    let text = after.get(..length).context("the weights end in the template")?;
    String::from_utf8(text.to_vec()).context("the template in the weights is not UTF-8")
}

/// Makes the fence the marker of a call.
///
/// # Errors
///
/// When what is to be changed does not stand there exactly once: then it is another template.
pub(super) fn fence(template: &str) -> Result<String> {
    let mut changed = template.to_owned();
    for (from, to) in CHANGES {
        let count = changed.matches(from).count();
        if count != 1 {
            bail!("the template in the weights holds `{from}` {count} times, not once");
        }
        changed = changed.replace(from, to);
    }
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_is_read_by_its_length() {
        let header = |kind: u32, length: u64| {
            let mut bytes = b"GGUF....tokenizer.chat_template".to_vec();
            bytes.extend(kind.to_le_bytes());
            bytes.extend(length.to_le_bytes());
            bytes.extend(b"{{ x }}and the next key");
            bytes
        };
        assert_eq!(in_header(&header(8, 7)).unwrap(), "{{ x }}");
        assert_eq!(
            in_header(&header(4, 7)).unwrap_err().to_string(),
            "the template in the weights is not text"
        );
        assert_eq!(
            in_header(&header(8, 700)).unwrap_err().to_string(),
            "the weights end in the template"
        );
        assert_eq!(in_header(b"GGUF").unwrap_err().to_string(), "the weights hold no template");
    }

    #[test]
    fn every_marker_becomes_the_fence() {
        let markers: Vec<&str> = CHANGES.iter().map(|(from, _)| *from).collect();
        let changed = fence(&markers.join("\n")).unwrap();
        assert!(!changed.contains("tool_call>"), "{changed}");
        assert_eq!(changed.matches("```json").count(), 2);
    }

    #[test]
    fn another_template_is_refused() {
        let error = fence("{{ messages }}").unwrap_err().to_string();
        assert!(error.contains("0 times"), "{error}");
    }
}
