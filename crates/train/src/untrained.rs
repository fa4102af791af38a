//! Has a run learnt anything? Its policy beside the one it began with, in the same matches.
//!
//! Returns in training cannot say: weights follow schedules, stages change the game, opponents grow
//! with the learner, and in zero-sum play with itself the mean is 0 whatever it has learnt. So the
//! untrained policy, which follows from the seed, plays once more: the same matches under the same
//! settings and weights, against the same opponent or, where a run is evaluated against itself,
//! against the trained policy.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use lanista_league::{Interval, difference};

use crate::agent::untrained;
use crate::error::TrainError;
use crate::evaluate::{Outcomes, Report, student};
use crate::player::Player;
use crate::seating::Guests;
use crate::trainer::Trainer;

/// What training has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is better than before.
    Learnt,
    /// It is worse.
    Worse,
    /// The difference is within what chance does.
    Unclear,
}

/// A trained policy beside its untrained self.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What training has changed.
    pub verdict: Verdict,
    /// By what that was measured.
    pub measure: Measure,
}

/// By what two policies are compared.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Their returns, where nobody is met.
    Return {
        /// What the untrained policy reached.
        untrained: Report,
    },
    /// Their results against the same opponent.
    Against {
        /// What the untrained policy reached.
        untrained: Report,
    },
    /// The matches between them, as the trained one saw them.
    Between {
        /// How they ended.
        results: Outcomes,
        /// How many there were.
        matches: usize,
        /// By how much the trained one is rated higher.
        elo: Interval,
    },
}

impl Trainer {
    /// Compares the policy with the one it was before training. `report` is its latest evaluation.
    pub fn compare(
        &self,
        report: &Report,
        interrupt: Option<&AtomicBool>,
    ) -> Result<Comparison, TrainError> {
        let agent = &self.agent;
        let before = untrained(self.spec(), &agent.roles, agent.config.run.seed);
        let weights = self.weights();
        let mut question = self.question(&weights);
        question.interrupt = interrupt;
        if self.spec().contested() && question.versus == Player::Learner {
            question.versus = Player::Frozen(BEFORE);
            let mut guests = Guests::clone(&question.guests);
            guests.policies.insert(BEFORE, Arc::new(before));
            question.guests = Arc::new(guests);
            let met = self.ask(&agent.policies(), &question)?;
            return Ok(Comparison::between(&met));
        }
        let untrained = self.ask(&before.all(), &question)?;
        Ok(Comparison::beside(report, untrained))
    }
}

/// The number of the untrained agent among the guests of an evaluation.
const BEFORE: u64 = u64::MAX >> 1;

impl Comparison {
    /// Two policies in the same matches, without an opponent or against the same one.
    fn beside(trained: &Report, untrained: Report) -> Self {
        match (scores(trained), scores(&untrained)) {
            (Some(now), Some(then)) => {
                let verdict = judge(now, then, trained.matches.min(untrained.matches));
                Self { verdict, measure: Measure::Against { untrained } }
            }
            _ => {
                let of = |report: &Report| Some((report.return_mean, report.return_error()?));
                let verdict = match (of(trained), of(&untrained)) {
                    (Some(now), Some(then)) => {
                        judge(now, then, trained.matches.min(untrained.matches))
                    }
                    _ => Verdict::Unclear,
                };
                Self { verdict, measure: Measure::Return { untrained } }
            }
        }
    }

    /// The two against each other.
    fn between(met: &Report) -> Self {
        let results = met.results.unwrap_or(Outcomes { won: 0.0, drawn: 1.0, lost: 0.0 });
        let count = |share: f64| (share * met.matches as f64).round() as u64;
        let elo = difference(count(results.won), count(results.drawn), count(results.lost));
        let verdict = match elo {
            Interval { low, .. } if low > 0.0 => Verdict::Learnt,
            Interval { high, .. } if high < 0.0 => Verdict::Worse,
            _ => Verdict::Unclear,
        };
        Self { verdict, measure: Measure::Between { results, matches: met.matches, elo } }
    }
}

/// The mean score, with half a point for a draw, and its standard error.
fn scores(report: &Report) -> Option<(f64, f64)> {
    let Outcomes { won, drawn, .. } = report.results?;
    let mean = won + drawn / 2.0;
    let variance = (won + drawn / 4.0 - mean * mean).max(0.0);
    (report.matches > 1).then(|| (mean, (variance / (report.matches - 1) as f64).sqrt()))
}

/// Is the difference of two means larger than chance would make it in 95 of 100 cases?
fn judge(now: (f64, f64), then: (f64, f64), matches: usize) -> Verdict {
    let (gain, error) = (now.0 - then.0, now.1.hypot(then.1));
    match student(matches) {
        Some(errors) if gain > errors * error => Verdict::Learnt,
        Some(errors) if -gain > errors * error => Verdict::Worse,
        _ => Verdict::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(matches: usize, mean: f64, deviation: f64, results: Option<[f64; 3]>) -> Report {
        Report {
            matches,
            return_mean: mean,
            return_deviation: deviation,
            length_mean: 1.0,
            results: results.map(|[won, drawn, lost]| Outcomes { won, drawn, lost }),
            terms: vec![],
            stats: vec![],
            roles: vec![],
        }
    }

    #[test]
    fn a_gain_counts_when_chance_cannot_explain_it() {
        let verdict = |now: f64, then: f64, deviation: f64, matches: usize| {
            let trained = report(matches, now, deviation, None);
            Comparison::beside(&trained, report(matches, then, deviation, None)).verdict
        };
        assert_eq!(verdict(480.0, 20.0, 40.0, 32), Verdict::Learnt);
        assert_eq!(verdict(-0.14, 1.40, 0.5, 64), Verdict::Worse);
        assert_eq!(verdict(1.1, 1.0, 2.0, 64), Verdict::Unclear);
        assert_eq!(verdict(1.1, 1.0, 0.2, 64), Verdict::Learnt);
        assert_eq!(verdict(9.0, 1.0, 0.0, 1), Verdict::Unclear, "one match says nothing");
        assert_eq!(verdict(16.0, 4.0, 0.0, 5), Verdict::Learnt, "no doubt at all");
        assert_eq!(verdict(4.0, 4.0, 0.0, 5), Verdict::Unclear);
    }

    #[test]
    fn where_teams_meet_results_count_and_returns_do_not() {
        let trained = report(100, -5.0, 1.0, Some([0.6, 0.1, 0.3]));
        let before = report(100, 5.0, 1.0, Some([0.05, 0.1, 0.85]));
        assert_eq!(Comparison::beside(&trained, before.clone()).verdict, Verdict::Learnt);
        assert_eq!(Comparison::beside(&before, trained.clone()).verdict, Verdict::Worse);
        assert_eq!(Comparison::beside(&trained, trained.clone()).verdict, Verdict::Unclear);
    }

    #[test]
    fn matches_between_the_two_are_judged_by_the_interval_of_the_rating() {
        let between = |results| Comparison::between(&report(64, 0.0, 1.0, Some(results))).verdict;
        assert_eq!(between([0.75, 0.0, 0.25]), Verdict::Learnt);
        assert_eq!(between([0.55, 0.0, 0.45]), Verdict::Unclear);
        assert_eq!(between([0.25, 0.0, 0.75]), Verdict::Worse);
        assert_eq!(between([0.0, 1.0, 0.0]), Verdict::Unclear);
    }
}
