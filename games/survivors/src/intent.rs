//! What somebody means to do, and the command that does it. Views turn actions into intents, scripted players
//! have them, and the same intents drive a simulated survivor and a live one.

use crate::nav::{AreaIndex, Link, Point, Terrain, Way};
use crate::sim::motion::{Body, LEAP_REACH, crossing, is_leap};
use crate::sim::space::{direction, distance, facing, pitch_to, yaw_to};
use crate::sim::survivor::TaskKind;
use crate::sim::world::{Command, SURVIVORS, World, button};

/// Where feet go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Feet {
    /// Nowhere.
    #[default]
    Stay,
    /// Forward and to the right of where one looks, from -1 to 1.
    Step(f32, f32),
    /// Along the way to the goal, and to the right of it.
    Way(f32, f32),
    /// Away from the nearest infected.
    Retreat,
    /// To the fellow who needs it most, or to the nearest.
    Fellow,
    /// To the nearest thing of use.
    Item,
}

/// Where eyes go.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Eyes {
    /// Where they are.
    #[default]
    Still,
    /// So many degrees to the left.
    Turn(f32),
    /// Along the way.
    Way,
    /// At the nearest infected in sight.
    Threat,
    /// At the nearest special in sight.
    Special,
    /// At the fellow who needs it most.
    Fellow,
    /// At the nearest thing of use.
    Item,
}

/// What a survivor means to do in a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Intent {
    /// Where feet go.
    pub feet: Feet,
    /// Where eyes go.
    pub eyes: Eyes,
    /// What hands press.
    pub buttons: u16,
}

/// Things farther away than this are not known of.
pub const ITEM_RANGE: f32 = 800.0;
/// Infected farther away than this are not aimed at.
pub const THREAT_RANGE: f32 = 1500.0;

impl World {
    /// The nearest infected in sight of a survivor: where it is, and how far.
    pub fn threat(&self, i: usize, specials_only: bool) -> Option<(Point, f32)> {
        let s = &self.survivors[i];
        let (at, area) = (s.body.at, s.body.area);
        let mut best: Option<(Point, f32)> = None;
        let mut consider = |point: Point, where_: AreaIndex, nearer: f32| {
            let far = distance(at, point);
            if far > THREAT_RANGE || best.is_some_and(|(_, least)| far * nearer >= least) {
                return;
            }
            if self.terrain.sees(area, where_) {
                best = Some((point, far * nearer));
            }
        };
        if !specials_only {
            for common in &self.commons {
                consider(common.body.at, common.body.area, 1.0);
            }
        }
        for special in self.specials.iter().filter(|s| s.alive) {
            // A sitting witch is better left alone.
            if matches!(special.deed, crate::sim::infected::Deed::Sit { .. }) {
                continue;
            }
            // Whoever has a fellow comes first.
            let nearer = if special.held().is_some() { 0.2 } else { 0.7 };
            consider(special.body.at, special.body.area, nearer);
        }
        best.map(|(point, _)| (point, distance(at, point)))
    }

    /// Does a fellow stand in the way of a shot at this point?
    pub fn fellow_in_line(&self, i: usize, target: Point) -> bool {
        let at = self.survivors[i].body.at;
        let (along, far) = direction(at, target);
        self.survivors.iter().enumerate().any(|(j, other)| {
            let (dx, dy) = (other.body.at[0] - at[0], other.body.at[1] - at[1]);
            let ahead = dx * along[0] + dy * along[1];
            let aside = (dx * along[1] - dy * along[0]).abs();
            j != i && other.is_up() && ahead > 0.0 && ahead < far && aside < 30.0
        })
    }

    /// The fellow who needs somebody most: held, down, or else the nearest who lives.
    pub fn fellow(&self, i: usize) -> Option<usize> {
        let at = self.survivors[i].body.at;
        let mut best: Option<(f32, usize)> = None;
        for j in (0..SURVIVORS).filter(|&j| j != i) {
            let other = &self.survivors[j];
            if !other.is_alive() {
                continue;
            }
            let mut far = distance(at, other.body.at);
            let way = self.terrain.distance(self.survivors[i].body.area, other.body.area);
            if !way.is_finite() {
                // Behind a drop that nobody climbs.
                far += 50_000.0;
            } else if other.hold.is_some() || other.is_down() {
                far -= 10_000.0;
            }
            if best.is_none_or(|(least, _)| far < least) {
                best = Some((far, j));
            }
        }
        best.map(|(_, j)| j)
    }

    /// The nearest thing of use that one knows of.
    pub fn useful_item(&self, i: usize) -> Option<usize> {
        let s = &self.survivors[i];
        let mut best: Option<(f32, usize)> = None;
        for (k, item) in self.items.iter().enumerate() {
            if distance(s.body.at, item.at) > ITEM_RANGE || !self.wants(i, item.kind) {
                continue;
            }
            // By the way there: what lies a floor above is far.
            let far = self.way_to_item(i, k);
            if far < ITEM_RANGE && best.is_none_or(|(least, _)| far < least) {
                best = Some((far, k));
            }
        }
        best.map(|(_, k)| k)
    }

    /// How far it is to a thing on foot.
    pub fn way_to_item(&self, i: usize, k: usize) -> f32 {
        let (body, item) = (&self.survivors[i].body, &self.items[k]);
        self.terrain.distance(body.area, item.area).max(distance(body.at, item.at))
    }

    /// The command that an intent amounts to at this tick.
    pub fn command(&self, i: usize, intent: &Intent, first: bool) -> Command {
        let s = &self.survivors[i];
        let terrain = &*self.terrain;
        let eyes = s.eyes();
        let way = steer_to_goal(terrain, &s.body);
        let at_body = |point: Point| [point[0], point[1], point[2] + 40.0];
        let aim = match intent.eyes {
            Eyes::Still => None,
            Eyes::Turn(degrees) => {
                // A turn is made once, whatever the ticks of a decision.
                let yaw = if first { s.yaw + degrees } else { s.yaw };
                Some((yaw, s.pitch * 0.5))
            }
            Eyes::Way => Some((way.yaw(s.yaw), 0.0)),
            Eyes::Threat => self.threat(i, false).map(|(p, _)| angles(eyes, at_body(p))),
            Eyes::Special => self.threat(i, true).map(|(p, _)| angles(eyes, at_body(p))),
            Eyes::Fellow => {
                self.fellow(i).map(|j| angles(eyes, at_body(self.survivors[j].body.at)))
            }
            Eyes::Item => self.useful_item(i).map(|k| angles(eyes, self.items[k].at)),
        };
        let (yaw, pitch) = aim.unwrap_or((s.yaw, s.pitch));
        let turned = crate::sim::space::turned(s.yaw, yaw, crate::sim::MOST_TURN_DEGREES);
        let mut steer = match intent.feet {
            Feet::Stay => Steer::default(),
            Feet::Step(forward, side) => {
                let [cos, sin] = facing(turned);
                Steer {
                    wish: [forward * cos + side * sin, forward * sin - side * cos],
                    climb: self.leap_ahead(i, forward, side, turned),
                    jump: false,
                }
            }
            Feet::Way(forward, side) => {
                let [x, y] = way.wish;
                if side == 0.0 && forward > 0.0 {
                    way
                } else {
                    Steer {
                        wish: [forward * x + side * y, forward * y - side * x],
                        ..Steer::default()
                    }
                }
            }
            Feet::Retreat => match self.threat(i, false) {
                Some((point, _)) => {
                    Steer { wish: direction(point, s.body.at).0, ..Steer::default() }
                }
                None => Steer::default(),
            },
            Feet::Fellow => self.fellow(i).map_or(Steer::default(), |j| {
                let other = &self.survivors[j].body;
                if distance(s.body.at, other.at) < 50.0 {
                    Steer::default()
                } else {
                    steer(terrain, &s.body, other.area, other.at)
                }
            }),
            Feet::Item => self.useful_item(i).map_or(Steer::default(), |k| {
                let item = &self.items[k];
                if distance(s.body.at, item.at) < 40.0 {
                    Steer::default()
                } else {
                    steer(terrain, &s.body, item.area, item.at)
                }
            }),
        };
        if s.body.climb.is_some() && intent.feet != Feet::Stay {
            steer.wish = climbing(terrain, &s.body, steer.wish);
            steer.jump = false;
        }
        let [cos, sin] = facing(turned);
        let [x, y] = steer.wish;
        let mut buttons = intent.buttons;
        if steer.jump {
            buttons |= button::JUMP;
        }
        // What was begun goes on until something else is meant.
        if let Some(task) = s.task {
            buttons |= match task.kind {
                TaskKind::Heal(whom) if whom == i => button::HEAL_SELF,
                TaskKind::Heal(_) | TaskKind::Defibrillate(_) => button::HEAL_OTHER,
                TaskKind::Revive(_) | TaskKind::Rescue(_) => button::USE,
            };
        }
        let step = [x * cos + y * sin, x * sin - y * cos];
        Command { step, yaw, pitch, buttons, climb: steer.climb }
    }

    /// The ladder or the brink that a step leads to. Whoever stands at a ladder has just come from it.
    fn leap_ahead(&self, i: usize, forward: f32, side: f32, yaw: f32) -> Option<u8> {
        let body = &self.survivors[i].body;
        let [cos, sin] = facing(yaw);
        let wish = [forward * cos + side * sin, forward * sin - side * cos];
        let leads_there = |link: &Link| {
            let (to, far) = direction(body.at, link.from_point);
            let towards = to[0] * wish[0] + to[1] * wish[1] > 0.7;
            is_leap(link) && towards && (8.0..LEAP_REACH).contains(&far)
        };
        self.terrain.links(body.area).iter().position(leads_there).map(|index| index as u8)
    }
}

fn angles(from: Point, to: Point) -> (f32, f32) {
    (yaw_to(from, to), pitch_to(from, to))
}

/// A direction on the floor plan, and whether to jump.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Steer {
    /// Of length 1, or nothing.
    pub wish: [f32; 2],
    /// Is a jump needed?
    pub jump: bool,
    /// A link to climb or to leap over.
    pub climb: Option<u8>,
}

impl Steer {
    /// Where it leads, or else where one looked.
    pub fn yaw(&self, otherwise: f32) -> f32 {
        if self.wish == [0.0, 0.0] {
            otherwise
        } else {
            self.wish[1].atan2(self.wish[0]).to_degrees()
        }
    }
}

/// How to go on towards the goal.
pub fn steer_to_goal(terrain: &Terrain, body: &Body) -> Steer {
    match terrain.toward_goal(body.area) {
        Some(link) => steer_over(terrain, body, link),
        None => {
            // At the goal: to its middle.
            let (wish, far) = direction(body.at, terrain.center(body.area));
            Steer { wish: if far > 8.0 { wish } else { [0.0, 0.0] }, ..Steer::default() }
        }
    }
}

/// How to go on towards a point in an area.
pub fn steer(terrain: &Terrain, body: &Body, area: AreaIndex, point: Point) -> Steer {
    if body.area == area {
        return Steer { wish: direction(body.at, point).0, ..Steer::default() };
    }
    match terrain.toward(body.area, area) {
        Some(link) => steer_over(terrain, body, link),
        None => Steer::default(),
    }
}

/// So near to what lies behind an edge, one jumps.
const JUMP_REACH: f32 = 36.0;

fn steer_over(terrain: &Terrain, body: &Body, index: usize) -> Steer {
    let link = &terrain.links(body.area)[index];
    let to = |point: Point| direction(body.at, point).0;
    if is_leap(link) {
        let near = direction(body.at, link.from_point).1 < LEAP_REACH;
        let climb = near.then_some(index as u8);
        return Steer { wish: to(link.from_point), jump: false, climb };
    }
    match link.way {
        Way::Jump => {
            // Up against the edge, the way is on into the area and not along it.
            let beyond = crossing(terrain, body, link);
            let near = direction(body.at, beyond).1 < JUMP_REACH;
            Steer { wish: to(beyond), jump: near && body.on_ground, climb: None }
        }
        _ => Steer { wish: to(crossing(terrain, body, link)), jump: false, climb: None },
    }
}

/// On a ladder, on means along it.
fn climbing(terrain: &Terrain, body: &Body, wish: [f32; 2]) -> [f32; 2] {
    let Some(climb) = body.climb else { return wish };
    let link = terrain.links(body.area)[usize::from(climb.link)];
    match direction(link.from_point, link.to_point) {
        (_, flat) if flat < 1.0 => [1.0, 0.0],
        (along, _) => along,
    }
}
