//! What viewers are shown: one JSON object on one line.

use std::fmt::Write;

use serde_json::Value;

/// Replaces `out` by this object.
pub(crate) fn write(object: &Value, out: &mut String) {
    out.clear();
    // A string takes whatever is written.
    let _ = write!(out, "{object}");
}

/// A number with as many digits as a picture needs.
pub(crate) fn short(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
