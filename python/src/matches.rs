//! Matches of a game, stepped together: the part of the environments that knows nothing of Python.
//!
//! A match is independent of its neighbours, so how many threads step them changes no bit.

use std::time::{Duration, Instant};

use lanista_game::{Answer, Batch, Buffers, Control, End, Entry, Fault, Role, Spec, seed};
use lanista_train::stack::Stack;
use rayon::prelude::*;
use serde_json::Value;

/// How long an engine outside may take for an answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// A step of all matches that takes less is not worth waking threads for.
const WORTH_THREADS: Duration = Duration::from_micros(60);
/// Episodes in which a seat never acts, one after the other, after which it is given up.
const SILENT_EPISODES: u64 = 100;
/// Matches lost one after the other after which the engine is given up.
const MOST_LOST: u32 = 20;
/// Sets the draws of random players apart from those of the game.
const RANDOM_SALT: u64 = 0x7261_6e64_6f6d_2121;

/// Who drives a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Python chooses.
    Outside,
    /// A scripted player, by its index in the role's bots.
    Bot(usize),
    /// Evenly among what is legal.
    Random,
    /// Nobody: the seat is empty.
    Nobody,
}

impl Driver {
    fn control(self) -> Control {
        match self {
            Self::Outside | Self::Random => Control::Outside,
            Self::Bot(bot) => Control::Bot(bot),
            Self::Nobody => Control::Nobody,
        }
    }
}

/// What is asked of the matches.
pub struct Plan {
    /// Who drives each seat.
    pub drivers: Vec<Driver>,
    /// `[roles][terms]`
    pub weights: Vec<Vec<f32>>,
    /// Is a step played on until a seat that is driven from outside must act? Terms add up meanwhile.
    pub until_acting: bool,
    /// Is an illegal action an error, rather than replaced by the first legal one of its head?
    pub strict: bool,
}

/// Many matches of a game.
pub struct Matches {
    plan: Plan,
    spec: Spec,
    outside: Vec<usize>,
    shards: Vec<Shard>,
    pool: Option<rayon::ThreadPool>,
    /// How long a step of all matches takes one thread.
    effort: Duration,
}

/// Where what the matches show is written: one of them for every seat that is driven from outside.
pub struct SeatOut<'a> {
    /// `[matches, features]`
    pub observation: &'a mut [f32],
    /// `[matches, privileged]`
    pub privileged: &'a mut [f32],
    /// `[matches, actions]`
    pub mask: &'a mut [bool],
    /// `[matches, pair values]`
    pub forbidden: &'a mut [bool],
    /// `[matches]`
    pub acting: &'a mut [bool],
    /// `[matches, terms]`
    pub terms: &'a mut [f32],
    /// `[matches]`
    pub reward: &'a mut [f64],
    /// `[matches]`: was its action illegal, and replaced?
    pub replaced: &'a mut [bool],
}

/// What is told of whole matches.
pub struct MatchOut<'a> {
    /// `[matches]`
    pub terminated: &'a mut [bool],
    /// `[matches]`
    pub truncated: &'a mut [bool],
    /// `[matches]`: did an engine outside lose it? It counts as truncated.
    pub lost: &'a mut [bool],
    /// `[matches]`: the seed of the episode.
    pub seed: &'a mut [u64],
    /// `[matches, teams]`
    pub score: &'a mut [f32],
    /// `[matches, stat values]`
    pub stats: &'a mut [f32],
}

/// Everything that a call writes.
pub struct Out<'a> {
    /// In the order of the seats that are driven from outside.
    pub seats: Vec<SeatOut<'a>>,
    /// Of whole matches.
    pub matches: MatchOut<'a>,
}

/// A match that cannot go on, or an action that cannot be.
#[derive(Debug)]
pub enum Trouble {
    /// The game failed.
    Fault(String),
    /// An action that there is not, or that is illegal where that is refused.
    Action(String),
}

/// What is asked of a match at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Leave it as it is.
    Nothing,
    /// Play a step.
    Step,
    /// Begin episode `.1` of the matches that follow from seed `.0`.
    Start(u64, u64),
}

impl Matches {
    /// Builds the matches.
    pub fn new(
        entry: &Entry,
        settings: &Value,
        stack: &Stack,
        count: usize,
        threads: usize,
        plan: Plan,
    ) -> Result<Self, lanista_game::SettingsError> {
        let mut parts = threads.clamp(1, count);
        let mut shards = Vec::new();
        while shards.len() < parts {
            let (at, last) = (shards.len() * count / parts, (shards.len() + 1) * count / parts);
            let batch = stack.over(entry.build(settings, last - at)?);
            if batch.waits() && parts > 1 {
                // An engine outside has threads of its own, and answers many at once.
                (parts, shards) = (1, Vec::new());
                continue;
            }
            shards.push(Shard::new(batch, at));
        }
        let spec = shards[0].batch.spec().clone();
        let is_outside = |&seat: &usize| plan.drivers[seat] == Driver::Outside;
        let outside = (0..spec.seats.len()).filter(is_outside).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(parts);
        let pool = if parts > 1 { pool.build().ok() } else { None };
        Ok(Self { plan, spec, outside, shards, pool, effort: Duration::ZERO })
    }

    /// What the game is made of.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// The seats that are driven from outside.
    pub fn outside(&self) -> &[usize] {
        &self.outside
    }

    /// The picture of a match, as JSON.
    pub fn frame(&self, m: usize) -> String {
        let mut frame = String::new();
        if let Some(shard) = self.shards.iter().rfind(|shard| shard.first <= m) {
            shard.batch.frame(m - shard.first, &mut frame);
        }
        frame
    }

    /// Remarks that a user should read.
    pub fn notes(&self) -> Vec<String> {
        self.shards[0].batch.notes()
    }

    /// Does what is asked of every match. `actions` are `[outside seats][matches, heads of the seat]`.
    pub fn play(
        &mut self,
        orders: &[Order],
        actions: &[&[i64]],
        out: Out<'_>,
    ) -> Result<(), Trouble> {
        let begun = Instant::now();
        let sizes: Vec<usize> = self.shards.iter().map(|s| s.batch.matches()).collect();
        let parts = split(out, &sizes);
        let (plan, outside, spec) = (&self.plan, &self.outside[..], &self.spec);
        let task = |(shard, mut out): (&mut Shard, Out<'_>)| {
            let range = shard.first..shard.first + shard.batch.matches();
            shard.play(plan, spec, outside, &orders[range], actions, &mut out)
        };
        let shards = self.shards.len() as u32;
        match &self.pool {
            Some(pool) if self.effort > WORTH_THREADS => {
                let result = pool.install(|| {
                    self.shards.par_iter_mut().zip(parts).map(task).collect::<Result<(), _>>()
                });
                self.effort = renewed(self.effort, begun.elapsed() * shards);
                result
            }
            _ => {
                let result = self.shards.iter_mut().zip(parts).try_for_each(task);
                self.effort = renewed(self.effort, begun.elapsed());
                result
            }
        }
    }
}

/// How long a step takes, given that one took so long. A clock counts whatever else the machine does
/// meanwhile, so it is believed at once when it says less, and little by little when it says more.
fn renewed(effort: Duration, measured: Duration) -> Duration {
    measured.min(effort + effort / 8 + Duration::from_micros(1))
}

/// Cuts what is written into the parts of the shards.
fn split<'a>(out: Out<'a>, sizes: &[usize]) -> Vec<Out<'a>> {
    fn cut<'a, T>(rest: &mut &'a mut [T], part: usize, of: usize) -> &'a mut [T] {
        let whole = std::mem::take(rest);
        let width = whole.len().checked_div(of).unwrap_or(0);
        let (head, tail) = whole.split_at_mut(part * width);
        *rest = tail;
        head
    }
    let Out { mut seats, mut matches } = out;
    let mut left: usize = sizes.iter().sum();
    let mut parts = Vec::with_capacity(sizes.len());
    for &size in sizes {
        let seat = |s: &mut SeatOut<'a>| SeatOut {
            observation: cut(&mut s.observation, size, left),
            privileged: cut(&mut s.privileged, size, left),
            mask: cut(&mut s.mask, size, left),
            forbidden: cut(&mut s.forbidden, size, left),
            acting: cut(&mut s.acting, size, left),
            terms: cut(&mut s.terms, size, left),
            reward: cut(&mut s.reward, size, left),
            replaced: cut(&mut s.replaced, size, left),
        };
        let m = &mut matches;
        parts.push(Out {
            seats: seats.iter_mut().map(seat).collect(),
            matches: MatchOut {
                terminated: cut(&mut m.terminated, size, left),
                truncated: cut(&mut m.truncated, size, left),
                lost: cut(&mut m.lost, size, left),
                seed: cut(&mut m.seed, size, left),
                score: cut(&mut m.score, size, left),
                stats: cut(&mut m.stats, size, left),
            },
        });
        left -= size;
    }
    parts
}

/// Some of the matches, for one thread.
struct Shard {
    first: usize,
    batch: Box<dyn Batch>,
    buffers: Buffers,
    /// `[matches, seats, heads]`
    actions: Vec<u32>,
    /// `[matches]`
    episodes: Vec<Episode>,
    which: Vec<usize>,
    answers: Vec<Answer>,
    lost_in_a_row: u32,
}

/// Where a match stands.
#[derive(Clone, Copy, Default)]
struct Episode {
    /// What the matches follow from, and the number of this one's episode.
    of: (u64, u64),
    seed: u64,
    step: u64,
    running: bool,
}

impl Shard {
    fn new(batch: Box<dyn Batch>, first: usize) -> Self {
        let count = batch.matches();
        let buffers = Buffers::new(batch.spec(), count);
        let layout = buffers.layout();
        let actions = vec![0; count * layout.seats() * layout.heads];
        let episodes = vec![Episode::default(); count];
        let (which, answers) = (Vec::with_capacity(count), Vec::new());
        Self { first, batch, buffers, actions, episodes, which, answers, lost_in_a_row: 0 }
    }

    fn play(
        &mut self,
        plan: &Plan,
        spec: &Spec,
        outside: &[usize],
        orders: &[Order],
        actions: &[&[i64]],
        out: &mut Out<'_>,
    ) -> Result<(), Trouble> {
        let controls: Vec<Control> = plan.drivers.iter().map(|d| d.control()).collect();
        let mut which = std::mem::take(&mut self.which);
        which.clear();
        for (m, &order) in orders.iter().enumerate() {
            match order {
                Order::Nothing => continue,
                Order::Start(run, episode) => self.start(m, (run, episode), &controls)?,
                Order::Step if !self.episodes[m].running => continue,
                Order::Step => {
                    self.read(m, plan, spec, outside, actions, out)?;
                    which.push(m);
                }
            }
            begin(out, m);
            out.matches.seed[m] = self.episodes[m].seed;
        }
        if self.batch.waits() {
            let starting = (0..orders.len()).filter(|&m| matches!(orders[m], Order::Start(..)));
            let starting: Vec<usize> = starting.collect();
            self.collect(&starting, out)?;
            if let Some(m) = starting.into_iter().find(|&m| out.matches.lost[m]) {
                return Err(self.lost_at_start(m));
            }
        }
        if plan.until_acting {
            let silent = |(m, order): (usize, &Order)| {
                (matches!(order, Order::Start(..)) && !self.acts(m, outside)).then_some(m)
            };
            which.extend(orders.iter().enumerate().filter_map(silent).collect::<Vec<_>>());
        }
        while !which.is_empty() {
            self.script(&which, plan, spec)?;
            self.batch
                .submit(&which, &self.actions, &mut self.buffers)
                .map_err(|f| self.fault(f))?;
            self.collect(&which, out)?;
            which.retain(|&m| {
                self.settle(m, plan, spec, outside, out);
                plan.until_acting && self.episodes[m].running && !self.acts(m, outside)
            });
            if plan.until_acting {
                self.begin_silent_anew(orders, outside, &controls, out, &mut which)?;
            }
        }
        self.which = which;
        let asked = orders.iter().enumerate().filter(|(_, order)| **order != Order::Nothing);
        asked.for_each(|(m, _)| self.show(m, outside, out));
        Ok(())
    }

    /// A match that was to start and ended before anybody from outside could act starts once more.
    fn begin_silent_anew(
        &mut self,
        orders: &[Order],
        outside: &[usize],
        controls: &[Control],
        out: &mut Out<'_>,
        which: &mut Vec<usize>,
    ) -> Result<(), Trouble> {
        for (m, order) in orders.iter().enumerate() {
            let Order::Start(run, first) = *order else { continue };
            if self.episodes[m].running {
                continue;
            }
            let next = self.episodes[m].of.1 + 1;
            if next - first > SILENT_EPISODES {
                let seats = outside.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                let text = format!("in {SILENT_EPISODES} matches seat {seats} never had to act");
                return Err(Trouble::Fault(text));
            }
            self.start(m, (run, next), controls)?;
            begin(out, m);
            out.matches.seed[m] = self.episodes[m].seed;
            if self.batch.waits() {
                self.collect(&[m], out)?;
                if out.matches.lost[m] {
                    return Err(self.lost_at_start(m));
                }
            }
            if !self.acts(m, outside) {
                which.push(m);
            }
        }
        Ok(())
    }

    fn start(&mut self, m: usize, of: (u64, u64), controls: &[Control]) -> Result<(), Trouble> {
        let seed = seed::episode(of.0, self.first + m, of.1);
        self.episodes[m] = Episode { of, seed, step: 0, running: true };
        self.buffers.end[m] = None;
        let started = self.batch.start(m, seed, controls, &mut self.buffers);
        started.map_err(|f| self.fault(f))
    }

    /// Takes over what Python has chosen.
    fn read(
        &mut self,
        m: usize,
        plan: &Plan,
        spec: &Spec,
        outside: &[usize],
        actions: &[&[i64]],
        out: &mut Out<'_>,
    ) -> Result<(), Trouble> {
        let layout = self.buffers.layout();
        let (seats, heads) = (layout.seats(), layout.heads);
        for (i, &seat) in outside.iter().enumerate() {
            let (row, role) = (m * seats + seat, spec.role_of(seat));
            out.seats[i].replaced[m] = false;
            if !self.buffers.acting[row] {
                continue;
            }
            let own = layout.seat(seat);
            let at = (self.first + m) * own.heads;
            let chosen = &actions[i][at..at + own.heads];
            let action = &mut self.actions[row * heads..row * heads + own.heads];
            for (h, (&choice, head)) in chosen.iter().zip(&role.heads).enumerate() {
                let known = head.actions.len();
                let number = u32::try_from(choice).ok().filter(|&c| (c as usize) < known);
                action[h] = number.ok_or_else(|| {
                    let (place, name) = (self.first + m, &head.name);
                    Trouble::Action(format!(
                        "match {place}, seat {seat}: head `{name}` has no action {choice}; they \
                         are 0 to {}",
                        known - 1
                    ))
                })?;
            }
            let mask = &self.buffers.mask[row * layout.actions..][..own.actions];
            let forbidden = &self.buffers.forbidden[row * layout.pair_values..][..own.pair_values];
            let asked: Option<Vec<u32>> = plan.strict.then(|| action.to_vec());
            if !mend(role, mask, forbidden, action) {
                continue;
            }
            if let Some(asked) = asked {
                let place = self.first + m;
                return Err(Trouble::Action(format!(
                    "match {place}, seat {seat}: action {asked:?} is not legal now; choose by \
                     info[\"action_mask\"], or let illegal=\"replace\" replace it"
                )));
            }
            out.seats[i].replaced[m] = true;
        }
        Ok(())
    }

    /// Lets scripted and random players choose.
    fn script(&mut self, which: &[usize], plan: &Plan, spec: &Spec) -> Result<(), Trouble> {
        let (seats, heads) = (self.buffers.layout().seats(), self.buffers.layout().heads);
        for &m in which {
            for seat in 0..seats {
                let row = m * seats + seat;
                if !self.buffers.acting[row] {
                    continue;
                }
                let layout = self.buffers.layout();
                let own = layout.seat(seat);
                let at = row * heads;
                match plan.drivers[seat] {
                    Driver::Outside | Driver::Nobody => {}
                    Driver::Bot(bot) => {
                        let action = &mut self.actions[at..at + own.heads];
                        let asked = self.batch.scripted(m, bot, seat, action);
                        asked.map_err(|f| self.fault(f))?;
                    }
                    Driver::Random => {
                        let mask = &self.buffers.mask[row * layout.actions..][..own.actions];
                        let forbidden =
                            &self.buffers.forbidden[row * layout.pair_values..][..own.pair_values];
                        let Episode { seed, step, .. } = self.episodes[m];
                        let step = seed::mix(seed ^ RANDOM_SALT, step);
                        let mut dice = seed::rng(seed::mix(step, seat as u64));
                        let action = &mut self.actions[at..at + own.heads];
                        spec.role_of(seat).draw(mask, forbidden, &mut dice, action);
                    }
                }
            }
        }
        Ok(())
    }

    /// Waits for the answers of an engine outside. A match that is lost ends there.
    fn collect(&mut self, which: &[usize], out: &mut Out<'_>) -> Result<(), Trouble> {
        if !self.batch.waits() {
            return Ok(());
        }
        let mut open: Vec<usize> = which.to_vec();
        let mut answers = std::mem::take(&mut self.answers);
        while !open.is_empty() {
            answers.clear();
            let collected = self.batch.collect(PATIENCE, &mut self.buffers, &mut answers);
            collected.map_err(|f| self.fault(f))?;
            if answers.is_empty() {
                let text = format!("no answer within {} seconds", PATIENCE.as_secs());
                open.iter().for_each(|&m| self.batch.abandon(m));
                answers.extend(open.iter().map(|&m| Answer::Lost(m, text.clone())));
            }
            for answer in answers.drain(..) {
                match answer {
                    Answer::Ready(m) => {
                        open.retain(|&other| other != m);
                        self.lost_in_a_row = 0;
                    }
                    Answer::Lost(m, why) => {
                        open.retain(|&other| other != m);
                        self.episodes[m].running = false;
                        (out.matches.truncated[m], out.matches.lost[m]) = (true, true);
                        self.lost_in_a_row += 1;
                        if self.lost_in_a_row > MOST_LOST {
                            let text = format!("{MOST_LOST} matches were lost in a row: {why}");
                            return Err(Trouble::Fault(text));
                        }
                    }
                }
            }
        }
        self.answers = answers;
        Ok(())
    }

    /// Adds up what a step brought.
    fn settle(&mut self, m: usize, plan: &Plan, spec: &Spec, outside: &[usize], out: &mut Out<'_>) {
        if out.matches.lost[m] {
            return;
        }
        self.episodes[m].step += 1;
        let layout = self.buffers.layout();
        let (seats, terms) = (layout.seats(), layout.terms);
        for (&seat, to) in outside.iter().zip(&mut out.seats) {
            let earned = &self.buffers.terms[(m * seats + seat) * terms..][..terms];
            let weights = &plan.weights[spec.seats[seat].role];
            let sum = &mut to.terms[m * terms..(m + 1) * terms];
            let mut reward = 0.0;
            for ((sum, &term), &weight) in sum.iter_mut().zip(earned).zip(weights) {
                *sum += term;
                reward += f64::from(term) * f64::from(weight);
            }
            to.reward[m] += reward;
        }
        let Some(end) = self.buffers.end[m] else { return };
        self.episodes[m].running = false;
        out.matches.terminated[m] = end == End::Terminated;
        out.matches.truncated[m] = end == End::Truncated;
        let (teams, stats) = (layout.teams, layout.stats);
        out.matches.score[m * teams..(m + 1) * teams]
            .copy_from_slice(&self.buffers.score[m * teams..(m + 1) * teams]);
        out.matches.stats[m * stats..(m + 1) * stats]
            .copy_from_slice(&self.buffers.stats[m * stats..(m + 1) * stats]);
    }

    /// Writes what the seats see.
    fn show(&self, m: usize, outside: &[usize], out: &mut Out<'_>) {
        fn row<T: Copy>(to: &mut [T], m: usize, own: usize, from: &[T], at: usize, width: usize) {
            to[m * own..(m + 1) * own].copy_from_slice(&from[at * width..at * width + own]);
        }
        let (b, layout) = (&self.buffers, self.buffers.layout());
        for (&seat, to) in outside.iter().zip(&mut out.seats) {
            let (at, own) = (m * layout.seats() + seat, layout.seat(seat));
            row(to.observation, m, own.features, &b.observation, at, layout.features);
            row(to.privileged, m, own.privileged, &b.privileged, at, layout.privileged);
            row(to.mask, m, own.actions, &b.mask, at, layout.actions);
            row(to.forbidden, m, own.pair_values, &b.forbidden, at, layout.pair_values);
            to.acting[m] = b.acting[at] && self.episodes[m].running;
        }
    }

    /// Must a seat that is driven from outside act?
    fn acts(&self, m: usize, outside: &[usize]) -> bool {
        let seats = self.buffers.layout().seats();
        outside.iter().any(|seat| self.buffers.acting[m * seats + seat])
    }

    fn lost_at_start(&self, m: usize) -> Trouble {
        let message = "its engine lost it as it began".to_owned();
        self.fault(Fault { match_index: m, message })
    }

    fn fault(&self, fault: Fault) -> Trouble {
        let Episode { seed, step, .. } = self.episodes[fault.match_index];
        let place = self.first + fault.match_index;
        Trouble::Fault(format!("match {place}, seed {seed}, step {step}: {}", fault.message))
    }
}

/// Forgets what the call before has told of a match.
fn begin(out: &mut Out<'_>, m: usize) {
    let matches = &mut out.matches;
    (matches.terminated[m], matches.truncated[m], matches.lost[m]) = (false, false, false);
    let count = matches.terminated.len();
    for seat in &mut out.seats {
        let terms = seat.terms.len() / count;
        seat.terms[m * terms..(m + 1) * terms].fill(0.0);
        seat.reward[m] = 0.0;
    }
}

/// Replaces choices that are not legal by the first legal one of their head, head by head. Was there any?
fn mend(role: &Role, mask: &[bool], forbidden: &[bool], action: &mut [u32]) -> bool {
    let mut mended = false;
    for (head, spec) in role.heads.iter().enumerate() {
        if role.legal(head, action[head], action, mask, forbidden) {
            continue;
        }
        let mut all = 0..spec.actions.len() as u32;
        let legal = all.find(|&choice| role.legal(head, choice, action, mask, forbidden));
        let choice = legal.unwrap_or(0);
        mended |= action[head] != choice;
        action[head] = choice;
    }
    mended
}
