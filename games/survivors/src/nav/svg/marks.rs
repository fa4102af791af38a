//! Colours, outlines and signs that the panels and the legend share.

use crate::nav::attributes::{FINALE, RESCUE_CLOSET, RESCUE_VEHICLE};
use crate::nav::links::{Link, Way};
use crate::nav::mesh::AreaIndex;
use crate::nav::terrain::Terrain;

/// Flow from start to goal: viridis at eight even places.
pub(super) const COLOURS: [[u8; 3]; 8] = [
    [68, 1, 84],
    [70, 50, 126],
    [54, 92, 141],
    [39, 127, 142],
    [31, 161, 135],
    [74, 193, 109],
    [160, 218, 57],
    [253, 231, 37],
];

/// Outlines, strongest last: what they mean, their colour, and what an area must have.
pub(super) const OUTLINES: [(&str, &str); 5] = [
    ("finale", "#e7a6ff"),
    ("rescue closet", "#2f6fed"),
    ("rescue vehicle", "#ff7f0e"),
    ("start", "#12a150"),
    ("goal", "#d6293e"),
];

/// Whether an area is within the outline of a name.
pub(super) fn outlined(terrain: &Terrain, name: &str, area: AreaIndex) -> bool {
    match name {
        "start" => terrain.in_start(area),
        "goal" => terrain.in_goal(area),
        "rescue vehicle" => terrain.spawn(area) & RESCUE_VEHICLE != 0,
        "rescue closet" => terrain.spawn(area) & RESCUE_CLOSET != 0,
        _ => terrain.spawn(area) & FINALE != 0,
    }
}

/// A drop without a link back.
pub(super) fn one_way(terrain: &Terrain, area: AreaIndex, link: &Link) -> bool {
    link.way == Way::Drop && !terrain.links(link.to).iter().any(|back| back.to == area)
}

/// The sign for a ladder.
pub(super) fn rungs(x: f32, y: f32, size: f32) -> String {
    format!(
        r##"<g transform="translate({x:.1} {y:.1}) scale({size:.2})"><rect x="-5" y="-7" width="10" height="14" rx="2" fill="#fff" stroke="#8a4b08"/><path d="M-2.5 -6V6M2.5 -6V6M-2.5 -4H2.5M-2.5 -1.3H2.5M-2.5 1.3H2.5M-2.5 4H2.5" stroke="#8a4b08" stroke-width="1" fill="none"/></g>"##
    )
}

/// The colour of a share of the flow.
pub(super) fn colour(share: f32) -> (u8, u8, u8) {
    let at = share.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f32;
    let low = (at as usize).min(COLOURS.len() - 2);
    let mix = |channel: usize| {
        let [a, b] = [COLOURS[low][channel], COLOURS[low + 1][channel]].map(f32::from);
        (a + (b - a) * (at - low as f32)).round() as u8
    };
    (mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_run_from_end_to_end() {
        assert_eq!(colour(0.0), (68, 1, 84));
        assert_eq!(colour(1.0), (253, 231, 37));
        assert_eq!(colour(f32::NAN), colour(f32::NAN));
        assert_eq!(colour(7.0), colour(1.0));
    }
}
