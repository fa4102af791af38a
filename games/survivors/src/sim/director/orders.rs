//! What a policy in the director's seat may order: the original's fifteen actions (facts §1).

use rand::RngExt;

use super::Mode;
use crate::sim::infected::{Class, Mood};
use crate::sim::items::ItemKind;
use crate::sim::numbers::{COMMON_LIMIT, ticks};
use crate::sim::survivor::{Dose, Pack, Throwable};
use crate::sim::world::World;

/// An order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it
pub enum Order {
    Idle,
    FewCommons,
    SomeCommons,
    ManyCommons,
    Smoker,
    Boomer,
    Hunter,
    Spitter,
    Jockey,
    Witch,
    Tank,
    Panic,
    DropHealth,
    DropThrowable,
    DropAmmunition,
}

/// Steps of the original at 10 a second between two tanks, witches, panics.
const COOLDOWN_SECS: [f32; 3] = [30.0, 18.0, 12.0];
/// The same, in ticks.
pub const COOLDOWN_TICKS: [u32; 3] =
    [ticks(COOLDOWN_SECS[0]), ticks(COOLDOWN_SECS[1]), ticks(COOLDOWN_SECS[2])];
/// At most so many specials at once.
const MOST_SPECIALS: f32 = 8.0;

impl Order {
    /// All of them, in the original's order.
    pub const ALL: [Order; 15] = [
        Order::Idle,
        Order::FewCommons,
        Order::SomeCommons,
        Order::ManyCommons,
        Order::Smoker,
        Order::Boomer,
        Order::Hunter,
        Order::Spitter,
        Order::Jockey,
        Order::Witch,
        Order::Tank,
        Order::Panic,
        Order::DropHealth,
        Order::DropThrowable,
        Order::DropAmmunition,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        [
            "idle",
            "few_commons",
            "some_commons",
            "many_commons",
            "smoker",
            "boomer",
            "hunter",
            "spitter",
            "jockey",
            "witch",
            "tank",
            "panic",
            "drop_health",
            "drop_throwable",
            "drop_ammunition",
        ][self as usize]
    }

    fn cooldown(self) -> Option<usize> {
        match self {
            Order::Tank => Some(0),
            Order::Witch => Some(1),
            Order::Panic => Some(2),
            _ => None,
        }
    }

    fn class(self) -> Option<Class> {
        Some(match self {
            Order::Smoker => Class::Smoker,
            Order::Boomer => Class::Boomer,
            Order::Hunter => Class::Hunter,
            Order::Spitter => Class::Spitter,
            Order::Jockey => Class::Jockey,
            Order::Witch => Class::Witch,
            Order::Tank => Class::Tank,
            _ => return None,
        })
    }
}

impl World {
    /// May this be ordered now?
    pub fn may_order(&self, order: Order) -> bool {
        let mode = self.director.mode;
        let event = matches!(order, Order::Witch | Order::Tank | Order::Panic);
        if order == Order::Idle {
            return true;
        }
        if mode == Mode::Hybrid && !event || self.director.left_start_at.is_none() {
            return false;
        }
        if order.cooldown().is_some_and(|c| self.now < self.director.order_from[c]) {
            return false;
        }
        match order {
            Order::FewCommons | Order::SomeCommons | Order::ManyCommons => {
                self.commons.len() < COMMON_LIMIT
            }
            Order::Witch => self.count(Class::Witch) < 3,
            Order::Tank => self.count(Class::Tank) == 0,
            Order::DropHealth | Order::DropThrowable | Order::DropAmmunition => {
                self.items.len() < self.items.capacity()
            }
            other => match other.class() {
                Some(class) => {
                    let specials = self.strain().specials;
                    self.count(class) < 2 && specials < MOST_SPECIALS
                }
                None => true,
            },
        }
    }

    /// Does what was ordered.
    pub fn obey(&mut self, order: Order) {
        if !self.may_order(order) {
            return;
        }
        let mut done = true;
        match order {
            Order::Idle => {}
            Order::FewCommons => self.send_commons(1, 3),
            Order::SomeCommons => self.send_commons(4, 8),
            Order::ManyCommons => self.send_commons(9, 15),
            Order::Panic => self.panic(),
            Order::DropHealth => {
                let kinds = [
                    ItemKind::Pack(Pack::Medkit),
                    ItemKind::Dose(Dose::Pills),
                    ItemKind::Dose(Dose::Adrenaline),
                ];
                self.drop_ahead(&kinds);
            }
            Order::DropThrowable => {
                let kinds = [Throwable::PipeBomb, Throwable::Molotov, Throwable::VomitJar];
                self.drop_ahead(&kinds.map(ItemKind::Throwable));
            }
            Order::DropAmmunition => self.drop_ahead(&[ItemKind::Ammunition]),
            other => {
                done = other.class().is_some_and(|class| self.summon(class).is_some());
            }
        }
        // Whoever found no place to appear may be ordered again at once.
        if let Some(c) = order.cooldown().filter(|_| done) {
            let frequency = self.director.temperament.frequency();
            self.director.order_from[c] = self.now + ticks(COOLDOWN_SECS[c] / frequency);
        }
    }

    fn send_commons(&mut self, least: u32, most: u32) {
        let size = self.rng.random_range(least..=most);
        let room = (COMMON_LIMIT - self.commons.len().min(COMMON_LIMIT)) as u32;
        for _ in 0..size.min(room) {
            if let Some(area) = self.hidden_area() {
                let at = self.terrain.center(area);
                let whom = self.nearest_survivor(at, |_, _| true).map_or(0, |(i, _)| i as u8);
                self.add_common(area, Mood::Chase(whom));
                self.director.account.commons += 1;
            }
        }
    }

    /// Puts one of these a little ahead of whoever is farthest.
    fn drop_ahead(&mut self, kinds: &[ItemKind]) {
        let kind = kinds[self.rng.random_range(0..kinds.len())];
        let terrain = self.terrain.clone();
        let ahead = self
            .survivors
            .iter()
            .filter(|s| s.is_alive())
            .max_by(|a, b| terrain.flow(a.body.area).total_cmp(&terrain.flow(b.body.area)));
        let Some(mut area) = ahead.map(|s| s.body.area) else { return };
        for _ in 0..6 {
            if let Some(link) = terrain.toward_goal(area) {
                area = terrain.links(area)[link].to;
            }
        }
        self.put(kind, area);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::maps;
    use crate::nav::{Hint, Terrain};
    use crate::sim::director::Temperament;
    use crate::sim::numbers::Difficulty;
    use crate::sim::world::SURVIVORS;

    /// Four who have left the start, and somebody who gives orders.
    fn directed(mode: Mode, temperament: Temperament) -> World {
        let mesh = maps::by_name("apartment").unwrap();
        let terrain = Arc::new(Terrain::new(&mesh, &Hint::default()).unwrap());
        let mut world = World::new(terrain.clone(), Difficulty::Normal);
        (world.director.mode, world.director.temperament) = (mode, temperament);
        world.reset(terrain, 5, [true; SURVIVORS]);
        world.director.left_start_at = Some(0);
        world
    }

    /// What came of an order: commons, commons to come, specials, things.
    fn come_of(world: &mut World, order: Order) -> [i32; 4] {
        let count = |world: &World| {
            let specials = world.specials.iter().filter(|s| s.alive).count();
            [world.commons.len(), world.director.to_come as usize, specials, world.items.len()]
        };
        let before = count(world);
        world.obey(order);
        let after = count(world);
        std::array::from_fn(|n| after[n] as i32 - before[n] as i32)
    }

    #[test]
    fn every_order_does_what_it_says() {
        let mut world = directed(Mode::Rl, Temperament::Standard);
        assert_eq!(world.commons.len(), 0, "a policy alone fills the map");
        assert_eq!(come_of(&mut world, Order::Idle), [0; 4]);
        for (order, least, most) in
            [(Order::FewCommons, 1, 3), (Order::SomeCommons, 4, 8), (Order::ManyCommons, 9, 15)]
        {
            let mut sizes = [0; 16];
            for _ in 0..200 {
                world.commons.clear();
                let [commons, rest @ ..] = come_of(&mut world, order);
                assert_eq!(rest, [0; 3], "{order:?}");
                assert!((1..=most).contains(&commons), "{order:?}: {commons}");
                sizes[commons as usize] += 1;
            }
            assert!(sizes[least as usize] > 0 && sizes[most as usize] > 0, "{order:?} {sizes:?}");
            let fewer: i32 = sizes[..least as usize].iter().sum();
            assert!(fewer < 20, "{order:?}: {fewer} of 200 found no place for all");
        }
        world.commons.clear();
        for order in Order::ALL.into_iter().filter(|order| order.class().is_some()) {
            let class = order.class().unwrap();
            assert_eq!(come_of(&mut world, order), [0, 0, 1, 0], "{order:?}");
            assert_eq!(world.count(class), 1, "{order:?}");
        }
        for _ in 0..50 {
            world.director.to_come = 0;
            world.director.order_from = [0; 3];
            let [commons, to_come, specials, items] = come_of(&mut world, Order::Panic);
            assert_eq!([commons, specials, items], [0; 3]);
            assert!((10..=30).contains(&to_come), "{to_come}");
            assert!(world.strain().panic);
        }
        for (order, fits) in [
            (
                Order::DropHealth,
                (|kind| matches!(kind, ItemKind::Pack(Pack::Medkit) | ItemKind::Dose(_)))
                    as fn(ItemKind) -> bool,
            ),
            (Order::DropThrowable, |kind| matches!(kind, ItemKind::Throwable(_))),
            (Order::DropAmmunition, |kind| kind == ItemKind::Ammunition),
        ] {
            assert_eq!(come_of(&mut world, order), [0, 0, 0, 1], "{order:?}");
            let item = world.items.last().unwrap();
            assert!(fits(item.kind), "{order:?}: {:?}", item.kind);
            let farthest = world.survivors.iter().map(|s| world.terrain.flow(s.body.area));
            let farthest = farthest.fold(0.0, f32::max);
            assert!(world.terrain.flow(item.area) > farthest, "{order:?}: not ahead");
        }
    }

    fn mask(world: &World) -> [bool; 15] {
        Order::ALL.map(|order| world.may_order(order))
    }

    fn only(orders: &[Order]) -> [bool; 15] {
        Order::ALL.map(|order| orders.contains(&order))
    }

    #[test]
    fn nothing_is_ordered_before_the_start_is_left() {
        for mode in [Mode::Rl, Mode::Hybrid] {
            let mut world = directed(mode, Temperament::Standard);
            world.director.left_start_at = None;
            assert_eq!(mask(&world), only(&[Order::Idle]));
            world.obey(Order::Tank);
            assert_eq!(world.count(Class::Tank), 0);
        }
    }

    #[test]
    fn a_hybrid_orders_events_alone() {
        let world = directed(Mode::Hybrid, Temperament::Standard);
        assert!(!world.commons.is_empty(), "the rules fill the map");
        assert_eq!(mask(&world), only(&[Order::Idle, Order::Witch, Order::Tank, Order::Panic]));
    }

    #[test]
    fn what_is_full_or_on_cooldown_is_not_offered() {
        let mut world = directed(Mode::Rl, Temperament::Standard);
        assert_eq!(mask(&world), [true; 15]);
        let offers = |world: &World, order: Order| world.may_order(order);
        // Two of a class.
        world.obey(Order::Hunter);
        assert!(offers(&world, Order::Hunter));
        world.obey(Order::Hunter);
        assert!(!offers(&world, Order::Hunter) && offers(&world, Order::Smoker));
        world.obey(Order::Hunter);
        assert_eq!(world.count(Class::Hunter), 2);
        // Eight specials in all.
        for order in [Order::Smoker, Order::Boomer, Order::Spitter] {
            world.obey(order);
            world.obey(order);
        }
        assert!(!offers(&world, Order::Jockey), "eight are enough");
        // One tank, and thirty seconds between two of them.
        world.obey(Order::Tank);
        assert!(!offers(&world, Order::Tank));
        world.specials.clear();
        assert!(!offers(&world, Order::Tank), "not at once again");
        world.now += COOLDOWN_TICKS[0] - 1;
        assert!(!offers(&world, Order::Tank));
        world.now += 1;
        assert!(offers(&world, Order::Tank));
        // Thirty commons.
        while world.commons.len() < COMMON_LIMIT {
            world.obey(Order::ManyCommons);
        }
        assert_eq!(world.commons.len(), COMMON_LIMIT);
        let commons = [Order::FewCommons, Order::SomeCommons, Order::ManyCommons];
        assert!(commons.into_iter().all(|order| !offers(&world, order)));
        // Things, as many as there is room for.
        while offers(&world, Order::DropAmmunition) {
            world.obey(Order::DropAmmunition);
        }
        assert_eq!(world.items.len(), world.items.capacity());
        assert!(!offers(&world, Order::DropHealth) && !offers(&world, Order::DropThrowable));
    }

    #[test]
    fn the_harder_it_is_meant_to_be_the_sooner_events_may_come_again() {
        let all = [Temperament::Relaxed, Temperament::Standard, Temperament::Intense];
        let waits = all.map(|temperament| {
            let mut world = directed(Mode::Rl, temperament);
            [Order::Tank, Order::Witch, Order::Panic].map(|order| {
                world.specials.clear();
                world.obey(order);
                world.director.order_from[order.cooldown().unwrap()] - world.now
            })
        });
        assert_eq!(waits, [[1500, 900, 600], [900, 540, 360], [643, 386, 257]]);
    }
}
