//! The document's view: 20 numbers and 14 actions, in its order and with its scales. It has no way to turn,
//! so moving follows the way to the goal, and attacking turns to the nearest infected in sight.

use lanista_game::{Feature, Group, Head, Role, SeatView};

use crate::intent::{Eyes, Feet, Intent};
use crate::sim::space::distance;
use crate::sim::survivor::{Condition, Pack, TaskKind, Throwable};
use crate::sim::world::{SURVIVORS, World, button};
use crate::view::turn;

/// The observation, by name.
pub const FEATURES: [&str; 20] = [
    "health",
    "is_alive",
    "is_incapped",
    "position_x",
    "position_y",
    "position_z",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "angle_pitch",
    "angle_yaw",
    "primary_weapon",
    "ammo",
    "nearby_enemies",
    "nearest_enemy_dist",
    "nearest_teammate_dist",
    "teammates_alive",
    "teammates_incapped",
    "in_safe_room",
    "near_objective",
];

/// The actions, by name.
pub const ACTIONS: [&str; 14] = [
    "idle",
    "move_forward",
    "move_backward",
    "move_left",
    "move_right",
    "attack",
    "use",
    "reload",
    "crouch",
    "jump",
    "shove",
    "heal_self",
    "heal_other",
    "throw_item",
];

/// Enemies within this distance are near by.
pub(crate) const NEARBY: f32 = 1000.0;
/// Distances are cut off here.
const FAR: f32 = 2000.0;
/// The goal is near within this distance, along the way.
pub(crate) const OBJECTIVE: f32 = 500.0;

/// The role.
pub fn role() -> Role {
    Role {
        name: "survivor".into(),
        observation: vec![Group::features(FEATURES.map(Feature::from))],
        heads: vec![Head::new("action", ACTIONS)],
        ..Role::default()
    }
}

/// What the document's state has of a survivor, before it is scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegacyState {
    /// Health of both kinds, or what is left on the floor.
    pub health: f32,
    /// Does it live?
    pub is_alive: bool,
    /// Is it down?
    pub is_incapped: bool,
    /// Feet.
    pub position: [f32; 3],
    /// Units a second.
    pub velocity: [f32; 3],
    /// Pitch and yaw, in degrees.
    pub angle: [f32; 2],
    /// The game's numbers of the two guns; 0 for none.
    pub weapons: [u8; 2],
    /// The game's number of what is thrown; 0 for none.
    pub throwable: u8,
    /// The game's number of what heals; 0 for none.
    pub health_item: u8,
    /// Bullets in the clip of the gun in hand.
    pub ammo: u16,
    /// Infected within 1000 units.
    pub nearby_enemies: u8,
    /// The nearest infected; infinite if there is none.
    pub nearest_enemy_dist: f32,
    /// Fellows who live.
    pub teammates_alive: u8,
    /// The nearest of them; infinite if there is none.
    pub nearest_teammate_dist: f32,
    /// Fellows who are down.
    pub teammates_incapped: u8,
    /// Where everybody wants to be?
    pub in_safe_room: bool,
    /// Nearly there?
    pub near_objective: bool,
}

impl LegacyState {
    /// The state of a survivor.
    pub fn of(world: &World, i: usize) -> Self {
        let s = &world.survivors[i];
        let at = s.body.at;
        let mut nearby = 0u8;
        let mut nearest = f32::INFINITY;
        let commons = world.commons.iter().map(|c| c.body.at);
        let specials = world.specials.iter().filter(|s| s.alive).map(|s| s.body.at);
        for point in commons.chain(specials) {
            let far = distance(at, point);
            nearest = nearest.min(far);
            nearby = nearby.saturating_add(u8::from(far < NEARBY));
        }
        let (mut alive, mut down, mut mate) = (0, 0, f32::INFINITY);
        for other in (0..SURVIVORS).filter(|&j| j != i).map(|j| &world.survivors[j]) {
            if other.is_alive() {
                alive += 1;
                down += u8::from(other.is_down());
                mate = mate.min(distance(at, other.body.at));
            }
        }
        Self {
            health: s.total_health(),
            is_alive: s.is_alive(),
            is_incapped: s.is_down(),
            position: at,
            velocity: s.body.velocity,
            angle: [s.pitch, s.yaw],
            weapons: [
                s.primary.as_ref().map_or(0, |gun| gun.weapon.ballistics().id),
                s.sidearm.weapon.ballistics().id,
            ],
            throwable: s.throwable.map_or(0, Throwable::id),
            health_item: s.pack.map_or(0, Pack::id),
            ammo: s.gun().clip,
            nearby_enemies: nearby,
            nearest_enemy_dist: nearest,
            teammates_alive: alive,
            nearest_teammate_dist: mate,
            teammates_incapped: down,
            in_safe_room: world.is_safe(i) && !world.goal_is_closed(),
            near_objective: world.terrain.to_goal(s.body.area) < OBJECTIVE,
        }
    }

    /// The twenty numbers.
    pub fn write(&self, out: &mut [f32]) {
        let flag = |on: bool| f32::from(u8::from(on));
        out.copy_from_slice(&[
            self.health / 100.0,
            flag(self.is_alive),
            flag(self.is_incapped),
            self.position[0] / 10_000.0,
            self.position[1] / 10_000.0,
            self.position[2] / 1000.0,
            self.velocity[0] / 500.0,
            self.velocity[1] / 500.0,
            self.velocity[2] / 500.0,
            turn(self.angle[0]),
            turn(self.angle[1]),
            f32::from(self.weapons[0]) / 20.0,
            f32::from(self.ammo) / 100.0,
            f32::from(self.nearby_enemies) / 10.0,
            self.nearest_enemy_dist.min(FAR) / FAR,
            self.nearest_teammate_dist.min(FAR) / FAR,
            f32::from(self.teammates_alive) / 3.0,
            f32::from(self.teammates_incapped) / 3.0,
            flag(self.in_safe_room),
            flag(self.near_objective),
        ]);
    }
}

/// Writes what a survivor sees, and what it can do.
pub fn observe(world: &World, i: usize, view: &mut SeatView) {
    LegacyState::of(world, i).write(view.observation);
    legal(world, i, view.mask);
}

/// Writes what a survivor can do.
pub fn legal(world: &World, i: usize, mask: &mut [bool]) {
    let s = &world.survivors[i];
    let (up, hanging) = (s.is_up(), matches!(s.condition, Condition::Hanging(_)));
    let can = [
        true,
        up,
        up,
        up,
        up,
        !hanging,
        up && can_use(world, i),
        s.gun().can_reload() && !hanging,
        up,
        up && s.body.on_ground,
        world.can_shove(i),
        world.is_possible(i, TaskKind::Heal(i)),
        can_heal_other(world, i),
        up && s.throwable.is_some(),
    ];
    mask.copy_from_slice(&can);
}

/// Is there anything to use?
pub(crate) fn can_use(world: &World, i: usize) -> bool {
    let helps = |j: usize| {
        world.is_possible(i, TaskKind::Revive(j)) || world.is_possible(i, TaskKind::Rescue(j))
    };
    (0..SURVIVORS).any(helps) || world.within_reach(i).is_some()
}

/// Is there a fellow to heal or to bring back?
pub(crate) fn can_heal_other(world: &World, i: usize) -> bool {
    (0..SURVIVORS).filter(|&j| j != i).any(|j| {
        world.is_possible(i, TaskKind::Heal(j)) || world.is_possible(i, TaskKind::Defibrillate(j))
    })
}

/// What an action means.
pub fn intent(action: u32) -> Intent {
    let walk = |forward: f32, side: f32| Intent {
        feet: Feet::Way(forward, side),
        eyes: Eyes::Way,
        buttons: 0,
    };
    let press = |buttons: u16| Intent { buttons, ..Intent::default() };
    match action {
        1 => walk(1.0, 0.0),
        2 => walk(-1.0, 0.0),
        3 => walk(0.0, -1.0),
        4 => walk(0.0, 1.0),
        5 => Intent { eyes: Eyes::Threat, ..press(button::ATTACK) },
        6 => press(button::USE),
        7 => press(button::RELOAD),
        8 => press(button::CROUCH),
        9 => Intent { feet: Feet::Way(1.0, 0.0), ..press(button::JUMP) },
        10 => Intent { eyes: Eyes::Threat, ..press(button::SHOVE) },
        11 => press(button::HEAL_SELF),
        12 => press(button::HEAL_OTHER),
        13 => Intent { eyes: Eyes::Threat, ..press(button::THROW) },
        _ => Intent::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twenty_numbers_are_the_documents() {
        let state = LegacyState {
            health: 80.0,
            is_alive: true,
            is_incapped: false,
            position: [1000.0, -2000.0, 300.0],
            velocity: [250.0, 0.0, -100.0],
            angle: [45.0, -90.0],
            weapons: [5, 1],
            throwable: 14,
            health_item: 12,
            ammo: 30,
            nearby_enemies: 5,
            nearest_enemy_dist: 400.0,
            teammates_alive: 3,
            nearest_teammate_dist: 100.0,
            teammates_incapped: 0,
            in_safe_room: false,
            near_objective: true,
        };
        let mut out = [0.0; 20];
        state.write(&mut out);
        let expected = [
            0.8, 1.0, 0.0, 0.1, -0.2, 0.3, 0.5, 0.0, -0.2, 0.25, -0.5, 0.25, 0.3, 0.5, 0.2, 0.05,
            1.0, 0.0, 0.0, 1.0,
        ];
        for (i, (a, b)) in out.iter().zip(expected).enumerate() {
            assert!((a - b).abs() < 1e-6, "{}: {a}, not {b}", FEATURES[i]);
        }
    }
}
