//! `lanista play nh`: a model behind the API that clients of pvp-ml ask for decisions.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt::Write as _;
use std::hash::{BuildHasher, Hasher};
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use lanista_nh::contract::{FIELDS, HEADS};
use lanista_serve::{Config, Decision, Format, Limits, Models, Observer, ServeError, Server};
use serde_json::json;

use crate::args::PlayNhArgs;
use crate::serve::named;

/// Names that the original's clients ask for.
const ORIGINALS: [&str; 2] = ["GeneralizedNh", "FineTunedNh"];
/// How often the line changes on a terminal.
const LIVE: Duration = Duration::from_millis(200);
/// How often a line is written elsewhere, while something happens.
const IN_PIPE: Duration = Duration::from_secs(10);
/// How often it is looked whether to end.
const TURN: Duration = Duration::from_millis(50);
/// Fighters that are remembered: more than play at once.
const MOST_FIGHTERS: usize = 1024;

pub fn run(args: &PlayNhArgs) -> anyhow::Result<()> {
    let (own, path) = named(&args.model)?;
    let mut names = args.names.clone();
    if names.is_empty() {
        names.push(own.clone());
        names.extend(ORIGINALS.map(String::from).into_iter().filter(|name| *name != own));
    }
    let files: Vec<_> = names.iter().map(|name| (name.clone(), path.clone())).collect();
    let models = Models::load(&files)?;
    for endpoint in models.endpoints() {
        let game = &endpoint.game;
        ensure!(game == "nh", "{} plays {game}, not nh: name a run of nh", args.model);
    }
    let address = SocketAddr::from(([127, 0, 0, 1], args.port));
    let config = Config {
        listen: vec![(Format::PvpMl, address)],
        token: None,
        limits: Limits::default(),
        seed: args.seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()),
        reload_every: Some(Duration::from_millis(500)),
        // The original's critics saw what only a simulator knows; ours may have, too.
        values: false,
        ..Config::local(Format::PvpMl)
    };
    let stop = watch_for_interrupt()?;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let server = match Server::start(config, models, Some(observer(&seen, args.json))) {
        Ok(server) => server,
        Err(ServeError::Listen { address, source, .. }) => bail!(
            "cannot listen on {address}: {source}; another program, such as pvp-ml's serve-api, may have the \
             port: end it, or give another with --port"
        ),
        Err(error) => return Err(error.into()),
    };
    let tell = |line: &str| if args.json { complain!("{line}") } else { say!("{line}") };
    for (_, address) in server.addresses() {
        tell(&format!("{own} plays nh on {address}; clients ask for {}", names.join(", ")));
    }
    tell("waiting for a client; Ctrl-C stops");
    let begun = Instant::now();
    let is_over = || args.for_secs.is_some_and(|secs| begun.elapsed().as_secs_f64() >= secs);
    let live = std::io::stdout().is_terminal() && !args.json;
    let (mut told, mut decisions) = (Instant::now(), 0);
    while !stop.load(Ordering::Relaxed) && !is_over() {
        std::thread::sleep(TURN);
        for note in server.notes() {
            match &note.result {
                Ok((version, steps)) => {
                    tell(&format!("version {version} plays, after {steps} steps"));
                }
                Err(problem) => complain!("the old model goes on: {problem}"),
            }
        }
        if told.elapsed() < if live { LIVE } else { IN_PIPE } {
            continue;
        }
        told = Instant::now();
        let line = lock(&seen).line(&server);
        match line {
            Some(line) if live => {
                let mut out = std::io::stdout();
                let _ = write!(out, "\r\x1b[K{line}").and_then(|()| out.flush());
            }
            Some(line) if lock(&seen).decisions != decisions => tell(&line),
            _ => {}
        }
        decisions = lock(&seen).decisions;
    }
    if live {
        say!();
    }
    let summary = {
        let seen = lock(&seen);
        format!(
            "{} decisions for {} fighters in {} fights; {} requests refused",
            seen.decisions,
            seen.fighters.len(),
            seen.fights,
            server.metrics().refusals()
        )
    };
    server.stop();
    tell(&format!("stopped: {summary}"));
    Ok(())
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was decided so far.
#[derive(Default)]
struct Seen {
    decisions: u64,
    fights: u64,
    fighters: HashMap<(SocketAddr, Vec<u8>), Fighter>,
    last: Option<(SocketAddr, Vec<u8>)>,
}

/// One client's fighter as it was last seen.
#[derive(Clone, Debug, Default)]
struct Fighter {
    health: f32,
    prayer: f32,
    target_health: f32,
    /// Damage dealt for damage received.
    dealt: f32,
    /// Attacks seen in this fight, of both, up to 20 each: fewer than before begin a new one.
    attacks: f32,
    chosen: String,
}

fn place(name: &str) -> usize {
    FIELDS.iter().position(|field| field.name == name).unwrap_or_default()
}

/// Where the numbers of the line stand in an observation.
struct Places([usize; 6]);

impl Places {
    fn new() -> Self {
        Self(
            [
                "player_health_percent",
                "prayer_points",
                "target_health_percent",
                "total_damage_dealt_scale",
                "target_attack_confidence",
                "target_prayer_confidence",
            ]
            .map(place),
        )
    }

    fn read(&self, observation: &[f32], actions: &[u32]) -> Fighter {
        let at = |n: usize| observation.get(self.0[n]).copied().unwrap_or_default();
        Fighter {
            health: at(0),
            prayer: at(1),
            target_health: at(2),
            dealt: at(3),
            attacks: at(4) + at(5),
            chosen: chosen(actions),
        }
    }
}

/// What was chosen, by name; heads that do nothing are left out.
fn chosen(actions: &[u32]) -> String {
    let mut text = String::new();
    for ((_, names), &action) in HEADS.iter().zip(actions).filter(|(_, action)| **action > 0) {
        let name = names.get(action as usize).copied().unwrap_or("?");
        let _ = write!(text, "{}{name}", if text.is_empty() { "" } else { " " });
    }
    if text.is_empty() { "nothing".to_owned() } else { text }
}

fn observer(seen: &Arc<Mutex<Seen>>, print: bool) -> Observer {
    let (seen, places) = (Arc::clone(seen), Places::new());
    Box::new(move |decision: &Decision| {
        let now = places.read(decision.observation, decision.actions);
        if print {
            say!("{}", as_json(decision, &now));
        }
        lock(&seen).note((decision.peer, decision.session.to_vec()), now);
    })
}

fn as_json(decision: &Decision, now: &Fighter) -> serde_json::Value {
    let names = HEADS.iter().zip(decision.actions);
    let actions: serde_json::Map<String, serde_json::Value> = names
        .map(|((head, names), &action)| ((*head).to_owned(), json!(names.get(action as usize))))
        .collect();
    json!({
        "client": decision.peer.to_string(),
        "health": now.health,
        "prayer": now.prayer,
        "target_health": now.target_health,
        "damage_dealt_for_received": now.dealt,
        "actions": actions,
        "log_prob": decision.log_prob,
    })
}

impl Seen {
    fn note(&mut self, who: (SocketAddr, Vec<u8>), now: Fighter) {
        if self.fighters.len() >= MOST_FIGHTERS && !self.fighters.contains_key(&who) {
            self.fighters.clear();
        }
        let before = self.fighters.get(&who);
        self.fights += u64::from(before.is_none_or(|before| now.attacks < before.attacks));
        self.decisions += 1;
        self.fighters.insert(who.clone(), now);
        self.last = Some(who);
    }

    /// What the one that was asked last sees and does.
    fn line(&self, server: &Server) -> Option<String> {
        let now = self.fighters.get(self.last.as_ref()?)?;
        let percent = |share: f32| format!("{:.0} %", 100.0 * share);
        let latency = server.metrics().mean_latency().unwrap_or_default().as_secs_f64() * 1e3;
        Some(format!(
            "health {}, prayer {}, target {}, dealt/received {:.2}: {} | {} clients, fight {}, {} decisions, \
             {latency:.2} ms each",
            percent(now.health),
            percent(now.prayer),
            percent(now.target_health),
            now.dealt,
            now.chosen,
            server.metrics().connections.load(Ordering::Relaxed),
            self.fights,
            self.decisions
        ))
    }
}

/// The first Ctrl-C hangs up on the clients, the second ends the program.
fn watch_for_interrupt() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fight_is_counted_when_its_attacks_begin_anew() {
        let who = (SocketAddr::from(([127, 0, 0, 1], 1)), Vec::new());
        let mut seen = Seen::default();
        for attacks in [0.0, 0.1, 0.5, 2.0, 0.0, 0.05, 0.05, 0.0] {
            seen.note(who.clone(), Fighter { attacks, ..Fighter::default() });
        }
        assert_eq!((seen.decisions, seen.fights), (8, 3));
    }

    #[test]
    fn choices_are_named_and_what_does_nothing_is_not() {
        assert_eq!(chosen(&[0; 12]), "nothing");
        let text = chosen(&[3, 2, 0, 0, 1, 0, 0, 0, 0, 1, 0, 3]);
        assert_eq!(
            text,
            "melee_attack melee_special_attack use_brew move_next_to_target melee_prayer"
        );
    }
}
