//! What is exported: a policy, and what its numbers are called.

use std::collections::BTreeMap;

use lanista_game::Role;
use lanista_learn::blueprint::Blueprint;
use lanista_learn::{Policy, PolicyConfig};
use serde_json::{Value, json};
use thiserror::Error;

/// A model that cannot be written in another format, or read from one.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The network and its description disagree: a defect of this program.
    #[error("the network has no tensor {name} of shape {shape:?}; please report this as a bug")]
    Tensor {
        /// Which tensor was looked for.
        name: String,
        /// In which shape.
        shape: Vec<usize>,
    },
    /// ONNX files end at 2 GiB.
    #[error(
        "the model takes {bytes} bytes, and an ONNX file holds at most {most}; train a smaller network"
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The most.
        most: usize,
    },
}

/// A policy with the names of what goes in and comes out.
pub struct Model<'a> {
    /// The policy.
    pub policy: &'a Policy,
    /// The shape of its network.
    pub config: &'a PolicyConfig,
    /// What it sees and does, by name, over all frames that it sees.
    pub role: &'a Role,
    /// What else is known of it, such as the game and its settings: written down as it is.
    pub about: BTreeMap<String, String>,
}

impl Model<'_> {
    /// What its network consists of.
    pub(crate) fn blueprint(&self) -> Blueprint {
        Blueprint::of(self.policy.shape(), self.config)
    }

    /// The numbers of a tensor.
    pub(crate) fn tensor(&self, name: &str, shape: &[usize]) -> Result<&[f32], ExchangeError> {
        let mut tensors = self.policy.layout().tensors().iter();
        let found = tensors.find(|tensor| tensor.name == name && tensor.shape == shape);
        let found = found.ok_or_else(|| ExchangeError::Tensor {
            name: name.to_owned(),
            shape: shape.to_vec(),
        })?;
        Ok(&self.policy.params[found.range.clone()])
    }

    /// Everything by name, for whoever reads the file: each value is a text, lists and tables are JSON.
    pub(crate) fn metadata(&self) -> BTreeMap<String, String> {
        let names = |features: Vec<lanista_game::Feature>| -> Value {
            features.into_iter().map(|feature| feature.name).collect()
        };
        let heads = self.role.heads.iter().map(|h| json!({"name": h.name, "actions": h.actions}));
        let head = |head: usize| &self.role.heads[head].name;
        let pairs = self.role.pairs.iter();
        let pairs = pairs.map(|p| json!({"first": head(p.first), "second": head(p.second)}));
        let (actor, critic) = self.policy.state_sizes();
        let mut metadata = self.about.clone();
        metadata.extend([
            ("role".to_owned(), self.role.name.clone()),
            ("features".to_owned(), names(self.role.flat_features()).to_string()),
            ("privileged".to_owned(), names(self.role.privileged.clone()).to_string()),
            ("heads".to_owned(), heads.collect::<Value>().to_string()),
            ("pairs".to_owned(), pairs.collect::<Value>().to_string()),
            ("state".to_owned(), json!({"actor": actor, "critic": critic}).to_string()),
        ]);
        metadata
    }
}
