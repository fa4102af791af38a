use std::collections::BTreeMap;
use std::sync::Mutex;

use lanista_game::{Batch, End, Game, Head, Matches, Outcome, Seat, Spec, Term, TermKind, View};
use lanista_learn::{PolicyConfig, Shape};

use super::*;

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
}

fn countdown() -> Entry {
    let build = |_: &Value, matches: usize| -> Result<Box<dyn Batch>, SettingsError> {
        let spec = Spec {
            name: "countdown",
            seats: vec![Seat { team: 0 }],
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

fn policy(entry: &Entry) -> Policy {
    let batch = (entry.build)(&Value::Null, 1).unwrap();
    let config = PolicyConfig { hidden: vec![4], ..PolicyConfig::default() };
    Policy::new(Shape::of(batch.spec()), &config, 1)
}

fn question<'a>(matches: usize, stack: &'a Stack) -> Question<'a> {
    Question {
        settings: &Value::Null,
        stack,
        weights: &[1.0],
        matches,
        deterministic: true,
        versus: Player::Learner,
        guests: Arc::default(),
        seed: 3,
        watch: None,
        interrupt: None,
        progress: None,
    }
}

#[test]
fn a_watcher_sees_every_match_from_its_first_frame_to_its_last() {
    let (entry, stack) = (countdown(), Stack::default());
    // More than there are slots, so that some slots play several.
    let matches = SLOTS + 44;
    let seen: Mutex<BTreeMap<usize, Vec<u64>>> = Mutex::default();
    let watch = |number: usize, frame: &str| {
        seen.lock().unwrap().entry(number).or_default().push(frame.parse().unwrap());
    };
    let asked = Question { watch: Some(&watch), ..question(matches, &stack) };
    let report = evaluate(&entry, &policy(&entry), &asked).unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), matches);
    for (number, frames) in &seen {
        // A line for every step and one for the start: from its length down to nothing.
        let whole: Vec<u64> = (0..frames.len() as u64).rev().collect();
        assert_eq!(frames, &whole, "match {number}");
        assert!(frames.len() >= 3, "match {number}");
    }
    let frames: usize = seen.values().map(Vec::len).sum();
    assert_eq!(frames as f64, (report.length_mean + 1.0) * matches as f64);
}

#[test]
fn every_match_is_told_once_and_no_other() {
    let (entry, stack) = (countdown(), Stack::default());
    let told: Mutex<Vec<usize>> = Mutex::default();
    let tell = |finished: usize, of: usize| {
        assert_eq!(of, 300);
        told.lock().unwrap().push(finished);
    };
    let asked = Question { progress: Some(&tell), ..question(300, &stack) };
    evaluate(&entry, &policy(&entry), &asked).unwrap();
    let mut told = told.into_inner().unwrap();
    told.sort_unstable();
    assert_eq!(told.last(), Some(&300));
    assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
}

#[test]
fn an_evaluation_that_is_told_to_stop_says_how_far_it_was() {
    let (entry, stack) = (countdown(), Stack::default());
    let interrupt = AtomicBool::new(false);
    let tell = |finished: usize, _: usize| interrupt.store(finished >= 10, Relaxed);
    let asked =
        Question { interrupt: Some(&interrupt), progress: Some(&tell), ..question(300, &stack) };
    match evaluate(&entry, &policy(&entry), &asked).unwrap_err() {
        EvaluateError::Interrupted { finished, matches: 300 } => {
            assert!((10..300).contains(&finished), "{finished}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn equal_scores_draw_whatever_the_sign_of_zero() {
    let spec = (lanista_classic::games()[4].build)(&Value::Null, 1).unwrap().spec().clone();
    let finished = |score: [f32; 2], team| Finished {
        match_index: 0,
        episode: 0,
        steps: 1,
        end: End::Terminated,
        opponent: Player::Bot(0),
        probability: 1.0,
        stage: 0,
        team: Some(team),
        terms: vec![0.0; spec.terms.len()],
        score: score.to_vec(),
        stats: vec![0.0; spec.stats.len()],
    };
    let played = [
        finished([0.0, -0.0], 0),
        finished([0.0, -0.0], 1),
        finished([1.0, -1.0], 0),
        finished([1.0, -1.0], 1),
    ];
    let results = summary(&spec, &played, &[1.0]).results.unwrap();
    assert_eq!(results, Results { won: 0.25, drawn: 0.5, lost: 0.25 });
}
