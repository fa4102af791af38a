//! Lifts: what a mesh marks but does not connect.
//!
//! Areas that a lift stops at carry [`ELEVATOR`], on every storey, and no connection leads from one stop
//! to the next. Without them a hotel has no way down but out of a window: on c1m1_hotel the shortest way
//! over connections alone falls 1,119 units. Each pair of stops, one above the other, becomes a ladder
//! that is not in the file.

use std::collections::BTreeMap;

use super::attributes::ELEVATOR;
use super::links::JUMP_UNITS;
use super::mesh::{Area, Ladder, Mesh};

/// Sixteen areas have the mark where there is a lift: where thousands have it, it means something else.
const MOST_MARKED: usize = 2048;

/// The ladders that stand for lifts, shafts in the order of their first area and stops from below.
pub(super) fn lifts(mesh: &Mesh) -> Vec<Ladder> {
    let marked: Vec<usize> =
        (0..mesh.areas.len()).filter(|area| mesh.areas[*area].flags & ELEVATOR != 0).collect();
    let mut ladders: Vec<Ladder> = Vec::new();
    if marked.len() > MOST_MARKED {
        return ladders;
    }
    let stops = stops(mesh, &marked);
    for (number, stop) in stops.iter().enumerate() {
        // The next stop above with ground over this one's: a lift passes no storey by.
        let above = stops.iter().enumerate().filter(|(other, _)| *other != number);
        let above = above.filter_map(|(_, other)| widest(mesh, stop, other));
        let next = above
            .filter(|join| join.rise > JUMP_UNITS)
            .min_by(|a, b| a.rise.total_cmp(&b.rise).then(a.high.cmp(&b.high)));
        ladders.extend(next.map(|join| join.ladder(mesh)));
    }
    ladders
}

/// Marked areas that are connected with one another.
fn stops(mesh: &Mesh, marked: &[usize]) -> Vec<Vec<usize>> {
    let by_id: BTreeMap<u32, usize> =
        marked.iter().rev().map(|area| (mesh.areas[*area].id, *area)).collect();
    let mut stop_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut stops: Vec<Vec<usize>> = Vec::new();
    for first in marked {
        if stop_of.contains_key(first) {
            continue;
        }
        let mut open = vec![*first];
        let mut stop = Vec::new();
        stop_of.insert(*first, stops.len());
        while let Some(area) = open.pop() {
            stop.push(area);
            for id in mesh.areas[area].connections.iter().flatten() {
                let Some(next) = by_id.get(id).filter(|next| !stop_of.contains_key(next)) else {
                    continue;
                };
                stop_of.insert(*next, stops.len());
                open.push(*next);
            }
        }
        stop.sort_unstable();
        stops.push(stop);
    }
    stops
}

/// Two areas of different stops, one above the other.
struct Join {
    low: usize,
    high: usize,
    shared: f32,
    rise: f32,
}

/// The pair of areas of two stops that share most ground, the second stop being the higher.
fn widest(mesh: &Mesh, low: &[usize], high: &[usize]) -> Option<Join> {
    let mut best: Option<Join> = None;
    for &a in low {
        for &b in high {
            let shared = shared(&mesh.areas[a], &mesh.areas[b]);
            let wider = best.as_ref().is_none_or(|best| shared > best.shared);
            if shared > 0.0 && wider {
                let rise = mesh.areas[b].nw[2] - mesh.areas[a].nw[2];
                best = Some(Join { low: a, high: b, shared, rise });
            }
        }
    }
    best
}

/// The ground that two areas share, seen from above.
fn shared(a: &Area, b: &Area) -> f32 {
    let side = |axis: usize| (a.se[axis].min(b.se[axis]) - a.nw[axis].max(b.nw[axis])).max(0.0);
    side(0) * side(1)
}

impl Join {
    fn ladder(&self, mesh: &Mesh) -> Ladder {
        let (low, high) = (&mesh.areas[self.low], &mesh.areas[self.high]);
        let middle =
            |axis: usize| low.nw[axis].max(high.nw[axis]).midpoint(low.se[axis].min(high.se[axis]));
        let (x, y) = (middle(0), middle(1));
        let (bottom, top) = (low.height(x, y), high.height(x, y));
        Ladder {
            id: 0,
            width: (low.se[0] - low.nw[0]).abs(),
            top: [x, y, top],
            bottom: [x, y, bottom],
            length: top - bottom,
            direction: 0,
            top_forward: high.id,
            top_left: 0,
            top_right: 0,
            top_behind: 0,
            bottom_area: low.id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(id: u32, x: f32, z: f32, flags: u32) -> Area {
        let mut area = Area::plain(id, [x, 0.0, z], [x + 100.0, 100.0, z]);
        area.flags = flags;
        area
    }

    #[test]
    fn a_lift_joins_each_stop_with_the_next() {
        let mut mesh = Mesh::empty();
        mesh.areas = vec![
            area(1, 0.0, 0.0, ELEVATOR),
            area(2, 100.0, 0.0, ELEVATOR),
            area(3, 20.0, 700.0, ELEVATOR),
            area(4, 0.0, 300.0, ELEVATOR),
            area(5, 0.0, 500.0, 0),
            area(6, 900.0, 300.0, ELEVATOR),
        ];
        mesh.areas[0].connections[1].push(2);
        mesh.areas[1].connections[3].push(1);
        let joined: Vec<(u32, u32, f32)> = lifts(&mesh)
            .iter()
            .map(|ladder| (ladder.bottom_area, ladder.top_forward, ladder.length))
            .collect();
        assert_eq!(joined, [(1, 4, 300.0), (4, 3, 400.0)]);
    }
}
