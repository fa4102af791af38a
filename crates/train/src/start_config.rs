//! What a preset says about how a run begins.

use std::path::PathBuf;

use lanista_learn::Schedule;
use serde::{Deserialize, Serialize};

use crate::layers::{ConfigError, Layered};

/// What a preset says under `start`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StartConfig {
    /// A run or a model.zip whose weights are taken over, all that fit; fresh weights when left out.
    pub model: Option<PathBuf>,
    /// Layers that begin fresh, such as `critic` or `actor.heads`.
    pub except: Vec<String>,
    /// Layers that stay as they are.
    pub freeze: Vec<FreezeConfig>,
    /// Steps in which only the critic learns.
    pub critic_warmup: u64,
    /// Whom the policy must not move away from.
    pub anchor: Option<AnchorConfig>,
}

/// Layers that stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FreezeConfig {
    /// Their names, or the beginnings of them: `actor.hidden`, `actor.hidden.0`.
    pub layers: Vec<String>,
    /// For so many steps; for good when left out.
    pub steps: Option<u64>,
}

/// Whom the policy must not move away from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnchorConfig {
    /// A run or a model.zip; `start.model` when left out.
    pub model: Option<PathBuf>,
    /// What a divergence KL(anchor, policy) of one costs.
    pub kl: Schedule,
    /// Iterations after which the policy becomes its own anchor, again and again; never when left out.
    pub renew: Option<u64>,
}

impl Default for AnchorConfig {
    fn default() -> Self {
        Self { model: None, kl: 0.2.into(), renew: None }
    }
}

impl StartConfig {
    /// What is wrong with it by itself.
    pub fn check(&self, layered: &Layered) -> Result<(), ConfigError> {
        let refuse = |key: &str, problem: String| Err(layered.invalid(key, problem));
        if !self.except.is_empty() && self.model.is_none() {
            return refuse("start.except", "everything begins fresh without start.model".into());
        }
        if let Some(freeze) = self.freeze.iter().find(|freeze| freeze.layers.is_empty()) {
            let problem = format!("{freeze:?} names no layers, such as layers: [actor.hidden]");
            return refuse("start.freeze", problem);
        }
        let Some(anchor) = &self.anchor else { return Ok(()) };
        if anchor.model.is_none() && self.model.is_none() && anchor.renew.is_none() {
            let problem = "nobody to be held to: name it, or start.model, or renew it";
            return refuse("start.anchor.model", problem.into());
        }
        Ok(())
    }
}
