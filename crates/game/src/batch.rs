//! One match, and many matches behind one door.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use thiserror::Error;

use crate::{Buffers, Outcome, Spec, View};

/// One match, in process.
///
/// A game is deterministic in its seed and its actions: same seed, same actions, same bits. Exact
/// resume rests on that, because it rebuilds a match by playing its recorded actions again.
/// Stepping does not allocate.
pub trait Game: Send {
    /// What the game is made of; the same for the whole life of the value.
    fn spec(&self) -> &Spec;

    /// Starts a new match. Nothing of the one before may show.
    fn reset(&mut self, seed: u64);

    /// Writes what every seat sees now.
    fn observe(&self, view: &mut View);

    /// Plays one step. `actions` is `[seats, heads]`; those of a seat that was not acting are
    /// ignored.
    fn step(&mut self, actions: &[u32], out: &mut Outcome);

    /// Lets scripted player `bot` (an index into [`Spec::bots`]) choose for an acting seat.
    fn scripted(&mut self, bot: usize, seat: usize, action: &mut [u32]);

    /// Replaces `out` by what a viewer shows of the match now, as one JSON object on one line. A game
    /// without a picture leaves it alone.
    fn frame(&self, _out: &mut String) {}

    /// Remarks that a user should read before training, such as what the match is simulated with.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// How long a step lasts for whoever watches, if the game has a clock.
    fn step_secs(&self) -> Option<f64> {
        None
    }
}

/// Many matches behind one door. Matches are independent of each other; whoever drives a batch
/// decides when a match starts anew and with which seed.
pub trait Batch: Send {
    /// What the game is made of.
    fn spec(&self) -> &Spec;

    /// How many matches are played here.
    fn matches(&self) -> usize;

    /// Starts match `m` anew and writes its view.
    fn reset(&mut self, m: usize, seed: u64, buffers: &mut Buffers) -> Result<(), Fault>;

    /// Plays one step of the matches in `which` and writes their outcomes and views. `actions` is
    /// `[matches, seats, heads]`. An engine that has no answer for a match yet reports no acting
    /// seat there. A match that ended keeps its last view until it is reset.
    fn step(
        &mut self,
        which: Range<usize>,
        actions: &[u32],
        buffers: &mut Buffers,
    ) -> Result<(), Fault>;

    /// Lets a scripted player choose for an acting seat of match `m`.
    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault>;

    /// Replaces `out` by what a viewer shows of match `m` now, as one JSON object on one line, if the
    /// game has a picture.
    fn frame(&self, _m: usize, _out: &mut String) {}

    /// Remarks that a user should read before training.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// How long a step lasts for whoever watches, if the game has a clock.
    fn step_secs(&self) -> Option<f64> {
        None
    }

    /// Can a match be rebuilt by playing its recorded actions again? A live server cannot; its
    /// matches start anew at every checkpoint instead.
    fn replays(&self) -> bool {
        true
    }
}

/// A match that cannot go on: a panic inside the game, or an engine that died.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct Fault {
    /// The match, counted within its batch.
    pub match_index: usize,
    /// What happened.
    pub message: String,
}

/// A batch over games of one kind in this process.
pub struct Matches<G> {
    games: Vec<G>,
}

impl<G: Game> Matches<G> {
    /// A batch of these matches; there must be at least one.
    pub fn new(games: Vec<G>) -> Self {
        assert!(!games.is_empty(), "a batch needs at least one match");
        Self { games }
    }
}

impl<G: Game> Batch for Matches<G> {
    fn spec(&self) -> &Spec {
        self.games[0].spec()
    }

    fn matches(&self) -> usize {
        self.games.len()
    }

    fn reset(&mut self, m: usize, seed: u64, buffers: &mut Buffers) -> Result<(), Fault> {
        let game = &mut self.games[m];
        guarded(&mut { m }, |_| {
            game.reset(seed);
            game.observe(&mut buffers.view(m));
        })
    }

    fn step(
        &mut self,
        which: Range<usize>,
        actions: &[u32],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        let width = self.spec().seats.len() * self.spec().heads.len();
        guarded(&mut which.start.clone(), |at| {
            for m in which {
                *at = m;
                let game = &mut self.games[m];
                game.step(&actions[m * width..(m + 1) * width], &mut buffers.outcome(m));
                game.observe(&mut buffers.view(m));
            }
        })
    }

    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        guarded(&mut { m }, |_| self.games[m].scripted(bot, seat, action))
    }

    fn frame(&self, m: usize, out: &mut String) {
        self.games[m].frame(out);
    }

    fn notes(&self) -> Vec<String> {
        self.games[0].notes()
    }

    fn step_secs(&self) -> Option<f64> {
        self.games[0].step_secs()
    }
}

/// Runs game code; a panic becomes a fault of the match that `at` names at that moment.
fn guarded(at: &mut usize, play: impl FnOnce(&mut usize)) -> Result<(), Fault> {
    catch_unwind(AssertUnwindSafe(|| play(at))).map_err(|panic| Fault {
        match_index: *at,
        message: match panic.downcast::<String>() {
            Ok(text) => format!("the game panicked: {text}"),
            Err(other) => match other.downcast::<&str>() {
                Ok(text) => format!("the game panicked: {text}"),
                Err(_) => "the game panicked".to_owned(),
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Head, Seat, Term, TermKind};

    /// Counts to its seed, then ends; panics when told to.
    struct Counter {
        spec: Spec,
        left: u64,
    }

    impl Game for Counter {
        fn spec(&self) -> &Spec {
            &self.spec
        }
        fn reset(&mut self, seed: u64) {
            self.left = seed;
        }
        fn observe(&self, view: &mut View) {
            view.observation[0] = self.left as f32;
        }
        fn step(&mut self, actions: &[u32], out: &mut Outcome) {
            assert!(actions[0] != 1, "pressed the red button");
            self.left -= 1;
            out.terms[0] = 1.0;
            if self.left == 0 {
                *out.end = Some(End::Terminated);
                out.score[0] = 1.0;
            }
        }
        fn scripted(&mut self, _: usize, _: usize, action: &mut [u32]) {
            action[0] = 0;
        }
    }

    fn counters(matches: usize) -> Matches<Counter> {
        let spec = Spec {
            name: "counter",
            seats: vec![Seat::of(0)],
            observation: vec!["left".into()],
            privileged: vec![],
            heads: vec![Head::new("button", ["green", "red"])],
            requires: vec![],
            terms: vec![Term { name: "tick", kind: TermKind::Event, about: "1 a step" }],
            stats: vec![],
            bots: vec!["green"],
        };
        Matches::new((0..matches).map(|_| Counter { spec: spec.clone(), left: 0 }).collect())
    }

    #[test]
    fn matches_step_and_end_on_their_own() {
        let mut batch = counters(2);
        let mut buffers = Buffers::new(batch.spec(), 2);
        batch.reset(0, 1, &mut buffers).unwrap();
        batch.reset(1, 3, &mut buffers).unwrap();
        batch.step(0..2, &[0, 0], &mut buffers).unwrap();
        assert_eq!(buffers.end, [Some(End::Terminated), None]);
        assert_eq!(buffers.observation, [0.0, 2.0]);
        batch.reset(0, 5, &mut buffers).unwrap();
        batch.step(0..2, &[0, 0], &mut buffers).unwrap();
        assert_eq!(buffers.end, [None, None]);
        assert_eq!(buffers.observation, [4.0, 1.0]);
    }

    #[test]
    fn a_panic_names_its_match() {
        let mut batch = counters(3);
        let mut buffers = Buffers::new(batch.spec(), 3);
        for m in 0..3 {
            batch.reset(m, 9, &mut buffers).unwrap();
        }
        let fault = batch.step(0..3, &[0, 1, 0], &mut buffers).unwrap_err();
        assert_eq!(fault.match_index, 1);
        assert!(fault.message.contains("red button"), "{fault}");
    }
}
