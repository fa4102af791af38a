//! Bodies on a mesh: the engine's ground and air movement, with areas instead of brushes. A body always
//! stands in an area, over it, or on the way between two.

use crate::nav::{AreaIndex, Link, Point, Terrain, Way};
use crate::sim::numbers::{
    ACCELERATE, AIR_ACCELERATE, AIR_WISH_SPEED, FALL_SPEED, FRICTION, GRAVITY, JUMP_APEX,
    LADDER_SPEED, STEP_HEIGHT, STOP_SPEED, TICK_SECS, TUCK, UNTUCK_HEIGHT,
};
use crate::sim::space::direction;

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Body {
    /// Its feet.
    pub at: Point,
    /// Units a second.
    pub velocity: Point,
    /// The area below it, or the one that it climbs from.
    pub area: AreaIndex,
    /// Does it stand?
    pub on_ground: bool,
    /// Are the feet drawn up, as in a jump?
    pub tucked: bool,
    /// On the way over a link that is not walked.
    pub climb: Option<Climb>,
}

/// A climb over a link of the area that the body comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Climb {
    /// Which of the area's links.
    pub link: u8,
    /// How far along it, from 0 to 1.
    pub done: f32,
}

/// What a tick of movement brought.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moved {
    /// It ran into something.
    pub blocked: bool,
    /// It landed with this speed.
    pub landed: Option<f32>,
    /// It went over an edge this high.
    pub fell_off: Option<f32>,
}

impl Body {
    /// Somebody who stands in an area.
    pub fn standing(terrain: &Terrain, area: AreaIndex, x: f32, y: f32) -> Self {
        let [x0, y0, x1, y1] = terrain.bounds(area);
        let (x, y) = (x.clamp(x0, x1), y.clamp(y0, y1));
        let at = [x, y, terrain.height(area, x, y)];
        Self { at, velocity: [0.0; 3], area, on_ground: true, tucked: false, climb: None }
    }

    /// The ground below it.
    pub fn ground(&self, terrain: &Terrain) -> f32 {
        terrain.height(self.area, self.at[0], self.at[1])
    }

    /// Speed on the floor plan.
    pub fn speed(&self) -> f32 {
        self.velocity[0].hypot(self.velocity[1])
    }

    /// A tick of the engine's movement: `wish` is a direction on the floor plan of length 1, or nothing.
    pub fn walk(&mut self, terrain: &Terrain, wish: [f32; 2], speed: f32, jump: bool) -> Moved {
        if self.climb.is_some() {
            return self.go_on_climbing(terrain, wish, jump);
        }
        if self.on_ground {
            if jump {
                self.velocity[2] = (2.0 * GRAVITY * (JUMP_APEX - TUCK)).sqrt();
                self.at[2] += TUCK;
                (self.on_ground, self.tucked) = (false, true);
            } else {
                self.slow_down();
            }
        }
        if self.on_ground {
            self.accelerate(wish, speed, ACCELERATE * speed);
        } else {
            self.accelerate(wish, speed.min(AIR_WISH_SPEED), AIR_ACCELERATE * speed);
        }
        self.drift(terrain)
    }

    /// A tick of somebody who runs at once as fast as it can, as the infected do.
    pub fn run(&mut self, terrain: &Terrain, wish: [f32; 2], speed: f32) -> Moved {
        if self.climb.is_some() {
            // Claws climb as fast as feet climb a ladder.
            return self.go_on_climbing(terrain, wish, false);
        }
        if self.on_ground {
            (self.velocity[0], self.velocity[1]) = (wish[0] * speed, wish[1] * speed);
        }
        self.drift(terrain)
    }

    /// A tick of flying where the velocity goes: lunges, charges, whoever is thrown.
    pub fn drift(&mut self, terrain: &Terrain) -> Moved {
        // Whoever is thrown off a ladder falls.
        self.let_go(terrain);
        let mut moved = Moved::default();
        if self.tucked && self.velocity[2] < 0.0 {
            self.put_feet_down(terrain);
        }
        // The engine's way: half of gravity before the move, half after it.
        if !self.on_ground {
            self.velocity[2] -= 0.5 * GRAVITY * TICK_SECS;
        }
        let (dx, dy) = (self.velocity[0] * TICK_SECS, self.velocity[1] * TICK_SECS);
        if dx != 0.0 || dy != 0.0 {
            let [free_x, free_y] = self.slide(terrain, dx, dy);
            moved.blocked = !(free_x && free_y);
            if !free_x {
                self.velocity[0] = 0.0;
            }
            if !free_y {
                self.velocity[1] = 0.0;
            }
        }
        let ground = self.ground(terrain);
        if self.on_ground {
            if ground < self.at[2] - STEP_HEIGHT {
                self.on_ground = false;
                self.velocity[2] = 0.0;
                moved.fell_off = Some(self.at[2] - ground);
            } else {
                self.at[2] = ground;
            }
        } else {
            self.at[2] += self.velocity[2] * TICK_SECS;
            self.velocity[2] -= 0.5 * GRAVITY * TICK_SECS;
            if self.at[2] <= ground {
                moved.landed = Some(-self.velocity[2]);
                self.at[2] = ground;
                self.velocity[2] = 0.0;
                (self.on_ground, self.tucked) = (true, false);
            }
        }
        moved
    }

    /// Puts down the feet that a jump drew up, where the ground is near.
    fn put_feet_down(&mut self, terrain: &Terrain) {
        let ground = self.ground(terrain);
        if self.at[2] - ground <= UNTUCK_HEIGHT {
            self.at[2] = (self.at[2] - TUCK).max(ground);
            self.tucked = false;
        }
    }

    /// Begins to climb over a link of its area, if it stands where that begins.
    pub fn climb_within_reach(&mut self, terrain: &Terrain, link: usize) {
        let begins = terrain.links(self.area).get(link).map(|link| link.from_point);
        if self.on_ground && begins.is_some_and(|at| direction(self.at, at).1 < LEAP_REACH) {
            self.climb(link);
        }
    }

    /// Begins a climb over a link of its area.
    pub fn climb(&mut self, link: usize) {
        self.climb = Some(Climb { link: link as u8, done: 0.0 });
        self.velocity = [0.0; 3];
        self.on_ground = false;
    }

    /// Lets go of what it climbs: it falls where it is.
    pub fn let_go(&mut self, terrain: &Terrain) {
        if let Some(Climb { link, done }) = self.climb.take() {
            let link = terrain.links(self.area)[usize::from(link)];
            // It falls to the lower of the two; over a gap on the level, to the nearer.
            let level = link.rise.abs() <= STEP_HEIGHT;
            if link.rise < -STEP_HEIGHT || level && done > 0.5 {
                self.area = link.to;
            }
            self.settle(terrain);
        }
    }

    fn go_on_climbing(&mut self, terrain: &Terrain, wish: [f32; 2], jump: bool) -> Moved {
        let Some(Climb { link, done }) = self.climb else { return Moved::default() };
        let link = terrain.links(self.area)[usize::from(link)];
        let held = matches!(link.way, Way::Ladder(_) | Way::Jump);
        if jump && held {
            self.let_go(terrain);
            return Moved::default();
        }
        let speed = if held { LADDER_SPEED } else { FALL_SPEED };
        let (along, flat) = direction(link.from_point, link.to_point);
        let length = flat.max((link.to_point[2] - link.from_point[2]).abs()).max(1.0);
        // A ladder that stands upright has no direction on the plan: any wish goes up.
        let towards = if flat < 1.0 {
            if wish == [0.0, 0.0] { 0.0 } else { 1.0 }
        } else {
            along[0] * wish[0] + along[1] * wish[1]
        };
        // Who has leapt over a brink cannot come back.
        let sign = if towards > 0.1 || !held {
            1.0
        } else if towards < -0.1 {
            -1.0
        } else {
            0.0
        };
        let done = (done + sign * speed * TICK_SECS / length).clamp(0.0, 1.0);
        for i in 0..3 {
            self.at[i] = link.from_point[i] + done * (link.to_point[i] - link.from_point[i]);
        }
        self.velocity = [0.0; 3];
        let mut moved = Moved::default();
        if done >= 1.0 {
            self.area = link.to;
            self.stand(terrain);
            if link.way == Way::Drop {
                moved.landed = Some((2.0 * GRAVITY * -link.rise).max(0.0).sqrt());
            }
        } else if done <= 0.0 && sign < 0.0 {
            self.stand(terrain);
        } else if let Some(climb) = &mut self.climb {
            climb.done = done;
        }
        moved
    }

    /// Stands in its area, where it is or nearest to it.
    fn stand(&mut self, terrain: &Terrain) {
        self.settle(terrain);
        self.at[2] = self.ground(terrain);
        (self.on_ground, self.tucked) = (true, false);
        self.climb = None;
    }

    /// Brings it over its area.
    fn settle(&mut self, terrain: &Terrain) {
        let [x0, y0, x1, y1] = terrain.bounds(self.area);
        self.at[0] = self.at[0].clamp(x0, x1);
        self.at[1] = self.at[1].clamp(y0, y1);
        self.at[2] = self.at[2].max(self.ground(terrain));
    }

    fn slow_down(&mut self) {
        let speed = self.speed();
        if speed < 0.1 {
            (self.velocity[0], self.velocity[1]) = (0.0, 0.0);
            return;
        }
        let drop = speed.max(STOP_SPEED) * FRICTION * TICK_SECS;
        let left = (speed - drop).max(0.0) / speed;
        self.velocity[0] *= left;
        self.velocity[1] *= left;
    }

    fn accelerate(&mut self, wish: [f32; 2], wish_speed: f32, rate: f32) {
        let present = self.velocity[0] * wish[0] + self.velocity[1] * wish[1];
        let gain = (rate * TICK_SECS).min(wish_speed - present);
        if gain > 0.0 {
            self.velocity[0] += gain * wish[0];
            self.velocity[1] += gain * wish[1];
        }
    }

    /// Is pushed a little, and stays on its feet or in the air.
    pub fn shift(&mut self, terrain: &Terrain, dx: f32, dy: f32) {
        self.slide(terrain, dx, dy);
        let ground = self.ground(terrain);
        if self.on_ground && ground < self.at[2] - STEP_HEIGHT {
            self.on_ground = false;
        } else if self.on_ground || self.at[2] < ground {
            self.at[2] = ground;
        }
    }

    /// Moves on the floor plan and slides along what stops it. Tells whether x and y were free.
    fn slide(&mut self, terrain: &Terrain, dx: f32, dy: f32) -> [bool; 2] {
        let (x, y) = (self.at[0] + dx, self.at[1] + dy);
        if self.enter(terrain, x, y) {
            return [true, true];
        }
        let free_x = dx != 0.0 && self.enter(terrain, x, self.at[1]);
        let free_y = dy != 0.0 && self.enter(terrain, self.at[0], y);
        let [x0, y0, x1, y1] = terrain.bounds(self.area);
        // Up to the wall, and no farther.
        if !free_x {
            self.at[0] = x.clamp(x0, x1);
        }
        if !free_y {
            self.at[1] = y.clamp(y0, y1);
        }
        [free_x || dx == 0.0, free_y || dy == 0.0]
    }

    /// Goes to a point if it is in this area or in one that can be reached from it on foot.
    fn enter(&mut self, terrain: &Terrain, x: f32, y: f32) -> bool {
        let Some(area) = self.reachable(terrain, x, y) else { return false };
        (self.at[0], self.at[1], self.area) = (x, y, area);
        true
    }

    fn reachable(&self, terrain: &Terrain, x: f32, y: f32) -> Option<AreaIndex> {
        if terrain.contains(self.area, x, y) {
            return Some(self.area);
        }
        // Standing, a foot is lifted over a step; flying, it is not.
        let lift = if self.on_ground { STEP_HEIGHT } else { 1.0 };
        let open = |to: AreaIndex| terrain.height(to, x, y) <= self.at[2] + lift;
        let walked = |way: Way| !matches!(way, Way::Ladder(_));
        let links = terrain.links(self.area);
        let near = links.iter().filter(|link| walked(link.way));
        let mut inside =
            near.clone().filter(|link| terrain.contains(link.to, x, y) && open(link.to));
        if let Some(first) = inside.next() {
            // Feet stand on what is uppermost: on a ramp, not on the floor that it rises from.
            let mut top = (terrain.height(first.to, x, y), first.to);
            let within = |a: AreaIndex| {
                let [x0, y0, x1, y1] = terrain.bounds(a);
                x0 < x && x < x1 && y0 < y && y < y1
            };
            for link in inside.filter(|link| within(link.to)) {
                let height = terrain.height(link.to, x, y);
                if height > top.0 && height <= top.0 + STEP_HEIGHT {
                    top = (height, link.to);
                }
            }
            return Some(top.1);
        }
        // Around a corner, or over a strip narrower than a stride.
        for link in near {
            for beyond in terrain.links(link.to).iter().filter(|link| walked(link.way)) {
                if terrain.contains(beyond.to, x, y) && open(beyond.to) {
                    let [x0, y0, x1, y1] = terrain.bounds(link.to);
                    let crossed = [x.clamp(x0, x1), y.clamp(y0, y1)];
                    if terrain.height(link.to, crossed[0], crossed[1]) <= self.at[2] + lift {
                        return Some(beyond.to);
                    }
                }
            }
        }
        None
    }
}

/// Where to run to get from a body's area to another, and the link to climb if that is the way on.
pub fn heading(terrain: &Terrain, body: &Body, goal: AreaIndex, target: Point) -> Heading {
    if body.area == goal {
        return Heading::Run(target);
    }
    let Some(index) = terrain.toward(body.area, goal) else { return Heading::Stay };
    let link = &terrain.links(body.area)[index];
    match link.way {
        Way::Walk | Way::Drop if !is_leap(link) => Heading::Run(crossing(terrain, body, link)),
        _ if direction(body.at, link.from_point).1 < LEAP_REACH => Heading::Climb(index),
        _ => Heading::Run(link.from_point),
    }
}

/// From so near a link is climbed or leapt over.
pub const LEAP_REACH: f32 = 32.0;
/// A gap on the floor plan that even the slowest tick of somebody who begins to walk bridges.
const WIDEST_STRIDE: f32 = 0.5;

/// Must one climb or leap, because the two areas do not touch?
pub fn is_leap(link: &Link) -> bool {
    matches!(link.way, Way::Ladder(_))
        || direction(link.from_point, link.to_point).1 > WIDEST_STRIDE
}

/// The point to walk to in order to cross into the area of a link.
pub fn crossing(terrain: &Terrain, body: &Body, link: &Link) -> Point {
    let Some([x0, y0, x1, y1]) = terrain.portal(body.area, link.to) else { return link.to_point };
    let [x, y] = [between(body.at[0], x0, x1), between(body.at[1], y0, y1)];
    // Straight over the line and a little beyond it, or it would be approached for ever, or along it. Whoever
    // is not before the opening yet goes there first, for beside it lies another area.
    let [cx, cy, _] = terrain.center(body.area);
    let beside = |at: f32, a: f32, b: f32| at < a.min(b) || at > a.max(b);
    let outward = |edge: f32, center: f32, beside: bool| {
        let on = if beside { -4.0 } else { 16.0 };
        if edge < center { -on } else { on }
    };
    let [dx, dy] = if x0 == x1 {
        [outward(x0, cx, beside(body.at[1], y0, y1)), 0.0]
    } else {
        [0.0, outward(y0, cy, beside(body.at[0], x0, x1))]
    };
    [x + dx, y + dy, terrain.center(link.to)[2]]
}

/// The nearest to a coordinate between two ends, half a hull away from them where there is room: corners catch,
/// and beyond an end there may be a brink.
fn between(x: f32, a: f32, b: f32) -> f32 {
    let (low, high) = (a.min(b), a.max(b));
    let margin = (0.4 * (high - low)).min(16.0);
    x.clamp(low + margin, high - margin)
}

/// What to do next on the way somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Heading {
    /// Run to this point.
    Run(Point),
    /// Climb over this link of the area.
    Climb(usize),
    /// There is no way.
    Stay,
}
