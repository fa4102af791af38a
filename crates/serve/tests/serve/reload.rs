//! Models that change while they serve.

use std::collections::HashMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use lanista_serve::{Config, Format};
use serde_json::{Value, json};

use crate::support::{FEATURES, Made, decide, numbers, serve, single};

/// `RELOADS=1000` tries more than a test has time for.
fn how_many() -> u32 {
    std::env::var("RELOADS").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

#[test]
fn no_answer_fails_or_mixes_weights_while_models_change() {
    let one = Made { seed: 1, steps: 1, ..Made::default() };
    let other = Made { seed: 2, steps: 2, ..Made::default() };
    let served = serve(&one, Config { workers: 2, ..Config::local(Format::Lines) });
    let kept = tempfile::tempdir().unwrap();
    let policies = [&other, &one].map(|made| made.save(&kept.path().join("model.zip")));
    let over = AtomicBool::new(false);
    let reloads = how_many();
    let answered: Vec<u64> = thread::scope(|scope| {
        let clients: Vec<_> = (0..4u64)
            .map(|c| {
                let (served, policies, over) = (&served, &policies, &over);
                scope.spawn(move || {
                    let mut client = served.connect(Format::Lines);
                    let (mut count, mut last, mut known) = (0, 0, HashMap::new());
                    while !over.load(Relaxed) || last <= reloads / 2 {
                        let obs = numbers(c * 100 + count % 5, FEATURES);
                        let got = client.ask(&json!({"obs": obs, "want": ["value", "log_prob"]}));
                        let version = got["version"].as_u64().expect("no request fails") as u32;
                        // Odd versions are the first model, even ones the other.
                        let policy = (version % 2) as usize;
                        let want = known.entry((policy, count % 5)).or_insert_with(|| {
                            let want = decide(&policies[policy], &obs, None, None);
                            (want.value, want.log_prob)
                        });
                        let got = (single(&got["value"]), single(&got["log_prob"]));
                        assert_eq!(got, *want, "version {version}");
                        assert!(version >= last, "{version} after {last}");
                        last = version;
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        for i in 0..reloads {
            if i % 2 == 0 { &other } else { &one }.save(&served.path);
            served.server.reload();
            let notes = served.server.notes();
            assert_eq!(notes.len(), 1);
            assert_eq!(notes[0].result, Ok((i + 2, u64::from(2 - i % 2))));
        }
        over.store(true, Relaxed);
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(answered.iter().all(|&count| count > u64::from(reloads) / 10), "{answered:?}");
    println!("{reloads} reloads under {} requests", answered.iter().sum::<u64>());
    assert_eq!(served.server.metrics().refusals(), 0);
}

#[test]
fn a_file_that_changes_is_read_and_a_bad_one_is_not_served() {
    let config =
        Config { reload_every: Some(Duration::from_millis(20)), ..Config::local(Format::Lines) };
    let served = serve(&Made::default(), config);
    let mut client = served.connect(Format::Lines);
    let mut ask =
        || -> Value { client.ask(&json!({"obs": vec![0.5; FEATURES], "want": ["value"]})) };
    let first = ask();
    let wait_for_note = || {
        let begun = Instant::now();
        loop {
            if let Some(note) = served.server.notes().pop() {
                return note.result;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "no note");
            thread::sleep(Duration::from_millis(5));
        }
    };
    fs::write(&served.path, b"no model at all").unwrap();
    let problem = wait_for_note().unwrap_err();
    assert!(problem.contains("not a sound model"), "{problem}");
    assert_eq!(ask(), first);
    // Another shape cannot be served to clients who know this one.
    Made { stack: vec![0, 1], ..Made::default() }.save(&served.path);
    let problem = wait_for_note().unwrap_err();
    assert!(problem.contains("another shape"), "{problem}");
    Made::with(json!({"hidden": [4], "memory": {"cell": "gru", "size": 3}})).save(&served.path);
    let problem = wait_for_note().unwrap_err();
    assert!(problem.contains("memory"), "{problem}");
    assert_eq!(ask(), first);
    // Nor can one that computes nonsense.
    let huge = Made::with(json!({"hidden": [16, 16], "activation": "relu"}));
    huge.save_scaled(&served.path, 1e30);
    let problem = wait_for_note().unwrap_err();
    assert!(problem.contains("not finite"), "{problem}");
    assert_eq!(ask(), first);
    // While the file is away, nothing happens.
    fs::remove_file(&served.path).unwrap();
    thread::sleep(Duration::from_millis(100));
    assert_eq!(served.server.notes(), []);
    let fresh = Made { seed: 5, steps: 900, ..Made::default() };
    let policy = fresh.save(&served.path);
    assert_eq!(wait_for_note(), Ok((2, 900)));
    let got = ask();
    assert_eq!(got["version"], 2);
    let want = decide(&policy, &[0.5; FEATURES], None, None).value;
    assert_eq!(single(&got["value"]), want);
    assert_ne!(first["value"], got["value"]);
}
