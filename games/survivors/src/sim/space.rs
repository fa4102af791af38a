//! Points, directions and angles. Yaw is in degrees, counter-clockwise from the x axis; pitch is in degrees,
//! positive downwards: as the engine has it.

use crate::nav::Point;

/// Straight distance on the floor plan.
#[inline]
pub fn flat_distance(a: Point, b: Point) -> f32 {
    flat_distance_squared(a, b).sqrt()
}

/// Its square.
#[inline]
pub fn flat_distance_squared(a: Point, b: Point) -> f32 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    dx * dx + dy * dy
}

/// Straight distance.
#[inline]
pub fn distance(a: Point, b: Point) -> f32 {
    let dz = b[2] - a[2];
    (flat_distance_squared(a, b) + dz * dz).sqrt()
}

/// The direction from one point to another on the floor plan, and how far it is; none if they are one.
#[inline]
pub fn direction(from: Point, to: Point) -> ([f32; 2], f32) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let length = (dx * dx + dy * dy).sqrt();
    if length > 1e-3 { ([dx / length, dy / length], length) } else { ([0.0, 0.0], 0.0) }
}

/// The yaw from one point to another.
#[inline]
pub fn yaw_to(from: Point, to: Point) -> f32 {
    (to[1] - from[1]).atan2(to[0] - from[0]).to_degrees()
}

/// The pitch from one point to another.
#[inline]
pub fn pitch_to(from: Point, to: Point) -> f32 {
    -(to[2] - from[2]).atan2(flat_distance(from, to)).to_degrees()
}

/// Where a yaw points.
#[inline]
pub fn facing(yaw: f32) -> [f32; 2] {
    let (sin, cos) = yaw.to_radians().sin_cos();
    [cos, sin]
}

/// Where a view points.
#[inline]
pub fn look(yaw: f32, pitch: f32) -> Point {
    let (sin_pitch, cos_pitch) = pitch.to_radians().sin_cos();
    let [cos, sin] = facing(yaw);
    [cos * cos_pitch, sin * cos_pitch, -sin_pitch]
}

/// An angle between -180 and 180.
#[inline]
pub fn wrapped(degrees: f32) -> f32 {
    let turned = (degrees + 180.0).rem_euclid(360.0) - 180.0;
    // Rounding may bring a tiny negative number to a full turn.
    if turned >= 180.0 { turned - 360.0 } else { turned }
}

/// One angle turned towards another, by so much at most.
#[inline]
pub fn turned(from: f32, to: f32, most: f32) -> f32 {
    wrapped(from + wrapped(to - from).clamp(-most, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_wrap() {
        assert_eq!(wrapped(190.0), -170.0);
        assert_eq!(wrapped(-190.0), 170.0);
        assert_eq!(wrapped(540.0), -180.0);
        assert!((-180.0..180.0).contains(&wrapped(-1e-9 - 180.0)));
        assert_eq!(turned(170.0, -170.0, 5.0), 175.0);
        assert_eq!(turned(170.0, -170.0, 50.0), -170.0);
    }

    #[test]
    fn a_view_points_where_it_was_turned() {
        let (from, to) = ([10.0, 20.0, 30.0], [110.0, -60.0, 5.0]);
        let look = look(yaw_to(from, to), pitch_to(from, to));
        let far = distance(from, to);
        for i in 0..3 {
            assert!((from[i] + look[i] * far - to[i]).abs() < 1e-2);
        }
    }
}
