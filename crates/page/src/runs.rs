//! All runs, and the thread that follows them.
//!
//! Whoever asks gets a cursor, and with it next time only what has changed since. A cursor holds the number of
//! the last change and a number of this process: one of another process means nothing and gives everything.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock, RwLockReadGuard, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::configuration::Presets;
use crate::life::Locks;
use crate::run::{Run, Summary};
use crate::scan;

/// How often runs are looked at.
const TURN: Duration = Duration::from_millis(700);
/// How often new ones are sought.
const SCAN: Duration = Duration::from_secs(2);
/// Bytes of metrics in memory over all runs.
const BUDGET: usize = 160 << 20;
/// So many runs that are gone are remembered, for those who ask what has changed.
const MOST_GONE: usize = 1000;

/// All runs.
pub struct Runs {
    places: Vec<PathBuf>,
    presets: Presets,
    /// Tells this process from another.
    nonce: u32,
    changes: AtomicU64,
    table: RwLock<BTreeMap<String, Arc<Run>>>,
    /// When a run went, and which.
    gone: Mutex<Vec<(u64, String)>>,
    scanned: Mutex<Option<Instant>>,
    /// Bytes of metrics that may stay in memory.
    budget: usize,
}

/// What has changed.
#[derive(Debug)]
pub struct Changes {
    /// For the next question.
    pub cursor: String,
    /// Is it everything there is?
    pub whole: bool,
    /// Lines of the table.
    pub runs: Vec<Summary>,
    /// Runs that are gone.
    pub gone: Vec<String>,
}

impl Runs {
    /// The runs at and below these places.
    pub fn new(places: Vec<PathBuf>, presets: Presets) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            places,
            presets,
            nonce: now.subsec_nanos() ^ (now.as_secs() as u32),
            changes: AtomicU64::new(1),
            table: RwLock::default(),
            gone: Mutex::default(),
            scanned: Mutex::default(),
            budget: BUDGET,
        }
    }

    /// The same with another budget of memory, in bytes.
    pub fn with_budget(self, budget: usize) -> Self {
        Self { budget, ..self }
    }

    /// What runs come from.
    pub fn presets(&self) -> &Presets {
        &self.presets
    }

    fn table(&self) -> RwLockReadGuard<'_, BTreeMap<String, Arc<Run>>> {
        self.table.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A run by its id.
    pub fn get(&self, id: &str) -> Option<Arc<Run>> {
        self.table().get(id).cloned()
    }

    /// All of them, by id.
    pub fn all(&self) -> Vec<Arc<Run>> {
        self.table().values().cloned().collect()
    }

    /// Seeks runs and looks at every one of them.
    pub fn look(&self) {
        self.look_until(&AtomicBool::new(false));
    }

    fn look_until(&self, stop: &AtomicBool) {
        self.seek();
        let locks = Locks::read();
        for run in self.all() {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            if run.look(&locks, &self.presets) {
                run.known().version = self.changes.fetch_add(1, Ordering::Relaxed) + 1;
                self.make_room();
            }
        }
    }

    fn seek(&self) {
        let mut scanned = self.scanned.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if scanned.is_some_and(|at| at.elapsed() < SCAN) {
            return;
        }
        *scanned = Some(Instant::now());
        let found = scan::runs(&self.places);
        let mut table = self.table.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = table.len();
        let mut gone = self.gone.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        table.retain(|id, _| {
            let stays = found.contains_key(id);
            if !stays {
                let change = self.changes.fetch_add(1, Ordering::Relaxed) + 1;
                gone.push((change, id.clone()));
            }
            stays
        });
        if table.len() < before && gone.len() > MOST_GONE {
            let surplus = gone.len() - MOST_GONE;
            gone.drain(..surplus);
        }
        for (id, found) in found {
            table.entry(id).or_insert_with(|| Arc::new(Run::new(found)));
        }
    }

    /// Lets metrics go until what is left fits.
    pub fn make_room(&self) {
        let all = self.all();
        let mut bytes: usize = all.iter().map(|run| run.known().bytes()).sum();
        if bytes <= self.budget {
            return;
        }
        let mut loaded: Vec<_> = all.iter().filter(|run| run.known().bytes() > 0).collect();
        loaded.sort_by_cached_key(|run| run.known().worth());
        for run in loaded {
            if bytes <= self.budget {
                return;
            }
            let mut known = run.known();
            bytes -= known.bytes();
            known.let_go();
        }
    }

    /// What has changed since a cursor; everything without one.
    pub fn since(&self, cursor: Option<&str>) -> Changes {
        let own = format!("{:x}", self.nonce);
        let since = cursor.and_then(|cursor| {
            let (nonce, change) = cursor.split_once('.')?;
            change.parse::<u64>().ok().filter(|_| nonce == own)
        });
        // Before the lines are read: what changes meanwhile is told again next time.
        let now = self.changes.load(Ordering::Relaxed);
        let after = since.unwrap_or(0);
        let newer = |run: &Arc<Run>| {
            let known = run.known();
            known.summary.clone().filter(|_| known.version > after)
        };
        let runs = self.all().iter().filter_map(newer).collect();
        let gone = match since {
            None => Vec::new(),
            Some(since) => {
                let gone = self.gone.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                gone.iter().filter(|(at, _)| *at > since).map(|(_, id)| id.clone()).collect()
            }
        };
        Changes { cursor: format!("{own}.{now}"), whole: since.is_none(), runs, gone }
    }

    /// Follows all runs on a thread of its own, until it is dropped.
    pub fn follow(self: &Arc<Self>) -> std::io::Result<Following> {
        let (runs, stop) = (self.clone(), Arc::new(AtomicBool::new(false)));
        let (wake, woken) = mpsc::channel();
        let stopped = stop.clone();
        let work = move || {
            while !stopped.load(Ordering::Relaxed) {
                runs.look_until(&stopped);
                if let Err(mpsc::RecvTimeoutError::Disconnected) = woken.recv_timeout(TURN) {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("runs".into()).spawn(work)?;
        Ok(Following { stop, wake: Some(wake), thread: Some(thread) })
    }
}

/// The thread that follows runs; it ends when this is dropped.
pub struct Following {
    stop: Arc<AtomicBool>,
    wake: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Following {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic there has been told on standard error
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::path::Path;

    use lanista_train::files::numbered;

    use super::*;
    use crate::life::Life;

    fn begin(root: &Path, name: &str, lines: usize) {
        let run = root.join(name);
        fs::create_dir_all(&run).unwrap();
        let config = "game: cartpole\nrun: { seed: 7 }\nstop: { steps: 1000 }\n";
        fs::write(run.join("config.yml"), config).unwrap();
        go_on(root, name, 0..lines);
    }

    fn go_on(root: &Path, name: &str, lines: std::ops::Range<usize>) {
        let path = root.join(name).join("metrics.jsonl");
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        for i in lines {
            let (steps, seconds) = (10 * (i + 1), i + 1);
            writeln!(
                file,
                "{{\"episodes\":{i},\"return_mean\":{i}.5,\"steps\":{steps},\"time\":{{\"seconds\":{seconds}}}}}"
            )
            .unwrap();
        }
    }

    fn runs(root: &Path) -> Runs {
        Runs::new(vec![root.to_owned()], Presets::new(&[]))
    }

    #[test]
    fn only_what_has_changed_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        begin(root, "a", 20);
        begin(root, "b-2", 100);
        let runs = runs(root);
        runs.look();
        let first = runs.since(None);
        assert!(first.whole && first.runs.len() == 2);
        let b = first.runs.iter().find(|run| run.name == "b-2").unwrap();
        assert_eq!((b.steps, b.total_steps, b.seed), (1000, 1000, 7));
        assert_eq!(b.game, "cartpole");
        assert_eq!(b.returned.last, Some(99.5));
        assert_eq!(b.steps_per_second, Some(10.0));
        assert!(b.spark.len() <= 64);
        let second = runs.since(Some(&first.cursor));
        assert!(!second.whole && second.runs.is_empty() && second.gone.is_empty());
        go_on(root, "a", 20..25);
        runs.look();
        let third = runs.since(Some(&second.cursor));
        assert_eq!(
            third.runs.iter().map(|r| (&r.name[..], r.steps)).collect::<Vec<_>>(),
            [("a", 250)]
        );
        fs::remove_dir_all(root.join("a")).unwrap();
        *runs.scanned.lock().unwrap() = None;
        runs.look();
        let fourth = runs.since(Some(&third.cursor));
        assert_eq!((fourth.runs.len(), fourth.gone.len()), (0, 1));
        for stranger in ["", "x", "0.5", "ffffffffff.1"] {
            assert!(runs.since(Some(stranger)).whole, "{stranger}");
        }
    }

    #[test]
    fn seeds_are_together_and_learning_rates_are_not() {
        const PRESETS: &[(&str, &str)] =
            &[("classic/pole", "game: cartpole\nppo: { learning_rate: 0.1 }\n")];
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        for number in 1..=6 {
            let (seed, rate) = (number % 3, if number < 4 { 0.1 } else { 0.2 });
            let name = numbered(root, "classic-pole", number);
            fs::create_dir_all(&name).unwrap();
            let config = format!(
                "game: cartpole\nppo: {{ learning_rate: {rate} }}\nrun: {{ seed: {seed} }}\n"
            );
            fs::write(name.join("config.yml"), config).unwrap();
        }
        // Whatever it is called, and whatever preset it comes from.
        fs::rename(root.join("classic-pole-6"), root.join("renamed")).unwrap();
        let note = "{\"preset\": \"classic/pole\", \"config\": {\"game\": \"cartpole\", \"ppo\": {\"learning_rate\": 0.1}}}";
        fs::write(root.join("renamed/preset.json"), note).unwrap();
        let runs = Runs::new(vec![root.to_owned()], Presets::new(PRESETS));
        runs.look();
        let all = runs.since(None).runs;
        let in_group = |group: &str| all.iter().filter(|run| run.group == group).count();
        assert_eq!(in_group("classic/pole"), 3, "{all:?}");
        assert_eq!(in_group("classic/pole, ppo.learning_rate=0.2"), 3, "{all:?}");
        let renamed = all.iter().find(|run| run.name == "renamed").unwrap();
        assert_eq!(renamed.preset.as_deref(), Some("classic/pole"));
        assert!(renamed.changed.contains_key("ppo.learning_rate"));
    }

    #[test]
    fn metrics_are_let_go_and_read_again() {
        let directory = tempfile::tempdir().unwrap();
        for i in 0..5 {
            begin(directory.path(), &format!("r{i}"), 50);
        }
        let runs = runs(directory.path()).with_budget(1);
        runs.look();
        assert!(runs.all().iter().all(|run| run.known().bytes() == 0));
        let all = runs.since(None).runs;
        assert!(all.iter().all(|run| run.returned.last == Some(49.5)));
        let run = runs.all().remove(0);
        assert_eq!(run.with_metrics(|m| m.columns().rows()), 50);
        assert!(run.known().bytes() > 0);
        go_on(directory.path(), "r1", 50..60);
        runs.look();
        let r1 = runs.since(None).runs.into_iter().find(|run| run.name == "r1").unwrap();
        assert_eq!((r1.steps, r1.returned.best), (600, Some(59.5)));
    }

    #[test]
    fn a_run_that_is_held_runs() {
        let directory = tempfile::tempdir().unwrap();
        begin(directory.path(), "a", 5);
        let lock = fs::File::create(directory.path().join("a/lock")).unwrap();
        let runs = runs(directory.path());
        let state = || {
            runs.look();
            runs.since(None).runs[0].state
        };
        lock.try_lock().unwrap();
        assert_eq!(state(), Life::Running);
        if std::path::Path::new("/proc/locks").exists() {
            lock.unlock().unwrap();
            assert_eq!(state(), Life::Stopped);
        }
    }

    #[test]
    fn a_thread_follows_and_ends() {
        let directory = tempfile::tempdir().unwrap();
        begin(directory.path(), "a", 5);
        let runs = Arc::new(runs(directory.path()));
        let following = runs.follow().unwrap();
        for _ in 0..2000 {
            if !runs.since(None).runs.is_empty() {
                drop(following);
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("nothing was found");
    }
}
