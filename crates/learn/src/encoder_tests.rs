use serde_json::Value;

use super::*;
use crate::config::{EntitiesConfig, PoolName};
use crate::structure::tests::groups;

fn numbers(v: &Value) -> Vec<f32> {
    match v {
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        other => vec![other.as_f64().unwrap() as f32],
    }
}

fn encoder(config: &EncoderConfig) -> (Encoder, Layout) {
    let (groups, mut layout) = (groups(), Layout::default());
    let groups: Vec<&Group> = groups.iter().collect();
    let tanh = Activation::Tanh;
    let encoder = Encoder::new(&mut layout, "e", &groups, config, tanh, false, Owner::Actor);
    (encoder, layout)
}

fn assert_close(what: &str, got: &[f32], want: &[f32]) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() < 2e-5 * (1.0 + w.abs()), "{what}[{i}]: {g}, expected {w}");
    }
}

#[test]
fn agrees_with_the_reference() {
    let f: Value = serde_json::from_str(include_str!("../fixtures/encoder.json")).unwrap();
    let usize_of = |key: &str| f[key].as_u64().unwrap() as usize;
    let x = numbers(&f["x"]);
    for (case, pool) in
        f["cases"].as_array().unwrap().iter().zip([PoolName::MeanMax, PoolName::Attention])
    {
        assert_eq!(case["pool"], serde_json::to_value(pool).unwrap());
        let heads = (pool == PoolName::Attention).then_some(usize_of("heads"));
        let hidden = numbers(&f["hidden"]).iter().map(|&h| h as usize).collect();
        let entities = EntitiesConfig { hidden, pool, heads };
        let (encoder, layout) =
            encoder(&EncoderConfig { embedding: usize_of("embedding"), entities });
        // The reference stores weights, but not tables, as `[output, input]`.
        let of_tensors = |key: &str| {
            let mut all = Vec::new();
            for tensor in layout.tensors() {
                let name = tensor.name.strip_prefix("e.").unwrap();
                let values = numbers(&case[key][name]);
                match tensor.shape[..] {
                    [input, output] if !name.starts_with("ids.") => all.extend(
                        (0..input * output).map(|i| values[(i % output) * input + i / output]),
                    ),
                    _ => all.extend(values),
                }
            }
            assert_eq!(all.len(), layout.len());
            all
        };
        let params = of_tensors("weights");
        let rows = x.len() / encoder.input;
        let mut cache = EncoderCache::default();
        encoder.forward(&params, rows, &x, &mut cache);
        assert_close("y", cache.output(), &numbers(&case["y"]));
        let mut grads = vec![0.0; layout.len()];
        encoder.backward(&params, rows, &x, &numbers(&case["coef"]), &mut cache, &mut grads);
        let want = of_tensors("grad");
        for tensor in layout.tensors() {
            let at = tensor.range.clone();
            assert_close(&tensor.name, &grads[at.clone()], &want[at]);
        }
    }
}

#[test]
fn every_tensor_has_a_name_of_its_own() {
    let other = Group::Entities {
        name: "beast".to_owned(),
        most: 1,
        parts: vec![EntityPart::Number, EntityPart::Number],
    };
    let (groups, mut layout) = (groups(), Layout::default());
    let groups: Vec<&Group> = groups.iter().chain([&other]).collect();
    let config = EncoderConfig {
        entities: EntitiesConfig { pool: PoolName::Attention, ..EntitiesConfig::default() },
        ..EncoderConfig::default()
    };
    let name = "actor.encoder";
    Encoder::new(&mut layout, name, &groups, &config, Activation::Relu, false, Owner::Actor);
    let mut names: Vec<&str> = layout.tensors().iter().map(|t| &t.name[..]).collect();
    assert!(names.contains(&"actor.encoder.ids.species"));
    assert!(names.contains(&"actor.encoder.entities.beast.hidden.0.weight"));
    assert!(names.contains(&"actor.encoder.entities.stone.attention.qkv.bias"));
    // One net for both groups of beasts, another for what only has the name of a beast.
    assert_eq!(names.iter().filter(|n| n.ends_with("hidden.0.weight")).count(), 3);
    names.sort_unstable();
    assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
}

#[test]
fn no_rows_no_entities_and_entities_without_parts_do_no_harm() {
    let bare = Group::Entities { name: "bare".to_owned(), most: 3, parts: vec![] };
    for pool in [PoolName::MeanMax, PoolName::Attention] {
        let mut layout = Layout::default();
        let entities = EntitiesConfig { hidden: vec![20], pool, heads: None };
        let config = EncoderConfig { embedding: 4, entities };
        let tanh = Activation::Tanh;
        let encoder = Encoder::new(&mut layout, "e", &[&bare], &config, tanh, true, Owner::Actor);
        let mut params = vec![0.0; layout.len()];
        encoder.init(&mut params, &mut Initializer::new(1));
        let (mut cache, mut grads) = (EncoderCache::default(), vec![0.0; layout.len()]);
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [f32::NAN, 0.0, 0.0]].concat();
        for rows in [0, 4, 1, 0, 4] {
            encoder.forward(&params, rows, &x, &mut cache);
            let dy = vec![1.0; rows * encoder.output()];
            encoder.backward(&params, rows, &x, &dy, &mut cache, &mut grads);
            let y = &cache.output()[..rows * encoder.output()];
            assert!(y.iter().chain(&grads).all(|v| v.is_finite()));
            assert!(y.iter().take(encoder.output()).all(|&v| v == 0.0), "an empty set is zero");
        }
    }
}
