//! What each keyword of a schema holds, and which are kept.

use serde_json::Value;

/// What a keyword holds.
pub(super) enum Kind {
    /// One schema.
    Schema,
    /// A list of schemas.
    Schemas,
    /// Schemas by name.
    NamedSchemas,
    /// Something else, kept when it has the right form.
    Plain(fn(&Value) -> bool),
    /// Nothing that arguments are checked by or that helps a model.
    Dropped,
}

pub(super) fn kind(keyword: &str) -> Kind {
    match keyword {
        "additionalProperties"
        | "contains"
        | "else"
        | "if"
        | "items"
        | "not"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Kind::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Kind::Schemas,
        "dependentSchemas" | "patternProperties" | "properties" => Kind::NamedSchemas,
        "maxContains" | "maxItems" | "maxLength" | "maxProperties" | "minContains" | "minItems"
        | "minLength" | "minProperties" => Kind::Plain(Value::is_u64),
        "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" => {
            Kind::Plain(Value::is_number)
        }
        "multipleOf" => Kind::Plain(|value| value.as_f64().is_some_and(|step| step > 0.0)),
        "pattern" => Kind::Plain(|value| {
            // Documents hold patterns of other languages; one that is not understood is left to the
            // service.
            value.as_str().is_some_and(|pattern| regex::Regex::new(pattern).is_ok())
        }),
        "enum" => Kind::Plain(|value| value.as_array().is_some_and(|all| !all.is_empty())),
        "required" => Kind::Plain(Value::is_array),
        "type" => Kind::Plain(|value| value.is_string() || value.is_array()),
        "uniqueItems" | "writeOnly" => Kind::Plain(Value::is_boolean),
        "description" | "format" | "contentEncoding" => Kind::Plain(Value::is_string),
        "const" | "default" => Kind::Plain(|_| true),
        _ => Kind::Dropped,
    }
}

/// Whether a keyword holds further schemas.
pub(super) fn holds_schemas(keyword: &str) -> bool {
    matches!(kind(keyword), Kind::Schema | Kind::Schemas | Kind::NamedSchemas)
}
