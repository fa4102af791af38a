//! A warning: the agent is paid ever more for what was meant as help while it does worse in what counts.

use lanista_game::TermKind;

use crate::columns::Axis;
use crate::metrics::RunMetrics;
use crate::weights::Weights;

/// How sure a trend must be: the slope in units of its own deviation.
const SURE: f64 = 3.0;
/// Points below which no trend is looked for.
const ENOUGH: usize = 24;
/// Points of the part that is looked at, at most.
const MOST: usize = 64;

/// The warning, if shaping rises while the outcome falls over the last third of a run, or of its latest stage if
/// that is shorter.
pub fn misled(metrics: &RunMetrics, weights: &Weights) -> Option<String> {
    let shaping = earned(metrics, weights, TermKind::Shaping)?;
    if trend(&shaping) < SURE {
        return None;
    }
    let outcome = earned(metrics, weights, TermKind::Outcome)?;
    if trend(&outcome) > -SURE {
        return None;
    }
    let (from, to) = (outcome.first()?.0, outcome.last()?.0);
    Some(format!(
        "shaping rises while the outcome falls, from {} to {} steps: lower the weights of shaping terms, or let them \
         fade with a schedule",
        shown(from),
        shown(to)
    ))
}

fn shown(steps: f64) -> String {
    match steps {
        steps if steps >= 1e6 => format!("{:.1}M", steps / 1e6),
        steps if steps >= 1e4 => format!("{:.0}k", steps / 1e3),
        steps => format!("{steps:.0}"),
    }
}

/// `[points]`: steps, and what all terms of a kind brought together.
fn earned(metrics: &RunMetrics, weights: &Weights, kind: TermKind) -> Option<Vec<(f64, f64)>> {
    let spec = weights.spec.as_ref()?;
    let along = weights.along(metrics);
    let terms = spec.terms.iter().filter(|term| term.kind == kind).filter_map(|term| {
        let column = metrics.column(&format!("terms/{}", term.name))?;
        Some((term.name.as_str(), column))
    });
    let terms: Vec<_> = terms.collect();
    let stretches = metrics.columns().stretches();
    let begin = stretches.partition_point(|s| s.last[Axis::Steps as usize] <= along.stage_began());
    let begin = begin.max(stretches.len() * 2 / 3);
    let mut all = Vec::new();
    for (i, stretch) in stretches.iter().enumerate().skip(begin) {
        let steps = stretch.last[Axis::Steps as usize];
        let known = terms
            .iter()
            .filter_map(|(name, column)| Some(column.cell(i).mean()? * along.at(name, steps)));
        let known: Vec<f64> = known.collect();
        if !known.is_empty() {
            all.push((steps, known.iter().sum::<f64>()));
        }
    }
    if all.len() < ENOUGH {
        return None;
    }
    let together = all.len().div_ceil(MOST);
    let mean = |part: &[(f64, f64)]| {
        let n = part.len() as f64;
        (part.iter().map(|p| p.0).sum::<f64>() / n, part.iter().map(|p| p.1).sum::<f64>() / n)
    };
    Some(all.chunks(together).map(mean).collect())
}

/// The slope of a straight line through points, in units of its own deviation.
fn trend(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) =
        (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sxx: f64 = points.iter().map(|p| (p.0 - mx).powi(2)).sum();
    let sxy: f64 = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum();
    if points.len() < 3 || sxx == 0.0 {
        return 0.0;
    }
    let slope = sxy / sxx;
    let left: f64 = points.iter().map(|p| (p.1 - my - slope * (p.0 - mx)).powi(2)).sum();
    let deviation = (left / (n - 2.0) / sxx).sqrt();
    match deviation > 0.0 {
        true => slope / deviation,
        // A straight line, or a flat one.
        false if slope == 0.0 => 0.0,
        false => slope.signum() * f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Arc;

    use super::*;
    use crate::configuration::Configuration;
    use crate::games::Games;

    /// What is said of a run in which the terms go like this.
    fn said(
        weights: &str,
        shaping: impl Fn(f64) -> f64,
        outcome: impl Fn(f64) -> f64,
    ) -> Option<String> {
        let (help, goal) = ("help", "won");
        let mut text = String::new();
        for i in 0..150 {
            let wobble = 0.01 * f64::from(i * 7 % 5);
            let (help_now, goal_now) =
                (shaping(f64::from(i)) + wobble, outcome(f64::from(i)) + wobble);
            writeln!(
                text,
                "{{\"steps\":{},\"terms\":{{\"{help}\":{help_now},\"{goal}\":{goal_now}}}}}",
                100 * (i + 1)
            )
            .unwrap();
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("metrics.jsonl");
        std::fs::write(&path, text).unwrap();
        let mut metrics = RunMetrics::default();
        metrics.follow(&path).unwrap();
        let weights = weights.replace("HELP", help).replace("GOAL", goal);
        let config = format!("game: duel\nrewards: {{ {weights} }}\nstop: {{ steps: 15000 }}\n");
        let games = Games::new(lanista_classic::games().to_vec());
        let mut weights = Weights::of(&Configuration::read(config), &games).unwrap();
        // The classic games have no shaping; what the metrics say is enough here.
        let mut spec = (**weights.spec.as_ref().unwrap()).clone();
        let mut shaping = spec.terms[0].clone();
        (shaping.name, shaping.kind) = (help.into(), TermKind::Shaping);
        (spec.terms[0].name, spec.terms[0].kind) = (goal.into(), TermKind::Outcome);
        spec.terms.push(shaping);
        weights.spec = Some(Arc::new(spec));
        misled(&metrics, &weights)
    }

    #[test]
    fn rising_help_and_a_falling_outcome_are_told() {
        let (up, down) = (|i: f64| 0.01 * i, |i: f64| 1.0 - 0.005 * i);
        let warning = said("HELP: 1, GOAL: 10", up, down).expect("it is misled");
        assert!(warning.starts_with("shaping rises while the outcome falls"), "{warning}");
        assert_eq!(said("HELP: 1, GOAL: 10", up, up), None);
        assert_eq!(said("HELP: 1, GOAL: 10", down, down), None);
        // What weighs nothing pays nothing.
        assert_eq!(said("HELP: 0, GOAL: 10", up, down), None);
        assert_eq!(said("HELP: 1", up, down), None);
        // It rises, and fades faster than it rises.
        assert_eq!(said("HELP: { linear: { from: 1, to: 0 } }, GOAL: 10", up, down), None);
    }
}
