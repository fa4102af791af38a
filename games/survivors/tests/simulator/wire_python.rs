//! The client in Python, written after the document, plays against a server made of the session machines.

use lanista_survivors::wire::Dialect;
use lanista_survivors::wire::session::server::{Happening, Outbox, Server, ServerConfig};
use lanista_survivors::wire::session::v1::{self, Layout, V1Server};
use lanista_survivors::wire::state::BotState;
use lanista_survivors::wire::v2::control::{Event, NONE, ResetStatus, event};
use lanista_survivors::wire::v2::hello::capability;
use lanista_survivors::wire::v2::keys::SharedKey;
use lanista_survivors::wire::v2::state::{Entity, Extended};
use std::collections::BTreeSet;
use std::io::Write;
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const KEY: &str = "a key for the test of the client";
/// A match of the stand-in is over after so many steps.
const MATCH_STEPS: u32 = 60;
/// No test waits longer for the client, whatever happens.
const PATIENCE: Duration = Duration::from_secs(120);

/// Four survivors who walk along a line and meet something now and then.
struct Walk {
    step: u32,
}

impl Walk {
    fn bot(&self, bot_id: u8) -> (BotState, Extended) {
        let far = 900.0 - 60.0 * (self.step % 15) as f32;
        let state = BotState {
            bot_id,
            health: 100 - (self.step % 50) as u16,
            is_alive: true,
            position: [10.0 * self.step as f32, 32.0 * f32::from(bot_id), 0.0],
            nearby_enemies: u8::from(far < 600.0),
            nearest_enemy_dist: far,
            teammates_alive: 3,
            in_safe_room: self.step >= MATCH_STEPS,
            ..BotState::default()
        };
        let near = Entity {
            class: 10,
            id: 7,
            health: 50,
            offset: [far as i16, 0, 0],
            ..Entity::default()
        };
        (state, Extended { entities: vec![near], ..Extended::default() })
    }

    fn bots(&self) -> [(BotState, Extended); 4] {
        [0, 1, 2, 3].map(|bot_id| self.bot(bot_id))
    }
}

/// What the server saw.
#[derive(Default)]
struct Log {
    applied: Vec<(u32, u8, u32)>,
    resets: Vec<u32>,
    v1_actions: usize,
    v1_resets: usize,
    answers: usize,
    dropped_wrong_key: u64,
}

fn python() -> Option<Command> {
    let found =
        Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success());
    if !found {
        println!("skipped: python3 is not installed");
        return None;
    }
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/python/mnemosyne_client.py");
    let mut command = Command::new("python3");
    command.arg("-B").arg(script);
    Some(command)
}

/// Serves until the client is gone; returns its exit, its words and what was seen.
fn serve(mut client: Command, arguments: &[&str]) -> (bool, String, Log) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let port = socket.local_addr().unwrap().port().to_string();
    client.args(["--port", &port, "--every", "50"]).args(arguments);
    let mut child: Child = client.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let config = ServerConfig {
        key: SharedKey::new(KEY.as_bytes()).unwrap(),
        capabilities: capability::ALL,
        name: "stand-in".into(),
        bots: 0b1111,
        ticks_per_sec: 30,
        ticks_per_state: 3,
        hold_ticks: 15,
        max_sessions: 2,
    };
    let mut server = Server::new(config, "corridor", [5; 32]);
    let mut legacy = V1Server::on_loopback(Layout::Documented, 0b1111);
    let (mut walk, mut log, mut tick) = (Walk { step: 0 }, Log::default(), 0);
    let (mut lockstep, mut acted) = (false, BTreeSet::new());
    let begun = Instant::now();
    let mut stepped = begun;
    let exit = loop {
        if let Some(exit) = child.try_wait().unwrap() {
            break exit;
        }
        if begun.elapsed() > PATIENCE {
            let _ = child.kill();
            panic!("the client did not come to an end");
        }
        let now_secs = begun.elapsed().as_secs_f64();
        let (mut out, mut out_v1) = (Outbox::default(), v1::Outbox::default());
        server.poll(now_secs, &mut out);
        legacy.poll(now_secs, &mut out_v1);
        let mut datagram = [0; 2048];
        if let Ok((length, from)) = socket.recv_from(&mut datagram) {
            match Dialect::of(&datagram[..length]) {
                Some(Dialect::V2) => server.receive(now_secs, from, &datagram[..length], &mut out),
                Some(Dialect::V1) => {
                    legacy.receive(now_secs, from, &datagram[..length], &mut out_v1)
                }
                _ => {}
            }
        }
        let mut step = !lockstep && server.sessions() > 0 && stepped.elapsed().as_millis() >= 5;
        for happening in std::mem::take(&mut out.happened) {
            match happening {
                Happening::Opened { capabilities, .. } => {
                    lockstep = capabilities & capability::LOCKSTEP != 0;
                    server.send_states(&walk.bots(), &mut out);
                }
                Happening::Apply { session, bot_id, action_number, .. } => {
                    log.applied.push((session, bot_id, action_number));
                    acted.insert(bot_id);
                    step |= lockstep && acted.len() == 4;
                }
                Happening::ResetWanted { session, reset } => {
                    log.resets.push(reset.request);
                    (walk.step, tick) = (0, 0);
                    acted.clear();
                    step = false;
                    server.new_episode("corridor");
                    server.set_tick(tick);
                    let (request, seed) = (reset.request, reset.seed);
                    server.reset_done(session, request, ResetStatus::Done, seed, &mut out);
                    server.send_states(&walk.bots(), &mut out);
                }
                Happening::Closed { .. } => {}
            }
        }
        if step {
            (walk.step, tick, stepped) = (walk.step + 1, tick + 3, Instant::now());
            acted.clear();
            server.set_tick(tick);
            let horde = Event {
                event_number: 0,
                tick,
                event: event::HORDE,
                bot_id: NONE,
                other: NONE,
                value: 12,
            };
            if walk.step % 15 == 0 {
                server.tell(now_secs, horde, &mut out);
            }
            server.send_states(&walk.bots(), &mut out);
        }
        for happening in std::mem::take(&mut out_v1.happened) {
            match happening {
                v1::Happening::Apply { bot_id, .. } => {
                    log.v1_actions += 1;
                    walk.step += 1;
                    legacy.send_state(&walk.bot(bot_id).0, &mut out_v1);
                }
                v1::Happening::ResetWanted { bot_id } => {
                    log.v1_resets += 1;
                    walk.step = 0;
                    legacy.send_state(&walk.bot(bot_id).0, &mut out_v1);
                }
                _ => {}
            }
        }
        for (to, datagram) in out.datagrams.iter().chain(&out_v1.datagrams) {
            log.answers += 1;
            let _ = socket.send_to(datagram, to);
        }
    };
    log.dropped_wrong_key = server.dropped().wrong_key;
    let output = child.wait_with_output().unwrap();
    let words = [output.stdout, output.stderr].concat();
    (exit.success(), String::from_utf8_lossy(&words).into_owned(), log)
}

/// Numbers of each bot in each session rise; those of lockstep without gaps.
fn check_order(log: &Log, gaps: bool) {
    let sessions: BTreeSet<(u32, u8)> = log.applied.iter().map(|(s, b, _)| (*s, *b)).collect();
    for (session, bot) in sessions {
        let mine = log.applied.iter().filter(|(s, b, _)| (*s, *b) == (session, bot));
        let numbers: Vec<u32> = mine.map(|(_, _, number)| *number).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "bot {bot}");
        if !gaps {
            assert!(numbers.iter().copied().eq(1..=numbers.len() as u32), "bot {bot}: {numbers:?}");
        }
    }
}

#[test]
fn plays_v1() {
    let Some(client) = python() else { return };
    let (success, words, log) = serve(client, &["--protocol", "v1", "--steps", "150"]);
    assert!(success && words.contains("played 150 steps, 2 matches over"), "{words}");
    assert_eq!((log.v1_actions, log.v1_resets), (150, 3));
}

#[test]
fn plays_v2_in_lockstep() {
    let Some(client) = python() else { return };
    let (success, words, log) = serve(client, &["--key", KEY, "--lockstep", "--steps", "200"]);
    assert!(success && words.contains("played 200 steps in 4 episodes and 1 sessions"), "{words}");
    assert!(words.contains("match over") && !words.contains("events 0"), "{words}");
    check_order(&log, false);
    assert_eq!(log.resets, [1, 2, 3, 4]);
    assert!(log.applied.len() >= 4 * 190);
}

#[test]
fn plays_v2_over_a_bad_line() {
    let Some(client) = python() else { return };
    let arguments = ["--key", KEY, "--lockstep", "--steps", "100", "--loss", "0.2", "--seed", "3"];
    let (success, words, log) = serve(client, &arguments);
    assert!(success && words.contains("played 100 steps"), "{words}");
    check_order(&log, true);
    assert!(log.resets.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn plays_v2_freely_with_legacy_messages() {
    let Some(mut client) = python() else { return };
    let mut key = tempfile::NamedTempFile::new().unwrap();
    writeln!(key, "{KEY}").unwrap();
    client.arg("--key-file").arg(key.path());
    let (success, words, log) =
        serve(client, &["--legacy", "--steps", "150", "--policy", "random"]);
    assert!(success && words.contains("played 150 steps"), "{words}");
    check_order(&log, true);
    assert!(log.applied.len() > 100);
}

#[test]
fn a_wrong_key_gets_silence() {
    let Some(client) = python() else { return };
    let arguments = ["--key", "another key, just as long", "--patience", "1.2"];
    let (success, words, log) = serve(client, &arguments);
    assert!(!success && words.contains("is the key the same on both sides?"), "{words}");
    assert_eq!(log.answers, 0);
    assert!(log.dropped_wrong_key >= 2);
}

#[test]
fn agrees_with_the_vectors() {
    if python().is_none() {
        return;
    }
    let integrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations");
    let output = Command::new("python3")
        .arg("-B")
        .arg(integrations.join("python/check_vectors.py"))
        .arg(integrations.join("sourcemod/vectors.json"))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{words}{}", String::from_utf8_lossy(&output.stderr));
}
