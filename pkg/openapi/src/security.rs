//! Which secrets an operation wants, and where they go.

use serde_json::Value;

use crate::document::Document;

/// One way in that a document describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// Its name in the document.
    pub name: String,
    /// Where its secret goes.
    pub place: SchemePlace,
}

/// Where a secret goes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SchemePlace {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `Authorization: Basic …`; the secret is `user:password`.
    Basic,
    /// A header of this name.
    Header(String),
    /// A parameter of the query.
    Query(String),
    /// A cookie.
    Cookie(String),
}

/// Returns the alternatives of an operation: each a list of schemes that go together. Empty when it
/// asks for none. Alternatives that name a scheme which cannot be served are left out.
pub(crate) fn alternatives(document: &Document, operation: &Value) -> Vec<Vec<Scheme>> {
    let own = operation.get("security").or_else(|| document.root().get("security"));
    let mut found: Vec<Vec<Scheme>> = Vec::new();
    for alternative in own.and_then(Value::as_array).into_iter().flatten() {
        let names = alternative.as_object().into_iter().flatten().map(|(name, _)| name.as_str());
        let schemes: Option<Vec<Scheme>> = names.map(|name| scheme(document, name)).collect();
        match schemes {
            Some(schemes) if !schemes.is_empty() => found.push(schemes),
            // Also without: what is optional is not asked for.
            _ => {}
        }
    }
    found
}

fn scheme(document: &Document, name: &str) -> Option<Scheme> {
    let schemes = document.root().get("components")?.get("securitySchemes")?;
    let scheme = document.resolve(schemes.get(name)?)?;
    let text = |key: &str| scheme.get(key).and_then(Value::as_str);
    let place = match (text("type")?, text("scheme").map(str::to_ascii_lowercase).as_deref()) {
        ("http", Some("bearer")) | ("oauth2" | "openIdConnect", _) => SchemePlace::Bearer,
        ("http", Some("basic")) => SchemePlace::Basic,
        ("apiKey", _) => {
            let name = text("name")?.to_owned();
            match text("in")? {
                "header" => SchemePlace::Header(name),
                "query" => SchemePlace::Query(name),
                "cookie" => SchemePlace::Cookie(name),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some(Scheme { name: name.to_owned(), place })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_operation_says_which_schemes_go_together() {
        let document = json!({
            "openapi": "3.1.0", "paths": {}, "security": [{"key": []}],
            "components": {"securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
                "q": {"type": "apiKey", "in": "query", "name": "k"},
                "oauth": {"type": "oauth2", "flows": {}},
                "basic": {"type": "http", "scheme": "Basic"},
                "digest": {"type": "http", "scheme": "digest"},
                "tls": {"type": "mutualTLS"}
            }}
        });
        let document = Document::read(&document).unwrap();
        let named = |operation: Value| -> Vec<Vec<String>> {
            let found = alternatives(&document, &operation);
            let names = |all: Vec<Scheme>| all.into_iter().map(|scheme| scheme.name).collect();
            found.into_iter().map(names).collect()
        };
        assert_eq!(named(json!({})), [["key"]]);
        assert!(named(json!({"security": []})).is_empty());
        assert_eq!(named(json!({"security": [{"oauth": ["x"]}, {"q": []}]})), [["oauth"], ["q"]]);
        assert_eq!(named(json!({"security": [{"basic": [], "key": []}]})), [["basic", "key"]]);
        assert_eq!(
            named(json!({"security": [{"digest": []}, {"tls": []}, {}, {"key": []}]})),
            [["key"]]
        );
    }
}
