//! Game events: the server's own account of what happened.
//!
//! Which events there are and which fields they have is said once, in a list; an event itself is a
//! number and its values, without names.

use std::sync::Arc;

use super::super::bits::{Bits, OutOfBits};
use super::super::budget::Budget;
use super::super::error::Reason;

/// A value of an event's field.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Text.
    Text(String),
    /// A number with a fraction.
    Float(f32),
    /// A whole number of 8, 16 or 32 bits.
    Int(i32),
    /// Yes or no.
    Flag(bool),
    /// A whole number of 64 bits.
    Long(u64),
}

impl Value {
    /// As a whole number, where it is one.
    pub fn int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(i64::from(*number)),
            Value::Flag(flag) => Some(i64::from(*flag)),
            Value::Long(number) => i64::try_from(*number).ok(),
            Value::Text(_) | Value::Float(_) => None,
        }
    }

    /// As text, where it is text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, to: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Value::Text(text) => to.write_str(text),
            Value::Float(number) => number.fmt(to),
            Value::Int(number) => number.fmt(to),
            Value::Flag(flag) => flag.fmt(to),
            Value::Long(number) => number.fmt(to),
        }
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The tick of its packet.
    pub tick: i32,
    /// Its name, such as `player_hurt`.
    pub name: Arc<str>,
    /// Its fields, in the list's order.
    pub fields: Vec<(Arc<str>, Value)>,
}

impl Event {
    /// A field by name.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(field, _)| &**field == name).map(|(_, value)| value)
    }

    /// A field that is a whole number.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.field(name)?.int()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldKind {
    Text,
    Float,
    Long,
    Short,
    Byte,
    Flag,
    SixtyFour,
}

/// What an event is called and which fields it has.
#[derive(Clone, Debug)]
struct Definition {
    id: u16,
    name: Arc<str>,
    fields: Vec<(Arc<str>, FieldKind)>,
}

/// Which game events there are, by number.
#[derive(Clone, Debug, Default)]
pub struct EventList {
    definitions: Vec<Definition>,
}

impl EventList {
    pub(super) fn read(bits: &mut Bits) -> Result<Self, Reason> {
        let count = bits.bits(9)?;
        let length = bits.bits(20)? as usize;
        let mut bits = bits.part(length)?;
        let mut definitions = Vec::new();
        for _ in 0..count {
            definitions.push(definition(&mut bits)?);
        }
        // Sorted, so that a number is found at once and one given twice shows itself.
        definitions.sort_by_key(|definition| definition.id);
        if definitions.windows(2).any(|two| two[0].id == two[1].id) {
            return Err(Reason::Inconsistent("two game events have the same number"));
        }
        match bits.left() {
            0 => Ok(EventList { definitions }),
            left => Err(Reason::Leftover { left }),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }

    /// Their names, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.definitions.iter().map(|definition| &*definition.name)
    }

    /// About how many bytes it takes; events keep the names alive.
    pub(crate) fn memory(&self) -> usize {
        let field =
            |(name, _): &(Arc<str>, FieldKind)| name.len() + 2 * size_of::<(Arc<str>, u8)>();
        let one = |definition: &Definition| {
            size_of::<Definition>() + definition.fields.iter().map(field).sum::<usize>()
        };
        self.definitions.iter().map(one).sum()
    }

    /// What an event's bits say.
    pub(crate) fn decode(
        &self,
        tick: i32,
        mut bits: Bits,
        budget: &mut Budget,
    ) -> Result<Event, Reason> {
        let id = bits.bits(9)? as u16;
        let found = self.definitions.binary_search_by_key(&id, |definition| definition.id);
        let definition = found.ok().and_then(|index| self.definitions.get(index));
        let definition = definition
            .ok_or(Reason::Unknown { what: "game event number", found: u32::from(id) })?;
        // Bits decide how many values there are: one a bit at most.
        let most = definition.fields.len().min(bits.left());
        budget.take(size_of::<Event>() + most * size_of::<(Arc<str>, Value)>())?;
        let mut fields = Vec::with_capacity(most);
        for (name, kind) in &definition.fields {
            fields.push((Arc::clone(name), value(*kind, &mut bits)?));
        }
        match bits.left() {
            0..8 => Ok(Event { tick, name: Arc::clone(&definition.name), fields }),
            left => Err(Reason::Leftover { left }),
        }
    }
}

fn definition(bits: &mut Bits) -> Result<Definition, Reason> {
    let id = bits.bits(9)? as u16;
    let name = bits.text()?.into();
    let mut fields = Vec::new();
    loop {
        let kind = match bits.bits(3)? {
            0 => return Ok(Definition { id, name, fields }),
            1 => FieldKind::Text,
            2 => FieldKind::Float,
            3 => FieldKind::Long,
            4 => FieldKind::Short,
            5 => FieldKind::Byte,
            6 => FieldKind::Flag,
            _ => FieldKind::SixtyFour,
        };
        fields.push((bits.text()?.into(), kind));
    }
}

fn value(kind: FieldKind, bits: &mut Bits) -> Result<Value, OutOfBits> {
    Ok(match kind {
        FieldKind::Text => Value::Text(bits.text()?),
        FieldKind::Float => Value::Float(bits.float()?),
        FieldKind::Long => Value::Int(bits.long()? as i32),
        FieldKind::Short => Value::Int(bits.signed(16)?),
        FieldKind::Byte => Value::Int(i32::from(bits.byte()?)),
        FieldKind::Flag => Value::Flag(bits.flag()?),
        FieldKind::SixtyFour => {
            let low = u64::from(bits.long()?);
            Value::Long(low | u64::from(bits.long()?) << 32)
        }
    })
}

/// The bits of one event.
pub(super) fn event<'a>(bits: &mut Bits<'a>) -> Result<Bits<'a>, OutOfBits> {
    let length = bits.bits(11)? as usize;
    bits.part(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_the_lists_order() {
        let list = EventList {
            definitions: vec![Definition {
                id: 5,
                name: "player_hurt".into(),
                fields: vec![
                    ("userid".into(), FieldKind::Short),
                    ("weapon".into(), FieldKind::Text),
                    ("critical".into(), FieldKind::Flag),
                ],
            }],
        };
        // 9 bits of number 5, 16 of -2, "a", zero, a one.
        let number: u64 = 5 | 0xfffe << 9 | (b'a' as u64) << 25 | 1 << 41;
        let bytes = number.to_le_bytes();
        let mut reader = Bits::new(&bytes);
        let bits = reader.part(42).unwrap();
        let mut budget = Budget::of(&bytes);
        let event = list.decode(3, bits, &mut budget).unwrap();
        assert_eq!(&*event.name, "player_hurt");
        assert_eq!(event.int("userid"), Some(-2));
        assert_eq!(event.field("weapon").and_then(Value::text), Some("a"));
        assert_eq!(event.int("critical"), Some(1));
        assert_eq!(event.field("nothing"), None);
        let other = [7u8, 0, 0];
        let error = list.decode(3, Bits::new(&other), &mut budget).unwrap_err();
        assert_eq!(error, Reason::Unknown { what: "game event number", found: 7 });
    }
}
