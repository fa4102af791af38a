//! `lanista survivors server`, and training on it over a bad line.

#[path = "../../../../games/survivors/tests/simulator/live_proxy/mod.rs"]
mod live_proxy;

use std::io::BufRead;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use live_proxy::Proxy;

use crate::support::{LIVE, Place, Running, metrics};

/// Starts a server at any port; the address is in the line that says it is ready.
fn server(place: &Place, more: &str) -> (Running, SocketAddr) {
    let line = format!("survivors server --port 0 --for 240 --map corridor {more}");
    let mut running = Running::start(place.command(&line));
    let mut ready = String::new();
    running.out.read_line(&mut ready).unwrap();
    let address = ready.strip_prefix("listening on ").and_then(|rest| rest.split_once(": "));
    let (address, spoken) = address.unwrap_or_else(|| panic!("{ready}"));
    assert!(spoken.contains("v2, v1 from loopback") && spoken.contains("corridor"), "{ready}");
    (running, address.parse().unwrap())
}

#[test]
fn python_plays_both_protocols_against_the_program() {
    let found = Command::new("python3").arg("--version").output();
    if !found.is_ok_and(|out| out.status.success()) {
        println!("skipped: python3 is not installed");
        return;
    }
    let place = Place::new();
    place.write("key", "a key for the test of the program\n");
    let (_running, address) = server(&place, "--speed max --key-file key");
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/python/mnemosyne_client.py");
    let play = |arguments: &str| {
        let mut command = Command::new("python3");
        command.arg("-B").arg(&script).args(["--port", &address.port().to_string()]);
        let output =
            command.args(arguments.split(' ')).current_dir(place.path("")).output().unwrap();
        let words = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{arguments}\n{words}");
        words
    };
    assert!(play("--protocol v1 --steps 60").contains("played 60 steps"));
    let words = play("--key-file key --lockstep --steps 60 --map apartment --seed 3");
    assert!(words.contains("on apartment, status 0"), "{words}");
}

#[test]
fn training_goes_on_over_a_bad_line() {
    let place = Place::with(&[("live", LIVE)]);
    let (_running, address) = server(&place, "--games 8");
    let proxy = Proxy::start(address);
    let line = format!("train live.yml --threads 2 --set settings.live={}", proxy.address);
    let out = place.ok(&line);
    assert!(out.contains("all steps are done"), "{out}");
    for line in metrics(&place.path("runs/live")) {
        assert_eq!(line["lost_matches"], 0, "{line}");
    }
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    let (passed, spoilt) = (count(&proxy.passed), count(&proxy.spoilt));
    assert!(passed > 500 && spoilt * 3 > passed, "{spoilt} of {passed} were spoilt");
}

/// The evaluation has more matches than the server has games, comes between two iterations and at the end, and
/// another one follows on the same server.
#[test]
fn one_game_is_enough_to_train_and_to_evaluate() {
    let place = Place::with(&[("live", LIVE)]);
    let (_running, address) = server(&place, "");
    let set = format!("--set settings.live={address} --set rollout.matches=1");
    let evaluation = "--set evaluation.every=200 --set evaluation.matches=3";
    let out = place.ok(&format!("train live.yml --threads 2 {set} {evaluation}"));
    assert!(out.contains("all steps are done"), "{out}");
    let lines = metrics(&place.path("runs/live"));
    for line in lines.iter().filter(|line| line["evaluation"].is_null()) {
        assert_eq!(line["lost_matches"], 0, "{line}");
    }
    assert!(!place.path("runs/live/failure.json").exists());
    let report = place.json("eval runs/live --matches 4 --json");
    assert!(report.to_string().contains("\"matches\":4"), "{report}");
}

#[test]
fn a_model_plays_on_a_server_and_says_what_it_sees_and_does() {
    let place = Place::with(&[("live", LIVE)]);
    place.ok("train live.yml");
    let (running, address) = server(&place, "--speed max");
    let play = format!("play survivors runs/live --server {address} --map corridor");
    let words = place.ok(&format!("{play} --matches 2"));
    for part in ["playing on", "match 1", "health", "infected", "does", "value", "match 2:"] {
        assert!(words.contains(part), "`{part}` is missing:\n{words}");
    }
    let summary = place.json(&format!("{play} --matches 1 --sampled --seed 3 --json"));
    assert_eq!((summary["matches"].as_u64(), summary["lost"].as_u64()), (Some(1), Some(0)));
    assert!(summary["decisions"].as_u64() >= summary["steps"].as_u64(), "{summary}");
    // Nobody answers any more: that is said, tried again, and given up.
    drop(running);
    let error = place.fails(&format!("{play} --give-up 1"));
    assert!(error.contains(&address.to_string()), "{error}");
    assert!(error.contains("lanista survivors server --port"), "{error}");
    place.ok("train classic/cartpole --steps 2000");
    let error = place.fails("play survivors runs/classic-cartpole");
    assert!(error.contains("the model plays cartpole, not survivors"), "{error}");
    let error = place.fails("play survivors runs/nothing");
    assert!(error.contains("runs/nothing"), "{error}");
}

#[test]
fn a_server_that_never_answers_is_named_with_the_remedy() {
    let place = Place::with(&[("live", LIVE)]);
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    let set = format!("--set settings.live={address} --set rollout.patience_secs=2");
    let error = place.fails(&format!("train live.yml {set}"));
    assert!(error.contains(&address.to_string()), "{error}");
    assert!(error.contains("lanista survivors server --port"), "{error}");
}

#[test]
fn what_cannot_be_served_is_refused() {
    let place = Place::new();
    let error = place.fails("survivors server --port 0 --listen 0.0.0.0");
    assert!(error.contains("--key-file"), "{error}");
    let error = place.fails("survivors server --port 0 --map appartment");
    assert!(error.contains("did you mean `apartment`?"), "{error}");
    place.write("short", "tiny\n");
    let error = place.fails("survivors server --port 0 --key-file short");
    assert!(error.contains("16 to 64"), "{error}");
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let error = place.fails(&format!("survivors server --port {port}"));
    assert!(error.contains(&port.to_string()) && error.contains("--port"), "{error}");
}
