//! `street`: a road between houses, 6,000 units from end to end; of other seeds up to 18,000.
//!
//! The road runs east, bends, runs west, bends and runs east again, and so on. Houses stand between its stretches:
//! shops to enter, dead alleys with ladders, roofs to walk along and to drop from. Roofs have a parapet
//! on the far side, so that climbing one never saves a whole stretch of the road; only beside a bend does
//! a roof lead down to the next.

use lanista_game::seed::Rng;
use rand::RngExt;

use super::board::{Board, Room, Rungs};
use crate::nav::attributes::{
    BATTLEFIELD, CHECKPOINT, EMPTY, NO_MOBS, NOTHREAT, OBSCURED, PLAYER_START, RESCUE_CLOSET,
    THREAT,
};

const ROOF_UNITS: f32 = 144.0;
/// The rows of a stretch of road and of the houses after it.
const ROAD: usize = 10;
const HOUSES: usize = 14;
/// Where the road begins and ends, in tiles; safe rooms lie beyond.
const WEST: usize = 12;
const EAST: usize = 88;
/// How wide the road is where it bends.
const BEND: usize = 10;
const ALLEY: usize = 4;

/// How many stretches the road of a seed has: three, as `street` itself, five, seven or nine. A team that is
/// still whole after half a minute may not be so after three times that, so there are long ones to learn on.
pub(super) fn stretches(seed: u64) -> usize {
    3 + 2 * (seed.wrapping_sub(1) % 4) as usize
}

pub(super) fn draw(rng: &mut Rng, stretches: usize) -> Board {
    debug_assert!(stretches % 2 == 1, "the road ends in the east");
    let stretch = |number: usize| 2 + number * (ROAD + HOUSES);
    let mut board = Board::new(EAST + 12, stretch(stretches - 1) + ROAD + 2, &[0.0, ROOF_UNITS]);
    board.population = "ours";
    board.places = vec!["safe room", "road", "alley", "shop", "roof"];
    for number in 0..stretches {
        road(&mut board, rng, stretch(number));
    }
    // After an even stretch the road bends in the east, after an odd one in the west.
    let eastward = |number: usize| number.is_multiple_of(2);
    for number in 0..stretches - 1 {
        let x = if eastward(number) { EAST - BEND } else { WEST };
        bend(&mut board, x, stretch(number));
    }
    for number in 0..stretches - 1 {
        let (west, east) = if eastward(number) { (WEST, EAST - BEND) } else { (WEST + BEND, EAST) };
        houses(&mut board, rng, west, east, stretch(number));
    }
    safe_rooms(&mut board, stretch(0), stretch(stretches - 1));
    board
}

fn outdoors(place: u16) -> Room {
    Room::flat(0.0).light(0.6).place(place)
}

/// A stretch of road with pavements, cars to jump on and lorries to go around.
fn road(board: &mut Board, rng: &mut Rng, top: usize) {
    board.room(0, [WEST, top, EAST, top + 2], outdoors(2));
    board.room(0, [WEST, top + 2, EAST, top + 8], outdoors(2));
    board.room(0, [WEST, top + 8, EAST, top + ROAD], outdoors(2));
    board.air(1, [WEST, top, EAST, top + ROAD]);
    let mut x = WEST + BEND + 4;
    while x + BEND + 8 < EAST {
        let y = top + rng.random_range(2..=6);
        if rng.random_bool(0.3) {
            let y = y.min(top + 5);
            board.block(0, [x, y, x + 6, y + 3]);
        } else {
            let car = Room { longest: 4, ..Room::flat(40.0).light(0.6).place(2).spawn(EMPTY) };
            board.room(0, [x, y, x + 4, y + 2], car);
        }
        x += rng.random_range(9..=14);
    }
}

/// Where one stretch leads into the next: a wide place.
fn bend(board: &mut Board, x: usize, top: usize) {
    let (first, last) = (top + ROAD, top + ROAD + HOUSES);
    let field = outdoors(2).spawn(BATTLEFIELD).longest(4);
    board.room(0, [x, first, x + BEND, last], field);
    board.air(1, [x, first, x + BEND, last]);
}

/// The houses between a stretch and the next, each with a roof and, but for the last, an alley after it.
fn houses(board: &mut Board, rng: &mut Rng, west: usize, east: usize, road_top: usize) {
    let top = road_top + ROAD;
    let mut x = west;
    while x < east {
        let mut end = x + rng.random_range(11..=15);
        if end + ALLEY + 9 > east {
            end = east;
        }
        house(board, rng, [x, top, end, top + HOUSES]);
        if end < east {
            alley(board, rng, end, top);
        }
        x = end + ALLEY;
    }
}

fn house(board: &mut Board, rng: &mut Rng, [west, top, east, bottom]: [usize; 4]) {
    // The last row is a parapet.
    let roof = Room::flat(ROOF_UNITS).light(0.7).place(5).ledge();
    board.room(1, [west, top, east, bottom - 1], roof);
    if rng.random_bool(0.75) {
        shop(board, rng, [west + 1, top + 1, east - 1, bottom - 2]);
    }
}

/// A room with a door to the road, sometimes with a closet at its back.
fn shop(board: &mut Board, rng: &mut Rng, [west, top, east, bottom]: [usize; 4]) {
    let front = top + rng.random_range(5..=6);
    let room = Room::flat(0.0).light(0.3).place(4);
    let bits = if rng.random_bool(0.25) { THREAT } else { OBSCURED };
    board.room(0, [west, top, east, front], room.clone().spawn(bits));
    let door = rng.random_range(west + 1..east - 3);
    board.room(0, [door, top - 1, door + 2, top], Room::flat(0.0));
    let back = rng.random_range(west..east - 4);
    let bits = RESCUE_CLOSET | EMPTY | NO_MOBS | NOTHREAT;
    board.room(0, [back + 1, front, back + 3, front + 1], Room::flat(0.0));
    if rng.random_bool(0.4) {
        board.room(
            0,
            [back, front + 1, back + 4, front + 4],
            room.spawn(bits).light(0.1).longest(4),
        );
    } else {
        board.room(0, [west, front + 1, east, bottom], room.spawn(OBSCURED).light(0.1));
    }
}

/// A dead end with a ladder to the roof on its west, and planks across to the next roof.
fn alley(board: &mut Board, rng: &mut Rng, x: usize, top: usize) {
    let depth = rng.random_range(8..=11);
    let dark = Room::flat(0.0).light(0.15).place(3).spawn(OBSCURED);
    board.room(0, [x, top, x + ALLEY, top + depth], dark);
    board.air(1, [x, top, x + ALLEY, top + depth]);
    let planks = rng.random_range(top + 2..top + 5);
    let bridge = Room::flat(ROOF_UNITS).light(0.7).place(5).longest(4).ledge();
    board.room(1, [x, planks, x + ALLEY, planks + 2], bridge);
    let y = top + depth - 2;
    board.ladders.push(Rungs { foot: (0, x, y), head: (1, x - 1, y) });
}

fn safe_rooms(board: &mut Board, first: usize, last: usize) {
    let safe = CHECKPOINT | EMPTY | NO_MOBS | NOTHREAT;
    let room = |bits: u32| Room::flat(0.0).spawn(bits).light(0.9).place(1);
    let door = || Room::flat(0.0).spawn(NOTHREAT);
    board.room(0, [2, first + 1, WEST - 1, first + 9], room(safe | PLAYER_START));
    board.room(0, [WEST - 1, first + 4, WEST, first + 6], door());
    board.room(0, [EAST, last + 4, EAST + 1, last + 6], door());
    board.room(0, [EAST + 1, last + 1, EAST + 10, last + 9], room(safe));
}
