//! `lanista serve` and `lanista bench serve`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{FEED_FORWARD, Place, Running, TWO_ROLES};

/// A place with a model in `runs/NAME`.
fn trained(name: &str, preset: &str) -> Place {
    let place = Place::with(&[(name, preset)]);
    place.ok(&format!("train {name}.yml --steps 400 --plain"));
    place
}

/// Starts a server; its formats with their addresses, and what it said before it was ready.
fn serve(place: &Place, line: &str) -> (Running, Vec<(String, SocketAddr)>, String) {
    let mut running = Running::start(place.command(&format!("serve {line}")));
    let (mut addresses, mut said) = (Vec::new(), String::new());
    loop {
        let mut line = String::new();
        assert!(running.out.read_line(&mut line).unwrap() > 0, "it ended: {said}");
        if line.starts_with("ready") {
            return (running, addresses, said);
        }
        if let Some((format, address)) = line.trim().split_once(" on ")
            && let Ok(address) = address.parse()
        {
            addresses.push((format.to_owned(), address));
        }
        said += &line;
    }
}

fn ask(stream: &mut TcpStream, request: &Value) -> Value {
    stream.write_all(format!("{request}\n").as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap()
}

#[test]
fn a_trained_model_is_served_reloaded_and_stopped() {
    let place = trained("pole", FEED_FORWARD);
    let (mut running, addresses, said) =
        serve(&place, "runs/pole other=runs/pole/model.zip --port 0 --metrics-port 0 --threads 1");
    assert!(said.contains("pole: cartpole after") && said.contains("other: cartpole"), "{said}");
    let [(lines, address), (metrics, watched)] = &addresses[..] else { panic!("{said}") };
    assert_eq!((lines.as_str(), metrics.as_str()), ("lines", "metrics"));
    assert!(address.ip().is_loopback() && watched.ip().is_loopback());
    let mut client = TcpStream::connect(address).unwrap();
    let described = ask(&mut client, &json!({"describe": true, "model": "pole"}));
    assert_eq!(described["heads"][0]["actions"].as_array().unwrap().len(), 2);
    let obs: Vec<f64> = described["features"].as_array().unwrap().iter().map(|_| 0.1).collect();
    let request = json!({"model": "pole", "obs": obs});
    assert_eq!(ask(&mut client, &request)["version"], 1);
    // A signal reads the models again.
    #[cfg(unix)]
    {
        running.signal("HUP");
        for model in ["pole", "other"] {
            let mut line = String::new();
            running.out.read_line(&mut line).unwrap();
            assert!(line.starts_with(&format!("{model}: version 2 is served")), "{line}");
        }
        assert_eq!(ask(&mut client, &request)["version"], 2);
        let mut watcher = TcpStream::connect(watched).unwrap();
        watcher.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").unwrap();
        let mut text = String::new();
        watcher.read_to_string(&mut text).unwrap();
        assert!(text.contains("lanista_reloads_total 2"), "{text}");
        running.signal("TERM");
        let mut rest = String::new();
        running.out.read_to_string(&mut rest).unwrap();
        assert!(rest.contains("stopped: 2 decisions in 2 passes"), "{rest}");
        assert!(running.child.wait().unwrap().success());
    }
}

#[test]
fn every_role_of_a_model_has_a_name() {
    let place = trained("hide", TWO_ROLES);
    let (_running, addresses, said) = serve(&place, "runs/hide --format lines=0 --format binary=0");
    assert!(said.contains("hide/hider:") && said.contains("hide/seeker:"), "{said}");
    let mut client = TcpStream::connect(addresses[0].1).unwrap();
    for role in ["hider", "seeker"] {
        let name = format!("hide/{role}");
        let features =
            ask(&mut client, &json!({"describe": true, "model": name}))["features"].clone();
        let obs: Vec<f64> = features.as_array().unwrap().iter().map(|_| 0.0).collect();
        let got = ask(&mut client, &json!({"model": "hide", "role": role, "obs": obs}));
        assert!(got["action"].is_array(), "{got}");
    }
}

#[test]
fn mistakes_are_named_before_anything_listens() {
    let place = trained("pole", FEED_FORWARD);
    place.write("short", "abc\n");
    for (line, part) in [
        ("serve", "MODEL"),
        ("serve nowhere", "holds no model.zip"),
        ("serve pole.yml", "not a sound model"),
        ("serve runs/pole runs/pole --port 0", "two models are called pole"),
        ("serve a/b=runs/pole --port 0", "a name has letters"),
        ("serve runs/pole --format json", "lines, binary, http, pvp-ml, short"),
        ("serve runs/pole --format lines=x", "no port"),
        ("serve runs/pole --port 1 --format lines --format http", "--format FORMAT=PORT"),
        ("serve runs/pole --port 0 --listen 0.0.0.0", "--token-file"),
        ("serve runs/pole --port 0 --listen 0.0.0.0 --token-file short", "16 to 256"),
        ("serve runs/pole --port 0 --token-file none", "cannot read none"),
        ("serve runs/pole --port 0 --max-connections 0", "at least 1"),
        ("bench serve runs/pole --format http", "lines, binary, pvp-ml and short"),
    ] {
        let said = place.fails(line);
        assert!(said.contains(part), "lanista {line}\n{said}");
    }
}

#[test]
fn the_speed_of_serving() {
    let place = trained("pole", FEED_FORWARD);
    for format in ["lines", "binary", "pvp-ml", "short"] {
        for connections in [1, 5] {
            let line = format!(
                "bench serve runs/pole --connections {connections} --seconds 0.2 --format {format} --json"
            );
            let value = place.json(&line);
            for key in ["decisions_per_second", "p50_us", "p99_us", "decisions", "rows_per_pass"] {
                assert!(value[key].as_f64().unwrap() > 0.0, "{key} in {value}");
            }
            assert!(value["p50_us"].as_f64() <= value["p99_us"].as_f64());
            assert_eq!((&value["faults"], &value["first_fault"]), (&json!(0), &Value::Null));
            assert!(value.as_object().unwrap().contains_key("rss_kb_last"));
        }
    }
}

#[test]
fn the_examples_agree() {
    let installed = |program: &str, flag: &str| {
        Command::new(program).arg(flag).output().is_ok_and(|out| out.status.success())
    };
    if cfg!(not(unix))
        || !["python3", "node"].iter().all(|p| installed(p, "--version"))
        || !installed("java", "--version")
    {
        println!("skipped: python3, node or java is not installed");
        return;
    }
    let place = trained("pole", FEED_FORWARD);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/serve/check.sh");
    let output = Command::new("sh")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_lanista"))
        .arg(place.path("runs/pole"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(said.matches("ok: ").count() >= 6 && said.contains("stopped: "), "{said}");
}
