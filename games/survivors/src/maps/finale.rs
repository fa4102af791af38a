//! `finale`: an arena for a last stand, 3,000 units from the safe room to the rescue vehicle.
//!
//! Two rooms lead into a wide yard. A house with two roofs stands in its middle, and lower platforms
//! around it: each has a ladder up and edges to drop from. A long wall makes the way to the vehicle a
//! bow.

use lanista_game::seed::Rng;
use rand::RngExt;

use super::board::{Board, Room, Rungs};
use crate::nav::attributes::{
    BATTLEFIELD, BATTLESTATION, CHECKPOINT, EMPTY, FINALE, NO_MOBS, NOTHREAT, OBSCURED,
    PLAYER_START, RESCUE_CLOSET, RESCUE_VEHICLE,
};

const BASES: [f32; 3] = [0.0, 128.0, 256.0];
/// The yard: left, top, right, bottom.
const YARD: [usize; 4] = [28, 2, 88, 56];

pub(super) fn draw(rng: &mut Rng) -> Board {
    let mut board = Board::new(YARD[2] + 2, YARD[3] + 2, &BASES);
    board.population = "ours";
    board.places = vec!["safe room", "yard", "roof", "vehicle"];
    way_in(&mut board, rng);
    let yard = Room::flat(0.0).longest(4).light(0.5).place(2).spawn(FINALE | BATTLEFIELD);
    board.room(0, YARD, yard);
    board.air(1, YARD);
    board.air(2, YARD);
    wall(&mut board);
    house(&mut board, rng);
    for (x, y) in [(32, 6), (32, 44), (74, 8), (70, 44)] {
        let (x, y) = (x + rng.random_range(0..3), y + rng.random_range(0..3));
        platform(&mut board, rng, x, y);
    }
    crates(&mut board, rng);
    let vehicle = FINALE | RESCUE_VEHICLE | NO_MOBS;
    let room = Room::flat(0.0).longest(4).light(0.8).place(4).spawn(vehicle);
    board.room(0, [82, 22, 88, 30], room);
    board
}

/// The safe room and two rooms that lead from it into the yard.
fn way_in(board: &mut Board, rng: &mut Rng) {
    let safe = CHECKPOINT | PLAYER_START | EMPTY | NO_MOBS | NOTHREAT;
    board.room(0, [2, 4, 11, 12], Room::flat(0.0).spawn(safe).light(0.9).place(1));
    let door = || Room::flat(0.0).spawn(NOTHREAT);
    board.room(0, [5, 12, 7, 13], door());
    let dark = Room::flat(0.0).longest(4).light(0.2).spawn(OBSCURED);
    board.room(0, [2, 13, 11, 30], dark.clone());
    let y = rng.random_range(24..=26);
    board.room(0, [11, y, 12, y + 2], door());
    board.room(0, [12, 20, 27, 30], dark);
    board.room(0, [27, y - 2, 28, y], door());
    let closet = RESCUE_CLOSET | EMPTY | NO_MOBS | NOTHREAT;
    board.room(0, [16, 30, 18, 31], Room::flat(0.0));
    board.room(0, [15, 31, 19, 34], Room::flat(0.0).longest(4).spawn(closet).light(0.1));
}

/// From the north side nearly to the south, between the house and the vehicle.
fn wall(board: &mut Board) {
    for storey in 0..BASES.len() {
        board.block(storey, [66, YARD[1], 67, 42]);
    }
}

/// A solid house with a roof, and a smaller roof on top of that.
fn house(board: &mut Board, rng: &mut Rng) {
    let (x, y) = (46 + rng.random_range(0..3), 18 + rng.random_range(0..4));
    let bits = FINALE | BATTLESTATION;
    let roof = |z: f32| Room::flat(z).longest(4).light(0.7).place(3).spawn(bits).ledge();
    board.block(0, [x, y, x + 14, y + 14]);
    board.room(1, [x, y, x + 14, y + 14], roof(BASES[1]));
    board.block(1, [x + 4, y + 4, x + 10, y + 10]);
    board.room(2, [x + 4, y + 4, x + 10, y + 10], roof(BASES[2]));
    board.ladders.push(Rungs { foot: (0, x - 1, y + 6), head: (1, x, y + 6) });
    board.ladders.push(Rungs { foot: (0, x + 8, y + 14), head: (1, x + 8, y + 13) });
    board.ladders.push(Rungs { foot: (1, x + 6, y + 3), head: (2, x + 6, y + 4) });
}

fn platform(board: &mut Board, rng: &mut Rng, x: usize, y: usize) {
    let (width, depth) = (rng.random_range(5..=8), rng.random_range(5..=7));
    board.block(0, [x, y, x + width, y + depth]);
    let room = Room::flat(BASES[1]).longest(4).light(0.7).place(3);
    board.room(1, [x, y, x + width, y + depth], room.spawn(FINALE | BATTLESTATION).ledge());
    board.ladders.push(Rungs { foot: (0, x + 2, y + depth), head: (1, x + 2, y + depth - 1) });
}

/// Low things to jump on, and tall ones to hide behind, away from everything else.
fn crates(board: &mut Board, rng: &mut Rng) {
    for (x, y) in [(42, 8), (54, 8), (40, 34), (54, 46), (60, 40), (74, 22), (76, 34)] {
        let (x, y) = (x + rng.random_range(0..2), y + rng.random_range(0..3));
        if rng.random_bool(0.6) {
            let low = Room::flat(40.0).longest(4).light(0.5).place(2).spawn(FINALE | EMPTY);
            board.room(0, [x, y, x + 3, y + 3], low);
        } else {
            board.block(0, [x, y, x + 2, y + 4]);
        }
    }
}
