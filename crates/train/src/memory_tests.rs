//! Estimates: whole, monotone and never wrapped around.

use lanista_learn::config::{CellName, MemoryConfig};
use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn spec(game: usize) -> Spec {
    lanista_classic::games()[game].spec(&Value::Null).unwrap()
}

fn config() -> RunConfig {
    RunConfig { game: "duel".into(), ..RunConfig::default() }
}

fn estimated(
    spec: &Spec,
    config: &RunConfig,
    exploiters: &[(Exploiter, RunConfig)],
    threads: usize,
) -> Estimate {
    estimate(spec, config, exploiters, threads).unwrap()
}

#[test]
fn what_cannot_fit_is_refused_with_what_needs_most() {
    let mut config = config();
    config.policy.hidden = vec![1 << 62];
    let estimate = estimated(&spec(4), &config, &[], 2);
    let error = estimate.check().unwrap_err().to_string();
    for part in ["over 1 PiB", "weights and gradients", "policy.hidden", "together", VARIABLE] {
        assert!(error.contains(part), "{error}");
    }
    config.policy.hidden = vec![16];
    config.rollout.horizon = 1_000_000_000_000;
    let error = estimated(&spec(4), &config, &[], 2).check().unwrap_err().to_string();
    assert!(error.contains("rollout.horizon"), "{error}");
    config.rollout.horizon = 256;
    assert_eq!(estimated(&spec(4), &config, &[], 2).check(), Ok(()));
}

#[test]
fn parts_are_listed_only_where_they_exist() {
    let named = |estimate: &Estimate, what: &str| {
        estimate.needs.iter().any(|need| need.what.starts_with(what))
    };
    let mut config = config();
    let alone = estimated(&spec(4), &config, &[], 1);
    assert!(named(&alone, "rollout") && !named(&alone, "past policies"));
    config.opponents.insert("past".into(), 0.5);
    let exploiters = [(Exploiter::default(), config.clone())];
    let league = estimated(&spec(4), &config, &exploiters, 1);
    assert!(named(&league, "past policies") && named(&league, "rollout of exploiter 0"));
    // Cart-pole has one team: nobody's past is met.
    assert!(!named(&estimated(&spec(0), &config, &[], 1), "past policies"));
}

#[test]
fn the_table_is_aligned_and_ends_with_the_sum() {
    let estimate = estimated(&spec(0), &config(), &[], 2);
    let text = estimate.to_string();
    let last = text.lines().last().unwrap();
    assert!(last.trim_start().starts_with("together"), "{text}");
    assert!(last.ends_with("MiB"), "{text}");
    assert_eq!(estimate.bytes(), estimate.needs.iter().map(|need| need.bytes).sum::<u128>());
}

fn any_config() -> impl Strategy<Value = RunConfig> {
    let large = prop_oneof![0usize..100, 0usize..100_000, any::<usize>()];
    let sizes = proptest::collection::vec(large.clone(), 0..4);
    (sizes, large.clone(), large.clone(), large.clone(), large.clone(), large, any::<bool>())
        .prop_map(|(hidden, matches, horizon, size, pool, evaluated, past)| {
            let mut config = config();
            config.policy.hidden = hidden;
            config.policy.memory = Some(MemoryConfig { cell: CellName::Gru, size, layers: 2 });
            config.rollout.matches = matches;
            config.rollout.horizon = horizon;
            config.league.pool = pool;
            config.evaluation.matches = evaluated;
            config.opponents.insert("past".into(), if past { 0.5 } else { 0.0 });
            config
        })
}

proptest! {
    /// More of anything never needs less, and nothing overflows.
    #[test]
    fn estimates_are_monotone(config in any_config(), which in 0usize..9, more in any::<u32>()) {
        let spec = spec(4);
        let before = estimated(&spec, &config, &[], 4).bytes();
        let mut larger = config.clone();
        let raise = |n: &mut usize| *n = n.saturating_add(more as usize);
        let mut threads = 4;
        match which {
            0 => larger.policy.hidden.iter_mut().for_each(raise),
            1 => larger.policy.memory.iter_mut().for_each(|m| raise(&mut m.size)),
            2 => larger.policy.memory.iter_mut().for_each(|m| raise(&mut m.layers)),
            3 => raise(&mut larger.rollout.matches),
            4 => raise(&mut larger.rollout.horizon),
            5 => raise(&mut larger.league.pool),
            6 => raise(&mut larger.evaluation.matches),
            7 => larger.policy.hidden.push(1),
            _ => raise(&mut threads),
        }
        let after = estimated(&spec, &larger, &[], threads).bytes();
        // A narrow layer on top narrows the heads; longer stretches of a match are fewer in a minibatch.
        let fewer = which == 4 && config.rollout.horizon < config.ppo.sequence_length;
        prop_assert!(after >= before || which == 7 || fewer, "{which}: {before} then {after}");
        let with = estimated(&spec, &config, &[(Exploiter::default(), config.clone())], 4).bytes();
        prop_assert!(with >= before);
    }
}
