//! One run, as the table of runs knows it.
//!
//! A line of the table is always in memory; the metrics behind it only as long as there is room. They are read
//! again when somebody asks for them or when the run goes on.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use lanista_league::difference;
use lanista_train::checkpoint::cloning::rounds_over;
use lanista_train::failure::Failure;
use lanista_train::files::RunFiles;
use lanista_train::league::LeagueState;
use lanista_train::original::Original;
use serde::Serialize;
use serde_json::Value;

use crate::columns::Axis;
use crate::configuration::{Configuration, MOST_BYTES, Preset, Presets};
use crate::groups;
use crate::life::{Life, Locks, life};
use crate::metrics::RunMetrics;
use crate::misled::misled;
use crate::scan::Found;
use crate::series::{Asked, series};
use crate::tail::Seen;
use crate::weights::Weights;

/// Points of a sparkline.
const SPARK: usize = 64;
/// The most bytes of a pool's file.
const MOST_POOL: u64 = 64 << 20;

/// A line of the table of runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How requests name it.
    pub id: String,
    /// How people call it.
    pub name: String,
    /// Runs that differ in nothing but their seed have one group.
    pub group: String,
    /// The preset it was begun with, if that is known.
    pub preset: Option<String>,
    /// What is played.
    pub game: String,
    /// How it stands.
    pub state: Life,
    /// Everything random follows from this.
    pub seed: u64,
    /// Steps so far.
    pub steps: u64,
    /// Steps at its end.
    pub total_steps: u64,
    /// Seconds of training so far.
    pub seconds: f64,
    /// How long it will still take, if it is being trained.
    pub seconds_left: Option<f64>,
    /// Steps a second, lately.
    pub steps_per_second: Option<f64>,
    /// The mean return of its matches.
    #[serde(rename = "return")]
    pub returned: Returned,
    /// The return over the run, in few numbers.
    pub spark: Vec<f32>,
    /// Its rating, if it is rated.
    pub elo: Option<Rated>,
    /// The stage of the curriculum.
    pub stage: Option<String>,
    /// How it failed, if nobody has trained it since.
    pub failure: Option<Failure>,
    /// What is wrong.
    pub warnings: Vec<String>,
    /// Keys in which it differs from its preset.
    pub changed: BTreeMap<String, Value>,
    /// When it moved last, in seconds since 1970.
    pub updated: f64,
}

/// The mean return of matches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Returned {
    /// Latest.
    pub last: Option<f64>,
    /// Best.
    pub best: Option<f64>,
}

/// A rating with where it lies, with 95 %, by the latest matches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Rated {
    /// The rating.
    pub value: f64,
    /// The lower end; none if the matches do not bound it.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// One run.
pub struct Run {
    /// Its id, name and place.
    pub found: Found,
    /// What its files are called.
    pub files: RunFiles,
    known: Mutex<Known>,
}

/// What is known of a run.
pub struct Known {
    metrics: Option<RunMetrics>,
    /// How often its metrics were read from the beginning.
    generation: u64,
    /// Configuration, metrics, pool, failure and preset as they were when they were read last.
    stamps: [Option<Stamp>; 5],
    /// What it trains with.
    pub config: Configuration,
    /// Rounds of cloning that are over, if it clones.
    rounds_cloned: Option<u64>,
    /// What reward terms weigh in it.
    pub weights: Option<Arc<Weights>>,
    /// The preset it was begun with, if it has written that down.
    preset: Option<Arc<Preset>>,
    /// How its last training failed.
    failure: Option<Failure>,
    /// By how much the latest matches say that it may be worse and better than its rating.
    margin: Option<(f64, f64)>,
    /// How long an iteration took lately, in seconds.
    iteration: Option<f64>,
    /// Its line of the table.
    pub summary: Option<Summary>,
    /// When its line changed last.
    pub version: u64,
    /// When somebody asked for its metrics last.
    used: Option<Instant>,
}

/// Length and time of a file: another one means that it has changed.
type Stamp = (u64, Option<SystemTime>);

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((metadata.len(), metadata.modified().ok()))
}

impl Run {
    /// A run that was found.
    pub fn new(found: Found) -> Self {
        let files = RunFiles::of(found.path.clone());
        let known = Known {
            metrics: None,
            generation: 0,
            stamps: [None; 5],
            config: Configuration::default(),
            rounds_cloned: None,
            weights: None,
            preset: None,
            failure: None,
            margin: None,
            iteration: None,
            summary: None,
            version: 0,
            used: None,
        };
        Self { found, files, known: Mutex::new(known) }
    }

    /// What is known of it.
    pub fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Where its metrics are.
    pub fn metrics_file(&self) -> PathBuf {
        self.files.metrics()
    }

    /// Looks at its files. True if its line of the table has changed.
    pub fn look(&self, locks: &Locks, presets: &Presets) -> bool {
        let mut known = self.known();
        let config = stamp(&self.files.config());
        if config != known.stamps[0] {
            let text = read_text(&self.files.config(), MOST_BYTES).unwrap_or_default();
            known.config = Configuration::read(text);
            // Its configuration is written anew after every checkpoint.
            known.rounds_cloned = rounds_over(&self.files.checkpoints());
            known.weights = Weights::of(&known.config, &presets.games).map(Arc::new);
            known.stamps[0] = config;
        }
        let metrics = stamp(&self.files.metrics());
        if metrics != known.stamps[1] {
            // A part at a time: whoever asks for the run meanwhile gets what there is.
            loop {
                let seen = known.follow(&self.files.metrics());
                let more = matches!(seen, Ok(Seen::Grown | Seen::Anew)) && known.is_behind(metrics);
                if !more {
                    break;
                }
                drop(known);
                known = self.known();
            }
            known.stamps[1] = metrics;
        }
        let pool = stamp(&self.files.pool());
        if pool != known.stamps[2] {
            known.margin = margin(&self.files.pool());
            known.stamps[2] = pool;
        }
        let failure = stamp(&self.files.failure());
        if failure != known.stamps[3] {
            known.failure = Failure::read(&self.files.failure());
            known.stamps[3] = failure;
        }
        let original = stamp(&self.files.original());
        if original != known.stamps[4] {
            let read = Original::read(&self.files.original());
            known.preset = read.map(|original| Arc::new(Preset::of(original)));
            known.stamps[4] = original;
        }
        let held = locks.holds(&self.found.path.join("lock"));
        if let Some(metrics) = &known.metrics {
            known.iteration = pace(metrics).1;
        }
        let summary = known.summarise(&self.found, &self.files, held, presets);
        let changed = known.summary.as_ref() != Some(&summary);
        known.summary = Some(summary);
        changed
    }

    /// Hands its metrics over, and reads them first if they are not in memory.
    pub fn with_metrics<T>(&self, ask: impl FnOnce(&RunMetrics) -> T) -> T {
        let mut known = self.known();
        known.used = Some(Instant::now());
        if known.metrics.is_none() {
            let path = self.files.metrics();
            while let Ok(Seen::Grown | Seen::Anew) = known.follow(&path) {}
        }
        let empty = RunMetrics::default();
        ask(known.metrics.as_ref().unwrap_or(&empty))
    }
}

impl Known {
    fn follow(&mut self, path: &Path) -> std::io::Result<Seen> {
        if self.metrics.is_none() {
            self.generation += 1;
        }
        let generation = self.generation;
        let metrics = self.metrics.get_or_insert_with(|| RunMetrics::of_generation(generation));
        let seen = metrics.follow(path);
        self.generation = metrics.generation();
        seen
    }

    fn is_behind(&self, file: Option<Stamp>) -> bool {
        let read = self.metrics.as_ref().map_or(0, RunMetrics::read_bytes);
        file.is_some_and(|(length, _)| read < length)
    }

    /// Bytes of its metrics in memory.
    pub fn bytes(&self) -> usize {
        self.metrics.as_ref().map_or(0, RunMetrics::bytes)
    }

    /// Forgets its metrics, until somebody asks for them.
    pub fn let_go(&mut self) {
        self.metrics = None;
    }

    /// What it would cost to forget its metrics: the higher, the more. Runs that are trained will be asked for
    /// in a moment; of the others those go first that are quickest to read again.
    pub fn worth(&self) -> (bool, u64, Option<Instant>) {
        let trained = self.summary.as_ref().is_some_and(|s| s.state <= Life::Paused);
        let read = self.metrics.as_ref().map_or(0, RunMetrics::read_bytes);
        // In steps of eight times: within one, whoever was asked for last stays.
        (trained, u64::from(read.max(1).ilog2() / 3), self.used)
    }

    /// Is everything cloned that is to be? `None` if nothing is.
    fn cloned(&self) -> Option<bool> {
        let clones = self.metrics.as_ref().is_some_and(|m| m.metric("epoch").is_some());
        if !clones && self.rounds_cloned.is_none() {
            return None;
        }
        let rounds = self.config.number("clone.rounds");
        let rounds = rounds.filter(|_| self.config.get("clone.expert").is_some());
        Some(self.rounds_cloned.unwrap_or(0) as f64 >= rounds.unwrap_or(1.0).max(1.0))
    }

    fn summarise(
        &self,
        found: &Found,
        files: &RunFiles,
        held: Option<bool>,
        presets: &Presets,
    ) -> Summary {
        let before = self.summary.as_ref();
        let config = &self.config;
        let preset = self.preset.clone().or_else(|| presets.of_run(&found.name));
        let mut summary = match (&self.metrics, before) {
            // Its metrics were let go and have not changed since.
            (None, Some(before)) => before.clone(),
            (metrics, _) => numbers(metrics.as_ref(), files, self.weights.as_deref()),
        };
        let cloned = self.cloned();
        let total = match cloned {
            // Whoever stops early has come to its end, too.
            Some(true) => summary.steps as f64,
            // The configuration says when PPO would stop.
            Some(false) => summary.total_steps as f64,
            None => config.number("stop.steps").unwrap_or(0.0),
        };
        let reached = |key: &str, now: Option<f64>| {
            config.number(key).is_some_and(|wanted| now.is_some_and(|now| now >= wanted))
        };
        let best = self.metrics.as_ref().and_then(|m| m.column("evaluation/return_mean")?.best);
        let at_steps = cloned.unwrap_or(total > 0.0 && summary.steps as f64 >= total);
        let at_end = at_steps
            || reached("stop.seconds", Some(summary.seconds))
            || reached("stop.return", best.map(|(_, value)| value));
        let written = self.stamps[1].and_then(|(_, at)| at);
        summary.state = life(held, written, self.iteration, at_end, self.failure.is_some());
        summary.failure = self.failure.clone().filter(|_| summary.state == Life::Failed);
        summary.id = found.id.clone();
        summary.name = found.name.clone();
        summary.preset = preset.as_ref().map(|preset| preset.name.clone());
        summary.game = config.word("game").unwrap_or_default().to_owned();
        summary.seed = config.number("run.seed").unwrap_or(0.0) as u64;
        summary.total_steps = total as u64;
        summary.changed = preset.map_or(BTreeMap::new(), |preset| preset.changed(config));
        let base = groups::base(&found.name, summary.preset.as_deref());
        let wanted = groups::wanted(&base, &summary.changed);
        summary.group = presets.groups.name(config.experiment, &wanted, &found.name);
        let left = (total - summary.steps as f64).max(0.0);
        let speed = summary.steps_per_second.filter(|speed| *speed > 0.0);
        let left = speed.map(|speed| left / speed);
        let time = config.number("stop.seconds").map(|stop| (stop - summary.seconds).max(0.0));
        let left = left.map(|left| time.map_or(left, |time| time.min(left)));
        summary.seconds_left = left.filter(|_| summary.state <= Life::Paused);
        let at = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        summary.updated = at.map_or(0.0, |at| at.as_secs_f64());
        if let (Some(elo), Some((below, above))) = (&mut summary.elo, self.margin) {
            elo.low = Some(elo.value - below).filter(|low| low.is_finite());
            elo.high = Some(elo.value + above).filter(|high| high.is_finite());
        }
        summary
    }
}

/// What the metrics say.
fn numbers(metrics: Option<&RunMetrics>, files: &RunFiles, weights: Option<&Weights>) -> Summary {
    let last = |name: &str| metrics.and_then(|m| m.last(name));
    let column = metrics.and_then(|m| m.column("return_mean"));
    let mut warnings = Vec::new();
    if let Some(dropped) = last("dropped_updates").filter(|dropped| *dropped > 0.0) {
        warnings.push(format!(
            "{dropped:.0} updates were dropped because a number was not finite; lower ppo.learning_rate"
        ));
    }
    if let Some(lines) = metrics.map(RunMetrics::unreadable).filter(|lines| *lines > 0) {
        warnings.push(format!("{lines} lines of metrics.jsonl cannot be read and are passed over"));
    }
    warnings.extend(metrics.zip(weights).and_then(|(metrics, weights)| misled(metrics, weights)));
    let asked =
        Asked { axis: Axis::Steps, from: None, to: None, points: SPARK, smooth: None, after: 0 };
    let spark = metrics.map(|m| series(m, &files.metrics(), "return_mean", &asked).mean);
    let place = metrics.map_or([0.0; 3], |m| m.columns().place());
    Summary {
        id: String::new(),
        name: String::new(),
        group: String::new(),
        preset: None,
        game: String::new(),
        state: Life::Stopped,
        seed: 0,
        steps: place[0] as u64,
        total_steps: last("total_steps").unwrap_or(0.0) as u64,
        seconds: place[1],
        seconds_left: None,
        steps_per_second: metrics.and_then(|m| pace(m).0),
        returned: Returned {
            last: column.and_then(|c| c.last),
            best: column.and_then(|c| c.best).map(|(_, value)| value),
        },
        spark: spark.unwrap_or_default().into_iter().map(|v| v as f32).collect(),
        elo: last("elo").map(|value| Rated { value, low: None, high: None }),
        stage: metrics.and_then(|m| m.stage()).map(str::to_owned),
        failure: None,
        warnings,
        changed: BTreeMap::new(),
        updated: 0.0,
    }
}

/// Steps a second over the last tenth of a run, and how long an iteration took.
fn pace(metrics: &RunMetrics) -> (Option<f64>, Option<f64>) {
    let columns = metrics.columns();
    let stretches = columns.stretches();
    let Some(end) = stretches.last() else { return (None, None) };
    let back = (stretches.len() / 10).clamp(1, 200);
    let Some(begin) = stretches.len().checked_sub(1 + back).map(|at| &stretches[at]) else {
        return (metrics.last("time/steps_per_second"), None);
    };
    let (steps, seconds) = (end.last[0] - begin.last[0], end.last[1] - begin.last[1]);
    let rows = back as f64 * columns.stride() as f64;
    // A run that was moved back in time has no pace.
    let speed = (seconds > 0.0 && steps >= 0.0).then(|| steps / seconds);
    (speed.or(metrics.last("time/steps_per_second")), Some(seconds / rows))
}

/// How far the truth may lie below and above the rating, by the latest matches of the league.
fn margin(pool: &Path) -> Option<(f64, f64)> {
    let state: LeagueState = serde_json::from_str(&read_text(pool, MOST_POOL)?).ok()?;
    let mut counts = [0u64; 3];
    for game in &state.latest {
        counts[game.result as usize] += 1;
    }
    let [won, drawn, lost] = counts;
    let interval = difference(won, drawn, lost);
    Some((interval.elo - interval.low, interval.high - interval.elo))
}

/// A text, if it is one and not longer than it may be.
pub fn read_text(path: &Path, most: u64) -> Option<String> {
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    if file.metadata().ok()?.len() > most {
        return None;
    }
    file.take(most).read_to_string(&mut text).ok()?;
    Some(text)
}
