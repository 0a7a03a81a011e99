//! The file that is written, with its variables and comments.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::yaml;

/// The longest name of a tool that every provider takes.
const NAME_CHARS_MAX: usize = 64;

/// The longest time that an endpoint may take, in seconds.
const TIMEOUT_SECONDS_MAX: u64 = 180;

/// An agent file with tools that were described elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// The file.
    pub yaml: String,
    /// The variables that hold its secrets.
    pub variables: Vec<String>,
    /// What could not be brought over as it was; each stands in the file as a comment too.
    pub notes: Vec<String>,
}

/// The file while it is written.
#[derive(Debug)]
pub(super) struct Writing {
    title: String,
    tools: String,
    names: BTreeSet<String>,
    variables: BTreeSet<String>,
    notes: Vec<String>,
}

impl Writing {
    pub(super) fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            tools: String::new(),
            names: BTreeSet::new(),
            variables: BTreeSet::new(),
            notes: Vec::new(),
        }
    }

    /// Adds one entry of `tools`, with what is to be said of it before it.
    pub(super) fn tool(&mut self, entry: &Map<String, Value>, said: &[String]) {
        for note in said {
            self.say(note);
        }
        yaml::write_item(entry, 2, &mut self.tools);
    }

    /// Says what could not be brought over.
    pub(super) fn say(&mut self, note: &str) {
        for line in note.lines() {
            self.tools.push_str("  # ");
            // What ends a line for a reader of YAML would end the comment.
            self.tools.extend(line.chars().filter(|c| !c.is_control() && !is_line_end(*c)));
            self.tools.push('\n');
        }
        self.notes.push(note.to_owned());
    }

    /// Returns a legal name that no other tool has, and says so when it is another.
    pub(super) fn name(&mut self, wanted: &str, said: &mut Vec<String>) -> String {
        let legal =
            |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
        let mut name: String = wanted.chars().map(legal).take(NAME_CHARS_MAX).collect();
        if name.is_empty() {
            "tool".clone_into(&mut name);
        }
        let base = name.clone();
        let mut count = 1;
        while !self.names.insert(name.clone()) {
            count += 1;
            let end = format!("_{count}");
            name = base.chars().take(NAME_CHARS_MAX - end.len()).collect::<String>() + &end;
        }
        if name != wanted {
            said.push(format!(
                "`{wanted}` is called `{name}` here, and that is what its server will be told"
            ));
        }
        name
    }

    /// Returns `${NAME}` for the secret of a tool; one thing has one variable.
    pub(super) fn variable(&mut self, of: &str, what: &str) -> String {
        let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        let mut name: String = format!("{of}_{what}").chars().map(upper).collect();
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            name.insert(0, '_');
        }
        let reference = format!("${{{name}}}");
        self.variables.insert(name);
        reference
    }

    /// An address without what may be secret in it: a user and a password are left out, and values
    /// of the query with a telling name become variables.
    pub(super) fn address(&mut self, of: &str, url: &str, said: &mut Vec<String>) -> String {
        let url = escaped(url);
        let (before, rest) = url.split_once("://").unwrap_or(("https", &url));
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (mut authority, path) = rest.split_at(end);
        if let Some((_, host)) = authority.rsplit_once('@') {
            said.push("its address holds a user and a password: send them in a header".to_owned());
            authority = host;
        }
        let (path, query) = path.split_once('?').map_or((path, None), |(p, q)| (p, Some(q)));
        let mut url = format!("{before}://{authority}{path}");
        let pairs: Vec<String> = query
            .into_iter()
            .flat_map(|query| query.split('&'))
            .map(|pair| match pair.split_once('=') {
                Some((name, _)) if is_telling(name) => {
                    format!("{name}={}", self.variable(of, name))
                }
                _ => pair.to_owned(),
            })
            .collect();
        if !pairs.is_empty() {
            url.push('?');
            url.push_str(&pairs.join("&"));
        }
        url
    }

    /// Headers with variables in place of their values.
    pub(super) fn headers(
        &mut self,
        of: &str,
        headers: Option<&Value>,
        said: &mut Vec<String>,
    ) -> Map<String, Value> {
        let mut written = Map::new();
        for (name, _) in headers.and_then(Value::as_object).into_iter().flatten() {
            if OURS.iter().any(|ours| ours.eq_ignore_ascii_case(name)) {
                said.push(format!("its header `{name}` is set by us"));
                continue;
            }
            written.insert(name.clone(), json!(self.variable(of, name)));
        }
        written
    }

    pub(super) fn finish(self) -> ImportedFile {
        let slug = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
        let name: String = self.title.chars().map(slug).take(40).collect();
        let name = name.trim_matches('-');
        let name = if name.is_empty() { "imported" } else { name };
        let title: String =
            self.title.chars().filter(|c| !c.is_control() && !is_line_end(*c)).collect();
        let mut yaml = format!("# Tools of {title}, brought over by `manos import`.\n");
        if !self.variables.is_empty() {
            let names: Vec<&str> = self.variables.iter().map(String::as_str).collect();
            yaml.extend(["# Secrets to set: ", &names.join(", "), ".\n"]);
        }
        yaml.extend(["name: ", &yaml::text(name), "\n"]);
        if self.tools.lines().all(|line| line.trim_start().starts_with('#')) {
            yaml.push_str("tools: []\n");
        } else {
            yaml.push_str("tools:\n");
        }
        yaml.push_str(&self.tools);
        ImportedFile { yaml, variables: self.variables.into_iter().collect(), notes: self.notes }
    }
}

/// Headers that are ours to set.
const OURS: [&str; 6] = [
    "connection",
    "content-length",
    "content-type",
    "host",
    "idempotency-key",
    "transfer-encoding",
];

fn is_line_end(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A text in which nothing is read as a variable of ours.
pub(super) fn escaped(text: &str) -> String {
    text.replace("${", "$${")
}

/// An address in which no brace stands for an argument.
pub(super) fn without_holes(url: &str) -> String {
    url.replace('{', "%7B").replace('}', "%7D")
}

/// Whether the name of a value says that it is secret.
fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "code", "key", "pass", "secret", "sig", "token"].iter().any(|word| name.contains(word))
}

/// Seconds within what an endpoint may take; says so when it is another time.
pub(super) fn timeout(seconds: u64, said: &mut Vec<String>) -> u64 {
    let within = seconds.clamp(1, TIMEOUT_SECONDS_MAX);
    if within != seconds {
        said.push(format!("its time limit of {seconds} s is {within} s here"));
    }
    within
}

/// The schema of the arguments; one that takes none when there is none.
pub(super) fn parameters(schema: Option<&Value>, said: &mut Vec<String>) -> Value {
    match schema {
        Some(Value::Object(schema)) if !schema.is_empty() => {
            let mut schema = schema.clone();
            if schema.get("type").is_none() {
                schema.insert("type".to_owned(), json!("object"));
            }
            Value::Object(schema)
        }
        None | Some(Value::Null | Value::Object(_)) => json!({"type": "object", "properties": {}}),
        Some(_) => {
            said.push("its parameters are no JSON Schema; it takes none here".to_owned());
            json!({"type": "object", "properties": {}})
        }
    }
}

/// What cannot be said in an agent file, of the keys that are there.
pub(super) fn unsaid(tool: &Value, keys: &[(&str, &str)], said: &mut Vec<String>) {
    for (key, why) in keys {
        let value = tool.pointer(key).unwrap_or(&Value::Null);
        let says_nothing = match value {
            Value::Null | Value::Bool(false) => true,
            Value::Array(items) => items.is_empty(),
            Value::Object(map) => map.is_empty(),
            _ => false,
        };
        if !says_nothing {
            said.push(format!(
                "`{}` is left out: {why}",
                key.trim_start_matches('/').replace('/', ".")
            ));
        }
    }
}
