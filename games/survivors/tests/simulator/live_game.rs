//! Matches on live servers: several at once, over bad lines, through restarts, and where nobody answers.

use crate::live_host;
use crate::live_proxy;

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::Ordering;
use std::time::Duration;

use lanista_game::{Answer, Batch, Buffers, Control, Fault, seed};
use lanista_survivors::server::Options;
use live_host::{Running, options};
use live_proxy::Proxy;
use serde_json::{Value, json};

/// No test waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Plays a batch at random.
struct Play {
    batch: Box<dyn Batch>,
    buffers: Buffers,
    /// Living survivors that were told something, over all steps.
    told: u64,
    ended: u64,
    lost: Vec<String>,
    reward: f64,
    seeds: u64,
}

impl Play {
    fn new(settings: &Value, matches: usize) -> Self {
        let batch = lanista_survivors::games()[0].build(settings, matches).unwrap();
        let buffers = Buffers::new(batch.spec(), matches);
        Self { batch, buffers, told: 0, ended: 0, lost: Vec::new(), reward: 0.0, seeds: 0 }
    }

    fn start(&mut self, m: usize) -> Result<(), Fault> {
        self.seeds += 1;
        self.batch.start(m, self.seeds, &[Control::Outside; 4], &mut self.buffers)
    }

    /// Waits until every match stands at a step; which of them were answered a step.
    fn settle(&mut self, mut open: Vec<usize>) -> Result<Vec<usize>, Fault> {
        let mut ready = Vec::new();
        while !open.is_empty() {
            let mut answers = Vec::new();
            self.batch.collect(PATIENCE, &mut self.buffers, &mut answers)?;
            for answer in answers {
                match answer {
                    Answer::Ready(m) => {
                        open.retain(|&other| other != m);
                        ready.push(m);
                    }
                    Answer::Lost(m, why) => {
                        self.lost.push(why);
                        self.start(m)?;
                    }
                }
            }
        }
        Ok(ready)
    }

    fn begin(&mut self) -> Result<(), Fault> {
        let all: Vec<usize> = (0..self.batch.matches()).collect();
        all.iter().try_for_each(|&m| self.start(m))?;
        self.settle(all).map(drop)
    }

    /// A step of every match; those that end start anew.
    fn step(&mut self, dice: u64) -> Result<(), Fault> {
        let spec = self.batch.spec().clone();
        let layout = self.buffers.layout().clone();
        let (seats, heads) = (layout.seats(), layout.heads);
        let matches = self.batch.matches();
        let mut actions = vec![0; matches * seats * heads];
        for row in 0..matches * seats {
            let (m, seat) = (row / seats, row % seats);
            if self.buffers.acting[row] {
                let action = &mut actions[row * heads..(row + 1) * heads];
                // A follower, with chance now and then.
                let bot = usize::from(!seed::mix(dice, row as u64).is_multiple_of(4));
                self.batch.scripted(m, bot, seat, action)?;
                let mask = &self.buffers.mask[row * layout.actions..(row + 1) * layout.actions];
                let legal = spec.role_of(seat).heads.iter().scan(0, |at, head| {
                    let here = *at;
                    *at += head.actions.len();
                    Some(here)
                });
                for (head, at) in legal.enumerate() {
                    assert!(mask[at + action[head] as usize], "seat {seat}, head {head}");
                }
            }
            // The legacy view's second number: does it live?
            let alive = self.buffers.observation[row * layout.features + 1];
            self.told += u64::from(alive == 1.0);
        }
        let all: Vec<usize> = (0..matches).collect();
        self.batch.submit(&all, &actions, &mut self.buffers)?;
        let lost = self.lost.len();
        let ready = self.settle(all)?;
        for &m in &ready {
            let terms = self.buffers.terms.len() / matches;
            let earned = &self.buffers.terms[m * terms..(m + 1) * terms];
            assert!(earned.iter().all(|term| term.is_finite()));
            self.reward += earned.iter().map(|term| f64::from(*term)).sum::<f64>();
            if lost == self.lost.len() && self.buffers.end[m].is_some() {
                self.ended += 1;
                self.start(m)?;
                self.settle(vec![m])?;
            }
        }
        assert!(self.buffers.observation.iter().all(|number| number.is_finite()));
        Ok(())
    }
}

fn settings(view: &str, servers: &[SocketAddr]) -> Value {
    let live: Vec<String> = servers.iter().map(SocketAddr::to_string).collect();
    json!({"view": view, "map": "corridor", "limit_secs": 60, "live": live})
}

#[test]
fn several_servers_at_once_with_the_legacy_view() {
    let hosts = [Running::start(options()), Running::start(options())];
    let mut play = Play::new(&settings("legacy", &[hosts[0].address, hosts[1].address]), 2);
    assert!(play.batch.waits() && !play.batch.replays());
    play.begin().unwrap();
    for step in 0..250 {
        play.step(step).unwrap();
    }
    assert_eq!(play.lost, Vec::<String>::new());
    assert!(play.reward > 500.0, "survival alone is worth more: {}", play.reward);
    let told = play.told;
    drop(play);
    let counts = hosts.map(Running::stop);
    assert!(counts.iter().all(|counts| counts.ticks > 500), "both are played on: {counts:?}");
    assert_eq!(counts.iter().map(|c| c.actions).sum::<u64>(), told, "each action once: {counts:?}");
}

#[test]
fn the_rich_view_and_one_server_with_several_games() {
    let host = Running::start(Options { games: 3, ..options() });
    let mut play = Play::new(&settings("rich", &[host.address]), 3);
    play.begin().unwrap();
    for step in 0..300 {
        play.step(step).unwrap();
    }
    assert_eq!(play.lost, Vec::<String>::new());
    assert!(play.ended >= 1, "followers reach the end of the corridor or die within 30 seconds");
    drop(play);
    let counts = host.stop();
    assert!(counts.episodes > 3 + 3, "{counts:?}");
}

#[test]
fn games_are_free_as_soon_as_their_clients_have_left() {
    let host = Running::start(Options { games: 2, ..options() });
    for _ in 0..2 {
        let mut play = Play::new(&settings("legacy", &[host.address]), 2);
        play.begin().unwrap();
        play.step(0).unwrap();
    }
}

#[test]
fn whoever_found_all_games_taken_gets_the_first_that_is_free() {
    let host = Running::start(Options { games: 2, ..options() });
    let alone = || Play::new(&settings("legacy", &[host.address]), 1);
    let [mut first, mut second, mut third] = [alone(), alone(), alone()];
    first.begin().unwrap();
    second.begin().unwrap();
    third.start(0).unwrap();
    // Long enough for it to be turned away more than once.
    std::thread::sleep(Duration::from_millis(1200));
    drop(second);
    third.settle(vec![0]).unwrap();
    first.step(0).unwrap();
    assert_eq!(first.lost, Vec::<String>::new());
}

#[test]
fn over_a_bad_line_no_action_is_applied_twice() {
    let host = Running::start(Options { games: 2, ..options() });
    let proxy = Proxy::start(host.address);
    let mut play = Play::new(&settings("legacy", &[proxy.address]), 2);
    play.begin().unwrap();
    for step in 0..120 {
        play.step(step).unwrap();
    }
    assert!(play.lost.is_empty(), "20 % is no reason to lose a match: {:?}", play.lost);
    let told = play.told;
    drop(play);
    let (passed, spoilt) =
        (proxy.passed.load(Ordering::Relaxed), proxy.spoilt.load(Ordering::Relaxed));
    assert!(spoilt * 3 > passed, "{spoilt} of {passed} were spoilt");
    let counts = host.stop();
    assert_eq!(counts.actions, told, "each action once, and none left out: {counts:?}");
}

#[test]
fn a_server_that_is_restarted_costs_a_match() {
    let first = Running::start(options());
    let address = first.address;
    let mut play = Play::new(&settings("legacy", &[address]), 1);
    play.begin().unwrap();
    for step in 0..20 {
        play.step(step).unwrap();
    }
    first.stop();
    let again = Running::start(Options { listen: address, ..options() });
    for step in 20..40 {
        play.step(step).unwrap();
    }
    assert_eq!(play.lost.len(), 1, "{:?}", play.lost);
    assert!(play.lost[0].contains(&address.to_string()), "{:?}", play.lost);
    drop(play);
    assert!(again.stop().actions > 0);
}

#[test]
fn silence_names_the_address_and_the_remedy() {
    // Bound and never read: nobody answers there.
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = nobody.local_addr().unwrap();
    let mut batch =
        lanista_survivors::games()[0].build(&settings("legacy", &[address]), 1).unwrap();
    let mut buffers = Buffers::new(batch.spec(), 1);
    batch.start(0, 1, &[Control::Outside; 4], &mut buffers).unwrap();
    let fault = batch.collect(Duration::from_secs(2), &mut buffers, &mut Vec::new()).unwrap_err();
    let words = fault.to_string();
    assert!(words.contains(&address.to_string()), "{words}");
    let command = format!("lanista survivors server --port {}", address.port());
    assert!(words.contains(&command) && words.contains("firewall"), "{words}");
}

#[test]
fn a_server_without_free_survivors_says_so() {
    let host = Running::start(options());
    let mut first = Play::new(&settings("legacy", &[host.address]), 1);
    first.begin().unwrap();
    let mut second = Play::new(&settings("legacy", &[host.address]), 1);
    second.start(0).unwrap();
    let mut answers = Vec::new();
    let patience = Duration::from_secs(3);
    let fault = second.batch.collect(patience, &mut second.buffers, &mut answers).unwrap_err();
    let words = fault.to_string();
    assert!(words.contains(&host.address.to_string()) && words.contains("--games"), "{words}");
}

#[test]
fn settings_that_cannot_be_are_refused() {
    let entry = &lanista_survivors::games()[0];
    let refused = |settings: Value| match entry.build(&settings, 1) {
        Ok(_) => panic!("{settings} is taken"),
        Err(error) => error.to_string(),
    };
    assert!(refused(json!({"live": "nowhere"})).contains("HOST:PORT"));
    assert!(refused(json!({"live": []})).contains("settings.live"));
    let live = "127.0.0.1:1";
    assert!(refused(json!({"live": live, "infected": 2})).contains("settings.infected"));
    assert!(refused(json!({"live": live, "director": "rl"})).contains("settings.director"));
    let file = "/no/such/key";
    assert!(refused(json!({"live": live, "live_key_file": file})).contains(file));
    assert_eq!(entry.machine_settings(), ["live", "live_key_file"]);
}
