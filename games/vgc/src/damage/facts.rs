//! What the calculation needs to know of moves, items, abilities and species, by number.
//!
//! [`crate::dex`] says it in words; here it is laid out once so that no word is compared while reckoning.

use std::sync::LazyLock;

use super::kinds::{AbilityKind, ItemKind, MoveKind, SpeciesKind};
use crate::dex::{
    AbilityId, Category, Dex, ItemId, Move, MoveId, Species, SpeciesId, Stat, TYPES, Target, Type,
    effectiveness, sizes,
};
use crate::format::{Format, Gimmick};

/// Up to three types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Types {
    set: u32,
    first: Option<Type>,
}

impl Types {
    /// These; the first counts as the first.
    pub fn of(types: impl IntoIterator<Item = Type>) -> Self {
        let mut all = Self::default();
        types.into_iter().for_each(|one| all.add(one));
        all
    }

    /// One more.
    pub fn add(&mut self, one: Type) {
        self.set |= 1 << one as u32;
        self.first = self.first.or(Some(one));
    }

    /// Without one.
    pub fn without(self, one: Type) -> Self {
        let rest = Self { set: self.set & !(1 << one as u32), first: None };
        Self { first: self.first.filter(|&f| f != one).or_else(|| rest.iter().next()), ..rest }
    }

    /// Is it among them?
    pub fn has(self, one: Type) -> bool {
        self.set & (1 << one as u32) != 0
    }

    /// The first.
    pub fn first(self) -> Option<Type> {
        self.first
    }

    /// Are there none?
    pub fn is_empty(self) -> bool {
        self.set == 0
    }

    /// All of them, by number.
    pub fn iter(self) -> impl Iterator<Item = Type> {
        let mut set = self.set;
        std::iter::from_fn(move || {
            (set != 0).then(|| {
                let at = set.trailing_zeros();
                set &= set - 1;
                TYPES[at as usize]
            })
        })
    }
}

/// Bits of [`MoveFacts::flags`].
pub(super) mod flag {
    macro_rules! bits {
        ($($name:ident $at:literal;)*) => { $(pub const $name: u32 = 1 << $at;)* };
    }
    bits! {
        CONTACT 0; SOUND 1; BULLET 2; PUNCH 3; BITE 4; PULSE 5; SLICING 6; WIND 7; POWDER 8; MINIMIZE 9;
        RECKLESS 10; SHEER_FORCE 11; IGNORES_DEFENSIVE 12; IGNORES_ABILITY 13; IGNORES_IMMUNITY 14;
        ALWAYS_CRITS 15; NO_PARENTAL_BOND 16; MULTIHIT 17; VARIABLE_POWER 18; FIXED_TYPE 19; HEAL 20;
        BYPASSES_SUBSTITUTE 21; ACCURATE_EACH_HIT 22; FOUL_PLAY 23; OHKO 24; IGNORES_EVASION 25;
        FUTURE 26; BREAKS_SCREENS 27; PLEDGE 28;
    }
}

/// What is known of a move.
#[derive(Clone, Debug, Default)]
pub(super) struct MoveFacts {
    pub kind: MoveKind,
    pub category: Category,
    pub element: Option<Type>,
    pub power: u16,
    /// Percent; 0 never misses.
    pub accuracy: u8,
    pub priority: i8,
    pub target: Target,
    pub flags: u32,
    /// Stages of critical hits; 1 is usual.
    pub crit: u8,
    pub hits: [u8; 2],
    /// Damage that nothing changes; `u16::MAX` is the user's level, 0 none.
    pub fixed: u16,
    pub attacks_with: Option<Stat>,
    pub defends_with: Option<Stat>,
}

impl MoveFacts {
    fn of(row: &Move, of_mod: &str) -> Self {
        let kind = MoveKind::of(&row.id);
        let mut flags = 0;
        let mut set = |bit: u32, on: bool| flags |= if on { bit } else { 0 };
        for (name, bit) in [
            ("contact", flag::CONTACT),
            ("sound", flag::SOUND),
            ("bullet", flag::BULLET),
            ("punch", flag::PUNCH),
            ("bite", flag::BITE),
            ("pulse", flag::PULSE),
            ("slicing", flag::SLICING),
            ("wind", flag::WIND),
            ("powder", flag::POWDER),
            ("minimize", flag::MINIMIZE),
            ("heal", flag::HEAL),
            ("bypasssub", flag::BYPASSES_SUBSTITUTE),
            ("futuremove", flag::FUTURE),
            ("pledgecombo", flag::PLEDGE),
            ("noparentalbond", flag::NO_PARENTAL_BOND),
            ("charge", flag::NO_PARENTAL_BOND),
        ] {
            set(bit, row.is(name));
        }
        set(flag::RECKLESS, row.recoil.is_some() || row.crash);
        // Two moves count although Sheer Force takes nothing from them, and a third did at first.
        let boosted = matches!(kind, MoveKind::ElectroShot | MoveKind::OrderUp)
            || kind == MoveKind::JetPunch && of_mod == "gen9predlc";
        set(flag::SHEER_FORCE, !row.effects.is_empty() || boosted);
        set(flag::IGNORES_DEFENSIVE, row.ignores_defensive);
        // Both moves that pass over stages of defence pass over evasion too.
        set(flag::IGNORES_EVASION, row.ignores_defensive);
        set(flag::IGNORES_ABILITY, row.ignores_ability);
        set(flag::IGNORES_IMMUNITY, row.ignores_immunity && kind != MoveKind::FutureSight);
        set(flag::ALWAYS_CRITS, row.always_crits);
        set(flag::MULTIHIT, row.hits.is_some() || kind == MoveKind::BeatUp);
        set(flag::FOUL_PLAY, row.attacker.as_deref() == Some("target"));
        set(flag::OHKO, row.ohko);
        set(
            flag::ACCURATE_EACH_HIT,
            matches!(kind, MoveKind::PopulationBomb | MoveKind::TripleAxel | MoveKind::TripleKick),
        );
        set(
            flag::BREAKS_SCREENS,
            matches!(kind, MoveKind::BrickBreak | MoveKind::PsychicFangs | MoveKind::RagingBull),
        );
        // Moves that Aerilate and its like leave alone.
        set(
            flag::FIXED_TYPE,
            matches!(
                kind,
                MoveKind::Judgment
                    | MoveKind::RevelationDance
                    | MoveKind::TerrainPulse
                    | MoveKind::WeatherBall
                    | MoveKind::Struggle
            ),
        );
        // Moves that reckon their power from 0 or 150, which terastallising does not lift to 60.
        set(
            flag::VARIABLE_POWER,
            matches!(
                kind,
                MoveKind::BeatUp
                    | MoveKind::CrushGrip
                    | MoveKind::DragonEnergy
                    | MoveKind::ElectroBall
                    | MoveKind::Eruption
                    | MoveKind::Flail
                    | MoveKind::GrassKnot
                    | MoveKind::GyroBall
                    | MoveKind::HardPress
                    | MoveKind::HeatCrash
                    | MoveKind::HeavySlam
                    | MoveKind::LowKick
                    | MoveKind::Reversal
                    | MoveKind::SpitUp
                    | MoveKind::WaterSpout
            ),
        );
        let fixed = match &row.damage {
            Some(serde_json::Value::String(_)) => u16::MAX,
            Some(value) => value.as_u64().unwrap_or(0) as u16,
            None => 0,
        };
        Self {
            kind,
            category: row.category,
            element: row.kind.filter(|_| kind != MoveKind::Struggle),
            power: row.power,
            accuracy: row.accuracy.unwrap_or(0),
            priority: row.priority,
            target: row.target,
            flags,
            crit: row.crit.unwrap_or(1),
            hits: row.hits.unwrap_or([1, 1]),
            fixed,
            attacks_with: row.attacks_with,
            defends_with: row.defends_with,
        }
    }

    pub fn is(&self, bit: u32) -> bool {
        self.flags & bit != 0
    }
}

/// What is known of an item.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ItemFacts {
    pub kind: ItemKind,
    /// The type whose moves it makes a fifth stronger.
    pub boosts: Option<Type>,
    /// The type that it makes half as strong once.
    pub resists: Option<Type>,
    /// The type of a plate.
    pub plate: Option<Type>,
    /// Power of being flung; 0 cannot be.
    pub fling: u8,
    /// The form that a stone evolves its holder into, and who that is.
    pub mega: Option<(SpeciesId, SpeciesId)>,
    /// Knock Off cannot take it from a holder for whom it is made: a stone, a mask, an orb, a plate.
    pub bound: Bound,
}

/// From whom an item cannot be taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bound {
    #[default]
    Nobody,
    /// From those whose family this is.
    Family(Family),
    /// From those of the base form that a mega stone is made for.
    MegaOf(SpeciesId),
    /// From paradox forms: Booster Energy.
    Paradox,
}

/// Species by family, as far as an item is made for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // their names say what they are
pub(super) enum Family {
    #[default]
    Other,
    Arceus,
    Dialga,
    Giratina,
    Latis,
    OgerponCornerstone,
    OgerponHearthflame,
    OgerponWellspring,
    Ogerpon,
    Palkia,
    Pikachu,
    Zacian,
    Zamazenta,
    Cherrim,
}

/// What is known of a species.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SpeciesFacts {
    pub kind: SpeciesKind,
    pub family: Family,
    pub types: Types,
    pub stats: [u16; 6],
    pub weight: u16,
    pub nfe: bool,
    pub paradox: bool,
    /// Itself, or the species whose form it is.
    pub base: SpeciesId,
    /// Those it may have, the first first; unknown where there are fewer.
    pub abilities: [AbilityId; 3],
    /// Stats at level 50 as they are guessed of somebody whose set is not known, health first.
    pub guess: [u16; 6],
}

/// What is known of an ability.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AbilityFacts {
    pub kind: AbilityKind,
    /// Mold Breaker passes over it.
    pub breakable: bool,
    /// Nothing can take it away for a time.
    pub unsuppressable: bool,
    /// It does not work in somebody else's form.
    pub not_transformed: bool,
}

/// All of it under one of Showdown's mods.
pub(super) struct Facts {
    moves: Vec<MoveFacts>,
    items: Vec<ItemFacts>,
    abilities: Vec<AbilityFacts>,
    species: Vec<SpeciesFacts>,
    /// Stats are reckoned as in Champions.
    pub champions: bool,
    /// Eviolite helped Dipplin before its evolution was known.
    pub before_dlc: bool,
}

impl Facts {
    fn new(of_mod: &'static str) -> Self {
        let dex = Dex::of_mod(of_mod);
        let champions = of_mod.starts_with("champions");
        fn laid<I, T: Default>(
            size: usize,
            id: impl Fn(u16) -> I,
            row: impl Fn(I) -> Option<T>,
        ) -> Vec<T> {
            (0..size).map(|at| row(id(at as u16)).unwrap_or_default()).collect()
        }
        Self {
            moves: laid(sizes::moves(), MoveId, |id| Some(MoveFacts::of(dex.a_move(id)?, of_mod))),
            items: laid(sizes::items(), ItemId, |id| Some(item(dex, dex.item(id)?))),
            abilities: laid(sizes::abilities(), AbilityId, |id| {
                let row = dex.ability(id)?;
                let is = |flag: &str| row.flags.iter().any(|f| f == flag);
                Some(AbilityFacts {
                    kind: AbilityKind::of(&row.id),
                    breakable: is("breakable"),
                    unsuppressable: is("cantsuppress"),
                    not_transformed: is("notransform"),
                })
            }),
            species: laid(sizes::species(), SpeciesId, |id| {
                Some(species(dex.species(id)?, id, champions))
            }),
            champions,
            before_dlc: of_mod == "gen9predlc",
        }
    }

    /// Those of a format.
    pub fn of(format: &Format) -> &'static Self {
        static ALL: LazyLock<[Facts; 4]> =
            LazyLock::new(|| ["gen9", "gen9predlc", "champions", "championsregma"].map(Facts::new));
        // The lengths of the four names differ, which a test holds.
        let at = match (format.gimmick, format.dex.len()) {
            (Gimmick::Terastallize, 4) => 0,
            (Gimmick::Terastallize, _) => 1,
            (Gimmick::MegaEvolve, 9) => 2,
            (Gimmick::MegaEvolve, _) => 3,
        };
        &ALL[at]
    }

    pub fn a_move(&self, id: MoveId) -> &MoveFacts {
        self.moves.get(usize::from(id.0)).unwrap_or(&self.moves[0])
    }

    pub fn item(&self, id: ItemId) -> ItemFacts {
        self.items.get(usize::from(id.0)).copied().unwrap_or_default()
    }

    /// Is there something in its hands? What is not known counts as nothing.
    pub fn holds(&self, id: ItemId) -> bool {
        (1..self.items.len() - 1).contains(&usize::from(id.0))
    }

    pub fn ability(&self, id: AbilityId) -> AbilityFacts {
        self.abilities.get(usize::from(id.0)).copied().unwrap_or_default()
    }

    /// The number of a form that is asked for by kind.
    pub fn form(&self, kind: SpeciesKind) -> Option<SpeciesId> {
        self.species.iter().position(|one| one.kind == kind).map(|at| SpeciesId(at as u16))
    }

    pub fn species(&self, id: SpeciesId) -> &SpeciesFacts {
        self.species.get(usize::from(id.0)).unwrap_or(&self.species[0])
    }
}

fn item(dex: &Dex, row: &crate::dex::Item) -> ItemFacts {
    let mega = row.mega.as_deref().and_then(crate::dex::species).map(|form| {
        let base = dex.species(form).and_then(|row| row.base.as_deref());
        (form, base.and_then(crate::dex::species).unwrap_or(form))
    });
    // Sources: data/items of the simulator; a fifth more power for moves of a type.
    let boosts = match row.id.as_str() {
        "blackbelt" | "fistplate" => Some(Type::Fighting),
        "blackglasses" | "dreadplate" => Some(Type::Dark),
        "charcoal" | "flameplate" => Some(Type::Fire),
        "dragonfang" | "dracoplate" => Some(Type::Dragon),
        "fairyfeather" | "pixieplate" => Some(Type::Fairy),
        "hardstone" | "stoneplate" => Some(Type::Rock),
        "magnet" | "zapplate" => Some(Type::Electric),
        "metalcoat" | "ironplate" => Some(Type::Steel),
        "miracleseed" | "meadowplate" => Some(Type::Grass),
        "mysticwater" | "splashplate" => Some(Type::Water),
        "nevermeltice" | "icicleplate" => Some(Type::Ice),
        "poisonbarb" | "toxicplate" => Some(Type::Poison),
        "sharpbeak" | "skyplate" => Some(Type::Flying),
        "silkscarf" => Some(Type::Normal),
        "silverpowder" | "insectplate" => Some(Type::Bug),
        "softsand" | "earthplate" => Some(Type::Ground),
        "spelltag" | "spookyplate" => Some(Type::Ghost),
        "twistedspoon" | "mindplate" => Some(Type::Psychic),
        _ => None,
    };
    let resists = match row.id.as_str() {
        "babiriberry" => Some(Type::Steel),
        "chartiberry" => Some(Type::Rock),
        "chilanberry" => Some(Type::Normal),
        "chopleberry" => Some(Type::Fighting),
        "cobaberry" => Some(Type::Flying),
        "colburberry" => Some(Type::Dark),
        "habanberry" => Some(Type::Dragon),
        "kasibberry" => Some(Type::Ghost),
        "kebiaberry" => Some(Type::Poison),
        "occaberry" => Some(Type::Fire),
        "passhoberry" => Some(Type::Water),
        "payapaberry" => Some(Type::Psychic),
        "rindoberry" => Some(Type::Grass),
        "roseliberry" => Some(Type::Fairy),
        "shucaberry" => Some(Type::Ground),
        "tangaberry" => Some(Type::Bug),
        "wacanberry" => Some(Type::Electric),
        "yacheberry" => Some(Type::Ice),
        _ => None,
    };
    let bound = match row.id.as_str() {
        "adamantcrystal" => Bound::Family(Family::Dialga),
        "lustrousglobe" => Bound::Family(Family::Palkia),
        "griseouscore" => Bound::Family(Family::Giratina),
        "rustedsword" => Bound::Family(Family::Zacian),
        "rustedshield" => Bound::Family(Family::Zamazenta),
        "cornerstonemask" | "hearthflamemask" | "wellspringmask" => Bound::Family(Family::Ogerpon),
        "boosterenergy" => Bound::Paradox,
        _ if row.plate.is_some() => Bound::Family(Family::Arceus),
        _ => mega.map_or(Bound::Nobody, |(_, of)| Bound::MegaOf(of)),
    };
    ItemFacts {
        kind: ItemKind::of(&row.id),
        mega,
        boosts,
        resists,
        plate: row.plate,
        fling: row.fling,
        bound,
    }
}

fn species(row: &Species, id: SpeciesId, champions: bool) -> SpeciesFacts {
    let base = row.base.as_deref().unwrap_or(&row.id);
    let family = match base {
        "arceus" => Family::Arceus,
        "dialga" => Family::Dialga,
        "giratina" => Family::Giratina,
        "latias" | "latios" => Family::Latis,
        "palkia" => Family::Palkia,
        "pikachu" => Family::Pikachu,
        "zacian" => Family::Zacian,
        "zamazenta" => Family::Zamazenta,
        "cherrim" => Family::Cherrim,
        "ogerpon" if row.id.starts_with("ogerponcornerstone") => Family::OgerponCornerstone,
        "ogerpon" if row.id.starts_with("ogerponhearthflame") => Family::OgerponHearthflame,
        "ogerpon" if row.id.starts_with("ogerponwellspring") => Family::OgerponWellspring,
        "ogerpon" => Family::Ogerpon,
        _ => Family::Other,
    };
    SpeciesFacts {
        kind: SpeciesKind::of(&row.id),
        family,
        types: Types::of(row.types.iter().copied()),
        stats: row.stats,
        weight: row.weight,
        nfe: row.nfe,
        paradox: row.tags.iter().any(|tag| tag == "Paradox"),
        base: crate::dex::species(base).unwrap_or(id),
        abilities: std::array::from_fn(|at| {
            row.abilities.get(at).and_then(|name| crate::dex::ability(name)).unwrap_or_default()
        }),
        guess: super::stats::guess(champions, row.stats, 50),
    }
}

/// How much one type does to another: `None` is nothing at all, otherwise the power of two.
pub(super) fn against(attack: Type, defend: Type) -> Option<i8> {
    static CHART: LazyLock<[[i8; 19]; 19]> = LazyLock::new(|| {
        let mut chart = [[0; 19]; 19];
        for attack in TYPES {
            for defend in TYPES {
                chart[attack as usize][defend as usize] = match effectiveness(attack, defend) {
                    0.0 => i8::MIN,
                    f if f > 1.0 => 1,
                    f if f < 1.0 => -1,
                    _ => 0,
                };
            }
        }
        chart
    });
    match CHART[attack as usize][defend as usize] {
        i8::MIN => None,
        power => Some(power),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dex;
    use crate::format::FORMATS;

    #[test]
    fn every_name_that_is_asked_for_exists() {
        let lost = |ids: &[&'static str], known: &dyn Fn(&str) -> bool| -> Vec<&'static str> {
            ids.iter().copied().filter(|id| !known(id)).collect()
        };
        let none: [&str; 0] = [];
        assert_eq!(lost(AbilityKind::IDS, &|id| dex::ability(id).is_some()), none);
        assert_eq!(lost(ItemKind::IDS, &|id| dex::item(id).is_some()), none);
        assert_eq!(lost(MoveKind::IDS, &|id| dex::a_move(id).is_some()), none);
        assert_eq!(lost(SpeciesKind::IDS, &|id| dex::species(id).is_some()), none);
    }

    #[test]
    fn every_format_finds_its_own_facts() {
        let glide = dex::a_move("Grassy Glide").unwrap();
        for format in &FORMATS {
            let facts = Facts::of(format);
            let written = format.dex().a_move(glide).unwrap().power;
            assert_eq!(facts.a_move(glide).power, written, "{}", format.id);
            assert_eq!(facts.champions, format.gimmick == Gimmick::MegaEvolve, "{}", format.id);
            assert_eq!(facts.before_dlc, format.dex == "gen9predlc", "{}", format.id);
        }
        // The two of Champions differ in what exists, which is no fact of a row, and in nothing else here.
        let names: Vec<_> = FORMATS.iter().map(|format| format.dex.len()).collect();
        assert_eq!(names, [10, 10, 4, 4, 14, 9]);
    }

    #[test]
    fn types_are_sets_with_a_first() {
        let types = Types::of([Type::Water, Type::Flying]);
        assert_eq!((types.first(), types.has(Type::Flying)), (Some(Type::Water), true));
        assert_eq!(types.without(Type::Water).first(), Some(Type::Flying));
        assert_eq!(types.iter().count(), 2);
        assert_eq!(
            (against(Type::Ground, Type::Flying), against(Type::Ice, Type::Flying)),
            (None, Some(1))
        );
    }
}
