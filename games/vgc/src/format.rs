//! The formats that are played.

use crate::dex::{Dex, Move};

/// An official format, as the pinned simulator knows it.
#[derive(Debug)]
pub struct Format {
    /// Showdown's id.
    pub id: &'static str,
    /// Showdown's mod, whose facts hold.
    pub dex: &'static str,
    /// Terastallising, or mega evolution in its place.
    pub gimmick: Gimmick,
}

/// What a side may do once a battle beside its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gimmick {
    /// One of the four takes its tera type.
    Terastallize,
    /// One of the four evolves by the stone it holds.
    MegaEvolve,
}

impl Gimmick {
    /// The word that a choice adds to a move.
    pub fn word(self) -> &'static str {
        match self {
            Self::Terastallize => "terastallize",
            Self::MegaEvolve => "mega",
        }
    }
}

/// All of them.
pub const FORMATS: [Format; 6] = [
    Format { id: "gen9vgc2023regc", dex: "gen9predlc", gimmick: Gimmick::Terastallize },
    Format { id: "gen9vgc2023regd", dex: "gen9predlc", gimmick: Gimmick::Terastallize },
    Format { id: "gen9vgc2024regg", dex: "gen9", gimmick: Gimmick::Terastallize },
    Format { id: "gen9vgc2025regi", dex: "gen9", gimmick: Gimmick::Terastallize },
    Format { id: "gen9championsvgc2026regma", dex: "championsregma", gimmick: Gimmick::MegaEvolve },
    Format { id: "gen9championsvgc2026regmb", dex: "champions", gimmick: Gimmick::MegaEvolve },
];

impl Format {
    /// A format by its id; `regulationX` stands for `regX`, as other programs write it.
    pub fn of(name: &str) -> Option<&'static Self> {
        let id = crate::dex::id_of(name).replace("regulation", "reg");
        FORMATS.iter().find(|format| format.id == id)
    }

    /// The facts that hold.
    pub fn dex(&self) -> &'static Dex {
        Dex::of_mod(self.dex)
    }

    /// How often a move can be used in a battle: teams have its uses raised as far as they go.
    pub fn uses(&self, of: &Move) -> u8 {
        match (of.fixed_pp, self.gimmick) {
            (true, _) => of.pp,
            // Champions: (pp / 5 + 1) * 4, as data/mods/champions of the simulator reckons it.
            (false, Gimmick::MegaEvolve) => (of.pp / 5 + 1) * 4,
            (false, Gimmick::Terastallize) => (u16::from(of.pp) * 8 / 5) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dex;

    #[test]
    fn names_of_formats() {
        assert_eq!(Format::of("gen9vgc2023regulationc").unwrap().id, "gen9vgc2023regc");
        assert_eq!(Format::of("[Gen 9] VGC 2024 Reg G").unwrap().id, "gen9vgc2024regg");
        assert!(Format::of("gen9ou").is_none());
    }

    #[test]
    fn every_format_has_its_facts() {
        for format in &FORMATS {
            let protect = format.dex().a_move(dex::a_move("Protect").unwrap()).unwrap();
            let uses = if format.gimmick == Gimmick::MegaEvolve { 8 } else { 16 };
            assert_eq!((format.uses(protect), protect.priority), (uses, 4), "{}", format.id);
        }
    }
}
