//! Food, potions, and levels that come back by themselves.

use lanista_game::seed;
use lanista_nh::gear::items::{ANGLERFISH, COOKED_KARAMBWAN, RUNE_POUCH, SHARK, VIAL};
use lanista_nh::kinds::Rules;
use lanista_nh::kinds::Skill::{Attack, Defence, Hitpoints, Magic, Ranged, Strength};
use lanista_nh::loadout::Build;
use lanista_nh::sim::dice::Random;
use lanista_nh::sim::supplies;
use lanista_nh::sim::timers::Timer;
use lanista_nh::sim::{Action, Fight, Order};

use crate::duel::*;

/// Shark, karambwan and all potions.
fn lms() -> Duel {
    Duel::of(Build::LmsMed)
}

#[test]
fn food_heals_up_to_full_life() {
    let mut duel = lms();
    duel.me().set_hp(50);
    duel.act(EAT);
    assert_eq!(duel.me().hp(), 70);
    duel.me().set_hp(90);
    duel.act(KARAMBWAN);
    assert_eq!(duel.me().hp(), 99);
}

#[test]
fn an_anglerfish_heals_above_full_life() {
    let mut duel = Duel::of(Build::Maxed);
    for (before, after) in [(50, 72), (99, 121), (110, 121), (121, 121)] {
        duel.me().set_hp(before);
        duel.act(EAT);
        assert_eq!(duel.me().hp(), after);
        duel.wait(3);
    }
}

#[test]
fn an_anglerfish_heals_by_level() {
    let heals = [99, 93, 92, 75, 74, 50, 49, 25, 24, 10].map(supplies::anglerfish_heal);
    assert_eq!(heals, [22, 22, 17, 15, 13, 11, 8, 6, 4, 3]);
    let mut duel = Duel::of(Build::Maxed);
    duel.me().max[Hitpoints as usize] = 70;
    duel.me().set_hp(70);
    duel.act(EAT);
    assert_eq!(duel.me().hp(), 83);
}

#[test]
fn food_may_be_eaten_every_third_tick() {
    let mut duel = lms();
    let sharks = duel.me().count(SHARK);
    let left: Vec<usize> = (0..7)
        .map(|_| {
            duel.act(EAT);
            sharks - duel.me().count(SHARK)
        })
        .collect();
    assert_eq!(left, [1, 1, 1, 2, 2, 2, 3]);
}

#[test]
fn sharks_are_eaten_before_anglerfish_and_karambwans_are_no_food() {
    let mut duel = lms();
    let pouch = duel.me().find(RUNE_POUCH).unwrap();
    duel.me().inventory = [None; 28];
    duel.me().inventory[2] = Some(ANGLERFISH);
    duel.me().inventory[5] = Some(SHARK);
    duel.me().inventory[9] = Some(COOKED_KARAMBWAN);
    duel.me().inventory[pouch] = Some(RUNE_POUCH);
    duel.act(EAT);
    assert_eq!((duel.me().find(SHARK), duel.me().count(ANGLERFISH)), (None, 1));
    duel.wait(2);
    duel.act(EAT);
    assert_eq!(duel.me().find(ANGLERFISH), None);
    duel.wait(2);
    duel.act(EAT);
    assert_eq!(duel.me().count(COOKED_KARAMBWAN), 1);
}

/// The attack timer after eating, when so much was left of it in that tick.
fn delayed(left: i32, meal: Action) -> i32 {
    let mut duel = lms();
    duel.me().timers.set(Timer::Attack, left + 1);
    duel.act(meal);
    duel.me().timers.uncapped(Timer::Attack)
}

#[test]
fn eating_delays_the_next_attack() {
    assert_eq!([4, 1, 0].map(|left| delayed(left, EAT)), [7, 4, 3]);
    assert_eq!([4, 1, 0].map(|left| delayed(left, KARAMBWAN)), [6, 3, 2]);
    assert_eq!(delayed(2, together([EAT, KARAMBWAN])), 7);
}

#[test]
fn eating_delays_an_attack_that_was_ready_for_long_by_less() {
    assert_eq!([-1, -2, -3, -9].map(|left| delayed(left, EAT)), [2, 1, -3, -9]);
    assert_eq!([-1, -2, -9].map(|left| delayed(left, KARAMBWAN)), [1, -2, -9]);
    // Food first: it makes the timer positive, and the karambwan adds to that.
    assert_eq!(delayed(-2, together([EAT, KARAMBWAN])), 3);
    assert_eq!(delayed(-3, together([EAT, KARAMBWAN])), -3);
}

#[test]
fn potions_do_not_delay_attacks_but_end_them() {
    assert_eq!([3, 0, -2].map(|left| delayed(left, BREW)), [3, 0, -2]);
    let mut duel = lms();
    duel.attack(0, WHIP);
    duel.act(BREW);
    assert!(!duel.me().attacking && !duel.me().following);
    assert!(duel.told.asked.is_empty());
}

#[test]
fn food_brew_and_karambwan_fit_into_one_tick() {
    let mut duel = lms();
    duel.me().set_hp(10);
    duel.act(together([EAT, BREW, KARAMBWAN]));
    assert_eq!(duel.me().hp(), 10 + 20 + 16 + 18);
    for timer in [Timer::Food, Timer::Potion, Timer::Karambwan] {
        assert_eq!(duel.me().timers.left(timer), 3);
    }
}

#[test]
fn a_karambwan_bars_food_and_potions_but_not_the_other_way_round() {
    let mut duel = lms();
    duel.me().set_hp(10);
    duel.act(KARAMBWAN);
    duel.act(together([EAT, BREW]));
    assert_eq!(duel.me().hp(), 28);
    let mut duel = lms();
    duel.me().set_hp(10);
    duel.act(EAT);
    duel.act(KARAMBWAN);
    assert_eq!(duel.me().hp(), 48);
    let mut duel = lms();
    duel.me().set_hp(10);
    duel.act(BREW);
    duel.act(together([EAT, RESTORE, KARAMBWAN]));
    // The potion bars food and other potions.
    assert_eq!(duel.me().hp(), 26 + 18);
    assert_eq!(supplies::SUPER_RESTORE.doses(duel.me()), 8);
}

#[test]
fn a_shorter_food_timer_is_extended_by_a_karambwan() {
    let mut duel = lms();
    duel.act(EAT);
    duel.wait(1);
    assert_eq!(duel.me().timers.left(Timer::Food), 2);
    duel.act(KARAMBWAN);
    assert_eq!(duel.me().timers.left(Timer::Food), 3);
}

#[test]
fn doses_are_drunk_from_the_emptiest_potion() {
    let mut duel = lms();
    let restore = supplies::SUPER_RESTORE;
    let slot = restore.emptiest(duel.me()).unwrap();
    duel.me().inventory[slot] = Some(restore.0[1]);
    duel.act(RESTORE);
    assert_eq!(duel.me().inventory[slot], Some(restore.0[0]));
    duel.wait(2);
    duel.act(RESTORE);
    assert_eq!(duel.me().inventory[slot], Some(VIAL));
    duel.wait(2);
    duel.act(RESTORE);
    assert_eq!(restore.doses(duel.me()), 3);
}

#[test]
fn brew_at_99() {
    let mut duel = Duel::of(Build::Maxed);
    let drained = [Attack, Strength, Ranged, Magic];
    duel.act(BREW);
    assert_eq!(duel.levels(0, &[Hitpoints, Defence]), [115, 120]);
    assert_eq!(duel.levels(0, &drained), [88; 4]);
    duel.wait(2);
    duel.act(BREW);
    // Attack falls by a tenth of its maximum, the others by a tenth of what is left.
    assert_eq!(duel.levels(0, &[Hitpoints, Defence]), [115, 120]);
    assert_eq!(duel.levels(0, &drained), [77, 78, 78, 78]);
}

#[test]
fn brew_at_other_levels() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().max = [75, 45, 60, 70, 80, 52, 94];
    duel.me().levels = [75, 30, 60, 20, 80, 52, 94];
    duel.act(BREW);
    // 2 + 10, 2 + 9; 7 + 2, 6 + 2, 8 + 2, 9 + 2.
    assert_eq!(duel.levels(0, &[Hitpoints, Defence]), [32, 41]);
    assert_eq!(duel.levels(0, &[Attack, Strength, Ranged, Magic]), [66, 52, 70, 83]);
    duel.me().levels = [4, 120, 1, 90, 0, 52, 2];
    duel.wait(2);
    duel.act(BREW);
    // Nothing falls below 0, and what is above the brew's own boost stays.
    assert_eq!(duel.levels(0, &[Attack, Strength, Ranged, Magic]), [0; 4]);
    assert_eq!(duel.levels(0, &[Hitpoints, Defence]), [90, 120]);
}

#[test]
fn restore_brings_levels_back_up_to_their_maximum() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().levels = [40, 120, 90, 60, 10, 0, 66];
    duel.act(RESTORE);
    // 8 and a quarter of 99; boosts and life are left alone.
    assert_eq!(duel.me().levels, [72, 120, 99, 60, 42, 32, 98]);
    duel.me().max = [60, 1, 99, 99, 99, 52, 99];
    duel.me().levels = [10, 0, 99, 99, 99, 3, 99];
    duel.wait(2);
    duel.act(RESTORE);
    assert_eq!(duel.me().levels, [33, 1, 99, 99, 99, 24, 99]);
}

#[test]
fn super_combat_raises_three_levels() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().max = [60, 1, 99, 99, 99, 99, 99];
    duel.me().levels = [50, 1, 80, 99, 99, 99, 99];
    let raised = [Attack, Defence, Strength];
    duel.act(SUPER_COMBAT);
    // 5 + 9, 5 + 0 and 5 + 14.
    assert_eq!(duel.levels(0, &raised), [64, 6, 99]);
    duel.wait(2);
    duel.act(SUPER_COMBAT);
    assert_eq!(duel.levels(0, &raised), [74, 6, 118]);
    set_level(duel.me(), Attack, 90);
    duel.wait(2);
    duel.act(SUPER_COMBAT);
    assert_eq!(duel.levels(0, &raised), [90, 6, 118]);
}

#[test]
fn ranging_potion_raises_ranged() {
    let mut duel = Duel::of(Build::Maxed);
    duel.act(RANGING);
    assert_eq!(duel.levels(0, &[Ranged, Strength, Magic]), [112, 99, 99]);
    duel.me().max[Ranged as usize] = 70;
    set_level(duel.me(), Ranged, 60);
    duel.wait(2);
    duel.act(RANGING);
    assert_eq!(duel.levels(0, &[Ranged]), [71]);
}

#[test]
fn levels_move_by_one_every_hundred_ticks() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().timers.set(Timer::Stats, 1);
    duel.me().levels = [90, 120, 118, 115, 99, 20, 50];
    // Prayer points do not come back.
    for (ticks, levels) in [
        (1, [91, 119, 117, 114, 99, 20, 51]),
        (99, [91, 119, 117, 114, 99, 20, 51]),
        (1, [92, 118, 116, 113, 99, 20, 52]),
        (100, [93, 117, 115, 112, 99, 20, 53]),
    ] {
        duel.wait(ticks);
        assert_eq!(duel.fight.fighters[0].levels, levels, "tick {}", duel.fight.ticks);
    }
}

#[test]
fn the_first_side_settles_a_tick_before_the_second() {
    let setup = setup(Rules::Server2024, Build::Maxed);
    let mut fight = Fight::start(&setup, &mut seed::rng(0));
    let mut dice = Random(seed::rng(0));
    for fighter in &mut fight.fighters {
        set_level(fighter, Magic, 50);
    }
    let mut moved = [None; 2];
    for tick in 1..=120 {
        fight.tick([Order::Wait; 2], &mut dice);
        for (moved, fighter) in moved.iter_mut().zip(&fight.fighters) {
            if fighter.level(Magic) > 50 {
                moved.get_or_insert(tick);
            }
        }
    }
    assert_eq!(moved, [Some(99), Some(100)]);
}

#[test]
fn life_below_full_comes_back_too() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().set_hp(50);
    duel.me().timers.set(Timer::Stats, 1);
    duel.wait(1);
    assert_eq!(duel.me().hp(), 51);
}
