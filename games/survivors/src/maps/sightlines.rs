//! What is seen from where, computed from the walls of a board and written as the game writes it.
//!
//! Five lines join two areas at the height of the eyes: middle to middle and corner to corner. One that
//! gets through makes them partly visible, all five wholly. Areas of a room see nearly the same, so all
//! but the first of a room may inherit its list and name only what differs, where that is shorter.

use super::board::{Board, TILE_UNITS};
use super::carve::Plot;
use crate::nav::{Area, Mesh, Point, Visible};

/// How high eyes are.
const EYE_UNITS: f32 = 60.0;
/// Farther than infected appear: nothing is asked about what lies beyond. facts/survivors.md §5:
/// z_discard_range 2500.
const FAR_UNITS: f32 = 2500.0;
const PARTLY: u8 = 1;
const WHOLLY: u8 = 3;

/// Fills in the visibility lists.
pub(super) fn look(board: &Board, plots: &[Plot], mesh: &mut Mesh) {
    let eyes: Vec<[Point; 5]> = mesh.areas.iter().map(eyes).collect();
    let mut lists: Vec<Vec<Visible>> = vec![Vec::new(); eyes.len()];
    for here in 0..eyes.len() {
        for there in here..eyes.len() {
            let attributes = between(board, &eyes[here], &eyes[there]);
            if attributes == 0 {
                continue;
            }
            lists[here].push(Visible { area: there as u32, attributes });
            if here != there {
                lists[there].push(Visible { area: here as u32, attributes });
            }
        }
    }
    for list in &mut lists {
        list.sort_unstable_by_key(|seen| seen.area);
    }
    let mut first_of_room = vec![None; board.rooms.len()];
    for area in 0..mesh.areas.len() {
        let first = *first_of_room[usize::from(plots[area].room)].get_or_insert(area);
        let changes = changes(&lists[first], &lists[area]);
        let one = &mut mesh.areas[area];
        if first != area && changes.len() < lists[area].len() {
            one.visible = changes;
            one.inherits = first as u32 + 1;
        } else {
            one.visible = lists[area].clone();
        }
    }
}

/// The middle and the four corners, half a tile inside.
fn eyes(area: &Area) -> [Point; 5] {
    let inset = TILE_UNITS / 2.0;
    let at = |x: f32, y: f32| [x, y, area.height(x, y) + EYE_UNITS];
    let (west, east) = (area.nw[0] + inset, area.se[0] - inset);
    let (north, south) = (area.nw[1] + inset, area.se[1] - inset);
    [
        at(west.midpoint(east), north.midpoint(south)),
        at(west, north),
        at(east, north),
        at(east, south),
        at(west, south),
    ]
}

fn between(board: &Board, here: &[Point; 5], there: &[Point; 5]) -> u8 {
    let [dx, dy] = [here[0][0] - there[0][0], here[0][1] - there[0][1]];
    if dx * dx + dy * dy > FAR_UNITS * FAR_UNITS {
        return 0;
    }
    match here.iter().zip(there).filter(|(a, b)| board.clear(**a, **b)).count() {
        0 => 0,
        5 => WHOLLY,
        _ => PARTLY,
    }
}

/// What turns one list into another: both are sorted.
fn changes(from: &[Visible], to: &[Visible]) -> Vec<Visible> {
    let mut changes = Vec::new();
    let mut old = from.iter().peekable();
    for seen in to {
        while let Some(gone) = old.next_if(|entry| entry.area < seen.area) {
            changes.push(Visible { area: gone.area, attributes: 0 });
        }
        if old.next_if(|entry| entry.area == seen.area) != Some(seen) {
            changes.push(*seen);
        }
    }
    changes.extend(old.map(|gone| Visible { area: gone.area, attributes: 0 }));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_turn_one_list_into_the_other() {
        let list = |entries: &[(u32, u8)]| -> Vec<Visible> {
            entries.iter().map(|&(area, attributes)| Visible { area, attributes }).collect()
        };
        let from = list(&[(1, 3), (2, 1), (5, 1), (9, 3)]);
        let to = list(&[(0, 1), (1, 3), (5, 3), (7, 1)]);
        let expected = list(&[(0, 1), (2, 0), (5, 3), (7, 1), (9, 0)]);
        assert_eq!(changes(&from, &to), expected);
        assert!(changes(&from, &from).is_empty());
    }
}
