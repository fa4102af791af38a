//! The goal of the procedural arena and the wall around its mouth, x ≥ 0, y > 0.
//!
//! Mouth, posts and the wall beside and above them are one component: the engine finds the edges
//! between triangles within a component only, and a post is an edge a ball must glance off.

use super::procedural::{
    BACK_RAMP, BACK_WALL, GOAL_DEPTH, GOAL_FILLET, GOAL_HALF_WIDTH, GOAL_HEIGHT, WALL_SPLIT,
};
use super::surface::{Point, Station, Surface, arc, lower_ramp, spread, sweep, upright};

const REAR: f64 = BACK_WALL + GOAL_DEPTH;

/// The half x ≥ 0 of a goal and of the back wall around it, up to [`WALL_SPLIT`]; `beside` are the
/// stations of the wall from the post to the corner.
pub fn half(beside: &[Station]) -> Surface {
    let above: Vec<_> = mouth()
        .iter()
        .map(|&x| Station { at: [x, BACK_WALL], inward: [0.0, -1.0], lower_radius: BACK_RAMP })
        .collect();
    let mut surface = sweep(beside, |station| {
        let mut rungs = lower_ramp(station.lower_radius);
        rungs.extend(upright(&[GOAL_HEIGHT, WALL_SPLIT]));
        rungs
    });
    surface.append(&sweep(&above, |_| upright(&[GOAL_HEIGHT, WALL_SPLIT])));
    surface.append(&shell());
    surface.append(&side());
    surface
}

/// Where the mouth is cut, from its middle to the post.
pub fn mouth() -> Vec<f64> {
    spread(0.0, GOAL_HALF_WIDTH, 3)
}

/// Offsets from the start of a rear fillet, as fractions of its radius: to the rear, and away from
/// the plane that it leaves.
fn fillet() -> Vec<[f64; 2]> {
    arc([0.0, 1.0], [1.0, 0.0]).iter().map(|&[rearward, near]| [rearward, 1.0 - near]).collect()
}

/// Rear wall and roof, with fillets to floor and roof.
fn shell() -> Surface {
    let start = REAR - GOAL_FILLET;
    let lower = fillet()
        .into_iter()
        .map(|[y, z]| ([start + GOAL_FILLET * y, GOAL_FILLET * z], [-1.0, 1.0]));
    let upper = fillet()
        .into_iter()
        .rev()
        .map(|[y, z]| ([start + GOAL_FILLET * y, GOAL_HEIGHT - GOAL_FILLET * z], [-1.0, -1.0]));
    let roof = spread(start, BACK_WALL, 3).into_iter().skip(1);
    let roof = roof.map(|y| ([y, GOAL_HEIGHT], [0.0, -1.0]));
    let section: Vec<_> = lower.chain(upper).chain(roof).collect();
    let facing: Vec<Point> = section.iter().map(|(_, [y, z])| [0.0, *y, *z]).collect();
    let at = |x: f64| section.iter().map(|([y, z], _)| [x, *y, *z]).collect::<Vec<Point>>();

    let mut surface = Surface::default();
    for pair in mouth().windows(2) {
        surface.strip(&at(pair[0]), &at(pair[1]), &facing);
    }
    surface
}

/// The side wall of the goal, and in its plane the end of the ramp that runs along the back wall.
fn side() -> Surface {
    let mut surface = Surface::default();
    let mut columns = |line: &[[f64; 3]]| {
        for pair in line.windows(2) {
            let ([y0, low0, high0], [y1, low1, high1]) = (pair[0], pair[1]);
            let rim = [[y0, low0], [y1, low1], [y1, high1], [y0, high0]];
            surface.quad(rim.map(|[y, z]| [GOAL_HALF_WIDTH, y, z]), [-1.0, 0.0, 0.0]);
        }
    };
    let ramp: Vec<_> =
        lower_ramp(BACK_RAMP).iter().map(|rung| [BACK_WALL - rung.inset, 0.0, rung.z]).collect();
    columns(&ramp);
    // Cut where the ramp meets the wall, so that the post is an edge of triangles on both sides.
    let start = REAR - GOAL_FILLET;
    for (low, high) in [(0.0, BACK_RAMP), (BACK_RAMP, GOAL_HEIGHT)] {
        let line: Vec<_> =
            spread(BACK_WALL, start, 3).into_iter().map(|y| [y, low, high]).collect();
        columns(&line);
    }
    let rear: Vec<_> = fillet()
        .iter()
        .map(|[y, z]| [start + GOAL_FILLET * y, GOAL_FILLET * z, GOAL_HEIGHT - GOAL_FILLET * z])
        .collect();
    columns(&rear);
    surface
}
