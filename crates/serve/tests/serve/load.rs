//! The load generator against our own server, and against servers that answer wrongly.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use lanista_serve::load::{self, Load, LoadError, Outcome};
use lanista_serve::{Format, Models};
use serde_json::{Value, json};

use crate::support::{ACTIONS, FEATURES, Made, everything, serve};

fn asked(
    address: SocketAddr,
    format: Format,
    connections: usize,
    models: &Models,
) -> Result<Outcome, LoadError> {
    let time = Duration::from_millis(100);
    let load = Load { address, format, connections, threads: 2, time, token: String::new() };
    load::run(&load, &models.endpoints()[0], &AtomicBool::new(true))
}

#[test]
fn our_own_answers_have_no_faults() {
    let memory = json!({"hidden": [8], "memory": {"cell": "gru", "size": 4}});
    let stacked = Made { stack: vec![0, 1, 3], ..Made::default() };
    for made in [Made::default(), stacked, Made::with(memory)] {
        let served = serve(&made, everything());
        let models = Models::load(&[("knight".into(), served.path.clone())]).unwrap();
        for format in [Format::Lines, Format::Binary, Format::PvpMl, Format::Short] {
            let address = served.server.address(format).unwrap();
            for connections in [1, 5] {
                let outcome = asked(address, format, connections, &models).unwrap();
                assert_eq!(outcome.first_fault, None, "{format}");
                assert_eq!(outcome.faults, 0, "{format}");
                assert!(outcome.latencies.count > 0, "{format}");
            }
        }
        let none = asked(served.server.address(Format::Http).unwrap(), Format::Http, 1, &models);
        assert!(matches!(none, Err(LoadError::Format(Format::Http))));
    }
}

/// A server of pvp-ml's API that answers whatever `answer` says; it ends with the test.
fn answering(answer: impl Fn(&Value) -> String + Send + Sync + Copy + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            std::thread::spawn(move || {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines();
                for line in lines.map_while(Result::ok) {
                    let request = serde_json::from_str(&line).unwrap();
                    if stream.write_all(answer(&request).as_bytes()).is_err() {
                        break;
                    }
                }
            });
        }
    });
    address
}

fn reply(action: &Value) -> String {
    // By hand, because the API has its keys in this order.
    format!(
        "{{\"action\": {action}, \"logProb\": null, \"entropy\": null, \"values\": null, \
         \"probs\": null, \"extensionResults\": []}}\n"
    )
}

#[test]
fn wrong_answers_are_counted_and_shown() {
    let made = Made { stack: vec![0, 2], ..Made::default() };
    let served = serve(&made, everything());
    let models = Models::load(&[("knight".into(), served.path.clone())]).unwrap();
    let sound = answering(|request| {
        // All frames that the model sees come with every request.
        let frames = request["obs"].as_array().unwrap();
        let sizes: Vec<usize> = frames.iter().map(|f| f.as_array().unwrap().len()).collect();
        assert_eq!(sizes, [FEATURES; 2]);
        let masks = request["actionMasks"].as_array().unwrap();
        let actions: usize = masks.iter().map(|head| head.as_array().unwrap().len()).sum();
        assert_eq!((masks.len(), actions), (2, ACTIONS));
        assert_eq!(request["model"], "knight");
        reply(&json!([0, 0]))
    });
    for connections in [1, 5] {
        let outcome = asked(sound, Format::PvpMl, connections, &models).unwrap();
        assert_eq!((outcome.faults, outcome.first_fault), (0, None));
        assert!(outcome.latencies.count > 0);
    }

    let short = answering(|_| reply(&json!([0])));
    let out_of_range = answering(|_| reply(&json!([0, 4])));
    let illegal = answering(|request| {
        let first = request["actionMasks"][0].as_array().unwrap();
        let forbidden = first.iter().position(|legal| legal == &json!(false)).unwrap_or(3);
        reply(&json!([forbidden, 0]))
    });
    for (address, part) in [
        (short, "1 choices for 2 heads"),
        (out_of_range, "choice 4 of head strike"),
        (illegal, "the mask or a requirement"),
    ] {
        for connections in [1, 5] {
            let outcome = asked(address, Format::PvpMl, connections, &models).unwrap();
            assert!(outcome.faults >= outcome.latencies.count, "{part}: every answer is one");
            assert!(outcome.latencies.count > 0);
            let first = outcome.first_fault.unwrap();
            assert!(first.contains(part) || address == illegal, "{first}");
        }
    }

    let refusing = answering(|_| "{\"error\": \"not today\"}\n".into());
    let refused = asked(refusing, Format::PvpMl, 1, &models).unwrap_err();
    assert!(refused.to_string().contains("not today"), "{refused}");
}
