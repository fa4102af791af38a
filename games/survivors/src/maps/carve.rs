//! Tiles become areas, connections and ladders.

use rand::{Rng, RngExt};

use super::board::{Board, Rect, Rungs, TILE_UNITS, Tile};
use crate::nav::{Area, HidingSpot, JUMP_UNITS, Ladder, Mesh, STEP_UNITS, attributes};

/// The farthest that one drops on these maps: it hurts from 260 units on, and a plan hurts nobody.
const DROP_UNITS: f32 = 256.0;

/// An area while it is made.
#[derive(Clone, Copy)]
pub(super) struct Plot {
    pub storey: usize,
    pub rect: Rect,
    pub room: u16,
}

/// Makes the mesh of a board, all but its visibility. Gives the plots of the areas beside it.
pub(super) fn carve(board: &Board, rng: &mut impl Rng) -> (Mesh, Vec<Plot>) {
    let (plots, owners) = split(board, rng);
    let mut mesh = Mesh::empty();
    mesh.places = board.places.iter().map(|name| format!("{name}\0").into_bytes()).collect();
    mesh.population = board.population.as_bytes().to_vec();
    let mut spot_id = 0;
    for (index, plot) in plots.iter().enumerate() {
        let mut area = area(board, plot, index as u32 + 1);
        connect(board, &plots, &owners, index, &mut area);
        hiding_spots(board, plot, &mut spot_id, &mut area);
        mesh.areas.push(area);
    }
    for (number, rungs) in board.ladders.iter().enumerate() {
        if let Some(ladder) = ladder(board, &owners, rungs, number as u32 + 1) {
            mesh.areas[ladder.bottom_area as usize - 1].ladders_up.push(ladder.id);
            mesh.areas[ladder.top_forward as usize - 1].ladders_down.push(ladder.id);
            mesh.ladders.push(ladder);
        }
    }
    (mesh, plots)
}

/// Which plot has a tile, by storey, row and column.
type Owners = Vec<Vec<Option<usize>>>;

/// Cuts rooms into rectangles of chance sizes.
fn split(board: &Board, rng: &mut impl Rng) -> (Vec<Plot>, Owners) {
    let mut plots = Vec::new();
    let mut owners: Owners = vec![vec![None; board.columns * board.rows]; board.bases.len()];
    for storey in 0..board.bases.len() {
        for y in 0..board.rows {
            for x in 0..board.columns {
                let Tile::Floor(room) = board.tile(storey, x, y) else { continue };
                if owners[storey][y * board.columns + x].is_some() {
                    continue;
                }
                let free = |x: usize, y: usize| {
                    board.tile(storey, x, y) == Tile::Floor(room)
                        && owners[storey][y * board.columns + x].is_none()
                };
                let longest = board.rooms[usize::from(room)].longest;
                let run = (x..).take_while(|at| free(*at, y)).count();
                let width = length(run, longest, rng);
                let row_free = |y: usize| (x..x + width).all(|x| free(x, y));
                let run = (y..).take_while(|at| row_free(*at)).count();
                let height = length(run, longest, rng);
                for y in y..y + height {
                    owners[storey][y * board.columns + x..][..width].fill(Some(plots.len()));
                }
                plots.push(Plot { storey, rect: [x, y, x + width, y + height], room });
            }
        }
    }
    (plots, owners)
}

/// A side within a run of free tiles, leaving no sliver of one tile where it can be helped.
fn length(run: usize, longest: usize, rng: &mut impl Rng) -> usize {
    if run <= longest {
        return run;
    }
    let wanted = rng.random_range(longest.div_ceil(2).max(2)..=longest.max(2));
    if run == wanted + 1 { (wanted - 1).max(2) } else { wanted }
}

fn area(board: &Board, plot: &Plot, id: u32) -> Area {
    let room = &board.rooms[usize::from(plot.room)];
    let [left, top, right, bottom] = plot.rect;
    let at = |x: usize, y: usize| [x as f32 * TILE_UNITS, y as f32 * TILE_UNITS, room.height(x, y)];
    let mut area = Area::plain(id, at(left, top), at(right, bottom));
    area.ne_z = room.height(right, top);
    area.sw_z = room.height(left, bottom);
    area.flags = room.flags;
    area.spawn = room.spawn;
    area.light = [room.light; 4];
    area.place = room.place;
    area
}

/// The tiles beyond the four sides of a rectangle: north, east, south, west.
fn beyond([left, top, right, bottom]: Rect, side: usize) -> Vec<(usize, usize)> {
    match side {
        0 if top > 0 => (left..right).map(|x| (x, top - 1)).collect(),
        1 => (top..bottom).map(|y| (right, y)).collect(),
        2 => (left..right).map(|x| (x, bottom)).collect(),
        3 if left > 0 => (top..bottom).map(|y| (left - 1, y)).collect(),
        _ => Vec::new(),
    }
}

/// Connects an area with what touches it: level with it, a jump up or down, or below a ledge.
fn connect(board: &Board, plots: &[Plot], owners: &Owners, index: usize, area: &mut Area) {
    let plot = &plots[index];
    let ledge = board.rooms[usize::from(plot.room)].ledge;
    for side in 0..4 {
        let mut found = Vec::new();
        for (x, y) in beyond(plot.rect, side) {
            for storey in reachable(board, plot.storey, x, y) {
                let Some(other) = owners[storey][y * board.columns + x] else { continue };
                let rise = rise(board, plot, &plots[other], side);
                let level = rise.abs() <= STEP_UNITS;
                let jump = rise.abs() <= JUMP_UNITS - 1.0 && storey == plot.storey;
                let drop = ledge && (-DROP_UNITS..0.0).contains(&rise);
                if level || jump || drop {
                    found.push(other as u32 + 1);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        area.connections[side] = found;
    }
}

/// The storeys whose floor one could step to on a tile from beside it: this one, the first below where
/// there is no floor, and the next above at the head of stairs.
fn reachable(board: &Board, storey: usize, x: usize, y: usize) -> Vec<usize> {
    if x >= board.columns || y >= board.rows {
        return Vec::new();
    }
    let mut storeys = Vec::new();
    let below = (0..=storey).rev().find(|at| board.tile(*at, x, y) != Tile::Air);
    storeys.extend(below);
    if storey + 1 < board.bases.len() {
        storeys.push(storey + 1);
    }
    storeys
}

/// How much higher the ground of another plot is, in the middle of the edge that the two share.
fn rise(board: &Board, here: &Plot, there: &Plot, side: usize) -> f32 {
    let along = side % 2;
    let low = here.rect[along].max(there.rect[along]);
    let high = here.rect[along + 2].min(there.rect[along + 2]);
    // North and west lie at the first two numbers of a rectangle.
    let edge = here.rect[[1, 2, 3, 0][side]];
    let height = |plot: &Plot, at: usize| {
        let room = &board.rooms[usize::from(plot.room)];
        if along == 0 { room.height(at, edge) } else { room.height(edge, at) }
    };
    let middle = |plot: &Plot| height(plot, low).midpoint(height(plot, high));
    middle(there) - middle(here)
}

/// A spot in every corner of two walls, as items lie and infected wait; every other area that has no
/// corner but a wall has one there.
fn hiding_spots(board: &Board, plot: &Plot, next: &mut u32, area: &mut Area) {
    let [left, top, right, bottom] = plot.rect;
    let solid = |x: usize, y: usize| board.tile(plot.storey, x, y) == Tile::Solid;
    for (x, y) in [(left, top), (right - 1, top), (left, bottom - 1), (right - 1, bottom - 1)] {
        let beside =
            (x == left && solid(x.wrapping_sub(1), y)) || (x + 1 == right && solid(x + 1, y));
        let behind =
            (y == top && solid(x, y.wrapping_sub(1))) || (y + 1 == bottom && solid(x, y + 1));
        if beside && behind && area.flags & attributes::STAIRS == 0 {
            let [px, py] = [(x as f32 + 0.5) * TILE_UNITS, (y as f32 + 0.5) * TILE_UNITS];
            // 1 in cover, 8 exposed: light makes the difference here.
            let flags = if area.light[0] < 0.5 { 1 } else { 8 };
            let at = [px, py, area.height(px, py)];
            area.hiding_spots.push(HidingSpot { id: *next, at, flags });
            *next += 1;
        }
    }
    if area.hiding_spots.is_empty()
        && area.flags & attributes::STAIRS == 0
        && area.id.is_multiple_of(2)
    {
        let walled = |side: usize| {
            let tiles = beyond(plot.rect, side);
            tiles.is_empty() || tiles.into_iter().all(|(x, y)| solid(x, y))
        };
        let inset = TILE_UNITS / 2.0;
        let (middle_x, middle_y) =
            (area.nw[0].midpoint(area.se[0]), area.nw[1].midpoint(area.se[1]));
        let places = [
            (middle_x, area.nw[1] + inset),
            (area.se[0] - inset, middle_y),
            (middle_x, area.se[1] - inset),
            (area.nw[0] + inset, middle_y),
        ];
        if let Some(side) = (0..4).find(|side| walled(*side)) {
            let (x, y) = places[side];
            let at = [x, y, area.height(x, y)];
            area.hiding_spots.push(HidingSpot { id: *next, at, flags: 8 });
            *next += 1;
        }
    }
}

fn ladder(board: &Board, owners: &Owners, rungs: &Rungs, id: u32) -> Option<Ladder> {
    let owner = |(storey, x, y): (usize, usize, usize)| {
        owners[storey][y * board.columns + x].map(|plot| plot as u32 + 1)
    };
    let ((low, foot_x, foot_y), (high, head_x, head_y)) = (rungs.foot, rungs.head);
    let (bottom_area, top_forward) = (owner(rungs.foot)?, owner(rungs.head)?);
    let middle = |a: usize, b: usize| (a + b + 1) as f32 * 0.5 * TILE_UNITS;
    let (x, y) = (middle(foot_x, head_x), middle(foot_y, head_y));
    let (bottom, top) = (board.bases[low], board.bases[high]);
    // It faces whoever stands at its foot: 0 north, 1 east, 2 south, 3 west.
    let direction = match (foot_x.cmp(&head_x), foot_y.cmp(&head_y)) {
        (_, std::cmp::Ordering::Less) => 0,
        (std::cmp::Ordering::Greater, _) => 1,
        (_, std::cmp::Ordering::Greater) => 2,
        _ => 3,
    };
    Some(Ladder {
        id,
        width: 32.0,
        top: [x, y, top],
        bottom: [x, y, bottom],
        length: top - bottom,
        direction,
        top_forward,
        top_left: 0,
        top_right: 0,
        top_behind: 0,
        bottom_area,
    })
}
