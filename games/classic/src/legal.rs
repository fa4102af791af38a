//! Name the state you see, while most actions are illegal.
//!
//! After the environment with which sb3-contrib tests its masked PPO (identity with invalid
//! actions): the state is one of `actions` values, the action of the same number is right and worth
//! 1, every other one is worth 0. Every step draws a new state and a new set of illegal actions,
//! which never holds the right one. States do not depend on actions, so the best return is
//! `length`; a player who chooses among legal actions blindly gets `length / (actions - illegal)`.
//!
//! Distractors append noise to the observation: more inputs, same task.

use std::sync::Arc;

use lanista_game::seed::{self, Rng};
use lanista_game::{
    Control, End, Feature, Game, GameSettings, Group, Head, Kind, Outcome, Role, Seat,
    SettingsError, Spec, View, terms,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::bots::dice;
use crate::frame;
use crate::settings::within;

terms! {
    RIGHT = Event "right": "1 when the action is the state";
}

/// Settings of the game.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// How many states and actions there are.
    pub actions: u32,
    /// How many actions are illegal at a time.
    pub illegal: u32,
    /// Steps of a match.
    pub length: u32,
    /// Features of noise after the state.
    pub distractors: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { actions: 80, illegal: 60, length: 100, distractors: 0 }
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("actions", "number of states, and of actions; 2 to 4096"),
        ("illegal", "actions that are illegal at a time; 0 to actions - 1"),
        ("length", "steps of a match; 1 to 1000000"),
        ("distractors", "features of uniform noise after the state; 0 to 4096"),
    ];

    fn check(&self) -> Result<(), SettingsError> {
        within("actions", self.actions, 2..=4096)?;
        within("illegal", self.illegal, 0..=self.actions - 1)?;
        within("length", self.length, 1..=1_000_000)?;
        within("distractors", self.distractors, 0..=4096)
    }
}

/// One match.
pub struct Legal {
    spec: Arc<Spec>,
    illegal: usize,
    length: u32,
    seed: u64,
    rng: Rng,
    steps: u32,
    right: u32,
    state: usize,
    mask: Vec<bool>,
    noise: Vec<f32>,
    /// A permutation of the actions, shuffled on from step to step: a uniform draw from it is
    /// uniform whatever order it is in, so it need not be rebuilt within a match.
    order: Vec<u32>,
}

impl Legal {
    fn new(settings: &Settings, spec: Arc<Spec>) -> Self {
        let actions = settings.actions as usize;
        let mut game = Self {
            spec,
            illegal: settings.illegal as usize,
            length: settings.length,
            seed: 0,
            rng: seed::rng(0),
            steps: 0,
            right: 0,
            state: 0,
            mask: vec![true; actions],
            noise: vec![0.0; settings.distractors as usize],
            order: vec![0; actions],
        };
        game.reset(0, &[Control::Outside]);
        game
    }

    /// Draws the next state, its illegal actions and its noise.
    fn draw(&mut self) {
        let last = self.order.len() - 1;
        let pick = self.rng.random_range(0..=last);
        self.order.swap(pick, last);
        self.state = self.order[last] as usize;
        // The others split into legal and illegal ones; drawing the smaller part is enough.
        let legal = last - self.illegal;
        let (drawn, fate) =
            if legal < self.illegal { (legal, true) } else { (self.illegal, false) };
        self.mask.fill(!fate);
        for i in 0..drawn {
            let j = self.rng.random_range(i..last);
            self.order.swap(i, j);
            self.mask[self.order[i] as usize] = fate;
        }
        self.mask[self.state] = true;
        for n in &mut self.noise {
            *n = self.rng.random_range(-1.0..=1.0);
        }
    }
}

impl Kind for Legal {
    type Settings = Settings;
    const NAME: &'static str = "legal";
    const ABOUT: &'static str = "name the state you see while most actions are illegal";

    fn describe(settings: &Settings) -> Spec {
        let numbered = |name, count| (0..count).map(move |i| Feature::from(format!("{name}_{i}")));
        let (states, noise) =
            (numbered("state", settings.actions), numbered("noise", settings.distractors));
        let player = Role {
            observation: vec![Group::features(states), Group::features(noise)],
            heads: vec![Head::new("answer", (0..settings.actions).map(|i| i.to_string()))],
            bots: ["random", "perfect"].map(Into::into).to_vec(),
            ..Role::default()
        };
        Spec {
            roles: vec![player],
            seats: vec![Seat::of(0)],
            terms: terms(),
            stats: vec!["accuracy".into()],
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

impl Game for Legal {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        self.seed = seed;
        self.rng = seed::rng(seed);
        self.steps = 0;
        self.right = 0;
        // The order left by the match before would show in this one.
        for (i, action) in self.order.iter_mut().enumerate() {
            *action = i as u32;
        }
        self.draw();
    }

    fn observe(&self, view: &mut View) {
        let seat = view.seat(0);
        let (states, noise) = seat.observation.split_at_mut(self.mask.len());
        states.fill(0.0);
        states[self.state] = 1.0;
        noise.copy_from_slice(&self.noise);
        seat.mask.copy_from_slice(&self.mask);
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        if actions[0] as usize == self.state {
            out.seat(0)[RIGHT] = 1.0;
            self.right += 1;
        }
        self.steps += 1;
        if self.steps >= self.length {
            // Nothing was decided, and the next state would be like any other.
            *out.end = Some(End::Truncated);
            out.score[0] = self.right as f32;
            out.stats[0] = self.right as f32 / self.length as f32;
        }
        self.draw();
    }

    fn frame(&self, out: &mut String) {
        let legal: Vec<usize> = (0..self.mask.len()).filter(|&i| self.mask[i]).collect();
        let object =
            json!({"step": self.steps, "right": self.right, "state": self.state, "legal": legal});
        frame::write(&object, out);
    }

    fn scene(&self, out: &mut String) {
        let object = json!({"actions": self.mask.len(), "length": self.length});
        frame::write(&object, out);
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        if bot == 0 {
            let mut dice = dice(self.seed, self.steps, seat);
            self.spec.roles[0].draw(&self.mask, &[], &mut dice, action);
        } else {
            action[0] = self.state as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::Buffers;

    const ALONE: &[Control] = &[Control::Outside];

    fn game(settings: &Settings) -> Legal {
        Legal::new(settings, Arc::new(Legal::describe(settings)))
    }

    fn episode(game: &mut Legal, seed: u64, bot: usize) -> f32 {
        let mut buffers = Buffers::new(game.spec(), 1);
        let mut total = 0.0;
        game.reset(seed, ALONE);
        for step in 1..=game.length {
            let mut action = [0];
            game.scripted(bot, 0, &mut action);
            game.step(&action, &mut buffers.outcome(0));
            total += buffers.terms[0];
            assert_eq!(buffers.end[0], (step == game.length).then_some(End::Truncated));
        }
        assert_eq!(buffers.score[0], total);
        total
    }

    #[test]
    fn the_bots_earn_what_they_should() {
        let mut game = game(&Settings::default());
        assert_eq!(episode(&mut game, 3, 1), 100.0);
        // One in twenty legal actions is right: 5 a match.
        let mean = (0..400).map(|seed| episode(&mut game, seed, 0)).sum::<f32>() / 400.0;
        assert!((4.6..5.4).contains(&mean), "{mean}");
    }

    #[test]
    fn exactly_so_many_actions_are_illegal_and_never_the_right_one() {
        for illegal in [0, 1, 5, 8, 9] {
            let mut game = game(&Settings { actions: 10, illegal, ..Settings::default() });
            let mut buffers = Buffers::new(game.spec(), 1);
            let mut blocked = [0u32; 10];
            for _ in 0..10_000 {
                game.step(&[0], &mut buffers.outcome(0));
                game.observe(&mut buffers.view(0));
                assert_eq!(buffers.mask.iter().filter(|&&m| !m).count(), illegal as usize);
                assert!(buffers.mask[game.state]);
                assert_eq!(buffers.observation[game.state], 1.0);
                assert_eq!(buffers.observation.iter().sum::<f32>(), 1.0);
                for (b, &m) in blocked.iter_mut().zip(&buffers.mask) {
                    *b += u32::from(!m);
                }
            }
            // Every action is blocked equally often, up to 5 standard deviations of at most 50.
            let expected = 1000 * illegal;
            assert!(blocked.iter().all(|&b| b.abs_diff(expected) < 250), "{blocked:?}");
        }
    }

    #[test]
    fn distractors_follow_the_state_and_stay_in_range() {
        let mut game = game(&Settings { actions: 90, distractors: 38, ..Settings::default() });
        assert_eq!(game.spec().roles[0].features(), 128);
        let mut buffers = Buffers::new(game.spec(), 1);
        game.observe(&mut buffers.view(0));
        let before = buffers.observation[90..].to_vec();
        game.step(&[0], &mut buffers.outcome(0));
        game.observe(&mut buffers.view(0));
        assert!(buffers.observation[90..].iter().all(|n| (-1.0..=1.0).contains(n)));
        assert_ne!(before, buffers.observation[90..]);
    }

    #[test]
    fn impossible_settings_are_refused() {
        let error = Settings { actions: 10, illegal: 10, ..Settings::default() }.check();
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("settings.illegal: 10 "), "{error}");
        assert!(error.contains("at most 9"), "{error}");
        assert!(Settings { actions: 1, illegal: 0, ..Settings::default() }.check().is_err());
        assert!(Settings { length: 0, ..Settings::default() }.check().is_err());
        assert!(Settings { distractors: 5000, ..Settings::default() }.check().is_err());
    }
}
