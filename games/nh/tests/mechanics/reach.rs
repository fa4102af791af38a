//! From where an attack is possible, and how an attacker gets there.

use lanista_nh::gear::Kind;
use lanista_nh::kinds::Spell;
use lanista_nh::loadout::Build;
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

/// Can a held attacker strike from an offset at an opponent who stands still?
fn reaches(weapon: Kind, spell: Option<Spell>, (dx, dy): (i16, i16)) -> bool {
    let mut duel = Duel::of(Build::Maxed);
    duel.place(1, HERE.offset(dx, dy));
    duel.attack(0, weapon);
    duel.me().cast = spell;
    duel.me().timers.set(Timer::Freeze, 10);
    duel.wait(1);
    assert!(duel.me().at == HERE && duel.me().path.is_empty());
    !duel.told.asked.is_empty()
}

#[test]
fn swordsmen_reach_the_four_sides() {
    for side in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
        assert!(reaches(WHIP, None, side));
    }
    for corner in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
        assert!(!reaches(WHIP, None, corner));
        assert!(reaches(RUNE_CROSSBOW, None, corner));
        assert!(reaches(KODAI_WAND, Some(Spell::IceRush), corner));
    }
    assert!(!reaches(WHIP, None, (2, 0)));
}

#[test]
fn nobody_attacks_from_under_the_other() {
    assert!(!reaches(WHIP, None, (0, 0)));
    assert!(!reaches(RUNE_CROSSBOW, None, (0, 0)));
    assert!(!reaches(KODAI_WAND, Some(Spell::IceRush), (0, 0)));
}

#[test]
fn missiles_reach_by_their_weapon() {
    let bows = [(RUNE_CROSSBOW, 7), (BALLISTA, 7), (DARK_BOW, 9), (JAVELIN, 5), (KNIFE, 4)];
    for (bow, tiles) in bows {
        assert!(reaches(bow, None, (tiles, 0)), "{}", bow.item().name);
        assert!(reaches(bow, None, (-tiles, tiles)), "{}", bow.item().name);
        assert!(!reaches(bow, None, (tiles + 1, 0)), "{}", bow.item().name);
    }
    // A staff is no missile: without a spell it is swung.
    assert!(!reaches(KODAI_WAND, None, (2, 0)));
}

#[test]
fn a_free_attacker_steps_out_from_under_and_strikes() {
    let mut duel = Duel::of(Build::Maxed).apart(0);
    duel.attack(0, WHIP);
    duel.wait(1);
    assert_eq!(duel.told.asked.len(), 1);
    assert_eq!(duel.me().at.distance(HERE), 1);
    assert!(!duel.me().at.diagonal(HERE));
}

#[test]
fn a_swordsman_at_a_corner_steps_around_it() {
    let mut duel = Duel::of(Build::Maxed);
    duel.place(1, HERE.offset(1, 1));
    duel.attack(0, WHIP);
    duel.wait(1);
    assert_eq!(duel.told.asked.len(), 1);
    assert!([HERE.offset(1, 0), HERE.offset(0, 1)].contains(&duel.me().at));
}

#[test]
fn an_archer_stops_at_the_edge_of_its_reach() {
    let mut duel = Duel::of(Build::Maxed).apart(12);
    duel.attack(0, RUNE_CROSSBOW);
    let mut way = Vec::new();
    for _ in 0..5 {
        duel.wait(1);
        way.push((duel.me().at.x - HERE.x, duel.told.asked.len()));
    }
    assert_eq!(way, [(2, 0), (4, 0), (5, 1), (5, 1), (5, 1)]);
}

#[test]
fn an_archer_within_reach_stands_still() {
    let mut duel = Duel::of(Build::Maxed).apart(6);
    duel.me().path.walk(HERE, HERE.offset(0, 9));
    duel.attack(0, RUNE_CROSSBOW);
    duel.wait(1);
    assert_eq!((duel.me().at, duel.told.asked.len()), (HERE, 1));
    assert!(duel.me().path.is_empty());
}

#[test]
fn a_swordsman_runs_to_the_near_side() {
    let mut duel = Duel::of(Build::Maxed).apart(6);
    duel.attack(0, WHIP);
    let mut way = Vec::new();
    for _ in 0..4 {
        duel.wait(1);
        way.push((duel.me().at.x - HERE.x, duel.told.asked.len()));
    }
    assert_eq!(way, [(2, 0), (4, 0), (5, 1), (5, 1)]);
}

#[test]
fn while_both_move_a_blow_reaches_a_tile_further() {
    // Two tiles apart, the other runs two, the swordsman two: two are left.
    for (runs, strikes) in [(true, 1), (false, 0)] {
        let mut duel = Duel::of(Build::Maxed).apart(2);
        duel.me().pid = 0.9;
        duel.attack(0, WHIP);
        if runs {
            duel.foe().path.walk(HERE.offset(2, 0), HERE.offset(9, 0));
        } else {
            duel.place(1, HERE.offset(4, 0));
        }
        duel.wait(1);
        assert_eq!(duel.me().at.distance(duel.foe().at), 2);
        assert_eq!(duel.told.asked.len(), strikes);
    }
}

#[test]
fn a_held_swordsman_has_no_longer_arm() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, WHIP);
    duel.me().timers.set(Timer::Freeze, 10);
    duel.foe().pid = 0.1;
    duel.foe().path.walk(HERE.offset(1, 0), HERE.offset(2, 0));
    duel.wait(1);
    assert_eq!((duel.foe().moving, duel.told.asked.len()), (true, 0));
}

#[test]
fn a_blow_at_a_corner_reaches_who_moves() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, WHIP);
    duel.me().timers.set(Timer::Freeze, 10);
    duel.foe().pid = 0.1;
    duel.foe().path.walk(HERE.offset(1, 0), HERE.offset(1, 1));
    duel.wait(1);
    assert_eq!((duel.foe().at, duel.told.asked.len()), (HERE.offset(1, 1), 1));
}

#[test]
fn who_is_out_of_sight_is_let_go() {
    for (tiles, attacking) in [(15, true), (16, false)] {
        let mut duel = Duel::of(Build::Maxed).apart(tiles);
        duel.attack(0, RUNE_CROSSBOW);
        duel.wait(1);
        assert_eq!(duel.me().attacking, attacking, "{tiles} tiles");
        assert_eq!(duel.me().moving, attacking);
    }
}

#[test]
fn who_is_far_away_is_no_opponent_any_more() {
    let mut duel = Duel::of(Build::Maxed).apart(40);
    duel.attack(0, RUNE_CROSSBOW);
    duel.me().timers.set(Timer::Freeze, 10);
    duel.wait(1);
    assert!(!duel.me().attacking);
}

#[test]
fn an_attack_goes_on_until_something_ends_it() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, WHIP);
    duel.wait(20);
    assert_eq!(duel.told.asked.len(), 5);
    duel.act(RESTORE);
    duel.wait(20);
    assert_eq!(duel.told.asked.len(), 5);
}
