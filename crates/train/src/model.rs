//! `model.zip`: a policy ready to play, with all that is needed to ask it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use lanista_game::{Role, Spec};
use lanista_learn::size::Count;
use lanista_learn::{Normalizer, Policy, PolicyConfig, PolicySize, Shape};
use lanista_nn::{from_bytes, to_bytes as weights_to_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::disk::{DiskError, on, replace};
use crate::player::Roster;
use crate::ranges;
use crate::shapes::differences;
use crate::stack::Stack;

const POLICY: &str = "policy.safetensors";
const NORMALIZER: &str = "normalizer.json";
const METADATA: &str = "metadata.json";
/// The most bytes of what a model says about itself; a thousand times what it takes.
const MOST_METADATA: u64 = 4 << 20;
/// The most bytes of a number in JSON, with its comma.
const WRITTEN: u64 = 32;
/// The most bytes of a tensor's name and place in the header of its file.
const HEADER: u64 = 512;

/// What a model says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// The program's version that wrote it.
    pub lanista: String,
    /// The game it plays.
    pub game: String,
    /// The game's settings.
    pub settings: Value,
    /// The shape of its network.
    pub policy: PolicyConfig,
    /// Which frames of the game it sees; models from before there was a choice see the current one.
    #[serde(default)]
    pub stack: Stack,
    /// Numbers in an observation, over all its frames.
    pub features: usize,
    /// Extra numbers for the critic.
    pub privileged: usize,
    /// Actions of each head.
    pub heads: Vec<usize>,
    /// What it was rewarded for when it was saved.
    pub rewards: BTreeMap<String, f64>,
    /// The roles that it plays, for games that have several; what is said above is of the first.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, RoleModel>,
    /// The scripted players, `bot:NAME`, who played the roles that were not learnt. Models of earlier
    /// versions do not say.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub played_by: BTreeMap<String, String>,
    /// The whole game as it sees it: features, heads and actions by name. Models of earlier versions
    /// do not carry it.
    #[serde(default)]
    pub spec: Option<Spec>,
    /// Steps it was trained.
    pub steps: u64,
    /// The run's seed.
    pub seed: u64,
}

/// What a model says about one of several roles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoleModel {
    /// The shape of its network.
    pub policy: PolicyConfig,
    /// What it was rewarded for when it was saved.
    pub rewards: BTreeMap<String, f64>,
}

impl Metadata {
    /// `[terms]` of a role: what it was rewarded for.
    pub fn weights(&self, spec: &Spec, role: usize) -> Vec<f32> {
        let rewards = match self.roles.get(&spec.roles[role].name) {
            Some(role) => &role.rewards,
            None => &self.rewards,
        };
        spec.terms.iter().map(|t| rewards.get(&t.name).map_or(0.0, |w| *w as f32)).collect()
    }

    /// The networks that it has, by role.
    fn policies(&self, spec: &Spec) -> Vec<(usize, &PolicyConfig)> {
        if self.roles.is_empty() {
            return vec![(0, &self.policy)];
        }
        let known = self.roles.iter().filter_map(|(name, r)| Some((spec.role(name)?, &r.policy)));
        known.collect()
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Normalizers {
    observation: Option<Normalizer>,
    privileged: Option<Normalizer>,
}

/// A model that cannot be used.
#[derive(Debug, Error)]
pub enum ModelError {
    /// It cannot be read or written.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// It is not a model.
    #[error("{} is not a sound model: {problem}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// How it shows.
        problem: String,
    },
    /// The game has changed since.
    #[error(
        "{} was trained for another shape of {game}: {problem}", path.display()
    )]
    OtherGame {
        /// Which file.
        path: PathBuf,
        /// The game.
        game: String,
        /// What differs.
        problem: String,
    },
}

/// Writes a model as a whole.
pub fn save(path: &Path, roster: &Roster, metadata: &Metadata) -> Result<(), ModelError> {
    let bytes = to_bytes(roster, metadata).map_err(|error| match error {
        ModelError::Damaged { problem, .. } => {
            ModelError::Damaged { path: path.to_owned(), problem }
        }
        other => other,
    })?;
    Ok(replace(path, &bytes)?)
}

/// A model as the bytes of its file.
pub fn to_bytes(roster: &Roster, metadata: &Metadata) -> Result<Vec<u8>, ModelError> {
    let damaged = |problem: String| ModelError::Damaged { path: PathBuf::from(POLICY), problem };
    let json = |e: serde_json::Error| damaged(e.to_string());
    let mut parts = vec![(METADATA.to_owned(), serde_json::to_vec_pretty(metadata).map_err(json)?)];
    let spec = metadata.spec.as_ref();
    for (role, policy) in roster.iter() {
        let normalizers = Normalizers {
            observation: policy.normalizer.clone(),
            privileged: policy.privileged_normalizer.clone(),
        };
        let place = place(metadata, spec.and_then(|spec| spec.roles.get(role)));
        let weights = weights_to_bytes(policy.layout(), &policy.params, &BTreeMap::new());
        parts.push((
            format!("{place}{NORMALIZER}"),
            serde_json::to_vec(&normalizers).map_err(json)?,
        ));
        parts.push((format!("{place}{POLICY}"), weights));
    }
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in parts {
        archive
            .start_file(name, options)
            .map_err(|e| damaged(e.to_string()))
            .and_then(|()| archive.write_all(&bytes).map_err(|e| damaged(e.to_string())))?;
    }
    Ok(archive.finish().map_err(|e| damaged(e.to_string()))?.into_inner())
}

/// Where the files of a role are in a model: at its top in a game of one role.
fn place(metadata: &Metadata, role: Option<&Role>) -> String {
    match role {
        Some(role) if !metadata.roles.is_empty() => format!("roles/{}/", role.name),
        _ => String::new(),
    }
}

/// Reads what a model says about itself.
pub fn metadata(path: &Path) -> Result<Metadata, ModelError> {
    let damaged = |problem: String| ModelError::Damaged { path: path.to_owned(), problem };
    let json = Archive::open(path)?.part(METADATA, 0, MOST_METADATA)?;
    let metadata: Metadata =
        serde_json::from_slice(&json).map_err(|e| damaged(format!("{METADATA}: {e}")))?;
    let unsound = |(key, problem): ranges::Fault| damaged(format!("{METADATA}: {key}: {problem}"));
    ranges::check_policy(&metadata.policy).map_err(unsound)?;
    let of_roles = metadata.roles.values();
    for role in of_roles.clone() {
        ranges::check_policy(&role.policy).map_err(unsound)?;
    }
    for (term, &weight) in of_roles.flat_map(|role| &role.rewards).chain(&metadata.rewards) {
        ranges::check_weight(term, weight).map_err(unsound)?;
    }
    if let Some(spec) = &metadata.spec {
        spec.validate().map_err(|e| damaged(format!("{METADATA}: spec: {e}")))?;
        if let Some(role) = metadata.roles.keys().find(|name| spec.role(name).is_none()) {
            return Err(damaged(format!("{METADATA}: it plays `{role}`, which its game has not")));
        }
    }
    Ok(metadata)
}

/// Reads an agent for a game as policies see it. Nothing is built before the file is seen to hold
/// networks of the size that it speaks of, and nothing larger than that is unpacked.
pub fn load(path: &Path, spec: &Spec) -> Result<(Roster, Metadata), ModelError> {
    let metadata = metadata(path)?;
    let other = |problem: String| ModelError::OtherGame {
        path: path.to_owned(),
        game: metadata.game.clone(),
        problem,
    };
    if let Some(then) = &metadata.spec {
        let plays =
            |role: &Role| metadata.roles.is_empty() || metadata.roles.contains_key(&role.name);
        let differences = differences(then, spec, plays);
        if !differences.is_empty() {
            return Err(other(differences.join("; ")));
        }
    }
    let mut archive = Archive::open(path)?;
    let mut policies: Vec<Option<Policy>> = (0..spec.roles.len()).map(|_| None).collect();
    for (role, config) in metadata.policies(spec) {
        let shape = Shape::of(&spec.roles[role]);
        if metadata.roles.is_empty() {
            for (what, then, now) in [
                ("observation", vec![metadata.features], vec![shape.features]),
                ("privileged inputs", vec![metadata.privileged], vec![shape.privileged]),
                ("heads", metadata.heads.clone(), shape.heads.clone()),
            ] {
                if then != now {
                    return Err(other(format!("{what} {then:?} then, {now:?} now")));
                }
            }
        }
        let place = place(&metadata, spec.roles.get(role));
        policies[role] = Some(read_policy(&mut archive, &place, shape, config)?);
    }
    Ok((Roster::new(policies), metadata))
}

/// Reads the network of a role.
fn read_policy(
    archive: &mut Archive,
    place: &str,
    shape: Shape,
    config: &PolicyConfig,
) -> Result<Policy, ModelError> {
    let path = archive.path.clone();
    let damaged = |problem: String| ModelError::Damaged { path: path.clone(), problem };
    let size = PolicySize::of(&shape, config);
    let bytes = |count: Count| u64::try_from(count.0).unwrap_or(u64::MAX);
    let numbers = bytes(size.parameters).saturating_mul(4);
    let header = bytes(size.tensors).saturating_mul(HEADER).saturating_add(1 << 12);
    let file = format!("{place}{POLICY}");
    let weights = archive.part(&file, numbers, numbers.saturating_add(header))?;
    let statistics = (shape.features + shape.privileged) as u64 * 2 * WRITTEN;
    let normalizers = archive.part(&format!("{place}{NORMALIZER}"), 0, statistics + (1 << 12))?;

    let mut policy = Policy::blank(shape, config);
    policy.params =
        from_bytes(policy.layout(), &weights).map_err(|e| damaged(format!("{file}: {e}")))?;
    let normalizers: Normalizers =
        serde_json::from_slice(&normalizers).map_err(|e| damaged(format!("{NORMALIZER}: {e}")))?;
    for (name, slot, found) in [
        ("observation", &mut policy.normalizer, normalizers.observation),
        ("privileged", &mut policy.privileged_normalizer, normalizers.privileged),
    ] {
        if let (Some(slot), Some(found)) = (slot.as_mut(), found) {
            if slot.mean.len() != found.mean.len() {
                return Err(damaged(format!(
                    "{NORMALIZER}: `{name}` has another number of features"
                )));
            }
            let limit = found.limit;
            *slot = Normalizer::restore(found.count, found.mean, found.squares)
                .and_then(|read| read.with_limit(limit))
                .ok_or_else(|| {
                    damaged(format!("{NORMALIZER}: the statistics of `{name}` are not finite"))
                })?;
        }
    }
    Ok(policy)
}

/// A model that is being read, part by part: its file may be hostile.
struct Archive {
    path: PathBuf,
    parts: ZipArchive<BufReader<File>>,
}

impl Archive {
    fn open(path: &Path) -> Result<Self, ModelError> {
        let file = on("read", path, File::open(path))?;
        let parts = ZipArchive::new(BufReader::new(file))
            .map_err(|e| ModelError::Damaged { path: path.to_owned(), problem: e.to_string() })?;
        Ok(Self { path: path.to_owned(), parts })
    }

    /// Unpacks a part, which holds at least and at most so many bytes.
    fn part(&mut self, name: &str, least: u64, most: u64) -> Result<Vec<u8>, ModelError> {
        let path = &self.path;
        let damaged = |problem: String| ModelError::Damaged { path: path.clone(), problem };
        let file = self.parts.by_name(name).map_err(|e| damaged(format!("{name}: {e}")))?;
        let wrong = |size: u64| {
            damaged(format!(
                "{name}: it holds {size} bytes where {METADATA} speaks of {least} to {most}"
            ))
        };
        // What the archive says of itself may be a lie, so the bytes are counted as well.
        let said = file.size();
        if !(least..=most).contains(&said) {
            return Err(wrong(said));
        }
        let mut out = Vec::new();
        let read = file.take(most.saturating_add(1)).read_to_end(&mut out);
        read.map_err(|e| damaged(format!("{name}: {e}")))?;
        match out.len() as u64 {
            size if (least..=most).contains(&size) => Ok(out),
            size => Err(wrong(size)),
        }
    }
}

#[cfg(test)]
#[path = "model_tests.rs"]
mod tests;
