//! Ice that holds, blood that heals.

use lanista_nh::gear::items::RUNE_POUCH;
use lanista_nh::kinds::{Skill, Spell, Spellbook};
use lanista_nh::loadout::Build;
use lanista_nh::sim::combat::Method;
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

/// The spell that this choice casts at this magic level.
fn chosen(action: lanista_nh::sim::Action, level: i16) -> Spell {
    let mut duel = Duel::of(Build::Maxed);
    set_level(duel.me(), Skill::Magic, level);
    duel.act(action);
    match duel.told.asked[..] {
        [Asked { method: Method::Cast(spell), .. }] => spell,
        ref other => panic!("{other:?} at {level}"),
    }
}

#[test]
fn the_strongest_ice_that_the_level_allows() {
    use Spell::{IceBarrage, IceBlitz, IceBurst, IceRush};
    let spells = [99, 94, 93, 82, 81, 70, 69, 58].map(|level| chosen(ICE, level));
    assert_eq!(
        spells,
        [IceBarrage, IceBarrage, IceBlitz, IceBlitz, IceBurst, IceBurst, IceRush, IceRush]
    );
}

#[test]
fn the_strongest_blood_that_the_level_allows() {
    use Spell::{BloodBarrage, BloodBlitz, BloodBurst, BloodRush};
    let spells = [99, 92, 91, 80, 79, 68, 67, 56].map(|level| chosen(BLOOD, level));
    assert_eq!(
        spells,
        [
            BloodBarrage,
            BloodBarrage,
            BloodBlitz,
            BloodBlitz,
            BloodBurst,
            BloodBurst,
            BloodRush,
            BloodRush
        ]
    );
}

#[test]
fn a_mage_below_every_spell_lets_go() {
    let mut duel = Duel::of(Build::Maxed);
    set_level(duel.me(), Skill::Magic, 57);
    duel.act(ICE);
    assert!(duel.told.asked.is_empty());
    assert!(!duel.me().attacking);
}

#[test]
fn spells_ask_for_the_book_and_the_runes() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().book = Spellbook::Lunar;
    duel.act(ICE);
    assert!(duel.told.asked.is_empty());
    assert_eq!((duel.me().attacking, duel.me().cast), (false, None));
    let mut duel = Duel::of(Build::Maxed);
    let pouch = duel.me().find(RUNE_POUCH).unwrap();
    duel.me().inventory[pouch] = None;
    duel.act(ICE);
    assert!(duel.told.asked.is_empty());
    assert_eq!((duel.me().attacking, duel.me().cast), (false, None));
}

#[test]
fn a_cast_ends_the_attack() {
    let mut duel = Duel::of(Build::Maxed).apart(5);
    duel.act(ICE);
    assert_eq!(duel.told.asked.len(), 1);
    assert_eq!((duel.me().attacking, duel.me().following), (false, false));
    assert_eq!((duel.me().cast, duel.me().previous), (None, Some(Spell::IceBarrage)));
    assert_eq!(duel.me().timers.left(Timer::Attack), 5);
    duel.wait(10);
    assert_eq!(duel.told.asked.len(), 1);
}

#[test]
fn a_spell_that_is_not_ready_stays_in_mind() {
    let mut duel = Duel::of(Build::Maxed).apart(5);
    duel.me().timers.set(Timer::Attack, 3);
    duel.act(ICE);
    assert_eq!(duel.me().cast, Some(Spell::IceBarrage));
    duel.wait(2);
    assert_eq!(duel.told.asked.len(), 1);
}

/// Freeze and immunity after an accurate spell.
fn frozen(spell: Spell) -> [i32; 2] {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().cast = Some(spell);
    duel.me().engage();
    duel.hits(0, 0);
    duel.wait(1);
    [Timer::Freeze, Timer::Immunity].map(|timer| duel.foe().timers.left(timer))
}

#[test]
fn ice_holds_by_its_rank() {
    use Spell::{BloodBarrage, IceBarrage, IceBlitz, IceBurst, IceRush};
    let held = [IceRush, IceBurst, IceBlitz, IceBarrage, BloodBarrage].map(frozen);
    assert_eq!(held, [[8, 13], [16, 21], [24, 29], [32, 37], [0, 0]]);
}

#[test]
fn ice_holds_when_it_is_cast_not_when_it_lands() {
    let mut duel = Duel::of(Build::Maxed).apart(8);
    duel.foe().path.walk(HERE.offset(8, 0), HERE.offset(20, 0));
    duel.hits(0, 30);
    duel.act(ICE);
    // The faster mage even stops the step of the same tick.
    assert_eq!((duel.foe().hp(), duel.foe().frozen()), (99, true));
    assert_eq!(duel.foe().at, HERE.offset(8, 0));
    assert!(duel.foe().path.is_empty());
}

#[test]
fn a_slower_mage_holds_who_has_moved_already() {
    let mut duel = Duel::of(Build::Maxed).apart(8);
    duel.me().pid = 0.9;
    duel.foe().path.walk(HERE.offset(8, 0), HERE.offset(20, 0));
    duel.hits(0, 30);
    duel.act(ICE);
    assert_eq!(duel.foe().at, HERE.offset(10, 0));
    assert!(duel.foe().path.is_empty());
}

#[test]
fn ice_that_misses_does_not_hold() {
    let mut duel = Duel::of(Build::Maxed).apart(5);
    duel.act(ICE);
    assert_eq!(duel.told.asked.len(), 1);
    assert!(!duel.foe().frozen() && !duel.foe().timers.running(Timer::Immunity));
    assert!(duel.shown(1, 6).is_empty());
}

#[test]
fn the_held_may_move_when_the_freeze_is_over() {
    let mut duel = Duel::of(Build::Maxed).apart(5);
    duel.foe().freeze(8);
    let still = duel.foe().at;
    for _ in 0..7 {
        duel.tick(NOTHING, NEXT_TO);
        assert_eq!(duel.foe().at, still);
    }
    duel.tick(NOTHING, NEXT_TO);
    assert_eq!(duel.foe().at, still.offset(-2, 0));
}

#[test]
fn nobody_is_held_again_while_held_or_immune() {
    let mut duel = Duel::of(Build::Maxed);
    assert!(duel.foe().freeze(8));
    for _ in 0..12 {
        duel.wait(1);
        assert!(!duel.foe().freeze(32));
    }
    assert_eq!(duel.foe().timers.left(Timer::Freeze), 0);
    duel.wait(1);
    assert!(duel.foe().freeze(32));
    assert_eq!(duel.foe().timers.left(Timer::Freeze), 32);
}

/// Life after an accurate blood spell of this damage, from this much.
fn healed(spell: Spell, staff: lanista_nh::gear::Kind, hp: i16, damage: i16) -> i16 {
    let mut duel = Duel::of(Build::Maxed).apart(7);
    duel.wield(0, staff);
    duel.me().set_hp(hp);
    duel.me().cast = Some(spell);
    duel.me().engage();
    duel.hits(0, damage);
    duel.wait(1);
    // At once, although the spell is still on its way.
    assert_eq!(duel.foe().hp(), 99);
    duel.me().hp()
}

#[test]
fn blood_heals_its_caster_at_once() {
    use Spell::{BloodBarrage, BloodBlitz, BloodBurst, BloodRush};
    let spells = [BloodRush, BloodBurst, BloodBlitz, BloodBarrage];
    assert_eq!(spells.map(|spell| healed(spell, KODAI_WAND, 50, 29)), [52, 54, 55, 57]);
    assert_eq!(spells.map(|spell| healed(spell, ZURIEL_STAFF, 50, 29)), [54, 56, 58, 60]);
}

#[test]
fn blood_heals_no_further_than_full_life() {
    assert_eq!(healed(Spell::BloodBarrage, KODAI_WAND, 95, 29), 99);
    // Who has more than that keeps it.
    assert_eq!(healed(Spell::BloodBarrage, KODAI_WAND, 110, 29), 110);
}

#[test]
fn spells_reach_ten_tiles() {
    for (tiles, casts) in [(10, 1), (11, 0)] {
        let mut duel = Duel::of(Build::Maxed).apart(tiles);
        duel.me().timers.set(Timer::Freeze, 10);
        duel.act(ICE);
        assert_eq!(duel.told.asked.len(), casts, "{tiles} tiles");
    }
}
