//! Small games with a trait each.

use std::ops::Range;

use lanista_game::{
    Batch, Buffers, End, Entry, Fault, Game, Head, Matches, Outcome, Seat, SettingsError, Spec,
    Term, TermKind, View, parse_settings, seed,
};
use serde::Deserialize;
use serde_json::Value;

/// Where a [`Fragile`] match breaks: after so many steps, in the episode with this seed.
pub const BREAKS_AT: u32 = 37;
const LENGTH: u32 = 60;

/// One seat, 60 steps, and one episode that breaks.
pub struct Fragile {
    spec: Spec,
    settings: Fragility,
    seed: u64,
    steps: u32,
}

/// How it breaks, and in which episode.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fragility {
    pub how: String,
    pub seed: u64,
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

    fn reset(&mut self, seed: u64) {
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

    fn scripted(&mut self, _: usize, _: usize, action: &mut [u32]) {
        action[0] = 0;
    }
}

pub fn fragile() -> Entry {
    let build = |value: &Value, matches: usize| -> Result<Box<dyn Batch>, SettingsError> {
        let settings: Fragility = parse_settings(value)?;
        let spec = spec("fragile", 1, &["time", "strain"], &["tick", "bonus"]);
        let game =
            |_| Fragile { spec: spec.clone(), settings: settings.clone(), seed: 0, steps: 0 };
        Ok(Box::new(Matches::new((0..matches).map(game).collect())))
    };
    Entry { name: "fragile", about: "breaks when told to", settings: Vec::new, build }
}

/// Steps of a [`Relay`] match, after which it is cut off.
pub const RELAY: u32 = 10;

/// Seats of two teams. Even ones act at every step, odd ones at every third: 2, 5 and 8. Each step is
/// worth 1 to even seats and its number, counted from 1, to odd ones.
pub struct Relay {
    spec: Spec,
    steps: u32,
}

impl Game for Relay {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, _: u64) {
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

    fn scripted(&mut self, _: usize, _: usize, action: &mut [u32]) {
        action[0] = self.steps % 2;
    }
}

pub fn relay() -> Entry {
    let build = |_: &Value, matches: usize| -> Result<Box<dyn Batch>, SettingsError> {
        let game = |_| Relay { spec: spec("relay", 2, &["time", "seat"], &["earned"]), steps: 0 };
        Ok(Box::new(Matches::new((0..matches).map(game).collect())))
    };
    Entry { name: "relay", about: "one seat waits for the other", settings: Vec::new, build }
}

/// A [`Relay`] of two against two.
pub fn pairs() -> Entry {
    let build = |_: &Value, matches: usize| -> Result<Box<dyn Batch>, SettingsError> {
        let mut spec = spec("relay", 4, &["time", "seat"], &["earned"]);
        spec.seats.iter_mut().enumerate().for_each(|(seat, s)| s.team = seat / 2);
        let game = |_| Relay { spec: spec.clone(), steps: 0 };
        Ok(Box::new(Matches::new((0..matches).map(game).collect())))
    };
    Entry { build, ..relay() }
}

/// A match whose length depends on luck and actions, so that its seeds and actions show.
struct Walk {
    spec: Spec,
    seed: u64,
    steps: u32,
    place: i32,
}

impl Game for Walk {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64) {
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

    fn scripted(&mut self, _: usize, _: usize, action: &mut [u32]) {
        action[0] = 1;
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
    fn reset(&mut self, m: usize, seed: u64, buffers: &mut Buffers) -> Result<(), Fault> {
        self.0.reset(m, seed, buffers)
    }
    fn step(&mut self, which: Range<usize>, all: &[u32], out: &mut Buffers) -> Result<(), Fault> {
        self.0.step(which, all, out)
    }
    fn scripted(&mut self, m: usize, bot: usize, seat: usize, a: &mut [u32]) -> Result<(), Fault> {
        self.0.scripted(m, bot, seat, a)
    }
    fn replays(&self) -> bool {
        false
    }
}

pub fn live() -> Entry {
    let build = |_: &Value, matches: usize| -> Result<Box<dyn Batch>, SettingsError> {
        let spec = spec("live", 1, &["place", "wind"], &["height"]);
        let game = |_| Walk { spec: spec.clone(), seed: 0, steps: 0, place: 0 };
        Ok(Box::new(Live(Matches::new((0..matches).map(game).collect()))))
    };
    Entry { name: "live", about: "cannot be replayed", settings: Vec::new, build }
}

/// A [`Relay`] that cannot be rebuilt.
pub fn live_relay() -> Entry {
    let build = |_: &Value, matches: usize| -> Result<Box<dyn Batch>, SettingsError> {
        let game = |_| Relay { spec: spec("relay", 2, &["time", "seat"], &["earned"]), steps: 0 };
        Ok(Box::new(Live(Matches::new((0..matches).map(game).collect()))))
    };
    Entry { build, ..relay() }
}

fn spec(name: &'static str, seats: usize, features: &[&str], terms: &[&'static str]) -> Spec {
    let term = |&name: &&'static str| Term { name, kind: TermKind::Event, about: "a number" };
    Spec {
        name,
        seats: (0..seats).map(Seat::of).collect(),
        observation: features.iter().map(|&f| f.into()).collect(),
        privileged: vec![],
        heads: vec![Head::new("move", ["left", "right"])],
        requires: vec![],
        terms: terms.iter().map(term).collect(),
        stats: vec![],
        bots: vec!["steady"],
    }
}
