//! An OpenAPI document: what a plain endpoint can say is written out, the rest stays with the
//! document.

use manos_openapi::{
    ImportOptions, Imported, ImportedTool, Scheme, SchemePlace, import, read_text,
};
use manos_wire_tool::placement::{At, BodyForm, FieldContent, Style};
use serde_json::{Map, Value, json};

use super::written::{Writing, escaped};
use super::{ImportError, ImportedFile};

/// Writes the operations of a document as tools. `place` is where the document is, as the file that
/// is written names it.
///
/// An operation whose arguments each have a place of their own, such as a header or a part of a form,
/// is not copied: the file points to it in the document, and so its requests are the same.
///
/// # Errors
///
/// [`ImportError`] when nothing of it can be used.
pub fn import_openapi(document: &str, place: &str) -> Result<ImportedFile, ImportError> {
    let unreadable = |problem: String| ImportError::Document { problem };
    let value = read_text(document).map_err(|error| unreadable(error.to_string()))?;
    let imported =
        import(&value, &ImportOptions::default()).map_err(|error| unreadable(error.to_string()))?;
    if imported.tools.is_empty() && imported.dropped.is_empty() {
        return Err(ImportError::NoTools);
    }
    let title = imported.title.clone().unwrap_or_else(|| place.to_owned());
    let mut writing = Writing::new(&title);
    let mut left = Vec::new();
    for tool in &imported.tools {
        match plain(tool) {
            Ok(()) => write(&mut writing, tool, &title),
            Err(why) => left.push((tool, why)),
        }
    }
    pointing(&mut writing, &imported, place, &left);
    for dropped in &imported.dropped {
        writing.say(&format!("`{}` is left out: {}", dropped.operation, dropped.reason));
    }
    Ok(writing.finish())
}

/// Whether a plain endpoint sends the same requests; else why not.
fn plain(tool: &ImportedTool) -> Result<(), String> {
    for parameter in &tool.placement.parameters {
        let name = &parameter.argument;
        let scalar = is_scalar(&tool.parameters, name);
        match parameter.at {
            At::Cookie | At::Header => return Err(format!("`{name}` is a header")),
            At::Path if !scalar => return Err(format!("`{name}` in the path has parts")),
            At::Path => {}
            At::Query if tool.method.has_body() => {
                return Err(format!("`{name}` is in the query beside a body"));
            }
            At::Query => {
                let usual = parameter.style == Style::Form && parameter.explode;
                let list = is_list_of_scalars(&tool.parameters, name);
                if !usual || parameter.as_json || !(scalar || list) || parameter.name != *name {
                    return Err(format!("`{name}` is written in a way of its own"));
                }
            }
        }
    }
    match (&tool.placement.body, tool.method.has_body()) {
        (None, false) => {}
        (None, true) => return Err("it sends no body".to_owned()),
        (Some(_), false) => return Err("it sends a body".to_owned()),
        (Some(body), true) => {
            let as_named = body.fields.iter().all(|field| {
                field.name == field.argument && matches!(field.content, FieldContent::Styled)
            });
            let json = body.form == BodyForm::Json && body.media == "application/json";
            if !json || body.whole.is_some() || !as_named {
                return Err("its body is no plain JSON object".to_owned());
            }
        }
    }
    match tool.security.first() {
        None => Ok(()),
        Some(schemes) if schemes.iter().all(|scheme| header(scheme).is_some()) => Ok(()),
        Some(_) => Err("its secret is no header that can be written".to_owned()),
    }
}

fn property<'a>(parameters: &'a Value, name: &str) -> &'a Value {
    &parameters["properties"][name]
}

fn is_scalar(parameters: &Value, name: &str) -> bool {
    is_scalar_type(&property(parameters, name)["type"])
}

fn is_scalar_type(kind: &Value) -> bool {
    matches!(kind.as_str(), Some("boolean" | "integer" | "string"))
}

fn is_list_of_scalars(parameters: &Value, name: &str) -> bool {
    let property = property(parameters, name);
    property["type"] == "array" && is_scalar_type(&property["items"]["type"])
}

/// The header of a scheme, with `{}` for its secret; `None` when it is none.
fn header(scheme: &Scheme) -> Option<(String, &'static str, &'static str)> {
    match &scheme.place {
        SchemePlace::Bearer => Some(("Authorization".to_owned(), "Bearer ", "")),
        SchemePlace::Header(name) => Some((name.clone(), "", "")),
        _ => None,
    }
}

fn write(writing: &mut Writing, tool: &ImportedTool, title: &str) {
    let mut said = Vec::new();
    let name = writing.name(&tool.name, &mut said);
    let mut endpoint = Map::new();
    endpoint.insert("url".to_owned(), json!(escaped(&tool.url)));
    endpoint.insert("method".to_owned(), json!(tool.method.as_str()));
    let mut headers = Map::new();
    for scheme in tool.security.first().into_iter().flatten() {
        if let Some((header, before, after)) = header(scheme) {
            let secret = writing.variable(title, &scheme.name);
            headers.insert(header, json!(format!("{before}{secret}{after}")));
        }
    }
    if !headers.is_empty() {
        endpoint.insert("headers".to_owned(), Value::Object(headers));
    }
    let mut entry = Map::new();
    entry.insert("name".to_owned(), json!(name));
    entry.insert("title".to_owned(), json!(format!("{title}: {name}")));
    entry.insert("description".to_owned(), json!(tool.description));
    entry.insert("parameters".to_owned(), tool.parameters.clone());
    entry.insert("endpoint".to_owned(), Value::Object(endpoint));
    entry.insert("confirm".to_owned(), json!(!tool.read_only));
    writing.tool(&entry, &said);
}

/// One entry that names the operations in the document.
fn pointing(
    writing: &mut Writing,
    imported: &Imported,
    place: &str,
    left: &[(&ImportedTool, String)],
) {
    if left.is_empty() {
        return;
    }
    let said: Vec<String> = left
        .iter()
        .map(|(tool, why)| format!("`{}` is read from the document: {why}", tool.name))
        .collect();
    let include: Vec<Value> =
        left.iter().map(|(tool, _)| json!({"operation": tool.name})).collect();
    let mut source = Map::new();
    source.insert("file".to_owned(), json!(place));
    source.insert("include".to_owned(), Value::Array(include));
    let title = imported.title.as_deref().unwrap_or(place);
    let mut auth = Map::new();
    for scheme in left.iter().filter_map(|(tool, _)| tool.security.first()).flatten() {
        if !auth.contains_key(&scheme.name) {
            auth.insert(scheme.name.clone(), json!(writing.variable(title, &scheme.name)));
        }
    }
    if !auth.is_empty() {
        source.insert("auth".to_owned(), Value::Object(auth));
    }
    let mut entry = Map::new();
    entry.insert("openapi".to_owned(), Value::Object(source));
    writing.tool(&entry, &said);
}
