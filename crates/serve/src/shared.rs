//! What all threads of a server see.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use crate::connection::Hosting;
use crate::formats::{Context, Format};
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::model::{Endpoint, Models};
use crate::token::Token;

/// A decision, for whoever watches.
pub struct Decision<'a> {
    /// Which policy decided.
    pub endpoint: &'a Endpoint,
    /// How it was asked.
    pub format: Format,
    /// Who asked.
    pub peer: SocketAddr,
    /// In which of his games; empty if he plays one.
    pub session: &'a [u8],
    /// `[features]`: what was seen, raw, over all frames.
    pub observation: &'a [f32],
    /// `[actions]`: what was legal.
    pub mask: &'a [bool],
    /// `[heads]`: what was chosen.
    pub actions: &'a [u32],
    /// How likely it was.
    pub log_prob: f32,
    /// What the critic thinks, if it was asked.
    pub value: Option<f32>,
    /// The version of the policy.
    pub version: u32,
}

/// Is told of every decision, on the thread that made it.
pub type Observer = Box<dyn Fn(&Decision) + Send + Sync>;

/// What all threads see.
pub struct Shared {
    /// What is served.
    pub models: Models,
    /// What was counted.
    pub metrics: Metrics,
    /// What clients may cost.
    pub limits: Limits,
    /// What clients must show.
    pub token: Option<Token>,
    /// Dice of sessions that bring none.
    pub seed: u64,
    /// Are values wanted even if clients do not ask for them?
    pub values: bool,
    /// Who watches.
    pub observer: Option<Observer>,
    /// Has the end begun?
    pub stopping: AtomicBool,
    /// Clients of each worker.
    pub load: Vec<AtomicUsize>,
}

impl Shared {
    /// What connections need to know.
    pub fn hosting(&self) -> Hosting<'_> {
        Hosting {
            context: Context {
                models: &self.models,
                token: self.token.as_ref(),
                most_bytes: self.limits.message_bytes,
                metrics: &self.metrics,
            },
            limits: &self.limits,
            seed: self.seed,
        }
    }
}
