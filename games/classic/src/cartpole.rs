//! A pole on a cart, to be kept upright by pushing the cart left or right.
//!
//! The dynamics are those of Gymnasium's CartPole-v1, operation by operation: the equations of
//! Barto, Sutton and Anderson (1983) without friction, integrated by explicit Euler. Every step is
//! worth 1, the one that drops the pole included, so the best return is `limit`.
//!
//! `cartpole-novel` hides both velocities. Where the pole is going must then be remembered from
//! where it was, and a policy without memory cannot balance it for long.

use std::f64::consts::PI;
use std::sync::Arc;

use lanista_game::{
    Control, End, Game, GameSettings, Head, Kind, Outcome, Role, Seat, SettingsError, Spec, View,
    seed, terms,
};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::bots::dice;
use crate::frame::{self, short};
use crate::settings::within;

const GRAVITY: f64 = 9.8;
const CART_MASS: f64 = 1.0;
const POLE_MASS: f64 = 0.1;
const TOTAL_MASS: f64 = CART_MASS + POLE_MASS;
/// Half the length of the pole: where its mass sits.
const HALF_LENGTH: f64 = 0.5;
const POLE_MOMENT: f64 = POLE_MASS * HALF_LENGTH;
const FORCE: f64 = 10.0;
/// Seconds per step.
const TAU: f64 = 0.02;
const TRACK: f64 = 2.4;
const LEAN: f64 = 12.0 * 2.0 * PI / 360.0;
/// Every state variable starts within this of zero.
const START: f64 = 0.05;

terms! {
    BALANCE = Event "balance": "1 for every step, the one that loses the pole included";
}

/// Settings of both games.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Steps after which a match is cut off.
    pub limit: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { limit: 500 }
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] =
        &[("limit", "steps after which a balanced match is cut off; 1 to 1000000")];

    fn check(&self) -> Result<(), SettingsError> {
        within("limit", self.limit, 1..=1_000_000)
    }
}

/// Cart and pole in metres, radians and seconds. Angles grow to the right.
#[derive(Clone, Copy, Debug, Default)]
struct Pole {
    position: f64,
    velocity: f64,
    angle: f64,
    spin: f64,
}

impl Pole {
    /// One Euler step. The order of operations is part of the specification: the reference
    /// trajectories are reproduced only if rounding happens where it happens there.
    #[inline]
    fn push(&mut self, right: bool) {
        let force = if right { FORCE } else { -FORCE };
        let (sin, cos) = self.angle.sin_cos();
        let pull = (force + POLE_MOMENT * (self.spin * self.spin) * sin) / TOTAL_MASS;
        let spin_rate = (GRAVITY * sin - cos * pull)
            / (HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * (cos * cos) / TOTAL_MASS));
        let acceleration = pull - POLE_MOMENT * spin_rate * cos / TOTAL_MASS;
        self.position += TAU * self.velocity;
        self.velocity += TAU * acceleration;
        self.angle += TAU * self.spin;
        self.spin += TAU * spin_rate;
    }

    #[inline]
    fn lost(&self) -> bool {
        self.position.abs() > TRACK || self.angle.abs() > LEAN
    }
}

/// One match. `VELOCITIES` tells whether the player sees them.
pub struct Cartpole<const VELOCITIES: bool> {
    spec: Arc<Spec>,
    limit: u32,
    seed: u64,
    steps: u32,
    pole: Pole,
}

impl<const VELOCITIES: bool> Cartpole<VELOCITIES> {
    fn new(settings: &Settings, spec: Arc<Spec>) -> Self {
        let mut game =
            Self { spec, limit: settings.limit, seed: 0, steps: 0, pole: Pole::default() };
        game.reset(0, &[Control::Outside]);
        game
    }
}

impl<const VELOCITIES: bool> Kind for Cartpole<VELOCITIES> {
    type Settings = Settings;
    const NAME: &'static str = if VELOCITIES { "cartpole" } else { "cartpole-novel" };
    const ABOUT: &'static str = if VELOCITIES {
        "keep a pole upright on a cart; every step is worth 1"
    } else {
        "keep a pole upright on a cart without seeing velocities: needs memory"
    };

    fn describe(_: &Settings) -> Spec {
        let seen = if VELOCITIES {
            ["position", "velocity", "angle", "angular_velocity"].into()
        } else {
            ["position", "angle"].into()
        };
        let player = Role {
            observation: vec![seen],
            heads: vec![Head::new("push", ["left", "right"])],
            bots: ["random", "lean"].map(Into::into).to_vec(),
            ..Role::default()
        };
        Spec {
            roles: vec![player],
            seats: vec![Seat::of(0)],
            terms: terms(),
            stats: vec!["length".into()],
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

impl<const VELOCITIES: bool> Game for Cartpole<VELOCITIES> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        let mut rng = seed::rng(seed);
        let mut start = || rng.random_range(-START..START);
        self.pole = Pole { position: start(), velocity: start(), angle: start(), spin: start() };
        self.seed = seed;
        self.steps = 0;
    }

    #[inline]
    fn observe(&self, view: &mut View) {
        let Pole { position, velocity, angle, spin } = self.pole;
        let seen = view.seat(0).observation;
        if VELOCITIES {
            seen.copy_from_slice(&[position as f32, velocity as f32, angle as f32, spin as f32]);
        } else {
            seen.copy_from_slice(&[position as f32, angle as f32]);
        }
    }

    #[inline]
    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        self.pole.push(actions[0] == 1);
        self.steps += 1;
        out.seat(0)[BALANCE] = 1.0;
        let end = if self.pole.lost() {
            End::Terminated
        } else if self.steps >= self.limit {
            End::Truncated
        } else {
            return;
        };
        *out.end = Some(end);
        out.score[0] = self.steps as f32;
        out.stats[0] = self.steps as f32;
    }

    fn frame(&self, out: &mut String) {
        let Pole { position, velocity, angle, spin } = self.pole;
        let object = json!({
            "step": self.steps,
            "position": short(position),
            "velocity": short(velocity),
            "angle": short(angle),
            "spin": short(spin),
        });
        frame::write(&object, out);
    }

    fn scene(&self, out: &mut String) {
        let object = json!({
            "limit": self.limit,
            "track": TRACK,
            "lean": short(LEAN),
            "pole": 2.0 * HALF_LENGTH,
        });
        frame::write(&object, out);
    }

    fn step_secs(&self) -> Option<f64> {
        Some(TAU)
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        let right = if bot == 0 {
            dice(self.seed, self.steps, seat).random()
        } else {
            // Push to where the pole will lean in a moment: the cart must get under it.
            self.pole.angle + FORESIGHT * self.pole.spin > 0.0
        };
        action[0] = u32::from(right);
    }
}

/// How many seconds ahead the scripted player looks.
const FORESIGHT: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use lanista_game::Buffers;

    const ALONE: &[Control] = &[Control::Outside];

    fn game<const V: bool>(limit: u32) -> Cartpole<V> {
        let settings = Settings { limit };
        Cartpole::new(&settings, Arc::new(Cartpole::<V>::describe(&settings)))
    }

    fn episode<const V: bool>(
        game: &mut Cartpole<V>,
        seed: u64,
        bot: usize,
    ) -> (f32, Option<End>, Buffers) {
        let mut buffers = Buffers::new(game.spec(), 1);
        let mut total = 0.0;
        game.reset(seed, ALONE);
        loop {
            let mut action = [0];
            game.scripted(bot, 0, &mut action);
            game.step(&action, &mut buffers.outcome(0));
            total += buffers.terms[0];
            if buffers.end[0].is_some() {
                game.observe(&mut buffers.view(0));
                return (total, buffers.end[0], buffers);
            }
        }
    }

    #[test]
    fn gymnasium_trajectories_are_reproduced() {
        #[derive(Deserialize)]
        struct Fixture {
            episodes: Vec<Episode>,
        }
        #[derive(Deserialize)]
        struct Episode {
            states: Vec<[f64; 4]>,
            actions: Vec<u32>,
            terminated: bool,
        }
        let fixture: Fixture =
            serde_json::from_str(include_str!("../fixtures/cartpole.json")).unwrap();
        assert!(fixture.episodes.iter().any(|e| e.terminated));
        for Episode { states, actions, terminated } in fixture.episodes {
            let mut game = game::<true>(500);
            let mut buffers = Buffers::new(game.spec(), 1);
            let [position, velocity, angle, spin] = states[0];
            game.pole = Pole { position, velocity, angle, spin };
            assert_eq!(states.len(), actions.len() + 1);
            for (t, &action) in actions.iter().enumerate() {
                game.step(&[action], &mut buffers.outcome(0));
                game.observe(&mut buffers.view(0));
                let Pole { position, velocity, angle, spin } = game.pole;
                for (i, got) in [position, velocity, angle, spin].into_iter().enumerate() {
                    let want = states[t + 1][i];
                    assert!((got - want).abs() < 1e-12, "step {t}, {i}: {got} but {want}");
                    assert_eq!(buffers.observation[i], got as f32);
                }
                let last = t + 1 == actions.len();
                assert_eq!(buffers.end[0], (last && terminated).then_some(End::Terminated));
            }
        }
    }

    #[test]
    fn the_limit_truncates_and_a_loss_on_the_same_step_terminates() {
        let mut game = game::<true>(1);
        let mut buffers = Buffers::new(game.spec(), 1);
        game.step(&[0], &mut buffers.outcome(0));
        assert_eq!(buffers.end[0], Some(End::Truncated));
        assert_eq!((buffers.score[0], buffers.stats[0]), (1.0, 1.0));
        game.reset(0, ALONE);
        game.pole.position = TRACK;
        game.pole.velocity = 1.0;
        game.step(&[0], &mut buffers.outcome(0));
        assert_eq!(buffers.end[0], Some(End::Terminated));
        assert_eq!(buffers.terms[0], 1.0);
    }

    #[test]
    fn starts_are_small_and_fill_their_range() {
        let mut game = game::<true>(500);
        let (mut low, mut high) = (0.0f64, 0.0f64);
        for seed in 0..1000 {
            game.reset(seed, ALONE);
            let Pole { position, velocity, angle, spin } = game.pole;
            for v in [position, velocity, angle, spin] {
                assert!(v.abs() <= START);
                (low, high) = (low.min(v), high.max(v));
            }
        }
        assert!(low < -0.049 && high > 0.049, "{low} {high}");
    }

    #[test]
    fn leaning_beats_chance_by_far() {
        let mut game = game::<true>(500);
        let mean = |game: &mut Cartpole<true>, bot| {
            (0..200).map(|seed| episode(game, seed, bot).0).sum::<f32>() / 200.0
        };
        let (random, lean) = (mean(&mut game, 0), mean(&mut game, 1));
        assert!((15.0..30.0).contains(&random), "{random}");
        assert!(lean > 150.0, "{lean}");
    }

    #[test]
    fn the_novel_variant_differs_only_in_what_is_seen() {
        let (mut full, mut novel) = (game::<true>(500), game::<false>(500));
        for seed in 0..20 {
            let (a, b) = (episode(&mut full, seed, 0), episode(&mut novel, seed, 0));
            assert_eq!((a.0, a.1), (b.0, b.1));
            assert_eq!([a.2.observation[0], a.2.observation[2]], b.2.observation[..]);
        }
    }
}
