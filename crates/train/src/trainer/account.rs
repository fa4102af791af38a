//! What an iteration showed, as its list of metrics: whoever adds one adds a line here.

use std::collections::BTreeMap;

use lanista_learn::Losses;

use super::Trainer;
use crate::evaluate::summary;
use crate::exploiter::Challenger;
use crate::finished::Finished;
use crate::metrics::{Kind, Metrics};
use crate::player::Player;
use crate::remote::Traffic;
use crate::time::Time;

/// The numbers of a role's update that TensorBoard draws.
const DRAWN_BY_ROLE: [&str; 4] = ["policy_loss", "value_loss", "entropy", "approx_kl"];

/// What came of an iteration.
pub(super) struct Shown<'a> {
    /// The matches that ended.
    pub finished: &'a [Finished],
    /// `[roles][terms]`
    pub weights: &'a [Vec<f32>],
    /// `[roles]`: what the updates reported; `None` for a role that is not learnt.
    pub losses: &'a [Option<Losses>],
    /// Matches that an engine lost.
    pub lost: u64,
    /// How long it took.
    pub time: Time,
    /// What workers elsewhere cost, if there are some.
    pub traffic: Option<Traffic>,
}

impl Trainer {
    /// The list of an iteration that is over.
    pub(super) fn metrics(&self, shown: &Shown) -> Metrics {
        let (p, time, mut m) = (self.progress(), &shown.time, Metrics::default());
        m.add(Kind::Plain, "iteration", p.iteration);
        m.add(Kind::Plain, "steps", p.steps);
        m.add(Kind::Plain, "episodes", p.episodes);
        m.add(Kind::Time, "seconds", time.seconds);
        m.add(Kind::Time, "steps_per_second", time.steps_per_second).tagged("charts/SPS");
        m.add(Kind::Time, "rollout_seconds", time.rollout_seconds).tagged("time/rollout_seconds");
        m.add(Kind::Time, "update_seconds", time.update_seconds).tagged("time/update_seconds");
        if let Some(traffic) = &shown.traffic {
            remote(&mut m, traffic);
        }
        m.add(Kind::Plain, "return_mean", self.recent(|r| r.0)).tagged("charts/episodic_return");
        m.add(Kind::Plain, "length_mean", self.recent(|r| r.1)).tagged("charts/episodic_length");
        // The first role that is learnt stands for the agent where there is room for one.
        let learnt = || shown.losses.iter().flatten();
        let whole = learnt().find(|losses| losses.samples > 0).or(learnt().last());
        losses(&mut m, &whole.copied().unwrap_or_default());
        m.add(Kind::Plain, "dropped_updates", self.agent.dropped_updates());
        m.add(Kind::Plain, "lost_matches", shown.lost).tagged_if_any("charts/lost_matches");
        self.matches(&mut m, shown);
        self.ratings(&mut m);
        if self.spec.roles.len() > 1 {
            self.roles(&mut m, shown);
        }
        m
    }

    /// A mean over the latest matches.
    fn recent(&self, read: fn(&(f64, f64)) -> f64) -> Option<f64> {
        let recent = &self.progress().recent;
        let sum = || recent.iter().map(read).sum::<f64>();
        (!recent.is_empty()).then(|| sum() / recent.len() as f64)
    }

    /// What the matches showed that ended in the iteration.
    fn matches(&self, m: &mut Metrics, shown: &Shown) {
        let Some(first) = shown.finished.first() else { return };
        let report = summary(&self.spec, shown.finished, shown.weights);
        let weights = &shown.weights[first.earned[0].role];
        for ((name, mean), weight) in report.terms.into_iter().zip(weights) {
            m.add(Kind::Term { weight: f64::from(*weight) }, name, mean);
        }
        for (name, mean) in report.stats {
            m.add(Kind::Stat, name, mean);
        }
        let mut met: BTreeMap<String, Vec<Finished>> = BTreeMap::new();
        for match_ in shown.finished.iter().filter(|f| f.opponent != Player::Learner) {
            let Some(league) = &self.league else { break };
            let name = league.rated_name(match_);
            // The pool as a whole: its members come and go.
            let name = match name.strip_prefix("past:") {
                Some(rest) => {
                    format!("past{}", rest.trim_start_matches(|c: char| c.is_ascii_digit()))
                }
                None => name,
            };
            met.entry(name).or_default().push(match_.clone());
        }
        for (name, matches) in met {
            if let Some(results) = summary(&self.spec, &matches, shown.weights).results {
                m.add(Kind::Opponent, name, results.won);
            }
        }
    }

    /// How good the agent is among those that it meets.
    fn ratings(&self, m: &mut Metrics) {
        let league = self.league.as_ref().map(|league| &league.state);
        // Where nobody is met, nobody is rated.
        let rated = league.filter(|_| self.spec.contested());
        m.add(Kind::Plain, "elo", rated.map(|state| state.mean_elo())).tagged("league/elo");
        let pool = league.map_or(0, |state| state.snapshots().len());
        m.add(Kind::Plain, "pool", pool).tagged_if_any("league/pool");
        for (number, won) in self.exploiters.iter().map(Challenger::challenge).enumerate() {
            m.add(Kind::Exploiter, number.to_string(), won.won);
        }
        if let Some(state) = league.filter(|_| self.spec.roles.len() > 1) {
            for side in 0..state.side_count() {
                m.add(Kind::Side, self.spec.side_name(side), state.elo_on(side));
            }
        }
    }

    /// What was shown by role.
    fn roles(&self, m: &mut Metrics, shown: &Shown) {
        let reports = summary(&self.spec, shown.finished, shown.weights).roles;
        for (role, own) in self.spec.roles.iter().zip(shown.losses) {
            let Some(own) = own else { continue };
            let (name, kind) = (&role.name, Kind::Role(role.name.clone()));
            let mut update = Metrics::default();
            losses(&mut update, own);
            for loss in update.iter() {
                let metric = m.add(kind.clone(), loss.name.clone(), loss.value);
                if DRAWN_BY_ROLE.contains(&loss.name.as_str()) {
                    metric.tagged(format!("roles/{name}/{}", loss.name));
                }
            }
            let report = reports.iter().find(|report| report.role == *name);
            let mean = report.map(|report| report.return_mean);
            m.add(kind, "return_mean", mean).tagged(format!("roles/{name}/return"));
        }
    }
}

/// What an update reported.
fn losses(m: &mut Metrics, l: &Losses) {
    m.add(Kind::Update, "policy_loss", l.policy_loss);
    m.add(Kind::Update, "value_loss", l.value_loss);
    m.add(Kind::Update, "entropy", l.entropy);
    m.add(Kind::Update, "approx_kl", l.approx_kl);
    m.add(Kind::Update, "clip_fraction", l.clip_fraction).tagged("losses/clipfrac");
    m.add(Kind::Update, "explained_variance", l.explained_variance);
    m.add(Kind::Update, "learning_rate", l.learning_rate).tagged("charts/learning_rate");
    m.add(Kind::Update, "grad_norm", l.grad_norm);
    m.add(Kind::Plain, "anchor_kl", l.anchor_kl).tagged_if_any("losses/anchor_kl");
    m.add(Kind::Plain, "novelty", l.novelty).tagged_if_any("charts/novelty");
    m.add(Kind::Plain, "epochs", l.epochs);
    m.add(Kind::Plain, "samples", l.samples);
}

/// What workers elsewhere cost. All of it depends on the machines: a run has the same bits with any number
/// of workers.
fn remote(m: &mut Metrics, traffic: &Traffic) {
    m.add(Kind::Time, "order_bytes", traffic.orders).tagged("workers/order_bytes");
    m.add(Kind::Time, "parcel_bytes", traffic.parcels).tagged("workers/parcel_bytes");
    m.add(Kind::Time, "answer_bytes", traffic.answers).tagged("workers/answer_bytes");
    m.add(Kind::Time, "lost_workers", traffic.lost).tagged("workers/lost");
    m.add(Kind::Time, "lag_mean", traffic.lag_mean).tagged("workers/lag_mean");
    m.add(Kind::Time, "lag_max", traffic.lag_max).tagged("workers/lag_max");
}
