//! What a move would do, reckoned by our own calculation.
//!
//! [`strike`] is exact between two [`Combatant`]s that are fully known: the sixteen draws in points of health,
//! in the simulator's own whole-number arithmetic. [`estimate()`] asks it with what a side knows of a
//! [`crate::state::Battle`] and fills the rest; [`speed`] and [`stats_of`] are by-products. A test lets random
//! battles run in the real simulator and finds every blow that was dealt among the draws reckoned here.
//!
//! What [`strike`] does not know, and who asks has to tell it: anything that a move has taken from an ability
//! before that ability went (Scrappy lost to Mummy between two strokes), and more than one helper beside the
//! absent user of Future Sight. What [`estimate()`] leaves out besides: strength gathered while a move charges
//! (Meteor Beam), whether the target will have moved (Payback, Analytic), Sucker Punch's condition, types for
//! which a stellar bonus is used up, and protection. docs/results/vgc-damage.md has the figures.
//!
//! Names are resolved once to numbers (`facts`), so that nothing is compared by name while reckoning.

mod accuracy;
mod clash;
mod combatant;
mod estimate;
mod facts;
mod formula;
mod ids;
mod immunity;
mod kinds;
mod knowledge;
mod power;
mod stats;

pub use combatant::{Auras, Combatant, Conditions, Marks, Outcome, Strike};
pub use estimate::{Estimate, estimate, estimate_with_gimmick, speed};
pub use facts::Types;
pub use formula::strike;
pub use stats::{likely_stats, staged, stats_of};
