//! One operation → one tool.

use manos_wire_tool::http::Method;
use manos_wire_tool::placement::{At, Parameter, Placement, Style};
use serde_json::{Map, Value, json};

use crate::body::{Argument, BodyPlan, style_named, written};
use crate::document::Document;
use crate::names::Names;
use crate::schema::fitted;
use crate::security::{self, Scheme};

/// The longest description of a tool, in characters; a longer one is cut at a sentence or a word.
pub const DESCRIPTION_CHARS_MAX: usize = 1_000;

/// Headers that a document may describe and that are not the model's to choose.
const NOT_OURS_TO_ASK: [&str; 9] = [
    "accept",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "idempotency-key",
    "transfer-encoding",
];

/// One operation as a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedTool {
    /// Legal for every provider and unique in the document.
    pub name: String,
    /// The operation's summary, when it has one.
    pub title: Option<String>,
    /// For the model: summary and description.
    pub description: String,
    /// JSON Schema of draft 2020-12 that stands alone.
    pub parameters: Value,
    /// How it is called.
    pub method: Method,
    /// The address; `{argument}` stands in its path.
    pub url: String,
    /// Where each argument goes.
    pub placement: Placement,
    /// Whether it changes nothing, by its method.
    pub read_only: bool,
    /// The path as the document has it.
    pub path: String,
    /// The document's own id.
    pub operation_id: Option<String>,
    /// The document's tags.
    pub tags: Vec<String>,
    /// Which secrets it wants: alternatives, each a list of what goes together.
    pub security: Vec<Vec<Scheme>>,
}

/// One operation in its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) document: &'a Document,
    pub(crate) path: &'a str,
    pub(crate) item: &'a Map<String, Value>,
    pub(crate) method: Method,
    pub(crate) operation: &'a Value,
    /// The server's address, given beside the document.
    pub(crate) server: Option<&'a str>,
}

/// Makes the tool, or says why there is none.
pub(crate) fn tool(place: Place<'_>, name: String) -> Result<ImportedTool, String> {
    let Place { document, operation, .. } = place;
    let own = operation.as_object().cloned().unwrap_or_default();
    let server =
        document.server([&own, place.item], place.server).map_err(|error| error.to_string())?;
    let mut names = Names::default();
    let body = BodyPlan::of(document, operation);
    let body = match (place.method, body) {
        (Method::Get, Some(body)) if body.is_required => {
            return Err("a GET that requires a body cannot be sent".to_owned());
        }
        (Method::Get, _) => None,
        (_, body) => body,
    };
    // The body's properties keep their names: there are more of them, and they are spoken of more.
    let (placed_body, mut arguments) = body
        .as_ref()
        .map(|body| body.named(document, &mut names))
        .map_or((None, Vec::new()), |(body, arguments)| (Some(body), arguments));
    let parameters = parameters(place)?;
    let mut placement = Placement { parameters: Vec::new(), body: placed_body };
    let mut path = place.path.to_owned();
    let mut front = Vec::new();
    for parameter in parameters {
        let placed = placed(document, parameter, &mut names)?;
        let is_required =
            placed.at == At::Path || parameter.get("required") == Some(&Value::Bool(true));
        if placed.at == At::Path {
            path = with_hole(document, &path, &placed, parameter)?;
        }
        let schema = schema_of(parameter);
        let description = parameter.get("description").and_then(Value::as_str);
        front.push(Argument { name: placed.argument.clone(), schema, description, is_required });
        placement.parameters.push(placed);
    }
    check_holes(&path, &placement)?;
    front.append(&mut arguments);
    let parameters = fitted(document, |writer| {
        let mut properties = Map::new();
        for argument in &front {
            properties.insert(argument.name.clone(), written(writer, argument));
        }
        let required: Vec<&str> =
            front.iter().filter(|one| one.is_required).map(|one| one.name.as_str()).collect();
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        schema["additionalProperties"] = Value::Bool(false);
        schema
    });
    let text = |key: &str| operation.get(key).and_then(Value::as_str).map(str::trim);
    let tags = operation.get("tags").and_then(Value::as_array).into_iter().flatten();
    Ok(ImportedTool {
        name,
        title: text("summary").filter(|words| !words.is_empty()).map(str::to_owned),
        description: description(place),
        parameters,
        method: place.method,
        url: format!("{server}{path}"),
        placement,
        read_only: place.method.only_reads(),
        path: place.path.to_owned(),
        operation_id: text("operationId").map(str::to_owned),
        tags: tags.filter_map(Value::as_str).map(str::to_owned).collect(),
        security: security::alternatives(document, operation),
    })
}

/// The path's parameters with the operation's own, which win.
fn parameters(place: Place<'_>) -> Result<Vec<&Value>, String> {
    let mut found: Vec<&Value> = Vec::new();
    let lists = [place.item.get("parameters"), place.operation.get("parameters")];
    for one in lists.into_iter().flatten().filter_map(Value::as_array).flatten() {
        let Some(parameter) = place.document.resolve(one) else {
            let reference = one.get("$ref").and_then(Value::as_str).unwrap_or("a parameter");
            return Err(format!("the document does not hold {reference}"));
        };
        let key = |one: &Value| (one.get("name").cloned(), one.get("in").cloned());
        let name = parameter.get("name").and_then(Value::as_str).unwrap_or_default();
        let is_header = parameter.get("in").is_some_and(|at| at == "header");
        if is_header && NOT_OURS_TO_ASK.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        match found.iter_mut().find(|known| key(known) == key(parameter)) {
            Some(known) => *known = parameter,
            None => found.push(parameter),
        }
    }
    Ok(found)
}

fn placed(document: &Document, parameter: &Value, names: &mut Names) -> Result<Parameter, String> {
    let text = |key: &str| parameter.get(key).and_then(Value::as_str);
    let Some(name) = text("name").filter(|name| !name.is_empty()) else {
        return Err("one of its parameters has no name".to_owned());
    };
    let (at, place) = match text("in") {
        Some("path") => (At::Path, "path"),
        Some("query") => (At::Query, "query"),
        Some("header") => (At::Header, "header"),
        Some("cookie") => (At::Cookie, "cookie"),
        other => return Err(format!("the parameter {name:?} is in {other:?}")),
    };
    let mut placed = Parameter::new(names.argument(name, place), at);
    name.clone_into(&mut placed.name);
    if at == At::Header
        && !name.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    {
        return Err(format!("{name:?} is no name of a header"));
    }
    if let Some(style) = text("style").and_then(style_named) {
        placed.style = style;
        placed.explode = style == Style::Form;
    }
    if let Some(explode) = parameter.get("explode").and_then(Value::as_bool) {
        placed.explode = explode;
    }
    let content = parameter.get("content").and_then(Value::as_object);
    placed.as_json =
        content.is_some_and(|content| content.keys().any(|media| media.contains("json")));
    // An object or a list of them has no form in a query but JSON text.
    let schema = document.resolve(schema_of(parameter));
    let items =
        schema.and_then(|schema| schema.get("items")).and_then(|items| document.resolve(items));
    let holds_objects = items.is_some_and(|items| items.get("properties").is_some());
    placed.as_json |= holds_objects && placed.style != Style::DeepObject;
    Ok(placed)
}

fn schema_of(parameter: &Value) -> &Value {
    const ANY: &Value = &Value::Bool(true);
    let content = parameter.get("content").and_then(Value::as_object);
    let in_content = content.and_then(|content| content.values().next()?.get("schema"));
    parameter.get("schema").or(in_content).unwrap_or(ANY)
}

/// Names the argument in the path, and writes what its style puts before it.
fn with_hole(
    document: &Document,
    path: &str,
    placed: &Parameter,
    parameter: &Value,
) -> Result<String, String> {
    let (old, argument) = (format!("{{{}}}", placed.name), &placed.argument);
    let name = &placed.name;
    // Only lists and objects differ when they are exploded.
    let kind = document.resolve(schema_of(parameter)).and_then(|schema| schema.get("type"));
    let is_one = kind.is_some_and(|kind| kind != "array" && kind != "object");
    let new = match parameter.get("style").and_then(Value::as_str) {
        Some("matrix") if is_one || !placed.explode => format!(";{name}={{{argument}}}"),
        Some("label") if is_one || !placed.explode => format!(".{{{argument}}}"),
        Some("matrix" | "label") => {
            return Err(format!("the path writes the list {name:?} in a style that is not built"));
        }
        _ => format!("{{{argument}}}"),
    };
    if !path.contains(&old) {
        return Err(format!("the path does not name its parameter {name:?}"));
    }
    Ok(path.replace(&old, &new))
}

fn check_holes(path: &str, placement: &Placement) -> Result<(), String> {
    let mut rest = path;
    while let Some(start) = rest.find('{') {
        let Some(length) = rest[start..].find('}') else { break };
        let name = &rest[start + 1..start + length];
        let is_known =
            placement.parameters.iter().any(|one| one.at == At::Path && one.argument == name);
        if !is_known {
            return Err(format!("the path names {name:?}, which is none of its parameters"));
        }
        rest = &rest[start + length..];
    }
    Ok(())
}

fn description(place: Place<'_>) -> String {
    let text = |key: &str| {
        place
            .operation
            .get(key)
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|text| !text.is_empty())
    };
    let words = match (text("summary"), text("description")) {
        (Some(summary), Some(more)) if more.starts_with(summary) => more.to_owned(),
        (Some(summary), Some(more)) => {
            let stop = if summary.ends_with(['.', '!', '?', ':']) { "" } else { "." };
            format!("{summary}{stop} {more}")
        }
        (Some(words), None) | (None, Some(words)) => words.to_owned(),
        (None, None) => format!("{} {}", place.method.as_str(), place.path),
    };
    shortened(&words)
}

fn shortened(words: &str) -> String {
    let Some((end, _)) = words.char_indices().nth(DESCRIPTION_CHARS_MAX) else {
        return words.to_owned();
    };
    let head = &words[..end];
    let at = head.rfind(". ").map(|at| at + 1).or_else(|| head.rfind(' ')).unwrap_or(end);
    format!("{} …", head[..at].trim_end())
}
