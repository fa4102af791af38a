//! Checkpoints of rlgym-ppo (read from its version 1.3.13): `PPO_POLICY.pt` and `PPO_VALUE_NET.pt`, state
//! dicts of plain stacks of `nn.Linear` with ReLU between them, and `BOOK_KEEPING_VARS.json`.
//!
//! Where observations were standardised, rlgym-ppo keeps a mean and a deviation of every number, and then
//! uses those of the first number for all of them, cut off at ±5. What it does is imported, not what it
//! means to do: the policy has learnt with it.

use std::collections::BTreeMap;

use lanista_learn::config::{ActivationName, CriticConfig, PolicyConfig};
use lanista_learn::{Normalizer, Policy, Shape};
use serde::Deserialize;
use thiserror::Error;

use crate::state_dict::{self, StateDictError, Tensor};

/// The files of a checkpoint.
pub const POLICY: &str = "PPO_POLICY.pt";
/// The critic's.
pub const VALUE: &str = "PPO_VALUE_NET.pt";
/// Counters and statistics.
pub const BOOK: &str = "BOOK_KEEPING_VARS.json";

/// Where it cuts standardised numbers off.
const LIMIT: f32 = 5.0;
/// Layers that a network may have.
const MOST_LAYERS: usize = 64;

/// A checkpoint that cannot be imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file is no state dict.
    #[error("{file}: {error}")]
    File {
        /// Which.
        file: &'static str,
        /// Why.
        error: StateDictError,
    },
    /// A network is not a plain stack of layers.
    #[error(
        "{file}: {problem}; only rlgym-ppo's plain networks are read (DiscreteFF and ValueEstimator)"
    )]
    Network {
        /// Which file.
        file: &'static str,
        /// What is otherwise.
        problem: String,
    },
    /// What is said beside the networks makes no sense.
    #[error("{BOOK}: {0}")]
    Book(String),
}

/// A checkpoint that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    actor: Vec<Layer>,
    critic: Vec<Layer>,
    /// Steps that it was trained.
    pub steps: u64,
    standard: Option<Standard>,
}

/// A layer: `weight[output, input]` and `bias[output]`.
#[derive(Clone, Debug, PartialEq)]
struct Layer {
    input: usize,
    output: usize,
    weight: Vec<f32>,
    bias: Vec<f32>,
}

/// How all numbers are standardised.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Standard {
    mean: f64,
    deviation: f64,
}

#[derive(Deserialize)]
struct Book {
    cumulative_timesteps: Option<u64>,
    obs_running_stats: Option<RunningStats>,
}

/// Welford's sums: `var` is the sum of squared distances.
#[derive(Deserialize)]
struct RunningStats {
    mean: Vec<f64>,
    var: Vec<f64>,
    count: f64,
}

impl Checkpoint {
    /// Reads the three files.
    pub fn read(policy: &[u8], value: &[u8], book: &[u8]) -> Result<Self, ImportError> {
        let (actor, critic) = (network(POLICY, policy)?, network(VALUE, value)?);
        let last = |layers: &[Layer]| layers.last().map_or(0, |layer| layer.output);
        if last(&critic) != 1 {
            let problem = format!("its last layer has {} results, not one value", last(&critic));
            return Err(ImportError::Network { file: VALUE, problem });
        }
        if critic[0].input != actor[0].input {
            let (theirs, ours) = (critic[0].input, actor[0].input);
            let problem = format!("it sees {theirs} numbers, and the policy {ours}");
            return Err(ImportError::Network { file: VALUE, problem });
        }
        let book: Book =
            serde_json::from_slice(book).map_err(|error| ImportError::Book(error.to_string()))?;
        let features = actor[0].input;
        let standard = book.obs_running_stats.map(|stats| stats.standard(features)).transpose()?;
        Ok(Self { actor, critic, steps: book.cumulative_timesteps.unwrap_or(0), standard })
    }

    /// Numbers in an observation.
    pub fn features(&self) -> usize {
        self.actor[0].input
    }

    /// Actions of its one head.
    pub fn actions(&self) -> usize {
        self.actor.last().map_or(0, |layer| layer.output)
    }

    /// Were observations standardised?
    pub fn standardised(&self) -> bool {
        self.standard.is_some()
    }

    /// The shape of its network.
    pub fn config(&self) -> PolicyConfig {
        let hidden = |layers: &[Layer]| -> Vec<usize> {
            layers[..layers.len() - 1].iter().map(|layer| layer.output).collect()
        };
        PolicyConfig {
            hidden: hidden(&self.actor),
            activation: ActivationName::Relu,
            critic: CriticConfig { hidden: Some(hidden(&self.critic)), ..CriticConfig::default() },
            normalize_observations: self.standardised(),
            ..PolicyConfig::default()
        }
    }

    /// The policy, for a role of this shape: as many features and actions, one head, nothing privileged.
    ///
    /// # Panics
    ///
    /// If the shape has another number of features or actions, or more than one head.
    pub fn policy(&self, shape: Shape) -> Policy {
        assert_eq!((shape.features, &shape.heads[..]), (self.features(), &[self.actions()][..]));
        assert_eq!(shape.privileged, 0, "rlgym-ppo has no privileged inputs");
        let mut policy = Policy::blank(shape, &self.config());
        let mut layers: BTreeMap<String, &Layer> = BTreeMap::new();
        for (name, last, network) in
            [("actor", "actor.heads", &self.actor), ("critic", "critic.value", &self.critic)]
        {
            for (i, layer) in network.iter().enumerate() {
                let hidden = i + 1 < network.len();
                let name = if hidden { format!("{name}.hidden.{i}") } else { last.to_owned() };
                layers.insert(name, layer);
            }
        }
        for tensor in policy.layout().tensors().to_vec() {
            let (name, part) = tensor.name.rsplit_once('.').unwrap_or_default();
            let Some(layer) = layers.get(name) else { continue };
            let to = &mut policy.params[tensor.range];
            match part {
                "bias" => to.copy_from_slice(&layer.bias),
                _ => {
                    for (i, row) in to.chunks_exact_mut(layer.output).enumerate() {
                        let column = layer.weight.iter().skip(i).step_by(layer.input);
                        row.iter_mut().zip(column).for_each(|(to, from)| *to = *from);
                    }
                }
            }
        }
        if let (Some(normalizer), Some(standard)) = (&mut policy.normalizer, self.standard) {
            // The count only says that enough was seen; deviation² = squares / count.
            const COUNT: f64 = 1e6;
            let (mean, square) = (standard.mean, standard.deviation * standard.deviation * COUNT);
            let features = self.features();
            let read = Normalizer::restore(COUNT, vec![mean; features], vec![square; features]);
            if let Some(read) = read.and_then(|read| read.with_limit(LIMIT)) {
                *normalizer = read;
            }
        }
        policy
    }
}

impl RunningStats {
    fn standard(&self, features: usize) -> Result<Standard, ImportError> {
        let book =
            |problem: String| Err(ImportError::Book(format!("obs_running_stats: {problem}")));
        if self.mean.len() != features || self.var.len() != features {
            let (means, squares) = (self.mean.len(), self.var.len());
            return book(format!(
                "it has {means} means and {squares} variances for observations of {features} numbers"
            ));
        }
        let numbers = self.mean.iter().chain(&self.var).chain([&self.count]);
        if numbers.into_iter().any(|v| !v.is_finite()) || self.var[0] < 0.0 || self.count < 0.0 {
            return book("it holds what no statistics are".to_owned());
        }
        if self.count < 2.0 {
            return Ok(Standard { mean: 0.0, deviation: 1.0 });
        }
        let variance = self.var[0] / (self.count - 1.0);
        let deviation = if variance == 0.0 { 1.0 } else { variance.sqrt() };
        if !(1e-3..=1e6).contains(&deviation) || self.mean[0].abs() > 1e6 {
            let (mean, deviation) = (self.mean[0], deviation);
            return book(format!(
                "a mean of {mean} and a deviation of {deviation} are out of range"
            ));
        }
        Ok(Standard { mean: self.mean[0], deviation })
    }
}

/// Reads the layers of a network: `model.0.weight`, `model.0.bias`, `model.2.weight`, …, with functions
/// at the odd places.
fn network(file: &'static str, bytes: &[u8]) -> Result<Vec<Layer>, ImportError> {
    let mut tensors = state_dict::read(bytes).map_err(|error| ImportError::File { file, error })?;
    let otherwise = |problem: String| ImportError::Network { file, problem };
    let mut layers: Vec<Layer> = Vec::new();
    while layers.len() < MOST_LAYERS {
        let at = 2 * layers.len();
        let Some(weight) = tensors.remove(&format!("model.{at}.weight")) else { break };
        let Tensor { shape, values } = weight;
        let &[output, input] = &shape[..] else {
            return Err(otherwise(format!("model.{at}.weight is of shape {shape:?}")));
        };
        let bias = tensors.remove(&format!("model.{at}.bias"));
        let bias = bias.filter(|bias| bias.shape == [output]);
        let bias = bias.ok_or_else(|| otherwise(format!("model.{at} has no bias of {output}")))?;
        let fits = layers.last().is_none_or(|before| before.output == input);
        if !fits || input == 0 || output == 0 {
            return Err(otherwise(format!("model.{at}.weight of shape {shape:?} fits to nothing")));
        }
        layers.push(Layer { input, output, weight: values, bias: bias.values });
    }
    if let Some(name) = tensors.keys().next() {
        let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
        return Err(otherwise(format!("{name} is no part of a plain stack of layers")));
    }
    if layers.len() < 2 {
        return Err(otherwise(format!(
            "it has {} layers, and at least 2 are needed",
            layers.len()
        )));
    }
    Ok(layers)
}

#[cfg(test)]
mod tests {
    use lanista_learn::{Choose, Group, Inputs, Scratch};

    use super::*;
    use crate::state_dict::tests::file;

    fn checkpoint(book: &str) -> Result<Checkpoint, ImportError> {
        let policy = file(&[
            ("model.0.weight", &[2, 3], &[1.0, 0.0, -1.0, 0.5, 0.5, 0.5]),
            ("model.0.bias", &[2], &[0.25, -1.0]),
            ("model.2.weight", &[4, 2], &[1.0, 2.0, 3.0, 4.0, -1.0, 0.0, 0.0, 1.0]),
            ("model.2.bias", &[4], &[0.0, 1.0, 2.0, 3.0]),
        ]);
        let value = file(&[
            ("model.0.weight", &[1, 3], &[1.0, 1.0, 1.0]),
            ("model.0.bias", &[1], &[0.0]),
            ("model.2.weight", &[1, 1], &[2.0]),
            ("model.2.bias", &[1], &[-1.0]),
        ]);
        Checkpoint::read(&policy, &value, book.as_bytes())
    }

    fn shape() -> Shape {
        Shape {
            features: 3,
            groups: vec![Group::Plain { features: 3 }],
            heads: vec![4],
            requires: vec![Vec::new()],
            ..Shape::default()
        }
    }

    fn answer(checkpoint: &Checkpoint, x: [f32; 3]) -> (Vec<f32>, f32) {
        let policy = checkpoint.policy(shape());
        let mut inputs = Inputs { rows: 1, observation: x.to_vec(), ..Inputs::default() };
        inputs.mask = vec![true; 4];
        inputs.reset = vec![false];
        inputs.packing.set_single(1);
        policy.prepare(&mut inputs);
        let mut scratch = Scratch::default();
        policy.act(&mut inputs, &mut scratch, Choose::Best);
        (scratch.logits[..4].to_vec(), scratch.values[0])
    }

    #[test]
    fn a_network_answers_as_by_hand() {
        let read = checkpoint(r#"{"cumulative_timesteps": 12345}"#).unwrap();
        assert_eq!((read.features(), read.actions(), read.steps), (3, 4, 12345));
        assert_eq!(read.config().hidden, [2]);
        // Hidden: relu(1 - 3 + 0.25) = 0 and relu(0.5 · 6 - 1) = 2.
        let (logits, value) = answer(&read, [1.0, 2.0, 3.0]);
        assert_eq!(logits, [4.0, 9.0, 2.0, 5.0]);
        assert_eq!(value, 11.0);
    }

    #[test]
    fn all_numbers_are_standardised_by_the_first_and_cut_off_at_five() {
        let stats =
            r#"{"mean": [1.0, 50.0, 50.0], "var": [18.0, 1.0, 1.0], "count": 3, "shape": 3}"#;
        let read = checkpoint(&format!(r#"{{"obs_running_stats": {stats}}}"#)).unwrap();
        // Deviation sqrt(18 / 2) = 3: (4 - 1) / 3 = 1, (7 - 1) / 3 = 2, and 300 is cut off to 5.
        let (logits, value) = answer(&read, [4.0, 7.0, 300.0]);
        let expected = answer(&checkpoint("{}").unwrap(), [1.0, 2.0, 5.0]);
        for (a, b) in logits.iter().zip(&expected.0) {
            assert!((a - b).abs() < 1e-5, "{logits:?} {expected:?}");
        }
        assert!((value - expected.1).abs() < 1e-5);
    }

    #[test]
    fn what_is_otherwise_is_named() {
        let error = checkpoint("[]").unwrap_err().to_string();
        assert!(error.starts_with("BOOK_KEEPING_VARS.json: "), "{error}");
        let short = r#"{"obs_running_stats": {"mean": [1.0], "var": [1.0], "count": 9}}"#;
        let error = checkpoint(short).unwrap_err().to_string();
        assert!(error.contains("1 means and 1 variances for observations of 3"), "{error}");
        let plain: &[(&str, &[u32], &[f32])] = &[
            ("model.0.weight", &[1, 3], &[1.0; 3]),
            ("model.0.bias", &[1], &[0.0]),
            ("model.2.weight", &[1, 1], &[2.0]),
            ("model.2.bias", &[1], &[-1.0]),
        ];
        let extra = [plain, &[("log_std", &[1], &[0.0])]].concat();
        let error = Checkpoint::read(&file(&extra), &file(plain), b"{}").unwrap_err().to_string();
        assert!(error.contains("PPO_POLICY.pt: log_std is no part of a plain stack"), "{error}");
        let error = Checkpoint::read(&file(&plain[..2]), &file(plain), b"{}").unwrap_err();
        assert!(error.to_string().contains("1 layers"), "{error}");
        let odd = [plain[0], plain[1], ("model.2.weight", &[1, 2], &[2.0; 2][..]), plain[3]];
        let error = Checkpoint::read(&file(&odd), &file(plain), b"{}").unwrap_err().to_string();
        assert!(error.contains("model.2.weight of shape [1, 2] fits to nothing"), "{error}");
        let error = Checkpoint::read(b"", &file(plain), b"{}").unwrap_err().to_string();
        assert!(error.starts_with("PPO_POLICY.pt: it is no file of torch.save"), "{error}");
    }
}
