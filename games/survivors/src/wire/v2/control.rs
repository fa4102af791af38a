//! HEARTBEAT, RESET, RESET_DONE, EVENTS and BYE.

use crate::wire::WireError;
use crate::wire::cursor::{Reader, put_map};

/// HEARTBEAT: still here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heartbeat {
    /// The sender's clock.
    pub time_millis: u32,
    /// The last clock received from the other side.
    pub echo_millis: u32,
    /// The last event the client took; 0 from a server.
    pub events_seen: u32,
}

impl Heartbeat {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        for value in [self.time_millis, self.echo_millis, self.events_seen] {
            out.extend_from_slice(&value.to_le_bytes());
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self {
            time_millis: reader.u32()?,
            echo_millis: reader.u32()?,
            events_seen: reader.u32()?,
        })
    }
}

/// RESET: start the episode anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reset {
    /// Rises with every reset the client asks for in a session.
    pub request: u32,
    /// 0 leaves it to the server.
    pub seed: u64,
    /// Empty keeps the map.
    pub map: String,
}

impl Reset {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.request.to_le_bytes());
        out.extend_from_slice(&self.seed.to_le_bytes());
        put_map(out, &self.map);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        Ok(Self { request: reader.u32()?, seed: reader.u64()?, map: reader.map()? })
    }
}

/// How a reset went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ResetStatus {
    /// A new episode runs.
    Done = 0,
    /// No such map.
    UnknownMap = 1,
    /// Not agreed on, or not allowed here.
    NotAllowed = 2,
    /// Tried, and failed.
    Failed = 3,
}

/// RESET_DONE: how it went and what runs now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResetDone {
    /// Which one is answered.
    pub request: u32,
    /// How it went.
    pub status: ResetStatus,
    /// What runs now.
    pub episode: u32,
    /// What was used, 0 if there is none.
    pub seed: u64,
    /// What is played.
    pub map: String,
}

impl ResetDone {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.request.to_le_bytes());
        out.push(self.status as u8);
        out.extend_from_slice(&self.episode.to_le_bytes());
        out.extend_from_slice(&self.seed.to_le_bytes());
        put_map(out, &self.map);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let request = reader.u32()?;
        let status = match reader.u8()? {
            0 => ResetStatus::Done,
            1 => ResetStatus::UnknownMap,
            2 => ResetStatus::NotAllowed,
            3 => ResetStatus::Failed,
            other => return Err(reader.refuse("status", 4, other, "0 to 3")),
        };
        Ok(Self {
            request,
            status,
            episode: reader.u32()?,
            seed: reader.u64()?,
            map: reader.map()?,
        })
    }
}

/// Numbers of what can happen.
pub mod event {
    /// By class `other`, `value` points.
    pub const HURT: u8 = 1;
    /// By class `other`.
    pub const INCAPACITATED: u8 = 2;
    /// Dead.
    pub const DIED: u8 = 3;
    /// By survivor `other`.
    pub const REVIVED: u8 = 4;
    /// By survivor `other`, `value` points.
    pub const HEALED: u8 = 5;
    /// Killed a common infected.
    pub const KILLED_COMMON: u8 = 6;
    /// Killed class `other`.
    pub const KILLED_SPECIAL: u8 = 7;
    /// By class `other`.
    pub const SEIZED: u8 = 8;
    /// By survivor `other`.
    pub const FREED: u8 = 9;
    /// At the end.
    pub const REACHED_SAFE_ROOM: u8 = 10;
    /// Weapon id `value`.
    pub const PICKED_UP: u8 = 11;
    /// `value` 1 won, 0 lost.
    pub const ROUND_OVER: u8 = 12;
    /// A tank came.
    pub const TANK: u8 = 13;
    /// A witch was startled.
    pub const WITCH: u8 = 14;
    /// `value` of them came.
    pub const HORDE: u8 = 15;
}

/// In place of a bot or class: none.
pub const NONE: u8 = 255;
/// Most events in a datagram.
pub const MAX_EVENTS: usize = 72;

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Rises by one within a session.
    pub event_number: u32,
    /// When.
    pub tick: u32,
    /// A number of [`event`].
    pub event: u8,
    /// To whom, [`NONE`] for none.
    pub bot_id: u8,
    /// Bot or class, as the event says.
    pub other: u8,
    /// As the event says.
    pub value: i32,
}

/// EVENTS: what happened, from the oldest that was not acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Events {
    /// The episode now.
    pub episode: u32,
    /// Numbers without gaps.
    pub events: Vec<Event>,
}

impl Events {
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.episode.to_le_bytes());
        out.push(self.events.len() as u8);
        for event in &self.events {
            out.extend_from_slice(&event.event_number.to_le_bytes());
            out.extend_from_slice(&event.tick.to_le_bytes());
            out.extend_from_slice(&[event.event, event.bot_id, event.other, 0]);
            out.extend_from_slice(&event.value.to_le_bytes());
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let episode = reader.u32()?;
        let count = reader.u8()?;
        if count == 0 || usize::from(count) > MAX_EVENTS {
            return Err(reader.refuse("events", 4, count, "1 to 72"));
        }
        let mut events: Vec<Event> = Vec::new();
        for _ in 0..count {
            let at = reader.at();
            let (event_number, tick) = (reader.u32()?, reader.u32()?);
            let (event, bot_id, other) = (reader.u8()?, reader.u8()?, reader.u8()?);
            reader.zero()?;
            let value = reader.i32()?;
            let follows = events.last().map(|last| last.event_number.checked_add(1));
            if event_number == 0 || follows.is_some_and(|next| next != Some(event_number)) {
                return Err(reader.refuse("event_number", at, event_number, "one above the last"));
            }
            events.push(Event { event_number, tick, event, bot_id, other, value });
        }
        Ok(Self { episode, events })
    }
}

/// Why a session ends; other numbers may come.
pub mod bye {
    /// Nothing more to do.
    pub const DONE: u8 = 0;
    /// The server stops.
    pub const STOPPING: u8 = 1;
    /// The same client opened another.
    pub const REPLACED: u8 = 2;
    /// Nothing was heard for too long.
    pub const SILENCE: u8 = 3;
    /// Out of sequence numbers.
    pub const EXHAUSTED: u8 = 4;
}

/// BYE: the session ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bye {
    /// A number of [`bye`].
    pub reason: u8,
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Message, PAYLOAD_BYTES};
    use super::*;

    fn happened(event_number: u32) -> Event {
        Event { event_number, tick: 9, event: event::HURT, bot_id: 1, other: 10, value: -2 }
    }

    #[test]
    fn they_come_back() {
        let map = "c8m1_apartment".to_owned();
        let messages = [
            Message::Heartbeat(Heartbeat { time_millis: 1, echo_millis: 2, events_seen: 3 }),
            Message::Reset(Reset { request: 4, seed: u64::MAX, map: map.clone() }),
            Message::ResetDone(ResetDone {
                request: 4,
                status: ResetStatus::UnknownMap,
                episode: 5,
                seed: 6,
                map,
            }),
            Message::Events(Events { episode: 1, events: vec![happened(7), happened(8)] }),
            Message::Bye(Bye { reason: bye::REPLACED }),
        ];
        for message in messages {
            assert_eq!(Message::decode(message.kind(), &message.encode()), Ok(message));
        }
    }

    #[test]
    fn events_fill_a_datagram_and_have_no_gaps() {
        let events: Vec<Event> = (1..=MAX_EVENTS as u32).map(happened).collect();
        let size = Message::Events(Events { episode: 1, events }).encode().len();
        assert!(size <= PAYLOAD_BYTES && size + 16 > PAYLOAD_BYTES);
        for numbers in [vec![], vec![0], vec![3, 3], vec![3, 5], vec![u32::MAX, 0]] {
            let events = numbers.iter().copied().map(happened).collect();
            let payload = Message::Events(Events { episode: 1, events }).encode();
            assert!(Message::decode(Kind::Events, &payload).is_err(), "{numbers:?}");
        }
    }
}
