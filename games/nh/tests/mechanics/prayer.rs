//! Prayers: what excludes what, what they cost, and smite, redemption and protection.

use lanista_nh::gear::{PRAYER, SLOTS};
use lanista_nh::kinds::Prayer::{
    Augury, EagleEye, IncredibleReflexes, MysticMight, Piety, ProtectMagic, ProtectMelee,
    ProtectMissiles, Redemption, Rigour, Smite, SteelSkin, UltimateStrength,
};
use lanista_nh::kinds::{FightType, Prayers, Skill};
use lanista_nh::loadout::Build;
use lanista_nh::sim::pray;

use crate::duel::*;

fn praying<const N: usize>(prayers: [lanista_nh::kinds::Prayer; N]) -> Prayers {
    prayers.into_iter().fold(Prayers::default(), Prayers::with)
}

/// Turns prayers on one after the other and tells which are left.
fn in_turn<const N: usize>(prayers: [lanista_nh::kinds::Prayer; N]) -> Prayers {
    let mut duel = Duel::of(Build::Maxed);
    for prayer in prayers {
        pray::activate(duel.me(), prayer);
    }
    duel.me().prayers
}

#[test]
fn overhead_prayers_exclude_each_other() {
    let overheads = [
        (PROTECT_MAGIC, ProtectMagic),
        (PROTECT_MISSILES, ProtectMissiles),
        (PROTECT_MELEE, ProtectMelee),
        (SMITE, Smite),
        (REDEMPTION, Redemption),
    ];
    let mut duel = Duel::of(Build::Maxed);
    duel.me().prayers = praying([Piety]);
    for (action, prayer) in overheads.into_iter().chain(overheads) {
        duel.act(action);
        assert_eq!(duel.me().prayers, praying([Piety, prayer]));
    }
}

#[test]
fn greater_offensive_prayers_exclude_all_others() {
    for greater in [Piety, Rigour, Augury] {
        for other in [Piety, Rigour, Augury, SteelSkin, UltimateStrength, EagleEye, MysticMight] {
            assert_eq!(in_turn([other, greater]), praying([greater]), "{other:?}");
        }
    }
    assert_eq!(in_turn([ProtectMelee, Piety]), praying([ProtectMelee, Piety]));
}

#[test]
fn lesser_offensive_prayers_exclude_those_of_their_kind() {
    let melee = [SteelSkin, UltimateStrength, IncredibleReflexes];
    assert_eq!(in_turn(melee), praying(melee));
    let [skin, strength, reflexes] = melee;
    assert_eq!(in_turn([skin, strength, reflexes, EagleEye]), praying([skin, EagleEye]));
    assert_eq!(in_turn([skin, EagleEye, MysticMight]), praying([skin, MysticMight]));
    assert_eq!(in_turn([MysticMight, strength]), praying([strength]));
    assert_eq!(in_turn([Piety, strength]), praying([strength]));
    // Steel skin ends every greater prayer, because those defend too.
    assert_eq!(in_turn([Rigour, skin]), praying([skin]));
}

#[test]
fn attacks_turn_their_prayers_on() {
    for (build, action, prayers) in [
        (Build::Maxed, ICE, praying([Augury])),
        (Build::Maxed, SHOOT, praying([Rigour])),
        (Build::Maxed, SLASH, praying([Piety])),
        (Build::Maxed, TANK, praying([Augury])),
        (Build::Pure, ICE, praying([SteelSkin, MysticMight])),
        (Build::Pure, SHOOT, praying([SteelSkin, EagleEye])),
        (Build::Pure, SLASH, praying([SteelSkin, UltimateStrength, IncredibleReflexes])),
    ] {
        let mut duel = Duel::of(build);
        duel.act(action);
        assert_eq!(duel.me().prayers, prayers, "{build:?} {action:?}");
    }
}

#[test]
fn prayers_ask_for_levels() {
    let mut duel = Duel::of(Build::Pure);
    // 52 prayer and 1 defence: smite is within reach, piety is not.
    for prayer in [Piety, Rigour, Augury] {
        pray::activate(duel.me(), prayer);
    }
    assert_eq!(duel.me().prayers, Prayers::default());
    pray::activate(duel.me(), Smite);
    assert_eq!(duel.me().prayers, praying([Smite]));
    duel.me().max[Skill::Prayer as usize] = 51;
    duel.me().prayers = Prayers::default();
    pray::activate(duel.me(), Smite);
    assert_eq!(duel.me().prayers, Prayers::default());
    // Points alone do not make a knight.
    for (defence, prayers) in [(69, Prayers::default()), (70, praying([Piety]))] {
        duel.me().max[Skill::Prayer as usize] = 99;
        duel.me().max[Skill::Defence as usize] = defence;
        pray::activate(duel.me(), Piety);
        assert_eq!(duel.me().prayers, prayers);
    }
}

/// Ticks until the first point is paid for these prayers with this prayer bonus.
fn first_point<const N: usize>(prayers: [lanista_nh::kinds::Prayer; N], bonus: i16) -> usize {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().worn = [None; SLOTS];
    duel.me().refresh();
    duel.me().gear.bonuses[PRAYER] = bonus;
    for prayer in prayers {
        pray::activate(duel.me(), prayer);
    }
    (1..)
        .find(|_| {
            duel.wait(1);
            duel.me().level(Skill::Prayer) < 99
        })
        .unwrap()
}

#[test]
fn prayers_cost_points_by_the_minute() {
    // 20 points a minute are a fifth of a point each tick; a tick more where a sum of fifths falls
    // just short of one.
    assert_eq!(first_point([ProtectMelee], 0), 5);
    assert_eq!(first_point([EagleEye], 0), 5);
    assert_eq!(first_point([Piety], 0), 3);
    assert_eq!(first_point([Smite], 0), 4);
    assert_eq!(first_point([Redemption], 0), 11);
    assert_eq!(first_point([Piety, ProtectMagic], 0), 2);
}

#[test]
fn prayer_bonuses_stretch_points() {
    // 1 + 0.0333 * 30 makes a point last twice as long.
    assert_eq!(first_point([ProtectMelee], 30), 10);
    assert_eq!(first_point([Piety, ProtectMagic], 15), 3);
}

#[test]
fn a_prayer_of_this_tick_is_paid_from_the_next_on() {
    let mut duel = Duel::of(Build::Maxed);
    duel.act(PROTECT_MELEE);
    assert_eq!(duel.me().drain, 0.0);
    duel.wait(1);
    assert!(duel.me().drain > 0.0);
}

#[test]
fn without_points_all_prayers_end() {
    let mut duel = Duel::of(Build::Maxed);
    pray::activate(duel.me(), Piety);
    pray::activate(duel.me(), ProtectMelee);
    set_level(duel.me(), Skill::Prayer, 1);
    duel.wait(5);
    assert_eq!(duel.me().level(Skill::Prayer), 0);
    assert_eq!((duel.me().prayers, duel.me().drain), (Prayers::default(), 0.0));
    duel.act(together([PROTECT_MAGIC, SLASH]));
    assert_eq!(duel.me().prayers, Prayers::default());
}

#[test]
fn prayer_is_full_after_each_tick_of_last_man_standing() {
    for (fight_type, points) in
        [(FightType::Lms, 99), (FightType::Normal, 40), (FightType::PvpArena, 40)]
    {
        let mut duel = Duel::of(Build::Maxed);
        duel.fight.fight_type = fight_type;
        set_level(duel.me(), Skill::Prayer, 40);
        duel.wait(1);
        assert_eq!(duel.me().level(Skill::Prayer), points);
    }
}

/// Prayer points of the victim after a hit under smite.
fn smitten(damage: i16, points: i16) -> i16 {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().prayers = praying([Smite]);
    set_level(duel.foe(), Skill::Prayer, points);
    duel.attack(0, WHIP);
    duel.hits(0, damage);
    duel.wait(1);
    duel.foe().level(Skill::Prayer)
}

#[test]
fn smite_takes_a_quarter_of_the_damage() {
    assert_eq!([40, 39, 3, 0].map(|damage| smitten(damage, 50)), [40, 41, 50, 50]);
    assert_eq!(smitten(40, 7), 0);
}

#[test]
fn smite_counts_when_the_hit_lands() {
    for (at_attack, at_landing, points) in
        [(Prayers::default(), praying([Smite]), 45), (praying([Smite]), Prayers::default(), 50)]
    {
        let mut duel = Duel::of(Build::Maxed).apart(5);
        set_level(duel.foe(), Skill::Prayer, 50);
        duel.attack(0, RUNE_CROSSBOW);
        duel.me().prayers = at_attack;
        duel.hits(0, 20);
        duel.wait(1);
        duel.me().disengage();
        duel.me().prayers = at_landing;
        duel.wait(3);
        assert_eq!(duel.foe().level(Skill::Prayer), points);
    }
}

#[test]
fn prayers_outlast_the_points_until_the_next_is_due() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().prayers = praying([Smite]);
    duel.foe().worn = [None; SLOTS];
    duel.foe().refresh();
    pray::activate(duel.foe(), ProtectMelee);
    set_level(duel.foe(), Skill::Prayer, 4);
    duel.attack(0, WHIP);
    duel.hits(0, 20);
    duel.wait(4);
    assert_eq!(duel.foe().level(Skill::Prayer), 0);
    assert!(duel.foe().prayers.has(ProtectMelee));
    duel.wait(1);
    assert_eq!(duel.foe().prayers, Prayers::default());
}

/// Life and prayer points after a hit under redemption.
fn redeemed(hp: i16, damage: i16) -> (i16, i16) {
    let mut duel = Duel::of(Build::Maxed);
    duel.foe().prayers = praying([Redemption, Piety]);
    duel.foe().set_hp(hp);
    duel.attack(0, WHIP);
    duel.hits(0, damage);
    duel.wait(1);
    let points = duel.foe().level(Skill::Prayer);
    assert_eq!(points == 0, duel.foe().prayers == Prayers::default());
    (duel.foe().hp(), points)
}

#[test]
fn redemption_heals_at_a_tenth_of_life_and_empties_prayer() {
    // A quarter of 99 points are 24.
    assert_eq!(redeemed(30, 21), (9 + 24, 0));
    assert_eq!(redeemed(30, 29), (1 + 24, 0));
    assert_eq!(redeemed(30, 20), (10, 99));
}

#[test]
fn redemption_does_not_save_from_death() {
    assert_eq!(redeemed(30, 30), (0, 99));
}

#[test]
fn redemption_and_smite_ask_for_an_accurate_hit() {
    // An enchanted bolt hurts even when the shot itself missed.
    let mut duel = Duel::of(Build::Maxed);
    duel.me().prayers = praying([Smite]);
    duel.foe().prayers = praying([Redemption]);
    duel.foe().set_hp(16);
    duel.attack(0, RUNE_CROSSBOW);
    let bolt = lanista_nh::sim::chance::Rolled { accurate: false, ..hit(9) };
    duel.told.strikes[0].push_back(vec![bolt]);
    duel.wait(2);
    assert_eq!((duel.foe().hp(), duel.foe().level(Skill::Prayer)), (7, 99));
}
