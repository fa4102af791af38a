//! Where the survivors begin and where they must go.
//!
//! A map marks rooms and not directions. The rules, in this order:
//!
//! 1. A [`Hint`] decides: the marked room that its point is in, or the one area nearest to it.
//! 2. Start: the safe room with `PLAYER_START`. Goal: the areas of `RESCUE_VEHICLE`, else the one other
//!    room with `CHECKPOINT`.
//! 3. What is still open is guessed, and [`Ends::notes`] says so. Of several rooms the two farthest apart
//!    along the links are taken. If each can be reached from the other, the start is the one nearer to the
//!    areas with the lowest ids, on average over an eighth of them: the game numbers areas as it finds
//!    them, beginning where players appear.
//! 4. Without any mark the start is the first area and the goal the one farthest from it.

use super::attributes::{CHECKPOINT, FINALE, PLAYER_START, RESCUE_VEHICLE};
use super::grid::Grid;
use super::hint::Hint;
use super::links::{Links, distance};
use super::mesh::{AreaIndex, Mesh, Point};
use super::ways::from_any;

/// Rooms beyond the largest few are furniture of a strange file; comparing all pairs would take hours.
const MOST_ROOMS: usize = 16;

/// What a match ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GoalKind {
    /// A safe room: everybody who lives is inside.
    SafeRoom,
    /// A vehicle that comes at the end of a last stand.
    RescueVehicle,
}

/// The two ends of a map.
pub(super) struct Ends {
    pub start: Vec<AreaIndex>,
    pub goal: Vec<AreaIndex>,
    pub kind: GoalKind,
    pub notes: Vec<String>,
}

/// Areas that hang together and share a mark, lowest first.
type Room = Vec<AreaIndex>;

struct Search<'a> {
    mesh: &'a Mesh,
    links: &'a Links,
    centers: &'a [Point],
}

/// Finds both ends.
pub(super) fn find(
    mesh: &Mesh,
    links: &Links,
    grid: &Grid,
    centers: &[Point],
    hint: &Hint,
) -> Ends {
    let search = Search { mesh, links, centers };
    let safe = search.rooms(CHECKPOINT | PLAYER_START);
    let vehicles = search.rooms(RESCUE_VEHICLE);
    let marked = |point: Point| -> Room {
        let area = grid.nearest(point);
        let rooms = || vehicles.iter().chain(&safe);
        rooms().find(|room| room.contains(&area)).cloned().unwrap_or_else(|| vec![area])
    };
    let mut notes = Vec::new();
    let named = search.begun(&safe, &mut notes);
    let mut start = hint.start.map(marked).or(named);
    let mut goal = hint.goal.map(marked);
    if goal.is_none() && !vehicles.is_empty() {
        goal = Some(merged(vehicles.clone()));
    }
    if start.is_none() || goal.is_none() {
        search.settle(&safe, &mut start, &mut goal, &mut notes);
    }
    let start = start.unwrap_or_else(|| vec![0]);
    let goal = goal.unwrap_or_else(|| search.last_resort(&start, &mut notes));
    let finale = goal.iter().any(|area| search.spawn(*area) & (RESCUE_VEHICLE | FINALE) != 0);
    let kind = if finale { GoalKind::RescueVehicle } else { GoalKind::SafeRoom };
    Ends { start, goal, kind, notes }
}

impl Search<'_> {
    fn spawn(&self, area: AreaIndex) -> u32 {
        self.mesh.areas[usize::from(area)].spawn
    }

    /// The rooms of areas that have any of some marks: largest first, then by their lowest area.
    fn rooms(&self, marks: u32) -> Vec<Room> {
        let areas = self.mesh.areas.len();
        let mut owner: Vec<usize> = (0..areas).collect();
        for area in 0..areas as AreaIndex {
            for link in self.links.of(area).iter().chain(self.links.climbs(area)) {
                if self.spawn(area) & marks != 0 && self.spawn(link.to) & marks != 0 {
                    let (a, b) = (root(&mut owner, area.into()), root(&mut owner, link.to.into()));
                    owner[a.max(b)] = a.min(b);
                }
            }
        }
        let mut rooms: Vec<Room> = vec![Vec::new(); areas];
        for area in 0..areas {
            if self.mesh.areas[area].spawn & marks != 0 {
                rooms[root(&mut owner, area)].push(area as AreaIndex);
            }
        }
        rooms.retain(|room| !room.is_empty());
        rooms.sort_by_key(|room| std::cmp::Reverse(room.len()));
        rooms
    }

    /// The room with most of `PLAYER_START`.
    fn begun(&self, safe: &[Room], notes: &mut Vec<String>) -> Option<Room> {
        let marks =
            |room: &Room| room.iter().filter(|area| self.spawn(**area) & PLAYER_START != 0).count();
        let begun: Vec<&Room> = safe.iter().filter(|room| marks(room) > 0).collect();
        if begun.len() > 1 {
            notes.push(format!(
                "{} rooms have PLAYER_START and the one with most of it was taken as the start; {FIX}",
                begun.len()
            ));
        }
        // The first of the largest: `max_by_key` would give the last.
        begun.into_iter().rev().max_by_key(|room| marks(room)).cloned()
    }

    /// Fills in what is open from the safe rooms.
    fn settle(
        &self,
        safe: &[Room],
        start: &mut Option<Room>,
        goal: &mut Option<Room>,
        notes: &mut Vec<String>,
    ) {
        let taken = |room: &Room| Some(room) == start.as_ref() || Some(room) == goal.as_ref();
        let free: Vec<&Room> = safe.iter().filter(|room| !taken(room)).take(MOST_ROOMS).collect();
        match (start.as_ref(), goal.as_ref()) {
            (Some(from), None) => {
                let away = from_any(self.links, self.mesh.areas.len(), from);
                let pick = farthest(&free, |room| nearest_of(&away, room));
                guessed(free.len(), "goal", "farthest from the start", notes);
                *goal = pick.cloned();
            }
            (None, Some(to)) => {
                let pick = farthest(&free, |room| {
                    nearest_of(&from_any(self.links, self.mesh.areas.len(), room), to)
                });
                guessed(free.len(), "start", "farthest from the goal", notes);
                *start = pick.cloned();
            }
            (None, None) => {
                if let Some((from, to)) = self.pair(&free) {
                    notes.push(format!(
                        "nothing says where the survivors begin: of {} safe rooms the start is at \
                         {}, the goal at {}; {FIX}",
                        free.len(),
                        self.place(from),
                        self.place(to)
                    ));
                    (*start, *goal) = (Some(from.clone()), Some(to.clone()));
                } else if let Some(only) = free.first() {
                    *start = Some((*only).clone());
                }
            }
            (Some(_), Some(_)) => {}
        }
    }

    /// The two rooms that are farthest apart, the start first.
    fn pair<'r>(&self, rooms: &[&'r Room]) -> Option<(&'r Room, &'r Room)> {
        let mut best: Option<(f32, &Room, &Room)> = None;
        for from in rooms {
            let away = from_any(self.links, self.mesh.areas.len(), from);
            for to in rooms {
                let units = nearest_of(&away, to);
                let farther = best.is_none_or(|(most, ..)| units > most);
                if from != to && units.is_finite() && farther {
                    best = Some((units, from, to));
                }
            }
        }
        let Some((_, from, to)) = best else {
            // No way leads from any of them to another: the two largest.
            return Some((rooms.first()?, rooms.get(1)?));
        };
        let back = from_any(self.links, self.mesh.areas.len(), to);
        if nearest_of(&back, from).is_finite() && self.oldest(to) < self.oldest(from) {
            return Some((to, from));
        }
        Some((from, to))
    }

    /// How far a room is from the areas with the lowest ids, on average.
    fn oldest(&self, room: &Room) -> f32 {
        let mut order: Vec<usize> = (0..self.mesh.areas.len()).collect();
        order.sort_by_key(|area| self.mesh.areas[*area].id);
        order.truncate(self.mesh.areas.len().div_ceil(8));
        let middle = self.middle(room);
        let sum: f32 = order.iter().map(|area| distance(self.centers[*area], middle)).sum();
        sum / order.len() as f32
    }

    fn last_resort(&self, start: &Room, notes: &mut Vec<String>) -> Room {
        let away = from_any(self.links, self.mesh.areas.len(), start);
        let open = |area: &usize| away[*area].is_finite();
        let finale = |area: &usize| self.mesh.areas[*area].spawn & FINALE != 0;
        let all = || (0..away.len()).filter(open);
        // The first of the farthest, wherever several are as far.
        let last = |a: &usize, b: &usize| away[*a].total_cmp(&away[*b]).then(b.cmp(a));
        let pick = all().filter(finale).max_by(last).or_else(|| all().max_by(last)).unwrap_or(0);
        let pick = pick as AreaIndex;
        let place = self.place(&vec![pick]);
        notes.push(format!(
            "no safe room and no rescue vehicle is marked as the goal: the area at {place}, farthest \
             from the start, was taken; {FIX}"
        ));
        vec![pick]
    }

    fn middle(&self, room: &Room) -> Point {
        let mut sum = [0.0; 3];
        for area in room {
            for axis in 0..3 {
                sum[axis] += self.centers[usize::from(*area)][axis] / room.len() as f32;
            }
        }
        sum
    }

    fn place(&self, room: &Room) -> String {
        let [x, y, z] = self.middle(room);
        format!("[{x:.0}, {y:.0}, {z:.0}]")
    }
}

const FIX: &str = "a file of the map's name ending in .yml beside it, with `start: [x, y, z]` and \
                   `goal: [x, y, z]`, settles it";

fn guessed(rooms: usize, end: &str, rule: &str, notes: &mut Vec<String>) {
    if rooms > 1 {
        notes.push(format!("of {rooms} safe rooms the one {rule} was taken as the {end}; {FIX}"));
    }
}

/// The room that lies farthest; the earlier of two, and those that cannot be reached last.
fn farthest<'r>(rooms: &[&'r Room], mut units: impl FnMut(&Room) -> f32) -> Option<&'r Room> {
    let mut best: Option<(f32, &Room)> = None;
    for room in rooms {
        let far = units(room);
        let far = if far.is_finite() { far } else { -1.0 };
        if best.is_none_or(|(most, _)| far > most) {
            best = Some((far, room));
        }
    }
    best.map(|(_, room)| room)
}

fn nearest_of(away: &[f32], room: &Room) -> f32 {
    room.iter().map(|area| away[usize::from(*area)]).fold(f32::INFINITY, f32::min)
}

fn merged(rooms: Vec<Room>) -> Room {
    let mut all: Room = rooms.into_iter().flatten().collect();
    all.sort_unstable();
    all
}

fn root(owner: &mut [usize], mut at: usize) -> usize {
    while owner[at] != at {
        owner[at] = owner[owner[at]];
        at = owner[at];
    }
    at
}
