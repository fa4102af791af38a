//! One game behind the wire: a simulated match, the clients that play in it, and what paces it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use lanista_game::seed;

use super::events::Look;
use super::hands::Hands;
use super::told::{self, Tally};
use super::{Options, Speed};
use crate::bots;
use crate::maps::{NAMES, Source};
use crate::nav::Terrain;
use crate::sim::director::Mode;
use crate::sim::numbers::{TICK_SECS, TICKS_PER_SEC};
use crate::sim::survivor::Survivor;
use crate::sim::world::{SURVIVORS, World};
use crate::wire::session::server::{Happening, Outbox, Server, ServerConfig};
use crate::wire::session::v1::{self, V1Server};
use crate::wire::state::LegacyAction;
use crate::wire::v2::action::Action;
use crate::wire::v2::control::{Event, Reset, ResetStatus};
use crate::wire::v2::hello::capability;

/// Between two states.
pub(super) const TICKS_PER_STATE: u32 = 3;
/// How long an action holds when no newer one comes.
const HOLD_TICKS: u32 = TICKS_PER_SEC / 2;
/// So long after the end of a round the next one begins by itself, as in the game.
const RESTART_TICKS: u32 = 3 * TICKS_PER_SEC;
/// Behind by more than this, time is let go: a machine that was asleep does not race to catch up.
const MOST_BEHIND_SECS: f64 = 1.0;

/// Counts of what a game has done, for the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Actions that were applied.
    pub actions: u64,
    /// Episodes that were begun.
    pub episodes: u64,
    /// Ticks that were played.
    pub ticks: u64,
}

/// One game.
pub(super) struct Instance {
    pub world: World,
    pub wire: Server,
    pub v1: Option<V1Server>,
    pub counts: Counts,
    speed: Speed,
    /// Maps that may be played, with what they are called on the wire.
    maps: Vec<(String, Arc<Terrain>)>,
    map: usize,
    seed: u64,
    survivors: usize,
    /// Bots of sessions the game waits for, and of those that it does not wait for.
    waited_for: BTreeMap<u32, u32>,
    free: BTreeMap<u32, u32>,
    /// Bots with an action since the last state.
    acted: u32,
    /// Bots whose v1 client is owed a state.
    owed: u32,
    hands: [Hands; SURVIVORS],
    tallies: [Tally; SURVIVORS],
    look: Look,
    /// Ticks of the episode; goes on when the match has ended.
    clock: u32,
    over_ticks: u32,
    next_tick_secs: f64,
    /// What happened since somebody last took it, for the bridge.
    pub news: Vec<Event>,
    pub watched: bool,
    /// What a director wants of bots, whoever plays them.
    overrides: [Option<(LegacyAction, u32)>; SURVIVORS],
}

impl Instance {
    pub fn new(
        options: &Options,
        maps: Vec<(String, Arc<Terrain>)>,
        nonces: [u8; 32],
        number: u64,
    ) -> Self {
        let bots = (1u32 << options.survivors) - 1;
        let config = ServerConfig {
            key: options.key.clone(),
            capabilities: capability::ALL,
            name: "lanista".into(),
            bots,
            ticks_per_sec: TICKS_PER_SEC as u16,
            ticks_per_state: TICKS_PER_STATE as u16,
            hold_ticks: HOLD_TICKS as u16,
            max_sessions: SURVIVORS,
        };
        let (name, terrain) = maps[0].clone();
        let mut world = World::new(terrain, options.difficulty);
        world.director.mode = Mode::Rule;
        world.director.temperament = options.temperament;
        let mut instance = Self {
            look: Look::at(&world),
            world,
            wire: Server::new(config, &name, nonces),
            v1: None,
            counts: Counts::default(),
            speed: options.speed,
            maps,
            map: 0,
            seed: seed::mix(options.seed, number),
            survivors: options.survivors,
            waited_for: BTreeMap::new(),
            free: BTreeMap::new(),
            acted: 0,
            owed: 0,
            hands: [Hands::default(); SURVIVORS],
            tallies: [Tally::default(); SURVIVORS],
            clock: 0,
            over_ticks: 0,
            next_tick_secs: 0.0,
            news: Vec::new(),
            watched: false,
            overrides: [None; SURVIVORS],
        };
        instance.begin(0);
        instance
    }

    /// What is played, by its name on the wire.
    pub fn map(&self) -> &str {
        &self.maps[self.map].0
    }

    fn begin(&mut self, wanted_seed: u64) -> u64 {
        let seed = match wanted_seed {
            0 => seed::mix(self.seed, self.counts.episodes + 1).max(1),
            given => given,
        };
        let present = std::array::from_fn(|i| i < self.survivors);
        self.world.reset(self.maps[self.map].1.clone(), seed, present);
        self.hands = [Hands::default(); SURVIVORS];
        self.tallies = [Tally::default(); SURVIVORS];
        self.overrides = [None; SURVIVORS];
        self.look = Look::at(&self.world);
        (self.clock, self.over_ticks, self.acted) = (0, 0, 0);
        self.counts.episodes += 1;
        self.wire.set_tick(0);
        seed
    }

    /// A new round, whoever wanted it.
    pub fn restart(&mut self, seed: u64) -> u64 {
        let used = self.begin(seed);
        let map = self.map().to_owned();
        self.wire.new_episode(&map);
        used
    }

    fn choose_map(&mut self, name: &str) -> Result<(), ResetStatus> {
        if name.is_empty() {
            return Ok(());
        }
        if let Some(known) = self.maps.iter().position(|(map, _)| map == name) {
            self.map = known;
            return Ok(());
        }
        // Only our own: a name from the network never becomes a path.
        if !NAMES.contains(&name) {
            return Err(ResetStatus::UnknownMap);
        }
        let loaded = Source::One(name.to_owned()).load().map_err(|_| ResetStatus::Failed)?;
        let terrain = loaded.into_iter().next().ok_or(ResetStatus::Failed)?;
        self.maps.push((name.to_owned(), terrain));
        self.map = self.maps.len() - 1;
        Ok(())
    }

    /// Takes a datagram of v2.
    pub fn receive(&mut self, now_secs: f64, from: SocketAddr, datagram: &[u8], out: &mut Outbox) {
        self.wire.receive(now_secs, from, datagram, out);
        self.heed(out);
    }

    /// Takes a datagram of v1.
    pub fn receive_v1(
        &mut self,
        now_secs: f64,
        from: SocketAddr,
        datagram: &[u8],
        out: &mut Outbox,
    ) {
        let mut of_v1 = v1::Outbox::default();
        if let Some(v1) = &mut self.v1 {
            v1.receive(now_secs, from, datagram, &mut of_v1);
        }
        self.heed_v1(of_v1, out);
    }

    /// What time alone brings about.
    pub fn poll(&mut self, now_secs: f64, out: &mut Outbox) {
        self.wire.poll(now_secs, out);
        let mut of_v1 = v1::Outbox::default();
        if let Some(v1) = &mut self.v1 {
            v1.poll(now_secs, &mut of_v1);
        }
        self.heed_v1(of_v1, out);
        self.heed(out);
        self.advance(now_secs, out);
    }

    fn heed(&mut self, out: &mut Outbox) {
        for happening in std::mem::take(&mut out.happened) {
            match happening {
                Happening::Opened { session, bots, capabilities, .. } => {
                    let waits = capabilities & capability::LOCKSTEP != 0;
                    let list = if waits { &mut self.waited_for } else { &mut self.free };
                    list.insert(session, bots);
                    self.publish(out);
                }
                Happening::Closed { session, .. } => {
                    self.waited_for.remove(&session);
                    self.free.remove(&session);
                }
                Happening::Apply { bot_id, action, .. } => self.apply(bot_id, action),
                Happening::ResetWanted { session, reset } => {
                    self.reset(session, &reset, out);
                }
            }
        }
    }

    fn reset(&mut self, session: u32, reset: &Reset, out: &mut Outbox) {
        let (status, seed) = match self.choose_map(&reset.map) {
            Ok(()) => (ResetStatus::Done, self.restart(reset.seed)),
            Err(status) => (status, 0),
        };
        self.wire.reset_done(session, reset.request, status, seed, out);
        self.publish(out);
    }

    fn heed_v1(&mut self, of_v1: v1::Outbox, out: &mut Outbox) {
        for happening in of_v1.happened {
            match happening {
                v1::Happening::Apply { bot_id, action } => {
                    self.apply(bot_id, Action::Legacy(action));
                    self.owed |= 1u32.checked_shl(u32::from(bot_id)).unwrap_or(0);
                }
                v1::Happening::ResetWanted { bot_id } => {
                    self.restart(0);
                    self.owed |= 1u32.checked_shl(u32::from(bot_id)).unwrap_or(0);
                    self.answer_v1(out);
                }
                v1::Happening::Connected { .. } | v1::Happening::Disconnected { .. } => {}
            }
        }
        out.datagrams.extend(of_v1.datagrams);
    }

    fn apply(&mut self, bot_id: u8, action: Action) {
        let i = usize::from(bot_id);
        if let (Some(s), Some(hands)) = (self.world.survivors.get(i), self.hands.get_mut(i)) {
            hands.take(s, action, self.clock + HOLD_TICKS.max(TICKS_PER_STATE));
            self.acted |= 1 << i;
            self.counts.actions += 1;
        }
    }

    /// A director has a survivor do something for a moment, whoever plays it.
    pub fn override_bot(&mut self, i: usize, action: LegacyAction) -> bool {
        let lives = self.world.survivors.get(i).is_some_and(Survivor::is_alive);
        if let Some(place) = self.overrides.get_mut(i).filter(|_| lives) {
            *place = Some((action, self.clock + HOLD_TICKS));
        }
        lives
    }

    /// Seconds of the round.
    pub fn round_secs(&self) -> f64 {
        f64::from(self.clock) * f64::from(TICK_SECS)
    }

    fn v1_bots(&self) -> u32 {
        self.v1.as_ref().map_or(0, V1Server::bots_taken)
    }

    fn alive(&self) -> u32 {
        let lives = |i: &usize| self.world.ending.is_none() && self.world.survivors[*i].is_alive();
        (0..SURVIVORS).filter(lives).fold(0, |bots, i| bots | 1 << i)
    }

    /// Lets time pass, as far as the clients and the clock allow.
    fn advance(&mut self, now_secs: f64, out: &mut Outbox) {
        let lockstep = self.waited_for.values().fold(0, |all, bots| all | bots);
        if lockstep != 0 {
            self.next_tick_secs = now_secs;
            // When nobody lives, one action of anybody is enough to go on.
            let awaited = lockstep & self.alive();
            let go =
                if awaited == 0 { lockstep & self.acted != 0 } else { awaited & !self.acted == 0 };
            if go {
                self.play(now_secs, TICKS_PER_STATE, out);
            }
        } else if self.speed == Speed::Realtime {
            if now_secs - self.next_tick_secs > MOST_BEHIND_SECS {
                self.next_tick_secs = now_secs;
            }
            while now_secs >= self.next_tick_secs {
                self.next_tick_secs += f64::from(TICK_SECS);
                self.play(now_secs, 1, out);
            }
        } else if !self.free.is_empty() || self.watched {
            self.play(now_secs, TICKS_PER_STATE, out);
        } else if self.owed != 0 {
            // At full speed v1 is paced by its clients.
            if self.v1_bots() & self.alive() & !self.acted & !self.owed == 0 {
                self.play(now_secs, TICKS_PER_STATE, out);
            }
        }
    }

    /// Is there anything to do at once?
    pub fn is_eager(&self) -> bool {
        self.speed == Speed::Max
            && self.waited_for.is_empty()
            && (!self.free.is_empty() || self.watched)
    }

    fn play(&mut self, now_secs: f64, ticks: u32, out: &mut Outbox) {
        let controlled = self.wire.bots_taken() | self.v1_bots();
        let mut restarted = false;
        for _ in 0..ticks {
            let commands: [_; SURVIVORS] = std::array::from_fn(|i| {
                if let Some((action, until)) = self.overrides[i]
                    && self.clock < until
                {
                    let mut hands = Hands::default();
                    hands.take(&self.world.survivors[i], Action::Legacy(action), until);
                    hands.command(&self.world, i, self.clock)
                } else if controlled >> i & 1 == 1 {
                    self.hands[i].command(&self.world, i, self.clock)
                } else {
                    self.world.command(i, &bots::follower(&self.world, i), true)
                }
            });
            self.world.tick(&commands, &[]);
            self.clock += 1;
            self.counts.ticks += 1;
            self.over_ticks += u32::from(self.world.ending.is_some());
            if self.over_ticks >= RESTART_TICKS {
                self.tell(now_secs, out);
                self.restart(0);
                restarted = true;
                break;
            }
        }
        if restarted || self.clock.is_multiple_of(TICKS_PER_STATE) {
            self.tell(now_secs, out);
            self.publish(out);
            self.acted = 0;
        }
    }

    /// Tells of what happened since this was last done.
    fn tell(&mut self, now_secs: f64, out: &mut Outbox) {
        self.wire.set_tick(self.clock);
        for (tally, deeds) in self.tallies.iter_mut().zip(&self.world.deeds) {
            tally.kills += deeds.kills;
            tally.special_kills += deeds.special_kills;
        }
        let events = self.look.since(&self.world, self.clock);
        for event in &events {
            self.wire.tell(now_secs, *event, out);
        }
        if self.watched {
            self.news.extend(events);
        }
        self.look = Look::at(&self.world);
        self.world.begin_step();
    }

    fn publish(&mut self, out: &mut Outbox) {
        self.wire.set_tick(self.clock);
        if self.wire.sessions() > 0 {
            let told = |i: usize| {
                (told::state(&self.world, i), told::extended(&self.world, i, &self.tallies[i]))
            };
            let bots: Vec<_> = (0..self.survivors).map(told).collect();
            self.wire.send_states(&bots, out);
        }
        self.answer_v1(out);
    }

    fn answer_v1(&mut self, out: &mut Outbox) {
        let Some(v1) = &self.v1 else { return };
        let mut of_v1 = v1::Outbox::default();
        for i in (0..self.survivors).filter(|i| self.owed >> i & 1 == 1) {
            v1.send_state(&told::state(&self.world, i), &mut of_v1);
        }
        self.owed = 0;
        out.datagrams.extend(of_v1.datagrams);
    }
}
