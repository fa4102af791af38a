//! Terms of the car itself. A car in pieces has none but `demolished` and `demolition`.

use super::{CAR_MAX_SPEED, Scene};
use crate::recovery::RecoveryEvent;

/// A car that was in the air for less only skipped over a bump: no landing to speak of.
const SKIP_SECS: f32 = 0.2;
/// Below this speed along the surface there is no direction to land along.
const STANDING_UU_PER_SEC: f32 = 100.0;

/// The number of opponents demolished.
pub(super) fn demolition(scene: &Scene) -> f32 {
    scene.did.demolitions as f32
}

/// `1` if the car was demolished.
pub(super) fn demolished(scene: &Scene) -> f32 {
    f32::from(scene.did.demolished)
}

/// `max(0, up_before · n) · ½(1 + cos(forward, v along the surface))` when the wheels come down
/// first, after at least 0.2 s in the air.
///
/// A car whose wheels just came down stands along the surface, ramps and walls included: its own
/// up is the normal `n`. How it came down is told by the orientation a step before. Standing still
/// counts as rolling forward. A landing on the bodywork is worth nothing.
pub(super) fn landing(scene: &Scene) -> f32 {
    let (before, car) = (scene.before, scene.car);
    let wheels_first = !before.body_contact && !car.body_contact;
    let flew = !before.demolished && before.air_secs >= SKIP_SECS;
    if !scene.did.landed || car.demolished || !wheels_first || !flew {
        return 0.0;
    }
    let normal = car.up();
    let along_surface = car.body.vel - normal * car.body.vel.dot(normal);
    let speed = along_surface.length();
    let rolling =
        if speed < STANDING_UU_PER_SEC { 1.0 } else { along_surface.dot(car.forward()) / speed };
    (before.up().dot(normal).max(0.0) * 0.5 * (1.0 + rolling)).clamp(0.0, 1.0)
}

/// `1` if the wheels came down while a flip was still turning the car: it keeps the flip's speed and
/// may jump again.
pub(super) fn wavedash(scene: &Scene) -> f32 {
    f32::from(scene.did.wavedash && !scene.car.demolished)
}

/// The number of opponents bumped without being demolished.
pub(super) fn bump(scene: &Scene) -> f32 {
    scene.did.bumps as f32
}

/// `1` if a car that was a turtle stands on its wheels again.
pub(super) fn recovered(scene: &Scene) -> f32 {
    f32::from(matches!(scene.recovery, Some(RecoveryEvent::Recovered { .. })))
}

/// `√(min(1, b + c)) − √b`, with the tank's share `b` before the step and the share `c` collected.
///
/// The same scale as [`save_boost`]: 12 points matter to an empty tank and hardly to a full one.
pub(super) fn collect_boost(scene: &Scene) -> f32 {
    let share = (scene.before.boost / 100.0).clamp(0.0, 1.0);
    let collected = (scene.did.boost_collected / 100.0).max(0.0);
    (share + collected).min(1.0).sqrt() - share.sqrt()
}

/// `√(boost / 100)`.
pub(super) fn save_boost(scene: &Scene) -> f32 {
    whole(scene) * (scene.car.boost / 100.0).clamp(0.0, 1.0).sqrt()
}

/// `forward · unit(x_ball − x_car)`.
pub(super) fn face_ball(scene: &Scene) -> f32 {
    whole(scene) * scene.car.forward().dot(scene.car_to_ball()).clamp(-1.0, 1.0)
}

/// `v_car · unit(x_ball − x_car) / 2300`.
pub(super) fn velocity_player_to_ball(scene: &Scene) -> f32 {
    let towards_ball = scene.car.body.vel.dot(scene.car_to_ball());
    whole(scene) * (towards_ball / CAR_MAX_SPEED).clamp(-1.0, 1.0)
}

/// `1` while off the ground and not a turtle.
pub(super) fn in_air(scene: &Scene) -> f32 {
    whole(scene) * f32::from(!scene.car.on_ground && !scene.car.turtled())
}

/// `1` while a turtle.
pub(super) fn turtle(scene: &Scene) -> f32 {
    f32::from(scene.car.turtled())
}

/// 1 unless the car lies in pieces.
pub(super) fn whole(scene: &Scene) -> f32 {
    f32::from(!scene.car.demolished)
}

#[cfg(test)]
mod tests {
    use super::super::scenes::{Play, near};
    use rocketsim::{Mat3A, Vec3A};

    #[test]
    fn demolitions_count_for_both_sides_of_them() {
        let mut play = Play::new();
        play.happened.cars[0].demolitions = 1;
        play.happened.cars[1].demolished = true;
        assert_eq!((play.term(0, "demolition"), play.term(1, "demolition")), (1.0, 0.0));
        assert_eq!((play.term(0, "demolished"), play.term(1, "demolished")), (0.0, 1.0));
    }

    #[test]
    fn bumps_and_wavedashes_pass_through() {
        let mut play = Play::new();
        assert_eq!((play.term(0, "bump"), play.term(0, "wavedash")), (0.0, 0.0));
        (play.happened.cars[0].bumps, play.happened.cars[0].wavedash) = (1, true);
        assert_eq!((play.term(0, "bump"), play.term(0, "wavedash")), (1.0, 1.0));
        assert_eq!((play.term(1, "bump"), play.term(1, "wavedash")), (0.0, 0.0));
    }

    #[test]
    fn facing_and_driving_at_the_ball() {
        let mut play = Play::new();
        play.now.ball.pos = Vec3A::new(0.0, 1000.0, 17.0);
        play.now.cars[0].body.pos = Vec3A::new(0.0, 0.0, 17.0);
        play.now.cars[0].body.vel = Vec3A::new(1725.0, 1150.0, 0.0);
        near(play.term(0, "face_ball"), 0.0);
        near(play.term(0, "velocity_player_to_ball"), 0.5);
        play.now.cars[0].world_from_car = Mat3A::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        near(play.term(0, "face_ball"), -1.0);
        play.now.cars[0].demolished = true;
        for name in ["face_ball", "velocity_player_to_ball", "in_air", "save_boost"] {
            assert_eq!(play.term(0, name), 0.0, "{name}");
        }
    }

    #[test]
    fn air_roof_and_wheels_are_told_apart() {
        let mut play = Play::new();
        let states = |play: &mut Play| (play.term(0, "in_air"), play.term(0, "turtle"));
        assert_eq!(states(&mut play), (0.0, 0.0));
        play.now.cars[0].on_ground = false;
        assert_eq!(states(&mut play), (1.0, 0.0));
        play.now.cars[0].world_from_car = Mat3A::from_rotation_x(std::f32::consts::PI);
        assert_eq!(states(&mut play), (1.0, 0.0));
        play.now.cars[0].body_contact = true;
        assert_eq!(states(&mut play), (0.0, 1.0));
    }

    #[test]
    fn a_turtle_recovers_once() {
        let mut play = Play::new();
        let standing = play.now.cars[0];
        play.now.cars[0].on_ground = false;
        play.now.cars[0].body_contact = true;
        play.now.cars[0].world_from_car = Mat3A::from_rotation_x(std::f32::consts::PI);
        play.recoveries.update(&play.now);
        assert_eq!(play.term(0, "recovered"), 0.0);
        play.now.cars[0] = standing;
        play.recoveries.update(&play.now);
        assert_eq!((play.term(0, "recovered"), play.term(1, "recovered")), (1.0, 0.0));
        play.recoveries.update(&play.now);
        assert_eq!(play.term(0, "recovered"), 0.0);
    }

    #[test]
    fn landings_are_judged_by_attitude_and_direction() {
        let mut play = Play::new();
        play.happened.cars[0].landed = true;
        play.before.cars[0].on_ground = false;
        play.before.cars[0].air_secs = 1.0;
        near(play.term(0, "landing"), 1.0);
        for (vel, worth) in [(Vec3A::X, 1.0), (Vec3A::Y, 0.5), (-Vec3A::X, 0.0)] {
            play.now.cars[0].body.vel = vel * 1000.0 - Vec3A::Z * 300.0;
            near(play.term(0, "landing"), worth);
        }
        play.now.cars[0].body.vel = Vec3A::X * 1000.0;
        play.before.cars[0].world_from_car = Mat3A::from_rotation_x(std::f32::consts::FRAC_PI_3);
        near(play.term(0, "landing"), 0.5);
        play.before.cars[0].world_from_car = Mat3A::from_rotation_x(3.0);
        assert_eq!(play.term(0, "landing"), 0.0);
    }

    #[test]
    fn a_landing_on_a_wall_is_one_like_on_the_floor() {
        let mut play = Play::new();
        play.happened.cars[0].landed = true;
        let world_from_car = Mat3A::from_cols(Vec3A::Y, Vec3A::NEG_Z, Vec3A::NEG_X);
        play.before.cars[0].world_from_car = world_from_car;
        play.before.cars[0].air_secs = 1.0;
        play.now.cars[0].world_from_car = world_from_car;
        play.now.cars[0].body.vel = Vec3A::new(900.0, 1500.0, 0.0);
        near(play.term(0, "landing"), 1.0);
    }

    #[test]
    fn skips_scrapes_and_respawns_are_no_landings() {
        let mut play = Play::new();
        play.happened.cars[0].landed = true;
        play.before.cars[0].air_secs = 0.1;
        assert_eq!(play.term(0, "landing"), 0.0);
        play.before.cars[0].air_secs = 1.0;
        play.before.cars[0].body_contact = true;
        assert_eq!(play.term(0, "landing"), 0.0);
        play.before.cars[0].body_contact = false;
        play.before.cars[0].demolished = true;
        assert_eq!(play.term(0, "landing"), 0.0);
    }

    #[test]
    fn boost_is_worth_more_to_an_empty_tank() {
        let mut play = Play::new();
        play.now.cars[0].boost = 25.0;
        near(play.term(0, "save_boost"), 0.5);
        for (had, collected, worth) in
            [(0.0, 100.0, 1.0), (0.0, 36.0, 0.6), (64.0, 36.0, 0.2), (100.0, 12.0, 0.0)]
        {
            play.before.cars[0].boost = had;
            play.happened.cars[0].boost_collected = collected;
            near(play.term(0, "collect_boost"), worth);
        }
    }
}
