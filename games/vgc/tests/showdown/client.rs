//! The client against servers that misbehave: fakes on this machine that speak a script.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::AtomicUsize;
use std::thread::JoinHandle;
use std::time::Duration;

use lanista_vgc::choice::Choice;
use lanista_vgc::client::{self, Address, ClientError, Keep, Plan, Seek, Summary, Table};
use lanista_vgc::format::Format;
use lanista_vgc::legal::Legal;
use lanista_vgc::request::Request;
use lanista_vgc::state::Battle;
use tungstenite::{Message, WebSocket};

/// See `session_tests.rs`.
const RECORDED: &str = include_str!("../data/server.txt");
const ROOM: &str = "battle-gen9vgc2024regg-2";

fn plan() -> Plan {
    Plan {
        name: "alpha one".into(),
        format: Format::of("gen9vgc2024regg").unwrap(),
        teams: vec!["team".into()],
        seek: Seek::Ladder,
        battles: 1,
        at_once: 1,
        open_sheets: false,
    }
}

/// Takes the first legal choice.
fn first(_: &Battle, _: &Request, legal: &Legal) -> Choice {
    if legal.preview {
        return Choice::Preview(0);
    }
    let pairs = (0..45).flat_map(|first| (0..45).map(move |second| (first, second)));
    let (first, second) = pairs.into_iter().find(|&(a, b)| legal.allows(a, b)).unwrap();
    Choice::Turn(first, second)
}

fn play(server: &str, keep: Option<Keep>, told: &mut Vec<String>) -> Result<Summary, ClientError> {
    let (mut player, mut tell) = (first, |line: &str| told.push(line.to_owned()));
    let mut table = Table::new(plan(), &mut player, keep, &mut tell);
    let address: Address = server.parse().unwrap();
    client::play(&address, &mut table, &AtomicUsize::new(0))
}

/// A server that runs a script for each connection in turn.
fn serve(scripts: Vec<fn(&mut WebSocket<TcpStream>)>) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        for script in scripts {
            let (stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            script(&mut tungstenite::accept(stream).unwrap());
        }
    });
    (address, thread)
}

fn say(socket: &mut WebSocket<TcpStream>, text: &str) {
    socket.send(Message::text(text)).unwrap();
}

/// Waits for a message that begins like this, and returns it.
fn hear(socket: &mut WebSocket<TcpStream>, beginning: &str) -> String {
    loop {
        if let Message::Text(text) = socket.read().unwrap()
            && text.starts_with(beginning)
        {
            return text.to_string();
        }
    }
}

/// The recorded messages of the room.
fn recorded() -> Vec<&'static str> {
    RECORDED.split("\n<<<\n").filter(|message| message.starts_with(">battle")).collect()
}

fn greet(socket: &mut WebSocket<TcpStream>) {
    say(socket, "|challstr|4|00");
    hear(socket, "|/trn alpha one,0,");
    say(socket, "|updateuser| alpha one|1|1|{}");
}

/// Begins the recorded battle, hears the preview's choice and is gone without a word.
fn break_off(socket: &mut WebSocket<TcpStream>) {
    greet(socket);
    hear(socket, "|/search gen9vgc2024regg");
    for message in recorded() {
        say(socket, message);
        if message.contains("|request|{\"teamPreview\"") {
            assert!(hear(socket, &format!("{ROOM}|/choose team")).ends_with("|2"));
            return;
        }
    }
}

/// Puts the player back into the battle and lets it win at once.
fn go_on(socket: &mut WebSocket<TcpStream>) {
    greet(socket);
    let lines = |message: &str| message.lines().skip(1).collect::<Vec<_>>().join("\n");
    let turn = recorded();
    let second = turn.iter().position(|message| message.contains("|request|{\"active\"")).unwrap();
    let log: Vec<String> = (turn[..second].iter())
        .filter(|message| !message.contains("|request|"))
        .map(|message| lines(message))
        .collect();
    say(
        socket,
        &format!(">{ROOM}\n|init|battle\n{}", log.join("\n").replace("|init|battle\n", "")),
    );
    say(socket, turn[second]);
    let choice = hear(socket, &format!("{ROOM}|/choose "));
    // The first choice is refused, so another comes.
    say(socket, &format!(">{ROOM}\n|error|[Invalid choice] Can't move: try again"));
    assert_ne!(hear(socket, &format!("{ROOM}|/choose ")), choice);
    say(socket, &format!(">{ROOM}\n|\n|win|alpha one"));
    hear(socket, &format!("|/leave {ROOM}"));
}

#[test]
fn a_connection_that_breaks_in_a_battle_is_made_again() {
    let (address, server) = serve(vec![break_off, go_on]);
    let directory = tempfile::tempdir().unwrap();
    let mut told = Vec::new();
    let summary = play(&address, Some(Keep::new(directory.path()).unwrap()), &mut told).unwrap();
    server.join().unwrap();
    assert_eq!((summary.battles, summary.won, summary.reconnects), (1, 1, 1), "{told:#?}");
    assert_eq!((summary.decisions, summary.rejected), (3, 1), "{told:#?}");
    assert!(told.iter().any(|line| line.contains("broke")), "{told:#?}");
    assert!(told.iter().any(|line| line.contains("entered again")), "{told:#?}");
    let kept = |ending: &str| {
        std::fs::read_to_string(directory.path().join(format!("{ROOM}.{ending}"))).unwrap()
    };
    // The log stands there once, though it came twice.
    let log = kept("log");
    assert_eq!(log.matches("|clearpoke").count(), 1, "{log}");
    assert_eq!(log.matches("|win|alpha one").count(), 1);
    assert!(!log.contains("|request|") && !log.contains("|j|"), "{log}");
    let choices: Vec<serde_json::Value> =
        kept("choices.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(choices.iter().filter(|note| note["choice"].is_string()).count(), 3);
    assert_eq!(choices.last().unwrap()["end"], "won");
    assert!(kept("html").contains("battle-log-data"));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let error = play(&address, None, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, ClientError::Unreachable(..)), "{error}");
    let words = error.to_string();
    assert!(words.contains(&address) && words.contains("is it running"), "{words}");
}

#[test]
fn another_kind_of_server_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").unwrap();
    });
    let error = play(&address, None, &mut Vec::new()).unwrap_err();
    server.join().unwrap();
    assert!(error.to_string().contains("404"), "{error}");
}

#[test]
fn a_refused_team_ends_it_with_the_servers_words() {
    let refuse: fn(&mut WebSocket<TcpStream>) = |socket| {
        greet(socket);
        hear(socket, "|/search");
        say(socket, "|popup|Your team was rejected for the following reasons:||||- No such item.");
        // Until the client is gone.
        while socket.read().is_ok() {}
    };
    let (address, server) = serve(vec![refuse]);
    let error = play(&address, None, &mut Vec::new()).unwrap_err();
    server.join().unwrap();
    assert!(error.to_string().contains("No such item."), "{error}");
}
