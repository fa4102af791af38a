//! `lanista replay`: recorded matches end as they were recorded.

use crate::support::{DUEL, FEED_FORWARD, HEADS, NH, Place, ROCKET, TWO_ROLES, tree};
use crate::survivors::VERSUS;

/// Trains a little, records matches of the model against itself and a scripted player, and plays all of
/// them again.
fn a_hundred_matches_end_as_recorded(preset: &str, versus: &str) {
    let place = Place::with(&[("preset", preset)]);
    place.ok("train preset.yml --set run.dir=run --until 1 --set evaluation.matches=2");
    place.ok(&format!("eval run --matches 50 --sampled --vs {versus} --record kept"));
    let files = recordings(&place, "kept");
    let matches = 50 * versus.split(',').count();
    assert_eq!(files.len(), matches);
    let line = format!("replay {} --json", files.join(" "));
    let out = place.ok(&line);
    assert_eq!(out.lines().count(), matches);
    for line in out.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["same"], true, "{line}");
    }
}

/// The recordings of a directory.
fn recordings(place: &Place, directory: &str) -> Vec<String> {
    let all = tree(&place.path(directory));
    let files = all.keys().filter(|path| path.extension().is_some_and(|ending| ending == "rec"));
    files.map(|path| format!("{directory}/{}", path.file_name().unwrap().display())).collect()
}

#[test]
fn matches_of_one_player_replay() {
    a_hundred_matches_end_as_recorded(FEED_FORWARD, "self,self");
    a_hundred_matches_end_as_recorded(HEADS, "self,self");
    for (game, term) in [("cartpole-novel", "balance"), ("legal", "right"), ("odd-one", "found")] {
        let preset = format!(
            "game: {game}\nrollout: {{ matches: 4, horizon: 16 }}\nppo: {{ minibatch: 32 }}\n\
             rewards: {{ {term}: 1 }}\n"
        );
        a_hundred_matches_end_as_recorded(&preset, "self,self");
    }
}

#[test]
fn matches_of_two_replay() {
    a_hundred_matches_end_as_recorded(DUEL, "self,bot:biased");
}

#[test]
fn matches_of_two_roles_replay() {
    a_hundred_matches_end_as_recorded(TWO_ROLES, "self,bot:biased");
}

#[test]
fn fights_replay_with_the_script_inside() {
    a_hundred_matches_end_as_recorded(NH, "bot:baseline,bot:greedy");
}

#[test]
fn matches_of_survivors_and_infected_replay() {
    a_hundred_matches_end_as_recorded(VERSUS, "self,bot:hunter_like");
}

#[test]
fn rocket_matches_replay_with_players_that_remember() {
    a_hundred_matches_end_as_recorded(ROCKET, "self,bot:rule");
}

#[test]
fn matches_of_a_training_are_kept_and_thought_about() {
    let place = Place::with(&[("preset", TWO_ROLES)]);
    place.ok("train preset.yml --set run.dir=run");
    let files = recordings(&place, "run/recordings");
    assert_eq!(files.len(), 10, "the latest ones: {files:?}");
    let out = place.json(&format!("replay {} --model run --steps --json", files[0]));
    assert_eq!(out["same"], true);
    let played = out["played"].as_array().unwrap();
    assert_eq!(played.len() as u64, out["steps"].as_u64().unwrap());
    for step in played {
        for seat in step["seats"].as_array().unwrap() {
            let chosen = seat["model"]["chosen"].as_array().unwrap();
            assert!(chosen.iter().all(|p| (0.0..=1.0).contains(&p.as_f64().unwrap())), "{seat}");
            for head in seat["model"]["probabilities"].as_array().unwrap() {
                let sum: f64 = head.as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).sum();
                assert!((sum - 1.0).abs() < 1e-4, "{seat}");
            }
        }
    }
    let text = place.ok(&format!("replay {} --steps --model run", files[0]));
    assert!(text.contains("as recorded") && text.contains("value"), "{text}");
}

#[test]
fn a_recording_that_was_altered_is_found_out() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --set run.dir=run --until 1 --set evaluation.matches=2");
    place.ok("eval run --matches 1 --record kept");
    let path = place.path("kept/match-0000.rec");
    let sound = std::fs::read(&path).unwrap();
    // Another result.
    let line = sound.iter().skip(20).position(|&byte| byte == b'\n').unwrap() + 20;
    let about = String::from_utf8(sound[20..line].to_vec()).unwrap();
    let (before, after) = about.split_once("\"score\":[").unwrap();
    let after = after.split_once(']').unwrap().1;
    let altered = format!("{before}\"score\":[99.0,-99.0]{after}");
    let bytes = [&sound[..20], altered.as_bytes(), &sound[line..]].concat();
    std::fs::write(&path, bytes).unwrap();
    let refused = place.fails("replay kept/match-0000.rec");
    assert!(refused.contains("did not end as recorded"), "{refused}");
    // No whole file.
    std::fs::write(&path, &sound[..sound.len() - 1]).unwrap();
    let refused = place.fails("replay kept/match-0000.rec");
    assert!(refused.contains("match-0000.rec") && refused.contains("steps"), "{refused}");
    std::fs::write(&path, b"something else").unwrap();
    let refused = place.fails("replay kept/match-0000.rec");
    assert!(refused.contains("does not begin as a recording does"), "{refused}");
}

#[test]
fn a_model_tells_what_it_sees_and_does() {
    let place = Place::with(&[("preset", TWO_ROLES)]);
    place.ok("train preset.yml --set run.dir=run --until 1 --set evaluation.matches=2");
    let text = place.ok("games run/model.zip");
    for part in ["plays hideout", "Role hider", "Role seeker", "cellar_locked", "Rewarded for: won"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let value = place.json("games run --json");
    assert_eq!(value["spec"]["roles"][1]["name"], "seeker");
    let refused = place.fails("eval run --vs bot:nobody");
    assert!(refused.contains("no player `bot:nobody` in hideout"), "{refused}");
}

#[test]
fn frames_and_scene_are_written() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --set run.dir=run --until 1 --set evaluation.matches=2");
    place.ok("eval run --matches 2 --record kept");
    place.ok("replay kept/match-0000.rec --frames frames.jsonl --scene scene.json");
    let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    let frames = read("frames.jsonl");
    // Those that were kept when it was played, but for the last: the end is no step.
    let kept = read("kept/match-0000.jsonl");
    assert!(kept.starts_with(&frames) && kept.lines().count() == frames.lines().count() + 1);
    let scene: serde_json::Value = serde_json::from_str(&read("scene.json")).unwrap();
    assert_eq!(scene["stakes"].as_array().map(Vec::len), Some(3), "{scene}");
    let both = "replay kept/match-0000.rec kept/match-0001.rec --scene scene.json";
    assert!(place.fails(both).contains("--scene: one file"));
}
