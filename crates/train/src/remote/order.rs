//! What a learner tells a worker: one iteration of some shards of one agent, or some parts of an evaluation.

use lanista_league::Drawn;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::PROTOCOL;
use super::bytes::{Reader, Writer};
use super::error::Unreadable;
use crate::config::RunConfig;
use crate::evaluate::parts;
use crate::player::Player;
use crate::seating::{Cast, Seating};

/// What a worker is to do.
#[derive(Debug)]
pub(super) struct Order {
    /// Which order of the run it is; the answer names it.
    pub number: u64,
    /// 0 for the main agent, then the exploiters; [`EVALUATION`] for matches that nobody learns from.
    pub agent: u64,
    /// What the agent runs on, if the worker does not know.
    pub config: Option<Box<RunConfig>>,
    /// The parcel of the policies that learn.
    pub policies: u64,
    /// Who may be met: numbers of guests with their parcels.
    pub guests: Vec<(u64, u64)>,
    /// Parcels that may be needed again; all others may be forgotten.
    pub kept_parcels: Vec<u64>,
    pub work: Work,
}

/// The agent of an order to evaluate.
pub(super) const EVALUATION: u64 = u64::MAX;

#[derive(Debug)]
pub(super) enum Work {
    Rollouts(RolloutOrder),
    Evaluation(EvaluationOrder),
}

/// One iteration of some shards of one agent.
#[derive(Debug)]
pub(super) struct RolloutOrder {
    /// The pool of each side, with probabilities.
    pub past: Vec<Vec<Drawn>>,
    /// How seats are dealt.
    pub seating: Seating,
    /// Share of the run that is done.
    pub share_done: f64,
    /// `[roles][terms]`
    pub weights: Vec<Vec<f32>>,
    /// `[roles]`
    pub sequences: Vec<usize>,
    /// The shards to play.
    pub shards: Vec<ShardOrder>,
}

/// Some parts of an evaluation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EvaluationOrder {
    /// Whole matches of all parts together.
    pub matches: usize,
    pub deterministic: bool,
    pub versus: Player,
    pub cast: Cast,
    pub seed: u64,
    /// Is the first match kept?
    pub record: bool,
    /// The parts to play.
    pub parts: Vec<usize>,
}

/// One shard of an order.
#[derive(Debug)]
pub(super) struct ShardOrder {
    /// Which one of the agent.
    pub index: usize,
    /// Which past policies are met at present.
    pub hand: u64,
    /// One of so many matches is kept, if any are.
    pub keep_every: Option<u64>,
    /// Where its matches stand, if they are not where the worker left them.
    pub standings: Option<Vec<u8>>,
}

impl Order {
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::default();
        w.u32(PROTOCOL);
        w.u64(self.number);
        w.u64(self.agent);
        w.option(self.config.as_ref(), |w, config| w.bytes(&json(config)));
        w.u64(self.policies);
        w.list(self.guests.iter(), |w, (guest, parcel)| {
            w.u64(*guest);
            w.u64(*parcel);
        });
        w.u64s(self.kept_parcels.iter().copied());
        match &self.work {
            Work::Rollouts(order) => {
                w.u8(ROLLOUTS);
                order.write(&mut w);
            }
            Work::Evaluation(order) => {
                w.u8(EVALUATE);
                order.write(&mut w);
            }
        }
        w.finish()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut r = Reader::new(bytes);
        let version = r.u32()?;
        if version != PROTOCOL {
            return Err(Unreadable(format!(
                "the order is of version {version}, this worker of {PROTOCOL}; install the same lanista \
                 on every machine"
            )));
        }
        let order = Self {
            number: r.u64()?,
            agent: r.u64()?,
            config: r.option(|r| unjson(r.bytes()?))?,
            policies: r.u64()?,
            guests: r.list(|r| Ok((r.u64()?, r.u64()?)))?,
            kept_parcels: r.u64s()?,
            work: match r.u8()? {
                ROLLOUTS => Work::Rollouts(RolloutOrder::read(&mut r)?),
                EVALUATE => Work::Evaluation(EvaluationOrder::read(&mut r)?),
                other => return Err(Unreadable(format!("{other} is no kind of order"))),
            },
        };
        r.end()?;
        Ok(order)
    }
}

const ROLLOUTS: u8 = 0;
const EVALUATE: u8 = 1;

fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

fn unjson<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    serde_json::from_slice(bytes).map_err(|error| Unreadable(error.to_string()))
}

impl RolloutOrder {
    fn write(&self, w: &mut Writer) {
        w.list(self.past.iter(), |w, pool| {
            w.list(pool.iter(), |w, drawn| {
                w.u64(drawn.id);
                w.f64(drawn.probability);
            });
        });
        w.bytes(&json(&self.seating));
        w.f64(self.share_done);
        w.list(self.weights.iter(), |w, weights| w.f32s(weights));
        w.u64s(self.sequences.iter().map(|&length| length as u64));
        w.list(self.shards.iter(), |w, shard| {
            w.u64(shard.index as u64);
            w.u64(shard.hand);
            w.option(shard.keep_every, Writer::u64);
            w.option(shard.standings.as_deref(), Writer::bytes);
        });
    }

    fn read(r: &mut Reader) -> Result<Self, Unreadable> {
        Ok(Self {
            past: r.list(|r| r.list(|r| Ok(Drawn { id: r.u64()?, probability: r.f64()? })))?,
            seating: unjson(r.bytes()?)?,
            share_done: r.f64()?,
            weights: r.list(|r| r.f32s())?,
            sequences: r.u64s()?.into_iter().map(|length| length as usize).collect(),
            shards: r.list(|r| {
                Ok(ShardOrder {
                    index: r.index()?,
                    hand: r.u64()?,
                    keep_every: r.option(Reader::u64)?,
                    standings: r.option(|r| r.bytes())?.map(<[u8]>::to_vec),
                })
            })?,
        })
    }
}

impl EvaluationOrder {
    fn write(&self, w: &mut Writer) {
        w.u64(self.matches as u64);
        w.flag(self.deterministic);
        w.u64(self.versus.to_number());
        w.bytes(&json(&self.cast));
        w.u64(self.seed);
        w.flag(self.record);
        w.u64s(self.parts.iter().map(|&part| part as u64));
    }

    fn read(r: &mut Reader) -> Result<Self, Unreadable> {
        let order = Self {
            matches: r.index()?,
            deterministic: r.flag()?,
            versus: Player::from_number(r.u64()?),
            cast: unjson(r.bytes()?)?,
            seed: r.u64()?,
            record: r.flag()?,
            parts: r.u64s()?.into_iter().map(|part| part as usize).collect(),
        };
        let parts = parts(order.matches);
        match order.parts.iter().find(|part| **part >= parts) {
            Some(part) => Err(Unreadable(format!("there is no part {part} of {parts}"))),
            None => Ok(order),
        }
    }
}
