//! Where today's game differs from the recorded server.

use lanista_nh::gear::Kind;
use lanista_nh::kinds::{Prayer, Prayers, Rules, Skill, Spell};
use lanista_nh::loadout::Build;
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

/// The same under both rules: the server's first.
fn both<T>(play: impl Fn(Duel) -> T) -> [T; 2] {
    [Rules::Server2024, Rules::Live].map(|rules| play(Duel::under(rules, Build::Maxed)))
}

fn speed(weapon: Kind, special: bool) -> [i32; 2] {
    both(|mut duel| {
        duel.attack(0, weapon);
        duel.me().special = special;
        duel.wait(1);
        duel.me().timers.left(Timer::Attack)
    })
}

#[test]
fn today_nobody_runs_out_of_stamina() {
    let ends = both(|mut duel| {
        duel.me().stamina = 2;
        duel.me().path.walk(HERE, HERE.offset(0, 20));
        duel.wait(6);
        (duel.me().at.y - HERE.y, duel.me().running)
    });
    assert_eq!(ends, [(8, false), (12, true)]);
}

#[test]
fn speeds_that_have_changed() {
    assert_eq!(speed(DARK_BOW, false), [7, 8]);
    assert_eq!(speed(DARK_BOW, true), [8, 8]);
    assert_eq!(speed(STATIUS_WARHAMMER, false), [6, 5]);
    assert_eq!(speed(STATIUS_WARHAMMER, true), [6, 5]);
}

#[test]
fn speeds_that_have_not() {
    for (weapon, ticks) in [
        (WHIP, 4),
        (ARMADYL_GODSWORD, 6),
        (RUNE_CROSSBOW, 5),
        (BALLISTA, 6),
        (KNIFE, 2),
        (JAVELIN, 5),
    ] {
        assert_eq!(speed(weapon, false), [ticks; 2], "{}", weapon.item().name);
    }
}

#[test]
fn today_a_concentrated_ballista_is_no_faster_than_another() {
    let flights = both(|mut duel| {
        duel.place(1, HERE.offset(6, 0));
        duel.special(0, BALLISTA);
        duel.hits(0, 10);
        duel.shown(1, 5)[0].0
    });
    assert_eq!(flights, [2, 3]);
}

#[test]
fn today_an_accurate_hit_hurts() {
    let splats = both(|mut duel| {
        duel.attack(0, WHIP);
        duel.told.draws = [1, 0].into();
        duel.wait(1);
        duel.splats(1)
    });
    assert_eq!(splats, [[0], [1]]);
}

#[test]
fn today_bolts_come_before_protection() {
    let damage = both(|mut duel| {
        duel.foe().prayers = Prayers::default().with(Prayer::ProtectMissiles);
        duel.attack(0, RUNE_CROSSBOW);
        duel.told.draws = [1, 20, 1].into();
        duel.shown(1, 2)[0].1
    });
    // 12 and 9; six tenths of 29.
    assert_eq!(damage, [21, 17]);
}

#[test]
fn today_protection_stops_every_special() {
    let damage = both(|mut duel| {
        duel.foe().prayers = Prayers::default().with(Prayer::ProtectMelee);
        duel.special(0, STATIUS_WARHAMMER);
        // The server draws an ordinary blow first and throws it away.
        duel.told.draws = match duel.fight.rules {
            Rules::Server2024 => [1, 0, 10].into(),
            Rules::Live => [1, 10].into(),
        };
        duel.wait(1);
        duel.splats(1)[0]
    });
    assert_eq!(damage[1], damage[0] * 3 / 5);
}

#[test]
fn today_claws_share_what_one_roll_draws() {
    let splats = both(|mut duel| {
        duel.special(0, CLAWS);
        duel.told.draws = match duel.fight.rules {
            // Four rolls of accuracy and damage, then the first splat and a coin.
            Rules::Server2024 => [1, 9, 0, 0, 0, 4, 1].into(),
            Rules::Live => [1, 4].into(),
        };
        duel.wait(1);
        let mut splats = duel.splats(1);
        duel.me().disengage();
        splats.extend(duel.shown(1, 2).into_iter().map(|(_, damage)| damage));
        splats
    });
    let [server, live] = splats;
    assert_eq!(server[1..3], [server[0] / 2, server[0] / 4]);
    let all = live[0] * 2;
    assert_eq!((live[1], live[2]), (all / 4, all / 8));
    assert_ne!(server, live);
}

#[test]
fn today_augury_adds_damage_to_spells() {
    // The most that ice barrage can do: a draw above it would be refused.
    let most = both(|mut duel| {
        duel.me().prayers = Prayers::default().with(Prayer::Augury);
        duel.me().worn = [None; 14];
        duel.me().refresh();
        let cast = lanista_nh::formula::Swing::cast(Spell::IceBarrage);
        let (me, foe) = (duel.me().sheet(), duel.foe().sheet());
        lanista_nh::formula::rolls(duel.fight.rules, &me, &foe, cast).max
    });
    assert_eq!(most, [30, 31]);
}

#[test]
fn today_brew_drains_attack_by_what_is_left_of_it() {
    let levels = both(|mut duel| {
        duel.act(BREW);
        duel.wait(2);
        duel.act(BREW);
        duel.levels(0, &[Skill::Attack, Skill::Strength])
    });
    assert_eq!(levels, [[77, 78], [78, 78]]);
}

#[test]
fn both_agree_on_food_prayer_and_freezes() {
    let [server, live] = both(|mut duel| {
        duel.place(1, HERE.offset(4, 0));
        duel.me().set_hp(40);
        duel.hits(0, 20);
        duel.act(together([EAT, BREW, PROTECT_MAGIC, ICE]));
        duel.act(together([ICE, PROTECT_MELEE]));
        for action in [SHOOT, RESTORE, SLASH, NEXT_TO, SLASH_SPECIAL, KARAMBWAN] {
            duel.hits(0, 10);
            duel.tick(action, SHOOT);
        }
        duel.wait(60);
        let state = |who: usize| {
            let fighter = &duel.fight.fighters[who];
            (fighter.levels, fighter.at, fighter.timers, fighter.energy, fighter.prayers)
        };
        (state(0), state(1), duel.told.asked.clone())
    });
    assert_eq!(server, live);
    assert_eq!(server.0.0[Skill::Hitpoints as usize], 40 + 22 + 16);
}
