//! An agent's templates: compiled once, rendered under strict rules and limits.
//!
//! A missing name is an error, nothing is included from elsewhere, work is bounded by
//! [`TEMPLATE_FUEL`] and output by [`OUTPUT_BYTES_MAX`]. [`values`] carries JSON into the engine
//! with every digit, [`filters`] writes by locale,
//! [`names`] finds filters that do not exist. White space stays as it was written: no line is
//! trimmed, a newline at the end stays.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::{Map, Value};

use crate::Formats;
use crate::safe::safe_map;

mod error;
mod filters;
mod names;
mod values;

pub use error::TemplateError;

/// What one rendering may spend, in the engine's units: about one per instruction, and one per 64
/// bytes handled. Beyond it the rendering fails.
pub const TEMPLATE_FUEL: u64 = 100_000;

/// The most bytes a rendering may print; beyond it the rendering fails.
pub const OUTPUT_BYTES_MAX: usize = 64 * 1024;

/// How deep macros and loops may call each other.
const RECURSION_MAX: usize = 50;

/// The only template of its environment; no template can name it, since none can include.
const NAME: &str = "template";

/// Whether a rendering sees values as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// As they are: for replies.
    Raw,
    /// Through [`crate::safe_value`]: for everything a person is asked to confirm.
    Safe,
}

/// A compiled template.
///
/// # Examples
///
/// ```
/// use jiff::tz::TimeZone;
/// use manos_text::{Formats, Locale, Money, Template, Values};
/// use serde_json::json;
///
/// let pesos = Money { symbol: "$".to_owned(), decimals: 0 };
/// let formats = Formats::new(&Locale::from_tag("es-CO").unwrap(), pesos, TimeZone::UTC);
/// let template = Template::compile(
///     "{% for i in items %}• {{ i.nombre }}: {{ i.precio | money }}\n{% endfor %}Listo",
/// )?;
/// let vars = json!({"items": [{"nombre": "Café\n", "precio": 3500}]});
/// let text = template.render(Values::Safe, &formats, vars.as_object().unwrap())?;
/// assert_eq!(text, "• Café⏎: $3.500\nListo");
/// # Ok::<(), manos_text::TemplateError>(())
/// ```
///
/// Cheap to clone: clones share what was compiled.
#[derive(Debug, Clone)]
pub struct Template {
    compiled: Arc<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    environment: Environment<'static>,
    source: String,
}

impl Template {
    /// Compiles a template and checks that every filter and test it names exists.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] with the line, and the column where the engine knows it.
    pub fn compile(source: &str) -> Result<Self, TemplateError> {
        let mut environment = BASE.clone();
        environment
            .add_template_owned(NAME, source.to_owned())
            .map_err(|error| TemplateError::of(&error, source))?;
        names::check(&environment, source)?;
        let compiled = Compiled { environment, source: source.to_owned() };
        Ok(Self { compiled: Arc::new(compiled) })
    }

    /// Returns the text it was compiled from.
    pub fn source(&self) -> &str {
        &self.compiled.source
    }

    /// Renders the template over `vars`.
    ///
    /// # Errors
    ///
    /// [`TemplateError`] for a missing name, a value a filter refuses, spent fuel, or more than
    /// [`OUTPUT_BYTES_MAX`] bytes.
    pub fn render(
        &self,
        values: Values,
        formats: &Formats,
        vars: &Map<String, Value>,
    ) -> Result<String, TemplateError> {
        let seen = match values {
            Values::Raw => Cow::Borrowed(vars),
            Values::Safe => Cow::Owned(safe_map(vars)),
        };
        let root = values::root(&seen, formats);
        let text = self
            .compiled
            .environment
            .get_template(NAME)
            .and_then(|template| template.render(root))
            .map_err(|error| TemplateError::of(&error, &self.compiled.source))?;
        if text.len() > OUTPUT_BYTES_MAX {
            return Err(TemplateError::too_long(text.len()));
        }
        Ok(text)
    }

    /// Names what the template may look up, with the attributes it takes of them:
    /// `result.total`.
    ///
    /// Found without running it, so a name that only one branch uses is there too.
    pub fn variables(&self) -> BTreeSet<String> {
        self.compiled
            .environment
            .get_template(NAME)
            .map(|template| template.undeclared_variables(true).into_iter().collect())
            .unwrap_or_default()
    }
}

/// Cloned for each template; the tables inside are shared.
static BASE: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(TEMPLATE_FUEL));
    environment.set_recursion_limit(RECURSION_MAX);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    // Errors carry their place in the source; nothing is kept when all goes well.
    environment.set_debug(true);
    // It would print every value the agent holds.
    environment.remove_global("debug");
    if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
        environment.set_syntax(syntax);
    }
    environment.set_formatter(values::print);
    filters::add(&mut environment);
    environment
});

#[cfg(test)]
mod tests;
