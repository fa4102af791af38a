//! How long a map is by the connections of its file, before anybody asks who could go that way.
//!
//! Real maps were measured like this elsewhere (facts/survivors.md §2), so the figures can be compared: from
//! centre to centre over every connection as it is stored, and over every ladder both ways at the length that
//! the file gives it. The centre is halfway between the two corners that the file has in full.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::attributes::PLAYER_START;
use super::mesh::{AreaIndex, Mesh};

/// The distance from the start to the farthest area of the goal that the stored connections lead to; none if
/// they lead to none of it.
///
/// Who begins in a room with `PLAYER_START` begins on those areas; in any other room, on its first area.
pub(super) fn connected_length(
    mesh: &Mesh,
    start: &[AreaIndex],
    goal: &[AreaIndex],
) -> Option<f32> {
    let room = || start.iter().map(|area| usize::from(*area));
    let mut from: Vec<usize> =
        room().filter(|area| mesh.areas[*area].spawn & PLAYER_START != 0).collect();
    if from.is_empty() {
        from.extend(room().next());
    }
    let away = distances(mesh, &from);
    let reached = goal.iter().map(|area| away[usize::from(*area)]).filter(|far| far.is_finite());
    reached.reduce(f64::max).map(|far| far as f32)
}

/// Dijkstra's search from several areas at once.
fn distances(mesh: &Mesh, sources: &[usize]) -> Vec<f64> {
    let edges = edges(mesh);
    let mut away = vec![f64::INFINITY; mesh.areas.len()];
    let mut open = BinaryHeap::new();
    for &source in sources {
        away[source] = 0.0;
        open.push((Reverse(0_f64.to_bits()), source));
    }
    while let Some((Reverse(bits), area)) = open.pop() {
        // Distances are not negative, and such floats sort as their bits do.
        let distance = f64::from_bits(bits);
        if distance > away[area] {
            continue;
        }
        for &(to, length) in &edges[area] {
            if distance + length < away[to] {
                away[to] = distance + length;
                open.push((Reverse(away[to].to_bits()), to));
            }
        }
    }
    away
}

/// Where one gets from every area, and how far that is.
fn edges(mesh: &Mesh) -> Vec<Vec<(usize, f64)>> {
    let numbers: HashMap<u32, usize> =
        mesh.areas.iter().enumerate().map(|(number, area)| (area.id, number)).collect();
    let center = |area: usize| {
        let area = &mesh.areas[area];
        [0, 1, 2].map(|axis| (f64::from(area.nw[axis]) + f64::from(area.se[axis])) / 2.0)
    };
    let mut edges = vec![Vec::new(); mesh.areas.len()];
    let mut join = |from: usize, to: usize, length: f64| {
        // A strange file may hold anything; what is no length is no way.
        if length.is_finite() && length >= 0.0 {
            edges[from].push((to, length));
        }
    };
    for (from, area) in mesh.areas.iter().enumerate() {
        for to in area.connections.iter().flatten().filter_map(|id| numbers.get(id)) {
            let (a, b) = (center(from), center(*to));
            let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
            join(from, *to, square.sqrt());
        }
    }
    for ladder in &mesh.ladders {
        let tops = [ladder.top_forward, ladder.top_left, ladder.top_right, ladder.top_behind];
        let Some(&bottom) = numbers.get(&ladder.bottom_area) else { continue };
        for &top in tops.iter().filter_map(|id| numbers.get(id)) {
            join(bottom, top, ladder.length.into());
            join(top, bottom, ladder.length.into());
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::super::mesh::{Area, Ladder};
    use super::*;

    /// Three areas in a row, the last of them 300 units up a ladder.
    fn storeys() -> Mesh {
        let mut mesh = Mesh::empty();
        for index in 0..3_u32 {
            let (x, z) = (index as f32 * 100.0, if index == 2 { 300.0 } else { 0.0 });
            mesh.areas.push(Area::plain(index + 1, [x, 0.0, z], [x + 100.0, 100.0, z]));
        }
        mesh.areas[0].connections[1] = vec![2];
        mesh.ladders.push(Ladder {
            id: 1,
            width: 20.0,
            top: [200.0, 50.0, 300.0],
            bottom: [200.0, 50.0, 0.0],
            length: 290.0,
            direction: 1,
            top_forward: 3,
            top_left: 0,
            top_right: 0,
            top_behind: 0,
            bottom_area: 2,
        });
        mesh
    }

    #[test]
    fn ladders_count_with_the_length_that_the_file_gives() {
        let mut mesh = storeys();
        assert_eq!(connected_length(&mesh, &[0], &[2]), Some(390.0));
        assert_eq!(connected_length(&mesh, &[0, 1], &[2]), Some(390.0), "from the first of a room");
        mesh.areas[1].spawn = PLAYER_START;
        assert_eq!(
            connected_length(&mesh, &[0, 1], &[2]),
            Some(290.0),
            "from where players appear"
        );
        assert_eq!(connected_length(&mesh, &[1], &[1]), Some(0.0));
    }

    #[test]
    fn without_a_way_there_is_no_length() {
        let mut mesh = storeys();
        assert_eq!(connected_length(&mesh, &[1], &[0]), None, "the connection leads one way");
        assert_eq!(connected_length(&mesh, &[1], &[0, 2]), Some(290.0), "to a part of the goal");
        mesh.ladders[0].length = f32::NAN;
        assert_eq!(connected_length(&mesh, &[0], &[2]), None, "a ladder of no length");
    }
}
