//! What seats see and do.

pub mod director;
pub mod infected;
pub mod legacy;
pub mod rich;

use crate::nav::Point;
use crate::sim::space::{facing, wrapped};

/// Where something is, seen by somebody: the sine and the cosine of its bearing from where one looks
/// (positive to the left), its distance and its height, scaled.
pub(crate) fn place(from: Point, yaw: f32, to: Point, out: &mut [f32]) {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let far = dx.hypot(dy);
    let [cos, sin] = facing(yaw);
    let (forward, left) = if far > 1e-3 {
        ((dx * cos + dy * sin) / far, (dy * cos - dx * sin) / far)
    } else {
        (1.0, 0.0)
    };
    out[0] = left;
    out[1] = forward;
    out[2] = (far / 1000.0).min(2.0);
    out[3] = ((to[2] - from[2]) / 200.0).clamp(-2.0, 2.0);
}

/// The names of those four.
pub(crate) fn place_names(of: &str) -> [String; 4] {
    ["left", "ahead", "distance", "height"].map(|name| match of {
        "" => name.to_owned(),
        of => format!("{of}_{name}"),
    })
}

/// An angle between -180 and 180 as a number between -1 and 1.
pub(crate) fn turn(degrees: f32) -> f32 {
    wrapped(degrees) / 180.0
}
