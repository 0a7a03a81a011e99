//! The bytes of a successful response → events or whole values, for every dialect.
//!
//! Owns what kind of body it is, how much of it is taken, and when the end of the bytes is the end
//! of the reply; what an event means is the dialect's [`ReplyReader`].

use std::fmt::Debug;

use manos_model::ModelReply;

use crate::leaked::Watch;
use crate::sse::BYTE_ORDER_MARK;
use crate::{DecodeError, EncodedTools, SseEvent, SseReader};

mod values;

use values::Values;

/// The most bytes of a reply's text, and of one JSON value of a response.
pub const REPLY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The most bytes of provider state that are kept to go back; beyond it none of it goes back.
pub const OPAQUE_BYTES_MAX: usize = 1024 * 1024;

/// The reply so far, as one dialect reads it.
///
/// The same value takes a stream's events and whole JSON bodies, so that both make the same reply.
pub trait ReplyReader: Debug + Send {
    /// Takes one event of a stream; `on_text` gets each new piece of the reply's text.
    ///
    /// # Errors
    ///
    /// [`DecodeError`]; the reader is of no use after it.
    fn event(
        &mut self,
        event: SseEvent<'_>,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), DecodeError>;

    /// Takes one whole JSON value: a body that is not streamed, or a line of one that is streamed as
    /// JSON lines. Also what is left of a value that was cut, which is an error.
    ///
    /// # Errors
    ///
    /// As [`ReplyReader::event`].
    fn whole(&mut self, json: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError>;

    /// Returns whether any text or call has come: after that the request is not made again.
    fn has_content(&self) -> bool;

    /// Returns whether the provider has ended the reply, so that nothing is missing.
    fn is_ended(&self) -> bool;

    /// Returns whether the stream has said its last word, so that nobody need wait for its end.
    fn is_done(&self) -> bool;

    /// Returns the reply, with the calls as they stand on the wire.
    fn finish(self: Box<Self>) -> ModelReply;
}

/// Takes the bytes of a successful response as they come and makes the reply of them.
///
/// What comes decides whether it is a stream of events, JSON lines or one JSON body, whatever was
/// asked for and whatever the content type says. A reply is whole only when the provider has ended it.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::{Dialect, EncodedTools, openai::Chat};
/// let mut decoder = Chat::default().decoder(&EncodedTools::default());
/// let mut shown = String::new();
/// let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hola\"}}]}\n\n\
///               data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
/// for byte in stream.as_bytes().chunks(1) {
///     decoder.push(byte, &mut |piece| shown.push_str(piece)).unwrap();
/// }
/// assert_eq!(shown, "Hola");
/// assert_eq!(decoder.finish(&mut |_| {}).unwrap().text, "Hola");
/// ```
#[derive(Debug)]
pub struct Decoder {
    form: Form,
    reader: Box<dyn ReplyReader>,
    tools: EncodedTools,
    watch: Watch,
    /// How many bytes of a byte-order mark have come before anything else.
    mark: usize,
}

/// What kind of body it is.
#[derive(Debug)]
enum Form {
    Stream(SseReader),
    /// Nothing but blanks so far.
    Unknown,
    Values(Values),
}

impl Decoder {
    /// Starts at the beginning of a response to a request with these tools.
    pub fn new(reader: Box<dyn ReplyReader>, tools: &EncodedTools) -> Self {
        let watch = Watch::new(tools);
        Self { form: Form::Unknown, reader, tools: tools.for_reply(), watch, mark: 0 }
    }

    /// Takes the next bytes; `on_text` gets each new piece of the reply's text.
    ///
    /// # Errors
    ///
    /// [`DecodeError`]; the decoder is of no use after it.
    pub fn push(&mut self, bytes: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        let bytes = match &mut self.form {
            Form::Unknown => {
                let mut bytes = bytes;
                while let (Some(next), Some((first, rest))) =
                    (BYTE_ORDER_MARK.get(self.mark), bytes.split_first())
                    && next == first
                {
                    (self.mark, bytes) = (self.mark + 1, rest);
                }
                let bytes = bytes.trim_ascii_start();
                match bytes.first() {
                    None => return Ok(()),
                    Some(&GZIP) => return Err(DecodeError::Compressed),
                    Some(b'<') => return Err(DecodeError::Html),
                    Some(b'{' | b'[') => self.form = Form::Values(Values::default()),
                    Some(_) => self.form = Form::Stream(SseReader::new()),
                }
                bytes
            }
            Form::Stream(_) | Form::Values(_) => bytes,
        };
        let Self { form, reader, watch, .. } = self;
        let on_text = &mut |piece: &str| watch.push(piece, on_text);
        match form {
            Form::Values(values) => values.push(bytes, &mut |json| reader.whole(json, on_text)),
            Form::Stream(sse) => {
                let mut outcome = Ok(());
                sse.push(bytes, &mut |event| {
                    if outcome.is_ok() && !says_nothing(&event) {
                        outcome = reader.event(event, on_text);
                    }
                })?;
                outcome
            }
            Form::Unknown => Ok(()),
        }
    }

    /// Returns whether any text or call has come: after that the request is not made again.
    pub fn has_content(&self) -> bool {
        self.reader.has_content()
    }

    /// Returns whether the stream has said its last word, so that nobody need wait for its end.
    pub fn is_done(&self) -> bool {
        self.reader.is_done()
    }

    /// Ends the response and returns the reply, names and arguments led back to the tools' own.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Truncated`] when the provider had not ended the reply, and any other.
    pub fn finish(self, on_text: &mut dyn FnMut(&str)) -> Result<ModelReply, DecodeError> {
        let Self { form, mut reader, tools, mut watch, .. } = self;
        let shown = &mut |piece: &str| watch.push(piece, on_text);
        match form {
            Form::Unknown => return Err(DecodeError::Empty),
            Form::Values(values) => {
                if let Some(rest) = values.rest() {
                    reader.whole(rest, shown)?;
                    return Err(DecodeError::Truncated);
                }
                if !reader.is_ended() {
                    let cut = reader.has_content() || values.count() > 1;
                    return Err(if cut { DecodeError::Truncated } else { DecodeError::NotAReply });
                }
            }
            Form::Stream(mut sse) => {
                let mut outcome = Ok(());
                sse.finish(&mut |event| {
                    if !says_nothing(&event) {
                        outcome = reader.event(event, shown);
                    }
                })?;
                match outcome {
                    // The event that was never ended was cut.
                    Err(DecodeError::NotJson) => return Err(DecodeError::Truncated),
                    other => other?,
                }
                if !reader.is_ended() {
                    return Err(DecodeError::Truncated);
                }
            }
        }
        let mut reply = watch.finish(reader.finish(), &tools, on_text)?;
        tools.lead_back(&mut reply);
        Ok(reply)
    }
}

/// Whether an event carries no more than a ping does.
fn says_nothing(event: &SseEvent<'_>) -> bool {
    event.name != "error" && matches!(event.data.trim_ascii(), b"null" | b"[]")
}

/// The first byte of a body that is compressed, which nobody asked for.
const GZIP: u8 = 0x1f;
