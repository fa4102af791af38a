//! What lies about: each kind taken, swapped, refused.

use crate::arena;

use arena::{arm, hall, hold, lay, put};
use lanista_survivors::sim::items::ItemKind;
use lanista_survivors::sim::numbers::Difficulty;
use lanista_survivors::sim::survivor::{Dose, Pack, Throwable};
use lanista_survivors::sim::weapons::{Gun, Weapon};
use lanista_survivors::sim::world::{Source, World, button};

fn at_things(kinds: &[ItemKind]) -> World {
    let mut world = hall(Difficulty::Normal);
    put(&mut world, 0, 1000.0, 1000.0, 0.0);
    for (n, kind) in kinds.iter().enumerate() {
        lay(&mut world, *kind, 1010.0 + n as f32, 1000.0);
    }
    world
}

fn kinds(world: &World) -> Vec<ItemKind> {
    world.items.iter().map(|item| item.kind).collect()
}

#[test]
fn empty_hands_take_one_of_each_kind() {
    let all = [
        ItemKind::Pack(Pack::Medkit),
        ItemKind::Dose(Dose::Pills),
        ItemKind::Throwable(Throwable::Molotov),
        ItemKind::Gun(Weapon::Smg),
    ];
    for kind in all {
        let mut world = at_things(&[kind]);
        assert!(world.wants(0, kind));
        hold(&mut world, 0, button::USE, 1);
        assert!(world.items.is_empty(), "{kind:?}");
        assert_eq!(world.deeds[0].taken, 1.0);
    }
    let mut world = at_things(&all);
    hold(&mut world, 0, button::USE, 4);
    let s = &world.survivors[0];
    assert_eq!((s.pack, s.dose), (Some(Pack::Medkit), Some(Dose::Pills)));
    assert_eq!(s.throwable, Some(Throwable::Molotov));
    assert_eq!(s.primary, Some(Gun::new(Weapon::Smg)), "full, and in hand");
    assert!(s.holds_primary && world.items.is_empty());
}

#[test]
fn what_one_has_is_refused() {
    let mut world = at_things(&[
        ItemKind::Pack(Pack::Defibrillator),
        ItemKind::Dose(Dose::Adrenaline),
        ItemKind::Throwable(Throwable::PipeBomb),
        ItemKind::Gun(Weapon::PumpShotgun),
        ItemKind::Ammunition,
    ]);
    let s = &mut world.survivors[0];
    (s.pack, s.dose, s.throwable) =
        (Some(Pack::Medkit), Some(Dose::Pills), Some(Throwable::Molotov));
    arm(s, Weapon::Smg);
    let before = kinds(&world);
    hold(&mut world, 0, button::USE, 5);
    assert_eq!(kinds(&world), before);
    assert_eq!((world.within_reach(0), world.deeds[0].taken), (None, 0.0));
    assert_eq!(world.survivors[0].pack, Some(Pack::Medkit));
}

#[test]
fn a_better_gun_and_a_kit_for_a_defibrillator_are_swapped() {
    let mut world = at_things(&[ItemKind::Gun(Weapon::Ak47), ItemKind::Pack(Pack::Medkit)]);
    arm(&mut world.survivors[0], Weapon::Smg);
    world.survivors[0].pack = Some(Pack::Defibrillator);
    hold(&mut world, 0, button::USE, 2);
    let s = &world.survivors[0];
    assert_eq!((s.gun().weapon, s.pack), (Weapon::Ak47, Some(Pack::Medkit)));
    let left = [ItemKind::Gun(Weapon::Smg), ItemKind::Pack(Pack::Defibrillator)];
    assert_eq!(kinds(&world), left, "what was had lies there now");
    hold(&mut world, 0, button::USE, 5);
    assert_eq!(world.survivors[0].gun().weapon, Weapon::Ak47, "and is not swapped back");
}

#[test]
fn every_gun_of_the_second_tier_is_better_than_one_of_the_first() {
    for own in Weapon::FIRST_TIER {
        for found in Weapon::SECOND_TIER {
            let mut world = at_things(&[]);
            arm(&mut world.survivors[0], own);
            assert!(world.wants(0, ItemKind::Gun(found)), "{found:?} for {own:?}");
            arm(&mut world.survivors[0], found);
            assert!(!world.wants(0, ItemKind::Gun(own)), "{own:?} for {found:?}");
        }
    }
}

#[test]
fn ammunition_fills_the_bag_and_stays() {
    let mut world = at_things(&[ItemKind::Ammunition]);
    hold(&mut world, 0, button::USE, 1);
    assert_eq!(world.deeds[0].taken, 0.0, "the pistol needs none");
    arm(&mut world.survivors[0], Weapon::M16);
    world.survivors[0].primary.as_mut().unwrap().reserve = 7;
    hold(&mut world, 0, button::USE, 1);
    assert_eq!(world.survivors[0].primary.unwrap().reserve, 360);
    assert_eq!(kinds(&world), [ItemKind::Ammunition], "it has no end");
    assert_eq!(world.deeds[0].taken, 1.0);
    hold(&mut world, 0, button::USE, 1);
    assert_eq!(world.deeds[0].taken, 1.0, "a full bag takes nothing");
}

#[test]
fn only_what_is_within_reach_is_taken_and_the_nearest_first() {
    let mut world = at_things(&[]);
    lay(&mut world, ItemKind::Dose(Dose::Pills), 1097.0, 1000.0);
    hold(&mut world, 0, button::USE, 1);
    assert_eq!(world.survivors[0].dose, None, "96 units");
    lay(&mut world, ItemKind::Dose(Dose::Pills), 1090.0, 1000.0);
    lay(&mut world, ItemKind::Dose(Dose::Adrenaline), 1050.0, 1000.0);
    hold(&mut world, 0, button::USE, 1);
    assert_eq!(world.survivors[0].dose, Some(Dose::Adrenaline));
}

#[test]
fn nobody_takes_anything_from_the_floor_or_through_a_wall() {
    let mut world = at_things(&[ItemKind::Dose(Dose::Pills)]);
    world.hurt(0, 150.0, Source::Common);
    hold(&mut world, 0, button::USE, 1);
    assert_eq!(world.survivors[0].dose, None);
    let mut mesh = arena::hall_mesh();
    mesh.areas.push(arena::floor(4, [1000.0, -1000.0, 2000.0, 0.0], 0.0, 0));
    let mut world = arena::world_on(&mesh, Difficulty::Normal);
    put(&mut world, 0, 1500.0, 20.0, 0.0);
    lay(&mut world, ItemKind::Dose(Dose::Pills), 1500.0, -20.0);
    world.items[0].area = 3;
    hold(&mut world, 0, button::USE, 1);
    assert_eq!(world.survivors[0].dose, None);
}

#[test]
fn helping_up_comes_before_taking() {
    let mut world = at_things(&[ItemKind::Dose(Dose::Pills)]);
    put(&mut world, 1, 1050.0, 1000.0, 0.0);
    world.hurt(1, 150.0, Source::Common);
    hold(&mut world, 0, button::USE, 149);
    assert_eq!(world.survivors[0].dose, None);
    assert!(world.survivors[0].task.is_some());
    hold(&mut world, 0, button::USE, 4);
    assert!(world.survivors[1].is_up());
    assert_eq!(world.survivors[0].dose, Some(Dose::Pills));
}

#[test]
fn a_match_begins_with_a_kit_and_a_gun_for_each() {
    for present in [[true; 4], [true, true, false, false]] {
        let mut world = hall(Difficulty::Normal);
        let terrain = world.terrain.clone();
        world.reset(terrain, 7, present);
        let players = present.iter().filter(|p| **p).count();
        let at_start = |kind: fn(ItemKind) -> bool| {
            let items = world.items.iter();
            items.filter(|item| world.terrain.in_start(item.area) && kind(item.kind)).count()
        };
        assert_eq!(at_start(|kind| kind == ItemKind::Pack(Pack::Medkit)), players);
        let first = |kind| matches!(kind, ItemKind::Gun(w) if Weapon::FIRST_TIER.contains(&w));
        assert_eq!(at_start(first), players);
        assert_eq!(at_start(|kind| kind == ItemKind::Ammunition), 1);
        for s in world.survivors.iter().filter(|s| s.present) {
            assert_eq!((s.sidearm, s.primary, s.pack), (Gun::new(Weapon::Pistol), None, None));
        }
    }
}
