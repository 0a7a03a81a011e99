//! Parser events to the tree, with limits.

use saphyr_parser::{Event, Parser, ScalarStyle};

use std::collections::BTreeMap;

use crate::node::{Entry, Form, Node, Text, Value, json, scalar, syntax};
use crate::report::{self, Report};
use crate::source::{Source, Span};

/// The largest file, in bytes.
pub const FILE_BYTES_MAX: usize = 1 << 20;
/// The deepest nesting.
pub const DEPTH_MAX: usize = 64;
/// The most values in one file, after aliases are put in place.
pub const NODES_MAX: usize = 200_000;

/// Reads a text as YAML, or as JSON when it is JSON; `None` when the errors say why there is no
/// tree.
pub(crate) fn read(report: &mut Report<'_>) -> Option<Node> {
    let source = report.source;
    if source.text.len() > FILE_BYTES_MAX {
        report.error(
            report::LIMIT,
            Span::default(),
            format!("the file has {} bytes, the limit is {FILE_BYTES_MAX}", source.text.len()),
            "split it: long SQL, scripts and texts can be files of their own",
        );
        return None;
    }
    // YAML is nearly a superset of JSON. The differences (tabs, surrogate pairs in escapes, long
    // keys) would refuse files that other programs write, so what is JSON is read as JSON.
    if let Some(node) = json::read(source.text) {
        duplicate_keys(&node, report);
        return Some(node);
    }
    let mut builder = Builder::new(source);
    for event in Parser::new_from_str(source.text) {
        let step = match event {
            Ok((event, span)) => {
                let span = builder.span(span);
                builder.take(event, span, report)
            }
            Err(error) => {
                let at = builder.byte(error.marker().index());
                syntax::tell(&error, at, report);
                return None;
            }
        };
        step?;
    }
    let root = builder.root.take();
    if let Some(root) = &root {
        duplicate_keys(root, report);
    } else {
        report.error(
            report::SYNTAX,
            Span::default(),
            "the file is empty",
            "`manos init` writes one to start from",
        );
    }
    root
}

/// A collection that is not closed yet.
#[derive(Debug)]
struct Open {
    span: Span,
    anchor: usize,
    items: Items,
}

#[derive(Debug)]
enum Items {
    List(Vec<Node>),
    Map { entries: Vec<Entry>, key: Option<(String, Span)> },
}

#[derive(Debug)]
struct Builder<'a> {
    source: &'a Source<'a>,
    /// Byte offsets of characters; empty when the text is ASCII and both are the same.
    bytes: Vec<usize>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Node, usize)>,
    root: Option<Node>,
    documents: usize,
    nodes: usize,
}

impl<'a> Builder<'a> {
    fn new(source: &'a Source<'a>) -> Self {
        let bytes = if source.text.is_ascii() {
            Vec::new()
        } else {
            source.text.char_indices().map(|(index, _)| index).collect()
        };
        Self {
            source,
            bytes,
            open: Vec::new(),
            anchors: BTreeMap::new(),
            root: None,
            documents: 0,
            nodes: 0,
        }
    }

    fn byte(&self, char: usize) -> usize {
        if self.bytes.is_empty() {
            return char.min(self.source.text.len());
        }
        self.bytes.get(char).copied().unwrap_or(self.source.text.len())
    }

    fn span(&self, span: saphyr_parser::Span) -> Span {
        Span::new(self.byte(span.start.index()), self.byte(span.end.index()))
    }

    /// Takes one event; `None` when reading must stop.
    fn take(&mut self, event: Event<'_>, span: Span, report: &mut Report<'_>) -> Option<()> {
        match event {
            Event::DocumentStart(_) => self.document(span, report),
            Event::Alias(anchor) => self.alias(anchor, span, report),
            Event::Scalar(text, style, anchor, tag) => {
                refuse_tag(tag.is_some(), span, report)?;
                self.scalar(text.into_owned(), style, anchor, span, report)
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_tag(tag.is_some(), span, report)?;
                self.start(Items::List(Vec::new()), anchor, span, report)
            }
            Event::MappingStart(anchor, tag) => {
                refuse_tag(tag.is_some(), span, report)?;
                let items = Items::Map { entries: Vec::new(), key: None };
                self.start(items, anchor, span, report)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span, report),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Some(()),
        }
    }

    fn document(&mut self, span: Span, report: &mut Report<'_>) -> Option<()> {
        self.documents += 1;
        if self.documents == 1 {
            return Some(());
        }
        report.error(
            report::SYNTAX,
            span,
            "a second document begins here",
            "one file is one agent: remove the `---`, or move what follows to a file of its own",
        );
        None
    }

    fn start(
        &mut self,
        items: Items,
        anchor: usize,
        span: Span,
        report: &mut Report<'_>,
    ) -> Option<()> {
        if self.open.len() >= DEPTH_MAX {
            report.error(
                report::LIMIT,
                span,
                format!("this is nested deeper than {DEPTH_MAX} levels"),
                "",
            );
            return None;
        }
        if let Some(Open { items: Items::Map { key: None, .. }, .. }) = self.open.last() {
            report.error(
                report::SYNTAX,
                span,
                "a key must be text, not a list or a map",
                "quote it if it is meant as text, as in `\"{ … }\": value`",
            );
            return None;
        }
        self.open.push(Open { span, anchor, items });
        Some(())
    }

    fn end(&mut self, span: Span, report: &mut Report<'_>) -> Option<()> {
        let open = self.open.pop()?;
        let value = match open.items {
            Items::List(items) => Value::List(items),
            Items::Map { entries, .. } => Value::Map(entries),
        };
        let whole = Span::new(open.span.start, span.end);
        self.put(Node { value, span: whole }, open.anchor, report)
    }

    fn scalar(
        &mut self,
        text: String,
        style: ScalarStyle,
        anchor: usize,
        span: Span,
        report: &mut Report<'_>,
    ) -> Option<()> {
        if let Some(Open { items: Items::Map { key: key @ None, .. }, .. }) = self.open.last_mut() {
            if text == "<<" && style == ScalarStyle::Plain {
                report.error(
                    report::YAML_TRAP,
                    span,
                    "merge keys (`<<`) are not part of YAML 1.2 and are not read",
                    "write the keys out where they are needed",
                );
                return None;
            }
            *key = Some((text, span));
            return Some(());
        }
        let quoted = |text, form| Value::Text(Text { text, form, trap: false });
        let value = match style {
            ScalarStyle::Plain => scalar::plain(text),
            ScalarStyle::SingleQuoted => quoted(text, Form::SingleQuoted),
            ScalarStyle::DoubleQuoted => quoted(text, Form::DoubleQuoted),
            ScalarStyle::Literal => quoted(text, Form::Block),
            ScalarStyle::Folded => quoted(text, Form::Folded),
        };
        self.put(Node { value, span }, anchor, report)
    }

    fn alias(&mut self, anchor: usize, span: Span, report: &mut Report<'_>) -> Option<()> {
        let Some((node, size)) = self.anchors.get(&anchor) else {
            report.error(report::SYNTAX, span, "this alias stands inside what it names", "");
            return None;
        };
        let (mut node, size) = (node.clone(), *size);
        // Mistakes inside are told where the alias stands only if the anchor's own are not.
        if let Some(Open { items: Items::Map { key: key @ None, .. }, .. }) = self.open.last_mut() {
            let text = node.text().map(str::to_owned);
            let Some(text) = text else {
                report.error(report::SYNTAX, span, "a key must be text, not a list or a map", "");
                return None;
            };
            *key = Some((text, span));
            return Some(());
        }
        self.nodes += size.saturating_sub(1);
        if self.open.len() + depth(&node) > DEPTH_MAX {
            let message = format!("aliases nest this deeper than {DEPTH_MAX} levels");
            report.error(report::LIMIT, span, message, "");
            return None;
        }
        if let Value::Text(_) | Value::Number(_) = node.value {
            node.span = span;
        }
        self.put(node, 0, report)
    }

    /// Places a finished value where it belongs.
    fn put(&mut self, node: Node, anchor: usize, report: &mut Report<'_>) -> Option<()> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            report.error(
                report::LIMIT,
                node.span,
                format!("the file holds more than {NODES_MAX} values"),
                "aliases that repeat aliases grow without bound: write fewer of them",
            );
            return None;
        }
        if anchor > 0 {
            let size = count(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { items: Items::List(items), .. }) => items.push(node),
            Some(Open { items: Items::Map { entries, key }, .. }) => {
                if let Some((key, key_span)) = key.take() {
                    entries.push(Entry { key, key_span, node });
                }
            }
        }
        Some(())
    }
}

fn refuse_tag(present: bool, span: Span, report: &mut Report<'_>) -> Option<()> {
    if !present {
        return Some(());
    }
    report.error(
        report::YAML_TRAP,
        span,
        "tags (`!…`) are not read",
        "quote the value if the `!` belongs to a text",
    );
    None
}

fn count(node: &Node) -> usize {
    let below: usize = match &node.value {
        Value::List(items) => items.iter().map(count).sum(),
        Value::Map(entries) => entries.iter().map(|entry| count(&entry.node)).sum(),
        _ => 0,
    };
    below + 1
}

fn depth(node: &Node) -> usize {
    match &node.value {
        Value::List(items) => items.iter().map(depth).max().unwrap_or(0) + 1,
        Value::Map(entries) => entries.iter().map(|e| depth(&e.node)).max().unwrap_or(0) + 1,
        _ => 0,
    }
}

/// Tells of every key that stands twice in one map.
fn duplicate_keys(node: &Node, report: &mut Report<'_>) {
    for item in node.items() {
        duplicate_keys(item, report);
    }
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for entry in node.entries() {
        match seen.get(entry.key.as_str()) {
            Some(first) => {
                let line = report.source.line_of(first.start);
                report.error(
                    report::DUPLICATE_KEY,
                    entry.key_span,
                    format!("the key `{}` stands here and on line {line}", entry.key),
                    "keep one of them",
                );
            }
            None => {
                seen.insert(&entry.key, entry.key_span);
            }
        }
        duplicate_keys(&entry.node, report);
    }
}
