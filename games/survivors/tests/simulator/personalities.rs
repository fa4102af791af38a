//! The five personalities have the weights of the document that they come from, to the digit.

use std::path::Path;

use serde_json::{Value, json};

/// A preset with what it imports, as far as rewards and PPO go: what is nearer wins.
fn resolved(name: &str) -> (Value, Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../presets/{name}.yml"));
    let text = std::fs::read_to_string(&path).unwrap();
    let preset: Value = serde_saphyr::from_str(&text).unwrap();
    let (mut rewards, mut ppo) = match preset["import"].as_str() {
        Some(import) => resolved(import),
        None => (json!({}), json!({})),
    };
    for (into, key) in [(&mut rewards, "rewards"), (&mut ppo, "ppo")] {
        for (name, value) in preset[key].as_object().into_iter().flatten() {
            into[name] = value.clone();
        }
    }
    (rewards, ppo)
}

#[test]
fn a_personality_has_exactly_its_weights() {
    let terms = [
        "kill",
        "damage_dealt",
        "damage_taken",
        "heal_teammate",
        "incapped",
        "death",
        "safe_room",
        "survival",
        "proximity_to_team",
    ];
    let table = [
        ("balanced", [1.0, 0.1, -0.1, 5.0, -10.0, -50.0, 100.0, 0.01, 0.001]),
        ("aggressive", [3.0, 0.3, -0.05, 1.0, -5.0, -30.0, 50.0, 0.005, 0.0]),
        ("medic", [0.5, 0.05, -0.2, 15.0, -15.0, -100.0, 100.0, 0.02, 0.01]),
        ("speedrunner", [0.2, 0.0, -0.05, 0.5, -20.0, -50.0, 200.0, 0.0, -0.001]),
        ("defender", [2.0, 0.2, -0.15, 8.0, -15.0, -80.0, 80.0, 0.02, 0.02]),
    ];
    for (name, weights) in table {
        let (rewards, _) = resolved(&format!("survivors/{name}"));
        let rewards = rewards.as_object().unwrap();
        for (term, weight) in terms.iter().zip(weights) {
            assert_eq!(rewards[*term].as_f64(), Some(weight), "{name}: {term}");
        }
        // Ours, and the same for all five.
        assert_eq!(rewards["progress"].as_f64(), Some(1.0), "{name}");
        assert_eq!(rewards.len(), terms.len() + 1, "{name}: {rewards:?}");
    }
}

#[test]
fn a_personality_changes_ppo_as_the_document_says() {
    for (name, entropy, gamma) in [
        ("balanced", 0.01, 0.99),
        ("aggressive", 0.02, 0.95),
        ("medic", 0.005, 0.995),
        ("speedrunner", 0.03, 0.9),
        ("defender", 0.01, 0.99),
    ] {
        let (_, ppo) = resolved(&format!("survivors/{name}"));
        assert_eq!(ppo["entropy"].as_f64(), Some(entropy), "{name}");
        assert_eq!(ppo["gamma"].as_f64(), Some(gamma), "{name}");
    }
}
