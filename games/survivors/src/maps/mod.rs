//! Maps of our own, made by a generator from a seed.
//!
//! Four plans draw tiles, tiles become areas with connections and ladders, and the walls decide what is
//! seen from where. The result is an ordinary mesh: our writer writes it and our reader reads it. The
//! maps that come with the program are those of seed 1; other seeds give others of the same plan.

mod apartment;
mod board;
mod carve;
mod corridor;
mod finale;
mod sightlines;
mod source;
mod street;

use lanista_game::seed;

pub use source::{MapError, Source};

use crate::nav::Mesh;

/// The names of the maps that come with the program, easiest first.
pub const NAMES: [&str; 4] = ["corridor", "apartment", "street", "finale"];
/// The seed of the maps that come with the program.
pub const SHIPPED_SEED: u64 = 1;

/// What a map is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Plan {
    /// Rooms along a line.
    Corridor,
    /// A block of flats: three storeys, stairs, a hole in a floor, ladders.
    Apartment,
    /// A road between houses with alleys, shops and roofs.
    Street,
    /// An arena for a last stand, with high places and a rescue vehicle.
    Finale,
}

impl Plan {
    /// All plans, in the order of [`NAMES`].
    pub const ALL: [Self; 4] = [Self::Corridor, Self::Apartment, Self::Street, Self::Finale];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Corridor => "corridor",
            Self::Apartment => "apartment",
            Self::Street => "street",
            Self::Finale => "finale",
        }
    }
}

/// Makes a map. The same plan and seed give the same bytes.
pub fn generate(plan: Plan, seed: u64) -> Mesh {
    let mut rng = seed::rng(seed);
    let board = match plan {
        Plan::Corridor => corridor::draw(&mut rng),
        Plan::Apartment => apartment::draw(&mut rng),
        Plan::Street => street::draw(&mut rng, street::stretches(seed)),
        Plan::Finale => finale::draw(&mut rng),
    };
    let (mut mesh, plots) = carve::carve(&board, &mut rng);
    sightlines::look(&board, &plots, &mut mesh);
    mesh
}

/// The map of a name: `street` is the one that comes with the program, `street:7` the one of seed 7.
pub fn by_name(name: &str) -> Option<Mesh> {
    let (plan, seed) = plan(name)?;
    Some(generate(plan, seed))
}

/// The plan and the seed that a name stands for.
pub fn plan(name: &str) -> Option<(Plan, u64)> {
    let (name, seed) = match name.split_once(':') {
        // Digits alone: one map, one name but for zeros in front.
        Some((name, seed)) if seed.bytes().all(|b| b.is_ascii_digit()) => {
            (name, seed.parse().ok()?)
        }
        Some(_) => return None,
        None => (name, SHIPPED_SEED),
    };
    let plan = Plan::ALL.into_iter().find(|plan| plan.name() == name)?;
    Some((plan, seed))
}
