//! The learner's end: who holds which shards, what each worker knows already, and what to do when one is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::answer::{self, Answer, Played};
use super::error::Unreadable;
use super::order::{EVALUATION, Order, RolloutOrder, ShardOrder, Work};
use super::transport::{Event, Transport};
use super::{rollouts, rosters, standings};
use crate::collect::Now;
use crate::config::RunConfig;
use crate::error::{RemoteError, TrainError};
use crate::player::{Policies, Roster};
use crate::seating::Guests;
use crate::shard::{MatchFault, Shard};

/// Workers that may be lost in a row, without an answer in between.
const MOST_LOST: u32 = 50;

/// How the learner and its workers keep step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The learner waits for every worker, and workers for the learner: the bits of a run on one machine.
    #[default]
    Sync,
    /// Workers play on while the learner learns, and it learns as soon as half of them have answered. What it
    /// learns from was played with weights that are at most so many updates old.
    Async {
        /// How many updates.
        max_lag: u64,
    },
}

/// Who of the workers does something else than playing for the main agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crew {
    /// So many play for exploiters alone. With none, exploiters have the workers of the main agent, and wait
    /// behind what those play.
    pub exploiters: usize,
    /// So many play evaluations alone. With none, the learner's own threads do.
    pub evaluators: usize,
}

/// What the workers of a learner cost and how far behind they are, over one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Traffic {
    /// Bytes of orders to all workers.
    pub orders: u64,
    /// Bytes of parcels, each counted once however many workers need it.
    pub parcels: u64,
    /// Bytes of answers.
    pub answers: u64,
    /// Workers that were lost.
    pub lost: u64,
    /// How many updates the weights were behind that samples were played with, in the mean.
    pub lag_mean: f64,
    /// And at most.
    pub lag_max: u64,
}

/// What is to be played.
pub(crate) struct Task<'a> {
    /// 0 for the main agent, then the exploiters.
    pub agent: u64,
    /// Updates so far.
    pub version: u64,
    pub policies: Policies<'a>,
    pub config: &'a RunConfig,
    pub now: &'a Now<'a>,
}

/// The workers of a run, as its learner sees them.
pub struct Workers {
    transport: Box<dyn Transport>,
    mode: Mode,
    crew: Crew,
    /// `[workers]`
    held: Vec<Held>,
    /// `[workers]`: orders that have not been answered, oldest first.
    pub(super) open: Vec<Vec<Sent>>,
    /// Answers for other agents than the one that was waited for.
    pub(super) early: Vec<(usize, Vec<u8>)>,
    parcels: Parcels,
    /// What each agent runs on, and how often that has changed.
    configs: BTreeMap<u64, (RunConfig, u64)>,
    orders: u64,
    lost_in_a_row: u32,
    traffic: Traffic,
}

/// What a worker has.
#[derive(Clone, Default)]
struct Held {
    parcels: BTreeSet<u64>,
    configs: BTreeMap<u64, u64>,
    shards: BTreeSet<(u64, usize)>,
}

/// An order on its way.
pub(super) struct Sent {
    pub number: u64,
    pub agent: u64,
    version: u64,
}

/// Policies that have been made known to workers.
#[derive(Default)]
struct Parcels {
    next: u64,
    /// Those of guests, who do not change.
    guests: BTreeMap<u64, Arc<Roster>>,
    /// By agent: what its latest orders name.
    in_use: BTreeMap<u64, BTreeSet<u64>>,
}

/// The parcels of an order.
#[derive(Clone)]
pub(super) struct Named {
    policies: u64,
    guests: Vec<(u64, u64)>,
}

/// What an answer led to.
pub(super) enum Heard {
    /// It was taken over.
    Played(Option<MatchFault>),
    /// It has to be played again.
    Again,
    /// It was about something else.
    Nothing,
}

impl Workers {
    /// The workers behind a transport, who know nothing yet.
    pub fn new(transport: Box<dyn Transport>, mode: Mode) -> Self {
        let count = transport.workers().max(1);
        Self {
            transport,
            mode,
            crew: Crew::default(),
            held: vec![Held::default(); count],
            open: (0..count).map(|_| Vec::new()).collect(),
            early: Vec::new(),
            parcels: Parcels::default(),
            configs: BTreeMap::new(),
            orders: 0,
            lost_in_a_row: 0,
            traffic: Traffic::default(),
        }
    }

    /// Gives some of them other work, beginning with the last. At least one has to be left for the main agent.
    pub fn with_crew(mut self, crew: Crew) -> Result<Self, RemoteError> {
        let others = crew.exploiters.saturating_add(crew.evaluators);
        if others >= self.count() {
            return Err(RemoteError::NobodyPlays { workers: self.count(), others });
        }
        self.crew = crew;
        Ok(self)
    }

    /// Do some of them play evaluations?
    pub(crate) fn evaluate(&self) -> bool {
        self.crew.evaluators > 0
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.held.len()
    }

    /// How they keep step.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// What they have cost since this was last asked.
    pub(crate) fn take_traffic(&mut self) -> Traffic {
        std::mem::take(&mut self.traffic)
    }

    /// The workers of an agent, or of evaluations.
    pub(super) fn team(&self, agent: u64) -> Range<usize> {
        let Crew { exploiters, evaluators } = self.crew;
        let players = self.count() - exploiters - evaluators;
        match agent {
            EVALUATION => players + exploiters..self.count(),
            1.. if exploiters > 0 => players..players + exploiters,
            _ => 0..players,
        }
    }

    /// Which of the shards of an agent, or of the parts of an evaluation, a worker plays.
    pub(super) fn share(&self, worker: usize, agent: u64, shards: usize) -> Range<usize> {
        let team = self.team(agent);
        if !team.contains(&worker) {
            return 0..0;
        }
        let (at, count) = (worker - team.start, team.len());
        shards * at / count..shards * (at + 1) / count
    }

    /// Lets the shards of an agent be played for an iteration, and takes over what came of it. A shard that
    /// has nothing new has an empty rollout afterwards.
    pub(crate) fn collect(&mut self, task: &Task, shards: &mut [Shard]) -> Result<(), TrainError> {
        let max_lag = match self.mode {
            Mode::Async { max_lag } if task.agent == 0 => max_lag,
            _ => 0,
        };
        for shard in shards.iter_mut() {
            shard.begin(task.now.share_done);
        }
        let guests = shards.first().map(|shard| shard.guests.clone()).unwrap_or_default();
        let named = self.publish(task.agent, task.policies, &guests)?;
        let players: Vec<usize> = (0..self.count())
            .filter(|&w| !self.share(w, task.agent, shards.len()).is_empty())
            .collect();
        for &worker in &players {
            if !self.is_open(worker, task.agent) {
                self.send(worker, task, &named, shards)?;
            }
        }
        let mut fault: Option<MatchFault> = None;
        let (mut answered, mut samples) = (BTreeSet::new(), (0u64, 0u64));
        loop {
            let enough = self.is_enough(&players, &answered, task, max_lag);
            if enough && max_lag == 0 {
                break;
            }
            let Some(event) = self.next(task.agent, !enough)? else { break };
            let worker = match &event {
                Event::Answer { worker, .. } | Event::Lost { worker, .. } => *worker,
            };
            let version = self.version(worker, task.agent);
            match self.hear(event, task, shards)? {
                Heard::Played(found) => {
                    answered.insert(worker);
                    let lag = task.version.saturating_sub(version.unwrap_or(task.version));
                    let own = &shards[self.share(worker, task.agent, shards.len())];
                    let new = own.iter().map(|shard| shard.samples() as u64).sum::<u64>();
                    samples = (samples.0 + new, samples.1 + new * lag);
                    self.traffic.lag_max = self.traffic.lag_max.max(lag);
                    let first = |f: &MatchFault| f.match_index;
                    fault = fault.into_iter().chain(found).min_by_key(first);
                }
                Heard::Again => self.send(worker, task, &named, shards)?,
                Heard::Nothing => {}
            }
        }
        if samples.0 > 0 {
            self.traffic.lag_mean = samples.1 as f64 / samples.0 as f64;
        }
        match fault {
            Some(fault) => return Err(fault.into()),
            None if max_lag == 0 => {}
            None => {
                // They play on while the learner learns, with the weights of now.
                for worker in answered {
                    self.send(worker, task, &named, shards)?;
                }
            }
        }
        Ok(())
    }

    /// Can the learner learn now?
    fn is_enough(
        &self,
        players: &[usize],
        answered: &BTreeSet<usize>,
        task: &Task,
        max_lag: u64,
    ) -> bool {
        if max_lag == 0 {
            return answered.len() == players.len();
        }
        // What is left open now is learnt from in the next iteration at the earliest.
        let too_old =
            |sent: &Sent| sent.agent == task.agent && sent.version + max_lag < task.version + 1;
        answered.len() >= players.len().div_ceil(2) && !self.open.iter().flatten().any(too_old)
    }

    fn is_open(&self, worker: usize, agent: u64) -> bool {
        self.version(worker, agent).is_some()
    }

    /// The version with which a worker plays for an agent now.
    fn version(&self, worker: usize, agent: u64) -> Option<u64> {
        self.open[worker].iter().find(|sent| sent.agent == agent).map(|sent| sent.version)
    }

    /// The next thing that happened: one that came early, or one that is waited for.
    pub(super) fn next(&mut self, agent: u64, wait: bool) -> Result<Option<Event>, TrainError> {
        let mine = |(_, bytes): &(usize, Vec<u8>)| {
            answer::read_head(bytes).is_ok_and(|(head, _)| head.agent == agent)
        };
        if let Some(at) = self.early.iter().position(mine) {
            let (worker, bytes) = self.early.remove(at);
            return Ok(Some(Event::Answer { worker, bytes }));
        }
        let event = self.transport.receive(wait).map_err(RemoteError::from)?;
        if let Some(Event::Answer { bytes, .. }) = &event {
            self.traffic.answers += bytes.len() as u64;
        }
        Ok(event)
    }

    /// Takes over what happened.
    fn hear(
        &mut self,
        event: Event,
        task: &Task,
        shards: &mut [Shard],
    ) -> Result<Heard, TrainError> {
        let (worker, bytes) = match event {
            Event::Lost { worker, why } => return self.lose(worker, why, task.agent),
            Event::Answer { worker, bytes } => (worker, bytes),
        };
        if worker >= self.count() {
            return Ok(Heard::Nothing);
        }
        let unreadable = |error: Unreadable| format!("its answer cannot be read: {}", error.0);
        let (head, rest) = match answer::read_head(&bytes) {
            Ok(read) => read,
            Err(error) => return self.lose(worker, unreadable(error), task.agent),
        };
        let known = self.open[worker].iter().position(|sent| sent.number == head.number);
        match known {
            _ if head.number == 0 => {} // an order that could not even be read
            Some(_) if head.agent != task.agent => {
                self.early.push((worker, bytes));
                return Ok(Heard::Nothing);
            }
            Some(at) => drop(self.open[worker].remove(at)),
            None => return Ok(Heard::Nothing), // of one that was lost before
        }
        let Some(spec) = shards.first().map(|shard| shard.spec().clone()) else {
            return Ok(Heard::Nothing);
        };
        let share = self.share(worker, task.agent, shards.len());
        let read = answer::read(rest, shards, &spec);
        match read {
            Ok(Answer::Played(played)) => {
                if !played.shards.iter().map(|(index, _)| *index).eq(share.clone()) {
                    let why = "it answered for other shards than its own".into();
                    return self.lose(worker, why, task.agent);
                }
                self.answered();
                if shards[share].iter().any(|shard| shard.moved) {
                    // They were put elsewhere meanwhile: what was played is of no use.
                    return Ok(Heard::Again);
                }
                let fault = played.fault.clone();
                match take_over(played, task, shards) {
                    Ok(()) => Ok(Heard::Played(fault)),
                    Err(error) => self.lose(worker, unreadable(error), task.agent),
                }
            }
            Ok(Answer::Forgotten) => {
                let why = "it does not know what it played before".into();
                self.lose(worker, why, task.agent).map(|_| Heard::Again)
            }
            Ok(Answer::Failed(problem)) => Err(RemoteError::Worker { worker, problem }.into()),
            Err(error) => self.lose(worker, unreadable(error), task.agent).map(|_| Heard::Again),
        }
    }

    /// Somebody answered as it should.
    pub(super) fn answered(&mut self) {
        self.lost_in_a_row = 0;
    }

    /// A worker is lost: whoever has its number now knows nothing.
    pub(super) fn lose(
        &mut self,
        worker: usize,
        why: String,
        agent: u64,
    ) -> Result<Heard, TrainError> {
        if worker >= self.count() {
            return Ok(Heard::Nothing);
        }
        self.traffic.lost += 1;
        self.lost_in_a_row += 1;
        self.held[worker] = Held::default();
        // What it has answered for others is as good as ever.
        let early = |number: u64| {
            let of = |bytes: &[u8]| answer::read_head(bytes).map(|(head, _)| head.number);
            self.early.iter().any(|(_, bytes)| of(bytes) == Ok(number))
        };
        let again = self.open[worker].iter().any(|sent| sent.agent == agent);
        let kept = std::mem::take(&mut self.open[worker]);
        self.open[worker] = kept.into_iter().filter(|sent| early(sent.number)).collect();
        if self.lost_in_a_row > MOST_LOST {
            let count = self.lost_in_a_row;
            return Err(RemoteError::Lost { count, worker, why }.into());
        }
        Ok(if again { Heard::Again } else { Heard::Nothing })
    }

    /// Makes the policies of an agent known, and forgets those that are of no more use.
    pub(super) fn publish(
        &mut self,
        agent: u64,
        policies: Policies,
        met: &Guests,
    ) -> Result<Named, TrainError> {
        let own = self.parcel(rosters::to_bytes(policies))?;
        let mut guests = Vec::new();
        for (&guest, roster) in &met.policies {
            let known = self.parcels.guests.iter().find(|(_, known)| Arc::ptr_eq(known, roster));
            let parcel = match known {
                Some((parcel, _)) => *parcel,
                None => {
                    let parcel = self.parcel(rosters::to_bytes(&roster.all()))?;
                    self.parcels.guests.insert(parcel, roster.clone());
                    parcel
                }
            };
            guests.push((guest, parcel));
        }
        let named: BTreeSet<u64> = guests.iter().map(|(_, parcel)| *parcel).chain([own]).collect();
        let before = self.parcels.in_use.insert(agent, named).unwrap_or_default();
        for parcel in before {
            if !self.parcels.in_use.values().any(|named| named.contains(&parcel)) {
                self.transport.withdraw(parcel);
                self.parcels.guests.remove(&parcel);
                for held in &mut self.held {
                    held.parcels.remove(&parcel);
                }
            }
        }
        Ok(Named { policies: own, guests })
    }

    fn parcel(&mut self, bytes: Vec<u8>) -> Result<u64, TrainError> {
        self.parcels.next += 1;
        self.traffic.parcels += bytes.len() as u64;
        self.transport.publish(self.parcels.next, bytes).map_err(RemoteError::from)?;
        Ok(self.parcels.next)
    }

    /// Sends a worker what it is to play.
    fn send(
        &mut self,
        worker: usize,
        task: &Task,
        named: &Named,
        shards: &mut [Shard],
    ) -> Result<(), TrainError> {
        let share = self.share(worker, task.agent, shards.len());
        let Some(first) = shards.get(share.start) else { return Ok(()) };
        let (seating, past) = (first.seating.clone(), first.guests.past.clone());
        let held = &mut self.held[worker];
        let mut orders = Vec::new();
        for index in share {
            let shard = &mut shards[index];
            let is_there = !held.shards.insert((task.agent, index)) && !shard.moved;
            if !is_there && !shard.moved && !shard.replays() {
                // Nobody can say where these were: they start anew, as at a checkpoint.
                shard.cut_all()?;
            }
            let standings = (!is_there).then(|| standings::to_bytes(shard, None));
            shard.moved = false;
            let (hand, keep_every) = (shard.hand, shard.keep_every);
            orders.push(ShardOrder { index, hand, keep_every, standings });
        }
        let work = Work::Rollouts(RolloutOrder {
            past,
            seating,
            share_done: task.now.share_done,
            weights: task.now.weights.to_vec(),
            sequences: task.now.sequences.to_vec(),
            shards: orders,
        });
        let Task { agent, version, config, .. } = *task;
        self.dispatch(worker, (agent, version), config, named, work)
    }

    /// Sends a worker an order, with all that it does not know yet.
    pub(super) fn dispatch(
        &mut self,
        worker: usize,
        (agent, version): (u64, u64),
        config: &RunConfig,
        named: &Named,
        work: Work,
    ) -> Result<(), TrainError> {
        let known = self.configs.get(&agent);
        let revision = match known {
            Some((known, revision)) if known == config => *revision,
            _ => {
                let revision = known.map_or(1, |(_, revision)| revision + 1);
                self.configs.insert(agent, (config.clone(), revision));
                revision
            }
        };
        let held = &mut self.held[worker];
        let told = held.configs.insert(agent, revision) == Some(revision);
        let wanted = named.guests.iter().map(|(_, parcel)| *parcel).chain([named.policies]);
        let missing: Vec<u64> = wanted.filter(|parcel| held.parcels.insert(*parcel)).collect();
        self.orders += 1;
        let order = Order {
            number: self.orders,
            agent,
            config: (!told).then(|| Box::new(config.clone())),
            policies: named.policies,
            guests: named.guests.clone(),
            kept_parcels: held.parcels.iter().copied().collect(),
            work,
        };
        let bytes = order.to_bytes();
        self.traffic.orders += bytes.len() as u64;
        self.open[worker].push(Sent { number: order.number, agent, version });
        self.transport.send(worker, bytes, &missing).map_err(RemoteError::from)?;
        Ok(())
    }
}

/// Takes over what came of an order; nothing of it if any of it does not fit.
fn take_over(played: Played, task: &Task, shards: &mut [Shard]) -> Result<(), Unreadable> {
    let mut rest = Vec::new();
    let indices: Vec<usize> = played.shards.iter().map(|(index, _)| *index).collect();
    for (index, mut played) in played.shards {
        let shard = &mut shards[index];
        let roles = &shard.spec().roles;
        let widths = |role: usize| {
            rollouts::widths(&roles[role], task.policies.get(role).copied().flatten())
        };
        let widths: Vec<_> = (0..roles.len()).map(widths).collect();
        for (role, columns) in std::mem::take(&mut played.rollouts).into_iter().enumerate() {
            let rollout = &mut shard.roles[role].rollout;
            let filled = rollout.refill(columns, widths[role], task.now.sequences[role]);
            if let Err(problem) = filled {
                for &index in &indices {
                    shards[index].roles.iter_mut().for_each(|role| role.rollout.clear());
                }
                return Err(Unreadable(format!("shard {index}, role {role}: {problem}")));
            }
        }
        rest.push((index, played));
    }
    for (index, played) in rest {
        let shard = &mut shards[index];
        played.standings.note(shard);
        (shard.finished, shard.kept) = (played.finished, played.kept);
        (shard.lost.count, shard.lost.latest) = (played.lost, played.latest_loss);
    }
    Ok(())
}
