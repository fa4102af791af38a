//! Matches keep the contract of games.

#[path = "../../../crates/game/tests/counting/mod.rs"]
mod counting;

use counting::allocations;
use lanista_game::check::Trial;
use lanista_game::{Buffers, Control, check_with};
use lanista_rocket::games;
use lanista_rocket::table::NEUTRAL;
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

/// RocketSim allocates in the first tick of an arena and where bodies touch, which is out of our hands.
/// What is around it allocates nothing: neither a step in which nothing touches, nor a scripted player.
#[test]
fn nothing_but_the_engine_allocates() {
    let settings = json!({"team_size": 3, "limit_secs": 20, "no_touch_secs": 20});
    let mut batch = games()[0].build(&settings, 1).unwrap();
    let mut buffers = Buffers::new(batch.spec(), 1);
    let (seats, bots) = (batch.spec().seats.len(), batch.spec().roles[0].bots.len());
    let coast = vec![NEUTRAL as u32; seats];
    batch.start(0, 1, &vec![Control::Bot(0); seats], &mut buffers).unwrap();
    batch.submit(&[0], &coast, &mut buffers).unwrap();
    for step in 0..100 {
        let before = allocations();
        for seat in 0..seats {
            for bot in 0..bots {
                batch.scripted(0, bot, seat, &mut [0]).unwrap();
            }
        }
        batch.submit(&[0], &coast, &mut buffers).unwrap();
        assert_eq!(allocations() - before, 0, "step {step}");
    }
}
