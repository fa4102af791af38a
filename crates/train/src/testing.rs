//! A game for tests: as small as a game can be, with a picture or without one.

use std::sync::Arc;

use lanista_game::{
    Control, End, Entry, Game, Head, Kind, NoSettings, Outcome, Role, Seat, SettingsError, Spec,
    View, terms,
};

terms! {
    STEP = Event "step": "1 a step";
}

/// Counts down from a number that follows from the seed, with or without a picture.
struct Countdown<const PICTURE: bool> {
    spec: Arc<Spec>,
    left: u64,
}

impl<const PICTURE: bool> Game for Countdown<PICTURE> {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64, _: &[Control]) {
        self.left = 2 + seed % 4;
    }

    fn observe(&self, view: &mut View) {
        view.observation[0] = self.left as f32;
    }

    fn step(&mut self, _: &[u32], out: &mut Outcome) {
        self.left -= 1;
        out.terms[STEP] = 1.0;
        if self.left == 0 {
            *out.end = Some(End::Terminated);
        }
    }

    fn frame(&self, out: &mut String) {
        if PICTURE {
            out.clear();
            out.push_str(&self.left.to_string());
        }
    }

    fn step_secs(&self) -> Option<f64> {
        Some(0.005)
    }
}

impl<const PICTURE: bool> Kind for Countdown<PICTURE> {
    type Settings = NoSettings;
    const NAME: &'static str = "countdown";
    const ABOUT: &'static str = "";

    fn describe(_: &NoSettings) -> Spec {
        let player = Role {
            observation: vec![["left"].into()],
            heads: vec![Head::new("move", ["wait", "hurry"])],
            ..Role::default()
        };
        Spec { roles: vec![player], seats: vec![Seat::of(0)], terms: terms(), ..Spec::default() }
    }

    fn matches(_: NoSettings, spec: Arc<Spec>, count: usize) -> Result<Vec<Self>, SettingsError> {
        Ok((0..count).map(|_| Self { spec: spec.clone(), left: 1 }).collect())
    }
}

/// The game, with a picture.
pub fn countdown() -> Entry {
    Entry::of::<Countdown<true>>()
}

/// The game of somebody who drew none.
pub fn countdown_without_picture() -> Entry {
    Entry::of::<Countdown<false>>()
}
