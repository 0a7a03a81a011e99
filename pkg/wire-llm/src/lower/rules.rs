//! What each form can say: one row each. The sources are beside the rows.

use super::SchemaForm;
use super::kinds::Kinds;
use crate::names::NameRule;

/// What one form can say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// What stands for a value of any kind.
    pub(super) any: Any,
    /// The plain keywords that are shown; the others are told in words.
    pub(super) plain: &'static [&'static str],
    /// Whether `type` may be a list.
    pub(super) type_lists: bool,
    /// Whether `null` is said by `nullable: true`.
    pub(super) nullable: bool,
    /// Whether only text may have an `enum`, and none of it empty.
    pub(super) enum_of_text: bool,
    /// Whether an object without named keys has to be asked for as JSON text.
    pub(super) map_as_text: bool,
    /// Whether nothing may stand beside `anyOf`.
    pub(super) lone_choice: bool,
    /// Whether `additionalProperties` is a word.
    pub(super) others: bool,
    /// Whether every object is closed and every key required.
    pub(super) strict: bool,
    /// Whether a list must say what its items are.
    pub(super) items: bool,
    /// Which keys are taken; all where there is no rule.
    pub(super) keys: Option<NameRule>,
    /// How deep a schema may be, in objects and lists; deeper ones are shown as taking anything.
    pub(super) depth_max: usize,
}

/// What stands for a value of any kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Any {
    /// A schema without a type.
    Empty,
    /// Text that holds JSON.
    JsonText,
    /// All types, listed.
    Types,
}

/// The depth at which forms without a limit of their own are cut.
const DEPTH_MAX: usize = 24;

/// Levels of nesting at OpenAI with `strict`, counted as its older models and Azure count:
/// <https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/structured-outputs>.
pub(super) const STRICT_DEPTH_MAX: usize = 5;
/// Keys in one schema with `strict`; same source.
pub(super) const STRICT_KEYS_MAX: usize = 100;
/// Values of all enums in one schema with `strict`:
/// <https://platform.openai.com/docs/guides/structured-outputs#supported-schemas>.
pub(super) const STRICT_VALUES_MAX: usize = 500;
/// Characters of all values of one enum with `strict`; same source, where it counts from 250 values.
pub(super) const STRICT_ENUM_CHARS_MAX: usize = 7_500;
/// Characters of all keys and values in one schema with `strict`; same source.
pub(super) const STRICT_CHARS_MAX: usize = 15_000;

const BROAD: [&str; 21] = [
    "contentEncoding",
    "contentMediaType",
    "default",
    "deprecated",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "title",
    "uniqueItems",
];

/// OpenAI without `strict`, where a schema has to be rewritten at all.
const OPENAI: Rules = Rules {
    any: Any::Empty,
    plain: &BROAD,
    type_lists: true,
    nullable: false,
    enum_of_text: false,
    map_as_text: false,
    lone_choice: false,
    others: true,
    strict: false,
    items: true,
    keys: None,
    depth_max: DEPTH_MAX,
};

impl Rules {
    pub(super) fn of(form: SchemaForm) -> Self {
        match form {
            SchemaForm::OpenAi => OPENAI,
            SchemaForm::Anthropic => Self { keys: Some(NameRule::ANTHROPIC_KEY), ..OPENAI },
            // Formats, patterns and bounds are refused by some of the servers and older models that
            // know `strict`, so they are told in words.
            SchemaForm::OpenAiStrict => Self {
                plain: &["title"],
                others: false,
                strict: true,
                depth_max: STRICT_DEPTH_MAX,
                ..OPENAI
            },
            // https://ai.google.dev/api/caching#Schema. Bounds are documented, but make
            // "too many states for serving" of a schema that is taken without them.
            SchemaForm::Gemini => Self {
                any: Any::JsonText,
                plain: &[],
                type_lists: false,
                nullable: true,
                enum_of_text: true,
                map_as_text: true,
                lone_choice: true,
                others: false,
                keys: Some(NameRule::GEMINI_KEY),
                depth_max: 12,
                ..OPENAI
            },
            // https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md: a pattern
            // without anchors is refused, formats and lengths are held to, `{}` is an object.
            SchemaForm::Grammar => Self {
                any: Any::Types,
                plain: &["default", "maximum", "minimum", "title"],
                items: false,
                ..OPENAI
            },
            // https://github.com/ollama/ollama/blob/main/api/types.go (`ToolProperty`): other keys
            // are dropped without a word, booleans for schemas are refused.
            SchemaForm::Ollama => Self { any: Any::Types, plain: &[], others: false, ..OPENAI },
        }
    }

    /// Whether a plain keyword is shown for a value of these kinds.
    pub(super) fn shows(&self, keyword: &str, value: &serde_json::Value, kinds: Kinds) -> bool {
        let bound = keyword.ends_with("imum");
        // Grammars hold integers to whole bounds and know no others.
        let fits = !(bound && self.any == Any::Types)
            || (!kinds.meets(Kinds::NUMBER) || (kinds == Kinds::INTEGER && value.is_i64()));
        self.plain.contains(&keyword) && fits
    }
}
