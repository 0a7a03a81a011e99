//! A world of a few variables, a few files and two zones.

use std::path::PathBuf;

use manos_config::{Loaded, SourceFile, World, load};

pub(crate) struct Fixed;

/// A service with orders that can be listed and placed.
const API: &str = r#"
openapi: 3.1.0
info: { title: Orders }
servers: [{ url: "https://api.example/v1" }]
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
security: [{ key: [] }]
paths:
  /orders:
    get: { operationId: listOrders, tags: [orders], summary: Lists orders }
    head: { operationId: countOrders, tags: [orders] }
    post:
      operationId: placeOrder
      tags: [orders]
      requestBody:
        required: true
        content: { application/json: { schema: { type: object, properties: { item: { type: string } }, required: [item] } } }
  /health: { get: { operationId: health, security: [] } }
"#;

impl World for Fixed {
    fn read(&self, relative: &str) -> Result<String, String> {
        match relative {
            "schema.sql" => Ok("create table menu (name text, price integer);".to_owned()),
            "api.yaml" => Ok(API.to_owned()),
            "broken.sql" => Ok("create table a (b text);\nbegin;\n".to_owned()),
            "replies.yaml" => Ok("- say: Hola\n".to_owned()),
            "broken.yaml" => {
                Ok("- when: { user: \"(\" }\n  sy: Hola\n- say: \"{{ rsult }}\"\n".to_owned())
            }
            _ => Err("there is no such file".to_owned()),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        match name {
            "KEY" => Some("sk-secret".to_owned()),
            "NO" => Some("no".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        }
    }

    fn zone(&self, name: &str) -> Option<jiff::tz::TimeZone> {
        (name == "America/Bogota" || name == "UTC").then_some(jiff::tz::TimeZone::UTC)
    }
}

pub(crate) fn loaded(text: &str) -> Loaded {
    load(&SourceFile::new("agent.yaml", text), &Fixed)
}

/// The files of a folder under `tests/`, in order of their names.
pub(crate) fn files(folder: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut found: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "yaml" || e == "json"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// Everything that was said, as a person reads it.
pub(crate) fn printed(loaded: &Loaded) -> String {
    let mut out = Vec::new();
    for list in [&loaded.errors, &loaded.warnings, &loaded.unsupported] {
        out.extend(list.iter().map(ToString::to_string));
    }
    out.extend(loaded.notes.iter().map(|note| format!("note: {note}")));
    out.join("\n\n")
}
