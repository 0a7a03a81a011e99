//! Silent reading of single values.

use std::time::Duration;

use manos_model::Secret;

use crate::node::Node;
use crate::units;

pub(super) fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key)?.text().map(str::to_owned)
}

pub(super) fn secret(node: &Node, key: &str) -> Option<Secret<String>> {
    text(node, key).map(Secret::new)
}

/// One secret, or a list of them.
pub(super) fn secrets(node: &Node, key: &str) -> Vec<Secret<String>> {
    let Some(found) = node.get(key) else { return Vec::new() };
    let one = found.text().map(|text| Secret::new(text.to_owned()));
    let many = found.items().iter().filter_map(|item| item.text());
    one.into_iter().chain(many.map(|text| Secret::new(text.to_owned()))).collect()
}

pub(super) fn bool(node: &Node, key: &str) -> Option<bool> {
    node.get(key)?.bool()
}

pub(super) fn bool_or(node: &Node, key: &str, default: bool) -> bool {
    bool(node, key).unwrap_or(default)
}

pub(super) fn texts(node: &Node, key: &str) -> Option<Vec<String>> {
    let found = node.get(key)?;
    Some(found.items().iter().filter_map(|item| item.text().map(str::to_owned)).collect())
}

/// A list of texts, or one text in its place.
pub(super) fn text_or_texts(node: &Node, key: &str) -> Vec<String> {
    match text(node, key) {
        Some(text) => vec![text],
        None => texts(node, key).unwrap_or_default(),
    }
}

pub(super) fn duration(node: &Node, key: &str) -> Option<Duration> {
    units::duration(node.get(key)?.text()?)
}

pub(super) fn duration_or(node: &Node, key: &str, default: Duration) -> Duration {
    duration(node, key).unwrap_or(default)
}

/// A timeout, of which 0 is none.
pub(super) fn timeout_or(node: &Node, key: &str, default: Duration) -> Option<Duration> {
    Some(duration_or(node, key, default)).filter(|timeout| !timeout.is_zero())
}

pub(super) fn count_or(node: &Node, key: &str, default: usize) -> usize {
    node.get(key).and_then(Node::text).and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub(super) fn count32_or(node: &Node, key: &str, default: u32) -> u32 {
    u32::try_from(count_or(node, key, default as usize)).unwrap_or(default)
}

pub(super) fn size_or(node: &Node, key: &str, default: usize) -> usize {
    let size = node.get(key).and_then(Node::text).and_then(units::size);
    size.and_then(|size| usize::try_from(size).ok()).unwrap_or(default)
}

pub(super) fn number(node: &Node, key: &str) -> Option<f64> {
    node.get(key)?.text()?.parse().ok()
}
