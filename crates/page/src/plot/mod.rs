//! Charts without a browser, good enough for a paper: curves of runs with bands over seeds, as SVG or PNG.
//!
//! Runs that differ in nothing but their seed are one curve: the mean, and a band in which the true mean lies
//! with 95 % by Student's t. A run alone is a line. A chart ([`Figure`]) becomes a [`Drawing`], lines, areas and
//! texts in pixels, which is then written in one format or the other.

mod axis;
mod drawing;
mod figure;
pub mod legend;
mod letters;
mod png;
mod seeds;
mod svg;
mod words;

pub use drawing::{Anchor, Drawing, Shape};
pub use figure::{Figure, Line, Point};
pub use seeds::{Single, together};
pub use words::title;
