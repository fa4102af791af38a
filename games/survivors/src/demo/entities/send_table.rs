//! Send tables: which properties the things of the game have, and how each is written.
//!
//! Every recording carries them for the build that made it, so nothing of this is fixed here but
//! the form they come in.

use super::super::bits::Bits;
use super::super::budget::Budget;
use super::super::error::Reason;

/// The engine's own limits: an update names a table with ten bits of properties; classes with nine.
const MOST_TABLES: usize = 1024;
const MOST_CLASSES: usize = 512;

/// Bits of a property's flags. // facts/survivors.md §3: 19 bits
pub(super) mod flag {
    pub const UNSIGNED: u32 = 1;
    pub const COORD: u32 = 1 << 1;
    pub const NO_SCALE: u32 = 1 << 2;
    pub const NORMAL: u32 = 1 << 5;
    pub const EXCLUDE: u32 = 1 << 6;
    pub const INSIDE_ARRAY: u32 = 1 << 8;
    pub const COLLAPSIBLE: u32 = 1 << 11;
    pub const COORD_MP: u32 = 1 << 12;
    pub const COORD_MP_LOW: u32 = 1 << 13;
    pub const COORD_MP_INT: u32 = 1 << 14;
    pub const CELL_COORD: u32 = 1 << 15;
    pub const CELL_COORD_LOW: u32 = 1 << 16;
    pub const CELL_COORD_INT: u32 = 1 << 17;
    pub const CHANGES_OFTEN: u32 = 1 << 18;
}

/// What a property is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropKind {
    /// A whole number.
    Int,
    /// A number with a fraction.
    Float,
    /// Three of them.
    Vector,
    /// Two of them.
    VectorXy,
    /// Text.
    Text,
    /// A row of what the property before it is.
    Array,
    /// All properties of another table.
    Table,
}

/// A property, or a remark about properties.
#[derive(Clone, Debug, PartialEq)]
pub struct SendProp {
    /// What it is.
    pub kind: PropKind,
    /// Its name.
    pub name: String,
    /// How it is written; see [`flag`].
    pub(super) flags: u32,
    /// Lower comes earlier.
    pub(super) priority: u8,
    /// The table it stands for, or the one from which the property of its name is taken away.
    pub(super) table: Option<String>,
    /// Entries of an array.
    pub(super) elements: u16,
    pub(super) low: f32,
    pub(super) high: f32,
    pub(super) bits: u8,
}

impl SendProp {
    pub(super) fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    fn read(bits: &mut Bits) -> Result<Self, Reason> {
        let found = bits.bits(5)?;
        let kind = match found {
            0 => PropKind::Int,
            1 => PropKind::Float,
            2 => PropKind::Vector,
            3 => PropKind::VectorXy,
            4 => PropKind::Text,
            5 => PropKind::Array,
            6 => PropKind::Table,
            _ => return Err(Reason::Unknown { what: "property type", found }),
        };
        let name = bits.text()?;
        let flags = bits.bits(19)?;
        let priority = bits.byte()?;
        let mut prop = SendProp {
            kind,
            name,
            flags,
            priority,
            table: None,
            elements: 0,
            low: 0.0,
            high: 0.0,
            bits: 0,
        };
        if kind == PropKind::Table || prop.is(flag::EXCLUDE) {
            prop.table = Some(bits.text()?);
        } else if kind == PropKind::Array {
            prop.elements = bits.bits(10)? as u16;
        } else {
            prop.low = bits.float()?;
            prop.high = bits.float()?;
            prop.bits = bits.bits(6)? as u8;
            if prop.bits > 32 {
                let found = u32::from(prop.bits);
                return Err(Reason::Unknown { what: "property width", found });
            }
        }
        Ok(prop)
    }
}

/// A table of properties.
#[derive(Clone, Debug)]
pub struct SendTable {
    /// Its name.
    pub name: String,
    /// Its properties.
    pub props: Vec<SendProp>,
}

/// A class of entities.
#[derive(Clone, Debug)]
pub struct ServerClass {
    /// Its name, such as `CTerrorPlayer`.
    pub name: String,
    /// The name of its table.
    pub table: String,
}

/// All send tables and classes of a recording.
#[derive(Clone, Debug, Default)]
pub struct SendTables {
    /// The tables.
    pub tables: Vec<SendTable>,
    /// The classes, by number.
    pub classes: Vec<ServerClass>,
}

impl SendTables {
    /// Reads the payload of a frame of data tables.
    pub(crate) fn read(payload: &[u8], budget: &mut Budget) -> Result<Self, Reason> {
        let mut bits = Bits::new(payload);
        let mut tables = Vec::new();
        while bits.flag()? {
            if tables.len() == MOST_TABLES {
                return Err(Reason::TooMany { what: "send tables", limit: MOST_TABLES });
            }
            bits.skip(1)?; // needs a decoder?
            let name = bits.text()?;
            budget.take(size_of::<SendTable>() + name.len())?;
            let mut props = Vec::new();
            for _ in 0..bits.bits(10)? {
                let prop = SendProp::read(&mut bits)?;
                let names = prop.name.len() + prop.table.as_ref().map_or(0, String::len);
                budget.take(size_of::<SendProp>() + names)?;
                props.push(prop);
            }
            tables.push(SendTable { name, props });
        }
        let count = usize::from(bits.word()?);
        if count > MOST_CLASSES {
            return Err(Reason::TooMany { what: "classes", limit: MOST_CLASSES });
        }
        let mut classes = Vec::new();
        for expected in 0..count {
            let found = bits.word()?;
            if usize::from(found) != expected {
                return Err(Reason::Unknown { what: "class", found: u32::from(found) });
            }
            let class = ServerClass { name: bits.text()?, table: bits.text()? };
            budget.take(size_of::<ServerClass>() + class.name.len() + class.table.len())?;
            classes.push(class);
        }
        match bits.left() {
            0..8 => Ok(SendTables { tables, classes }),
            left => Err(Reason::Leftover { left }),
        }
    }

    /// A table's place, by name.
    pub(super) fn table(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|table| table.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_at_all_is_a_payload_of_three_bytes() {
        let mut budget = Budget::of(&[]);
        let tables = SendTables::read(&[0, 0, 0], &mut budget).unwrap();
        assert!(tables.tables.is_empty() && tables.classes.is_empty());
        assert!(SendTables::read(&[0, 0], &mut budget).is_err());
    }

    proptest! {
        #[test]
        fn any_payload_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..500)) {
            let _ = SendTables::read(&bytes, &mut Budget::of(&bytes));
        }
    }
}
