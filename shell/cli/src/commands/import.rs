//! `manos import`: tools that are described elsewhere, printed as an agent file.

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;

use manos::config::{ForeignTools, ImportError, ImportedFile, import_openapi, import_tools};

use crate::args::{ImportArgs, ImportFrom};
use crate::failure::Failure;
use crate::output;

/// The longest document that is read, in bytes; a longer one is refused.
const DOCUMENT_BYTES_MAX: u64 = 64 * 1024 * 1024;

pub(crate) fn run(args: &ImportArgs) -> Result<ExitCode, Failure> {
    let text = read(&args.document)?;
    let written = match args.from {
        ImportFrom::Openapi => import_openapi(&text, &args.document.display().to_string()),
        ImportFrom::Retell => import_tools(ForeignTools::Retell, &text),
        ImportFrom::Vapi => import_tools(ForeignTools::Vapi, &text),
    };
    let written = written.map_err(|error| refused(&error))?;
    tell(&written);
    Ok(ExitCode::SUCCESS)
}

/// The file on standard output, so that it can be kept; what is to be known on standard error.
fn tell(written: &ImportedFile) {
    output::line(written.yaml.trim_end());
    for note in &written.notes {
        output::note(note);
    }
    if !written.variables.is_empty() {
        let names = written.variables.join(", ");
        output::note(&format!("secrets are not copied; set these variables: {names}"));
    }
}

/// Reads a document; `-` is standard input.
fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let source: Box<dyn std::io::Read> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(path).map_err(|error| Failure::file("read", path, &error))?)
    };
    source
        .take(DOCUMENT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::file("read", path, &error))?;
    if bytes.len() as u64 > DOCUMENT_BYTES_MAX {
        let path = path.display();
        return Err(Failure::failed(format!("{path} has more than {DOCUMENT_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::failed(format!("{} is not UTF-8", path.display())))
}

fn refused(error: &ImportError) -> Failure {
    let failure = Failure::of(error);
    match error {
        ImportError::NoTools => failure.hint(
            "give the JSON of one tool, of a list of tools, or of the assistant that has them",
        ),
        _ => failure,
    }
}
