//! Tool calls that a model wrote into its text, where its server took them for words.
//!
//! A server without the parser that its model needs hands the markup of a call on as text, and the
//! turn would end with it in front of a person. It is not shown, and it is not run either: what the
//! model meant was never checked by its server. The model is told, and writes the call again.
//!
//! # Source
//!
//! <https://github.com/sgl-project/sglang/pull/17320>,
//! <https://github.com/vllm-project/vllm/issues/32587>

use serde::Deserialize;
use serde_json::value::RawValue;

use manos_model::{ModelFailureKind, ModelReply};

use crate::lenient::{One, Raw, text};
use crate::refusals::settled;
use crate::{DecodeError, EncodedTools};

/// What begins a call, and whether people never write it: tokens of a model's own, which are markup
/// in any reply. The others are taken for markup only where tools are offered.
const MARKS: [(&str, Written); 15] = [
    ("<function=", Written::ByPeople),
    ("<function_calls>", Written::ByPeople),
    ("<invoke name=", Written::ByPeople),
    ("<minimax:tool_call>", Written::ByModels),
    ("<tool_call>", Written::ByPeople),
    ("<|call|>", Written::ByModels),
    ("<|channel|>", Written::ByModels),
    ("<|python_tag|>", Written::ByModels),
    ("<|tool_call>", Written::ByModels),
    ("<|tool_call_begin|>", Written::ByModels),
    ("<|tool_calls_section_begin|>", Written::ByModels),
    ("<｜DSML｜", Written::ByModels),
    ("<｜tool▁call▁begin｜>", Written::ByModels),
    ("<｜tool▁calls▁begin｜>", Written::ByModels),
    ("[TOOL_CALLS]", Written::ByModels),
];

/// By whom a mark is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    ByModels,
    ByPeople,
}

/// Keeps markup away from who reads a reply on its way.
///
/// Text that may be the beginning of a mark is held until it is known; so is all of a text that
/// begins as JSON does, where tools are offered.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    held: String,
    state: State,
    tools_offered: bool,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but blanks so far.
    #[default]
    Blank,
    /// It may be a call as a whole.
    Json,
    /// Markup has begun: no more is shown.
    Marked,
    Words,
}

impl Watch {
    /// Watches the reply to a request with these tools.
    pub(crate) fn new(tools: &EncodedTools) -> Self {
        Self { tools_offered: !tools.is_empty(), ..Self::default() }
    }

    /// Takes a piece of the text and shows what of it is known to be words.
    pub(crate) fn push(&mut self, piece: &str, on_text: &mut dyn FnMut(&str)) {
        if self.state == State::Words && self.held.is_empty() && !piece.contains(['<', '[']) {
            on_text(piece);
            return;
        }
        if self.state == State::Marked {
            return;
        }
        self.held.push_str(piece);
        if self.state == State::Blank {
            self.state = match self.held.trim_start().chars().next() {
                None => return,
                Some('{' | '`') if self.tools_offered => State::Json,
                Some(_) => State::Words,
            };
        }
        if self.state == State::Json {
            return;
        }
        let known = match find_mark(&self.held, self.tools_offered) {
            Some((at, _)) => {
                self.state = State::Marked;
                at
            }
            None => self.held.len() - unfinished_mark(&self.held),
        };
        let rest = self.held.split_off(known);
        if !self.held.is_empty() {
            on_text(&self.held);
        }
        self.held = if self.state == State::Marked { String::new() } else { rest };
    }

    /// Ends the reply: refuses one whose only calls stand in its text, cuts the markup off one that
    /// has others, and shows what was held of any other.
    pub(crate) fn finish(
        self,
        mut reply: ModelReply,
        tools: &EncodedTools,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<ModelReply, DecodeError> {
        let found = find_mark(&reply.text, self.tools_offered)
            .or_else(|| self.tools_offered.then(|| find_json(&reply.text, tools))?);
        match found {
            None => {
                if !self.held.is_empty() {
                    on_text(&self.held);
                }
                Ok(reply)
            }
            Some((_, mark)) if reply.calls.is_empty() => Err(DecodeError::InBand(settled(
                ModelFailureKind::RefusedCall,
                format!(
                    "the model wrote a tool call into its text ({mark}), where its server took it for words; a server of your own may need its tool parser switched on"
                ),
            ))),
            Some((at, _)) => {
                reply.text.truncate(at);
                Ok(reply)
            }
        }
    }
}

/// Finds the first mark and where it stands.
fn find_mark(text: &str, tools_offered: bool) -> Option<(usize, &'static str)> {
    let counts = |written: Written| tools_offered || written == Written::ByModels;
    let found = MARKS.iter().filter(|(_, written)| counts(*written));
    found.filter_map(|(mark, _)| Some((text.find(mark)?, *mark))).min()
}

/// Returns how many bytes at the end may be the beginning of a mark.
fn unfinished_mark(text: &str) -> usize {
    let begins = |tail: &str| MARKS.iter().any(|(mark, _)| mark.starts_with(tail));
    let longest = MARKS.iter().map(|(mark, _)| mark.len()).max().unwrap_or(0);
    let from = text.len().saturating_sub(longest);
    let mut starts = text.char_indices().map(|(at, _)| at).skip_while(|at| *at < from);
    starts.find_map(|at| text.get(at..).filter(|tail| begins(tail))).map_or(0, str::len)
}

/// Finds a text that is nothing but a call of an offered tool in JSON, in a fence or bare.
fn find_json(text: &str, tools: &EncodedTools) -> Option<(usize, &'static str)> {
    let bare = text.trim();
    let bare = bare
        .strip_prefix("```")
        .map_or(bare, |rest| rest.trim_start_matches("json").trim_end_matches("```").trim());
    let One(Some(call)) = serde_json::from_str::<One<Call<'_>>>(bare).ok()? else { return None };
    let name = call.name.and_then(self::text)?;
    let is_call = call.arguments.or(call.parameters).is_some_and(is_object);
    let names = tools.names();
    (is_call && tools.offers(names.to_name(&name))).then_some((0, "JSON"))
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

#[derive(Debug, Default, Deserialize)]
struct Call<'a> {
    #[serde(borrow, default)]
    arguments: Raw<'a>,
    #[serde(borrow, default)]
    name: Raw<'a>,
    #[serde(borrow, default)]
    parameters: Raw<'a>,
}

#[cfg(test)]
mod tests {
    use manos_model::{ModelReply, RequestedCall, ToolSet};

    use super::*;
    use crate::sample::tool;
    use crate::{SchemaForm, compile};

    fn offered() -> EncodedTools {
        let tools = ToolSet::new(vec![tool("get_x", "{}")]);
        EncodedTools::new(&tools, |json, tool, _| {
            json.push(b'1');
            compile(&tool.parameters, SchemaForm::OpenAi)
        })
    }

    /// Returns what was shown and what came of it; a character at a time and whole must agree.
    fn watch(
        text: &str,
        tools: &EncodedTools,
        calls: &[RequestedCall],
    ) -> (String, Option<String>) {
        let in_pieces = |pieces: &[&str]| {
            let (mut shown, mut watch) = (String::new(), Watch::new(tools));
            for piece in pieces {
                watch.push(piece, &mut |piece| shown.push_str(piece));
            }
            let reply = ModelReply { calls: calls.to_vec(), ..ModelReply::of_text(text) };
            let reply = watch.finish(reply, tools, &mut |piece| shown.push_str(piece));
            (shown, reply.ok().map(|reply| reply.text))
        };
        let whole = in_pieces(&[text]);
        let ends = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
        assert_eq!(in_pieces(&ends.collect::<Vec<&str>>()), whole, "{text}");
        whole
    }

    #[test]
    fn markup_is_not_shown_and_its_call_not_taken() {
        let cases = [
            ("", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_x"),
            ("Miro. ", "<tool_call>\n{\"name\": \"get_x\", \"arguments\": {}}\n</tool_call>"),
            ("", "[TOOL_CALLS][{\"name\":\"get_x\",\"arguments\":{}}]"),
            ("Voy.", "<function=get_x><parameter=a>1</parameter></function>"),
            ("", "<|channel|>commentary to=functions.get_x <|message|>{}<|call|>"),
            ("", "<|python_tag|>get_x.call()"),
            ("¡Ya! ", "<｜DSML｜function_calls>"),
            ("", "{\"name\": \"get_x\", \"arguments\": {\"a\": 1}}"),
            ("", "\n{\"name\": \"get_x\", \"parameters\": {}}"),
            ("", "```json\n{\"name\": \"get_x\", \"arguments\": {}}\n```"),
        ];
        for (shown, markup) in cases {
            let text = format!("{shown}{markup}");
            assert_eq!(watch(&text, &offered(), &[]), (shown.to_owned(), None), "{text}");
        }
    }

    #[test]
    fn words_are_shown_whole() {
        let cases = [
            "a < b, <b>bold</b>, [a](b), 1 <",
            "<tool",
            "  ",
            "{\"name\": \"another\", \"arguments\": {}}",
            "{\"name\": \"get_x\"} is what I would say",
            "{\"name\": \"get_x\"}",
            "`get_x` is the one",
            "<｜tool▁calls",
        ];
        for text in cases {
            assert_eq!(watch(text, &offered(), &[]), (text.to_owned(), Some(text.to_owned())));
        }
        // Where no tool is offered, a person may ask what such a thing looks like.
        let none = EncodedTools::default();
        let tag = "Qwen writes <tool_call> before a call.";
        assert_eq!(watch(tag, &none, &[]), (tag.to_owned(), Some(tag.to_owned())));
        assert_eq!(watch("<|tool_call_begin|>x", &none, &[]).1, None);
    }

    #[test]
    fn beside_calls_that_were_read_markup_is_cut_off() {
        let call = RequestedCall {
            wire_id: None,
            name: "get_x".to_owned(),
            arguments: manos_model::CallArguments::Missing,
        };
        let (shown, text) = watch("Miro.<tool_call>{}", &offered(), &[call]);
        assert_eq!((shown.as_str(), text.as_deref()), ("Miro.", Some("Miro.")));
    }
}
