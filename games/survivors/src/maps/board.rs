//! A map as tiles: what a plan draws before it becomes areas.
//!
//! A tile is 25 units, as in the game's own meshes. Storeys lie above one another; on each, a tile is
//! solid, or floor of a room, or air without floor (a stairwell, the sky over a road). Walls are what
//! nobody drew: a door is a room one tile deep. So a plan cannot make areas that overlap, and what blocks
//! the way is the same thing that blocks the view.

use crate::nav::Point;

/// The side of a tile.
pub(super) const TILE_UNITS: f32 = 25.0;

/// What a tile of a storey is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tile {
    Solid,
    Air,
    Floor(u16),
}

/// How the ground of a room lies.
#[derive(Clone, Copy)]
pub(super) enum Ground {
    Flat(f32),
    /// From one height to another between two tile edges along x (axis 0) or y (axis 1).
    Ramp {
        axis: usize,
        from: (usize, f32),
        to: (usize, f32),
    },
}

/// Tiles that belong together and are alike.
#[derive(Clone)]
pub(super) struct Room {
    pub ground: Ground,
    pub flags: u32,
    pub spawn: u32,
    pub light: f32,
    /// The longest side of its areas, in tiles.
    pub longest: usize,
    /// Whether one may drop off its edges.
    pub ledge: bool,
    /// Number of its place, counted from one.
    pub place: u16,
}

impl Room {
    /// A flat lit room.
    pub fn flat(z: f32) -> Self {
        let ground = Ground::Flat(z);
        Self { ground, flags: 0, spawn: 0, light: 0.5, longest: 3, ledge: false, place: 0 }
    }

    /// The same with other spawn bits.
    pub fn spawn(mut self, bits: u32) -> Self {
        self.spawn = bits;
        self
    }

    /// The same with other light.
    pub fn light(mut self, light: f32) -> Self {
        self.light = light;
        self
    }

    /// The same with areas up to so many tiles long.
    pub fn longest(mut self, tiles: usize) -> Self {
        self.longest = tiles;
        self
    }

    /// The same with edges to drop off.
    pub fn ledge(mut self) -> Self {
        self.ledge = true;
        self
    }

    /// The same in a place with a name.
    pub fn place(mut self, number: u16) -> Self {
        self.place = number;
        self
    }

    /// The height of the ground at a corner of a tile.
    pub fn height(&self, x: usize, y: usize) -> f32 {
        match self.ground {
            Ground::Flat(z) => z,
            Ground::Ramp { axis, from, to } => {
                let at = [x, y][axis] as f32;
                let share = (at - from.0 as f32) / (to.0 as f32 - from.0 as f32);
                from.1 + (to.1 - from.1) * share.clamp(0.0, 1.0)
            }
        }
    }
}

/// A rectangle of tiles: left, top, right, bottom, the last two beyond it.
pub(super) type Rect = [usize; 4];

/// A ladder between two tiles side by side on different storeys.
#[derive(Clone, Copy)]
pub(super) struct Rungs {
    pub foot: (usize, usize, usize),
    pub head: (usize, usize, usize),
}

/// All storeys of a map.
pub(super) struct Board {
    pub columns: usize,
    pub rows: usize,
    /// The height at which each storey begins.
    pub bases: Vec<f32>,
    storeys: Vec<Vec<Tile>>,
    pub rooms: Vec<Room>,
    pub ladders: Vec<Rungs>,
    pub places: Vec<&'static str>,
    pub population: &'static str,
}

impl Board {
    pub fn new(columns: usize, rows: usize, bases: &[f32]) -> Self {
        Self {
            columns,
            rows,
            bases: bases.to_vec(),
            storeys: vec![vec![Tile::Solid; columns * rows]; bases.len()],
            rooms: Vec::new(),
            ladders: Vec::new(),
            places: Vec::new(),
            population: "",
        }
    }

    pub fn tile(&self, storey: usize, x: usize, y: usize) -> Tile {
        if x >= self.columns || y >= self.rows {
            return Tile::Solid;
        }
        self.storeys.get(storey).map_or(Tile::Solid, |tiles| tiles[y * self.columns + x])
    }

    /// Draws a new room over whatever was there.
    pub fn room(&mut self, storey: usize, rect: Rect, room: Room) {
        let number = self.rooms.len() as u16;
        self.rooms.push(room);
        self.paint(storey, rect, Tile::Floor(number));
    }

    /// Makes tiles solid.
    pub fn block(&mut self, storey: usize, rect: Rect) {
        self.paint(storey, rect, Tile::Solid);
    }

    /// Makes tiles air: a hole in the floor, or sky.
    pub fn air(&mut self, storey: usize, rect: Rect) {
        self.paint(storey, rect, Tile::Air);
    }

    /// Stairs that rise along x or y from one edge to the other, with the hole above them.
    pub fn stairs(&mut self, storey: usize, rect: Rect, axis: usize, up_to_the_end: bool) {
        let [low, high] = [rect[axis], rect[axis + 2]];
        let (bottom, top) = (self.bases[storey], self.bases[storey + 1]);
        let (from, to) =
            if up_to_the_end { ((low, bottom), (high, top)) } else { ((high, bottom), (low, top)) };
        let ground = Ground::Ramp { axis, from, to };
        let flags = crate::nav::attributes::STAIRS;
        let spawn = crate::nav::attributes::NOTHREAT;
        self.room(storey, rect, Room { ground, flags, spawn, longest: 2, ..Room::flat(0.0) });
        self.air(storey + 1, rect);
    }

    fn paint(&mut self, storey: usize, [left, top, right, bottom]: Rect, tile: Tile) {
        for y in top..bottom.min(self.rows) {
            for x in left..right.min(self.columns) {
                self.storeys[storey][y * self.columns + x] = tile;
            }
        }
    }

    /// Whether a straight line through the air meets neither wall nor floor.
    pub fn clear(&self, from: Point, to: Point) -> bool {
        // Shorter than a wall is thick.
        const STEP: f32 = 20.0;
        let delta = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
        let length = (delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2]).sqrt();
        let steps = (length / STEP).ceil().max(1.0);
        let tile_at = |share: f32| {
            let x = ((from[0] + delta[0] * share) / TILE_UNITS) as usize;
            let y = ((from[1] + delta[1] * share) / TILE_UNITS) as usize;
            (x, y)
        };
        let mut before = self.storey_at(from[2]);
        if before == self.storey_at(from[2] + delta[2]) {
            // Nearly all lines: heights in between are of the same storey, and there are millions of them.
            return (0..=steps as usize).all(|step| {
                let (x, y) = tile_at(step as f32 / steps);
                self.tile(before, x, y) != Tile::Solid
            });
        }
        for step in 0..=steps as usize {
            let share = step as f32 / steps;
            let (x, y) = tile_at(share);
            let storey = self.storey_at(from[2] + delta[2] * share);
            if self.tile(storey, x, y) == Tile::Solid {
                return false;
            }
            // Through a floor only where there is none.
            if storey != before && self.tile(storey.max(before), x, y) != Tile::Air {
                return false;
            }
            before = storey;
        }
        true
    }

    fn storey_at(&self, z: f32) -> usize {
        self.bases.iter().rposition(|base| *base <= z).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_hides_and_a_door_does_not() {
        let mut board = Board::new(21, 10, &[0.0]);
        board.room(0, [0, 0, 10, 10], Room::flat(0.0));
        board.room(0, [11, 0, 21, 10], Room::flat(0.0));
        let (west, east) = ([100.0, 130.0, 60.0], [400.0, 130.0, 60.0]);
        assert!(!board.clear(west, east));
        board.room(0, [10, 4, 11, 6], Room::flat(0.0));
        assert!(board.clear(west, east) && board.clear(east, west));
        assert!(!board.clear([100.0, 20.0, 60.0], [400.0, 20.0, 60.0]));
    }

    #[test]
    fn a_floor_hides_and_a_hole_does_not() {
        let mut board = Board::new(10, 10, &[0.0, 128.0]);
        board.room(0, [0, 0, 10, 10], Room::flat(0.0));
        board.room(1, [0, 0, 10, 10], Room::flat(128.0));
        let (low, high) = ([125.0, 125.0, 60.0], [130.0, 130.0, 190.0]);
        assert!(!board.clear(low, high));
        board.air(1, [4, 4, 6, 6]);
        assert!(board.clear(low, high) && board.clear(high, low));
    }

    #[test]
    fn stairs_join_two_heights() {
        let mut board = Board::new(10, 10, &[0.0, 128.0]);
        board.stairs(0, [2, 2, 8, 4], 0, true);
        let stairs = &board.rooms[0];
        assert_eq!(
            (stairs.height(2, 2), stairs.height(5, 3), stairs.height(8, 2)),
            (0.0, 64.0, 128.0)
        );
        assert!(board.tile(1, 3, 3) == Tile::Air);
    }
}
