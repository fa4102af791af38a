//! What reward terms weigh at any moment of a run: a schedule over its length, another one in every stage, and
//! others for a role.
//!
//! A term that is faded out weighs nothing now, and was half of the reward once: whoever draws its history needs
//! the weight of then.

use std::sync::Arc;

use lanista_game::Spec;
use lanista_train::config::OPEN;
use lanista_train::{RunConfig, layers, stages};

use crate::columns::{Axis, Columns};
use crate::configuration::Configuration;
use crate::games::Games;
use crate::metrics::{MarkKind, RunMetrics};
use crate::series::Series;

/// Metrics that are a term times its weight begin like this.
pub const WEIGHTED: &str = "weighted/";
/// Where a schedule is looked at to see whether it ever counts.
const LOOKS: u32 = 32;

/// What terms weigh in a run.
#[derive(Clone, Debug)]
pub struct Weights {
    /// What the game is made of, if it is known.
    pub spec: Option<Arc<Spec>>,
    /// The name of every stage with what it trains with; one without a name where there is no curriculum. Its
    /// `rewards` are those of the first role that is learnt: metrics of terms are those of that one.
    stages: Vec<(String, RunConfig)>,
    total_steps: f64,
}

/// Weights along a run.
pub struct History<'a> {
    weights: &'a Weights,
    /// After how many steps which stage was entered, ascending.
    entered: Vec<(f64, usize)>,
}

impl Weights {
    /// Those of a configuration; none if it cannot be read.
    pub fn of(own: &Configuration, games: &Games) -> Option<Self> {
        let texts = [("config", own.text.as_str())];
        let layered = layers::load("config", &texts, &[]).ok()?;
        let config: RunConfig = layered.read(&OPEN).ok()?;
        let spec = games.spec(&config.game, &config.settings);
        let of = |config: RunConfig| of_learner(config, spec.as_deref());
        let mut all = Vec::new();
        for (index, stage) in config.curriculum.iter().enumerate() {
            let changes = stages::overrides(&layered, &config.curriculum, index).ok()?;
            let staged: RunConfig =
                layers::load("config", &texts, &changes).ok()?.read(&OPEN).ok()?;
            all.push((stage.name.clone(), of(staged)));
        }
        let total_steps = config.stop.steps.max(1) as f64;
        if all.is_empty() {
            all.push((String::new(), of(config)));
        }
        Some(Self { spec, stages: all, total_steps })
    }

    /// The weights along the lines of a run.
    pub fn along<'a>(&'a self, metrics: &RunMetrics) -> History<'a> {
        let begun = metrics.marks().iter().filter(|mark| mark.kind == MarkKind::Stage);
        let entered = begun.filter_map(|mark| {
            let name = mark.label.strip_prefix("stage ")?.strip_suffix(" begins")?;
            let stage = self.stages.iter().position(|(known, _)| known == name)?;
            Some((mark.place[Axis::Steps as usize], stage))
        });
        History { weights: self, entered: entered.collect() }
    }

    /// The terms that any stage weighs.
    pub fn names(&self) -> Vec<&str> {
        let mut all: Vec<&str> = self
            .stages
            .iter()
            .flat_map(|(_, config)| config.rewards.keys())
            .map(String::as_str)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn of_learner(mut config: RunConfig, spec: Option<&Spec>) -> RunConfig {
    let roles = spec.and_then(|spec| config.roles(spec).ok()).unwrap_or_default();
    if let Some(role) = roles.into_iter().find(|role| role.played_by.is_none()) {
        config.rewards = role.rewards;
    }
    config
}

impl History<'_> {
    /// When the latest stage began, in steps.
    pub fn stage_began(&self) -> f64 {
        self.entered.last().map_or(0.0, |(steps, _)| *steps)
    }

    /// What a term weighs in the line with so many steps.
    pub fn at(&self, term: &str, steps: f64) -> f64 {
        // The line at which a stage begins is the last one of the stage before.
        let after = self.entered.partition_point(|(from, _)| *from < steps);
        let stage = after.checked_sub(1).map_or(0, |i| self.entered[i].1);
        let config = self.weights.stages.get(stage).map(|(_, config)| config);
        let schedule = config.and_then(|config| config.rewards.get(term));
        let progress = (steps / self.weights.total_steps).clamp(0.0, 1.0);
        schedule.map_or(0.0, |schedule| schedule.at(progress))
    }

    /// Has a term had any weight in a run of so many steps?
    pub fn counts(&self, term: &str, steps: f64) -> bool {
        let even = (0..=LOOKS).map(|i| steps * f64::from(i) / f64::from(LOOKS));
        let stages = self.entered.iter().map(|(from, _)| from + 1.0);
        even.chain(stages).any(|steps| self.at(term, steps) != 0.0)
    }

    /// A curve of a term times what it weighed.
    pub fn weigh(&self, term: &str, axis: Axis, columns: &Columns, mut series: Series) -> Series {
        let mut smooth = series.smooth.take();
        for (i, &x) in series.x.iter().enumerate() {
            let weight = self.at(term, steps_at(columns, axis, x));
            let ends = [series.min[i] * weight, series.max[i] * weight];
            (series.min[i], series.max[i]) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
            series.mean[i] *= weight;
            if let Some(smooth) = &mut smooth {
                smooth[i] *= weight;
            }
        }
        series.smooth = smooth;
        series.last = series.last.map(|last| last * self.at(term, columns.place()[0]));
        let points = series.x.iter().copied().zip(series.max.iter().copied());
        series.best = points.filter(|(_, y)| y.is_finite()).max_by(|a, b| a.1.total_cmp(&b.1));
        series
    }
}

/// How many steps were done at a place of an axis.
fn steps_at(columns: &Columns, axis: Axis, x: f64) -> f64 {
    if axis == Axis::Steps {
        return x;
    }
    let stretches = columns.stretches();
    let i = stretches.partition_point(|stretch| stretch.last[axis as usize] < x);
    let Some(stretch) = stretches.get(i) else { return columns.place()[0] };
    let (first, last) = (stretch.first, stretch.last);
    let wide = last[axis as usize] - first[axis as usize];
    let share = if wide > 0.0 { ((x - first[axis as usize]) / wide).clamp(0.0, 1.0) } else { 1.0 };
    first[0] + (last[0] - first[0]) * share
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::series::{Asked, series};

    fn weights(text: &str) -> Weights {
        let games = Games::new(lanista_classic::games().to_vec());
        Weights::of(&Configuration::read(text.into()), &games).unwrap()
    }

    /// A hundred lines of ten steps and two seconds; the second stage begins after 500 steps.
    fn lines(staged: bool) -> (tempfile::TempDir, std::path::PathBuf, RunMetrics) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("metrics.jsonl");
        let mut text = String::new();
        for i in 1..=100 {
            let to = if staged && i == 50 { "{\"from\":\"a\",\"to\":\"b\"}" } else { "null" };
            let (steps, seconds) = (10 * i, 2 * i);
            writeln!(
                text,
                "{{\"steps\":{steps},\"terms\":{{\"won\":1.0}},\"time\":{{\"seconds\":{seconds}}},\"transition\":{to}}}"
            )
            .unwrap();
        }
        std::fs::write(&path, text).unwrap();
        let mut metrics = RunMetrics::default();
        metrics.follow(&path).unwrap();
        (directory, path, metrics)
    }

    fn asked(axis: Axis) -> Asked {
        Asked { axis, from: None, to: None, points: 1000, smooth: None, after: 0 }
    }

    #[test]
    fn a_term_that_fades_weighs_what_it_weighed_then() {
        let (_directory, path, metrics) = lines(false);
        let fading = weights(
            "game: duel\nrewards: { won: { linear: { from: 2, to: 0 } } }\nstop: { steps: 1000 }\n",
        );
        let along = fading.along(&metrics);
        for axis in [Axis::Steps, Axis::Time] {
            let found = series(&metrics, &path, "terms/won", &asked(axis));
            let found = along.weigh("won", axis, metrics.columns(), found);
            assert!((found.mean[0] - 1.98).abs() < 1e-9, "{:?}", found.mean);
            assert!((found.mean[49] - 1.0).abs() < 1e-9, "{:?}", found.mean);
            assert_eq!((found.mean[99], found.last), (0.0, Some(0.0)));
        }
        assert!(along.counts("won", 1000.0) && !along.counts("lost", 1000.0));
    }

    #[test]
    fn a_stage_has_weights_of_its_own() {
        let (_directory, _path, metrics) = lines(true);
        let staged = weights(
            "game: duel\nrewards: { won: 1 }\nstop: { steps: 1000 }\ncurriculum:\n\
             - { name: a, until: { steps: 500 } }\n\
             - { name: b, changes: { rewards: { won: 0, hits: 3 } } }\n",
        );
        let along = staged.along(&metrics);
        let of = |term: &str| [490.0, 500.0, 510.0].map(|steps| along.at(term, steps));
        assert_eq!((of("won"), of("hits")), ([1.0, 1.0, 0.0], [0.0, 0.0, 3.0]));
        assert!(along.counts("won", 1000.0) && along.counts("hits", 1000.0));
        assert_eq!(staged.names(), ["hits", "won"]);
    }

    #[test]
    fn a_role_has_weights_of_its_own() {
        let (_directory, _path, metrics) = lines(false);
        let spec = lanista_classic::games().iter().find(|g| g.name == "hideout").cloned().unwrap();
        let spec = spec.spec(&serde_json::Value::Null).unwrap();
        let (role, term) = (&spec.roles[0].name, &spec.terms[0].name);
        let text = format!(
            "game: hideout\nrewards: {{ {term}: 1 }}\nroles: {{ {role}: {{ rewards: {{ {term}: 5 }} }} }}\n"
        );
        assert_eq!(weights(&text).along(&metrics).at(term, 10.0), 5.0);
    }
}
