//! Latency between a policy and the fight.

use lanista_game::{Buffers, Control};
use lanista_nh::contract::FIELDS;
use lanista_nh::games;
use serde_json::{Value, json};

/// At which step a prayer that is chosen at the first of ten steps is seen; the last observation, too.
fn prays_at(settings: &Value, seats: [Control; 2]) -> (Option<usize>, Vec<f32>) {
    let mut batch = games()[0].build(settings, 1).unwrap();
    let mut buffers = Buffers::new(batch.spec(), 1);
    batch.start(0, 3, &seats, &mut buffers).unwrap();
    let prayer = FIELDS.iter().position(|field| field.name == "player_ranged_prayer").unwrap();
    let mut seen = None;
    for step in 0..10 {
        let mut actions = [0; 24];
        actions[11] = if step == 0 { 2 } else { 0 };
        batch.submit(&[0], &actions, &mut buffers).unwrap();
        if buffers.observation[prayer] == 1.0 {
            seen = seen.or(Some(step));
        }
    }
    (seen, buffers.observation)
}

#[test]
fn an_action_takes_effect_as_late_as_the_settings_say() {
    let outside = [Control::Outside, Control::Bot(4)];
    for delay in 0..=4 {
        let (step, _) = prays_at(&json!({"action_delay": delay}), outside);
        assert_eq!(step, Some(delay), "a delay of {delay}");
    }
}

#[test]
fn without_latency_the_fight_is_what_it_was_and_scripted_players_have_none() {
    let outside = [Control::Outside, Control::Bot(4)];
    let plain = prays_at(&json!({}), outside);
    assert_eq!(prays_at(&json!({"action_delay": 0, "missed_ticks": 0.0}), outside), plain);
    // The seat of a scripted player: nothing lies between it and the fight.
    let scripted = [Control::Bot(1), Control::Bot(4)];
    let late = json!({"action_delay": 3, "missed_ticks": 0.5});
    assert_eq!(prays_at(&late, scripted), prays_at(&json!({}), scripted));
}

#[test]
fn missed_ticks_are_those_of_the_seed() {
    let outside = [Control::Outside, Control::Bot(4)];
    let settings = json!({"missed_ticks": 0.5});
    assert_eq!(prays_at(&settings, outside), prays_at(&settings, outside));
}
