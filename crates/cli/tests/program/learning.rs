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

#[test]
fn both_roles_of_an_asymmetric_game_settle_at_its_value() {
    let found: Vec<(f64, f64, f64)> = (1..=2)
        .map(|seed| {
            let place = Place::new();
            place.json(&format!("train classic/hideout --seed {seed} --set run.dir=run --json"));
            hideout::judge(&place.path("run/model.zip"))
        })
        .collect();
    // What the two earn against each other, and what the best reply to each wins, a round.
    let within = |&(off, hider, seeker): &(f64, f64, f64)| {
        off.abs() <= 0.05 && hider <= 0.05 && seeker <= 0.05
    };
    assert!(found.iter().all(within), "{found:?}");
}

#[test]
fn a_set_policy_finds_the_odd_one_and_a_flat_one_does_not() {
    let run = |seed: u64, more: &str| {
        let line = format!("train classic/odd-one --seed {seed} {more} --json");
        Place::new().json(&line)["return_mean"].as_f64().unwrap()
    };
    // Of 16; what scores each thing by itself gets at most 8.
    let set = run(1, "");
    let flat = run(1, "--set policy.encoder=null --set policy.hidden=[128,128]");
    assert!(set > 15.0 && flat < 11.0, "{set} and {flat}");
}

/// How near two learnt roles are to the equilibrium of `hideout`.
mod hideout {
    use std::path::Path;

    use lanista_classic::hideout::{
        Equilibrium, HiderMixes, PLACES, SeekerMixes, Settings, TOOLS, hider_exploitability,
        payoff, searches, seeker_exploitability,
    };
    use lanista_game::{Buffers, Control, seed};
    use lanista_learn::{Choose, Policy, categorical};
    use lanista_train::infer::{Inference, Seen};
    use lanista_train::model;
    use serde_json::Value;

    /// How far their mean is from the value, and what the best reply to each wins, a round.
    pub fn judge(path: &Path) -> (f64, f64, f64) {
        let (hider, seeker) = mixes(path);
        // As the preset has them.
        let worths = [1.0, 0.8, 0.4, 1.2, 0.8];
        let settings =
            Settings { worths, caught: 1.0, chased: 0.4, fee: 0.3, ..Settings::default() };
        let mut mean = 0.0;
        for locked in 0..PLACES {
            for (hidden, share) in hider[locked].iter().enumerate() {
                for (looked, tool) in searches(locked) {
                    let both = share * seeker[locked][looked][tool];
                    mean += both * payoff(&settings, hidden, looked, tool) / PLACES as f64;
                }
            }
        }
        (
            mean - Equilibrium::of(&settings).value(),
            hider_exploitability(&settings, &hider),
            seeker_exploitability(&settings, &seeker),
        )
    }

    /// How often each of them does what, by the place that is locked, over some thousand rounds.
    fn mixes(path: &Path) -> (HiderMixes, SeekerMixes) {
        let games = lanista_classic::games();
        let entry = games.iter().find(|entry| entry.name == "hideout").unwrap();
        let spec = entry.spec(&Value::Null).unwrap();
        let (roster, _) = model::load(path, &spec).unwrap();
        let mut batch = entry.build(&Value::Null, 1).unwrap();
        let mut buffers = Buffers::new(&spec, 1);
        let (mut hider, mut seeker): (HiderMixes, SeekerMixes) = Default::default();
        let mut rounds = [0.0; PLACES];
        let heads = buffers.layout().heads;
        for episode in 0..400 {
            batch.start(0, seed::mix(9, episode), &[Control::Outside; 2], &mut buffers).unwrap();
            loop {
                let locked = (0..PLACES).find(|&p| buffers.observation[p] == 1.0).unwrap();
                rounds[locked] += 1.0;
                let mut joint = vec![0; 2 * heads];
                let hides = probabilities(roster.get(0).unwrap(), &buffers, 0, &[0]);
                for (place, p) in hides[0].iter().enumerate() {
                    hider[locked][place] += f64::from(*p);
                }
                joint[0] = draw(&hides[0], seed::mix(episode, 1));
                let looks = probabilities(roster.get(1).unwrap(), &buffers, 1, &[0, 0]);
                for place in 0..PLACES {
                    let known = [place as u32, 0];
                    let tools = probabilities(roster.get(1).unwrap(), &buffers, 1, &known);
                    for tool in 0..TOOLS {
                        seeker[locked][place][tool] +=
                            f64::from(looks[0][place]) * f64::from(tools[1][tool]);
                    }
                }
                joint[heads] = draw(&looks[0], seed::mix(episode, 2));
                batch.submit(&[0], &joint, &mut buffers).unwrap();
                if buffers.end[0].is_some() {
                    break;
                }
            }
        }
        for locked in 0..PLACES {
            hider[locked].iter_mut().for_each(|share| *share /= rounds[locked]);
            seeker[locked].as_flattened_mut().iter_mut().for_each(|s| *s /= rounds[locked]);
        }
        (hider, seeker)
    }

    fn draw(shares: &[f32], bits: u64) -> u32 {
        let mut left = seed::uniform(seed::mix(bits, 3));
        for (choice, share) in shares.iter().enumerate() {
            left -= share;
            if left < 0.0 {
                return choice as u32;
            }
        }
        shares.iter().position(|share| *share > 0.0).unwrap() as u32
    }

    /// `[heads][actions]` of a seat, given the choices of earlier heads.
    fn probabilities(
        policy: &Policy,
        buffers: &Buffers,
        seat: usize,
        known: &[u32],
    ) -> Vec<Vec<f32>> {
        let role = buffers.layout().seat(seat);
        let seen = Seen { observation: &buffers.observation, buffers, role };
        let mut inference = Inference::default();
        inference.add(&seen, seat, true, &[]);
        inference.add_critic(&seen, seat, &[]);
        inference.prepare(policy);
        inference.choose(policy, Choose::Known(&|_, head| known[head]));
        (0..role.heads)
            .map(|head| {
                let at = role.head(head);
                let mut probs = vec![0.0; at.len()];
                let mask = &inference.inputs.mask[at.clone()];
                categorical::evaluate(&inference.scratch.logits[at], mask, known[head], &mut probs);
                probs
            })
            .collect()
    }

    #[test]
    #[ignore = "tells how good a run is: HIDEOUT=run/model.zip"]
    fn tell() {
        if let Ok(path) = std::env::var("HIDEOUT") {
            println!("off, hider, seeker: {:.4?}", judge(Path::new(&path)));
        }
    }
}
