//! Settings that stand alone: bounds, money, confirming, channels.

use std::collections::BTreeMap;
use std::time::Duration;

use manos_model::Secret;
use manos_policy::{Access, EVERYONE, Who};
use manos_text::Money;
use serde_json::Value;

use super::{Decoder, value};
use crate::agent::{ConfirmConfig, DatabaseConfig, InitSql, Limits, SystemNoteConfig};
use crate::node::Node;
use crate::report;
use crate::shape::suggestion;

pub(super) const TOOL_TIMEOUT: Duration = Duration::from_secs(15);
pub(super) const PREFIX: &str = "Manos";
const DAY: Duration = Duration::from_hours(24);

pub(super) fn limits(root: &Node) -> Limits {
    let none = Node { value: crate::node::Value::Null, span: root.span };
    let history = root.get("history").unwrap_or(&none);
    let inbox = root.get("inbox").unwrap_or(&none);
    Limits {
        max_steps: value::count32_or(root, "max_steps", 5),
        tool_timeout: value::timeout_or(root, "tool_timeout", TOOL_TIMEOUT),
        turn_max_age: value::duration_or(root, "turn_max_age", Duration::from_mins(10)),
        max_result_bytes: value::size_or(root, "max_result_bytes", 16 << 10),
        max_response_bytes: value::size_or(root, "max_response_bytes", 1 << 20),
        max_message_chars: value::count_or(root, "max_message_chars", 8_000),
        history_messages: value::count_or(history, "messages", 20),
        inbox_max_waiting: value::count_or(inbox, "max_waiting", 20),
        inbox_gather: value::duration(inbox, "gather"),
        inbox_remember: value::duration_or(inbox, "remember", 8 * DAY),
        shutdown_grace: value::duration_or(root, "shutdown_grace", Duration::from_secs(30)),
    }
}

impl Decoder<'_, '_> {
    pub(super) fn money(&mut self) -> Money {
        let Some(node) = self.root.get("money") else { return Money::default() };
        let fresh = Money::default();
        Money {
            symbol: value::text(node, "symbol").unwrap_or(fresh.symbol),
            decimals: u8::try_from(value::count_or(node, "decimals", fresh.decimals.into()))
                .unwrap_or(fresh.decimals),
        }
    }

    pub(super) fn signing_prefix(&mut self) -> String {
        let Some(node) = self.root.get("signing").and_then(|node| node.get("prefix")) else {
            return PREFIX.to_owned();
        };
        let Some(prefix) = node.text() else { return PREFIX.to_owned() };
        if prefix.is_empty() || !prefix.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            let help = "use ASCII letters, digits and `-`";
            self.error(report::BAD_VALUE, node.span, "this cannot be part of a header name", help);
        }
        prefix.to_owned()
    }

    pub(super) fn confirm(&mut self, access: &Access) -> ConfirmConfig {
        let none = Node { value: crate::node::Value::Null, span: self.root.span };
        let node = self.root.get("confirm").unwrap_or(&none);
        let system_note = match node.get("system_note") {
            Some(note) => match (note.bool(), note.text()) {
                (Some(false), _) => SystemNoteConfig::Off,
                (_, Some(text)) => SystemNoteConfig::Text(text.to_owned()),
                _ => SystemNoteConfig::Built,
            },
            None => SystemNoteConfig::Built,
        };
        ConfirmConfig {
            timeout: value::duration_or(node, "timeout", Duration::from_mins(2)),
            timeouts: self.confirm_timeouts(node.get("timeout").is_some()),
            buttons: value::bool_or(node, "buttons", true),
            menu: value::bool_or(node, "menu", false),
            expired_notice: value::bool_or(node, "expired_notice", true),
            answered_notice: value::bool_or(node, "answered_notice", false),
            who: node.get("who").map_or(Who::Requester, |who| self.who(who, access)),
            system_note,
            min_confidence: value::number(node, "min_confidence").unwrap_or(0.6),
            max_chars: value::count_or(node, "max_chars", 4_000),
            max_per_turn: value::count32_or(node, "max_per_turn", 5),
            repeat_window: value::duration_or(node, "repeat_window", Duration::from_hours(1)),
        }
    }

    /// A channel's own timeout; where people answer late, ours is longer unless the file sets one.
    fn confirm_timeouts(&self, file_sets_one: bool) -> BTreeMap<String, Duration> {
        let ours = LATE_CHANNELS.iter().filter(|_| !file_sets_one);
        let mut timeouts: BTreeMap<String, Duration> = ours
            .flat_map(|(channels, timeout)| channels.iter().map(|name| ((*name).into(), *timeout)))
            .collect();
        for entry in self.root.get("channels").map(Node::entries).unwrap_or_default() {
            if let Some(timeout) = value::duration(&entry.node, "confirm_timeout") {
                timeouts.insert(entry.key.clone(), timeout);
            }
        }
        timeouts
    }

    /// Who answers: a role must have somebody on every channel where questions are shown.
    fn who(&mut self, node: &Node, access: &Access) -> Who {
        let name = match node.text() {
            Some("requester") | None => return Who::Requester,
            Some("anyone") => return Who::Anyone,
            Some(name) => name,
        };
        let Some(role) = access.roles.iter().find(|role| role.name == name) else {
            let mut known = vec!["requester", "anyone"];
            known.extend(access.roles.iter().map(|role| role.name.as_str()));
            let help = suggestion(name, &known);
            self.error(report::UNKNOWN_NAME, node.span, format!("there is no role `{name}`"), help);
            return Who::Requester;
        };
        if name == EVERYONE {
            let help = "write `anyone`, if anybody in the chat may answer";
            self.error(report::BAD_VALUE, node.span, "everyone is no role to ask", help);
            return Who::Requester;
        }
        let declared = self.root.get("channels").map(Node::entries).unwrap_or_default();
        let mut channels: Vec<&str> = declared.iter().map(|entry| entry.key.as_str()).collect();
        if channels.is_empty() {
            channels.push("terminal");
        }
        let reaches = |channel: &str| {
            role.users.iter().any(|user| {
                let on = user.split(':').next().unwrap_or_default();
                on == channel || on.contains('*')
            })
        };
        let silent: Vec<&str> = channels.into_iter().filter(|channel| !reaches(channel)).collect();
        if !silent.is_empty() {
            let message = format!("nobody in the role `{name}` writes on {}", silent.join(" and "));
            let help = "the question is asked in the chat where it arises, and people in another \
                        chat cannot be asked yet: add such users to the role, or write `requester`";
            self.error(report::BAD_VALUE, node.span, message, help);
        }
        Who::Role(name.to_owned())
    }

    pub(super) fn databases(&mut self) -> BTreeMap<String, DatabaseConfig> {
        let mut found = BTreeMap::new();
        for entry in self.root.get("databases").map(Node::entries).unwrap_or_default() {
            let init = entry.node.get("init").and_then(|node| self.init_sql(node));
            let Some(url) = entry.node.get("url") else { continue };
            if let Some(location) = self.location(url) {
                found.insert(entry.key.clone(), DatabaseConfig { location, init });
            }
        }
        found
    }

    fn init_sql(&mut self, node: &Node) -> Option<InitSql> {
        let path = node.text()?;
        let sql = match self.world.read(path) {
            Ok(sql) => sql,
            Err(why) => {
                let message = format!("the file `{path}` cannot be read: {why}");
                let help = "paths are relative to the agent file";
                self.error(report::FILE, node.span, message, help);
                return None;
            }
        };
        if let Err(error) = manos_wire_tool::sql::statements(&sql) {
            let file = crate::SourceFile::new(path, sql.clone());
            let source = crate::source::Source::new(&file);
            let mut report = report::Report::new(&source);
            let at = error.offset();
            let span = crate::source::Span::new(at, at + 1);
            let help = "the whole file runs in one transaction that we begin and end";
            report.error(report::SQL, span, error.to_string(), help);
            self.elsewhere.append(&mut report.errors);
        }
        Some(InitSql { path: path.to_owned(), sql })
    }

    pub(super) fn channels(&mut self) -> BTreeMap<String, Secret<Value>> {
        let mut found = BTreeMap::new();
        for entry in self.root.get("channels").map(Node::entries).unwrap_or_default() {
            if !crate::built::CHANNELS.contains(&entry.key.as_str()) {
                let message = format!("this build does not serve the channel `{}` yet", entry.key);
                let help = "the terminal works: `manos chat`";
                self.report.warning(report::NOT_BUILT_YET, entry.key_span, message, help);
            }
            found.insert(entry.key.clone(), Secret::new(entry.node.json()));
        }
        found
    }
}

/// Channels on which people answer late, with how long a question waits there.
const LATE_CHANNELS: [(&[&str], Duration); 2] = [
    (&["email", "sms"], Duration::from_mins(30)),
    (&["baileys", "evolution", "wppconnect"], Duration::from_mins(10)),
];
