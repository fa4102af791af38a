//! The title above the panels and the legend below them.

use std::fmt::Write;

use super::frame::{FOOTER, Frame, MARGIN};
use super::marks::{COLOURS, OUTLINES, colour, one_way, outlined, rungs};
use crate::nav::mesh::AreaIndex;
use crate::nav::terrain::Terrain;

pub(super) fn header(out: &mut String, terrain: &Terrain, title: &str) {
    let links = (0..terrain.areas() as AreaIndex).map(|area| terrain.links(area).len());
    let _ = writeln!(
        out,
        r##"<text x="{MARGIN}" y="34" font-size="20" font-weight="bold">{}</text>
<text x="{MARGIN}" y="54" font-size="12" fill="#5b636c">{} areas, {} ways, {} ladders; {:.0} units from start to goal</text>"##,
        escaped(title),
        terrain.areas(),
        links.sum::<usize>(),
        terrain.ladders().len(),
        terrain.flow_length()
    );
}

pub(super) fn legend(out: &mut String, terrain: &Terrain, frame: &Frame) {
    let top = frame.size.1 - FOOTER + 14.0;
    let stops: String = (0..COLOURS.len())
        .map(|at| {
            let share = at as f32 / (COLOURS.len() - 1) as f32;
            let (r, g, b) = colour(share);
            format!(r##"<stop offset="{share:.3}" stop-color="#{r:02x}{g:02x}{b:02x}"/>"##)
        })
        .collect();
    let _ = writeln!(
        out,
        r##"<g transform="translate({MARGIN} {top:.1})" font-size="12">
<defs><linearGradient id="flow">{stops}</linearGradient></defs>
<rect width="200" height="12" fill="url(#flow)"/>
<text y="28">0</text><text x="200" y="28" text-anchor="end">{:.0} units of flow</text>"##,
        terrain.flow_length()
    );
    let areas = || 0..terrain.areas() as AreaIndex;
    let mut x = 240.0;
    for (name, stroke) in OUTLINES.into_iter().rev() {
        if !areas().any(|area| outlined(terrain, name, area)) {
            continue;
        }
        let _ = writeln!(
            out,
            r##"<rect x="{x}" width="18" height="12" fill="none" stroke="{stroke}" stroke-width="2.6"/><text x="{}" y="11">{name}</text>"##,
            x + 25.0
        );
        x += 44.0 + 6.4 * name.len() as f32;
    }
    let _ = writeln!(
        out,
        r##"<g transform="translate(240 32)"><path d="M0 0H20" stroke="#111418" stroke-width="1.6"/><text x="27" y="4">shortest way</text>"##
    );
    if areas().any(|area| terrain.links(area).iter().any(|link| one_way(terrain, area, link))) {
        let _ = writeln!(
            out,
            r##"<g stroke="#b3261e" stroke-width="1.3"><path d="M130 -6V6"/><line x1="126" x2="141" marker-end="url(#tip)"/></g><text x="152" y="4">drop, one way</text>"##
        );
    }
    if !terrain.ladders().is_empty() {
        let _ = writeln!(
            out,
            r##"{}<text x="270" y="4">ladder or lift</text>"##,
            rungs(257.0, 0.0, 1.0)
        );
    }
    out.push_str("</g>\n");
    scale_bar(out, frame);
    out.push_str("</g>\n");
}

/// A round number of units, about a hundred points long.
fn scale_bar(out: &mut String, frame: &Frame) {
    let rough = 110.0 / frame.scale;
    let unit = 10.0_f32.powf(rough.log10().floor());
    let units = [5.0, 2.0, 1.0].into_iter().map(|step| step * unit).find(|u| *u <= rough);
    let units = units.unwrap_or(unit);
    let length = units * frame.scale;
    let _ = writeln!(
        out,
        r##"<g transform="translate(0 52)"><path d="M0 -4V4M0 0H{length:.1}M{length:.1} -4V4" stroke="#22262b" fill="none"/><text x="{:.1}" y="4">{units:.0} units</text></g>"##,
        length + 8.0
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
