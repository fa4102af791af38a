//! Navigation meshes: reading, writing, and asking them for ways, heights and sights.
//!
//! A [`Mesh`] is a `.nav` file, number for number: what is read is written again byte for byte. A
//! [`Terrain`] is what a simulator asks: the same areas compiled into a grid, links, tables of ways and
//! a matrix of sights. It never changes, so any number of matches share one.
//!
//! Dependencies run one way: mesh ← (read, write, grid, crossing, lifts, links, ways, sight, ends, flow) ← terrain ←
//! (report, storeys ← svg).

pub mod attributes;
mod crossing;
mod ends;
mod error;
mod flow;
mod grid;
mod hint;
mod lifts;
mod links;
mod measure;
mod mesh;
mod read;
mod report;
mod sight;
mod storeys;
mod svg;
mod terrain;
mod ways;
mod write;

pub use ends::GoalKind;
pub use error::NavError;
pub use grid::STEP_UNITS;
pub use hint::{Hint, HintError};
pub use links::{DEADLY_DROP_UNITS, JUMP_UNITS, Link, SAFE_DROP_UNITS, Way};
pub use mesh::{
    Approach, Area, AreaIndex, Encounter, HidingSpot, Ladder, Mesh, Point, SUBVERSION, VERSION,
    Visible,
};
pub use report::{End, Report};
pub use svg::svg;
pub use terrain::{MAX_AREAS, Terrain};
