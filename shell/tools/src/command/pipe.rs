//! Reading from a process without ever keeping more than was agreed.

use tokio::io::{AsyncRead, AsyncReadExt as _};

/// How much is read at once.
const CHUNK_BYTES: usize = 16 * 1024;

/// What one read brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PipeEnd {
    /// There may be more.
    Open,
    /// Nobody can write any more.
    Closed,
    /// More came than may be kept.
    TooLong,
}

/// What happens at the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// Reading ends.
    Beginning,
    /// What came first is forgotten.
    End,
}

/// One end of a pipe and what was read from it.
#[derive(Debug)]
pub(super) struct Pipe<R> {
    source: Option<R>,
    bytes: Vec<u8>,
    bytes_max: usize,
    keep: Keep,
}

impl<R: AsyncRead + Unpin> Pipe<R> {
    /// Reads at most so many bytes.
    pub(super) fn up_to(source: Option<R>, bytes_max: usize) -> Self {
        Self { source, bytes: Vec::new(), bytes_max, keep: Keep::Beginning }
    }

    /// Reads everything and keeps the end.
    pub(super) fn tail(source: Option<R>, bytes_max: usize) -> Self {
        Self { source, bytes: Vec::new(), bytes_max, keep: Keep::End }
    }

    pub(super) fn ended(&self) -> bool {
        self.source.is_none()
    }

    /// Reads what is there. Dropping the future loses nothing.
    pub(super) async fn read(&mut self) -> PipeEnd {
        let Some(source) = &mut self.source else {
            return PipeEnd::Closed;
        };
        self.bytes.reserve(CHUNK_BYTES);
        // An error on a pipe means that there is nothing more to come.
        if source.read_buf(&mut self.bytes).await.unwrap_or(0) == 0 {
            self.source = None;
            return PipeEnd::Closed;
        }
        if self.bytes.len() <= self.bytes_max {
            return PipeEnd::Open;
        }
        match self.keep {
            Keep::Beginning => {
                self.source = None;
                PipeEnd::TooLong
            }
            Keep::End => {
                self.bytes.drain(..self.bytes.len() - self.bytes_max);
                PipeEnd::Open
            }
        }
    }

    /// Returns what was kept; what is no UTF-8 is replaced.
    pub(super) fn into_text(self) -> String {
        String::from_utf8(self.bytes)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}
