//! A tool set as ready bytes, and the way back from what a model sends.

use std::collections::BTreeMap;
use std::sync::Arc;

use manos_model::{ModelReply, ToolDeclaration, ToolSet};

use crate::write::push_list;
use crate::{Compiled, MapBack, NameTable, Note};

/// The tools of a set as ready bytes, with their names on the wire and what leads arguments back to
/// the declared schemas.
///
/// A set never changes, so this is made once per set and appended to every request.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct EncodedTools {
    /// The JSON list; empty when there are no tools.
    json: Vec<u8>,
    names: Arc<NameTable>,
    /// By the tool's own name; only those that change anything.
    back: Arc<BTreeMap<String, MapBack>>,
    /// By the tool's own name; only those that are shown otherwise than they were declared.
    notes: Arc<BTreeMap<String, Vec<Note>>>,
}

impl EncodedTools {
    /// Encodes a set: `push` writes one tool and returns how its schema was compiled.
    ///
    /// # Examples
    ///
    /// ```
    /// use manos_model::{ToolDeclaration, ToolSet};
    /// use manos_wire_llm::{EncodedTools, SchemaForm, compile};
    /// let tool = ToolDeclaration {
    ///     name: "ver menú".into(),
    ///     description: String::new(),
    ///     parameters: serde_json::json!({}),
    /// };
    /// let tools = EncodedTools::new(&ToolSet::new(vec![tool]), |json, tool, names| {
    ///     json.extend_from_slice(format!("{{\"name\":{:?}}}", names.to_wire(&tool.name)).as_bytes());
    ///     compile(&tool.parameters, SchemaForm::OpenAi)
    /// });
    /// assert_eq!(tools.json(), br#"[{"name":"ver_men_"}]"#);
    /// ```
    pub fn new(
        tools: &ToolSet,
        mut push: impl FnMut(&mut Vec<u8>, &ToolDeclaration, &NameTable) -> Compiled,
    ) -> Self {
        let declared = tools.declarations.iter().map(|tool| tool.name.as_str());
        let names = NameTable::new(declared);
        let (mut json, mut back, mut notes) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        if !tools.declarations.is_empty() {
            push_list(&mut json, &tools.declarations, |json, tool| {
                let compiled = push(json, tool, &names);
                if !compiled.back.is_identity() {
                    back.insert(tool.name.clone(), compiled.back);
                }
                if !compiled.notes.is_empty() {
                    notes.insert(tool.name.clone(), compiled.notes);
                }
            });
        }
        Self { json, names: Arc::new(names), back: Arc::new(back), notes: Arc::new(notes) }
    }

    /// Returns the JSON list as it is sent; empty when there are no tools.
    pub fn json(&self) -> &[u8] {
        &self.json
    }

    /// Returns whether there are no tools.
    pub fn is_empty(&self) -> bool {
        self.json.is_empty()
    }

    /// Returns whether the set has a tool of this name, its own one.
    pub fn offers(&self, name: &str) -> bool {
        self.names.has(name)
    }

    /// Returns the names on the wire.
    pub fn names(&self) -> &NameTable {
        &self.names
    }

    /// Returns what is shown otherwise than it was declared, by the tool's own name.
    pub fn notes(&self) -> &BTreeMap<String, Vec<Note>> {
        &self.notes
    }

    /// Returns what reading a reply needs, without the bytes.
    pub(crate) fn for_reply(&self) -> Self {
        Self {
            json: Vec::new(),
            names: Arc::clone(&self.names),
            back: Arc::clone(&self.back),
            notes: Arc::clone(&self.notes),
        }
    }

    /// Leads the calls of a reply back to the tools' own names and schemas.
    pub(crate) fn lead_back(&self, reply: &mut ModelReply) {
        for call in &mut reply.calls {
            let name = self.names.to_name(&call.name);
            if name != call.name {
                call.name = name.to_owned();
            }
            if let Some(back) = self.back.get(&call.name) {
                back.apply(&mut call.arguments);
            }
        }
    }
}
