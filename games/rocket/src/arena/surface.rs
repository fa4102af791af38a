//! Building blocks of the procedural arena: oriented triangles, arcs, and walls swept along an
//! outline.
//!
//! Everything is built in the quadrant x ≥ 0, y ≥ 0, in uu and f64, from sums, products, quotients
//! and square roots only. IEEE 754 fixes those to the last bit, so every machine builds the same
//! arena, and hashes of it can be constants of the program.

use super::cmf::{Triangle, UU_PER_BT};

/// A point or direction, in uu.
pub type Point = [f64; 3];

/// Triangles whose front faces the inside of the arena: the ball touches front faces only.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    triangles: Vec<[Point; 3]>,
}

impl Surface {
    /// Two triangles over four corners, given around the rim, that face along `inward`. Corners
    /// may coincide: what has no area is left out.
    pub fn quad(&mut self, [a, b, c, d]: [Point; 4], inward: Point) {
        for mut corners in [[a, b, c], [a, c, d]] {
            let normal = normal(corners);
            if dot(normal, normal) < 1e-6 {
                continue;
            }
            if dot(normal, inward) < 0.0 {
                corners.swap(1, 2);
            }
            self.triangles.push(corners);
        }
    }

    /// Quads between two polylines of equal length.
    pub fn strip(&mut self, from: &[Point], to: &[Point], inward: &[Point]) {
        for i in 1..from.len() {
            self.quad([from[i - 1], from[i], to[i], to[i - 1]], inward[i]);
        }
    }

    /// Adds another surface.
    pub fn append(&mut self, other: &Self) {
        self.triangles.extend_from_slice(&other.triangles);
    }

    /// The surface in another quadrant: `x` and `y` are 1 or −1. Its faces stay turned inward.
    pub fn reflected(&self, x: f64, y: f64) -> Self {
        let reflect = |&[a, b, c]: &[Point; 3]| {
            let [a, b, c] = [a, b, c].map(|p| [p[0] * x, p[1] * y, p[2]]);
            if x * y < 0.0 { [a, c, b] } else { [a, b, c] }
        };
        Self { triangles: self.triangles.iter().map(reflect).collect() }
    }

    /// In the units of the files.
    pub fn to_bt(&self) -> Vec<Triangle> {
        // Adding zero turns a reflected −0 into 0.
        let bt = |uu: f64| (uu / UU_PER_BT + 0.0) as f32;
        self.triangles.iter().map(|corners| corners.map(|point| point.map(bt))).collect()
    }
}

/// Twice the area, along the side from which the corners run counterclockwise.
fn normal([a, b, c]: [Point; 3]) -> Point {
    let (u, v) = (sub(b, a), sub(c, a));
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

fn sub(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Unit vectors from `from` to `to`, both included, in eight equal turns: by halving three times,
/// because sine and cosine differ between machines in the last bit.
pub fn arc(from: [f64; 2], to: [f64; 2]) -> Vec<[f64; 2]> {
    let mut directions = vec![from, to];
    for _ in 0..3 {
        let mut finer = Vec::with_capacity(directions.len() * 2);
        for pair in directions.windows(2) {
            let sum = [pair[0][0] + pair[1][0], pair[0][1] + pair[1][1]];
            let length = (sum[0] * sum[0] + sum[1] * sum[1]).sqrt();
            finer.extend([pair[0], [sum[0] / length, sum[1] / length]]);
        }
        finer.push(to);
        directions = finer;
    }
    directions
}

/// `parts + 1` values from `from` to `to`, both exact.
pub fn spread(from: f64, to: f64, parts: usize) -> Vec<f64> {
    let at = |i| if i == parts { to } else { from + (to - from) * i as f64 / parts as f64 };
    (0..=parts).map(at).collect()
}

/// A place on the outline of the field, seen from above.
#[derive(Clone, Copy, Debug)]
pub struct Station {
    /// Where the wall stands.
    pub at: [f64; 2],
    /// Unit vector from the wall into the field.
    pub inward: [f64; 2],
    /// Radius of the ramp between floor and wall.
    pub lower_radius: f64,
}

/// A point of a wall's cross section.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// Distance from the wall into the field.
    pub inset: f64,
    /// Height above the floor.
    pub z: f64,
    /// Inward and upward parts of the direction the surface faces, over the rung below.
    pub facing: [f64; 2],
}

/// The ramp from the floor to a wall.
pub fn lower_ramp(radius: f64) -> Vec<Rung> {
    let rung = |[inset, drop]: [f64; 2]| Rung {
        inset: radius - radius * inset,
        z: radius - radius * drop,
        facing: [1.0, 1.0],
    };
    arc([0.0, 1.0], [1.0, 0.0]).into_iter().map(rung).collect()
}

/// The ramp from a wall to the ceiling.
pub fn upper_ramp(radius: f64, ceiling: f64) -> Vec<Rung> {
    let rung = |[inset, rise]: [f64; 2]| Rung {
        inset: radius - radius * inset,
        z: ceiling - radius + radius * rise,
        facing: [1.0, -1.0],
    };
    arc([1.0, 0.0], [0.0, 1.0]).into_iter().map(rung).collect()
}

/// The upright part of a wall.
pub fn upright(heights: &[f64]) -> Vec<Rung> {
    heights.iter().map(|&z| Rung { inset: 0.0, z, facing: [1.0, 0.0] }).collect()
}

/// Draws the cross section of a wall along its outline. Every station has as many rungs.
pub fn sweep(stations: &[Station], rungs: impl Fn(&Station) -> Vec<Rung>) -> Surface {
    let line = |station: &Station| -> (Vec<Point>, Vec<Point>) {
        let [x, y] = station.inward;
        let place = |rung: Rung| {
            let at = [station.at[0] + x * rung.inset, station.at[1] + y * rung.inset, rung.z];
            (at, [x * rung.facing[0], y * rung.facing[0], rung.facing[1]])
        };
        rungs(station).into_iter().map(place).unzip()
    };
    let mut surface = Surface::default();
    for pair in stations.windows(2) {
        let ((from, inward), (to, _)) = (line(&pair[0]), line(&pair[1]));
        surface.strip(&from, &to, &inward);
    }
    surface
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_turn_evenly() {
        let directions = arc([1.0, 0.0], [0.0, 1.0]);
        assert_eq!(directions.len(), 9);
        for (i, direction) in directions.iter().enumerate() {
            let angle = std::f64::consts::FRAC_PI_2 * i as f64 / 8.0;
            assert!((direction[0] - angle.cos()).abs() < 1e-12);
            assert!((direction[1] - angle.sin()).abs() < 1e-12);
        }
    }

    #[test]
    fn faces_turn_inward_in_every_quadrant() {
        let mut surface = Surface::default();
        let rim = [[5.0, 0.0, 0.0], [5.0, 1.0, 0.0], [5.0, 1.0, 1.0], [5.0, 0.0, 1.0]];
        surface.quad(rim, [-1.0, 0.0, 0.0]);
        for (x, y) in [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)] {
            for triangle in surface.reflected(x, y).triangles {
                assert!(normal(triangle)[0] * x < 0.0);
            }
        }
    }

    #[test]
    fn ramps_touch_floor_wall_and_ceiling() {
        let lower = lower_ramp(256.0);
        assert_eq!((lower[0].inset, lower[0].z), (256.0, 0.0));
        assert_eq!((lower[8].inset, lower[8].z), (0.0, 256.0));
        let upper = upper_ramp(512.0, 2048.0);
        assert_eq!((upper[0].inset, upper[0].z), (0.0, 1536.0));
        assert_eq!((upper[8].inset, upper[8].z), (512.0, 2048.0));
    }
}
