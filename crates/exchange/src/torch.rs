//! The weights of a policy as PyTorch's modules hold them, in a safetensors file.
//!
//! Weights here are `[input, output]`; those of `torch.nn.Linear` are `[output, input]`. Gates come in the
//! same order in both: `i, f, g, o` of the LSTM and `r, z, n` of the GRU. PyTorch has two biases a gate
//! where one is enough: the second is zero, except the GRU's inside the reset gate's bracket.

use std::collections::BTreeMap;

use lanista_learn::Normalizer;
use lanista_learn::blueprint::{
    Blueprint, Body, Critic, Dense, EntityNet, Heads, Memory, Stack as Layers,
};
use lanista_nn::{Array, Cell, tensors_to_bytes};

use crate::model::{ExchangeError, Model};

/// What the file says about itself.
const LAYOUT: &str = "PyTorch's: nn.Linear NAME.weight [output, input] and NAME.bias; nn.LayerNorm (eps \
    1e-5) NAME.norm.*; nn.LSTM or nn.GRU NAME.memory.weight_ih_l0, …; nn.Embedding NAME.ids.*.weight; \
    nn.MultiheadAttention NAME.attention.in_proj_weight, …; choices before a head nn.Linear without bias \
    over their one-hots; normalizer: clip((x - shift) * scale, -limit, limit) where touched is 1";

/// Writes the weights.
pub fn write(model: &Model) -> Result<Vec<u8>, ExchangeError> {
    let mut file = Weights { model, tensors: Vec::new() };
    let Blueprint { actor, heads, critic } = model.blueprint();
    file.normalizer("normalizer", model.policy.normalizer.as_ref());
    file.normalizer("privileged_normalizer", model.policy.privileged_normalizer.as_ref());
    file.body(&actor)?;
    file.heads(&heads)?;
    match &critic {
        Critic::Shared { hidden, value } => {
            file.layers(hidden)?;
            file.dense(value)?;
        }
        Critic::Separate { body, value } => {
            file.body(body)?;
            file.dense(value)?;
        }
    }
    let mut metadata = model.metadata();
    metadata.insert("format".to_owned(), "pt".to_owned());
    metadata.insert("layout".to_owned(), LAYOUT.to_owned());
    let config = serde_json::to_string(model.config).unwrap_or_default();
    metadata.insert("policy".to_owned(), config);
    let groups = serde_json::to_string(&model.role.observation).unwrap_or_default();
    metadata.insert("observation".to_owned(), groups);
    let requires = serde_json::to_string(&model.role.requires).unwrap_or_default();
    metadata.insert("requires".to_owned(), requires);
    Ok(file.into_bytes(&metadata))
}

/// A tensor: its name, shape and numbers.
type Tensor = (String, Vec<usize>, Vec<f32>);

struct Weights<'a> {
    model: &'a Model<'a>,
    tensors: Vec<Tensor>,
}

impl Weights<'_> {
    fn into_bytes(self, metadata: &BTreeMap<String, String>) -> Vec<u8> {
        let tensors = self.tensors.iter();
        let entries = tensors
            .map(|(name, shape, values)| (name.as_str(), shape.clone(), Array::from(&values[..])));
        tensors_to_bytes(entries.collect(), metadata)
    }

    fn add(&mut self, name: String, shape: &[usize], values: Vec<f32>) {
        self.tensors.push((name, shape.to_vec(), values));
    }

    /// A tensor as it is, under another name.
    fn copy(&mut self, from: &str, shape: &[usize], to: String) -> Result<(), ExchangeError> {
        let values = self.model.tensor(from, shape)?.to_vec();
        self.add(to, shape, values);
        Ok(())
    }

    /// A matrix the other way round.
    fn turned(
        &mut self,
        from: &str,
        rows: usize,
        columns: usize,
        to: String,
    ) -> Result<(), ExchangeError> {
        let values = self.model.tensor(from, &[rows, columns])?;
        let turned = (0..columns).flat_map(|c| (0..rows).map(move |r| values[r * columns + c]));
        let turned = turned.collect();
        self.add(to, &[columns, rows], turned);
        Ok(())
    }

    fn normalizer(&mut self, name: &str, normalizer: Option<&Normalizer>) {
        let Some(normalizer) = normalizer.filter(|n| !n.shift().is_empty()) else { return };
        let width = [normalizer.shift().len()];
        self.add(format!("{name}.shift"), &width, normalizer.shift().to_vec());
        self.add(format!("{name}.scale"), &width, normalizer.scale().to_vec());
        let touched = normalizer.touched().into_iter().map(|t| f32::from(u8::from(t))).collect();
        self.add(format!("{name}.touched"), &width, touched);
        self.add(format!("{name}.limit"), &[], vec![normalizer.limit]);
    }

    fn dense(&mut self, dense: &Dense) -> Result<(), ExchangeError> {
        self.dense_as(dense, format!("{}.weight", dense.name), format!("{}.bias", dense.name))
    }

    fn dense_as(
        &mut self,
        dense: &Dense,
        weight: String,
        bias: String,
    ) -> Result<(), ExchangeError> {
        self.turned(&format!("{}.weight", dense.name), dense.input, dense.output, weight)?;
        self.copy(&format!("{}.bias", dense.name), &[dense.output], bias)
    }

    fn layers(&mut self, layers: &Layers) -> Result<(), ExchangeError> {
        for layer in &layers.layers {
            self.dense(layer)?;
            for part in ["weight", "bias"].iter().filter(|_| layers.layer_norm) {
                let name = format!("{}.norm.{part}", layer.name);
                self.copy(&name, &[layer.output], name.clone())?;
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &Body) -> Result<(), ExchangeError> {
        if let Some(encoder) = &body.encoder {
            for table in &encoder.tables {
                let shape = [table.rows, table.width];
                self.copy(&table.name, &shape, format!("{}.weight", table.name))?;
            }
            for EntityNet { hidden, attention, .. } in &encoder.nets {
                self.layers(hidden)?;
                let Some(attention) = attention else { continue };
                let name = attention.qkv.name.trim_end_matches(".qkv");
                let (weight, bias) =
                    (format!("{name}.in_proj_weight"), format!("{name}.in_proj_bias"));
                self.dense_as(&attention.qkv, weight, bias)?;
                let (weight, bias) =
                    (format!("{name}.out_proj.weight"), format!("{name}.out_proj.bias"));
                self.dense_as(&attention.out, weight, bias)?;
            }
        }
        self.layers(&body.hidden)?;
        body.memory.as_ref().map_or(Ok(()), |memory| self.memory(memory))
    }

    fn memory(&mut self, memory: &Memory) -> Result<(), ExchangeError> {
        let Memory { name, cell, size, .. } = memory;
        let width = match cell {
            Cell::Lstm => 4 * size,
            Cell::Gru => 3 * size,
        };
        for l in 0..memory.layers {
            let input = if l == 0 { memory.input } else { *size };
            let ours = |part: &str| format!("{name}.{l}.{part}");
            let theirs = |part: &str| format!("{name}.{part}_l{l}");
            self.turned(&ours("weight_input"), input, width, theirs("weight_ih"))?;
            self.turned(&ours("weight_hidden"), *size, width, theirs("weight_hh"))?;
            self.copy(&ours("bias"), &[width], theirs("bias_ih"))?;
            let mut second = vec![0.0; width];
            if *cell == Cell::Gru {
                second[2 * size..].copy_from_slice(self.model.tensor(&ours("bias_n"), &[*size])?);
            }
            self.add(theirs("bias_hh"), &[width], second);
        }
        Ok(())
    }

    fn heads(&mut self, heads: &Heads) -> Result<(), ExchangeError> {
        let nets = match heads {
            Heads::Plain(dense) => return self.dense(dense),
            Heads::Apart(nets) => nets,
        };
        let sizes = self.model.policy.shape().heads.clone();
        for (h, net) in nets.iter().enumerate() {
            self.dense(&net.first)?;
            if let Some(choices) = &net.choices {
                let earlier = sizes[..h].iter().sum();
                self.turned(choices, earlier, net.first.output, format!("{choices}.weight"))?;
            }
            if let Some((layers, out)) = &net.rest {
                self.layers(layers)?;
                self.dense(out)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use lanista_game::{Group, Head, Role};
    use lanista_learn::config::{CellName, MemoryConfig, PolicyConfig};
    use lanista_learn::{Policy, Shape};
    use lanista_nn::{Arrays, read_metadata};

    use super::*;

    #[test]
    fn matrices_are_turned_and_the_second_bias_is_where_torch_has_it() {
        let role = Role {
            observation: vec![Group::features(["a", "b"])],
            heads: vec![Head::new("go", ["left", "right"])],
            ..Role::default()
        };
        let memory = MemoryConfig { cell: CellName::Gru, size: 1, layers: 1 };
        let config =
            PolicyConfig { hidden: vec![3], memory: Some(memory), ..PolicyConfig::default() };
        let mut policy = Policy::new(Shape::of(&role), &config, 1);
        policy.params.iter_mut().enumerate().for_each(|(i, p)| *p = i as f32);
        let about = BTreeMap::from([("game".to_owned(), "tiny".to_owned())]);
        let model = Model { policy: &policy, config: &config, role: &role, about };
        let bytes = write(&model).unwrap();
        let metadata = read_metadata(&bytes).unwrap();
        assert_eq!(metadata["format"], "pt");
        assert_eq!(metadata["heads"], r#"[{"actions":["left","right"],"name":"go"}]"#);
        assert_eq!(metadata["features"], r#"["a","b"]"#);
        let mut read = Arrays::from_bytes(&bytes).unwrap();
        // Our first matrix is [2, 3], numbered by rows.
        let weight = read.take_f32("actor.hidden.0.weight").unwrap();
        assert_eq!(weight, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        assert_eq!(read.take_f32("actor.hidden.0.bias").unwrap(), [6.0, 7.0, 8.0]);
        // Ours: input [3, 3] from 9 on, hidden [1, 3], bias [3], bias_n [1].
        let input = read.take_f32("actor.memory.weight_ih_l0").unwrap();
        assert_eq!(input, [9.0, 12.0, 15.0, 10.0, 13.0, 16.0, 11.0, 14.0, 17.0]);
        assert_eq!(read.take_f32("actor.memory.weight_hh_l0").unwrap(), [18.0, 19.0, 20.0]);
        assert_eq!(read.take_f32("actor.memory.bias_ih_l0").unwrap(), [21.0, 22.0, 23.0]);
        assert_eq!(read.take_f32("actor.memory.bias_hh_l0").unwrap(), [0.0, 0.0, 24.0]);
        assert_eq!(read.take_f32("actor.heads.weight").unwrap(), [25.0, 26.0]);
        let rest: Vec<&str> = read.names().collect();
        assert!(
            rest.iter().all(|n| n.starts_with("critic.") || *n == "actor.heads.bias"),
            "{rest:?}"
        );
    }
}
