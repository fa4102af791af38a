//! A soccar arena built from its measures, for users without meshes of the game.
//!
//! Floor, ceiling and side walls are planes of the engine. The rest is built here: ramps along the
//! side walls, the corners, the back walls and the goals, cut into the sixteen components that the
//! engine expects. It tells components by a hash of their geometry, so each of ours carries one
//! triangle far outside the field that brings the hash to the expected value (see [`anchors`]).
//!
//! Measures: walls, corners and goals as in the RLBot community's table of useful game values,
//! ramps and fillets as near to the game as is known.

use std::sync::OnceLock;

use super::anchors::{self, Zone};
use super::cmf::{Triangle, encode};
use super::goal;
use super::surface::{Station, Surface, arc, lower_ramp, spread, sweep, upper_ramp, upright};

/// x of the side walls, in uu like all measures here.
pub const SIDE_WALL: f64 = 4096.0;
/// y of the back walls.
pub const BACK_WALL: f64 = 5120.0;
/// z of the engine's ceiling.
pub const CEILING: f64 = 2048.0;
/// |x| + |y| on the walls that cut the corners.
pub const CORNER: f64 = 8064.0;
/// Half the width of the goal's mouth.
pub const GOAL_HALF_WIDTH: f64 = 892.755;
/// Height of the goal's mouth.
pub const GOAL_HEIGHT: f64 = 642.775;
/// From the back wall to the rear of the goal.
pub const GOAL_DEPTH: f64 = 880.0;
/// Radius between the rear of the goal, its floor and its roof.
pub const GOAL_FILLET: f64 = 240.0;
/// Radius between floor and side walls.
pub const SIDE_RAMP: f64 = 256.0;
/// Radius between floor and back walls.
pub const BACK_RAMP: f64 = 160.0;
/// Radius between walls and ceiling.
pub const UPPER_RAMP: f64 = 512.0;
/// Radius between walls, seen from above.
pub const CORNER_FILLET: f64 = 896.0;
/// Where walls are cut between an upper and a lower component.
pub const WALL_SPLIT: f64 = 1089.0;

/// How far a fillet of [`CORNER_FILLET`] reaches from the edge it rounds: walls meet at 135°, and
/// the tangent of half the turn, of 22.5°, is √2 − 1.
fn fillet_reach() -> f64 {
    CORNER_FILLET * (2.0_f64.sqrt() - 1.0)
}

/// One of the sixteen components, without its anchor.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What it is.
    pub name: &'static str,
    /// The quadrant it lies in, by signs of x and y.
    pub quadrant: [f64; 2],
    /// Its geometry.
    pub triangles: Vec<Triangle>,
    /// Where its anchor may lie.
    pub zone: Zone,
}

/// The sixteen components, in the order of [`anchors::IDS`].
pub fn pieces() -> Vec<Piece> {
    const HALF_TURNS: [[f64; 2]; 2] = [[1.0, 1.0], [-1.0, -1.0]];
    const QUADRANTS: [[f64; 2]; 4] = [[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
    let corner = corner_stations();
    let side = side_stations();
    let beside = back_stations();
    let mut above: Vec<_> = goal::mouth().iter().map(|&x| back_station(x)).collect();
    above.extend_from_slice(&beside[1..]);

    let upper_wall = |_: &Station| {
        let mut rungs = upright(&[WALL_SPLIT]);
        rungs.extend(upper_ramp(UPPER_RAMP, CEILING));
        rungs
    };
    let lower_wall = |station: &Station| {
        let mut rungs = lower_ramp(station.lower_radius);
        rungs.extend(upright(&[GOAL_HEIGHT, WALL_SPLIT]));
        rungs
    };
    let ramp = |station: &Station| lower_ramp(station.lower_radius);
    let overhang = |_: &Station| upper_ramp(UPPER_RAMP, CEILING);

    let mut pieces = Vec::with_capacity(16);
    let mut add = |name, surface: Surface, quadrants: &[[f64; 2]], zone| {
        for &[x, y] in quadrants {
            let triangles = surface.reflected(x, y).to_bt();
            pieces.push(Piece { name, quadrant: [x, y], triangles, zone });
        }
    };
    let across = |half: Surface, x: f64, y: f64| {
        let mut whole = half.reflected(x, y);
        whole.append(&half);
        whole
    };
    add("goal", across(goal::half(&beside), -1.0, 1.0), &HALF_TURNS, anchors::BEHIND_GOAL);
    add(
        "upper back wall",
        across(sweep(&above, upper_wall), -1.0, 1.0),
        &HALF_TURNS,
        anchors::ABOVE_GOAL,
    );
    add("lower side ramp", across(sweep(&side, ramp), 1.0, -1.0), &HALF_TURNS, anchors::BESIDE_LOW);
    add(
        "upper side ramp",
        across(sweep(&side, overhang), 1.0, -1.0),
        &HALF_TURNS,
        anchors::BESIDE_HIGH,
    );
    add("lower corner", sweep(&corner, lower_wall), &QUADRANTS, anchors::CORNER_LOW);
    add("upper corner", sweep(&corner, upper_wall), &QUADRANTS, anchors::CORNER_HIGH);
    pieces
}

/// The sixteen components as files that RocketSim accepts.
pub fn components() -> Vec<Vec<u8>> {
    static COMPONENTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let build = || {
        let anchored = |(piece, anchor): (Piece, &anchors::Anchor)| {
            let mut triangles = piece.triangles;
            triangles.push(anchors::triangle(anchor));
            encode(&triangles)
        };
        pieces().into_iter().zip(&anchors::ANCHORS).map(anchored).collect()
    };
    COMPONENTS.get_or_init(build).clone()
}

/// Along the side wall, from its middle to where the corner's fillet begins.
fn side_stations() -> Vec<Station> {
    let end = CORNER - SIDE_WALL - fillet_reach();
    let station = |y| Station { at: [SIDE_WALL, y], inward: [-1.0, 0.0], lower_radius: SIDE_RAMP };
    spread(0.0, end, 7).into_iter().map(station).collect()
}

/// Along the back wall, from the post to where the corner's fillet begins.
fn back_stations() -> Vec<Station> {
    let end = CORNER - BACK_WALL - fillet_reach();
    spread(GOAL_HALF_WIDTH, end, 4).into_iter().map(back_station).collect()
}

fn back_station(x: f64) -> Station {
    Station { at: [x, BACK_WALL], inward: [0.0, -1.0], lower_radius: BACK_RAMP }
}

/// Around the corner, from the side wall to the back wall.
fn corner_stations() -> Vec<Station> {
    let reach = fillet_reach();
    let diagonal = [0.5_f64.sqrt(), 0.5_f64.sqrt()];
    let turn = |centre: [f64; 2], from, to| -> Vec<([f64; 2], [f64; 2])> {
        arc(from, to)
            .into_iter()
            .map(|[x, y]| {
                let at = [centre[0] + CORNER_FILLET * x, centre[1] + CORNER_FILLET * y];
                (at, [-x, -y])
            })
            .collect()
    };
    let side_centre = [SIDE_WALL - CORNER_FILLET, CORNER - SIDE_WALL - reach];
    let back_centre = [CORNER - BACK_WALL - reach, BACK_WALL - CORNER_FILLET];
    let first = turn(side_centre, [1.0, 0.0], diagonal);
    let last = turn(back_centre, diagonal, [0.0, 1.0]);

    let (mut outline, (start, facing)) = (first.clone(), first[first.len() - 1]);
    let end = last[0].0;
    let (xs, ys) = (spread(start[0], end[0], 4), spread(start[1], end[1], 4));
    outline.extend((1..4).map(|i| ([xs[i], ys[i]], facing)));
    outline.extend(last);

    // The ramp narrows smoothly on its way to the back wall.
    let mut lengths = vec![0.0];
    for pair in outline.windows(2) {
        let [x, y] = [0, 1].map(|i| pair[1].0[i] - pair[0].0[i]);
        lengths.push(lengths[lengths.len() - 1] + (x * x + y * y).sqrt());
    }
    let total = lengths[lengths.len() - 1];
    let station = |((at, inward), length): (([f64; 2], [f64; 2]), f64)| {
        let t = length / total;
        let blend = t * t * (3.0 - 2.0 * t);
        let lower_radius = SIDE_RAMP + (BACK_RAMP - SIDE_RAMP) * blend;
        Station { at, inward, lower_radius }
    };
    outline.into_iter().zip(lengths).map(station).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::cmf::identify;

    #[test]
    fn the_components_are_those_the_engine_expects() {
        let pieces = pieces();
        assert_eq!(pieces.len(), 16);
        let triangles: usize = pieces.iter().map(|piece| piece.triangles.len()).sum();
        assert!((3000..6000).contains(&triangles), "{triangles} triangles");
        let ids: Vec<_> = components().iter().map(|bytes| identify(bytes).unwrap()).collect();
        assert_eq!(ids, anchors::IDS);
    }

    #[test]
    fn corners_join_their_walls() {
        let corner = corner_stations();
        let (side, back) = (side_stations(), back_stations());
        let near = |a: &Station, b: &Station| {
            (a.at[0] - b.at[0]).abs() + (a.at[1] - b.at[1]).abs() < 1e-9
                && (a.lower_radius - b.lower_radius).abs() < 1e-9
        };
        assert!(near(&corner[0], &side[side.len() - 1]));
        assert!(near(&corner[corner.len() - 1], &back[back.len() - 1]));
        for station in &corner[8..13] {
            assert!((station.at[0] + station.at[1] - CORNER).abs() < 1e-9);
        }
    }

    #[test]
    fn the_field_is_symmetric_under_half_a_turn() {
        let pieces = pieces();
        for pair in pieces.chunks(2) {
            assert_eq!(pair[0].triangles.len(), pair[1].triangles.len());
            for (one, other) in pair[0].triangles.iter().zip(&pair[1].triangles) {
                assert_eq!(*one, other.map(|[x, y, z]| [-x, -y, z]));
            }
        }
    }
}
