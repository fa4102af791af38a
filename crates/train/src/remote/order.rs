//! What a learner tells a worker: one iteration of some shards of one agent.

use lanista_league::Drawn;

use super::PROTOCOL;
use super::bytes::{Reader, Writer};
use super::error::Unreadable;
use crate::config::RunConfig;
use crate::seating::Seating;

/// One iteration of some shards of one agent.
#[derive(Debug)]
pub(super) struct Order {
    /// Which order of the run it is; the answer names it.
    pub number: u64,
    /// 0 for the main agent, then the exploiters.
    pub agent: u64,
    /// What the agent runs on, if the worker does not know.
    pub config: Option<Box<RunConfig>>,
    /// The parcel of the policies that learn.
    pub policies: u64,
    /// Who may be met: numbers of guests with their parcels.
    pub guests: Vec<(u64, u64)>,
    /// The pool of each side, with probabilities.
    pub past: Vec<Vec<Drawn>>,
    /// Parcels that may be needed again; all others may be forgotten.
    pub kept_parcels: Vec<u64>,
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
        let json = |value: serde_json::Result<Vec<u8>>| value.unwrap_or_default();
        let mut w = Writer::default();
        w.u32(PROTOCOL);
        w.u64(self.number);
        w.u64(self.agent);
        w.option(self.config.as_ref(), |w, config| w.bytes(&json(serde_json::to_vec(config))));
        w.u64(self.policies);
        w.list(self.guests.iter(), |w, (guest, parcel)| {
            w.u64(*guest);
            w.u64(*parcel);
        });
        w.list(self.past.iter(), |w, pool| {
            w.list(pool.iter(), |w, drawn| {
                w.u64(drawn.id);
                w.f64(drawn.probability);
            });
        });
        w.u64s(self.kept_parcels.iter().copied());
        w.bytes(&json(serde_json::to_vec(&self.seating)));
        w.f64(self.share_done);
        w.list(self.weights.iter(), |w, weights| w.f32s(weights));
        w.u64s(self.sequences.iter().map(|&length| length as u64));
        w.list(self.shards.iter(), |w, shard| {
            w.u64(shard.index as u64);
            w.u64(shard.hand);
            w.option(shard.keep_every, Writer::u64);
            w.option(shard.standings.as_deref(), Writer::bytes);
        });
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
        let json = |e: serde_json::Error| Unreadable(e.to_string());
        let order = Self {
            number: r.u64()?,
            agent: r.u64()?,
            config: r.option(|r| serde_json::from_slice(r.bytes()?).map_err(json))?,
            policies: r.u64()?,
            guests: r.list(|r| Ok((r.u64()?, r.u64()?)))?,
            past: r.list(|r| r.list(|r| Ok(Drawn { id: r.u64()?, probability: r.f64()? })))?,
            kept_parcels: r.u64s()?,
            seating: serde_json::from_slice(r.bytes()?).map_err(json)?,
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
        };
        r.end()?;
        Ok(order)
    }
}
