//! Following entities: what every message about them changes.
//!
//! A new entity starts from a baseline and each message says what differs. The baseline is the
//! class's own (from a string table) until the server makes the entity's state at one moment the
//! baseline of its number; there are two rows of those, so that the server can prepare one while
//! the client uses the other.

use super::super::bits::{Bits, width};
use super::super::budget::Budget;
use super::super::build::Layout;
use super::super::error::Reason;
use super::super::messages::EntitiesMessage;
use super::super::messages::tables::Tables;
use super::decode;
use super::fields::{Field, Values};
use super::flatten::{FlatProp, flatten};
use super::send_table::SendTables;

/// The engine's own limit on entities. // MAX_EDICTS
pub(super) const MOST_ENTITIES: usize = 2048;
const SERIAL_BITS: u32 = 10;
/// Entries of the baseline table that can be a class.
const MOST_BASELINES: usize = 1024;

/// After so many whole messages that could not be read, the rest will not be readable either.
const MOST_FAILURES: usize = 64;

/// An entity as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Entity {
    pub class: u16,
    pub serial: u16,
    /// Does the server tell about it now? What it does not tell about may be anywhere.
    pub seen: bool,
    pub values: Values,
}

/// The properties of a class in the order they are counted, and which of them are kept.
type Row = Vec<(FlatProp, Field)>;

fn row(tables: &SendTables, class: usize, budget: &mut Budget) -> Result<Row, Reason> {
    let flat = flatten(tables, class, budget)?;
    budget.take(flat.len() * size_of::<(FlatProp, Field)>())?;
    let field = |flat: FlatProp| {
        let table = tables.tables.get(usize::from(flat.table));
        let named = table.zip(flat.of(tables));
        (flat, named.map_or(Field::None, |(table, prop)| Field::named(&table.name, &prop.name)))
    };
    Ok(flat.into_iter().map(field).collect())
}

/// All entities as they are now.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    pub(super) tables: SendTables,
    /// By class.
    rows: Vec<Row>,
    class_baselines: Vec<Option<Values>>,
    own_baselines: [Vec<Option<(u16, Values)>>; 2],
    pub(super) entities: Vec<Option<Entity>>,
    /// Set by a message that could not be read: what follows differs from a state nobody knows.
    lost: bool,
    failures: usize,
}

impl World {
    /// Takes over the send tables; nothing is known of entities yet. Tables that cannot be read
    /// leave a world without classes, in which no message can be.
    pub(crate) fn learn(&mut self, payload: &[u8], budget: &mut Budget) -> Result<(), Reason> {
        *self = World::default();
        let tables = SendTables::read(payload, budget)?;
        let classes = tables.classes.len();
        let mut rows = Vec::new();
        for class in 0..classes {
            rows.push(row(&tables, class, budget)?);
        }
        *self = World {
            tables,
            rows,
            class_baselines: vec![None; classes],
            own_baselines: [vec![None; MOST_ENTITIES], vec![None; MOST_ENTITIES]],
            entities: vec![None; MOST_ENTITIES],
            ..Default::default()
        };
        Ok(())
    }

    /// The table of baselines changed.
    pub(crate) fn forget_baselines(&mut self) {
        self.class_baselines.fill(None);
    }

    /// Names of the classes, by number.
    pub(crate) fn class_names(&self) -> Vec<String> {
        self.tables.classes.iter().map(|class| class.name.clone()).collect()
    }

    /// The name of a class.
    pub(super) fn class_name(&self, class: u16) -> &str {
        self.tables.classes.get(usize::from(class)).map_or("", |class| &class.name)
    }

    /// Takes over what a message says. It must be used up to its last bit.
    pub(crate) fn update(
        &mut self,
        message: &EntitiesMessage,
        layout: Layout,
        strings: &Tables,
    ) -> Result<(), Reason> {
        if message.delta_from.is_none() {
            self.entities.fill(None);
            self.lost = false;
        }
        if self.lost || self.failures >= MOST_FAILURES {
            return Err(Reason::Inconsistent("it differs from a message that could not be read"));
        }
        let read = self.read(message, layout, strings);
        self.lost = read.is_err();
        self.failures += usize::from(self.lost);
        read
    }

    fn read(
        &mut self,
        message: &EntitiesMessage,
        layout: Layout,
        strings: &Tables,
    ) -> Result<(), Reason> {
        let from = usize::from(message.baseline & 1);
        if message.updates_baseline {
            let copied = self.own_baselines[from].clone();
            self.own_baselines[1 - from] = copied;
        }
        let mut bits = message.bits;
        let mut next = 0usize;
        for _ in 0..message.updates {
            let index = next.saturating_add(bits.growing()? as usize);
            next = index.saturating_add(1);
            if index >= MOST_ENTITIES {
                return Err(Reason::Unknown { what: "entity", found: index as u32 });
            }
            // The low bit says that it goes out of sight, the high one that it comes or goes for
            // good.
            match (bits.flag()?, bits.flag()?) {
                (false, false) => self.change(index, &mut bits)?,
                (false, true) => self.enter(index, &mut bits, message, strings)?,
                (true, false) => self.hide(index),
                (true, true) => self.delete(index),
            }
        }
        if message.delta_from.is_some() {
            self.delete_listed(&mut bits, layout)?;
        }
        match bits.left() {
            0 => Ok(()),
            left => Err(Reason::Leftover { left }),
        }
    }

    fn change(&mut self, index: usize, bits: &mut Bits) -> Result<(), Reason> {
        let entity = self.entities.get(index).copied().flatten();
        let mut entity =
            entity.ok_or(Reason::Unknown { what: "changed entity", found: index as u32 })?;
        self.read_values(entity.class, bits, &mut entity.values)?;
        self.put(index, Some(entity));
        Ok(())
    }

    fn enter(
        &mut self,
        index: usize,
        bits: &mut Bits,
        message: &EntitiesMessage,
        strings: &Tables,
    ) -> Result<(), Reason> {
        let class = bits.bits(width(self.tables.classes.len() as u32))? as u16;
        let serial = bits.bits(SERIAL_BITS)? as u16;
        let from = usize::from(message.baseline & 1);
        let own = self.own_baselines[from].get(index).copied().flatten();
        let own = own.filter(|(of, _)| *of == class && message.delta_from.is_some());
        let mut values = match own {
            Some((_, values)) => values,
            None => self.class_baseline(class, strings)?,
        };
        self.read_values(class, bits, &mut values)?;
        if message.updates_baseline
            && let Some(baseline) = self.own_baselines[1 - from].get_mut(index)
        {
            *baseline = Some((class, values));
        }
        self.put(index, Some(Entity { class, serial, seen: true, values }));
        Ok(())
    }

    fn hide(&mut self, index: usize) {
        if let Some(Some(entity)) = self.entities.get_mut(index) {
            entity.seen = false;
        }
    }

    fn delete(&mut self, index: usize) {
        self.put(index, None);
    }

    fn delete_listed(&mut self, bits: &mut Bits, layout: Layout) -> Result<(), Reason> {
        if layout.counts_deletes() {
            let mut index = None::<usize>;
            for _ in 0..bits.growing()? {
                let step = bits.growing()? as usize;
                let place = index.map_or(step.wrapping_sub(1), |index| index.saturating_add(step));
                self.delete(place);
                index = Some(place);
            }
        } else {
            while bits.flag()? {
                let index = bits.bits(11)? as usize;
                self.delete(index);
            }
        }
        Ok(())
    }

    fn put(&mut self, index: usize, entity: Option<Entity>) {
        if let Some(place) = self.entities.get_mut(index) {
            *place = entity;
        }
    }

    fn class_baseline(&mut self, class: u16, strings: &Tables) -> Result<Values, Reason> {
        if let Some(Some(values)) = self.class_baselines.get(usize::from(class)) {
            return Ok(*values);
        }
        let table = strings.named("instancebaseline");
        let name = class.to_string();
        let entry = table.and_then(|table| {
            table.entries.iter().take(MOST_BASELINES).find(|entry| entry.name == name)
        });
        let entry =
            entry.ok_or(Reason::Unknown { what: "baseline of class", found: u32::from(class) })?;
        let mut values = Values::default();
        self.read_values(class, &mut Bits::new(&entry.data), &mut values)?;
        if let Some(place) = self.class_baselines.get_mut(usize::from(class)) {
            *place = Some(values);
        }
        Ok(values)
    }

    fn read_values(&self, class: u16, bits: &mut Bits, values: &mut Values) -> Result<(), Reason> {
        let row = self.rows.get(usize::from(class));
        let row = row.ok_or(Reason::Unknown { what: "class", found: u32::from(class) })?;
        let short_steps = bits.flag()?;
        let mut index = None;
        while let Some(at) = decode::next_index(bits, index, short_steps)? {
            index = Some(at);
            let found = at as u32;
            let (flat, field) = *row.get(at).ok_or(Reason::Unknown { what: "property", found })?;
            let table = self.tables.tables.get(usize::from(flat.table));
            let props = table.map_or(&[][..], |table| &table.props);
            let place = usize::from(flat.prop);
            let prop = props.get(place).ok_or(Reason::Unknown { what: "property", found })?;
            let element = place.checked_sub(1).and_then(|before| props.get(before));
            values.set(field, decode::value(bits, prop, element)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::send_table::{PropKind, SendProp, SendTable, ServerClass, flag};
    use super::*;

    /// Writes bits, lowest first.
    #[derive(Default)]
    struct Writer {
        bits: Vec<bool>,
    }

    impl Writer {
        fn put(mut self, number: u32, count: u32) -> Self {
            self.bits.extend((0..count).map(|bit| number >> bit & 1 != 0));
            self
        }

        fn bytes(&self) -> Vec<u8> {
            let byte =
                |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | *bit as u8);
            self.bits.chunks(8).map(byte).collect()
        }
    }

    /// A world of one class with one property: health, of 16 bits.
    fn world() -> World {
        let health = SendProp {
            kind: PropKind::Int,
            name: "m_iHealth".to_owned(),
            flags: flag::UNSIGNED,
            priority: 128,
            table: None,
            elements: 0,
            low: 0.0,
            high: 0.0,
            bits: 16,
        };
        let table = SendTable { name: "DT_BasePlayer".to_owned(), props: vec![health] };
        let class = ServerClass { name: "CTerrorPlayer".to_owned(), table: table.name.clone() };
        let tables = SendTables { tables: vec![table], classes: vec![class] };
        let rows = vec![row(&tables, 0, &mut Budget::of(&[])).unwrap()];
        World {
            tables,
            rows,
            class_baselines: vec![Some(Values { health: 7, ..Default::default() })],
            own_baselines: [vec![None; MOST_ENTITIES], vec![None; MOST_ENTITIES]],
            entities: vec![None; MOST_ENTITIES],
            ..Default::default()
        }
    }

    fn tell(
        world: &mut World,
        written: &Writer,
        updates: u16,
        delta: bool,
        layout: Layout,
    ) -> Result<(), Reason> {
        let bytes = written.bytes();
        let message = EntitiesMessage {
            most: 10,
            delta_from: delta.then_some(1),
            baseline: 0,
            updates,
            updates_baseline: false,
            bits: Bits::new(&bytes).part(written.bits.len()).unwrap(),
        };
        world.update(&message, layout, &Tables::default())
    }

    fn health(world: &World, entity: usize) -> Option<i32> {
        world.entities[entity].map(|entity| entity.values.health)
    }

    /// Entity 3 enters; its health is said, or left to the baseline.
    fn enters(said: Option<u32>) -> Writer {
        let head =
            Writer::default().put(3, 4).put(0, 2).put(0b10, 2).put(0, 1).put(9, 10).put(1, 1);
        let values = match said {
            Some(health) => head.put(1, 1).put(health, 16),
            None => head,
        };
        // The end of the list: no step of one, no short step, twelve ones with their selector.
        values.put(0, 2).put(31, 5).put(3, 2).put(127, 7)
    }

    #[test]
    fn an_entity_enters_changes_and_goes() {
        let mut world = world();
        tell(&mut world, &enters(Some(100)), 1, false, Layout::First).unwrap();
        assert_eq!(health(&world, 3), Some(100));
        let end = |to: Writer| to.put(0, 2).put(31, 5).put(3, 2).put(127, 7);
        let change =
            Writer::default().put(3, 4).put(0, 2).put(0, 2).put(1, 1).put(1, 1).put(60, 16);
        let change = end(change).put(0, 1);
        tell(&mut world, &change, 1, true, Layout::First).unwrap();
        assert_eq!(health(&world, 3), Some(60));
        let hide = Writer::default().put(3, 4).put(0, 2).put(0b01, 2).put(0, 1);
        tell(&mut world, &hide, 1, true, Layout::First).unwrap();
        assert!(world.entities[3].is_some_and(|entity| !entity.seen));
        let listed = Writer::default().put(1, 1).put(3, 11).put(0, 1);
        tell(&mut world, &listed, 0, true, Layout::First).unwrap();
        assert_eq!(health(&world, 3), None);
    }

    #[test]
    fn newer_builds_count_what_they_delete() {
        let mut world = world();
        tell(&mut world, &enters(None), 1, false, Layout::WideModels).unwrap();
        assert_eq!(health(&world, 3), Some(7), "from the baseline");
        // One; four steps from before the first entity.
        let counted = Writer::default().put(1, 4).put(0, 2).put(4, 4).put(0, 2);
        tell(&mut world, &counted, 0, true, Layout::WideModels).unwrap();
        assert_eq!(health(&world, 3), None);
    }

    #[test]
    fn after_a_message_that_cannot_be_read_only_a_whole_one_helps() {
        let mut world = world();
        let left_over = enters(Some(100)).put(0, 1);
        let error = tell(&mut world, &left_over, 1, false, Layout::First).unwrap_err();
        assert_eq!(error, Reason::Leftover { left: 1 });
        let nothing = Writer::default().put(0, 1);
        assert!(tell(&mut world, &nothing, 0, true, Layout::First).is_err());
        tell(&mut world, &enters(Some(50)), 1, false, Layout::First).unwrap();
        tell(&mut world, &nothing, 0, true, Layout::First).unwrap();
        assert_eq!(health(&world, 3), Some(50));
    }
}
