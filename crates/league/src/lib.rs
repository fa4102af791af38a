//! Whom a learner meets, how good it is, and what it learns next: ratings, the pool of opponents,
//! matchmaking and the curriculum.
//!
//! Everything here is a function of its arguments. Nothing reads a file or a clock, no generator
//! is kept: whoever needs luck passes a seed or a uniform number. What changes over a run is plain
//! data that a checkpoint stores as JSON and gets back bit for bit.
//!
//! Two kinds of ratings live side by side. [`rating`] follows a learner online, one batch of
//! matches after the other, as it changes. [`estimate`](mod@estimate) judges players that do not
//! change from all their results at once, and says how sure it is.

pub mod curriculum;
pub mod estimate;
pub mod exploiter;
pub mod pool;
pub mod rating;
pub mod sampler;
pub mod shares;
pub mod snapshot;
pub mod stage;
pub mod table;

pub use curriculum::{StageMatch, Standing, Transition};
pub use estimate::{Estimate, Interval, difference, estimate};
pub use exploiter::{Beginning, Exploiter, Life, Prey};
pub use pool::{Drawn, Pool, draw};
pub use rating::{Elo, MatchResult, expected_score};
pub use sampler::Sampler;
pub use shares::{Opponent, OpponentStyle, Shares};
pub use snapshot::{Origin, Snapshot};
pub use stage::{Existing, Goal, Stage};
pub use table::{PairResults, Tally, cross_play, cycles};
