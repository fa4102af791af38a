//! Messages are hostile until they are parsed: mutants of what every format takes.
//!
//! A mutant may be answered, refused or cut off. It may not stop a worker, leave a connection or a session
//! behind, or take memory that is not given back. `MUTANTS=100000` tries more of them than a test has time
//! for.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use lanista_game::seed::mix;
use lanista_serve::refusal::Kind;
use lanista_serve::{Config, Format};
use serde_json::json;

use crate::support::{FEATURES, Made, everything, numbers, serve};

fn how_many() -> u64 {
    std::env::var("MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(3000)
}

/// Sound messages of a format, as bytes of a whole conversation.
fn seeds(format: Format) -> Vec<Vec<u8>> {
    let obs = numbers(1, FEATURES);
    let masks = json!([[true, true, false], [true, false, true, true]]);
    let mask = json!([true, true, false, true, false, true, true]);
    let whole = json!({
        "id": "x", "model": "knight", "role": "knight", "obs": obs, "mask": mask, "deterministic": [true, false],
        "seed": 7, "reset": true, "session": "s", "want": ["value", "log_prob", "entropy", "probs", "state", "names"],
        "forbidden": vec![false; 12], "privileged": [1.0, 2.0],
    });
    let line = |value: serde_json::Value| format!("{value}\n").into_bytes();
    let frame = |body: &[u8]| [&(body.len() as u32).to_le_bytes(), body].concat();
    match format {
        Format::Lines => vec![
            line(whole),
            line(json!({"obs": {"mana": 1, "speed": -2e-3}, "mask": {"strike": ["low", "high"]}})),
            line(json!({"obs": [obs, obs]})),
            line(json!({"describe": true, "model": "knight"})),
            line(json!({"session": "s", "end": true})),
            line(json!({"obs": obs, "state": vec![0.5; 24]})),
        ],
        Format::PvpMl => vec![
            line(json!({
                "model": "knight", "actionMasks": masks, "obs": [obs], "deterministic": [true, false],
                "returnLogProb": true, "returnEntropy": true, "returnValue": true, "returnProbs": true,
                "extensions": [],
            })),
            line(json!({"model": "knight", "actionMasks": masks, "obs": [obs, obs]})),
        ],
        Format::Short => {
            vec![line(json!({"obs": [obs], "actionMasks": masks, "deterministic": true}))]
        }
        Format::Http | Format::Metrics => {
            let body = whole.to_string();
            let length = body.len();
            vec![
                format!("POST /act HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}").into(),
                b"GET /models HTTP/1.1\r\nAuthorization: Bearer x\r\nConnection: close\r\n\r\n".to_vec(),
                b"GET /metrics HTTP/1.0\r\nExpect: 100-continue\r\n\r\nGET /health HTTP/1.1\r\n\r\n".to_vec(),
            ]
        }
        Format::Binary => {
            let hello = frame(b"LNS1\x06\0knight\0\0");
            let numbers =
                |all: &[f32]| -> Vec<u8> { all.iter().flat_map(|n| n.to_le_bytes()).collect() };
            let decide = [
                &[1, 31, 63, 0, 9, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0][..],
                &numbers(&obs),
                &7u64.to_le_bytes(),
                &[0b101_1101, 0, 0],
                &numbers(&[1.0, 2.0]),
            ]
            .concat();
            vec![
                [hello.clone(), frame(&decide), frame(&decide)].concat(),
                [hello.clone(), frame(&[2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])].concat(),
                [hello, frame(&[3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])].concat(),
            ]
        }
    }
}

/// Changes a few things. Which ones follows from the number.
fn mutate(mut bytes: Vec<u8>, other: &[u8], number: u64) -> Vec<u8> {
    let mut dice = number;
    let mut draw = |below: usize| {
        dice = mix(dice, 1);
        (dice >> 32) as usize % below.max(1)
    };
    for _ in 0..=draw(3) {
        let at = draw(bytes.len());
        if bytes.is_empty() {
            break;
        }
        match draw(9) {
            0 => bytes[at] ^= 1 << draw(8),
            1 => bytes[at] = draw(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..(at + 1 + draw(20)).min(bytes.len()))),
            4 => {
                let part = bytes[at..(at + draw(60)).min(bytes.len())].to_vec();
                let to = draw(bytes.len());
                bytes.splice(to..to, part);
            }
            5 => {
                let from = draw(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            6 => {
                let words = [
                    "1e999",
                    "-",
                    "NaN",
                    "null",
                    "[",
                    "{",
                    "]",
                    "}",
                    "\"",
                    "\\u0000",
                    ",",
                    "99999999999999999999",
                    "-1",
                    "1e-400",
                    "\n",
                    "\r\n",
                    "\u{feff}",
                    "true",
                    "../../../etc/passwd",
                    "\\ud800",
                ];
                let word = words[draw(words.len())];
                bytes.splice(at..at, word.bytes());
            }
            7 => {
                let value = [0u8, 0x7f, 0x80, 0xff][draw(4)];
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill(value);
            }
            _ => {
                let deep = [b"[".as_slice(), b"{\"a\":", b" ", b"0", b"\xff"][draw(5)];
                bytes.splice(at..at, deep.repeat(draw(2000)));
            }
        }
    }
    bytes
}

fn rss_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Sends a mutant and waits for the end of the connection.
fn send(served: &crate::support::Served, format: Format, bytes: &[u8]) {
    let address = served.server.address(format).unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may close before it has taken everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut rest = Vec::new();
    if let Err(e) = stream.read_to_end(&mut rest) {
        let late = [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut];
        assert!(
            !late.contains(&e.kind()),
            "{format}: no end after {:?}",
            String::from_utf8_lossy(bytes)
        );
    }
    assert!(rest.len() < 1 << 20);
}

#[test]
fn mutated_messages_harm_nobody() {
    let made = Made::with(json!({
        "hidden": [16], "memory": {"cell": "lstm", "size": 6}, "normalize_observations": true,
    }));
    let mut config = Config { workers: 2, ..everything() };
    config.limits.message_bytes = 16 << 10;
    let served = serve(&made, config);
    let formats = Format::ALL.into_iter().chain([Format::Metrics]).collect::<Vec<_>>();
    let (count, threads) = (how_many(), 4);
    let run = |from: u64, to: u64| {
        thread::scope(|scope| {
            for t in 0..threads {
                let (served, formats) = (&served, &formats);
                scope.spawn(move || {
                    for number in (from + t..to).step_by(threads as usize) {
                        let format = formats[number as usize % formats.len()];
                        let dice = mix(77, number);
                        let seeds = seeds(format);
                        let pick = |bits: u64| seeds[(bits % seeds.len() as u64) as usize].clone();
                        send(served, format, &mutate(pick(dice), &pick(dice >> 20), dice));
                    }
                });
            }
        });
    };
    // Buffers grow to their size first.
    run(0, count / 10);
    let before = rss_kb();
    run(count / 10, count);
    let after = rss_kb();
    let metrics = served.server.metrics();
    assert_eq!(metrics.refusals_of(Kind::Internal), 0, "a policy panicked");
    assert!(metrics.refusals_of(Kind::Malformed) > count / 20 && metrics.decisions() > count / 20);
    let begun = Instant::now();
    while metrics.connections.load(Relaxed) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(30), "a connection is left");
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(metrics.sessions.load(Relaxed), 0);
    if let (Some(before), Some(after)) = (before, after) {
        println!(
            "{count} mutants: {} refused, {} decided, {before} kB before, {after} kB after",
            metrics.refusals(),
            metrics.decisions()
        );
        assert!(after < before + (32 << 10), "{before} kB before, {after} kB after");
    }
    // Both workers still work.
    let mut clients: Vec<_> = (0..4).map(|_| served.connect(Format::Lines)).collect();
    for client in &mut clients {
        let got = client.ask(&json!({"obs": numbers(1, FEATURES)}));
        assert!(got["action"].is_array(), "{got}");
    }
}
