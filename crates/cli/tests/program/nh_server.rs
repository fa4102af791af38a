//! `lanista nh server`, training and evaluation on it, and `lanista play nh`.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Place, Running, metrics};

const PRESET: &str = "
game: nh
settings: { start_beside: true, max_ticks: 200 }
rollout: { matches: 6, horizon: 32, shard: 2, patience_secs: 30 }
policy: { hidden: [16] }
ppo: { minibatch: 64, chunk: 16 }
opponents: { self: 0.5, bot:baseline: 0.25, bot:greedy: 0.25 }
rewards: { won: 1, lost: -1, damage_dealt: 0.25, damage_received: -0.25 }
evaluation: { every: 400, matches: 3, vs: bot:baseline }
checkpoint: { every: 400 }
stop: { steps: 800 }
";

fn server(place: &Place, more: &str) -> (Running, SocketAddr) {
    let mut running =
        Running::start(place.command(&format!("nh server --port 0 --for 240 {more}")));
    let mut ready = String::new();
    running.out.read_line(&mut ready).unwrap();
    let address = ready.strip_prefix("listening on ").and_then(|rest| rest.split_once(": "));
    let (address, spoken) = address.unwrap_or_else(|| panic!("{ready}"));
    assert!(spoken.contains("NhEnv"), "{ready}");
    (running, address.parse().unwrap())
}

fn ask(line: &mut BufReader<TcpStream>, request: &Value) -> Value {
    writeln!(line.get_mut(), "{request}").unwrap();
    let mut answer = String::new();
    line.read_line(&mut answer).unwrap();
    serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

fn connect(address: SocketAddr) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    BufReader::new(stream)
}

/// What a preset of the program keeps to be watched must not be refused where matches cannot be played again.
#[test]
fn a_preset_of_the_program_trains_on_a_server() {
    let place = Place::new();
    let (_running, address) = server(&place, "");
    let small = "--steps 256 --set rollout.matches=4 --set rollout.horizon=16 --set ppo.minibatch=32 --set evaluation.matches=1";
    place.ok(&format!("train nh/small {small} --set settings.remote={address}"));
}

#[test]
fn training_and_evaluation_on_a_server_are_those_of_the_simulator() {
    let place = Place::with(&[("fights", PRESET)]);
    let (_running, address) = server(&place, "");
    let out = place.ok(&format!("train fights.yml --threads 2 --set settings.remote={address}"));
    assert!(out.contains("all steps are done"), "{out}");
    let lines = metrics(&place.path("runs/fights"));
    let lost: Vec<&Value> = lines.iter().filter_map(|line| line.get("lost_matches")).collect();
    assert!(lost.len() > 1 && lost.iter().all(|lost| **lost == 0), "{lost:?}");
    // Everybody has logged out.
    let mut line = connect(address);
    let list = ask(&mut line, &json!({"action": "debug", "meta": {"id": "x"}}));
    assert_eq!(list, json!({"body": []}));

    // A model does not carry along where it was trained.
    let eval = "eval runs/fights/model.zip --matches 6 --sampled --vs bot:baseline --json";
    let here: Value = serde_json::from_str(&place.ok(eval)).unwrap();
    let there = place.ok(&format!("{eval} --set settings.remote={address}"));
    let there: Value = serde_json::from_str(&there).unwrap();
    for key in ["return_mean", "return_deviation", "length_mean", "results", "terms"] {
        assert_eq!(here[key], there[key], "{key}");
    }
}

#[test]
fn where_nobody_serves_is_said_and_so_is_what_cannot_be_asked_for() {
    let place = Place::with(&[("fights", PRESET)]);
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let said = place.fails(&format!("train fights.yml --set settings.remote={free}"));
    assert!(said.contains("cannot connect to") && said.contains("settings.remote"), "{said}");
    let said = place.fails("train fights.yml --set settings.remote=a:1 --set settings.rules=live");
    assert!(said.contains("settings.rules") && said.contains("server2024"), "{said}");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let said = place.fails(&format!("nh server --port {port}"));
    assert!(said.contains("cannot listen on") && said.contains("--port"), "{said}");
}

#[test]
fn a_model_plays_behind_the_api() {
    let place = Place::with(&[("fights", PRESET)]);
    place.ok("train fights.yml");
    let mut running = Running::start(place.command("play nh runs/fights --port 0 --for 240"));
    let mut ready = String::new();
    running.out.read_line(&mut ready).unwrap();
    let after = ready.split_once(" on ").unwrap_or_else(|| panic!("{ready}")).1;
    let address: SocketAddr = after.split_once(';').unwrap().0.parse().unwrap();
    assert!(ready.contains("fights, GeneralizedNh, FineTunedNh"), "{ready}");

    // A fight whose one side is decided by the API, on our own server.
    let (_other, fights) = server(&place, "");
    let (mut game, mut api) = (connect(fights), connect(address));
    ask(
        &mut game,
        &json!({"action": "login", "body": {"agentType": "NhEnv"}, "meta": {"id": "1"}}),
    );
    let reset = json!({"target": "baseline", "training": true, "deathMatch": true,
                       "resetParams": {"accountBuild": "MAXED"}});
    let mut seen = ask(&mut game, &json!({"action": "reset", "body": reset, "meta": {"id": "1"}}));
    for step in 0..50 {
        let request = json!({
            "model": if step % 2 == 0 { "GeneralizedNh" } else { "fights" },
            "actionMasks": seen["body"]["actionMasks"],
            "obs": [seen["body"]["obs"]],
            "deterministic": true,
            "returnLogProb": true,
            "returnEntropy": false,
            "returnValue": false,
            "returnProbs": false,
        });
        let reply = ask(&mut api, &request);
        assert_eq!(reply.as_object().unwrap().len(), 6, "{reply}");
        let action = json!({"action": reply["action"]});
        seen = ask(&mut game, &json!({"action": "step", "body": action, "meta": {"id": "1"}}));
        assert!(seen["error"].is_null(), "{seen}");
        if !seen["body"]["terminalState"].is_null() {
            break;
        }
    }
    let port = address.port();
    let said = place.fails(&format!("play nh runs/fights --port {port}"));
    assert!(said.contains("cannot listen on") && said.contains("--port"), "{said}");
}
