//! A server that plays ticks for all agents at once, as the original's does: no tick is played until every agent
//! that is logged in has sent something, and the beginning of a fight takes several. A stand-in of it, in front
//! of ours, shows that matches neither wait for each other for ever nor for agents that stand about.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use lanista_game::{Answer, Batch, Buffers, Control, End, Entry};
use lanista_nh::games;
use lanista_nh::server::{Host, Options};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(20);
/// Ticks that the original waits after a death before it begins the next fight.
const RESET_TICKS: u32 = 6;

/// Of so many steps one comes too late for its tick, and is answered with the next.
const LATE_OF: u32 = 97;

/// Who is logged in, and for how many ticks the request of each waits still.
#[derive(Default)]
struct Gate {
    agents: HashMap<String, Option<u32>>,
    steps: u32,
}

impl Gate {
    /// Plays ticks as long as everybody has sent something.
    fn turn(&mut self) {
        let has_sent = |left: &Option<u32>| left.is_some_and(|ticks| ticks > 0);
        let waits = |left: &Option<u32>| left.is_some_and(|ticks| ticks < u32::MAX);
        while self.agents.values().all(has_sent) && self.agents.values().any(waits) {
            for left in self.agents.values_mut().flatten().filter(|left| **left < u32::MAX) {
                *left -= 1;
            }
        }
    }
}

type World = Arc<(Mutex<Gate>, Condvar)>;

/// The stand-in; where it listens.
fn lockstep(host: SocketAddr) -> (SocketAddr, World) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let world = World::default();
    let shared = Arc::clone(&world);
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let world = Arc::clone(&shared);
            std::thread::spawn(move || serve(stream, host, &world));
        }
    });
    (address, world)
}

fn serve(mut stream: TcpStream, host: SocketAddr, world: &World) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut behind = TcpStream::connect(host).ok()?;
    behind.set_nodelay(true).ok()?;
    let mut answers = BufReader::new(behind.try_clone().ok()?);
    let (gate, changed) = &**world;
    for line in BufReader::new(stream.try_clone().ok()?).lines() {
        let line = line.ok()?;
        let request: Value = serde_json::from_str(&line).ok()?;
        let id = request["meta"]["id"].as_str()?.to_owned();
        let action = request["action"].as_str()?.to_owned();
        {
            let mut gate = gate.lock().unwrap();
            match action.as_str() {
                "logout" => drop(gate.agents.remove(&id)),
                "debug" => {}
                // A login waits for a tick of the others, which it cannot have without them.
                "login" => {
                    gate.agents.insert(id.clone(), Some(1));
                    gate.turn();
                }
                _ => {
                    gate.steps += u32::from(action == "step");
                    let ticks = match action.as_str() {
                        "reset" => RESET_TICKS,
                        _ if gate.steps.is_multiple_of(LATE_OF) => 2,
                        _ => 1,
                    };
                    gate.agents.insert(id.clone(), Some(ticks));
                    gate.turn();
                }
            }
            gate.turn();
            changed.notify_all();
            if !["logout", "debug"].contains(&action.as_str()) {
                while gate.agents.get(&id).is_some_and(|left| *left != Some(0)) {
                    gate = changed.wait(gate).unwrap();
                }
                // A beginning stays queued until the opponent has asked for the same fight.
                if let Some(left) = gate.agents.get_mut(&id) {
                    *left = Some(u32::MAX);
                }
                gate.turn();
                changed.notify_all();
            }
        }
        writeln!(behind, "{line}").ok()?;
        let mut answer = String::new();
        answers.read_line(&mut answer).ok()?;
        // Answered: whoever says nothing now stops the world.
        if let Some(left) = gate.lock().unwrap().agents.get_mut(&id) {
            *left = None;
        }
        if action == "login" {
            "{}\n".clone_into(&mut answer);
        }
        stream.write_all(answer.as_bytes()).ok()?;
    }
    Some(())
}

fn build(entry: &Entry, address: SocketAddr, matches: usize) -> (Box<dyn Batch>, Buffers) {
    let batch = entry.build(&json!({"remote": address.to_string()}), matches).unwrap();
    let buffers = Buffers::new(&batch.spec().clone(), matches);
    (batch, buffers)
}

fn settle(batch: &mut dyn Batch, buffers: &mut Buffers, mut left: usize) {
    while left > 0 {
        let mut answers = Vec::new();
        batch.collect(PATIENCE, buffers, &mut answers).unwrap();
        assert!(!answers.is_empty(), "nobody answers: the world stands still");
        for answer in answers {
            assert!(matches!(answer, Answer::Ready(_)), "{answer:?}");
            left -= 1;
        }
    }
}

fn seats(number: u64) -> [Control; 2] {
    let foe = if number.is_multiple_of(2) { Control::Bot(0) } else { Control::Outside };
    [Control::Outside, foe]
}

/// Plays steps in all matches, as a trainer does: those that are over start anew while the others go on. How many
/// were terminated and how many were cut.
fn play(batch: &mut dyn Batch, buffers: &mut Buffers, steps: usize, seed: u64) -> [u64; 2] {
    let matches = batch.matches();
    let all: Vec<usize> = (0..matches).collect();
    let mut ended = [0, 0];
    for _ in 0..steps {
        let mut actions = vec![0; matches * 24];
        for row in 0..matches * 2 {
            if buffers.acting[row] {
                let own = &mut actions[row * 12..(row + 1) * 12];
                batch.scripted(row / 2, 1, row % 2, own).unwrap();
            }
        }
        batch.submit(&all, &actions, buffers).unwrap();
        settle(batch, buffers, matches);
        let over: Vec<usize> = (0..matches).filter(|&m| buffers.end[m].is_some()).collect();
        for &m in &over {
            ended[usize::from(buffers.end[m] == Some(End::Truncated))] += 1;
            let number = seed + ended[0] + ended[1];
            batch.start(m, number, &seats(number), buffers).unwrap();
        }
        settle(batch, buffers, over.len());
    }
    ended
}

#[test]
fn beginnings_do_not_stop_the_others_and_idle_agents_give_way() {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let host = Host::open(&Options { listen, seed: 1 }).unwrap();
    let (address, world) = lockstep(host.address());
    let entry = &games()[0];
    let (mut training, mut buffers) = build(entry, address, 4);
    for m in 0..4 {
        training.start(m, m as u64, &seats(m as u64), &mut buffers).unwrap();
    }
    settle(training.as_mut(), &mut buffers, 4);
    let ended = play(training.as_mut(), &mut buffers, 700, 10);
    assert!(ended[0] >= 4 && ended[1] == 0, "{ended:?}");

    // An evaluation begins on the same server, and training stands still meanwhile.
    let (mut evaluation, mut shown) = build(entry, address, 2);
    for m in 0..2 {
        evaluation.start(m, 50 + m as u64, &seats(m as u64), &mut shown).unwrap();
    }
    settle(evaluation.as_mut(), &mut shown, 2);
    let ended = play(evaluation.as_mut(), &mut shown, 600, 60);
    assert!(ended[0] >= 1, "{ended:?}");
    drop(evaluation);

    // Then training goes on: what had to give way is cut, nothing is lost.
    let ended = play(training.as_mut(), &mut buffers, 600, 100);
    assert_eq!(ended[1], 4, "all four had given way: {ended:?}");
    assert!(ended[0] >= 1, "{ended:?}");
    drop(training);
    assert_eq!(host.agents(), 0);
    assert!(world.0.lock().unwrap().agents.is_empty());
}

/// The same on the original's own server, whose address `NH_SERVER` names. It must have no other agents.
#[test]
#[ignore = "needs a server: NH_SERVER=HOST:PORT"]
fn fights_on_the_original_server() {
    let address: SocketAddr = std::env::var("NH_SERVER").unwrap().parse().unwrap();
    let entry = &games()[0];
    let (mut training, mut buffers) = build(entry, address, 6);
    for m in 0..6 {
        training.start(m, m as u64, &seats(m as u64), &mut buffers).unwrap();
    }
    settle(training.as_mut(), &mut buffers, 6);
    let begun = std::time::Instant::now();
    let ended = play(training.as_mut(), &mut buffers, 800, 10);
    println!("{ended:?} fights ended and cut in {:.1?}", begun.elapsed());
    // The whole world waits for whoever is slow, so one may have had to give way.
    assert!(ended[0] >= 6 && ended[1] <= 2, "{ended:?}");
    let (mut evaluation, mut shown) = build(entry, address, 2);
    for m in 0..2 {
        evaluation.start(m, 50 + m as u64, &seats(m as u64), &mut shown).unwrap();
    }
    settle(evaluation.as_mut(), &mut shown, 2);
    let ended = play(evaluation.as_mut(), &mut shown, 400, 60);
    println!("{ended:?} fights ended and cut in an evaluation beside it");
    drop(evaluation);
    let ended = play(training.as_mut(), &mut buffers, 400, 100);
    println!("{ended:?} fights ended and cut after it");
    assert!(ended[1] >= 6, "all six had given way: {ended:?}");
}
