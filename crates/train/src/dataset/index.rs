//! What a dataset says about itself.

use std::collections::BTreeMap;
use std::path::Path;

use lanista_game::Spec;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::DatasetError;
use crate::crc::checksum;
use crate::disk::{on, replace};

/// The version of the format: since 2, episodes say of which match they come.
pub(super) const VERSION: u32 = 2;
/// The oldest version that is read.
const OLDEST: u32 = 1;
/// The name of the index.
pub(super) const INDEX: &str = "INDEX";
/// The most bytes of an index: a hundred thousand blocks take eight million.
const MOST: u64 = 1 << 28;

/// What the decisions belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The game.
    pub game: String,
    /// Its settings, without what belongs to a machine.
    pub settings: Value,
    /// The game under these settings, a single frame.
    pub spec: Spec,
    /// The program's version that wrote it.
    pub lanista: String,
    /// How it was made, in words.
    pub origin: String,
}

/// What a decision is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// To learn from.
    Train,
    /// To see whether what was learnt holds elsewhere.
    HeldOut,
}

/// A shard and its blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardFile {
    /// Its name in the directory.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

/// A block of whole episodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// Where it begins.
    pub at: u64,
    /// Compressed bytes.
    pub bytes: u64,
    /// Bytes when it is unpacked.
    pub raw: u64,
    /// Their CRC-32C.
    pub sum: u32,
    /// Its episodes.
    pub episodes: u64,
    /// Their decisions.
    pub decisions: u64,
    /// What they are for.
    pub split: Split,
}

/// Everything that a dataset says about itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// What the decisions belong to.
    pub about: About,
    /// Its shards.
    pub shards: Vec<ShardFile>,
    /// Decisions by player.
    pub players: BTreeMap<String, u64>,
    /// `[roles][heads][actions]`: how often each was chosen in what is learnt from.
    pub chosen: Vec<Vec<Vec<u64>>>,
}

impl Index {
    /// All blocks, with their shards.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, &Block)> {
        self.shards
            .iter()
            .enumerate()
            .flat_map(|(s, shard)| shard.blocks.iter().map(move |b| (s, b)))
    }

    /// Decisions of a split.
    pub fn decisions(&self, split: Split) -> u64 {
        self.blocks().filter(|(_, b)| b.split == split).map(|(_, b)| b.decisions).sum()
    }

    /// Episodes of a split.
    pub fn episodes(&self, split: Split) -> u64 {
        self.blocks().filter(|(_, b)| b.split == split).map(|(_, b)| b.episodes).sum()
    }

    /// Writes it as a whole.
    pub(super) fn write(&self, directory: &Path) -> Result<(), DatasetError> {
        let json = serde_json::to_string(self).unwrap_or_default();
        let text = format!("lanista dataset {VERSION} {:08x}\n{json}\n", checksum(json.as_bytes()));
        Ok(replace(&directory.join(INDEX), text.as_bytes())?)
    }

    /// Reads it, and refuses what contradicts itself.
    pub(super) fn read(directory: &Path) -> Result<Self, DatasetError> {
        let path = directory.join(INDEX);
        if !path.is_file() {
            return Err(DatasetError::None(directory.to_owned()));
        }
        let damaged =
            |problem: String| DatasetError::Damaged { path: path.clone(), at: 0, problem };
        let length = on("read", &path, std::fs::metadata(&path))?.len();
        if length > MOST {
            return Err(damaged(format!("{length} bytes are more than an index has")));
        }
        let text = on("read", &path, std::fs::read_to_string(&path))?;
        let (first, json) = text.split_once('\n').unwrap_or_default();
        let json = json.trim_end_matches('\n');
        let mut words = first.split(' ');
        if (words.next(), words.next()) != (Some("lanista"), Some("dataset")) {
            return Err(damaged("it does not begin as an index does".into()));
        }
        let found = words.next().unwrap_or_default();
        let read = |version: u32| (OLDEST..=VERSION).contains(&version);
        if !found.parse().is_ok_and(read) {
            let (found, wanted) = (found.to_owned(), VERSION);
            return Err(DatasetError::Version { path, found, wanted });
        }
        let sum = words.next().and_then(|sum| u32::from_str_radix(sum, 16).ok());
        if sum != Some(checksum(json.as_bytes())) {
            return Err(damaged("its checksum is another".into()));
        }
        let index: Self = serde_json::from_str(json).map_err(|e| damaged(e.to_string()))?;
        index.about.spec.validate().map_err(|e| damaged(e.to_string()))?;
        for shard in &index.shards {
            let plain =
                shard.file.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
            if !plain || shard.file.starts_with('.') {
                return Err(damaged(format!("`{}` is no name of a shard", shard.file)));
            }
            let mut at = super::write::HEADER.len() as u64;
            for block in &shard.blocks {
                if block.at != at {
                    return Err(damaged(format!(
                        "the blocks of {} do not follow each other",
                        shard.file
                    )));
                }
                at = at.saturating_add(block.bytes);
            }
            if at != shard.bytes {
                return Err(damaged(format!("the blocks of {} do not add up", shard.file)));
            }
        }
        Ok(index)
    }
}
