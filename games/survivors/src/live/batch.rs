//! Matches on live servers, as the contract has them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lanista_game::{Answer, Batch, Buffers, Control, Fault, Spec, seed};

use super::player::{Player, Post, Reply, listen};
use super::score::{Score, Told};
use super::{acts, mirror, scripted};
use crate::nav::Terrain;
use crate::server::wire_name;
use crate::settings::{Settings, ViewKind};
use crate::sim::world::{SURVIVORS, World};
use crate::view::legacy::{self, LegacyState};
use crate::view::rich;
use crate::wire::v2::action::Action;
use crate::wire::v2::keys::SharedKey;
use crate::wire::v2::state::{Record, condition};

/// A thread that listens looks up this often.
const EAR: Duration = Duration::from_millis(20);

/// What all live batches of a run share.
#[derive(Clone, Default)]
pub(super) struct Shared {
    /// Which server the next line begins with.
    turn: Arc<AtomicUsize>,
    /// Servers with which a session has stood.
    met: Arc<Mutex<BTreeSet<String>>>,
}

/// Matches on live servers.
pub(super) struct Live {
    spec: Arc<Spec>,
    settings: Settings,
    key: SharedKey,
    servers: Arc<[String]>,
    shared: Shared,
    maps: Vec<(String, Arc<Terrain>)>,
    tables: Vec<Table>,
    post: Sender<Post>,
    replies: Receiver<Post>,
    questions: u64,
}

/// What is kept of one match.
struct Table {
    line: Option<Line>,
    world: World,
    score: Score,
    told: Told,
    /// The question that is open, and whether it is for a start.
    open: Option<(u64, bool)>,
    /// What each was last told to do.
    last: [Option<Action>; SURVIVORS],
    /// Seats that are left empty: their survivors stand about.
    empty: [bool; SURVIVORS],
    seed: u64,
    step: u32,
}

struct Line {
    player: Arc<Mutex<Player>>,
    stop: Arc<AtomicBool>,
    ear: Option<JoinHandle<()>>,
}

fn lock(player: &Mutex<Player>) -> MutexGuard<'_, Player> {
    player.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Line {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        lock(&self.player).bye();
        if let Some(ear) = self.ear.take() {
            let _ = ear.join();
        }
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.hang_up();
    }
}

impl Live {
    pub fn new(
        spec: Arc<Spec>,
        settings: Settings,
        key: SharedKey,
        maps: Vec<Arc<Terrain>>,
        shared: Shared,
        matches: usize,
    ) -> Self {
        let names = settings.map.names().iter().map(|name| wire_name(name));
        let maps: Vec<_> = names.zip(maps).collect();
        let servers = settings.live.as_ref().map_or(&[][..], |live| live.addresses());
        let (post, replies) = channel();
        let table = || Table {
            line: None,
            world: mirror::empty(&maps[0].1, settings.difficulty.of(0)),
            score: Score::default(),
            told: Told::default(),
            open: None,
            last: [None; SURVIVORS],
            empty: [false; SURVIVORS],
            seed: 0,
            step: 0,
        };
        Self {
            tables: (0..matches).map(|_| table()).collect(),
            servers: servers.into(),
            spec,
            settings,
            key,
            shared,
            maps,
            post,
            replies,
            questions: 0,
        }
    }

    /// Says goodbye on every line.
    fn hang_up(&mut self) {
        // All at once: each line looks up within a moment, and they need not be waited for one by one.
        for line in self.tables.iter().filter_map(|table| table.line.as_ref()) {
            line.stop.store(true, Ordering::Relaxed);
        }
        for table in &mut self.tables {
            (table.line, table.open) = (None, None);
        }
    }

    fn open_line(&self, m: usize) -> std::io::Result<Line> {
        let first = self.shared.turn.fetch_add(1, Ordering::Relaxed);
        let bots = (1u32 << self.settings.survivors) - 1;
        let (post, servers) = (self.post.clone(), Arc::clone(&self.servers));
        let met = Arc::clone(&self.shared.met);
        let player = Player::new(m, post, servers, first, self.key.clone(), bots, met)?;
        let ear = player.ear()?;
        ear.set_read_timeout(Some(EAR))?;
        let (player, stop) = (Arc::new(Mutex::new(player)), Arc::new(AtomicBool::new(false)));
        let (listener, stopped) = (Arc::clone(&player), Arc::clone(&stop));
        let turn = move |heard: Option<(&[u8], std::net::SocketAddr)>| {
            if stopped.load(Ordering::Relaxed) {
                return false;
            }
            lock(&listener).turn(heard);
            true
        };
        let name = format!("survivors live {m}");
        let ear = std::thread::Builder::new().name(name).spawn(move || listen(&ear, turn))?;
        Ok(Line { player, stop, ear: Some(ear) })
    }

    /// The actions of a match on the wire: those of the seats that were asked, and what goes on of the others.
    fn actions(&mut self, m: usize, actions: &[u32]) -> Vec<(u8, Action)> {
        let heads = actions.len() / self.spec.seats.len().max(1);
        let (view, table) = (self.settings.view, &mut self.tables[m]);
        let is_known = self.maps.iter().any(|(name, _)| *name == table.told.map);
        let knows_way = is_known && table.told.takes_rich;
        let mut out = Vec::with_capacity(SURVIVORS);
        for i in 0..SURVIVORS {
            let Some(record) = &table.told.team[i] else { continue };
            if !record.state.is_alive {
                continue;
            }
            let chosen = &actions[i * heads..(i + 1) * heads];
            let action = if acts(record) && !table.empty[i] {
                acts::chosen(&table.world, i, view, chosen, knows_way && record.extended.is_some())
            } else {
                acts::unasked(table.last[i], is_busy(record), view)
            };
            table.last[i] = Some(action);
            out.push((i as u8, action));
        }
        out
    }

    /// Takes a reply; nothing when nobody waits for it any more.
    fn take(
        &mut self,
        (m, question, reply): Post,
        buffers: &mut Buffers,
    ) -> Result<Option<Answer>, Fault> {
        let Some((open, is_start)) = self.tables.get(m).and_then(|table| table.open) else {
            return Ok(None);
        };
        if open != question {
            return Ok(None);
        }
        self.tables[m].open = None;
        match reply {
            Reply::Refused(message) => Err(Fault { match_index: m, message }),
            Reply::Lost(why) => Ok(Some(Answer::Lost(m, why))),
            Reply::Ready(told) => self.show(m, *told, is_start, buffers).map(Some),
        }
    }

    fn show(
        &mut self,
        m: usize,
        told: Told,
        is_start: bool,
        buffers: &mut Buffers,
    ) -> Result<Answer, Fault> {
        let terrain = self.terrain(m, &told)?;
        let table = &mut self.tables[m];
        mirror::fill(&mut table.world, &terrain, told.tick, &told.team);
        if is_start {
            table.last = [None; SURVIVORS];
            table.step = 0;
            table.score.begin(told.tick, &told.team);
        } else {
            table.step += 1;
            let mut outcome = buffers.outcome(m);
            table.score.step(&told, self.settings.limit_secs, &self.spec, &mut outcome);
        }
        table.told = told;
        let mut view = buffers.view(m);
        for i in 0..SURVIVORS {
            let mut seat = view.seat(i);
            let Some(record) = table.told.team[i].as_ref().filter(|_| !table.empty[i]) else {
                seat.observation.fill(0.0);
                seat.wait();
                continue;
            };
            match self.settings.view {
                ViewKind::Legacy => {
                    legacy_state(record).write(seat.observation);
                    legacy::legal(&table.world, i, seat.mask);
                }
                ViewKind::Rich => rich::observe(&table.world, i, &mut seat),
            }
            if !acts(record) {
                seat.wait();
            }
        }
        Ok(Answer::Ready(m))
    }

    /// The mesh of the map that is played. The legacy view can do without.
    fn terrain(&self, m: usize, told: &Told) -> Result<Arc<Terrain>, Fault> {
        let known = self.maps.iter().find(|(name, _)| *name == told.map);
        let fault = |message: String| Err(Fault { match_index: m, message });
        let server = || self.server(m);
        let extended = told.team.iter().flatten().all(|record| record.extended.is_some());
        match (known, self.settings.view) {
            (_, ViewKind::Rich) if !(extended && told.takes_rich) => fault(format!(
                "{} knows only the states and actions of v1: set settings.view to legacy",
                server()
            )),
            (Some((_, terrain)), _) => Ok(Arc::clone(terrain)),
            (None, ViewKind::Legacy) => Ok(Arc::clone(&self.maps[0].1)),
            (None, ViewKind::Rich) => fault(format!(
                "{} plays `{}`, and settings.map does not name it: give the path of its .nav there",
                server(),
                told.map
            )),
        }
    }

    fn server(&self, m: usize) -> String {
        let line = self.tables[m].line.as_ref();
        line.map_or_else(String::new, |line| lock(&line.player).server().to_owned())
    }

    fn line(&self, m: usize) -> Result<&Line, Fault> {
        self.tables[m]
            .line
            .as_ref()
            .ok_or_else(|| Fault { match_index: m, message: "the match was not started".into() })
    }

    /// Everybody who is waited for is given up on, with the address that was silent.
    fn nobody_answered(&mut self, answers: &mut Vec<Answer>) -> Result<(), Fault> {
        for m in 0..self.tables.len() {
            if self.tables[m].open.take().is_none() {
                continue;
            }
            let (message, is_hopeless) = {
                let mut player = lock(&self.line(m)?.player);
                player.abandon();
                (player.silence(), player.is_hopeless())
            };
            if is_hopeless {
                return Err(Fault { match_index: m, message });
            }
            answers.push(Answer::Lost(m, message));
        }
        Ok(())
    }
}

/// Does a survivor choose now? Not while it is dead, held, hanging, or busy with its hands.
fn acts(record: &Record) -> bool {
    let hangs = |more: &crate::wire::v2::state::Extended| more.conditions & condition::HANGING != 0;
    let held = record.extended.as_ref().is_some_and(|more| more.attacker != 0 || hangs(more));
    record.state.is_alive && !held && !is_busy(record)
}

fn is_busy(record: &Record) -> bool {
    const BUSY: u16 = condition::HEALING | condition::REVIVING;
    record.extended.as_ref().is_some_and(|more| more.conditions & BUSY != 0)
}

/// The document's state, as near to the simulator's as is told: with entities, infected are counted within the
/// same distance.
fn legacy_state(record: &Record) -> LegacyState {
    let state = &record.state;
    let more = record.extended.as_ref();
    let temporary = more.map_or(0.0, |more| more.temporary_health);
    LegacyState {
        health: f32::from(state.health) + if state.is_incapped { 0.0 } else { temporary },
        is_alive: state.is_alive,
        is_incapped: state.is_incapped,
        position: state.position,
        velocity: state.velocity,
        angle: state.angle,
        weapons: [state.primary_weapon, state.secondary_weapon],
        throwable: state.throwable,
        health_item: state.health_item,
        ammo: state.ammo,
        nearby_enemies: state.nearby_enemies,
        nearest_enemy_dist: state.nearest_enemy_dist,
        teammates_alive: state.teammates_alive,
        nearest_teammate_dist: state.nearest_teammate_dist,
        teammates_incapped: state.teammates_incapped,
        in_safe_room: state.in_safe_room,
        near_objective: state.near_objective,
    }
}

impl Batch for Live {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn matches(&self) -> usize {
        self.tables.len()
    }

    fn start(
        &mut self,
        m: usize,
        match_seed: u64,
        seats: &[Control],
        _: &mut Buffers,
    ) -> Result<(), Fault> {
        if self.tables[m].line.is_none() {
            let line = self.open_line(m).map_err(|error| Fault {
                match_index: m,
                message: format!("cannot open a socket for a match: {error}; are there too many?"),
            })?;
            self.tables[m].line = Some(line);
        }
        // As the simulator chooses it.
        let pick = seed::mix(match_seed, 0x6d61_7073) % self.maps.len().max(1) as u64;
        let map = self.maps[pick as usize].0.clone();
        self.questions += 1;
        self.tables[m].open = Some((self.questions, true));
        let table = &mut self.tables[m];
        table.seed = match_seed;
        table.empty = std::array::from_fn(|i| seats.get(i) == Some(&Control::Nobody));
        lock(&self.line(m)?.player).start(self.questions, match_seed.max(1), map);
        Ok(())
    }

    fn submit(&mut self, which: &[usize], actions: &[u32], _: &mut Buffers) -> Result<(), Fault> {
        let width = actions.len() / self.tables.len().max(1);
        for &m in which {
            let made = self.actions(m, &actions[m * width..(m + 1) * width]);
            self.questions += 1;
            self.tables[m].open = Some((self.questions, false));
            lock(&self.line(m)?.player).step(self.questions, &made);
        }
        Ok(())
    }

    fn waits(&self) -> bool {
        true
    }

    fn collect(
        &mut self,
        patience: Duration,
        buffers: &mut Buffers,
        answers: &mut Vec<Answer>,
    ) -> Result<(), Fault> {
        let deadline = Instant::now() + patience;
        while answers.is_empty() && self.tables.iter().any(|table| table.open.is_some()) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.replies.recv_timeout(left) {
                Ok(post) => answers.extend(self.take(post, buffers)?),
                Err(_) => return self.nobody_answered(answers),
            }
        }
        while let Ok(post) = self.replies.try_recv() {
            answers.extend(self.take(post, buffers)?);
        }
        Ok(())
    }

    fn abandon(&mut self, m: usize) {
        self.tables[m].open = None;
        if let Ok(line) = self.line(m) {
            lock(&line.player).abandon();
        }
    }

    fn release(&mut self) {
        self.hang_up();
    }

    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        i: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        let table = &self.tables[m];
        let dice = (table.seed, table.step);
        scripted::choose(&self.spec, &table.world, self.settings.view, bot, i, dice, action);
        Ok(())
    }

    fn frame(&self, m: usize, out: &mut String) {
        crate::frame::write(&self.tables[m].world, out);
    }

    fn scene(&self, m: usize, out: &mut String) {
        crate::frame::write_scene(&self.tables[m].world, out);
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("matches are played on {}", self.servers.join(", "))]
    }

    fn step_secs(&self) -> Option<f64> {
        Some(0.1)
    }

    fn replays(&self) -> bool {
        false
    }
}
