//! What a run says about itself, and where it goes.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use lanista_league::{MatchResult, Transition};
use lanista_learn::Losses;
use serde::Serialize;
use serde_json::{Value, json};

use crate::disk::{DiskError, on, replace};
use crate::evaluate::Report;
use crate::exploiter::Challenge;
use crate::league::RatedGame;
use crate::tensorboard::EventWriter;

/// What one iteration showed.
#[derive(Clone, Debug, Default)]
pub struct Iteration {
    /// Counted from 1.
    pub iteration: u64,
    /// Steps of the learner so far.
    pub steps: u64,
    /// Matches finished so far.
    pub episodes: u64,
    /// Mean return of the latest finished matches.
    pub return_mean: Option<f64>,
    /// Their mean length.
    pub length_mean: Option<f64>,
    /// What the update reported.
    pub losses: Losses,
    /// Name, weight and mean sum per match of each reward term, over the matches that ended in this
    /// iteration.
    pub terms: Vec<(&'static str, f64, f64)>,
    /// Mean of each stat, likewise.
    pub stats: Vec<(&'static str, f64)>,
    /// Share of matches won against each opponent, likewise.
    pub opponents: Vec<(String, f64)>,
    /// The learner's rating, where teams compete.
    pub elo: Option<f64>,
    /// Snapshots in the pool.
    pub pool: usize,
    /// Matches that were rated in this iteration.
    pub rated: Vec<RatedGame>,
    /// Remarks for the user: something is wrong.
    pub remarks: Vec<String>,
    /// Notes for the user: something has happened.
    pub notes: Vec<String>,
    /// The exploiters.
    pub exploiters: Vec<Challenge>,
    /// The stage of the curriculum that it belongs to.
    pub stage: Option<String>,
    /// The next stage that it led to.
    pub transition: Option<Transition>,
    /// Updates dropped so far because they were not finite.
    pub dropped_updates: u64,
    /// Steps of the newest checkpoint.
    pub checkpoint: Option<u64>,
    /// What depends on the machine.
    pub time: Time,
}

/// What depends on the machine, and so never repeats exactly.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Time {
    /// Seconds spent training, over all sittings.
    pub seconds: f64,
    /// Steps of this iteration over its seconds.
    pub steps_per_second: f64,
    /// Seconds of this iteration spent playing.
    pub rollout_seconds: f64,
    /// Seconds of this iteration spent learning.
    pub update_seconds: f64,
}

/// Something a run says.
pub enum Record<'a> {
    /// An iteration is done.
    Iteration(&'a Iteration),
    /// An evaluation is done.
    Evaluation {
        /// After so many iterations.
        iteration: u64,
        /// And so many steps.
        steps: u64,
        /// What it found.
        report: &'a Report,
    },
}

/// Where records go.
pub trait Sink {
    /// Takes a record.
    fn record(&mut self, record: &Record) -> Result<(), DiskError>;

    /// Makes sure that what was taken is safe.
    fn flush(&mut self) -> Result<(), DiskError> {
        Ok(())
    }

    /// Hears that the run was saved because somebody asked for it.
    fn saved(&mut self, _steps: u64) {}
}

/// `metrics.jsonl`: one JSON object a line. Everything but `time` repeats bit for bit.
pub struct JsonLines {
    path: PathBuf,
    file: BufWriter<File>,
}

impl JsonLines {
    /// Opens the file to go on after iteration `after`: later lines, left by a run that was killed
    /// after its last checkpoint, are dropped, and so is a line that was cut short.
    pub fn open(path: &Path, after: u64) -> Result<Self, DiskError> {
        if path.exists() {
            let text = on("read", path, std::fs::read(path))?;
            let text = String::from_utf8_lossy(&text);
            let mut kept = String::new();
            for line in text.lines() {
                let Ok(value) = serde_json::from_str::<Value>(line) else { break };
                if value["iteration"].as_u64().is_none_or(|i| i > after) {
                    break;
                }
                kept.push_str(line);
                kept.push('\n');
            }
            if kept != text {
                replace(path, kept.as_bytes())?;
            }
        }
        let file = on("open", path, OpenOptions::new().create(true).append(true).open(path))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }
}

impl Sink for JsonLines {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        let line = match record {
            Record::Iteration(i) => iteration_json(i),
            Record::Evaluation { iteration, steps, report } => {
                json!({"iteration": iteration, "steps": steps, "evaluation": report})
            }
        };
        let written = writeln!(self.file, "{line}").and_then(|()| self.file.flush());
        on("write", &self.path, written)
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        on("write", &self.path, self.file.flush().and_then(|()| self.file.get_ref().sync_data()))
    }
}

fn iteration_json(i: &Iteration) -> Value {
    let l = &i.losses;
    let map = |pairs: Vec<(&str, f64)>| -> Value {
        pairs
            .into_iter()
            .map(|(k, v)| (k.to_owned(), json!(v)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "iteration": i.iteration,
        "steps": i.steps,
        "episodes": i.episodes,
        "return_mean": i.return_mean,
        "length_mean": i.length_mean,
        "policy_loss": l.policy_loss,
        "value_loss": l.value_loss,
        "entropy": l.entropy,
        "approx_kl": l.approx_kl,
        "clip_fraction": l.clip_fraction,
        "explained_variance": l.explained_variance,
        "grad_norm": l.grad_norm,
        "novelty": l.novelty,
        "learning_rate": l.learning_rate,
        "epochs": l.epochs,
        "samples": l.samples,
        "dropped_updates": i.dropped_updates,
        "terms": map(i.terms.iter().map(|t| (t.0, t.2)).collect()),
        "stats": map(i.stats.to_vec()),
        "opponents": map(i.opponents.iter().map(|o| (o.0.as_str(), o.1)).collect()),
        "elo": i.elo,
        "pool": i.pool,
        "exploiters": i.exploiters,
        "stage": i.stage,
        "transition": i.transition,
        "time": i.time,
    })
}

/// `games.csv`: one line a rated match.
pub struct GamesCsv {
    path: PathBuf,
    file: BufWriter<File>,
}

/// The first line of `games.csv`.
const GAMES_HEADER: &str = "iteration,steps,match,episode,opponent,result,elo,opponent_elo";

impl GamesCsv {
    /// Opens the file to go on after so many matches: what a run that was killed after its last
    /// checkpoint wrote beyond them is dropped.
    pub fn open(path: &Path, matches: u64) -> Result<Self, DiskError> {
        let text = match std::fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return on("read", path, Err(error)),
        };
        let rows = text.lines().skip(1).take(matches as usize);
        let mut kept = format!("{GAMES_HEADER}\n");
        rows.for_each(|row| kept.extend([row, "\n"]));
        if kept != text {
            replace(path, kept.as_bytes())?;
        }
        let file = on("open", path, OpenOptions::new().append(true).open(path))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file) })
    }
}

impl Sink for GamesCsv {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        let Record::Iteration(i) = record else { return Ok(()) };
        let mut write = || -> io::Result<()> {
            for game in &i.rated {
                let result = match game.result {
                    MatchResult::Win => "won",
                    MatchResult::Draw => "drawn",
                    MatchResult::Loss => "lost",
                };
                // Names of models are paths, which may hold anything.
                let opponent = game.opponent.replace('"', "\"\"");
                writeln!(
                    self.file,
                    "{},{},{},{},\"{opponent}\",{result},{},{}",
                    i.iteration,
                    i.steps,
                    game.match_index,
                    game.episode,
                    game.elo,
                    game.opponent_elo,
                )?;
            }
            self.file.flush()
        };
        on("write", &self.path, write())
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        on("write", &self.path, self.file.flush().and_then(|()| self.file.get_ref().sync_data()))
    }
}

/// TensorBoard events, under the tags of CleanRL.
pub struct TensorBoard {
    path: PathBuf,
    writer: EventWriter<BufWriter<File>>,
    clock: fn() -> f64,
}

impl TensorBoard {
    /// Starts a new file beside those of earlier sittings; what they wrote after `steps` is
    /// superseded.
    pub fn open(directory: &Path, steps: u64, clock: fn() -> f64) -> Result<Self, DiskError> {
        let path = directory.join("events.out.tfevents");
        let open = || -> io::Result<_> {
            let mut writer = EventWriter::create(directory, clock(), "lanista")?;
            if steps > 0 {
                writer.session_start(steps as i64 + 1, clock())?;
            }
            Ok(writer)
        };
        let writer = on("write", &path, open())?;
        Ok(Self { path, writer, clock })
    }
}

impl Sink for TensorBoard {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        let now = (self.clock)();
        let mut tags: Vec<(String, f64)> = Vec::new();
        let mut tag = |name: &str, value: f64| tags.push((name.to_owned(), value));
        let steps = match record {
            Record::Iteration(i) => {
                let l = &i.losses;
                tag("charts/SPS", i.time.steps_per_second);
                if let (Some(r), Some(n)) = (i.return_mean, i.length_mean) {
                    tag("charts/episodic_return", r);
                    tag("charts/episodic_length", n);
                }
                tag("charts/learning_rate", l.learning_rate);
                tag("losses/policy_loss", l.policy_loss);
                tag("losses/value_loss", l.value_loss);
                tag("losses/entropy", l.entropy);
                tag("losses/approx_kl", l.approx_kl);
                tag("losses/clipfrac", l.clip_fraction);
                tag("losses/explained_variance", l.explained_variance);
                tag("losses/grad_norm", l.grad_norm);
                if l.novelty != 0.0 {
                    tag("charts/novelty", l.novelty);
                }
                tag("time/rollout_seconds", i.time.rollout_seconds);
                tag("time/update_seconds", i.time.update_seconds);
                i.terms.iter().for_each(|t| tag(&format!("terms/{}", t.0), t.2));
                i.stats.iter().for_each(|s| tag(&format!("stats/{}", s.0), s.1));
                i.opponents.iter().for_each(|o| tag(&format!("won/{}", o.0), o.1));
                i.elo.into_iter().for_each(|elo| tag("league/elo", elo));
                for (number, exploiter) in i.exploiters.iter().enumerate() {
                    let won = exploiter.won.into_iter();
                    won.for_each(|won| tag(&format!("league/exploiter_{number}_won"), won));
                }
                if i.pool > 0 {
                    tag("league/pool", i.pool as f64);
                }
                i.steps
            }
            Record::Evaluation { steps, report, .. } => {
                tag("eval/return", report.return_mean);
                tag("eval/length", report.length_mean);
                if let Some(results) = report.results {
                    tag("eval/won", results.won);
                }
                *steps
            }
        };
        let scalars = tags.iter().map(|(name, value)| (name.as_str(), *value as f32));
        on("write", &self.path, self.writer.scalars(steps as i64, now, scalars))
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        on("write", &self.path, self.writer.flush())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_after_the_checkpoint_are_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("metrics.jsonl");
        let mut sink = JsonLines::open(&path, 0).unwrap();
        for iteration in 1..=5 {
            sink.record(&Record::Iteration(&Iteration { iteration, ..Iteration::default() }))
                .unwrap();
        }
        drop(sink);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"iteration\": 3, \"cut sho");
        std::fs::write(&path, text).unwrap();
        drop(JsonLines::open(&path, 3).unwrap());
        let kept = std::fs::read_to_string(&path).unwrap();
        assert_eq!(kept.lines().count(), 3);
        assert!(kept.ends_with('\n'));
    }
}
