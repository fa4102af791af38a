//! `lanista watch`.

use std::io::{BufRead, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use serde_json::Value;

use crate::support::{DUEL, FEED_FORWARD, HEADS, NH, Place, ROCKET, Running, TWO_ROLES};
use crate::survivors::VERSUS;

/// Starts the page; where it is.
fn watch(place: &Place, line: &str) -> (Running, SocketAddr) {
    page_of(place.command(&format!("watch {line}")))
}

/// Starts the page by a command; where it is.
pub fn page_of(command: Command) -> (Running, SocketAddr) {
    let mut running = Running::start(command);
    let mut said = String::new();
    assert!(running.out.read_line(&mut said).unwrap() > 0, "it ended");
    let address = said.strip_prefix("http://").and_then(|rest| rest.split('/').next());
    let address = address.and_then(|address| address.parse().ok());
    (running, address.unwrap_or_else(|| panic!("no address: {said}")))
}

fn get(address: SocketAddr, target: &str) -> (String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {target} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    (head, bytes.split_off(end))
}

pub fn json(address: SocketAddr, target: &str) -> Value {
    let (head, body) = get(address, target);
    assert!(head.starts_with("HTTP/1.1 200"), "{target}: {head}");
    serde_json::from_slice(&body).unwrap()
}

fn trained() -> Place {
    let place = Place::with(&[("duel", DUEL)]);
    place.ok(
        "train duel.yml --steps 3000 --plain --set recording.every=5 --set recording.evaluations=true \
         --set opponents.past=0.3 --set opponents.self=0.2 --set league.every=1000",
    );
    place
}

#[test]
fn a_training_is_shown_with_its_matches() {
    let place = trained();
    let (running, address) = watch(&place, "runs --port 0");
    let mut runs = Value::Null;
    for _ in 0..1000 {
        runs = json(address, "/api/runs");
        if runs["runs"][0]["steps"].as_u64().unwrap_or(0) >= 3000 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let run = &runs["runs"][0];
    assert_eq!((run["name"].as_str(), run["game"].as_str()), (Some("duel"), Some("duel")));
    assert_eq!(run["state"], "finished");
    let id = run["id"].as_str().unwrap();
    let detail = json(address, &format!("/api/runs/{id}"));
    let marks = detail["marks"].as_array().unwrap();
    let evaluated: Vec<_> = marks.iter().filter(|m| m["kind"] == "evaluation").collect();
    assert!(
        !evaluated.is_empty() && evaluated.iter().all(|m| m["recording"].is_string()),
        "{marks:?}"
    );
    // Every match plays to its recorded end, and a model says what it thinks of one.
    let matches = json(address, &format!("/api/matches?run={id}"));
    let matches = matches["matches"].as_array().unwrap();
    assert!(matches.iter().any(|m| m["source"] == "training"), "{matches:?}");
    for one in matches.iter().take(10) {
        let whole = json(address, &format!("/api/match/{}", one["id"].as_str().unwrap()));
        assert_eq!(whole["state"], "same", "{whole}");
    }
    let models = json(address, "/api/models?game=duel");
    let model = models["models"][0]["id"].as_str().unwrap();
    let one = matches[0]["id"].as_str().unwrap();
    let told = json(address, &format!("/api/match/{one}/thoughts?model={model}&from=0&to=4"));
    assert_eq!(told["value"].as_array().unwrap().len(), 4);
    let chances = told["probabilities"][0].as_array().unwrap();
    let some = chances.iter().find(|seat| !seat.is_null()).expect("somebody acts");
    let sum: f64 = some[0].as_array().unwrap().iter().map(|p| p.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{some}");
    let (head, page) = get(address, "/");
    assert!(head.starts_with("HTTP/1.1 200") && page.starts_with(b"<!"), "{head}");
    drop(running);
}

#[test]
fn cross_play_is_kept_and_shown() {
    let place = trained();
    place.ok("league runs/duel --crossplay --matches 4");
    let (running, address) = watch(&place, "runs/duel --port 0");
    let mut id = String::new();
    for _ in 0..1000 {
        if let Some(found) = json(address, "/api/runs")["runs"][0]["id"].as_str() {
            id = found.to_owned();
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let league = json(address, &format!("/api/league/{id}"));
    let table = &league["crossplay"];
    let names = table["names"].as_array().unwrap();
    assert!(names.len() > 2, "{table}");
    for (i, a) in names.iter().enumerate() {
        for (j, b) in names.iter().enumerate().filter(|(j, _)| *j != i) {
            let games = table["games"][i][j].as_u64().unwrap();
            assert_eq!(table["won"][i][j], table["lost"][j][i]);
            let Some(recording) = table["recordings"][i][j].as_str() else {
                assert_eq!(games, 0, "{a} and {b} met");
                continue;
            };
            let whole = json(address, &format!("/api/match/{recording}"));
            assert_eq!(whole["state"], "same");
            let seats = whole["spec"]["seats"].as_array().unwrap();
            assert!(seats.iter().any(|s| s["name"] == *a) && seats.iter().any(|s| s["name"] == *b));
        }
    }
    drop(running);
}

/// Records matches of a model against others, so many against each, and plays all of them through the page: each
/// must come to its recorded end on its recorded way.
fn matches_play_to_their_recorded_end(preset: &str, versus: &str, each: usize) {
    let place = Place::with(&[("preset", preset)]);
    place.ok("train preset.yml --set run.dir=run --until 1 --set evaluation.matches=2");
    place.ok(&format!("eval run --matches {each} --sampled --vs {versus} --record kept"));
    all_play_to_their_recorded_end(&place, "kept", each * versus.split(',').count());
}

/// Plays all matches of a place through the page; there are so many.
pub fn all_play_to_their_recorded_end(place: &Place, of: &str, count: usize) {
    let (running, address) = watch(place, &format!("{of} --port 0"));
    let mut listed = Value::Null;
    // Those of a run are there as soon as the run is found.
    for _ in 0..1000 {
        listed = json(address, "/api/matches");
        if listed["matches"].as_array().is_some_and(|all| !all.is_empty()) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let listed = listed["matches"].as_array().unwrap();
    assert_eq!(listed.len(), count);
    for one in listed {
        let id = one["id"].as_str().unwrap();
        let whole = json(address, &format!("/api/match/{id}"));
        assert_eq!((&whole["state"], &whole["notice"]), (&"same".into(), &Value::Null), "{one}");
        assert_eq!(whole["first_difference"], Value::Null, "{one}");
        assert_eq!(whole["length"], whole["recorded_length"]);
        for key in ["end", "score"] {
            assert_eq!(whole["result"][key], whole["recorded_result"][key], "{one}");
        }
        // The last of its frames can be asked for.
        let length = whole["length"].as_u64().unwrap();
        let end = json(address, &format!("/api/match/{id}/frames?from={length}"));
        assert_eq!(end["frames"].as_array().unwrap().len(), 1, "{one}");
    }
    drop(running);
}

#[test]
fn a_hundred_matches_of_one_player_play_to_their_recorded_end() {
    matches_play_to_their_recorded_end(FEED_FORWARD, "self", 100);
    matches_play_to_their_recorded_end(HEADS, "self", 100);
    for (game, term) in [("cartpole-novel", "balance"), ("legal", "right"), ("odd-one", "found")] {
        let preset = format!(
            "game: {game}\nrollout: {{ matches: 4, horizon: 16 }}\nppo: {{ minibatch: 32 }}\n\
             rewards: {{ {term}: 1 }}\n"
        );
        matches_play_to_their_recorded_end(&preset, "self", 100);
    }
}

#[test]
fn a_hundred_matches_of_two_play_to_their_recorded_end() {
    matches_play_to_their_recorded_end(DUEL, "self,bot:biased", 50);
    matches_play_to_their_recorded_end(TWO_ROLES, "self,bot:biased", 50);
}

#[test]
fn a_hundred_fights_play_to_their_recorded_end() {
    matches_play_to_their_recorded_end(NH, "bot:baseline,bot:greedy", 50);
}

#[test]
fn a_hundred_matches_of_cars_play_to_their_recorded_end() {
    matches_play_to_their_recorded_end(ROCKET, "self,bot:rule", 50);
}

#[test]
fn a_hundred_matches_of_survivors_play_to_their_recorded_end() {
    matches_play_to_their_recorded_end(
        &VERSUS.replace("limit_secs: 40", "limit_secs: 10"),
        "self",
        100,
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_it() {
    let place = Place::new();
    std::fs::create_dir(place.path("runs")).unwrap();
    let (mut running, address) = watch(&place, "--port 0");
    assert_eq!(json(address, "/api/runs")["runs"], serde_json::json!([]));
    running.signal("INT");
    let mut rest = String::new();
    running.out.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("stopped"), "{rest}");
    assert!(running.child.wait().unwrap().success());
}

#[test]
fn mistakes_are_named() {
    let place = Place::new();
    assert!(place.fails("watch nowhere").contains("nowhere does not exist"));
    std::fs::create_dir(place.path("runs")).unwrap();
    let problem = place.fails("watch --listen 0.0.0.0");
    assert!(problem.contains("--token-file"), "{problem}");
    place.write("short", "secret\n");
    assert!(place.fails("watch --listen 0.0.0.0 --token-file short").contains("16 to 256"));
    assert!(place.fails("watch --web runs").contains("no index.html"));
}
