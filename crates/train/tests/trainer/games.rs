//! Small games with a trait each.

use std::sync::Arc;

use lanista_game::{
    Batch, Buffers, Control, End, Entry, Fault, Game, GameSettings, Group, Head, Kind, Maker,
    Matches, NoSettings, Outcome, Role, Seat, SettingsError, Spec, Term, TermKind, View, seed,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where a [`Fragile`] match breaks: after so many steps, in the episode with this seed.
pub const BREAKS_AT: u32 = 37;
const LENGTH: u32 = 60;

/// One seat, 60 steps, and one episode that breaks.
pub struct Fragile {
    spec: Arc<Spec>,
    settings: Fragility,
    seed: u64,
    steps: u32,
}

/// How it breaks, and in which episode.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fragility {
    pub how: String,
    pub seed: u64,
}

impl GameSettings for Fragility {
    const KEYS: &'static [(&'static str, &'static str)] =
        &[("how", "how it breaks"), ("seed", "the seed of the episode that breaks")];
}

impl Fragile {
    fn breaks(&self, how: &str) -> bool {
        self.steps == BREAKS_AT && self.seed == self.settings.seed && self.settings.how == how
    }
}

impl Game for Fragile {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        (self.seed, self.steps) = (seed, 0);
    }

    fn observe(&self, view: &mut View) {
        view.observation[0] = self.steps as f32 / LENGTH as f32;
        view.observation[1] = if self.breaks("view") { f32::NAN } else { 1.0 };
    }

    fn step(&mut self, _: &[u32], out: &mut Outcome) {
        assert!(!self.breaks("panic"), "the rope snapped");
        out.terms[0] = 1.0;
        out.terms[1] = if self.breaks("term") { f32::NAN } else { 0.5 };
        self.steps += 1;
        if self.steps == LENGTH {
            *out.end = Some(End::Terminated);
        }
    }

    fn scripted(&self, _: usize, _: usize, action: &mut [u32]) {
        action[0] = 0;
    }
}

impl Kind for Fragile {
    type Settings = Fragility;
    const NAME: &'static str = "fragile";
    const ABOUT: &'static str = "breaks when told to";

    fn describe(_: &Fragility) -> Spec {
        spec(&[0], &["time", "strain"], &["tick", "bonus"])
    }

    fn matches(
        settings: Fragility,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError> {
        let game = |_| Self { spec: spec.clone(), settings: settings.clone(), seed: 0, steps: 0 };
        Ok((0..count).map(game).collect())
    }
}

pub fn fragile() -> Entry {
    Entry::of::<Fragile>()
}

/// Steps of a [`Relay`] match, after which it is cut off.
pub const RELAY: u32 = 10;

/// Seats of two teams. Even ones act at every step, odd ones at every third: 2, 5 and 8. Each step is
/// worth 1 to even seats and its number, counted from 1, to odd ones.
pub struct Relay {
    spec: Arc<Spec>,
    steps: u32,
}

impl Game for Relay {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, _: u64, _: &[Control]) {
        self.steps = 0;
    }

    fn observe(&self, view: &mut View) {
        let time = self.steps as f32 / RELAY as f32;
        for seat in 0..self.spec.seats.len() {
            let odd = seat % 2 == 1;
            view.observation[2 * seat..2 * seat + 2].copy_from_slice(&[time, f32::from(odd)]);
            view.acting[seat] = !odd || self.steps % 3 == 2;
        }
    }

    fn step(&mut self, _: &[u32], out: &mut Outcome) {
        self.steps += 1;
        for (seat, term) in out.terms.iter_mut().enumerate() {
            *term = if seat % 2 == 1 { self.steps as f32 } else { 1.0 };
        }
        if self.steps == RELAY {
            *out.end = Some(End::Truncated);
            out.score.copy_from_slice(&[1.0, 0.0]);
        }
    }

    fn scripted(&self, _: usize, _: usize, action: &mut [u32]) {
        action[0] = self.steps % 2;
    }
}

impl Kind for Relay {
    type Settings = NoSettings;
    const NAME: &'static str = "relay";
    const ABOUT: &'static str = "one seat waits for the other";

    fn describe(_: &NoSettings) -> Spec {
        spec(&[0, 1], &["time", "seat"], &["earned"])
    }

    fn matches(_: NoSettings, spec: Arc<Spec>, count: usize) -> Result<Vec<Self>, SettingsError> {
        Ok((0..count).map(|_| Self { spec: spec.clone(), steps: 0 }).collect())
    }
}

pub fn relay() -> Entry {
    Entry::of::<Relay>()
}

/// A [`Relay`] of two against two.
pub fn pairs() -> Entry {
    struct Pairs;

    impl Maker for Pairs {
        fn spec(&self, _: &Value) -> Result<Spec, SettingsError> {
            let seats = [0, 0, 1, 1].map(Seat::of).to_vec();
            let name = Relay::NAME.to_owned();
            Ok(Spec { name, seats, ..Relay::describe(&NoSettings {}) })
        }

        fn build(&self, value: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
            let spec = Arc::new(self.spec(value)?);
            Ok(Box::new(Matches::new(Relay::matches(NoSettings {}, spec, matches)?)))
        }
    }

    Entry::new(Relay::NAME, Relay::ABOUT, vec![], Pairs)
}

/// A match whose length depends on luck and actions, so that its seeds and actions show.
struct Walk {
    spec: Arc<Spec>,
    seed: u64,
    steps: u32,
    place: i32,
}

impl Game for Walk {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        (self.seed, self.steps, self.place) = (seed, 0, 0);
    }

    fn observe(&self, view: &mut View) {
        let wind = seed::uniform(seed::mix(self.seed, u64::from(self.steps)));
        view.observation.copy_from_slice(&[self.place as f32 / 8.0, wind]);
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        let wind = seed::uniform(seed::mix(self.seed, u64::from(self.steps))) < 0.5;
        self.place += if (actions[0] == 1) == wind { 1 } else { -1 };
        self.steps += 1;
        out.terms[0] = self.place as f32;
        if self.place.abs() == 5 {
            *out.end = Some(End::Terminated);
        } else if self.steps == 40 {
            *out.end = Some(End::Truncated);
        }
    }

    fn scripted(&self, _: usize, _: usize, action: &mut [u32]) {
        action[0] = 1;
    }
}

impl Kind for Walk {
    type Settings = NoSettings;
    const NAME: &'static str = "live";
    const ABOUT: &'static str = "cannot be replayed";

    fn describe(_: &NoSettings) -> Spec {
        spec(&[0], &["place", "wind"], &["height"])
    }

    fn matches(_: NoSettings, spec: Arc<Spec>, count: usize) -> Result<Vec<Self>, SettingsError> {
        Ok((0..count).map(|_| Self { spec: spec.clone(), seed: 0, steps: 0, place: 0 }).collect())
    }
}

/// Matches that cannot be rebuilt, as on a server that runs on its own.
struct Live<G>(Matches<G>);

impl<G: Game + Send> Batch for Live<G> {
    fn spec(&self) -> &Spec {
        self.0.spec()
    }
    fn matches(&self) -> usize {
        self.0.matches()
    }
    fn start(
        &mut self,
        m: usize,
        seed: u64,
        seats: &[Control],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        self.0.start(m, seed, seats, buffers)
    }
    fn submit(&mut self, which: &[usize], all: &[u32], out: &mut Buffers) -> Result<(), Fault> {
        self.0.submit(which, all, out)
    }
    fn scripted(&mut self, m: usize, bot: usize, seat: usize, a: &mut [u32]) -> Result<(), Fault> {
        self.0.scripted(m, bot, seat, a)
    }
    fn replays(&self) -> bool {
        false
    }
}

/// Makes such matches of a game that has no settings.
struct Lively<K>(std::marker::PhantomData<fn() -> K>);

impl<K: Kind<Settings = NoSettings>> Maker for Lively<K> {
    fn spec(&self, _: &Value) -> Result<Spec, SettingsError> {
        Ok(Spec { name: K::NAME.to_owned(), ..K::describe(&NoSettings {}) })
    }

    fn build(&self, value: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        let games = K::matches(NoSettings {}, Arc::new(self.spec(value)?), matches)?;
        Ok(Box::new(Live(Matches::new(games))))
    }
}

fn lively<K: Kind<Settings = NoSettings>>() -> Entry {
    Entry::new(K::NAME, K::ABOUT, vec![], Lively::<K>(std::marker::PhantomData))
}

pub fn live() -> Entry {
    lively::<Walk>()
}

/// A [`Relay`] that cannot be rebuilt.
pub fn live_relay() -> Entry {
    lively::<Relay>()
}

/// A game with seats of these teams.
fn spec(teams: &[usize], features: &[&str], terms: &[&str]) -> Spec {
    let player = Role {
        observation: vec![Group::features(features.iter().copied())],
        heads: vec![Head::new("move", ["left", "right"])],
        bots: vec!["steady".into()],
        ..Role::default()
    };
    let term = |&name: &&str| Term::new(TermKind::Event, name, "a number");
    Spec {
        roles: vec![player],
        seats: teams.iter().copied().map(Seat::of).collect(),
        terms: terms.iter().map(term).collect(),
        ..Spec::default()
    }
}
