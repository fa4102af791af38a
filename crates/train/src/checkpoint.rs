//! Checkpoints: everything a run needs to go on as if it had never stopped.
//!
//! A checkpoint is a directory that appears as a whole, by a rename. `SUMS` lists the length and
//! CRC-32C of every file, so one that was cut short or altered is found out and the one before it is
//! used. Matches are not stored as states, which games need not know how to save, but as the seed
//! and the actions of the running episode: playing them again gives the same match.

mod matches;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lanista_league::{Exploiter, Life};
use lanista_learn::{Learner, Normalizer};
use lanista_nn::{Array, Arrays, arrays_to_bytes, from_bytes, to_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::disk::{DiskError, checksum, on, sync_directory, write_synced};
use crate::league::LeagueState;
use crate::shard::Shard;

const POLICY: &str = "policy.safetensors";
const OPTIMIZER: &str = "optimizer.safetensors";
const MATCHES: &str = "matches.safetensors";
const STATE: &str = "state.json";
const SUMS: &str = "SUMS";

/// Counters and small state of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Iterations done.
    pub iteration: u64,
    /// Steps of the learner.
    pub steps: u64,
    /// Matches finished.
    pub episodes: u64,
    /// Seconds spent training, over all sittings.
    pub seconds: f64,
    /// Steps at which an evaluation first reached `stop.return`.
    pub solved_at_steps: Option<u64>,
    /// The latest evaluation's mean return.
    pub evaluated_return: Option<f64>,
    /// Return and length of the latest finished matches, oldest first.
    pub recent: Vec<(f64, f64)>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    progress: Progress,
    optimizer_step: u64,
    dropped_updates: u64,
    return_scale: [f64; 3],
    normalizer: Option<Normalizer>,
    privileged_normalizer: Option<Normalizer>,
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
    curriculum: lanista_league::Progress,
    /// What it was told and how far it is between two snapshots, if it is an exploiter.
    #[serde(default)]
    exploiter: Option<(Exploiter, Life)>,
}

/// A learner with its matches, as a checkpoint takes them.
pub struct Part<'a> {
    /// What learns.
    pub learner: &'a Learner,
    /// What it plays.
    pub shards: &'a [Shard],
    /// How far it has come.
    pub progress: &'a Progress,
    /// What its recorded actions belong to.
    pub identity: Identity<'a>,
    /// What it was told and how far it is between two snapshots, if it is an exploiter.
    pub exploiter: Option<(&'a Exploiter, &'a Life)>,
}

/// A whole run, as a checkpoint takes it.
pub struct Whole<'a> {
    /// The main agent.
    pub main: Part<'a>,
    /// Its exploiters, by number; those that have not begun are left out.
    pub exploiters: Vec<(usize, Part<'a>)>,
    /// The league, if the run has one.
    pub league: Option<&'a LeagueState>,
    /// Where it stands in its curriculum.
    pub curriculum: &'a lanista_league::Progress,
    /// False when the matches cannot be rebuilt and start anew.
    pub recorded: bool,
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
    /// Counters and small state.
    pub progress: Progress,
    /// How the matches go on.
    pub continued: Continued,
    /// The league, if the run had one.
    pub league: Option<LeagueState>,
    /// Where it stood in its curriculum.
    pub curriculum: lanista_league::Progress,
    /// How far it was between two snapshots, if it is an exploiter.
    pub life: Option<Life>,
}

/// The files of the main agent have plain names, those of an exploiter begin with its number.
fn prefix(exploiter: Option<usize>) -> String {
    exploiter.map_or(String::new(), |number| format!("exploiter-{number}-"))
}

/// Writes a checkpoint as `<directory>/<steps>` and removes all but the newest `keep`.
pub fn save(directory: &Path, whole: &Whole, keep: usize) -> Result<PathBuf, DiskError> {
    let mut files = part_files(None, &whole.main, whole);
    for (number, part) in &whole.exploiters {
        files.extend(part_files(Some(*number), part, whole));
    }
    let progress = whole.main.progress;

    on("create", directory, fs::create_dir_all(directory))?;
    // One name for all, so that what a kill leaves behind is used up by the next save.
    let temporary = directory.join(".saving.tmp");
    let written = write_all(&temporary, &files).and_then(|()| {
        let path = directory.join(progress.steps.to_string());
        if path.exists() {
            // The same steps were saved before: by this run, or by one that was resumed from an
            // older checkpoint after this one was found damaged.
            let old = directory.join(format!(".{}.old", progress.steps));
            let _ = fs::remove_dir_all(&old);
            on("replace", &path, fs::rename(&path, &old))?;
            on("write", &path, fs::rename(&temporary, &path))?;
            let _ = fs::remove_dir_all(&old);
        } else {
            on("write", &path, fs::rename(&temporary, &path))?;
        }
        sync_directory(directory)?;
        Ok(path)
    });
    let path = match written {
        Ok(path) => path,
        Err(error) => {
            let _ = fs::remove_dir_all(&temporary); // best effort: the error is on its way
            return Err(error);
        }
    };
    // Later ones were found damaged and passed over: they do not count.
    let sound = list(directory)?.into_iter().rev().filter(|(steps, _)| *steps <= progress.steps);
    for (_, old) in sound.skip(keep) {
        on("remove", &old, fs::remove_dir_all(&old))?;
    }
    Ok(path)
}

fn part_files(number: Option<usize>, part: &Part, whole: &Whole) -> Vec<(String, Vec<u8>)> {
    let Part { learner, shards, progress, identity, exploiter } = part;
    let main = number.is_none();
    let state = State {
        progress: (*progress).clone(),
        optimizer_step: learner.optimizer.state().step,
        dropped_updates: learner.dropped_updates,
        return_scale: {
            let s = &learner.return_scale;
            [s.count, s.mean, s.squares]
        },
        normalizer: learner.policy.normalizer.clone(),
        privileged_normalizer: learner.policy.privileged_normalizer.clone(),
        game: identity.game.to_owned(),
        settings: identity.settings.clone(),
        seed: identity.seed,
        recorded: whole.recorded,
        league: whole.league.filter(|_| main).cloned(),
        curriculum: if main { whole.curriculum.clone() } else { Default::default() },
        exploiter: exploiter.map(|(rules, life)| (rules.clone(), life.clone())),
    };
    let none = BTreeMap::new();
    let optimizer = learner.optimizer.state();
    let moments: Vec<(&str, Array)> =
        optimizer.arrays.iter().map(|&(name, array)| (name, array.into())).collect();
    let mut json = serde_json::to_vec_pretty(&state).unwrap_or_default();
    json.push(b'\n');
    let name = |name: &str| format!("{}{name}", prefix(number));
    vec![
        (name(POLICY), to_bytes(learner.policy.layout(), &learner.policy.params, &none)),
        (name(OPTIMIZER), arrays_to_bytes(&moments, &none)),
        (name(MATCHES), matches::to_bytes(shards, whole.recorded)),
        (name(STATE), json),
    ]
}

fn write_all(directory: &Path, files: &[(String, Vec<u8>)]) -> Result<(), DiskError> {
    let _ = fs::remove_dir_all(directory); // what a kill may have left
    on("create", directory, fs::create_dir(directory))?;
    let mut sums = String::new();
    for (name, bytes) in files {
        write_synced(&directory.join(name), bytes)?;
        sums.push_str(&format!("{:08x} {} {name}\n", checksum(bytes), bytes.len()));
    }
    write_synced(&directory.join(SUMS), sums.as_bytes())?;
    sync_directory(directory)
}

/// The checkpoints of a run, oldest first. One that was being replaced when the program was killed
/// stands before its replacement.
pub fn list(directory: &Path) -> Result<Vec<(u64, PathBuf)>, DiskError> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return on("read", directory, Err(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = on("read", directory, entry)?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let replaced = name.strip_prefix('.').and_then(|n| n.strip_suffix(".old"));
        let steps = replaced.unwrap_or(name).parse().ok();
        found.extend(steps.map(|steps| (steps, path)));
    }
    found.sort();
    Ok(found)
}

/// The stage of the curriculum in which a checkpoint was saved: its matches are of that stage.
pub fn stage(path: &Path) -> Result<usize, CheckpointError> {
    let files = read_checked(path)?;
    let state: State = serde_json::from_slice(&files[STATE])
        .map_err(|e| CheckpointError::Damaged { path: path.join(STATE), problem: e.to_string() })?;
    Ok(state.curriculum.stage())
}

/// Copies a checkpoint whole to a place of its own. A damaged one is not copied.
pub fn copy(from: &Path, to: &Path) -> Result<(), CheckpointError> {
    let files: Vec<(String, Vec<u8>)> = read_checked(from)?.into_iter().collect();
    let parent = to.parent().unwrap_or(Path::new("."));
    on("create", parent, fs::create_dir_all(parent))?;
    let temporary = parent.join(".copying.tmp");
    write_all(&temporary, &files)?;
    let _ = fs::remove_dir_all(to); // the same place, saved again
    on("write", to, fs::rename(&temporary, to))?;
    Ok(sync_directory(parent)?)
}

/// What the exploiter of this number was told when a checkpoint was saved; `None` if it had not
/// begun.
pub fn rules(path: &Path, number: usize) -> Result<Option<Exploiter>, CheckpointError> {
    let name = format!("{}{STATE}", prefix(Some(number)));
    let files = read_checked(path)?;
    let Some(bytes) = files.get(&name) else { return Ok(None) };
    let state: State = serde_json::from_slice(bytes)
        .map_err(|e| CheckpointError::Damaged { path: path.join(name), problem: e.to_string() })?;
    Ok(state.exploiter.map(|(rules, _)| rules))
}

/// Reads a checkpoint into a learner and its shards: those of the main agent, or of an exploiter,
/// `None` if that had not begun. Nothing is changed unless all of it is sound.
pub fn load(
    path: &Path,
    exploiter: Option<usize>,
    learner: &mut Learner,
    shards: &mut [Shard],
    identity: &Identity,
) -> Result<Option<Loaded>, CheckpointError> {
    let mut files = read_checked(path)?;
    let prefix = prefix(exploiter);
    if !files.contains_key(&format!("{prefix}{STATE}")) {
        return Ok(None);
    }
    let name = |name: &str| format!("{prefix}{name}");
    let damaged =
        |of: &str, problem: String| CheckpointError::Damaged { path: path.join(name(of)), problem };
    let mut bytes =
        |of: &str| files.remove(&name(of)).ok_or_else(|| damaged(of, "it is missing".into()));
    let (policy, optimizer) = (bytes(POLICY)?, bytes(OPTIMIZER)?);
    let (matches, state) = (bytes(MATCHES)?, bytes(STATE)?);
    let state: State = serde_json::from_slice(&state).map_err(|e| damaged(STATE, e.to_string()))?;
    let params = from_bytes(learner.policy.layout(), &policy).map_err(|e| match e {
        lanista_nn::WeightsError::Mismatch(m) => CheckpointError::OtherShape {
            path: path.join(name(POLICY)),
            problem: lanista_nn::WeightsError::Mismatch(m).to_string(),
        },
        other => damaged(POLICY, other.to_string()),
    })?;
    let mut moments =
        Arrays::from_bytes(&optimizer).map_err(|e| damaged(OPTIMIZER, e.to_string()))?;
    let mut take =
        |name: &str| moments.take_f32(name).map_err(|e| damaged(OPTIMIZER, e.to_string()));
    let first = take(lanista_nn::Optimizer::EXP_AVG)?;
    let second = take(lanista_nn::Optimizer::EXP_AVG_SQ)?;
    let normalizer =
        restored(&learner.policy.normalizer, state.normalizer).map_err(|p| damaged(STATE, p))?;
    let privileged = restored(&learner.policy.privileged_normalizer, state.privileged_normalizer)
        .map_err(|p| damaged(STATE, p))?;
    let mut matches = Arrays::from_bytes(&matches).map_err(|e| damaged(MATCHES, e.to_string()))?;
    let episodes = matches.take_u64("episode").map_err(|e| damaged(MATCHES, e.to_string()))?;

    let same = state.game == identity.game
        && state.settings == *identity.settings
        && state.seed == identity.seed
        && episodes.len() == shards.iter().map(|s| s.matches.len()).sum::<usize>();
    let continued = if state.recorded && same {
        matches::rebuild(shards, &episodes, &mut matches).map_err(|p| damaged(MATCHES, p))?;
        Continued::Exactly
    } else {
        // Matches that were cut when they were saved wait at the beginning of an episode.
        let next = episodes.iter().max().map_or(0, |e| e + 1);
        let mut recorded = episodes.iter().filter(|_| same);
        for shard in shards.iter_mut() {
            for m in 0..shard.matches.len() {
                let episode = recorded.next().copied().unwrap_or(next);
                shard.start(m, episode).map_err(|f| damaged(MATCHES, f.to_string()))?;
            }
        }
        Continued::Anew
    };

    let step = state.optimizer_step;
    learner
        .optimizer
        .restore(step, &first, &second)
        .map_err(|e| damaged(OPTIMIZER, e.to_string()))?;
    learner.policy.params = params;
    learner.policy.normalizer = normalizer;
    learner.policy.privileged_normalizer = privileged;
    learner.dropped_updates = state.dropped_updates;
    let [count, mean, squares] = state.return_scale;
    learner.return_scale = lanista_learn::advantage::ReturnScale { count, mean, squares };
    Ok(Some(Loaded {
        progress: state.progress,
        continued,
        league: state.league,
        curriculum: state.curriculum,
        life: state.exploiter.map(|(_, life)| life),
    }))
}

/// A normaliser read from disk, if the policy has one of that size.
fn restored(
    wanted: &Option<Normalizer>,
    found: Option<Normalizer>,
) -> Result<Option<Normalizer>, String> {
    match (wanted, found) {
        (None, _) => Ok(None),
        (Some(fresh), None) => Ok(Some(fresh.clone())),
        (Some(fresh), Some(found)) => {
            if found.mean.len() != fresh.mean.len() {
                let (found, wanted) = (found.mean.len(), fresh.mean.len());
                return Err(format!("the normaliser has {found} features, the game {wanted}"));
            }
            Normalizer::restore(found.count, found.mean, found.squares)
                .map(Some)
                .ok_or_else(|| "the normaliser's statistics contradict each other".to_owned())
        }
    }
}

/// Reads the files of a checkpoint and checks each against its recorded length and checksum.
fn read_checked(path: &Path) -> Result<BTreeMap<String, Vec<u8>>, CheckpointError> {
    let sums_path = path.join(SUMS);
    let sums = on("read", &sums_path, fs::read(&sums_path))?;
    let sums = String::from_utf8_lossy(&sums);
    let mut recorded = BTreeMap::new();
    for line in sums.lines() {
        let mut parts = line.split(' ');
        let sum = parts.next().and_then(|sum| u32::from_str_radix(sum, 16).ok());
        let length = parts.next().and_then(|length| length.parse::<usize>().ok());
        let name = parts.next().filter(|name| !name.is_empty() && !name.contains(['/', '\\']));
        let Some(((sum, length), name)) = sum.zip(length).zip(name) else {
            let problem = format!("it has a line that is no sum: {line}");
            return Err(CheckpointError::Damaged { path: sums_path, problem });
        };
        recorded.insert(name, (sum, length));
    }
    if let Some(name) =
        [POLICY, OPTIMIZER, MATCHES, STATE].into_iter().find(|name| !recorded.contains_key(name))
    {
        let problem = format!("it has no line for {name}");
        return Err(CheckpointError::Damaged { path: sums_path, problem });
    }
    let mut files = BTreeMap::new();
    for (name, (sum, length)) in recorded {
        let file = path.join(name);
        let damaged = |problem: String| CheckpointError::Damaged { path: file.clone(), problem };
        let bytes = on("read", &file, fs::read(&file))?;
        if bytes.len() != length {
            return Err(damaged(format!("it has {} bytes, {length} were written", bytes.len())));
        }
        if checksum(&bytes) != sum {
            return Err(damaged("its checksum is not the one that was written".into()));
        }
        files.insert(name.to_owned(), bytes);
    }
    Ok(files)
}
