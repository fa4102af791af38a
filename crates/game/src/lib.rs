//! The contract between games and everything that trains, evaluates or serves an agent.
//!
//! A game is a match between *seats*. Each seat has a *role*, which says what it sees and does; it sees
//! an observation, may act, and earns named *reward terms*. A game states facts and never computes a
//! scalar reward: presets weigh the terms. Nothing downstream is generic over the game, so everything
//! that crosses this line is flat: observations are `[f32]`, masks `[bool]`, actions `[u32]`.
//!
//! [`Game`] is one match in this process; [`Batch`] is many matches behind one door. Any
//! `Vec<impl Game>` becomes a batch through [`Matches`]; an external engine implements [`Batch`]
//! itself, so that it can pipeline.

mod batch;
mod buffers;
pub mod check;
pub mod decision;
mod layout;
mod names;
mod observation;
pub mod recording;
mod registry;
mod role;
pub mod seed;
mod settings;
mod spec;

pub use batch::{Answer, Batch, Control, Fault, Game, Matches, await_answer};
pub use buffers::{Buffers, End, Outcome, SeatView, View};
pub use check::{check, check_with};
pub use decision::{Episode, EpisodeFault, UNKNOWN, Verdict};
pub use layout::{Layout, RoleLayout};
pub use observation::{Feature, Group, Vocabulary};
pub use recording::Recording;
pub use registry::{Entry, Kind, Maker};
pub use role::{Bot, Condition, Head, Pair, Requirement, Role};
pub use settings::{GameSettings, NoSettings, Setting, SettingsError, documented, parse_settings};
pub use spec::{Seat, Spec, SpecError, Stat, Term, TermKind};
