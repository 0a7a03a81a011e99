//! A checked tree to an [`AgentFile`].
//!
//! The table has already told of unknown keys and wrong types, so reading here is silent about
//! them; what is told here is what the table cannot see: names that refer to nothing, keys that
//! exclude each other, schemas, templates, patterns and SQL that do not compile.

mod advice;
mod confirm;
mod http;
mod model;
mod notices;
mod openapi;
mod references;
mod rule;
mod runner;
mod script;
mod security;
mod server;
mod settings;
mod source;
mod template;
mod tool;
mod unbuilt;
mod value;

pub use notices::NOTICES_MAX;
pub use rule::RULES_MAX;
pub use template::PATTERN_BYTES_MAX;
pub use tool::TOOLS_MAX;

use std::collections::BTreeMap;

use manos_model::{AgentName, Secret};
use manos_text::{Language, Locale, Texts};

use crate::agent::{AgentFile, ModelChoice, StoreConfig};
use crate::diagnostic::Diagnostic;
use crate::node::Node;
use crate::report::{self, Report};
use crate::source::Span;
use crate::variables::World;

/// The longest name of an agent, in characters.
const NAME_CHARS_MAX: usize = 64;

/// What decoding needs and fills.
pub(crate) struct Decoder<'a, 'r> {
    pub(crate) report: &'r mut Report<'a>,
    pub(crate) world: &'a dyn World,
    /// The file.
    pub(crate) root: &'r Node,
    pub(crate) notes: Vec<String>,
    /// Diagnostics of the files that this one names.
    pub(crate) elsewhere: Vec<Diagnostic>,
}

/// Decodes the whole file. `model_missing`: the variables that an optional model lacks.
pub(crate) fn agent(d: &mut Decoder<'_, '_>, model_missing: &[String]) -> AgentFile {
    let root = d.root;
    let name = d.name();
    let (language, locale) = d.language();
    let access = d.access();
    let network = d.network();
    let databases = d.databases();
    let context = tool::Context {
        databases: &databases,
        network: &network,
        prefix: d.signing_prefix(),
        tool_timeout: value::timeout_or(root, "tool_timeout", settings::TOOL_TIMEOUT),
        has_webhook: root.get("webhook").is_some(),
    };
    let (tools, sources) = d.tools(&context);
    let prefix = context.prefix.clone();
    let rules = d.rules(&tools, &sources);
    let model = d.model(model_missing, &network);
    let server = d.server(&tools, &sources);
    let agent = AgentFile {
        store: d.store(&name),
        name,
        language,
        locale,
        time_zone: d.time_zone(),
        money: d.money(),
        persona: value::text(root, "persona").unwrap_or_default(),
        fallback_models: d.fallback_models(&network),
        model,
        store_keep: value::duration(root, "store_keep"),
        databases,
        confirm: d.confirm(&access),
        tools,
        sources,
        access,
        webhook: d.webhook(&network),
        notices: d.notices(&network),
        rules,
        channels: d.channels(),
        limits: settings::limits(root),
        max_steps_message: value::text(root, "max_steps_message"),
        final_answer: value::bool_or(root, "final_answer", false),
        interim_text: value::bool_or(root, "interim_text", false),
        parallel_reads: value::bool_or(root, "parallel_reads", false),
        fallback: value::text(root, "fallback"),
        greeting: value::text(root, "greeting"),
        texts: d.texts(language),
        signing_prefix: prefix,
        network,
        server,
        direct_tools: value::texts(root, "direct_tools").unwrap_or_default(),
    };
    d.references(&agent);
    d.advice(&agent);
    d.unbuilt(&agent);
    if let ModelChoice::Off { reason } = &agent.model {
        d.notes.push(format!("{reason}; the agent runs on its rules alone"));
    }
    agent
}

impl Decoder<'_, '_> {
    /// Reports a mistake at a place.
    fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report.error(code, span, message, help);
    }

    fn name(&mut self) -> AgentName {
        let Some(node) = self.root.get("name") else { return AgentName::new("agent") };
        let name = node.text().unwrap_or("agent");
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let chars = name.chars().count();
        if !(1..=NAME_CHARS_MAX).contains(&chars) || !name.chars().all(fits) {
            self.error(
                report::BAD_VALUE,
                node.span,
                "this is no name for an agent",
                format!("use letters, digits, `_` and `-`, at most {NAME_CHARS_MAX} of them"),
            );
        }
        AgentName::new(name)
    }

    /// The language and the locale; each gives the other when only one is there.
    fn language(&mut self) -> (Language, Locale) {
        let language = self.root.get("language").and_then(Node::text).and_then(Language::from_tag);
        let locale = self.root.get("locale").and_then(|node| {
            let locale = node.text().and_then(Locale::from_tag);
            if locale.is_none() && node.text().is_some() {
                let known: Vec<&str> = Language::ALL.iter().map(|l| l.tag()).collect();
                self.error(
                    report::BAD_VALUE,
                    node.span,
                    "this is no locale that is known here",
                    format!(
                        "write language and region, as in `es-CO`; languages: {}",
                        known.join(", ")
                    ),
                );
            }
            locale
        });
        let language = language.or(locale.as_ref().map(Locale::language)).unwrap_or(Language::En);
        (language, locale.unwrap_or_else(|| language.into()))
    }

    fn time_zone(&mut self) -> Option<jiff::tz::TimeZone> {
        let node = self.root.get("time_zone")?;
        let zone = self.world.zone(node.text()?);
        if zone.is_none() {
            self.error(
                report::BAD_VALUE,
                node.span,
                "this time zone is not known",
                "write an IANA name such as `America/Bogota` or `UTC`",
            );
        }
        zone
    }

    fn store(&mut self, name: &AgentName) -> StoreConfig {
        let fresh = StoreConfig::Sqlite { path: format!("{name}.db") };
        match self.root.get("store") {
            Some(node) => self.location(node).unwrap_or(fresh),
            None => fresh,
        }
    }

    /// Reads `memory`, `sqlite:PATH` or `postgres://…`.
    fn location(&mut self, node: &Node) -> Option<StoreConfig> {
        let text = node.text()?;
        if text == "memory" || text == "sqlite::memory:" {
            return Some(StoreConfig::Memory);
        }
        if let Some(path) = text.strip_prefix("sqlite:").filter(|path| !path.is_empty()) {
            let path = path.strip_prefix("//").unwrap_or(path);
            return Some(StoreConfig::Sqlite { path: path.to_owned() });
        }
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            self.report.not_built(node.span, "PostgreSQL", "use `sqlite:PATH` for now");
            return Some(StoreConfig::Postgres { url: Secret::new(text.to_owned()) });
        }
        self.error(
            report::BAD_VALUE,
            node.span,
            "this is no place that is known here",
            "write `memory`, `sqlite:PATH` or `postgres://…`",
        );
        None
    }

    fn texts(&mut self, language: Language) -> BTreeMap<String, String> {
        let mut kept = BTreeMap::new();
        for entry in self.root.get("texts").map(Node::entries).unwrap_or_default() {
            let Some(text) = entry.node.text() else { continue };
            let one = BTreeMap::from([(entry.key.clone(), text.to_owned())]);
            match Texts::with_overrides(language, &one) {
                Ok(_) => kept.extend(one),
                Err(manos_text::TextError::UnknownKey { .. }) => {
                    let known: Vec<&str> = Texts::keys().collect();
                    let help = crate::shape::suggestion(&entry.key, &known);
                    let message = format!("there is no text `{}`", entry.key);
                    self.error(report::UNKNOWN_NAME, entry.key_span, message, help);
                }
                Err(error) => {
                    self.error(report::BAD_VALUE, entry.node.span, error.to_string(), "");
                }
            }
        }
        kept
    }
}
