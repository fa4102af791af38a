//! A game for tests: as small as a game with a picture can be.

use std::sync::Arc;

use lanista_game::{
    Control, End, Entry, Game, Head, Kind, NoSettings, Outcome, Role, Seat, SettingsError, Spec,
    View, terms,
};

terms! {
    STEP = Event "step": "1 a step";
}

/// Counts down from a number that follows from the seed, and has a picture.
struct Countdown {
    spec: Arc<Spec>,
    left: u64,
}

impl Game for Countdown {
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
        out.clear();
        out.push_str(&self.left.to_string());
    }

    fn step_secs(&self) -> Option<f64> {
        Some(0.005)
    }
}

impl Kind for Countdown {
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

/// The game.
pub fn countdown() -> Entry {
    Entry::of::<Countdown>()
}
