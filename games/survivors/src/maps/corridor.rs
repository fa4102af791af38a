//! `corridor`: rooms along a line, 2,000 units from safe room to safe room.
//!
//! The smallest map on which everything can happen: doors to fight at, closets for the dead, dark rooms
//! that infected come from. An agent learns here in minutes.

use lanista_game::seed::Rng;
use rand::RngExt;

use super::board::{Board, Room};
use crate::nav::attributes::{
    BATTLEFIELD, CHECKPOINT, EMPTY, NO_MOBS, NOTHREAT, OBSCURED, PLAYER_START, RESCUE_CLOSET,
};

/// Where the last room before the goal ends, in tiles.
const LENGTH: usize = 78;

pub(super) fn draw(rng: &mut Rng) -> Board {
    let mut board = Board::new(LENGTH + 14, 17, &[0.0]);
    board.population = "ours";
    board.places = vec!["safe room", "hall"];
    let room = |bits: u32| Room::flat(0.0).longest(4).spawn(bits);
    let safe = CHECKPOINT | EMPTY | NO_MOBS | NOTHREAT;
    board.room(0, [1, 5, 9, 11], room(safe | PLAYER_START).light(0.9).place(1));
    let mut x = 9;
    let mut wide = false;
    while x < LENGTH {
        door(&mut board, x);
        x += 1;
        let longest = if wide { 14 } else { 11 };
        let end = (x + rng.random_range(longest - 3..=longest)).min(LENGTH);
        // Too short a rest is left to the goal's own door.
        let end = if LENGTH - end < 8 { LENGTH } else { end };
        if wide {
            let (top, bottom) = (rng.random_range(2..=4), rng.random_range(11..=12));
            let bits = if end - x > 11 { BATTLEFIELD } else { 0 };
            board.room(
                0,
                [x, top, end, bottom],
                room(bits).place(2).light(rng.random_range(0.3..0.7)),
            );
            closet(&mut board, rng, x, end, bottom);
        } else {
            board.room(0, [x, 6, end, 10], room(OBSCURED).light(0.2));
        }
        x = end;
        wide = !wide;
    }
    door(&mut board, x);
    board.room(0, [x + 1, 5, x + 9, 11], room(safe).light(0.9).place(1));
    board
}

fn door(board: &mut Board, x: usize) {
    board.room(0, [x, 7, x + 1, 9], Room::flat(0.0).spawn(NOTHREAT));
}

/// A closet behind the south wall of a room.
fn closet(board: &mut Board, rng: &mut Rng, west: usize, east: usize, bottom: usize) {
    let x = rng.random_range(west + 1..east - 4);
    board.room(0, [x + 1, bottom, x + 3, bottom + 1], Room::flat(0.0));
    let bits = RESCUE_CLOSET | EMPTY | NO_MOBS | NOTHREAT;
    board.room(
        0,
        [x, bottom + 1, x + 4, bottom + 4],
        Room::flat(0.0).longest(4).spawn(bits).light(0.1),
    );
}
