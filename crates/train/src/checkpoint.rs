//! Checkpoints: everything a run needs to go on as if it had never stopped.
//!
//! A checkpoint is a directory that appears as a whole, by a rename. `SUMS` lists the length and
//! CRC-32C of every file, so one that was cut short or altered is found out and the one before it is
//! used. Matches are not stored as states, which games need not know how to save, but as the seed
//! and the actions of the running episode: playing them again gives the same match.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use lanista_learn::{Learner, Normalizer};
use lanista_nn::{Array, Arrays, arrays_to_bytes, from_bytes, to_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::config::Player;
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
}

/// Writes a checkpoint as `<directory>/<steps>` and removes all but the newest `keep`.
/// `recorded` is false when the matches cannot be rebuilt and start anew.
pub fn save(
    directory: &Path,
    learner: &Learner,
    shards: &[Shard],
    progress: &Progress,
    league: Option<&LeagueState>,
    curriculum: &lanista_league::Progress,
    identity: &Identity,
    recorded: bool,
    keep: usize,
) -> Result<PathBuf, DiskError> {
    let state = State {
        progress: progress.clone(),
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
        recorded,
        league: league.cloned(),
        curriculum: curriculum.clone(),
    };
    let none = BTreeMap::new();
    let optimizer = learner.optimizer.state();
    let moments: Vec<(&str, Array)> =
        optimizer.arrays.iter().map(|&(name, array)| (name, array.into())).collect();
    let mut json = serde_json::to_vec_pretty(&state).unwrap_or_default();
    json.push(b'\n');
    let files = [
        (POLICY, to_bytes(learner.policy.layout(), &learner.policy.params, &none)),
        (OPTIMIZER, arrays_to_bytes(&moments, &none)),
        (MATCHES, matches_to_bytes(shards, recorded)),
        (STATE, json),
    ];

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

fn write_all(directory: &Path, files: &[(&str, Vec<u8>)]) -> Result<(), DiskError> {
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

fn matches_to_bytes(shards: &[Shard], recorded: bool) -> Vec<u8> {
    let matches = || shards.iter().flat_map(|s| &s.matches);
    let episodes: Vec<u64> = matches().map(|m| m.episode).collect();
    let lengths: Vec<u32> = matches().map(|m| m.log.len() as u32).collect();
    let log: Vec<u32> = matches().flat_map(|m| m.log.iter().copied()).collect();
    let join = |part: fn(&Shard) -> &[f32]| -> Vec<f32> {
        shards.iter().flat_map(|s| part(s).iter().copied()).collect()
    };
    let actor_state = join(|s| &s.actor_state);
    let critic_state = join(|s| &s.critic_state);
    let traces = join(|s| &s.rollout.traces);
    let players: Vec<u64> =
        matches().flat_map(|m| m.players.iter().map(|&player| player_to_number(player))).collect();
    // Bits: an array of doubles is not worth a kind of its own.
    let probabilities: Vec<u64> = matches().map(|m| m.probability.to_bits()).collect();
    let stages: Vec<u32> = matches().map(|m| m.stage as u32).collect();
    let guests: Vec<&[f32]> =
        shards.iter().flat_map(|s| s.guest_rows.states.iter().map(Vec::as_slice)).collect();
    let guest_lengths: Vec<u32> = guests.iter().map(|state| state.len() as u32).collect();
    let guest_fresh: Vec<u32> = shards.iter().flat_map(|s| s.guest_rows.fresh()).collect();
    let guests = guests.concat();
    let mut arrays: Vec<(&str, Array)> = vec![("episode", (&episodes[..]).into())];
    if recorded {
        arrays.extend([
            ("log_length", (&lengths[..]).into()),
            ("log", (&log[..]).into()),
            ("actor_state", (&actor_state[..]).into()),
            ("critic_state", (&critic_state[..]).into()),
            ("traces", (&traces[..]).into()),
            ("players", (&players[..]).into()),
            ("probability", (&probabilities[..]).into()),
            ("stage", (&stages[..]).into()),
            ("guest_fresh", (&guest_fresh[..]).into()),
            ("guest_length", (&guest_lengths[..]).into()),
            ("guest_state", (&guests[..]).into()),
        ]);
    }
    arrays_to_bytes(&arrays, &BTreeMap::new())
}

/// Players as numbers: the learner, then bots, then frozen policies.
const BOTS: u64 = 1;
const FROZEN: u64 = 1 << 20;

fn player_to_number(player: Player) -> u64 {
    match player {
        Player::Learner => 0,
        Player::Bot(bot) => BOTS + bot as u64,
        Player::Frozen(id) => FROZEN + id,
    }
}

fn player_from_number(number: u64) -> Player {
    match number {
        0 => Player::Learner,
        BOTS..FROZEN => Player::Bot((number - BOTS) as usize),
        _ => Player::Frozen(number - FROZEN),
    }
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

/// Copies a checkpoint whole to a place of its own.
pub fn copy(from: &Path, to: &Path) -> Result<(), DiskError> {
    let names = [POLICY, OPTIMIZER, MATCHES, STATE];
    let mut files = Vec::new();
    for name in names {
        let path = from.join(name);
        files.push((name, on("read", &path, fs::read(&path))?));
    }
    let parent = to.parent().unwrap_or(Path::new("."));
    on("create", parent, fs::create_dir_all(parent))?;
    let temporary = parent.join(".copying.tmp");
    write_all(&temporary, &files)?;
    let _ = fs::remove_dir_all(to); // the same place, saved again
    on("write", to, fs::rename(&temporary, to))?;
    sync_directory(parent)
}

/// Reads a checkpoint into a learner and its shards. Nothing is changed unless all of it is sound.
pub fn load(
    path: &Path,
    learner: &mut Learner,
    shards: &mut [Shard],
    identity: &Identity,
) -> Result<Loaded, CheckpointError> {
    let files = read_checked(path)?;
    let damaged =
        |name: &str, problem: String| CheckpointError::Damaged { path: path.join(name), problem };
    let state: State =
        serde_json::from_slice(&files[STATE]).map_err(|e| damaged(STATE, e.to_string()))?;
    let params = from_bytes(learner.policy.layout(), &files[POLICY]).map_err(|e| match e {
        lanista_nn::WeightsError::Mismatch(m) => CheckpointError::OtherShape {
            path: path.join(POLICY),
            problem: lanista_nn::WeightsError::Mismatch(m).to_string(),
        },
        other => damaged(POLICY, other.to_string()),
    })?;
    let mut moments =
        Arrays::from_bytes(&files[OPTIMIZER]).map_err(|e| damaged(OPTIMIZER, e.to_string()))?;
    let mut take =
        |name: &str| moments.take_f32(name).map_err(|e| damaged(OPTIMIZER, e.to_string()));
    let first = take(lanista_nn::Optimizer::EXP_AVG)?;
    let second = take(lanista_nn::Optimizer::EXP_AVG_SQ)?;
    let normalizer =
        restored(&learner.policy.normalizer, state.normalizer).map_err(|p| damaged(STATE, p))?;
    let privileged = restored(&learner.policy.privileged_normalizer, state.privileged_normalizer)
        .map_err(|p| damaged(STATE, p))?;
    let mut matches =
        Arrays::from_bytes(&files[MATCHES]).map_err(|e| damaged(MATCHES, e.to_string()))?;
    let episodes = matches.take_u64("episode").map_err(|e| damaged(MATCHES, e.to_string()))?;

    let same = state.game == identity.game
        && state.settings == *identity.settings
        && state.seed == identity.seed
        && episodes.len() == shards.iter().map(|s| s.matches.len()).sum::<usize>();
    let continued = if state.recorded && same {
        rebuild(shards, &episodes, &mut matches).map_err(|p| damaged(MATCHES, p))?;
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
    Ok(Loaded {
        progress: state.progress,
        continued,
        league: state.league,
        curriculum: state.curriculum,
    })
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

fn rebuild(shards: &mut [Shard], episodes: &[u64], arrays: &mut Arrays) -> Result<(), String> {
    let text = |e: lanista_nn::WeightsError| e.to_string();
    let lengths = arrays.take_u32("log_length").map_err(text)?;
    let log = arrays.take_u32("log").map_err(text)?;
    let total: usize = lengths.iter().map(|&l| l as usize).sum();
    if lengths.len() != episodes.len() || total != log.len() {
        return Err("the recorded actions do not add up".into());
    }
    for (name, part) in [
        ("actor_state", (|s| &mut s.actor_state) as fn(&mut Shard) -> &mut Vec<f32>),
        ("critic_state", |s| &mut s.critic_state),
        ("traces", |s| &mut s.rollout.traces),
    ] {
        let all = arrays.take_f32(name).map_err(text)?;
        let wanted: usize = shards.iter_mut().map(|s| part(s).len()).sum();
        if wanted != all.len() {
            return Err(format!("`{name}` holds {} numbers, the run has {wanted}", all.len()));
        }
        let mut rest = &all[..];
        for shard in shards.iter_mut() {
            let (mine, others) = rest.split_at(part(shard).len());
            part(shard).copy_from_slice(mine);
            rest = others;
        }
    }
    let players = arrays.take_u64("players").map_err(text)?;
    let players: Vec<Player> = players.into_iter().map(player_from_number).collect();
    let probabilities = arrays.take_u64("probability").map_err(text)?;
    let stages = arrays.take_u32("stage").map_err(text)?;
    let guest_fresh = arrays.take_u32("guest_fresh").map_err(text)?;
    let guest_lengths = arrays.take_u32("guest_length").map_err(text)?;
    let guests = arrays.take_f32("guest_state").map_err(text)?;
    let rows: usize = shards.iter().map(|s| s.guest_rows.states.len()).sum();
    let total: usize = guest_lengths.iter().map(|&l| l as usize).sum();
    if [players.len(), guest_fresh.len(), guest_lengths.len()] != [rows; 3]
        || [probabilities.len(), stages.len()] != [episodes.len(); 2]
        || total != guests.len()
    {
        return Err("the players of the matches do not add up".into());
    }
    let (mut at, mut row, mut rest, mut guests) = (0, 0, &log[..], &guests[..]);
    for shard in shards {
        let seats = shard.spec().seats.len();
        for m in 0..shard.matches.len() {
            let (mine, others) = rest.split_at(lengths[at] as usize);
            let seated = &players[row..row + seats];
            shard.rebuild(m, episodes[at], Some(seated), mine).map_err(|f| f.to_string())?;
            shard.matches[m].probability = f64::from_bits(probabilities[at]);
            shard.matches[m].stage = stages[at] as usize;
            for seat in 0..seats {
                let (state, others) = guests.split_at(guest_lengths[row] as usize);
                shard.guest_rows.restore(m * seats + seat, state.to_vec(), guest_fresh[row] != 0);
                guests = others;
                row += 1;
            }
            at += 1;
            rest = others;
        }
    }
    Ok(())
}

/// Reads the files of a checkpoint and checks each against its recorded length and checksum.
fn read_checked(path: &Path) -> Result<BTreeMap<&'static str, Vec<u8>>, CheckpointError> {
    let sums_path = path.join(SUMS);
    let sums = on("read", &sums_path, fs::read(&sums_path))?;
    let sums = String::from_utf8_lossy(&sums);
    let mut files = BTreeMap::new();
    for name in [POLICY, OPTIMIZER, MATCHES, STATE] {
        let file = path.join(name);
        let damaged = |problem: String| CheckpointError::Damaged { path: file.clone(), problem };
        let line = sums.lines().find(|l| l.ends_with(&format!(" {name}")));
        let mut parts = line.unwrap_or_default().split(' ');
        let recorded = parts
            .next()
            .and_then(|sum| u32::from_str_radix(sum, 16).ok())
            .zip(parts.next().and_then(|length| length.parse::<usize>().ok()));
        let Some((sum, length)) = recorded else {
            return Err(CheckpointError::Damaged {
                path: sums_path,
                problem: format!("it has no line for {name}"),
            });
        };
        let bytes = on("read", &file, fs::read(&file))?;
        if bytes.len() != length {
            return Err(damaged(format!("it has {} bytes, {length} were written", bytes.len())));
        }
        if checksum(&bytes) != sum {
            return Err(damaged("its checksum is not the one that was written".into()));
        }
        files.insert(name, bytes);
    }
    Ok(files)
}
