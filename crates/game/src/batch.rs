//! One match, and many matches behind one door.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use thiserror::Error;

use crate::{Buffers, Outcome, Spec, View};

/// Who drives a seat of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// Somebody outside the game chooses its actions.
    Outside,
    /// A scripted player, by its index in the role's bots. One that is [`crate::Bot::inside`] is driven
    /// by the game and never acts; any other is asked by [`Game::scripted`], and what it chooses comes
    /// back as the actions of a step.
    Bot(usize),
    /// The seat stays empty.
    Nobody,
}

/// One match, in process.
///
/// A match is a function of its seed, of who drives its seats and of their actions: same bits every
/// time. Exact resume, replays and recordings rest on that. Stepping does not allocate.
/// [`crate::check()`] tries all of it.
pub trait Game: Send {
    /// What the game is made of; the same for the whole life of the value.
    fn spec(&self) -> &Spec;

    /// Starts a new match. Nothing of the one before may show. `seats` says who drives each seat; a
    /// game whose bots are all outside may ignore it.
    fn reset(&mut self, seed: u64, seats: &[Control]);

    /// Writes what every seat sees now.
    fn observe(&self, view: &mut View);

    /// Plays one step. `actions` is `[seats, heads]`, with room for the heads of the role that has most;
    /// those of a seat that was not acting are ignored.
    fn step(&mut self, actions: &[u32], out: &mut Outcome);

    /// Lets scripted player `bot` (an index into the role's bots) choose for an acting seat: a function
    /// of the match and of dice that follow from it. Asking changes nothing.
    fn scripted(&self, _bot: usize, _seat: usize, _action: &mut [u32]) {}

    /// Replaces `out` by what a viewer shows of the match now, as one JSON object on one line. A game
    /// without a picture leaves it alone.
    fn frame(&self, _out: &mut String) {}

    /// Replaces `out` by what never changes within this match and a viewer needs beside the frames (a map,
    /// a field), as one JSON object on one line. A game without such a thing leaves it alone.
    fn scene(&self, _out: &mut String) {}

    /// Remarks that a user should read before training, such as what the match is simulated with.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// How long a step lasts for whoever watches, if the game has a clock.
    fn step_secs(&self) -> Option<f64> {
        None
    }

    /// Ticks of the game's own clock in a step.
    fn step_ticks(&self) -> u32 {
        1
    }
}

/// Many matches behind one door. Matches are independent of each other; whoever drives a batch decides
/// when a match starts anew and with which seed.
///
/// What is asked of a batch is answered at once, unless it [`Batch::waits`]: then starts and steps are
/// on their way until [`Batch::collect`] has their answers, and many are on their way at the same time.
pub trait Batch: Send {
    /// What the game is made of.
    fn spec(&self) -> &Spec;

    /// How many matches are played here.
    fn matches(&self) -> usize;

    /// Starts match `m` anew; its view is written when it is answered.
    fn start(
        &mut self,
        m: usize,
        seed: u64,
        seats: &[Control],
        buffers: &mut Buffers,
    ) -> Result<(), Fault>;

    /// Plays one step of these matches; their outcomes and views are written when they are answered.
    /// `actions` is `[matches, seats, heads]` of the whole batch. A match that ended keeps its last view
    /// until it starts anew.
    fn submit(
        &mut self,
        which: &[usize],
        actions: &[u32],
        buffers: &mut Buffers,
    ) -> Result<(), Fault>;

    /// Are answers late? Then everything that was started or submitted is answered by `collect`.
    fn waits(&self) -> bool {
        false
    }

    /// Writes what has been answered, and lists it in `answers`. Waits until there is something, but
    /// not longer than `patience`. Waiting is time on a wall clock: it takes no step of a match.
    fn collect(
        &mut self,
        _patience: Duration,
        _buffers: &mut Buffers,
        _answers: &mut Vec<Answer>,
    ) -> Result<(), Fault> {
        Ok(())
    }

    /// Gives up on a match whose answer has not come: the next start begins it afresh, and an answer
    /// that comes late is thrown away.
    fn abandon(&mut self, _m: usize) {}

    /// Lets go of every engine that others may need, until a match is started again. No match goes on after it.
    fn release(&mut self) {}

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

    /// Replaces `out` by what never changes within match `m` and a viewer needs beside the frames, as one
    /// JSON object on one line, if there is such a thing. Ask it after the match was started.
    fn scene(&self, _m: usize, _out: &mut String) {}

    /// Match `m` so far in the format in which others keep such matches, if there is one: a text that stands
    /// beside its recording.
    fn transcript(&self, _m: usize) -> Option<String> {
        None
    }

    /// Remarks that a user should read before training.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// How long a step lasts for whoever watches, if the game has a clock.
    fn step_secs(&self) -> Option<f64> {
        None
    }

    /// Ticks of the game's own clock in a step.
    fn step_ticks(&self) -> u32 {
        1
    }

    /// Can a match be rebuilt by playing its recorded actions again? A live server cannot; its
    /// matches start anew at every checkpoint instead.
    fn replays(&self) -> bool {
        true
    }
}

/// What has become of a match that was started or submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Its view and outcome are written.
    Ready(usize),
    /// It is lost, for this reason: its engine died or answered nonsense. It can be started anew.
    Lost(usize, String),
}

/// Waits for the answer of the only match of a batch that something was asked of, if it answers late.
pub fn await_answer(
    batch: &mut dyn Batch,
    patience: Duration,
    buffers: &mut Buffers,
) -> Result<(), Fault> {
    if !batch.waits() {
        return Ok(());
    }
    let lost = |match_index: usize, message: String| Err(Fault { match_index, message });
    let mut answers = Vec::new();
    batch.collect(patience, buffers, &mut answers)?;
    match answers.pop() {
        Some(Answer::Ready(_)) => Ok(()),
        Some(Answer::Lost(m, why)) => lost(m, why),
        None => lost(0, format!("no answer within {} seconds", patience.as_secs_f64())),
    }
}

/// A match that cannot go on because of a defect, such as a panic inside the game. Playing it again
/// would end in the same way.
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
    /// `[seats, heads]`: the choices of a match.
    width: usize,
}

impl<G: Game> Matches<G> {
    /// A batch of these matches; there must be at least one.
    pub fn new(games: Vec<G>) -> Self {
        assert!(!games.is_empty(), "a batch needs at least one match");
        let layout = crate::Layout::of(games[0].spec());
        Self { width: layout.seats() * layout.heads, games }
    }
}

impl<G: Game> Batch for Matches<G> {
    fn spec(&self) -> &Spec {
        self.games[0].spec()
    }

    fn matches(&self) -> usize {
        self.games.len()
    }

    fn start(
        &mut self,
        m: usize,
        seed: u64,
        seats: &[Control],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        let game = &mut self.games[m];
        guarded(&mut { m }, |_| {
            game.reset(seed, seats);
            game.observe(&mut buffers.view(m));
        })
    }

    fn submit(
        &mut self,
        which: &[usize],
        actions: &[u32],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        let (width, mut at) = (self.width, 0);
        guarded(&mut at, |at| {
            for &m in which {
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

    fn scene(&self, m: usize, out: &mut String) {
        self.games[m].scene(out);
    }

    fn notes(&self) -> Vec<String> {
        self.games[0].notes()
    }

    fn step_secs(&self) -> Option<f64> {
        self.games[0].step_secs()
    }

    fn step_ticks(&self) -> u32 {
        self.games[0].step_ticks()
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
    use crate::{End, Head, Role, Seat, Term, TermKind};

    /// Counts to its seed, then ends; panics when told to.
    struct Counter {
        spec: Spec,
        left: u64,
    }

    impl Game for Counter {
        fn spec(&self) -> &Spec {
            &self.spec
        }
        fn reset(&mut self, seed: u64, _: &[Control]) {
            self.left = seed;
        }
        fn observe(&self, view: &mut View) {
            view.observation[0] = self.left as f32;
        }
        fn step(&mut self, actions: &[u32], out: &mut Outcome) {
            assert!(actions[0] != 1, "pressed the red button");
            self.left -= 1;
            out.seat(0)[0] = 1.0;
            if self.left == 0 {
                *out.end = Some(End::Terminated);
                out.score[0] = 1.0;
            }
        }
    }

    fn counters(matches: usize) -> Matches<Counter> {
        let role = Role {
            observation: vec![["left"].into()],
            heads: vec![Head::new("button", ["green", "red"])],
            ..Role::default()
        };
        let spec = Spec {
            name: "counter".into(),
            roles: vec![role],
            seats: vec![Seat::of(0)],
            terms: vec![Term::new(TermKind::Event, "tick", "1 a step")],
            stats: vec![],
        };
        Matches::new((0..matches).map(|_| Counter { spec: spec.clone(), left: 0 }).collect())
    }

    const ALONE: [Control; 1] = [Control::Outside];

    #[test]
    fn matches_step_and_end_on_their_own() {
        let mut batch = counters(2);
        let mut buffers = Buffers::new(batch.spec(), 2);
        batch.start(0, 1, &ALONE, &mut buffers).unwrap();
        batch.start(1, 3, &ALONE, &mut buffers).unwrap();
        batch.submit(&[0, 1], &[0, 0], &mut buffers).unwrap();
        assert_eq!(buffers.end, [Some(End::Terminated), None]);
        assert_eq!(buffers.observation, [0.0, 2.0]);
        batch.start(0, 5, &ALONE, &mut buffers).unwrap();
        batch.submit(&[0, 1], &[0, 0], &mut buffers).unwrap();
        assert_eq!(buffers.end, [None, None]);
        assert_eq!(buffers.observation, [4.0, 1.0]);
        batch.submit(&[1], &[0, 0], &mut buffers).unwrap();
        assert_eq!(buffers.observation, [4.0, 0.0]);
    }

    #[test]
    fn a_panic_names_its_match() {
        let mut batch = counters(3);
        let mut buffers = Buffers::new(batch.spec(), 3);
        for m in 0..3 {
            batch.start(m, 9, &ALONE, &mut buffers).unwrap();
        }
        let fault = batch.submit(&[0, 1, 2], &[0, 1, 0], &mut buffers).unwrap_err();
        assert_eq!(fault.match_index, 1);
        assert!(fault.message.contains("red button"), "{fault}");
    }
}
