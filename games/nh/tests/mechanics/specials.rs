//! Special attacks: what they cost and what they do beside their damage.

use lanista_nh::gear::items::SHARK;
use lanista_nh::gear::{ITEMS, Kind, Slot};
use lanista_nh::kinds::{Skill, Style};
use lanista_nh::loadout::Build;
use lanista_nh::sim::chance::Rolled;
use lanista_nh::sim::combat::Method;
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

/// What the special attack of a weapon costs and how long it takes.
fn spent(weapon: Kind) -> (i16, i32) {
    let mut duel = Duel::of(Build::Maxed).apart(1);
    duel.special(0, weapon);
    duel.wait(1);
    assert_eq!(duel.told.asked.len(), 1, "{}", weapon.item().name);
    assert_eq!(duel.told.asked[0].method, Method::Special(weapon));
    assert!(!duel.me().special);
    (100 - duel.me().energy, duel.me().timers.left(Timer::Attack))
}

#[test]
fn specials_cost_energy_and_take_the_time_of_their_weapon() {
    let table = [
        (DAGGER, 25, 4),
        (POISONED_DAGGER, 25, 4),
        (CLAWS, 50, 4),
        (ARMADYL_GODSWORD, 50, 6),
        (ANCIENT_GODSWORD, 50, 6),
        (Kind::known(22613), 25, 5),
        (STATIUS_WARHAMMER, 35, 6),
        (ZARYTE_CROSSBOW, 75, 5),
        (Kind::known(11785), 50, 5),
        (BALLISTA, 65, 6),
        (Kind::known(19478), 65, 6),
        (DARK_BOW, 55, 8),
        (KNIFE, 25, 2),
        (JAVELIN, 50, 5),
        (NIGHTMARE_STAFF, 55, 5),
        (SCIMITAR, 55, 4),
        (WHIP, 50, 4),
        (TENTACLE, 50, 4),
    ];
    for (weapon, cost, speed) in table {
        assert_eq!(spent(weapon), (cost, speed), "{}", weapon.item().name);
    }
    // All but the granite maul, which takes no time.
    let specials = ITEMS.iter().filter(|item| item.weapon.is_some_and(|w| w.special.is_some()));
    assert_eq!(specials.count(), table.len() + 1);
}

#[test]
fn energy_comes_back_by_ten_every_fifty_ticks() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, DAGGER);
    duel.wait(1);
    duel.me().disengage();
    let mut energy = Vec::new();
    for _ in 0..4 {
        duel.wait(49);
        energy.push(duel.me().energy);
        duel.wait(1);
        energy.push(duel.me().energy);
    }
    assert_eq!(energy, [75, 85, 85, 95, 95, 100, 100, 100]);
    assert_eq!(duel.me().recovery, None);
}

#[test]
fn a_second_special_does_not_start_the_recovery_anew() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, DAGGER);
    duel.wait(1);
    duel.me().disengage();
    duel.wait(30);
    duel.special(0, DAGGER);
    duel.wait(1);
    duel.me().disengage();
    assert_eq!(duel.me().energy, 50);
    duel.wait(18);
    assert_eq!(duel.me().energy, 50);
    duel.wait(1);
    assert_eq!(duel.me().energy, 60);
}

#[test]
fn without_energy_the_special_ends_and_so_does_the_attack() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, ARMADYL_GODSWORD);
    duel.me().energy = 49;
    duel.wait(1);
    assert!(duel.told.asked.is_empty());
    assert_eq!((duel.me().special, duel.me().attacking), (false, false));
    assert_eq!(duel.me().energy, 49);
}

#[test]
fn a_basic_attack_turns_the_special_off() {
    for (action, special) in [(SLASH, false), (SLASH_SPECIAL, true)] {
        let mut duel = Duel::of(Build::Maxed).apart(12);
        duel.act(together([EAT, SLASH_SPECIAL]));
        assert!(duel.me().special);
        duel.act(action);
        assert_eq!(duel.me().special, special);
    }
    let mut duel = Duel::of(Build::Maxed).apart(12);
    duel.act(SHOOT_SPECIAL);
    assert!(duel.me().special);
    duel.act(SHOOT);
    assert!(!duel.me().special);
}

#[test]
fn statius_lowers_defence_by_three_tenths_when_it_hurts() {
    for (damage, defence) in [(30, 69), (0, 99)] {
        let mut duel = Duel::of(Build::Maxed);
        duel.special(0, STATIUS_WARHAMMER);
        duel.hits(0, damage);
        duel.wait(1);
        assert_eq!(duel.foe().level(Skill::Defence), defence);
    }
    // Once more, of what is left.
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, STATIUS_WARHAMMER);
    set_level(duel.foe(), Skill::Defence, 69);
    duel.hits(0, 1);
    duel.wait(1);
    assert_eq!(duel.foe().level(Skill::Defence), 48);
}

#[test]
fn statius_lowers_defence_when_the_blow_lands() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().pid = 0.9;
    duel.special(0, STATIUS_WARHAMMER);
    duel.hits(0, 30);
    duel.wait(1);
    assert_eq!(duel.foe().level(Skill::Defence), 99);
    duel.wait(1);
    assert_eq!(duel.foe().level(Skill::Defence), 69);
}

#[test]
fn an_ordinary_blow_of_a_special_weapon_has_no_side_effect() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, STATIUS_WARHAMMER);
    duel.hits(0, 30);
    duel.wait(1);
    assert_eq!((duel.foe().level(Skill::Defence), duel.me().energy), (99, 100));
}

#[test]
fn a_dagger_stabs_twice_at_once() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, DAGGER);
    duel.told.strikes[0].push_back(vec![hit(11), hit(17)]);
    duel.wait(1);
    assert_eq!(duel.splats(1), [11, 17]);
    assert_eq!(duel.fight.memories[0].mine.total, 2);
    assert_eq!(duel.fight.reports[0].generated, 28);
}

#[test]
fn the_formulas_give_daggers_and_knives_two_hits() {
    for (weapon, draws) in [(DAGGER, [1, 12, 1, 7]), (KNIFE, [1, 12, 1, 7])] {
        let mut duel = Duel::of(Build::Maxed);
        duel.special(0, weapon);
        duel.told.draws = draws.into();
        duel.wait(1);
        duel.me().disengage();
        assert_eq!(duel.foe().queue.pending() + 99 - duel.foe().hp(), 19);
        duel.wait(1);
        assert_eq!(duel.foe().hp(), 80);
    }
}

#[test]
fn claws_show_four_splats_in_two_ticks() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, CLAWS);
    let cascade = Rolled { damage: [20, 10, 5, 6], splats: 4, accurate: true };
    duel.told.strikes[0].push_back(vec![cascade]);
    duel.wait(1);
    duel.me().disengage();
    assert_eq!(duel.splats(1), [20, 10]);
    assert_eq!(duel.shown(1, 3), [(0, 5), (0, 6)]);
    // One hit all the same.
    assert_eq!(duel.fight.memories[0].mine.total, 1);
}

/// A fighter whose special weapon is a granite maul, with room for the shield it drives out.
fn mauler() -> Duel {
    let mut duel = Duel::of(Build::LmsMed);
    let spec = &mut duel.fight.loadouts[0].spec;
    let dagger = spec.iter().position(|&kind| kind == DAGGER).unwrap();
    spec[dagger] = GRANITE_MAUL;
    let shield = spec.in_slot(Slot::Shield).unwrap();
    spec.remove(shield);
    let carried = duel.me().find(DAGGER).unwrap();
    duel.me().inventory[carried] = Some(GRANITE_MAUL);
    let meal = duel.me().find(SHARK).unwrap();
    duel.me().inventory[meal] = None;
    duel
}

#[test]
fn a_granite_maul_strikes_twice_for_all_energy() {
    for (energy, strikes) in [(100, 2), (99, 1), (50, 1)] {
        let mut duel = mauler();
        duel.me().energy = energy;
        duel.told.strikes[0].push_back(vec![hit(10); strikes]);
        duel.act(SLASH_SPECIAL);
        assert_eq!(usize::from(duel.told.asked[0].mauls), strikes);
        assert_eq!(duel.splats(1), vec![10; strikes]);
        assert_eq!(duel.me().energy, energy - 50 * strikes as i16);
        assert_eq!(duel.me().mauls, 0);
    }
}

#[test]
fn a_granite_maul_ignores_the_attack_timer_and_leaves_it() {
    let mut duel = mauler();
    duel.hits(0, 30);
    duel.act(SLASH);
    assert_eq!((duel.told.asked.len(), duel.me().wielded()), (1, Some(WHIP)));
    duel.told.strikes[0].push_back(vec![hit(20), hit(21)]);
    duel.act(SLASH_SPECIAL);
    assert_eq!((duel.told.asked.len(), duel.splats(1)), (2, vec![20, 21]));
    assert_eq!(duel.me().timers.left(Timer::Attack), 3);
    // The plain blow of the maul that follows does wait.
    duel.wait(2);
    assert_eq!(duel.told.asked.len(), 2);
    duel.wait(1);
    assert_eq!(duel.told.asked.len(), 3);
    assert_eq!(duel.me().timers.left(Timer::Attack), 7);
}

#[test]
fn mauls_clicked_out_of_reach_are_lost() {
    let mut duel = mauler();
    duel.place(1, HERE.offset(12, 0));
    duel.me().timers.set(Timer::Freeze, 2);
    duel.act(SLASH_SPECIAL);
    assert!(duel.told.asked.is_empty());
    assert_eq!((duel.me().mauls, duel.me().energy), (0, 100));
}

#[test]
fn a_dark_bow_needs_a_tick_more_after_its_special() {
    let mut duel = Duel::of(Build::Maxed).apart(4);
    duel.attack(0, DARK_BOW);
    duel.wait(1);
    assert_eq!(duel.me().timers.left(Timer::Attack), 7);
    assert_eq!(spent(DARK_BOW), (55, 8));
}

#[test]
fn a_dark_bow_hurts_with_both_arrows() {
    let mut duel = Duel::of(Build::Maxed).apart(4);
    duel.special(0, DARK_BOW);
    // Two misses take eight each.
    duel.told.draws = [0, 0].into();
    duel.wait(1);
    duel.me().disengage();
    assert_eq!(duel.shown(1, 4), [(1, 8), (2, 8)]);
}

#[test]
fn the_nightmare_staff_casts_without_runes_and_stops() {
    let mut duel = Duel::of(Build::Maxed).apart(7);
    duel.fight.loadouts[0].mage[0] = NIGHTMARE_STAFF;
    duel.wield(0, NIGHTMARE_STAFF);
    duel.me().inventory = [None; 28];
    duel.hits(0, 40);
    duel.act(MAGIC_SPECIAL);
    assert_eq!(duel.told.asked[0].method, Method::Special(NIGHTMARE_STAFF));
    assert_eq!(duel.told.asked[0].method.style(), Style::Magic);
    assert_eq!((duel.me().energy, duel.me().attacking), (45, false));
    assert_eq!(duel.shown(1, 5), [(2, 40)]);
    assert!(!duel.foe().frozen());
}

#[test]
fn a_binding_tentacle_holds_for_eight_ticks() {
    let mut duel = Duel::of(Build::Maxed);
    duel.special(0, TENTACLE);
    duel.wait(1);
    let held = [Timer::Freeze, Timer::Immunity].map(|timer| duel.foe().timers.left(timer));
    assert_eq!(held, [8, 13]);
}

#[test]
fn a_special_that_waits_while_a_spell_is_cast_is_kept_out_of_it() {
    let mut duel = Duel::of(Build::Maxed);
    duel.wield(0, NIGHTMARE_STAFF);
    duel.me().special = true;
    duel.me().cast = Some(lanista_nh::kinds::Spell::IceBarrage);
    duel.me().engage();
    duel.wait(1);
    assert!(matches!(duel.told.asked[0].method, Method::Cast(_)));
    assert_eq!(duel.me().energy, 100);
}
