//! STATE: what several bots see, with the acknowledgement of what they were told to do.

use crate::wire::WireError;
use crate::wire::cursor::{Reader, put_f32s};
use crate::wire::state::{BotState, STATE_BYTES};

/// Bytes before the records.
pub const STATES_HEAD_BYTES: usize = 8;
/// Bytes of an acknowledgement.
pub const ACK_BYTES: usize = 8;
/// Bytes of an extended state without its entities.
pub const EXTENDED_BYTES: usize = 97;
/// Bytes of an entity.
pub const ENTITY_BYTES: usize = 16;
/// Most entities a bot is told of.
pub const MAX_ENTITIES: usize = 16;

/// Bits of [`Extended::conditions`].
pub mod condition {
    /// Stands on something.
    pub const ON_GROUND: u16 = 1;
    /// Ducks.
    pub const DUCKING: u16 = 1 << 1;
    /// Climbs.
    pub const ON_LADDER: u16 = 1 << 2;
    /// Reloads.
    pub const RELOADING: u16 = 1 << 3;
    /// Hangs from a ledge.
    pub const HANGING: u16 = 1 << 4;
    /// Is being revived.
    pub const BEING_REVIVED: u16 = 1 << 5;
    /// Revives someone.
    pub const REVIVING: u16 = 1 << 6;
    /// Uses a medkit.
    pub const HEALING: u16 = 1 << 7;
    /// Runs on adrenaline.
    pub const ADRENALINE: u16 = 1 << 8;
    /// Sees little for bile.
    pub const BLINDED: u16 = 1 << 9;
    /// The next time down is death.
    pub const ON_THIRD_STRIKE: u16 = 1 << 10;
    /// Calm, as the game sees it.
    pub const CALM: u16 = 1 << 11;
}

/// Bits of [`Entity::marks`].
pub mod mark {
    /// In sight.
    pub const VISIBLE: u8 = 1;
    /// Holds or attacks this survivor.
    pub const ON_ME: u8 = 1 << 1;
    /// Holds another survivor.
    pub const ON_ANOTHER: u8 = 1 << 2;
    /// Burns.
    pub const BURNING: u8 = 1 << 3;
    /// A survivor who is down.
    pub const INCAPPED: u8 = 1 << 4;
}

/// Something near a survivor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entity {
    /// 1 to 8 the special infected by the game's numbers, 9 survivor, 10 common infected, 11 item.
    pub class: u8,
    /// Bits of [`mark`].
    pub marks: u8,
    /// The same from state to state.
    pub id: u16,
    /// Points; of an item, its weapon id.
    pub health: u16,
    /// Whole units from the survivor's feet, along the world's axes.
    pub offset: [i16; 3],
    /// Units a second, x and y.
    pub velocity: [i16; 2],
}

impl Entity {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.class, self.marks]);
        out.extend_from_slice(&self.id.to_le_bytes());
        out.extend_from_slice(&self.health.to_le_bytes());
        for value in self.offset.iter().chain(&self.velocity) {
            out.extend_from_slice(&value.to_le_bytes());
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let at = reader.at();
        let class = reader.u8()?;
        if !(1..=11).contains(&class) {
            return Err(reader.refuse("class", at, class, "1 to 11"));
        }
        Ok(Self {
            class,
            marks: reader.u8()?,
            id: reader.u16()?,
            health: reader.u16()?,
            offset: [reader.i16()?, reader.i16()?, reader.i16()?],
            velocity: [reader.i16()?, reader.i16()?],
        })
    }
}

/// What the extended state has beyond the 56 bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extended {
    /// Points, decaying.
    pub temporary_health: f32,
    /// Rounds in the weapon in hand.
    pub clip: u16,
    /// Rounds beyond it.
    pub reserve_ammo: u16,
    /// Weapon id in hand.
    pub active_weapon: u8,
    /// Pills or adrenaline, 0 for none.
    pub pills_item: u8,
    /// Bits of [`condition`].
    pub conditions: u16,
    /// Class of the infected that holds this survivor, 0 for none.
    pub attacker: u8,
    /// Times revived since the last full healing.
    pub revive_count: u8,
    /// 0 calm to 255.
    pub intensity: u8,
    /// 0 not known, 1 build-up, 2 sustain, 3 fade, 4 relax.
    pub director_phase: u8,
    /// Units along the way from the start, −1 when not known.
    pub flow_distance: f32,
    /// Units of the whole way, −1 when not known.
    pub flow_total: f32,
    /// Since the episode began.
    pub common_kills: u16,
    /// Since the episode began, tanks and witches included.
    pub special_kills: u16,
    /// Points, since the episode began.
    pub damage_dealt: u32,
    /// Points, since the episode began.
    pub damage_taken: u32,
    /// Points given to others since the episode began.
    pub healing_given: u16,
    /// Since the episode began.
    pub revives_given: u8,
    /// Since the episode began.
    pub times_incapped: u8,
    /// The nearest, at most [`MAX_ENTITIES`].
    pub entities: Vec<Entity>,
}

impl Extended {
    fn put(&self, out: &mut Vec<u8>) {
        put_f32s(out, &[self.temporary_health]);
        out.extend_from_slice(&self.clip.to_le_bytes());
        out.extend_from_slice(&self.reserve_ammo.to_le_bytes());
        out.extend_from_slice(&[self.active_weapon, self.pills_item]);
        out.extend_from_slice(&self.conditions.to_le_bytes());
        out.extend_from_slice(&[
            self.attacker,
            self.revive_count,
            self.intensity,
            self.director_phase,
        ]);
        put_f32s(out, &[self.flow_distance, self.flow_total]);
        out.extend_from_slice(&self.common_kills.to_le_bytes());
        out.extend_from_slice(&self.special_kills.to_le_bytes());
        out.extend_from_slice(&self.damage_dealt.to_le_bytes());
        out.extend_from_slice(&self.damage_taken.to_le_bytes());
        out.extend_from_slice(&self.healing_given.to_le_bytes());
        let entities = &self.entities[..self.entities.len().min(MAX_ENTITIES)];
        out.extend_from_slice(&[self.revives_given, self.times_incapped, entities.len() as u8]);
        for entity in entities {
            entity.put(out);
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let mut extended = Self {
            temporary_health: reader.f32("temporary_health")?,
            clip: reader.u16()?,
            reserve_ammo: reader.u16()?,
            active_weapon: reader.u8()?,
            pills_item: reader.u8()?,
            conditions: reader.u16()?,
            attacker: reader.u8()?,
            revive_count: reader.u8()?,
            intensity: reader.u8()?,
            director_phase: reader.u8()?,
            flow_distance: reader.f32("flow_distance")?,
            flow_total: reader.f32("flow_total")?,
            common_kills: reader.u16()?,
            special_kills: reader.u16()?,
            damage_dealt: reader.u32()?,
            damage_taken: reader.u32()?,
            healing_given: reader.u16()?,
            revives_given: reader.u8()?,
            times_incapped: reader.u8()?,
            entities: Vec::new(),
        };
        let at = reader.at();
        let count = usize::from(reader.u8()?);
        if count > MAX_ENTITIES {
            return Err(reader.refuse("entities", at, count, "0 to 16"));
        }
        for _ in 0..count {
            extended.entities.push(Entity::read(reader)?);
        }
        Ok(extended)
    }
}

/// A bot in a STATE: what was last done for it, and what it sees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Number of the newest action applied, 0 for none.
    pub applied_action: u32,
    /// The tick it was applied in.
    pub applied_tick: u32,
    /// The 56 bytes.
    pub state: BotState,
    /// The rest, if the STATE is extended.
    pub extended: Option<Extended>,
}

impl Record {
    /// Bytes it takes.
    pub fn size(&self) -> usize {
        let extended = self.extended.as_ref().map_or(0, |extended| {
            EXTENDED_BYTES - STATE_BYTES + extended.entities.len().min(MAX_ENTITIES) * ENTITY_BYTES
        });
        ACK_BYTES + STATE_BYTES + extended
    }
}

/// STATE: a part of what the bots of a session see in a tick. All records have an extended state, or none.
#[derive(Clone, Debug, PartialEq)]
pub struct States {
    /// Rises with every reset.
    pub episode: u32,
    /// Which part this is.
    pub part: u8,
    /// How many there are.
    pub parts: u8,
    /// By rising bot_id.
    pub records: Vec<Record>,
}

impl States {
    /// Divides records among as few payloads as hold them, in their order.
    pub fn divide(episode: u32, records: Vec<Record>) -> Vec<Self> {
        let mut parts: Vec<Vec<Record>> = vec![Vec::new()];
        let mut size = STATES_HEAD_BYTES;
        for record in records {
            if size + record.size() > super::PAYLOAD_BYTES {
                parts.push(Vec::new());
                size = STATES_HEAD_BYTES;
            }
            size += record.size();
            if let Some(part) = parts.last_mut() {
                part.push(record);
            }
        }
        let count = parts.len() as u8;
        let numbered = parts.into_iter().zip(0..);
        numbered.map(|(records, part)| Self { episode, part, parts: count, records }).collect()
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let extended = self.records.first().is_some_and(|record| record.extended.is_some());
        out.extend_from_slice(&self.episode.to_le_bytes());
        let count = self.records.len() as u8;
        out.extend_from_slice(&[u8::from(extended), self.part, self.parts, count]);
        for record in &self.records {
            out.extend_from_slice(&record.applied_action.to_le_bytes());
            out.extend_from_slice(&record.applied_tick.to_le_bytes());
            record.state.put(out);
            if let Some(extended) = &record.extended {
                extended.put(out);
            }
        }
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, WireError> {
        let episode = reader.u32()?;
        let (format, part, parts, count) = (reader.u8()?, reader.u8()?, reader.u8()?, reader.u8()?);
        if format > 1 {
            return Err(reader.refuse("format", 4, format, "0 or 1"));
        }
        if parts > 32 {
            return Err(reader.refuse("parts", 6, parts, "1 to 32"));
        }
        if part >= parts {
            return Err(reader.refuse("part", 5, part, "less than parts"));
        }
        if count == 0 && format == 1 {
            return Err(reader.refuse("format", 4, format, "0 where no record follows"));
        }
        let mut records: Vec<Record> = Vec::new();
        for _ in 0..count {
            let applied_action = reader.u32()?;
            let applied_tick = reader.u32()?;
            let at = reader.at();
            let state = BotState::read(reader)?;
            let rises = records.last().is_none_or(|last| last.state.bot_id < state.bot_id);
            if !rises || state.bot_id >= 32 {
                return Err(reader.refuse("bot_id", at, state.bot_id, "0 to 31, rising"));
            }
            let extended = if format == 1 { Some(Extended::read(reader)?) } else { None };
            records.push(Record { applied_action, applied_tick, state, extended });
        }
        Ok(Self { episode, part, parts, records })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Message, PAYLOAD_BYTES};
    use super::*;

    fn record(bot_id: u8, entities: Option<usize>) -> Record {
        let entity = Entity { class: 10, ..Entity::default() };
        Record {
            state: BotState { bot_id, ..BotState::default() },
            extended: entities
                .map(|n| Extended { entities: vec![entity; n], ..Extended::default() }),
            ..Record::default()
        }
    }

    fn fit(entities: Option<usize>) -> usize {
        let records = (0..32).map(|bot_id| record(bot_id, entities)).collect();
        States::divide(1, records)[0].records.len()
    }

    /// The numbers the document gives.
    #[test]
    fn how_many_bots_fit() {
        assert_eq!(fit(None), 18);
        assert_eq!(fit(Some(0)), 10);
        assert_eq!(fit(Some(11)), 4);
        assert_eq!(fit(Some(12)), 3);
        assert_eq!(fit(Some(16)), 3);
    }

    #[test]
    fn parts_are_whole_and_within_a_datagram() {
        let records: Vec<Record> = (0..8).map(|bot_id| record(bot_id, Some(16))).collect();
        let parts = States::divide(3, records.clone());
        assert_eq!(parts.len(), 3);
        let mut all = Vec::new();
        for (i, part) in parts.into_iter().enumerate() {
            assert_eq!((usize::from(part.part), part.parts), (i, 3));
            let message = Message::State(part.clone());
            let payload = message.encode();
            assert!(payload.len() <= PAYLOAD_BYTES);
            assert_eq!(Message::decode(Kind::State, &payload), Ok(message));
            all.extend(part.records);
        }
        assert_eq!(all, records);
        assert_eq!(States::divide(1, Vec::new()).len(), 1);
    }

    #[test]
    fn sizes_are_those_written() {
        for entities in [None, Some(0), Some(1), Some(16)] {
            let part = States { episode: 0, part: 0, parts: 1, records: vec![record(0, entities)] };
            let size = STATES_HEAD_BYTES + part.records[0].size();
            assert_eq!(Message::State(part).encode().len(), size);
        }
    }

    #[test]
    fn bots_must_rise() {
        let part = States {
            episode: 0,
            part: 0,
            parts: 1,
            records: vec![record(1, None), record(1, None)],
        };
        assert!(Message::decode(Kind::State, &Message::State(part).encode()).is_err());
    }
}
