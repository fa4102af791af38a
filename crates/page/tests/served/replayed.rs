//! Matches, played again.

use std::path::Path;

use lanista_game::recording::{About, Actions, Ended, Played, Recording};
use lanista_game::{Buffers, Control, Entry};
use lanista_train::recorder;
use serde_json::Value;

use crate::support::{Served, begin};

fn duel() -> Entry {
    lanista_classic::games().iter().find(|entry| entry.name == "duel").cloned().unwrap()
}

/// A match in which everybody takes the first legal action, as a training would keep it.
fn record(directory: &Path, name: &str, change: impl FnOnce(&mut Recording)) {
    let (entry, seed) = (duel(), 3);
    let mut batch = entry.build(&Value::Null, 1).unwrap();
    let spec = batch.spec().clone();
    let mut buffers = Buffers::new(&spec, 1);
    let layout = buffers.layout().clone();
    let seats = vec![Control::Outside; spec.seats.len()];
    batch.start(0, seed, &seats, &mut buffers).unwrap();
    let mut actions = Actions::new(&spec);
    let mut joint = vec![0u32; actions.width()];
    let mut sums = vec![0.0f32; spec.seats.len() * spec.terms.len()];
    while buffers.end[0].is_none() {
        joint.fill(0);
        for seat in (0..spec.seats.len()).filter(|seat| buffers.acting[*seat]) {
            for head in 0..layout.seat(seat).heads {
                let legal = &buffers.mask[seat * layout.actions..][layout.seat(seat).head(head)];
                let first = legal.iter().position(|legal| *legal).unwrap();
                joint[seat * layout.heads + head] = first as u32;
            }
        }
        actions.push(&joint);
        batch.submit(&[0], &joint, &mut buffers).unwrap();
        sums.iter_mut().zip(&buffers.terms).for_each(|(sum, term)| *sum += term);
    }
    let result = Ended {
        end: buffers.end[0].unwrap(),
        score: buffers.score.clone(),
        stats: buffers.stats.clone(),
        terms: sums.chunks(spec.terms.len()).map(<[f32]>::to_vec).collect(),
    };
    let about = About {
        game: "duel".into(),
        settings: Value::Null,
        version: "0.0.1".into(),
        seed,
        seats: seats.clone(),
        players: vec!["learner".into(); spec.seats.len()],
        steps: actions.steps(),
        result,
        checked: false,
    };
    let recording =
        Recording { about, played: Played { seed, seats, actions }, checks: Vec::new() };
    let mut recording = recorder::checked(&entry, &Value::Null, recording);
    change(&mut recording);
    recorder::write(directory, name, &recording, None).unwrap();
}

fn served(change: impl FnOnce(&mut Recording)) -> (Served, String) {
    let served = Served::of(|root| {
        begin(root, "a", 20);
        record(&root.join("a/recordings"), "000000000100-000", change);
    });
    let id = served.first_run();
    let listed = served.json(&format!("/api/matches?run={id}"));
    let listed = &listed["matches"][0];
    assert_eq!(
        (listed["source"].as_str(), listed["steps"].as_u64()),
        (Some("training"), Some(100))
    );
    assert_eq!(listed["seats"].as_array().unwrap().len(), 2);
    let match_id = listed["id"].as_str().unwrap().to_owned();
    (served, match_id)
}

#[test]
fn a_recorded_match_is_played_to_its_end() {
    let (served, id) = served(|_| {});
    let whole = served.json(&format!("/api/match/{id}"));
    assert_eq!((whole["state"].as_str(), &whole["first_difference"]), (Some("same"), &Value::Null));
    let length = whole["length"].as_u64().unwrap() as usize;
    assert!(length > 0 && !whole["spec"]["roles"][0]["heads"].as_array().unwrap().is_empty());
    let frames = served.json(&format!("/api/match/{id}/frames?from=0"));
    assert_eq!(frames["frames"].as_array().unwrap().len(), length + 1);
    assert_eq!(frames["joint"].as_array().unwrap().len(), length);
    assert_eq!(frames["acting"][0].as_array().unwrap().len(), 2);
    let part = served.json(&format!("/api/match/{id}/frames?from=2&to=4"));
    assert_eq!(part["from"], 2);
    assert_eq!(part["frames"].as_array().unwrap()[..], frames["frames"].as_array().unwrap()[2..4]);
    assert_eq!(served.get(&format!("/api/match/{id}/thoughts?model=x")).status, 404);
    assert_eq!(served.get("/api/match/0000000000000000").status, 404);
    let run = served.first_run();
    assert_eq!(served.json(&format!("/api/live/{run}"))["recording"], id.as_str());
    let detail = served.json(&format!("/api/runs/{run}"));
    assert_eq!(detail["recordings"][0], id.as_str());
}

#[test]
fn the_first_step_that_differs_is_named() {
    let (served, id) = served(|recording| {
        assert!(recording.checks.len() > 6, "checks were made when it was recorded");
        // As if another build had seen something else from its sixth step on.
        recording.checks[5..].iter_mut().for_each(|check| *check ^= 1);
    });
    let whole = served.json(&format!("/api/match/{id}"));
    assert_eq!(whole["state"], "differs");
    assert_eq!(whole["first_difference"], 5);
    assert!(whole["notice"].as_str().unwrap().contains("not on the same way"));
}

#[test]
fn another_end_is_noticed_in_recordings_without_checks() {
    let (served, id) = served(|recording| {
        recording.about.result.score[0] += 1.0;
        *recording = recording.clone().with_checks(Vec::new());
    });
    let whole = served.json(&format!("/api/match/{id}"));
    assert_eq!(
        (whole["state"].as_str(), &whole["first_difference"]),
        (Some("differs"), &Value::Null)
    );
    assert!(whole["notice"].as_str().unwrap().contains("the score is"));
}

#[test]
fn what_is_no_recording_is_not_listed() {
    let served = Served::of(|root| {
        begin(root, "a", 20);
        std::fs::create_dir_all(root.join("a/recordings")).unwrap();
        std::fs::write(root.join("a/recordings/1.rec"), "nonsense").unwrap();
    });
    let id = served.first_run();
    let listed = served.json(&format!("/api/matches?run={id}"));
    assert_eq!(listed["matches"].as_array().unwrap().len(), 0);
}
