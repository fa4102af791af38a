//! Shapes of areas as paths.

use std::fmt::Write;

use super::frame::Frame;
use crate::nav::mesh::AreaIndex;
use crate::nav::terrain::Terrain;

/// Rectangles of areas as one path.
pub(super) fn ground(
    frame: &Frame,
    terrain: &Terrain,
    areas: impl IntoIterator<Item = AreaIndex>,
) -> String {
    let mut path = String::new();
    for area in areas {
        let [x0, y0, x1, y1] = terrain.bounds(area);
        let (x, y) = (frame.x(x0), frame.y(y0));
        let (w, h) = ((x1 - x0) * frame.scale, (y1 - y0) * frame.scale);
        let _ = write!(path, "M{x:.1} {y:.1}h{w:.1}v{h:.1}h-{w:.1}z");
    }
    path
}

/// The sides of areas that no other of them shares.
pub(super) fn outline(terrain: &Terrain, frame: &Frame, areas: &[AreaIndex]) -> String {
    let mut path = String::new();
    for area in areas {
        let [x0, y0, x1, y1] = terrain.bounds(*area);
        for [from, to] in
            [[[x0, y0], [x1, y0]], [[x1, y0], [x1, y1]], [[x1, y1], [x0, y1]], [[x0, y1], [x0, y0]]]
        {
            for [a, b] in bare(terrain, areas, *area, from, to) {
                let (ax, ay, bx, by) = (frame.x(a[0]), frame.y(a[1]), frame.x(b[0]), frame.y(b[1]));
                let _ = write!(path, "M{ax:.1} {ay:.1}L{bx:.1} {by:.1}");
            }
        }
    }
    path
}

/// The pieces of a side that touch none of the other areas.
fn bare(
    terrain: &Terrain,
    areas: &[AreaIndex],
    area: AreaIndex,
    from: [f32; 2],
    to: [f32; 2],
) -> Vec<[[f32; 2]; 2]> {
    let along = usize::from(from[0] == to[0]);
    let across = 1 - along;
    let (low, high) = (from[along].min(to[along]), from[along].max(to[along]));
    let mut covered: Vec<(f32, f32)> = areas
        .iter()
        .filter(|other| **other != area)
        .map(|other| terrain.bounds(*other))
        .filter(|b| from[across] >= b[across] && from[across] <= b[across + 2])
        .map(|b| (b[along].max(low), b[along + 2].min(high)))
        .filter(|(a, b)| a < b)
        .collect();
    covered.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut pieces = Vec::new();
    let mut at = low;
    let mut piece = |from_at: f32, to_at: f32| {
        let (mut a, mut b) = (from, to);
        (a[along], b[along]) = (from_at, to_at);
        pieces.push([a, b]);
    };
    for (begin, end) in covered {
        if begin > at {
            piece(at, begin);
        }
        at = at.max(end);
    }
    if at < high {
        piece(at, high);
    }
    pieces
}
