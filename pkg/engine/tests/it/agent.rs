//! Small agents for scripts, also used by the scripts of `manos-chat`.

use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use manos_engine::{
    AgentParts, AgentSpec, ConfirmSettings, Filled, Limits, QuestionBody, QuoteSource, Tool,
};
use manos_policy::{Access, Dedupe, Role, ToolSpec};
use manos_schema::ToolSchema;
use manos_text::{Formats, Labels, Language, Locale, Money, Template, Texts};
use serde_json::{Value, json};

/// A tool that takes any arguments, changes something and asks nobody.
pub(crate) fn tool(name: &str) -> Tool {
    Tool {
        spec: ToolSpec {
            name: name.to_owned().try_into().unwrap(),
            schema: schema(&json!({"type": "object"})),
            confirm: false,
            dedupe: None,
            read_only: false,
            idempotent: false,
            definition: "v1".into(),
        },
        title: name.into(),
        description: format!("Hace {name}."),
        labels: Labels::new(),
        quote: None,
        body: QuestionBody::Arguments,
        fixed: Vec::new(),
        cancels: false,
        redact: false,
        timeout: Some(Duration::from_secs(15)),
    }
}

pub(crate) fn schema(source: &Value) -> Arc<ToolSchema> {
    Arc::new(ToolSchema::compile(source).unwrap())
}

/// A tool that only reads.
pub(crate) fn reads(name: &str) -> Tool {
    let mut tool = tool(name);
    tool.spec.read_only = true;
    tool
}

/// A tool that asks before it runs.
pub(crate) fn asks(name: &str, title: &str) -> Tool {
    let mut tool = tool(name);
    tool.spec.confirm = true;
    tool.title = title.into();
    tool
}

/// The bakery's order: a quantity and a product, with a label.
pub(crate) fn order() -> Tool {
    let mut tool = asks("crear_pedido", "Crear pedido");
    tool.spec.schema = schema(&json!({
        "type": "object",
        "properties": {
            "cantidad": {"type": "integer", "minimum": 1},
            "producto": {"type": "string"}
        },
        "required": ["cantidad"]
    }));
    let labels = [("pan_de_bono".to_owned(), "Pan de bono".into())];
    tool.labels.insert("producto".into(), labels.into());
    tool
}

/// The order, asked about with the lines that `cotizar` brings.
pub(crate) fn quoted_order() -> Tool {
    let mut tool = order();
    tool.quote =
        Some(QuoteSource { tool: "cotizar".to_owned().try_into().unwrap(), arguments: None });
    tool.body = QuestionBody::Lines(Template::compile("Total: {{ result.total }}").unwrap());
    tool
}

/// What the quoted order is asked about with.
pub(crate) fn quote() -> Tool {
    let mut tool = reads("cotizar");
    tool.spec.schema = schema(&json!({
        "type": "object", "properties": {"cantidad": {"type": "integer"}}, "additionalProperties": false
    }));
    tool
}

pub(crate) fn deduped(mut tool: Tool) -> Tool {
    tool.spec.dedupe = Some(Dedupe::args());
    tool
}

pub(crate) fn idempotent(mut tool: Tool) -> Tool {
    tool.spec.idempotent = true;
    tool
}

pub(crate) fn fixed(mut tool: Tool, name: &str, template: &str) -> Tool {
    tool.fixed.push((name.into(), Filled::Template(Template::compile(template).unwrap())));
    tool
}

pub(crate) fn role(name: &str, users: &[&str], tools: &[&str]) -> Role {
    let texts = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
    Role { name: name.into(), users: texts(users), tools: texts(tools), ..Role::default() }
}

/// An agent that speaks Spanish and has these tools.
pub(crate) fn agent(tools: Vec<Tool>) -> AgentSpec {
    let money = Money { symbol: "$".into(), decimals: 0 };
    let locale = Locale::from_tag("es-CO").unwrap();
    let parts = AgentParts {
        name: "espiga".into(),
        persona: "Eres el asistente.".into(),
        has_model: true,
        texts: Texts::new(Language::Es),
        formats: Formats::new(&locale, money, TimeZone::UTC),
        access: Access::default(),
        confirm: ConfirmSettings::default(),
        limits: Limits::default(),
        max_steps_message: None,
    };
    AgentSpec::new(parts, tools).unwrap()
}
