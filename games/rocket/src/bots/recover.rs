//! Back onto the wheels: from the roof, and out of the air.

use rocketsim::Vec3A;

use super::Wish;
use crate::state::Car;
use crate::table::table;

/// Closer than this to a wall a falling car lands on it, uu.
const WALL_NEAR: f32 = 500.0;

/// What a car without its wheels down does; `None` on its wheels. `look` is where it would like to
/// face when it lands.
pub fn wish(car: &Car, look: Vec3A) -> Option<Wish> {
    if car.on_ground {
        return None;
    }
    if car.body_contact && car.up().z < 0.5 {
        return Some(right_itself(car));
    }
    Some(land(car, look))
}

/// On its roof a press of jump throws the car over; on its side the throttle rolls it back. Only
/// the moment of pressing counts, so the button is let go in between.
fn right_itself(car: &Car) -> Wish {
    let held = car.last_action.is_some_and(|row| table()[row].jump);
    if car.up().z < -0.5 && !held {
        return Wish { jump: true, ..Wish::neutral() };
    }
    if car.up().z < -0.2 {
        // Towards the side that is already higher.
        let roll = if car.right().z > 0.0 { 1.0 } else { -1.0 };
        return Wish::turn(0.0, 0.0, roll);
    }
    Wish::drive(1.0, 0.0)
}

/// Turns the wheels to the surface ahead and the nose to where the car moves, or to `look` when it
/// hardly moves.
fn land(car: &Car, look: Vec3A) -> Wish {
    let up = surface(car);
    let along = car.body.vel - up * car.body.vel.dot(up);
    let heading = if along.length() > 400.0 { along } else { look - car.body.pos };
    let heading = (heading - up * heading.dot(up)).normalize_or(car.forward());

    // The rotation that is left, as a vector along its axis; of both errors the wheels count more.
    let tilt = car.up().cross(up);
    let turn = car.forward().cross(heading);
    let upside_down = car.up().dot(up) < -0.8;
    let error = if upside_down { car.forward() * 1.5 } else { tilt * 1.5 + turn };
    let error = car.car_from_world(error);
    let spin = car.car_from_world(car.body.ang_vel);
    // Roll answers four times as fast as pitch and yaw, so it is damped less.
    let roll = -(2.0 * error.x - 0.35 * spin.x);
    let pitch = -(2.0 * error.y - 0.6 * spin.y);
    let yaw = 2.0 * error.z - 0.7 * spin.z;
    let full = |v: f32| if v.abs() < 0.4 { 0.0 } else { v.signum() };
    Wish::turn(full(pitch), full(yaw), full(roll))
}

/// The normal of the surface on which the car comes down.
fn surface(car: &Car) -> Vec3A {
    let (pos, vel) = (car.body.pos, car.body.vel);
    let x = pos.x.signum();
    if pos.z > 400.0 && 4096.0 - pos.x.abs() < WALL_NEAR && vel.x * x > 300.0 {
        return Vec3A::new(-x, 0.0, 0.0);
    }
    let y = pos.y.signum();
    let beside_goal = pos.x.abs() > 900.0 || pos.z > 700.0;
    if pos.z > 400.0 && 5120.0 - pos.y.abs() < WALL_NEAR && vel.y * y > 300.0 && beside_goal {
        return Vec3A::new(0.0, -y, 0.0);
    }
    Vec3A::Z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bots::scenes;
    use crate::state::Team;
    use rocketsim::Mat3A;

    #[test]
    fn a_car_on_its_wheels_needs_nothing() {
        let car = scenes::car(Team::Blue, 0.0, 0.0, 0.0);
        assert_eq!(wish(&car, Vec3A::ZERO), None);
    }

    #[test]
    fn a_turtle_presses_and_releases_jump() {
        let mut car = scenes::car(Team::Blue, 0.0, 0.0, 0.0);
        car.world_from_car = Mat3A::from_cols(Vec3A::X, Vec3A::NEG_Y, Vec3A::NEG_Z);
        car.on_ground = false;
        car.body_contact = true;
        assert!(car.turtled());
        assert!(wish(&car, Vec3A::ZERO).unwrap().jump);
        car.last_action = table().iter().position(|row| row.jump);
        assert!(!wish(&car, Vec3A::ZERO).unwrap().jump);
    }

    #[test]
    fn in_the_air_it_turns_back_to_level() {
        let mut car = scenes::car(Team::Blue, 0.0, 0.0, 0.0);
        car.on_ground = false;
        car.body.pos.z = 800.0;
        car.body.vel.x = 1000.0;
        assert_eq!(wish(&car, Vec3A::ZERO), Some(Wish::neutral()));
        // Nose up: push it down.
        let (sin, cos) = 0.8f32.sin_cos();
        car.world_from_car =
            Mat3A::from_cols(Vec3A::new(cos, 0.0, sin), Vec3A::Y, Vec3A::new(-sin, 0.0, cos));
        assert_eq!(wish(&car, Vec3A::ZERO), Some(Wish::turn(-1.0, 0.0, 0.0)));
        // Right door down: lift it.
        car.world_from_car =
            Mat3A::from_cols(Vec3A::X, Vec3A::new(0.0, cos, -sin), Vec3A::new(0.0, sin, cos));
        assert_eq!(wish(&car, Vec3A::ZERO), Some(Wish::turn(0.0, 0.0, -1.0)));
    }
}
