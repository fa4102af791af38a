//! Hits on their way, and the splats they end in.

use lanista_nh::gear::Kind;
use lanista_nh::kinds::{Prayer, Prayers, Spell};
use lanista_nh::loadout::Build;
use lanista_nh::sim::chance::Rolled;
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

/// Ticks after which the hits of one attack are shown, from this many tiles away.
fn flight(weapon: Kind, special: bool, tiles: i16) -> Vec<usize> {
    let mut duel = Duel::of(Build::Maxed).apart(tiles);
    duel.attack(0, weapon);
    duel.me().special = special;
    duel.told.strikes[0].push_back(vec![hit(5)]);
    if weapon == DARK_BOW {
        duel.told.strikes[0][0].push(hit(6));
    }
    duel.wait(1);
    let mut ticks: Vec<usize> = duel.splats(1).iter().map(|_| 0).collect();
    // One attack only.
    duel.me().disengage();
    ticks.extend(duel.shown(1, 8).into_iter().map(|(tick, _)| tick + 1));
    ticks
}

fn cast_flight(tiles: i16) -> Vec<usize> {
    let mut duel = Duel::of(Build::Maxed).apart(tiles);
    duel.me().cast = Some(Spell::BloodRush);
    duel.me().engage();
    duel.hits(0, 5);
    duel.shown(1, 8).into_iter().map(|(tick, _)| tick).collect()
}

#[test]
fn blows_land_at_once() {
    assert_eq!(flight(WHIP, false, 1), [0]);
    assert_eq!(flight(ARMADYL_GODSWORD, true, 1), [0]);
}

#[test]
fn spells_fly_a_tick_for_every_three_tiles() {
    let flights = [1, 2, 4, 5, 7, 8, 10].map(cast_flight);
    assert_eq!(flights, [[1], [2], [2], [3], [3], [4], [4]]);
}

#[test]
fn bolts_fly_a_tick_for_every_six_tiles() {
    let flights = [1, 2, 3, 6, 7].map(|tiles| flight(RUNE_CROSSBOW, false, tiles));
    assert_eq!(flights, [[1], [1], [2], [2], [2]]);
}

#[test]
fn thrown_weapons_are_as_fast_as_they_can() {
    assert_eq!([1, 4].map(|tiles| flight(KNIFE, false, tiles)), [[1], [1]]);
    assert_eq!([1, 5].map(|tiles| flight(JAVELIN, false, tiles)), [[1], [1]]);
}

#[test]
fn a_ballista_is_slow_unless_it_concentrates() {
    let flights = [1, 4, 5, 7].map(|tiles| flight(BALLISTA, false, tiles));
    assert_eq!(flights, [[2], [2], [3], [3]]);
    let special = [1, 4, 5, 7].map(|tiles| flight(BALLISTA, true, tiles));
    assert_eq!(special, [[2]; 4]);
}

#[test]
fn the_second_arrow_of_a_dark_bow_is_slower() {
    let flights = [1, 3, 4, 7, 9].map(|tiles| flight(DARK_BOW, false, tiles));
    assert_eq!(flights, [[1, 2], [2, 2], [2, 3], [2, 4], [3, 4]]);
}

#[test]
fn the_slower_side_hits_a_tick_later() {
    for (pid, ticks) in [(0.1, 0), (0.9, 1)] {
        for (weapon, delay) in [(WHIP, 0), (RUNE_CROSSBOW, 1)] {
            let mut duel = Duel::of(Build::Maxed);
            duel.me().pid = 0.5;
            duel.foe().pid = pid;
            duel.attack(1, weapon);
            duel.hits(1, 7);
            assert_eq!(duel.shown(0, 4)[0], (delay + ticks, 7), "pid {pid}");
        }
    }
}

#[test]
fn two_splats_a_tick_and_the_rest_waits() {
    let mut duel = Duel::of(Build::Maxed);
    for damage in [3, 5, 8, 13, 21] {
        duel.foe().queue.wait(damage);
    }
    assert_eq!(duel.shown(1, 4), [(0, 3), (0, 5), (1, 8), (1, 13), (2, 21)]);
    assert_eq!(duel.foe().hp(), 99 - 50);
}

#[test]
fn a_waiting_splat_comes_before_a_new_hit() {
    let mut duel = Duel::of(Build::Maxed);
    for damage in [1, 2, 3] {
        duel.foe().queue.wait(damage);
    }
    duel.wait(1);
    duel.attack(0, WHIP);
    duel.hits(0, 30);
    duel.wait(1);
    assert_eq!(duel.splats(1), [3, 30]);
}

#[test]
fn splats_show_no_more_than_the_life_they_take() {
    let mut duel = Duel::of(Build::Maxed);
    duel.foe().set_hp(10);
    duel.attack(0, WHIP);
    duel.hits(0, 30);
    duel.foe().queue.wait(4);
    duel.wait(1);
    assert_eq!((duel.splats(1), duel.foe().hp()), (vec![4, 6], 0));
}

#[test]
fn missed_blows_and_shots_show_a_zero_but_missed_spells_show_nothing() {
    for (weapon, spell, shown) in
        [(WHIP, None, 1), (RUNE_CROSSBOW, None, 1), (KODAI_WAND, Some(Spell::IceRush), 0)]
    {
        let mut duel = Duel::of(Build::Maxed);
        duel.attack(0, weapon);
        duel.me().cast = spell;
        duel.told.strikes[0].push_back(vec![miss()]);
        assert_eq!(duel.shown(1, 3).len(), shown, "{}", weapon.item().name);
        assert_eq!(duel.foe().hp(), 99);
    }
}

#[test]
fn protection_is_decided_when_the_attack_is_made() {
    let protect = Prayers::default().with(Prayer::ProtectMissiles);
    for (at_attack, at_landing, damage) in
        [(protect, Prayers::default(), 12), (Prayers::default(), protect, 20)]
    {
        let mut duel = Duel::of(Build::LmsMed).apart(5);
        duel.attack(0, RUNE_CROSSBOW);
        duel.foe().prayers = at_attack;
        // It hits for 20, and the bolts do nothing.
        duel.told.draws = [1, 20, 0].into();
        duel.wait(1);
        assert!(duel.told.draws.is_empty());
        duel.me().disengage();
        duel.foe().prayers = at_landing;
        assert_eq!(duel.shown(1, 4), [(1, damage)]);
    }
}

#[test]
fn each_prayer_protects_from_its_style_only() {
    use Prayer::{ProtectMagic, ProtectMelee, ProtectMissiles};
    let attacks = [
        (WHIP, None, ProtectMelee),
        (JAVELIN, None, ProtectMissiles),
        (KODAI_WAND, Some(Spell::IceBarrage), ProtectMagic),
    ];
    for (weapon, spell, right) in attacks {
        for prayer in [ProtectMelee, ProtectMissiles, ProtectMagic] {
            let mut duel = Duel::of(Build::Maxed);
            duel.attack(0, weapon);
            duel.me().cast = spell;
            duel.foe().prayers = Prayers::default().with(prayer);
            duel.told.draws = [1, 15].into();
            let expected = if prayer == right { 9 } else { 15 };
            assert_eq!(duel.shown(1, 3)[0].1, expected, "{} {prayer:?}", weapon.item().name);
        }
    }
}

#[test]
fn enchanted_bolts_work_when_the_dice_say_so() {
    // A tenth of the ranged level comes on top of 20; the second draw of a chance is the bolts'.
    for (works, damage) in [(0, 20), (1, 29)] {
        let mut duel = Duel::of(Build::Maxed).apart(3);
        duel.attack(0, RUNE_CROSSBOW);
        assert_eq!(duel.me().worn[13], Some(OPAL_BOLTS));
        duel.told.draws = [1, 20, works].into();
        duel.wait(1);
        duel.me().disengage();
        assert_eq!(duel.shown(1, 3), [(1, damage)]);
    }
}

#[test]
fn a_zaryte_special_that_hits_needs_no_luck_with_bolts() {
    let mut duel = Duel::of(Build::Maxed).apart(3);
    duel.special(0, ZARYTE_CROSSBOW);
    duel.told.draws = [1, 20].into();
    duel.wait(1);
    duel.me().disengage();
    // A ninth of 99 on top of 20.
    assert_eq!((duel.shown(1, 3), duel.me().energy), (vec![(1, 31)], 25));
}

#[test]
fn blood_fury_heals_a_melee_attacker_by_three_tenths() {
    for (heals, healed) in [(true, 7), (false, 0)] {
        let mut duel = Duel::of(Build::Maxed);
        duel.attack(0, WHIP);
        duel.me().worn[2] = Some(BLOOD_FURY);
        duel.me().set_hp(50);
        duel.told.blood_fury = heals;
        duel.hits(0, 26);
        duel.wait(1);
        assert_eq!((duel.me().hp(), duel.fight.reports[0].healed), (50 + healed, healed));
    }
}

#[test]
fn blood_fury_needs_the_amulet_a_blow_and_wounds() {
    // Worn when the hit lands: taken off it heals nothing, full life has no room.
    for (amulet, weapon, hp, after) in [
        (None, WHIP, 50, 50),
        (Some(BLOOD_FURY), RUNE_CROSSBOW, 50, 50),
        (Some(BLOOD_FURY), WHIP, 97, 99),
        (Some(BLOOD_FURY), WHIP, 110, 110),
    ] {
        let mut duel = Duel::of(Build::Maxed);
        duel.attack(0, weapon);
        duel.me().worn[2] = amulet;
        duel.me().set_hp(hp);
        duel.told.blood_fury = true;
        duel.hits(0, 30);
        duel.wait(3);
        assert_eq!(duel.me().hp(), after, "{} at {hp}", weapon.item().name);
    }
}

#[test]
fn an_attack_is_noted_by_both() {
    let mut duel = Duel::of(Build::Maxed);
    duel.foe().prayers = Prayers::default().with(Prayer::ProtectMelee);
    duel.attack(0, WHIP);
    let wound = Rolled { damage: [9, 2, 0, 0], splats: 2, accurate: true };
    duel.told.strikes[0].push_back(vec![wound]);
    duel.wait(1);
    let [mine, theirs] = [&duel.fight.memories[0].mine, &duel.fight.memories[1].theirs];
    assert_eq!(mine, theirs);
    assert_eq!((mine.total, mine.styles, mine.prayed), (1, [1, 0, 0], 1));
    assert_eq!(duel.fight.reports[0].generated, 11);
    assert_eq!(duel.fight.reports[0].blow.unwrap().speed, 4);
    assert_eq!(duel.fight.memories[1].splats_received, 11);
    assert!(duel.foe().attacked && !duel.me().attacked);
    assert_eq!(duel.me().timers.left(Timer::Attack), 4);
}
