//! Which of a body's forms is sent, and as which arguments.

use manos_wire_tool::placement::{Body, BodyForm, Field, FieldContent, Style};
use serde_json::{Map, Value};

use crate::document::Document;
use crate::names::Names;
use crate::schema::{Writer, is_of_answers};

/// The argument that is a body as a whole.
const WHOLE: &str = "body";

/// What an operation's body is made of, before names are given out.
#[derive(Debug)]
pub(crate) struct BodyPlan<'a> {
    media: String,
    form: BodyForm,
    pub(crate) is_required: bool,
    description: Option<&'a str>,
    schema: &'a Value,
    /// Its properties, when it can be taken apart into arguments.
    properties: Option<Properties<'a>>,
    encoding: Option<&'a Map<String, Value>>,
}

/// The properties of an object, also of one that is put together by `allOf`.
#[derive(Debug, Default)]
struct Properties<'a> {
    all: Vec<(&'a str, &'a Value)>,
    required: Vec<&'a str>,
}

/// An argument with its schema.
#[derive(Debug)]
pub(crate) struct Argument<'a> {
    pub(crate) name: String,
    pub(crate) schema: &'a Value,
    pub(crate) description: Option<&'a str>,
    pub(crate) is_required: bool,
}

impl<'a> BodyPlan<'a> {
    /// Chooses the form: JSON before forms, before parts, before anything that is one text.
    pub(crate) fn of(document: &'a Document, operation: &'a Value) -> Option<Self> {
        let body = document.resolve(operation.get("requestBody")?)?;
        let content = body.get("content").and_then(Value::as_object)?;
        let (media, form, medium) = content
            .iter()
            .map(|(media, medium)| (media.as_str(), form_of(media), medium))
            .min_by_key(|(_, form, _)| rank(*form))?;
        let schema = medium.get("schema").unwrap_or(&Value::Bool(true));
        let properties = match form {
            BodyForm::Text => None,
            BodyForm::Form | BodyForm::Json | BodyForm::Multipart => {
                Properties::of(document, schema)
            }
        };
        // A form that is no object of named properties is written by the caller, as one text.
        let form =
            if properties.is_none() && form != BodyForm::Json { BodyForm::Text } else { form };
        let plain = media.split(';').next().unwrap_or(media).trim();
        let media = if plain.contains('*') { "application/octet-stream" } else { plain };
        Some(Self {
            media: media.to_ascii_lowercase(),
            form,
            is_required: body.get("required") == Some(&Value::Bool(true)),
            description: body.get("description").and_then(Value::as_str),
            schema,
            properties,
            encoding: medium.get("encoding").and_then(Value::as_object),
        })
    }

    /// Gives names to what the body is made of.
    pub(crate) fn named(
        &self,
        document: &Document,
        names: &mut Names,
    ) -> (Body, Vec<Argument<'a>>) {
        let (media, form) = (self.media.clone(), self.form);
        let Some(properties) = &self.properties else {
            let name = names.argument(WHOLE, "body");
            let body = Body { media, form, whole: Some(name.clone()), fields: Vec::new() };
            let (schema, description) = (self.schema, self.description);
            let is_required = self.is_required;
            return (body, vec![Argument { name, schema, description, is_required }]);
        };
        let (mut fields, mut arguments) = (Vec::new(), Vec::new());
        for (property, schema) in &properties.all {
            let name = names.argument(property, "body");
            fields.push(self.field(document, &name, property, schema));
            let is_required = self.is_required && properties.required.contains(property);
            arguments.push(Argument { name, schema, description: None, is_required });
        }
        (Body { media, form, whole: None, fields }, arguments)
    }

    fn field(&self, document: &Document, name: &str, property: &str, schema: &Value) -> Field {
        let mut field = Field { name: property.to_owned(), ..Field::new(name) };
        let schema = document.resolve(schema).unwrap_or(schema);
        let said = self.encoding.and_then(|encoding| encoding.get(property));
        let text = |key: &str| said.and_then(|said| said.get(key)).and_then(Value::as_str);
        let explode = said.and_then(|said| said.get("explode")).and_then(Value::as_bool);
        if let Some(style) = text("style").and_then(style_named) {
            field.style = style;
            field.explode = explode.unwrap_or(style == Style::Form);
        }
        if self.form == BodyForm::Multipart && is_file(document, schema) {
            let media = text("contentType").unwrap_or("application/octet-stream");
            let media = media.split(',').next().unwrap_or(media).trim();
            field.content = FieldContent::File(media.to_owned());
        } else if text("style").is_none() && is_object(document, schema) {
            field.content = FieldContent::Json;
        }
        field
    }
}

/// Returns the style of this name, if it is one for queries and forms.
pub(crate) fn style_named(name: &str) -> Option<Style> {
    match name {
        "deepObject" => Some(Style::DeepObject),
        "form" => Some(Style::Form),
        "pipeDelimited" => Some(Style::PipeDelimited),
        "simple" => Some(Style::Simple),
        "spaceDelimited" => Some(Style::SpaceDelimited),
        _ => None,
    }
}

fn form_of(media: &str) -> BodyForm {
    let media = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.as_str() {
        "application/json" | "text/json" => BodyForm::Json,
        "application/x-www-form-urlencoded" => BodyForm::Form,
        "multipart/form-data" => BodyForm::Multipart,
        other if other.ends_with("+json") => BodyForm::Json,
        other if other.starts_with("multipart/") => BodyForm::Multipart,
        // `*/*` says that anything will do.
        "*/*" | "application/*" => BodyForm::Json,
        _ => BodyForm::Text,
    }
}

fn rank(form: BodyForm) -> u8 {
    match form {
        BodyForm::Json => 0,
        BodyForm::Form => 1,
        BodyForm::Multipart => 2,
        BodyForm::Text => 3,
    }
}

impl<'a> Properties<'a> {
    /// Returns them when the schema is an object of named properties and nothing else; with a choice
    /// between schemas, or with free names, the object must be one argument.
    fn of(document: &'a Document, schema: &'a Value) -> Option<Self> {
        let mut properties = Self::default();
        properties.add(document, schema, 0)?;
        (!properties.all.is_empty()).then_some(properties)
    }

    fn add(&mut self, document: &'a Document, schema: &'a Value, depth: usize) -> Option<()> {
        const DEPTH_MAX: usize = 8;
        let schema = document.resolve(schema)?.as_object()?;
        let has_free_names = schema.get("additionalProperties").is_some_and(|free| {
            *free == Value::Bool(true) || free.as_object().is_some_and(|o| !o.is_empty())
        });
        let is_choice = ["anyOf", "oneOf", "not", "if", "patternProperties"]
            .iter()
            .any(|key| schema.contains_key(*key));
        let kind = schema.get("type");
        let other_kind = kind.is_some_and(|kind| kind != "object");
        let nullable = schema.get("nullable") == Some(&Value::Bool(true));
        if depth > DEPTH_MAX || has_free_names || is_choice || other_kind || nullable {
            return None;
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.add(document, part, depth + 1)?;
        }
        let own = schema.get("properties").and_then(Value::as_object);
        for (name, schema) in own.into_iter().flatten() {
            if is_of_answers(document, schema) {
                continue;
            }
            match self.all.iter_mut().find(|(known, _)| known == name) {
                Some(known) => known.1 = schema,
                None => self.all.push((name, schema)),
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        self.required.extend(required.into_iter().flatten().filter_map(Value::as_str));
        Some(())
    }
}

fn is_file(document: &Document, schema: &Value) -> bool {
    let text =
        |schema: &Value, key: &str| schema.get(key).and_then(Value::as_str).map(str::to_owned);
    let item = schema.get("items").and_then(|items| document.resolve(items));
    let schema = item.unwrap_or(schema);
    text(schema, "format").as_deref() == Some("binary")
        || text(schema, "contentMediaType").is_some()
        || text(schema, "type").as_deref() == Some("file")
}

fn is_object(document: &Document, schema: &Value) -> bool {
    let shows = |schema: &Value| {
        schema.get("type").is_some_and(|kind| kind == "object")
            || schema.get("properties").is_some()
    };
    let parts = schema.get("allOf").and_then(Value::as_array);
    shows(schema)
        || parts
            .is_some_and(|parts| parts.iter().any(|one| document.resolve(one).is_some_and(shows)))
}

/// Writes an argument's schema, with the words that stand beside it.
pub(crate) fn written(writer: &mut Writer<'_>, argument: &Argument<'_>) -> Value {
    let mut schema = writer.write(argument.schema);
    let words = argument.description.filter(|_| writer.keeps_words());
    if let (Some(words), Value::Object(schema)) = (words, &mut schema) {
        schema.insert("description".to_owned(), Value::from(words));
    }
    schema
}
