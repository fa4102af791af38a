//! The server's scripted fighter: its six actions, and what it eats and drinks.

use lanista_nh::gear::items::{ANGLERFISH, COOKED_KARAMBWAN, SHARK};
use lanista_nh::gear::{DEFENCE, Kind, Slot};
use lanista_nh::kinds::{Column, Prayer, Prayers, Skill, Spell, Style};
use lanista_nh::loadout::Build;
use lanista_nh::sim::Order;
use lanista_nh::sim::combat::Method;
use lanista_nh::sim::fighter::Fighter;
use lanista_nh::sim::supplies::{self, BREW as BREWS, SUPER_RESTORE};
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

/// The second fighter is the script, and has been attacked. It is well fed and boosted, so that
/// only what a test changes makes it do something, and has room for the shield that a two-hander
/// drives out.
fn scripted(build: Build) -> Duel {
    let mut duel = Duel::of(build);
    duel.fight.hand_to_script(1);
    let script = duel.foe();
    script.attacked = true;
    for skill in [Skill::Hitpoints, Skill::Ranged, Skill::Strength] {
        script.levels[skill as usize] += 1;
    }
    let meal = supplies::food(script).unwrap();
    script.inventory[meal] = None;
    duel
}

fn play(duel: &mut Duel) {
    duel.fight.tick([Order::Act(NOTHING), Order::Script], &mut duel.told);
}

/// What the script attacks with in one tick.
fn attack_of(mut duel: Duel) -> Option<Method> {
    play(&mut duel);
    duel.told.asked.iter().find(|asked| asked.who == 1).map(|asked| asked.method)
}

#[test]
fn it_brings_anglerfish_instead_of_brews() {
    let mut duel = Duel::of(Build::Maxed);
    let (fish, brews) = (duel.foe().count(ANGLERFISH), BREWS.doses(duel.foe()) / 4);
    duel.fight.hand_to_script(1);
    assert_eq!((BREWS.doses(duel.foe()), SUPER_RESTORE.doses(duel.foe())), (0, 8));
    assert_eq!(duel.foe().count(ANGLERFISH), fish + brews + 1);
    assert!(duel.foe().retaliates && !duel.me().retaliates);
}

#[test]
fn before_it_is_attacked_it_neither_prays_nor_fights() {
    let mut duel = scripted(Build::Maxed);
    duel.foe().attacked = false;
    duel.foe().prayers = Prayers::default().with(Prayer::Piety);
    duel.told.overhead = true;
    play(&mut duel);
    assert_eq!(duel.foe().prayers, Prayers::default());
    assert!(duel.told.asked.is_empty());
}

#[test]
fn it_prays_against_what_the_other_holds_now() {
    for (weapon, spell, tiles, prayer) in [
        (WHIP, None, 1, Prayer::ProtectMelee),
        (WHIP, None, 3, Prayer::ProtectMagic),
        (RUNE_CROSSBOW, None, 3, Prayer::ProtectMissiles),
        (KODAI_WAND, Some(Spell::IceRush), 3, Prayer::ProtectMagic),
        (KODAI_WAND, None, 1, Prayer::ProtectMelee),
    ] {
        let mut duel = scripted(Build::Maxed).apart(tiles);
        duel.wield(0, weapon);
        duel.me().cast = spell;
        duel.told.overhead = true;
        play(&mut duel);
        assert!(duel.foe().prayers.has(prayer), "{} {tiles}", weapon.item().name);
        // Praying does not keep it from attacking.
        assert_eq!(duel.told.asked.len(), 1);
        let mut duel = scripted(Build::Maxed).apart(tiles);
        duel.wield(0, weapon);
        play(&mut duel);
        assert_eq!(duel.foe().protection(), None);
    }
}

/// A chance for the script's special attack.
fn wounded() -> Duel {
    let mut duel = scripted(Build::Maxed);
    duel.me().set_hp(59);
    duel
}

#[test]
fn it_strikes_with_its_special_at_59_life() {
    assert_eq!(attack_of(wounded()), Some(Method::Special(ARMADYL_GODSWORD)));
    let mut duel = scripted(Build::Maxed);
    duel.me().queue.wait(40);
    assert_eq!(attack_of(duel), Some(Method::Special(ARMADYL_GODSWORD)), "damage to come counts");
}

#[test]
fn its_special_asks_for_much() {
    let ice = Some(Method::Cast(Spell::IceBarrage));
    let spoil: [(fn(&mut Duel), _); 5] = [
        (|duel| duel.me().set_hp(60), ice),
        (|duel| duel.foe().energy = 49, ice),
        (|duel| duel.foe().timers.set(Timer::Freeze, 5), ice),
        (|duel| duel.foe().timers.set(Timer::Attack, 2), None),
        (|duel| duel.me().prayers = Prayers::default().with(Prayer::ProtectMelee), ice),
    ];
    for (index, (spoil, instead)) in spoil.into_iter().enumerate() {
        let mut duel = wounded();
        spoil(&mut duel);
        assert_eq!(attack_of(duel), instead, "condition {index}");
    }
    // Ready in the next tick is ready enough: timers run after the script.
    let mut duel = wounded();
    duel.foe().timers.set(Timer::Attack, 1);
    assert_eq!(attack_of(duel), Some(Method::Special(ARMADYL_GODSWORD)));
}

/// The script beside a held swordsman, its own attack far away.
fn cornered() -> Duel {
    let mut duel = scripted(Build::Maxed);
    duel.wield(0, WHIP);
    duel.me().timers.set(Timer::Freeze, 20);
    duel.foe().timers.set(Timer::Attack, 3);
    duel
}

#[test]
fn it_steps_aside_from_a_held_swordsman() {
    for (aside, (dx, dy)) in [(0, (-3, 0)), (1, (3, 0)), (2, (0, 3))] {
        let mut duel = cornered();
        duel.told.aside = aside;
        play(&mut duel);
        let from = HERE.offset(1, 0);
        let half = from.offset(dx * 2 / 3, dy * 2 / 3);
        assert_eq!(duel.foe().at, half);
        assert_eq!(duel.foe().path.destination(), Some(from.offset(dx, dy)));
    }
}

#[test]
fn it_stays_where_stepping_aside_is_of_no_use() {
    let spoil: [fn(&mut Duel); 5] = [
        |duel| duel.foe().timers.set(Timer::Attack, 2),
        |duel| duel.me().timers.set(Timer::Freeze, 0),
        |duel| duel.place(1, HERE.offset(2, 0)),
        |duel| duel.place(1, HERE.offset(1, 1)),
        |duel| duel.foe().timers.set(Timer::Freeze, 5),
    ];
    for (index, spoil) in spoil.into_iter().enumerate() {
        let mut duel = cornered();
        spoil(&mut duel);
        let before = duel.foe().at;
        // The held one's timer has run by a tick when the script, which is slower, acts.
        play(&mut duel);
        assert_eq!(duel.foe().at, before, "condition {index}");
    }
}

#[test]
fn it_steps_aside_only_when_it_stands() {
    let mut duel = cornered();
    duel.foe().path.walk(HERE.offset(1, 0), HERE.offset(1, 9));
    play(&mut duel);
    assert_eq!(duel.foe().path.destination(), Some(HERE.offset(1, 9)));
}

#[test]
fn it_restores_prayer_below_50_from_the_fullest_potion() {
    for (points, doses) in [(49, 7), (50, 8)] {
        let mut duel = scripted(Build::Maxed);
        set_level(duel.foe(), Skill::Prayer, points);
        let slot = SUPER_RESTORE.emptiest(duel.foe()).unwrap();
        duel.foe().inventory[slot] = Some(SUPER_RESTORE.0[1]);
        let before = SUPER_RESTORE.doses(duel.foe());
        play(&mut duel);
        assert_eq!(before - SUPER_RESTORE.doses(duel.foe()), 8 - doses);
        assert_eq!(duel.foe().inventory[slot], Some(SUPER_RESTORE.0[1]));
        // Drinking is all it does in that tick.
        assert_eq!(duel.told.asked.is_empty(), points < 50);
    }
}

#[test]
fn it_casts_ice_at_whom_it_can_hold() {
    let duel = scripted(Build::Maxed).apart(5);
    assert_eq!(attack_of(duel), Some(Method::Cast(Spell::IceBarrage)));
    let mut duel = scripted(Build::Maxed).apart(5);
    play(&mut duel);
    assert!(duel.foe().prayers.has(Prayer::Augury));
    assert_eq!(duel.foe().style(), Style::Magic);
}

/// The style of its attack on someone whom it cannot hold and who defends so.
fn style_against(slash: i16, magic: i16, ranged: i16, prayer: Option<Prayer>, hp: i16) -> Style {
    let mut duel = scripted(Build::Maxed);
    duel.foe().energy = 0;
    duel.me().timers.set(Timer::Immunity, 30);
    duel.me().set_hp(hp);
    for (column, bonus) in
        [(Column::Slash, slash), (Column::Magic, magic), (Column::Ranged, ranged)]
    {
        duel.me().gear.bonuses[DEFENCE + column as usize] = bonus;
    }
    if let Some(prayer) = prayer {
        duel.me().prayers = Prayers::default().with(prayer);
    }
    attack_of(duel).unwrap().style()
}

#[test]
fn it_takes_the_style_with_the_lowest_defence() {
    assert_eq!(style_against(0, 300, 100, None, 99), Style::Ranged);
    assert_eq!(style_against(0, 100, 300, None, 99), Style::Magic);
    // Melee only against the wounded.
    assert_eq!(style_against(0, 300, 100, None, 45), Style::Melee);
    assert_eq!(style_against(0, 300, 100, None, 46), Style::Ranged);
}

#[test]
fn what_is_protected_from_counts_less() {
    assert_eq!(style_against(300, 300, 0, Some(Prayer::ProtectMissiles), 99), Style::Magic);
    assert_eq!(style_against(300, 0, 300, Some(Prayer::ProtectMagic), 99), Style::Ranged);
    assert_eq!(style_against(0, 300, 200, Some(Prayer::ProtectMelee), 30), Style::Ranged);
}

#[test]
fn it_waits_for_its_attack() {
    let mut duel = scripted(Build::Maxed);
    duel.foe().timers.set(Timer::Attack, 2);
    let worn = duel.foe().worn;
    play(&mut duel);
    assert_eq!((duel.foe().worn, duel.foe().attacking), (worn, false));
}

#[test]
fn it_gives_up_on_the_dead() {
    let mut duel = scripted(Build::Maxed);
    duel.me().set_hp(0);
    play(&mut duel);
    assert!(!duel.foe().attacked && duel.told.asked.is_empty());
}

#[test]
fn it_puts_on_without_taking_off() {
    let mut duel = scripted(Build::Maxed);
    duel.me().set_hp(59);
    let shield = duel.foe().worn[Slot::Shield as usize];
    assert!(shield.is_some());
    duel.foe().worn[Slot::Ring as usize] = Some(Kind::known(6737));
    play(&mut duel);
    // Only a two-hander drives something out.
    assert_eq!(duel.foe().worn[Slot::Ring as usize], Some(Kind::known(6737)));
    assert_eq!(duel.foe().worn[Slot::Shield as usize], None);
}

#[test]
fn it_eats_an_anglerfish_whenever_life_is_not_above_full() {
    for (hp, eaten) in [(99, 1), (50, 1), (100, 0)] {
        let mut duel = scripted(Build::Maxed);
        duel.foe().attacked = false;
        duel.foe().set_hp(hp);
        let fish = duel.foe().count(ANGLERFISH);
        play(&mut duel);
        assert_eq!(fish - duel.foe().count(ANGLERFISH), eaten);
    }
}

#[test]
fn it_acts_before_its_timers() {
    let mut duel = scripted(Build::Maxed);
    duel.foe().attacked = false;
    duel.foe().set_hp(50);
    duel.foe().timers.set(Timer::Food, 1);
    play(&mut duel);
    assert_eq!(duel.foe().hp(), 50);
    play(&mut duel);
    assert_eq!(duel.foe().hp(), 72);
    assert_eq!(duel.foe().timers.left(Timer::Food), 2);
}

#[test]
fn it_boosts_ranged_first_and_then_strength() {
    let mut duel = scripted(Build::Maxed);
    duel.foe().attacked = false;
    set_level(duel.foe(), Skill::Ranged, 99);
    set_level(duel.foe(), Skill::Strength, 99);
    play(&mut duel);
    assert_eq!(duel.levels(1, &[Skill::Ranged, Skill::Strength]), [112, 99]);
    play(&mut duel);
    assert_eq!(duel.levels(1, &[Skill::Strength]), [99], "the potion timer");
    play(&mut duel);
    play(&mut duel);
    assert_eq!(duel.levels(1, &[Skill::Ranged, Skill::Strength]), [112, 118]);
}

/// Food of a script that fights in Last Man Standing: sharks, karambwans, anglerfish.
fn larder(fighter: &Fighter) -> [usize; 3] {
    [SHARK, COOKED_KARAMBWAN, ANGLERFISH].map(|kind| fighter.count(kind))
}

#[test]
fn below_30_it_eats_a_shark_and_a_karambwan_at_once() {
    for (hp, after, eaten) in [(29, 29 + 38, [1, 1]), (30, 30, [0, 0])] {
        let mut duel = scripted(Build::LmsMed);
        duel.foe().inventory = duel.foe().inventory.map(|k| k.filter(|k| *k != ANGLERFISH));
        duel.foe().attacked = false;
        duel.foe().set_hp(hp);
        let before = larder(duel.foe());
        play(&mut duel);
        let now = larder(duel.foe());
        assert_eq!([before[0] - now[0], before[1] - now[1]], eaten);
        assert_eq!(duel.foe().hp(), after);
    }
}

#[test]
fn a_hit_that_leaves_65_percent_makes_it_eat_at_once() {
    // 64 of 99 is the most at which it eats. The meal comes before the splat.
    for (damage, eats) in [(34, false), (35, true), (99, false)] {
        let mut duel = scripted(Build::LmsMed);
        duel.foe().set_hp(99);
        duel.attack(0, WHIP);
        duel.hits(0, damage);
        let before = larder(duel.foe());
        duel.fight.tick([Order::Act(NOTHING), Order::Wait], &mut duel.told);
        assert_eq!(larder(duel.foe()) != before, eats, "{damage}");
        assert_eq!(duel.foe().hp(), 99 - damage);
    }
}

#[test]
fn agents_do_not_flinch() {
    let mut duel = Duel::of(Build::LmsMed);
    duel.attack(0, WHIP);
    duel.hits(0, 60);
    let before = larder(duel.foe());
    duel.wait(1);
    assert_eq!(larder(duel.foe()), before);
}

#[test]
fn it_strikes_back_in_the_tick_after_a_hit() {
    let mut duel = scripted(Build::Maxed);
    duel.wield(1, WHIP);
    duel.attack(0, WHIP);
    duel.fight.tick([Order::Wait; 2], &mut duel.told);
    assert!(!duel.foe().attacking && duel.foe().retaliate);
    duel.fight.tick([Order::Wait; 2], &mut duel.told);
    assert!(duel.foe().attacking);
    assert_eq!(duel.told.asked.iter().map(|asked| asked.who).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn it_does_not_strike_back_while_it_walks() {
    let mut duel = scripted(Build::Maxed).apart(3);
    duel.foe().path.walk(HERE.offset(3, 0), HERE.offset(9, 0));
    duel.attack(0, RUNE_CROSSBOW);
    for _ in 0..3 {
        duel.fight.tick([Order::Wait; 2], &mut duel.told);
    }
    assert!(duel.foe().attacked && !duel.foe().retaliate && !duel.foe().attacking);
}

#[test]
fn it_strolls_around_its_home_before_it_is_attacked() {
    let mut duel = scripted(Build::Maxed).apart(8);
    duel.foe().attacked = false;
    duel.told.stroll = Some((4, -3));
    play(&mut duel);
    assert_eq!(duel.foe().path.destination(), Some(HERE.offset(12, -3)));
    let mut duel = scripted(Build::Maxed).apart(8);
    duel.told.stroll = Some((4, -3));
    play(&mut duel);
    assert!(duel.foe().path.is_empty());
    assert!(supplies::food(duel.foe()).is_some());
}
