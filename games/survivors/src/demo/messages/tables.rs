//! String tables: names by number, and what hangs on them.
//!
//! The server makes the tables by message and changes them by message; the recording holds them
//! once more as a whole, in a frame of its own. Two of them matter here: `instancebaseline` (what a
//! new entity of a class is like) and `userinfo` (who plays).
//!
//! Some tables of newer builds are written by a dictionary that is shipped with the map, not with
//! the recording. Those cannot be read from messages; the frame has them in full.

use super::super::bits::{Bits, OutOfBits, width};
use super::super::budget::Budget;
use super::super::error::Reason;

const COMPRESSED: u32 = 1;
/// Names that an entry may take its beginning from.
const HISTORY: usize = 32;
/// A run of the compressed form gives at most 16 bytes for 2 and an eighth.
const MOST_INFLATION: usize = 8;

/// The message that makes a table.
#[derive(Clone, Debug)]
pub struct CreatedTable<'a> {
    name: String,
    most: u16,
    entries: u32,
    data_bits: Option<u32>,
    flags: u32,
    bits: Bits<'a>,
}

impl<'a> CreatedTable<'a> {
    pub(super) fn read(bits: &mut Bits<'a>) -> Result<Self, Reason> {
        let name = bits.text()?;
        let most = bits.word()?;
        let entries = bits.bits(width(u32::from(most)))?;
        let length = bits.bits(21)? as usize;
        let data_bits = if bits.flag()? {
            bits.skip(12)?; // the same in bytes
            Some(bits.bits(4)?)
        } else {
            None
        };
        let flags = bits.bits(2)?;
        let bits = bits.part(length)?;
        Ok(Self { name, most, entries, data_bits, flags, bits })
    }
}

/// The message that changes a table.
#[derive(Clone, Copy, Debug)]
pub struct TableUpdate<'a> {
    table: u8,
    entries: u32,
    bits: Bits<'a>,
}

impl<'a> TableUpdate<'a> {
    pub(super) fn read(bits: &mut Bits<'a>) -> Result<Self, OutOfBits> {
        let table = bits.bits(5)? as u8;
        let entries = if bits.flag()? { u32::from(bits.word()?) } else { 1 };
        let length = bits.bits(20)? as usize;
        let bits = bits.part(length)?;
        Ok(Self { table, entries, bits })
    }
}

/// A name and what hangs on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// What hangs on it.
    pub data: Vec<u8>,
}

/// A string table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Its entries, by number.
    pub entries: Vec<Entry>,
    /// Could every message about it be read?
    pub whole: bool,
    most: u16,
    data_bits: Option<u32>,
}

/// All string tables of a recording, as they are at one time.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    tables: Vec<Table>,
}

impl Tables {
    /// All, in the order they were made.
    pub fn all(&self) -> &[Table] {
        &self.tables
    }

    /// One by name.
    pub fn named(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Forgets all: a new server begins.
    pub(crate) fn clear(&mut self) {
        self.tables.clear();
    }

    /// Makes a table. What cannot be read leaves a table that is not whole.
    pub(crate) fn create(&mut self, made: CreatedTable, budget: &mut Budget) -> Result<(), Reason> {
        // An update names its table with five bits.
        if self.tables.len() >= 32 {
            return Err(Reason::TooMany { what: "string tables", limit: 32 });
        }
        let mut table = Table {
            name: made.name,
            most: made.most,
            data_bits: made.data_bits,
            whole: true,
            ..Default::default()
        };
        let filled = if made.flags & COMPRESSED == 0 {
            table.fill(made.bits, made.entries, budget)
        } else {
            let inflated = inflate(&mut made.bits.clone(), budget);
            inflated.and_then(|bytes| table.fill(Bits::new(&bytes), made.entries, budget))
        };
        // Even one that cannot be read takes its number.
        table.whole &= filled.is_ok();
        self.tables.push(table);
        filled
    }

    /// Changes a table, and gives it back.
    pub(crate) fn update(
        &mut self,
        update: TableUpdate,
        budget: &mut Budget,
    ) -> Result<&Table, Reason> {
        let number = u32::from(update.table);
        let table = self.tables.get_mut(number as usize);
        let table = table.ok_or(Reason::Unknown { what: "string table", found: number })?;
        let filled = table.fill(update.bits, update.entries, budget);
        table.whole &= filled.is_ok();
        filled.map(|()| &*table)
    }

    /// Takes over the tables of a recording's own frame.
    pub(crate) fn replace(&mut self, payload: &[u8], budget: &mut Budget) -> Result<(), Reason> {
        let mut bits = Bits::new(payload);
        for _ in 0..bits.byte()? {
            let name = bits.text()?;
            let entries = entries_in_full(&mut bits, budget)?;
            // A second row of entries belongs to the client alone.
            if bits.flag()? {
                entries_in_full(&mut bits, budget)?;
            }
            match self.tables.iter_mut().find(|table| table.name == name) {
                Some(table) => {
                    table.entries = entries;
                    table.whole = true;
                }
                None => {
                    self.tables.push(Table { name, entries, whole: true, ..Default::default() })
                }
            }
        }
        match bits.left() {
            0..8 => Ok(()),
            left => Err(Reason::Leftover { left }),
        }
    }
}

impl Table {
    fn fill(&mut self, mut bits: Bits, changes: u32, budget: &mut Budget) -> Result<(), Reason> {
        if bits.flag()? {
            // By dictionary: see the top of this file.
            self.whole = false;
            return Ok(());
        }
        let mut history: Vec<String> = Vec::new();
        let mut next = 0usize;
        for _ in 0..changes {
            let index = if bits.flag()? {
                next
            } else {
                bits.bits(width(u32::from(self.most)).saturating_sub(1))? as usize
            };
            next = index + 1;
            let name = if bits.flag()? { Some(entry_name(&mut bits, &history)?) } else { None };
            let data = if bits.flag()? { Some(self.entry_data(&mut bits)?) } else { None };
            history.push(name.clone().unwrap_or_default());
            if history.len() > HISTORY {
                history.remove(0);
            }
            self.put(index, name, data, budget)?;
        }
        match bits.left() {
            0..8 => Ok(()),
            left => Err(Reason::Leftover { left }),
        }
    }

    fn entry_data(&self, bits: &mut Bits) -> Result<Vec<u8>, OutOfBits> {
        match self.data_bits {
            Some(count) => Ok(vec![bits.bits(count)? as u8, 0]),
            None => {
                let bytes = bits.bits(14)? as usize;
                bits.bytes(bytes)
            }
        }
    }

    fn put(
        &mut self,
        index: usize,
        name: Option<String>,
        data: Option<Vec<u8>>,
        budget: &mut Budget,
    ) -> Result<(), Reason> {
        if index >= usize::from(self.most) {
            return Err(Reason::Unknown { what: "string table entry", found: index as u32 });
        }
        let taken = name.as_ref().map_or(0, String::len) + data.as_ref().map_or(0, Vec::len);
        let grown = (index + 1).saturating_sub(self.entries.len());
        budget.take(taken + grown * size_of::<Entry>())?;
        // Entries between may be missing where the dictionary held them.
        if grown > 0 {
            self.entries.resize_with(index + 1, Entry::default);
        }
        if let Some(entry) = self.entries.get_mut(index) {
            if let Some(name) = name {
                entry.name = name;
            }
            if let Some(data) = data {
                entry.data = data;
            }
        }
        Ok(())
    }
}

/// A name; it may begin as one of the last 32 did.
fn entry_name(bits: &mut Bits, history: &[String]) -> Result<String, Reason> {
    if !bits.flag()? {
        return Ok(bits.text()?);
    }
    let index = bits.bits(5)?;
    let letters = bits.bits(5)? as usize;
    let before = history
        .get(index as usize)
        .ok_or(Reason::Unknown { what: "earlier string table entry", found: index })?;
    let start = before
        .get(..letters)
        .ok_or(Reason::Inconsistent("a name begins with more letters than an earlier one has"))?;
    Ok(format!("{start}{}", bits.text()?))
}

/// Entries of the recording's own frame: every name and all data as they are.
fn entries_in_full(bits: &mut Bits, budget: &mut Budget) -> Result<Vec<Entry>, Reason> {
    let mut entries = Vec::new();
    for _ in 0..bits.word()? {
        let name = bits.text()?;
        let bytes = if bits.flag()? { bits.word()? as usize } else { 0 };
        budget.take(size_of::<Entry>() + name.len() + bytes)?;
        let data = bits.bytes(bytes)?;
        entries.push(Entry { name, data });
    }
    Ok(entries)
}

/// Undoes the engine's compression: after two lengths and a mark of four letters, a byte of flags
/// before every eight items; an item is a byte, or a run of up to 16 bytes that were there before.
fn inflate(bits: &mut Bits, budget: &mut Budget) -> Result<Vec<u8>, Reason> {
    let size = bits.long()? as usize;
    bits.skip(32)?;
    if bits.long()?.to_le_bytes() != *b"LZSS" {
        return Err(Reason::Inconsistent("a string table is compressed in an unknown way"));
    }
    bits.skip(32)?;
    if size > (bits.left() / 8 + 1) * MOST_INFLATION {
        return Err(Reason::Inconsistent("a string table says it is larger than it can be"));
    }
    budget.take(size)?;
    let mut out: Vec<u8> = Vec::with_capacity(size);
    loop {
        let mut flags = bits.byte()?;
        for _ in 0..8 {
            let run = flags & 1 != 0;
            flags >>= 1;
            if !run {
                if out.len() >= size {
                    return Err(Reason::Inconsistent("a string table is larger than it says"));
                }
                out.push(bits.byte()?);
                continue;
            }
            let high = usize::from(bits.byte()?);
            let low = usize::from(bits.byte()?);
            let back = (high << 4 | low >> 4) + 1;
            let count = low & 15;
            if count == 0 {
                return if out.len() == size {
                    Ok(out)
                } else {
                    Err(Reason::Inconsistent("a string table is smaller than it says"))
                };
            }
            for _ in 0..count + 1 {
                let from = out.len().checked_sub(back);
                let byte = from.and_then(|from| out.get(from)).copied();
                let byte = byte.filter(|_| out.len() < size);
                out.push(byte.ok_or(Reason::Inconsistent(
                    "a compressed string table takes bytes from before its beginning",
                ))?);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stream(size: u32, items: &[u8]) -> Vec<u8> {
        let mut bytes = size.to_le_bytes().to_vec();
        bytes.extend([0; 4]);
        bytes.extend(b"LZSS");
        bytes.extend([0; 4]);
        bytes.extend(items);
        bytes
    }

    #[test]
    fn runs_repeat_what_was_there() {
        // "ab", a run of 4 from two back, the end.
        let bytes = stream(6, &[0b1100, b'a', b'b', 0, 1 << 4 | 3, 0, 0]);
        let mut budget = Budget::of(&bytes);
        assert_eq!(inflate(&mut Bits::new(&bytes), &mut budget).unwrap(), b"ababab");
        let bytes = stream(6, &[0b1100, b'a', b'b', 1, 1 << 4 | 3, 0, 0]);
        assert!(inflate(&mut Bits::new(&bytes), &mut budget).is_err());
        let bytes = stream(u32::MAX, &[0, 0]);
        assert!(inflate(&mut Bits::new(&bytes), &mut budget).is_err());
    }

    #[test]
    fn a_table_that_cannot_be_read_takes_its_number() {
        let made = |flags| CreatedTable {
            name: format!("table{flags}"),
            most: 8,
            entries: 0,
            data_bits: None,
            flags,
            bits: Bits::new(&[0]),
        };
        let mut tables = Tables::default();
        let mut budget = Budget::of(&[]);
        assert!(tables.create(made(COMPRESSED), &mut budget).is_err());
        assert!(tables.create(made(0), &mut budget).is_ok());
        let whole: Vec<_> = tables.all().iter().map(|table| table.whole).collect();
        assert_eq!(whole, [false, true]);
        let update = TableUpdate { table: 1, entries: 0, bits: Bits::new(&[0]) };
        assert_eq!(tables.update(update, &mut budget).unwrap().name, "table0");
        let update = TableUpdate { table: 2, entries: 0, bits: Bits::new(&[0]) };
        assert!(tables.update(update, &mut budget).is_err());
    }

    proptest! {
        #[test]
        fn any_frame_is_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut budget = Budget::of(&bytes);
            let _ = Tables::default().replace(&bytes, &mut budget);
            let _ = inflate(&mut Bits::new(&bytes), &mut budget);
            let compressed = stream(64, &bytes);
            let _ = inflate(&mut Bits::new(&compressed), &mut budget);
        }
    }
}
