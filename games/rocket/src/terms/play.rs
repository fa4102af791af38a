//! Terms of a car and the ball near it.

use rocketsim::GameMode;

use super::car::whole;
use super::{CAR_MAX_SPEED, Scene};

const BALL_RADIUS_UU: f32 = rocketsim::consts::ball::get_radius(GameMode::Soccar);
/// A ball that rests on an Octane's roof has its middle 131 uu above the car's; hops of a dribble and
/// other hitboxes lie within these.
const ON_ROOF_UU: std::ops::Range<f32> = 100.0..200.0;
/// So far from the middle of the car a ball is still over it.
const OVER_CAR_UU: f32 = 110.0;

/// `1` while the car is on its wheels with the ball on its roof: between 100 and 200 uu above it, at
/// most 110 uu off to any side.
pub(super) fn dribble(scene: &Scene) -> f32 {
    let ball = scene.car.car_from_world(scene.now.ball.pos - scene.car.body.pos);
    let over = ON_ROOF_UU.contains(&ball.z) && ball.with_z(0.0).length() <= OVER_CAR_UU;
    // On a wall or on the ceiling the ball would not lie on the roof but fly past it.
    let level = scene.car.on_ground && scene.car.up().z > 0.7;
    whole(scene) * f32::from(over && level)
}

/// `exp(−½ max(0, |x_ball − x_car| − 91.25) / 2300)`.
///
/// The distance of Liu et al. (2021) as RLGym's LiuDistancePlayerToBallReward measured it: to the
/// ball's surface, in units of a car's highest speed.
pub(super) fn liu_distance_player_to_ball(scene: &Scene) -> f32 {
    let distance_uu = scene.now.ball.pos.distance(scene.car.body.pos) - BALL_RADIUS_UU;
    whole(scene) * (-0.5 * distance_uu.max(0.0) / CAR_MAX_SPEED).exp()
}

#[cfg(test)]
mod tests {
    use super::super::scenes::{Play, near};
    use rocketsim::{Mat3A, Vec3A};

    #[test]
    fn a_dribble_is_a_ball_on_the_roof_of_a_car_on_its_wheels() {
        let mut play = Play::new();
        assert_eq!(play.term(0, "dribble"), 0.0);
        play.now.ball.pos = play.now.cars[0].body.pos + Vec3A::new(30.0, -20.0, 133.0);
        assert_eq!((play.term(0, "dribble"), play.term(1, "dribble")), (1.0, 0.0));
        play.now.ball.pos.x += 150.0;
        assert_eq!(play.term(0, "dribble"), 0.0, "in front of it");
        play.now.ball.pos = play.now.cars[0].body.pos + Vec3A::Z * 300.0;
        assert_eq!(play.term(0, "dribble"), 0.0, "high above it");
        play.now.ball.pos = play.now.cars[0].body.pos + Vec3A::Z * 133.0;
        play.now.cars[0].on_ground = false;
        assert_eq!(play.term(0, "dribble"), 0.0, "in the air");
        play.now.cars[0].on_ground = true;
        play.now.cars[0].demolished = true;
        assert_eq!(play.term(0, "dribble"), 0.0, "in pieces");
        // On a wall, roof towards the field, the ball beside it.
        play.now.cars[0].demolished = false;
        play.now.cars[0].world_from_car = Mat3A::from_cols(Vec3A::Y, Vec3A::NEG_Z, Vec3A::NEG_X);
        play.now.ball.pos = play.now.cars[0].body.pos - Vec3A::X * 133.0;
        assert_eq!(play.term(0, "dribble"), 0.0, "on the wall");
    }

    #[test]
    fn distance_falls_from_the_surface_of_the_ball() {
        let mut play = Play::new();
        let car = play.now.cars[0].body.pos;
        for (distance, worth) in [(50.0, 1.0), (91.25, 1.0), (91.25 + 2300.0, (-0.5f32).exp())] {
            play.now.ball.pos = car + Vec3A::X * distance;
            near(play.term(0, "liu_distance_player_to_ball"), worth);
        }
    }
}
