//! Damage that follows a hit by itself: poison, bleeding, sacrifice.

use lanista_nh::gear::Kind;
use lanista_nh::loadout::Build;

use crate::duel::*;

/// Ticks and damage of what is shown on the second fighter after one special hit of this damage.
fn after_special(duel: &mut Duel, weapon: Kind, damage: i16, ticks: usize) -> Vec<(usize, i16)> {
    duel.special(0, weapon);
    duel.hits(0, damage);
    while duel.foe().queue.hits().is_empty() && duel.splats(1).is_empty() {
        duel.wait(1);
    }
    duel.me().disengage();
    while duel.splats(1).is_empty() {
        duel.wait(1);
    }
    assert_eq!(duel.splats(1), [damage]);
    duel.shown(1, ticks).into_iter().map(|(tick, damage)| (tick + 1, damage)).collect()
}

#[test]
fn a_javelin_bleeds_for_its_damage_in_steps_of_five() {
    let mut duel = Duel::of(Build::Maxed).apart(3);
    assert_eq!(after_special(&mut duel, JAVELIN, 12, 20), [(3, 5), (6, 5), (9, 2)]);
    assert_eq!(duel.foe().hp(), 99 - 24);
    let mut duel = Duel::of(Build::Maxed).apart(3);
    assert_eq!(after_special(&mut duel, JAVELIN, 5, 20), [(3, 5)]);
}

#[test]
fn a_javelin_that_misses_draws_no_blood() {
    let mut duel = Duel::of(Build::Maxed).apart(3);
    assert!(after_special(&mut duel, JAVELIN, 0, 20).is_empty());
}

#[test]
fn two_javelins_bleed_side_by_side() {
    let mut duel = Duel::of(Build::Maxed).apart(3);
    duel.me().energy = 100;
    duel.special(0, JAVELIN);
    duel.hits(0, 10);
    duel.hits(0, 3);
    duel.wait(1);
    duel.me().special = true;
    // Thrown in ticks 0 and 5, they land a tick later.
    assert_eq!(duel.shown(1, 14), [(0, 10), (3, 5), (5, 3), (6, 5), (8, 3), (10, 0)]);
}

#[test]
fn bleeding_counts_as_extra_damage_of_the_thrower() {
    let mut duel = Duel::of(Build::Maxed).apart(3);
    after_special(&mut duel, JAVELIN, 9, 3);
    assert_eq!([duel.fight.reports[0].extra, duel.fight.reports[1].extra], [5, 0]);
}

#[test]
fn bleeding_ends_with_the_fight() {
    for dead in [0, 1] {
        let mut duel = Duel::of(Build::Maxed).apart(3);
        after_special(&mut duel, JAVELIN, 30, 2);
        duel.fight.fighters[dead].set_hp(0);
        assert!(duel.shown(1, 20).is_empty());
    }
}

#[test]
fn a_sacrifice_comes_eight_ticks_after_the_hit() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().set_hp(50);
    assert_eq!(after_special(&mut duel, ANCIENT_GODSWORD, 20, 12), [(8, 25)]);
    assert_eq!((duel.foe().hp(), duel.me().hp()), (99 - 45, 75));
}

#[test]
fn a_sacrifice_heals_no_further_than_full_life() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().set_hp(90);
    after_special(&mut duel, ANCIENT_GODSWORD, 20, 8);
    assert_eq!(duel.me().hp(), 99);
    assert_eq!((duel.fight.reports[0].healed, duel.fight.reports[0].extra), (9, 25));
}

#[test]
fn only_an_accurate_hit_marks_for_sacrifice() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, ANCIENT_GODSWORD);
    duel.told.strikes[0].push_back(vec![miss()]);
    duel.wait(1);
    duel.me().disengage();
    assert!(duel.shown(1, 12).is_empty());
    // An accurate hit for nothing does.
    let mut duel = Duel::of(Build::Maxed);
    assert_eq!(after_special(&mut duel, ANCIENT_GODSWORD, 0, 12), [(8, 25)]);
}

#[test]
fn five_tiles_at_any_tick_escape_a_sacrifice() {
    for (tiles, expected) in [(4, vec![(8, 25)]), (5, vec![])] {
        let mut duel = Duel::of(Build::Maxed);
        after_special(&mut duel, ANCIENT_GODSWORD, 20, 4);
        duel.place(1, HERE.offset(tiles, 0));
        duel.wait(1);
        duel.place(1, HERE.offset(1, 0));
        let shown: Vec<_> =
            duel.shown(1, 8).into_iter().map(|(tick, damage)| (tick + 6, damage)).collect();
        assert_eq!(shown, expected, "{tiles} tiles");
    }
}

#[test]
fn two_sacrifices_may_be_pending() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, ANCIENT_GODSWORD);
    duel.hits(0, 1);
    duel.hits(0, 2);
    duel.wait(1);
    duel.me().special = true;
    duel.wait(6);
    duel.me().disengage();
    // Struck in ticks 0 and 6.
    assert_eq!(duel.shown(1, 12), [(1, 25), (7, 25)]);
}

/// Bites after a hit with a poisonous weapon: ticks after the hit, and damage.
fn bites(weapon: Kind, ticks: usize) -> Vec<(usize, i16)> {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, weapon);
    duel.told.poison = true;
    duel.hits(0, 1);
    duel.wait(1);
    duel.me().disengage();
    let mut bites = Vec::new();
    for tick in 1..=ticks {
        duel.foe().set_hp(99);
        duel.wait(1);
        bites.extend(duel.splats(1).into_iter().map(|damage| (tick, damage)));
    }
    bites
}

#[test]
fn poison_bites_every_30_ticks_and_weakens_with_every_fifth_bite() {
    let bites = bites(POISONED_DAGGER, 900);
    let ticks: Vec<usize> = bites.iter().map(|bite| bite.0).collect();
    let expected: Vec<usize> = (1..=25).map(|bite| 30 * bite).collect();
    assert_eq!(ticks, expected);
    let damage: Vec<i16> = bites.iter().map(|bite| bite.1).collect();
    let expected: Vec<i16> = (1..=25).map(|bite| 6 - bite / 5).collect();
    assert_eq!(damage, expected);
}

#[test]
fn the_tentacle_poisons_twice_as_badly() {
    assert_eq!(bites(TENTACLE, 60), [(30, 12), (60, 12)]);
    assert!(bites(WHIP, 60).is_empty());
}

#[test]
fn poison_asks_for_luck_and_for_damage() {
    for (lucky, damage) in [(false, 10), (true, 0)] {
        let mut duel = Duel::of(Build::Maxed);
        duel.attack(0, POISONED_DAGGER);
        duel.told.poison = lucky;
        duel.hits(0, damage);
        duel.wait(1);
        assert_eq!(duel.foe().poison.damage, 0);
    }
}

#[test]
fn the_weapon_in_hand_when_a_blow_lands_poisons() {
    // A slower swordsman's blow lands a tick later, when he may hold something else.
    for (then, damage) in [(WHIP, 0), (POISONED_DAGGER, 6)] {
        let mut duel = Duel::of(Build::Maxed);
        duel.me().pid = 0.9;
        duel.attack(0, TENTACLE);
        duel.told.poison = true;
        duel.hits(0, 10);
        duel.wait(1);
        duel.wield(0, then);
        duel.wait(1);
        assert_eq!(duel.foe().poison.damage, damage);
    }
}

#[test]
fn the_poisoned_are_not_poisoned_again() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, POISONED_DAGGER);
    duel.told.poison = true;
    duel.hits(0, 10);
    duel.wait(1);
    duel.wield(0, TENTACLE);
    duel.hits(0, 10);
    duel.wait(5);
    assert_eq!((duel.foe().poison.damage, duel.foe().poison.wait), (6, 25));
}

#[test]
fn spells_of_a_poisoner_do_not_poison() {
    let mut duel = Duel::of(Build::Maxed);
    duel.wield(0, POISONED_DAGGER);
    duel.me().cast = Some(lanista_nh::kinds::Spell::IceRush);
    duel.me().engage();
    duel.told.poison = true;
    duel.hits(0, 10);
    duel.wait(3);
    assert_eq!((duel.foe().hp(), duel.foe().poison.damage), (89, 0));
}
