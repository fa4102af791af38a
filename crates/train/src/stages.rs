//! The stages of a curriculum, each as the configuration it runs on.

use lanista_game::Spec;
use lanista_league::stage::{Existing, warnings};
use lanista_league::{Shares, Stage};

use crate::config::RunConfig;
use crate::layers::{ConfigError, Layered, Override};

/// What a stage may not change: everything that the network, the matches side by side and the place
/// of the run depend on.
const FIXED: [&str; 9] = [
    "game",
    "observation",
    "rollout",
    "policy",
    "exploiters",
    "curriculum",
    "checkpoint",
    "stop",
    "run",
];

/// The overrides that turn a preset into its stage `stage`: its own changes on top of those of the
/// stages before it. Mistakes in them are blamed on the lines of the preset they stand in.
pub fn overrides(
    layered: &Layered,
    stages: &[Stage],
    stage: usize,
) -> Result<Vec<Override>, ConfigError> {
    let mut all = Vec::new();
    for (index, stage) in stages.iter().enumerate().take(stage + 1) {
        for (key, value) in &stage.changes {
            let place = layered.place(&format!("curriculum.{index}.changes.{key}"));
            all.push(Override::written(place.clone(), key, value)?);
        }
    }
    Ok(all)
}

/// The first thing that a stage changes and must not.
pub fn forbidden(stage: &Stage) -> Option<String> {
    let top = |key: &str| key.split('.').next().unwrap_or_default().to_owned();
    let key = stage.changes.keys().find(|key| FIXED.contains(&top(key).as_str()))?;
    Some(format!(
        "stage `{}` changes `{key}`, which stays the same for a whole run; a stage may change \
         settings, rewards, reward_sharing, opponents, league, ppo and evaluation",
        stage.name
    ))
}

/// What differs between two shapes of a game, if anything does: a network fits one shape.
pub fn other_shape(a: &Spec, b: &Spec) -> Option<&'static str> {
    let seats = |spec: &Spec| spec.seats.iter().map(|s| (s.team, s.role)).collect::<Vec<_>>();
    if a.roles.len() != b.roles.len() {
        return Some("the roles");
    }
    for (a, b) in a.roles.iter().zip(&b.roles) {
        if a.features() != b.features() {
            return Some("the length of the observation");
        } else if a.privileged.len() != b.privileged.len() {
            return Some("the privileged inputs");
        } else if a.head_sizes() != b.head_sizes() {
            return Some("the heads");
        }
    }
    (seats(a) != seats(b)).then_some("the number of seats")
}

/// Remarks about stages that can never end.
pub fn remarks(configs: &[RunConfig], spec: &Spec) -> Vec<String> {
    let Some(first) = configs.first() else { return Vec::new() };
    let shares: Vec<Shares> = configs.iter().map(RunConfig::shares).collect();
    let names = spec.stat_names();
    let existing = Existing {
        stats: &names.iter().map(String::as_str).collect::<Vec<_>>(),
        bots: &spec.bots(),
        shares: &shares,
        rated: spec.teams() > 1,
        total_steps: Some(first.stop.steps),
    };
    warnings(&first.curriculum, &existing)
}
