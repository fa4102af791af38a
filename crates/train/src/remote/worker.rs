//! A worker: it holds shards and plays them as it is told. Bytes in, bytes out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use lanista_game::{Entry, Spec};
use rayon::prelude::*;

use super::answer::{self, Evaluated, Head};
use super::error::Unreadable;
use super::order::{EvaluationOrder, Order, RolloutOrder, ShardOrder, Work};
use super::rosters;
use super::standings::{Standings, marks};
use crate::agent::{patience, shard};
use crate::collect::{Now, collect, guard};
use crate::config::RunConfig;
use crate::error::{EvaluateError, TrainError};
use crate::evaluate::{self, Evaluation, Keep};
use crate::player::Roster;
use crate::seating::Guests;
use crate::shard::{MatchFault, Recorded, Shard};

/// Plays shards as it is told.
pub struct Worker {
    games: Vec<Entry>,
    threads: rayon::ThreadPool,
    parcels: BTreeMap<u64, Parcel>,
    agents: BTreeMap<u64, Assigned>,
}

/// The policies of an agent.
enum Parcel {
    /// As they came.
    Closed(Vec<u8>),
    /// Ready to play.
    Open(Arc<Roster>),
}

/// What a worker has of an agent.
struct Assigned {
    config: RunConfig,
    entry: Entry,
    /// The game as policies see it.
    spec: Spec,
    shards: BTreeMap<usize, Shard>,
}

/// Why an order was not followed.
enum Refused {
    /// Something is not there that the learner believes to be.
    Forgotten,
    Failed(String),
}

impl From<Unreadable> for Refused {
    fn from(error: Unreadable) -> Self {
        Self::Failed(error.0)
    }
}

impl From<TrainError> for Refused {
    fn from(error: TrainError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl Worker {
    /// A worker that knows these games and has so many threads.
    pub fn new(games: Vec<Entry>, threads: usize) -> Result<Self, TrainError> {
        let threads = threads.max(1);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("worker {i}"))
            .build()
            .map_err(|error| TrainError::Threads { threads, error })?;
        Ok(Self { games, threads: pool, parcels: BTreeMap::new(), agents: BTreeMap::new() })
    }

    /// Takes a parcel that a later order will name.
    pub fn take(&mut self, parcel: u64, bytes: &[u8]) {
        self.parcels.insert(parcel, Parcel::Closed(bytes.to_vec()));
    }

    /// Follows an order. Whatever happens is in the answer.
    pub fn play(&mut self, order: &[u8]) -> Vec<u8> {
        let order = match Order::from_bytes(order) {
            Ok(order) => order,
            // Its number is unknown; a learner hears about it all the same.
            Err(error) => return answer::failed(Head { number: 0, agent: 0 }, &error.0),
        };
        let head = Head { number: order.number, agent: order.agent };
        match guard(|| self.follow(order)).unwrap_or_else(|error| Err(error.into())) {
            Ok(answer) => answer,
            Err(Refused::Forgotten) => answer::forgotten(head),
            Err(Refused::Failed(problem)) => answer::failed(head, &problem),
        }
    }

    fn follow(&mut self, order: Order) -> Result<Vec<u8>, Refused> {
        let head = Head { number: order.number, agent: order.agent };
        self.parcels.retain(|parcel, _| order.kept_parcels.contains(parcel));
        if let Some(config) = order.config {
            self.assign(order.agent, *config)?;
        }
        let Self { threads, parcels, agents, .. } = self;
        let agent = agents.get_mut(&order.agent).ok_or(Refused::Forgotten)?;
        let policies = open(parcels, order.policies, &agent.spec)?;
        let mut guests = BTreeMap::new();
        for (guest, parcel) in order.guests {
            guests.insert(guest, open(parcels, parcel, &agent.spec)?);
        }
        match order.work {
            Work::Rollouts(order) => agent.play(threads, head, &policies, guests, order),
            Work::Evaluation(order) => agent.evaluate(threads, head, &policies, guests, order),
        }
    }

    /// Takes over what an agent runs on. Its shards stay if they are still of the same game.
    fn assign(&mut self, agent: u64, config: RunConfig) -> Result<(), Refused> {
        if let Some(known) = self.agents.get_mut(&agent)
            && known.config.game == config.game
            && known.config.settings == config.settings
            && known.config.rollout == config.rollout
            && known.config.observation == config.observation
        {
            known.config = config;
            return Ok(());
        }
        let Some(entry) = self.games.iter().find(|game| game.name == config.game).cloned() else {
            let problem =
                format!("this worker has no game `{}`; install the same program", config.game);
            return Err(Refused::Failed(problem));
        };
        let spec = entry.spec(&config.settings).map_err(TrainError::from)?;
        let spec = config.observation.stack.widen(spec);
        self.agents.insert(agent, Assigned { config, entry, spec, shards: BTreeMap::new() });
        Ok(())
    }
}

impl Assigned {
    /// Plays an iteration of some shards.
    fn play(
        &mut self,
        threads: &rayon::ThreadPool,
        head: Head,
        policies: &Arc<Roster>,
        guests: BTreeMap<u64, Arc<Roster>>,
        order: RolloutOrder,
    ) -> Result<Vec<u8>, Refused> {
        let roles = self.spec.roles.len();
        let terms = self.spec.terms.len();
        if order.weights.len() != roles
            || order.sequences.len() != roles
            || order.weights.iter().any(|weights| weights.len() != terms)
        {
            return Err(Refused::Failed(format!(
                "an order for other roles than those of {}",
                self.spec.name
            )));
        }
        let guests = Arc::new(Guests { past: order.past, policies: guests });
        let mut shards: Vec<(usize, Shard, Option<Vec<u8>>)> = Vec::new();
        let count = self.config.rollout.matches.div_ceil(self.config.rollout.shard_size());
        for ShardOrder { index, hand, keep_every, standings } in order.shards {
            if index >= count {
                return Err(Refused::Failed(format!("there is no shard {index} of {count}")));
            }
            let mut own = match (self.shards.remove(&index), &standings) {
                (Some(own), _) => own,
                (None, Some(_)) => {
                    shard(&self.entry, &self.config, policies, &order.seating, index)?
                }
                (None, None) => return Err(Refused::Forgotten),
            };
            own.reseat(order.seating.clone());
            (own.guests, own.hand, own.keep_every) = (guests.clone(), hand, keep_every);
            shards.push((index, own, standings));
        }
        let now = Now {
            share_done: order.share_done,
            weights: &order.weights,
            sequences: &order.sequences,
        };
        let rebuilt: Result<(), Refused> = threads.install(|| {
            shards.par_iter_mut().try_for_each(|(_, shard, standings)| {
                let Some(bytes) = standings else { return Ok(()) };
                rebuild(shard, bytes)
            })
        });
        rebuilt?;
        let before: Vec<_> = shards.iter().map(|(_, shard, _)| marks(shard)).collect();
        let mut here: Vec<&mut Shard> = shards.iter_mut().map(|(_, shard, _)| shard).collect();
        let all = policies.all();
        let fault =
            guard(|| threads.install(|| collect(&all, &mut here, &self.config, &now)))?.err();
        let told: Vec<_> = shards
            .iter()
            .zip(&before)
            .map(|((index, shard, _), marks)| (*index, shard, marks))
            .collect();
        let bytes = answer::played(head, fault.as_ref(), &told);
        self.shards.extend(shards.into_iter().map(|(index, shard, _)| (index, shard)));
        Ok(bytes)
    }

    /// Plays some parts of an evaluation.
    fn evaluate(
        &self,
        threads: &rayon::ThreadPool,
        head: Head,
        policies: &Roster,
        guests: BTreeMap<u64, Arc<Roster>>,
        order: EvaluationOrder,
    ) -> Result<Vec<u8>, Refused> {
        let kept = Mutex::new(None);
        let keep = |number: usize, recorded: Recorded| {
            if number == 0 {
                *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(recorded));
            }
        };
        let question = Evaluation {
            settings: &self.config.settings,
            stack: &self.config.observation.stack,
            weights: &[],
            matches: order.matches,
            deterministic: order.deterministic,
            versus: order.versus,
            guests: Arc::new(Guests { policies: guests, past: Vec::new() }),
            cast: order.cast,
            seed: order.seed,
            patience: patience(&self.config),
            watch: None,
            keep: order.record.then_some(&keep as Keep),
            interrupt: None,
            progress: None,
        };
        let (all, entry) = (policies.all(), &self.entry);
        let played = threads.install(|| evaluate::play(entry, &all, &question, &order.parts));
        let played = match played {
            Ok(parts) => Ok(parts),
            Err(EvaluateError::Match(fault)) => Err(fault),
            Err(other) => return Err(TrainError::from(other).into()),
        };
        let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(answer::evaluated(head, &played.map(|parts| Evaluated { parts, kept })))
    }
}

/// A parcel, ready to play.
fn open(
    parcels: &mut BTreeMap<u64, Parcel>,
    number: u64,
    spec: &Spec,
) -> Result<Arc<Roster>, Refused> {
    let parcel = parcels.get_mut(&number).ok_or(Refused::Forgotten)?;
    if let Parcel::Closed(bytes) = parcel {
        let roster = rosters::from_bytes(bytes, spec).map_err(|e| e.within("policies"))?;
        *parcel = Parcel::Open(Arc::new(roster));
    }
    match parcel {
        Parcel::Open(roster) => Ok(roster.clone()),
        Parcel::Closed(_) => Err(Refused::Forgotten),
    }
}

/// Puts the matches of a shard where the learner says that they stand.
fn rebuild(shard: &mut Shard, bytes: &[u8]) -> Result<(), Refused> {
    let standings = Standings::read(bytes, shard)?;
    let broken = |fault: MatchFault| Refused::Failed(format!("it cannot be rebuilt: {fault}"));
    standings.rebuild(shard).map_err(broken)
}
