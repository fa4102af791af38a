//! What a player of a special infected sees and does.

use lanista_game::{Feature, Group, Head, Role, SeatView};

use crate::nav::Point;
use crate::sim::infected::{Class, Deed};
use crate::sim::motion::{Heading, heading};
use crate::sim::space::{direction, distance, facing, pitch_to, yaw_to};
use crate::sim::survivor::Condition;
use crate::sim::world::{Command, SURVIVORS, World, button};
use crate::view::{place, place_names};

const OWN: [&str; 20] = [
    "smoker",
    "boomer",
    "hunter",
    "spitter",
    "jockey",
    "charger",
    "health",
    "ability_ready",
    "ability_wait",
    "stumbles",
    "in_the_air",
    "holds",
    "busy",
    "burns",
    "commons",
    "mob_to_come",
    "survivors_up",
    "survivors_down",
    "their_flow",
    "target_in_cone",
];

const SURVIVOR: [&str; 10] = [
    "health",
    "is_down",
    "is_dead",
    "is_held",
    "is_biled",
    "in_sight",
    "looks_at_me",
    "way",
    "distance_to_fellow",
    "in_range",
];

/// Survivors by how readily they can be had, which is how they stand in the observation, too: seats mean nothing
/// to an infected, and the nearest is the first to think of.
const TARGETS: [&str; SURVIVORS] = ["nearest", "second", "third", "fourth"];
const MOVES: [&str; 6] = ["stay", "to_target", "away", "left", "right", "behind"];
const ACTS: [&str; 4] = ["nothing", "claw", "ability", "jump"];
const TARGET: usize = 0;
const MOVE: usize = 1;
const ACT: usize = 2;

/// The role.
pub fn role() -> Role {
    let place = place_names("").map(Feature::from);
    let survivor = place.into_iter().chain(SURVIVOR.map(Feature::from));
    Role {
        name: "infected".into(),
        observation: vec![
            Group::features(OWN.map(Feature::from)),
            Group::entities("survivor", SURVIVORS, survivor),
        ],
        heads: vec![Head::new("target", TARGETS), Head::new("move", MOVES), Head::new("act", ACTS)],
        ..Role::default()
    }
}

fn flag(on: bool) -> f32 {
    f32::from(u8::from(on))
}

/// The special that a seat plays now.
pub fn played_by(world: &World, seat: usize) -> Option<usize> {
    world.specials.iter().position(|s| s.alive && s.seat == Some(seat as u8))
}

/// Writes what the player of an infected sees; one who waits to come back does not act.
pub fn observe(world: &World, seat: usize, view: &mut SeatView) {
    view.observation.fill(0.0);
    let Some(k) = played_by(world, seat) else {
        view.wait();
        return;
    };
    let special = &world.specials[k];
    let traits = special.class.traits();
    let now = world.now;
    let strain = world.strain();
    let (own, survivors) = view.observation.split_at_mut(OWN.len());
    if (special.class as usize) < Class::SPECIALS.len() {
        own[special.class as usize] = 1.0;
    }
    let wait = special.ability_from.saturating_sub(now) as f32;
    own[6..].copy_from_slice(&[
        special.health / special.class.health(world.difficulty),
        flag(world.ability_ready(k)),
        (wait / 600.0).min(1.0),
        flag(now < special.stumbles_until),
        flag(!special.body.on_ground),
        flag(special.held().is_some()),
        flag(special.deed != Deed::Stalk),
        flag(special.burning),
        world.commons.len() as f32 / 30.0,
        world.director.to_come as f32 / 30.0,
        (strain.survivors - strain.down - strain.dead) / 4.0,
        strain.down / 4.0,
        world.progress / world.terrain.flow_length().max(1.0),
        flag(world.aimed_at(k, traits.range).is_some()),
    ]);
    let size = 5 + SURVIVOR.len();
    for (i, slot) in world.by_preference(k).into_iter().zip(survivors.chunks_exact_mut(size)) {
        let s = &world.survivors[i];
        if !s.present {
            continue;
        }
        slot[0] = 1.0;
        place(special.body.at, special.yaw, s.body.at, &mut slot[1..5]);
        let (to_me, _) = direction(s.body.at, special.body.at);
        let ahead = facing(s.yaw);
        let fellow = world.nearest_survivor(s.body.at, |j, other| j != i && other.is_up());
        let way = world.terrain.distance(special.body.area, s.body.area);
        slot[5..].copy_from_slice(&[
            s.total_health() / 100.0,
            flag(s.is_down()),
            flag(s.condition == Condition::Dead),
            flag(s.hold.is_some()),
            flag(now < s.biled_until),
            flag(world.terrain.sees(special.body.area, s.body.area)),
            to_me[0] * ahead[0] + to_me[1] * ahead[1],
            if way.is_finite() { (way / 1500.0).min(2.0) } else { 2.0 },
            fellow.map_or(2.0, |(_, d)| (d / 500.0).min(2.0)),
            flag(distance(special.body.at, s.body.at) <= traits.range),
        ]);
    }
    legal(world, seat, view.mask);
}

/// Writes what the player of an infected can do: the masks of the heads, side by side.
pub fn legal(world: &World, seat: usize, mask: &mut [bool]) {
    mask.fill(true);
    let Some(k) = played_by(world, seat) else { return };
    let (targets, rest) = mask.split_at_mut(SURVIVORS);
    for (legal, i) in targets.iter_mut().zip(world.by_preference(k)) {
        *legal = world.survivors[i].is_alive();
    }
    if !targets.contains(&true) {
        targets[0] = true;
    }
    rest[MOVES.len() + 2] = world.ability_ready(k);
}

/// The command that actions amount to.
pub fn command(world: &World, seat: usize, actions: &[u32]) -> Command {
    let Some(k) = played_by(world, seat) else { return Command::default() };
    let special = &world.specials[k];
    let s = &world.survivors[world.by_preference(k)[actions[TARGET] as usize % SURVIVORS]];
    let (at, victim) = (special.body.at, s.body.at);
    let yaw = yaw_to(at, victim);
    let mut command = Command { yaw, pitch: pitch_to(at, victim), ..Command::default() };
    match actions[MOVE] {
        1 => match heading(&world.terrain, &special.body, s.body.area, victim) {
            Heading::Run(point) => command.step = step_to(at, yaw, point),
            Heading::Climb(link) => command.climb = Some(link as u8),
            Heading::Stay => {}
        },
        2 => command.step = [-1.0, 0.0],
        3 => command.step = [0.0, -1.0],
        4 => command.step = [0.0, 1.0],
        5 => {
            // To where the victim does not look.
            let [x, y] = facing(s.yaw);
            let point = [victim[0] - 150.0 * x, victim[1] - 150.0 * y, victim[2]];
            command.step = step_to(at, yaw, point);
        }
        _ => {}
    }
    command.buttons = match actions[ACT] {
        1 => button::ATTACK,
        2 => button::SHOVE,
        3 => button::JUMP,
        _ => 0,
    };
    command
}

/// The step to a point, forward and to the right of where one looks.
fn step_to(at: Point, yaw: f32, point: Point) -> [f32; 2] {
    let (to, far) = direction(at, point);
    let [cos, sin] = facing(yaw);
    if far > 0.0 { [to[0] * cos + to[1] * sin, to[0] * sin - to[1] * cos] } else { [0.0, 0.0] }
}

/// What the game's own infected would choose.
pub fn as_the_game_does(world: &World, seat: usize, action: &mut [u32]) {
    action.fill(0);
    let Some(k) = played_by(world, seat) else { return };
    let Some(i) = world.preferred_target(k) else { return };
    let far = distance(world.specials[k].body.at, world.survivors[i].body.at);
    action[TARGET] = 0; // whom it prefers comes first
    action[MOVE] = if world.keeps_away(k, i) { 2 } else { 1 };
    if world.wants_ability(k, i) {
        action[ACT] = 2;
    } else if far < 65.0 {
        action[ACT] = 1;
    }
}
