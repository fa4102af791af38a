//! Who strikes whom, and under what: all that an exact calculation asks.

use super::facts::Types;
use crate::dex::{AbilityId, ItemId, MoveId, SpeciesId, Type};
use crate::state::{Stages, Status, Terrain, Weather};

/// One in battle, fully known.
///
/// Abilities and items are those it has; whether something keeps them from working stands beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Combatant {
    /// The form it has now.
    pub species: SpeciesId,
    /// The form it came with, which items ask about.
    pub base_species: SpeciesId,
    /// Its level.
    pub level: u8,
    /// `M`, `F`, or neither.
    pub gender: Option<char>,
    /// Attack, defence, special attack, special defence and speed, without stages.
    pub stats: [u16; 5],
    /// Health now, in points.
    pub hp: u16,
    /// Health at most.
    pub max_hp: u16,
    /// Stages of its stats.
    pub stages: Stages,
    /// Its types without what terastallising does, with what was added and without what Roost takes.
    pub types: Types,
    /// The type it has taken by terastallising.
    pub tera: Option<Type>,
    /// Types whose one stronger stroke a stellar one has used up, as a set of [`Types`].
    pub stellar_used: Types,
    /// Its status.
    pub status: Status,
    /// What it holds; unknown counts as nothing.
    pub item: ItemId,
    /// Something keeps its item from working: Magic Room, Embargo, Klutz.
    pub item_suppressed: bool,
    /// Its ability; unknown counts as none.
    pub ability: AbilityId,
    /// Something keeps its ability from working: Neutralizing Gas, Gastro Acid.
    pub ability_suppressed: bool,
    /// Hectograms, where something has changed it; 0 is the species' own.
    pub weight: u16,
    /// Its speed in the order of the turn, for effects that the faster one applies first.
    pub order: i32,
    /// What it undergoes.
    pub marks: Marks,
}

/// What a combatant undergoes or has done, as far as damage asks.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs)] // their names say what they are
pub struct Marks {
    pub charge: bool,
    /// How many times Helping Hand has been laid on it this turn.
    pub helping_hands: u8,
    pub flash_fire: bool,
    pub slow_start: bool,
    pub unburden: bool,
    /// The stat that Protosynthesis or Quark Drive lifts, counted from attack: 1 to 5; 0 is none.
    pub paradox_boost: u8,
    pub glaive_rush: bool,
    pub minimize: bool,
    pub defense_curl: bool,
    pub tar_shot: bool,
    pub smack_down: bool,
    pub ingrain: bool,
    pub magnet_rise: bool,
    pub telekinesis: bool,
    pub substitute: bool,
    pub electrified: bool,
    pub focus_energy: bool,
    /// Stages of critical hits from Dragon Cheer.
    pub dragon_cheer: u8,
    pub laser_focus: bool,
    pub lucky_chant: bool,
    pub confused: bool,
    pub transformed: bool,
    /// It is out of reach: the move that keeps it so.
    pub out_of_reach: MoveId,
    pub stockpile: u8,
    /// Fallen allies that Supreme Overlord has counted.
    pub supreme_overlord: u8,
    /// How often it has been hit, which Rage Fist asks.
    pub times_hit: u8,
    /// It came in this turn, which Stakeout asks.
    pub just_came_in: bool,
    /// Something has hurt it this turn, which Assurance asks.
    pub hurt_this_turn: bool,
    /// Its stats were lowered this turn, which Lash Out asks.
    pub stats_lowered: bool,
    /// Its move failed the turn before, which Stomping Tantrum asks.
    pub last_move_failed: bool,
    /// Times that the item Metronome has counted the same move.
    pub metronome: u8,
    /// Protean or Libero has changed its type since it came in.
    pub type_changed: bool,
    /// A gem was used up for this move.
    pub gem: bool,
    /// Disguise or Ice Face was struck by this very move before, and keeps it neutral.
    pub neutral: bool,
    /// Tera Shell resists all strokes of this very move.
    pub shell_resists: bool,
}

/// One stroke of a move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strike {
    /// The move.
    pub a_move: MoveId,
    /// Is it a critical hit?
    pub critical: bool,
    /// Does the move strike more than one?
    pub spread: bool,
    /// Which stroke of the move this is, from 1.
    pub number: u8,
    /// It is the weaker second stroke of Parental Bond.
    pub second_of_bond: bool,
    /// It goes through protection at a quarter of its strength.
    pub through_protection: bool,
    /// The user moves after everybody else, which Analytic asks.
    pub moves_last: bool,
    /// The target has moved or came in before, which Payback asks.
    pub target_moved: bool,
    /// The target has hurt the user this turn, which Avalanche asks.
    pub hurt_by_target: bool,
    /// It joins a move of the ally: pledges, Round, both fusion moves.
    pub combined: bool,
    /// The type and same-type bonus that a combination of pledges has.
    pub pledge_type: Option<Type>,
    /// The rarer, stronger outcome of Fickle Beam.
    pub all_out: bool,
    /// Power that the move drew or counted by itself: Present, Beat Up, Rollout, Fury Cutter, Echoed Voice.
    pub drawn_power: u16,
    /// Damage that Counter and its like give back.
    pub returned: u16,
    /// This move has used up the stellar bonus before, in an earlier stroke.
    pub stellar_boosted: bool,
    /// A side of Shell Side Arm whose two ways are equal: physical.
    pub coin_physical: bool,
}

/// What holds around both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// The weather, unless something suppresses it.
    pub weather: Option<Weather>,
    /// The terrain.
    pub terrain: Option<Terrain>,
    /// Everybody stands on the ground.
    pub gravity: bool,
    /// Defences are exchanged.
    pub wonder_room: bool,
    /// The target is on the attacker's own side.
    pub friendly: bool,
    /// The ability of the attacker's ally, where it works.
    pub attacker_ally: AbilityId,
    /// Whether that ally is a Cherrim: no other's gift works.
    pub attacker_ally_blooms: bool,
    /// The ability of the target's ally, where it works.
    pub target_ally: AbilityId,
    /// The same of the target's.
    pub target_ally_blooms: bool,
    /// The target's ally holds an Ability Shield.
    pub target_ally_shielded: bool,
    /// Abilities that work on everybody, by whoever has them.
    pub auras: Auras,
    /// Fallen allies of the attacker, which Last Respects asks.
    pub fallen: u8,
    /// An ally of the attacker fell the turn before, which Retaliate asks.
    pub fell_last_turn: bool,
    /// Somebody across the field keeps the target from eating: Unnerve.
    pub unnerved: bool,
    /// What guards the target's side.
    pub reflect: bool,
    /// See [`Self::reflect`].
    pub light_screen: bool,
    /// See [`Self::reflect`].
    pub aurora_veil: bool,
    /// The attacker's side has the wind in its back.
    pub attacker_tailwind: bool,
    /// The target's side has.
    pub target_tailwind: bool,
}

/// Abilities on the field that work on everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)] // their names say what they are
pub struct Auras {
    pub sword_of_ruin: bool,
    pub beads_of_ruin: bool,
    pub tablets_of_ruin: bool,
    pub vessel_of_ruin: bool,
    pub fairy: bool,
    pub dark: bool,
    pub breaks: bool,
}

/// What a stroke does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Points of damage for the sixteen draws, least first; nothing caps them.
    pub rolls: [u16; 16],
    /// The power of two of the types' factor.
    pub effectiveness: i8,
    /// The target is immune: all rolls are 0.
    pub immune: bool,
    /// The type it struck with; nothing for typeless moves.
    pub element: Option<Type>,
    /// Did it strike physically?
    pub physical: bool,
}

impl Outcome {
    /// Nothing happens.
    pub(super) fn immune(element: Option<Type>, physical: bool) -> Self {
        Self { rolls: [0; 16], effectiveness: 0, immune: true, element, physical }
    }

    /// The least.
    pub fn min(&self) -> u16 {
        self.rolls[0]
    }

    /// The most.
    pub fn max(&self) -> u16 {
        self.rolls[15]
    }

    /// The mean of all draws.
    pub fn mean(&self) -> f32 {
        self.rolls.iter().map(|&roll| u32::from(roll)).sum::<u32>() as f32 / 16.0
    }
}
