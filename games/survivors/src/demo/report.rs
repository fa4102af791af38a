//! What a recording is summed up in: JSON for programs, a table for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::messages::events::{Event, Value};
use super::timeline::Demo;

impl Demo {
    /// How often each event happened.
    pub fn events_by_name(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for event in &self.events {
            *counts.entry(&*event.name).or_default() += 1;
        }
        counts
    }

    /// The summary with all events, for `--json`.
    pub fn json(&self) -> serde_json::Value {
        let events: Vec<_> = self.events.iter().map(|event| self.event_json(event)).collect();
        let by_kind: BTreeMap<_, _> =
            self.frames.iter().map(|(kind, count)| (kind.name(), count)).collect();
        let unread = self.first_unread.as_ref();
        let tables = self.tables_unread.as_ref();
        serde_json::json!({
            "header": self.header,
            "build": self.build,
            "layout": self.layout,
            "server": self.server,
            "frames": self.frame_count(),
            "frames_by_kind": by_kind,
            "usercmds": self.commands.len(),
            "packets": self.packet_count(),
            "packets_unread": self.packets_unread,
            "first_unread": unread.map(|(at, error)| format!("byte {at}: {error}")),
            "messages_by_kind": self.messages,
            "users": self.users,
            "tables_unread": tables.map(|(at, reason)| format!("byte {at}: {reason}")),
            "entity_messages": self.entity_messages,
            "entity_messages_unread": self.entity_messages_unread,
            "events": events,
            "events_by_name": self.events_by_name(),
            "seconds": self.seconds(),
            "stopped": self.stopped,
            "trailing_bytes": self.trailing_bytes,
        })
    }

    fn event_json(&self, event: &Event) -> serde_json::Value {
        let fields: serde_json::Map<_, _> = event
            .fields
            .iter()
            .map(|(name, value)| (name.to_string(), serde_json::json!(value)))
            .collect();
        serde_json::json!({
            "tick": event.tick,
            "seconds": event.tick as f32 * self.tick_secs(),
            "name": &*event.name,
            "fields": fields,
        })
    }

    /// What happened, in order: tick, what it is, and its fields as `name=value`.
    fn rows(&self) -> Vec<(i32, &str, String)> {
        let mut rows: Vec<(i32, &str, String)> = Vec::new();
        rows.extend(self.console.iter().map(|(tick, line)| (*tick, "console", line.clone())));
        rows.extend(self.events.iter().map(|event| (event.tick, &*event.name, fields(event))));
        rows.sort_by_key(|row| row.0);
        rows
    }

    /// The timeline in lines for people: seconds, what it is, and its fields.
    pub fn timeline(&self) -> String {
        let mut lines = String::new();
        for (tick, name, fields) in self.rows() {
            let seconds = tick as f32 * self.tick_secs();
            // A console may be told to echo anything.
            let fields = fields.replace(char::is_control, " ");
            let _ = writeln!(lines, "{seconds:>9.2}  {name:<26} {}", fields.replace(';', ", "));
        }
        lines
    }

    /// The timeline as a table: tick, seconds, what it is, and its fields as `name=value`.
    pub fn csv(&self) -> String {
        let mut table = String::from("tick,seconds,event,fields\n");
        for (tick, name, fields) in self.rows() {
            let seconds = tick as f32 * self.tick_secs();
            let (name, fields) = (quoted(name), quoted(&fields));
            let _ = writeln!(table, "{tick},{seconds:.3},{name},{fields}");
        }
        table
    }
}

fn fields(event: &Event) -> String {
    let pair = |(name, value): &(_, Value)| format!("{name}={value}");
    event.fields.iter().map(pair).collect::<Vec<_>>().join(";")
}

/// A cell of a CSV table: in quotes where it needs them.
pub(super) fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(quoted("a \"b\", c"), "\"a \"\"b\"\", c\"");
    }
}
