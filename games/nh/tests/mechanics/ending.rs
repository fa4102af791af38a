//! How fights end.

use std::sync::Arc;

use lanista_game::{Buffers, Control, End, Game, Spec};
use lanista_nh::game::{BOTS, Nh, describe, loadouts};
use lanista_nh::gear::items::ANGLERFISH;
use lanista_nh::kinds::Prayer;
use lanista_nh::loadout::Build;
use lanista_nh::settings::Settings;
use lanista_nh::stats::Stats;

use crate::duel::*;

#[test]
fn who_has_no_life_left_falls() {
    let mut duel = Duel::of(Build::Maxed);
    duel.foe().set_hp(12);
    duel.attack(0, WHIP);
    duel.hits(0, 12);
    duel.wait(1);
    assert_eq!((duel.foe().hp(), duel.foe().dying, duel.fight.over()), (0, true, true));
}

#[test]
fn the_fallen_do_not_rise() {
    let mut duel = Duel::of(Build::Maxed);
    duel.foe().set_hp(0);
    duel.tick(NOTHING, EAT);
    assert_eq!(duel.foe().heal(20), 0);
    assert_eq!((duel.foe().hp(), duel.foe().dying), (0, true));
}

#[test]
fn everything_on_its_way_to_the_fallen_is_forgotten() {
    let mut duel = Duel::of(Build::Maxed).apart(7);
    duel.attack(0, RUNE_CROSSBOW);
    duel.hits(0, 20);
    duel.wait(1);
    duel.foe().queue.wait(9);
    duel.foe().set_hp(0);
    duel.wait(1);
    assert_eq!((duel.foe().queue.pending(), duel.foe().queue.ticks()), (0, -1));
    assert!(duel.splats(1).is_empty());
}

#[test]
fn hits_of_the_fallen_are_dropped() {
    let mut duel = Duel::of(Build::Maxed).apart(7);
    duel.attack(0, RUNE_CROSSBOW);
    duel.hits(0, 20);
    duel.wait(1);
    assert_eq!(duel.foe().queue.pending(), 20);
    duel.me().set_hp(0);
    // Damage that waits for its splat has happened already.
    duel.foe().queue.wait(4);
    assert_eq!(duel.shown(1, 5), [(0, 4)]);
    assert_eq!(duel.foe().hp(), 95);
}

#[test]
fn nobody_attacks_the_fallen() {
    let mut duel = Duel::of(Build::Maxed);
    duel.attack(0, WHIP);
    duel.foe().set_hp(0);
    duel.wait(1);
    assert!(duel.told.asked.is_empty() && !duel.me().attacking);
}

#[test]
fn both_may_fall_in_one_tick() {
    // The faster one falls to a bolt of earlier, the slower one to its last blow.
    let mut duel = Duel::of(Build::Maxed);
    for fighter in &mut duel.fight.fighters {
        fighter.set_hp(10);
    }
    duel.me().queue.wait(20);
    duel.foe().queue.wait(20);
    duel.wait(1);
    assert!(duel.me().dying && duel.foe().dying);
}

#[test]
fn the_fallen_pay_for_no_prayer_and_their_levels_stay() {
    let mut duel = Duel::of(Build::Maxed);
    lanista_nh::sim::pray::activate(duel.me(), Prayer::Piety);
    duel.me().set_hp(0);
    duel.me().timers.set(lanista_nh::sim::timers::Timer::Stats, 1);
    duel.wait(3);
    assert_eq!((duel.me().hp(), duel.me().draining), (0, false));
}

/// A match and its buffers.
struct Played {
    game: Nh,
    buffers: Buffers,
    spec: Arc<Spec>,
}

impl Played {
    fn new(settings: &Settings) -> Self {
        let spec = Arc::new(describe());
        let game = Nh::new(Arc::new(settings.clone()), spec.clone(), loadouts(settings));
        Self { game, buffers: Buffers::new(&spec, 1), spec }
    }

    /// Plays a fight between two scripted players to its end.
    fn play(&mut self, seed: u64, bot: &str) -> End {
        let bot = BOTS.iter().position(|name| *name == bot).unwrap();
        self.game.reset(seed, &[Control::Bot(bot); 2]);
        loop {
            let mut actions = [0; 24];
            for (seat, action) in actions.chunks_mut(12).enumerate() {
                self.game.scripted(bot, seat, action);
            }
            self.game.step(&actions, &mut self.buffers.outcome(0));
            if let Some(end) = self.buffers.end[0] {
                return end;
            }
        }
    }

    /// A term of both seats.
    fn term(&self, name: &str) -> [f32; 2] {
        let term = self.spec.term(name).unwrap();
        [0, 1].map(|seat| self.buffers.terms[seat * self.spec.terms.len() + term])
    }
}

#[test]
fn one_side_wins_and_the_other_loses() {
    let mut played = Played::new(&Settings::default());
    assert_eq!(played.play(3, "greedy"), End::Terminated);
    let [a, b] = &played.game.fight().fighters;
    assert!(a.dying != b.dying);
    let won = [b.dying, a.dying].map(|won| f32::from(u8::from(won)));
    let lost = [won[1], won[0]];
    assert_eq!((played.term("won"), played.term("lost")), (won, lost));
    assert_eq!(played.buffers.score, won);
    assert_eq!(played.term("tied"), [0.0; 2]);
    let fallen = usize::from(b.dying);
    let food = played.term("died_with_food");
    assert_eq!(food[1 - fallen], 0.0);
    assert_eq!(played.term("target_died_with_food")[1 - fallen], food[fallen]);
}

#[test]
fn when_both_fall_both_have_won_and_it_is_a_draw() {
    // Hits of the fallen are dropped, so it takes vengeance, poison or a wound; drawn gear has them.
    let builds = vec![Build::Zerker, Build::Med, Build::LmsZerker, Build::LmsMed];
    let mut settings = Settings { builds, randomize_gear: true, ..Settings::default() };
    settings.levels.hitpoints = Some(10);
    let mut played = Played::new(&settings);
    let mut draws = 0;
    for seed in 0..3000 {
        played.play(seed, "random");
        let [a, b] = &played.game.fight().fighters;
        if a.dying && b.dying {
            draws += 1;
            assert_eq!((played.term("won"), played.term("lost")), ([1.0; 2], [0.0; 2]));
            assert_eq!(played.buffers.score, [1.0; 2]);
        }
    }
    assert!(draws > 3, "{draws} draws");
}

#[test]
fn without_death_match_a_side_without_food_makes_it_a_tie() {
    let settings = Settings { death_match: false, ..Settings::default() };
    let mut played = Played::new(&settings);
    let mut ties = 0;
    for seed in 0..40 {
        let end = played.play(seed, "random");
        assert_eq!(end, End::Terminated);
        let fighters = &played.game.fight().fighters;
        let starving = fighters.iter().any(|fighter| fighter.count(ANGLERFISH) == 0);
        if fighters.iter().all(|fighter| !fighter.dying) {
            ties += 1;
            assert!(starving);
            assert_eq!(played.term("tied"), [1.0; 2]);
            assert_eq!(played.buffers.score, [0.0; 2]);
        }
    }
    assert!(ties > 5, "{ties} ties");
}

#[test]
fn a_fight_is_cut_off_after_its_time() {
    let settings = Settings { max_ticks: 37, ..Settings::default() };
    let mut played = Played::new(&settings);
    assert_eq!(played.play(1, "idle"), End::Truncated);
    assert_eq!(played.game.fight().ticks, 37);
    assert_eq!(played.buffers.score, [0.0; 2]);
    for outcome in ["won", "lost", "tied"] {
        assert_eq!(played.term(outcome), [0.0; 2]);
    }
}

#[test]
fn a_fall_in_the_last_tick_still_decides() {
    let mut played = Played::new(&Settings::default());
    played.play(3, "greedy");
    let ticks = played.game.fight().ticks;
    for (max_ticks, end) in [(ticks, End::Terminated), (ticks - 1, End::Truncated)] {
        let mut played = Played::new(&Settings { max_ticks, ..Settings::default() });
        assert_eq!(played.play(3, "greedy"), end);
    }
}

#[test]
fn each_side_reports_its_own_numbers_and_those_of_the_other() {
    let mut duel = Duel::of(Build::Maxed);
    duel.foe().set_hp(12);
    duel.attack(0, WHIP);
    duel.hits(0, 12);
    duel.wait(1);
    let spec = describe();
    let mut written = vec![f32::NAN; spec.stat_values()];
    Stats::default().write(&duel.fight, &mut written);
    assert!(written.iter().all(|v| v.is_finite()), "every number is written: {written:?}");
    for (side, own, other) in [(0, "", "opponent_"), (1, "opponent_", "")] {
        let (names, numbers) = (spec.stat_names(), spec.stats_of(side, &written));
        let of = |whose: &str, name: &str| {
            let name = format!("{whose}{name}");
            numbers[names.iter().position(|n| *n == name).unwrap()]
        };
        // The one who struck, whichever side reports it; damage is in lives of 99.
        assert_eq!((of(own, "damage"), of(other, "damage")), (12.0 / 99.0, 0.0));
        assert_eq!((of(own, "attacks"), of(other, "attacks")), (1.0, 0.0));
        assert!(of(own, "food_left") > 0.0);
    }
}
