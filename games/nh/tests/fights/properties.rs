//! What holds in every fight, whoever fights and however: played through the interface of games.

use std::sync::Arc;

use lanista_game::seed::{self, Rng};
use lanista_game::{Buffers, Control, Game, GameSettings, Requirement, Spec};
use lanista_nh::contract::{ACTIONS, HEADS, OFFSETS};
use lanista_nh::game::{BASELINE, BOTS, IDLE, Nh, describe, loadouts};
use lanista_nh::gear::items::{ANGLERFISH, COOKED_KARAMBWAN, SHARK};
use lanista_nh::kinds::{Rules, Skill};
use lanista_nh::loadout::Build;
use lanista_nh::mask::head;
use lanista_nh::settings::Settings;
use lanista_nh::sim::fighter::Fighter;
use lanista_nh::sim::supplies::{self, BREW, RANGING, SUPER_COMBAT, SUPER_RESTORE};
use rand::RngExt;

/// A match with its buffers, and the requirements of the contract by action.
struct Match {
    game: Nh,
    buffers: Buffers,
    requires: [Option<Requirement>; ACTIONS],
}

impl Match {
    fn new(settings: &Settings) -> Self {
        let spec = Arc::new(describe());
        let buffers = Buffers::new(&spec, 1);
        let requires = by_action(&spec);
        settings.check().unwrap();
        let game = Nh::new(Arc::new(settings.clone()), spec, loadouts(settings));
        Self { game, buffers, requires }
    }

    fn reset(&mut self, seed: u64, players: Players) {
        self.game.reset(seed, &players);
        self.game.observe(&mut self.buffers.view(0));
        // Nothing was played yet: the outcome of the fight before is no part of this one.
        self.buffers.outcome(0);
    }

    fn step(&mut self, actions: &[u32; 24]) {
        self.game.step(actions, &mut self.buffers.outcome(0));
        self.game.observe(&mut self.buffers.view(0));
    }

    fn ended(&self) -> bool {
        self.buffers.end[0].is_some()
    }

    /// Everything that is legal now, with equal chances head by head; where nothing is, the first
    /// action is taken.
    fn legal(&self, rng: &mut Rng) -> [u32; 24] {
        let mut actions = [0; 24];
        for seat in 0..2 {
            let mask = &self.buffers.mask[seat * ACTIONS..][..ACTIONS];
            for (index, (_, choices)) in HEADS.iter().enumerate() {
                let (mut open, mut count) = ([0; 7], 0);
                for choice in 0..choices.len() {
                    let at = OFFSETS[index] + choice;
                    let chosen = &actions[seat * 12..][..12];
                    if mask[at] && self.requires[at].as_ref().is_none_or(|r| r.allows(chosen)) {
                        open[count] = choice as u32;
                        count += 1;
                    }
                }
                if count > 0 {
                    actions[seat * 12 + index] = open[rng.random_range(0..count)];
                } else {
                    // Only tank gear without an attack, and prayers, may be out of reach altogether.
                    assert!([8, 11].contains(&index), "nothing is left of {}", HEADS[index].0);
                }
            }
        }
        actions
    }

    /// All bits that the rest of the program sees.
    fn bits(&self) -> Vec<u32> {
        let b = &self.buffers;
        let numbers = [&b.observation, &b.privileged, &b.terms, &b.score, &b.stats];
        let mut bits: Vec<u32> = numbers.into_iter().flatten().map(|n| n.to_bits()).collect();
        bits.extend(b.mask.iter().map(|&legal| u32::from(legal)));
        bits.push(match b.end[0] {
            None => 0,
            Some(end) => 1 + end as u32,
        });
        bits
    }
}

fn by_action(spec: &Spec) -> [Option<Requirement>; ACTIONS] {
    let mut requires = std::array::from_fn(|_| None);
    for requirement in &spec.roles[0].requires {
        let place = &mut requires[OFFSETS[requirement.head] + requirement.action as usize];
        assert!(place.is_none(), "one requirement an action is all that this file knows");
        *place = Some(requirement.clone());
    }
    requires
}

/// All builds under both rules with every combination of the switches, gear drawn or not.
fn everything(rules: Rules) -> impl Iterator<Item = Settings> {
    (0..128u32).map(move |bits| {
        let on = |bit: u32| bits >> bit & 1 == 1;
        Settings {
            rules,
            builds: Build::ALL.to_vec(),
            randomize_gear: on(5),
            randomize_fight_type: true,
            only_switch_prayer_when_about_to_attack: on(0),
            only_switch_gear_when_attack_soon: on(1),
            allow_smite: on(2),
            allow_redemption: on(3),
            allow_moving_if_can_attack: on(4),
            death_match: on(6),
            start_beside: on(0) ^ on(4),
            ..Settings::default()
        }
    })
}

/// What a fighter can only lose: food by kind and potions by dose.
fn supplies_of(fighter: &Fighter) -> [usize; 7] {
    let [shark, angler, karambwan] =
        [SHARK, ANGLERFISH, COOKED_KARAMBWAN].map(|k| fighter.count(k));
    let [a, b, c, d] = [BREW, SUPER_RESTORE, SUPER_COMBAT, RANGING].map(|p| p.doses(fighter));
    [shark, angler, karambwan, a, b, c, d]
}

/// What a fighter never loses: its gear, by number and by the sum of ids. Stacks merge and part.
fn gear_of(fighter: &Fighter) -> (usize, u32) {
    let items = fighter.worn.iter().chain(&fighter.inventory).flatten().map(|kind| kind.item());
    let gear = items.filter(|item| item.slot.is_some() && !item.stackable);
    gear.fold((0, 0), |(count, sum), item| (count + 1, sum + u32::from(item.id)))
}

fn assert_bounds(fighter: &Fighter) {
    let combat = |skill| supplies::combat_boost(fighter.max_level(skill));
    let life = fighter.max_hp();
    for (skill, over) in [
        (Skill::Attack, combat(Skill::Attack)),
        (Skill::Strength, combat(Skill::Strength)),
        (
            Skill::Defence,
            combat(Skill::Defence).max(supplies::brew_defence(fighter.max_level(Skill::Defence))),
        ),
        (Skill::Hitpoints, supplies::anglerfish_heal(life).max(supplies::brew_heal(life))),
        (Skill::Ranged, supplies::ranging_boost(fighter.max_level(Skill::Ranged))),
        (Skill::Prayer, 0),
        (Skill::Magic, 0),
    ] {
        let (level, most) = (fighter.level(skill), fighter.max_level(skill) + over);
        assert!((0..=most).contains(&level), "{skill:?} is {level} of at most {most}");
    }
    assert_eq!(fighter.hp() == 0, fighter.dying);
    assert!((0..=100).contains(&fighter.energy), "energy {}", fighter.energy);
    assert!((0..=100).contains(&fighter.stamina), "stamina {}", fighter.stamina);
    assert!((0.0..1.0).contains(&fighter.pid));
    assert!((0.0..1.0).contains(&fighter.drain), "drain {}", fighter.drain);
}

fn assert_mask(mask: &[bool]) {
    let mask = mask.try_into().unwrap();
    // Prayers stay as they are only where none is on offer.
    assert!(!head(mask, 11)[0]);
    for index in 1..11 {
        assert!(head(mask, index)[0], "{} has no way out", HEADS[index].0);
    }
    // Not attacking is on offer only while no attack is ready.
    let [nothing, magic, ranged, melee] = head(mask, 0) else { unreachable!() };
    for (style, index) in [(magic, 3), (ranged, 2), (melee, 1)] {
        assert_eq!(*style, head(mask, index)[1..].contains(&true), "{}", HEADS[index].0);
    }
    assert!(*nothing || *magic || *ranged || *melee, "no attack and no way around one");
}

/// Looks at everything that a match shows, and behind it.
fn assert_sound(played: &Match) {
    let b = &played.buffers;
    let numbers = [&b.observation, &b.privileged, &b.terms, &b.score, &b.stats];
    assert!(numbers.into_iter().flatten().all(|number| number.is_finite()));
    b.mask.chunks(ACTIONS).for_each(assert_mask);
    played.game.fight().fighters.iter().for_each(assert_bounds);
}

/// Plays so many ticks of random fights and looks at everything after each.
fn explore(rules: Rules, ticks: usize, choose: fn(&Match, &mut Rng) -> [u32; 24]) {
    let settings: Vec<Settings> = everything(rules).collect();
    let share = ticks.div_ceil(settings.len());
    for (number, settings) in settings.iter().enumerate() {
        let mut rng = seed::rng(number as u64);
        let mut played = Match::new(settings);
        let (mut left, mut fight) = (share, 0);
        while left > 0 {
            played.reset(seed::episode(1, number, fight), OUTSIDE);
            assert_sound(&played);
            fight += 1;
            let gear = [0, 1].map(|seat| gear_of(&played.game.fight().fighters[seat]));
            let mut before = [0, 1].map(|seat| supplies_of(&played.game.fight().fighters[seat]));
            while left > 0 && !played.ended() {
                let actions = choose(&played, &mut rng);
                played.step(&actions);
                left -= 1;
                assert_sound(&played);
                for seat in 0..2 {
                    let fighter = &played.game.fight().fighters[seat];
                    let now = supplies_of(fighter);
                    assert!(now.iter().zip(before[seat]).all(|(now, before)| *now <= before));
                    before[seat] = now;
                    assert_eq!(gear_of(fighter), gear[seat]);
                }
            }
        }
    }
}

#[test]
fn random_fights_on_the_server_keep_every_bound() {
    explore(Rules::Server2024, 1_000_000, Match::legal);
}

#[test]
fn random_fights_of_today_keep_every_bound() {
    explore(Rules::Live, 1_000_000, Match::legal);
}

#[test]
fn what_is_not_on_offer_does_no_harm() {
    for rules in [Rules::Server2024, Rules::Live] {
        explore(rules, 60_000, |_, rng| {
            std::array::from_fn(|place| rng.random_range(0..HEADS[place % 12].1.len() as u32))
        });
    }
}

/// Seats played by scripted players, or from outside: then random actions are played.
type Players = [Control; 2];

const OUTSIDE: Players = [Control::Outside; 2];

/// The bits of every tick of a fight.
fn recorded(played: &mut Match, players: Players, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = seed::rng(seed::mix(seed, 99));
    played.reset(seed, players);
    let mut bits = vec![played.bits()];
    while !played.ended() {
        let mut actions = played.legal(&mut rng);
        for (seat, action) in actions.chunks_mut(12).enumerate() {
            if let Control::Bot(bot) = players[seat] {
                assert_eq!(played.buffers.acting[seat], ![BASELINE, IDLE].contains(&bot));
                played.game.scripted(bot, seat, action);
            }
        }
        played.step(&actions);
        bits.push(played.bits());
    }
    bits
}

fn drawn_settings() -> Settings {
    Settings {
        builds: Build::ALL.to_vec(),
        randomize_gear: true,
        randomize_fight_type: true,
        max_ticks: 400,
        ..Settings::default()
    }
}

fn all_players() -> Vec<Players> {
    let bots: Vec<Control> = (0..BOTS.len()).map(Control::Bot).chain([Control::Outside]).collect();
    bots.iter().flat_map(|&a| bots.iter().map(move |&b| [a, b])).collect()
}

/// Compares without printing a fight.
fn assert_same(ours: &[Vec<u32>], theirs: &[Vec<u32>], what: &str) {
    let differs = ours.iter().zip(theirs).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{what}: the first tick that differs");
    assert_eq!(ours.len(), theirs.len(), "{what}: the length");
}

#[test]
fn the_same_seed_and_actions_give_the_same_bits() {
    for rules in [Rules::Server2024, Rules::Live] {
        let settings = Settings { rules, ..drawn_settings() };
        let (mut one, mut two) = (Match::new(&settings), Match::new(&settings));
        let mut different = std::collections::HashSet::new();
        for (index, players) in all_players().into_iter().enumerate() {
            for seed in [index as u64, 1000 + index as u64] {
                let first = recorded(&mut one, players, seed);
                let second = recorded(&mut two, players, seed);
                assert_same(&first, &second, &format!("{players:?}, seed {seed}"));
                different.insert(first);
            }
        }
        assert_eq!(different.len(), 2 * all_players().len(), "seeds make fights differ");
    }
}

#[test]
fn a_reset_leaves_nothing_of_the_fight_before() {
    let settings = drawn_settings();
    let mut used = Match::new(&settings);
    for (index, players) in all_players().into_iter().enumerate() {
        let seed = 7 + index as u64;
        // Some fights are left in the middle, one side played by the script.
        if index % 3 == 0 {
            let mut players = OUTSIDE;
            players[index % 2] = Control::Bot(BASELINE);
            used.reset(seed + 500, players);
            for _ in 0..50 {
                let actions = used.legal(&mut seed::rng(seed));
                used.step(&actions);
            }
        }
        let again = recorded(&mut used, players, seed);
        let fresh = recorded(&mut Match::new(&settings), players, seed);
        assert_same(&again, &fresh, &format!("{players:?}, seed {seed}"));
    }
}

#[test]
fn asking_a_scripted_player_twice_changes_nothing() {
    let settings = drawn_settings();
    for bot in 0..BOTS.len() {
        let (mut once, mut twice) = (Match::new(&settings), Match::new(&settings));
        for seed in 0..10 {
            let players = [Control::Bot(bot); 2];
            let expected = recorded(&mut once, players, seed);
            twice.reset(seed, players);
            for bits in &expected[1..] {
                let mut actions = [0; 24];
                for _ in 0..2 {
                    for (seat, action) in actions.chunks_mut(12).enumerate() {
                        twice.game.scripted(bot, seat, action);
                    }
                }
                twice.step(&actions);
                assert!(twice.bits() == *bits, "{}, seed {seed}", BOTS[bot]);
            }
        }
    }
}

/// A seat that the fight drives, or that nobody takes, does not act, and what is said to be its action is nothing.
#[test]
fn who_is_driven_inside_needs_no_actions() {
    let settings = drawn_settings();
    for driver in [Control::Bot(BASELINE), Control::Bot(IDLE), Control::Nobody] {
        for seat in 0..2 {
            let mut players = OUTSIDE;
            players[seat] = driver;
            let (mut told, mut silent) = (Match::new(&settings), Match::new(&settings));
            told.reset(seat as u64, players);
            silent.reset(seat as u64, players);
            let mut rng = seed::rng(5);
            while !told.ended() {
                assert!(!told.buffers.acting[seat] && told.buffers.acting[1 - seat]);
                let mut actions = told.legal(&mut rng);
                told.step(&actions);
                actions[seat * 12..][..12].fill(1);
                silent.step(&actions);
                assert!(told.bits() == silent.bits(), "{driver:?}");
            }
        }
    }
}
