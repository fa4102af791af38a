//! What a policy in the director's seat sees and does: the original's 16 numbers and 15 actions (facts §1).

use lanista_game::{Feature, Group, Head, Role, SeatView};

use crate::sim::director::Order;
use crate::sim::world::World;

/// The observation, by name.
pub const FEATURES: [&str; 16] = [
    "average_stress",
    "average_health",
    "least_health",
    "incapped",
    "dead",
    "commons",
    "specials",
    "witches",
    "tank",
    "panic",
    "items",
    "medkits_used",
    "flow",
    "time",
    "recent_kills",
    "recent_damage",
];

/// The role.
pub fn role() -> Role {
    Role {
        name: "director".into(),
        observation: vec![Group::features(FEATURES.map(Feature::from))],
        heads: vec![Head::new("order", Order::ALL.map(Order::name))],
        ..Role::default()
    }
}

/// Writes what a director sees, and what it may order.
pub fn observe(world: &World, view: &mut SeatView) {
    let strain = world.strain();
    let flag = |on: bool| f32::from(u8::from(on));
    let length = world.terrain.flow_length().max(1.0);
    view.observation.copy_from_slice(&[
        strain.stress(),
        strain.mean_health / 100.0,
        strain.least_health / 100.0,
        strain.down / 4.0,
        strain.dead / 4.0,
        strain.commons / 50.0,
        strain.specials / 8.0,
        strain.witches / 3.0,
        flag(strain.tank),
        flag(strain.panic),
        strain.items / 20.0,
        world.director.medkits_used as f32 / 10.0,
        world.progress / length,
        (world.secs() / 1800.0).min(1.0),
        (world.director.recent_kills / 20.0).min(2.0),
        (world.director.recent_damage / 200.0).min(2.0),
    ]);
    legal(world, view.mask);
}

/// Writes what may be ordered.
pub fn legal(world: &World, mask: &mut [bool]) {
    for (legal, order) in mask.iter_mut().zip(Order::ALL) {
        *legal = world.may_order(order);
    }
}
