//! What a provider would refuse in a schema, read from its own rules and not from our writers.
//!
//! It decides whether a schema may go as it was written, and proves what the writers write.

use serde_json::{Map, Value};

use super::SchemaForm;
use super::rules::{
    STRICT_CHARS_MAX, STRICT_DEPTH_MAX, STRICT_ENUM_CHARS_MAX, STRICT_KEYS_MAX, STRICT_VALUES_MAX,
};
use crate::names::NameRule;

/// Returns what the provider would refuse in a schema that is shown to it, as sentences with the
/// place in the schema; nothing when it takes it.
///
/// # Examples
///
/// ```
/// use manos_wire_llm::{SchemaForm, refused};
/// use serde_json::json;
///
/// let schema = json!({ "oneOf": [{ "type": "object" }] });
/// assert_eq!(
///     refused(&schema, SchemaForm::Anthropic),
///     ["/: the type is not `object`", "/: `oneOf` at the root"],
/// );
/// ```
///
/// # Source
///
/// - OpenAI: <https://github.com/langchain-ai/langchainjs/issues/9804> quotes the refusal of a choice
///   at the root; the guide for `strict` is
///   <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>, its limits for
///   older models <https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/structured-outputs>.
/// - Anthropic: <https://github.com/anthropics/claude-code/issues/5973> and
///   <https://github.com/anthropics/claude-code/issues/586> quote the refusals.
/// - Gemini: <https://ai.google.dev/api/caching#Schema>; refusals are quoted in
///   <https://github.com/agno-agi/agno/issues/2112>, <https://github.com/google-gemini/gemini-cli/issues/3178>
///   and <https://github.com/microsoft/azure-devops-mcp/issues/145>.
/// - Grammars: <https://github.com/ggml-org/llama.cpp/blob/master/common/json-schema-to-grammar.cpp>.
/// - Ollama: <https://github.com/ollama/ollama/blob/main/api/types.go>.
pub fn refused(schema: &Value, form: SchemaForm) -> Vec<String> {
    if form == SchemaForm::Gemini && schema.is_null() {
        return Vec::new();
    }
    let mut check = Check { form, root: schema, found: Vec::new(), totals: Totals::default() };
    check.root();
    check.schema(schema, "", 1);
    check.totals();
    check.found
}

/// The names that `type` may have.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// How deep a schema is looked at; deeper ones are refused by those who declare tools.
const LOOK_DEPTH_MAX: usize = 200;

/// Repetitions that llama.cpp makes of one rule.
const GRAMMAR_REPETITIONS_MAX: u64 = 2_000;

/// Keywords that hold one schema, or a list of them.
const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];

struct Check<'s> {
    form: SchemaForm,
    root: &'s Value,
    found: Vec<String>,
    totals: Totals,
}

/// What `strict` counts.
#[derive(Default)]
struct Totals {
    keys: usize,
    values: usize,
    chars: usize,
}

impl<'s> Check<'s> {
    fn say(&mut self, at: &str, what: impl AsRef<str>) {
        let at = if at.is_empty() { "/" } else { at };
        self.found.push(format!("{at}: {}", what.as_ref()));
    }

    fn root(&mut self) {
        let root = self.root;
        let is_object = root.get("type").is_some_and(|kind| kind == "object");
        if !is_object {
            self.say("", "the type is not `object`");
        }
        let may_lack = matches!(self.form, SchemaForm::Anthropic | SchemaForm::Grammar);
        if is_object && !may_lack && !root.get("properties").is_some_and(Value::is_object) {
            self.say("", "no `properties`");
        }
        let forbidden: &[&str] = match self.form {
            SchemaForm::Anthropic => &["allOf", "anyOf", "oneOf"],
            SchemaForm::OpenAi | SchemaForm::OpenAiStrict => {
                &["allOf", "anyOf", "enum", "not", "oneOf"]
            }
            SchemaForm::Gemini | SchemaForm::Grammar | SchemaForm::Ollama => &["anyOf", "oneOf"],
        };
        for key in forbidden {
            if root.get(key).is_some() {
                self.say("", format!("`{key}` at the root"));
            }
        }
    }

    fn schema(&mut self, schema: &'s Value, at: &str, depth: usize) {
        let Value::Object(map) = schema else {
            let narrow = !matches!(self.form, SchemaForm::Anthropic | SchemaForm::OpenAi);
            if narrow || !schema.is_boolean() {
                self.say(at, "not an object");
            }
            return;
        };
        if depth > LOOK_DEPTH_MAX {
            self.say(at, "too deep");
            return;
        }
        self.common(map, at);
        match self.form {
            SchemaForm::Anthropic => self.anthropic(map, at),
            SchemaForm::Gemini => self.gemini(map, at),
            SchemaForm::Grammar => self.grammar(map, at),
            SchemaForm::Ollama => self.ollama(map, at),
            SchemaForm::OpenAi => self.openai(map, at),
            SchemaForm::OpenAiStrict => self.strict(map, at, depth),
        }
        self.inside(map, at, depth);
    }

    /// Goes on into the schemas that this one holds.
    fn inside(&mut self, map: &'s Map<String, Value>, at: &str, depth: usize) {
        for key in ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"] {
            for (name, schema) in map.get(key).and_then(Value::as_object).into_iter().flatten() {
                self.schema(schema, &format!("{at}/{key}/{name}"), depth + 1);
            }
        }
        for key in ["allOf", "anyOf", "oneOf", "prefixItems"] {
            let list = map.get(key).and_then(Value::as_array).into_iter().flatten();
            for (index, schema) in list.enumerate() {
                // An alternative is at the same level.
                self.schema(schema, &format!("{at}/{key}/{index}"), depth);
            }
        }
        for key in ONE {
            match map.get(key) {
                Some(Value::Array(list)) => {
                    for (index, schema) in list.iter().enumerate() {
                        self.schema(schema, &format!("{at}/{key}/{index}"), depth + 1);
                    }
                }
                Some(Value::Bool(_)) if key == "additionalProperties" => {}
                Some(schema) => self.schema(schema, &format!("{at}/{key}"), depth + 1),
                None => {}
            }
        }
    }

    /// What no provider takes.
    fn common(&mut self, map: &'s Map<String, Value>, at: &str) {
        let known = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
        let good_type = match map.get("type") {
            None => true,
            Some(Value::Array(names)) => !names.is_empty() && names.iter().all(known),
            Some(name) => known(name),
        };
        if !good_type {
            self.say(at, "an unknown `type`");
        }
        let texts =
            |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_string));
        if map.get("required").is_some_and(|required| !texts(required)) {
            self.say(at, "`required` is no list of names");
        }
        if let Some(reference) = map.get("$ref") {
            let target = reference
                .as_str()
                .and_then(|text| text.strip_prefix('#'))
                .and_then(|pointer| self.root.pointer(pointer));
            if target.is_none() {
                self.say(at, "a `$ref` that leads nowhere");
            }
        }
    }

    fn openai(&mut self, map: &Map<String, Value>, at: &str) {
        if has_type(map, "array") && !map.contains_key("items") {
            self.say(at, "array schema missing items");
        }
        self.modern(map, at);
    }

    fn anthropic(&mut self, map: &Map<String, Value>, at: &str) {
        self.modern(map, at);
        self.keys(map, at, NameRule::ANTHROPIC_KEY);
        let schema = map.get("$schema").and_then(Value::as_str);
        if schema.is_some_and(|uri| !uri.contains("draft/2020-12")) {
            self.say(at, "another draft than 2020-12");
        }
    }

    /// What is no draft 2020-12.
    fn modern(&mut self, map: &Map<String, Value>, at: &str) {
        if map.get("items").is_some_and(Value::is_array) {
            self.say(at, "a list for `items`");
        }
        for key in ["exclusiveMinimum", "exclusiveMaximum"] {
            if map.get(key).is_some_and(|bound| !bound.is_number()) {
                self.say(at, format!("`{key}` is no number"));
            }
        }
    }

    fn keys(&mut self, map: &Map<String, Value>, at: &str, rule: NameRule) {
        for key in map.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys)
        {
            if !rule.takes(key) {
                self.say(at, format!("the key `{key}`"));
            }
        }
    }

    fn gemini(&mut self, map: &Map<String, Value>, at: &str) {
        const KNOWN: [&str; 22] = [
            "anyOf",
            "default",
            "description",
            "enum",
            "example",
            "format",
            "items",
            "maxItems",
            "maxLength",
            "maxProperties",
            "maximum",
            "minItems",
            "minLength",
            "minProperties",
            "minimum",
            "nullable",
            "pattern",
            "properties",
            "propertyOrdering",
            "required",
            "title",
            "type",
        ];
        for key in map.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
            self.say(at, format!("Unknown name \"{key}\""));
        }
        if map.contains_key("anyOf") && map.len() > 1 {
            self.say(at, "other fields alongside any_of");
        }
        let kind = map.get("type").and_then(Value::as_str);
        if kind.is_none() && !map.contains_key("anyOf") {
            self.say(at, "no single `type`");
        }
        let properties = map.get("properties").and_then(Value::as_object);
        if kind == Some("object") && properties.is_none_or(Map::is_empty) {
            self.say(at, "properties should be non-empty for OBJECT type");
        }
        for key in map.get("required").and_then(Value::as_array).into_iter().flatten() {
            let key = key.as_str().unwrap_or_default();
            if !properties.is_some_and(|properties| properties.contains_key(key)) {
                self.say(at, format!("required property `{key}` is not defined"));
            }
        }
        if kind == Some("array") && !map.contains_key("items") {
            self.say(at, "items: missing field");
        }
        for value in map.get("enum").and_then(Value::as_array).into_iter().flatten() {
            if kind != Some("string") || value.as_str().is_none_or(str::is_empty) {
                self.say(at, "enum only of non-empty text, for STRING type");
            }
        }
        let format = map.get("format").and_then(Value::as_str);
        if kind == Some("string") && format.is_some_and(|f| f != "enum" && f != "date-time") {
            self.say(at, "only 'enum' and 'date-time' are supported for STRING type");
        }
        self.keys(map, at, NameRule::GEMINI_KEY);
    }

    fn grammar(&mut self, map: &Map<String, Value>, at: &str) {
        if map.contains_key("pattern") {
            self.say(at, "a pattern");
        }
        if map.is_empty() || ["not", "if", "allOf"].iter().any(|key| map.contains_key(*key)) {
            self.say(at, "what a grammar cannot say");
        }
        let counts = ["minItems", "maxItems", "minLength", "maxLength"];
        let repeats = counts
            .iter()
            .filter_map(|key| map.get(*key))
            .any(|count| count.as_u64().is_none_or(|count| count > GRAMMAR_REPETITIONS_MAX));
        if repeats {
            self.say(at, "number of repetitions exceeds sane defaults");
        }
        for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            if map.get(key).is_some_and(|bound| !bound.is_i64()) {
                self.say(at, format!("`{key}` is no 64-bit integer"));
            }
        }
        let beside = ["properties", "items", "enum"];
        if map.contains_key("anyOf") && beside.iter().any(|key| map.contains_key(*key)) {
            self.say(at, "what stands beside `anyOf` is passed over");
        }
    }

    fn ollama(&mut self, map: &Map<String, Value>, at: &str) {
        const KNOWN: [&str; 7] =
            ["anyOf", "description", "enum", "items", "properties", "required", "type"];
        for key in map.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
            self.say(at, format!("`{key}` is dropped"));
        }
        if map.get("description").is_some_and(|text| !text.is_string()) {
            self.say(at, "`description` is no text");
        }
    }

    fn strict(&mut self, map: &'s Map<String, Value>, at: &str, depth: usize) {
        const KNOWN: [&str; 11] = [
            "$defs",
            "$ref",
            "additionalProperties",
            "anyOf",
            "const",
            "description",
            "enum",
            "items",
            "properties",
            "required",
            "title",
        ];
        for key in map.keys().filter(|key| *key != "type" && !KNOWN.contains(&key.as_str())) {
            self.say(at, format!("'{key}' is not permitted"));
        }
        if !["type", "anyOf", "enum", "const", "$ref"].iter().any(|key| map.contains_key(*key)) {
            self.say(at, "schema must have a 'type' key");
        }
        if depth > STRICT_DEPTH_MAX {
            self.say(at, format!("more than {STRICT_DEPTH_MAX} levels of nesting"));
        }
        if has_type(map, "array") && !map.contains_key("items") {
            self.say(at, "array schema missing items");
        }
        if has_type(map, "object") {
            let none = Map::new();
            let properties = map.get("properties").and_then(Value::as_object).unwrap_or(&none);
            let required = map.get("required").and_then(Value::as_array);
            let is_required = |key: &String| {
                required.is_some_and(|list| list.iter().any(|name| name == key.as_str()))
            };
            if required.is_none() || !properties.keys().all(is_required) {
                self.say(at, "'required' must include every key in properties");
            }
            if map.get("additionalProperties") != Some(&Value::Bool(false)) {
                self.say(at, "'additionalProperties' is required to be false");
            }
            self.totals.keys += properties.len();
            self.totals.chars += properties.keys().map(|key| key.chars().count()).sum::<usize>();
        }
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            let chars = values.iter().map(|value| value.to_string().chars().count()).sum::<usize>();
            self.totals.values += values.len();
            self.totals.chars += chars;
            if chars > STRICT_ENUM_CHARS_MAX {
                self.say(at, "an enum that is too long");
            }
        }
        let mut first_keys: Vec<&String> = Vec::new();
        for choice in map.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            let keys = choice.get("properties").and_then(Value::as_object);
            first_keys.extend(keys.and_then(|keys| keys.keys().next()));
        }
        let count = first_keys.len();
        first_keys.sort();
        first_keys.dedup();
        if first_keys.len() < count {
            self.say(at, "objects in 'anyOf' share identical first keys");
        }
    }

    fn totals(&mut self) {
        if self.form != SchemaForm::OpenAiStrict {
            return;
        }
        if self.totals.keys > STRICT_KEYS_MAX {
            self.say("", "too many keys");
        }
        if self.totals.values > STRICT_VALUES_MAX {
            self.say("", "too many values in enums");
        }
        if self.totals.chars > STRICT_CHARS_MAX {
            self.say("", "keys and values too long together");
        }
    }
}

fn has_type(map: &Map<String, Value>, name: &str) -> bool {
    match map.get("type") {
        Some(Value::Array(names)) => names.iter().any(|one| one == name),
        Some(one) => one == name,
        None => false,
    }
}
