use serde_json::Value;

use super::*;

fn numbers(v: &Value) -> Vec<f32> {
    match v {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        Value::Bool(b) => vec![*b as u8 as f32],
        other => vec![other.as_f64().unwrap() as f32],
    }
}

fn close(what: &str, got: f64, want: f64) {
    assert!((got - want).abs() < 1e-5 * (1.0 + want.abs()), "{what}: {got}, expected {want}");
}

#[test]
fn the_loss_and_its_gradient_agree_with_the_reference() {
    let f: Value = serde_json::from_str(include_str!("../fixtures/ppo.json")).unwrap();
    let get = |key: &str| numbers(&f[key]);
    let heads: Vec<usize> = get("heads").iter().map(|&h| h as usize).collect();
    let raw = get("advantages");
    let rows = raw.len();
    let mean = raw.iter().sum::<f32>() / rows as f32;
    let variance = raw.iter().map(|a| (a - mean) * (a - mean)).sum::<f32>() / rows as f32;
    let inputs = Inputs {
        rows,
        mask: get("mask").iter().map(|&m| m == 1.0).collect(),
        actions: get("actions").iter().map(|&a| a as u32).collect(),
        ..Inputs::default()
    };
    let targets = Targets {
        old_log_prob: get("old_log_prob"),
        advantage: raw.iter().map(|a| (a - mean) / (variance.sqrt() + 1e-8)).collect(),
        returns: get("returns"),
        old_value: get("old_values"),
        weight: vec![1.0; rows],
    };
    let cases = f["cases"].as_array().unwrap();
    assert!(cases.iter().any(|c| c["value_clip"].is_null()));
    assert!(cases.iter().any(|c| c["value_clip"].is_number()));
    for case in cases {
        let value_clip = case["value_clip"].as_f64().map(|v| v as f32);
        let mut scratch = Scratch::default();
        scratch.logits = get("logits");
        scratch.values = get("values");
        let numbers_ = Numbers { clip: 0.2, value_clip, value_coef: 0.5, entropy: 0.01 };
        let mut sums = Sums::default();
        loss(&heads, &inputs, &mut scratch, &targets, rows as f32, numbers_, &mut sums);
        let mean = |key: &str, sum: f64| close(key, sum / rows as f64, case[key].as_f64().unwrap());
        mean("policy_loss", sums.policy_loss);
        mean("value_loss", sums.value_loss);
        mean("entropy", sums.entropy);
        mean("approx_kl", sums.approx_kl);
        mean("clip_fraction", sums.clipped);
        let total = sums.policy_loss + 0.5 * sums.value_loss - 0.01 * sums.entropy;
        mean("loss", total);
        for (got, want) in scratch.d_logits.iter().zip(numbers(&case["grad_logits"])) {
            close("grad_logits", *got as f64, want as f64);
        }
        for (got, want) in scratch.d_values.iter().zip(numbers(&case["grad_values"])) {
            close("grad_values", *got as f64, want as f64);
        }
    }
}

#[test]
fn shuffles_are_permutations_and_differ() {
    let fresh: Vec<Item> = (0..100).map(|index| Item { shard: 0, index }).collect();
    let order = |seed| {
        let mut items = fresh.clone();
        shuffle(&mut items, seed);
        items.iter().map(|i| i.index).collect::<Vec<_>>()
    };
    let mut sorted = order(1);
    assert_ne!(sorted, order(2));
    assert_eq!(sorted, order(1));
    sorted.sort_unstable();
    assert!(sorted.iter().enumerate().all(|(i, &s)| i as u32 == s));
}
