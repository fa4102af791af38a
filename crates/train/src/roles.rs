//! What a run does with each role of its game: learn it, by which numbers, or let somebody play it.

use std::collections::BTreeMap;

use lanista_game::Spec;
use lanista_learn::{PolicyConfig, PpoConfig, Schedule};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::layers::nearest;

/// What a preset says about a role under `roles.NAME`. Everything it leaves open is as for the whole
/// run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoleConfig {
    /// Who plays the role, if the run does not learn it: `bot:NAME` or `target:MODEL`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played_by: Option<String>,
    /// In what its network differs from `policy`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub policy: Map<String, Value>,
    /// In what its numbers differ from `ppo`.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub ppo: Map<String, Value>,
    /// In what its weights differ from `rewards`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rewards: BTreeMap<String, Schedule>,
}

/// What a role is learnt with.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleSettings {
    /// The network.
    pub policy: PolicyConfig,
    /// The algorithm.
    pub ppo: PpoConfig,
    /// The weight of each reward term.
    pub rewards: BTreeMap<String, Schedule>,
    /// Who plays it instead, if it is not learnt.
    pub played_by: Option<String>,
}

/// A key under `roles` that is wrong, and how.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{key}: {problem}")]
pub struct RoleFault {
    /// The key, dotted.
    pub key: String,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

impl RoleFault {
    /// A complaint about a key.
    pub fn new(key: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { key: key.into(), problem: problem.into() }
    }
}

impl RoleSettings {
    /// What every role of the game is learnt with, given what holds for all of them.
    pub fn of(
        spec: &Spec,
        roles: &BTreeMap<String, RoleConfig>,
        policy: &PolicyConfig,
        ppo: &PpoConfig,
        rewards: &BTreeMap<String, Schedule>,
    ) -> Result<Vec<Self>, RoleFault> {
        let known: Vec<&str> = spec.roles.iter().map(|role| role.name.as_str()).collect();
        if let Some(unknown) = roles.keys().find(|name| !known.contains(&name.as_str())) {
            let hint = nearest(unknown, known.iter().copied())
                .map_or(String::new(), |n| format!("did you mean `{n}`? "));
            let problem =
                format!("{} has no such role: {hint}there are: {}", spec.name, known.join(", "));
            return Err(RoleFault::new(format!("roles.{unknown}"), problem));
        }
        let none = RoleConfig::default();
        let settings = |name: &&str| {
            let own = roles.get(*name).unwrap_or(&none);
            let mut weights = rewards.clone();
            weights.extend(own.rewards.clone());
            Ok(Self {
                policy: merged(policy, &own.policy, &format!("roles.{name}.policy"))?,
                ppo: merged(ppo, &own.ppo, &format!("roles.{name}.ppo"))?,
                rewards: weights,
                played_by: own.played_by.clone(),
            })
        };
        let all: Vec<Self> = known.iter().map(settings).collect::<Result<_, RoleFault>>()?;
        if all.iter().all(|role| role.played_by.is_some()) {
            let key = format!("roles.{}.played_by", known[0]);
            let problem = "somebody plays every role, so nothing is left to learn";
            return Err(RoleFault::new(key, problem));
        }
        Ok(all)
    }

    /// The weight of every term of the game at this progress.
    pub fn weights(&self, spec: &Spec, progress: f64) -> Vec<f32> {
        let weight = |schedule: &Schedule| schedule.at(progress) as f32;
        spec.terms.iter().map(|t| self.rewards.get(&t.name).map_or(0.0, weight)).collect()
    }
}

/// A configuration with some of its keys changed.
fn merged<T: Clone + Serialize + DeserializeOwned>(
    base: &T,
    changes: &Map<String, Value>,
    key: &str,
) -> Result<T, RoleFault> {
    if changes.is_empty() {
        return Ok(base.clone());
    }
    let fault = |error: serde_json::Error| RoleFault::new(key, error.to_string());
    let mut tree = serde_json::to_value(base).map_err(fault)?;
    overlay(&mut tree, changes);
    serde_path_to_error::deserialize(tree).map_err(|error| {
        let path = error.path().to_string();
        let key = if path == "." { key.to_owned() } else { format!("{key}.{path}") };
        RoleFault::new(key, error.into_inner().to_string())
    })
}

/// Objects are merged key by key; anything else takes the place of what was there.
fn overlay(tree: &mut Value, changes: &Map<String, Value>) {
    let Some(map) = tree.as_object_mut() else {
        *tree = Value::Object(changes.clone());
        return;
    };
    for (key, change) in changes {
        match (map.get_mut(key), change) {
            (Some(old @ Value::Object(_)), Value::Object(inner)) => overlay(old, inner),
            _ => drop(map.insert(key.clone(), change.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use lanista_game::Role;

    fn resolve(yaml: Value) -> Result<Vec<RoleSettings>, RoleFault> {
        let role = |name: &str| Role { name: name.into(), ..Role::default() };
        let roles = vec![role("hider"), role("seeker")];
        let spec = Spec { name: "toy".into(), roles, ..Spec::default() };
        let roles = serde_json::from_value(yaml).unwrap();
        let rewards = [("won".to_owned(), Schedule::from(1.0))].into();
        RoleSettings::of(&spec, &roles, &PolicyConfig::default(), &PpoConfig::default(), &rewards)
    }

    #[test]
    fn a_role_says_in_what_it_differs() {
        let all = resolve(json!({
            "seeker": {
                "policy": {"hidden": [8], "critic": {"shared": true}},
                "ppo": {"gamma": 0.5},
                "rewards": {"time": -1.0},
            }
        }))
        .unwrap();
        assert_eq!(all[0].policy, PolicyConfig::default());
        assert_eq!((all[1].policy.hidden.clone(), all[1].policy.critic.shared), (vec![8], true));
        assert_eq!(all[1].ppo.gamma.at(0.0), 0.5);
        assert_eq!(all[1].ppo.clip, PpoConfig::default().clip);
        assert_eq!(all[1].rewards.len(), 2);
    }

    #[test]
    fn mistakes_are_named_by_their_keys() {
        let RoleFault { key, problem } = resolve(json!({"seekr": {}})).unwrap_err();
        assert_eq!(key, "roles.seekr");
        assert!(problem.contains("did you mean `seeker`"), "{problem}");
        let RoleFault { key, .. } = resolve(json!({"seeker": {"ppo": {"gamm": 1}}})).unwrap_err();
        assert!(key.starts_with("roles.seeker.ppo"), "{key}");
        let RoleFault { key, .. } =
            resolve(json!({"seeker": {"policy": {"hidden": "big"}}})).unwrap_err();
        assert_eq!(key, "roles.seeker.policy.hidden");
        let all = json!({"hider": {"played_by": "bot:a"}, "seeker": {"played_by": "bot:a"}});
        assert!(resolve(all).unwrap_err().problem.contains("nothing is left"));
    }
}
