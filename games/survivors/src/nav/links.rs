//! Which area leads to which, and how.
//!
//! A connection in the file says only that somebody can pass: the file connects a roof with the street
//! four storeys below, and a fence with the ground that infected climb it from. What a survivor can do is
//! decided by the rise where the two areas face each other: up to a step is walked, up to a jump is
//! jumped, and down is dropped as long as one lives. A fall that hurts costs more than its distance, so
//! that ways avoid it where they can. Greater rises, deeper falls and ways into areas that survivors are
//! kept out of are kept apart as climbs, for infected.
//!
//! Ids that name no area are passed over, and so is an area that leads to itself; of areas with the same
//! id the first is meant.

use std::collections::BTreeMap;

use super::attributes::{MOB_ONLY, PLAYERCLIP, TANK_ONLY};
use super::crossing::{Crossing, extent};
use super::error::NavError;
use super::grid::{Grid, STEP_UNITS};
use super::mesh::{Area, AreaIndex, Ladder, Mesh, Point};

/// The highest rise that is jumped. facts/survivors.md §5: the apex is 56.9 units.
pub const JUMP_UNITS: f32 = 57.0;
/// The deepest fall that hurts nobody, and the deepest that one lives through. Neither is measured: the
/// second is what the engine's navigation takes for deadly.
pub const SAFE_DROP_UNITS: f32 = 240.0;
/// See [`SAFE_DROP_UNITS`].
pub const DEADLY_DROP_UNITS: f32 = 400.0;
/// Ground bits of areas that survivors are kept out of. In a recording of c5m4_quarter the player is on or
/// above such an area in none of 2,760 ticks, though one in fifteen areas is one.
pub(super) const KEPT_OUT: u32 = PLAYERCLIP | MOB_ONLY | TANK_ONLY;
/// What a fall that hurts costs beyond its distance: whoever goes over such an edge hangs there until somebody
/// helps, so any other way is better.
const HANG: f32 = 5000.0;
/// Nothing is nearer than this, so that no way is without cost.
const LEAST_COST: f32 = 1.0;
/// A table names a link with a byte, and one value means none.
const MOST_LINKS: usize = 255;

/// How a link is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// The ground goes on, at most a step higher or lower.
    Walk,
    /// More than a step up, at most a jump.
    Jump,
    /// More than a step down, at most [`DEADLY_DROP_UNITS`]: no way back unless there is another link.
    Drop,
    /// Along the ladder of this number, which may stand for a lift.
    Ladder(u16),
}

/// A way out of an area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The area that it leads to.
    pub to: AreaIndex,
    /// How it is passed.
    pub way: Way,
    /// Units from centre to centre, along the ladder if that is longer; at least 1. A fall of more than
    /// [`SAFE_DROP_UNITS`] costs 5000 more.
    pub cost: f32,
    /// The place to leave from, on the ground of the area that the link belongs to.
    pub from_point: Point,
    /// The place to arrive at, on the ground of the other.
    pub to_point: Point,
    /// How much higher the arrival is.
    pub rise: f32,
}

/// All ways out of all areas, one area after the other.
pub(super) struct Links {
    /// Where the links of area `a` begin; one more at the end.
    first: Vec<u32>,
    links: Vec<Link>,
    /// The segment that `links[i]` crosses; nothing for a ladder.
    portals: Vec<Option<[f32; 4]>>,
    first_climb: Vec<u32>,
    climbs: Vec<Link>,
    /// What was passed over, in words.
    pub notes: Vec<String>,
}

impl Links {
    /// The ladders are those of the mesh and, after them, its lifts. Survivors do not enter areas with any of
    /// the `closed` ground bits from areas without.
    pub fn new(
        mesh: &Mesh,
        ladders: &[Ladder],
        grid: &Grid,
        centers: &[Point],
        closed: u32,
    ) -> Result<Self, NavError> {
        let mut by_id = BTreeMap::new();
        let mut twins = 0;
        for (index, area) in mesh.areas.iter().enumerate() {
            let first = *by_id.entry(area.id).or_insert(index as AreaIndex);
            twins += usize::from(usize::from(first) != index);
        }
        let (by_ladder, loose) = ladder_links(mesh, ladders, &by_id, centers);
        let mut out = Self {
            first: vec![0],
            links: Vec::new(),
            portals: Vec::new(),
            first_climb: vec![0],
            climbs: Vec::new(),
            notes: Vec::new(),
        };
        let mut dangling = 0;
        for (index, area) in mesh.areas.iter().enumerate() {
            let (begin, begin_climb) = (out.links.len(), out.climbs.len());
            for (side, ids) in area.connections.iter().enumerate() {
                for id in ids {
                    let Some(&to) = by_id.get(id) else {
                        dangling += 1;
                        continue;
                    };
                    let mut known = out.links[begin..].iter().chain(&out.climbs[begin_climb..]);
                    if usize::from(to) == index || known.any(|link| link.to == to) {
                        continue;
                    }
                    let beside = ids.iter().filter(|other| *other != id);
                    let beside = beside.filter_map(|id| by_id.get(id));
                    let beside = beside.map(|other| &mesh.areas[usize::from(*other)]);
                    out.connect(mesh, grid, centers, closed, index, side, to, beside);
                }
            }
            for link in &by_ladder[index] {
                out.links.push(*link);
                out.portals.push(None);
            }
            let links = out.links.len() - begin;
            if links > MOST_LINKS {
                let most = MOST_LINKS;
                return Err(NavError::TooManyLinks { area: index, id: area.id, links, most });
            }
            out.first.push(out.links.len() as u32);
            out.first_climb.push(out.climbs.len() as u32);
        }
        for (count, what) in [
            (twins, "areas have the id of an earlier one, which is meant wherever the id stands"),
            (dangling, "connections name no area and are passed over"),
            (loose, "ladders have no area at one end and are passed over"),
        ] {
            if count > 0 {
                out.notes.push(format!("{count} {what}"));
            }
        }
        Ok(out)
    }

    /// The link to an area; `beside` are the others on the same side.
    fn connect<'a>(
        &mut self,
        mesh: &Mesh,
        grid: &Grid,
        centers: &[Point],
        closed: u32,
        index: usize,
        side: usize,
        to: AreaIndex,
        beside: impl Iterator<Item = &'a Area> + Clone,
    ) {
        let (here, there) = (&mesh.areas[index], &mesh.areas[usize::from(to)]);
        let mut crossing = Crossing::new(here, there, side);
        if crossing.rise() < -STEP_UNITS {
            crossing.keep_to_the_brink(here, there, grid);
        } else {
            crossing.keep_off_covers(here, there, beside);
        }
        let rise = crossing.rise();
        let way = if rise > STEP_UNITS {
            Way::Jump
        } else if rise < -STEP_UNITS {
            Way::Drop
        } else {
            Way::Walk
        };
        let far = distance(centers[index], centers[usize::from(to)]).max(LEAST_COST);
        let cost = far + hurt(rise);
        let (from_point, to_point) = (crossing.from, crossing.to);
        let link = Link { to, way, cost, from_point, to_point, rise };
        let barred = here.flags & closed == 0 && there.flags & closed != 0;
        if barred || !(-DEADLY_DROP_UNITS..=JUMP_UNITS).contains(&rise) {
            self.climbs.push(link);
        } else {
            self.links.push(link);
            self.portals.push(Some(crossing.portal()));
        }
    }

    pub fn of(&self, area: AreaIndex) -> &[Link] {
        &self.links[self.range(area)]
    }

    pub fn climbs(&self, area: AreaIndex) -> &[Link] {
        let area = usize::from(area);
        &self.climbs[self.first_climb[area] as usize..self.first_climb[area + 1] as usize]
    }

    pub fn portal(&self, from: AreaIndex, to: AreaIndex) -> Option<[f32; 4]> {
        let mut range = self.range(from);
        range.find_map(|at| self.portals[at].filter(|_| self.links[at].to == to))
    }

    fn range(&self, area: AreaIndex) -> std::ops::Range<usize> {
        let area = usize::from(area);
        self.first[area] as usize..self.first[area + 1] as usize
    }
}

/// What a fall costs beyond its distance.
fn hurt(rise: f32) -> f32 {
    if -rise > SAFE_DROP_UNITS { HANG } else { 0.0 }
}

impl Link {
    /// Units from centre to centre alone.
    pub fn distance(&self) -> f32 {
        if self.way == Way::Drop { self.cost - hurt(self.rise) } else { self.cost }
    }
}

/// The links by ladder of each area, and how many ladders lead nowhere.
fn ladder_links(
    mesh: &Mesh,
    ladders: &[Ladder],
    by_id: &BTreeMap<u32, AreaIndex>,
    centers: &[Point],
) -> (Vec<Vec<Link>>, usize) {
    let mut links = vec![Vec::new(); mesh.areas.len()];
    let mut loose = 0;
    for (number, ladder) in ladders.iter().enumerate() {
        let foot = by_id.get(&ladder.bottom_area).copied();
        let mut used = false;
        let tops = [ladder.top_forward, ladder.top_left, ladder.top_right, ladder.top_behind];
        for (place, id) in tops.into_iter().enumerate() {
            let (Some(foot), Some(&top)) = (foot, by_id.get(&id)) else { continue };
            if id == 0 || ladder.bottom_area == 0 || foot == top {
                continue;
            }
            used = true;
            let way = Way::Ladder(number as u16);
            let cost = ladder_cost(ladder, centers[usize::from(foot)], centers[usize::from(top)]);
            let low = on_ground(&mesh.areas[usize::from(foot)], ladder.bottom);
            let high = on_ground(&mesh.areas[usize::from(top)], ladder.top);
            let rise = high[2] - low[2];
            // What lies behind one who comes up can be stepped off to the ladder, not onto from it.
            if place < 3 {
                let up = Link { to: top, way, cost, from_point: low, to_point: high, rise };
                links[usize::from(foot)].push(up);
            }
            let down = Link { to: foot, way, cost, from_point: high, to_point: low, rise: -rise };
            links[usize::from(top)].push(down);
        }
        loose += usize::from(!used);
    }
    (links, loose)
}

fn ladder_cost(ladder: &Ladder, foot: Point, top: Point) -> f32 {
    distance(foot, top).max(distance(ladder.bottom, ladder.top)).max(LEAST_COST)
}

/// The place of an area nearest to a point, looking from above.
fn on_ground(area: &Area, near: Point) -> Point {
    let [low_x, high_x] = extent(area, 0);
    let [low_y, high_y] = extent(area, 1);
    let (x, y) = (near[0].clamp(low_x, high_x), near[1].clamp(low_y, high_y));
    [x, y, area.height(x, y)]
}

/// The straight distance between two places.
pub(super) fn distance(a: Point, b: Point) -> f32 {
    let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (x * x + y * y + z * z).sqrt()
}
