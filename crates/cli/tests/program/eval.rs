//! `lanista eval`: how good a trained agent is.

use std::net::UdpSocket;
use std::time::Duration;

use lanista_game::{Buffers, Control, Recording};
use serde_json::Value;

use crate::support::{DUEL, FEED_FORWARD, Place, ROCKET, STACKED, text};

#[test]
fn duels_against_a_bot_are_counted() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --set run.dir=run");
    let value = place.json("eval run --vs bot:random --matches 50 --json");
    assert_eq!((value["matches"].as_u64(), value["game"].as_str()), (Some(50), Some("duel")));
    assert_eq!(
        (value["vs"].as_str(), value["deterministic"].as_bool()),
        (Some("bot:random"), Some(true))
    );
    assert_eq!(value["steps"].as_u64(), Some(place.bits("run").steps()));
    assert_eq!(value["length_mean"].as_f64(), Some(16.0));
    let share = |key: &str| value["results"][key].as_f64().unwrap();
    assert!((share("won") + share("drawn") + share("lost") - 1.0).abs() < 1e-9, "{value}");
    for key in ["return_mean", "return_deviation"] {
        assert!(value[key].is_f64(), "{key}: {value}");
    }
    for (key, names) in [("terms", 1), ("stats", 6)] {
        assert_eq!(value[key].as_array().map(Vec::len), Some(names), "{key}: {value}");
    }
    let interval = &value["return_interval"];
    let [low, mean, high] =
        [&interval["low"], &value["return_mean"], &interval["high"]].map(|v| v.as_f64().unwrap());
    assert!(low < mean && mean < high, "{value}");
}

#[test]
fn stats_of_the_two_sides_are_told_apart_whoever_has_the_first_seat() {
    let place = Place::with(&[("preset", DUEL)]);
    // It knows nothing yet, so that it plays all three alike; the other plays rock half of the time.
    let line = "train preset.yml --until 200 --set ppo.learning_rate=0 --set run.dir=run";
    place.ok(line);
    let value = place.json("eval run --vs bot:biased --sampled --matches 1000 --json");
    let stat = |name: &str| {
        let stats = value["stats"].as_array().unwrap();
        stats.iter().find(|s| s[0] == name).unwrap_or_else(|| panic!("{name}"))[1].as_f64().unwrap()
    };
    // 8000 rounds: a deviation of 0.006.
    assert!((stat("opponent_rock") - 0.5).abs() < 0.03, "{value}");
    assert!((stat("opponent_paper") - 0.25).abs() < 0.03, "{value}");
    assert!(stat("rock") < 0.45, "{value}");
    assert!((stat("rock") + stat("paper") + stat("scissors") - 1.0).abs() < 1e-6, "{value}");
}

#[test]
fn a_model_that_is_met_chooses_as_the_one_that_is_evaluated() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --until 1000 --set run.dir=run");
    // Both are the same and see the same: with their most likely choices they never differ.
    let value = place.json("eval run --vs run --matches 40 --json");
    for pair in value["stats"].as_array().unwrap().chunks(2) {
        assert_eq!(pair[0][1], pair[1][1], "{} and {}", pair[0][0], pair[1][0]);
    }
    let value = place.json("eval run --vs run --matches 40 --sampled --json");
    let differ = |pair: &[Value]| pair[0][1] != pair[1][1];
    assert!(value["stats"].as_array().unwrap().chunks(2).any(differ), "{value}");
}

#[test]
fn ten_lines_lead_and_all_shows_the_rest() {
    let place = Place::with(&[("preset", ROCKET)]);
    let concluded = place.ok("train preset.yml --until 200 --set run.dir=run");
    let short = place.ok("eval run --vs bot:rule --matches 4");
    for out in [&concluded, &short] {
        let lead: Vec<&str> = out
            .lines()
            .skip_while(|l| !l.ends_with(" matches") && !l.starts_with("Evaluation"))
            .collect();
        let lead: Vec<&str> =
            lead.into_iter().skip(1).take_while(|l| l.starts_with("  ")).collect();
        assert!((5..=10).contains(&lead.len()), "{out}");
        assert!(lead[0].starts_with("  won "), "{out}");
        assert!(out.contains("95 % interval of the mean"), "{out}");
        assert!(lead.last().unwrap().contains("--all"), "{out}");
        assert!(!out.contains("match_secs"), "{out}");
    }
    let all = place.ok("eval run --vs bot:rule --matches 4 --all");
    assert!(all.contains("stat match_secs: ") && all.contains("stat opponent_goals: "), "{all}");
}

#[test]
fn an_evaluation_repeats_and_threads_do_not_matter() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=run");
    for how in ["", "--sampled"] {
        let play = |threads: u32| {
            place.ok(&format!("eval run {how} --matches 40 --seed 5 --threads {threads} --json"))
        };
        assert_eq!(play(1), play(1));
        assert_eq!(play(1), play(3));
    }
    let play = |how: &str| place.json(&format!("eval run --matches 40 {how} --json"));
    assert_ne!(play("--seed 5")["return_mean"], play("--seed 6")["return_mean"]);
    assert_ne!(play("")["return_mean"], play("--sampled")["return_mean"]);
    assert_eq!(play("--sampled")["deterministic"], false);
}

#[test]
fn a_model_plays_without_its_run() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --until 1000 --set run.dir=run");
    std::fs::rename(place.path("run/model.zip"), place.path("moved.zip")).unwrap();
    let here = place.json("eval moved.zip --vs bot:biased --matches 20 --json");
    assert_eq!(here["matches"], 20);
    let text = place.ok("eval moved.zip --vs bot:biased --matches 20");
    assert!(text.starts_with("duel after "), "{text}");
    for part in ["against bot:biased, 20 matches", "return ", "length ", "won ", "term won"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn a_model_remembers_which_frames_it_sees() {
    let place = Place::with(&[("preset", STACKED)]);
    place.ok("train preset.yml --until 1000 --set run.dir=run");
    std::fs::rename(place.path("run/model.zip"), place.path("moved.zip")).unwrap();
    let play = |threads: u32| {
        place.json(&format!(
            "eval moved.zip --vs bot:biased --matches 40 --json --threads {threads}"
        ))
    };
    let value = play(1);
    assert_eq!((value["matches"].as_u64(), value["length_mean"].as_f64()), (Some(40), Some(16.0)));
    assert_eq!(value, play(3));
}

#[test]
fn the_evaluation_of_the_run_is_the_one_at_its_end() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let line = "train preset.yml --set run.dir=run --set evaluation.every=1 --json";
    let value = place.json(line);
    let last = crate::support::metrics(&place.path("run")).pop().unwrap();
    assert_eq!(last["evaluation"]["return_mean"], value["return_mean"]);
    assert_eq!(last["steps"], value["steps"]);
}

/// A viewer on a port of its own.
fn viewer() -> (UdpSocket, String) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    (socket, address)
}

fn one_frame(socket: &UdpSocket) -> Value {
    let mut buffer = vec![0; 65_536];
    let length = socket.recv(&mut buffer).unwrap();
    serde_json::from_slice(&buffer[..length]).unwrap()
}

#[test]
fn matches_are_shown_and_kept() {
    let place = Place::with(&[("preset", ROCKET)]);
    let (socket, address) = viewer();
    place.ok(&format!("train preset.yml --until 200 --set run.dir=run --render {address}"));
    let shown = one_frame(&socket);
    assert_eq!(shown["cars"].as_array().map(Vec::len), Some(2), "{shown}");

    let (socket, address) = viewer();
    let line = "eval run --matches 3 --record replays --json --fps 1000 --render";
    let report = place.json(&format!("{line} {address}"));
    assert!(one_frame(&socket)["ball_phys"].is_object());
    let mut frames = 0;
    for number in 0..3 {
        let path = place.path("replays").join(format!("match-{number:04}.jsonl"));
        let text = std::fs::read_to_string(path).unwrap();
        frames += text.lines().count();
        for line in text.lines() {
            let frame: Value = serde_json::from_str(line).unwrap();
            assert_eq!(frame["boost_pad_states"].as_array().map(Vec::len), Some(34));
        }
    }
    assert!(!place.path("replays/match-0003.jsonl").exists());
    // A frame for every step, and one for where the match began.
    assert_eq!(frames as f64, (3.0 * report["length_mean"].as_f64().unwrap()).round() + 3.0);
}

#[test]
fn a_recording_is_the_match_that_was_played() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --until 1000 --set run.dir=run --set settings.rounds=5");
    let line = "eval run --vs bot:random --matches 3 --record kept --json";
    let report = place.json(line);
    let entry = &lanista_classic::games()[4];
    let mut earned = 0.0;
    for number in 0..3 {
        let file = |ending: &str| place.path("kept").join(format!("match-{number:04}.{ending}"));
        let frames = std::fs::read_to_string(file("jsonl")).unwrap();
        assert_eq!(frames.lines().count(), 11, "one for every step and one for the end");
        let bytes = std::fs::read(file("rec")).unwrap();
        let (about, _) = Recording::about(&bytes).unwrap();
        let spec = entry.spec(&about.settings).unwrap();
        let Recording { about, played, .. } = Recording::from_bytes(&bytes, &spec).unwrap();
        assert_eq!((about.steps, &about.settings["rounds"]), (10, &5.into()));
        let own = about.players.iter().position(|player| player == "model").unwrap();
        assert_eq!(about.players[1 - own], "bot:random");
        assert_eq!(about.seats[own], Control::Outside);
        assert_eq!(about.seats[1 - own], Control::Bot(0));

        // Played again, it ends in the same way.
        let mut batch = entry.build(&about.settings, 1).unwrap();
        let mut buffers = Buffers::new(&spec, 1);
        batch.start(0, played.seed, &played.seats, &mut buffers).unwrap();
        let mut terms = vec![0.0; 2];
        let mut joint = vec![0; played.actions.width()];
        for step in 0..about.steps {
            assert_eq!(buffers.end[0], None, "step {step}");
            played.actions.read(step, &mut joint);
            batch.submit(&[0], &joint, &mut buffers).unwrap();
            terms.iter_mut().zip(&buffers.terms).for_each(|(sum, term)| *sum += term);
        }
        assert_eq!(buffers.end[0], Some(about.result.end));
        assert_eq!((&buffers.score, &buffers.stats), (&about.result.score, &about.result.stats));
        assert_eq!(terms, about.result.terms.concat());
        earned += f64::from(terms[own]);
    }
    let mean = report["return_mean"].as_f64().unwrap();
    assert!((earned / 3.0 - mean).abs() < 1e-6, "{earned} {report}");
}

#[test]
fn a_role_that_was_not_learnt_is_played_as_in_training() {
    let preset = "game: hideout\nroles: { seeker: { played_by: bot:follower } }\nrewards: { won: 1 }\n\
                  rollout: { matches: 4, horizon: 16 }\nppo: { minibatch: 32 }\n";
    let place = Place::with(&[("preset", preset)]);
    place.ok("train preset.yml --set run.dir=run --until 1 --set evaluation.matches=2");
    let told = text(&place.run("eval run --matches 4").stderr);
    assert!(told.contains("the model does not play the role seeker: bot:follower does"), "{told}");
}

#[test]
fn a_scripted_player_shows_what_it_would_do_in_the_models_place() {
    let preset = "game: hideout\nrewards: { won: 1 }\n\
                  rollout: { matches: 4, horizon: 16 }\nppo: { minibatch: 32 }\n";
    let place = Place::with(&[("preset", preset)]);
    place.ok("train preset.yml --set run.dir=run --until 1 --set evaluation.matches=2");
    let both = "eval run --role seeker=bot:random --role hider=bot:random";
    let report = place.json(&format!("{both} --matches 40 --json"));
    assert_eq!(report["matches"], 40);
    assert_eq!(report["bots"], serde_json::json!(["seeker=bot:random", "hider=bot:random"]));
    place.ok(&format!("{both} --matches 2 --record kept"));
    let bytes = std::fs::read(place.path("kept").join("match-0001.rec")).unwrap();
    assert_eq!(Recording::about(&bytes).unwrap().0.players, ["bot:random", "bot:random"]);
    let told = place.ok(both);
    assert!(told.contains("Not played by the model: hider=bot:random."), "{told}");
    for (wish, problem) in [
        ("seeker", "write it as ROLE=bot:NAME"),
        ("cook=bot:random", "there is no role `cook`"),
        ("seeker=bot:nobody", "seeker has no player `nobody`"),
    ] {
        let said = place.fails(&format!("eval run --role {wish}"));
        assert!(said.contains(problem), "{said}");
    }
}
