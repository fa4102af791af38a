//! What a preset says under `clone`.

use std::path::PathBuf;

use lanista_learn::Schedule;
use serde::{Deserialize, Serialize};

use crate::layers::ConfigError;
use crate::layers::Layered;

/// How a policy is fitted to recorded decisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CloneConfig {
    /// Datasets to learn from.
    pub data: Vec<PathBuf>,
    /// Decisions that are made by playing, where no dataset is named.
    pub play: Option<PlayConfig>,
    /// Who labels the states that the policy comes to: `bot:NAME`, a run or a model.zip.
    pub expert: Option<String>,
    /// How often the policy plays and its expert labels, if there is one.
    pub rounds: usize,
    /// Matches of a round.
    pub round_matches: usize,
    /// Share of the decisions of a round that the expert makes: over the rounds, from the first to the
    /// last.
    pub control: Schedule,
    /// Only decisions of these players; all when it is empty.
    pub players: Vec<String>,
    /// Only matches that were won.
    pub winners: bool,
    /// Passes over the data; of every round, if there are rounds.
    pub epochs: usize,
    /// Decisions of a minibatch.
    pub minibatch: usize,
    /// Step size of the optimiser, over all epochs.
    pub learning_rate: Schedule,
    /// Share of a label that is spread over all legal actions.
    pub smoothing: f64,
    /// Weight of an entropy bonus.
    pub entropy: f64,
    /// Weight of the value loss, where what was earned is known.
    pub value_coef: f64,
    /// How far rare choices count more than common ones: 0 not at all, 1 as much as all others together.
    pub balance: f64,
    /// Features, by their names or beginnings of them, that say nothing while learning: each decision takes
    /// them from another one. What was done before tells what is done next so well that little else is
    /// learnt, and in play it then goes on doing what it does.
    pub scramble: Vec<String>,
    /// Longest gradient.
    pub max_grad_norm: f64,
    /// Looks at held-out decisions an epoch.
    pub looks: usize,
    /// Looks without a better one after which it stops; `null` goes on to the last epoch.
    pub patience: Option<usize>,
    /// Mebibytes of unpacked decisions that are shuffled together.
    pub window_mib: usize,
    /// Decisions that gradients flow back through memory; the state before them is remembered.
    pub sequence_length: usize,
    /// Learn from datasets although they were made under other settings of the game.
    pub other_settings: bool,
    /// Leave blocks out that are damaged or do not fit, and name each once.
    pub skip_unsound: bool,
}

/// Decisions that are made by playing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlayConfig {
    /// Who plays: `bot:NAME`, a run or a model.zip.
    pub by: String,
    /// Against whom, in turn: `self` or `bot:NAME`.
    pub vs: Vec<String>,
    /// Matches.
    pub matches: usize,
    /// Share of matches that are held out.
    pub held_out: f64,
}

impl Default for PlayConfig {
    fn default() -> Self {
        Self { by: String::new(), vs: vec!["self".into()], matches: 1000, held_out: 0.1 }
    }
}

impl Default for CloneConfig {
    fn default() -> Self {
        Self {
            data: Vec::new(),
            play: None,
            expert: None,
            rounds: 0,
            round_matches: 200,
            control: 0.0.into(),
            players: Vec::new(),
            winners: false,
            epochs: 10,
            minibatch: 1024,
            learning_rate: 1e-3.into(),
            smoothing: 0.0,
            entropy: 0.0,
            value_coef: 0.0,
            balance: 0.0,
            scramble: Vec::new(),
            max_grad_norm: 1.0,
            looks: 1,
            patience: Some(3),
            window_mib: 64,
            sequence_length: 32,
            other_settings: false,
            skip_unsound: false,
        }
    }
}

impl CloneConfig {
    /// Is there anything to learn from, or anybody to ask?
    pub fn is_given(&self) -> bool {
        !self.data.is_empty() || self.play.is_some() || self.expert.is_some()
    }

    /// What does not fit together. The ranges of its numbers stand with all others.
    pub fn check(&self, layered: &Layered) -> Result<(), ConfigError> {
        let refuse =
            |key: &str, problem: String| Err(layered.invalid(&format!("clone.{key}"), problem));
        if self.rounds > 0 && self.expert.is_none() {
            let problem =
                "nobody labels what the policy comes to: name clone.expert, or drop the rounds";
            return refuse("rounds", problem.into());
        }
        if self.play.as_ref().is_some_and(|play| play.by.is_empty()) {
            let problem = "nobody plays: name bot:NAME, a run or a model.zip";
            return refuse("play.by", problem.into());
        }
        Ok(())
    }
}
