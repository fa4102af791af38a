//! What a run begins with besides fresh weights, and what holds it there: weights of another model, layers
//! that stay as they are, a critic that learns first, an anchor.

use std::path::Path;

use lanista_game::Spec;
use lanista_learn::transfer::{self, Transfer};
use lanista_learn::{Anchor, Learner};

use crate::agent::Agent;
use crate::error::TrainError;
use crate::files::RunFiles;
use crate::model;
use crate::player::Roster;
use crate::start_config::{AnchorConfig, StartConfig};

/// Reads the policies of a run or a model.zip for this game as policies see it. A model that sees it in
/// another way is read as it is, if `as_it_is`.
fn read(path: &Path, spec: &Spec, as_it_is: bool) -> Result<Roster, TrainError> {
    let file = if path.is_dir() { RunFiles::of(path).model() } else { path.to_owned() };
    if !file.is_file() {
        let path = path.display();
        return Err(TrainError::Start(format!(
            "{path} is neither a run with a model nor a model.zip; `lanista clone PRESET` and \
             `lanista train PRESET` make runs"
        )));
    }
    let metadata = model::metadata(&file)?;
    if metadata.game != spec.name {
        let (path, game, wanted) = (path.display(), metadata.game, &spec.name);
        return Err(TrainError::Start(format!("{path} plays {game}, not {wanted}")));
    }
    let own = metadata.spec.as_ref().filter(|_| as_it_is).unwrap_or(spec);
    Ok(model::load(&file, own)?.0)
}

/// Gives an agent that has not begun what it begins with. Returns what is to be said about it.
pub(crate) fn begin(agent: &mut Agent, spec: &Spec) -> Result<Vec<String>, TrainError> {
    let start = agent.config.start.clone();
    let mut said = Vec::new();
    if let Some(path) = &start.model {
        let roster = read(path, spec, true)?;
        let mut any = false;
        for (role, learner) in agent.learners.iter_mut().enumerate() {
            let (Some(learner), Some(theirs)) = (learner, roster.get(role)) else { continue };
            any = true;
            let wanted =
                |tensor: &str| !start.except.iter().any(|layer| transfer::names(layer, tensor));
            for layer in &start.except {
                let own = std::slice::from_ref(layer);
                transfer::select(learner.policy.layout(), own)
                    .map_err(|layer| no_layer("start.except", layer, learner))?;
            }
            let Transfer { taken, left } = learner.policy.take_over(theirs, wanted);
            if taken.is_empty() {
                let path = path.display();
                return Err(TrainError::Start(format!("nothing of {path} fits this network")));
            }
            let of = match spec.roles.len() {
                1 => String::new(),
                _ => format!(" for {}", spec.roles[role].name),
            };
            said.push(format!("begins{of} with {} tensors of {}", taken.len(), path.display()));
            said.extend(
                left.into_iter().map(|(name, why)| format!("{name} begins fresh{of}: {why}")),
            );
        }
        if !any {
            let path = path.display();
            return Err(TrainError::Start(format!(
                "{path} plays none of the roles that are learnt"
            )));
        }
    }
    hold(agent, spec)?;
    // Every iteration does so, too; a layer that is not there is named before anything is made.
    follow(agent)?;
    Ok(said)
}

/// Gives the learners of an agent their anchors, if its configuration has one and they have none.
pub(crate) fn hold(agent: &mut Agent, spec: &Spec) -> Result<(), TrainError> {
    let start = agent.config.start.clone();
    let Some(config) = &start.anchor else { return Ok(()) };
    let path = config.model.as_ref().or(start.model.as_ref());
    let roster = path.map(|path| read(path, spec, false)).transpose()?;
    for (role, learner) in agent.learners.iter_mut().enumerate() {
        let Some(learner) = learner else { continue };
        let policy = match &roster {
            Some(roster) => roster.get(role).cloned(),
            // Renewed from the beginning on.
            None => Some(learner.policy.clone()),
        };
        let weight = config.kl.clone();
        learner.anchor = policy.map(|policy| Anchor { policy, weight });
    }
    Ok(())
}

/// Do these changes of a run's configuration, as `key: then → now`, name another anchor?
pub(crate) fn has_another_anchor(start: &StartConfig, changes: &[String]) -> bool {
    let key = match &start.anchor {
        Some(AnchorConfig { model: None, .. }) => "start.model:",
        _ => "start.anchor.model:",
    };
    start.anchor.is_some() && changes.iter().any(|change| change.starts_with(key))
}

/// Exchanges the anchors of an agent that goes on for those that its configuration names now. Returns what is
/// to be said about it.
pub(crate) fn hold_anew(agent: &mut Agent, spec: &Spec) -> Result<Option<String>, TrainError> {
    hold(agent, spec)?;
    // What the anchor before remembered of the running matches means nothing to another one.
    for role in agent.shards.iter_mut().flat_map(|shard| &mut shard.roles) {
        role.rollout.teacher_state.clear();
    }
    let StartConfig { model, anchor, .. } = &agent.config.start;
    let path = anchor.as_ref().and_then(|anchor| anchor.model.as_ref()).or(model.as_ref());
    Ok(path.map(|path| format!("held to {} from now on", path.display())))
}

/// Before an iteration: freezes what is to be frozen at so many steps, weighs the anchor as the
/// configuration says, and renews it when that is due.
pub(crate) fn follow(agent: &mut Agent) -> Result<(), TrainError> {
    let Agent { config, learners, progress, .. } = agent;
    let start = &config.start;
    let mut layers: Vec<String> = Vec::new();
    for freeze in &start.freeze {
        if freeze.steps.is_none_or(|steps| progress.steps < steps) {
            layers.extend(freeze.layers.iter().cloned());
        }
    }
    if progress.steps < start.critic_warmup {
        layers.push("actor".into());
    }
    for learner in learners.iter_mut().flatten() {
        learner.frozen = match layers.is_empty() {
            true => Vec::new(),
            false => transfer::select(learner.policy.layout(), &layers)
                .map_err(|layer| no_layer("start.freeze", layer, learner))?,
        };
        match &start.anchor {
            None => learner.anchor = None,
            Some(config) => {
                let due =
                    config.renew.is_some_and(|every| progress.iteration.is_multiple_of(every));
                if let Some(anchor) = &mut learner.anchor {
                    anchor.weight = config.kl.clone();
                    if due && progress.iteration > 0 {
                        anchor.policy = learner.policy.clone();
                    }
                }
            }
        }
    }
    Ok(())
}

/// The anchors of an agent, by role, if it has any.
pub(crate) fn anchors(agent: &Agent) -> Option<Roster> {
    let policy = |learner: &Option<Learner>| {
        learner.as_ref()?.anchor.as_ref().map(|anchor| anchor.policy.clone())
    };
    let all: Vec<_> = agent.learners.iter().map(policy).collect();
    all.iter().any(Option::is_some).then(|| Roster::new(all))
}

fn no_layer(key: &str, layer: &str, learner: &Learner) -> TrainError {
    let mut names: Vec<String> = Vec::new();
    for tensor in learner.policy.layout().tensors() {
        let name = tensor.name.rsplit_once('.').map_or(tensor.name.as_str(), |(name, _)| name);
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    TrainError::Start(format!("{key}: no layer `{layer}`; there are: {}", names.join(", ")))
}
