//! Datasets that are read, block by block.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::DeflateDecoder;
use lanista_game::{Entry, Episode, Spec, seed};
use serde_json::Value;

use super::index::{Block, Index, Split};
use super::{DatasetError, codec};
use crate::crc::checksum;
use crate::disk::on;
use crate::settings;
use crate::shapes::differences;

/// The most bytes of an unpacked block: one is full after one mebibyte and an episode of the widest game.
const MOST_RAW: u64 = 1 << 30;

/// A dataset on disk.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// Where it is.
    pub path: PathBuf,
    /// What it says about itself.
    pub index: Index,
}

impl Dataset {
    /// Opens a dataset. Its shards are there, and as long as they should be; what is in them is read
    /// when it is needed.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let index = Index::read(path)?;
        for shard in &index.shards {
            let file = path.join(&shard.file);
            let found = on("read", &file, std::fs::metadata(&file))?.len();
            if found != shard.bytes {
                let at = found.min(shard.bytes);
                let problem = format!("it has {found} bytes of {}", shard.bytes);
                return Err(DatasetError::Damaged { path: file, at, problem });
            }
        }
        Ok(Self { path: path.to_owned(), index })
    }

    /// Refuses a dataset that was made for something else than this game, whose spec is that of a single
    /// frame.
    pub fn check(&self, spec: &Spec) -> Result<(), DatasetError> {
        let about = &self.index.about;
        let problem = if about.game != spec.name {
            format!("the preset plays {}", spec.name)
        } else {
            let found = differences(&about.spec, spec, |_| true);
            let same = about.spec.terms.len() == spec.terms.len();
            match (found.is_empty(), same) {
                (true, true) => return Ok(()),
                (true, false) => "its reward terms are others".to_owned(),
                (false, _) => found.join("; "),
            }
        };
        let (path, game) = (self.path.clone(), about.game.clone());
        Err(DatasetError::OtherGame { path, game, problem })
    }

    /// Refuses a dataset that was made under other settings than these. A step of another length or another
    /// rule may leave every feature and action where it was, and mean something else by them.
    pub fn check_settings(&self, entry: &Entry, now: &Value) -> Result<(), DatasetError> {
        let about = &self.index.about;
        let changes = settings::differences(&entry.settings, &about.settings, now);
        if changes.is_empty() {
            return Ok(());
        }
        let (path, game) = (self.path.clone(), about.game.clone());
        Err(DatasetError::OtherSettings { path, game, changes })
    }

    /// The episodes of a block. Whatever does not fit the game is refused by name.
    pub fn block(&self, shard: usize, block: &Block) -> Result<Vec<Episode>, DatasetError> {
        let path = self.path.join(&self.index.shards[shard].file);
        let damaged = |problem: &str| DatasetError::Damaged {
            path: path.clone(),
            at: block.at,
            problem: problem.to_owned(),
        };
        if block.raw > MOST_RAW || block.bytes > MOST_RAW {
            return Err(damaged("a block is larger than any"));
        }
        let mut file = on("read", &path, File::open(&path))?;
        on("read", &path, file.seek(SeekFrom::Start(block.at)))?;
        let mut raw = Vec::new();
        let unpacked =
            DeflateDecoder::new(file.take(block.bytes)).take(block.raw + 1).read_to_end(&mut raw);
        if unpacked.is_err() || raw.len() as u64 != block.raw || checksum(&raw) != block.sum {
            return Err(damaged("a block is not what was written"));
        }
        let mut bytes = codec::Bytes(&raw);
        let mut episodes = Vec::new();
        while !bytes.0.is_empty() {
            let spec = &self.index.about.spec;
            let episode = bytes.episode(spec).ok_or_else(|| damaged("an episode is cut short"))?;
            if let Some(fault) = episode.fault(spec) {
                return Err(DatasetError::Unsound {
                    path: path.clone(),
                    episode: episodes.len() as u64,
                    from: format!(
                        "{} of {}, block at byte {}",
                        episode.player, episode.source, block.at
                    ),
                    fault,
                });
            }
            episodes.push(episode);
        }
        let decisions: usize = episodes.iter().map(Episode::len).sum();
        if (episodes.len() as u64, decisions as u64) != (block.episodes, block.decisions) {
            return Err(damaged("a block has other episodes than the index says"));
        }
        Ok(episodes)
    }
}

/// Blocks that were unpacked and kept, by dataset, shard and place.
type Kept = BTreeMap<(usize, usize, u64), Arc<Vec<Episode>>>;

/// Several datasets of one game.
#[derive(Debug, Default)]
pub struct Corpus {
    /// The datasets.
    pub datasets: Vec<Dataset>,
    kept: Mutex<Kept>,
}

/// A block of a corpus: which dataset, which shard, and the block.
pub type Place = (usize, usize, Block);

impl Corpus {
    /// Of these datasets.
    pub fn new(datasets: Vec<Dataset>) -> Self {
        Self { datasets, kept: Mutex::default() }
    }

    /// All blocks of a split, in order.
    pub fn blocks(&self, split: Split) -> Vec<Place> {
        let all = self.datasets.iter().enumerate().flat_map(|(d, dataset)| {
            dataset.index.blocks().map(move |(shard, block)| (d, shard, *block))
        });
        all.filter(|(_, _, block)| block.split == split).collect()
    }

    /// The same in the order of an epoch.
    pub fn shuffled(&self, split: Split, seed: u64) -> Vec<Place> {
        let mut blocks = self.blocks(split);
        for i in (1..blocks.len()).rev() {
            let j = ((seed::mix(seed, i as u64) as u128 * (i as u128 + 1)) >> 64) as usize;
            blocks.swap(i, j);
        }
        blocks
    }

    /// Blocks in windows of at most so many unpacked bytes, or of one block.
    pub fn windows(blocks: &[Place], bytes: u64) -> Vec<&[Place]> {
        let mut windows = Vec::new();
        let (mut from, mut sum) = (0, 0);
        for (i, (_, _, block)) in blocks.iter().enumerate() {
            if i > from && sum + block.raw > bytes {
                windows.push(&blocks[from..i]);
                (from, sum) = (i, 0);
            }
            sum += block.raw;
        }
        if from < blocks.len() {
            windows.push(&blocks[from..]);
        }
        windows
    }

    /// Decisions of a split.
    pub fn decisions(&self, split: Split) -> u64 {
        self.datasets.iter().map(|dataset| dataset.index.decisions(split)).sum()
    }

    /// The episodes of a block.
    pub fn read(&self, place: &Place) -> Result<Vec<Episode>, DatasetError> {
        let (dataset, shard, block) = place;
        self.datasets[*dataset].block(*shard, block)
    }

    /// Do all its blocks together have at most so many unpacked bytes?
    pub fn fits(&self, bytes: u64) -> bool {
        let blocks = self.datasets.iter().flat_map(|dataset| dataset.index.blocks());
        blocks.map(|(_, block)| block.raw).sum::<u64>() <= bytes
    }

    /// The episodes of a block, which stay unpacked: for a corpus that fits, and is read epoch after epoch.
    pub fn read_and_keep(&self, place: &Place) -> Result<Arc<Vec<Episode>>, DatasetError> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (place.0, place.1, place.2.at);
        if let Some(episodes) = kept().get(&key) {
            return Ok(episodes.clone());
        }
        let episodes = Arc::new(self.read(place)?);
        kept().insert(key, episodes.clone());
        Ok(episodes)
    }
}
