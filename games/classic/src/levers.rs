//! A door, a key and a lever, chosen together; every choice depends on the one before.
//!
//! Each step one or two of four doors stand open, at random, and the player is not told which: only
//! the mask knows. A clue shows which key fits which door, and door and key decide which way the
//! lever goes. The right key is worth 1/4, the right lever after it another 3/4. Steps do not
//! influence each other.
//!
//! **The optimum** is 1 a step, `length` a match: whichever door was taken, the clue tells its key
//! and the key its lever, and requirements never forbid the right lever.
//!
//! **Independent heads** reach 3/8 of it at best. Let such a player choose a door `D` and a key `K`
//! from the clue alone. The key is right if it is the one for `D`, and each key fits one door, so
//!
//! ```text
//! P(right key) = sum over doors d of P(K fits d) P(D = d) <= max over d of P(D = d) <= P(d open)
//! ```
//!
//! because a door must be open to be taken. A given door is open with probability E\[open doors\] / 4
//! = (1 + 2) / 2 / 4 = 3/8, and no step is worth more than 1. A player who always takes the same door
//! if it is open, with its key and its lever, earns exactly that. This bounds masked distributions
//! as well as fixed choices: nothing above asks how `D` came about.

use std::sync::Arc;

use lanista_game::seed::{self, Rng};
use lanista_game::{
    Condition, Control, End, Game, GameSettings, Group, Head, Kind, Outcome, Requirement, Role,
    Seat, SettingsError, Spec, View, terms,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::bots::dice;
use crate::frame;
use crate::settings::within;

const CLUES: [&str; 3] = ["moon", "star", "sun"];
const DOORS: [&str; 4] = ["north", "east", "south", "west"];
const KEYS: [&str; 4] = ["iron", "brass", "silver", "gold"];
const LEVER: [&str; 4] = ["leave", "pull", "push", "turn"];

const DOOR: usize = 0;
const KEY: usize = 1;
const NORTH: u32 = 0;
const IRON: u32 = 0;
const BRASS: u32 = 1;
const GOLD: u32 = 3;
const PULL: u32 = 1;
const PUSH: u32 = 2;
const TURN: u32 = 3;

terms! {
    KEY_FITS = Event "key": "0.25 when the key fits the door";
    LEVER_GOES = Event "lever": "0.75 when the lever goes the right way after a key that fits";
}

/// What the right key and the right lever are worth.
const WORTH: [f32; 2] = [0.25, 0.75];
/// The doors come first in the mask; what follows is restricted by requirements alone.
const DOOR_MASK: usize = DOORS.len();

/// The most one step can bring.
pub const OPTIMUM: f64 = 1.0;
/// The most one step brings, on average, to a player whose heads do not see each other's choices.
pub const INDEPENDENT_OPTIMUM: f64 = 3.0 / 8.0;

/// The key that fits a door under a clue. Every clue turns the keys by one more.
fn right_key(clue: u32, door: u32) -> u32 {
    (door + clue + 1) % KEYS.len() as u32
}

/// The way the lever goes behind a door opened with a key.
fn right_lever(door: u32, key: u32) -> u32 {
    match (door, key) {
        (NORTH, GOLD) => TURN,
        (_, IRON) | (NORTH, BRASS) => PULL,
        _ => PUSH,
    }
}

/// Settings of the game.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Steps of a match.
    pub length: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { length: 16 }
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] =
        &[("length", "steps of a match, and its best return; 1 to 1000000")];

    fn check(&self) -> Result<(), SettingsError> {
        within("length", self.length, 1..=1_000_000)
    }
}

/// One match.
pub struct Levers {
    spec: Arc<Spec>,
    length: u32,
    seed: u64,
    rng: Rng,
    steps: u32,
    clue: u32,
    open: [bool; DOORS.len()],
    /// How often the key was right, and the lever after it.
    right: [u32; 2],
}

impl Levers {
    fn new(settings: &Settings, spec: Arc<Spec>) -> Self {
        let mut game = Self {
            spec,
            length: settings.length,
            seed: 0,
            rng: seed::rng(0),
            steps: 0,
            clue: 0,
            open: [true; DOORS.len()],
            right: [0; 2],
        };
        game.reset(0, &[Control::Outside]);
        game
    }

    fn draw(&mut self) {
        self.clue = self.rng.random_range(0..CLUES.len() as u32);
        let first = self.rng.random_range(0..DOORS.len());
        self.open = [false; DOORS.len()];
        self.open[first] = true;
        if self.rng.random() {
            let other = self.rng.random_range(1..DOORS.len());
            self.open[(first + other) % DOORS.len()] = true;
        }
    }

    /// The first open door from north on.
    fn open_door(&self) -> u32 {
        self.open.iter().position(|&o| o).unwrap_or_default() as u32
    }
}

/// Was the key right, and the lever after it?
fn judge(clue: u32, action: &[u32]) -> [bool; 2] {
    let [door, key, lever] = [action[0], action[1], action[2]];
    let fits = key == right_key(clue, door);
    [fits, fits && lever == right_lever(door, key)]
}

impl Kind for Levers {
    type Settings = Settings;
    const NAME: &'static str = "levers";
    const ABOUT: &'static str = "door, key and lever: each choice depends on the one before";

    fn describe(_: &Settings) -> Spec {
        let lever =
            |action, condition, choices| Requirement { head: 2, action, condition, choices };
        let player = Role {
            observation: vec![Group::features(CLUES.map(|clue| format!("clue_{clue}")))],
            heads: vec![
                Head::new("door", DOORS),
                Head::new("key", KEYS),
                Head::new("lever", LEVER),
            ],
            requires: vec![
                lever(PULL, Condition::Any, vec![(KEY, IRON), (KEY, BRASS)]),
                lever(PUSH, Condition::None, vec![(KEY, IRON)]),
                lever(TURN, Condition::All, vec![(DOOR, NORTH), (KEY, GOLD)]),
            ],
            bots: ["random", "perfect", "independent"].map(Into::into).to_vec(),
            ..Role::default()
        };
        Spec {
            roles: vec![player],
            seats: vec![Seat::of(0)],
            terms: terms(),
            stats: vec!["keys".into(), "levers".into()],
            ..Spec::default()
        }
    }

    fn matches(
        settings: Settings,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError> {
        Ok((0..count).map(|_| Self::new(&settings, spec.clone())).collect())
    }
}

impl Game for Levers {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        self.seed = seed;
        self.rng = seed::rng(seed);
        self.steps = 0;
        self.right = [0; 2];
        self.draw();
    }

    fn observe(&self, view: &mut View) {
        let mut seat = view.seat(0);
        seat.observation.fill(0.0);
        seat.observation[self.clue as usize] = 1.0;
        seat.head(DOOR).copy_from_slice(&self.open);
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        let right = judge(self.clue, actions);
        for (i, term) in [KEY_FITS, LEVER_GOES].into_iter().enumerate() {
            if right[i] {
                out.seat(0)[term] = WORTH[i];
                self.right[i] += 1;
            }
        }
        self.steps += 1;
        if self.steps >= self.length {
            // Nothing was decided, and the next step would be like any other.
            *out.end = Some(End::Truncated);
            for i in 0..2 {
                out.score[0] += self.right[i] as f32 * WORTH[i];
                out.stats[i] = self.right[i] as f32 / self.length as f32;
            }
        }
        self.draw();
    }

    fn frame(&self, out: &mut String) {
        let doors = (0..DOORS.len() as u32).map(|door| {
            let key = right_key(self.clue, door);
            json!({
                "open": self.open[door as usize],
                "key": KEYS[key as usize],
                "lever": LEVER[right_lever(door, key) as usize],
            })
        });
        let object = json!({
            "step": self.steps,
            "keys": self.right[0],
            "levers": self.right[1],
            "clue": CLUES[self.clue as usize],
            "doors": doors.collect::<Vec<_>>(),
        });
        frame::write(&object, out);
    }

    fn scene(&self, out: &mut String) {
        frame::write(&json!({"length": self.length, "doors": DOORS}), out);
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        match bot {
            0 => {
                let mut mask = [true; DOORS.len() + KEYS.len() + LEVER.len()];
                mask[..DOOR_MASK].copy_from_slice(&self.open);
                let mut dice = dice(self.seed, self.steps, seat);
                self.spec.roles[0].draw(&mask, &[], &mut dice, action);
            }
            1 => {
                let door = self.open_door();
                let key = right_key(self.clue, door);
                action.copy_from_slice(&[door, key, right_lever(door, key)]);
            }
            // Hopes for the north door. The lever follows from the hope and the key, which is why
            // it stays legal except for `turn` behind another door.
            _ => {
                let door = self.open_door();
                let key = right_key(self.clue, NORTH);
                let hoped = right_lever(NORTH, key);
                let lever = if hoped == TURN && door != NORTH { PUSH } else { hoped };
                action.copy_from_slice(&[door, key, lever]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::Buffers;

    const ALONE: &[Control] = &[Control::Outside];

    fn game() -> Levers {
        let settings = Settings::default();
        Levers::new(&settings, Arc::new(Levers::describe(&settings)))
    }

    fn episode(game: &mut Levers, seed: u64, bot: usize) -> f32 {
        let mut buffers = Buffers::new(game.spec(), 1);
        let mut total = 0.0;
        game.reset(seed, ALONE);
        for step in 1..=game.length {
            let mut action = [0; 3];
            game.scripted(bot, 0, &mut action);
            game.step(&action, &mut buffers.outcome(0));
            total += buffers.terms.iter().sum::<f32>();
            assert_eq!(buffers.end[0], (step == game.length).then_some(End::Truncated));
        }
        assert_eq!(buffers.score[0], total);
        total
    }

    fn legal(role: &Role, action: &[u32]) -> bool {
        role.requires.iter().all(|r| action[r.head] != r.action || r.allows(action))
    }

    /// Every order of four things.
    fn orders() -> Vec<[u32; 4]> {
        let mut all = vec![];
        for code in 0..256u32 {
            let order = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
            if (0..4).all(|x| order.contains(&x)) {
                all.push(order);
            }
        }
        assert_eq!(all.len(), 24);
        all
    }

    /// The sets of open doors with their probabilities.
    fn open_sets() -> Vec<(f64, Vec<u32>)> {
        let mut sets = vec![];
        for a in 0..4 {
            sets.push((0.5 / 4.0, vec![a]));
            sets.extend((a + 1..4).map(|b| (0.5 / 6.0, vec![a, b])));
        }
        sets
    }

    #[test]
    fn every_clue_gives_every_door_its_own_key_and_a_legal_lever() {
        let role = game().spec.roles[0].clone();
        let mut levers = vec![];
        for clue in 0..3 {
            let mut keys: Vec<_> = (0..4).map(|door| right_key(clue, door)).collect();
            for (door, &key) in keys.iter().enumerate() {
                let lever = right_lever(door as u32, key);
                assert!(legal(&role, &[door as u32, key, lever]));
                levers.push(lever);
            }
            keys.sort_unstable();
            assert_eq!(keys, [0, 1, 2, 3]);
        }
        assert!([PULL, PUSH, TURN].iter().all(|l| levers.contains(l)));
    }

    #[test]
    fn doors_open_as_often_as_the_derivation_says() {
        let mut game = game();
        let mut buffers = Buffers::new(game.spec(), 1);
        let mut counts = [0u32; 16];
        let n = 60_000;
        for _ in 0..n {
            game.step(&[0; 3], &mut buffers.outcome(0));
            counts
                [game.open.iter().enumerate().map(|(i, &o)| usize::from(o) << i).sum::<usize>()] +=
                1;
        }
        let mut expected = [0.0; 16];
        for (p, set) in open_sets() {
            expected[set.iter().map(|d| 1usize << d).sum::<usize>()] = p;
        }
        for (&count, p) in counts.iter().zip(expected) {
            assert!((f64::from(count) / f64::from(n) - p).abs() < 0.008, "{counts:?}");
        }
    }

    /// All players whose heads do not see each other: for a clue, an order of doors, a key and an
    /// order of levers, each head taking the first legal entry of its own order.
    #[test]
    fn no_independent_player_beats_three_eighths() {
        let (role, orders, sets) = (game().spec.roles[0].clone(), orders(), open_sets());
        for clue in 0..3 {
            let mut best = 0.0f64;
            for doors in &orders {
                for key in 0..4 {
                    for levers in &orders {
                        let mut value = 0.0;
                        for (p, open) in &sets {
                            let door = *doors.iter().find(|d| open.contains(d)).unwrap();
                            let lever = levers.iter().find(|&&l| legal(&role, &[door, key, l]));
                            let judged = judge(clue, &[door, key, *lever.unwrap()]);
                            for (right, worth) in judged.into_iter().zip(WORTH) {
                                value += p * f64::from(u8::from(right)) * f64::from(worth);
                            }
                        }
                        best = best.max(value);
                    }
                }
            }
            assert!((best - INDEPENDENT_OPTIMUM).abs() < 1e-12, "clue {clue}: {best}");
        }
    }

    #[test]
    fn the_bots_earn_what_the_derivation_says() {
        let mut game = game();
        let mut mean = |bot| {
            (0..2000).map(|seed| f64::from(episode(&mut game, seed, bot))).sum::<f64>()
                / (2000.0 * 16.0)
        };
        assert_eq!(mean(1), OPTIMUM);
        let independent = mean(2);
        assert!((independent - INDEPENDENT_OPTIMUM).abs() < 0.015, "{independent}");
        assert!(mean(0) < 0.25);
    }

    #[test]
    fn the_mask_shows_doors_and_the_observation_does_not() {
        let mut game = game();
        let mut buffers = Buffers::new(game.spec(), 1);
        game.clue = 1;
        for open in [[true, false, false, true], [false, true, false, false]] {
            game.open = open;
            game.observe(&mut buffers.view(0));
            assert_eq!(buffers.mask[..4], open);
            assert!(buffers.mask[4..].iter().all(|&m| m));
            assert_eq!(buffers.observation, [0.0, 1.0, 0.0]);
        }
    }
}
