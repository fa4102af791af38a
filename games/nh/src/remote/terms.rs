//! Reward terms and stats from what a server tells: the same numbers as the game computes from the fight.

use crate::kinds::Style;
use crate::terms::{COUNT, Ended};
use crate::wire::{Meta, Reply};

/// Damage shown on the agent in this tick, as a share of its life: the server's own number for it is always 0.
const SPLATS_RECEIVED: usize = 52;
/// Damage shown on the opponent in this tick.
const SPLATS_DEALT: usize = 53;

fn flag(value: bool) -> f32 {
    f32::from(u8::from(value))
}

/// An attack that takes so many ticks counts once.
const USUAL_SPEED: f32 = 5.0;

/// Writes the terms of a tick for an agent, in the order of [`crate::terms::terms`]: from what it was told beside
/// its `observation` at the end of it, `m`, and a tick earlier, `before`.
pub fn write(before: &Meta, m: &Meta, observation: &[f64], ended: Option<Ended>, out: &mut [f32]) {
    let mut values = Vec::with_capacity(COUNT);
    let mut put = |value: f32| values.push(value);
    put(flag(ended == Some(Ended::Won)));
    put(flag(ended == Some(Ended::Lost)));
    put(flag(ended == Some(Ended::Tied)));
    let own = (m.remaining_food_scale as f32, m.remaining_brew_scale as f32);
    let theirs = (m.target_remaining_food_scale as f32, m.target_remaining_brew_scale as f32);
    for (fell, (food, brew)) in [(Ended::Won, theirs), (Ended::Lost, own)] {
        if ended == Some(fell) {
            put(food);
            put(brew);
            put((food + brew) * (food + brew + 1.2).powf(1.5));
        } else {
            (0..3).for_each(|_| put(0.0));
        }
    }
    let dealt = m.damage_generated_on_target_scale as f32;
    let received = m.damage_generated_on_player_scale as f32;
    put(dealt);
    put(received);
    put(observation[SPLATS_DEALT] as f32);
    put(observation[SPLATS_RECEIVED] as f32);
    put(m.extra_damage_dealt_on_target_scale as f32);
    put(m.extra_damage_dealt_on_player_scale as f32);
    let when = |holds: bool, value: f32| if holds { value } else { 0.0 };
    put(when(m.hit_with_smite == Some(true), dealt));
    put(when(m.target_attacked_with_smite == Some(true), received));
    put(when(m.attack_type_received == Some(Style::Magic), received));
    put(m.player_healed_scale as f32);
    put(m.target_healed_scale as f32);

    let mine = m.player_hit_attack_speed.map_or(0.0, |ticks| ticks as f32 / USUAL_SPEED);
    let foes = m.target_hit_attack_speed.map_or(0.0, |ticks| ticks as f32 / USUAL_SPEED);
    put(when(m.hit_off_prayer == Some(true), mine));
    put(when(m.hit_off_prayer == Some(false), mine));
    put(when(m.protected_prayer == Some(true), foes));
    put(when(m.protected_prayer == Some(false), foes));
    let (hit, prayed) = (m.attack_type_hit, m.player_prayer_type);
    put(when(hit.is_some() && before.current_target_prayer_type != hit, mine));
    put(when(hit.is_some() && before.current_target_prayer_type == hit, mine));
    let held = Some(before.target_attack_style_type);
    put(when(prayed.is_some() && prayed == held, foes));
    put(when(prayed.is_some() && prayed != held, foes));
    put((m.player_frozen_ticks - before.player_frozen_ticks).max(0) as f32);
    put((m.target_frozen_ticks - before.target_frozen_ticks).max(0) as f32);

    let level = |scale: f64| scale as f32 - 1.0;
    put(hit.map_or(0.0, |style| {
        level(match style {
            Style::Melee => m.strength_level_scale,
            Style::Ranged => m.ranged_level_scale,
            Style::Magic => m.magic_level_scale,
        })
        .max(0.0)
    }));
    for attack in [hit, m.attack_type_received] {
        for style in [Style::Melee, Style::Ranged, Style::Magic] {
            put(flag(attack == Some(style)));
        }
    }
    put(m.player_hit_attack_speed.map_or(0.0, |ticks| ticks as f32));
    put(m.target_hit_attack_speed.map_or(0.0, |ticks| ticks as f32));
    for scale in [
        m.eaten_food_scale,
        m.wasted_food_scale,
        m.eat_at_food_scale,
        m.eat_to_food_scale,
        m.wasted_brew_scale,
        m.eat_at_brew_scale,
        m.eat_to_brew_scale,
    ] {
        put(scale.unwrap_or(0.0) as f32);
    }
    put(1.0);
    put(flag(m.current_prayer_percent == 0.0));
    for scale in [
        m.attack_level_scale,
        m.strength_level_scale,
        m.defence_level_scale,
        m.ranged_level_scale,
        m.magic_level_scale,
    ] {
        put(level(scale));
    }
    put(m.current_health_percent as f32);
    put(m.current_prayer_percent as f32);
    put(m.current_target_health_percent as f32);
    put(m.distance as f32);
    put(m.player_frozen_ticks as f32);
    put(m.target_frozen_ticks as f32);
    put(own.0);
    put(own.1);
    put(m.food_count as f32);
    put(theirs.0);
    put(theirs.1);
    put(m.target_food_count as f32);
    put(flag(m.current_player_prayer_type.is_some()));
    for (place, value) in out.iter_mut().zip(values) {
        *place = value;
    }
}

/// Sums over a fight, of the agent that tells and of its opponent.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    ticks: u32,
    distance: f64,
    sides: [Side; 2],
}

#[derive(Clone, Copy, Debug, Default)]
struct Side {
    damage: f64,
    attacks: u32,
    off_prayer: u32,
    magic: u32,
    frozen: u32,
    food: f64,
    brew: f64,
}

impl Sums {
    /// A tick as one agent was told of it; `who` is its seat.
    pub fn update(&mut self, who: usize, reply: &Reply) {
        let m = &reply.meta;
        self.ticks += 1;
        self.distance += m.distance;
        let attack = |side: &mut Side, style: Option<Style>, off_prayer: bool| {
            side.attacks += u32::from(style.is_some());
            side.off_prayer += u32::from(style.is_some() && off_prayer);
            side.magic += u32::from(style == Some(Style::Magic));
        };
        let mine = &mut self.sides[who];
        mine.damage += reply.observation[SPLATS_DEALT];
        attack(mine, m.attack_type_hit, m.hit_off_prayer == Some(true));
        mine.frozen += u32::from(m.player_frozen_ticks > 0);
        (mine.food, mine.brew) = (m.remaining_food_scale, m.remaining_brew_scale);
        let theirs = &mut self.sides[1 - who];
        theirs.damage += reply.observation[SPLATS_RECEIVED];
        attack(theirs, m.attack_type_received, m.protected_prayer == Some(false));
        theirs.frozen += u32::from(m.target_frozen_ticks > 0);
        (theirs.food, theirs.brew) = (m.target_remaining_food_scale, m.target_remaining_brew_scale);
    }

    /// Writes the stats of a fight, in the order of [`crate::stats::stats`]. An attack that strikes more than
    /// once counts once here.
    pub fn write(&self, out: &mut [f32]) {
        let ticks = f64::from(self.ticks.max(1));
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole.max(1));
        let mut values = vec![f64::from(self.ticks)];
        let mut each = |value: &dyn Fn(&Side) -> f64| values.extend(self.sides.iter().map(value));
        each(&|side| side.damage);
        each(&|side| f64::from(side.attacks));
        each(&|side| share(side.off_prayer, side.attacks));
        each(&|side| share(side.magic, side.attacks));
        each(&|side| f64::from(side.frozen) / ticks);
        each(&|side| side.food);
        each(&|side| side.brew);
        values.push(self.distance / ticks);
        for (place, value) in out.iter_mut().zip(values) {
            *place = value as f32;
        }
    }
}
