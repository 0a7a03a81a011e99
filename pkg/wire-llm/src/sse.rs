//! Bytes cut anywhere → whole server-sent events.
//!
//! Owns lines, fields and event ends; what an event's data means is the dialect's. Tested by cutting
//! every stream at every byte.

use thiserror::Error;

/// The most bytes of one event, its unfinished line included; a longer one ends the stream.
pub const EVENT_BYTES_MAX: usize = 1024 * 1024;

/// Why a stream cannot be read on.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SseError {
    /// One event is longer than [`EVENT_BYTES_MAX`].
    #[error("an event of the stream is longer than {EVENT_BYTES_MAX} bytes")]
    EventTooLong,
}

/// One whole event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// Its type; empty when the stream names none.
    pub name: &'a str,
    /// Its data, lines joined by LF. Bytes, since only the dialect knows what they are.
    pub data: &'a [u8],
}

/// Reads server-sent events out of bytes that may be cut anywhere.
///
/// Lines end with LF, CR or CRLF, also when a chunk ends between the two. Comments (pings), `id`,
/// `retry` and unknown fields are passed over; an event without data is none.
///
/// # Source
///
/// WHATWG HTML, server-sent events, "Interpreting an event stream". One difference: data at the end
/// of the stream without an empty line after it counts, since servers forget that line.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::SseReader;
/// let mut reader = SseReader::new();
/// let mut seen = Vec::new();
/// for piece in ["data: on", "e\r", "\n\r\n: ping\n\ndata: two\n", "\n"] {
///     reader.push(piece.as_bytes(), &mut |event| seen.push(event.data.to_vec())).unwrap();
/// }
/// assert_eq!(seen, [b"one".to_vec(), b"two".to_vec()]);
/// ```
#[derive(Debug, Default)]
pub struct SseReader {
    /// The unfinished line.
    line: Vec<u8>,
    data: Vec<u8>,
    name: String,
    has_data: bool,
    /// The last byte was a CR: an LF right after it belongs to the same line end.
    after_cr: bool,
    /// A byte-order mark may stand only before the first line.
    begun: bool,
}

impl SseReader {
    /// Starts at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes and hands over each event that they complete.
    ///
    /// # Errors
    ///
    /// [`SseError::EventTooLong`]; the reader is of no use after it.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        on_event: &mut dyn FnMut(SseEvent<'_>),
    ) -> Result<(), SseError> {
        if self.after_cr && !bytes.is_empty() {
            self.after_cr = false;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (head, rest) = bytes.split_at(end);
            if self.line.is_empty() {
                self.take_line(head, on_event)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(head);
                self.take_line(&line, on_event)?;
                line.clear();
                self.line = line;
            }
            bytes = if let Some(after) = rest.strip_prefix(b"\r") {
                self.after_cr = after.is_empty();
                after.strip_prefix(b"\n").unwrap_or(after)
            } else {
                rest.get(1..).unwrap_or_default()
            };
        }
        self.line.extend_from_slice(bytes);
        self.check_size(0)
    }

    /// Ends the stream: a last event without an empty line after it is handed over too.
    ///
    /// # Errors
    ///
    /// [`SseError::EventTooLong`].
    pub fn finish(&mut self, on_event: &mut dyn FnMut(SseEvent<'_>)) -> Result<(), SseError> {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take_line(&line, on_event)?;
        }
        self.dispatch(on_event);
        Ok(())
    }

    fn take_line(
        &mut self,
        line: &[u8],
        on_event: &mut dyn FnMut(SseEvent<'_>),
    ) -> Result<(), SseError> {
        let mut line = line;
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            self.dispatch(on_event);
            return Ok(());
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => {
                (line.get(..colon).unwrap_or_default(), line.get(colon + 1..).unwrap_or_default())
            }
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                self.check_size(value.len())?;
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.check_size(value.len())?;
                self.name.clear();
                self.name.push_str(&String::from_utf8_lossy(value));
            }
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, on_event: &mut dyn FnMut(SseEvent<'_>)) {
        if self.has_data {
            on_event(SseEvent { name: &self.name, data: &self.data });
        }
        self.data.clear();
        self.name.clear();
        self.has_data = false;
    }

    fn check_size(&self, more: usize) -> Result<(), SseError> {
        let size = self.line.len().saturating_add(self.data.len()).saturating_add(more);
        if size > EVENT_BYTES_MAX { Err(SseError::EventTooLong) } else { Ok(()) }
    }
}

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut reader = SseReader::new();
        let mut seen = Vec::new();
        let mut keep = |event: SseEvent<'_>| {
            let data = String::from_utf8(event.data.to_vec()).unwrap();
            seen.push((event.name.to_owned(), data));
        };
        for piece in pieces {
            reader.push(piece, &mut keep).unwrap();
        }
        reader.finish(&mut keep).unwrap();
        seen
    }

    /// Reason, stream, the events as name and data.
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

    #[test]
    fn events_are_read_as_the_standard_says() {
        let cases: &[Case<'_>] = &[
            ("LF", "data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]),
            ("CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", &[("", "a"), ("", "b")]),
            ("CR", "data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]),
            ("lines are joined", "data: a\ndata: b\n\n", &[("", "a\nb")]),
            ("only one blank goes", "data:  a\n\ndata:b\n\n", &[("", " a"), ("", "b")]),
            ("a name", "event: error\ndata: {}\n\n", &[("error", "{}")]),
            (
                "pings and unknown fields",
                ": ping\n\nid: 1\nretry: 5\nx\n\ndata: a\n\n",
                &[("", "a")],
            ),
            ("a name without data is no event", "event: x\n\ndata: a\n\n", &[("", "a")]),
            ("empty data is an event", "data\n\n", &[("", "")]),
            ("no empty line at the end", "data: [DONE]", &[("", "[DONE]")]),
            ("a byte-order mark", "\u{feff}data: a\n\n", &[("", "a")]),
            ("a mark elsewhere is data", "data: \u{feff}a\n\n", &[("", "\u{feff}a")]),
            ("letters beyond ASCII", "data: año 🥐\n\n", &[("", "año 🥐")]),
        ];
        for (why, text, expected) in cases {
            let expected: Vec<(String, String)> =
                expected.iter().map(|(n, d)| ((*n).to_owned(), (*d).to_owned())).collect();
            assert_eq!(read(&[text.as_bytes()]), expected, "{why}");
            for cut in 0..=text.len() {
                let (head, tail) = text.as_bytes().split_at(cut);
                assert_eq!(read(&[head, tail]), expected, "{why}, cut at {cut}");
            }
            let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(read(&single), expected, "{why}, byte by byte");
        }
    }

    #[test]
    fn an_event_without_end_is_stopped() {
        let mut reader = SseReader::new();
        let piece = vec![b'x'; 64 * 1024];
        let mut outcome = Ok(());
        for _ in 0..=EVENT_BYTES_MAX / piece.len() {
            outcome = reader.push(&piece, &mut |_| {});
        }
        assert_eq!(outcome, Err(SseError::EventTooLong));
    }

    #[test]
    fn many_short_data_lines_are_stopped_too() {
        let mut reader = SseReader::new();
        let lines = "data: xxxxxxxxxxxxxxxx\n".repeat(4096);
        let outcome = (0..32).try_for_each(|_| reader.push(lines.as_bytes(), &mut |_| {}));
        assert_eq!(outcome, Err(SseError::EventTooLong));
    }
}
