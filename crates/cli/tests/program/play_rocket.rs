//! `lanista play rocket` and `lanista rocket rlbot`: a core of our own on the loopback address, and what the
//! program says where there is none.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use lanista_game::{Control, Game, seed};
use lanista_rocket::live::flat::Table;
use lanista_rocket::live::message::{Heard, MatchSetup, OwnCars};
use lanista_rocket::live::packet::{Packet, Phase};
use lanista_rocket::live::stand_in::{packet, soccar_field};
use lanista_rocket::state::{Car, State, Team};
use lanista_rocket::table::{NEUTRAL, table};
use serde_json::{Value, json};

use crate::support::{DUEL, Place, text};

/// Frames of earlier steps, memory, and actions that take effect three ticks late.
const DRIVER: &str = "
import: rocket/1v1
settings:
  limit_secs: 6
  start: { kickoff: 1, random: 0, goal_line: 0, turtled: 0 }
  action_delay: 3
observation: { stack: [0, 1, 3] }
rollout: { matches: 4, horizon: 16, shard: 2 }
policy: { hidden: [16], memory: { cell: gru, size: 8 } }
ppo: { minibatch: 64, chunk: 16, sequence_length: 8 }
opponents: { bot:rule: null, bot:chase: null, bot:idle: 1 }
evaluation: { every: 2000, matches: 3 }
stop: { steps: 256 }
";
const DELAY: usize = 3;
const STEP: usize = 8;

/// A place with a model in it.
fn trained() -> Place {
    let place = Place::with(&[("driver", DRIVER)]);
    place.ok("train driver.yml --threads 1 --json --set run.dir=run");
    place
}

/// A core: it listens, and the bot has been started.
struct Core {
    listener: TcpListener,
    bot: Option<Child>,
}

/// A connection to the bot.
struct Line(TcpStream);

impl Core {
    fn start(place: &Place, rest: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut command = place.command(&format!("play rocket run {rest}"));
        command.env("RLBOT_AGENT_ID", "lanista/test");
        command.env("RLBOT_SERVER_PORT", listener.local_addr().unwrap().port().to_string());
        let bot = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self { listener, bot: Some(bot) }
    }

    fn accept(&self) -> Line {
        let (stream, _) = self.listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        stream.set_nodelay(true).unwrap();
        Line(stream)
    }

    /// The end of the bot.
    fn output(mut self) -> Output {
        self.bot.take().unwrap().wait_with_output().unwrap()
    }

    /// The end of a bot that ends well; its report.
    fn report(self) -> Value {
        let output = self.output();
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        if let Some(bot) = &mut self.bot {
            let _ = bot.kill();
            let _ = bot.wait();
        }
    }
}

fn framed(message: &[u8]) -> Vec<u8> {
    let mut bytes = (message.len() as u16).to_be_bytes().to_vec();
    bytes.extend(message);
    bytes
}

/// What the bot has sent: the kind of the message, and for controls the player and the row.
#[derive(Debug, PartialEq)]
struct Sent {
    kind: u8,
    input: Option<(u32, usize)>,
}

impl Line {
    fn send(&mut self, message: &Heard) {
        self.0.write_all(&framed(&message.write())).unwrap();
    }

    fn tell(&mut self, packet: &Packet) {
        self.send(&Heard::Packet(Box::new(packet.clone())));
    }

    fn message(&mut self) -> Vec<u8> {
        let mut length = [0; 2];
        self.0.read_exact(&mut length).unwrap();
        let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
        self.0.read_exact(&mut message).unwrap();
        message
    }

    fn hear(&mut self) -> Sent {
        let message = self.message();
        let root = Table::root(&message).unwrap();
        let (kind, body) = (root.byte(0).unwrap(), root.table(1).unwrap().unwrap());
        let input = (kind == 4).then(|| {
            let controls = body.structure::<24>(1).unwrap().unwrap();
            let row = table().iter().position(|row| {
                let numbers = row.numbers();
                let axes = numbers[..5].iter().flat_map(|n| n.to_le_bytes());
                let buttons = [row.jump, row.boost, row.handbrake, false].map(u8::from);
                axes.chain(buttons).eq(controls)
            });
            (body.word(0).unwrap(), row.expect("a row of the table"))
        });
        Sent { kind, input }
    }

    /// The row that was sent for the one car.
    fn row(&mut self) -> usize {
        self.hear().input.expect("controls").1
    }

    fn handshake(&mut self, teams: [usize; 2], players: &[u32], order: [usize; 3]) {
        assert_eq!(self.hear().kind, 9);
        let team = u32::from(players.first().is_some_and(|&player| player as usize >= teams[0]));
        let messages = [
            Heard::Match(MatchSetup { teams, ..MatchSetup::default() }),
            Heard::Field(soccar_field()),
            Heard::Cars(OwnCars { team, players: players.to_vec() }),
        ];
        for at in order {
            self.send(&messages[at]);
        }
        assert_eq!(self.hear().kind, 12);
    }
}

/// Cars on the floor, apart from each other.
fn scene(blue: usize, orange: usize) -> State {
    let car = |team, at: usize| Car::parked(team, [500.0 * at as f32, team_y(team), 17.0].into());
    let mut cars: Vec<Car> = (0..blue).map(|at| car(Team::Blue, at)).collect();
    cars.extend((0..orange).map(|at| car(Team::Orange, at)));
    let mut state = lanista_rocket::engine::blank_state(0, 0);
    state.cars = cars;
    state.ball.pos = [0.0, 0.0, 93.0].into();
    state.tick = 500;
    state
}

fn team_y(team: Team) -> f32 {
    -2000.0 * team.attack_sign()
}

#[test]
fn every_order_of_the_handshake() {
    let place = trained();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let core = Core::start(&place, "--json");
        let mut line = core.accept();
        line.handshake([1, 1], &[1], order);
        line.send(&Heard::Ping(77));
        assert_eq!(line.hear().kind, 15);
        let mut packet = packet(&scene(1, 1));
        packet.phase = Phase::Countdown;
        line.tell(&packet);
        assert_eq!(line.hear().input, Some((1, NEUTRAL)));
        packet.phase = Phase::Kickoff;
        packet.frame += 1;
        line.tell(&packet);
        assert_eq!(line.hear().input.unwrap().0, 1);
        line.send(&Heard::Disconnect);
        let report = core.report();
        assert_eq!((&report["packets"], &report["decisions"]), (&json!(2), &json!(1)), "{report}");
    }
}

/// A match of the simulator, told through packets: the bot chooses what `lanista rocket trace` has chosen
/// in it, with frames stacked and memory kept, and its controls come in time.
#[test]
fn the_bot_chooses_as_in_the_simulator() {
    let place = trained();
    let line = "rocket trace run --seed 4 --vs bot:idle --json --steps 60";
    let traced = place.ok(line);
    let names = lanista_rocket::table::names();
    let chosen: Vec<usize> = traced
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["event"] == "step" && line["seat"] == 0)
        .map(|line| names.iter().position(|name| line["action"] == name.as_str()).unwrap())
        .collect();
    let distinct: std::collections::BTreeSet<usize> = chosen.iter().copied().collect();
    assert!(chosen.len() >= 40 && distinct.len() >= 4, "{distinct:?}");

    let settings =
        json!({"tick_skip": 1, "start": {"kickoff": 1}, "limit_secs": 60, "no_touch_secs": 60});
    let mut game = lanista_rocket::one_match(&settings).unwrap();
    let mut buffers = lanista_game::Buffers::new(game.spec(), 1);
    game.reset(seed::episode(4, 0, 0), &[Control::Outside; 2]);
    let core = Core::start(&place, "--json --trace trace.jsonl");
    let mut bot = core.accept();
    bot.handshake([1, 1], &[0], [0, 1, 2]);
    let mut sent = Vec::new();
    for tick in 0..chosen.len() * STEP {
        bot.tell(&packet(game.state()));
        sent.push(bot.row());
        // What acts now was chosen in this step, or still in the one before.
        let (step, within) = (tick / STEP, tick % STEP);
        let acting = if within >= DELAY { Some(step) } else { step.checked_sub(1) };
        let row = acting.map_or(NEUTRAL, |step| chosen[step]);
        game.step(&[row as u32, NEUTRAL as u32], &mut buffers.outcome(0));
        assert!(buffers.end[0].is_none(), "a match that goes on");
    }
    bot.send(&Heard::Disconnect);
    assert_eq!(core.report()["decisions"], chosen.len());
    let lines = std::fs::read_to_string(place.path("trace.jsonl")).unwrap();
    let told: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decided: Vec<usize> = told
        .iter()
        .filter(|line| line["decided"] == true)
        .map(|line| line["choices"][0]["row"].as_u64().unwrap() as usize)
        .collect();
    assert_eq!(decided, chosen);
    // The game itself is one tick late; the bot waits for the rest of the delay.
    for (tick, &row) in sent.iter().enumerate() {
        let (step, within) = (tick / STEP, tick % STEP);
        let due = if within + 1 >= DELAY { Some(step) } else { step.checked_sub(1) };
        assert_eq!(row, due.map_or(NEUTRAL, |step| chosen[step]), "tick {tick}");
    }
}

#[test]
fn skips_and_repetitions_keep_the_rhythm() {
    let place = trained();
    let core = Core::start(&place, "--json --trace trace.jsonl");
    let mut line = core.accept();
    line.handshake([2, 1], &[0, 1], [2, 1, 0]);
    let mut packet = packet(&scene(2, 1));
    let mut frames = Vec::new();
    for number in 0..200 {
        packet.frame += [1, 1, 0, 2, 1, 5][number % 6];
        frames.push(packet.frame);
        line.tell(&packet);
        // One process drives both cars.
        assert_eq!([line.hear(), line.hear()].map(|sent| sent.input.unwrap().0), [0, 1]);
    }
    line.send(&Heard::Disconnect);
    let report = core.report();
    assert_eq!(report["inputs"], 400);
    assert_eq!(report["repeated"], 33);
    let trace = std::fs::read_to_string(place.path("trace.jsonl")).unwrap();
    let told: Vec<Value> = trace.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(told.len(), 200);
    let decided: Vec<u64> = told
        .iter()
        .filter(|line| line["decided"] == true)
        .map(|line| line["frame"].as_u64().unwrap())
        .collect();
    assert!(decided.windows(2).all(|pair| (8..=12).contains(&(pair[1] - pair[0]))), "{decided:?}");
}

#[cfg(unix)] // signals
#[test]
fn after_a_stall_the_newest_packet_wins() {
    let place = trained();
    let core = Core::start(&place, "--json --trace trace.jsonl");
    let pid = core.bot.as_ref().unwrap().id().to_string();
    let signal = |name: &str| {
        assert!(std::process::Command::new("kill").args([name, &pid]).status().unwrap().success());
    };
    let mut line = core.accept();
    line.handshake([1, 1], &[0], [0, 1, 2]);
    let mut packet = packet(&scene(1, 1));
    line.tell(&packet);
    line.row();
    signal("-STOP");
    for _ in 0..300 {
        packet.frame += 1;
        line.tell(&packet);
    }
    signal("-CONT");
    line.row();
    // Whatever else it has to say, it says now.
    line.0.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    while line.0.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {}
    line.send(&Heard::Disconnect);
    let report = core.report();
    let trace = std::fs::read_to_string(place.path("trace.jsonl")).unwrap();
    let frames: Vec<u64> = trace
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["frame"].as_u64().unwrap())
        .collect();
    assert_eq!((frames[0], frames.last()), (500, Some(&u64::from(packet.frame))), "{frames:?}");
    // Of what came meanwhile, only a packet that it was just taking in may have come before the newest.
    assert!(frames.len() <= 4, "{frames:?}");
    assert_eq!(report["stale"].as_u64().unwrap() + frames.len() as u64, 301, "{report}");
}

#[cfg(unix)] // signals
#[test]
fn an_interrupted_bot_says_goodbye() {
    let place = trained();
    let core = Core::start(&place, "--json");
    let mut line = core.accept();
    line.handshake([1, 1], &[0], [0, 1, 2]);
    line.tell(&packet(&scene(1, 1)));
    line.row();
    let pid = core.bot.as_ref().unwrap().id().to_string();
    std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert_eq!(line.hear().kind, 1);
    assert_eq!(core.report()["packets"], 1);
}

#[test]
fn a_lost_connection_is_made_again() {
    let place = trained();
    let core = Core::start(&place, "--json");
    let mut line = core.accept();
    line.handshake([1, 1], &[0], [0, 1, 2]);
    line.tell(&packet(&scene(1, 1)));
    line.row();
    drop(line);
    let mut line = core.accept();
    line.handshake([1, 1], &[0], [1, 0, 2]);
    line.tell(&packet(&scene(1, 1)));
    line.row();
    line.send(&Heard::Disconnect);
    let report = core.report();
    assert_eq!((&report["reconnects"], &report["packets"]), (&json!(1), &json!(2)), "{report}");
    // Who is turned away again and again stops asking.
    let core = Core::start(&place, "--json");
    (0..3).for_each(|_| drop(core.accept()));
    let output = core.output();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("lanista/test") && said.contains("3 times"), "{said}");
}

#[test]
fn garbage_is_an_error_and_no_panic() {
    let place = trained();
    let packet = Heard::Packet(Box::new(packet(&scene(1, 1)))).write();
    let mut broken = packet.clone();
    broken[0..4].copy_from_slice(&u32::MAX.to_le_bytes());
    for garbage in [
        framed(&[]),
        framed(&[0xff; 64]),
        framed(&broken),
        framed(&packet[..packet.len() / 3]),
        b"\x00\x10HTTP/1.1 400 Bad".to_vec(),
    ] {
        let core = Core::start(&place, "--json");
        let mut line = core.accept();
        line.handshake([1, 1], &[0], [0, 1, 2]);
        line.0.write_all(&garbage).unwrap();
        let output = core.output();
        assert_eq!(output.status.code(), Some(1), "{garbage:?}");
        let said = text(&output.stderr);
        assert!(said.contains("is that RLBot v5?") && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn other_matches_than_the_trained_ones_are_explained() {
    let place = trained();
    let core = Core::start(&place, "");
    let mut line = core.accept();
    line.handshake([2, 2], &[3], [0, 1, 2]);
    line.tell(&packet(&scene(2, 2)));
    assert_eq!(line.hear().input.unwrap().0, 3);
    line.send(&Heard::Disconnect);
    let output = core.output();
    let said = text(&output.stdout);
    assert!(said.contains("2v2") && said.contains("settings.max_team=2"), "{said}");
    assert!(said.contains("p50") && output.status.success(), "{said}");
}

#[test]
fn who_cannot_connect_says_so() {
    let place = trained();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let line = format!("play rocket run --agent-id a --wait 0.1 --server 127.0.0.1:{port}");
    let said = place.fails(&line);
    assert!(said.contains("cannot connect to RLBot") && said.contains("--server"), "{said}");
    let mut nobody = place.command("play rocket run --wait 0.1");
    let output = nobody.env_remove("RLBOT_AGENT_ID").output().unwrap();
    assert!(text(&output.stderr).contains("--agent-id"), "{}", text(&output.stderr));
    let said = place.fails("play rocket run --agent-id a --server nowhere");
    assert!(said.contains("HOST:PORT"), "{said}");
}

#[test]
fn a_folder_for_the_launcher() {
    let place = trained();
    place.write("other.exe", "MZ");
    let report =
        place.json("rocket rlbot run --out bot --name Gladiator --program other.exe --json");
    assert_eq!(report["agent_id"], "lanista/gladiator");
    let read = |name: &str| std::fs::read_to_string(place.path("bot").join(name)).unwrap();
    let bot = read("bot.toml");
    for line in [
        "agent_id = \"lanista/gladiator\"",
        "name = \"Gladiator\"",
        "run_command = \"lanista play rocket model.zip\"",
        "loadout_file = \"loadout.toml\"",
        "tags = [\"1v1\"]",
    ] {
        assert!(bot.lines().any(|found| found == line), "{line}\n{bot}");
    }
    assert!(read("loadout.toml").contains("car_id = 23"));
    assert_eq!(read("lanista.exe"), "MZ");
    // The folder is the bot: it plays from there.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = place.command("play rocket model.zip --json");
    command.current_dir(place.path("bot")).env("RLBOT_AGENT_ID", "lanista/gladiator");
    command.env("RLBOT_SERVER_IP", "127.0.0.1");
    command.env("RLBOT_SERVER_PORT", listener.local_addr().unwrap().port().to_string());
    let bot = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let core = Core { listener, bot: Some(bot) };
    let mut line = core.accept();
    line.handshake([1, 1], &[0], [0, 1, 2]);
    line.send(&Heard::Disconnect);
    assert_eq!(core.report()["packets"], 0);

    assert!(place.fails("rocket rlbot run --out bot").contains("not empty"));
    assert!(place.fails("rocket rlbot run --out x --name a\"b").contains("quotes"));
    assert!(place.fails("rocket rlbot run --out x --program none.exe").contains("none.exe"));
    place.write("duel.yml", DUEL);
    place.ok("train duel.yml --json --until 1 --set run.dir=duel");
    assert!(place.fails("rocket rlbot duel --out x").contains("plays duel"));
    assert!(place.fails("play rocket duel --agent-id a").contains("plays duel"));
    assert!(!place.path("x").exists());
}
