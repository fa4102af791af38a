//! The server as strangers meet it: what it answers, what it hangs up on, and that nobody can disturb others.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use lanista_game::seed;
use lanista_nh::server::{Host, Options};
use lanista_nh::wire::{REPLY_BYTES, REQUEST_BYTES};
use rand::RngExt;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(20);

fn host(seed: u64) -> Host {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    Host::open(&Options { listen, seed }).unwrap()
}

/// A line to the server.
struct Line(BufReader<TcpStream>);

impl Line {
    fn new(host: &Host) -> Self {
        let stream = TcpStream::connect(host.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn send(&mut self, action: &str, body: Value, id: &str) {
        let line = json!({"action": action, "body": body, "meta": {"id": id}});
        self.raw(format!("{line}\n").as_bytes());
    }

    fn raw(&mut self, bytes: &[u8]) {
        let _ = self.0.get_mut().write_all(bytes);
    }

    fn text(&mut self) -> String {
        let mut line = String::new();
        let _ = self.0.read_line(&mut line);
        assert!(line.len() < REPLY_BYTES, "a reply of {} bytes", line.len());
        line
    }

    fn hear(&mut self) -> Value {
        let text = self.text();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text:?}"))
    }

    fn ask(&mut self, action: &str, body: Value, id: &str) -> Value {
        self.send(action, body, id);
        self.hear()
    }

    /// Waits until a request of this agent waits for an answer.
    fn until_pending(&mut self, id: &str) {
        for _ in 0..2000 {
            let list = self.ask("debug", Value::Null, "x");
            let mut agents = list["body"].as_array().unwrap().iter();
            if agents.any(|agent| agent["id"] == id && agent["pendingMessage"] == true) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("no request of {id} arrives");
    }

    fn is_closed(&mut self) -> bool {
        self.text().is_empty()
    }
}

fn login() -> Value {
    json!({"agentType": "NhEnv"})
}

fn reset(agent: &str, target: &str) -> Value {
    json!({"target": target, "training": true, "maintainTargetEnvironment": true, "deathMatch": true,
           "resetParams": {"agent": agent, "target": target, "episodeId": "e", "accountBuild": "MAXED"}})
}

/// The first legal action of every head, as the masks say; requirements are met by the first.
fn first_legal(reply: &Value) -> Vec<usize> {
    let masks = reply["body"]["actionMasks"].as_array().unwrap();
    masks
        .iter()
        .enumerate()
        .map(|(head, mask)| {
            // Attacks by their first kind, prayers as they come, nothing else.
            let legal = |choice: usize| mask[choice].as_bool() == Some(true);
            let size = mask.as_array().unwrap().len();
            match head {
                0 | 11 => (0..size).find(|&choice| legal(choice)).unwrap_or(0),
                1..=3 => (1..size).find(|&choice| legal(choice)).unwrap_or(0),
                _ => 0,
            }
        })
        .collect()
}

fn step(reply: &Value) -> Value {
    json!({"action": first_legal(reply)})
}

/// Plays a fight against the script to its end; all replies.
fn fight(line: &mut Line, id: &str) -> Vec<Value> {
    line.ask("login", login(), id);
    let mut replies = vec![line.ask("reset", reset(id, "baseline"), id)];
    while replies.last().unwrap()["body"]["terminalState"].is_null() {
        let action = step(replies.last().unwrap());
        replies.push(line.ask("step", action, id));
        assert!(replies.len() < 3000, "the fight has no end");
    }
    line.ask("logout", Value::Null, id);
    replies
}

#[test]
fn a_fight_goes_from_login_to_its_word_on_the_end() {
    let host = host(0);
    let mut line = Line::new(&host);
    assert_eq!(line.ask("login", login(), "0")["body"]["lockstep"], false);
    assert_eq!(line.ask("login", login(), "0")["error"], true, "twice");
    let early = line.ask("step", json!({"action": vec![0; 12]}), "0");
    assert!(early["message"].as_str().unwrap().contains("reset first"), "{early}");
    let stranger = line.ask("step", json!({"action": vec![0; 12]}), "nobody");
    assert!(stranger["message"].as_str().unwrap().contains("log in"), "{stranger}");

    let mut reply = line.ask("reset", reset("0", "baseline"), "0");
    assert_eq!(reply["body"]["obs"].as_array().unwrap().len(), 176);
    let mut ticks = 1;
    while reply["body"]["terminalState"].is_null() {
        assert_eq!(reply["body"]["meta"]["episodeTicks"], ticks);
        assert_eq!(reply["body"]["meta"]["targetObs"].as_array().unwrap().len(), 176);
        let last = reply.clone();
        reply = line.ask("step", step(&reply), "0");
        ticks += 1;
        if !reply["body"]["terminalState"].is_null() {
            // The tick before was the fatal one: somebody had no life left.
            let meta = &last["body"]["meta"];
            let fell = |key: &str| meta[key].as_f64() == Some(0.0);
            let won = reply["body"]["terminalState"] == "WON";
            assert_eq!(won, fell("currentTargetHealthPercent"));
            assert!(won || fell("currentHealthPercent"));
        }
    }
    let over = line.ask("step", json!({"action": vec![0; 12]}), "0");
    assert!(over["message"].as_str().unwrap().contains("reset first"), "{over}");
    assert_eq!(line.ask("reset", reset("0", "greedy"), "0")["body"]["meta"]["episodeTicks"], 1);
    assert_eq!(line.ask("logout", Value::Null, "0"), json!({}));
    assert_eq!(line.ask("logout", Value::Null, "0")["error"], true);
    assert_eq!(host.agents(), 0);
}

#[test]
fn agents_fight_each_other_and_whoever_leaves_is_missed() {
    let host = host(0);
    let mut lines = [Line::new(&host), Line::new(&host)];
    let names = ["10", "11"];
    for (line, name) in lines.iter_mut().zip(names) {
        line.ask("login", login(), name);
    }
    lines[0].send("reset", reset("10", "11"), "10");
    let mut other = Line::new(&host);
    other.until_pending("10");
    let twice = other.ask("reset", reset("10", "11"), "10");
    assert!(twice["message"].as_str().unwrap().contains("already queued"), "{twice}");
    lines[1].send("reset", reset("11", "10"), "11");
    let first = [lines[0].hear(), lines[1].hear()];
    assert_eq!(first[0]["body"]["obs"], first[1]["body"]["meta"]["targetObs"]);
    assert_eq!(first[1]["body"]["obs"], first[0]["body"]["meta"]["targetObs"]);

    // The tick is played when both have stepped.
    lines[0].send("step", step(&first[0]), "10");
    other.until_pending("10");
    lines[1].send("step", step(&first[1]), "11");
    let second = [lines[0].hear(), lines[1].hear()];
    assert_eq!(second[0]["body"]["meta"]["episodeTicks"], 2);

    // A logout over another connection, while a request waits.
    lines[0].send("step", step(&second[0]), "10");
    other.until_pending("10");
    assert_eq!(other.ask("logout", Value::Null, "11"), json!({}));
    let lost = lines[0].hear();
    assert_eq!(lost["body"]["terminalState"], "TARGET_LOST", "{lost}");
    lines[0].send("reset", reset("10", "11"), "10");
    other.until_pending("10");
    assert_eq!(other.ask("logout", Value::Null, "10"), json!({}));
    let gone = lines[0].hear();
    assert!(gone["message"].as_str().unwrap().contains("logged out: 10"), "{gone}");
}

#[test]
fn fights_follow_from_the_seed_and_the_actions() {
    let play = |seed: u64| fight(&mut Line::new(&host(seed)), "0");
    let one = play(5);
    assert_eq!(one, play(5));
    assert_ne!(one, play(6));
}

#[test]
fn what_is_no_request_ends_the_connection_and_nothing_else() {
    let host = host(0);
    let mut good = Line::new(&host);
    good.ask("login", login(), "0");
    let long = format!("{{\"action\": \"debug\", \"pad\": \"{}\"}}\n", "x".repeat(REQUEST_BYTES));
    for bad in ["nonsense\n", "\n", "{}\n", "{\"action\":\"dance\"}\n", "[[[[\n", &long] {
        let mut line = Line::new(&host);
        line.raw(bad.as_bytes());
        assert!(line.is_closed(), "{bad:.40}");
    }
    // Exactly as long as may be, and in pieces.
    let pad = REQUEST_BYTES - r#"{"action":"debug","meta":{"id":"0"},"pad":""}"#.len();
    let longest =
        format!(r#"{{"action":"debug","meta":{{"id":"0"}},"pad":"{}"}}"#, "x".repeat(pad));
    assert_eq!(longest.len(), REQUEST_BYTES);
    for piece in format!("{longest}\r\n").as_bytes().chunks(100) {
        good.raw(piece);
    }
    assert_eq!(good.hear()["body"][0]["id"], "0");
    assert!(!good.ask("reset", reset("0", "baseline"), "0")["body"]["obs"].is_null());
}

/// Kilobytes of this process in memory.
#[cfg(target_os = "linux")]
fn resident_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[cfg(not(target_os = "linux"))]
fn resident_kb() -> u64 {
    0
}

/// A request, damaged: bytes changed, cut, doubled, or values of JSON exchanged.
fn mutant(rng: &mut lanista_game::seed::Rng) -> Vec<u8> {
    let id = format!("m{}", rng.random_range(0..20));
    let other = format!("m{}", rng.random_range(0..20));
    let body = match rng.random_range(0..6) {
        0 => json!({"action": "login", "body": login(), "meta": {"id": id}}),
        1 => json!({"action": "logout", "body": null, "meta": {"id": id}}),
        2 => json!({"action": "reset", "body": reset(&id, &other), "meta": {"id": id}}),
        3 => json!({"action": "reset", "body": reset(&id, "baseline"), "meta": {"id": id}}),
        4 => json!({"action": "step", "body": {"action": vec![0; 12]}, "meta": {"id": id}}),
        _ => json!({"action": "debug", "body": null, "meta": {"id": id}}),
    };
    let mut text = body.to_string();
    let values =
        ["null", "-1", "1e999", "99999999999999999999", "\"\"", "[]", "{}", "true", "\"\\u0000\""];
    if rng.random_bool(0.5) {
        for _ in 0..rng.random_range(1..4) {
            let numbers = ["0", "true", "\"e\"", "\"baseline\"", "\"MAXED\"", "null"];
            let from = numbers[rng.random_range(0..numbers.len())];
            text = text.replacen(from, values[rng.random_range(0..values.len())], 1);
        }
    }
    let mut bytes = text.into_bytes();
    if rng.random_bool(0.5) {
        for _ in 0..rng.random_range(0..6) {
            let place = rng.random_range(0..bytes.len());
            match rng.random_range(0..4) {
                0 => bytes[place] = rng.random(),
                1 => bytes.truncate(place.max(1)),
                2 => bytes.insert(place, rng.random()),
                _ => bytes.extend_from_within(place..),
            }
            bytes.truncate(2 * REQUEST_BYTES);
        }
    }
    if rng.random_bool(0.95) {
        bytes.push(b'\n');
    }
    bytes
}

#[test]
fn mutants_disturb_nobody() {
    let undisturbed = fight(&mut Line::new(&host(9)), "0");
    let host = host(9);
    let before = resident_kb();
    let mut disturbed = Vec::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let host = &host;
            scope.spawn(move || {
                let mut rng = seed::rng(thread);
                for _ in 0..300 {
                    let mut line = Line::new(host);
                    line.0.get_ref().set_read_timeout(Some(Duration::from_micros(200))).unwrap();
                    for _ in 0..10 {
                        line.raw(&mutant(&mut rng));
                        // Some clients read their answers.
                        if rng.random_bool(0.3) {
                            let _ = line.text();
                        }
                    }
                }
            });
        }
        disturbed = fight(&mut Line::new(&host), "0");
    });
    assert_eq!(disturbed, undisturbed, "a fight in the midst of 12,000 mutants");
    assert!(host.agents() <= 40, "{} agents", host.agents());
    let grown = resident_kb().saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} KB more");
    // Everybody hung up, and the server is as good as new.
    let again = fight(&mut Line::new(&host), "1");
    assert!(again.len() > 10);
    for _ in 0..500 {
        if host.connections() == 0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{} connections are still open", host.connections());
}
