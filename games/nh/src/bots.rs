//! Scripted players: what they do is a function of what they see, of what they may do and of dice.
//!
//! [`greedy`] and [`random`] are the players of the recorded fights, [`simple`] is the one of the
//! public PvP-ML plugin. The server's own script is no player of the contract: see
//! [`crate::sim::script`].

use lanista_game::seed::{self, Rng};
use rand::RngExt;

use crate::contract::FIELDS;
use crate::mask::{Mask, head};
use crate::observe::Observation;
use crate::sim::Action;

const ATTACK: usize = 0;
const MELEE_TYPE: usize = 1;
const RANGED_TYPE: usize = 2;
const MAGE_TYPE: usize = 3;
const POTION: usize = 4;
const FOOD: usize = 5;
const KARAMBWAN: usize = 6;
const VENGEANCE: usize = 7;
const GEAR: usize = 8;
const MOVEMENT: usize = 9;
const FARCAST: usize = 10;
const PRAYER: usize = 11;

const MAGE: u8 = 1;
const RANGED: u8 = 2;
const MELEE: u8 = 3;
const BASIC: u8 = 1;
const SPECIAL: u8 = 2;
const ICE: u8 = 1;
const BLOOD: u8 = 2;
const MAGE_SPECIAL: u8 = 3;
const BREW: u8 = 1;
const RESTORE: u8 = 2;
const COMBAT: u8 = 3;
const RANGING: u8 = 4;
const NEXT_TO: u8 = 1;
const UNDER: u8 = 2;
const FAR: u8 = 3;
const DIAGONAL: u8 = 4;
const SMITE: u8 = 4;
const REDEMPTION: u8 = 5;

/// The contract's requirements without its lists: a head, and the choice in an earlier head that it
/// goes with. With that choice everything but the head's first action is open, otherwise only that.
const FOLLOWS: [Option<(usize, u8)>; 12] = {
    let mut follows = [None; 12];
    follows[MELEE_TYPE] = Some((ATTACK, MELEE));
    follows[RANGED_TYPE] = Some((ATTACK, RANGED));
    follows[MAGE_TYPE] = Some((ATTACK, MAGE));
    follows[GEAR] = Some((ATTACK, 0));
    follows[FARCAST] = Some((MOVEMENT, FAR));
    follows
};

/// Sets the dice of scripted players apart from those of the fight.
const SALT: u64 = 0x626f_7473;

/// What the scripted player of this name does at a tick of the fight that follows from `seed`. Dice of its own:
/// asking a player twice does not change the fight.
pub fn choose(
    name: &str,
    seed: u64,
    tick: u32,
    seat: usize,
    seen: &Observation,
    mask: &Mask,
) -> Action {
    let dice = seed::mix(seed ^ SALT, u64::from(tick));
    let mut rng = seed::rng(seed::mix(dice, seat as u64));
    match name {
        "greedy" => greedy(&mut rng, seen, mask),
        "simple" => simple(&mut rng, seen, mask),
        "random" => random(&mut rng, mask),
        _ => [0; 12],
    }
}

/// Distances to step back to, best first, as actions of their head: 5, 6, 4, 3, 7 and 2 tiles.
const STEPS_BACK: [u8; 6] = [4, 5, 3, 2, 6, 1];
/// What the greedy player prays where it cannot pray as it wants, first choice first.
const OTHER_PRAYERS: [u8; 5] = [1, 2, 3, REDEMPTION, SMITE];

/// Where a field of the observation is; a wrong name does not compile.
const fn field(name: &str) -> usize {
    let name = name.as_bytes();
    let mut place = 0;
    while place < FIELDS.len() {
        let other = FIELDS[place].name.as_bytes();
        let mut same = 0;
        while same < name.len() && same < other.len() && name[same] == other[same] {
            same += 1;
        }
        if same == name.len() && same == other.len() {
            return place;
        }
        place += 1;
    }
    panic!("no field has this name");
}

const HEALTH: usize = field("player_health_percent");
const TARGET_HEALTH: usize = field("target_health_percent");
const PRAYER_POINTS: usize = field("prayer_points");
const STRENGTH: usize = field("strength_level");
const RANGED_LEVEL: usize = field("ranged_level");
const MAGIC: usize = field("magic_level");
const ANGLERFISH: usize = field("is_food_anglerfish");
const ATTACK_TICKS: usize = field("attack_cycle_ticks");
const TARGET_FROZEN: usize = field("target_frozen_ticks");
const TARGET_IMMUNE: usize = field("target_frozen_immunity_ticks");
const DISTANCE: usize = field("player_to_target_distance");
/// What the target protects itself from, by the attack that it stops.
const PROTECTED: [(u8, usize); 3] = [
    (MAGE, field("target_magic_prayer")),
    (RANGED, field("target_ranged_prayer")),
    (MELEE, field("target_melee_prayer")),
];
/// What the target holds, by the prayer against it; prayers and attacks have the same numbers.
const HELD: [(u8, usize); 3] = [
    (MAGE, field("target_using_mage")),
    (RANGED, field("target_using_ranged")),
    (MELEE, field("target_using_melee")),
];

/// The actions of a head that the mask offers, one bit each.
fn offered(mask: &Mask, of: usize) -> u8 {
    head(mask, of).iter().enumerate().map(|(action, &legal)| u8::from(legal) << action).sum()
}

/// The actions of a head that mask and earlier choices leave.
fn open(mask: &Mask, of: usize, chosen: &Action) -> u8 {
    let after = match FOLLOWS[of] {
        None => !0,
        Some((earlier, choice)) if chosen[earlier] == choice => !1,
        Some(_) => 1,
    };
    offered(mask, of) & after
}

const fn bit(action: u8) -> u8 {
    1 << action
}

/// One of these actions; the dice rest where there is nothing to choose.
fn draw(rng: &mut Rng, mut actions: u8) -> u8 {
    let count = actions.count_ones();
    if count > 1 {
        for _ in 0..rng.random_range(0..count) {
            actions &= actions - 1;
        }
    }
    if count == 0 { 0 } else { actions.trailing_zeros() as u8 }
}

/// The same action made legal: where it is not offered, the first that is.
fn legal(mask: &Mask, mut action: Action) -> Action {
    for of in 0..action.len() {
        let open = open(mask, of, &action);
        if open & bit(action[of]) == 0 {
            action[of] = if open == 0 { 0 } else { open.trailing_zeros() as u8 };
        }
    }
    action
}

/// Plays anything: head by head, evenly among what mask and earlier choices leave.
pub fn random(rng: &mut Rng, mask: &Mask) -> Action {
    let mut action = [0; 12];
    for of in 0..action.len() {
        action[of] = draw(rng, open(mask, of, &action));
    }
    action
}

/// Plays by the rules of the recorded fights: freezes, attacks what is not protected, strikes with
/// specials when the target is low, and keeps its distance from a frozen one.
pub fn greedy(rng: &mut Rng, seen: &Observation, mask: &Mask) -> Action {
    let mut action = [0; 12];
    // Nothing is known of the target's life before the first splat.
    let low = 0.0 < seen[TARGET_HEALTH] && seen[TARGET_HEALTH] < 0.55;
    let may = |of: usize, action: u8| offered(mask, of) & bit(action) != 0;
    let weak = seen[HEALTH] < 0.6;

    action[ATTACK] = greedy_attack(rng, seen, mask, low);
    let strike = if low && !protects(seen, action[ATTACK]) { SPECIAL } else { BASIC };
    match action[ATTACK] {
        MELEE => action[MELEE_TYPE] = strike,
        RANGED => action[RANGED_TYPE] = strike,
        MAGE if low && may(MAGE_TYPE, MAGE_SPECIAL) => action[MAGE_TYPE] = MAGE_SPECIAL,
        MAGE => action[MAGE_TYPE] = if weak { BLOOD } else { ICE },
        _ => {}
    }
    action[POTION] = greedy_potion(seen, mask);
    action[FOOD] = u8::from(weak && may(FOOD, 1));
    action[KARAMBWAN] = u8::from(seen[HEALTH] < 0.4 && may(KARAMBWAN, 1));
    action[VENGEANCE] = u8::from(may(VENGEANCE, 1));
    action[GEAR] = u8::from(action[ATTACK] == 0 && may(GEAR, 1));
    action[MOVEMENT] = greedy_movement(rng, seen, mask, low, action[ATTACK] == MELEE);
    if action[MOVEMENT] == FAR {
        action[FARCAST] = STEPS_BACK.into_iter().find(|&far| may(FARCAST, far)).unwrap_or(0);
    }
    action[PRAYER] = greedy_prayer(rng, seen, mask, low);
    legal(mask, action)
}

fn protects(seen: &Observation, attack: u8) -> bool {
    PROTECTED.iter().any(|&(from, field)| from == attack && seen[field] != 0.0)
}

/// The attacks that are offered, and those of them that the target does not protect itself from.
fn attacks(seen: &Observation, mask: &Mask) -> (u8, u8) {
    let all = offered(mask, ATTACK) & !1;
    let open = PROTECTED.iter().filter(|&&(_, field)| seen[field] == 0.0);
    (all, all & open.map(|&(attack, _)| bit(attack)).sum::<u8>())
}

fn greedy_attack(rng: &mut Rng, seen: &Observation, mask: &Mask, low: bool) -> u8 {
    let may = |of: usize, action: u8| offered(mask, of) & bit(action) != 0;
    if may(MELEE_TYPE, SPECIAL) && low && !protects(seen, MELEE) {
        return MELEE;
    }
    let freezes = seen[TARGET_FROZEN] == 0.0 && seen[TARGET_IMMUNE] == 0.0;
    if may(MAGE_TYPE, ICE) && freezes && !protects(seen, MAGE) {
        return MAGE;
    }
    let (all, unprotected) = attacks(seen, mask);
    draw(rng, if unprotected == 0 { all } else { unprotected })
}

fn greedy_potion(seen: &Observation, mask: &Mask) -> u8 {
    let may = |potion: u8| offered(mask, POTION) & bit(potion) != 0;
    let drained = [STRENGTH, RANGED_LEVEL, MAGIC].iter().any(|&level| seen[level] < 0.75);
    if may(BREW) && seen[HEALTH] < 0.5 && seen[ANGLERFISH] == 0.0 {
        BREW
    } else if may(RESTORE) && (seen[PRAYER_POINTS] < 0.3 || drained) {
        RESTORE
    } else if may(BREW) && seen[HEALTH] < 0.45 {
        BREW
    } else if may(COMBAT) && seen[STRENGTH] < 0.92 {
        COMBAT
    } else if may(RANGING) && seen[RANGED_LEVEL] < 0.92 {
        RANGING
    } else {
        0
    }
}

fn greedy_movement(
    rng: &mut Rng,
    seen: &Observation,
    mask: &Mask,
    low: bool,
    meleeing: bool,
) -> u8 {
    let may = |step: u8| offered(mask, MOVEMENT) & bit(step) != 0;
    if offered(mask, MOVEMENT) & !1 == 0 {
        return 0;
    }
    let (frozen, distance) = (seen[TARGET_FROZEN], seen[DISTANCE]);
    // A target that is free in the next tick is not worth running from.
    if frozen > 1.0 && !low && !meleeing {
        return if distance < 4.0 && may(FAR) { FAR } else { 0 };
    }
    let close = distance <= 1.0;
    if frozen > 0.0 && low && !protects(seen, MELEE) && !close && may(NEXT_TO) {
        return NEXT_TO;
    }
    if may(UNDER) && seen[ATTACK_TICKS] > 1.0 && rng.random_bool(0.3) {
        return UNDER;
    }
    if rng.random_bool(0.15) {
        let step = [NEXT_TO, FAR, DIAGONAL][rng.random_range(0..3)];
        return if may(step) { step } else { 0 };
    }
    0
}

fn greedy_prayer(rng: &mut Rng, seen: &Observation, mask: &Mask, low: bool) -> u8 {
    let may = |prayer: u8| offered(mask, PRAYER) & bit(prayer) != 0;
    if seen[HEALTH] < 0.1 && may(REDEMPTION) {
        return REDEMPTION;
    }
    if low && may(SMITE) && rng.random_bool(0.2) {
        return SMITE;
    }
    let against = HELD.iter().find(|&&(prayer, field)| seen[field] != 0.0 && may(prayer));
    let other = || OTHER_PRAYERS.into_iter().find(|&prayer| may(prayer)).unwrap_or(0);
    against.map_or_else(other, |&(prayer, _)| prayer)
}

/// Plays by the rules of the public plugin: eats and drinks below fixed marks, prays against what the
/// target holds and attacks, without specials, what it does not protect. It never moves.
pub fn simple(rng: &mut Rng, seen: &Observation, mask: &Mask) -> Action {
    let may = |of: usize, action: u8| offered(mask, of) & bit(action) != 0;
    let health = seen[HEALTH];
    let food = may(FOOD, 1);
    let mut action = [0; 12];
    action[FOOD] = u8::from(health < 0.6 && food);
    let hungry = health < 0.4 || (health < 0.6 && !food);
    action[KARAMBWAN] = u8::from(hungry && may(KARAMBWAN, 1));
    let potions = [
        (RESTORE, seen[PRAYER_POINTS] < 0.6),
        (RANGING, seen[RANGED_LEVEL] < 0.95),
        (COMBAT, seen[STRENGTH] < 0.95),
    ];
    let potion = potions.iter().find(|&&(potion, due)| due && may(POTION, potion));
    action[POTION] = potion.map_or(0, |&(potion, _)| potion);
    let against = HELD.iter().find(|&&(prayer, field)| seen[field] != 0.0 && may(PRAYER, prayer));
    action[PRAYER] = against.map_or(0, |&(prayer, _)| prayer);

    let (all, unprotected) = attacks(seen, mask);
    action[ATTACK] = draw(rng, if unprotected == 0 { all & bit(RANGED) } else { unprotected });
    match action[ATTACK] {
        MELEE => action[MELEE_TYPE] = BASIC,
        RANGED => action[RANGED_TYPE] = BASIC,
        MAGE => action[MAGE_TYPE] = ICE,
        _ => {}
    }
    legal(mask, action)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{HEADS, requires};

    #[test]
    fn what_follows_what_is_the_contract() {
        let mask = [true; crate::contract::ACTIONS];
        let requires = requires();
        for attack in 0..4 {
            for step in 0..5 {
                let mut chosen = [0; 12];
                (chosen[ATTACK], chosen[MOVEMENT]) = (attack, step);
                let earlier = chosen.map(u32::from);
                for (of, (_, actions)) in HEADS.iter().enumerate() {
                    let allowed = (0..actions.len() as u32).filter(|&action| {
                        let mut of = requires.iter().filter(|r| (r.head, r.action) == (of, action));
                        of.all(|requirement| requirement.allows(&earlier))
                    });
                    let bits: u8 = allowed.map(|action| 1 << action).sum();
                    assert_eq!(open(&mask, of, &chosen), bits, "head {of} after {chosen:?}");
                }
            }
        }
    }

    #[test]
    fn draws_are_even() {
        let mut rng = lanista_game::seed::rng(3);
        let mut seen = [0u32; 8];
        for _ in 0..3000 {
            seen[usize::from(draw(&mut rng, 0b1011_0000))] += 1;
        }
        assert!([4, 5, 7].iter().all(|&action| seen[action] > 900), "{seen:?}");
        assert_eq!(seen.iter().sum::<u32>(), seen[4] + seen[5] + seen[7]);
        assert_eq!((draw(&mut rng, 0b100), draw(&mut rng, 0)), (2, 0));
    }
}
