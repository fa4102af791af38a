//! What things are worth, in Pokémon of full health.

use crate::outlook::{Deed, Fighter, Purpose};
use crate::state::{Battle, Weather};

/// What the player cares for.
#[derive(Clone, Copy, Debug)]
pub struct Taste {
    /// What living is worth by itself; the rest of 1 is health.
    pub living: f32,
    /// What it is worth that foes are in danger and one's own are not, per Pokémon, when the turn is over.
    pub pressure: f32,
    /// What it is worth to be the faster of two.
    pub faster: f32,
    /// What it costs to use up the gimmick.
    pub gimmick: f32,
    /// What a change costs, because foes see it come.
    pub switching: f32,
    /// What protecting costs beside the move not made.
    pub stalling: f32,
    /// How sharply a foe prefers what is better for it: a difference of this much is a factor of e.
    pub temper: f32,
}

/// Twice or half the pressure, three times the cost of switching or a third of the gimmick's won 49 to 51 of 100
/// against it, of 200 battles each: the player does not hang on them.
pub const TASTE: Taste = Taste {
    living: 0.55,
    pressure: 0.3,
    faster: 0.04,
    gimmick: 0.14,
    switching: 0.04,
    stalling: 0.05,
    temper: 0.12,
};

/// What it costs to strike one's own ally on purpose: what it does is not reckoned, and it is never wise.
pub const BETRAYAL: f32 = 0.5;

/// Health and life of one.
pub fn body(living: f32, alive: f32, hp: f32) -> f32 {
    alive * (living + (1.0 - living) * hp)
}

/// What it is worth to lay a condition on somebody.
pub fn ailment(purpose: Purpose, target: &Fighter) -> f32 {
    match purpose {
        Purpose::Sleep => 0.45,
        Purpose::Yawn => 0.2,
        Purpose::Burn => 0.08 + 0.3 * target.physical,
        Purpose::Paralyse => 0.16 + if target.base_speed > 80.0 { 0.1 } else { 0.0 },
        Purpose::Poison => 0.14,
        Purpose::Confuse => 0.12,
        Purpose::LeechSeed => 0.14,
        Purpose::Taunt => {
            let idle =
                target.moves.iter().filter(|deed| deed.id.is_known() && !deed.attacks()).count();
            [0.06, 0.1, 0.14, 0.18][idle.min(3)]
        }
        Purpose::Disable if target.last_move.is_known() => 0.1,
        Purpose::Encore => {
            let last = target.moves.iter().find(|deed| deed.id == target.last_move);
            match last {
                Some(deed) if target.last_move.is_known() && !deed.attacks() => 0.35,
                Some(_) if target.last_move.is_known() => 0.1,
                _ => 0.0,
            }
        }
        _ => 0.0,
    }
}

/// What a status by chance beside damage is worth.
pub const AILS: f32 = 0.15;

/// What stages that a move costs its target are worth.
pub fn lowered(deed: &Deed, target: &Fighter) -> f32 {
    let lost = |stages: i8| f32::from(-stages).max(0.0);
    let (physical, lowers) = (target.physical, &deed.lowers);
    let attacks = lost(lowers.atk) * physical + lost(lowers.spa) * (1.0 - physical);
    let defences = lost(lowers.def) + lost(lowers.spd);
    0.1 * attacks + 0.05 * defences + 0.06 * lost(lowers.spe)
}

/// What stages of the user are worth to it.
pub fn raised(deed: &Deed, user: &Fighter) -> f32 {
    let raises = &deed.raises;
    // The third Swords Dance is worth less than the first.
    let gain = |stages: i8, has: i8, worth: f32| {
        let stages = f32::from(stages);
        if stages > 0.0 {
            stages * worth / (1.0 + 0.7 * f32::from(has.max(0)))
        } else {
            stages * worth
        }
    };
    let attacks = gain(raises.atk, user.stages[0], 0.13 * user.physical)
        + gain(raises.spa, user.stages[2], 0.13 * (1.0 - user.physical));
    let defences = gain(raises.def, user.stages[1], 0.05) + gain(raises.spd, user.stages[3], 0.05);
    attacks + defences + gain(raises.spe, user.stages[4], 0.07)
}

/// What a move that changes the field or a side is worth to the side that uses it: 0 is one's own.
pub fn field(
    purpose: Purpose,
    battle: &Battle,
    mine: &[&Fighter],
    theirs: &[&Fighter],
    own_side: usize,
) -> f32 {
    let conditions = &battle.sides[own_side].conditions;
    let reversed = battle.field.trick_room > 0;
    let pairs = |faster: &dyn Fn(f32, f32) -> bool| {
        let all = mine.iter().flat_map(|own| theirs.iter().map(move |foe| (own.speed, foe.speed)));
        all.filter(|&(own, foe)| faster(own, foe)).count() as f32
    };
    match purpose {
        Purpose::Tailwind if conditions.tailwind == 0 && !reversed => {
            0.06 + 0.1 * pairs(&|own, foe| own <= foe && 2.0 * own > foe)
        }
        Purpose::TrickRoom => {
            let gain = pairs(&|own, foe| own < foe) - pairs(&|own, foe| own > foe);
            0.13 * if reversed { -gain } else { gain }
        }
        Purpose::Reflect if conditions.reflect == 0 && conditions.aurora_veil == 0 => {
            0.22 * theirs.iter().map(|foe| foe.physical).sum::<f32>()
        }
        Purpose::LightScreen if conditions.light_screen == 0 && conditions.aurora_veil == 0 => {
            0.22 * theirs.iter().map(|foe| 1.0 - foe.physical).sum::<f32>()
        }
        Purpose::AuroraVeil
            if conditions.aurora_veil == 0 && battle.field.weather == Some(Weather::Snow) =>
        {
            0.45
        }
        Purpose::Hazard => 0.06,
        Purpose::Weather => {
            if battle.field.weather.is_none() {
                0.08
            } else {
                0.04
            }
        }
        Purpose::Terrain => {
            if battle.field.terrain.is_none() {
                0.08
            } else {
                0.04
            }
        }
        Purpose::Substitute => 0.1,
        Purpose::DestinyBond => 0.1,
        Purpose::PerishSong => 0.05,
        Purpose::Revive if battle.sides[own_side].team.iter().any(|one| one.fainted) => 0.5,
        Purpose::ForceSwitch => 0.05,
        Purpose::Haze => {
            let sum = |all: &[&Fighter]| {
                all.iter().flat_map(|one| one.stages).map(f32::from).sum::<f32>()
            };
            0.06 * (sum(theirs) - sum(mine))
        }
        _ => 0.0,
    }
}
