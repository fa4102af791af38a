//! A dataset that is being written.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use lanista_game::{Episode, UNKNOWN, seed};

use super::index::{About, Block, Index, ShardFile, Split};
use super::{DatasetError, codec};
use crate::crc::checksum;
use crate::disk::{on, sync_directory};

/// How a shard begins.
pub(super) const HEADER: &[u8] = b"lanista decisions 2\n";
/// Unpacked bytes after which a block is full.
const BLOCK: usize = 1 << 20;
/// Bytes after which a shard is full.
const SHARD: u64 = 64 << 20;
/// The most decisions of an episode on disk; longer ones are cut, and memory begins anew there.
const LONGEST: usize = 4096;

/// What has been written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Episodes.
    pub episodes: u64,
    /// Their decisions.
    pub decisions: u64,
    /// Episodes that do not fit their game and were left out.
    pub unsound: u64,
}

/// Which split a match belongs to: all that comes from it goes together. The same answer every time.
pub fn split_of(of_match: &str, held_out: f64) -> Split {
    let hash = of_match.bytes().fold(0xcbf2_9ce4, |hash, byte| seed::mix(hash, u64::from(byte)));
    if f64::from(seed::uniform(hash)) < held_out { Split::HeldOut } else { Split::Train }
}

/// Writes a dataset, episode by episode. One that is dropped before it is finished leaves nothing behind.
pub struct Writer {
    directory: PathBuf,
    /// Was there no such directory before?
    created: bool,
    finished: bool,
    index: Index,
    shard: Option<Shard>,
    /// What is being gathered for each split.
    open: BTreeMap<Split, Open>,
    written: Written,
}

struct Shard {
    path: PathBuf,
    file: BufWriter<File>,
}

#[derive(Default)]
struct Open {
    bytes: Vec<u8>,
    episodes: u64,
    decisions: u64,
}

impl Writer {
    /// Begins a dataset in a directory of its own.
    pub fn create(directory: &Path, about: About) -> Result<Self, DatasetError> {
        let taken = directory.is_file()
            || fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_some());
        if taken {
            return Err(DatasetError::Taken(directory.to_owned()));
        }
        let created = !directory.exists();
        on("create", directory, fs::create_dir_all(directory))?;
        let chosen = about
            .spec
            .roles
            .iter()
            .map(|role| role.heads.iter().map(|head| vec![0; head.actions.len()]).collect());
        let index =
            Index { chosen: chosen.collect(), about, shards: Vec::new(), players: BTreeMap::new() };
        let directory = directory.to_owned();
        Ok(Self {
            directory,
            created,
            finished: false,
            index,
            shard: None,
            open: BTreeMap::new(),
            written: Written::default(),
        })
    }

    /// What has been written so far.
    pub fn written(&self) -> Written {
        self.written
    }

    /// Adds an episode to a split. One that does not fit the game is refused by name.
    pub fn push(&mut self, episode: &Episode, split: Split) -> Result<(), DatasetError> {
        if let Some(fault) = episode.fault(&self.index.about.spec) {
            self.written.unsound += 1;
            return Err(DatasetError::Unsound {
                path: self.directory.clone(),
                episode: self.written.episodes,
                from: format!("{} of {}", episode.player, episode.source),
                fault,
            });
        }
        for from in (0..episode.len()).step_by(LONGEST) {
            let to = (from + LONGEST).min(episode.len());
            match (from, to == episode.len()) {
                (0, true) => self.push_part(episode, split)?,
                _ => self.push_part(&part(episode, from..to), split)?,
            }
        }
        Ok(())
    }

    fn push_part(&mut self, episode: &Episode, split: Split) -> Result<(), DatasetError> {
        let role = &self.index.about.spec.roles[episode.role];
        let open = self.open.entry(split).or_default();
        codec::encode(episode, role, &mut open.bytes);
        open.episodes += 1;
        open.decisions += episode.len() as u64;
        self.written.episodes += 1;
        self.written.decisions += episode.len() as u64;
        *self.index.players.entry(episode.player.clone()).or_default() += episode.len() as u64;
        if split == Split::Train {
            let heads = &mut self.index.chosen[episode.role];
            for (i, &choice) in episode.actions.iter().enumerate().filter(|(_, c)| **c != UNKNOWN) {
                let head = i % heads.len();
                heads[head][choice as usize] += 1;
            }
        }
        if open.bytes.len() >= BLOCK {
            self.close_block(split)?;
        }
        Ok(())
    }

    fn close_block(&mut self, split: Split) -> Result<(), DatasetError> {
        let Some(open) = self.open.remove(&split).filter(|open| open.episodes > 0) else {
            return Ok(());
        };
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
        let packed = packed.write_all(&open.bytes).and_then(|()| packed.finish());
        let packed = on("write", &self.directory, packed)?;
        if self.index.shards.last().is_some_and(|shard| shard.bytes >= SHARD) {
            self.close_shard()?;
        }
        if self.shard.is_none() {
            let file = format!("{:06}.decisions", self.index.shards.len());
            let path = self.directory.join(&file);
            let mut out = BufWriter::new(on("write", &path, File::create(&path))?);
            on("write", &path, out.write_all(HEADER))?;
            let bytes = HEADER.len() as u64;
            self.index.shards.push(ShardFile { file, bytes, blocks: Vec::new() });
            self.shard = Some(Shard { path, file: out });
        }
        let (Some(shard), Some(about)) = (&mut self.shard, self.index.shards.last_mut()) else {
            return Ok(());
        };
        on("write", &shard.path, shard.file.write_all(&packed))?;
        about.blocks.push(Block {
            at: about.bytes,
            bytes: packed.len() as u64,
            raw: open.bytes.len() as u64,
            sum: checksum(&open.bytes),
            episodes: open.episodes,
            decisions: open.decisions,
            split,
        });
        about.bytes += packed.len() as u64;
        Ok(())
    }

    fn close_shard(&mut self) -> Result<(), DatasetError> {
        if let Some(Shard { path, file }) = self.shard.take() {
            let file = on("write", &path, file.into_inner().map_err(|e| e.into_error()))?;
            on("write", &path, file.sync_all())?;
        }
        Ok(())
    }

    /// Writes what is left, and the index.
    pub fn finish(mut self) -> Result<Written, DatasetError> {
        for split in [Split::Train, Split::HeldOut] {
            self.close_block(split)?;
        }
        self.close_shard()?;
        self.index.write(&self.directory)?;
        sync_directory(&self.directory)?;
        self.finished = true;
        Ok(self.written)
    }
}

impl Drop for Writer {
    /// What is left of a dataset that was given up would be in the way of the next attempt. That it cannot
    /// be removed is no news: whatever made it fail is told already.
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        self.shard = None;
        if self.created {
            let _ = fs::remove_dir_all(&self.directory);
            return;
        }
        for shard in &self.index.shards {
            let _ = fs::remove_file(self.directory.join(&shard.file));
        }
    }
}

/// A stretch of an episode. Only the last one knows how it ended.
fn part(episode: &Episode, at: std::ops::Range<usize>) -> Episode {
    let n = episode.len();
    fn cut<T: Copy>(all: &[T], n: usize, at: &std::ops::Range<usize>) -> Vec<T> {
        let width = all.len() / n;
        all[at.start * width..at.end * width].to_vec()
    }
    Episode {
        role: episode.role,
        player: episode.player.clone(),
        source: episode.source.clone(),
        match_key: episode.match_key.clone(),
        verdict: episode.verdict,
        end: episode.end.filter(|_| at.end == n),
        steps: cut(&episode.steps, n, &at),
        observation: cut(&episode.observation, n, &at),
        privileged: cut(&episode.privileged, n, &at),
        mask: cut(&episode.mask, n, &at),
        forbidden: cut(&episode.forbidden, n, &at),
        actions: cut(&episode.actions, n, &at),
        probabilities: cut(&episode.probabilities, n, &at),
        terms: cut(&episode.terms, n, &at),
    }
}
