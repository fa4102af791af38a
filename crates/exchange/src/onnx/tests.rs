use std::collections::{BTreeMap, BTreeSet};

use lanista_game::{Condition, Feature, Group, Head, Pair, Requirement, Role};
use lanista_learn::config::{
    ActivationName, CellName, CriticConfig, EncoderConfig, EntitiesConfig, HeadsConfig,
    MemoryConfig, PolicyConfig, PoolName,
};
use lanista_learn::{Policy, Shape};

use super::graph::{Dim, Graph, Kind};
use super::policy::{Options, build, write};
use crate::model::Model;

fn role() -> Role {
    let requires = |action, condition, choices: &[(usize, u32)]| Requirement {
        head: 2,
        action,
        condition,
        choices: choices.to_vec(),
    };
    Role {
        name: "knight".into(),
        observation: vec![
            Group::features([
                Feature::from("x"),
                Feature::from("y"),
                Feature::id("place", "map", 6),
            ]),
            Group::entities("foe", 3, [Feature::from("health"), Feature::id("kind", "kinds", 5)]),
        ],
        privileged: vec!["secret".into()],
        heads: vec![
            Head::new("move", ["stay", "left", "right"]),
            Head::new("hand", ["empty", "sword"]),
            Head::new("act", ["wait", "hit", "throw", "run"]),
        ],
        requires: vec![
            requires(1, Condition::All, &[(1, 1), (0, 0)]),
            requires(2, Condition::Any, &[(0, 1), (1, 1)]),
            requires(3, Condition::None, &[(0, 0)]),
        ],
        pairs: vec![Pair { first: 0, second: 1 }],
        ..Role::default()
    }
}

fn configs() -> Vec<PolicyConfig> {
    let base = PolicyConfig { hidden: vec![8], ..PolicyConfig::default() };
    let memory = |cell| Some(MemoryConfig { cell, size: 4, layers: 2 });
    let encoder = |pool| {
        Some(EncoderConfig {
            embedding: 3,
            entities: EntitiesConfig { hidden: vec![8], pool, heads: None },
        })
    };
    let heads =
        |hidden: &[usize], autoregressive| HeadsConfig { hidden: hidden.to_vec(), autoregressive };
    vec![
        base.clone(),
        PolicyConfig { memory: memory(CellName::Lstm), layer_norm: true, ..base.clone() },
        PolicyConfig {
            memory: memory(CellName::Gru),
            critic: CriticConfig { shared: true, hidden: Some(vec![5]), memory: None },
            ..base.clone()
        },
        PolicyConfig { heads: heads(&[7, 6], true), normalize_observations: true, ..base.clone() },
        PolicyConfig { heads: heads(&[], true), activation: ActivationName::Silu, ..base.clone() },
        PolicyConfig {
            encoder: encoder(PoolName::Attention),
            normalize_observations: true,
            layer_norm: true,
            ..base.clone()
        },
        PolicyConfig { encoder: encoder(PoolName::MeanMax), ..base },
    ]
}

/// Every name is made once and before it is used, and every constant holds what its shape says.
fn check(graph: &Graph) {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (value, _) in &graph.inputs {
        assert!(known.insert(&value.name), "{} twice", value.name);
    }
    for constant in &graph.constants {
        assert!(known.insert(&constant.value.name), "{} twice", constant.value.name);
        let count = constant.value.shape.iter().map(|dim| match dim {
            Dim::Fixed(n) => *n,
            Dim::Batch => panic!("{} has no fixed shape", constant.value.name),
        });
        let bytes = match constant.value.kind {
            Kind::Float => 4,
            Kind::Int64 => 8,
            Kind::Bool => 1,
        };
        assert_eq!(count.product::<usize>() * bytes, constant.bytes.len());
    }
    let mut used: BTreeSet<&str> = BTreeSet::new();
    for node in &graph.nodes {
        for input in &node.inputs {
            assert!(known.contains(input.as_str()), "{} uses {input}", node.output.name);
            used.insert(input);
        }
        assert!(known.insert(&node.output.name), "{} twice", node.output.name);
    }
    for constant in &graph.constants {
        assert!(used.contains(constant.value.name.as_str()), "{} unused", constant.value.name);
    }
    for (value, _) in &graph.inputs {
        assert!(used.contains(value.name.as_str()), "{} unused", value.name);
    }
}

#[test]
fn every_graph_is_whole_and_has_the_shapes_that_it_should() {
    let role = role();
    let shape = Shape::of(&role);
    for config in configs() {
        let policy = Policy::new(shape.clone(), &config, 3);
        let model = Model { policy: &policy, config: &config, role: &role, about: BTreeMap::new() };
        let (actor, critic) = policy.state_sizes();
        for actor_only in [false, true] {
            for noise in [false, true] {
                let graph = build(&model, Options { actor_only, noise }).unwrap();
                check(&graph);
                let state = if actor_only { actor } else { actor + critic };
                let row = |n: usize| vec![Dim::Batch, Dim::Fixed(n)];
                let mut inputs =
                    vec![("observation", row(12)), ("mask", row(9)), ("forbidden", row(6))];
                inputs.extend((!actor_only).then(|| ("privileged", row(1))));
                inputs.extend((state > 0).then(|| ("state_in", row(state))));
                inputs.extend(noise.then(|| ("noise", row(9))));
                let mut outputs =
                    vec![("logits", row(9)), ("masked_logits", row(9)), ("action", row(3))];
                outputs.extend((!actor_only).then(|| ("value", vec![Dim::Batch])));
                outputs.extend((state > 0).then(|| ("state_out", row(state))));
                let shapes = |of: &[(super::graph::Value, String)]| -> Vec<(String, Vec<Dim>)> {
                    of.iter().map(|(v, _)| (v.name.clone(), v.shape.clone())).collect()
                };
                let named = |of: Vec<(&str, Vec<Dim>)>| -> Vec<(String, Vec<Dim>)> {
                    of.into_iter().map(|(name, shape)| (name.to_owned(), shape)).collect()
                };
                assert_eq!(shapes(&graph.inputs), named(inputs), "{config:?}");
                assert_eq!(shapes(&graph.outputs), named(outputs), "{config:?}");
            }
        }
    }
}

#[test]
fn every_weight_is_in_the_file_and_everything_is_named() {
    let role = role();
    let config = configs().remove(3);
    let policy = Policy::new(Shape::of(&role), &config, 3);
    let about = BTreeMap::from([("game".to_owned(), "joust".to_owned())]);
    let model = Model { policy: &policy, config: &config, role: &role, about };
    let bytes = write(&model, Options::default()).unwrap().bytes;
    let holds = |what: &[u8]| bytes.windows(what.len()).any(|window| window == what);
    assert!(holds(b"\x08\x08\x12\x07lanista"), "IR version 8, and who wrote it");
    assert!(holds(b"\x42\x04\x0a\x00\x10\x11"), "opset 17 of the default domain");
    for tensor in policy.layout().tensors().iter().filter(|t| !t.name.ends_with("choices")) {
        let raw: Vec<u8> =
            policy.params[tensor.range.clone()].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert!(holds(&raw), "{} is not in the file", tensor.name);
    }
    let metadata = model.metadata();
    let expected = [
        (
            "features",
            r#"["x","y","place","foe_0_present","foe_0_health","foe_0_kind","foe_1_present","foe_1_health","foe_1_kind","foe_2_present","foe_2_health","foe_2_kind"]"#,
        ),
        ("game", "joust"),
        (
            "heads",
            r#"[{"actions":["stay","left","right"],"name":"move"},{"actions":["empty","sword"],"name":"hand"},{"actions":["wait","hit","throw","run"],"name":"act"}]"#,
        ),
        ("pairs", r#"[{"first":"move","second":"hand"}]"#),
        ("privileged", r#"["secret"]"#),
        ("role", "knight"),
        ("state", r#"{"actor":0,"critic":0}"#),
    ];
    let found: Vec<(&str, &str)> =
        metadata.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!(found, expected);
    for (key, value) in expected {
        assert!(holds(key.as_bytes()) && holds(value.as_bytes()), "{key}");
    }
    // Equal models give equal files.
    assert_eq!(bytes, write(&model, Options::default()).unwrap().bytes);
}
