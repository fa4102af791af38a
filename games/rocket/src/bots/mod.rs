//! Scripted players.
//!
//! A scripted player thinks in continuous controls, a [`Wish`], and plays the legal row of the
//! action table that comes nearest to it. All of them are functions of the [`State`], of a small
//! plain [`BotMemory`] and of dice that the caller throws, so a match with them replays exactly.

mod ball;
mod chase;
mod drive;
mod recover;
mod rule;
mod tactics;

use lanista_game::seed;

use crate::state::State;
use crate::table::{Row, table};

/// The scripted players, in the order of their indices.
pub const NAMES: [&str; 4] = ["rule", "chase", "idle", "random"];

/// How long the random player keeps a row, at most.
const RANDOM_KEEP_STEPS: u64 = 8;

/// What a player would do with a controller in its hands; axes from −1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wish {
    /// Forward is positive.
    pub throttle: f32,
    /// Right is positive.
    pub steer: f32,
    /// Nose up is positive.
    pub pitch: f32,
    /// Nose right is positive.
    pub yaw: f32,
    /// Right door down is positive.
    pub roll: f32,
    /// Jump, double jump or flip: at the moment it is first held.
    pub jump: bool,
    /// Burns 33 boost a second.
    pub boost: bool,
    /// Slides on the ground.
    pub handbrake: bool,
}

impl Wish {
    /// Driving on wheels. The table steers and yaws with one number there.
    pub fn drive(throttle: f32, steer: f32) -> Self {
        Self { throttle, steer, yaw: steer, ..Self::default() }
    }

    /// Turning in the air.
    pub fn turn(pitch: f32, yaw: f32, roll: f32) -> Self {
        Self { pitch, yaw, steer: yaw, roll, ..Self::default() }
    }

    /// Nothing at all.
    pub fn neutral() -> Self {
        Self::default()
    }
}

/// What a scripted player remembers between its choices. Starts as the default in every match.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BotMemory {
    flip: drive::Flip,
    /// The tick since which the car has wanted to drive but has not moved.
    stuck_since_tick: Option<u64>,
    /// The tick until which it backs out of where it is stuck.
    reverse_until_tick: u64,
    /// The row that the random player keeps, and for how many more choices.
    kept_row: usize,
    kept_steps: u64,
}

/// Lets scripted player `bot` (an index into [`NAMES`]) choose a row for car `car` of a match.
/// `mask` tells the legal rows, of which there must be one; `dice` is all the chance it has.
pub fn choose(
    bot: usize,
    state: &State,
    car: usize,
    memory: &mut BotMemory,
    dice: u64,
    mask: &[bool],
) -> usize {
    let wish = match bot {
        0 => rule::wish(state, car, memory),
        1 => chase::wish(state, car, memory),
        3 => return random_row(memory, dice, mask),
        _ => Wish::neutral(),
    };
    nearest_row(&wish, mask)
}

/// The legal row nearest to a wish; the first of several equally near.
pub fn nearest_row(wish: &Wish, mask: &[bool]) -> usize {
    let mut best = (f32::INFINITY, 0);
    for (index, row) in table().iter().enumerate() {
        if mask[index] {
            let cost = distance(wish, row);
            if cost < best.0 {
                best = (cost, index);
            }
        }
    }
    best.1
}

/// A wrong button does more harm than a crooked axis: a jump cannot be taken back, boost is gone.
/// The handbrake comes last, because the table ties it to the other controls in the air.
fn distance(wish: &Wish, row: &Row) -> f32 {
    let axis = |a: f32, b: f32| (a - b) * (a - b);
    let button = |a: bool, b: bool, cost: f32| if a == b { 0.0 } else { cost };
    axis(wish.throttle, row.throttle)
        + axis(wish.steer, row.steer)
        + axis(wish.pitch, row.pitch)
        + axis(wish.yaw, row.yaw)
        + axis(wish.roll, row.roll)
        + button(wish.jump, row.jump, 16.0)
        + button(wish.boost, row.boost, 8.0)
        + button(wish.handbrake, row.handbrake, 0.25)
}

/// A uniformly random legal row, kept for a few steps while it stays legal.
fn random_row(memory: &mut BotMemory, dice: u64, mask: &[bool]) -> usize {
    if memory.kept_steps > 0 && mask[memory.kept_row] {
        memory.kept_steps -= 1;
        return memory.kept_row;
    }
    let legal = mask.iter().filter(|&&m| m).count() as u64;
    let pick = seed::mix(dice, 0) % legal.max(1);
    memory.kept_row =
        mask.iter().enumerate().filter(|(_, m)| **m).nth(pick as usize).map_or(0, |(row, _)| row);
    memory.kept_steps = seed::mix(dice, 1) % RANDOM_KEEP_STEPS;
    memory.kept_row
}

#[cfg(test)]
pub(crate) mod scenes {
    //! States that tests write down.

    use rocketsim::{Mat3A, Vec3A};

    use crate::state::{Body, Car, PADS, State, Team};

    /// A car on its wheels at (x, y) that looks towards `yaw` radians.
    pub fn car(team: Team, x: f32, y: f32, yaw: f32) -> Car {
        let (sin, cos) = yaw.sin_cos();
        Car {
            world_from_car: Mat3A::from_cols(
                Vec3A::new(cos, sin, 0.0),
                Vec3A::new(-sin, cos, 0.0),
                Vec3A::Z,
            ),
            boost: 33.0,
            ..Car::parked(team, Vec3A::new(x, y, 17.0))
        }
    }

    /// A match with a resting ball.
    pub fn with_ball(x: f32, y: f32, cars: Vec<Car>) -> State {
        let ball = Body { pos: Vec3A::new(x, y, 93.15), vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO };
        State { ball, cars, pad_secs: [0.0; PADS], tick: 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use super::*;
    use crate::state::Team;

    #[test]
    fn wishes_find_their_rows() {
        let all = [true; 90];
        for wish in [
            Wish::neutral(),
            Wish::drive(1.0, -1.0),
            Wish { boost: true, ..Wish::drive(1.0, 1.0) },
            Wish { handbrake: true, ..Wish::drive(1.0, 1.0) },
            Wish::drive(-1.0, 0.0),
            Wish::turn(-1.0, 1.0, -1.0),
            Wish { jump: true, ..Wish::neutral() },
            Wish { jump: true, handbrake: true, ..Wish::turn(-1.0, 0.0, 1.0) },
        ] {
            let row = &table()[nearest_row(&wish, &all)];
            assert_eq!(distance(&wish, row), 0.0, "{wish:?}");
        }
    }

    #[test]
    fn only_legal_rows_are_chosen() {
        let state = scenes::with_ball(
            0.0,
            0.0,
            vec![
                scenes::car(Team::Blue, 0.0, -4608.0, FRAC_PI_2),
                scenes::car(Team::Orange, 0.0, 4608.0, -FRAC_PI_2),
            ],
        );
        for only in 0..90 {
            let mut mask = [false; 90];
            mask[only] = true;
            for bot in 0..NAMES.len() {
                for car in 0..2 {
                    let row = choose(bot, &state, car, &mut BotMemory::default(), 7, &mask);
                    assert_eq!(row, only);
                }
            }
        }
    }

    #[test]
    fn random_covers_the_table_and_keeps_its_rows() {
        let state = scenes::with_ball(0.0, 0.0, vec![scenes::car(Team::Blue, 0.0, -1.0, 0.0)]);
        let mask: Vec<bool> = (0..90).map(|i| i % 3 != 0).collect();
        let mut memory = BotMemory::default();
        let mut seen = [0u32; 90];
        let mut changes = 0;
        let mut before = None;
        for dice in 0..20_000 {
            let row = choose(3, &state, 0, &mut memory, dice, &mask);
            assert!(mask[row]);
            seen[row] += 1;
            changes += u32::from(before != Some(row));
            before = Some(row);
        }
        assert!(seen.iter().zip(&mask).all(|(&n, &legal)| (n > 100) == legal), "{seen:?}");
        // Kept for 1 to 8 choices, 4.5 on average.
        assert!((4_000..5_000).contains(&changes), "{changes}");
    }
}
