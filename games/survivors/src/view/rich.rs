//! The view for strength: own state, fellows, infected and things as entities, the way on, and heads for
//! feet, eyes and hands.

use lanista_game::{Condition as Needed, Feature, Group, Head, Requirement, Role, SeatView};

use crate::intent::{Eyes, Feet, Intent, steer_to_goal};
use crate::nav::Point;
use crate::sim::director::Phase;
use crate::sim::infected::{Class, Deed, Mood};
use crate::sim::items::ItemKind;
use crate::sim::numbers::ticks;
use crate::sim::space::{distance, facing};
use crate::sim::survivor::{Condition, Dose, Pack, TaskKind, Throwable};
use crate::sim::weapons::Weapon;
use crate::sim::world::{SURVIVORS, World, button};
use crate::view::legacy::{can_heal_other, can_use};
use crate::view::{place, place_names};

/// How many infected are seen one by one: the nearest.
pub const INFECTED: usize = 8;
/// How many things are.
pub const ITEMS: usize = 3;

const OWN: [&str; 64] = [
    "health",
    "temporary_health",
    "is_up",
    "is_incapacitated",
    "is_hanging",
    "is_held",
    "on_third_strike",
    "is_biled",
    "has_adrenaline",
    "staggers",
    "velocity_ahead",
    "velocity_left",
    "velocity_up",
    "on_ground",
    "climbs",
    "crouches",
    "pitch",
    "holds_primary",
    "has_primary",
    "gun_smg",
    "gun_shotgun",
    "gun_rifle",
    "gun_sniper",
    "clip",
    "reserve",
    "reloads",
    "can_shove",
    "has_pipe_bomb",
    "has_molotov",
    "has_vomit_jar",
    "has_medkit",
    "has_defibrillator",
    "has_pills",
    "has_adrenaline_shot",
    "heals",
    "revives",
    "task_left",
    "intensity",
    "way_left",
    "way_ahead",
    "way_jump",
    "beyond_left",
    "beyond_ahead",
    "beyond_height",
    "flow",
    "to_goal",
    "in_start",
    "in_goal",
    "goal_is_closed",
    "commons",
    "commons_near",
    "commons_ahead",
    "commons_left",
    "commons_right",
    "commons_behind",
    "tank_there",
    "witch_there",
    "in_sights",
    "in_fire_or_acid",
    "lure_there",
    "phase_build_up",
    "phase_sustain",
    "phase_fade",
    "phase_relax",
];

const FELLOW: [&str; 9] = [
    "health",
    "temporary_health",
    "is_down",
    "is_dead",
    "is_held",
    "is_biled",
    "has_medkit",
    "on_third_strike",
    "in_sight",
];

const ENEMY: [&str; 15] = [
    "in_sight", "common", "smoker", "boomer", "hunter", "spitter", "jockey", "charger", "witch",
    "tank", "health", "stumbles", "holds", "after_me", "threat",
];

const THING: [&str; 7] =
    ["pack", "dose", "throwable", "gun", "ammunition", "of_use", "within_reach"];

/// What feet may do.
const MOVES: [(&str, Feet); 13] = [
    ("stay", Feet::Stay),
    ("forward", Feet::Step(1.0, 0.0)),
    ("forward_right", Feet::Step(1.0, 1.0)),
    ("right", Feet::Step(0.0, 1.0)),
    ("back_right", Feet::Step(-1.0, 1.0)),
    ("back", Feet::Step(-1.0, 0.0)),
    ("back_left", Feet::Step(-1.0, -1.0)),
    ("left", Feet::Step(0.0, -1.0)),
    ("forward_left", Feet::Step(1.0, -1.0)),
    ("along_the_way", Feet::Way(1.0, 0.0)),
    ("retreat", Feet::Retreat),
    ("to_fellow", Feet::Fellow),
    ("to_item", Feet::Item),
];

/// What eyes may follow.
const AIMS: [(&str, Eyes); 6] = [
    ("free", Eyes::Still),
    ("way", Eyes::Way),
    ("threat", Eyes::Threat),
    ("special", Eyes::Special),
    ("fellow", Eyes::Fellow),
    ("item", Eyes::Item),
];

/// Degrees to the left by which free eyes turn: fine in the middle, and as far as hands turn a mouse
/// (facts §8).
const TURNS: [f32; 11] = [0.0, 1.0, 3.0, 9.0, 25.0, 60.0, -1.0, -3.0, -9.0, -25.0, -60.0];

/// What hands may do.
const ACTS: [(&str, u16); 12] = [
    ("nothing", 0),
    ("attack", button::ATTACK),
    ("shove", button::SHOVE),
    ("use", button::USE),
    ("reload", button::RELOAD),
    ("jump", button::JUMP),
    ("crouch", button::CROUCH),
    ("heal_self", button::HEAL_SELF),
    ("heal_other", button::HEAL_OTHER),
    ("throw", button::THROW),
    ("dose", button::DOSE),
    ("switch", button::SWITCH),
];

const AIM: usize = 0;
const TURN: usize = 1;
const MOVE: usize = 2;
const ACT: usize = 3;

/// The role.
pub fn role() -> Role {
    let entity = |names: &[&str]| -> Vec<Feature> {
        let place = place_names("").map(Feature::from);
        place.into_iter().chain(names.iter().map(|&name| Feature::from(name))).collect()
    };
    let turns = TURNS.map(|degrees| match degrees {
        0.0 => "none".to_owned(),
        d if d > 0.0 => format!("left_{d}"),
        d => format!("right_{}", -d),
    });
    // Eyes that follow something do not turn besides.
    let requires = (1..TURNS.len()).map(|turn| Requirement {
        head: TURN,
        action: turn as u32,
        condition: Needed::All,
        choices: vec![(AIM, 0)],
    });
    Role {
        name: "survivor".into(),
        observation: vec![
            Group::features(OWN.map(Feature::from)),
            Group::entities("fellow", SURVIVORS - 1, entity(&FELLOW)),
            Group::entities("infected", INFECTED, entity(&ENEMY)),
            Group::entities("item", ITEMS, entity(&THING)),
        ],
        heads: vec![
            Head::new("aim", AIMS.map(|(name, _)| name)),
            Head::new("turn", turns),
            Head::new("move", MOVES.map(|(name, _)| name)),
            Head::new("act", ACTS.map(|(name, _)| name)),
        ],
        requires: requires.collect(),
        ..Role::default()
    }
}

/// What actions mean.
pub fn intent(actions: &[u32]) -> Intent {
    let eyes = match AIMS[actions[AIM] as usize].1 {
        Eyes::Still => match TURNS[actions[TURN] as usize] {
            0.0 => Eyes::Still,
            degrees => Eyes::Turn(degrees),
        },
        other => other,
    };
    Intent { feet: MOVES[actions[MOVE] as usize].1, eyes, buttons: ACTS[actions[ACT] as usize].1 }
}

/// The actions that say an intent, as near as they can.
pub fn actions(intent: &Intent, out: &mut [u32]) {
    let turn = match intent.eyes {
        Eyes::Turn(degrees) => TURNS
            .iter()
            .enumerate()
            .min_by(|(_, a), (_, b)| (**a - degrees).abs().total_cmp(&(**b - degrees).abs()))
            .map_or(0, |(i, _)| i),
        _ => 0,
    };
    out[AIM] = AIMS.iter().position(|(_, eyes)| *eyes == intent.eyes).unwrap_or(0) as u32;
    out[TURN] = turn as u32;
    out[MOVE] = MOVES.iter().position(|(_, feet)| *feet == intent.feet).unwrap_or(0) as u32;
    out[ACT] = ACTS.iter().position(|(_, b)| *b == intent.buttons).unwrap_or(0) as u32;
}

fn flag(on: bool) -> f32 {
    f32::from(u8::from(on))
}

/// Writes what a survivor sees, and what it can do.
pub fn observe(world: &World, i: usize, view: &mut SeatView) {
    let mut rest = &mut view.observation[..];
    let mut part = |size: usize| {
        let (head, tail) = std::mem::take(&mut rest).split_at_mut(size);
        rest = tail;
        head
    };
    own(world, i, part(OWN.len()));
    fellows(world, i, part((SURVIVORS - 1) * (5 + FELLOW.len())));
    infected(world, i, part(INFECTED * (5 + ENEMY.len())));
    items(world, i, part(ITEMS * (5 + THING.len())));
    legal(world, i, view.mask);
}

fn own(world: &World, i: usize, out: &mut [f32]) {
    let s = &world.survivors[i];
    let now = world.now;
    let terrain = &*world.terrain;
    let [cos, sin] = facing(s.yaw);
    let [vx, vy, vz] = s.body.velocity;
    let gun = s.gun();
    let ballistics = gun.weapon.ballistics();
    let primary = s.primary.as_ref().map(|gun| gun.weapon);
    let is = |kinds: &[Weapon]| flag(primary.is_some_and(|w| kinds.contains(&w)));
    let way = steer_to_goal(terrain, &s.body);
    let left = |[x, y]: [f32; 2]| y * cos - x * sin;
    let ahead = |[x, y]: [f32; 2]| x * cos + y * sin;
    // A few areas on: round the next corner.
    let mut beyond = s.body.area;
    for _ in 0..4 {
        if let Some(link) = terrain.toward_goal(beyond) {
            beyond = terrain.links(beyond)[link].to;
        }
    }
    let mut far_place = [0.0; 4];
    place(s.body.at, s.yaw, terrain.center(beyond), &mut far_place);
    let mut near = [0.0f32; 5];
    for common in &world.commons {
        if distance(common.body.at, s.body.at) < 250.0 {
            near[0] += 1.0;
            let to = [common.body.at[0] - s.body.at[0], common.body.at[1] - s.body.at[1]];
            let (a, l) = (ahead(to), left(to));
            near[if a.abs() > l.abs() {
                if a > 0.0 { 1 } else { 4 }
            } else if l > 0.0 {
                2
            } else {
                3
            }] += 1.0;
        }
    }
    let (heals, revives) = match s.task.map(|task| task.kind) {
        Some(TaskKind::Heal(_) | TaskKind::Defibrillate(_)) => (1.0, 0.0),
        Some(_) => (0.0, 1.0),
        None => (0.0, 0.0),
    };
    let task_left =
        s.task.map_or(0.0, |t| t.done_at.saturating_sub(now) as f32 / ticks(5.0) as f32);
    let length = terrain.flow_length().max(1.0);
    let to_goal = terrain.to_goal(s.body.area);
    let danger =
        world.hazards.iter().any(|h| !h.kind.flies() && distance(h.body.at, s.body.at) < 170.0);
    let phase = world.director.phase;
    let reserve = match gun.reserve {
        crate::sim::weapons::ENDLESS => 1.0,
        left => f32::from(left) / f32::from(ballistics.reserve.max(1)),
    };
    let numbers = [
        s.health / 100.0,
        s.temporary / 100.0,
        flag(s.is_up()),
        flag(matches!(s.condition, Condition::Incapacitated(_))),
        flag(matches!(s.condition, Condition::Hanging(_))),
        flag(s.hold.is_some()),
        flag(s.on_third_strike()),
        flag(now < s.biled_until),
        flag(now < s.adrenaline_until),
        flag(now < s.staggers_until),
        ahead([vx, vy]) / 220.0,
        left([vx, vy]) / 220.0,
        vz / 300.0,
        flag(s.body.on_ground),
        flag(s.body.climb.is_some()),
        flag(s.crouched),
        s.pitch / 90.0,
        flag(s.holds_primary),
        flag(primary.is_some()),
        is(&[Weapon::Smg, Weapon::SilencedSmg, Weapon::Mp5]),
        is(&[Weapon::PumpShotgun, Weapon::ChromeShotgun, Weapon::AutoShotgun, Weapon::SpasShotgun]),
        is(&[Weapon::M16, Weapon::Ak47, Weapon::Scar, Weapon::Sg552, Weapon::M60]),
        is(&[Weapon::HuntingRifle, Weapon::MilitarySniper]),
        f32::from(gun.clip) / f32::from(ballistics.clip.max(1)),
        reserve,
        flag(gun.reloaded_at.is_some()),
        flag(world.can_shove(i)),
        flag(s.throwable == Some(Throwable::PipeBomb)),
        flag(s.throwable == Some(Throwable::Molotov)),
        flag(s.throwable == Some(Throwable::VomitJar)),
        flag(s.pack == Some(Pack::Medkit)),
        flag(s.pack == Some(Pack::Defibrillator)),
        flag(s.dose == Some(Dose::Pills)),
        flag(s.dose == Some(Dose::Adrenaline)),
        heals,
        revives,
        task_left,
        s.intensity,
        left(way.wish),
        ahead(way.wish),
        flag(way.jump),
        far_place[0],
        far_place[1],
        far_place[3],
        terrain.flow(s.body.area) / length,
        if to_goal.is_finite() { (to_goal / 3000.0).min(2.0) } else { 2.0 },
        flag(terrain.in_start(s.body.area)),
        flag(terrain.in_goal(s.body.area)),
        flag(world.goal_is_closed()),
        world.commons.len() as f32 / 30.0,
        near[0] / 10.0,
        near[1] / 5.0,
        near[2] / 5.0,
        near[3] / 5.0,
        near[4] / 5.0,
        flag(world.count(Class::Tank) > 0),
        flag(world.count(Class::Witch) > 0),
        flag(in_sights(world, i)),
        flag(danger),
        flag(world.lure.is_some()),
        flag(phase == Phase::BuildUp),
        flag(phase == Phase::Sustain),
        flag(phase == Phase::Fade),
        flag(phase == Phase::Relax),
    ];
    out.copy_from_slice(&numbers);
}

/// Would a bullet straight ahead meet an infected?
fn in_sights(world: &World, i: usize) -> bool {
    let s = &world.survivors[i];
    let ahead = facing(s.yaw);
    let met = |point: Point| {
        let (dx, dy) = (point[0] - s.body.at[0], point[1] - s.body.at[1]);
        let along = dx * ahead[0] + dy * ahead[1];
        let aside = (dx * ahead[1] - dy * ahead[0]).abs();
        along > 0.0 && along < 1500.0 && aside < 20.0 && (point[2] - s.body.at[2]).abs() < 100.0
    };
    world.commons.iter().any(|c| met(c.body.at) && world.terrain.sees(s.body.area, c.body.area))
        || world
            .specials
            .iter()
            .any(|c| c.alive && met(c.body.at) && world.terrain.sees(s.body.area, c.body.area))
}

fn fellows(world: &World, i: usize, out: &mut [f32]) {
    let s = &world.survivors[i];
    let others = (0..SURVIVORS).filter(|&j| j != i);
    for (slot, j) in out.chunks_exact_mut(5 + FELLOW.len()).zip(others) {
        let other = &world.survivors[j];
        if !other.present {
            slot.fill(0.0);
            continue;
        }
        slot[0] = 1.0;
        place(s.body.at, s.yaw, other.body.at, &mut slot[1..5]);
        slot[5..].copy_from_slice(&[
            other.health / 100.0,
            other.temporary / 100.0,
            flag(other.is_down()),
            flag(other.condition == Condition::Dead),
            flag(other.hold.is_some()),
            flag(world.now < other.biled_until),
            flag(other.pack == Some(Pack::Medkit)),
            flag(other.on_third_strike()),
            flag(world.terrain.sees(s.body.area, other.body.area)),
        ]);
    }
}

fn infected(world: &World, i: usize, out: &mut [f32]) {
    let s = &world.survivors[i];
    // The nearest few, specials before commons at the same distance.
    let mut nearest = [(f32::INFINITY, usize::MAX); INFECTED];
    let mut insert = |far: f32, index: usize| {
        if far >= nearest[INFECTED - 1].0 {
            return;
        }
        let mut at = INFECTED - 1;
        while at > 0 && nearest[at - 1].0 > far {
            nearest[at] = nearest[at - 1];
            at -= 1;
        }
        nearest[at] = (far, index);
    };
    let specials = world.specials.len();
    for (k, special) in world.specials.iter().enumerate().filter(|(_, s)| s.alive) {
        insert(0.5 * distance(s.body.at, special.body.at), k);
    }
    for (k, common) in world.commons.iter().enumerate() {
        let far = distance(s.body.at, common.body.at);
        if far < 2000.0 {
            insert(far, specials + k);
        }
    }
    for (slot, (_, index)) in out.chunks_exact_mut(5 + ENEMY.len()).zip(nearest) {
        slot.fill(0.0);
        if index == usize::MAX {
            continue;
        }
        slot[0] = 1.0;
        let numbers = &mut slot[5..];
        let at = if index < specials {
            let special = &world.specials[index];
            numbers[0] = flag(world.terrain.sees(s.body.area, special.body.area));
            numbers[2 + special.class as usize] = 1.0;
            numbers[10] = special.health / special.class.health(world.difficulty);
            numbers[11] = flag(world.now < special.stumbles_until);
            numbers[12] = flag(special.held().is_some());
            numbers[13] = flag(special.target == Some(i as u8));
            numbers[14] = match special.deed {
                Deed::Sit { rage } => rage,
                Deed::Stalk => 0.5,
                _ => 1.0,
            };
            special.body.at
        } else {
            let common = &world.commons[index - specials];
            numbers[0] = flag(world.terrain.sees(s.body.area, common.body.area));
            numbers[1] = 1.0;
            numbers[10] = common.health / 50.0;
            numbers[11] = flag(world.now < common.stumbles_until);
            numbers[13] = flag(common.mood == Mood::Chase(i as u8));
            numbers[14] = flag(matches!(common.mood, Mood::Chase(_)));
            common.body.at
        };
        place(s.body.at, s.yaw, at, &mut slot[1..5]);
    }
}

fn items(world: &World, i: usize, out: &mut [f32]) {
    let s = &world.survivors[i];
    let mut nearest = [(f32::INFINITY, usize::MAX); ITEMS];
    for (k, item) in world.items.iter().enumerate() {
        let mut far = distance(s.body.at, item.at);
        if far > crate::intent::ITEM_RANGE
            || far >= nearest[ITEMS - 1].0
            || !world.wants(i, item.kind)
        {
            continue;
        }
        let mut index = k;
        for place in &mut nearest {
            if far < place.0 {
                std::mem::swap(&mut far, &mut place.0);
                std::mem::swap(&mut index, &mut place.1);
            }
        }
    }
    for (slot, (far, k)) in out.chunks_exact_mut(5 + THING.len()).zip(nearest) {
        slot.fill(0.0);
        if k == usize::MAX {
            continue;
        }
        let item = &world.items[k];
        slot[0] = 1.0;
        place(s.body.at, s.yaw, item.at, &mut slot[1..5]);
        slot[5..].copy_from_slice(&[
            flag(matches!(item.kind, ItemKind::Pack(_))),
            flag(matches!(item.kind, ItemKind::Dose(_))),
            flag(matches!(item.kind, ItemKind::Throwable(_))),
            flag(matches!(item.kind, ItemKind::Gun(_))),
            flag(matches!(item.kind, ItemKind::Ammunition)),
            1.0,
            flag(far <= crate::sim::numbers::REACH),
        ]);
    }
}

/// Writes what a survivor can do: the masks of the heads, side by side.
pub fn legal(world: &World, i: usize, mask: &mut [bool]) {
    let s = &world.survivors[i];
    let (up, hanging) = (s.is_up(), matches!(s.condition, Condition::Hanging(_)));
    let threat = world.threat(i, false).is_some();
    let special = threat && world.threat(i, true).is_some();
    let fellow = world.fellow(i).is_some();
    let item = world.useful_item(i).is_some();
    let (aims, rest) = mask.split_at_mut(AIMS.len());
    let (turns, rest) = rest.split_at_mut(TURNS.len());
    let (moves, acts) = rest.split_at_mut(MOVES.len());
    aims.copy_from_slice(&[true, true, threat, special, fellow, item]);
    turns.fill(true);
    moves.fill(up);
    moves[0] = true;
    moves[10] = up && threat;
    moves[11] = up && fellow;
    moves[12] = up && item;
    acts.copy_from_slice(&[
        true,
        !hanging,
        world.can_shove(i),
        up && can_use(world, i),
        !hanging && s.gun().can_reload(),
        up && s.body.on_ground,
        up,
        world.is_possible(i, TaskKind::Heal(i)),
        can_heal_other(world, i),
        up && s.throwable.is_some(),
        up && s.dose.is_some() && s.health + s.temporary < 99.0,
        up && s.primary.is_some() && world.now >= s.switches_from,
    ]);
}
