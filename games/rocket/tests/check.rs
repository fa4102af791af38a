//! Matches keep the contract of games, and no step of one allocates.

#[path = "../../../crates/game/tests/counting/mod.rs"]
mod counting;

use lanista_game::check::{Trial, no_allocation};
use lanista_game::check_with;
use lanista_rocket::games;
use serde_json::{Value, json};

fn settings() -> [Value; 6] {
    let start = json!({"kickoff": 1, "random": 1, "turtled": 1, "goal_line": 2, "air_dribble": 1});
    [
        json!({"limit_secs": 12}),
        json!({"start": start, "limit_secs": 6, "sticky": 0.3, "action_delay": 3}),
        json!({"team_size": 3, "start": start, "limit_secs": 6, "observation": "advanced"}),
        json!({"team_size": 2, "orange_size": 1, "max_team": 3, "limit_secs": 6}),
        // Long enough for goals, and for the kickoffs that follow them within the match.
        json!({"game": {"minutes": 0.4, "overtime_minutes": 0.1}, "start": start, "repeat": 2}),
        json!({"teams": {"1v1": 1, "2v1": 1, "3v3": 1}, "limit_secs": 6, "start": start,
               "hitbox": {"octane": 1, "merc": 1}, "shaping": "per_second"}),
    ]
}

#[test]
fn matches_keep_the_contract() {
    for settings in settings() {
        let remarks = check_with(&games()[0], &settings, Trial { seeds: 1, limit: 400 }).unwrap();
        let ended = |remark: &String| !remark.contains("had not ended");
        assert!(remarks.iter().all(ended), "{settings}: {remarks:?}");
    }
}

#[test]
fn no_step_allocates() {
    for settings in settings() {
        let trial = Trial { seeds: 3, limit: 400 };
        no_allocation(&games()[0], &settings, trial, counting::allocations).unwrap();
    }
}
