//! The client in Python plays the simulator over v1 and v2; strangers get silence; directors are heard.

use crate::live_host;

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpStream, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lanista_survivors::server::{Options, Speed};
use lanista_survivors::wire::v2::keys::SharedKey;
use live_host::{Running, options};
use serde_json::{Value, json};

const KEY: &str = "a key for the test of the server";

fn keyed() -> Options {
    Options { key: SharedKey::new(KEY.as_bytes()).unwrap(), ..options() }
}

/// Runs the client against a server; whether it ended well, and its words.
fn play(host: &Running, arguments: &[&str]) -> Option<(bool, String)> {
    let found = Command::new("python3").arg("--version").output();
    if !found.is_ok_and(|out| out.status.success()) {
        println!("skipped: python3 is not installed");
        return None;
    }
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/python/mnemosyne_client.py");
    let port = host.address.port().to_string();
    let output = Command::new("python3")
        .arg("-B")
        .arg(script)
        .args(["--port", &port, "--every", "50"])
        .args(arguments)
        .output()
        .unwrap();
    let words = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8_lossy(&words).into_owned()))
}

#[test]
fn python_plays_over_v1() {
    let host = Running::start(Options { speed: Speed::Max, ..options() });
    let Some((success, words)) = play(&host, &["--protocol", "v1", "--steps", "300"]) else {
        return;
    };
    assert!(success && words.contains("played 300 steps"), "{words}");
    let counts = host.stop();
    assert!(counts.actions >= 300, "{counts:?}");
    assert!(counts.ticks >= 900 - 90, "{counts:?}");
}

#[test]
fn python_plays_over_v1_in_real_time() {
    let host = Running::start(options());
    let Some((success, words)) = play(&host, &["--protocol", "v1", "--steps", "15"]) else {
        return;
    };
    assert!(success && words.contains("played 15 steps"), "{words}");
}

#[test]
fn python_plays_a_match_over_v2_in_lockstep() {
    let host = Running::start(keyed());
    let arguments =
        ["--key", KEY, "--lockstep", "--steps", "400", "--map", "corridor", "--seed", "5"];
    let Some((success, words)) = play(&host, &arguments) else { return };
    assert!(success && words.contains("on corridor, status 0"), "{words}");
    assert!(words.contains("1 sessions") && !words.contains("events 0\n"), "{words}");
    let counts = host.stop();
    assert!(counts.actions >= 4 * 200, "four survivors: {counts:?}");
}

#[test]
fn python_plays_freely_with_legacy_messages() {
    let host = Running::start(Options { speed: Speed::Max, ..keyed() });
    let arguments = ["--key", KEY, "--legacy", "--steps", "200", "--policy", "random"];
    let Some((success, words)) = play(&host, &arguments) else { return };
    assert!(success && words.contains("played 200 steps"), "{words}");
}

#[test]
fn a_wrong_key_gets_silence_and_is_counted() {
    let host = Running::start(keyed());
    let arguments = ["--key", "another key, just as long", "--patience", "1.2"];
    let Some((success, words)) = play(&host, &arguments) else { return };
    assert!(!success && words.contains("is the key the same on both sides?"), "{words}");
    let line = host.said();
    assert!(line.iter().any(|line| line.contains("with a wrong key")), "{line:?}");
    assert_eq!(host.stop().actions, 0);
}

#[test]
fn nonsense_changes_nothing() {
    let host = Running::start(keyed());
    let stranger = UdpSocket::bind("127.0.0.1:0").unwrap();
    stranger.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    for bytes in
        [&b"MNEM\x02\x00"[..], b"", b"hello", &[1], &[3, 0, 200], &[0x4D; 1200], &[0xFF; 1500]]
    {
        stranger.send_to(bytes, host.address).unwrap();
    }
    assert!(stranger.recv_from(&mut [0; 64]).is_err(), "nobody answers that");
    assert_eq!(host.stop().actions, 0);
}

#[test]
fn a_director_is_heard() {
    let host = Running::start(Options { bridge: Some(0), ..options() });
    let stream = TcpStream::connect(host.bridge.unwrap()).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut next = |wanted: &str| loop {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        if line["type"] == wanted {
            return line;
        }
    };
    let say = |message: Value| writeln!(&stream, "{message}").unwrap();
    say(json!({"type": "handshake", "version": "1.0.0"}));
    assert_eq!(next("response")["status"], "ok");
    let state = next("game_state");
    assert_eq!(state["survivors"].as_array().unwrap().len(), 4);
    say(json!({"type": "director_command", "command": "spawn_tank", "parameters": {}}));
    let answer = next("response");
    assert_eq!(answer["to"], "director_command");
    assert_eq!(answer["status"], "error", "nobody has left the start: {answer}");
    say(json!({"type": "bot_action", "bot_id": 1, "action": "jump", "parameters": {}}));
    assert_eq!(next("response")["status"], "ok");
    say(json!({"type": "bot_action", "bot_id": 9, "action": "jump"}));
    assert_eq!(next("response")["status"], "error");
    say(json!({"type": "reset_episode"}));
    // Whatever happened before it is told before it.
    while next("event")["event_type"] != "round_start" {}
    // A datagram is a line as well.
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let hello = json!({"type": "handshake", "version": "1.0.0"}).to_string();
    udp.send_to(hello.as_bytes(), host.bridge.unwrap()).unwrap();
    let mut bytes = [0; 65_536];
    let (length, _) = udp.recv_from(&mut bytes).unwrap();
    let answer: Value = serde_json::from_slice(&bytes[..length]).unwrap();
    assert_eq!(answer["status"], "ok");
}
