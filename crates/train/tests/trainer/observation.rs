//! Stacked frames, noise and novelty: what policies see and learn from is as exact as without them,
//! and whatever is reported about matches knows nothing of noise and novelty.

use lanista_game::{Buffers, Control};
use lanista_learn::{Policy, PolicyConfig, Rollout, Shape};
use lanista_train::metrics::{Iteration, Kind, Metric};
use lanista_train::noise::{Noise, NoiseConfig};
use lanista_train::player::Player;
use lanista_train::seating::Seating;
use lanista_train::shard::{Purpose, Shard};
use lanista_train::stack::Stack;
use lanista_train::{TrainError, Trainer};
use serde_json::{Value, json};

use crate::games::{RELAY, live, relay};
use crate::support::{assert_same, bits, config, metrics, train};

/// Iterations of seven steps, matches of ten: checkpoints fall everywhere in a match. One seat waits
/// for the other, and every number that may change over the run does.
const PRESET: &str = "
game: relay
observation:
  stack: [0, 1, 4]
  noise:
    - { features: [time], scale: { linear: { from: 0.5, to: 0 } } }
    - { features: ['0:2'], scale: 0.1, kind: uniform }
    - { features: [1], scale: { piecewise: [[0, 0], [1, 2]] }, kind: offset }
rollout: { matches: 6, horizon: 7, shard: 2 }
policy: { hidden: [8], normalize_observations: true }
ppo:
  minibatch: 16
  epochs: 2
  scale_rewards: true
  novelty: { linear: { from: 0.5, to: 0.1 } }
rewards: { earned: 1 }
opponents: { bot:steady: 0.5 }
evaluation: { matches: 4 }
checkpoint: { every: 100000 }
stop: { steps: 600 }
";

const MEMORY: &str = "policy.memory={cell: gru, size: 6}";

/// The same for a game whose matches depend on what is done in them, and cannot be replayed.
const LIVE: [&str; 5] = [
    "game=live",
    "rewards.earned=null",
    "rewards.height=1",
    "opponents=null",
    "observation.noise=[{features: [place, wind], scale: {linear: {from: 1, to: 0}}}]",
];

#[test]
fn the_number_of_threads_does_not_matter() {
    for sets in [&[][..], &[MEMORY]] {
        let runs = [1, 2, 5].map(|threads| {
            let run = tempfile::tempdir().unwrap();
            let threads = format!("run.threads={threads}");
            let sets: Vec<&str> = sets.iter().copied().chain([threads.as_str()]).collect();
            train(run.path(), relay(), config(PRESET, &sets), None).1.unwrap();
            run
        });
        for run in &runs[1..] {
            assert_same(runs[0].path(), run.path());
            assert_eq!(metrics(runs[0].path()), metrics(run.path()));
        }
    }
}

#[test]
fn a_pause_anywhere_changes_nothing() {
    let whole = tempfile::tempdir().unwrap();
    train(whole.path(), relay(), config(PRESET, &[]), None).1.unwrap();
    for pause in [40, 80, 120, 160, 200, 350] {
        let parts = tempfile::tempdir().unwrap();
        train(parts.path(), relay(), config(PRESET, &[]), Some(pause)).1.unwrap();
        train(parts.path(), relay(), config(PRESET, &["run.threads=3"]), None).1.unwrap();
        assert_same(whole.path(), parts.path());
        assert_eq!(metrics(whole.path()), metrics(parts.path()));
    }
    // At every iteration, with memory.
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    train(whole.path(), relay(), config(PRESET, &[MEMORY]), None).1.unwrap();
    for pause in (1..600).step_by(30) {
        train(parts.path(), relay(), config(PRESET, &[MEMORY]), Some(pause)).1.unwrap();
    }
    train(parts.path(), relay(), config(PRESET, &[MEMORY]), None).1.unwrap();
    assert_same(whole.path(), parts.path());
}

#[test]
fn matches_that_cannot_be_replayed_forget_their_frames_at_a_checkpoint() {
    let mut sets = LIVE.to_vec();
    sets.push("checkpoint.every=84");
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    train(whole.path(), live(), config(PRESET, &sets), None).1.unwrap();
    for pause in [84, 252, 420] {
        train(parts.path(), live(), config(PRESET, &sets), Some(pause)).1.unwrap();
    }
    train(parts.path(), live(), config(PRESET, &sets), None).1.unwrap();
    assert_same(whole.path(), parts.path());
}

#[test]
fn every_option_makes_a_difference() {
    let run = |sets: &[&str]| {
        let run = tempfile::tempdir().unwrap();
        train(run.path(), relay(), config(PRESET, sets), None).1.unwrap();
        bits(run.path())["policy.safetensors"].clone()
    };
    let all = run(&[]);
    for change in [
        "observation.stack=[0, 1, 3]",
        "observation.stack=[1, 0, 4]",
        "observation.noise=[]",
        "observation.noise.0.scale=0.5",
        "observation.noise.1.kind=normal",
        "observation.noise.2.kind=normal",
        "ppo.novelty=0",
        "run.seed=1",
    ] {
        assert!(run(&[change]) != all, "{change}");
    }
    assert!(run(&["observation.noise.1.features=[0, seat]"]) == all, "the same features");
}

fn iterations(sets: &[&str], count: usize) -> (Vec<Iteration>, Trainer) {
    let mut trainer = Trainer::new(relay(), config(PRESET, sets)).unwrap();
    trainer.start().unwrap();
    let done = (0..count).map(|_| trainer.iterate().unwrap()).collect();
    (done, trainer)
}

#[test]
fn novelty_is_reported_beside_the_terms_and_in_none_of_them() {
    // Without a learning rate both play the same, and differ in what they would have learnt.
    let frozen = "ppo.learning_rate=0";
    let (with, _) = iterations(&[frozen], 8);
    let (without, _) = iterations(&[frozen, "ppo.novelty=0"], 8);
    let number = |iteration: &Iteration, name: &str| iteration.metrics.number(name);
    let terms = |iteration: &Iteration| -> Vec<Metric> {
        let all = iteration.metrics.iter();
        all.filter(|metric| matches!(metric.kind, Kind::Term { .. })).cloned().collect()
    };
    let beginning = number(&with[0], "novelty");
    assert_eq!(beginning, Some(0.0), "in the beginning nothing is usual or unusual");
    for (i, (with, without)) in with.iter().zip(&without).enumerate() {
        assert_eq!(terms(with), terms(without), "iteration {i}");
        let [mine, theirs] = [with, without].map(|iteration| number(iteration, "return_mean"));
        assert_eq!(mine, theirs, "iteration {i}");
        assert_eq!(number(without, "novelty"), Some(0.0));
        if i > 0 {
            assert!(number(with, "novelty") > Some(0.0), "iteration {i}");
            assert_ne!(number(with, "value_loss"), number(without, "value_loss"), "iteration {i}");
        }
    }
}

#[test]
fn evaluations_are_free_of_noise() {
    let mut sets = LIVE.to_vec();
    sets.extend(["evaluation.deterministic=false", "evaluation.matches=20"]);
    let report = |noise: &str, policy: Option<Policy>| {
        let sets: Vec<&str> = sets.iter().copied().chain([noise]).collect();
        let mut trainer = Trainer::new(live(), config(PRESET, &sets)).unwrap();
        if let Some(policy) = policy {
            trainer.agent.learners[0].as_mut().unwrap().policy = policy;
        } else {
            trainer.start().unwrap();
            (0..3).for_each(|_| drop(trainer.iterate().unwrap()));
        }
        (trainer.evaluate().unwrap(), trainer.agent.learner().policy.clone())
    };
    let (noisy, policy) = report("observation.noise.0.scale=1000", None);
    let (clean, _) = report("observation.noise=[]", Some(policy));
    assert_eq!(noisy, clean);
}

/// Plays one match of relay for so many steps, twice around the clock.
fn record(stack: &Stack, noise: Vec<NoiseConfig>, steps: usize) -> Rollout {
    let batch = relay().build(&Value::Null, 1).unwrap();
    let noise = Noise::new(&noise, batch.spec(), 0, stack).unwrap();
    let batch = stack.over(batch);
    let config = PolicyConfig { hidden: vec![8], ..PolicyConfig::default() };
    let policy = Policy::new(Shape::of(&batch.spec().roles[0]), &config, 3);
    let seating = Seating::against(1, Player::Learner, 1);
    let mut shard = Shard::new(0, batch, &[Some(&policy)], seating).with_noise(vec![noise]);
    let weights = [vec![1.0]];
    let purpose = Purpose::Learn { weights: &weights, sequence_length: &[16] };
    shard.start_all(0).unwrap();
    shard.begin(0.0);
    for _ in 0..steps {
        shard.step(&[Some(&policy)], &purpose).unwrap();
    }
    shard.close(&[Some(&policy)]).unwrap();
    shard.roles.remove(0).rollout
}

/// The times that the acts of a row saw, in steps, frame by frame.
fn times(rollout: &Rollout, row: u32, frames: usize) -> Vec<Vec<i32>> {
    let time = |v: &f32| (v * RELAY as f32).round() as i32;
    (rollout.observation.chunks(2 * frames).zip(&rollout.row))
        .filter(|(_, r)| **r == row)
        .map(|(seen, _)| seen.iter().step_by(2).map(time).collect())
        .collect()
}

#[test]
fn history_counts_the_steps_of_the_match_and_not_the_acts_of_the_seat() {
    let stack = Stack::new(vec![0, 1, 3]).unwrap();
    let rollout = record(&stack, vec![], 14);
    let always = times(&rollout, 0, 3);
    assert_eq!(always[..4], [[0, 0, 0], [1, 0, 0], [2, 1, 0], [3, 2, 0]].map(Vec::from));
    assert_eq!(always[9..12], [[9, 8, 6], [0, 0, 0], [1, 0, 0]].map(Vec::from));
    // The second seat acts at every third step and has seen what happened in between.
    let seldom = times(&rollout, 1, 3);
    assert_eq!(seldom, [[2, 1, 0], [5, 4, 2], [8, 7, 5], [2, 1, 0]].map(Vec::from));
}

#[test]
fn what_is_recorded_is_what_was_seen() {
    let stack = Stack::new(vec![0, 1]).unwrap();
    let entry = json!([{"features": ["time"], "scale": 0.25, "kind": "uniform"}]);
    let noise: Vec<NoiseConfig> = serde_json::from_value(entry).unwrap();
    let (clean, noisy) = (record(&stack, vec![], 14), record(&stack, noise.clone(), 14));
    assert_eq!(clean.row, noisy.row);
    let blur: Vec<f32> =
        noisy.observation.iter().zip(&clean.observation).map(|(n, c)| n - c).collect();
    assert!(blur.iter().skip(1).step_by(2).all(|b| *b == 0.0), "only `time` is blurred");
    assert!(blur.iter().all(|b| b.abs() <= 0.2501));
    // Row 0 at steps 0 to 9: the second frame shows the number of the step before, noise and all.
    let seat: Vec<usize> = (0..clean.row.len()).filter(|&s| clean.row[s] == 0).take(10).collect();
    for pair in seat.windows(2) {
        assert_ne!(blur[4 * pair[0]], blur[4 * pair[1]]);
        let (then, now) = (noisy.observation[4 * pair[0]], noisy.observation[4 * pair[1] + 2]);
        assert_eq!(then, now);
    }
    assert_eq!(noisy.observation[4 * seat[0] + 2], 0.0, "before the match there is nothing");
    // A policy that saw something else thought something else of it.
    assert!(clean.value.iter().zip(&noisy.value).all(|(c, n)| c != n));
    assert_eq!(noisy.observation, record(&stack, noise, 14).observation);
}

#[test]
fn a_trainer_refuses_noise_on_what_is_not_there() {
    let set = "observation.noise=[{features: [tiem], scale: 1}]";
    let error = Trainer::new(relay(), config(PRESET, &[set])).err().unwrap();
    assert!(matches!(error, TrainError::Noise(_)));
    let said = "observation.noise.0.features.0: no feature `tiem` in relay: did you mean `time`?";
    assert!(error.to_string().starts_with(said), "{error}");
}

#[test]
fn a_stacked_batch_is_rebuilt_frame_by_frame() {
    let stack = Stack::new(vec![0, 2]).unwrap();
    let seats = [Control::Outside; 2];
    let mut batches = [(); 2].map(|()| stack.over(relay().build(&Value::Null, 2).unwrap()));
    let mut buffers = [(); 2].map(|()| Buffers::new(batches[0].spec(), 2));
    // The first has played before and then steps both matches together; the second is rebuilt, one
    // match after the other.
    for m in 0..2 {
        batches[0].start(m, 1, &seats, &mut buffers[0]).unwrap();
    }
    batches[0].submit(&[0, 1], &[0; 4], &mut buffers[0]).unwrap();
    for m in 0..2 {
        batches[0].start(m, 2, &seats, &mut buffers[0]).unwrap();
    }
    batches[0].submit(&[0, 1], &[0; 4], &mut buffers[0]).unwrap();
    for m in 0..2 {
        batches[1].start(m, 2, &seats, &mut buffers[1]).unwrap();
        batches[1].submit(&[m], &[0; 4], &mut buffers[1]).unwrap();
    }
    assert_eq!(buffers[0].observation, buffers[1].observation);
}
