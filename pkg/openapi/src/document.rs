//! The document as a whole: its version, its references, its servers.

use serde_json::{Map, Value};

use crate::upgrade;

/// How many references one place may go through before it is no use.
const REFERENCES_MAX: usize = 32;

/// Why a document cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It says nothing of OpenAPI.
    #[error("this is no OpenAPI document: it has neither `openapi` nor `swagger` at the top")]
    NotOpenApi,
    /// A version that is not read.
    #[error("OpenAPI {0} is not read: 2.0, 3.0 and 3.1 are")]
    Version(String),
    /// Nothing to call.
    #[error("the document has no `paths`")]
    NoPaths,
    /// No server that requests could go to.
    #[error("{0}; give the server's address beside the document: `server: https://…`")]
    Server(String),
}

/// A document in the form of OpenAPI 3.
#[derive(Debug)]
pub(crate) struct Document {
    root: Value,
    /// Whether schemas follow 3.0's own dialect rather than JSON Schema.
    pub(crate) old_schemas: bool,
}

impl Document {
    pub(crate) fn read(document: &Value) -> Result<Self, DocumentError> {
        let version = |key: &str| match document.get(key) {
            Some(Value::String(version)) => Some(version.clone()),
            // YAML without quotes: `swagger: 2.0`.
            Some(Value::Number(version)) => Some(version.to_string()),
            _ => None,
        };
        let (root, old_schemas) = match (version("openapi"), version("swagger")) {
            (Some(v), _) if v.starts_with("3.0") => (document.clone(), true),
            (Some(v), _) if v.starts_with("3.1") => (document.clone(), false),
            (None, Some(v)) if v.starts_with('2') => (upgrade::from_2(document), true),
            (Some(v), _) | (None, Some(v)) => return Err(DocumentError::Version(v)),
            (None, None) => return Err(DocumentError::NotOpenApi),
        };
        // 3.1 has documents of webhooks alone.
        let has_paths = root.get("paths").map_or(!old_schemas, Value::is_object);
        if !has_paths {
            return Err(DocumentError::NoPaths);
        }
        Ok(Self { root, old_schemas })
    }

    pub(crate) fn root(&self) -> &Value {
        &self.root
    }

    /// Path templates with what they hold.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
        let paths = self.root.get("paths").and_then(Value::as_object);
        paths.into_iter().flatten().filter_map(|(path, item)| {
            let item = self.resolve(item).and_then(Value::as_object)?;
            path.starts_with('/').then_some((path.as_str(), item))
        })
    }

    /// Follows `$ref` until something else stands there. `None` when it leads nowhere, out of the
    /// document, or in a circle.
    pub(crate) fn resolve<'a>(&'a self, mut value: &'a Value) -> Option<&'a Value> {
        for _ in 0..REFERENCES_MAX {
            match value.get("$ref").and_then(Value::as_str) {
                None => return Some(value),
                Some(reference) => value = self.target(reference)?,
            }
        }
        None
    }

    /// Returns what a reference inside this document names.
    pub(crate) fn target(&self, reference: &str) -> Option<&Value> {
        let pointer = reference.strip_prefix('#')?;
        // A pointer in a URL is percent-encoded; one that does not decode is taken as it stands.
        match percent_decoded(pointer) {
            Some(decoded) => self.root.pointer(&decoded),
            None => self.root.pointer(pointer),
        }
    }

    /// Returns the address that an operation's path is added to: the operation's own server, its
    /// path's, or the document's.
    pub(crate) fn server(
        &self,
        places: [&Map<String, Value>; 2],
        given: Option<&str>,
    ) -> Result<String, DocumentError> {
        if let Some(given) = given {
            return Ok(given.trim_end_matches('/').to_owned());
        }
        let of = |place: Option<&Value>| place.and_then(|servers| servers.get(0)).cloned();
        let found = places.into_iter().find_map(|place| of(place.get("servers")));
        let Some(server) = found.or_else(|| of(self.root.get("servers"))) else {
            return Err(DocumentError::Server("the document names no server".to_owned()));
        };
        let mut url = server.get("url").and_then(Value::as_str).unwrap_or_default().to_owned();
        let variables = server.get("variables").and_then(Value::as_object);
        for (name, variable) in variables.into_iter().flatten() {
            if let Some(default) = variable.get("default").and_then(Value::as_str) {
                url = url.replace(&format!("{{{name}}}"), default);
            }
        }
        let is_absolute = |url: &str| url.starts_with("https://") || url.starts_with("http://");
        if url.starts_with('/') {
            // A path's own server may be relative to the document's.
            let whole = of(self.root.get("servers"));
            let whole = whole.as_ref().and_then(|server| server.get("url")).and_then(Value::as_str);
            if let Some(whole) = whole.filter(|whole| is_absolute(whole)) {
                let host = whole.find("://").map_or(0, |at| at + 3);
                let end = whole[host..].find('/').map_or(whole.len(), |at| host + at);
                url.insert_str(0, &whole[..end]);
            }
        }
        if !is_absolute(&url) {
            return Err(DocumentError::Server(format!("the document's server is {url:?}")));
        }
        if url.contains('{') {
            let sentence = format!("the document's server {url:?} leaves a variable open");
            return Err(DocumentError::Server(sentence));
        }
        let end = url.find(['?', '#']).unwrap_or(url.len());
        Ok(url[..end].trim_end_matches('/').to_owned())
    }
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_known_versions_are_read() {
        let cases = [
            (json!({"openapi": "3.0.3", "paths": {}}), None),
            (json!({"openapi": "3.1.0", "paths": {}}), None),
            (json!({"swagger": "2.0", "paths": {}}), None),
            (json!({"swagger": 2.0, "paths": {}}), None),
            (json!({"openapi": "4.0.0", "paths": {}}), Some("OpenAPI 4.0.0 is not read")),
            (json!({"openapi": "3.1.0"}), None),
            (json!({"openapi": "3.0.0"}), Some("the document has no `paths`")),
            (json!({"openapi": "3.1.0", "paths": []}), Some("the document has no `paths`")),
            (json!({"paths": {}}), Some("this is no OpenAPI document")),
            (json!([]), Some("this is no OpenAPI document")),
        ];
        for (document, expected) in cases {
            let error = Document::read(&document).err().map(|error| error.to_string());
            match expected {
                None => assert_eq!(error, None, "{document}"),
                Some(start) => assert!(error.is_some_and(|e| e.starts_with(start)), "{document}"),
            }
        }
    }

    #[test]
    fn references_are_followed_inside_the_document_only() {
        let document = json!({"openapi": "3.1.0", "paths": {}, "a/b": {"$ref": "#/c"}, "c": 1,
            "loop": {"$ref": "#/loop"}, "ñ": 2});
        let document = Document::read(&document).unwrap();
        let cases = [
            ("#/a~1b", Some(json!(1))),
            ("#/%C3%B1", Some(json!(2))),
            ("#/loop", None),
            ("#/nowhere", None),
            ("other.yaml#/c", None),
            ("https://a.example/#/c", None),
        ];
        for (reference, expected) in cases {
            let found = document.resolve(&json!({"$ref": reference})).cloned();
            assert_eq!(found, expected, "{reference}");
        }
    }

    #[test]
    fn the_nearest_server_counts_and_must_be_an_address() {
        let server = |url: &str| json!([{"url": url, "variables": {"v": {"default": "v2"}}}]);
        let cases = [
            (server("https://a.example/{v}/"), None, Ok("https://a.example/v2")),
            (server("https://a.example/x?y=1"), None, Ok("https://a.example/x")),
            (server("/v1"), None, Err("the document's server is \"/v1\"")),
            (
                server("https://{host}/"),
                None,
                Err("the document's server \"https://{host}/\" leaves"),
            ),
            (json!([]), None, Err("the document names no server")),
            (server("/v1"), Some("https://b.example/"), Ok("https://b.example")),
        ];
        for (servers, given, expected) in cases {
            let document = json!({"openapi": "3.0.0", "paths": {}, "servers": servers});
            let document = Document::read(&document).unwrap();
            let got = document.server([&Map::new(), &Map::new()], given);
            match expected {
                Ok(url) => assert_eq!(got.as_deref(), Ok(url)),
                Err(start) => {
                    let error = got.unwrap_err().to_string();
                    assert!(error.starts_with(start), "{error}");
                    assert!(error.contains("server: https://"), "{error}");
                }
            }
        }
        let document =
            json!({"openapi": "3.0.0", "paths": {}, "servers": server("https://a.example")});
        let document = Document::read(&document).unwrap();
        let own = json!({"servers": server("https://own.example")});
        let own = own.as_object().unwrap();
        assert_eq!(document.server([own, &Map::new()], None).unwrap(), "https://own.example");
        let own = json!({"servers": server("/own/{v}")});
        let own = own.as_object().unwrap();
        assert_eq!(document.server([own, &Map::new()], None).unwrap(), "https://a.example/own/v2");
    }
}
