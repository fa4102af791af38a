//! Fights keep the contract of games, and no tick of one allocates.

#[path = "../../../crates/game/tests/counting/mod.rs"]
mod counting;

use lanista_game::check::{Trial, no_allocation};
use lanista_game::{check, check_with};
use lanista_nh::games;
use serde_json::{Value, json};

/// What the original contract leaves empty: a prayer while none is offered, and tank gear without any.
const HEADS: [&str; 2] = ["head `gear` ", "head `prayer` "];

fn others() -> [Value; 5] {
    [
        json!({"builds": ["PURE", "ZERKER", "MED", "LMS_PURE", "LMS_ZERKER", "LMS_MED"],
               "randomize_gear": true, "randomize_fight_type": true, "max_ticks": 300}),
        json!({"rules": "live", "death_match": false}),
        json!({"action_delay": 2, "missed_ticks": 0.1, "max_ticks": 100}),
        json!({"builds": ["LMS_MED"], "start_beside": true, "max_ticks": 60,
               "allow_smite": false, "allow_redemption": false}),
        json!({"fight_type": "PVP_ARENA", "levels": {"hitpoints": 10}, "max_ticks": 200,
               "only_switch_prayer_when_about_to_attack": true,
               "only_switch_gear_when_attack_soon": true, "allow_moving_if_can_attack": true}),
    ]
}

#[test]
fn fights_keep_the_contract() {
    let remarks = check(&games()[0]).unwrap();
    let known = |remark: &String| HEADS.iter().any(|head| remark.starts_with(head));
    assert!(remarks.iter().all(known), "{remarks:?}");
}

#[test]
fn under_other_settings_too() {
    for settings in others() {
        check_with(&games()[0], &settings, Trial::default()).unwrap();
    }
}

#[test]
fn no_tick_allocates() {
    for settings in others() {
        no_allocation(&games()[0], &settings, Trial::default(), counting::allocations).unwrap();
    }
}
