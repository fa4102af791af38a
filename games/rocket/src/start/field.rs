//! The shape of the field and of a car, as far as start states must stay clear of them.

use std::f32::consts::FRAC_1_SQRT_2;

use rocketsim::consts::goal::{SOCCAR_GOAL_DEPTH, SOCCAR_GOAL_HALF_WIDTH, SOCCAR_GOAL_HEIGHT};
use rocketsim::{GameMode, Mat3A, Vec3A};

use super::CarSetup;

pub(super) const SIDE_WALL_X_UU: f32 = 4096.0;
pub(super) const BACK_WALL_Y_UU: f32 = 5120.0;
pub(super) const CEILING_Z_UU: f32 = 2044.0;
/// |x| + |y| on the walls across the corners.
const CORNER_SUM_UU: f32 = 8064.0;
/// Radii of the curves between the flat parts. The back wall's lower ramp is tighter in truth;
/// taking the side walls' for it errs on the safe side.
const LOWER_RAMP_UU: f32 = 256.0;
const UPPER_RAMP_UU: f32 = 512.0;
const CORNER_CURVE_UU: f32 = 900.0;
/// So far from posts and crossbar a goal is open.
const POST_UU: f32 = 100.0;

pub(super) const BALL_RADIUS_UU: f32 = rocketsim::consts::ball::get_radius(GameMode::Soccar);
pub(super) const BALL_REST_Z_UU: f32 = rocketsim::consts::ball::REST_Z;
pub(super) const CAR_REST_Z_UU: f32 = rocketsim::consts::car::spawn::REST_Z;

/// Distance from a point inside the field to the nearest surface; negative outside. Goals are open
/// to their back but for a margin along posts and crossbar.
pub(super) fn clearance(pos: Vec3A) -> f32 {
    let (x, y, z) = (pos.x.abs(), pos.y.abs(), pos.z);
    if x < SOCCAR_GOAL_HALF_WIDTH - POST_UU && z < SOCCAR_GOAL_HEIGHT - POST_UU {
        return z.min(BACK_WALL_Y_UU + SOCCAR_GOAL_DEPTH - y);
    }
    let side = SIDE_WALL_X_UU - x;
    let back = BACK_WALL_Y_UU - y;
    let corner = (CORNER_SUM_UU - x - y) * FRAC_1_SQRT_2;
    let wall = rounded(side, corner, FRAC_1_SQRT_2, CORNER_CURVE_UU).min(rounded(
        corner,
        back,
        FRAC_1_SQRT_2,
        CORNER_CURVE_UU,
    ));
    rounded(wall, z, 0.0, LOWER_RAMP_UU).min(rounded(wall, CEILING_Z_UU - z, 0.0, UPPER_RAMP_UU))
}

/// Distance to two planes whose edge is rounded off. `a` and `b` are the distances to the planes,
/// `cosine` is that between their normals.
fn rounded(a: f32, b: f32, cosine: f32, radius: f32) -> f32 {
    // From the axis of the curve to the point, in terms of the two normals: the curve is the nearest
    // surface if both parts point outward.
    let (out_a, out_b) = (radius - a, radius - b);
    let square = 1.0 - cosine * cosine;
    let along_a = (out_a - cosine * out_b) / square;
    let along_b = (out_b - cosine * out_a) / square;
    if along_a <= 0.0 || along_b <= 0.0 {
        return a.min(b);
    }
    let from_axis =
        (along_a * along_a + along_b * along_b + 2.0 * along_a * along_b * cosine).sqrt();
    radius - from_axis
}

/// The eight corners of a car's hitbox in the world.
pub(super) fn hitbox_corners(car: &CarSetup) -> [Vec3A; 8] {
    let body = car.hitbox.body();
    let half_size = body.hitbox_size / 2.0;
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
        let corner = half_size * Vec3A::new(sign(1), sign(2), sign(4));
        car.body.pos + car.world_from_car * (body.hitbox_pos_offset + corner)
    })
}

/// Four points at the height of the wheels' treads, under the corners of the hitbox.
pub(super) fn treads(car: &CarSetup) -> [Vec3A; 4] {
    let body = car.hitbox.body();
    let (half_size, middle) = (body.hitbox_size / 2.0, body.hitbox_pos_offset);
    [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)].map(|(x, y)| {
        let tread = Vec3A::new(middle.x + x * half_size.x, y * half_size.y, -CAR_REST_Z_UU);
        car.body.pos + car.world_from_car * tread
    })
}

/// Distance between a car's hitbox and the ball's surface.
pub(super) fn gap_to_ball(car: &CarSetup, ball_pos: Vec3A) -> f32 {
    let body = car.hitbox.body();
    let half_size = body.hitbox_size / 2.0;
    let car_from_world = car.world_from_car.transpose();
    let from_middle = car_from_world * (ball_pos - car.body.pos) - body.hitbox_pos_offset;
    let nearest = from_middle.clamp(-half_size, half_size);
    from_middle.distance(nearest) - BALL_RADIUS_UU
}

/// The orientation of a car whose nose points along `forward` and whose roof is as close to `up` as
/// that allows. The two must not be parallel.
pub(super) fn facing(forward: Vec3A, up: Vec3A) -> Mat3A {
    let forward = forward.normalize_or(Vec3A::X);
    let right = up.cross(forward).normalize_or(Vec3A::Y);
    Mat3A::from_cols(forward, right, forward.cross(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(got: f32, want: f32) {
        assert!((got - want).abs() < 0.5, "{got} but {want}");
    }

    #[test]
    fn flat_parts_are_planes() {
        near(clearance(Vec3A::new(0.0, 0.0, 100.0)), 100.0);
        near(clearance(Vec3A::new(2000.0, 0.0, 1944.0)), 100.0);
        near(clearance(Vec3A::new(-3996.0, 0.0, 1000.0)), 100.0);
        near(clearance(Vec3A::new(1500.0, -5020.0, 1000.0)), 100.0);
        // In the middle of the wall across a corner.
        near(clearance(Vec3A::new(3464.0, 4458.6, 1000.0)), 100.0);
        assert!(clearance(Vec3A::new(4000.0, 5000.0, 1000.0)) < 0.0);
    }

    #[test]
    fn edges_are_rounded() {
        // 256 from the ramp's axis, straight below it and halfway up.
        near(clearance(Vec3A::new(3840.0, 0.0, 0.0)), 0.0);
        let out = 256.0 * FRAC_1_SQRT_2;
        near(clearance(Vec3A::new(3840.0 + out, 0.0, 256.0 - out)), 0.0);
        assert!(clearance(Vec3A::new(4090.0, 0.0, 5.0)) < -90.0);
        // The edge of the side wall and the corner's wall is cut by 74.
        near(clearance(Vec3A::new(4096.0, 3968.0, 1000.0)), -74.2);
    }

    #[test]
    fn goals_are_open() {
        near(clearance(Vec3A::new(0.0, 5120.0, 100.0)), 100.0);
        near(clearance(Vec3A::new(700.0, -5900.0, 300.0)), 100.0);
        assert!(clearance(Vec3A::new(850.0, 5200.0, 100.0)) < 0.0);
    }

    #[test]
    fn orientations_are_rotations() {
        let forward = Vec3A::new(0.3, -0.5, 0.7).normalize();
        let axes = facing(forward, Vec3A::Z);
        assert!((axes * axes.transpose()).abs_diff_eq(Mat3A::IDENTITY, 1e-5));
        near(axes.determinant(), 1.0);
        assert!(axes.x_axis.abs_diff_eq(forward, 1e-6));
        assert!(axes.z_axis.z > 0.0);
        assert_eq!(facing(Vec3A::X, Vec3A::Z), Mat3A::IDENTITY);
    }
}
