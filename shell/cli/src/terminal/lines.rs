//! Reading lines of any bytes: long ones are bounded, bad ones are made text.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

/// The longest line that is read whole, in bytes; the rest of a longer one is dropped, and what is
/// left is still far over the longest message.
pub(crate) const LINE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Reads the next line without its end; `None` at the end of input. Bytes that are no UTF-8 become
/// replacement characters.
pub(crate) async fn next(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    let mut line: Vec<u8> = Vec::new();
    let mut any = false;
    loop {
        let chunk = input.fill_buf().await?;
        if chunk.is_empty() {
            break;
        }
        any = true;
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let piece = &chunk[..end.unwrap_or(chunk.len())];
        let room = LINE_BYTES_MAX.saturating_sub(line.len());
        line.extend_from_slice(&piece[..piece.len().min(room)]);
        let used = end.map_or(chunk.len(), |end| end + 1);
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if !any {
        return Ok(None);
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_end_at_newlines_and_hold_any_bytes() {
        let mut input: &[u8] = b"men\xc3\xba\r\n\n\xff\xfe\nlast";
        let mut read = Vec::new();
        while let Some(line) = next(&mut input).await.unwrap() {
            read.push(line);
        }
        assert_eq!(read, ["menú", "", "\u{fffd}\u{fffd}", "last"]);
    }

    #[tokio::test]
    async fn a_line_without_end_is_bounded() {
        let long = vec![b'x'; LINE_BYTES_MAX + 5];
        let mut input: &[u8] = &long;
        assert_eq!(next(&mut input).await.unwrap().unwrap().len(), LINE_BYTES_MAX);
        assert_eq!(next(&mut input).await.unwrap(), None);
    }
}
