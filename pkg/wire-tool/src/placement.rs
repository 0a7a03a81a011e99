//! Where the arguments of a call go when a tool says so one by one: path, query, headers, cookies
//! and the body, each in its style.
//!
//! The request formats of [`http`](crate::http) put all arguments in one place. Services that are
//! described by OpenAPI do not: this is for them.
//!
//! # Source
//!
//! <https://spec.openapis.org/oas/v3.1.1.html#style-values> and
//! <https://spec.openapis.org/oas/v3.1.1.html#encoding-object>.

use std::collections::BTreeSet;

use manos_model::Violation;
use serde_json::{Map, Value};

mod body;
mod multipart;
mod style;

pub use body::{Body, BodyForm, Field, FieldContent};
pub use multipart::PART_NAME_RULE;
pub use style::Style;

/// What a value in a header must be, in a few words for whoever sent another.
pub const HEADER_VALUE_RULE: &str = "a text for an HTTP header: visible ASCII and single spaces";

/// Where a parameter goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum At {
    /// The `Cookie` header.
    Cookie,
    /// A header of its own.
    Header,
    /// The path; the argument is named in the address.
    Path,
    /// The query.
    Query,
}

/// One argument that does not go into the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name as the model knows it.
    pub argument: String,
    /// Its name on the wire.
    pub name: String,
    /// Where it goes.
    pub at: At,
    /// How lists and objects are put together.
    pub style: Style,
    /// Whether each item or property is written by itself.
    pub explode: bool,
    /// Whether the value is written as JSON text instead.
    pub as_json: bool,
}

impl Parameter {
    /// Makes a parameter with the usual style of its place, under its own name.
    pub fn new(argument: impl Into<String>, at: At) -> Self {
        let argument = argument.into();
        let (style, explode) = match at {
            At::Cookie | At::Query => (Style::Form, true),
            At::Header | At::Path => (Style::Simple, false),
        };
        Self { name: argument.clone(), argument, at, style, explode, as_json: false }
    }
}

/// Where each argument of a tool goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// What does not go into the body. An argument that is named neither here nor by the body goes
    /// nowhere.
    pub parameters: Vec<Parameter>,
    /// What the body is made of; none for a request without one.
    pub body: Option<Body>,
}

/// The arguments of one call in their places.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// What stands in the path, by argument, not yet percent-encoded.
    pub path: Map<String, Value>,
    /// The query without its `?`, ready to be sent.
    pub query: String,
    /// Headers in the order of the parameters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// What the body is; none when there is no body.
    pub content_type: Option<String>,
}

impl Placement {
    /// Puts arguments in their places. `null` is left out, as an argument that was not given.
    ///
    /// # Errors
    ///
    /// A [`Violation`] for each argument that cannot stand in its place.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_wire_tool::placement::{At, Parameter, Placement};
    /// let parameters = vec![Parameter::new("ids", At::Query), Parameter::new("X-Trace", At::Header)];
    /// let placement = Placement { parameters, body: None };
    /// let arguments = serde_json::json!({"ids": [1, 2], "X-Trace": "t"});
    /// let placed = placement.place(arguments.as_object().unwrap()).unwrap();
    /// assert_eq!(placed.query, "ids=1&ids=2");
    /// assert_eq!(placed.headers, [("X-Trace".to_owned(), "t".to_owned())]);
    /// ```
    pub fn place(&self, arguments: &Map<String, Value>) -> Result<Placed, Vec<Violation>> {
        let mut placed = Placed::default();
        let mut cookies: Vec<String> = Vec::new();
        let mut violations = Vec::new();
        for parameter in &self.parameters {
            let value = arguments.get(&parameter.argument).unwrap_or(&Value::Null);
            if value.is_null() {
                continue;
            }
            match parameter.at {
                At::Path => {
                    let text = style::plain(parameter, value);
                    placed.path.insert(parameter.argument.clone(), Value::from(text));
                }
                At::Query => {
                    for pair in style::pairs(parameter, value) {
                        if !placed.query.is_empty() {
                            placed.query.push('&');
                        }
                        placed.query.push_str(&pair);
                    }
                }
                At::Cookie => cookies.extend(style::pairs(parameter, value)),
                At::Header => {
                    let text = style::plain(parameter, value);
                    if is_header_value(&text) {
                        placed.headers.push((parameter.name.clone(), text));
                    } else {
                        violations.push(Violation {
                            path: format!("/{}", parameter.argument),
                            expected: HEADER_VALUE_RULE.to_owned(),
                            got: value.clone(),
                        });
                    }
                }
            }
        }
        if !cookies.is_empty() {
            placed.headers.push(("Cookie".to_owned(), cookies.join("; ")));
        }
        if let Some(body) = &self.body {
            match body.encode(arguments) {
                Ok(Some((media, bytes))) => {
                    placed.content_type = Some(media);
                    placed.body = bytes;
                }
                Ok(None) => {}
                Err(found) => violations.extend(found),
            }
        }
        if violations.is_empty() { Ok(placed) } else { Err(violations) }
    }

    /// Returns the arguments of the path that are one value each.
    pub fn path_arguments(&self) -> impl Iterator<Item = &str> {
        let in_path = self.parameters.iter().filter(|parameter| parameter.at == At::Path);
        in_path.map(|parameter| parameter.argument.as_str())
    }

    /// Returns the arguments that have a place.
    pub fn arguments(&self) -> BTreeSet<&str> {
        let parameters = self.parameters.iter().map(|parameter| parameter.argument.as_str());
        parameters.chain(self.body.iter().flat_map(Body::arguments)).collect()
    }
}

/// Anything else would be another header, or none.
fn is_header_value(text: &str) -> bool {
    let visible = |c: char| c.is_ascii_graphic() || c == ' ';
    text.chars().all(visible) && text.trim() == text && !text.is_empty()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn placed(parameter: Parameter, value: Value) -> Result<Placed, Vec<Violation>> {
        let mut arguments = Map::new();
        arguments.insert(parameter.argument.clone(), value);
        Placement { parameters: vec![parameter], body: None }.place(&arguments)
    }

    #[test]
    fn each_style_has_exactly_this_form() {
        use Style::{DeepObject, Form, PipeDelimited, Simple, SpaceDelimited};
        let list = json!(["blue", "b k", 3]);
        let object = json!({"R": 100, "G": "a&b"});
        let cases = [
            (At::Query, Form, true, json!("a b+c/ñ"), "c=a%20b%2Bc%2F%C3%B1"),
            (At::Query, Form, true, json!(1.50), "c=1.5"),
            (At::Query, Form, true, json!(true), "c=true"),
            (At::Query, Form, true, json!(""), "c="),
            (At::Query, Form, true, list.clone(), "c=blue&c=b%20k&c=3"),
            (At::Query, Form, false, list.clone(), "c=blue,b%20k,3"),
            (At::Query, Form, false, json!(["a,b"]), "c=a%2Cb"),
            (At::Query, Form, true, object.clone(), "R=100&G=a%26b"),
            (At::Query, Form, false, object.clone(), "c=R,100,G,a%26b"),
            (At::Query, SpaceDelimited, false, list.clone(), "c=blue%20b%20k%203"),
            (At::Query, PipeDelimited, false, list.clone(), "c=blue%7Cb%20k%7C3"),
            (At::Query, PipeDelimited, true, list.clone(), "c=blue&c=b%20k&c=3"),
            (At::Query, DeepObject, true, object.clone(), "c%5BR%5D=100&c%5BG%5D=a%26b"),
            (
                At::Query,
                DeepObject,
                true,
                json!({"a": {"b": [1, {"c": 2}]}}),
                "c%5Ba%5D%5Bb%5D%5B0%5D=1&c%5Ba%5D%5Bb%5D%5B1%5D%5Bc%5D=2",
            ),
            (At::Query, Form, true, json!([]), ""),
            (At::Query, Form, true, json!(null), ""),
            (At::Header, Simple, false, list.clone(), "blue,b k,3"),
            (At::Header, Simple, false, json!({"R": 1, "G": 2}), "R,1,G,2"),
            (At::Header, Simple, true, json!({"R": 1, "G": 2}), "R=1,G=2"),
            (At::Path, Simple, false, list, "blue,b k,3"),
            (At::Path, Simple, false, json!("a/b"), "a/b"),
        ];
        for (at, style, explode, value, expected) in cases {
            let parameter = Parameter { style, explode, ..Parameter::new("c", at) };
            let placed = placed(parameter, value.clone()).unwrap();
            let got = match at {
                At::Query => placed.query,
                At::Path => placed.path["c"].as_str().unwrap().to_owned(),
                At::Header | At::Cookie => placed.headers[0].1.clone(),
            };
            assert_eq!(got, expected, "{at:?} {style:?} explode={explode} {value}");
        }
    }

    #[test]
    fn a_value_may_be_json_text_and_its_name_another_one() {
        let parameter = Parameter {
            name: "filter[x]".into(),
            as_json: true,
            ..Parameter::new("filter_x", At::Query)
        };
        let placed = placed(parameter, json!({"a": 1})).unwrap();
        assert_eq!(placed.query, "filter%5Bx%5D=%7B%22a%22%3A1%7D");
    }

    #[test]
    fn cookies_stand_in_one_header() {
        let parameters = vec![Parameter::new("a", At::Cookie), Parameter::new("b", At::Cookie)];
        let arguments = json!({"a": "x; y=1", "b": 2});
        let placed = Placement { parameters, body: None }.place(arguments.as_object().unwrap());
        let expected = ("Cookie".to_owned(), "a=x%3B%20y%3D1; b=2".to_owned());
        assert_eq!(placed.unwrap().headers, [expected]);
    }

    #[test]
    fn a_header_cannot_be_made_into_two() {
        for text in ["a\r\nX: b", "a\u{0}", "ñ", " a", "", "a\tb"] {
            let refused = placed(Parameter::new("h", At::Header), json!(text)).unwrap_err();
            assert_eq!(refused[0].path, "/h", "{text:?}");
            assert_eq!(refused[0].expected, HEADER_VALUE_RULE);
        }
    }
}
