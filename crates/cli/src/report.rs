//! An evaluation as a person reads it: what matters in ten lines, the rest when it is asked for.

use lanista_league::{Interval, difference};
use lanista_train::RunConfig;
use lanista_train::evaluate::{Outcomes, Report};
use lanista_train::untrained::{Comparison, Measure, Verdict};

/// Most lines of a report that is not asked to say everything.
const LINES: usize = 10;

/// Prints a report. `weights` are those of its terms.
pub fn print(report: &Report, weights: &[f32], elo: Option<Interval>, all: bool) {
    lines(report, weights, elo, all).into_iter().for_each(|line| say!("{line}"));
}

/// By how much the policy is rated above its opponent.
pub fn elo_difference(report: &Report) -> Option<Interval> {
    let results = report.results?;
    let count = |share: f64| (share * report.matches as f64).round() as u64;
    Some(difference(count(results.won), count(results.drawn), count(results.lost)))
}

fn lines(report: &Report, weights: &[f32], elo: Option<Interval>, all: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(r) = report.results {
        let [won, drawn, lost] = [r.won, r.drawn, r.lost].map(|share| 100.0 * share);
        lines.push(format!("  won {won:.1} %, drawn {drawn:.1} %, lost {lost:.1} %"));
    }
    if let Some(elo) = elo {
        let Interval { elo, low, high } = elo;
        lines.push(format!("  Elo difference {elo:+.0} (95 % interval {low:+.0} to {high:+.0})"));
    }
    let interval = match report.return_interval() {
        Some((low, high)) => format!("95 % interval of the mean {low:.3} to {high:.3}; "),
        None => String::new(),
    };
    let deviation = report.return_deviation;
    lines.push(format!(
        "  return {:.3} ({interval}single matches deviate by {deviation:.3})",
        report.return_mean
    ));
    lines.push(format!("  length {:.1} steps", report.length_mean));

    // What makes up the return comes first, by how much of it.
    let mut terms: Vec<(&str, f64, f64)> = (report.terms.iter().zip(weights))
        .map(|((name, mean), &weight)| (name.as_str(), *mean, f64::from(weight)))
        .collect();
    terms.sort_by(|a, b| {
        let share = |t: &(&str, f64, f64)| (t.2 != 0.0, (t.1 * t.2).abs());
        share(b).0.cmp(&share(a).0).then(share(b).1.total_cmp(&share(a).1))
    });
    let rewarded = terms.iter().filter(|term| term.2 != 0.0).count();
    let stats = &report.stats;
    let fits = lines.len() + terms.len() + stats.len() <= LINES;
    let shown = match all || fits {
        true => terms.len(),
        // One line tells what is left out.
        false => rewarded.min(LINES - 1 - lines.len()),
    };
    for &(name, mean, weight) in &terms[..shown] {
        lines.push(match weight {
            0.0 => format!("  term {name}: {mean:.3} (not rewarded)"),
            1.0 => format!("  term {name}: {mean:.3}"),
            _ => {
                let times = format!("{weight:.4}");
                let times = times.trim_end_matches('0').trim_end_matches('.');
                format!("  term {name}: {mean:.3} × {times} = {:.3}", mean * weight)
            }
        });
    }
    if all || fits {
        lines.extend(stats.iter().map(|(name, mean)| format!("  stat {name}: {mean:.3}")));
    } else {
        let left = [
            (rewarded - shown, "more rewarded terms"),
            (terms.len() - rewarded, "terms without a weight"),
            (stats.len(), "stats"),
        ];
        let left: Vec<String> =
            left.iter().filter(|l| l.0 > 0).map(|(n, what)| format!("{n} {what}")).collect();
        lines.push(format!("  `eval --all` also shows {}", left.join(", ")));
    }
    lines
}

/// What training has changed, in a sentence that claims no more than was seen.
pub fn learnt(trained: &Report, comparison: &Comparison, config: &RunConfig) -> String {
    let claim = match comparison.verdict {
        Verdict::Learnt => "It learnt",
        Verdict::Worse => "It got worse",
        Verdict::Unclear => "Nothing was learnt so far",
    };
    let matches = trained.matches;
    let percent = |share: f64| 100.0 * share;
    let seen = match &comparison.measure {
        Measure::Return { untrained } => format!(
            "return {:.2}, untrained {:.2}, in the same {matches} matches",
            trained.return_mean, untrained.return_mean
        ),
        Measure::Against { untrained } => {
            let none = Outcomes { won: 0.0, drawn: 0.0, lost: 0.0 };
            let [now, then] = [trained, untrained].map(|r| r.results.unwrap_or(none));
            format!(
                "against {} it won {:.0} % and lost {:.0} % of {matches} matches, untrained {:.0} % \
                 and {:.0} %",
                config.evaluation.vs,
                percent(now.won),
                percent(now.lost),
                percent(then.won),
                percent(then.lost)
            )
        }
        Measure::Between { results, matches, elo } => format!(
            "it won {:.0} % and lost {:.0} % of {matches} matches against its untrained self (Elo \
             {:+.0}, 95 % interval {:+.0} to {:+.0})",
            percent(results.won),
            percent(results.lost),
            elo.elo,
            elo.low,
            elo.high
        ),
    };
    match comparison.verdict {
        Verdict::Unclear => format!("{claim}: {seen}; the difference is within chance."),
        _ => format!("{claim}: {seen}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(terms: usize, stats: usize) -> Report {
        Report {
            matches: 100,
            return_mean: 2.5,
            return_deviation: 1.0,
            length_mean: 40.0,
            results: Some(Outcomes { won: 0.5, drawn: 0.25, lost: 0.25 }),
            terms: (0..terms).map(|n| (format!("t{n}"), n as f64)).collect(),
            stats: (0..stats).map(|n| (format!("s{n}"), n as f64)).collect(),
            roles: vec![],
        }
    }

    #[test]
    fn ten_lines_lead_with_what_matters() {
        let report = report(20, 16);
        let mut weights = [0.0; 20];
        (weights[1], weights[2], weights[19]) = (1.0, -10.0, 0.5);
        let short = lines(&report, &weights, elo_difference(&report), false);
        assert!(short.len() <= LINES, "{short:#?}");
        assert!(short[0].starts_with("  won 50.0 %, drawn 25.0 %, lost 25.0 %"), "{short:#?}");
        assert!(short[1].contains("Elo difference"), "{short:#?}");
        assert!(short[2].contains("95 % interval of the mean 2.301 to 2.699"), "{short:#?}");
        let named: Vec<&str> = short.iter().filter_map(|l| l.strip_prefix("  term ")).collect();
        assert_eq!(named, ["t2: 2.000 × -10 = -20.000", "t19: 19.000 × 0.5 = 9.500", "t1: 1.000"]);
        let last = short.last().unwrap();
        assert!(last.contains("17 terms without a weight, 16 stats"), "{last}");
        // Every term rewarded: the largest are shown and the others counted.
        let short = lines(&report, &[1.0; 20], None, false);
        assert_eq!(short.len(), LINES);
        assert!(short.last().unwrap().contains("14 more rewarded terms"), "{short:#?}");
    }

    #[test]
    fn no_more_is_claimed_than_was_seen() {
        let (trained, mut config) = (report(0, 0), RunConfig::default());
        config.evaluation.vs = "bot:rule".into();
        let say = |verdict, measure| learnt(&trained, &Comparison { verdict, measure }, &config);
        let untrained = Report { return_mean: 1.4, results: None, ..trained.clone() };
        let alone = |verdict| say(verdict, Measure::Return { untrained: untrained.clone() });
        assert_eq!(
            alone(Verdict::Learnt),
            "It learnt: return 2.50, untrained 1.40, in the same 100 matches."
        );
        assert!(alone(Verdict::Worse).starts_with("It got worse: return 2.50, untrained 1.40"));
        let unclear = alone(Verdict::Unclear);
        assert!(unclear.starts_with("Nothing was learnt so far: "), "{unclear}");
        assert!(unclear.ends_with("within chance."), "{unclear}");
        let results = Some(Outcomes { won: 0.1, drawn: 0.0, lost: 0.9 });
        let untrained = Report { results, ..trained.clone() };
        assert_eq!(
            say(Verdict::Learnt, Measure::Against { untrained }),
            "It learnt: against bot:rule it won 50 % and lost 25 % of 100 matches, untrained 10 % \
             and 90 %."
        );
        let (results, elo) = (trained.results.unwrap(), elo_difference(&trained).unwrap());
        let between = say(Verdict::Learnt, Measure::Between { results, matches: 100, elo });
        assert!(between.contains("against its untrained self (Elo +"), "{between}");
    }

    #[test]
    fn everything_is_shown_when_asked_for_or_when_it_fits() {
        let long = lines(&report(20, 16), &[0.0; 20], None, true);
        assert_eq!(long.len(), 3 + 20 + 16);
        let small = lines(&report(2, 3), &[1.0, 0.0], None, false);
        assert_eq!(small.len(), 3 + 2 + 3);
        assert!(small.iter().any(|l| l == "  term t1: 1.000 (not rewarded)"), "{small:#?}");
        assert!(!small.iter().any(|l| l.contains("--all")), "{small:#?}");
    }
}
