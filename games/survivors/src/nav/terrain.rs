//! A mesh compiled for simulation.
//!
//! Everything that a tick asks is looked up: what is under a point (a grid), which link leads towards an
//! area (rows of ways), who sees whom (a matrix of bits). A terrain never changes after it is made, so
//! all matches on a map share one behind an `Arc`.
//!
//! What is strange in a file is either refused here or passed over with a line in [`Terrain::notes`]:
//! areas of no size are kept (one can stand on a line), corners that are no numbers are refused.

use std::fmt;

use super::ends::{self, Ends, GoalKind};
use super::error::NavError;
use super::flow::Flow;
use super::grid::Grid;
use super::hint::Hint;
use super::lifts::lifts;
use super::links::{KEPT_OUT, Link, Links, distance};
use super::mesh::{Area, AreaIndex, HidingSpot, Ladder, Mesh, Point};
use super::sight::Sight;
use super::ways::{self, Ways};

/// The most areas that a terrain has.
pub const MAX_AREAS: usize = 65_534;
/// The most ladders: there are at most as many lifts as areas, but no more than numbers are left.
const MAX_LADDERS: usize = 32_767;
/// The engine's maps end 16,384 units from the origin; eight times that is no place on any map.
const MAX_COORDINATE: f32 = 131_072.0;

/// A mesh compiled for simulation. See the module.
pub struct Terrain {
    grid: Grid,
    links: Links,
    ways: Ways,
    sight: Sight,
    flow: Flow,
    centers: Vec<Point>,
    grounds: Vec<Ground>,
    spots: Vec<HidingSpot>,
    ladders: Vec<Ladder>,
    /// The number of the first ladder that stands for a lift.
    lifts_from: usize,
    start: Vec<AreaIndex>,
    goal: Vec<AreaIndex>,
    kind: GoalKind,
    notes: Vec<String>,
}

/// The marks of an area.
struct Ground {
    id: u32,
    flags: u32,
    spawn: u32,
    light: f32,
    in_start: bool,
    in_goal: bool,
    spots: std::ops::Range<usize>,
}

impl Terrain {
    /// Compiles a mesh. The hint settles what the mesh leaves open about start and goal.
    pub fn new(mesh: &Mesh, hint: &Hint) -> Result<Self, NavError> {
        check(mesh)?;
        let grid = Grid::new(mesh);
        let centers: Vec<Point> = mesh.areas.iter().map(center).collect();
        let mut ladders = mesh.ladders.clone();
        ladders.extend(lifts(mesh).into_iter().take(MAX_LADDERS));
        let mut links = Links::new(mesh, &ladders, &grid, &centers, KEPT_OUT)?;
        let mut ends = ends::find(mesh, &links, &grid, &centers, hint);
        if !joined(&links, &ends, centers.len()) {
            // Some maps mark the only way there is.
            let open = Links::new(mesh, &ladders, &grid, &centers, 0)?;
            let other = ends::find(mesh, &open, &grid, &centers, hint);
            if joined(&open, &other, centers.len()) {
                (links, ends) = (open, other);
                ends.notes.push(
                    "the way to the goal leads through areas marked to keep survivors out: they may \
                     enter them here; `nav_mark_attribute` in the game changes the marks"
                        .to_string(),
                );
            }
        }
        let ways = Ways::new(&links, centers.len());
        let flow = Flow::new(&links, &ways, &centers, &ends.start, &ends.goal);
        let sight = Sight::new(mesh, &links);
        let mut spots = Vec::new();
        let mut grounds: Vec<Ground> = Vec::with_capacity(centers.len());
        for area in &mesh.areas {
            let first = spots.len();
            spots.extend(
                area.hiding_spots.iter().filter(|spot| spot.at.iter().all(|v| v.is_finite())),
            );
            grounds.push(Ground {
                id: area.id,
                flags: area.flags,
                spawn: area.spawn,
                light: area.light.iter().sum::<f32>() / 4.0,
                in_start: false,
                in_goal: false,
                spots: first..spots.len(),
            });
        }
        for area in &ends.start {
            grounds[usize::from(*area)].in_start = true;
        }
        for area in &ends.goal {
            grounds[usize::from(*area)].in_goal = true;
        }
        let mut notes = ends.notes;
        notes.extend_from_slice(&links.notes);
        notes.extend_from_slice(&sight.notes);
        notes.extend_from_slice(&flow.notes);
        let (start, goal, kind) = (ends.start, ends.goal, ends.kind);
        Ok(Self {
            grid,
            links,
            ways,
            sight,
            flow,
            centers,
            grounds,
            spots,
            lifts_from: mesh.ladders.len(),
            ladders,
            start,
            goal,
            kind,
            notes,
        })
    }

    /// How many areas there are; indices are below it.
    pub fn areas(&self) -> usize {
        self.centers.len()
    }

    /// The id that the file and the game call an area by.
    pub fn id(&self, a: AreaIndex) -> u32 {
        self.grounds[usize::from(a)].id
    }

    /// The middle of an area, on its ground.
    pub fn center(&self, a: AreaIndex) -> Point {
        self.centers[usize::from(a)]
    }

    /// Least x, least y, greatest x, greatest y.
    pub fn bounds(&self, a: AreaIndex) -> [f32; 4] {
        self.grid.bounds(a)
    }

    /// The ground height, bilinear between the corners; outside, that of the nearest edge.
    pub fn height(&self, a: AreaIndex, x: f32, y: f32) -> f32 {
        self.grid.height(a, x, y)
    }

    /// The ground bits, see [`attributes`](super::attributes).
    pub fn flags(&self, a: AreaIndex) -> u32 {
        self.grounds[usize::from(a)].flags
    }

    /// The spawn bits, see [`attributes`](super::attributes).
    pub fn spawn(&self, a: AreaIndex) -> u32 {
        self.grounds[usize::from(a)].spawn
    }

    /// How light it is, as the mean of the corners: 0 is dark.
    pub fn light(&self, a: AreaIndex) -> f32 {
        self.grounds[usize::from(a)].light
    }

    /// Corners of an area to hide in or to put things.
    pub fn hiding_spots(&self, a: AreaIndex) -> &[HidingSpot] {
        &self.spots[self.grounds[usize::from(a)].spots.clone()]
    }

    /// Whether a point, seen from above, is in an area or on its edge.
    pub fn contains(&self, a: AreaIndex, x: f32, y: f32) -> bool {
        self.grid.contains(a, x, y)
    }

    /// The highest area that has (x, y) and ground at most a step above z; the lower index of two alike.
    pub fn area_under(&self, p: Point) -> Option<AreaIndex> {
        self.grid.area_under(p)
    }

    /// The area nearest to a point: from the point to the place of the area that is nearest seen from
    /// above, in three dimensions. Always something; the lower index of two alike.
    pub fn nearest(&self, p: Point) -> AreaIndex {
        self.grid.nearest(p)
    }

    /// The ways out of an area that a survivor can take.
    pub fn links(&self, a: AreaIndex) -> &[Link] {
        self.links.of(a)
    }

    /// The ways out of an area that only infected take: up more than a jump, down more than a survivor lives
    /// through, or into an area that survivors are kept out of. Their [`way`](Link::way) is a jump, a drop,
    /// or as it would be. No way, flow or distance that the terrain
    /// gives goes along them.
    pub fn climbs(&self, a: AreaIndex) -> &[Link] {
        self.links.climbs(a)
    }

    /// The segment x0, y0, x1, y1 of the edge of `a` that a link other than a ladder leads across to `b`.
    pub fn portal(&self, a: AreaIndex, b: AreaIndex) -> Option<[f32; 4]> {
        self.links.portal(a, b)
    }

    /// Where the survivors begin, ascending.
    pub fn start_areas(&self) -> &[AreaIndex] {
        &self.start
    }

    /// Where the survivors must go, ascending.
    pub fn goal_areas(&self) -> &[AreaIndex] {
        &self.goal
    }

    /// Whether survivors begin in an area.
    pub fn in_start(&self, a: AreaIndex) -> bool {
        self.grounds[usize::from(a)].in_start
    }

    /// Whether an area is part of the goal.
    pub fn in_goal(&self, a: AreaIndex) -> bool {
        self.grounds[usize::from(a)].in_goal
    }

    /// What the goal is.
    pub fn goal_kind(&self) -> GoalKind {
        self.kind
    }

    /// The distance travelled from the start, 0 to [`flow_length`](Self::flow_length).
    pub fn flow(&self, a: AreaIndex) -> f32 {
        self.flow.from_start[usize::from(a)]
    }

    /// The distance from the start to the farthest area of the goal; at least 1.
    pub fn flow_length(&self) -> f32 {
        self.flow.length
    }

    /// Whether a survivor can get from the start to the goal.
    pub fn goal_is_open(&self) -> bool {
        self.start.iter().any(|area| self.to_goal(*area).is_finite())
    }

    /// The distance to the nearest area of the goal, infinite if there is no way.
    pub fn to_goal(&self, a: AreaIndex) -> f32 {
        self.flow.to_goal.distance[usize::from(a)]
    }

    /// The link of `links(a)` that leads towards the goal; none in it, and where there is no way.
    pub fn toward_goal(&self, a: AreaIndex) -> Option<usize> {
        self.flow.to_goal.link(a)
    }

    /// The distance along links, infinite if there is no way.
    pub fn distance(&self, from: AreaIndex, to: AreaIndex) -> f32 {
        self.ways.toward(to).distance[usize::from(from)]
    }

    /// The link of `links(from)` that the shortest way begins with; none when already there, and where
    /// there is no way.
    pub fn toward(&self, from: AreaIndex, to: AreaIndex) -> Option<usize> {
        self.ways.toward(to).link(from)
    }

    /// The areas of the shortest way, both ends included.
    pub fn path(&self, from: AreaIndex, to: AreaIndex) -> Option<Vec<AreaIndex>> {
        let row = self.ways.toward(to);
        let mut path = vec![from];
        let mut at = from;
        while at != to {
            at = self.links(at)[row.link(at)?].to;
            path.push(at);
        }
        Some(path)
    }

    /// Whether two areas see each other: either lists the other, after inheritance, or one walks straight
    /// from one to the other. Symmetric; an area sees itself.
    pub fn sees(&self, a: AreaIndex, b: AreaIndex) -> bool {
        self.sight.sees(a, b)
    }

    /// The areas whose centre is within a straight distance of the centre of `a`, ascending, with itself.
    pub fn within(&self, a: AreaIndex, distance_units: f32) -> impl Iterator<Item = AreaIndex> {
        let here = self.center(a);
        let near = move |there: &Point| distance(here, *there) <= distance_units;
        self.centers.iter().enumerate().filter_map(move |(b, c)| near(c).then_some(b as AreaIndex))
    }

    /// The ladders, in the order that [`Way::Ladder`](super::Way::Ladder) numbers them: those of the file,
    /// then [`lifts`](Self::lifts).
    pub fn ladders(&self) -> &[Ladder] {
        &self.ladders
    }

    /// The ladders that stand for lifts.
    pub fn lifts(&self) -> &[Ladder] {
        &self.ladders[self.lifts_from..]
    }

    /// What was guessed or passed over, each with its remedy.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Bytes that the tables of ways hold so far.
    pub fn way_bytes(&self) -> usize {
        self.ways.bytes()
    }
}

impl fmt::Debug for Terrain {
    /// Its size alone: the tables of a map fill many screens.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Terrain({} areas, {:.0} units)", self.areas(), self.flow_length())
    }
}

fn center(area: &Area) -> Point {
    let (x, y) = (area.nw[0].midpoint(area.se[0]), area.nw[1].midpoint(area.se[1]));
    [x, y, area.height(x, y)]
}

/// Whether a way leads from one end to the other.
fn joined(links: &Links, ends: &Ends, areas: usize) -> bool {
    let away = ways::from_any(links, areas, &ends.start);
    ends.goal.iter().any(|area| away[usize::from(*area)].is_finite())
}

/// Refuses what cannot be compiled.
fn check(mesh: &Mesh) -> Result<(), NavError> {
    if mesh.areas.is_empty() {
        return Err(NavError::NoAreas);
    }
    if mesh.areas.len() > MAX_AREAS {
        return Err(NavError::TooManyAreas { areas: mesh.areas.len(), most: MAX_AREAS });
    }
    if mesh.ladders.len() > MAX_LADDERS {
        return Err(NavError::TooManyLadders { ladders: mesh.ladders.len(), most: MAX_LADDERS });
    }
    let placed = |values: &[f32], thing: &dyn Fn() -> String| {
        let strange = values.iter().find(|v| !v.is_finite() || v.abs() > MAX_COORDINATE);
        strange.map_or(Ok(()), |value| {
            Err(NavError::Corner { thing: thing(), value: *value, most: MAX_COORDINATE })
        })
    };
    for (index, area) in mesh.areas.iter().enumerate() {
        let thing = || format!("area {index} (id {})", area.id);
        placed(&area.nw, &thing)?;
        placed(&area.se, &thing)?;
        placed(&[area.ne_z, area.sw_z], &thing)?;
    }
    for (index, ladder) in mesh.ladders.iter().enumerate() {
        let thing = || format!("ladder {index} (id {})", ladder.id);
        placed(&ladder.top, &thing)?;
        placed(&ladder.bottom, &thing)?;
    }
    Ok(())
}
