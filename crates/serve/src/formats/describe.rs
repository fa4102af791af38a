//! What a model sees and does, by name.

use serde_json::{Value, json};

use crate::model::{Endpoint, Models};

/// Describes one policy, or names all.
pub fn write(models: &Models, one: Option<usize>, out: &mut Vec<u8>) {
    let value = match one {
        Some(endpoint) => whole(&models.endpoints()[endpoint]),
        None => {
            let short = |endpoint: &Endpoint| {
                let weights = endpoint.weights();
                json!({
                    "name": endpoint.name,
                    "game": endpoint.game,
                    "version": weights.version,
                    "steps": weights.steps,
                })
            };
            json!({"models": models.endpoints().iter().map(short).collect::<Vec<Value>>()})
        }
    };
    out.extend_from_slice(value.to_string().as_bytes());
}

fn whole(endpoint: &Endpoint) -> Value {
    let mut features: Vec<(&usize, &String)> =
        endpoint.feature_places.iter().map(|(name, place)| (place, name)).collect();
    features.sort_unstable();
    let features: Vec<&String> = features.into_iter().map(|(_, name)| name).collect();
    let role = &endpoint.role;
    let privileged: Vec<&String> = role.privileged.iter().map(|f| &f.name).collect();
    let weights = endpoint.weights();
    json!({
        "name": endpoint.name,
        "game": endpoint.game,
        "role": role.name,
        "version": weights.version,
        "steps": weights.steps,
        "features": features,
        "frames": endpoint.frames,
        "privileged": privileged,
        "heads": role.heads,
        "requires": role.requires,
        "pairs": role.pairs,
        "state": endpoint.state_sizes.0 + endpoint.state_sizes.1,
    })
}
