//! Errors as people see them: one clear sentence, what to do next, an exit code.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use manos::model::Fault;
use manos::ports::StoreError;
use manos::runtime::DeliverError;
use manos::{HttpSetupError, OpenError, StartError};

/// An error on its way to the person.
#[derive(Debug)]
pub(crate) struct Failure {
    /// What happened.
    pub(crate) sentence: String,
    /// What to do next.
    pub(crate) hint: Option<String>,
    kind: Kind,
}

/// What the exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Failed,
    NotConfirmed,
    Usage,
}

impl Failure {
    pub(crate) fn failed(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: None, kind: Kind::Failed }
    }

    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: None, kind: Kind::Usage }
    }

    pub(crate) fn not_confirmed(sentence: impl Into<String>) -> Self {
        Self { sentence: sentence.into(), hint: None, kind: Kind::NotConfirmed }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// An error with its causes as one sentence.
    pub(crate) fn of(error: &dyn Error) -> Self {
        let mut sentence = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            // Writing to a String cannot fail.
            let _ = write!(sentence, ": {cause}");
            source = cause.source();
        }
        Self::failed(sentence)
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self.kind {
            Kind::Failed => ExitCode::from(1),
            Kind::Usage => ExitCode::from(2),
            Kind::NotConfirmed => ExitCode::from(3),
        }
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::failed(format!("{} cannot be {doing}: {error}", path.display()))
    }
}

/// Whether something on the way to a file is not there.
fn is_missing(error: &StoreError) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        let io = cause.downcast_ref::<std::io::Error>();
        if io.is_some_and(|io| io.kind() == std::io::ErrorKind::NotFound) {
            return true;
        }
        source = cause.source();
    }
    false
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let failure = Self::of(&error);
        match &error {
            StoreError::Held { .. } => {
                failure.hint("end that process, or wait until it has ended, and try again")
            }
            StoreError::Newer { .. } => failure.hint("use the newer program that made it"),
            _ if is_missing(&error) => failure.hint("make the folder that the file is to be in"),
            _ if matches!(error.fault(), Fault::Unavailable { .. }) => {
                failure.hint("check that the disk has room and that the file can be written")
            }
            _ => failure,
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Store { source } => source.into(),
            OpenError::Database { .. } => Self::of(&error)
                .hint("its path and `init` stand under `databases`; the folder must be there"),
            _ => Self::of(&error),
        }
    }
}

impl From<HttpSetupError> for Failure {
    fn from(error: HttpSetupError) -> Self {
        Self::of(&error)
    }
}

impl From<DeliverError> for Failure {
    fn from(error: DeliverError) -> Self {
        match &error {
            DeliverError::Store { .. } => Self::of(&error)
                .hint("nothing of it was kept; check that the disk has room and can be written"),
            _ => Self::of(&error),
        }
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        Self::of(&error)
    }
}
