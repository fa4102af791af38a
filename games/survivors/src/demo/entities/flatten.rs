//! Flattening: from nested send tables to the row of properties that updates count by.
//!
//! The row is a convention of the engine; nothing in a recording says it outright. A table's own
//! properties and those of tables that collapse into it come together, after those of tables nested
//! in it; what any table of the class excludes is left out; then properties that change often move
//! forward, by exchanges that disturb the order in the engine's own way.

use std::collections::BTreeSet;

use super::super::budget::Budget;
use super::super::error::Reason;
use super::send_table::{PropKind, SendProp, SendTables, flag};

/// Tables nest a dozen deep; a chain of this length goes in a circle.
const DEEPEST: usize = 64;
/// The engine's own limit on the properties of a class.
const MOST_PROPS: usize = 4096;
/// Tables that are looked into for one class; real ones need a few dozen.
const MOST_VISITS: usize = 1024;
/// The place of a property that changes often, among priorities.
const OFTEN: u8 = 64;

/// A property in a class's row: its table and its place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatProp {
    /// The table.
    pub table: u16,
    /// The place in the table.
    pub prop: u16,
}

impl FlatProp {
    /// The property itself.
    pub fn of(self, tables: &SendTables) -> Option<&SendProp> {
        tables.tables.get(usize::from(self.table))?.props.get(usize::from(self.prop))
    }
}

/// The row of a class.
pub(crate) fn flatten(
    tables: &SendTables,
    class: usize,
    budget: &mut Budget,
) -> Result<Vec<FlatProp>, Reason> {
    let found = class as u32;
    let class = tables.classes.get(class).ok_or(Reason::Unknown { what: "class", found })?;
    let table = place(tables, &class.table)?;
    let mut flattening =
        Flattening { tables, excluded: BTreeSet::new(), row: Vec::new(), visits: 0 };
    flattening.exclude(table, 0)?;
    flattening.visits = 0;
    flattening.gather(table, 0)?;
    let mut row = flattening.row;
    budget.take(row.len() * size_of::<FlatProp>())?;
    sort(tables, &mut row);
    Ok(row)
}

fn place(tables: &SendTables, name: &str) -> Result<usize, Reason> {
    tables
        .table(name)
        .ok_or(Reason::Inconsistent("a class or property names a table that is not there"))
}

struct Flattening<'a> {
    tables: &'a SendTables,
    /// Table and name.
    excluded: BTreeSet<(&'a str, &'a str)>,
    row: Vec<FlatProp>,
    visits: usize,
}

impl<'a> Flattening<'a> {
    fn visit(&mut self, table: usize, depth: usize) -> Result<&'a [SendProp], Reason> {
        self.visits += 1;
        if depth > DEEPEST || self.visits > MOST_VISITS {
            return Err(Reason::Inconsistent("send tables contain one another without end"));
        }
        Ok(self.tables.tables.get(table).map_or(&[], |table| &table.props))
    }

    fn exclude(&mut self, table: usize, depth: usize) -> Result<(), Reason> {
        for prop in self.visit(table, depth)? {
            let Some(named) = &prop.table else { continue };
            if prop.is(flag::EXCLUDE) {
                self.excluded.insert((named, &prop.name));
            } else if prop.kind == PropKind::Table {
                self.exclude(place(self.tables, named)?, depth + 1)?;
            }
        }
        Ok(())
    }

    /// Nested tables go into the row at once; the table's own properties after them.
    fn gather(&mut self, table: usize, depth: usize) -> Result<(), Reason> {
        let mut own = Vec::new();
        self.collapse(table, depth, &mut own)?;
        if self.row.len() + own.len() > MOST_PROPS {
            return Err(Reason::TooMany { what: "properties of a class", limit: MOST_PROPS });
        }
        self.row.extend(own);
        Ok(())
    }

    fn collapse(
        &mut self,
        table: usize,
        depth: usize,
        own: &mut Vec<FlatProp>,
    ) -> Result<(), Reason> {
        let props = self.visit(table, depth)?;
        let name = self.tables.tables.get(table).map_or("", |table| table.name.as_str());
        for (place_in_table, prop) in props.iter().enumerate() {
            if prop.is(flag::EXCLUDE | flag::INSIDE_ARRAY)
                || self.excluded.contains(&(name, prop.name.as_str()))
            {
                continue;
            }
            match (&prop.table, prop.kind) {
                (Some(named), PropKind::Table) => {
                    let nested = place(self.tables, named)?;
                    if prop.is(flag::COLLAPSIBLE) {
                        self.collapse(nested, depth + 1, own)?;
                    } else {
                        self.gather(nested, depth + 1)?;
                    }
                }
                _ if own.len() >= MOST_PROPS => {
                    return Err(Reason::TooMany {
                        what: "properties of a class",
                        limit: MOST_PROPS,
                    });
                }
                _ => own.push(FlatProp { table: table as u16, prop: place_in_table as u16 }),
            }
        }
        Ok(())
    }
}

/// Priorities from low to high; for each, what has it is exchanged to the front of the rest.
fn sort(tables: &SendTables, row: &mut [FlatProp]) {
    let rank = |flat: &FlatProp| {
        flat.of(tables).map_or((0, false), |prop| (prop.priority, prop.is(flag::CHANGES_OFTEN)))
    };
    let mut priorities: BTreeSet<u8> = row.iter().map(|flat| rank(flat).0).collect();
    priorities.insert(OFTEN);
    let mut sorted = 0;
    for priority in priorities {
        let mut place = sorted;
        while let Some(flat) = row.get(place) {
            let (own, often) = rank(flat);
            if own == priority || (often && priority == OFTEN) {
                row.swap(sorted, place);
                sorted += 1;
            }
            place += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::send_table::{SendTable, ServerClass};
    use super::*;

    fn prop(name: &str, flags: u32, priority: u8) -> SendProp {
        SendProp {
            kind: PropKind::Int,
            name: name.to_owned(),
            flags,
            priority,
            table: None,
            elements: 0,
            low: 0.0,
            high: 0.0,
            bits: 1,
        }
    }

    fn nested(table: &str, flags: u32) -> SendProp {
        let of = Some(table.to_owned());
        SendProp { kind: PropKind::Table, table: of, ..prop("baseclass", flags, 0) }
    }

    fn names(tables: Vec<(&str, Vec<SendProp>)>) -> Result<Vec<String>, Reason> {
        let class = ServerClass { name: "Class".to_owned(), table: tables[0].0.to_owned() };
        let tables = tables
            .into_iter()
            .map(|(name, props)| SendTable { name: name.to_owned(), props })
            .collect();
        let tables = SendTables { tables, classes: vec![class] };
        let row = flatten(&tables, 0, &mut Budget::of(&[]))?;
        Ok(row.iter().map(|flat| flat.of(&tables).unwrap().name.clone()).collect())
    }

    #[test]
    fn nested_tables_come_first_and_collapsed_ones_in_their_place() {
        let row = names(vec![
            ("own", vec![prop("a", 0, 128), nested("base", 0), nested("flat", flag::COLLAPSIBLE)]),
            ("base", vec![prop("b", 0, 128)]),
            ("flat", vec![prop("c", 0, 128), prop("element", flag::INSIDE_ARRAY, 128)]),
        ]);
        assert_eq!(row.unwrap(), ["b", "a", "c"]);
    }

    #[test]
    fn an_exclusion_holds_wherever_it_stands() {
        let mut exclusion = prop("b", flag::EXCLUDE, 0);
        exclusion.table = Some("base".to_owned());
        let row = names(vec![
            ("own", vec![nested("base", 0), exclusion]),
            ("base", vec![prop("b", 0, 128), prop("d", 0, 128)]),
        ]);
        assert_eq!(row.unwrap(), ["d"]);
    }

    #[test]
    fn what_changes_often_is_exchanged_to_the_front() {
        let often = flag::CHANGES_OFTEN;
        let row = names(vec![(
            "own",
            vec![prop("a", 0, 128), prop("b", 0, 128), prop("c", often, 128), prop("d", 0, 3)],
        )]);
        // d to the first place, then c to the second: exchanges, so a and b change their order.
        assert_eq!(row.unwrap(), ["d", "c", "b", "a"]);
    }

    #[test]
    fn tables_that_contain_one_another_are_refused() {
        let circle = names(vec![("own", vec![nested("own", 0)])]);
        assert!(matches!(circle, Err(Reason::Inconsistent(_))));
        // Every table holds the next one twenty times: 20^10 visits, were they made.
        let letters: Vec<String> = (0..10).map(|n| format!("t{n}")).collect();
        let wide = (0..10)
            .map(|n| {
                let next = letters.get(n + 1).cloned();
                let props = next.map_or(vec![], |next| vec![nested(&next, 0); 20]);
                (letters[n].as_str(), props)
            })
            .collect();
        assert!(matches!(names(wide), Err(Reason::Inconsistent(_))));
        assert!(names(vec![("own", vec![nested("nowhere", 0)])]).is_err());
    }
}
