//! How fast battles are played beside the simulator by itself, in decisions per CPU-second of all processes
//! together:
//!
//! ```sh
//! cargo run --release -p lanista-vgc --example speed -- TEAMS [FORMAT] [DECISIONS] [MATCHES] [PROCESSES] [BOT]
//! ```
//!
//! `TEAMS` is a file of packed teams; `BOT` is a scripted player that chooses for both seats in place of dice, as
//! when its play is recorded. Both play about so many decisions at random in each of three rounds, in
//! turns, so that whatever else the machine does slows both alike, and both play as many battles before as let
//! the compiler of node see what is hot. Reads `/proc`: Linux alone.

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use lanista_game::{Answer, Batch, Buffers, Control, seed};
use lanista_vgc::battles::Battles;
use lanista_vgc::install;
use lanista_vgc::settings::Settings;

const ROUNDS: usize = 3;
/// Decisions of a process before anything is measured; a battle has about 28.
const WARM_UP: usize = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let teams = arguments.first().ok_or("name a file of packed teams")?;
    let format = arguments.get(1).map_or("gen9vgc2024regg", String::as_str);
    let number = |place: usize, default: usize| -> Result<usize, Box<dyn Error>> {
        Ok(arguments.get(place).map_or(Ok(default), |text| text.parse())?)
    };
    let (decisions, matches, processes) = (number(2, 3000)?, number(3, 64)?, number(4, 2)?);
    let settings = Settings {
        format: format.to_owned(),
        teams: Some(PathBuf::from(teams)),
        processes: Some(processes),
        ..Settings::default()
    };
    let mut player = Player::new(settings, matches)?;
    if let Some(name) = arguments.get(5) {
        let bot = player.batch.spec().roles[0].bot(name);
        player.bot = Some(bot.ok_or_else(|| format!("there is no scripted player {name}"))?);
    }
    player.play(WARM_UP * processes)?;
    let (mut ours, mut bare) = (Tally::default(), Tally::default());
    for round in 0..ROUNDS {
        let (before, played) = (player.cpu_seconds()?, player.decisions);
        player.play(decisions)?;
        let spent = player.cpu_seconds()?;
        let one = Tally {
            decisions: (player.decisions - played) as f64,
            hosts: spent.hosts - before.hosts,
            own: spent.own - before.own,
        };
        ours.add(&one);
        let alone = simulator_alone(teams, format, decisions / 28)?;
        bare.add(&alone);
        println!(
            "round {round}: ours {:.1} a CPU-second, the simulator alone {:.1}",
            one.rate(),
            alone.rate()
        );
    }
    let share = ours.rate() / bare.rate();
    println!(
        "{}",
        serde_json::json!({
            "format": format, "matches": matches, "processes": processes,
            "decisions": ours.decisions, "decisions_per_cpu_second": ours.rate(),
            "host_cpu_seconds": ours.hosts, "own_cpu_seconds": ours.own,
            "bare_decisions": bare.decisions, "bare_decisions_per_cpu_second": bare.rate(),
            "share_of_bare": share, "battles": player.battles, "refused": player.refused,
        })
    );
    Ok(())
}

#[derive(Clone, Copy, Default)]
struct Tally {
    decisions: f64,
    hosts: f64,
    own: f64,
}

impl Tally {
    fn rate(&self) -> f64 {
        self.decisions / (self.hosts + self.own)
    }

    fn add(&mut self, other: &Self) {
        self.decisions += other.decisions;
        self.hosts += other.hosts;
        self.own += other.own;
    }
}

struct Player {
    batch: Battles,
    buffers: Buffers,
    joint: Vec<u32>,
    episodes: Vec<u64>,
    dice: lanista_game::seed::Rng,
    /// Who chooses; dice if it is nobody.
    bot: Option<usize>,
    decisions: u64,
    battles: u64,
    refused: f64,
}

const OUTSIDE: [Control; 2] = [Control::Outside; 2];

impl Player {
    fn new(settings: Settings, matches: usize) -> Result<Self, Box<dyn Error>> {
        let mut batch = Battles::new(settings, matches)?;
        let mut buffers = Buffers::new(batch.spec(), matches);
        for m in 0..matches {
            batch.start(m, seed::episode(1, m, 0), &OUTSIDE, &mut buffers)?;
        }
        let width = 2 * buffers.layout().heads;
        Ok(Self {
            batch,
            buffers,
            joint: vec![0; matches * width],
            episodes: vec![0; matches],
            dice: seed::rng(7),
            bot: None,
            decisions: 0,
            battles: 0,
            refused: 0.0,
        })
    }

    /// Plays so many decisions; every match goes on as soon as it is answered.
    fn play(&mut self, decisions: usize) -> Result<(), Box<dyn Error>> {
        let until = self.decisions + decisions as u64;
        let mut answers = Vec::new();
        while self.decisions < until {
            answers.clear();
            self.batch.collect(Duration::from_secs(60), &mut self.buffers, &mut answers)?;
            for answer in &answers {
                match answer {
                    Answer::Ready(m) => self.go_on(*m)?,
                    Answer::Lost(m, why) => return Err(format!("match {m} was lost: {why}").into()),
                }
            }
        }
        Ok(())
    }

    fn go_on(&mut self, m: usize) -> Result<(), Box<dyn Error>> {
        if self.buffers.end[m].is_some() {
            self.battles += 1;
            let stats = self.buffers.layout().stats;
            self.refused += f64::from(self.buffers.stats[(m + 1) * stats - 1]);
            self.buffers.end[m] = None;
            self.episodes[m] += 1;
            let next = seed::episode(1, m, self.episodes[m]);
            return Ok(self.batch.start(m, next, &OUTSIDE, &mut self.buffers)?);
        }
        let layout = self.buffers.layout();
        let (actions, pairs, heads) = (layout.actions, layout.pair_values, layout.heads);
        for seat in 0..2 {
            let row = m * 2 + seat;
            if !self.buffers.acting[row] {
                continue;
            }
            self.decisions += 1;
            let mask = &self.buffers.mask[row * actions..(row + 1) * actions];
            let forbidden = &self.buffers.forbidden[row * pairs..(row + 1) * pairs];
            let action = &mut self.joint[row * heads..(row + 1) * heads];
            if let Some(bot) = self.bot {
                self.batch.scripted(m, bot, seat, action)?;
                continue;
            }
            self.batch.spec().roles[0].draw(mask, forbidden, &mut self.dice, action);
        }
        Ok(self.batch.submit(&[m], &self.joint, &mut self.buffers)?)
    }

    /// What this process and those of the simulator have used.
    fn cpu_seconds(&self) -> Result<Tally, Box<dyn Error>> {
        let mut hosts = 0.0;
        for pid in self.batch.pids() {
            hosts += cpu_seconds(&pid.to_string())?;
        }
        Ok(Tally { decisions: 0.0, hosts, own: cpu_seconds("self")? })
    }
}

/// User and system time of a process, all of its threads together: the 14th and 15th word of its line.
fn cpu_seconds(pid: &str) -> Result<f64, Box<dyn Error>> {
    let line = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let (_, rest) = line.rsplit_once(')').ok_or("/proc has another form here")?;
    let ticks: u64 = rest.split_whitespace().skip(11).take(2).flat_map(str::parse::<u64>).sum();
    Ok(ticks as f64 / 100.0)
}

/// Random play on the simulator by itself, one process.
fn simulator_alone(teams: &str, format: &str, battles: usize) -> Result<Tally, Box<dyn Error>> {
    let install = install::locate(None)?;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bare.js");
    let mut command = Command::new(install.node);
    command.arg(script).arg(install.package).args([teams, format, &battles.to_string()]);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let value: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let field = |name: &str| value[name].as_f64().ok_or("the script answered something else");
    Ok(Tally { decisions: field("decisions")?, hosts: field("cpu_seconds")?, own: 0.0 })
}
