//! The recordings that there are: of runs, and files that were named. Each has an id that follows from its
//! place, so a link to a moment of a match stays good.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{SystemTime, UNIX_EPOCH};

use lanista_game::recording::{About, Recording};
use lanista_train::recorder;
use serde::Serialize;

use crate::run::Run;
use crate::scan::{self, digest};

/// The most recordings of one kind of one run.
const MOST_OF_RUN: usize = 500;
/// The most bytes of a recording that is played.
pub const MOST_BYTES: u64 = 256 << 20;
/// What is read first to learn what a recording is about; more if that is not enough.
const FIRST: u64 = 32 << 10;
/// The most bytes of that.
const MOST_ABOUT: u64 = (1 << 20) + 64;

/// Where a match comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A training played it.
    Training,
    /// An evaluation beside a training.
    Evaluation,
    /// Two players of a league.
    League,
    /// A file that was named.
    File,
}

/// A recording, as the list has it.
#[derive(Clone, Debug)]
pub struct Kept {
    /// How requests name it.
    pub id: String,
    /// Where it is.
    pub path: PathBuf,
    /// The run it is of, by id.
    pub run: Option<String>,
    /// Where it comes from.
    pub source: Source,
    /// Steps of the training at that time, if there was one.
    pub steps: Option<u64>,
    /// When it was written, in seconds since 1970.
    pub when: f64,
    /// Everything but its actions.
    pub about: About,
}

/// Length and time of a file: another one means that it has changed.
type Stamp = (u64, Option<SystemTime>);
/// What was read, by path; `None` for a file that is no recording.
type KnownFiles = BTreeMap<PathBuf, (Stamp, Option<Arc<Kept>>)>;

/// All recordings.
#[derive(Default)]
pub struct Recordings {
    /// Files that were named, and those of directories that were.
    given: Vec<PathBuf>,
    known: Mutex<KnownFiles>,
}

impl Recordings {
    /// The recordings of runs, and these files or directories of files.
    pub fn new(places: &[PathBuf]) -> Self {
        Self { given: places.to_vec(), known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, KnownFiles> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The recordings of a run, newest first.
    pub fn of_run(&self, run: &Run) -> Vec<Arc<Kept>> {
        let id = Some(run.found.id.as_str());
        let mut all = Vec::new();
        for (directory, source) in [
            (run.files.recordings(), Source::Training),
            (run.files.evaluations(), Source::Evaluation),
            (run.files.crossplay_recordings(), Source::League),
        ] {
            let files = scan::recordings(&directory, MOST_OF_RUN);
            all.extend(files.iter().filter_map(|path| self.look(path, id, source)));
        }
        all.sort_by(|a, b| b.steps.cmp(&a.steps).then(b.when.total_cmp(&a.when)));
        all
    }

    /// The recordings that were named, newest first.
    pub fn given(&self) -> Vec<Arc<Kept>> {
        let mut all = Vec::new();
        for place in &self.given {
            let is_file = place.is_file();
            let files =
                if is_file { vec![place.clone()] } else { scan::recordings(place, MOST_OF_RUN) };
            all.extend(files.iter().filter_map(|path| self.look(path, None, Source::File)));
        }
        all.sort_by(|a, b| b.when.total_cmp(&a.when));
        all
    }

    /// One by its id, if it has been listed.
    pub fn get(&self, id: &str) -> Option<Arc<Kept>> {
        self.known()
            .values()
            .filter_map(|(_, kept)| kept.as_ref())
            .find(|kept| kept.id == id)
            .cloned()
    }

    /// The recording in a file, if there is one. What was read before is not read again.
    pub fn look(&self, path: &Path, run: Option<&str>, source: Source) -> Option<Arc<Kept>> {
        if path.extension().is_none_or(|ending| ending != recorder::ENDING) {
            return None;
        }
        let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        let Some(metadata) = metadata else {
            self.known().remove(path);
            return None;
        };
        let stamp = (metadata.len(), metadata.modified().ok());
        if let Some((then, kept)) = self.known().get(path)
            && *then == stamp
        {
            return kept.clone();
        }
        let since = stamp.1.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let kept = about(path).map(|about| {
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let steps = stem.and_then(|stem| stem.split('-').next()?.parse().ok());
            Arc::new(Kept {
                id: id(path),
                path: path.to_owned(),
                run: run.map(str::to_owned),
                source,
                steps: steps.filter(|_| matches!(source, Source::Training | Source::Evaluation)),
                when: since.map_or(0.0, |since| since.as_secs_f64()),
                about,
            })
        });
        self.known().insert(path.to_owned(), (stamp, kept.clone()));
        kept
    }
}

/// The id of the recording in a file.
pub fn id(path: &Path) -> String {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    format!("{:016x}", digest(&whole))
}

/// What a recording is about, from the beginning of its file.
fn about(path: &Path) -> Option<About> {
    let mut file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.by_ref().take(FIRST).read_to_end(&mut bytes).ok()?;
    if let Ok((about, _)) = Recording::about(&bytes) {
        return Some(about);
    }
    file.take(MOST_ABOUT).read_to_end(&mut bytes).ok()?;
    Recording::about(&bytes).ok().map(|(about, _)| about)
}
