//! A game for tests: as small as a game with a picture can be.

use lanista_game::{
    Batch, End, Entry, Game, Head, Matches, Outcome, Seat, SettingsError, Spec, Term, TermKind,
    View,
};
use serde_json::Value;

/// Counts down from a number that follows from the seed, and has a picture.
struct Countdown {
    spec: Spec,
    left: u64,
}

impl Game for Countdown {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, seed: u64) {
        self.left = 2 + seed % 4;
    }

    fn observe(&self, view: &mut View) {
        view.observation[0] = self.left as f32;
    }

    fn step(&mut self, _: &[u32], out: &mut Outcome) {
        self.left -= 1;
        out.terms[0] = 1.0;
        if self.left == 0 {
            *out.end = Some(End::Terminated);
        }
    }

    fn scripted(&mut self, _: usize, _: usize, _: &mut [u32]) {}

    fn frame(&self, out: &mut String) {
        out.clear();
        out.push_str(&self.left.to_string());
    }

    fn step_secs(&self) -> Option<f64> {
        Some(0.005)
    }
}

/// The game.
pub fn countdown() -> Entry {
    let build = |_: &Value, matches: usize| -> Result<Box<dyn Batch>, SettingsError> {
        let spec = Spec {
            name: "countdown",
            seats: vec![Seat::of(0)],
            observation: vec!["left".into()],
            privileged: vec![],
            heads: vec![Head::new("move", ["wait", "hurry"])],
            requires: vec![],
            terms: vec![Term { name: "step", kind: TermKind::Event, about: "1 a step" }],
            stats: vec![],
            bots: vec![],
        };
        let game = |_| Countdown { spec: spec.clone(), left: 1 };
        Ok(Box::new(Matches::new((0..matches).map(game).collect())))
    };
    Entry { name: "countdown", about: "", settings: Vec::new, build }
}
