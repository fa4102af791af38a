//! The numbers of the game that are not in a table of their own. Sources are the sections of
//! `facts/survivors.md`: console variables read on live servers, and modes measured in recordings.

use serde::{Deserialize, Serialize};

/// Ticks of a second: what the game's servers run at (§3).
pub const TICKS_PER_SEC: u32 = 30;
/// A tick.
pub const TICK_SECS: f32 = 1.0 / TICKS_PER_SEC as f32;

/// Running (§5; the mode of recorded speeds).
pub const RUN_SPEED: f32 = 220.0;
/// Limping, below [`LIMP_HEALTH`] (§5).
pub const LIMP_SPEED: f32 = 150.0;
/// Helped up, with what that lent run out: in recordings `m_isGoingToDie` goes with it, and one point of health
/// alone does not.
pub const CRAWL_SPEED: f32 = 85.0;
/// Crouching (§5).
pub const CROUCH_SPEED: f32 = 75.0;
/// With adrenaline (§5).
pub const ADRENALINE_SPEED: f32 = 260.0;
/// Struck by a common: blows hold one back, or a horde could be outrun. General knowledge; no number found.
pub const SLOWED_SPEED: f32 = 110.0;
/// So long after a blow. No source.
pub const SLOWED_SECS: f32 = 0.5;
/// `survivor_limp_health` (§5).
pub const LIMP_HEALTH: f32 = 40.0;

/// How high a jump carries the feet, in units: between two ticks, which see 56.9 of it at most (§5, the mode of
/// recorded jumps).
pub const JUMP_APEX: f32 = 57.0;
/// By how much feet are drawn up in a jump: recorded jumps rise so far in their first tick and fall so far in
/// the last but one. What is left is a flight under [`GRAVITY`].
pub const TUCK: f32 = 18.0;
/// Falling, feet are put down again as near to the ground as this: recorded jumps do it at 31 units and not at
/// 37, and half a body's height is what the engine looks down.
pub const UNTUCK_HEIGHT: f32 = 36.0;
/// What the ground of an area may rise over that of the next without a jump: the engine's step size.
pub const STEP_HEIGHT: f32 = 18.0;
/// `sv_gravity`: what recorded jumps fall with.
pub const GRAVITY: f32 = 800.0;
/// `sv_friction`: with the two below, how recorded people start and stop, tick by tick.
pub const FRICTION: f32 = 4.0;
/// `sv_stopspeed`.
pub const STOP_SPEED: f32 = 75.0;
/// `sv_accelerate`.
pub const ACCELERATE: f32 = 5.0;
/// `sv_airaccelerate`, with the engine's cap on the speed wished for in the air. General knowledge, as the cap.
pub const AIR_ACCELERATE: f32 = 10.0;
/// The most that a wish in the air adds along its direction.
pub const AIR_WISH_SPEED: f32 = 30.0;
/// Going up or down a ladder. No source.
pub const LADDER_SPEED: f32 = 140.0;
/// Over a brink and down, on average.
pub const FALL_SPEED: f32 = 300.0;
/// A body is so wide (§5: hull 32 x 32 x 71).
pub const HULL_WIDTH: f32 = 32.0;
/// A body is so high.
pub const HULL_HEIGHT: f32 = 71.0;
/// Eyes above feet, standing. General knowledge.
pub const EYE_HEIGHT: f32 = 62.0;
/// A fall that ends faster than this hurts. General knowledge of the engine.
pub const SAFE_FALL_SPEED: f32 = 560.0;
/// A fall that ends as fast as this kills, whoever it is. General knowledge of the engine.
pub const FATAL_FALL_SPEED: f32 = 980.0;
/// A ledge that is higher than this is caught by whoever steps or is pushed over it. No source; what the mesh
/// counts as a way down for everybody is none.
pub const LEDGE_HEIGHT: f32 = crate::nav::SAFE_DROP_UNITS;

/// Health of a survivor.
pub const FULL_HEALTH: f32 = 100.0;
/// Health while incapacitated, or hanging from a ledge (§5).
pub const INCAPACITATED_HEALTH: f32 = 300.0;
/// `survivor_incap_decay_rate`, a second (§5).
pub const INCAPACITATED_DECAY: f32 = 3.0;
/// Reviving takes so long (§5).
pub const REVIVE_SECS: f32 = 5.0;
/// Health after a revival: one point, and so many temporary ones (§5).
pub const REVIVE_TEMPORARY: f32 = 30.0;
/// `survivor_max_incapacitated_count` (§5): the next time kills.
pub const MOST_INCAPACITATIONS: u8 = 2;
/// Healing takes so long (§5).
pub const MEDKIT_SECS: f32 = 5.0;
/// The share of what is missing that a medkit gives (§5).
pub const MEDKIT_SHARE: f32 = 0.8;
/// Pills, temporary health (§5).
pub const PILLS_HEALTH: f32 = 50.0;
/// Adrenaline, temporary health (§5).
pub const ADRENALINE_HEALTH: f32 = 25.0;
/// Adrenaline lasts (§5).
pub const ADRENALINE_SECS: f32 = 15.0;
/// Health after a defibrillator (§5).
pub const DEFIBRILLATOR_HEALTH: f32 = 50.0;
/// Using a defibrillator takes so long. General knowledge.
pub const DEFIBRILLATOR_SECS: f32 = 3.0;
/// `pain_pills_decay_rate`, temporary health a second (§5).
pub const TEMPORARY_DECAY: f32 = 0.27;
/// Hands reach so far, to use things, heal and revive. General knowledge.
pub const REACH: f32 = 96.0;

/// A shove reaches so far (§1).
pub const SHOVE_RANGE: f32 = 75.0;
/// Between two shoves (§1).
pub const SHOVE_SECS: f32 = 0.7;
/// A shove meets what is this far to the sides, in degrees. No source.
pub const SHOVE_HALF_ANGLE: f32 = 45.0;
/// Whoever was shoved stumbles. No source.
pub const STUMBLE_SECS: f32 = 0.9;

/// Between two changes of the gun in hand: a button that is held for a few ticks changes it once. No source.
pub const SWITCH_SECS: f32 = 0.3;

/// Commons of a horde at most: `z_common_limit` (§5).
pub const COMMON_LIMIT: usize = 30;
/// `z_health` (§5).
pub const COMMON_HEALTH: f32 = 50.0;
/// `z_speed` (§5).
pub const COMMON_SPEED: f32 = 250.0;
/// Wandering about. No source.
pub const COMMON_WANDER_SPEED: f32 = 40.0;
/// Between two blows of a common. General knowledge.
pub const COMMON_ATTACK_SECS: f32 = 1.0;
/// A common reaches so far. No source.
pub const COMMON_REACH: f32 = 60.0;
/// `z_hit_from_behind_factor` (§5).
pub const FROM_BEHIND: f32 = 0.5;
/// `z_acquire_near_range`, `z_acquire_far_range` (§5).
pub const ACQUIRE_NEAR: f32 = 200.0;
/// Seen from farther away than this, nobody is noticed (§5).
pub const ACQUIRE_FAR: f32 = 2500.0;
/// Noticing takes so long near by, and so long far away (§5).
pub const ACQUIRE_SECS: [f32; 2] = [0.5, 5.0];
/// `z_discard_range` (§5): farther away than this from everybody, a common goes.
pub const DISCARD_RANGE: f32 = 2500.0;
/// `z_spawn_range` (§5).
pub const SPAWN_RANGE: f32 = 1500.0;

/// How hard it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Difficulty {
    /// Easy.
    Easy,
    /// Normal.
    #[default]
    Normal,
    /// Advanced.
    Advanced,
    /// Expert.
    Expert,
}

impl Difficulty {
    /// One of four, by difficulty.
    pub fn of<T: Copy>(self, values: [T; 4]) -> T {
        values[self as usize]
    }

    /// What a blow of a common takes (§5).
    pub fn common_damage(self) -> f32 {
        self.of([1.0, 2.0, 5.0, 20.0])
    }

    /// The share of a shot that hurts a fellow (§5: normal is read from the game, the others are general
    /// knowledge).
    pub fn friendly_fire(self) -> f32 {
        self.of([0.0, 0.1, 0.3, 0.5])
    }

    /// Health of a tank (§5 for normal; the others as the game scales them).
    pub fn tank_health(self) -> f32 {
        self.of([3000.0, 4000.0, 8000.0, 8000.0])
    }

    /// What a tank's fist or rock takes. General knowledge, as the game scales it.
    pub fn tank_damage(self) -> f32 {
        self.of([24.0, 24.0, 33.0, 100.0])
    }

    /// What a startled witch takes: it incapacitates, and on expert kills. General knowledge.
    pub fn witch_damage(self) -> f32 {
        self.of([100.0, 100.0, 100.0, 1000.0])
    }

    /// What hurts specials' victims is scaled by this: the original's factors (§1).
    pub fn special_factor(self) -> f32 {
        self.of([0.5, 1.0, 1.5, 2.0])
    }
}

/// Ticks of a time.
pub const fn ticks(secs: f32) -> u32 {
    (secs * TICKS_PER_SEC as f32 + 0.5) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_ticks() {
        assert_eq!(ticks(REVIVE_SECS), 150);
        assert_eq!(ticks(SHOVE_SECS), 21);
        assert_eq!(Difficulty::Expert.common_damage(), 20.0);
    }
}
