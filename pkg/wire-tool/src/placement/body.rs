//! What the body of a request is made of.

use manos_model::Violation;
use serde_json::{Map, Value};

use super::multipart;
use super::style::{Style, pairs, scalar};
use super::{At, Parameter};
use crate::canonical;

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyForm {
    /// `name=value` pairs.
    Form,
    /// JSON in its canonical form.
    Json,
    /// Parts with a boundary between them.
    Multipart,
    /// One text as it is.
    Text,
}

/// What the body of a request is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The media type to say, without parameters.
    pub media: String,
    /// How it is written.
    pub form: BodyForm,
    /// The argument that is the whole body. Without it the body is an object of `fields`.
    pub whole: Option<String>,
    /// The arguments that are its properties.
    pub fields: Vec<Field>,
}

/// One property of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name as the model knows it.
    pub argument: String,
    /// Its name on the wire.
    pub name: String,
    /// How lists and objects are put together in a form.
    pub style: Style,
    /// Whether each item or property is written by itself.
    pub explode: bool,
    /// What it is in a form or a part.
    pub content: FieldContent,
}

/// What a property is in a form or a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldContent {
    /// A file of this media type; the argument is its content.
    File(String),
    /// JSON text.
    Json,
    /// By its style.
    Styled,
}

impl Field {
    /// Makes a property that is written in the usual way, under its own name.
    pub fn new(argument: impl Into<String>) -> Self {
        let argument = argument.into();
        let (style, explode, content) = (Style::Form, true, FieldContent::Styled);
        Self { name: argument.clone(), argument, style, explode, content }
    }

    /// The property as a parameter, for what both have in common.
    pub(super) fn as_parameter(&self) -> Parameter {
        Parameter {
            argument: self.argument.clone(),
            name: self.name.clone(),
            at: At::Query,
            style: self.style,
            explode: self.explode,
            as_json: self.content == FieldContent::Json,
        }
    }
}

impl Body {
    /// Returns the arguments that it is made of.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        let fields = self.fields.iter().map(|field| field.argument.as_str());
        self.whole.as_deref().into_iter().chain(fields)
    }

    /// Writes the body and says what it is; none when no argument of it was given and it is one
    /// argument as a whole.
    pub(super) fn encode(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<Option<(String, Vec<u8>)>, Vec<Violation>> {
        if let Some(whole) = &self.whole {
            let value = arguments.get(whole).unwrap_or(&Value::Null);
            if value.is_null() {
                return Ok(None);
            }
            let text = match self.form {
                BodyForm::Json => canonical::text(value),
                BodyForm::Form | BodyForm::Multipart | BodyForm::Text => scalar(value),
            };
            return Ok(Some((self.media.clone(), text.into_bytes())));
        }
        let given = self.fields.iter().filter_map(|field| {
            let value = arguments.get(&field.argument)?;
            Some((field, value))
        });
        let (media, bytes) = match self.form {
            BodyForm::Json => {
                let body =
                    given.map(|(field, value)| (field.name.clone(), value.clone())).collect();
                (self.media.clone(), canonical::text(&Value::Object(body)).into_bytes())
            }
            BodyForm::Form | BodyForm::Text => {
                let written: Vec<String> = given
                    .filter(|(_, value)| !value.is_null())
                    .flat_map(|(field, value)| pairs(&field.as_parameter(), value))
                    .collect();
                (self.media.clone(), written.join("&").into_bytes())
            }
            BodyForm::Multipart => {
                let parts: Vec<_> = given.filter(|(_, value)| !value.is_null()).collect();
                multipart::encode(&self.media, &parts)?
            }
        };
        Ok(Some((media, bytes)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn encoded(form: BodyForm, fields: Vec<Field>, arguments: &Value) -> String {
        let body = Body { media: "m/t".into(), form, whole: None, fields };
        let (media, bytes) = body.encode(arguments.as_object().unwrap()).unwrap().unwrap();
        assert_eq!(media, "m/t");
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_body_of_properties_is_json_or_a_form() {
        let arguments = json!({"b": [1, "x y"], "a": null, "z": 9, "o": {"k": "v"}});
        let fields = || {
            let deep = Field { style: Style::DeepObject, ..Field::new("o") };
            vec![Field { name: "B".into(), ..Field::new("b") }, Field::new("a"), deep]
        };
        let json = encoded(BodyForm::Json, fields(), &arguments);
        assert_eq!(json, r#"{"B":[1,"x y"],"a":null,"o":{"k":"v"}}"#);
        assert_eq!(encoded(BodyForm::Form, fields(), &arguments), "B=1&B=x%20y&o%5Bk%5D=v");
        let as_json = vec![Field { content: FieldContent::Json, ..Field::new("o") }];
        assert_eq!(encoded(BodyForm::Form, as_json, &arguments), "o=%7B%22k%22%3A%22v%22%7D");
        assert_eq!(encoded(BodyForm::Json, fields(), &json!({})), "{}");
    }

    #[test]
    fn one_argument_may_be_the_whole_body() {
        let body = |form| Body {
            media: "text/csv".into(),
            form,
            whole: Some("body".into()),
            fields: Vec::new(),
        };
        let arguments = json!({"body": ["a", 1.50]});
        let arguments = arguments.as_object().unwrap();
        let json = body(BodyForm::Json).encode(arguments).unwrap().unwrap();
        assert_eq!(json, ("text/csv".to_owned(), b"[\"a\",1.5]".to_vec()));
        let text = json!({"body": "a;b\n"});
        let text = body(BodyForm::Text).encode(text.as_object().unwrap()).unwrap().unwrap();
        assert_eq!(text.1, b"a;b\n");
        assert_eq!(body(BodyForm::Json).encode(&Map::new()), Ok(None));
    }
}
