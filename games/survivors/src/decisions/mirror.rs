//! What a recording tells of a moment, as a world of our own: the views look at it as at a simulated one.
//!
//! The server told the recording player of what could be seen or heard, and of nothing else. What is not told is
//! as in a fresh match: a full reserve, no bile, a director that builds up, nothing lying about.

use std::sync::Arc;

use lanista_game::{Group, Role};

use super::hands::Held;
use crate::demo::Pair;
use crate::demo::entities::{Player, Snapshot};
use crate::demo::legacy::primary_id;
use crate::demo::usercmd::DUCK;
use crate::nav::{Point, Terrain};
use crate::settings::ViewKind;
use crate::sim::infected::{Class, Common, Deed, Mood, Special};
use crate::sim::motion::Body;
use crate::sim::numbers::Difficulty;
use crate::sim::space::wrapped;
use crate::sim::survivor::{Condition, Dose, Hold, Pack, Survivor, Throwable};
use crate::sim::weapons::{Gun, Weapon};
use crate::sim::world::{MOST_COMMONS, MOST_SPECIALS, SURVIVORS, World};

/// The recorder's seat in the world. Views do not show its number.
pub(super) const OWN: usize = 0;
/// Farther out than this is no place of a map. // Source SDK 2013: MAX_COORD_INTEGER 16384
const EDGE_UNITS: f32 = 16_384.0;
/// More health than anything has.
const MOST_HEALTH: f32 = 100_000.0;
const SURVIVOR_TEAM: u8 = 2;
const INFECTED_TEAM: u8 = 3;
/// How the engine moves whoever climbs. // Source SDK 2013, public/const.h: MOVETYPE_LADDER
const ON_LADDER: u8 = 9;
const COMMON_HEALTH: f32 = 50.0;

/// Numbers of the rich view that no recording tells: they are as in a fresh match.
const UNTOLD: [&str; 23] = [
    "on_third_strike",
    "is_biled",
    "has_adrenaline",
    "staggers",
    "reserve",
    "reloads",
    "can_shove",
    "heals",
    "revives",
    "task_left",
    "goal_is_closed",
    "in_fire_or_acid",
    "lure_there",
    "phase_build_up",
    "phase_sustain",
    "phase_fade",
    "phase_relax",
    "fellow.is_biled",
    "fellow.has_medkit",
    "fellow.on_third_strike",
    "infected.stumbles",
    "infected.after_me",
    "infected.threat",
];
/// Numbers that need the mesh of the map; without it they are 0.
const OF_THE_MESH: [&str; 15] = [
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
    "in_sights",
    "fellow.in_sight",
    "infected.in_sight",
    // Of the legacy view.
    "in_safe_room",
    "near_objective",
];
/// The view has things to take, and no recording tells of them yet.
const UNTOLD_GROUP: &str = "item";

/// What a recording knows of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Telling {
    /// It is told, as far as the server told the player.
    Told,
    /// It follows from the mesh of the map.
    Mesh,
    /// It is as in a fresh match.
    Untold,
}

/// What a recording knows of each number of a role, in order.
pub(super) fn tellings(role: &Role) -> Vec<(String, Telling)> {
    let telling = |name: &str| {
        if UNTOLD.contains(&name) {
            Telling::Untold
        } else if OF_THE_MESH.contains(&name) {
            Telling::Mesh
        } else {
            Telling::Told
        }
    };
    let mut list = Vec::new();
    for group in &role.observation {
        match group {
            Group::Features(features) => {
                let named = features.iter().map(|f| (f.name.clone(), telling(&f.name)));
                list.extend(named);
            }
            Group::Entities { name, most, features } => {
                let of = |feature: &str| match name == UNTOLD_GROUP {
                    true => Telling::Untold,
                    false => telling(&format!("{name}.{feature}")),
                };
                // Each begins with whether it is there.
                let each = std::iter::once("present").chain(features.iter().map(|f| &*f.name));
                let each: Vec<Telling> = each.map(of).collect();
                let all = std::iter::repeat_n(each, *most).flatten();
                list.extend(group.flat().into_iter().map(|f| f.name).zip(all));
            }
        }
    }
    list
}

/// Makes worlds of the moments of one recording.
pub(super) struct Mirror {
    world: World,
    /// Is the terrain that of the recording's map?
    meshed: bool,
    /// The gun last held in the first slot: it stays there until another is held.
    primary: Option<Weapon>,
    /// Places of numbers that need the mesh, and of whether one climbs.
    blank: Vec<usize>,
    climbs: Option<usize>,
}

impl Mirror {
    /// On the mesh of the map, or on any other.
    pub(super) fn new(
        terrain: &Arc<Terrain>,
        meshed: bool,
        difficulty: Difficulty,
        role: &Role,
    ) -> Self {
        let told = tellings(role);
        let mesh = told.iter().enumerate().filter(|(_, (_, t))| *t == Telling::Mesh && !meshed);
        Self {
            world: World::new(terrain.clone(), difficulty),
            meshed,
            primary: None,
            blank: mesh.map(|(place, _)| place).collect(),
            climbs: told.iter().position(|(name, _)| name == "climbs"),
        }
    }

    /// The gun in the first slot is known only from the time that it was last in hand.
    pub(super) fn forget(&mut self) {
        self.primary = None;
    }

    /// The world at a moment: `state` has the recorder's place, `looks` is where he looked and what he pressed
    /// until then. `None` where the recorder is nowhere.
    pub(super) fn fill(
        &mut self,
        state: &Pair,
        looks: &Pair,
        snapshot: &Snapshot,
        own: &Player,
    ) -> Option<&World> {
        let body = self.body(state.position, state.velocity, own.on_ground)?;
        if !(looks.yaw.is_finite() && looks.pitch.is_finite()) {
            return None;
        }
        let world = &mut self.world;
        world.now = 0;
        world.commons.clear();
        world.specials.clear();
        world.begin_step();
        let mut me = survivor(own, body);
        me.yaw = wrapped(looks.yaw);
        me.pitch = looks.pitch.clamp(-90.0, 90.0);
        me.crouched = looks.buttons & DUCK != 0;
        self.arm(&mut me, state);
        self.world.survivors[OWN] = me;
        let fellows = snapshot.survivors().filter(|fellow| fellow.entity != own.entity);
        let fellows: Vec<Survivor> = fellows
            .filter_map(|fellow| {
                Some(survivor(fellow, self.body(fellow.position, [0.0; 3], true)?))
            })
            .collect();
        for (seat, place) in self.world.survivors.iter_mut().enumerate().skip(OWN + 1) {
            match fellows.get(seat - OWN - 1) {
                Some(fellow) => *place = fellow.clone(),
                None => place.present = false,
            }
        }
        self.infected(snapshot, own);
        Some(&self.world)
    }

    /// Takes back what the world cannot know without its mesh, and adds what it has no place for.
    pub(super) fn correct(&self, own: &Player, observation: &mut [f32]) {
        for &place in &self.blank {
            observation[place] = 0.0;
        }
        if let Some(place) = self.climbs {
            observation[place] = f32::from(u8::from(own.move_type == ON_LADDER));
        }
    }

    /// Without the mesh everybody is in one area, and nothing is behind a wall.
    fn body(&self, at: Point, velocity: [f32; 3], on_ground: bool) -> Option<Body> {
        if !at.iter().all(|axis| axis.abs() <= EDGE_UNITS) {
            return None;
        }
        let area = if self.meshed { self.world.terrain.nearest(at) } else { 0 };
        let velocity = velocity.map(|axis| if axis.is_finite() { axis } else { 0.0 });
        Some(Body { at, velocity, area, on_ground, tucked: false, climb: None })
    }

    /// What is in hand, and the gun that was before.
    fn arm(&mut self, me: &mut Survivor, state: &Pair) {
        let held = state.weapon.map(Held::of);
        if let (Some(Held::Primary), Some(name)) = (held, state.weapon) {
            self.primary = primary_id(name).and_then(gun);
        }
        me.primary = self.primary.map(Gun::new);
        me.holds_primary = held == Some(Held::Primary) && me.primary.is_some();
        match state.weapon {
            Some("pistol_magnum") => me.sidearm = Gun::new(Weapon::Magnum),
            Some("pipe_bomb") => me.throwable = Some(Throwable::PipeBomb),
            Some("molotov") => me.throwable = Some(Throwable::Molotov),
            Some("vomitjar") => me.throwable = Some(Throwable::VomitJar),
            Some("first_aid_kit") => me.pack = Some(Pack::Medkit),
            Some("defibrillator") => me.pack = Some(Pack::Defibrillator),
            Some("pain_pills") => me.dose = Some(Dose::Pills),
            Some("adrenaline") => me.dose = Some(Dose::Adrenaline),
            _ => {}
        }
        let is_loaded = match held {
            Some(Held::Primary) => me.holds_primary,
            _ => matches!(state.weapon, Some("pistol" | "pistol_magnum")),
        };
        if let Some(clip) = state.clip.filter(|_| is_loaded) {
            me.gun_mut().clip = clip.clamp(0, i32::from(u16::MAX)) as u16;
        }
    }

    fn infected(&mut self, snapshot: &Snapshot, own: &Player) {
        let mut entities: Vec<u16> = Vec::new();
        let specials = snapshot
            .players
            .iter()
            .filter(|player| player.team == INFECTED_TEAM && player.alive && !player.ghost);
        for player in specials {
            let class = match player.zombie_class {
                // The witch is no player, and the tank comes after her.
                class @ 1..=6 => Class::ALL[usize::from(class) - 1],
                8 => Class::Tank,
                _ => continue,
            };
            let Some(body) = self.body(player.position, [0.0; 3], true) else { continue };
            if self.world.specials.len() >= MOST_SPECIALS {
                break;
            }
            let mut special = Special::new(class, body, 0.0, self.world.difficulty, 0);
            special.health = (player.health as f32).clamp(0.0, MOST_HEALTH);
            self.world.specials.push(special);
            entities.push(player.entity);
        }
        for told in &snapshot.infected {
            let Some(body) = self.body(told.position, [0.0; 3], true) else { continue };
            if told.witch && self.world.specials.len() < MOST_SPECIALS {
                let witch = Special::new(Class::Witch, body, 0.0, self.world.difficulty, 0);
                self.world.specials.push(witch);
                entities.push(told.entity);
            } else if !told.witch && self.world.commons.len() < MOST_COMMONS {
                self.world.commons.push(Common {
                    body,
                    yaw: 0.0,
                    health: COMMON_HEALTH,
                    mood: Mood::Idle { noticed: 0.0 },
                    stumbles_until: 0,
                    strikes_from: 0,
                    burning: false,
                    burnt_by: None,
                    busy_at: 0,
                    stuck: 0,
                });
            }
        }
        // Who has whom: the recorder first, then fellows in the order of their seats.
        let fellows = snapshot.survivors().filter(|fellow| fellow.entity != own.entity);
        let present = fellows.filter(|f| self.body(f.position, [0.0; 3], true).is_some());
        let holders: Vec<_> = std::iter::once(own).chain(present).map(|s| s.held_by).collect();
        for (whom, holder) in holders.into_iter().take(SURVIVORS).enumerate() {
            let Some(by) = holder.and_then(|e| entities.iter().position(|known| *known == e))
            else {
                // Held by what the server does not tell of.
                if holder.is_some() {
                    self.world.survivors[whom].hold = Some(Hold { by: 0 });
                }
                continue;
            };
            self.world.survivors[whom].hold = Some(Hold { by });
            let special = &mut self.world.specials[by];
            special.target = Some(whom as u8);
            special.deed = Deed::Hold { whom: whom as u8, hurts_at: 0 };
        }
    }
}

fn gun(id: u8) -> Option<Weapon> {
    Weapon::ALL.into_iter().find(|weapon| weapon.ballistics().id == id)
}

fn survivor(player: &Player, body: Body) -> Survivor {
    let mut s = Survivor::new(body, 0.0);
    let health = (player.health as f32).clamp(0.0, MOST_HEALTH);
    s.condition = match (player.alive, player.incapacitated, player.hanging) {
        (false, ..) => Condition::Dead,
        (_, _, true) => Condition::Hanging(health),
        (_, true, _) => Condition::Incapacitated(health),
        _ => Condition::Up,
    };
    s.health = if s.condition == Condition::Up { health } else { 0.0 };
    let lent = player.temporary_health;
    s.temporary = if lent.is_nan() { 0.0 } else { lent.clamp(0.0, MOST_HEALTH) };
    s.incapacitations = u8::from(player.going_to_die);
    s.intensity = f32::from(player.intensity.min(100)) / 100.0;
    s
}

/// Writes what a view shows of the recorder in a world, and what it offers.
pub(super) fn observe(world: &World, view: ViewKind, seat: &mut lanista_game::SeatView) {
    match view {
        ViewKind::Rich => crate::view::rich::observe(world, OWN, seat),
        ViewKind::Legacy => crate::view::legacy::observe(world, OWN, seat),
    }
}

/// Is this player a survivor?
pub(super) fn is_survivor(player: &Player) -> bool {
    player.team == SURVIVOR_TEAM
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::{legacy, rich};

    #[test]
    fn every_name_of_the_lists_is_one_of_a_view() {
        let names: Vec<String> = [rich::role(), legacy::role()]
            .iter()
            .flat_map(|role| tellings(role).into_iter().filter(|(_, t)| *t != Telling::Told))
            .map(|(name, _)| name)
            .collect();
        for listed in UNTOLD.iter().chain(&OF_THE_MESH) {
            let last = listed.rsplit('.').next().unwrap();
            assert!(names.iter().any(|name| name.ends_with(last)), "{listed}");
        }
        for role in [rich::role(), legacy::role()] {
            assert_eq!(tellings(&role).len(), role.features());
        }
    }
}
