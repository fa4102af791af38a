//! The algorithm: policy, rollouts, advantages and PPO. It does no I/O, starts no process and reads
//! no clock; it computes on whatever thread pool it is called in.
//!
//! Read [`ppo`] first: it is the whole update from top to bottom.

pub mod advantage;
pub mod anchor;
pub mod blueprint;
mod body;
pub mod categorical;
pub mod clone;
pub mod columns;
pub mod config;
mod encoder;
mod heads;
pub mod minibatch;
mod normalizer;
pub mod novelty;
pub mod policy;
pub mod ppo;
pub mod rollout;
pub mod schedule;
mod shape;
pub mod size;
mod structure;
pub mod transfer;

pub use anchor::Anchor;
pub use clone::{Cloner, Fitted};
pub use columns::{After, Columns, Widths};
pub use config::{PolicyConfig, PpoConfig};
pub use lanista_game::Vocabulary;
pub use normalizer::Normalizer;
pub use policy::{Choose, Inputs, Policy, Scratch};
pub use ppo::{Diverged, Learner, Losses};
pub use rollout::{Act, Follow, Rollout};
pub use schedule::Schedule;
pub use shape::{EntityPart, Group, PairShape, Shape};
pub use size::PolicySize;
