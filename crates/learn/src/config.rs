//! What a preset may say about the policy and the algorithm. Every number of PPO is a schedule.

use lanista_nn::{Activation, Algorithm, Cell};
use serde::{Deserialize, Serialize};

use crate::schedule::Schedule;

/// The shape of the network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyConfig {
    /// How ids and entities of an observation are read. When left out, all numbers of it go into the
    /// network side by side; a game that shows plain numbers alone makes no difference either.
    pub encoder: Option<EncoderConfig>,
    /// Hidden layers of the actor, before its memory.
    pub hidden: Vec<usize>,
    /// The function after each hidden layer.
    pub activation: ActivationName,
    /// Normalise inside each hidden layer.
    pub layer_norm: bool,
    /// Memory between the hidden layers and the heads.
    pub memory: Option<MemoryConfig>,
    /// How actions come out.
    pub heads: HeadsConfig,
    /// Where values come from.
    pub critic: CriticConfig,
    /// Normalise observations by their running mean and deviation.
    pub normalize_observations: bool,
}

/// What comes before the hidden layers where an observation has structure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EncoderConfig {
    /// Numbers of an id's embedding. Ids of one vocabulary share a table.
    pub embedding: usize,
    /// How the entities of a kind become one row.
    pub entities: EntitiesConfig,
}

/// One network for all entities of a kind, and what is made of the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EntitiesConfig {
    /// Hidden layers of the network that every entity of a kind goes through.
    pub hidden: Vec<usize>,
    /// `mean_max`: mean and largest of each result over the entities that are present.
    /// `attention`: they look at each other first.
    pub pool: PoolName,
    /// Heads of the attention, 4 when left out. They divide the last of `hidden`.
    pub heads: Option<usize>,
}

/// What becomes of the entities of a kind, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PoolName {
    /// Mean and largest.
    MeanMax,
    /// Attention among them, then mean and largest.
    Attention,
}

impl Default for EncoderConfig {
    fn default() -> Self {
        Self { embedding: 16, entities: EntitiesConfig::default() }
    }
}

impl Default for EntitiesConfig {
    fn default() -> Self {
        Self { hidden: vec![64], pool: PoolName::MeanMax, heads: None }
    }
}

impl EntitiesConfig {
    /// Heads of the attention, if there is one.
    pub fn attention(&self) -> Option<usize> {
        (self.pool == PoolName::Attention).then(|| self.heads.unwrap_or(4))
    }

    /// What does not fit together, and the key that it is about.
    pub fn fault(&self) -> Option<(&'static str, String)> {
        match (self.attention(), self.heads, self.hidden.last()) {
            (None, Some(_), _) => Some(("heads", "only `pool: attention` has heads".to_owned())),
            (Some(_), _, None) => {
                Some(("hidden", "`pool: attention` needs at least one layer".to_owned()))
            }
            (Some(heads), _, Some(width)) if heads == 0 || width % heads != 0 => {
                Some(("heads", format!("{heads} heads do not divide the last layer of {width}")))
            }
            _ => None,
        }
    }
}

/// The function after a hidden layer, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActivationName {
    /// Hyperbolic tangent.
    Tanh,
    /// Rectifier.
    Relu,
    /// Sigmoid-weighted linear unit.
    Silu,
}

impl From<ActivationName> for Activation {
    fn from(name: ActivationName) -> Self {
        match name {
            ActivationName::Tanh => Self::Tanh,
            ActivationName::Relu => Self::Relu,
            ActivationName::Silu => Self::Silu,
        }
    }
}

/// A recurrent core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryConfig {
    /// `lstm` or `gru`.
    pub cell: CellName,
    /// Numbers in the state of a layer.
    pub size: usize,
    /// Layers on top of each other.
    #[serde(default = "one")]
    pub layers: usize,
}

fn one() -> usize {
    1
}

/// A recurrent cell, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellName {
    /// Long short-term memory.
    Lstm,
    /// Gated recurrent unit.
    Gru,
}

impl From<CellName> for Cell {
    fn from(name: CellName) -> Self {
        match name {
            CellName::Lstm => Self::Lstm,
            CellName::Gru => Self::Gru,
        }
    }
}

/// The heads on top of the actor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HeadsConfig {
    /// Hidden layers of each head.
    pub hidden: Vec<usize>,
    /// Each head sees the choices of the heads before it.
    pub autoregressive: bool,
}

/// The critic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CriticConfig {
    /// Share the actor's body; then only `hidden` on top of it is the critic's own.
    pub shared: bool,
    /// Hidden layers; when left out, a separate critic copies the actor's and a shared one has none.
    pub hidden: Option<Vec<usize>>,
    /// Memory of a separate critic; when left out, it copies the actor's.
    pub memory: Option<MemoryConfig>,
}

impl Default for PolicyConfig {
    fn default() -> Self {
        Self {
            encoder: None,
            hidden: vec![64, 64],
            activation: ActivationName::Tanh,
            layer_norm: false,
            memory: None,
            heads: HeadsConfig::default(),
            critic: CriticConfig::default(),
            normalize_observations: false,
        }
    }
}

/// The numbers of PPO.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PpoConfig {
    /// Step size of the optimiser.
    pub learning_rate: Schedule,
    /// The critic's own step size; the actor's when left out.
    pub critic_learning_rate: Option<Schedule>,
    /// Discount per act of a seat.
    pub gamma: Schedule,
    /// Decay of the advantage traces.
    pub gae_lambda: Schedule,
    /// How far the probability ratio may move before its gradient stops.
    pub clip: Schedule,
    /// How far a value may move from the old one before its gradient stops; no limit when left out.
    pub value_clip: Option<Schedule>,
    /// Weight of the value loss.
    pub value_coef: Schedule,
    /// Weight of the entropy bonus over legal actions.
    pub entropy: Schedule,
    /// Longest gradient, over all parameters.
    pub max_grad_norm: Schedule,
    /// Passes over each rollout.
    pub epochs: Schedule,
    /// Samples in a minibatch; with memory, whole sequences up to about so many samples.
    pub minibatch: Schedule,
    /// Stop the epochs of an iteration once the policy has moved this far.
    pub target_kl: Option<Schedule>,
    /// Scale advantages to mean 0 and deviation 1 in each minibatch.
    pub normalize_advantages: bool,
    /// Weight of the novelty of what an act saw: by how many deviations beyond the first its
    /// numbers lie from their running mean. Needs `normalize_observations`.
    pub novelty: Schedule,
    /// Divide rewards by the running deviation of the discounted return.
    pub scale_rewards: bool,
    /// Longest stretch that gradients flow back through memory.
    pub sequence_length: usize,
    /// Which optimiser, and its constants.
    pub optimizer: OptimizerConfig,
    /// Rows of a minibatch that one thread works on at a time. The result depends on it in the last
    /// bits, the number of threads does not matter.
    pub chunk: usize,
    /// Dropped updates in a row after which the run stops.
    pub max_bad_updates: usize,
}

impl Default for PpoConfig {
    fn default() -> Self {
        Self {
            learning_rate: 3e-4.into(),
            critic_learning_rate: None,
            gamma: 0.99.into(),
            gae_lambda: 0.95.into(),
            clip: 0.2.into(),
            value_clip: None,
            value_coef: 0.5.into(),
            entropy: 0.0.into(),
            max_grad_norm: 0.5.into(),
            epochs: 4.0.into(),
            minibatch: 256.0.into(),
            target_kl: None,
            normalize_advantages: true,
            novelty: 0.0.into(),
            scale_rewards: false,
            sequence_length: 16,
            optimizer: OptimizerConfig::default(),
            chunk: 512,
            max_bad_updates: 5,
        }
    }
}

impl PpoConfig {
    /// Every schedule with its key.
    pub fn schedules(&self) -> Vec<(&'static str, &Schedule)> {
        let mut all = vec![
            ("learning_rate", &self.learning_rate),
            ("gamma", &self.gamma),
            ("gae_lambda", &self.gae_lambda),
            ("clip", &self.clip),
            ("value_coef", &self.value_coef),
            ("entropy", &self.entropy),
            ("novelty", &self.novelty),
            ("max_grad_norm", &self.max_grad_norm),
            ("epochs", &self.epochs),
            ("minibatch", &self.minibatch),
        ];
        for (key, schedule) in [
            ("critic_learning_rate", &self.critic_learning_rate),
            ("value_clip", &self.value_clip),
            ("target_kl", &self.target_kl),
        ] {
            all.extend(schedule.as_ref().map(|s| (key, s)));
        }
        all
    }
}

/// The optimiser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptimizerConfig {
    /// `adam`, `adamw` or `muon` (Adam for everything but hidden matrices).
    pub name: OptimizerName,
    /// Decay of Adam's mean of gradients.
    pub beta1: f64,
    /// Decay of Adam's mean of squared gradients.
    pub beta2: f64,
    /// Adam's guard against division by zero.
    pub eps: f64,
    /// AdamW's decoupled weight decay.
    pub weight_decay: f64,
    /// Muon's momentum.
    pub momentum: f64,
    /// Muon's step size for hidden matrices, as a multiple of `learning_rate`.
    pub hidden_scale: f64,
}

/// An optimiser, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptimizerName {
    /// Adam.
    Adam,
    /// Adam with decoupled weight decay.
    AdamW,
    /// Momentum, orthogonalised, for hidden matrices.
    Muon,
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self {
            name: OptimizerName::Adam,
            beta1: 0.9,
            beta2: 0.999,
            eps: 1e-5,
            weight_decay: 0.0,
            momentum: 0.95,
            hidden_scale: 10.0,
        }
    }
}

impl OptimizerConfig {
    /// The rule with its constants.
    pub fn algorithm(&self) -> Algorithm {
        let Self { beta1, beta2, eps, weight_decay, momentum, .. } = *self;
        match self.name {
            OptimizerName::Adam => Algorithm::Adam { beta1, beta2, eps },
            OptimizerName::AdamW => Algorithm::AdamW { beta1, beta2, eps, weight_decay },
            OptimizerName::Muon => {
                let (nesterov, steps, hidden_scale) = (true, 5, self.hidden_scale);
                Algorithm::Muon { momentum, nesterov, steps, hidden_scale, beta1, beta2, eps }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PolicyConfig, String> {
        serde_json::from_str(text).map_err(|e| e.to_string())
    }

    #[test]
    fn an_encoder_is_read_and_by_default_there_is_none() {
        assert_eq!(read("{}").unwrap(), PolicyConfig::default());
        assert_eq!(PolicyConfig::default().encoder, None);
        let config = read(r#"{"encoder": {"entities": {"pool": "attention"}}}"#).unwrap();
        let encoder = config.encoder.clone().unwrap();
        assert_eq!((encoder.embedding, encoder.entities.attention()), (16, Some(4)));
        assert_eq!(encoder.entities.hidden, [64]);
        assert_eq!(encoder.entities.fault(), None);
        assert_eq!(read(&serde_json::to_string(&config).unwrap()), Ok(config));
        assert_eq!(read(r#"{"encoder": {}}"#).unwrap().encoder, Some(EncoderConfig::default()));
    }

    #[test]
    fn an_encoder_that_does_not_fit_together_is_refused() {
        for (text, part) in [
            (r#"{"encoder": {"embeddings": 4}}"#, "embeddings"),
            (r#"{"encoder": {"entities": {"pool": "sum"}}}"#, "sum"),
            (r#"{"encoder": {"entities": {"pol": "mean_max"}}}"#, "pol"),
            (r#"{"encoder": {"embedding": -1}}"#, "-1"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
        let fault = |hidden: &[usize], pool, heads| {
            EntitiesConfig { hidden: hidden.to_vec(), pool, heads }.fault().map(|(key, _)| key)
        };
        assert_eq!(fault(&[8], PoolName::MeanMax, Some(2)), Some("heads"));
        assert_eq!(fault(&[], PoolName::Attention, None), Some("hidden"));
        assert_eq!(fault(&[6], PoolName::Attention, None), Some("heads"));
        assert_eq!(fault(&[6], PoolName::Attention, Some(0)), Some("heads"));
        assert_eq!(fault(&[6], PoolName::Attention, Some(3)), None);
        assert_eq!(fault(&[], PoolName::MeanMax, None), None);
    }
}
