//! The row of the action table that comes closest to what a player pressed.
//!
//! Buttons narrow the table down first. Of the rows that are left, those at either side of the recovered
//! axes are played in the engine from the recorded state, and the one wins that ends nearest to the recorded
//! next state; how far it is from the recovered axes counts a little, too, for what the engine cannot tell
//! apart.

use rocketsim::Mat3A;

use super::controls::{Controls, Press};
use crate::engine::{Placement, Trial};
use crate::state::{Body, Car};
use crate::table::{GROUND_ROWS, NEUTRAL, ROWS, Row, table};

/// How far a car was from where it should have been.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Miss {
    /// uu
    pub position: f32,
    /// uu/s
    pub velocity: f32,
    /// rad
    pub rotation: f32,
    /// rad/s
    pub spin: f32,
}

impl Miss {
    /// From where a car is to where it should be.
    pub(super) fn of(is: &(Body, Mat3A), wanted: &(Body, Mat3A)) -> Self {
        let way = is.1 * wanted.1.transpose();
        let trace = way.x_axis.x + way.y_axis.y + way.z_axis.z;
        Self {
            position: is.0.pos.distance(wanted.0.pos),
            velocity: is.0.vel.distance(wanted.0.vel),
            rotation: (0.5 * (trace - 1.0)).clamp(-1.0, 1.0).acos(),
            spin: is.0.ang_vel.distance(wanted.0.ang_vel),
        }
    }

    /// One number for all four: each by what a wrong control makes of it in a step of eight ticks.
    fn weight(&self) -> f32 {
        let square = |value: f32, scale: f32| (value / scale) * (value / scale);
        square(self.position, 5.0)
            + square(self.velocity, 60.0)
            + square(self.rotation, 0.05)
            + square(self.spin, 0.8)
    }
}

/// A row, and what it leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picked {
    pub row: usize,
    pub miss: Miss,
    /// To the engine no other row that was tried did the same.
    pub unique: bool,
}

/// Rows whose misses weigh the same to this are alike to the engine.
const ALIKE: f32 = 1e-3;
/// What the distance of a row from the recovered axes counts beside [`Miss::weight`].
const AXES_WEIGHT: f32 = 30.0;

/// Chooses for a car that is placed at `start`; after `ticks` it should be at `target`. `None` if the mask
/// leaves nothing that does what was pressed.
pub(super) fn pick(
    trial: &mut Trial,
    start: &Placement,
    ball: &Body,
    car: &Car,
    wanted: &Controls,
    mask: &[bool; ROWS],
    target: &(Body, Mat3A),
    ticks: u32,
) -> Option<Picked> {
    let mut best: Option<(f32, Picked)> = None;
    for row in candidates(car, wanted, mask).into_iter().flatten() {
        let controls = table()[row].controls();
        trial.place(start, ball);
        let reached = trial.drive(controls, ticks);
        let miss = Miss::of(&reached, target);
        let cost = miss.weight() + AXES_WEIGHT * distance(car, wanted, &table()[row]);
        let told = miss.weight();
        match &mut best {
            Some((least, picked)) if cost >= *least => {
                picked.unique &= (told - picked.miss.weight()).abs() > ALIKE;
            }
            _ => {
                let other = best.map(|(_, picked)| (told - picked.miss.weight()).abs());
                let unique = other.is_none_or(|other| other > ALIKE);
                best = Some((cost, Picked { row, miss, unique }));
            }
        }
    }
    best.map(|(_, picked)| picked)
}

/// Is the car steered by its wheels, whatever the jump button does?
fn drives(car: &Car, wanted: &Controls) -> bool {
    car.on_ground && wanted.press == Press::None
}

/// The rows worth trying, at most one of each combination of axes.
fn candidates(car: &Car, wanted: &Controls, mask: &[bool; ROWS]) -> [Option<usize>; ROWS] {
    let mut rows: [Option<usize>; ROWS] = std::array::from_fn(|row| mask[row].then_some(row));
    let jump = wanted.press != Press::None;
    let jump_matters = car.on_ground || car.jumping || car.has_flip || car.body_contact || jump;
    if jump_matters {
        keep_least(&mut rows, |row| f32::from(row.jump != jump));
    } else {
        keep_least(&mut rows, |row| f32::from(row.jump));
    }
    match wanted.press {
        Press::Dodge(_) => {
            keep_least(&mut rows, |row| f32::from(!directed(row)));
            keep_least(&mut rows, |row| -alignment(row, wanted));
        }
        Press::DoubleJump => keep_least(&mut rows, |row| f32::from(directed(row))),
        _ => {}
    }
    keep_least(&mut rows, |row| f32::from(row.boost != wanted.boost));
    if drives(car, wanted) {
        for row in rows.iter_mut().skip(GROUND_ROWS) {
            *row = None;
        }
        keep_least(&mut rows, |row| f32::from(row.handbrake != wanted.handbrake));
        let throttle = if wanted.boost { 1.0 } else { wanted.throttle };
        keep_near(&mut rows, |row| row.throttle, throttle);
        keep_near(&mut rows, |row| row.steer, wanted.steer);
    } else if !matches!(wanted.press, Press::Dodge(_)) {
        keep_least(&mut rows, |row| f32::from(row.handbrake && !row.jump));
        keep_near(&mut rows, |row| row.pitch, wanted.pitch);
        keep_near(&mut rows, |row| row.yaw, wanted.yaw);
        keep_near(&mut rows, |row| row.roll, wanted.roll);
        // In the air throttle alone is 67 uu/s²; the rows that differ in nothing else are tried all the
        // same, for the car may land on its wheels.
        keep_near(&mut rows, |row| row.throttle, wanted.throttle);
    }
    if rows.iter().all(Option::is_none) && mask[NEUTRAL] {
        rows[NEUTRAL] = Some(NEUTRAL);
    }
    rows
}

/// Keeps the rows for which a cost is least.
fn keep_least(rows: &mut [Option<usize>; ROWS], cost: impl Fn(&Row) -> f32) {
    let least = rows.iter().flatten().map(|&row| cost(&table()[row])).fold(f32::INFINITY, f32::min);
    for place in rows {
        if place.is_some_and(|row| cost(&table()[row]) > least + 1e-4) {
            *place = None;
        }
    }
}

/// Keeps the rows whose axis is next to a value on either side; those at the nearest if none is.
fn keep_near(rows: &mut [Option<usize>; ROWS], axis: impl Fn(&Row) -> f32, value: f32) {
    keep_least(rows, |row| ((axis(row) - value).abs() - 0.9).max(0.0));
}

fn directed(row: &Row) -> bool {
    row.pitch.abs() + row.yaw.abs() + row.roll.abs() >= 0.5
}

/// The cosine between the directions of two flips; a stall goes with a stall.
fn alignment(row: &Row, wanted: &Controls) -> f32 {
    let direction = |pitch: f32, side: f32| {
        let length = pitch.hypot(side);
        if length > 0.0 { (pitch / length, side / length) } else { (0.0, 0.0) }
    };
    let (a, b) = (direction(row.pitch, row.yaw + row.roll), {
        direction(wanted.pitch, wanted.yaw + wanted.roll)
    });
    if b == (0.0, 0.0) { f32::from(a == b) } else { a.0 * b.0 + a.1 * b.1 }
}

/// The square of the distance between the axes that matter now.
fn distance(car: &Car, wanted: &Controls, row: &Row) -> f32 {
    let square = |a: f32, b: f32| (a - b) * (a - b);
    if drives(car, wanted) {
        let throttle = if wanted.boost { 1.0 } else { wanted.throttle };
        square(row.throttle, throttle) + square(row.steer, wanted.steer)
    } else {
        square(row.pitch, wanted.pitch)
            + square(row.yaw, wanted.yaw)
            + square(row.roll, wanted.roll)
            + 0.1 * square(row.throttle, wanted.throttle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hitbox::Hitbox;
    use crate::state::Team;
    use rocketsim::{CarControls, Vec3A};

    fn ball() -> Body {
        Body { pos: Vec3A::new(3000.0, 3000.0, 93.0), vel: Vec3A::ZERO, ang_vel: Vec3A::ZERO }
    }

    /// A car on the floor, or high up in the air with its flip left.
    fn scene(height: f32) -> (Placement, Car) {
        let mut car = Car::parked(Team::Blue, Vec3A::new(0.0, -1000.0, height));
        car.body.vel = Vec3A::new(1000.0, 0.0, 0.0);
        car.boost = 50.0;
        car.on_ground = height < 50.0;
        let placement = Placement {
            body: car.body,
            world_from_car: car.world_from_car,
            boost: car.boost,
            has_jumped: !car.on_ground,
            has_double_jumped: false,
            has_flipped: false,
            jump_ticks: None,
            secs_since_jump: 0.2,
            flip_secs: 1.0,
            flip_torque: None,
            slide: 0.0,
            controls: CarControls::DEFAULT,
        };
        (placement, car)
    }

    fn wanted(row: &Row, press: Press) -> Controls {
        let Row { throttle, steer, pitch, yaw, roll, boost, handbrake, .. } = *row;
        Controls { throttle, steer, pitch, yaw, roll, press, boost, handbrake }
    }

    #[test]
    fn rows_are_found_again() {
        crate::arena::prepare(None).unwrap();
        let mut trial = Trial::new(Hitbox::Octane);
        for (row, controls) in table().iter().enumerate() {
            let in_air = row >= GROUND_ROWS;
            let (placement, car) = scene(if in_air { 900.0 } else { 17.0 });
            let flips = controls.jump && directed(controls);
            let press = match (controls.jump, flips) {
                (false, _) => Press::None,
                (true, true) => Press::Dodge([-controls.roll, -controls.pitch]),
                (true, false) => Press::DoubleJump,
            };
            trial.place(&placement, &ball());
            let target = trial.drive(controls.controls(), 8);
            let wanted = wanted(controls, press);
            let mask = [true; ROWS];
            let found = pick(&mut trial, &placement, &ball(), &car, &wanted, &mask, &target, 8);
            let found = found.unwrap();
            assert_eq!(table()[found.row], *controls, "row {row} taken for {}", found.row);
            assert!(found.miss.position < 1e-3 && found.miss.spin < 1e-3, "{:?}", found.miss);
        }
    }

    #[test]
    fn axes_in_between_are_decided_by_the_engine() {
        crate::arena::prepare(None).unwrap();
        let mut trial = Trial::new(Hitbox::Octane);
        let (placement, car) = scene(17.0);
        // Half of the way to the right is recorded, and all of it is where the car went.
        let right = table().iter().position(|row| row.name() == "drive right").unwrap();
        trial.place(&placement, &ball());
        let target = trial.drive(table()[right].controls(), 8);
        let wanted = Controls { steer: 0.5, ..wanted(&table()[right], Press::None) };
        let found = pick(&mut trial, &placement, &ball(), &car, &wanted, &[true; ROWS], &target, 8);
        assert_eq!(found.unwrap().row, right);
    }

    #[test]
    fn what_the_mask_hides_is_not_taken() {
        crate::arena::prepare(None).unwrap();
        let mut trial = Trial::new(Hitbox::Octane);
        let (placement, car) = scene(17.0);
        let target = (placement.body, placement.world_from_car);
        let boosting = Controls { boost: true, throttle: 1.0, ..Controls::default() };
        let mask: [bool; ROWS] = std::array::from_fn(|row| !table()[row].boost);
        let found = pick(&mut trial, &placement, &ball(), &car, &boosting, &mask, &target, 8);
        assert_eq!(table()[found.unwrap().row].name(), "drive");
        assert!(
            pick(&mut trial, &placement, &ball(), &car, &boosting, &[false; ROWS], &target, 8)
                .is_none()
        );
    }
}
