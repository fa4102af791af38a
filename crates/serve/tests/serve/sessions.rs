//! What is remembered, and what follows from it.

use std::thread;

use lanista_serve::{Config, Format};
use serde_json::{Value, json};

use crate::support::{Client, FEATURES, Made, actions, decide, numbers, serve, single, singles};

fn recurrent(cell: &str) -> Made {
    Made::with(json!({
        "hidden": [16], "memory": {"cell": cell, "size": 12}, "normalize_observations": true,
    }))
}

#[test]
fn memory_is_that_of_the_policy_bit_for_bit() {
    for cell in ["lstm", "gru"] {
        let served = serve(&recurrent(cell), Config::local(Format::Lines));
        let mut client = served.connect(Format::Lines);
        // Two games over one connection, interleaved, a third that keeps its memory itself.
        let mut games: Vec<Option<(Vec<f32>, Vec<f32>)>> = vec![None, None, None];
        for step in 0..60u64 {
            let game = (step * 7 % 3) as usize;
            let obs = numbers(step, FEATURES);
            let reset = step == 40;
            if reset {
                games[game] = None;
            }
            let memory = games[game].as_ref().map(|(a, c)| (&a[..], &c[..]));
            let want = decide(&served.policy, &obs, None, memory);
            let mut request = json!({"obs": obs, "want": ["value", "state"], "reset": reset});
            if game == 2 {
                let (actor, critic) = served.policy.state_sizes();
                let zeros = || (vec![0.0; actor], vec![0.0; critic]);
                let (a, c) = games[2].clone().unwrap_or_else(zeros);
                request["state"] = json!([a, c].concat());
            } else {
                request["session"] = json!(format!("game {game}"));
            }
            let got = client.ask(&request);
            assert_eq!(actions(&got["action"]), want.actions, "{cell} {step}");
            assert_eq!(single(&got["value"]).to_bits(), want.value.to_bits(), "{cell} {step}");
            let state: Vec<u32> = singles(&got["state"]).iter().map(|n| n.to_bits()).collect();
            let own = want.actor.iter().chain(&want.critic).map(|n| n.to_bits());
            assert_eq!(state, own.collect::<Vec<u32>>(), "{cell} {step}");
            games[game] = Some((want.actor, want.critic));
        }
    }
}

#[test]
fn frames_are_stacked_for_clients_that_send_the_newest() {
    let made = Made { stack: vec![0, 2, 1], ..Made::default() };
    let served = serve(&made, Config::local(Format::Lines));
    let mut client = served.connect(Format::Lines);
    let mut past: Vec<Vec<f32>> = Vec::new();
    for step in 0..20u64 {
        let now = numbers(step, FEATURES);
        let reset = step == 9;
        if reset {
            past.clear();
        }
        let back = |k: usize| match past.len().checked_sub(k) {
            Some(at) => past[at].clone(),
            None => vec![0.0; FEATURES],
        };
        let seen = [now.clone(), back(2), back(1)].concat();
        let want = decide(&served.policy, &seen, None, None);
        let obs = if step % 2 == 0 { json!(now) } else { json!([now]) };
        let got = client.ask(&json!({"obs": obs, "want": ["value"], "reset": reset}));
        assert_eq!(single(&got["value"]).to_bits(), want.value.to_bits(), "{step}");
        // All frames at once, in the order of the model, are the same thing.
        let whole = client.ask(&json!({"obs": seen, "want": ["value"], "session": "whole"}));
        assert_eq!(single(&whole["value"]).to_bits(), want.value.to_bits(), "{step}");
        past.push(now);
    }
}

/// Everything that a seeded game of 40 steps is answered.
fn game(client: &mut Client, seed: u64) -> Vec<Value> {
    let ask = |step: u64| {
        let mut request = json!({
            "obs": numbers(seed * 1000 + step, FEATURES), "deterministic": false,
            "want": ["log_prob", "value", "probs"],
        });
        if step == 0 {
            request["seed"] = json!(seed);
        }
        request
    };
    (0..40).map(|step| client.ask(&ask(step))).collect()
}

#[test]
fn the_same_seed_and_requests_give_the_same_bits_in_any_company() {
    for policy in [
        json!({"hidden": [16, 16]}),
        // Wide enough that large batches would round otherwise.
        json!({"hidden": [2100, 16]}),
        json!({"hidden": [16], "memory": {"cell": "lstm", "size": 12}}),
    ] {
        let served =
            serve(&Made::with(policy), Config { workers: 1, ..Config::local(Format::Lines) });
        // How many rows may go together depends on the processor.
        let rows = served.server.models().endpoints()[0].weights().rows;
        println!("{rows} rows at a time");
        let alone: Vec<Vec<Value>> =
            (0..8).map(|seed| game(&mut served.connect(Format::Lines), seed)).collect();
        assert_ne!(alone[0], alone[1]);
        let crowd: Vec<Vec<Value>> = thread::scope(|scope| {
            let games: Vec<_> = (0..8)
                .map(|seed| {
                    scope.spawn({
                        let served = &served;
                        move || game(&mut served.connect(Format::Lines), seed)
                    })
                })
                .collect();
            games.into_iter().map(|game| game.join().unwrap()).collect()
        });
        assert_eq!(alone, crowd);
    }
}

#[test]
fn sessions_without_a_seed_differ() {
    let served = serve(&Made::default(), Config::local(Format::Lines));
    let mut client = served.connect(Format::Lines);
    let mut play = |name: &str| -> Vec<Vec<u32>> {
        let request = json!({"obs": vec![0.1; FEATURES], "deterministic": false, "session": name});
        (0..60).map(|_| actions(&client.ask(&request)["action"])).collect()
    };
    let (one, other) = (play("one"), play("other"));
    assert_ne!(one, other);
}

#[test]
fn the_end_of_a_session_makes_room() {
    let mut config = Config::local(Format::Lines);
    config.limits.sessions = 2;
    let served = serve(&Made::default(), config);
    let mut client = served.connect(Format::Lines);
    let mut ask = |session: &str, end: bool| {
        client.ask(&match end {
            true => json!({"session": session, "end": true}),
            false => json!({"session": session, "obs": {}}),
        })
    };
    assert!(ask("a", false)["action"].is_array());
    assert!(ask("b", false)["action"].is_array());
    let refused = ask("c", false);
    assert_eq!(refused["kind"], "sessions", "{refused}");
    assert_eq!(ask("a", true)["ended"], true);
    assert!(ask("c", false)["action"].is_array());
    assert_eq!(ask("nobody", true)["ended"], true);
}
