//! Species, moves, items, abilities, types and natures: the facts of the game.
//!
//! They are read from `data/dex.json`, which `data/dex.mjs` writes from the pinned simulator. Every kind has
//! numbers of its own, which observations show and networks embed: 0 is unknown, the others are places in a
//! table that is the same for all formats. Formats whose facts differ have a [`Dex`] of their own with the
//! same numbers.

mod chart;
mod rows;

use std::collections::HashMap;
use std::sync::LazyLock;

pub use chart::{TYPES, Type, effectiveness};
pub use rows::{Ability, Boosts, Category, Effect, Item, Move, Nature, Species, Stat, Target};

/// The version of the simulator whose facts these are, and with which battles are played.
pub fn version() -> &'static str {
    &FILE.version
}

/// A number for a name of one kind; 0 is unknown.
macro_rules! number {
    ($name:ident, $what:literal) => {
        #[doc = concat!("The number of ", $what, ": a place in [`Dex`], or 0 where it is unknown.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u16);

        impl $name {
            /// Not known.
            pub const UNKNOWN: Self = Self(0);

            /// Is it known?
            pub fn is_known(self) -> bool {
                self.0 != 0
            }
        }
    };
}
number!(SpeciesId, "a species or one of its forms");
number!(MoveId, "a move");
number!(ItemId, "an item");
number!(AbilityId, "an ability");

impl ItemId {
    /// It is known that there is none. It comes after all that the table has.
    pub fn none() -> Self {
        Self(FILE.items.len() as u16 + 1)
    }
}

/// How many numbers each kind has, the unknown and the absent included.
pub mod sizes {
    use super::FILE;

    /// Species and forms.
    pub fn species() -> usize {
        FILE.species.len() + 1
    }
    /// Moves.
    pub fn moves() -> usize {
        FILE.moves.len() + 1
    }
    /// Items, and that there is none.
    pub fn items() -> usize {
        FILE.items.len() + 2
    }
    /// Abilities.
    pub fn abilities() -> usize {
        FILE.abilities.len() + 1
    }
}

static FILE: LazyLock<rows::File> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../data/dex.json"))
        .expect("the table is well-formed: a test reads it")
});

/// The numbers of all names, by Showdown's ids.
struct Numbers {
    species: HashMap<&'static str, u16>,
    moves: HashMap<&'static str, u16>,
    items: HashMap<&'static str, u16>,
    abilities: HashMap<&'static str, u16>,
}

static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| {
    fn numbered<T>(
        rows: &'static [T],
        id: impl Fn(&'static T) -> &'static str,
    ) -> HashMap<&'static str, u16> {
        rows.iter().enumerate().map(|(at, row)| (id(row), at as u16 + 1)).collect()
    }
    Numbers {
        species: numbered(&FILE.species, |row| &row.id),
        moves: numbered(&FILE.moves, |row| &row.id),
        items: numbered(&FILE.items, |row| &row.id),
        abilities: numbered(&FILE.abilities, |row| &row.id),
    }
});

/// Showdown's id of a name: lower-case letters and digits alone, so that `Will-O-Wisp` is `willowisp`.
pub fn id_of(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The facts of a format.
pub struct Dex {
    species: Vec<Species>,
    moves: Vec<Move>,
    items: Vec<Item>,
    abilities: Vec<Ability>,
}

static DEXES: LazyLock<HashMap<&'static str, Dex>> = LazyLock::new(|| {
    fn laid<T: Clone>(rows: &[T], over: &[T], id: impl Fn(&T) -> &str) -> Vec<T> {
        let over: HashMap<&str, &T> = over.iter().map(|row| (id(row), row)).collect();
        rows.iter().map(|row| (*over.get(id(row)).unwrap_or(&row)).clone()).collect()
    }
    let dex = |over: &rows::Tables| Dex {
        species: laid(&FILE.species, &over.species, |row| &row.id),
        moves: laid(&FILE.moves, &over.moves, |row| &row.id),
        items: laid(&FILE.items, &over.items, |row| &row.id),
        abilities: laid(&FILE.abilities, &over.abilities, |row| &row.id),
    };
    let base = std::iter::once(("gen9", dex(&rows::Tables::default())));
    base.chain(FILE.mods.iter().map(|(name, over)| (name.as_str(), dex(over)))).collect()
});

impl Dex {
    /// The facts under one of Showdown's mods: `gen9`, `gen9predlc`, `champions`, `championsregma`.
    ///
    /// # Panics
    /// On any other name: formats name theirs, and a test opens all of them.
    pub fn of_mod(name: &str) -> &'static Self {
        DEXES.get(name).unwrap_or_else(|| panic!("there is no mod `{name}`"))
    }

    /// The facts of a species; nothing for the unknown.
    pub fn species(&self, id: SpeciesId) -> Option<&Species> {
        self.species.get((id.0 as usize).wrapping_sub(1))
    }

    /// The facts of a move; nothing for the unknown.
    pub fn a_move(&self, id: MoveId) -> Option<&Move> {
        self.moves.get((id.0 as usize).wrapping_sub(1))
    }

    /// The facts of an item; nothing for the unknown and for none.
    pub fn item(&self, id: ItemId) -> Option<&Item> {
        self.items.get((id.0 as usize).wrapping_sub(1))
    }

    /// The facts of an ability; nothing for the unknown.
    pub fn ability(&self, id: AbilityId) -> Option<&Ability> {
        self.abilities.get((id.0 as usize).wrapping_sub(1))
    }
}

/// The number of a species by name or id. Forms that only look different (`Florges-Blue`) and are not in the table count as their base form.
pub fn species(name: &str) -> Option<SpeciesId> {
    let exact = NUMBERS.species.get(id_of(name).as_str()).copied();
    let base = || {
        name.split_once('-')
            .and_then(|(base, _)| NUMBERS.species.get(id_of(base).as_str()).copied())
    };
    exact.or_else(base).map(SpeciesId)
}

/// The number of a move by name or id.
pub fn a_move(name: &str) -> Option<MoveId> {
    NUMBERS.moves.get(id_of(name).as_str()).copied().map(MoveId)
}

/// The number of an item by name or id; nothing for a name that there is not, the empty one included.
pub fn item(name: &str) -> Option<ItemId> {
    NUMBERS.items.get(id_of(name).as_str()).copied().map(ItemId)
}

/// The number of an ability by name or id.
pub fn ability(name: &str) -> Option<AbilityId> {
    NUMBERS.abilities.get(id_of(name).as_str()).copied().map(AbilityId)
}

/// A nature by name or id.
pub fn nature(name: &str) -> Option<&'static Nature> {
    let id = id_of(name);
    FILE.natures.iter().find(|nature| nature.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_and_facts() {
        let dex = Dex::of_mod("gen9");
        let hands = species("Iron Hands").unwrap();
        assert_eq!(dex.species(hands).unwrap().stats, [154, 140, 108, 50, 68, 50]);
        assert_eq!(dex.species(hands).unwrap().types, [Type::Fighting, Type::Electric]);
        let fake_out = dex.a_move(a_move("Fake Out").unwrap()).unwrap();
        assert_eq!((fake_out.power, fake_out.priority, fake_out.pp), (40, 3, 10));
        assert_eq!(dex.item(item("focussash").unwrap()).unwrap().name, "Focus Sash");
        assert_eq!(dex.ability(ability("Beads of Ruin").unwrap()).unwrap().id, "beadsofruin");
        assert_eq!(nature("Timid").unwrap().plus, Some(Stat::Spe));
        assert_eq!(
            (species("Missing No"), a_move(""), item(""), ability("?")),
            (None, None, None, None)
        );
        assert_eq!(dex.species(SpeciesId::UNKNOWN).map(|s| &s.name), None);
        assert_eq!(dex.item(ItemId::none()).map(|i| &i.name), None);
        assert_eq!(species("Florges-Blue"), species("Florges"));
    }

    #[test]
    fn formats_differ_where_their_facts_do() {
        // Showdown's data/mods/gen9predlc and data/mods/champions: Grassy Glide had 60, and no move of
        // Champions has more than 20 uses.
        let power =
            |of: &str| Dex::of_mod(of).a_move(a_move("Grassy Glide").unwrap()).unwrap().power;
        assert_eq!((power("gen9"), power("gen9predlc")), (55, 60));
        let uses = |of: &str| Dex::of_mod(of).a_move(a_move("Growl").unwrap()).unwrap().pp;
        assert_eq!((uses("gen9"), uses("champions")), (40, 20));
    }
}
