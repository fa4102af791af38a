//! `model.zip`: a policy ready to play, with all that is needed to ask it.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use lanista_learn::{Normalizer, Policy, PolicyConfig, Shape};
use lanista_nn::{from_bytes, to_bytes};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::disk::{DiskError, on, replace};
use crate::stack::Stack;

const POLICY: &str = "policy.safetensors";
const NORMALIZER: &str = "normalizer.json";
const METADATA: &str = "metadata.json";
/// No part of a model is larger than this.
const LIMIT: u64 = 4 << 30;

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
    let bytes = on("read", path, std::fs::read(path))?;
    let json = part(path, &bytes, METADATA)?;
    serde_json::from_slice(&json).map_err(|e| ModelError::Damaged {
        path: path.to_owned(),
        problem: format!("{METADATA}: {e}"),
    })
}

/// Reads a policy for a game of this shape.
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
    let bytes = on("read", path, std::fs::read(path))?;
    let mut policy = Policy::new(shape, &metadata.policy, 0);
    let weights = part(path, &bytes, POLICY)?;
    policy.params =
        from_bytes(policy.layout(), &weights).map_err(|e| damaged(format!("{POLICY}: {e}")))?;
    let normalizers: Normalizers = serde_json::from_slice(&part(path, &bytes, NORMALIZER)?)
        .map_err(|e| damaged(format!("{NORMALIZER}: {e}")))?;
    for (slot, found) in [
        (&mut policy.normalizer, normalizers.observation),
        (&mut policy.privileged_normalizer, normalizers.privileged),
    ] {
        if let (Some(slot), Some(found)) = (slot.as_mut(), found) {
            if slot.mean.len() != found.mean.len() {
                return Err(damaged(format!("{NORMALIZER}: it has another number of features")));
            }
            *slot = Normalizer::restore(found.count, found.mean, found.squares)
                .ok_or_else(|| damaged(format!("{NORMALIZER}: its statistics are not finite")))?;
        }
    }
    Ok((policy, metadata))
}

fn part(path: &Path, bytes: &[u8], name: &str) -> Result<Vec<u8>, ModelError> {
    let damaged = |problem: String| ModelError::Damaged { path: path.to_owned(), problem };
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| damaged(e.to_string()))?;
    let file = archive.by_name(name).map_err(|e| damaged(format!("{name}: {e}")))?;
    let mut out = Vec::new();
    file.take(LIMIT).read_to_end(&mut out).map_err(|e| damaged(format!("{name}: {e}")))?;
    Ok(out)
}
