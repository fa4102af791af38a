//! A bot's conversation with the core, from the first word to the last.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::link::{Broken, Link};
use super::message::{FieldPad, Heard, MatchSetup, OwnCars, Said};
use super::pace::{Pace, Wheel};
use super::packet::Packet;
use super::tracker::{Advance, Tracker};
use crate::clock::{Clock, GameLength};
use crate::engine::ContactProbe;
use crate::hitbox::Hitbox;
use crate::state::State;
use crate::table::{NEUTRAL, ROWS, table};

/// Where the core listens.
pub const CORE_ADDRESS: &str = "127.0.0.1:23234";
/// How long one attempt to connect may take, and how long to rest after it.
const ATTEMPT: Duration = Duration::from_secs(2);
const REST: Duration = Duration::from_millis(250);
/// A core that closes the connection so often before a match begins does not want this bot.
const MOST_REFUSALS: u32 = 3;
/// So many of the latest latencies are kept.
const LATENCIES: usize = 1 << 16;

/// What ends a session that should have gone on.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// Nobody listens.
    #[error(
        "cannot connect to RLBot at {address}: {error}; start a match in RLBot's launcher, or name another \
         address with --server"
    )]
    NoCore {
        /// Where.
        address: SocketAddr,
        /// Why.
        error: io::Error,
    },
    /// The core hangs up before a match begins.
    #[error(
        "RLBot at {address} closed the connection {MOST_REFUSALS} times before a match began; is the agent \
         id `{agent_id}` that of a bot of the match?"
    )]
    TurnedAway {
        /// Where.
        address: SocketAddr,
        /// As whom.
        agent_id: String,
    },
    /// Whoever listens is no core, or one of another version.
    #[error("{address}: {error}; is that RLBot v5?")]
    Malformed {
        /// Where.
        address: SocketAddr,
        /// What was wrong.
        error: Broken,
    },
}

/// How to play.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Where the core listens.
    pub address: SocketAddr,
    /// As in the bot's `bot.toml`.
    pub agent_id: String,
    /// When decisions are made and take effect.
    pub pace: Pace,
    /// The length that a whole game has where the match does not say; none if the policy sees no clock.
    pub clock: Option<GameLength>,
    /// Give up when nobody has listened for so long.
    pub wait: Duration,
}

/// What a driver decides on.
pub struct Sight<'a> {
    /// The match.
    pub state: &'a State,
    /// The cars that are driven.
    pub cars: &'a [usize],
    /// Score and clock, if the policy sees them.
    pub clock: Option<&'a Clock>,
    /// Of every car.
    pub hitboxes: &'a [Hitbox],
}

/// What a driver has decided for a car.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// A row of the table.
    pub row: usize,
    /// What it thinks of the match.
    pub value: Option<f32>,
}

/// Who drives.
pub trait Driver {
    /// A match with so many cars to drive begins, or play goes on with a kickoff.
    fn kickoff(&mut self, cars: usize, new_match: bool);

    /// A choice for every car of the sight, in their order. A car in pieces is not asked about; what is
    /// said about it is not heard.
    fn decide(&mut self, sight: &Sight, choices: &mut Vec<Choice>);
}

/// A packet that was answered.
pub struct Moment<'a> {
    /// The packet.
    pub packet: &'a Packet,
    /// What was made of it.
    pub state: &'a State,
    /// The cars that are driven.
    pub cars: &'a [usize],
    /// The rows that were sent for them.
    pub rows: &'a [usize],
    /// The latest decisions on them, and whether they were made just now.
    pub choices: &'a [Choice],
    /// See [`Self::choices`].
    pub decided: bool,
    /// From the packet's arrival to the answer's departure; none if there was nothing to answer.
    pub latency: Option<Duration>,
}

/// Who looks on.
pub trait Watcher {
    /// Something that a person should know.
    fn news(&mut self, text: &str);

    /// The match is known.
    fn meet(&mut self, setup: &MatchSetup, cars: &OwnCars, pads_found: usize);

    /// A packet was answered.
    fn moment(&mut self, moment: &Moment);
}

/// What a session came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Packets that were answered.
    pub packets: u64,
    /// Packets that were overtaken before they were looked at.
    pub stale: u64,
    /// Packets that repeated a tick.
    pub repeated: u64,
    /// Decisions, counted once for all cars.
    pub decisions: u64,
    /// Controls that were sent.
    pub inputs: u64,
    /// Connections that were lost and made again.
    pub reconnects: u64,
    /// Goals of blue and of orange, as last seen.
    pub goals: [u32; 2],
    latencies: Vec<Duration>,
}

impl Summary {
    fn note(&mut self, latency: Duration) {
        match self.latencies.len() {
            LATENCIES => self.latencies[self.inputs as usize % LATENCIES] = latency,
            _ => self.latencies.push(latency),
        }
    }

    /// The latency below which a share of the latest answers was.
    pub fn latency(&self, share: f64) -> Option<Duration> {
        let mut sorted = self.latencies.clone();
        sorted.sort_unstable();
        sorted
            .get(((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1)))
            .copied()
    }
}

/// Plays until the core ends it, or somebody asks to stop.
///
/// The arena must have been prepared ([`crate::arena::prepare`]): contacts are asked of the engine.
pub fn play(
    plan: &Plan,
    driver: &mut dyn Driver,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
) -> Result<Summary, LiveError> {
    let address = plan.address;
    let mut summary = Summary::default();
    let mut refusals = 0;
    loop {
        let Some(stream) = connect(plan, watcher, stop)? else { return Ok(summary) };
        let link = Link::new(stream).map_err(|error| LiveError::NoCore { address, error })?;
        let mut session = Session::new(plan, link, &mut summary);
        let ended = session.run(driver, watcher, stop);
        let began = session.began;
        let error = match ended {
            Ok(()) => return Ok(summary),
            Err(Broken::Lost(error)) => error,
            Err(error) => return Err(LiveError::Malformed { address, error }),
        };
        refusals = if began { 0 } else { refusals + 1 };
        if refusals >= MOST_REFUSALS {
            return Err(LiveError::TurnedAway { address, agent_id: plan.agent_id.clone() });
        }
        summary.reconnects += 1;
        watcher.news(&format!("the connection to RLBot is lost ({error}); trying again"));
        sleep(REST);
    }
}

/// A connection, or nothing if somebody asks to stop.
fn connect(
    plan: &Plan,
    watcher: &mut dyn Watcher,
    stop: &AtomicBool,
) -> Result<Option<TcpStream>, LiveError> {
    let (address, began) = (plan.address, Instant::now());
    let mut said = false;
    while !stop.load(Ordering::Relaxed) {
        let error = match TcpStream::connect_timeout(&address, ATTEMPT) {
            Ok(stream) => return Ok(Some(stream)),
            Err(error) => error,
        };
        if began.elapsed() >= plan.wait {
            return Err(LiveError::NoCore { address, error });
        }
        if !said {
            let secs = plan.wait.as_secs();
            watcher.news(&format!(
                "nobody listens at {address} ({error}); is RLBot running? Trying for {secs} s"
            ));
            said = true;
        }
        sleep(REST);
    }
    Ok(None)
}

/// One connection's conversation.
struct Session<'a> {
    plan: &'a Plan,
    link: Link,
    summary: &'a mut Summary,
    field: Option<Vec<FieldPad>>,
    setup: Option<MatchSetup>,
    own: Option<OwnCars>,
    /// Everything is known and the core has been told so.
    began: bool,
    tracker: Tracker,
    probe: Option<ContactProbe>,
    pace: Pace,
    in_play: bool,
    /// Of the cars that are driven, in the core's order.
    wheels: Vec<Wheel>,
    choices: Vec<Choice>,
    cars: Vec<usize>,
    rows: Vec<usize>,
}

impl<'a> Session<'a> {
    fn new(plan: &'a Plan, link: Link, summary: &'a mut Summary) -> Self {
        Self {
            plan,
            link,
            summary,
            field: None,
            setup: None,
            own: None,
            began: false,
            tracker: Tracker::new(&[]),
            probe: None,
            pace: plan.pace,
            in_play: false,
            wheels: Vec::new(),
            choices: Vec::new(),
            cars: Vec::new(),
            rows: Vec::new(),
        }
    }

    fn run(
        &mut self,
        driver: &mut dyn Driver,
        watcher: &mut dyn Watcher,
        stop: &AtomicBool,
    ) -> Result<(), Broken> {
        self.link.say(&[Said::Hello { agent_id: &self.plan.agent_id }])?;
        loop {
            if stop.load(Ordering::Relaxed) {
                // It need not arrive.
                let _ = self.link.say(&[Said::Goodbye]);
                return Ok(());
            }
            let received = self.link.receive()?;
            let arrived = Instant::now();
            for message in received.messages {
                match message {
                    Heard::Disconnect => return Ok(()),
                    Heard::Ping(cookie) => self.link.say(&[Said::Pong(cookie)])?,
                    Heard::Field(pads) => {
                        self.tracker = Tracker::new(&pads);
                        self.field = Some(pads);
                    }
                    Heard::Match(setup) => self.setup = Some(setup),
                    Heard::Cars(cars) => self.own = Some(cars),
                    Heard::Packet(_) | Heard::Other => {}
                }
            }
            self.begin(watcher)?;
            self.summary.stale += received.stale;
            // A core that sends packets before it has said what they mean must wait for an answer.
            if let Some(packet) = received.packet
                && self.began
            {
                self.answer(&packet, arrived, driver, watcher)?;
            }
        }
    }

    /// Tells the core to go on once everything is known, in whatever order it came.
    fn begin(&mut self, watcher: &mut dyn Watcher) -> io::Result<()> {
        if let (false, Some(_), Some(setup), Some(own)) =
            (self.began, &self.field, &self.setup, &self.own)
        {
            self.wheels = vec![Wheel::default(); own.players.len()];
            watcher.meet(setup, own, self.tracker.pads_found());
            self.link.say(&[Said::Ready])?;
            self.began = true;
        }
        Ok(())
    }

    fn answer(
        &mut self,
        packet: &Packet,
        arrived: Instant,
        driver: &mut dyn Driver,
        watcher: &mut dyn Watcher,
    ) -> io::Result<()> {
        let advance = self.tracker.update(packet);
        let players = self.own.as_ref().map_or(&[][..], |own| &own.players);
        self.wheels.resize(players.len(), Wheel::default());
        self.cars.clear();
        self.cars.extend(players.iter().filter_map(|&player| self.tracker.car(player as usize)));
        // A car that is not there yet: the match is still being put together.
        let complete = self.cars.len() == players.len() && packet.ball.is_some();
        let mut decided = false;
        if advance == Advance::Anew {
            self.in_play = false;
        }
        if packet.phase.in_play() && complete && !self.cars.is_empty() {
            if !self.in_play {
                self.in_play = true;
                self.pace.restart();
                self.wheels.fill(Wheel::default());
                self.cars.iter().for_each(|&car| self.tracker.note_action(car, None));
                driver.kickoff(self.cars.len(), advance == Advance::Anew);
            }
            if self.pace.due(packet.frame) {
                decided = true;
                self.decide(packet, driver);
            }
        } else if packet.phase != super::packet::Phase::Paused {
            self.in_play = false;
        }
        let obeyed = packet.phase.in_play() && self.in_play;
        self.rows.clear();
        for wheel in &mut self.wheels {
            let row = wheel.at(packet.frame);
            self.rows.push(if obeyed { row } else { NEUTRAL });
        }
        let players = self.own.as_ref().map_or(&[][..], |own| &own.players);
        let present = players.iter().zip(&self.rows);
        let inputs: Vec<Said> = present
            .filter(|(player, _)| (**player as usize) < packet.players.len())
            .map(|(&player, &row)| Said::Input { player, row: &table()[row] })
            .collect();
        self.link.say(&inputs)?;
        let latency = (!inputs.is_empty()).then(|| arrived.elapsed());
        self.summary.packets += 1;
        self.summary.repeated += u64::from(advance == Advance::Ticks(0));
        self.summary.inputs += inputs.len() as u64;
        self.summary.goals = packet.goals;
        if let Some(latency) = latency {
            self.summary.note(latency);
        }
        watcher.moment(&Moment {
            packet,
            state: self.tracker.state(),
            cars: &self.cars,
            rows: &self.rows,
            choices: &self.choices,
            decided,
            latency,
        });
        Ok(())
    }

    fn decide(&mut self, packet: &Packet, driver: &mut dyn Driver) {
        for &car in &self.cars {
            let hitbox = self.tracker.hitboxes()[car];
            let seen = self.tracker.state().cars[car];
            if !seen.on_ground && !seen.demolished {
                let probe = self.probe.get_or_insert_with(ContactProbe::default);
                let contact = probe.touches(&seen, hitbox);
                self.tracker.note_contact(car, contact);
            }
        }
        let clock = self.plan.clock.map(|trained| {
            let minutes = self.setup.as_ref().and_then(MatchSetup::minutes);
            let length = GameLength { minutes: minutes.unwrap_or(trained.minutes), ..trained };
            // Of a match without end everything is left, always.
            let secs = if packet.unlimited { length.minutes * 60.0 } else { packet.clock_secs };
            Clock::reading(length, secs, packet.overtime, packet.goals)
        });
        self.choices.clear();
        let sight = Sight {
            state: self.tracker.state(),
            cars: &self.cars,
            clock: clock.as_ref(),
            hitboxes: self.tracker.hitboxes(),
        };
        driver.decide(&sight, &mut self.choices);
        self.choices.resize(self.cars.len(), Choice { row: NEUTRAL, value: None });
        for at in 0..self.cars.len() {
            let car = self.cars[at];
            let choice = &mut self.choices[at];
            let whole = !self.tracker.state().cars[car].demolished;
            choice.row = if whole { choice.row.min(ROWS - 1) } else { NEUTRAL };
            self.tracker.note_action(car, Some(choice.row));
            self.wheels[at].turn(choice.row, packet.frame, &self.pace);
        }
        self.summary.decisions += 1;
    }
}
