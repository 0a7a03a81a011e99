//! One turn as a page: from the message to the reply.

use std::fmt::Write as _;

use manos::text::safe_text;
use serde_json::Value;

/// Longer values are cut in lines; the page of a turn has them whole.
const LINE_VALUE_CHARS_MAX: usize = 60;

/// The keys that every event has, or that the page prints in places of their own.
const HEAD: &[&str] = &[
    "id",
    "seq",
    "at",
    "type",
    "agent",
    "chat_key",
    "turn_id",
    "step",
    "tool",
    "call_id",
    "run_id",
    "duration_ms",
];

/// What an event brings beyond what every event has.
pub(super) fn details(event: &Value) -> Vec<(String, String)> {
    let Some(map) = event.as_object() else { return Vec::new() };
    map.iter()
        .filter(|(key, value)| !HEAD.contains(&key.as_str()) && !value.is_null())
        .map(|(key, value)| (key.clone(), plain(value)))
        .filter(|(_, value)| !value.is_empty())
        .collect()
}

/// Cuts a value for one line.
pub(super) fn cut(text: &str) -> String {
    let mut short: String = text.chars().take(LINE_VALUE_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// When it was, to the millisecond and always as wide.
pub(super) fn time(event: &Value) -> String {
    let at = plain(&event["at"]);
    match at.parse::<jiff::Timestamp>() {
        Ok(at) => format!("{at:.3}"),
        Err(_) => safe_text(&at).into_owned(),
    }
}

/// Writes the page.
pub(super) fn of_turn(events: &[Value], message: Option<&Value>) -> String {
    let first = &events[0];
    let mut page = format!(
        "turn {}\nchat {}, agent {}\n",
        plain(&first["turn_id"]),
        plain(&first["chat_key"]),
        plain(&first["agent"])
    );
    if let Some(message) = message {
        write_event(&mut page, message);
    }
    for event in events {
        write_event(&mut page, event);
    }
    page.trim_end().to_owned()
}

fn write_event(page: &mut String, event: &Value) {
    let mut head = format!("\n{}  {}", time(event), plain(&event["type"]));
    for (name, label) in [("tool", ""), ("step", "step "), ("duration_ms", "")] {
        if !event[name].is_null() {
            let unit = if name == "duration_ms" { " ms" } else { "" };
            let _ = write!(head, "  {label}{}{unit}", plain(&event[name]));
        }
    }
    // Writing to a String cannot fail.
    let _ = writeln!(page, "{head}");
    for (key, value) in details(event) {
        let lines: Vec<String> = value.lines().map(|line| safe_text(line).into_owned()).collect();
        match lines.as_slice() {
            [only] => {
                let _ = writeln!(page, "    {key}: {only}");
            }
            many => {
                let _ = writeln!(page, "    {key}:");
                for line in many {
                    let _ = writeln!(page, "      {line}");
                }
            }
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
