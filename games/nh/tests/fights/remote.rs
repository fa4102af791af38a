//! Fights on a server beside the same fights in the simulator: every number that the contract shows.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use lanista_game::{Answer, Batch, Buffers, Control, End};
use lanista_nh::games;
use lanista_nh::server::{Host, Options};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(20);
const STEPS: usize = 400;

fn host() -> Host {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    Host::open(&Options { listen, seed: 7 }).unwrap()
}

fn build(mut settings: Value, remote: Option<&Host>, matches: usize) -> Box<dyn Batch> {
    if let Some(host) = remote {
        settings["remote"] = json!(host.address().to_string());
    }
    games()[0].build(&settings, matches).unwrap()
}

/// Waits for one answer of every match named.
fn settle(batch: &mut dyn Batch, buffers: &mut Buffers, mut left: usize) {
    while batch.waits() && left > 0 {
        let mut answers = Vec::new();
        batch.collect(PATIENCE, buffers, &mut answers).unwrap();
        assert!(!answers.is_empty(), "no answer");
        for answer in answers {
            assert!(matches!(answer, Answer::Ready(_)), "{answer:?}");
            left -= 1;
        }
    }
}

/// Plays both to the end of the match, and compares everything at every step. How many steps there were.
fn compare(settings: Value, seats: [Control; 2], seed: u64) -> usize {
    let host = host();
    let mut local = build(settings.clone(), None, 1);
    let mut remote = build(settings.clone(), Some(&host), 1);
    let spec = local.spec().clone();
    let mut here = Buffers::new(&spec, 1);
    let mut there = Buffers::new(&spec, 1);
    local.start(0, seed, &seats, &mut here).unwrap();
    remote.start(0, seed, &seats, &mut there).unwrap();
    settle(remote.as_mut(), &mut there, 1);
    let scripted = |seat: usize| seats[seat] == Control::Bot(0);
    for step in 0..STEPS {
        assert_eq!(here.observation, there.observation, "step {step}");
        assert_eq!(here.privileged, there.privileged, "step {step}");
        assert_eq!(here.mask, there.mask, "step {step}");
        assert_eq!(here.acting, there.acting, "step {step}");
        let mut actions = vec![0; 24];
        for seat in 0..2 {
            // Whoever is outside plays as the greedy player does.
            let bot = match seats[seat] {
                Control::Bot(bot) => bot,
                _ => 1,
            };
            if here.acting[seat] {
                let mut again = [0; 12];
                let own = &mut actions[seat * 12..(seat + 1) * 12];
                local.scripted(0, bot, seat, own).unwrap();
                remote.scripted(0, bot, seat, &mut again).unwrap();
                assert_eq!(own, again, "step {step}: scripted players choose alike");
            }
        }
        local.submit(&[0], &actions, &mut here).unwrap();
        remote.submit(&[0], &actions, &mut there).unwrap();
        settle(remote.as_mut(), &mut there, 1);
        assert_eq!(here.end, there.end, "step {step}");
        assert_eq!(here.score, there.score, "step {step}");
        for seat in (0..2).filter(|&seat| !scripted(seat)) {
            for (place, term) in spec.terms.iter().enumerate() {
                let at = seat * spec.terms.len() + place;
                let (ours, theirs) = (here.terms[at], there.terms[at]);
                assert_eq!(ours, theirs, "step {step} seat {seat}: {}", term.name);
            }
        }
        if here.end[0].is_some() {
            assert_eq!(here.observation, there.observation, "the last view");
            assert_eq!(here.privileged, there.privileged, "the last view");
            // Attacks that strike twice in a tick are told once; all other stats are the same.
            let counts = ["attacks", "off_prayer", "magic_share"];
            for (place, name) in spec.stat_names().iter().enumerate() {
                if !counts.iter().any(|count| name.contains(count)) {
                    let (ours, theirs) = (here.stats[place], there.stats[place]);
                    assert!((ours - theirs).abs() < 1e-5, "{name}: {ours} for {theirs}");
                }
            }
            return step + 1;
        }
    }
    STEPS
}

#[test]
fn fights_on_a_server_are_those_of_the_simulator() {
    let outside = Control::Outside;
    let fights = [
        (json!({"start_beside": true}), [outside, Control::Bot(0)]),
        (json!({}), [Control::Bot(0), outside]),
        (json!({"builds": ["PURE", "MED", "LMS_MED"]}), [outside, outside]),
        (json!({"builds": ["ZERKER"], "allow_smite": false}), [outside, Control::Bot(2)]),
        (json!({"randomize_fight_type": true, "randomize_gear": true}), [Control::Bot(3), outside]),
        (json!({"builds": ["LMS_PURE"], "death_match": false}), [outside, outside]),
        (json!({"only_switch_gear_when_attack_soon": true}), [outside, Control::Bot(4)]),
        (json!({"max_ticks": 20}), [outside, Control::Bot(0)]),
        (json!({"action_delay": 2, "missed_ticks": 0.1}), [outside, outside]),
    ];
    for (place, (settings, seats)) in fights.into_iter().enumerate() {
        for seed in 0..3 {
            let steps = compare(settings.clone(), seats, 1000 * place as u64 + seed);
            assert!(steps >= 10, "fight {place} had {steps} steps");
        }
    }
}

#[test]
fn many_matches_go_on_at_once_and_log_out_in_the_end() {
    let host = host();
    let mut batch = build(json!({}), Some(&host), 8);
    assert!(!batch.replays());
    let mut buffers = Buffers::new(&batch.spec().clone(), 8);
    for m in 0..8 {
        // Half of them against the script, half of them against each other.
        let foe = if m % 2 == 0 { Control::Bot(0) } else { Control::Outside };
        batch.start(m, m as u64, &[Control::Outside, foe], &mut buffers).unwrap();
    }
    settle(batch.as_mut(), &mut buffers, 8);
    assert_eq!(host.agents(), 12);
    let (mut ended, all) = (0, [0, 1, 2, 3, 4, 5, 6, 7]);
    for _ in 0..600 {
        let mut actions = vec![0; 8 * 24];
        for row in 0..16 {
            if buffers.acting[row] {
                let own = &mut actions[row * 12..(row + 1) * 12];
                batch.scripted(row / 2, 1, row % 2, own).unwrap();
            }
        }
        batch.submit(&all, &actions, &mut buffers).unwrap();
        settle(batch.as_mut(), &mut buffers, 8);
        let over: Vec<usize> = (0..8).filter(|&m| buffers.end[m].is_some()).collect();
        for &m in &over {
            assert_eq!(buffers.end[m], Some(End::Terminated));
            ended += 1;
            // The opponent changes from fight to fight.
            let foe = if ended % 2 == 0 { Control::Bot(0) } else { Control::Outside };
            batch.start(m, 100 + ended, &[foe, Control::Outside], &mut buffers).unwrap();
        }
        settle(batch.as_mut(), &mut buffers, over.len());
    }
    assert!(ended > 8, "{ended} fights ended");
    drop(batch);
    assert_eq!(host.agents(), 0, "everybody is logged out");
}

#[test]
fn nobody_there_is_said_plainly_and_a_server_that_goes_loses_matches() {
    let gone = host().address();
    let mut batch = games()[0].build(&json!({"remote": gone.to_string()}), 1).unwrap();
    let mut buffers = Buffers::new(&batch.spec().clone(), 1);
    let seats = [Control::Outside, Control::Bot(0)];
    batch.start(0, 1, &seats, &mut buffers).unwrap();
    let fault = batch.collect(PATIENCE, &mut buffers, &mut Vec::new()).unwrap_err();
    assert!(fault.message.contains("cannot connect") && fault.message.contains("settings.remote"));

    let host = host();
    let mut batch = build(json!({}), Some(&host), 1);
    batch.start(0, 1, &seats, &mut buffers).unwrap();
    settle(batch.as_mut(), &mut buffers, 1);
    // Somebody else logs the agent out: the match is lost, and the next one begins with a fresh name.
    let mut line = Line::new(&host);
    let agents = line.ask("debug", Value::Null, "x");
    let name = agents["body"][0]["id"].as_str().unwrap().to_owned();
    line.ask("logout", Value::Null, &name);
    batch.submit(&[0], &[0; 24], &mut buffers).unwrap();
    let mut answers = Vec::new();
    batch.collect(PATIENCE, &mut buffers, &mut answers).unwrap();
    assert!(
        matches!(&answers[..], [Answer::Lost(0, why)] if why.contains("refuses")),
        "{answers:?}"
    );
    batch.start(0, 2, &seats, &mut buffers).unwrap();
    settle(batch.as_mut(), &mut buffers, 1);
    let agents = line.ask("debug", Value::Null, "x");
    assert_ne!(agents["body"][0]["id"].as_str().unwrap(), name);
    batch.abandon(0);
    assert_eq!(host.agents(), 0);
}

/// A line to a server, as a stranger has it.
struct Line(BufReader<TcpStream>);

impl Line {
    fn new(host: &Host) -> Self {
        let stream = TcpStream::connect(host.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    fn send(&mut self, action: &str, body: Value, id: &str) {
        let line = json!({"action": action, "body": body, "meta": {"id": id}});
        writeln!(self.0.get_mut(), "{line}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or(Value::Null)
    }

    fn ask(&mut self, action: &str, body: Value, id: &str) -> Value {
        self.send(action, body, id);
        self.hear()
    }
}
