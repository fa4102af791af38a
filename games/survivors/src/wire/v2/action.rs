//! ACTION: what several bots are told to do, numbered for each of them.

use crate::wire::WireError;
use crate::wire::cursor::{Reader, put_f32s};
use crate::wire::state::LegacyAction;

/// Bits of [`Rich::buttons`], the game's own numbers.
pub mod button {
    /// Fire or swing.
    pub const ATTACK: u32 = 1;
    /// Jump.
    pub const JUMP: u32 = 1 << 1;
    /// Duck.
    pub const DUCK: u32 = 1 << 2;
    /// Doors, items, reviving.
    pub const USE: u32 = 1 << 5;
    /// Push infected away.
    pub const SHOVE: u32 = 1 << 11;
    /// A fresh clip.
    pub const RELOAD: u32 = 1 << 13;
    /// Walk instead of run.
    pub const WALK: u32 = 1 << 17;
    /// Look through the scope.
    pub const ZOOM: u32 = 1 << 19;
    /// All there are.
    pub const ALL: u32 = ATTACK | JUMP | DUCK | USE | SHOVE | RELOAD | WALK | ZOOM;
}

/// An action of movement, turn and buttons.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rich {
    /// 0 stand, then clockwise from 1 forward to 8 forward left.
    pub move_cell: u8,
    /// Degrees to turn left, once.
    pub yaw_delta: f32,
    /// Degrees to turn down, once.
    pub pitch_delta: f32,
    /// Bits of [`button`].
    pub buttons: u32,
    /// 0 keep the weapon, 1 to 5 take another.
    pub slot: u8,
}

impl Rich {
    /// Forward and right, each −1, 0 or 1.
    pub fn wish(&self) -> (i8, i8) {
        match self.move_cell {
            1 => (1, 0),
            2 => (1, 1),
            3 => (0, 1),
            4 => (-1, 1),
            5 => (-1, 0),
            6 => (-1, -1),
            7 => (0, -1),
            8 => (1, -1),
            _ => (0, 0),
        }
    }
}

/// What a bot is told to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// One of the 14.
    Legacy(LegacyAction),
    /// Movement, turn and buttons.
    Rich(Rich),
}

/// An action of a bot with its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Whose.
    pub bot_id: u8,
    /// Rises with every action of this bot in this session.
    pub action_number: u32,
    /// What.
    pub action: Action,
}

/// ACTION. All entries are of one format.
#[derive(Clone, Debug, PartialEq)]
pub struct Actions {
    /// The episode the decision was made in.
    pub episode: u32,
    /// The last event the client took.
    pub events_seen: u32,
    /// By rising bot_id.
    pub entries: Vec<Entry>,
}

impl Actions {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let rich = self.entries.first().is_some_and(|e| matches!(e.action, Action::Rich(_)));
        out.extend_from_slice(&self.episode.to_le_bytes());
        out.extend_from_slice(&self.events_seen.to_le_bytes());
        out.extend_from_slice(&[u8::from(rich), self.entries.len() as u8]);
        for entry in &self.entries {
            out.push(entry.bot_id);
            match entry.action {
                Action::Legacy(action) => {
                    out.push(action as u8);
                    out.extend_from_slice(&entry.action_number.to_le_bytes());
                }
                Action::Rich(rich) => {
                    out.push(rich.move_cell);
                    out.extend_from_slice(&entry.action_number.to_le_bytes());
                    put_f32s(out, &[rich.yaw_delta, rich.pitch_delta]);
                    out.extend_from_slice(&rich.buttons.to_le_bytes());
                    out.extend_from_slice(&[rich.slot, 0]);
                }
            }
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let (episode, events_seen) = (reader.u32()?, reader.u32()?);
        let (format, count) = (reader.u8()?, reader.u8()?);
        if format > 1 {
            return Err(reader.refuse("format", 8, format, "0 or 1"));
        }
        if count == 0 {
            return Err(reader.refuse("bots", 9, count, "1 and more"));
        }
        let mut entries: Vec<Entry> = Vec::new();
        for _ in 0..count {
            let at = reader.at();
            let bot_id = reader.u8()?;
            let rises = entries.last().is_none_or(|last| last.bot_id < bot_id);
            if !rises || bot_id >= 32 {
                return Err(reader.refuse("bot_id", at, bot_id, "0 to 31, rising"));
            }
            entries.push(if format == 0 {
                let action = Action::Legacy(LegacyAction::read(reader)?);
                Entry { bot_id, action_number: reader.u32()?, action }
            } else {
                read_rich(reader, bot_id)?
            });
        }
        Ok(Self { episode, events_seen, entries })
    }
}

fn read_rich(reader: &mut Reader<'_>, bot_id: u8) -> Result<Entry, WireError> {
    let at = reader.at();
    let move_cell = reader.u8()?;
    if move_cell > 8 {
        return Err(reader.refuse("move_cell", at, move_cell, "0 to 8"));
    }
    let action_number = reader.u32()?;
    let at = reader.at();
    let yaw_delta = reader.f32("yaw_delta")?;
    let pitch_delta = reader.f32("pitch_delta")?;
    for (field, at, delta) in [("yaw_delta", at, yaw_delta), ("pitch_delta", at + 4, pitch_delta)] {
        if delta.abs() > 180.0 {
            return Err(reader.refuse(field, at, delta, "-180 to 180"));
        }
    }
    let at = reader.at();
    let buttons = reader.u32()?;
    if buttons & !button::ALL != 0 {
        return Err(reader.refuse("buttons", at, buttons, "the bits of the document"));
    }
    let slot = reader.u8()?;
    if slot > 5 {
        return Err(reader.refuse("slot", at + 4, slot, "0 to 5"));
    }
    reader.zero()?;
    let action = Action::Rich(Rich { move_cell, yaw_delta, pitch_delta, buttons, slot });
    Ok(Entry { bot_id, action_number, action })
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Message};
    use super::*;

    fn of(action: Action) -> Actions {
        let entry = Entry { bot_id: 2, action_number: 0x0102_0304, action };
        Actions { episode: 5, events_seen: 6, entries: vec![entry] }
    }

    #[test]
    fn bytes_of_the_document() {
        let legacy = Message::Action(of(Action::Legacy(LegacyAction::Jump))).encode();
        assert_eq!(legacy, [5, 0, 0, 0, 6, 0, 0, 0, 0, 1, 2, 9, 4, 3, 2, 1]);
        let rich = Rich { move_cell: 8, yaw_delta: -2.0, pitch_delta: 1.0, buttons: 1, slot: 5 };
        let rich = Message::Action(of(Action::Rich(rich))).encode();
        assert_eq!(rich.len(), 30);
        assert_eq!(rich[8..16], [1, 1, 2, 8, 4, 3, 2, 1]);
        assert_eq!(rich[16..20], (-2.0f32).to_le_bytes());
        assert_eq!(rich[24..], [1, 0, 0, 0, 5, 0]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let fine = Rich { move_cell: 3, ..Rich::default() };
        let message = Message::Action(of(Action::Rich(fine)));
        assert_eq!(Message::decode(Kind::Action, &message.encode()), Ok(message));
        let bad = [
            Rich { move_cell: 9, ..fine },
            Rich { yaw_delta: 181.0, ..fine },
            Rich { pitch_delta: f32::NAN, ..fine },
            Rich { buttons: 8, ..fine },
            Rich { slot: 6, ..fine },
        ];
        for rich in bad {
            let payload = Message::Action(of(Action::Rich(rich))).encode();
            assert!(Message::decode(Kind::Action, &payload).is_err(), "{rich:?}");
        }
        let none = Message::Action(Actions { episode: 0, events_seen: 0, entries: Vec::new() });
        assert!(Message::decode(Kind::Action, &none.encode()).is_err());
    }

    #[test]
    fn cells_go_round_clockwise() {
        let wish = |move_cell| Rich { move_cell, ..Rich::default() }.wish();
        assert_eq!([wish(0), wish(1), wish(3), wish(6)], [(0, 0), (1, 0), (0, 1), (-1, -1)]);
        let distinct: std::collections::BTreeSet<_> = (0..9).map(wish).collect();
        assert_eq!(distinct.len(), 9);
    }
}
