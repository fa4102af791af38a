//! A drawing of a map: areas coloured by flow, one panel a storey.
//!
//! North of the file (least y) is up. Behind each storey stand the others in grey, so that the eye finds
//! its place; the shortest way from start to goal runs through all panels.

mod frame;
mod legend;
mod marks;
mod shapes;

use std::fmt::Write;

use frame::Frame;
use legend::{header, legend};
use marks::{OUTLINES, colour, one_way, outlined, rungs};
use shapes::{ground, outline};

use super::links::Way;
use super::mesh::{AreaIndex, Point};
use super::storeys::{Storey, storeys};
use super::terrain::Terrain;

/// Draws a terrain as SVG.
pub fn svg(terrain: &Terrain, title: &str) -> String {
    let storeys = storeys(terrain);
    let frame = Frame::new(terrain, storeys.len());
    let mut out = String::new();
    let (width, height) = frame.size;
    // Writing into a string cannot fail: results are passed over here and below.
    let _ = writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0}" height="{height:.0}" viewBox="0 0 {width:.0} {height:.0}" font-family="Helvetica, Arial, sans-serif" fill="#22262b">
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0L8 4L0 8z" fill="#b3261e"/></marker></defs>
<rect width="100%" height="100%" fill="#fbfbf9"/>"##
    );
    header(&mut out, terrain, title);
    let everything = ground(&frame, terrain, 0..terrain.areas() as AreaIndex);
    let _ = writeln!(out, r##"<defs><path id="all" d="{everything}"/></defs>"##);
    let way = shortest_way(terrain);
    for (number, storey) in storeys.iter().enumerate() {
        panel(&mut out, terrain, &frame, storey, number, storeys.len(), &way);
    }
    legend(&mut out, terrain, &frame);
    out.push_str("</svg>\n");
    out
}

fn panel(
    out: &mut String,
    terrain: &Terrain,
    frame: &Frame,
    storey: &Storey,
    number: usize,
    panels: usize,
    way: &[AreaIndex],
) {
    let (left, top) = frame.corner(number);
    if panels > 1 {
        let y = top - 7.0;
        let (low, high) = (storey.low, storey.high);
        let range =
            if low == high { format!("z {low:.0}") } else { format!("z {low:.0} to {high:.0}") };
        let _ = writeln!(
            out,
            r##"<text x="{left:.1}" y="{y:.1}" font-size="12" fill="#5b636c">{range}</text>"##
        );
    }
    let _ = writeln!(out, r##"<g transform="translate({left:.1} {top:.1})">"##);
    if panels > 1 {
        out.push_str("<use href=\"#all\" fill=\"#e6e6e2\"/>\n");
    }
    let mut here = vec![false; terrain.areas()];
    for area in &storey.areas {
        here[usize::from(*area)] = true;
    }
    let hair = (frame.scale * 3.0).clamp(0.25, 0.8);
    let _ = writeln!(out, r##"<g stroke="#fbfbf9" stroke-width="{hair:.2}">"##);
    for area in &storey.areas {
        let (r, g, b) = colour(terrain.flow(*area) / terrain.flow_length());
        let shape = ground(frame, terrain, [*area]);
        let _ = writeln!(out, r##"<path d="{shape}" fill="#{r:02x}{g:02x}{b:02x}"/>"##);
    }
    out.push_str("</g>\n");
    outlines(out, terrain, frame, storey);
    shortest(out, terrain, frame, way, &here);
    drops(out, terrain, frame, storey);
    ladders(out, terrain, frame, &here);
    out.push_str("</g>\n");
}

fn outlines(out: &mut String, terrain: &Terrain, frame: &Frame, storey: &Storey) {
    for (name, stroke) in OUTLINES {
        let marked = |area: &AreaIndex| outlined(terrain, name, *area);
        let areas: Vec<AreaIndex> = storey.areas.iter().copied().filter(marked).collect();
        let edge = outline(terrain, frame, &areas);
        if !edge.is_empty() {
            let _ = writeln!(
                out,
                r##"<path d="{edge}" fill="none" stroke="{stroke}" stroke-width="2.6" stroke-linecap="round"/>"##
            );
        }
    }
}

/// The areas from the middle of the start to the goal.
fn shortest_way(terrain: &Terrain) -> Vec<AreaIndex> {
    let begin = terrain.start_areas().iter().copied().filter(|a| terrain.to_goal(*a).is_finite());
    let Some(mut at) = begin.max_by(|a, b| terrain.to_goal(*a).total_cmp(&terrain.to_goal(*b)))
    else {
        return Vec::new();
    };
    let mut way = vec![at];
    while let Some(link) = terrain.toward_goal(at) {
        at = terrain.links(at)[link].to;
        way.push(at);
    }
    way
}

fn shortest(out: &mut String, terrain: &Terrain, frame: &Frame, way: &[AreaIndex], here: &[bool]) {
    let mut path = String::new();
    let mut down = false;
    for step in way.windows(2) {
        if !here[usize::from(step[0])] && !here[usize::from(step[1])] {
            down = false;
            continue;
        }
        let places = way_points(terrain, step[0], step[1]);
        for (number, [x, y, _]) in places.into_iter().enumerate() {
            let pen = if down || number > 0 { 'L' } else { 'M' };
            let _ = write!(path, "{pen}{:.1} {:.1}", frame.x(x), frame.y(y));
        }
        down = true;
    }
    for (colour, width) in [("#ffffff", 3.4), ("#111418", 1.4)] {
        let _ = writeln!(
            out,
            r##"<path d="{path}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round" stroke-linecap="round"/>"##
        );
    }
}

/// From the middle of one area across its edge to the middle of the next.
fn way_points(terrain: &Terrain, from: AreaIndex, to: AreaIndex) -> Vec<Point> {
    let mut points = vec![terrain.center(from)];
    if let Some(link) = terrain.links(from).iter().find(|link| link.to == to) {
        points.extend([link.from_point, link.to_point]);
    }
    points.push(terrain.center(to));
    points
}

/// Drops with no way straight back: a line along the edge, and an arrow across it.
fn drops(out: &mut String, terrain: &Terrain, frame: &Frame, storey: &Storey) {
    let (mut edges, mut arrows) = (String::new(), String::new());
    for area in &storey.areas {
        for link in terrain.links(*area) {
            let Some([x0, y0, x1, y1]) = terrain.portal(*area, link.to) else { continue };
            if !one_way(terrain, *area, link) {
                continue;
            }
            let (x0, y0, x1, y1) = (frame.x(x0), frame.y(y0), frame.x(x1), frame.y(y1));
            let _ = write!(edges, "M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}");
            let [center_x, center_y, _] = terrain.center(*area);
            let (x, y) = (x0.midpoint(x1), y0.midpoint(y1));
            // Away from the area, across the edge.
            let (out_x, out_y) = if x0 == x1 {
                ((x - frame.x(center_x)).signum(), 0.0)
            } else {
                (0.0, (y - frame.y(center_y)).signum())
            };
            let gap =
                (frame.x(link.to_point[0]) - x) * out_x + (frame.y(link.to_point[1]) - y) * out_y;
            let (back, ahead) = (frame.mark * 4.0, frame.mark * 9.0 + gap.max(0.0));
            let _ = writeln!(
                arrows,
                r##"<line x1="{:.1}" y1="{:.1}" x2="{:.1}" y2="{:.1}"/>"##,
                x - out_x * back,
                y - out_y * back,
                x + out_x * ahead,
                y + out_y * ahead
            );
        }
    }
    if edges.is_empty() {
        return;
    }
    let width = 1.3 * frame.mark;
    let _ = writeln!(
        out,
        r##"<g stroke="#b3261e" stroke-width="{width:.2}" fill="none"><path d="{edges}"/>
<g marker-end="url(#tip)">
{arrows}</g></g>"##
    );
}

/// Ladders, at their lower end on one storey and at their upper end on the other.
fn ladders(out: &mut String, terrain: &Terrain, frame: &Frame, here: &[bool]) {
    for (number, ladder) in terrain.ladders().iter().enumerate() {
        let number = number as u16;
        let used = (0..terrain.areas() as AreaIndex).any(|area| {
            let mut links = terrain.links(area).iter();
            here[usize::from(area)] && links.any(|link| link.way == Way::Ladder(number))
        });
        if !used {
            continue;
        }
        let (x, y) = (frame.x(ladder.top[0]), frame.y(ladder.top[1]));
        let _ = writeln!(out, "{}", rungs(x, y, frame.mark));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Hint;
    use super::*;
    use crate::maps;

    #[test]
    fn every_area_and_ladder_of_a_map_is_drawn() {
        let mesh = maps::by_name("apartment").expect("one of ours");
        let terrain = Terrain::new(&mesh, &Hint::default()).expect("it compiles");
        let drawn = svg(&terrain, "a <b> & c");
        assert!(drawn.starts_with("<svg ") && drawn.ends_with("</svg>\n"));
        let shapes = drawn
            .lines()
            .filter(|line| line.starts_with("<path d=\"M") && line.contains("fill=\"#"));
        assert_eq!(shapes.count(), terrain.areas());
        assert!(drawn.contains("a &lt;b&gt; &amp; c"));
        assert!(drawn.contains("ladder") && !drawn.contains("NaN"));
    }
}
