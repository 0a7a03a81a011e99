//! Thousands of function documents that people wrote for models, with the calls that are right.
//!
//! They are those of the Berkeley Function Calling Leaderboard, in a package that is pinned by hash
//! and kept in the cache. Every document loads, or is refused with a reason; what loads is offered to
//! every provider; the right call passes the check of arguments and a wrong one does not.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use manos_schema::{Checked, MendOptions, RawArguments, ToolSchema};
use manos_wire_llm::{SchemaForm, compile, refused};
use serde_json::{Map, Value, json};

use crate::download::{Package, Registry, unpacked};
use crate::repo::Repo;
use crate::say;

/// Apache-2.0.
const PACKAGE: Package = Package {
    registry: Registry::Python,
    name: "bfcl-eval",
    version: "2026.3.23",
    sha256: "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a",
};

/// The lists whose functions are read, and whether they come with the right calls.
const LISTS: [(&str, bool); 10] = [
    ("simple_python", true),
    ("multiple", true),
    ("parallel", true),
    ("parallel_multiple", true),
    ("live_simple", true),
    ("live_multiple", true),
    ("live_parallel", true),
    ("live_parallel_multiple", true),
    ("irrelevance", false),
    ("live_irrelevance", false),
];

/// Calls that are given out as right and break their own document, as they were found and read by a
/// person: text where the document says number, a value that is not in the enum, a key it lacks.
const CALLS_AT_ODDS_MAX: usize = 18;

/// Documents that are no JSON Schema even in our reading: there are none.
const DOCUMENTS_REFUSED_MAX: usize = 0;

#[derive(Debug, Default)]
struct Counts {
    documents: usize,
    refused: BTreeMap<String, usize>,
    calls: usize,
    at_odds: BTreeMap<String, usize>,
    wrong: usize,
    strict: usize,
}

/// Reads every list and prints what came of it.
pub(crate) fn check(_repo: &Repo) -> Result<()> {
    let files: Vec<String> = LISTS.iter().map(|(list, _)| file(list)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let folder = unpacked(&PACKAGE, &files)?;
    let mut counts = Counts::default();
    for (list, has_answers) in LISTS {
        read_list(&folder, list, has_answers, &mut counts).with_context(|| list.to_owned())?;
    }
    let refused: usize = counts.refused.values().sum();
    let at_odds: usize = counts.at_odds.values().sum();
    say::line(&format!(
        "{} function documents: {refused} refused, each other one taken by all {} forms, {} by strict",
        counts.documents,
        SchemaForm::ALL.len(),
        counts.strict,
    ));
    say::line(&format!(
        "{} right calls: {at_odds} at odds with their own document; {} wrong calls, all refused",
        counts.calls, counts.wrong
    ));
    for (reason, count) in counts.refused.iter().chain(&counts.at_odds) {
        say::line(&format!("{count:>5} × {reason}"));
    }
    if counts.documents == 0 || counts.calls == 0 || counts.wrong == 0 {
        bail!("the package holds nothing to check");
    }
    if refused > DOCUMENTS_REFUSED_MAX || at_odds > CALLS_AT_ODDS_MAX {
        bail!("more is refused than a person has looked at");
    }
    Ok(())
}

fn file(list: &str) -> String {
    format!("bfcl_eval/data/BFCL_v4_{list}.json")
}

fn read_list(folder: &Path, list: &str, has_answers: bool, counts: &mut Counts) -> Result<()> {
    let lines = |path: &Path| -> Result<Vec<Value>> {
        let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
        text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    };
    let mut answers = BTreeMap::new();
    if has_answers {
        let path = format!("bfcl_eval/data/possible_answer/BFCL_v4_{list}.json");
        for answer in lines(&folder.join(path))? {
            answers.insert(answer["id"].to_string(), answer["ground_truth"].clone());
        }
    }
    for entry in lines(&folder.join(file(list)))? {
        let mut tools = BTreeMap::new();
        for function in entry["function"].as_array().into_iter().flatten() {
            counts.documents += 1;
            let name = function["name"].as_str().unwrap_or_default();
            let schema = in_our_words(&function["parameters"]);
            match ToolSchema::compile(&schema) {
                Ok(tool) => {
                    counts.strict += offer(name, &schema)?;
                    tools.insert(name.to_owned(), (schema, tool));
                }
                Err(error) => *counts.refused.entry(kind_of(&error.to_string())).or_default() += 1,
            }
        }
        let calls = answers.get(&entry["id"].to_string()).and_then(Value::as_array);
        for (name, arguments) in calls.into_iter().flatten().filter_map(Value::as_object).flatten()
        {
            if let (Some((schema, tool)), Value::Object(allowed)) = (tools.get(name), arguments) {
                check_call(schema, tool, allowed, counts)
                    .with_context(|| format!("{} {name}", entry["id"]))?;
            }
        }
    }
    Ok(())
}

/// Their types are Python's: `dict`, `float`, `tuple`, `any`.
fn in_our_words(schema: &Value) -> Value {
    match schema {
        Value::Array(list) => list.iter().map(in_our_words).collect(),
        Value::Object(map) => {
            let mut ours = Map::new();
            for (key, value) in map {
                let value = match (key.as_str(), value.as_str()) {
                    ("type", Some("dict")) => "object".into(),
                    ("type", Some("float")) => "number".into(),
                    ("type", Some("tuple")) => "array".into(),
                    ("type", Some("any")) => continue,
                    _ => in_our_words(value),
                };
                ours.insert(key.clone(), value);
            }
            ours.into()
        }
        other => other.clone(),
    }
}

/// Offers a function to every provider; returns 1 where it can be strict.
fn offer(name: &str, schema: &Value) -> Result<usize> {
    let mut strict = 0;
    for form in SchemaForm::ALL {
        let compiled = compile(schema, form);
        let checked = match form {
            SchemaForm::OpenAiStrict if !compiled.strict => SchemaForm::OpenAi,
            form => form,
        };
        strict += usize::from(compiled.strict);
        let refused = refused(&compiled.shown, checked);
        if !refused.is_empty() {
            bail!("{name} would be refused as {form:?}: {}", refused.join("; "));
        }
    }
    Ok(strict)
}

fn check_call(
    schema: &Value,
    tool: &ToolSchema,
    allowed: &Map<String, Value>,
    counts: &mut Counts,
) -> Result<()> {
    counts.calls += 1;
    let properties = &schema["properties"];
    let mut call = Map::new();
    for (key, values) in allowed {
        let of_key = &properties[key];
        let values: Vec<Value> =
            values.as_array().into_iter().flatten().map(|value| plain(value, of_key)).collect();
        // An empty text among the values says that the key may be left out.
        if values.contains(&json!("")) && !is_required(schema, key) {
            continue;
        }
        let alone = |value: &&Value| {
            let with = Map::from_iter([(key.clone(), (*value).clone())]);
            let told = violations(tool, &with.into());
            told.iter().all(|path| !path.starts_with(&format!("/{key}")))
        };
        if let Some(value) = values.iter().find(alone).or_else(|| values.first()) {
            call.insert(key.clone(), value.clone());
        }
    }
    if let Checked::Invalid(error) =
        tool.check(RawArguments::Value(&call.clone().into()), MendOptions::default())
    {
        let told = error.violations();
        let reason = told.first().map(|one| kind_of(&one.expected)).unwrap_or_default();
        *counts.at_odds.entry(format!("a call that breaks: {reason}")).or_default() += 1;
        return Ok(());
    }
    for (what, wrong) in wrong_calls(schema, &call) {
        counts.wrong += 1;
        if violations(tool, &wrong).is_empty() {
            bail!("{what}, and the check takes it: {wrong}");
        }
    }
    Ok(())
}

/// The paths of what is wrong with a call.
fn violations(tool: &ToolSchema, arguments: &Value) -> Vec<String> {
    match tool.check(RawArguments::Value(arguments), MendOptions::default()) {
        Checked::Valid { .. } => Vec::new(),
        Checked::Invalid(error) => error.violations().into_iter().map(|one| one.path).collect(),
    }
}

/// Inside objects, their answers list the allowed values of each key too.
fn plain(value: &Value, schema: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut ours = Map::new();
            for (key, values) in map {
                let of_key = &schema["properties"][key];
                let one = match values {
                    Value::Array(list) => list.iter().find(|value| **value != ""),
                    other => Some(other),
                };
                if let Some(one) = one {
                    ours.insert(key.clone(), plain(one, of_key));
                }
            }
            ours.into()
        }
        Value::Array(list) => list.iter().map(|value| plain(value, &schema["items"])).collect(),
        other => other.clone(),
    }
}

fn is_required(schema: &Value, key: &str) -> bool {
    schema["required"].as_array().is_some_and(|keys| keys.iter().any(|one| one == key))
}

/// A right call made wrong: a required key missing, a value of another type, one outside the enum.
fn wrong_calls(schema: &Value, call: &Map<String, Value>) -> Vec<(&'static str, Value)> {
    let mut wrong = Vec::new();
    let with = |key: &String, value: Value| {
        let mut call = call.clone();
        call.insert(key.clone(), value);
        Value::Object(call)
    };
    for key in call.keys() {
        let of_key = &schema["properties"][key];
        if is_required(schema, key) {
            let mut less = call.clone();
            less.shift_remove(key);
            wrong.push(("a required key is missing", less.into()));
        }
        match of_key["type"].as_str() {
            Some("string") => wrong.push(("a list where text is due", with(key, json!([1])))),
            Some("array" | "boolean" | "integer" | "number" | "object") => {
                wrong.push(("text where none is due", with(key, json!("no such value"))));
            }
            _ => {}
        }
        if of_key["enum"].is_array() {
            wrong.push(("a value outside the enum", with(key, json!("no such value"))));
        }
    }
    wrong
}

/// A message without the names and values in it, so that equal ones are counted together.
fn kind_of(message: &str) -> String {
    let mut words: Vec<&str> = message.split_whitespace().take(6).collect();
    for word in &mut words {
        if word.contains(['`', '"', '/']) || word.starts_with(|c: char| c.is_ascii_digit()) {
            *word = "…";
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_python_become_ours_and_a_key_called_type_stays() {
        let theirs = json!({"type": "dict", "properties": {
            "type": {"type": "float"}, "x": {"type": "any"}, "y": {"type": "tuple"}
        }});
        let ours = json!({"type": "object", "properties": {
            "type": {"type": "number"}, "x": {}, "y": {"type": "array"}
        }});
        assert_eq!(in_our_words(&theirs), ours);
    }

    #[test]
    fn each_way_to_be_wrong_is_tried_where_it_applies() {
        let schema =
            json!({"properties": {"a": {"type": "string", "enum": ["x"]}}, "required": ["a"]});
        let call = Map::from_iter([("a".to_owned(), json!("x"))]);
        assert_eq!(wrong_calls(&schema, &call).len(), 3);
    }
}
