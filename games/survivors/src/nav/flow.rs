//! How far along the map an area is: the distance travelled from the start.
//!
//! The whole way is the distance to the farthest area of the goal, from centre to centre, along links
//! alone. The measured figures of real maps (facts/survivors.md §2) went over every connection: c1m1's
//! 4,715 units fall 1,119 of them out of a window, and those who live take the lift. Areas beyond the goal
//! have the whole; areas that nobody can reach have the flow of the nearest one that somebody can.

use super::links::{Links, distance};
use super::mesh::{AreaIndex, Point};
use super::ways::{Row, Ways, from_any};

pub(super) struct Flow {
    pub from_start: Box<[f32]>,
    pub length: f32,
    pub to_goal: Row,
    pub notes: Vec<String>,
}

impl Flow {
    pub fn new(
        links: &Links,
        ways: &Ways,
        centers: &[Point],
        start: &[AreaIndex],
        goal: &[AreaIndex],
    ) -> Self {
        let away = from_any(links, centers.len(), start);
        let mut notes = Vec::new();
        let reached = |areas: &mut dyn Iterator<Item = usize>| {
            areas.map(|area| away[area]).filter(|far| far.is_finite()).fold(0.0, f32::max)
        };
        let open = goal.iter().any(|area| away[usize::from(*area)].is_finite());
        let length = if open {
            reached(&mut goal.iter().map(|area| usize::from(*area)))
        } else {
            notes.push(
                "no way leads from the start to the goal (a lift or a bridge that the mesh does not \
                 connect?): flow is the distance from the start alone; a hint with another goal, or \
                 `nav_connect` in the game, settles it"
                    .to_string(),
            );
            reached(&mut (0..away.len()))
        };
        // A start that is its own goal still divides well.
        let length = length.max(1.0);
        let from_start = (0..away.len())
            .map(|area| {
                let area = if away[area].is_finite() { area } else { beside(&away, centers, area) };
                away[area].min(length)
            })
            .collect();
        Self { from_start, length, to_goal: ways.toward_any(goal), notes }
    }
}

/// The reachable area nearest to another in a straight line; the start is always one.
fn beside(away: &[f32], centers: &[Point], area: usize) -> usize {
    let mut best = (f32::INFINITY, area);
    for other in (0..away.len()).filter(|other| away[*other].is_finite()) {
        let units = distance(centers[area], centers[other]);
        if units < best.0 {
            best = (units, other);
        }
    }
    best.1
}
