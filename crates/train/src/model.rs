//! `model.zip`: a policy ready to play, with all that is needed to ask it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use lanista_learn::size::Count;
use lanista_learn::{Normalizer, Policy, PolicyConfig, PolicySize, Shape};
use lanista_nn::{from_bytes, to_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::disk::{DiskError, on, replace};
use crate::ranges;
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
    /// Steps it was trained.
    pub steps: u64,
    /// The run's seed.
    pub seed: u64,
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
pub fn save(path: &Path, policy: &Policy, metadata: &Metadata) -> Result<(), ModelError> {
    let damaged = |problem: String| ModelError::Damaged { path: path.to_owned(), problem };
    let normalizers = Normalizers {
        observation: policy.normalizer.clone(),
        privileged: policy.privileged_normalizer.clone(),
    };
    let json = |e: serde_json::Error| damaged(e.to_string());
    let parts = [
        (METADATA, serde_json::to_vec_pretty(metadata).map_err(json)?),
        (NORMALIZER, serde_json::to_vec(&normalizers).map_err(json)?),
        (POLICY, to_bytes(policy.layout(), &policy.params, &BTreeMap::new())),
    ];
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in parts {
        archive
            .start_file(name, options)
            .map_err(|e| damaged(e.to_string()))
            .and_then(|()| archive.write_all(&bytes).map_err(|e| damaged(e.to_string())))?;
    }
    let bytes = archive.finish().map_err(|e| damaged(e.to_string()))?.into_inner();
    Ok(replace(path, &bytes)?)
}

/// Reads what a model says about itself.
pub fn metadata(path: &Path) -> Result<Metadata, ModelError> {
    let damaged = |problem: String| ModelError::Damaged { path: path.to_owned(), problem };
    let json = Archive::open(path)?.part(METADATA, 0, MOST_METADATA)?;
    let metadata: Metadata =
        serde_json::from_slice(&json).map_err(|e| damaged(format!("{METADATA}: {e}")))?;
    let unsound = |(key, problem): ranges::Fault| damaged(format!("{METADATA}: {key}: {problem}"));
    ranges::check_policy(&metadata.policy).map_err(unsound)?;
    for (term, &weight) in &metadata.rewards {
        ranges::check_weight(term, weight).map_err(unsound)?;
    }
    Ok(metadata)
}

/// Reads a policy for a game of this shape. Nothing is built before the file is seen to hold a
/// network of the size that it speaks of, and nothing larger than that is unpacked.
pub fn load(path: &Path, shape: Shape) -> Result<(Policy, Metadata), ModelError> {
    let damaged = |problem: String| ModelError::Damaged { path: path.to_owned(), problem };
    let metadata = metadata(path)?;
    for (what, then, now) in [
        ("observation", vec![metadata.features], vec![shape.features]),
        ("privileged inputs", vec![metadata.privileged], vec![shape.privileged]),
        ("heads", metadata.heads.clone(), shape.heads.clone()),
    ] {
        if then != now {
            return Err(ModelError::OtherGame {
                path: path.to_owned(),
                game: metadata.game,
                problem: format!("{what} {then:?} then, {now:?} now"),
            });
        }
    }
    let mut archive = Archive::open(path)?;
    let size = PolicySize::of(&shape, &metadata.policy);
    let bytes = |count: Count| u64::try_from(count.0).unwrap_or(u64::MAX);
    let numbers = bytes(size.parameters).saturating_mul(4);
    let header = bytes(size.tensors).saturating_mul(HEADER).saturating_add(1 << 12);
    let weights = archive.part(POLICY, numbers, numbers.saturating_add(header))?;
    let statistics = (shape.features + shape.privileged) as u64 * 2 * WRITTEN;
    let normalizers = archive.part(NORMALIZER, 0, statistics + (1 << 12))?;

    let mut policy = Policy::blank(shape, &metadata.policy);
    policy.params =
        from_bytes(policy.layout(), &weights).map_err(|e| damaged(format!("{POLICY}: {e}")))?;
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
            *slot =
                Normalizer::restore(found.count, found.mean, found.squares).ok_or_else(|| {
                    damaged(format!("{NORMALIZER}: the statistics of `{name}` are not finite"))
                })?;
        }
    }
    Ok((policy, metadata))
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
