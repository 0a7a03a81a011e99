//! The whole way from text to agent.

use manos_model::Secret;

use crate::agent::AgentFile;
use crate::decode::{self, Decoder};
use crate::diagnostic::Diagnostic;
use crate::node::{self, Node, Value};
use crate::report::{self, Report, settle};
use crate::shape::{AGENT, Shape, check};
use crate::source::{Source, SourceFile, Span};
use crate::variables::{Found, World, replace};

/// What loading a file brought.
#[derive(Debug)]
pub struct Loaded {
    /// The agent; there exactly when there are no errors.
    pub agent: Option<AgentFile>,
    /// Why there is none: everything at once, by place.
    pub errors: Vec<Diagnostic>,
    /// What deserves a look.
    pub warnings: Vec<Diagnostic>,
    /// What the file asks for and this build cannot run. The agent is there all the same; whoever
    /// runs it must refuse while this is not empty.
    pub unsupported: Vec<Diagnostic>,
    /// What is worth saying once, such as an optional model that is off.
    pub notes: Vec<String>,
    /// Every value that came from a variable or stands under a key for secrets, for masking.
    pub secrets: Vec<Secret<String>>,
}

/// Reads, checks and compiles an agent file. Files and variables it names come from `world`.
///
/// ```
/// # struct Nothing;
/// # impl manos_config::World for Nothing {
/// #     fn read(&self, _: &str) -> Result<String, String> { Err("no such file".to_owned()) }
/// #     fn variable(&self, _: &str) -> Option<String> { None }
/// #     fn zone(&self, _: &str) -> Option<jiff::tz::TimeZone> { None }
/// # }
/// # let world = Nothing;
/// use manos_config::{SourceFile, load};
///
/// let good = load(&SourceFile::new("a.yaml", "name: espiga\nfallback: Hola\n"), &world);
/// assert_eq!(good.agent.unwrap().name.as_str(), "espiga");
///
/// let bad = load(&SourceFile::new("a.yaml", "name: espiga\nfalback: Hola\n"), &world);
/// assert!(bad.agent.is_none());
/// assert_eq!((bad.errors[0].code, bad.errors[0].line), ("config.unknown_key", 2));
/// assert_eq!(bad.errors[0].help, "did you mean `fallback`?");
/// ```
pub fn load(file: &SourceFile, world: &dyn World) -> Loaded {
    let source = Source::new(file);
    let mut report = Report::new(&source);
    let mut found = Found::default();
    let (mut agent, mut notes) = (None, Vec::new());
    let mut more = Vec::new();
    match node::read(&mut report) {
        Some(mut root) if matches!(root.value, Value::Map(_)) => {
            let model_missing = variables(&mut root, world, &report, &mut found);
            report.secret_spans.append(&mut found.secret_spans);
            report.unknown_values = found.missing.iter().map(|missing| missing.value).collect();
            found.tell(&mut report);
            check(&root, &Shape::Struct(&AGENT), "file", &mut report);
            let mut decoder = Decoder {
                report: &mut report,
                world,
                root: &root,
                notes: Vec::new(),
                elsewhere: Vec::new(),
            };
            agent = Some(decode::agent(&mut decoder, &model_missing));
            notes = decoder.notes;
            more = decoder.elsewhere;
        }
        Some(root) => {
            let message = format!("the file is {}, and must be a map of keys", root.kind());
            let span = Span::new(root.span.start, root.span.start + 1);
            report.error(report::WRONG_TYPE, span, message, "begin with `name: …`");
        }
        None => {}
    }
    report.errors.append(&mut more);
    let errors = settle(report.errors);
    Loaded {
        agent: agent.filter(|_| errors.is_empty()),
        errors,
        warnings: settle(report.warnings),
        unsupported: settle(report.unsupported),
        notes,
        secrets: found.secrets,
    }
}

/// Puts variables in place; returns those that an optional model misses.
fn variables(
    root: &mut Node,
    world: &dyn World,
    report: &Report<'_>,
    found: &mut Found,
) -> Vec<String> {
    let mut missing = Vec::new();
    let Value::Map(entries) = &mut root.value else { return missing };
    for entry in entries {
        let Some(field) = AGENT.fields.iter().find(|field| field.name == entry.key) else {
            continue;
        };
        let is_optional_model =
            entry.key == "model" && entry.node.get("optional").and_then(Node::bool) == Some(true);
        let before = found.missing.len();
        replace(&mut entry.node, &field.shape, field.variables, world, report, found);
        if is_optional_model {
            missing.extend(found.missing.drain(before..).map(|missing| missing.name));
        }
    }
    missing
}
