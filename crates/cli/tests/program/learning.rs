//! Every part of the trainer learns what it is there to learn, in the steps that it should take.
//!
//! Bits differ from one kind of processor to another, so the bounds leave room: what is usual here
//! lies well inside of them.

use crate::support::Place;

/// Trains a preset; returns the steps it took to solve it, or more than any bound if it did not.
fn solved_with(preset: &str, seed: u64) -> u64 {
    let line = format!("train {preset} --seed {seed} --json");
    Place::new().json(&line)["solved_at_steps"].as_u64().unwrap_or(u64::MAX)
}

/// The steps that three seeds took, fewest first.
fn solved_at(preset: &str) -> Vec<u64> {
    let mut steps: Vec<u64> = (1..=3).map(|seed| solved_with(preset, seed)).collect();
    steps.sort();
    steps
}

#[test]
fn cartpole_is_solved() {
    let steps = solved_at("classic/cartpole --set stop.return=475");
    assert!(steps[1] <= 26_000, "{steps:?}");
}

#[test]
fn masks_are_obeyed_and_learnt_around() {
    let steps = solved_at("classic/legal --set stop.return=95");
    assert!(steps[1] <= 15_000 && steps[2] <= 20_000, "{steps:?}");
}

#[test]
fn a_gated_memory_makes_up_for_hidden_velocities() {
    let steps = solved_at("classic/cartpole-novel --set stop.return=450");
    assert!(steps[1] <= 300_000, "{steps:?}");
}

#[test]
fn a_long_short_term_memory_makes_up_for_hidden_velocities() {
    // The slowest of all to train, so another seed only has its turn if the first fails.
    let preset = "classic/cartpole-novel-lstm --set stop.return=450";
    let solved = |seed| solved_with(preset, seed) <= 300_000;
    assert!(solved(1) || solved(2));
}

#[test]
fn without_memory_hidden_velocities_are_not_made_up_for() {
    let place = Place::new();
    let line = "train classic/cartpole-novel --set policy.memory=null --steps 60000 --json";
    let value = place.json(line);
    assert!(value["return_mean"].as_f64().unwrap() < 200.0, "{value}");
}

#[test]
fn stacked_frames_make_up_for_hidden_velocities() {
    let steps = solved_at(
        "classic/cartpole-novel --set policy.memory=null --set observation.stack=[0,3] \
         --set stop.return=450",
    );
    assert!(steps[1] <= 150_000, "{steps:?}");
}

#[test]
fn heads_that_see_each_other_reach_the_optimum() {
    let steps = solved_at("classic/levers --set stop.return=15.99");
    assert!(steps[1] <= 100_000, "{steps:?}");
}

#[test]
fn independent_heads_stay_at_their_own_optimum() {
    // 6 of 16 is the best they can do; an evaluation of 64 matches strays little from that.
    let place = Place::new();
    for seed in [1, 2] {
        let line = "train classic/levers --set policy.heads.autoregressive=false --json";
        let value = place.json(&format!("{line} --seed {seed} --set run.dir=seed-{seed}"));
        assert_eq!(value["solved_at_steps"], serde_json::Value::Null, "{value}");
        let reached = value["return_mean"].as_f64().unwrap();
        assert!((3.0..=8.0).contains(&reached), "{value}");
    }
}

#[test]
fn self_play_settles_at_the_mixed_equilibrium() {
    // The game's own documentation derives it: rock 2/9, paper 4/9, scissors 3/9.
    let equilibrium = [("rock", 2.0 / 9.0), ("paper", 4.0 / 9.0), ("scissors", 3.0 / 9.0)];
    let mut distances: Vec<f64> = (1..=3)
        .map(|seed| {
            let value = Place::new().json(&format!("train classic/duel --seed {seed} --json"));
            let stats = value["evaluation"]["stats"].as_array().unwrap();
            let stat = |name: String| {
                stats.iter().find(|s| s[0] == name.as_str()).unwrap()[1].as_f64().unwrap()
            };
            let distance = |(choice, share): (&str, f64)| {
                let both = stat(choice.to_owned()) + stat(format!("opponent_{choice}"));
                let played = both / 2.0;
                (played - share).abs()
            };
            equilibrium.into_iter().map(distance).fold(0.0, f64::max)
        })
        .collect();
    distances.sort_by(f64::total_cmp);
    assert!(distances[1] <= 0.05 && distances[2] <= 0.1, "{distances:?}");
}
