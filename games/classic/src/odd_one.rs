//! Find the one that is not like the others, among things whose order means nothing.
//!
//! Every step puts 5 to 12 things into 12 places. All but one are alike and the player must name the
//! place of the odd one. Things are of a *kind*, one of a list, and have a *heading*. In half of the
//! steps all head the same way but for noise, and the odd one is of another kind; in the other half all
//! are of one kind, and the odd one heads the opposite way. How many things there are, which places they
//! take, the two kinds, the common heading and who is odd are drawn anew for every step.
//!
//! **The optimum** is 1 a step, `length` a match. A kind that occurs once among at least five things is
//! the odd one's. If there is none, let `a` be the noise, at most 40 degrees. Headings of two common
//! things differ by at most `2a`, so the cosine between them is at least `cos 80° > 0.17`; that between
//! the odd one and a common thing is at most `cos 100° < -0.17`. Of `n >= 5` things a common one has
//! cosines that sum to more than `0.17 (n - 2) - 1 >= -0.49` and the odd one at most `-0.17 (n - 1) <=
//! -0.68`: the smallest sum is the odd one's.
//!
//! **Chance** is the mean of `1 / n`: (1/5 + … + 1/12) / 8 = 0.1275 a step.
//!
//! **Without comparison** at most 1/2 is reached. Take a player that gives every thing a score from what
//! is seen of it alone and names the highest. A step with common things `C` and odd one `d` is as likely
//! as one with odd one `c` of `C` and common things that include `d`: kinds, headings and noise are drawn
//! alike for both. To be right in the first, `d` must score above all of `C`, hence above `c`; to be
//! right in the second, `c` must score above `d`. So of each such pair one is missed. What is needed is a
//! look at all things at once, the same whatever their order, and kinds are names rather than amounts;
//! that is what sets and embeddings are for.

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
use crate::frame::{self, short};
use crate::settings::within;

/// How many places there are.
pub const PLACES: usize = 12;
/// How many things there are at least.
pub const FEWEST: usize = 5;
/// Numbers of a place: presence, place, kind, heading.
const WIDTH: usize = 5;

/// The most one step can bring.
pub const OPTIMUM: f64 = 1.0;
/// The most one step brings, on average, to a player that scores every thing by itself.
pub const APART_BOUND: f64 = 0.5;

terms! {
    FOUND = Event "found": "1 for the place of the odd one";
}

/// Settings of the game.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Steps of a match.
    pub length: u32,
    /// How many kinds there are.
    pub kinds: u32,
    /// How far headings stray, in degrees.
    pub noise: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { length: 16, kinds: 8, noise: 30.0 }
    }
}

impl GameSettings for Settings {
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("length", "steps of a match, and its best return; 1 to 1000000"),
        ("kinds", "kinds that things may be of; 2 to 4096"),
        ("noise", "degrees by which a heading strays at most; 0 to 40"),
    ];

    fn check(&self) -> Result<(), SettingsError> {
        within("length", self.length, 1..=1_000_000)?;
        within("kinds", self.kinds, 2..=4096)?;
        within("noise", self.noise, 0.0..=40.0)
    }
}

/// What is in a place.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Thing {
    /// From 1 on; 0 is no kind.
    kind: u32,
    heading: [f32; 2],
}

/// One match.
pub struct OddOne {
    spec: Arc<Spec>,
    settings: Settings,
    seed: u64,
    rng: Rng,
    steps: u32,
    right: u32,
    things: [Option<Thing>; PLACES],
    odd: usize,
}

impl OddOne {
    fn new(settings: Settings, spec: Arc<Spec>) -> Self {
        let mut game = Self {
            spec,
            settings,
            seed: 0,
            rng: seed::rng(0),
            steps: 0,
            right: 0,
            things: [None; PLACES],
            odd: 0,
        };
        game.reset(0, &[Control::Outside]);
        game
    }

    fn draw(&mut self) {
        let rng = &mut self.rng;
        let count = rng.random_range(FEWEST..=PLACES);
        let mut order: [usize; PLACES] = std::array::from_fn(|place| place);
        for i in 0..count {
            order.swap(i, rng.random_range(i..PLACES));
        }
        let common = rng.random_range(1..=self.settings.kinds);
        let other =
            (common + rng.random_range(1..self.settings.kinds) - 1) % self.settings.kinds + 1;
        let ahead = rng.random_range(0.0..360.0f32);
        let by_kind = rng.random::<bool>();
        self.things = [None; PLACES];
        self.odd = order[0];
        for &place in &order[..count] {
            let odd = place == self.odd;
            let kind = if odd && by_kind { other } else { common };
            let turn = if odd && !by_kind { 180.0 } else { 0.0 };
            let stray = self.settings.noise * rng.random_range(-1.0..=1.0f32);
            let (sin, cos) = (ahead + turn + stray).to_radians().sin_cos();
            self.things[place] = Some(Thing { kind, heading: [cos, sin] });
        }
    }

    /// The odd one, found as a player who compares would.
    fn compare(&self) -> usize {
        let things = || self.things.iter().enumerate().filter_map(|(p, t)| t.map(|t| (p, t)));
        let alike = |kind: u32| things().filter(|(_, thing)| thing.kind == kind).count();
        if let Some((place, _)) = things().find(|(_, thing)| alike(thing.kind) == 1) {
            return place;
        }
        let agreement = |[x, y]: [f32; 2]| {
            things().map(|(_, Thing { heading: [u, v], .. })| x * u + y * v).sum::<f32>()
        };
        let least =
            things().min_by(|(_, a), (_, b)| agreement(a.heading).total_cmp(&agreement(b.heading)));
        least.map_or(0, |(place, _)| place)
    }
}

impl Kind for OddOne {
    type Settings = Settings;
    const NAME: &'static str = "odd-one";
    const ABOUT: &'static str = "find the thing that is not like the others: a set, and names";

    fn describe(settings: &Settings) -> Spec {
        // Whoever pools a set forgets where each of it stood, so things know their places.
        let thing = [
            Feature::id("place", "places", PLACES + 1),
            Feature::id("kind", "kinds", settings.kinds as usize + 1),
            Feature::from("heading_x"),
            Feature::from("heading_y"),
        ];
        let player = Role {
            observation: vec![Group::entities("thing", PLACES, thing)],
            heads: vec![Head::new("odd", (0..PLACES).map(|place| place.to_string()))],
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
        Ok((0..count).map(|_| Self::new(settings.clone(), spec.clone())).collect())
    }
}

impl Game for OddOne {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        self.seed = seed;
        self.rng = seed::rng(seed);
        (self.steps, self.right) = (0, 0);
        self.draw();
    }

    fn observe(&self, view: &mut View) {
        let seat = view.seat(0);
        for (place, thing) in self.things.iter().enumerate() {
            let seen = match thing {
                Some(Thing { kind, heading: [x, y] }) => {
                    [1.0, (place + 1) as f32, *kind as f32, *x, *y]
                }
                None => [0.0; WIDTH],
            };
            seat.observation[place * WIDTH..(place + 1) * WIDTH].copy_from_slice(&seen);
            seat.mask[place] = thing.is_some();
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        if actions[0] as usize == self.odd {
            out.seat(0)[FOUND] = 1.0;
            self.right += 1;
        }
        self.steps += 1;
        if self.steps >= self.settings.length {
            // Nothing was decided, and the next step would be like any other.
            *out.end = Some(End::Truncated);
            out.score[0] = self.right as f32;
            out.stats[0] = self.right as f32 / self.settings.length as f32;
        }
        self.draw();
    }

    fn frame(&self, out: &mut String) {
        let things: Vec<_> = (self.things.iter().enumerate())
            .filter_map(|(place, thing)| thing.map(|thing| (place, thing)))
            .map(|(place, Thing { kind, heading: [x, y] })| {
                json!([place, kind, short(f64::from(x)), short(f64::from(y))])
            })
            .collect();
        let object =
            json!({"step": self.steps, "right": self.right, "odd": self.odd, "things": things});
        frame::write(&object, out);
    }

    fn scene(&self, out: &mut String) {
        let Settings { length, kinds, .. } = self.settings;
        frame::write(&json!({"length": length, "kinds": kinds, "places": PLACES}), out);
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        if bot == 0 {
            let mask = self.things.map(|thing| thing.is_some());
            let mut dice = dice(self.seed, self.steps, seat);
            self.spec.roles[0].draw(&mask, &[], &mut dice, action);
        } else {
            action[0] = self.compare() as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: usize = 20_000;

    fn game(settings: Settings) -> OddOne {
        let spec = Arc::new(OddOne::describe(&settings));
        OddOne::matches(settings, spec, 1).unwrap().pop().unwrap()
    }

    /// How often a player is right.
    fn accuracy(settings: Settings, mut choose: impl FnMut(&OddOne) -> usize) -> f64 {
        let mut game = game(settings);
        let mut right = 0;
        for _ in 0..STEPS {
            right += usize::from(choose(&game) == game.odd);
            game.draw();
        }
        right as f64 / STEPS as f64
    }

    #[test]
    fn whoever_compares_is_always_right() {
        for (kinds, noise) in [(8, 30.0), (2, 0.0), (2, 40.0), (100, 40.0)] {
            let settings = Settings { kinds, noise, ..Settings::default() };
            assert_eq!(accuracy(settings, OddOne::compare), OPTIMUM, "{kinds} {noise}");
        }
    }

    #[test]
    fn chance_is_right_as_often_as_the_derivation_says() {
        let expected = (FEWEST..=PLACES).map(|n| 1.0 / n as f64).sum::<f64>() / 8.0;
        assert!((expected - 0.127_485).abs() < 1e-6);
        let mut dice = seed::rng(3);
        let got = accuracy(Settings::default(), |game| {
            let taken: Vec<usize> = (0..PLACES).filter(|&p| game.things[p].is_some()).collect();
            taken[dice.random_range(0..taken.len())]
        });
        assert!((got - expected).abs() < 0.01, "{got}");
    }

    /// Scores drawn at random, for kinds and for headings: nobody who looks at things one by one is
    /// right more often than every other time, and who ranks kinds comes near it.
    #[test]
    fn without_comparison_every_other_one_is_missed() {
        let mut best = 0.0f64;
        for player in 0..20u64 {
            let score = |thing: &Thing| {
                let weight = |n: u64| seed::uniform(seed::mix(player, n)) * 2.0 - 1.0;
                let [x, y] = thing.heading;
                let turned = weight(1000) * x + weight(1001) * y;
                weight(u64::from(thing.kind)) * (player % 3) as f32 + turned * (player % 2) as f32
            };
            let got = accuracy(Settings::default(), |game| {
                let things = (0..PLACES).filter_map(|p| game.things[p].map(|t| (p, score(&t))));
                things.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(place, _)| place)
            });
            assert!(got < APART_BOUND + 0.015, "player {player}: {got}");
            best = best.max(got);
        }
        assert!(best > 0.3, "{best}");
    }

    #[test]
    fn steps_are_drawn_as_described() {
        let mut game = game(Settings::default());
        let (mut counts, mut odd, mut by_kind) = ([0u32; PLACES + 1], [0u32; PLACES], 0u32);
        for _ in 0..STEPS {
            let things: Vec<Thing> = game.things.iter().flatten().copied().collect();
            counts[things.len()] += 1;
            odd[game.odd] += 1;
            let oddity = game.things[game.odd].unwrap();
            let same = things.iter().filter(|thing| thing.kind == oddity.kind).count();
            assert!(same == 1 || same == things.len());
            by_kind += u32::from(same == 1);
            assert!(things.iter().all(|thing| (1..=8).contains(&thing.kind)));
            game.draw();
        }
        let near = |count: u32, share: f64| (f64::from(count) / STEPS as f64 - share).abs() < 0.015;
        assert!(counts[..FEWEST].iter().all(|&c| c == 0));
        assert!(counts[FEWEST..].iter().all(|&c| near(c, 1.0 / 8.0)), "{counts:?}");
        assert!(odd.iter().all(|&c| near(c, 1.0 / 12.0)), "{odd:?}");
        assert!(near(by_kind, 0.5), "{by_kind}");
    }

    #[test]
    fn impossible_settings_are_refused() {
        assert!(Settings { kinds: 1, ..Settings::default() }.check().is_err());
        let error = Settings { noise: 41.0, ..Settings::default() }.check().unwrap_err();
        assert!(error.to_string().starts_with("settings.noise: 41 "), "{error}");
    }
}
