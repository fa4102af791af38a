//! What a run says about itself, and where it goes.

mod lines;
mod results;

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use lanista_league::Transition;
use lanista_learn::Losses;

use crate::challenge::Challenge;
use crate::disk::{DiskError, on};
use crate::evaluate::{Report, RoleReport};
use crate::files::EVENTS;
use crate::journal::Seal;
use crate::results::Row;
use crate::tensorboard::EventWriter;
use crate::time::Time;

pub use lines::JsonLines;
pub use results::ResultsCsv;

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
    pub terms: Vec<(String, f64, f64)>,
    /// Mean of each stat, likewise.
    pub stats: Vec<(String, f64)>,
    /// Share of matches won against each opponent, likewise.
    pub opponents: Vec<(String, f64)>,
    /// The learner's rating, where teams compete.
    pub elo: Option<f64>,
    /// The same by side, for games whose sides differ.
    pub side_elos: Vec<(String, f64)>,
    /// What was shown by role, for games that have several.
    pub roles: Vec<RoleIteration>,
    /// Matches that an engine lost in this iteration.
    pub lost_matches: u64,
    /// Snapshots in the pool.
    pub pool: usize,
    /// The rated matches of a period that ended with this iteration, by opponent.
    pub results: Vec<Row>,
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

/// What an iteration showed of one of several roles.
#[derive(Clone, Debug)]
pub struct RoleIteration {
    /// The role.
    pub name: String,
    /// What its update reported.
    pub losses: Losses,
    /// The matches that ended in this iteration and in which it was played.
    pub report: Option<RoleReport>,
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
    /// Something is wrong that the user should know.
    Remark(&'a str),
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

    /// The file it appends to, by its name in the run's directory, and what that holds now: a run that
    /// resumes cuts off what came later.
    fn seal(&self) -> Option<(&'static str, Seal)> {
        None
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
        let path = directory.join(EVENTS);
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
                for (side, elo) in &i.side_elos {
                    tag(&format!("league/elo_{side}"), *elo);
                }
                if i.lost_matches > 0 {
                    tag("charts/lost_matches", i.lost_matches as f64);
                }
                for role in &i.roles {
                    let (l, name) = (&role.losses, &role.name);
                    tag(&format!("roles/{name}/policy_loss"), l.policy_loss);
                    tag(&format!("roles/{name}/value_loss"), l.value_loss);
                    tag(&format!("roles/{name}/entropy"), l.entropy);
                    tag(&format!("roles/{name}/approx_kl"), l.approx_kl);
                    if let Some(report) = &role.report {
                        tag(&format!("roles/{name}/return"), report.return_mean);
                    }
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
            Record::Remark(_) => return Ok(()),
        };
        let scalars = tags.iter().map(|(name, value)| (name.as_str(), *value as f32));
        on("write", &self.path, self.writer.scalars(steps as i64, now, scalars))
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        on("write", &self.path, self.writer.flush())
    }
}
