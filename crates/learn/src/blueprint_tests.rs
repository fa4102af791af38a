use std::collections::BTreeMap;

use super::*;
use crate::config::{
    ActivationName, CellName, CriticConfig, EncoderConfig, EntitiesConfig, HeadsConfig, PoolName,
};
use crate::policy::Policy;
use crate::structure::tests::groups;

/// Every tensor that a blueprint speaks of, with its shape.
fn mentioned(blueprint: &Blueprint, heads: &[usize]) -> BTreeMap<String, Vec<usize>> {
    let mut found = BTreeMap::new();
    let mut add = |name: String, shape: Vec<usize>| {
        assert!(found.insert(name.clone(), shape).is_none(), "{name} comes twice");
    };
    fn of_dense(dense: &Dense, add: &mut dyn FnMut(String, Vec<usize>)) {
        add(format!("{}.weight", dense.name), vec![dense.input, dense.output]);
        add(format!("{}.bias", dense.name), vec![dense.output]);
    }
    fn of_stack(stack: &Stack, add: &mut dyn FnMut(String, Vec<usize>)) {
        for layer in &stack.layers {
            of_dense(layer, add);
            for part in ["weight", "bias"].iter().filter(|_| stack.layer_norm) {
                add(format!("{}.norm.{part}", layer.name), vec![layer.output]);
            }
        }
    }
    fn of_body(body: &Body, add: &mut dyn FnMut(String, Vec<usize>)) {
        if let Some(encoder) = &body.encoder {
            for table in &encoder.tables {
                add(table.name.clone(), vec![table.rows, table.width]);
            }
            for net in &encoder.nets {
                of_stack(&net.hidden, add);
                if let Some(attention) = &net.attention {
                    of_dense(&attention.qkv, add);
                    of_dense(&attention.out, add);
                }
            }
        }
        of_stack(&body.hidden, add);
        if let Some(memory) = &body.memory {
            let wide = if memory.cell == Cell::Lstm { 4 } else { 3 } * memory.size;
            for l in 0..memory.layers {
                let input = if l == 0 { memory.input } else { memory.size };
                let name = |part: &str| format!("{}.{l}.{part}", memory.name);
                add(name("weight_input"), vec![input, wide]);
                add(name("weight_hidden"), vec![memory.size, wide]);
                add(name("bias"), vec![wide]);
                if memory.cell == Cell::Gru {
                    add(name("bias_n"), vec![memory.size]);
                }
            }
        }
    }
    of_body(&blueprint.actor, &mut add);
    match &blueprint.heads {
        Heads::Plain(dense) => of_dense(dense, &mut add),
        Heads::Apart(nets) => {
            for (h, net) in nets.iter().enumerate() {
                of_dense(&net.first, &mut add);
                if let Some(choices) = &net.choices {
                    let earlier = heads[..h].iter().sum();
                    add(choices.clone(), vec![earlier, net.first.output]);
                }
                if let Some((stack, out)) = &net.rest {
                    of_stack(stack, &mut add);
                    of_dense(out, &mut add);
                }
            }
        }
    }
    match &blueprint.critic {
        Critic::Shared { hidden, value } => {
            of_stack(hidden, &mut add);
            of_dense(value, &mut add);
        }
        Critic::Separate { body, value } => {
            of_body(body, &mut add);
            of_dense(value, &mut add);
        }
    }
    found
}

#[test]
fn it_speaks_of_every_tensor_of_the_policy_once_and_in_its_shape() {
    let heads = vec![3, 2, 4];
    let plain = Shape {
        features: 5,
        groups: vec![Group::Plain { features: 5 }],
        privileged: 2,
        requires: vec![Vec::new(); 3],
        heads: heads.clone(),
        ..Shape::default()
    };
    let structured = Shape { features: 34, groups: groups(), ..plain.clone() };
    let memory = |cell, layers| Some(MemoryConfig { cell, size: 6, layers });
    let encoder = |pool| {
        let entities = EntitiesConfig { hidden: vec![7, 8], pool, heads: None };
        Some(EncoderConfig { embedding: 3, entities })
    };
    let base = PolicyConfig { hidden: vec![9, 10], ..PolicyConfig::default() };
    let with_heads = |hidden: &[usize], autoregressive| PolicyConfig {
        heads: HeadsConfig { hidden: hidden.to_vec(), autoregressive },
        ..base.clone()
    };
    let configs = [
        base.clone(),
        PolicyConfig { layer_norm: true, activation: ActivationName::Silu, ..base.clone() },
        PolicyConfig { memory: memory(CellName::Lstm, 2), ..base.clone() },
        PolicyConfig { hidden: vec![], memory: memory(CellName::Gru, 1), ..base.clone() },
        with_heads(&[], true),
        with_heads(&[11, 12], true),
        with_heads(&[11], false),
        PolicyConfig { encoder: encoder(PoolName::MeanMax), layer_norm: true, ..base.clone() },
        PolicyConfig {
            encoder: encoder(PoolName::Attention),
            critic: CriticConfig { shared: true, hidden: Some(vec![5]), memory: None },
            ..base.clone()
        },
        PolicyConfig {
            critic: CriticConfig {
                shared: false,
                hidden: Some(vec![]),
                memory: memory(CellName::Gru, 2),
            },
            ..base.clone()
        },
    ];
    for shape in [plain, structured] {
        for config in &configs {
            let policy = Policy::blank(shape.clone(), config);
            let tensors = policy.layout().tensors().iter();
            let real: BTreeMap<String, Vec<usize>> =
                tensors.map(|t| (t.name.clone(), t.shape.clone())).collect();
            let blueprint = Blueprint::of(&shape, config);
            assert_eq!(mentioned(&blueprint, &heads), real, "{config:?}");
            let state = |body: &Body| body.memory.as_ref().map_or(0, Memory::state);
            let critic = match &blueprint.critic {
                Critic::Shared { .. } => 0,
                Critic::Separate { body, .. } => state(body),
            };
            assert_eq!((state(&blueprint.actor), critic), policy.state_sizes());
        }
    }
}
