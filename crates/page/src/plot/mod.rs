//! Charts without a browser, good enough for a paper: curves of runs with bands over seeds, as SVG or PNG.
//!
//! Runs that differ in nothing but their seed are one curve: the mean, and a band in which the true mean lies
//! with 95 % by Student's t. A run alone is a line.

mod axis;
mod figure;
mod seeds;

pub use figure::{Figure, Line, Point};
pub use seeds::{Single, together};
