//! The triangles that give our components the hashes RocketSim expects.
//!
//! Each lies outside the field, where neither ball nor cars get, near its own component so that the
//! component's bounding box grows away from the field only. The hash can be undone one coordinate
//! at a time: pick eight coordinates, solve for the ninth, and repeat until it lies in the zone.
//! `cargo run --release -p lanista-rocket --example find_anchors` does that and prints
//! [`ANCHORS`]; run it after any change of the geometry.

use super::cmf::{Hash, Triangle};
use super::procedural::Piece;

/// Hashes of the soccar components, in the order of [`super::procedural::pieces`].
pub const IDS: [u32; 16] = [
    0xA160_BAF9,
    0x2811_EEE8,
    0x14B8_4668,
    0xEC75_9EBF,
    0x94FB_0D5C,
    0xDEA0_7102,
    0xBD4F_BEA8,
    0x39A4_7F63,
    0x3D79_D25D,
    0xD84C_7A68,
    0xB81A_C8B9,
    0x7603_58D3,
    0x73AE_4940,
    0x918F_4A4E,
    0x1F8E_E550,
    0x255B_A8C1,
];

/// x, y, z of three corners, in the units of the files (uu / 50).
pub type Anchor = [i32; 9];

/// Least and greatest x, y and z of anchors, in the units of the files, for the quadrant of
/// positive x and y.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Least values.
    pub min: [i32; 3],
    /// Greatest values, included.
    pub max: [i32; 3],
}

/// Behind the goal, which ends at y = 120.
pub const BEHIND_GOAL: Zone = Zone { min: [-16, 130, 0], max: [16, 145, 12] };
/// Over the back wall (y = 102.4) and above the ceiling (z = 41).
pub const ABOVE_GOAL: Zone = Zone { min: [-40, 93, 51], max: [40, 102, 66] };
/// Beyond the side wall (x = 81.9).
pub const BESIDE_LOW: Zone = Zone { min: [92, -40, -10], max: [107, 40, 5] };
/// The same, as high as the ramp to the ceiling.
pub const BESIDE_HIGH: Zone = Zone { min: [92, -40, 31], max: [107, 40, 40] };
/// Beyond the corner (x + y = 161.3).
pub const CORNER_LOW: Zone = Zone { min: [80, 100, 0], max: [95, 115, 21] };
/// The same, higher up.
pub const CORNER_HIGH: Zone = Zone { min: [80, 100, 22], max: [95, 115, 40] };

/// The anchor of each component.
#[rustfmt::skip]
pub const ANCHORS: [Anchor; 16] = [
    [8, 130, 12, 13, 144, 12, 6, 133, 12], // goal
    [-11, -139, 4, 12, -130, 7, 6, -142, 10], // goal
    [33, 93, 59, -2, 102, 60, -8, 98, 60], // upper back wall
    [-2, -96, 61, 18, -102, 58, 32, -100, 63], // upper back wall
    [105, 0, -6, 97, -24, -4, 104, -3, -4], // lower side ramp
    [-98, 20, -8, -104, 5, -6, -101, 15, -1], // lower side ramp
    [95, 15, 35, 94, -9, 38, 101, -26, 38], // upper side ramp
    [-101, -27, 34, -93, 23, 37, -93, 24, 34], // upper side ramp
    [80, 115, 8, 86, 107, 18, 93, 112, 0], // lower corner
    [-88, -103, 6, -89, -109, 15, -92, -107, 12], // lower corner
    [90, -101, 18, 90, -101, 7, 80, -112, 7], // lower corner
    [-95, 104, 16, -83, 115, 1, -87, 106, 4], // lower corner
    [92, 109, 22, 81, 104, 37, 87, 104, 38], // upper corner
    [-84, -109, 22, -89, -106, 29, -87, -111, 39], // upper corner
    [80, -101, 35, 94, -108, 30, 82, -110, 28], // upper corner
    [-85, 102, 32, -87, 103, 29, -90, 100, 40], // upper corner
];

/// The anchor as geometry.
pub fn triangle(anchor: &Anchor) -> Triangle {
    [0, 3, 6].map(|i| [0, 1, 2].map(|j| anchor[i + j] as f32))
}

/// Looks for an anchor that brings a piece to the hash `id`; `dice` draws a number below its
/// argument.
pub fn find(piece: &Piece, id: u32, mut dice: impl FnMut(u32) -> u32) -> Anchor {
    let count = piece.triangles.len() + 1;
    let mut before = Hash::new(count, count * 3);
    piece.triangles.iter().flatten().flatten().for_each(|&x| before.mix(x as i32));

    let Zone { min, max } = piece.zone;
    let signs = [piece.quadrant[0] as i32, piece.quadrant[1] as i32, 1];
    loop {
        let mut anchor: Anchor = std::array::from_fn(|i| {
            let axis = i % 3;
            signs[axis] * (min[axis] + dice((max[axis] - min[axis] + 1) as u32) as i32)
        });
        let mut start = before;
        anchor[..6].iter().for_each(|&integer| start.mix(integer));
        for x in min[0]..=max[0] {
            for y in min[1]..=max[1] {
                let mut hash = start;
                [anchor[6], anchor[7]] = [signs[0] * x, signs[1] * y];
                hash.mix(anchor[6]);
                hash.mix(anchor[7]);
                anchor[8] = hash.solve(id);
                if (min[2]..=max[2]).contains(&anchor[8]) && doubled_area(&anchor) > 20.0 {
                    return anchor;
                }
            }
        }
    }
}

fn doubled_area(anchor: &Anchor) -> f64 {
    let edge = |i: usize| [0, 1, 2].map(|axis| f64::from(anchor[i + axis] - anchor[axis]));
    let (u, v) = (edge(3), edge(6));
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    cross.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::procedural::pieces;

    #[test]
    fn anchors_lie_in_their_zones() {
        for (piece, anchor) in pieces().iter().zip(&ANCHORS) {
            let signs = [piece.quadrant[0] as i32, piece.quadrant[1] as i32, 1];
            for (i, &value) in anchor.iter().enumerate() {
                let (axis, value) = (i % 3, value * signs[i % 3]);
                let zone = piece.zone.min[axis]..=piece.zone.max[axis];
                assert!(zone.contains(&value), "{}: {value} not in {zone:?}", piece.name);
            }
            assert!(doubled_area(anchor) > 20.0, "{}", piece.name);
        }
    }
}
