//! A battle as one side knows it.
//!
//! What is here follows from what a player is told: the own team whole, the foes as far as they have shown
//! themselves. [`crate::dex`]'s number 0 stands for what is not known.

use crate::dex::{AbilityId, ItemId, MoveId, SpeciesId, Type};
use crate::format::Format;

/// A battle as one side knows it.
#[derive(Clone, Debug)]
pub struct Battle {
    /// What is played.
    pub format: &'static Format,
    /// The side that knows this: 0 is p1.
    pub me: usize,
    /// Turns begun; 0 during the preview.
    pub turn: u32,
    /// Both sides, p1 first.
    pub sides: [Side; 2],
    /// What holds for everybody.
    pub field: Field,
    /// How it ended.
    pub end: Option<BattleEnd>,
    /// Damage seen, oldest first; the last [`HITS`] of it.
    pub hits: Vec<Hit>,
}

/// How much of the damage seen is kept.
pub const HITS: usize = 64;

/// A move that took health from somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The turn.
    pub turn: u32,
    /// Who struck: side and index in its team.
    pub attacker: (usize, usize),
    /// Who was struck.
    pub target: (usize, usize),
    /// With what.
    pub a_move: MoveId,
    /// Which strike of the move on this target, counted from 0.
    pub strike: u8,
    /// Health lost as a share of the most; of foes known to a hundredth.
    pub share: f32,
    /// Was it a critical hit?
    pub critical: bool,
    /// Did the move reach several?
    pub spread: bool,
    /// Did it fell the target? Then it may have been worth more than it took.
    pub felled: bool,
}

/// How a battle ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BattleEnd {
    /// This side won.
    Won(usize),
    /// Nobody did.
    Tied,
}

/// One side.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The player's name.
    pub name: String,
    /// The team in the order of the preview.
    pub team: Vec<Pokemon>,
    /// Who is in battle, by place: an index into `team`.
    pub active: [Option<usize>; 2],
    /// How many are brought; 0 until it is told.
    pub brought: usize,
    /// Has it terastallised or mega evolved somebody?
    pub gimmick_used: bool,
    /// What holds for this side.
    pub conditions: SideConditions,
    /// What waits at its places.
    pub places: [PlaceConditions; 2],
}

/// What waits at a place, whoever stands there. Numbers are turns left, this one included; 0 is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaceConditions {
    /// Future Sight or Doom Desire will strike.
    pub future_attack: u8,
    /// A wish will heal.
    pub wish: u8,
    /// Healing Wish or Lunar Dance waits for somebody who needs it.
    pub healing_wish: bool,
}

/// What holds for a side. Numbers are turns left, this one included; 0 is not there. Where an item may
/// lengthen it and is not known, the shorter is assumed until it has passed.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // their names say what they are
pub struct SideConditions {
    pub reflect: u8,
    pub light_screen: u8,
    pub aurora_veil: u8,
    pub tailwind: u8,
    pub safeguard: u8,
    pub mist: u8,
    pub lucky_chant: u8,
    pub quick_guard: bool,
    pub wide_guard: bool,
    pub crafty_shield: bool,
    pub mat_block: bool,
    /// Layers, 0 to 3.
    pub spikes: u8,
    /// Layers, 0 to 2.
    pub toxic_spikes: u8,
    pub stealth_rock: bool,
    pub sticky_web: bool,
    /// The sea of fire of two pledges.
    pub fire_pledge: u8,
    /// The swamp of two pledges.
    pub grass_pledge: u8,
    /// The rainbow of two pledges.
    pub water_pledge: u8,
}

/// What holds for everybody. Numbers are turns left, this one included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// The weather, if there is one.
    pub weather: Option<Weather>,
    /// Turns it lasts; 0 if it does not end by itself.
    pub weather_turns: u8,
    /// The terrain, if there is one.
    pub terrain: Option<Terrain>,
    /// Turns it lasts.
    pub terrain_turns: u8,
    /// The slow go first for so many turns.
    pub trick_room: u8,
    /// Everybody stands on the ground for so many turns.
    pub gravity: u8,
    /// Items do nothing for so many turns.
    pub magic_room: u8,
    /// Defences are exchanged for so many turns.
    pub wonder_room: u8,
    /// Attacks of fairies lock everybody in for the next turn.
    pub fairy_lock: u8,
}

/// Kinds of weather.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // their names say what they are
pub enum Weather {
    Sun,
    Rain,
    Sand,
    Snow,
    HarshSun,
    HeavyRain,
    StrongWinds,
}

/// Kinds of terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // their names say what they are
pub enum Terrain {
    Electric,
    Grassy,
    Misty,
    Psychic,
}

/// Kinds of status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // their names say what they are
pub enum Status {
    #[default]
    Healthy,
    Burn,
    Freeze,
    Paralysis,
    Poison,
    Toxic,
    Sleep,
}

impl Status {
    /// A status by Showdown's word; the empty one is healthy.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "" => Self::Healthy,
            "brn" => Self::Burn,
            "frz" => Self::Freeze,
            "par" => Self::Paralysis,
            "psn" => Self::Poison,
            "tox" => Self::Toxic,
            "slp" => Self::Sleep,
            _ => return None,
        })
    }
}

/// A move that somebody is known to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownMove {
    /// Which.
    pub id: MoveId,
    /// Uses left as far as is known.
    pub pp: u8,
    /// Uses at first.
    pub max_pp: u8,
}

/// Stages of stats, in the order of [`crate::dex::Stat`] from attack on: atk, def, spa, spd, spe, accuracy,
/// evasion.
pub type Stages = [i8; 7];

/// One of a team as it is known.
#[derive(Clone, Debug, Default)]
pub struct Pokemon {
    /// The name by which the log calls it; empty until it has been in battle.
    pub nickname: String,
    /// The form it has now.
    pub species: SpeciesId,
    /// The form it was shown as at the preview.
    pub base_species: SpeciesId,
    /// Its level.
    pub level: u8,
    /// `M`, `F`, or neither.
    pub gender: Option<char>,
    /// Health now: of one's own in points, of foes in hundredths.
    pub hp: u16,
    /// Health at most.
    pub max_hp: u16,
    /// Has it fainted?
    pub fainted: bool,
    /// Has it been seen in battle? Of one's own: is it brought?
    pub revealed: bool,
    /// It is known not to be among those brought.
    pub left_behind: bool,
    /// Its status.
    pub status: Status,
    /// Turns it has slept, or rounds that the poison has grown.
    pub status_turns: u8,
    /// Stages of its stats.
    pub stages: Stages,
    /// What it is known to have learnt, at most four.
    pub moves: Vec<KnownMove>,
    /// What it holds: unknown, [`ItemId::none`], or which.
    pub item: ItemId,
    /// What it held before it was used up, taken or exchanged.
    pub former_item: ItemId,
    /// The ability it has now.
    pub ability: AbilityId,
    /// The ability it came with.
    pub base_ability: AbilityId,
    /// Items that it is known not to hold, while the one it holds is unknown.
    pub not_items: Vec<ItemId>,
    /// Abilities of its species that it is known not to have come with.
    pub not_abilities: Vec<AbilityId>,
    /// The type it would take, if it is known.
    pub tera_type: Option<Type>,
    /// Has it taken it?
    pub terastallized: bool,
    /// Has it mega evolved?
    pub mega: bool,
    /// Types that something has given it in place of its own.
    pub changed_types: Option<[Option<Type>; 2]>,
    /// A third type that something has added.
    pub added_type: Option<Type>,
    /// Stats without boosts: of one's own alone. In the order atk, def, spa, spd, spe.
    pub stats: Option<[u16; 5]>,
    /// What it undergoes while it is in battle.
    pub volatiles: Volatiles,
    /// The move it used last since it came in.
    pub last_move: MoveId,
    /// Turns since it came in; 0 in the first, when Fake Out works.
    pub turns_in: u16,
    /// Which of the protecting moves in a row this would be: the chance of success falls by thirds.
    pub stall: u8,
    /// How often it has been hit, which Rage Fist asks.
    pub times_hit: u8,
    /// It has the form of another for as long as it is in battle.
    pub transformed: bool,
    /// Order seen: it moved before a foe of known speed or after one. Least and most its speed can be, with
    /// what its item does to it; stages and all other effects are taken out. Nothing where nothing was seen.
    pub speed_at_least: Option<u16>,
    /// See [`Self::speed_at_least`].
    pub speed_at_most: Option<u16>,
}

impl Pokemon {
    /// Its types now, tera and changes reckoned in; one or two, and what was added.
    pub fn types(&self, format: &Format) -> Vec<Type> {
        if let (true, Some(tera)) = (self.terastallized, self.tera_type)
            && tera != Type::Stellar
        {
            return vec![tera];
        }
        let own =
            || format.dex().species(self.species).map(|s| s.types.clone()).unwrap_or_default();
        let changed = self.changed_types.map(|types| types.into_iter().flatten().collect());
        let mut types: Vec<Type> = changed.unwrap_or_else(own);
        types.extend(self.added_type);
        types
    }

    /// Health as a share of the most, 0 to 1.
    pub fn health(&self) -> f32 {
        if self.max_hp == 0 { 0.0 } else { f32::from(self.hp) / f32::from(self.max_hp) }
    }
}

/// What somebody undergoes while it is in battle. Numbers are turns left, this one included.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // their names say what they are
pub struct Volatiles {
    pub confusion: bool,
    pub taunt: u8,
    pub encore: u8,
    /// The move that an encore holds it to.
    pub encored: MoveId,
    pub disable: u8,
    /// The move that is disabled.
    pub disabled: MoveId,
    pub torment: bool,
    pub heal_block: u8,
    pub throat_chop: u8,
    pub attract: bool,
    pub leech_seed: bool,
    pub salt_cure: bool,
    pub syrup_bomb: u8,
    pub curse: bool,
    pub nightmare: bool,
    pub yawn: u8,
    pub perish: u8,
    pub ingrain: bool,
    pub aqua_ring: bool,
    pub magnet_rise: u8,
    pub smack_down: bool,
    pub substitute: bool,
    pub focus_energy: bool,
    pub dragon_cheer: bool,
    pub laser_focus: bool,
    pub charge: bool,
    pub stockpile: u8,
    pub imprison: bool,
    pub destiny_bond: bool,
    pub partially_trapped: bool,
    /// It cannot go out: Mean Look, Block, Octolock and the like.
    pub trapped: bool,
    pub tar_shot: bool,
    pub glaive_rush: bool,
    pub must_recharge: bool,
    /// It is in the air, under ground or under water, or loads up: the move it will use.
    pub two_turn: MoveId,
    /// It goes on with a move by itself: Outrage, Rollout, Uproar.
    pub locked_move: MoveId,
    /// The stat that Protosynthesis or Quark Drive lifts, counted from attack: 1 to 5; 0 is none.
    pub paradox_boost: u8,
    pub flash_fire: bool,
    pub slow_start: u8,
    pub unburden: bool,
    pub gastro_acid: bool,
    pub commanding: bool,
    pub commanded: bool,
    pub type_change: bool,
    pub power_trick: bool,
    pub follow_me: bool,
    pub helping_hand: bool,
    pub protect: bool,
    pub endure: bool,
    pub flinch: bool,
    pub roost: bool,
    pub electrified: bool,
    pub powder: bool,
    pub silk_trap: bool,
    pub supreme_overlord: u8,
    pub no_retreat: bool,
    pub octolock: bool,
    pub embargo: bool,
    pub telekinesis: u8,
    pub minimize: bool,
    pub defense_curl: bool,
}

impl Battle {
    /// A battle of which nothing is known yet.
    pub fn new(format: &'static Format, me: usize) -> Self {
        Self {
            format,
            me,
            turn: 0,
            sides: Default::default(),
            field: Field::default(),
            end: None,
            hits: Vec::new(),
        }
    }

    /// One's own side.
    pub fn own(&self) -> &Side {
        &self.sides[self.me]
    }

    /// The other side.
    pub fn foe(&self) -> &Side {
        &self.sides[1 - self.me]
    }
}

impl Side {
    /// Who stands at a place, if anybody does.
    pub fn at(&self, place: usize) -> Option<&Pokemon> {
        self.active[place].map(|index| &self.team[index])
    }
}
