//! What a server tells of a fight.

use super::{MASKED, Meta, OBSERVED, Terminal};
use crate::kinds::Skill;
use crate::mask::Mask;
use crate::observe::Observation;
use crate::sim::fighter::Fighter;
use crate::sim::report::Meal;
use crate::sim::supplies::Pantry;
use crate::sim::timers::Timer;
use crate::sim::{Fight, other};
use crate::terms::{brew_heal_left, food_heal_left, food_kinds};

/// What one agent is told.
#[derive(Clone, Debug)]
pub struct Told {
    /// What it sees.
    pub observation: [f64; OBSERVED],
    /// What it may do.
    pub mask: [bool; MASKED],
    /// How the fight ended, if it has.
    pub terminal: Option<Terminal>,
    /// What is told beside.
    pub meta: Meta,
    /// What the opponent sees and may do, if it is told.
    pub target: Option<(Observation, Mask)>,
}

fn share(part: i16, whole: i16) -> f64 {
    f64::from(part) / f64::from(whole)
}

fn level(fighter: &Fighter, skill: Skill) -> f64 {
    share(fighter.level(skill), fighter.max_level(skill))
}

/// The numbers beside the observation of `who`, as the original computes them.
pub fn meta(fight: &Fight, who: usize, episode_ticks: u32) -> Meta {
    let (me, foe) = (&fight.fighters[who], &fight.fighters[other(who)]);
    let (mine, theirs) = (&fight.reports[who], &fight.reports[other(who)]);
    let lives = |damage: i16, of: &Fighter| share(damage, of.max_hp());
    let meal = |meal: &Option<Meal>, part: fn(&Meal) -> i16| {
        meal.as_ref().map(|meal| lives(part(meal), me))
    };
    // Waste is told only where there is some.
    let wasted = |eaten: &Option<Meal>| meal(eaten, |m| m.wasted).filter(|&wasted| wasted > 0.0);
    let pantries = [Pantry::of(me), Pantry::of(foe)];
    let left = |fighter: &Fighter, heal: u16| f64::from(heal) / f64::from(fighter.max_hp());
    Meta {
        current_health_percent: level(me, Skill::Hitpoints),
        current_prayer_percent: level(me, Skill::Prayer),
        current_target_health_percent: level(foe, Skill::Hitpoints),
        // The original compares its own splats with themselves, and never finds any.
        damage_received: 0.0,
        damage_dealt: lives(fight.memories[who].splats_dealt, foe),
        episode_ticks: i32::try_from(episode_ticks).unwrap_or(i32::MAX),
        protected_prayer: theirs.blow.map(|blow| blow.prayed),
        hit_off_prayer: mine.blow.map(|blow| !blow.prayed),
        food_count: food_kinds(&pantries[0]) as i32,
        attack_level_scale: level(me, Skill::Attack),
        strength_level_scale: level(me, Skill::Strength),
        defence_level_scale: level(me, Skill::Defence),
        ranged_level_scale: level(me, Skill::Ranged),
        magic_level_scale: level(me, Skill::Magic),
        attack_type_hit: mine.blow.map(|blow| blow.style),
        attack_type_received: theirs.blow.map(|blow| blow.style),
        player_prayer_type: theirs.blow.and_then(|blow| blow.prayer),
        target_prayer_type: mine.blow.and_then(|blow| blow.prayer),
        player_attack_style_type: me.style(),
        target_attack_style_type: foe.style(),
        current_player_prayer_type: me.protection(),
        current_target_prayer_type: foe.protection(),
        distance: f64::from(me.at.distance(foe.at)),
        player_frozen_ticks: me.timers.left(Timer::Freeze),
        target_frozen_ticks: foe.timers.left(Timer::Freeze),
        remaining_food_scale: left(me, food_heal_left(&pantries[0])),
        remaining_brew_scale: left(me, brew_heal_left(me, &pantries[0])),
        target_food_count: food_kinds(&pantries[1]) as i32,
        target_remaining_food_scale: left(foe, food_heal_left(&pantries[1])),
        target_remaining_brew_scale: left(foe, brew_heal_left(foe, &pantries[1])),
        wasted_food_scale: wasted(&mine.food),
        eat_to_food_scale: meal(&mine.food, |food| food.to),
        eat_at_food_scale: meal(&mine.food, |food| food.at),
        eaten_food_scale: meal(&mine.food, |food| food.heal),
        wasted_brew_scale: wasted(&mine.brew),
        eat_to_brew_scale: meal(&mine.brew, |brew| brew.to),
        eat_at_brew_scale: meal(&mine.brew, |brew| brew.at),
        damage_generated_on_player_scale: lives(theirs.generated, me),
        damage_generated_on_target_scale: lives(mine.generated, foe),
        extra_damage_dealt_on_player_scale: lives(theirs.extra, me),
        extra_damage_dealt_on_target_scale: lives(mine.extra, foe),
        hit_with_smite: mine.blow.map(|blow| blow.smite),
        target_attacked_with_smite: theirs.blow.map(|blow| blow.smite),
        player_healed_scale: lives(mine.healed, me),
        target_healed_scale: lives(theirs.healed, foe),
        player_hit_attack_speed: mine.blow.map(|blow| blow.speed),
        target_hit_attack_speed: theirs.blow.map(|blow| blow.speed),
    }
}
