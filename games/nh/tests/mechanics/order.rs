//! Who does what when: the order of a tick and the places in it.

use lanista_game::seed;
use lanista_nh::gear::items::ANGLERFISH;
use lanista_nh::kinds::{FightType, Prayer, Style};
use lanista_nh::loadout::Build;
use lanista_nh::sim::Order;
use lanista_nh::sim::dice::Random;
use lanista_nh::sim::timers::Timer;

use crate::duel::*;

#[test]
fn the_smaller_pid_strikes_first() {
    for first in [0, 1] {
        let mut duel = Duel::of(Build::Maxed);
        duel.fight.fighters[first].pid = 0.1;
        duel.fight.fighters[1 - first].pid = 0.2;
        for who in [0, 1] {
            duel.attack(who, WHIP);
            duel.fight.fighters[who].set_hp(5);
            duel.hits(who, 40);
        }
        duel.wait(1);
        // The blow lands before the slower one gets to strike.
        assert!(duel.fight.fighters[1 - first].dying);
        assert!(!duel.fight.fighters[first].dying);
        assert_eq!(duel.told.asked.len(), 1);
    }
}

#[test]
fn both_act_before_anyone_is_attacked() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, WHIP);
    duel.tick(NOTHING, PROTECT_MELEE);
    // The slower side's prayer of the same tick already stands.
    assert_eq!(duel.told.asked[0].prayed, Some(Style::Melee));
}

#[test]
fn both_act_before_anyone_moves() {
    let mut duel = Duel::of(Build::Maxed);
    duel.wield(0, WHIP);
    duel.me().path.walk(HERE, HERE.offset(-4, 0));
    duel.foe().attacked = true;
    duel.told.overhead = true;
    // The script prays against a swordsman within reach, though he is about to run away.
    duel.fight.tick([Order::Act(NOTHING), Order::Script], &mut duel.told);
    assert!(duel.foe().prayers.has(Prayer::ProtectMelee));
    assert_eq!(duel.me().at, HERE.offset(-2, 0));
}

#[test]
fn who_moves_first_gets_away_from_a_held_swordsman() {
    for (pid, struck) in [(0.1, 0), (0.9, 1)] {
        let mut duel = Duel::of(Build::Maxed);
        duel.attack(0, WHIP);
        duel.me().timers.set(Timer::Freeze, 20);
        duel.foe().pid = pid;
        duel.foe().path.walk(HERE.offset(1, 0), HERE.offset(5, 0));
        duel.wait(1);
        assert_eq!(duel.told.asked.len(), struck, "the runner's pid is {pid}");
        assert_eq!(duel.foe().at, HERE.offset(3, 0));
    }
}

#[test]
fn a_drawn_pid_counts_from_the_next_tick_on() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, WHIP);
    duel.attack(1, WHIP);
    duel.foe().redraw = 1;
    duel.told.pids.push_back((0.1, 50));
    duel.wait(1);
    assert_eq!((duel.foe().pid, duel.foe().redraw), (0.1, 50));
    duel.me().timers.set(Timer::Attack, 0);
    duel.foe().timers.set(Timer::Attack, 0);
    duel.wait(1);
    let order: Vec<usize> = duel.told.asked.iter().map(|asked| asked.who).collect();
    assert_eq!(order, [0, 1, 1, 0]);
}

/// Ticks between two changes of the first fighter's pid, over many ticks.
fn changes(fight_type: FightType) -> Vec<u32> {
    let mut duel = Duel::of(Build::Maxed);
    duel.fight.fight_type = fight_type;
    duel.me().redraw = 45;
    duel.foe().redraw = 55;
    let mut dice = Random(seed::rng(7));
    let (mut pid, mut last, mut gaps) = (duel.me().pid, 0, Vec::new());
    for tick in 1..=20_000 {
        duel.fight.tick([Order::Wait; 2], &mut dice);
        if duel.me().pid != pid {
            gaps.push(tick - last);
            (pid, last) = (duel.me().pid, tick);
        }
    }
    gaps
}

#[test]
fn pids_are_drawn_every_40_to_60_ticks() {
    for fight_type in [FightType::Normal, FightType::Lms] {
        let gaps = changes(fight_type);
        assert_eq!(gaps[0], 45);
        for ticks in 40..=60 {
            assert!(gaps.contains(&ticks), "never after {ticks}");
        }
        assert!(gaps.iter().all(|ticks| (40..=60).contains(ticks)));
    }
}

#[test]
fn pids_are_kept_in_the_pvp_arena() {
    assert!(changes(FightType::PvpArena).is_empty());
}

#[test]
fn an_agent_acts_after_its_timers() {
    let mut duel = Duel::of(Build::Maxed);
    let food = duel.me().count(ANGLERFISH);
    duel.me().timers.set(Timer::Food, 1);
    duel.act(EAT);
    assert_eq!(duel.me().count(ANGLERFISH), food - 1);
    // What it sees counts that tick already.
    assert_eq!(duel.me().timers.left(Timer::Food), 3);
    assert_eq!(duel.me().timers.ahead(Timer::Food), 2);
}

#[test]
fn timers_run_without_an_order() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().timers.set(Timer::Attack, 2);
    for left in [1, 0, -1] {
        duel.fight.tick([Order::Wait; 2], &mut duel.told);
        assert_eq!(duel.fight.fighters[0].timers.uncapped(Timer::Attack), left);
    }
    assert_eq!(duel.fight.ticks, 3);
}

#[test]
fn an_attack_waits_for_its_timer() {
    for (weapon, speed) in [(WHIP, 4), (SCIMITAR, 4), (ARMADYL_GODSWORD, 6), (KODAI_WAND, 5)] {
        let mut duel = Duel::of(Build::Maxed);
        duel.attack(0, weapon);
        let mut ticks = Vec::new();
        for tick in 0..20 {
            let before = duel.told.asked.len();
            duel.wait(1);
            if duel.told.asked.len() > before {
                ticks.push(tick);
            }
        }
        let expected: Vec<usize> = (0..20).step_by(speed).collect();
        assert_eq!(ticks, expected, "{}", weapon.item().name);
    }
}

#[test]
fn bare_hands_strike_every_four_ticks() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, WHIP);
    duel.me().worn = [None; 14];
    duel.me().refresh();
    duel.wait(9);
    assert_eq!(duel.told.asked.len(), 3);
}
