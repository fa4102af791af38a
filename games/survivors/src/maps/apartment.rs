//! `apartment`: a block of flats, 4,500 units from the top storey to the ground.
//!
//! The way runs along three storeys, east, west and east again. Each has a corridor between two rows of
//! flats; where rubble blocks the corridor of the middle storey, a way leads through broken walls. Stairs
//! stand at the ends. A hole in a floor drops into the flat below, and ladders in two shafts save the
//! stairs.

use lanista_game::seed::Rng;
use rand::RngExt;

use super::board::{Board, Room, Rungs};
use crate::nav::attributes::{
    BATTLEFIELD, CHECKPOINT, EMPTY, LYINGDOWN, NO_MOBS, NOTHREAT, OBSCURED, PLAYER_START,
    RESCUE_CLOSET, THREAT,
};

const STOREY_UNITS: f32 = 136.0;
/// The first flat begins here, after the western stairs.
const WEST: usize = 6;
/// A flat and the wall after it.
const PITCH: usize = 13;
const FLAT: usize = PITCH - 1;
/// The wall after the last flat.
const EAST: usize = WEST + 4 * PITCH - 1;
const TOP: usize = 2;

pub(super) fn draw(rng: &mut Rng) -> Board {
    let bases = [0.0, STOREY_UNITS, 2.0 * STOREY_UNITS];
    let mut board = Board::new(EAST + 6, 27, &bases);
    board.population = "ours";
    board.places = vec!["safe room", "corridor", "flat", "stairwell"];
    for storey in 0..=TOP {
        let corridor = ground(&board, storey).longest(4).light(0.35).place(2);
        board.room(storey, [WEST, 13, EAST, 17], corridor);
    }
    // Always open: what the way needs, what the hole and the shafts join.
    let north = [[true, true, false, true], [true, true, true, true], [false, true, true, true]];
    for (storey, open) in north.into_iter().enumerate() {
        for (number, always) in open.into_iter().enumerate() {
            if always || rng.random_bool(0.5) {
                north_flat(&mut board, rng, storey, WEST + number * PITCH);
            }
        }
    }
    for (storey, number, bits) in
        [(1, 1, RESCUE_CLOSET), (2, 2, RESCUE_CLOSET), (0, 1, RESCUE_CLOSET)]
    {
        closet(&mut board, storey, WEST + number * PITCH + 2, bits | EMPTY | NO_MOBS | NOTHREAT);
    }
    for (storey, number) in [(0, 2), (1, 2), (2, 1)] {
        if rng.random_bool(0.6) {
            south_flat(&mut board, rng, storey, WEST + number * PITCH, 9);
        }
    }
    broken_walls(&mut board, rng);
    stairwell(&mut board, TOP - 1, EAST + 1, true);
    stairwell(&mut board, 0, 1, false);
    shaft(&mut board, rng, 1, WEST + 3 * PITCH);
    shaft(&mut board, rng, 0, WEST);
    hole(&mut board);
    ends(&mut board);
    board
}

fn ground(board: &Board, storey: usize) -> Room {
    Room::flat(board.bases[storey])
}

/// A front room at the corridor and two back rooms behind it.
fn north_flat(board: &mut Board, rng: &mut Rng, storey: usize, x: usize) {
    let room = ground(board, storey).longest(4).place(3);
    let door = ground(board, storey);
    let light = rng.random_range(0.15..0.6);
    let bits = if rng.random_bool(0.3) { LYINGDOWN } else { 0 };
    board.room(storey, [x, 6, x + FLAT, 12], room.clone().spawn(bits).light(light));
    let split = x + rng.random_range(5..=7);
    let back = if rng.random_bool(0.3) { THREAT } else { OBSCURED };
    board.room(storey, [x, 1, split, 5], room.clone().spawn(OBSCURED).light(0.1));
    board.room(storey, [split + 1, 1, x + FLAT, 5], room.spawn(back).light(0.1));
    board.room(storey, [x + 2, 5, x + 4, 6], door.clone());
    board.room(storey, [x + 9, 5, x + 11, 6], door.clone());
    let entrance = x + rng.random_range(2..=8);
    board.room(storey, [entrance, 12, entrance + 2, 13], door);
}

/// One room on the other side of the corridor.
fn south_flat(board: &mut Board, rng: &mut Rng, storey: usize, x: usize, width: usize) {
    let light = rng.random_range(0.15..0.6);
    let room = ground(board, storey).longest(4).place(3).light(light);
    board.room(storey, [x, 18, x + width, 25], room);
    board.room(storey, [x + 3, 17, x + 5, 18], ground(board, storey));
}

fn closet(board: &mut Board, storey: usize, x: usize, bits: u32) {
    board.room(storey, [x, 18, x + 4, 21], ground(board, storey).longest(4).spawn(bits).light(0.1));
    board.room(storey, [x + 1, 17, x + 3, 18], ground(board, storey));
}

/// Rubble in the corridor of the middle storey, and the ways around it through the flats; other walls
/// are broken by chance.
fn broken_walls(board: &mut Board, rng: &mut Rng) {
    let middle = WEST + 2 * PITCH - 1;
    board.block(1, [middle - 1, 13, middle + 1, 17]);
    for (storey, number, always) in [(1, 1, true), (1, 0, false), (1, 2, false), (2, 2, false)] {
        if always || rng.random_bool(0.6) {
            let x = WEST + (number + 1) * PITCH - 1;
            board.room(storey, [x, 8, x + 1, 10], ground(board, storey));
        }
    }
}

/// Stairs at an end of the corridor, from the landing on the upper storey down along y to a landing that
/// opens into a flat below.
fn stairwell(board: &mut Board, storey: usize, x: usize, east: bool) {
    let landing = |board: &Board, storey: usize| ground(board, storey).place(4).light(0.3);
    board.room(storey + 1, [x, 13, x + 4, 17], landing(board, storey + 1));
    board.stairs(storey, [x, 4, x + 4, 13], 1, true);
    board.room(storey, [x, 1, x + 4, 4], landing(board, storey));
    let wall = if east { x - 1 } else { x + 4 };
    board.room(storey + 1, [wall, 14, wall + 1, 16], ground(board, storey + 1));
    board.room(storey, [wall, 2, wall + 1, 4], ground(board, storey));
}

/// A ladder between two south rooms, one above the other.
fn shaft(board: &mut Board, rng: &mut Rng, storey: usize, x: usize) {
    south_flat(board, rng, storey, x, 6);
    south_flat(board, rng, storey + 1, x, 6);
    board.air(storey + 1, [x + 4, 22, x + 6, 25]);
    board.ladders.push(Rungs { foot: (storey, x + 4, 23), head: (storey + 1, x + 3, 23) });
}

/// A hole in the floor of the westernmost flat of the middle storey: a drop, and no way back.
fn hole(board: &mut Board) {
    let room = ground(board, 1).longest(4).place(3).light(0.4).ledge();
    board.room(1, [WEST, 6, WEST + FLAT, 12], room);
    board.air(1, [WEST + 4, 8, WEST + 8, 10]);
}

fn ends(board: &mut Board) {
    let safe = CHECKPOINT | EMPTY | NO_MOBS | NOTHREAT;
    let room = |board: &Board, storey: usize, bits: u32| {
        ground(board, storey).longest(3).spawn(bits).light(0.9).place(1)
    };
    board.block(TOP, [WEST, 1, WEST + FLAT, 13]);
    board.room(TOP, [WEST, 4, WEST + 9, 12], room(board, TOP, safe | PLAYER_START));
    board.room(TOP, [WEST + 3, 12, WEST + 5, 13], ground(board, TOP).spawn(NOTHREAT));
    let x = WEST + 3 * PITCH + 2;
    board.block(0, [x - 1, 17, x + 10, 26]);
    board.room(0, [x, 18, x + 9, 25], room(board, 0, safe));
    board.room(0, [x + 4, 17, x + 6, 18], ground(board, 0).spawn(NOTHREAT));
    // The lobby before it is wide enough for a last fight.
    board.room(0, [x - 6, 13, EAST, 17], ground(board, 0).longest(4).spawn(BATTLEFIELD).place(2));
}
