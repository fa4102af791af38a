//! Clients that cost too much, come too late or may not come at all.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use lanista_serve::refusal::Kind;
use lanista_serve::{Config, Format, Models, ServeError, Server, Token};
use serde_json::{Value, json};

use crate::support::{Client, FEATURES, Made, Served, everything, serve};

const SECRET: &str = "a-secret-of-some-length";

fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn open(served: &Served) -> u64 {
    served.server.metrics().connections.load(Relaxed)
}

fn works(client: &mut Client) {
    let got = client.ask(&json!({"obs": vec![0.0; FEATURES]}));
    assert!(got["action"].is_array(), "{got}");
}

#[test]
fn beyond_this_machine_a_token_is_demanded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.zip");
    Made::default().save(&path);
    let models = || Models::load(&[("knight".into(), path.clone())]).unwrap();
    let anywhere = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
    let mut config = Config::local(Format::Lines);
    config.listen[0].1 = anywhere;
    let refused = Server::start(config, models(), None).err().unwrap();
    assert!(matches!(refused, ServeError::NoToken(_)), "{refused}");
}

#[test]
fn every_format_asks_for_the_token() {
    let token = Some(Token::new(SECRET).unwrap());
    let served = serve(&Made::default(), Config { token, ..everything() });
    let obs = json!(vec![0.0; FEATURES]);
    let wrong = "a-secret-of-some-lengtH";
    // Lines: alone, or with the first request.
    for (token, sound) in [(None, false), (Some(wrong), false), (Some(SECRET), true)] {
        let mut client = served.connect(Format::Lines);
        let mut request = json!({"obs": obs});
        if let Some(token) = token {
            request["token"] = json!(token);
        }
        let got = client.ask(&request);
        assert_eq!(got["action"].is_array(), sound, "{got}");
        if sound {
            works(&mut client);
        } else {
            assert_eq!(got["kind"], "token");
            assert_eq!(client.rest(), b"", "a client without the token is sent away");
        }
    }
    let mut client = served.connect(Format::Lines);
    assert_eq!(client.ask(&json!({"token": SECRET})), json!({"ok": true}));
    works(&mut client);
    // The APIs of others: a line in front, which nobody answers.
    for format in [Format::PvpMl, Format::Short] {
        let request =
            json!({"obs": [obs], "actionMasks": [[1, 1, 1], [1, 1, 1, 1]], "model": "knight"});
        assert_eq!(served.connect(format).ask(&request)["kind"], "token");
        assert_eq!(served.connect(format).ask(&json!({"token": wrong}))["kind"], "token");
        let mut client = served.connect(format);
        client.send(format!("{}\n", json!({"token": SECRET})).as_bytes());
        assert!(client.ask(&request)["action"].is_array());
    }
    // Binary: in the greeting.
    for (token, sound) in [("", false), (wrong, false), (SECRET, true)] {
        let mut client = served.connect(Format::Binary);
        let mut hello = b"LNS1\x06\0knight".to_vec();
        hello.extend_from_slice(&(token.len() as u16).to_le_bytes());
        hello.extend_from_slice(token.as_bytes());
        client.send_frame(&hello);
        let code = client.frame()[0];
        assert_eq!(code, if sound { 0 } else { Kind::Token.code() });
    }
    // HTTP: a header.
    for format in [Format::Http, Format::Metrics] {
        let path = if format == Format::Http { "/models" } else { "/metrics" };
        for (header, status) in [
            (String::new(), "401"),
            (format!("Authorization: Bearer {wrong}\r\n"), "401"),
            (format!("Authorization: Bearer {SECRET}\r\n"), "200"),
        ] {
            let request = format!("GET {path} HTTP/1.1\r\n{header}\r\n");
            let (head, _) = served.connect(format).http(&request);
            assert!(head.contains(status), "{format} {header}: {head}");
        }
    }
    let (head, _) = served.connect(Format::Metrics).http("GET /health HTTP/1.1\r\n\r\n");
    assert!(head.contains("200"));
}

#[test]
fn messages_that_are_too_long_are_refused_with_a_reason() {
    let mut config = everything();
    config.limits.message_bytes = 1000;
    let served = serve(&Made::default(), config);
    for format in [Format::Lines, Format::PvpMl, Format::Short] {
        let mut client = served.connect(format);
        client.send(&vec![b' '; 300_000]);
        let got: Value = serde_json::from_str(&client.line()).unwrap();
        assert_eq!(got["kind"], "too_large", "{got}");
        assert_eq!(client.rest(), b"");
    }
    let mut client = served.connect(Format::Binary);
    client.send(&1001u32.to_le_bytes());
    assert_eq!(client.frame()[0], Kind::TooLarge.code());
    assert_eq!(client.rest(), b"");
    let mut client = served.connect(Format::Http);
    let (head, _) = client.http("POST /act HTTP/1.1\r\nContent-Length: 1001\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 413"), "{head}");
    let mut client = served.connect(Format::Http);
    client.send(&[b"GET / HTTP/1.1\r\nX: ".to_vec(), vec![b'x'; 20_000]].concat());
    assert!(client.line().starts_with("HTTP/1.1 413"));
    works(&mut served.connect(Format::Lines));
}

#[test]
fn only_so_many_clients_get_in() {
    let mut config = everything();
    config.limits.connections = 3;
    let served = serve(&Made::default(), config);
    let mut clients: Vec<Client> = (0..3).map(|_| served.connect(Format::Lines)).collect();
    clients.iter_mut().for_each(works);
    let mut fourth = served.connect(Format::Lines);
    let got: Value = serde_json::from_str(&fourth.line()).unwrap();
    assert_eq!(got["kind"], "connections");
    assert_eq!(fourth.rest(), b"");
    let (head, _) = served.connect(Format::Metrics).http("GET /health HTTP/1.1\r\n\r\n");
    assert!(head.contains("200"), "whoever watches still gets in");
    drop(clients.pop());
    wait_until("a client that went makes room", || open(&served) < 3);
    works(&mut served.connect(Format::Lines));
}

#[test]
fn silent_and_half_open_clients_are_sent_away_and_cost_nobody_else() {
    let mut config = everything();
    config.limits.idle = Duration::from_millis(600);
    config.workers = 1;
    let served = serve(&Made::default(), config);
    // Silent; half a message; half a head; half a frame.
    let mut lost: Vec<Client> = Vec::new();
    for (format, bytes) in [
        (Format::Lines, &b""[..]),
        (Format::Lines, b"{\"obs\": [1, 2"),
        (Format::PvpMl, b"{"),
        (Format::Binary, b"\x10\0\0\0LN"),
        (Format::Http, b"POST /act HTTP/1.1\r\nContent-Le"),
    ] {
        let mut client = served.connect(format);
        client.send(bytes);
        lost.push(client);
    }
    let mut busy = served.connect(Format::Lines);
    let begun = Instant::now();
    while served.server.metrics().connected() < 6 || open(&served) > 1 {
        works(&mut busy);
        assert!(begun.elapsed() < Duration::from_secs(30), "they stay for ever");
    }
    let told: Value = serde_json::from_str(&lost[1].line()).unwrap();
    assert_eq!(told["kind"], "idle");
    assert_eq!(served.server.metrics().refusals_of(Kind::Idle), 5);
}

#[test]
fn a_client_that_takes_no_answers_gets_no_more() {
    let mut config = Config::local(Format::Lines);
    config.workers = 1;
    let served = serve(&Made::default(), config);
    let mut greedy = served.connect(Format::Lines);
    greedy.stream.set_write_timeout(Some(Duration::from_millis(300))).unwrap();
    let line = json!({"describe": true, "model": "knight"}).to_string() + "\n";
    let block = line.repeat(100);
    // It asks until nothing moves any more: neither side buffers without end.
    let mut taken = 0;
    while std::io::Write::write_all(&mut greedy.stream, block.as_bytes()).is_ok() {
        taken += block.len();
        assert!(taken < 200 << 20, "the server buffers without end");
    }
    works(&mut served.connect(Format::Lines));
}

#[test]
fn a_full_queue_refuses_and_recovers() {
    let mut config = Config::local(Format::Lines);
    config.limits.queue = 1;
    config.workers = 1;
    let served = serve(&Made::with(json!({"hidden": [512, 512]})), config);
    let mut clients: Vec<Client> = (0..16).map(|_| served.connect(Format::Lines)).collect();
    let line = json!({"obs": vec![0.0; FEATURES]}).to_string() + "\n";
    let begun = Instant::now();
    while served.server.metrics().refusals_of(Kind::Busy) == 0 {
        clients.iter_mut().for_each(|client| client.send(line.as_bytes()));
        for client in &mut clients {
            let got: Value = serde_json::from_str(&client.line()).unwrap();
            assert!(got["action"].is_array() || got["kind"] == "busy", "{got}");
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "it never fills up");
    }
    clients.iter_mut().for_each(works);
}

#[test]
fn what_was_asked_before_the_end_is_answered() {
    let served = serve(&Made::default(), Config::local(Format::Lines));
    let mut clients: Vec<Client> = (0..8).map(|_| served.connect(Format::Lines)).collect();
    clients.iter_mut().for_each(works);
    let line = json!({"obs": vec![0.0; FEATURES]}).to_string() + "\n";
    for client in &mut clients {
        client.send(line.repeat(20).as_bytes());
    }
    served.server.stop();
    for client in &mut clients {
        for _ in 0..20 {
            assert!(client.line().starts_with("{\"action\""));
        }
        assert_eq!(client.line(), "");
    }
}

#[test]
fn many_requests_in_one_breath_are_answered_in_order() {
    let served = serve(&Made::default(), everything());
    let mut client = served.connect(Format::Lines);
    let text: String = (0..500).map(|i| format!("{{\"obs\":[0,0,0,0,0],\"id\":{i}}}\n")).collect();
    client.send(text.as_bytes());
    for i in 0..500 {
        let got: Value = serde_json::from_str(&client.line()).unwrap();
        assert_eq!(got["id"], i);
    }
    // And one in many breaths.
    for byte in b"{\"obs\":[0,0,0,0,0],\"id\":\"slow\"}\r\n" {
        client.send(&[*byte]);
    }
    let got: Value = serde_json::from_str(&client.line()).unwrap();
    assert_eq!(got["id"], "slow");
    // A client that half-closes still gets its answer.
    client.send(b"{\"obs\":[0,0,0,0,0],\"id\":\"last\"}\n");
    client.stream.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(client.line().contains("\"last\""));
    assert_eq!(client.rest(), b"");
}
