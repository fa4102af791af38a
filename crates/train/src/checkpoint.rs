//! Checkpoints: everything a run needs to go on as if it had never stopped.
//!
//! A checkpoint is a directory that appears as a whole, by a rename, after it was read back and found
//! sound. What it must hold is known: one that was cut short, altered, or has a file too few or too
//! many is found out, and the one before it is used. Matches are not stored as states, which games
//! need not know how to save, but as the seed and the actions of the running episode: playing them
//! again gives the same match.

pub mod cloning;
mod files;
mod matches;
mod opened;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lanista_league::{Exploiter, Life};
use lanista_learn::{Learner, Normalizer};
use lanista_nn::{Array, arrays_to_bytes, to_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::agent::Agent;
use crate::disk::DiskError;
use crate::files::RunFiles;
use crate::journal::Seal;
use crate::league::LeagueState;
use crate::progress::Progress;
use crate::shard::all_finite;

pub use files::{Files, list, place, prune, tidy};
pub use opened::{Decoded, Opened};

const POLICY: &str = "policy.safetensors";
const OPTIMIZER: &str = "optimizer.safetensors";
const MATCHES: &str = "matches.safetensors";
const STATE: &str = "state.json";
/// The configuration with which it was saved.
const CONFIG: &str = RunFiles::CONFIG;
/// What a person wants to know before going back to it.
const META: &str = "meta.json";
/// What the files that grow beside it held.
const SEALS: &str = "seals.json";
/// The anchors, if there are some.
const ANCHORS: &str = "anchors.zip";
/// What a checkpoint of cloning has instead of the state of a run.
pub(crate) const CLONING: &str = "cloning.json";
/// Checkpoints of this version have a sealed list of sums, the configuration, and a list of the
/// exploiters that have begun.
const VERSION: u32 = 1;

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    /// Missing in those of the first versions.
    #[serde(default)]
    version: u32,
    /// Which exploiters have begun: their files are there, and no others.
    #[serde(default)]
    exploiters_begun: Vec<usize>,
    /// Names of the milestones made so far.
    #[serde(default)]
    milestones: Vec<String>,
    progress: Progress,
    optimizer_step: u64,
    dropped_updates: u64,
    return_scale: [f64; 3],
    normalizer: Option<Normalizer>,
    privileged_normalizer: Option<Normalizer>,
    /// The role that the numbers above belong to: the first that is learnt.
    #[serde(default)]
    role: usize,
    /// Those of the other roles that are learnt.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    roles: BTreeMap<usize, RoleState>,
    /// What the recorded actions belong to.
    game: String,
    settings: Value,
    seed: u64,
    /// Were the matches recorded, or must they start anew?
    recorded: bool,
    /// The league, if the run has one.
    #[serde(default)]
    league: Option<LeagueState>,
    /// Where the run stands in its curriculum.
    #[serde(default)]
    curriculum: lanista_league::Standing,
    /// What it was told and how far it is between two snapshots, if it is an exploiter.
    #[serde(default)]
    exploiter: Option<(Exploiter, Life)>,
}

/// What a learner keeps besides its weights and moments.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RoleState {
    optimizer_step: u64,
    dropped_updates: u64,
    return_scale: [f64; 3],
    normalizer: Option<Normalizer>,
    privileged_normalizer: Option<Normalizer>,
}

impl RoleState {
    fn of(learner: &Learner) -> Self {
        let scale = &learner.return_scale;
        Self {
            optimizer_step: learner.optimizer.state().step,
            dropped_updates: learner.dropped_updates,
            return_scale: [scale.count, scale.mean, scale.squares],
            normalizer: learner.policy.normalizer.clone(),
            privileged_normalizer: learner.policy.privileged_normalizer.clone(),
        }
    }
}

impl State {
    /// The roles that are learnt, with what their learners keep.
    fn learnt(&self) -> Vec<(usize, RoleState)> {
        let first = RoleState {
            optimizer_step: self.optimizer_step,
            dropped_updates: self.dropped_updates,
            return_scale: self.return_scale,
            normalizer: self.normalizer.clone(),
            privileged_normalizer: self.privileged_normalizer.clone(),
        };
        let others = self.roles.iter().map(|(role, state)| (*role, state.clone()));
        std::iter::once((self.role, first)).chain(others).collect()
    }

    /// Whose files a checkpoint has: where each role's names begin.
    fn role_prefix(&self, role: usize) -> String {
        role_prefix(role, self.role)
    }
}

/// The files of the first role that is learnt have plain names, those of others begin with its number.
fn role_prefix(role: usize, first: usize) -> String {
    if role == first { String::new() } else { format!("role-{role}-") }
}

/// An agent with its matches, as a checkpoint takes them.
pub struct SavedAgent<'a> {
    /// What learns.
    pub agent: &'a Agent,
    /// What its recorded actions belong to.
    pub identity: Identity<'a>,
    /// What it was told and how far it is between two snapshots, if it is an exploiter.
    pub exploiter: Option<(&'a Exploiter, &'a Life)>,
}

/// A whole run, as a checkpoint takes it.
pub struct SavedRun<'a> {
    /// The main agent.
    pub main: SavedAgent<'a>,
    /// Its exploiters, by number; those that have not begun are left out.
    pub exploiters: Vec<(usize, SavedAgent<'a>)>,
    /// The league, if the run has one.
    pub league: Option<&'a LeagueState>,
    /// Where it stands in its curriculum.
    pub curriculum: &'a lanista_league::Standing,
    /// False when the matches cannot be rebuilt and start anew.
    pub recorded: bool,
    /// The configuration, as `config.yml` has it.
    pub config: String,
    /// What a person wants to know before going back to it.
    pub meta: Value,
    /// Names of the milestones made so far.
    pub milestones: &'a [String],
    /// What the files that grow beside it hold, by name.
    pub seals: &'a BTreeMap<String, Seal>,
    /// The anchors of the main agent as a model, if it has some.
    pub anchors: Option<Vec<u8>>,
}

/// What a run shows about itself when it is saved.
pub struct Identity<'a> {
    /// The game.
    pub game: &'a str,
    /// Its settings.
    pub settings: &'a Value,
    /// The run's seed.
    pub seed: u64,
}

/// A checkpoint that cannot be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A file is not what was written.
    #[error("{} is damaged: {problem}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// How it shows.
        problem: String,
    },
    /// It was saved while decisions were cloned.
    #[error(
        "{} was saved while cloning: `lanista clone --resume RUN` goes on with it, and `lanista train PRESET \
         --from RUN` trains what it has learnt",
        .0.display()
    )]
    Cloning(PathBuf),
    /// It would not be sound, so it was not written.
    #[error("{0}")]
    Unsound(String),
    /// It belongs to another network.
    #[error(
        "{} holds another network than this preset asks for:\n{problem}\ngive the run another \
         directory with --set run.dir=DIR, or go back to the preset it was trained with",
        path.display()
    )]
    OtherShape {
        /// Which file.
        path: PathBuf,
        /// What differs.
        problem: String,
    },
}

/// How the matches go on after a resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continued {
    /// Exactly where they were.
    Exactly,
    /// From fresh episodes, because the matches or their settings are others than those recorded.
    Anew,
}

/// What a checkpoint says beside the learner and its matches.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// How the matches go on.
    pub continued: Continued,
    /// The league, if the run had one.
    pub league: Option<LeagueState>,
    /// Where it stood in its curriculum.
    pub curriculum: lanista_league::Standing,
    /// How far it was between two snapshots, if it is an exploiter.
    pub life: Option<Life>,
}

/// The files of the main agent have plain names, those of an exploiter begin with its number.
fn prefix(exploiter: Option<usize>) -> String {
    exploiter.map_or(String::new(), |number| format!("exploiter-{number}-"))
}

/// A run as the files of a checkpoint. One that is not sound, with a weight that is not a number or a
/// state that could not be read again, is refused: it must not take the place of a sound one.
pub fn encode(whole: &SavedRun) -> Result<Files, CheckpointError> {
    let mut files = part_files(None, &whole.main, whole)?;
    for (number, part) in &whole.exploiters {
        files.extend(part_files(Some(*number), part, whole)?);
    }
    files.insert(CONFIG.into(), whole.config.clone().into_bytes());
    files.insert(META.into(), json_lines(&whole.meta));
    files.insert(SEALS.into(), json_lines(whole.seals));
    files.extend(whole.anchors.clone().map(|bytes| (ANCHORS.to_owned(), bytes)));
    Ok(files)
}

fn json_lines(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn part_files(
    number: Option<usize>,
    part: &SavedAgent,
    whole: &SavedRun,
) -> Result<Files, CheckpointError> {
    let SavedAgent { agent, identity, exploiter } = part;
    let main = number.is_none();
    let who = number.map_or("the agent".into(), |number| format!("the exploiter {number}"));
    for (_, learner) in agent.learnt() {
        let optimizer = learner.optimizer.state();
        let moments = optimizer.arrays.iter().map(|&(name, array)| (name, array));
        for (name, numbers) in moments.chain([("weights", &learner.policy.params[..])]) {
            if !all_finite(numbers) {
                return Err(CheckpointError::Unsound(format!(
                    "the {name} of {who} are not finite numbers any more"
                )));
            }
        }
    }
    let mut learnt = agent.learnt().map(|(role, learner)| (role, RoleState::of(learner)));
    let nothing = || CheckpointError::Unsound(format!("{who} learns nothing"));
    let (role, first) = learnt.next().ok_or_else(nothing)?;
    let begun = whole.exploiters.iter().map(|(number, _)| *number).filter(|_| main);
    let state = State {
        version: VERSION,
        exploiters_begun: begun.collect(),
        milestones: if main { whole.milestones.to_vec() } else { Vec::new() },
        progress: agent.progress.clone(),
        optimizer_step: first.optimizer_step,
        dropped_updates: first.dropped_updates,
        return_scale: first.return_scale,
        normalizer: first.normalizer,
        privileged_normalizer: first.privileged_normalizer,
        role,
        roles: learnt.collect(),
        game: identity.game.to_owned(),
        settings: identity.settings.clone(),
        seed: identity.seed,
        recorded: whole.recorded,
        league: whole.league.filter(|_| main).cloned(),
        curriculum: if main { whole.curriculum.clone() } else { Default::default() },
        exploiter: exploiter.map(|(rules, life)| (rules.clone(), life.clone())),
    };
    let json = json_lines(&state);
    // An infinity has no place in JSON: it would be written, and not be read again.
    if !serde_json::from_slice(&json).is_ok_and(|again: State| json_lines(&again) == json) {
        return Err(CheckpointError::Unsound(format!(
            "the state of {who} (ratings, normalisers, scales, counters) holds a number that is not \
             finite any more"
        )));
    }
    let none = BTreeMap::new();
    let name = |name: &str| format!("{}{name}", prefix(number));
    let mut files: Files =
        [(name(MATCHES), matches::to_bytes(&agent.shards, whole.recorded)), (name(STATE), json)]
            .into();
    for (role, learner) in agent.learnt() {
        let of = |file: &str| name(&format!("{}{file}", state.role_prefix(role)));
        let optimizer = learner.optimizer.state();
        let moments: Vec<(&str, Array)> =
            optimizer.arrays.iter().map(|&(name, array)| (name, array.into())).collect();
        let weights = to_bytes(learner.policy.layout(), &learner.policy.params, &none);
        files.insert(of(POLICY), weights);
        files.insert(of(OPTIMIZER), arrays_to_bytes(&moments, &none));
    }
    Ok(files)
}

/// Copies a checkpoint whole to a place of its own. A damaged one is not copied.
pub fn copy(from: &Path, directory: &Path, name: &str) -> Result<PathBuf, CheckpointError> {
    place(directory, name, Opened::read(from)?.files())
}
