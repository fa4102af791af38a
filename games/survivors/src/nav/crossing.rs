//! Where one leaves an area by one of its sides and enters another.

use std::ops::Range;

use super::grid::{Grid, STEP_UNITS};
use super::mesh::{Area, Point};

/// How far beyond an edge one looks for ground.
const BEYOND_UNITS: f32 = 4.0;
/// At how many places of an edge.
const SAMPLES: usize = 16;
/// So far inside the other area one arrives who passes a corner. Half a hull.
const INSIDE_UNITS: f32 = 16.0;
/// Areas that are no farther apart touch.
const TOUCH_UNITS: f32 = 0.5;
/// Ground that lies so much higher covers other ground.
const COVER_UNITS: f32 = 0.5;

/// The piece of an edge that two areas share, and the places to leave from and to arrive at.
pub(super) struct Crossing {
    /// The axis along which the edge runs: 0 is x.
    along: usize,
    /// Which way is out of the first area on the other axis.
    outward: f32,
    /// Where the edge lies on the other axis, in the first area and in the second.
    edges: [f32; 2],
    low: f32,
    high: f32,
    /// The place to leave from.
    pub from: Point,
    /// The place to arrive at.
    pub to: Point,
}

impl Crossing {
    /// Sides are numbered as in the file: 0 north (least y), 1 east, 2 south, 3 west.
    pub fn new(here: &Area, there: &Area, side: usize) -> Self {
        let along = side % 2;
        let ([low_a, high_a], [low_b, high_b]) = (extent(here, along), extent(there, along));
        let ([near_a, far_a], [near_b, far_b]) =
            (extent(here, 1 - along), extent(there, 1 - along));
        let (edge, outward) = if side == 0 || side == 3 { (near_a, -1.0) } else { (far_a, 1.0) };
        let (mut low, mut high) = (low_a.max(low_b), high_a.min(high_b));
        if low > high {
            // They pass each other by: the way goes between the two nearest corners.
            low = low.midpoint(high);
            high = low;
        }
        // The other area may begin beyond a gap, or reach in below this one.
        let edges = [edge, edge.clamp(near_b, far_b)];
        let mut crossing = Self { along, outward, edges, low, high, from: [0.0; 3], to: [0.0; 3] };
        crossing.stand(here, there, low.midpoint(high));
        // In the middle, unless a slope runs along the edge and makes another place less steep.
        for share in [0.25, 0.75, 0.05, 0.95] {
            let steep = crossing.rise().abs();
            if steep <= STEP_UNITS {
                break;
            }
            let middle = (crossing.from, crossing.to);
            crossing.stand(here, there, low + (high - low) * share);
            if crossing.rise().abs() >= steep {
                (crossing.from, crossing.to) = middle;
            }
        }
        let gap = (crossing.to[0] - crossing.from[0]).hypot(crossing.to[1] - crossing.from[1]);
        if low == high && gap <= TOUCH_UNITS {
            crossing.arrive_inside(there);
        }
        crossing
    }

    /// Where two areas share no more than a corner, nobody walks over exactly that point, and a third area may
    /// have it too. With an arrival apart from it the link is one that is leapt over.
    fn arrive_inside(&mut self, there: &Area) {
        let [low, high] = extent(there, self.along);
        let [near, far] = extent(there, 1 - self.along);
        let middle = low.midpoint(high);
        let inward = (middle - self.low).clamp(-INSIDE_UNITS, INSIDE_UNITS);
        let across = (self.edges[1] + self.outward * INSIDE_UNITS).clamp(near, far);
        self.to = place(there, self.along, across, self.low + inward);
    }

    /// How much higher the arrival is.
    pub fn rise(&self) -> f32 {
        self.to[2] - self.from[2]
    }

    /// The segment x0, y0, x1, y1 of the first area's edge.
    pub fn portal(&self) -> [f32; 4] {
        let edge = self.edges[0];
        if self.along == 0 {
            [self.low, edge, self.high, edge]
        } else {
            [edge, self.low, edge, self.high]
        }
    }

    /// Narrows a drop to the longest piece of the edge beyond which no ground is level with it: around a
    /// hole in a floor, the floor goes on to the left and to the right.
    pub fn keep_to_the_brink(&mut self, here: &Area, there: &Area, grid: &Grid) {
        let open = |mut p: Point| {
            let z = p[2];
            p[1 - self.along] += self.outward * BEYOND_UNITS;
            let ground = grid.area_under(p).map(|area| grid.height(area, p[0], p[1]));
            ground.is_none_or(|ground| ground < z - STEP_UNITS)
        };
        let best = self.longest(here, open);
        self.narrow(here, there, best);
    }

    /// Narrows the way to the longest piece of the edge beyond which none of the other areas lies above this
    /// one and within a step: whoever passes under a ramp would walk up the ramp.
    pub fn keep_off_covers<'a>(
        &mut self,
        here: &Area,
        there: &Area,
        others: impl Iterator<Item = &'a Area> + Clone,
    ) {
        let open = |mut p: Point| {
            let z = p[2];
            p[1 - self.along] = self.edges[1] + self.outward * BEYOND_UNITS;
            let floor = there.height(p[0], p[1]) + COVER_UNITS;
            let covers = |other: &Area| {
                let within = |axis: usize| {
                    let [low, high] = extent(other, axis);
                    low <= p[axis] && p[axis] <= high
                };
                let top = other.height(p[0], p[1]);
                within(0) && within(1) && floor < top && top <= z + STEP_UNITS
            };
            !others.clone().any(covers)
        };
        let best = self.longest(here, open);
        self.narrow(here, there, best);
    }

    /// The longest piece of the edge of which every place is open, in samples.
    fn longest(&self, here: &Area, open: impl Fn(Point) -> bool) -> Range<usize> {
        let step = (self.high - self.low) / SAMPLES as f32;
        let middle = |sample: usize| self.low + (sample as f32 + 0.5) * step;
        let (mut best, mut begin) = (0..0, 0);
        for sample in 0..SAMPLES {
            if !open(place(here, self.along, self.edges[0], middle(sample))) {
                begin = sample + 1;
            } else if sample + 1 - begin > best.len() {
                best = begin..sample + 1;
            }
        }
        best
    }

    fn narrow(&mut self, here: &Area, there: &Area, best: Range<usize>) {
        // Without any such piece the file knows better than a look from above.
        if best.is_empty() || best.len() == SAMPLES {
            return;
        }
        let step = (self.high - self.low) / SAMPLES as f32;
        (self.low, self.high) =
            (self.low + best.start as f32 * step, self.low + best.end as f32 * step);
        self.stand(here, there, self.low.midpoint(self.high));
    }

    fn stand(&mut self, here: &Area, there: &Area, at: f32) {
        self.from = place(here, self.along, self.edges[0], at);
        self.to = place(there, self.along, self.edges[1], at);
    }
}

/// A place on the ground of an area, by where it is along an axis and across it.
fn place(area: &Area, along: usize, across: f32, at: f32) -> Point {
    let [low, high] = extent(area, along);
    let mut point = [across; 3];
    point[along] = at.clamp(low, high);
    point[2] = area.height(point[0], point[1]);
    point
}

/// The least and the greatest coordinate of an area along an axis.
pub(super) fn extent(area: &Area, axis: usize) -> [f32; 2] {
    [area.nw[axis].min(area.se[axis]), area.nw[axis].max(area.se[axis])]
}

#[cfg(test)]
mod tests {
    use super::super::Mesh;
    use super::*;

    #[test]
    fn a_drop_through_a_hole_stays_at_its_brink() {
        // A floor with a hole of 40 units in its middle row, over a wide room.
        let floor = |nw: [f32; 2], se: [f32; 2]| {
            Area::plain(1, [nw[0], nw[1], 128.0], [se[0], se[1], 128.0])
        };
        let mut mesh = Mesh::empty();
        mesh.areas = vec![
            floor([0.0, 0.0], [40.0, 100.0]),
            floor([40.0, 0.0], [80.0, 60.0]),
            Area::plain(3, [0.0, 0.0, 0.0], [200.0, 100.0, 0.0]),
        ];
        let grid = Grid::new(&mesh);
        let (here, there) = (&mesh.areas[0], &mesh.areas[2]);
        let mut crossing = Crossing::new(here, there, 1);
        assert_eq!((crossing.rise(), crossing.portal()), (-128.0, [40.0, 0.0, 40.0, 100.0]));
        crossing.keep_to_the_brink(here, there, &grid);
        let [x0, low, x1, high] = crossing.portal();
        assert_eq!((x0, x1, high), (40.0, 40.0, 100.0));
        assert!((60.0..70.0).contains(&low), "{low}");
        assert_eq!((crossing.from[0], crossing.to[0]), (40.0, 40.0));
        assert!(crossing.to[1] > 60.0 && crossing.to[2] == 0.0);
    }

    #[test]
    fn a_corner_is_passed_into_the_area_beyond() {
        let here = Area::plain(1, [50.0, 50.0, 109.0], [75.0, 100.0, 109.0]);
        let there = Area::plain(2, [0.0, 0.0, 0.0], [75.0, 50.0, 0.0]);
        let crossing = Crossing::new(&here, &there, 3);
        assert_eq!(crossing.portal(), [50.0, 50.0, 50.0, 50.0]);
        assert_eq!((crossing.from, crossing.to), ([50.0, 50.0, 109.0], [34.0, 34.0, 0.0]));
    }

    #[test]
    fn a_gap_is_crossed_from_edge_to_edge() {
        let here = Area::plain(1, [0.0, 0.0, 0.0], [100.0, 50.0, 0.0]);
        let there = Area::plain(2, [20.0, -75.0, 10.0], [200.0, -25.0, 10.0]);
        let crossing = Crossing::new(&here, &there, 0);
        assert_eq!(crossing.portal(), [20.0, 0.0, 100.0, 0.0]);
        assert_eq!((crossing.from, crossing.to), ([60.0, 0.0, 0.0], [60.0, -25.0, 10.0]));
    }
}
