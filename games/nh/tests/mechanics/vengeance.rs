//! Vengeance: damage that comes back.

use lanista_nh::kinds::{Skill, Spellbook};
use lanista_nh::loadout::Build;
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

/// Someone who can cast it.
fn lunar() -> Duel {
    let mut duel = Duel::of(Build::Maxed);
    for fighter in &mut duel.fight.fighters {
        fighter.book = Spellbook::Lunar;
    }
    duel
}

/// What comes back to the attacker, and whether vengeance still stands.
fn reflected(damage: i16) -> (Vec<(usize, i16)>, bool) {
    let mut duel = lunar();
    duel.foe().vengeance = true;
    duel.attack(0, WHIP);
    duel.hits(0, damage);
    duel.wait(1);
    duel.me().disengage();
    let mut shown: Vec<_> = duel.splats(0).into_iter().map(|damage| (0, damage)).collect();
    shown.extend(duel.shown(0, 3).into_iter().map(|(tick, damage)| (tick + 1, damage)));
    (shown, duel.foe().vengeance)
}

#[test]
fn three_quarters_of_the_damage_come_back() {
    assert_eq!(reflected(40), (vec![(1, 30)], false));
    assert_eq!(reflected(31), (vec![(1, 23)], false));
    assert_eq!(reflected(2), (vec![(1, 1)], false));
}

#[test]
fn damage_too_small_to_come_back_leaves_vengeance_standing() {
    assert_eq!(reflected(1), (vec![], true));
    assert_eq!(reflected(0), (vec![], true));
}

#[test]
fn the_full_damage_comes_back_even_of_a_deadly_hit() {
    let mut duel = lunar();
    duel.me().vengeance = true;
    duel.me().set_hp(10);
    duel.foe().set_hp(20);
    duel.attack(1, WHIP);
    duel.foe().pid = 0.1;
    duel.hits(1, 40);
    duel.wait(1);
    assert!(duel.me().dying && !duel.foe().dying);
    // The reflection waits for the attacker's next turn, and death does not recall it.
    duel.wait(1);
    assert!(duel.foe().dying);
}

#[test]
fn it_comes_back_in_the_same_tick_from_the_faster_side() {
    let mut duel = lunar();
    duel.me().vengeance = true;
    duel.foe().pid = 0.9;
    duel.attack(1, RUNE_CROSSBOW);
    duel.hits(1, 20);
    duel.wait(1);
    duel.foe().disengage();
    duel.wait(2);
    assert_eq!((duel.splats(0), duel.splats(1)), (vec![20], vec![15]));
    assert_eq!(duel.fight.reports[0].extra, 15);
}

#[test]
fn of_two_hits_only_the_first_comes_back() {
    let mut duel = lunar();
    duel.foe().vengeance = true;
    duel.special(0, DAGGER);
    duel.told.strikes[0].push_back(vec![hit(20), hit(40)]);
    duel.wait(1);
    duel.me().disengage();
    assert_eq!(duel.shown(0, 3), [(0, 15)]);
}

#[test]
fn it_may_be_cast_every_fifty_ticks() {
    let mut duel = lunar();
    duel.act(VENGEANCE);
    assert!(duel.me().vengeance);
    assert_eq!(duel.me().timers.left(Timer::Vengeance), 50);
    duel.me().vengeance = false;
    for _ in 0..49 {
        duel.act(VENGEANCE);
        assert!(!duel.me().vengeance);
    }
    duel.act(VENGEANCE);
    assert!(duel.me().vengeance);
}

#[test]
fn it_is_not_cast_on_top_of_itself() {
    let mut duel = lunar();
    duel.me().vengeance = true;
    duel.act(VENGEANCE);
    assert!(!duel.me().timers.running(Timer::Vengeance));
}

#[test]
fn it_asks_for_magic_94_and_who_lacks_it_lets_go() {
    for (level, casts) in [(94, true), (93, false)] {
        let mut duel = lunar();
        set_level(duel.me(), Skill::Magic, level);
        duel.wield(0, WHIP);
        duel.me().engage();
        duel.act(VENGEANCE);
        assert_eq!((duel.me().vengeance, duel.me().attacking), (casts, casts));
    }
}

#[test]
fn it_asks_for_defence_40_and_the_lunar_book() {
    for (defence, book, casts) in [
        (40, Spellbook::Lunar, true),
        (39, Spellbook::Lunar, false),
        (99, Spellbook::Ancient, false),
    ] {
        let mut duel = lunar();
        duel.me().max[Skill::Defence as usize] = defence;
        duel.me().book = book;
        duel.act(VENGEANCE);
        assert_eq!(duel.me().vengeance, casts, "{defence} {book:?}");
    }
}

#[test]
fn casting_it_does_not_disturb_an_attack() {
    let mut duel = lunar();
    duel.act(together([VENGEANCE, SLASH]));
    assert_eq!(duel.told.asked.len(), 1);
    assert!(duel.me().vengeance);
}

#[test]
fn poison_and_wounds_do_not_come_back() {
    let mut duel = lunar();
    duel.foe().vengeance = true;
    duel.foe().queue.wait(20);
    assert!(duel.shown(0, 3).is_empty());
    assert!(duel.foe().vengeance);
}

#[test]
fn the_other_remembers_to_have_seen_it() {
    let mut duel = lunar();
    assert!(!duel.fight.memories[1].lunar);
    duel.act(VENGEANCE);
    duel.me().vengeance = false;
    duel.wait(1);
    assert!(duel.fight.memories[1].lunar && !duel.fight.memories[0].lunar);
}
