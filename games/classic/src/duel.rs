//! Rock, paper, scissors with unequal stakes, and a vault for the winner.
//!
//! A round has two steps. First both seats choose at once and hidden from each other: rock beats
//! scissors, paper beats rock, scissors beat paper, and the loser pays the stake of the winning
//! choice. Then the winner (after a draw, either seat by the toss of a coin) opens one of two
//! vaults while the other seat waits. Both see which vault is rich; the rich one moves `prize` from
//! the waiting seat to the opener, the other one nothing.
//!
//! **The equilibrium.** Opening the rich vault is always better by `prize`, so winning with a choice
//! of stake `w` is worth `w + prize`, and a draw is worth nothing on average. With `r`, `p`, `s` for
//! these sums, the row player of a round earns
//!
//! ```text
//!            rock  paper  scissors
//! rock          0     -p        +r
//! paper        +p      0        -s
//! scissors     -r     +s         0
//! ```
//!
//! The game is symmetric and zero-sum, so its value is 0. All three choices are played, and a mix
//! `(x, y, z)` leaves the opponent indifferent when `y p = z r` and `x p = z s`: it is `(s, r, p)`
//! scaled to a sum of 1. By default `r, p, s` = 4, 3, 2 and the mix is 2/9 rock, 4/9 paper, 3/9
//! scissors. Rounds only add up, so playing this mix in each of them is the equilibrium of the match.

mod equilibrium;

use std::sync::Arc;

use lanista_game::seed::{self, Rng};
use lanista_game::{
    Control, End, Game, GameSettings, Group, Head, Kind, Outcome, Role, Seat, SettingsError, Spec,
    Stat, View, features, terms,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::bots::dice;
use crate::frame::{self, short};
use crate::settings::within;

pub use equilibrium::{equilibrium, exploitability, payoffs};

const SEATS: usize = 2;
/// Rock, paper, scissors: the actions 0, 1, 2. Each beats the one before it.
const CHOICES: usize = 3;
/// The first vault's action; the second one follows it.
const LEFT: u32 = 3;
const ACTIONS: usize = CHOICES + 2;

features! {
    CHOOSING = "choosing";
    OPENING = "opening";
    LEFT_RICH = "left_rich";
    RIGHT_RICH = "right_rich";
    ROUNDS_LEFT = "rounds_left";
}

terms! {
    WON = Event "won": "what this step won from the other seat, or lost to it";
}

/// What the legal actions of the two steps of a round are.
const CHOOSE_MASK: [bool; ACTIONS] = [true, true, true, false, false];
const OPEN_MASK: [bool; ACTIONS] = [false, false, false, true, true];

/// How the `biased` player chooses.
const BIASED: [f64; CHOICES] = [0.5, 0.25, 0.25];

/// Settings of the game.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Rounds of a match.
    pub rounds: u32,
    /// What winning with rock pays.
    pub rock: f64,
    /// What winning with paper pays.
    pub paper: f64,
    /// What winning with scissors pays.
    pub scissors: f64,
    /// What the rich vault pays.
    pub prize: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rounds: 8, rock: 3.0, paper: 2.0, scissors: 1.0, prize: 1.0 }
    }
}

impl Settings {
    fn stakes(&self) -> [f64; CHOICES] {
        [self.rock, self.paper, self.scissors]
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("rounds", "rounds of a match, two steps each; 1 to 100000"),
        ("rock", "what the loser pays when rock wins; 0.01 to 100"),
        ("paper", "what the loser pays when paper wins; 0.01 to 100"),
        ("scissors", "what the loser pays when scissors win; 0.01 to 100"),
        ("prize", "what the rich vault pays to the seat that opens it; 0.01 to 100"),
    ];

    fn check(&self) -> Result<(), SettingsError> {
        within("rounds", self.rounds, 1..=100_000)?;
        within("rock", self.rock, 0.01..=100.0)?;
        within("paper", self.paper, 0.01..=100.0)?;
        within("scissors", self.scissors, 0.01..=100.0)?;
        within("prize", self.prize, 0.01..=100.0)
    }
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Both choose.
    Choose,
    /// One seat opens a vault; `rich` is the action that pays.
    Open { seat: usize, rich: u32 },
    /// The match is over.
    Over,
}

/// One match.
pub struct Duel {
    spec: Arc<Spec>,
    stakes: [f32; CHOICES],
    prize: f32,
    equilibrium: [f64; CHOICES],
    rounds: u32,
    seed: u64,
    rng: Rng,
    steps: u32,
    left: u32,
    phase: Phase,
    /// What seat 0 has won so far, and seat 1 lost.
    lead: f64,
    played: [[u32; CHOICES]; SEATS],
}

impl Duel {
    fn new(settings: &Settings, spec: Arc<Spec>) -> Self {
        let mut game = Self {
            spec,
            stakes: settings.stakes().map(|stake| stake as f32),
            prize: settings.prize as f32,
            equilibrium: equilibrium(settings),
            rounds: settings.rounds,
            seed: 0,
            rng: seed::rng(0),
            steps: 0,
            left: 0,
            phase: Phase::Choose,
            lead: 0.0,
            played: [[0; CHOICES]; SEATS],
        };
        game.reset(0, &[Control::Outside; SEATS]);
        game
    }

    /// Moves an amount from one seat to the other.
    fn pay(&mut self, to: usize, amount: f32, out: &mut Outcome) {
        out.seat(to)[WON] = amount;
        out.seat(1 - to)[WON] = -amount;
        self.lead += f64::from(out.seat(0)[WON]);
    }

    fn choose(&mut self, choices: [usize; SEATS], out: &mut Outcome) {
        // Drawn whether needed or not, so that the world's dice do not depend on what was chosen.
        let (rich, coin) = (LEFT + u32::from(self.rng.random::<bool>()), self.rng.random::<bool>());
        for (seat, &choice) in choices.iter().enumerate() {
            self.played[seat][choice] += 1;
        }
        let winner = match (choices[0] + CHOICES - choices[1]) % CHOICES {
            0 => None,
            1 => Some(0),
            _ => Some(1),
        };
        if let Some(seat) = winner {
            self.pay(seat, self.stakes[choices[seat]], out);
        }
        self.phase = Phase::Open { seat: winner.unwrap_or(usize::from(coin)), rich };
    }

    fn open(&mut self, seat: usize, found: bool, out: &mut Outcome) {
        if found {
            self.pay(seat, self.prize, out);
        }
        self.left -= 1;
        self.phase = Phase::Choose;
        if self.left == 0 {
            self.phase = Phase::Over;
            *out.end = Some(End::Terminated);
            out.score.copy_from_slice(&[self.lead as f32, -self.lead as f32]);
            for (choice, shares) in out.stats.chunks_exact_mut(SEATS).enumerate() {
                for (share, played) in shares.iter_mut().zip(&self.played) {
                    *share = played[choice] as f32 / self.rounds as f32;
                }
            }
        }
    }
}

impl Kind for Duel {
    type Settings = Settings;
    const NAME: &'static str = "duel";
    const ABOUT: &'static str =
        "rock, paper, scissors with unequal stakes: a known mixed equilibrium";

    fn describe(_: &Settings) -> Spec {
        let player = Role {
            observation: vec![Group::features(features())],
            heads: vec![Head::new("move", ["rock", "paper", "scissors", "left", "right"])],
            bots: ["random", "equilibrium", "biased"].map(Into::into).to_vec(),
            ..Role::default()
        };
        Spec {
            roles: vec![player],
            seats: vec![Seat::of(0), Seat::of(1)],
            terms: terms(),
            stats: ["rock", "paper", "scissors"].map(Stat::team).to_vec(),
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

impl Game for Duel {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        self.seed = seed;
        self.rng = seed::rng(seed);
        self.steps = 0;
        self.left = self.rounds;
        self.phase = Phase::Choose;
        self.lead = 0.0;
        self.played = [[0; CHOICES]; SEATS];
    }

    fn observe(&self, view: &mut View) {
        // Nobody acts after the end, and who acts is public, so both seats share most of the view.
        let (mask, opener, rich) = match self.phase {
            Phase::Choose => (CHOOSE_MASK, None, 0),
            Phase::Open { seat, rich } => (OPEN_MASK, Some(seat), rich),
            Phase::Over => ([true; ACTIONS], None, 0),
        };
        let choosing = self.phase == Phase::Choose;
        let left = self.left as f32 / self.rounds as f32;
        let flag = |on| f32::from(u8::from(on));
        for seat in 0..SEATS {
            let opening = opener == Some(seat);
            let seat = view.seat(seat);
            seat.observation[CHOOSING] = flag(choosing);
            seat.observation[OPENING] = flag(opening);
            seat.observation[LEFT_RICH] = flag(rich == LEFT);
            seat.observation[RIGHT_RICH] = flag(rich == LEFT + 1);
            seat.observation[ROUNDS_LEFT] = left;
            seat.mask.copy_from_slice(&mask);
            *seat.acting = choosing || opening;
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        self.steps += 1;
        match self.phase {
            Phase::Choose => self.choose([actions[0] as usize, actions[1] as usize], out),
            Phase::Open { seat, rich } => self.open(seat, actions[seat] == rich, out),
            Phase::Over => {}
        }
    }

    fn frame(&self, out: &mut String) {
        let (phase, opener, rich) = match self.phase {
            Phase::Choose => ("choose", None, None),
            Phase::Open { seat, rich } => ("open", Some(seat), Some(rich - LEFT)),
            Phase::Over => ("over", None, None),
        };
        let object = json!({
            "step": self.steps,
            "round": self.rounds - self.left,
            "phase": phase,
            "opener": opener,
            "rich": rich,
            "lead": short(self.lead),
            "played": self.played,
        });
        frame::write(&object, out);
    }

    fn scene(&self, out: &mut String) {
        let object = json!({
            "rounds": self.rounds,
            "stakes": self.stakes.map(|stake| short(f64::from(stake))),
            "prize": short(f64::from(self.prize)),
            "equilibrium": self.equilibrium.map(short),
        });
        frame::write(&object, out);
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        let mut dice = dice(self.seed, self.steps, seat);
        let mix = if bot == 1 { self.equilibrium } else { BIASED };
        match self.phase {
            Phase::Choose if bot > 0 => {
                let u = dice.random::<f64>();
                action[0] = u32::from(u >= mix[0]) + u32::from(u >= mix[0] + mix[1]);
            }
            Phase::Open { rich, .. } if bot > 0 => action[0] = rich,
            Phase::Open { .. } => {
                self.spec.roles[0].draw(&OPEN_MASK, &[], &mut dice, action);
            }
            _ => {
                self.spec.roles[0].draw(&CHOOSE_MASK, &[], &mut dice, action);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::Buffers;

    const FEATURES: usize = ROUNDS_LEFT + 1;
    const BOTH: &[Control] = &[Control::Outside; SEATS];

    fn game(settings: &Settings) -> Duel {
        Duel::new(settings, Arc::new(Duel::describe(settings)))
    }

    /// Who chooses for a seat.
    #[derive(Clone, Copy)]
    enum Player {
        Bot(usize),
        /// Always this choice, and the rich vault.
        Pure(u32),
    }

    fn play(game: &mut Duel, seed: u64, players: [Player; 2]) -> Buffers {
        let mut buffers = Buffers::new(game.spec(), 1);
        game.reset(seed, BOTH);
        game.observe(&mut buffers.view(0));
        for step in 0..2 * game.rounds {
            assert!(buffers.end[0].is_none());
            assert_eq!(buffers.acting == [true, true], step % 2 == 0);
            // What a waiting seat is said to do must not matter.
            let mut actions = [4, 4];
            for seat in (0..2).filter(|&s| buffers.acting[s]) {
                match (players[seat], game.phase) {
                    (Player::Pure(choice), Phase::Choose) => actions[seat] = choice,
                    (Player::Pure(_), _) => game.scripted(1, seat, &mut actions[seat..=seat]),
                    (Player::Bot(bot), _) => game.scripted(bot, seat, &mut actions[seat..=seat]),
                }
            }
            game.step(&actions, &mut buffers.outcome(0));
            game.observe(&mut buffers.view(0));
        }
        assert_eq!(buffers.end[0], Some(End::Terminated));
        assert_eq!(buffers.acting, [false, false]);
        assert_eq!(buffers.observation, [0.0; 2 * FEATURES]);
        buffers
    }

    /// Mean score of seat 0 a round.
    fn mean(settings: &Settings, players: [Player; 2], matches: u64) -> f64 {
        let mut game = game(settings);
        let sum: f64 =
            (0..matches).map(|seed| f64::from(play(&mut game, seed, players).score[0])).sum();
        sum / (matches as f64 * f64::from(settings.rounds))
    }

    #[test]
    fn the_game_pays_what_the_table_says() {
        let settings = Settings::default();
        let table = payoffs(&settings);
        for row in 0..3u32 {
            for column in 0..3u32 {
                let players = [Player::Pure(row), Player::Pure(column)];
                let (got, want) =
                    (mean(&settings, players, 500), table[row as usize][column as usize]);
                // A draw is a coin toss for the prize; anything else is certain.
                let slack = if row == column { 0.08 } else { 0.0 };
                assert!((got - want).abs() <= slack, "{row} {column}: {got} but {want}");
            }
        }
    }

    #[test]
    fn the_bots_earn_what_they_should() {
        let settings = Settings::default();
        let (equilibrium, biased) = (Player::Bot(1), Player::Bot(2));
        for choice in 0..3 {
            let got = mean(&settings, [Player::Pure(choice), equilibrium], 4000);
            assert!(got.abs() < 0.08, "{choice}: {got}");
        }
        let got = mean(&settings, [Player::Pure(1), biased], 4000);
        assert!((got - 1.0).abs() < 0.08, "{got}");
        // Against chance the table alone is worth nothing, but chance misses every other prize.
        assert!(mean(&settings, [equilibrium, Player::Bot(0)], 4000) > 0.1);
    }

    #[test]
    fn stats_count_the_choices_of_each_seat() {
        let settings = Settings { rounds: 20_000, ..Settings::default() };
        let mut game = game(&settings);
        let buffers = play(&mut game, 5, [Player::Bot(1), Player::Bot(2)]);
        let mixes = [equilibrium(&settings), BIASED];
        for seat in 0..SEATS {
            let names = game.spec.stat_names().into_iter();
            let stats: Vec<_> = names.zip(game.spec.stats_of(seat, &buffers.stats)).collect();
            for (choice, name) in ["rock", "paper", "scissors"].into_iter().enumerate() {
                for (whose, mix) in [("", mixes[seat]), ("opponent_", mixes[1 - seat])] {
                    let name = format!("{whose}{name}");
                    let got = stats.iter().find(|s| s.0 == name).unwrap().1;
                    assert!((f64::from(got) - mix[choice]).abs() < 0.02, "{name}: {got}");
                }
            }
        }
    }

    #[test]
    fn the_poor_vault_pays_nothing_and_the_waiting_seat_pays_for_the_rich_one() {
        let mut game = game(&Settings::default());
        let mut buffers = Buffers::new(game.spec(), 1);
        for (found, prize) in [(true, 1.0), (false, 0.0)] {
            game.reset(3, BOTH);
            game.step(&[2, 1], &mut buffers.outcome(0));
            assert_eq!(buffers.terms, [1.0, -1.0]);
            game.observe(&mut buffers.view(0));
            assert_eq!(buffers.acting, [true, false]);
            assert_eq!(buffers.mask[..ACTIONS], OPEN_MASK);
            assert_eq!([buffers.observation[1], buffers.observation[FEATURES + 1]], [1.0, 0.0]);
            assert_eq!(buffers.observation[2] + buffers.observation[3], 1.0);
            let Phase::Open { rich, .. } = game.phase else { panic!("nobody opens a vault") };
            let vault = if found { rich } else { 2 * LEFT + 1 - rich };
            game.step(&[vault, 0], &mut buffers.outcome(0));
            assert_eq!(buffers.terms, [prize, -prize]);
        }
    }

    #[test]
    fn impossible_settings_are_refused() {
        let error = Settings { paper: 0.0, ..Settings::default() }.check().unwrap_err();
        assert!(error.to_string().starts_with("settings.paper: 0 "), "{error}");
        assert!(Settings { rounds: 0, ..Settings::default() }.check().is_err());
        assert!(Settings { prize: 1e9, ..Settings::default() }.check().is_err());
    }
}
