use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use lanista_game::{Batch, End, Maker, SettingsError};
use lanista_learn::{Policy, PolicyConfig, Shape};

use super::*;
use crate::testing::countdown;

fn policy(entry: &Entry) -> Policy {
    let spec = entry.spec(&Value::Null).unwrap();
    let config = PolicyConfig { hidden: vec![4], ..PolicyConfig::default() };
    Policy::new(Shape::of(&spec.roles[0]), &config, 1)
}

/// A term is worth 1.
static WEIGHTS: LazyLock<Vec<Vec<f32>>> = LazyLock::new(|| vec![vec![1.0]]);

fn question<'a>(matches: usize, stack: &'a Stack) -> Evaluation<'a> {
    Evaluation {
        settings: &Value::Null,
        stack,
        weights: &WEIGHTS,
        matches,
        deterministic: true,
        versus: Player::Learner,
        guests: Arc::default(),
        cast: Cast::default(),
        seed: 3,
        patience: Patience::default(),
        watch: None,
        keep: None,
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
    let asked = Evaluation { watch: Some(&watch), ..question(matches, &stack) };
    let report = evaluate(&entry, &[Some(&policy(&entry))], &asked).unwrap();
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
    let asked = Evaluation { progress: Some(&tell), ..question(300, &stack) };
    evaluate(&entry, &[Some(&policy(&entry))], &asked).unwrap();
    let mut told = told.into_inner().unwrap();
    told.sort_unstable();
    assert_eq!(told.last(), Some(&300));
    assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{told:?}");
}

/// A game whose engines hold three matches.
struct Three(Entry);

impl Maker for Three {
    fn spec(&self, settings: &Value) -> Result<Spec, SettingsError> {
        self.0.spec(settings)
    }

    fn build(&self, settings: &Value, matches: usize) -> Result<Box<dyn Batch>, SettingsError> {
        assert!((1..=3).contains(&matches), "{matches} at once");
        self.0.build(settings, matches)
    }

    fn at_once(&self, _: &Value) -> Result<Option<usize>, SettingsError> {
        Ok(Some(3))
    }
}

#[test]
fn where_engines_are_few_the_same_matches_are_played_in_turn() {
    let (free, stack) = (countdown(), Stack::default());
    let few = Entry::new(free.name.clone(), "", Vec::new(), Three(free.clone()));
    for matches in [1, 3, 20, SLOTS + 44] {
        let [one, other] = [&free, &few].map(|entry| {
            let seen: Mutex<BTreeMap<usize, usize>> = Mutex::default();
            let watch = |number: usize, _: &str| {
                *seen.lock().unwrap().entry(number).or_default() += 1;
            };
            let asked = Evaluation { watch: Some(&watch), ..question(matches, &stack) };
            let report = evaluate(entry, &[Some(&policy(entry))], &asked).unwrap();
            (report, seen.into_inner().unwrap())
        });
        assert_eq!(one, other, "{matches} matches");
    }
}

#[test]
fn an_evaluation_that_is_told_to_stop_says_how_far_it_was() {
    let (entry, stack) = (countdown(), Stack::default());
    let interrupt = AtomicBool::new(false);
    let tell = |finished: usize, _: usize| interrupt.store(finished >= 10, Relaxed);
    let asked =
        Evaluation { interrupt: Some(&interrupt), progress: Some(&tell), ..question(300, &stack) };
    match evaluate(&entry, &[Some(&policy(&entry))], &asked).unwrap_err() {
        EvaluateError::Interrupted { finished, matches: 300 } => {
            assert!((10..300).contains(&finished), "{finished}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn equal_scores_draw_whatever_the_sign_of_zero() {
    let spec = lanista_classic::games()[4].spec(&Value::Null).unwrap();
    let finished = |score: [f32; 2], team| Finished {
        match_index: 0,
        episode: 0,
        steps: 1,
        end: End::Terminated,
        opponent: Player::Bot(0),
        probability: 1.0,
        stage: 0,
        team: Some(team),
        earned: vec![Earned { role: 0, team, terms: vec![0.0; spec.terms.len()] }],
        score: score.to_vec(),
        stats: vec![0.0; spec.stat_names().len()],
    };
    let played = [
        finished([0.0, -0.0], 0),
        finished([0.0, -0.0], 1),
        finished([1.0, -1.0], 0),
        finished([1.0, -1.0], 1),
    ];
    let results = summary(&spec, &played, &WEIGHTS).results.unwrap();
    assert_eq!(results, Outcomes { won: 0.25, drawn: 0.5, lost: 0.25 });
}

#[test]
fn intervals_are_wider_for_few_matches() {
    // From tables of Student's distribution.
    for (numbers, t) in [(2, 12.706), (3, 4.303), (4, 3.182), (5, 2.776), (11, 2.228), (31, 2.042)]
    {
        let got = student(numbers).unwrap();
        assert!((got / t - 1.0).abs() < 0.01, "{numbers}: {got} but {t}");
    }
    assert!((student(100_000).unwrap() - 1.96).abs() < 1e-3);
    assert_eq!((student(0), student(1)), (None, None));
    let report = |matches| Report {
        matches,
        return_mean: 10.0,
        return_deviation: 3.0,
        length_mean: 1.0,
        results: None,
        terms: vec![],
        stats: vec![],
        roles: vec![],
    };
    let (low, high) = report(101).return_interval().unwrap();
    assert!((low - 9.405).abs() < 1e-3 && (high - 10.595).abs() < 1e-3, "{low} {high}");
    assert_eq!(report(1).return_interval(), None);
}
