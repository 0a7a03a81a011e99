//! `manos classify`: reads answers, one JSON object a line, and adds what they say.

use std::borrow::Cow;
use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;

use manos_answer::{Answer, Asked, Language, Voice};
use serde::Deserialize;

use crate::args::ClassifyArgs;
use crate::failure::Failure;

/// One line of input. Unknown keys are kept as they are.
#[derive(Deserialize)]
struct Row<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    #[serde(borrow, default)]
    lang: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    channel: Option<Cow<'a, str>>,
    #[serde(default)]
    confidence: Option<f64>,
    #[serde(default)]
    menu: bool,
    #[serde(default)]
    cancels: bool,
    #[serde(default)]
    got: Option<serde::de::IgnoredAny>,
}

/// A transcript below this confidence is no answer.
const CONFIDENCE_MIN: f64 = 0.6;

pub(crate) fn run(args: &ClassifyArgs) -> Result<ExitCode, Failure> {
    let lang = match args.lang.as_deref() {
        None => None,
        Some(tag) => Some(Language::from_tag(tag).ok_or_else(|| {
            let known: Vec<&str> = Language::ALL.iter().map(|l| l.as_str()).collect();
            Failure::usage(format!("there are no word lists for {tag}"))
                .hint(format!("languages: {}", known.join(", ")))
        })?),
    };
    let mut stdin = std::io::stdin().lock();
    let mut stdout = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = stdin.read_until(b'\n', &mut line).map_err(|error| Failure::of(&error))?;
        if read == 0 {
            break;
        }
        let written = answer_line(&line, lang, &mut stdout);
        if written.is_err() {
            // Whoever read it has gone.
            return Ok(ExitCode::SUCCESS);
        }
    }
    // Whoever read it may have gone.
    let _gone = stdout.flush();
    Ok(ExitCode::SUCCESS)
}

fn answer_line(
    line: &[u8],
    lang: Option<Language>,
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let line = line.trim_ascii();
    let row: Row<'_> = match serde_json::from_slice(line) {
        Ok(row) => row,
        Err(error) => {
            let message = serde_json::json!({"error": error.to_string(), "got": "other"});
            return writeln!(out, "{message}");
        }
    };
    let got = read(&row, lang).as_str();
    if row.got.is_some() {
        // The key is there already: write the object anew.
        let mut value: serde_json::Value = serde_json::from_slice(line)?;
        value["got"] = got.into();
        return writeln!(out, "{value}");
    }
    out.write_all(line.strip_suffix(b"}").unwrap_or(line))?;
    writeln!(out, ",\"got\":\"{got}\"}}")
}

fn read(row: &Row<'_>, lang: Option<Language>) -> Answer {
    let own = row.lang.as_deref().and_then(Language::from_tag).or(lang);
    let languages: &[Language] = own.as_slice();
    let voice = (row.channel.as_deref() == Some("voice")).then_some(Voice {
        confidence: row.confidence,
        confidence_min: CONFIDENCE_MIN,
        overlapped: false,
    });
    manos_answer::read(&row.text, &Asked { languages, menu: row.menu, cancels: row.cancels, voice })
}
