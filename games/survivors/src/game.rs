//! The match as the contract has it.

use std::sync::Arc;

use lanista_game::{
    Bot, Control, End, Game, Kind, Outcome, Role, Seat, SettingsError, Spec, Stat, View, seed,
};

use crate::bots::{self, DIRECTOR_BOTS, INFECTED_BOTS, SURVIVORS_BOTS};
use crate::delay::Delay;
use crate::events::Look;
use crate::intent::Intent;
use crate::nav::Terrain;
use crate::settings::{Settings, ViewKind};
use crate::sim::director::{Mode, Order};
use crate::sim::infected::Class;
use crate::sim::numbers::{TICK_SECS, TICKS_PER_SEC};
use crate::sim::survivor::{Condition, Pack};
use crate::sim::world::{Command, Ending, PLAYED_INFECTED, SURVIVORS, World};
use crate::terms::{self, terms};
use crate::view::{director, infected, legacy, rich};

/// While hands are busy, a survivor is asked again after so many ticks.
const BUSY_TICKS: u32 = TICKS_PER_SEC;

/// One match.
pub struct Survivors {
    spec: Arc<Spec>,
    settings: Settings,
    terrains: Vec<Arc<Terrain>>,
    world: World,
    match_seed: u64,
    step: u32,
    /// Does the game itself direct?
    ruled: bool,
    /// What survivors have decided, and how many ticks later each does it.
    delays: [(Delay, u32); SURVIVORS],
    /// The nearest to the goal that each survivor has been.
    nearest: [f32; SURVIVORS],
    /// The same for whoever is last.
    last_nearest: f32,
    stress_before: f32,
    /// The match before the last step, for what frames tell of it.
    before: Look,
}

/// No role has more actions than this over all heads.
const MOST_ACTIONS: usize = 64;

/// What each role is called, by its place.
pub const SURVIVOR: usize = 0;

impl Survivors {
    /// The match itself, for those who want to look inside it.
    pub fn world(&self) -> &World {
        &self.world
    }

    fn infected_seats(&self) -> usize {
        self.settings.infected
    }

    fn director_seat(&self) -> Option<usize> {
        self.settings.has_director_seat().then_some(SURVIVORS + self.settings.infected)
    }

    /// Lets the infected that seats play come back when it is time.
    fn bring_infected(&mut self) {
        let world = &mut self.world;
        if world.director.left_start_at.is_none() {
            return;
        }
        for seat in 0..self.settings.infected {
            if infected::played_by(world, seat).is_some()
                || world.now < world.director.seat_from[seat]
            {
                continue;
            }
            // One of those that nobody plays yet, by turns.
            let turn =
                seed::mix(self.match_seed ^ 0x7365_6174, u64::from(world.now) << 4 | seat as u64);
            let first = (turn % Class::SPECIALS.len() as u64) as usize;
            let free = (0..Class::SPECIALS.len())
                .map(|n| Class::SPECIALS[(first + n) % Class::SPECIALS.len()])
                .find(|&class| world.count(class) == 0);
            if let Some(class) = free
                && let Some(k) = world.summon_for(class, seat)
            {
                debug_assert!(world.specials[k].alive);
            }
        }
    }

    fn intent(&self, i: usize, actions: &[u32]) -> Intent {
        match self.settings.view {
            ViewKind::Legacy => legacy::intent(actions[0]),
            ViewKind::Rich => rich::intent(actions),
        }
        .with_task(self.world.survivors[i].task.is_some())
    }

    /// Does a survivor choose at this step? One whose hands are busy is asked once a second.
    fn acts(&self, i: usize) -> bool {
        let s = &self.world.survivors[i];
        if !s.is_alive() || s.hold.is_some() || self.world.now < s.staggers_until {
            return false;
        }
        if matches!(s.condition, Condition::Hanging(_)) {
            return false;
        }
        s.task.is_none_or(|task| {
            let left = task.done_at.saturating_sub(self.world.now);
            left > 0 && left % BUSY_TICKS < self.settings.ticks_per_step
        })
    }

    fn reward(&mut self, out: &mut Outcome) {
        let world = &self.world;
        let lost = world.ending == Some(Ending::Lost);
        let won = world.ending == Some(Ending::Safe);
        let mut last = 0.0f32;
        for i in 0..SURVIVORS {
            let s = &world.survivors[i];
            if !s.present {
                continue;
            }
            let deeds = &world.deeds[i];
            let earned = out.seat(i);
            earned[terms::KILL] = deeds.kills;
            earned[terms::DAMAGE_DEALT] = deeds.damage;
            earned[terms::DAMAGE_TAKEN] = deeds.hurt;
            earned[terms::HEAL_TEAMMATE] = deeds.heals + deeds.rescues;
            earned[terms::INCAPPED] = deeds.incapacitated;
            earned[terms::DEATH] = deeds.died;
            earned[terms::SPECIAL_KILL] = deeds.special_kills;
            earned[terms::RESCUE] = deeds.rescues;
            earned[terms::FRIENDLY_FIRE] = deeds.friendly_damage;
            earned[terms::ITEM] = deeds.taken;
            earned[terms::SAFE_ROOM] = f32::from(u8::from(won && world.is_safe(i)));
            earned[terms::LOST] = f32::from(u8::from(lost));
            if s.is_alive() {
                earned[terms::SURVIVAL] = 1.0;
                let mate = world.nearest_survivor(s.body.at, |j, _| j != i);
                earned[terms::PROXIMITY_TO_TEAM] =
                    f32::from(u8::from(mate.is_some_and(|(_, far)| far < 500.0)));
                let to_goal = world.terrain.to_goal(s.body.area);
                if to_goal.is_finite() {
                    last = last.max(to_goal);
                    if to_goal < self.nearest[i] {
                        earned[terms::PROGRESS] = (self.nearest[i] - to_goal) / 100.0;
                        self.nearest[i] = to_goal;
                    }
                }
            }
        }
        let together = if last > 0.0 && last < self.last_nearest {
            let gain = (self.last_nearest - last) / 100.0;
            self.last_nearest = last;
            gain
        } else {
            0.0
        };
        for i in 0..SURVIVORS {
            if world.survivors[i].is_alive() {
                out.seat(i)[terms::TEAM_PROGRESS] = together;
            }
        }
        for seat in 0..self.infected_seats() {
            let harm = &world.harm[seat];
            let earned = out.seat(SURVIVORS + seat);
            earned[terms::HARM] = harm.damage;
            earned[terms::DOWNED] = harm.incapacitated;
            earned[terms::KILLED] = harm.killed;
            earned[terms::CAUGHT] = harm.caught;
            earned[terms::DIED] = harm.died;
            earned[terms::WIPED] = f32::from(u8::from(lost));
        }
        let stress = world.strain().stress();
        if let Some(seat) = self.director_seat() {
            let target = world.director.temperament.target();
            let died: f32 = world.deeds.iter().map(|d| d.died).sum();
            let left = world.survivors.iter().filter(|s| lost && s.is_alive()).count() as f32;
            let earned = out.seat(seat);
            earned[terms::STRESS] = 1.0 - (stress - target).abs() / target.max(1.0 - target);
            let change = stress - self.stress_before;
            let wanted = (self.stress_before < target && change > 0.0)
                || (self.stress_before > target && change < 0.0);
            earned[terms::PACING] = f32::from(u8::from(wanted));
            earned[terms::RUIN] = died + left;
        }
        self.stress_before = stress;
    }

    fn finish(&self, out: &mut Outcome) {
        let world = &self.world;
        let safe = (0..SURVIVORS).filter(|&i| world.is_safe(i)).count() as f32;
        let won = world.ending == Some(Ending::Safe);
        out.score[0] = if won { safe } else { 0.0 };
        if let Some(score) = out.score.get_mut(1) {
            *score = if won { 0.0 } else { 1.0 };
        }
        let present = world.survivors.iter().filter(|s| s.present);
        let n = present.clone().count().max(1) as f32;
        let mean = |of: &dyn Fn(&crate::sim::survivor::Survivor) -> f32| {
            present.clone().map(of).sum::<f32>() / n
        };
        let account = &world.director.account;
        let steps = account.ticks.max(1) as f64;
        let apart = |s: &crate::sim::survivor::Survivor| {
            (s.record.apart / f64::from(s.record.alive_ticks.max(1))) as f32
        };
        let values = [
            f32::from(u8::from(won)),
            safe / n,
            world.progress / world.terrain.flow_length().max(1.0),
            world.now as f32 * TICK_SECS,
            mean(&|s| s.record.kills),
            mean(&|s| s.record.damage),
            mean(&|s| s.record.hurt),
            mean(&|s| s.record.healed),
            mean(&|s| s.record.revived),
            mean(&|s| s.record.incapacitated),
            mean(&|s| f32::from(u8::from(!s.is_alive()))),
            mean(&|s| s.record.friendly_damage),
            mean(&apart),
            (account.stress / steps) as f32,
            (account.stress_error / steps) as f32,
            account.mobs as f32,
            account.specials as f32,
            account.bosses as f32,
            account.phases[crate::sim::director::Phase::Relax as usize] as f32,
        ];
        out.stats.copy_from_slice(&values);
    }
}

const STATS: [&str; 19] = [
    "reached",
    "safe",
    "flow",
    "secs",
    "kills",
    "damage",
    "hurt",
    "healed",
    "revived",
    "incapacitated",
    "dead",
    "friendly_fire",
    "apart",
    "stress",
    "stress_error",
    "mobs",
    "specials",
    "bosses",
    "relaxed",
];

impl Intent {
    /// Hands that are busy go on unless something else is meant.
    fn with_task(mut self, busy: bool) -> Self {
        if busy && self.buttons == 0 {
            self.feet = crate::intent::Feet::Stay;
        }
        self
    }
}

impl Game for Survivors {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn reset(&mut self, match_seed: u64, seats: &[Control]) {
        self.match_seed = match_seed;
        self.step = 0;
        let pick = seed::mix(match_seed, 0x6d61_7073) % self.terrains.len().max(1) as u64;
        let terrain = self.terrains[pick as usize].clone();
        let present = std::array::from_fn(|i| {
            i < self.settings.survivors && seats.get(i) != Some(&Control::Nobody)
        });
        // Only whoever decides outside of the game is late.
        self.delays = std::array::from_fn(|i| match seats.get(i) {
            Some(Control::Outside) => (Delay::default(), self.settings.action_delay),
            _ => (Delay::default(), 0),
        });
        // A director who is played inside, or by nobody, leaves it to the rules.
        self.ruled = self.director_seat().is_none_or(|seat| match seats.get(seat) {
            Some(Control::Bot(bot)) => DIRECTOR_BOTS[*bot] == "rule",
            Some(Control::Nobody) => true,
            _ => false,
        });
        let ruled = self.ruled && self.settings.director != Mode::None;
        self.world.director.mode = if ruled { Mode::Rule } else { self.settings.director };
        self.world.director.temperament = self.settings.temperament;
        self.world.difficulty = self.settings.difficulty.of(match_seed);
        self.world.reset(terrain, seed::mix(match_seed, 1), present);
        if self.settings.medkits {
            self.world.survivors.iter_mut().for_each(|s| s.pack = Some(Pack::Medkit));
        }
        for i in 0..SURVIVORS {
            self.nearest[i] = self.world.terrain.to_goal(self.world.survivors[i].body.area);
        }
        self.last_nearest =
            self.nearest.iter().copied().filter(|d| d.is_finite()).fold(0.0, f32::max);
        self.stress_before = self.world.strain().stress();
        self.before.again(&self.world);
    }

    fn observe(&self, view: &mut View) {
        for i in 0..SURVIVORS {
            let mut seat = view.seat(i);
            if !self.world.survivors[i].present {
                seat.observation.fill(0.0);
                seat.wait();
                continue;
            }
            match self.settings.view {
                ViewKind::Legacy => legacy::observe(&self.world, i, &mut seat),
                ViewKind::Rich => rich::observe(&self.world, i, &mut seat),
            }
            if !self.acts(i) {
                seat.wait();
            }
        }
        for k in 0..self.infected_seats() {
            infected::observe(&self.world, k, &mut view.seat(SURVIVORS + k));
        }
        if let Some(seat) = self.director_seat() {
            let mut seat = view.seat(seat);
            director::observe(&self.world, &mut seat);
            if self.ruled {
                seat.wait();
            }
        }
    }

    fn step(&mut self, actions: &[u32], out: &mut Outcome) {
        let heads = actions.len() / self.spec.seats.len();
        let of = |seat: usize| &actions[seat * heads..(seat + 1) * heads];
        self.before.again(&self.world);
        self.world.begin_step();
        for i in 0..SURVIVORS {
            let intent = if self.acts(i) { self.intent(i, of(i)) } else { Intent::default() };
            self.delays[i].0.decide(self.step, intent);
        }
        if let Some(seat) = self.director_seat().filter(|_| !self.ruled) {
            self.world.obey(Order::ALL[of(seat)[0] as usize % Order::ALL.len()]);
        }
        for tick in 0..self.settings.ticks_per_step {
            let commands: [Command; SURVIVORS] = std::array::from_fn(|i| {
                let (decided, late) = &self.delays[i];
                let (intent, first) =
                    decided.due(self.step, tick, self.settings.ticks_per_step, *late);
                self.world.command(i, &intent, first)
            });
            let played: [Command; PLAYED_INFECTED] = std::array::from_fn(|k| {
                if k < self.settings.infected {
                    infected::command(&self.world, k, of(SURVIVORS + k))
                } else {
                    Command::default()
                }
            });
            self.world.tick(&commands, &played);
        }
        self.bring_infected();
        self.step += 1;
        self.reward(out);
        let limit = self.settings.limit_secs * TICKS_PER_SEC;
        *out.end = match self.world.ending {
            Some(_) => Some(End::Terminated),
            None if self.world.now >= limit => Some(End::Truncated),
            None => None,
        };
        if out.end.is_some() {
            self.finish(out);
        }
    }

    fn scripted(&self, bot: usize, seat: usize, action: &mut [u32]) {
        let dice = |salt: u64| bots::dice(self.match_seed, self.step, seat, salt);
        if seat < SURVIVORS {
            match SURVIVORS_BOTS[bot] {
                "follower" => {
                    let intent = bots::follower(&self.world, seat);
                    match self.settings.view {
                        ViewKind::Legacy => {
                            action[0] = bots::legacy_action(&intent);
                        }
                        ViewKind::Rich => rich::actions(&intent, action),
                    }
                    self.make_legal(seat, action);
                }
                "random" => self.any_legal(seat, action, dice),
                _ => action.fill(0),
            }
        } else if seat < SURVIVORS + self.infected_seats() {
            match INFECTED_BOTS[bot] {
                "hunter_like" => {
                    infected::as_the_game_does(&self.world, seat - SURVIVORS, action);
                }
                "random" => self.any_legal(seat, action, dice),
                _ => {
                    action.fill(0);
                    self.make_legal(seat, action);
                }
            }
        } else {
            match DIRECTOR_BOTS[bot] {
                "random" => self.any_legal(seat, action, dice),
                _ => action.fill(0),
            }
        }
    }

    fn frame(&self, out: &mut String) {
        crate::frame::write_with(&self.world, &self.before.since(&self.world), out);
    }

    fn scene(&self, out: &mut String) {
        crate::frame::write_scene(&self.world, out);
    }

    fn notes(&self) -> Vec<String> {
        self.terrains.iter().flat_map(|terrain| terrain.notes().to_vec()).collect()
    }

    fn step_ticks(&self) -> u32 {
        self.settings.ticks_per_step
    }

    fn step_secs(&self) -> Option<f64> {
        Some(f64::from(self.settings.ticks_per_step) * f64::from(TICK_SECS))
    }
}

impl Kind for Survivors {
    type Settings = Settings;
    const NAME: &'static str = "survivors";
    const ABOUT: &'static str =
        "Left 4 Dead 2: four survivors, infected and a director on navigation meshes";

    fn describe(settings: &Settings) -> Spec {
        let bots = |names: &[&str]| -> Vec<Bot> { names.iter().map(|&name| name.into()).collect() };
        let survivor = match settings.view {
            ViewKind::Legacy => legacy::role(),
            ViewKind::Rich => rich::role(),
        };
        let mut roles = vec![Role { bots: bots(&SURVIVORS_BOTS), ..survivor }];
        let mut seats: Vec<Seat> = (0..SURVIVORS)
            .map(|i| Seat { empty: i >= settings.survivors, ..Seat::of(0).role(SURVIVOR) })
            .collect();
        if settings.infected > 0 {
            let role = roles.len();
            roles.push(Role { bots: bots(&INFECTED_BOTS), ..infected::role() });
            seats.extend((0..settings.infected).map(|_| Seat::of(1).role(role)));
        }
        if settings.has_director_seat() {
            let role = roles.len();
            let bots = DIRECTOR_BOTS.map(|name| match name {
                "rule" => Bot::inside(name),
                other => other.into(),
            });
            roles.push(Role { bots: bots.into(), ..director::role() });
            // With the survivors: it wants them to have a good time, and wins nothing when they die.
            seats.push(Seat::of(0).role(role));
        }
        Spec {
            roles,
            seats,
            terms: terms(),
            stats: STATS.map(Stat::from).into(),
            ..Spec::default()
        }
    }

    fn matches(
        settings: Settings,
        spec: Arc<Spec>,
        count: usize,
    ) -> Result<Vec<Self>, SettingsError> {
        let terrains =
            settings.map.load().map_err(|error| SettingsError::new("map", error.to_string()))?;
        let Some(first) = terrains.first().cloned() else {
            return Err(SettingsError::new("map", "the list is empty; name at least one map"));
        };
        let one = || Self {
            spec: spec.clone(),
            settings: settings.clone(),
            terrains: terrains.clone(),
            world: World::new(first.clone(), settings.difficulty.of(0)),
            match_seed: 0,
            step: 0,
            ruled: true,
            delays: Default::default(),
            nearest: [f32::INFINITY; SURVIVORS],
            last_nearest: f32::INFINITY,
            stress_before: 0.0,
            before: Look::default(),
        };
        Ok((0..count).map(|_| one()).collect())
    }
}

impl Survivors {
    /// What a seat may do now: the masks of its heads, side by side.
    fn legal(&self, seat: usize, mask: &mut [bool]) {
        if seat >= SURVIVORS + self.infected_seats() {
            director::legal(&self.world, mask);
        } else if seat >= SURVIVORS {
            infected::legal(&self.world, seat - SURVIVORS, mask);
        } else {
            match self.settings.view {
                ViewKind::Legacy => legacy::legal(&self.world, seat, mask),
                ViewKind::Rich => rich::legal(&self.world, seat, mask),
            }
        }
    }

    /// Chooses for every head of a seat among what is legal: `choose` gets how many there are, and what
    /// would be wished for.
    fn among_legal(
        &self,
        seat: usize,
        action: &mut [u32],
        mut choose: impl FnMut(usize, usize) -> usize,
    ) {
        let role = self.spec.role_of(seat);
        let mut room = [false; MOST_ACTIONS];
        let mask = &mut room[..role.actions()];
        self.legal(seat, mask);
        let mut at = 0;
        for (head, choices) in role.heads.iter().enumerate() {
            let size = choices.actions.len();
            let allowed = |a: u32| {
                let required = |r: &lanista_game::Requirement| {
                    r.head != head || r.action != a || r.allows(action)
                };
                mask[at + a as usize] && role.requires.iter().all(required)
            };
            let legal = (0..size as u32).filter(|&a| allowed(a));
            let n = legal.clone().count().max(1);
            let wished = legal.clone().position(|a| a == action[head]).unwrap_or(0);
            let chosen = legal.clone().nth(choose(n, wished)).unwrap_or(0);
            action[head] = chosen;
            at += size;
        }
    }

    /// Any legal action, alike.
    fn any_legal(&self, seat: usize, action: &mut [u32], dice: impl Fn(u64) -> u64) {
        let mut head = 0;
        self.among_legal(seat, action, |n, _| {
            head += 1;
            (dice(head) % n as u64) as usize
        });
    }

    /// What is not offered becomes the first that is.
    fn make_legal(&self, seat: usize, action: &mut [u32]) {
        self.among_legal(seat, action, |_, wished| wished);
    }
}
