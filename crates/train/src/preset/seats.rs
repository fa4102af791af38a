//! Seats that stay empty: where nobody sits, nobody can be met.

use lanista_game::{Entry, Spec};
use serde_json::Value;

use crate::config::RunConfig;
use crate::layers::{ConfigError, Layered};

/// Refuses opponents whom a run would never meet, by the key that names them.
pub(super) fn check(
    layered: &Layered,
    config: &RunConfig,
    entry: &Entry,
    spec: &Spec,
) -> Result<(), ConfigError> {
    let Some(problem) = nobody_to_meet(entry, &config.settings, spec) else { return Ok(()) };
    let met = config.opponents.iter().filter(|(name, share)| **share > 0.0 && *name != "self");
    let mut keys = met.map(|(name, _)| format!("opponents.{name}")).collect::<Vec<_>>();
    if config.evaluation.vs != "self" {
        keys.push("evaluation.vs".into());
    }
    match keys.first() {
        Some(key) => Err(layered.invalid(key, format!("{problem}; or drop this"))),
        None => Ok(()),
    }
}

/// Why nobody is met under these settings, if that is so: which of them leave the other teams empty,
/// and what would fill them. `None` where teams meet.
pub fn nobody_to_meet(entry: &Entry, settings: &Value, spec: &Spec) -> Option<String> {
    if spec.contested() {
        return None;
    }
    if spec.teams() < 2 {
        return Some(format!("{} has one team, so there is nobody to play against", spec.name));
    }
    // A setting at whose default somebody would sit there is what leaves the seats empty.
    let keys = settings.as_object().into_iter().flatten();
    let empties = keys.filter(|(key, _)| {
        let mut at_default = settings.clone();
        at_default.as_object_mut().map(|map| map.remove(*key));
        entry.spec(&at_default).is_ok_and(|spec| spec.contested())
    });
    let empties: Vec<(&String, &Value)> = empties.collect();
    let named = |text: fn(&String, &Value) -> String| {
        empties.iter().map(|(key, value)| text(key, value)).collect::<Vec<_>>().join(" or ")
    };
    let because = match empties.is_empty() {
        true => "under these settings".to_owned(),
        false => {
            let now = named(|key, value| format!("settings.{key}={value}"));
            format!("with {now} ({} fills it)", named(|key, _| format!("settings.{key}=null")))
        }
    };
    Some(format!("nobody sits on the other team {because}"))
}
