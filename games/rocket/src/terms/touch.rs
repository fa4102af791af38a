//! Terms of a touch.

use std::f32::consts::FRAC_1_SQRT_2;

use super::ball::speed_along;
use super::{BACK_WALL_Y_UU, CEILING_Z_UU, Scene};

/// A change of velocity that is a full-blooded hit: about what a car at top speed gives a ball that
/// lies still.
const STRONG_HIT_UU_PER_SEC: f32 = 3000.0;

/// `1` if the car touched the ball.
pub(super) fn touch(scene: &Scene) -> f32 {
    f32::from(scene.touched())
}

/// `1` if a touch sent the ball on its way into the opponents' goal.
pub(super) fn shot(scene: &Scene) -> f32 {
    f32::from(scene.did.shot)
}

/// `1` if a touch turned the ball away from the own goal.
pub(super) fn save(scene: &Scene) -> f32 {
    f32::from(scene.did.save)
}

/// `min(1, |Δv_ball| / 3000)` of the strongest touch. Hardly anything for carrying the ball.
pub(super) fn strong_hit(scene: &Scene) -> f32 {
    if scene.touched() {
        (scene.did.hit_speed_change / STRONG_HIT_UU_PER_SEC).min(1.0)
    } else {
        0.0
    }
}

/// `max(0, v_ball · unit(net_opponents − x_ball)) / 6000` after a touch.
pub(super) fn basic_shot(scene: &Scene) -> f32 {
    if scene.touched() {
        speed_along(scene, scene.ball_to_net(scene.car.team.other())).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// [`basic_shot`] if the car is in the air and its first jump is spent.
pub(super) fn jump_shot(scene: &Scene) -> f32 {
    let in_jump = |car: &crate::state::Car| !car.on_ground && !car.has_jump;
    if in_jump(scene.car) || in_jump(scene.before) { basic_shot(scene) } else { 0.0 }
}

/// `z_touch / 2044` of a touch in the air; 0 for one from a surface, high walls included.
pub(super) fn aerial_touch_height(scene: &Scene) -> f32 {
    if scene.touched() && scene.airborne() {
        (scene.did.touch_height / CEILING_Z_UU).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// `1` if a car that had no flip has one after touching the ball with its wheels: the ball lies within
/// 45° of straight below it.
pub(super) fn flip_reset(scene: &Scene) -> f32 {
    let regained = scene.car.has_flip && !scene.before.has_flip;
    let whole = !scene.car.demolished && !scene.before.demolished;
    let beneath = -scene.car.up().dot(scene.car_to_ball()) > FRAC_1_SQRT_2;
    f32::from(scene.touched() && regained && whole && beneath)
}

/// `min(1, d / 5120)` of a touch in the air, with what the car and the ball both flew since its last
/// one, if neither the ground nor another car came between.
pub(super) fn air_distance(scene: &Scene) -> f32 {
    (scene.flown_uu / BACK_WALL_Y_UU).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::scenes::{Play, near};
    use rocketsim::Vec3A;

    #[test]
    fn facts_of_a_touch_pass_through() {
        let mut play = Play::new();
        for name in ["touch", "shot", "save", "strong_hit"] {
            assert_eq!(play.term(0, name), 0.0, "{name}");
        }
        let did = &mut play.happened.cars[0];
        (did.contact_ticks, did.shot, did.save) = (3, true, true);
        for name in ["touch", "shot", "save"] {
            assert_eq!((play.term(0, name), play.term(1, name)), (1.0, 0.0), "{name}");
        }
    }

    #[test]
    fn hits_grow_with_the_change_of_velocity_up_to_one() {
        let mut play = Play::new();
        play.happened.cars[0].contact_ticks = 1;
        for (change, worth) in [(0.0, 0.0), (750.0, 0.25), (3000.0, 1.0), (4600.0, 1.0)] {
            play.happened.cars[0].hit_speed_change = change;
            near(play.term(0, "strong_hit"), worth);
        }
    }

    #[test]
    fn a_shot_needs_a_touch_and_the_right_direction() {
        let mut play = Play::new();
        play.now.ball.pos = Vec3A::new(0.0, 0.0, 321.3875);
        play.now.ball.vel = Vec3A::Y * 1500.0;
        assert_eq!(play.term(0, "basic_shot"), 0.0);
        play.happened.cars[0].contact_ticks = 1;
        play.happened.cars[1].contact_ticks = 1;
        near(play.term(0, "basic_shot"), 0.25);
        assert_eq!(play.term(1, "basic_shot"), 0.0);
    }

    #[test]
    fn a_jump_shot_needs_a_jump() {
        let mut play = Play::new();
        play.now.ball.pos = Vec3A::new(0.0, 0.0, 321.3875);
        play.now.ball.vel = Vec3A::Y * 1500.0;
        play.happened.cars[0].contact_ticks = 1;
        assert_eq!(play.term(0, "jump_shot"), 0.0);
        play.now.cars[0].on_ground = false;
        assert_eq!(play.term(0, "jump_shot"), 0.0);
        play.now.cars[0].has_jump = false;
        near(play.term(0, "jump_shot"), 0.25);
        // Landed within the step of the touch.
        play.before.cars[0] = play.now.cars[0];
        (play.now.cars[0].on_ground, play.now.cars[0].has_jump) = (true, true);
        near(play.term(0, "jump_shot"), 0.25);
    }

    #[test]
    fn height_counts_in_the_air_only() {
        let mut play = Play::new();
        let did = &mut play.happened.cars[0];
        (did.contact_ticks, did.touch_height) = (1, 511.0);
        assert_eq!(play.term(0, "aerial_touch_height"), 0.0);
        play.now.cars[0].on_ground = false;
        near(play.term(0, "aerial_touch_height"), 0.25);
        play.happened.cars[0].contact_ticks = 0;
        assert_eq!(play.term(0, "aerial_touch_height"), 0.0);
    }

    #[test]
    fn carrying_the_ball_is_touching_it() {
        let mut play = Play::new();
        // The contact began in a step before.
        (play.happened.cars[0].touches, play.happened.cars[0].contact_ticks) = (0, 8);
        assert_eq!(play.term(0, "touch"), 1.0);
    }

    #[test]
    fn a_flip_reset_comes_from_the_wheels() {
        let mut play = Play::new();
        let (before, car) = (&mut play.before.cars[0], &mut play.now.cars[0]);
        (before.on_ground, before.has_flip, car.on_ground, car.has_flip) =
            (false, false, false, true);
        car.body.pos = Vec3A::new(0.0, 0.0, 1000.0);
        play.now.ball.pos = Vec3A::new(20.0, 30.0, 870.0);
        assert_eq!(play.term(0, "flip_reset"), 0.0, "no touch");
        play.happened.cars[0].contact_ticks = 1;
        assert_eq!((play.term(0, "flip_reset"), play.term(1, "flip_reset")), (1.0, 0.0));
        play.now.ball.pos = Vec3A::new(130.0, 0.0, 1000.0);
        assert_eq!(play.term(0, "flip_reset"), 0.0, "by the bumper");
        play.now.ball.pos = Vec3A::new(20.0, 30.0, 870.0);
        play.before.cars[0].has_flip = true;
        assert_eq!(play.term(0, "flip_reset"), 0.0, "nothing regained");
    }

    #[test]
    fn the_way_through_the_air_counts_at_the_touch() {
        let mut play = Play::new();
        for state in [&mut play.before, &mut play.now] {
            state.cars[0].on_ground = false;
        }
        play.happened.cars[0].contact_ticks = 1;
        play.follow();
        assert_eq!(play.term(0, "air_distance"), 0.0);
        for body in [&mut play.now.cars[0].body, &mut play.now.ball] {
            body.pos += Vec3A::X * 512.0;
        }
        play.follow();
        near(play.term(0, "air_distance"), 0.1);
    }
}
