//! Every number of a configuration has a range, and no number outside of it does harm.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lanista_game::Entry;
use serde_json::Value;

use super::*;
use crate::layers::{self, Override};
use crate::{TrainError, Trainer};

/// Every key that can hold a number holds one.
const WHOLE: &str = "
game: duel
settings: { rounds: 2 }
observation: { stack: 2, noise: [{ features: [0], scale: 0.1 }] }
rollout: { matches: 2, horizon: 6, shard: 2, patience_secs: 9, max_lost: 3 }
policy:
  encoder: { embedding: 3, entities: { hidden: [6, 4], pool: attention, heads: 2 } }
  hidden: [4]
  memory: { cell: gru, size: 3, layers: 1 }
  heads: { hidden: [3] }
  critic: { hidden: [4], memory: { cell: lstm, size: 2, layers: 1 } }
  normalize_observations: true
ppo:
  learning_rate: 1e-3
  critic_learning_rate: 1e-3
  gamma: 0.99
  gae_lambda: 0.95
  clip: 0.2
  value_clip: 0.2
  value_coef: 0.5
  entropy: 0.01
  novelty: 0.1
  max_grad_norm: 0.5
  epochs: 1
  minibatch: 4
  target_kl: 1
  sequence_length: 4
  chunk: 8
  max_bad_updates: 3
  optimizer: { name: muon, weight_decay: 0.1 }
rewards: { won: 1 }
opponents: { past: 0.5, bot:random: 0.2 }
league: { every: 4, pool: 2, min_elo_diff: 300, sampler: { prioritized: { learning_rate: 0.02 } } }
exploiters: [{ against: main, rollouts: 2 }]
curriculum:
  - { name: one, until: { any: [{ steps: 4 }, { stat: { name: rock_0, at_least: 9, over: 3 } }] } }
  - { name: two, until: { win_rate: { vs: bot:random, at_least: 0.9, over: 5 } } }
evaluation: { every: 100, matches: 2 }
recording: { every: 5, keep: 2 }
checkpoint: { every: 100, keep: 2, milestones: 1000 }
stop: { steps: 100, seconds: 60, return: 5 }
run: { seed: 3, threads: 1 }
";

fn duel() -> Entry {
    lanista_classic::games()[4].clone()
}

fn read(sets: &[String]) -> Result<RunConfig, String> {
    let sets: Result<Vec<_>, _> = sets.iter().map(|set| Override::set(set)).collect();
    let sets = sets.map_err(|e| e.to_string())?;
    let layered = layers::load("whole", &[("whole", WHOLE)], &sets).map_err(|e| e.to_string())?;
    let config = RunConfig::read(&layered).map_err(|e| e.to_string())?;
    let spec = duel().spec(&config.settings).map_err(|e| e.to_string())?;
    config.check_against(&layered, &spec).map_err(|e| e.to_string())?;
    Ok(config)
}

/// The keys of all numbers below a value.
fn leaves(value: &Value, at: &str, found: &mut Vec<String>) {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match value {
        Value::Number(_) => found.push(at.to_owned()),
        Value::Array(list) => {
            (0..).zip(list).for_each(|(i, v): (usize, _)| leaves(v, &below(&i.to_string()), found));
        }
        Value::Object(map) => map.iter().for_each(|(key, v)| leaves(v, &below(key), found)),
        _ => {}
    }
}

fn all_keys() -> Vec<String> {
    let config = read(&[]).unwrap();
    let mut keys = Vec::new();
    leaves(&serde_json::to_value(&config).unwrap(), "", &mut keys);
    keys
}

#[test]
fn every_number_is_listed() {
    let config = read(&[]).unwrap();
    let listed: Vec<String> = numbers(&config).into_iter().map(|n| n.key).collect();
    // Checked where they are read: by the game, by the stack, the sampler and the curriculum; a seed
    // may be anything.
    let elsewhere = ["settings", "observation.stack", "league.sampler", "curriculum", "run.seed"];
    for key in all_keys() {
        let covered = listed.iter().any(|l| key == *l || key.starts_with(&format!("{l}.")));
        let other = elsewhere.iter().any(|part| key.starts_with(part));
        let feature = key.starts_with("observation.noise") && key.contains("features");
        assert!(covered || other || feature, "{key} has no range");
    }
}

/// One iteration of what was accepted. Whatever it says, it must not panic.
fn train(config: RunConfig) -> Result<(), TrainError> {
    let exploiters = config.exploiters.iter().map(|e| (e.clone(), config.clone())).collect();
    let mut trainer = Trainer::staged(duel(), vec![config], None)?.with_exploiters(exploiters)?;
    trainer.start()?;
    trainer.iterate()?;
    trainer.iterate()?;
    Ok(())
}

#[test]
fn extreme_numbers_are_refused_by_name_or_do_no_harm() {
    let extremes = [
        "0",
        "-1",
        ".nan",
        ".inf",
        "-.inf",
        "1e308",
        "-1e308",
        "1e39",
        "1e-320",
        "18446744073709551615",
        "4611686018427387904",
        "9223372036854775807",
        "1000000000000",
    ];
    let mut harmless = 0;
    for key in all_keys() {
        for extreme in extremes {
            let set = format!("{key}={extreme}");
            let what = catch_unwind(AssertUnwindSafe(|| match read(std::slice::from_ref(&set)) {
                Err(refusal) => {
                    // A list is named as a whole, and so is what must agree with the number.
                    let mut parts = key.split('.');
                    let (first, second) = (parts.next(), parts.next());
                    assert!(refusal.contains(first.unwrap()), "{set}: {refusal}");
                    let named = second.is_some_and(|part| refusal.contains(part));
                    assert!(named || refusal.contains("rewards"), "{set}: {refusal}");
                    false
                }
                Ok(config) => match train(config) {
                    Err(error) => {
                        let panicked = matches!(error, TrainError::Panic(_));
                        assert!(!panicked, "{set}: {error}");
                        let known =
                            matches!(error, TrainError::Diverged(_) | TrainError::TooLarge(_));
                        assert!(known, "{set}: {error}");
                        true
                    }
                    Ok(()) => true,
                },
            }));
            harmless += u32::from(what.unwrap_or_else(|_| panic!("{set} panicked")));
        }
    }
    assert!(harmless > 20, "{harmless} were tried");
}

#[test]
fn the_ends_of_ranges_are_where_they_say() {
    assert!(from(0.0, 1.0).contains(0.0) && from(0.0, 1.0).contains(1.0));
    assert!(!below(0.0, 1.0).contains(1.0) && !above(0.0, 1.0).contains(0.0));
    assert!(!from(f64::MIN, f64::MAX).contains(f64::NAN));
    assert_eq!(below(0.0, 1.0).to_string(), "at least 0 and below 1");
    assert_eq!(above(0.0, 10.0).to_string(), "above 0 and at most 10");
    let refused = |set: &str| read(&[set.to_owned()]).unwrap_err();
    let refusal = refused("ppo.optimizer.beta1=1");
    assert!(refusal.contains("ppo.optimizer.beta1 in --set"), "{refusal}");
    assert!(refusal.contains("at least 0 and below 1"), "{refusal}");
    let refusal = refused("rewards.won=1e37");
    assert!(refusal.contains("rewards.won") && refusal.contains("1000000"), "{refusal}");
    let refusal = refused("league.sampler={prioritized: {learning_rate: 1e308}}");
    assert!(refusal.contains("league.sampler") && refusal.contains("at most 1e6"), "{refusal}");
    let refusal = refused("policy.hidden=[1000000,1000000]");
    assert!(refusal.contains("policy.hidden") && refusal.contains("65536"), "{refusal}");
    let refusal = refused("policy.encoder.embedding=0");
    assert!(refusal.contains("policy.encoder.embedding") && refusal.contains("65536"), "{refusal}");
    let refusal = refused("policy.encoder.entities.hidden=[70000]");
    assert!(refusal.contains("policy.encoder.entities.hidden"), "{refusal}");
    let refusal = refused("policy.encoder.entities.heads=3");
    assert!(refusal.contains("policy.encoder.entities.heads in --set"), "{refusal}");
    assert!(refusal.contains("3 heads do not divide the last layer of 4"), "{refusal}");
    let refusal = refused("policy.encoder.entities.pool=mean_max");
    assert!(refusal.contains("only `pool: attention` has heads"), "{refusal}");
    let refusal = refused("run.threads=10000");
    assert!(refusal.contains("run.threads") && refusal.contains("1024"), "{refusal}");
    let refusal = refused("evaluation.every=null");
    assert!(refusal.contains("stop.return") && refusal.contains("evaluation.every"), "{refusal}");
}
