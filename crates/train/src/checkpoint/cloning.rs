//! A checkpoint of cloning: weights and moments as those of a run, and where it stands in its data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lanista_learn::{Learner, Normalizer};
use lanista_nn::{Array, Arrays, arrays_to_bytes, from_bytes, to_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::{Files, Sealed, read};
use super::{CLONING, CONFIG, CheckpointError, META, OPTIMIZER, POLICY, SEALS, json_lines};
use crate::cloning::Told;
use crate::journal::Seal;
use crate::shard::all_finite;

/// The best weights so far.
const BEST: &str = "best.safetensors";

/// Where cloning stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Windows that were learnt from.
    pub iteration: u64,
    /// Decisions that were learnt from.
    pub decisions: u64,
    /// Rounds that are over.
    pub round: usize,
    /// Passes over the data of this round that are over.
    pub epoch: usize,
    /// Windows of this pass that were learnt from.
    pub window: usize,
    /// Looks at held-out decisions since the best one of this round.
    pub looks_since_best: usize,
    /// The best mean negative log-likelihood (or divergence) of a held-out decision in this round.
    pub best: Option<f64>,
    /// Is the data of this round learnt?
    pub over: bool,
    /// Seconds so far.
    pub seconds: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    standing: Standing,
    role: usize,
    optimizer_step: u64,
    dropped_updates: u64,
    normalizer: Option<Normalizer>,
    privileged_normalizer: Option<Normalizer>,
    /// Checkpoints from before it was saved have none.
    #[serde(default)]
    told: Option<Told>,
    /// Likewise.
    #[serde(default)]
    skipped: BTreeMap<String, String>,
}

/// What is saved.
pub struct SavedCloning<'a> {
    /// Where it stands.
    pub standing: &'a Standing,
    /// Which role is cloned.
    pub role: usize,
    /// Who learns.
    pub learner: &'a Learner,
    /// The best weights so far, if any were looked at.
    pub best: Option<&'a [f32]>,
    /// What they told of held-out decisions.
    pub told: Option<&'a Told>,
    /// Blocks that were left out, and why.
    pub skipped: &'a BTreeMap<String, String>,
    /// The configuration, as `config.yml` has it.
    pub config: String,
    /// What a person wants to know.
    pub meta: Value,
    /// What the files that grow beside it hold, by name.
    pub seals: &'a BTreeMap<String, Seal>,
}

/// The files of a checkpoint of cloning.
pub fn encode(saved: &SavedCloning) -> Result<Files, CheckpointError> {
    let learner = saved.learner;
    let optimizer = learner.optimizer.state();
    let arrays = optimizer.arrays.iter().map(|&(_, array)| array);
    if !arrays.chain([&learner.policy.params[..]]).all(all_finite) {
        return Err(CheckpointError::Unsound("the weights are not finite numbers any more".into()));
    }
    let none = BTreeMap::new();
    let layout = learner.policy.layout();
    let moments: Vec<(&str, Array)> =
        optimizer.arrays.iter().map(|&(name, array)| (name, array.into())).collect();
    let state = State {
        standing: saved.standing.clone(),
        role: saved.role,
        optimizer_step: optimizer.step,
        dropped_updates: learner.dropped_updates,
        normalizer: learner.policy.normalizer.clone(),
        privileged_normalizer: learner.policy.privileged_normalizer.clone(),
        told: saved.told.filter(|told| told.is_finite()).cloned(),
        skipped: saved.skipped.clone(),
    };
    let mut files: Files = [
        (POLICY.to_owned(), to_bytes(layout, &learner.policy.params, &none)),
        (OPTIMIZER.to_owned(), arrays_to_bytes(&moments, &none)),
        (CLONING.to_owned(), json_lines(&state)),
        (CONFIG.to_owned(), saved.config.clone().into_bytes()),
        (META.to_owned(), json_lines(&saved.meta)),
        (SEALS.to_owned(), json_lines(saved.seals)),
    ]
    .into();
    if let Some(best) = saved.best {
        files.insert(BEST.to_owned(), to_bytes(layout, best, &none));
    }
    Ok(files)
}

/// Rounds of cloning that were over at the newest checkpoint of a run, for whoever looks on; `None` if it does not
/// clone or has not saved yet.
pub fn rounds_over(checkpoints: &Path) -> Option<u64> {
    let (_, newest) = super::list(checkpoints).ok()?.pop()?;
    let meta: Value = serde_json::from_slice(&std::fs::read(newest.join(META)).ok()?).ok()?;
    meta["round"].as_u64()
}

/// A checkpoint of cloning that was read and found sound.
pub struct OpenedCloning {
    /// Where it stands.
    pub standing: Standing,
    /// The best weights so far, if any were looked at.
    pub best: Option<Vec<f32>>,
    /// What they told of held-out decisions.
    pub told: Option<Told>,
    /// Blocks that were left out, and why.
    pub skipped: BTreeMap<String, String>,
    /// What the files that grow beside it held.
    pub seals: BTreeMap<String, Seal>,
    /// The configuration with which it was saved.
    pub config: String,
}

/// Reads a checkpoint of cloning into a learner of the same network. All of it is read before anything is
/// taken over.
pub fn decode(
    path: &Path,
    role: usize,
    learner: &mut Learner,
) -> Result<OpenedCloning, CheckpointError> {
    let Sealed { files, .. } = read(path)?;
    let damaged =
        |name: &str, problem: String| CheckpointError::Damaged { path: path.join(name), problem };
    let file = |name: &str| -> Result<&Vec<u8>, CheckpointError> {
        files.get(name).ok_or_else(|| damaged(name, "it is missing".into()))
    };
    let state: State = serde_json::from_slice(file(CLONING)?)
        .map_err(|error| damaged(CLONING, error.to_string()))?;
    let other = |problem: String| CheckpointError::OtherShape {
        path: PathBuf::from(path).join(POLICY),
        problem,
    };
    if state.role != role {
        return Err(other("another role was cloned".into()));
    }
    let layout = learner.policy.layout();
    let params = from_bytes(layout, file(POLICY)?).map_err(|e| other(e.to_string()))?;
    let best = match files.get(BEST) {
        Some(bytes) => Some(from_bytes(layout, bytes).map_err(|e| other(e.to_string()))?),
        None => None,
    };
    let mut moments =
        Arrays::from_bytes(file(OPTIMIZER)?).map_err(|e| damaged(OPTIMIZER, e.to_string()))?;
    let mut take =
        |name: &str| moments.take_f32(name).map_err(|e| damaged(OPTIMIZER, e.to_string()));
    let first = take(lanista_nn::Optimizer::EXP_AVG)?;
    let second = take(lanista_nn::Optimizer::EXP_AVG_SQ)?;
    if ![&params, &first, &second].into_iter().all(|numbers| all_finite(numbers)) {
        return Err(damaged(POLICY, "it holds numbers that are not finite".into()));
    }
    let problem = |problem: String| damaged(CLONING, problem);
    let normalizer =
        super::opened::restored(&learner.policy.normalizer, state.normalizer).map_err(problem)?;
    let privileged =
        super::opened::restored(&learner.policy.privileged_normalizer, state.privileged_normalizer)
            .map_err(problem)?;
    learner
        .optimizer
        .restore(state.optimizer_step, &first, &second)
        .map_err(|error| damaged(OPTIMIZER, error.to_string()))?;
    learner.policy.params = params;
    learner.policy.normalizer = normalizer;
    learner.policy.privileged_normalizer = privileged;
    learner.dropped_updates = state.dropped_updates;
    Ok(OpenedCloning {
        standing: state.standing,
        best,
        told: state.told,
        skipped: state.skipped,
        seals: serde_json::from_slice(file(SEALS)?).unwrap_or_default(),
        config: String::from_utf8_lossy(file(CONFIG)?).into_owned(),
    })
}
