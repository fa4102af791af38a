//! Every game of this crate keeps the contract.

use lanista_classic::games;
use lanista_game::check::Trial;
use lanista_game::{check, check_with};
use serde_json::json;

#[test]
fn every_game_keeps_the_contract() {
    for entry in games() {
        let remarks = check(&entry).unwrap();
        assert_eq!(remarks, Vec::<String>::new(), "{}", entry.name);
    }
}

#[test]
fn under_other_settings_too() {
    for (name, settings) in [
        ("cartpole", json!({"limit": 7})),
        ("cartpole-novel", json!({"limit": 1})),
        ("legal", json!({"actions": 10, "illegal": 9, "distractors": 4, "length": 20})),
        ("legal", json!({"actions": 2, "illegal": 0, "length": 1})),
        ("levers", json!({"length": 1})),
        ("duel", json!({"rounds": 1, "prize": 0.5})),
        ("hideout", json!({"rounds": 1})),
        ("hideout", json!({"rounds": 30, "worths": [0, 1, 2, 3, 4], "fee": 0})),
        ("odd-one", json!({"length": 40, "kinds": 2, "noise": 0})),
    ] {
        let entry = games().into_iter().find(|entry| entry.name == name).unwrap();
        check_with(&entry, &settings, Trial { seeds: 5, ..Trial::default() }).unwrap();
    }
}
