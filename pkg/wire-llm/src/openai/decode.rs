//! Bytes → a reply: what kind of body it is, and when it has ended.

use std::sync::Arc;

use manos_model::ModelReply;

use crate::{DecodeError, NameTable, SseReader};

mod partial;

use partial::Partial;
pub(super) use partial::text;

/// The most bytes of a reply's text, and of a response that is not streamed.
pub const REPLY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The most bytes of reasoning that are kept to go back; beyond it none of it goes back.
pub const OPAQUE_BYTES_MAX: usize = 1024 * 1024;

/// Takes the bytes of a successful response as they come and makes the reply of them.
///
/// What comes decides whether it is a stream, whatever was asked for and whatever the content type
/// says; a body that is not streamed is one event on the same path. A reply is whole only when the
/// provider has ended it: by a finish reason, by `[DONE]`, or by the end of a whole JSON body.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::openai::Decoder;
/// let mut decoder = Decoder::new(Default::default());
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
    reply: Partial,
}

/// What kind of body it is.
#[derive(Debug)]
enum Form {
    /// Nothing but blanks so far.
    Unknown,
    Json(Vec<u8>),
    Stream(SseReader),
}

impl Decoder {
    /// Starts at the beginning of a response; `names` are those of the request's tools.
    pub fn new(names: Arc<NameTable>) -> Self {
        Self { form: Form::Unknown, reply: Partial::new(names) }
    }

    /// Takes the next bytes; `on_text` gets each new piece of the reply's text.
    ///
    /// # Errors
    ///
    /// [`DecodeError`]; the decoder is of no use after it.
    pub fn push(&mut self, bytes: &[u8], on_text: &mut dyn FnMut(&str)) -> Result<(), DecodeError> {
        let bytes = match &mut self.form {
            Form::Unknown => {
                let bytes = bytes.trim_ascii_start();
                match bytes.first() {
                    None => return Ok(()),
                    Some(b'<') => return Err(DecodeError::Html),
                    Some(b'{' | b'[') => self.form = Form::Json(Vec::new()),
                    Some(_) => self.form = Form::Stream(SseReader::new()),
                }
                bytes
            }
            Form::Json(_) | Form::Stream(_) => bytes,
        };
        match &mut self.form {
            Form::Json(body) => {
                if body.len().saturating_add(bytes.len()) > REPLY_BYTES_MAX {
                    return Err(DecodeError::TooLarge { max: REPLY_BYTES_MAX });
                }
                body.extend_from_slice(bytes);
                Ok(())
            }
            Form::Stream(sse) => {
                let mut outcome = Ok(());
                let reply = &mut self.reply;
                sse.push(bytes, &mut |event| {
                    if outcome.is_ok() {
                        outcome = reply.take_event(event, on_text);
                    }
                })?;
                outcome
            }
            Form::Unknown => Ok(()),
        }
    }

    /// Returns whether any text or call has come: after that the request is not made again.
    pub fn has_content(&self) -> bool {
        self.reply.has_content()
    }

    /// Returns whether the stream has said its last word, so that nobody need wait for its end.
    pub fn is_done(&self) -> bool {
        self.reply.done
    }

    /// Ends the response and returns the reply.
    ///
    /// # Errors
    ///
    /// [`DecodeError::Truncated`] when the provider had not ended the reply, and any other.
    pub fn finish(self, on_text: &mut dyn FnMut(&str)) -> Result<ModelReply, DecodeError> {
        let Self { form, mut reply } = self;
        match form {
            Form::Unknown => return Err(DecodeError::Empty),
            Form::Json(body) => {
                reply.take_json(&body, on_text)?;
                if !reply.choices_seen {
                    return Err(DecodeError::NotAReply);
                }
            }
            Form::Stream(mut sse) => {
                let mut outcome = Ok(());
                sse.finish(&mut |event| outcome = reply.take_event(event, on_text))?;
                match outcome {
                    // The event that was never ended was cut.
                    Err(DecodeError::NotJson) => return Err(DecodeError::Truncated),
                    other => other?,
                }
                if !reply.is_ended() {
                    return Err(DecodeError::Truncated);
                }
            }
        }
        Ok(reply.finish())
    }
}
