//! Steps: how far, which way, and to which tile.

use std::collections::HashSet;

use lanista_game::seed;
use lanista_nh::kinds::Rules;
use lanista_nh::loadout::Build;
use lanista_nh::sim::act::{corners, sides};
use lanista_nh::sim::path::Tile;
use lanista_nh::sim::start::Setup;
use lanista_nh::sim::{Action, Fight};

use crate::duel::*;

/// Offsets of the first fighter from where it began, tick by tick.
fn walked(duel: &mut Duel, ticks: usize) -> Vec<(i16, i16)> {
    (0..ticks)
        .map(|_| {
            duel.wait(1);
            let at = duel.me().at;
            (at.x - HERE.x, at.y - HERE.y)
        })
        .collect()
}

#[test]
fn runners_take_two_tiles_a_tick() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().path.walk(HERE, HERE.offset(0, 5));
    assert_eq!(walked(&mut duel, 4), [(0, 2), (0, 4), (0, 5), (0, 5)]);
    assert!(!duel.me().moving);
}

#[test]
fn who_is_out_of_stamina_walks() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().stamina = 2;
    duel.me().path.walk(HERE, HERE.offset(0, 7));
    assert_eq!(walked(&mut duel, 4), [(0, 2), (0, 4), (0, 5), (0, 6)]);
    assert_eq!((duel.me().stamina, duel.me().running), (0, false));
}

#[test]
fn stamina_falls_by_one_in_every_tick_of_running() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().path.walk(HERE, HERE.offset(0, 5));
    duel.wait(10);
    // Three ticks, the last of them for one tile.
    assert_eq!(duel.me().stamina, 97);
    duel.me().running = false;
    duel.me().path.walk(HERE.offset(0, 5), HERE.offset(0, 9));
    duel.wait(10);
    assert_eq!(duel.me().stamina, 97);
}

#[test]
fn stamina_comes_back_to_who_stands_or_walks() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().stamina = 0;
    duel.me().running = false;
    duel.wait(149);
    assert_eq!(duel.me().stamina, 0);
    duel.wait(1);
    // The server never makes anyone run again by itself.
    assert_eq!((duel.me().stamina, duel.me().running), (1, false));
}

#[test]
fn the_way_goes_straight_first_and_then_diagonally() {
    for (to, way) in [
        ((5, 2), [(2, 0), (4, 1), (5, 2)]),
        ((-2, 5), [(0, 2), (-1, 4), (-2, 5)]),
        ((-4, -4), [(-2, -2), (-4, -4), (-4, -4)]),
        ((0, -3), [(0, -2), (0, -3), (0, -3)]),
    ] {
        let mut duel = Duel::of(Build::Maxed);
        duel.place(1, HERE.offset(to.0, to.1));
        duel.act(UNDER);
        let at = duel.me().at;
        let mut steps = vec![(at.x - HERE.x, at.y - HERE.y)];
        steps.extend(walked(&mut duel, 2));
        assert_eq!(steps, way);
    }
}

#[test]
fn the_frozen_lose_their_way() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().path.walk(HERE, HERE.offset(0, 9));
    duel.wait(1);
    duel.me().freeze(2);
    assert!(duel.me().path.is_empty());
    duel.act(farcast(7));
    assert!(duel.me().path.is_empty() && !duel.me().moving);
    duel.wait(3);
    assert_eq!(duel.me().at, HERE.offset(0, 2));
}

#[test]
fn a_step_is_decided_by_the_tile_seen_last_tick() {
    // The other runs off in the same tick, before or after: the aim is where it stood.
    for pid in [0.1, 0.9] {
        let mut duel = Duel::of(Build::Maxed).apart(8);
        duel.foe().pid = pid;
        duel.foe().path.walk(HERE.offset(8, 0), HERE.offset(8, 9));
        duel.act(UNDER);
        assert_eq!(duel.me().path.destination(), Some(HERE.offset(8, 0)));
        // Now it knows better.
        duel.act(UNDER);
        assert_eq!(duel.me().path.destination(), Some(HERE.offset(8, 2)));
    }
    let mut duel = Duel::of(Build::Maxed).apart(8);
    duel.fight.memories[0].seen = HERE.offset(0, 8);
    duel.act(UNDER);
    assert_eq!(duel.me().path.destination(), Some(HERE.offset(0, 8)));
}

/// Where a choice leads to when the other stands still at this offset, and the tiles it was
/// drawn from.
fn aim(action: Action, to: (i16, i16)) -> (Tile, Vec<Tile>) {
    let mut duel = Duel::of(Build::Maxed);
    duel.place(1, HERE.offset(to.0, to.1));
    duel.act(action);
    duel.wait(12);
    assert!(duel.told.tiles.len() <= 1);
    (duel.me().at, duel.told.tiles.pop().unwrap_or_default())
}

#[test]
fn next_to_is_the_nearest_side() {
    assert_eq!(aim(NEXT_TO, (5, 0)), (HERE.offset(4, 0), vec![]));
    assert_eq!(aim(NEXT_TO, (-3, 1)), (HERE.offset(-2, 1), vec![]));
    assert_eq!(aim(NEXT_TO, (0, -6)), (HERE.offset(0, -5), vec![]));
    // From a corner two sides are equally near, and from under it all four.
    let (_, drawn) = aim(NEXT_TO, (1, 1));
    assert_eq!(drawn, [HERE.offset(1, 0), HERE.offset(0, 1)]);
    let (at, drawn) = aim(NEXT_TO, (0, 0));
    assert_eq!((at, drawn), (HERE.offset(0, 1), sides(HERE).to_vec()));
}

#[test]
fn diagonal_is_the_nearest_corner() {
    let (at, drawn) = aim(DIAGONAL, (5, 0));
    assert_eq!((at, drawn.len()), (HERE.offset(4, -1), 2));
    assert_eq!(aim(DIAGONAL, (4, -4)), (HERE.offset(3, -3), vec![]));
    let (_, drawn) = aim(DIAGONAL, (0, 0));
    assert_eq!(drawn, corners(HERE));
}

#[test]
fn under_is_its_tile() {
    assert_eq!(aim(UNDER, (5, -2)), (HERE.offset(5, -2), vec![]));
}

#[test]
fn farcast_is_the_nearest_tile_at_that_distance() {
    for tiles in 2..=7 {
        for to in [(1, 0), (9, 3), (0, 0), (-4, 4), (2, -7)] {
            let (at, drawn) = aim(farcast(tiles), to);
            let there = HERE.offset(to.0, to.1);
            assert_eq!(at.distance(there), i16::from(tiles));
            let ring = there.ring(i16::from(tiles));
            let least = ring.map(|tile| tile.distance(HERE)).min().unwrap();
            assert_eq!(at.distance(HERE), least);
            assert!(drawn.iter().all(|tile| tile.distance(HERE) == least));
        }
    }
}

#[test]
fn rings_are_complete() {
    for distance in 1..=7 {
        let tiles: Vec<Tile> = HERE.ring(distance).collect();
        assert_eq!(tiles.len(), 8 * distance as usize);
        assert!(tiles.iter().all(|tile| tile.distance(HERE) == distance));
        let different = tiles.iter().collect::<HashSet<_>>();
        assert_eq!(different.len(), tiles.len());
    }
}

#[test]
fn chance_picks_among_equally_near_tiles() {
    for pick in [0, 1] {
        let mut duel = Duel::of(Build::Maxed).apart(5);
        duel.told.pick = pick;
        duel.act(DIAGONAL);
        let drawn = duel.told.tiles[0].clone();
        assert_eq!(duel.me().path.destination(), Some(drawn[pick]));
    }
}

#[test]
fn nobody_leaves_the_wilderness() {
    let border = Tile::new(HERE.x, 3525);
    assert!(border.wilderness() && !border.offset(0, -1).wilderness());
    let mut duel = Duel::of(Build::Maxed);
    duel.place(0, border.offset(-6, 0));
    duel.place(1, border);
    duel.act(DIAGONAL);
    // The corner south of the border would be as near.
    assert!(duel.told.tiles.is_empty());
    assert_eq!(duel.me().path.destination(), Some(border.offset(-1, 1)));
}

#[test]
fn a_step_ends_attack_and_spell() {
    let mut duel = Duel::of(Build::Maxed).apart(5);
    duel.act(together([ICE, NEXT_TO]));
    assert!(duel.told.asked.is_empty());
    assert_eq!((duel.me().attacking, duel.me().following, duel.me().cast), (false, false, None));
    assert_eq!(duel.me().at, HERE.offset(2, 0));
}

#[test]
fn who_is_there_already_goes_on_attacking() {
    for (to, action) in [((1, 0), NEXT_TO), ((1, 1), DIAGONAL), ((4, 2), farcast(4))] {
        let mut duel = Duel::of(Build::Maxed);
        duel.place(1, HERE.offset(to.0, to.1));
        duel.act(together([SHOOT, action]));
        assert_eq!(duel.told.asked.len(), 1, "{action:?}");
        assert!(duel.told.tiles.is_empty());
    }
    // Except under the other: that is asked for again and again.
    let mut duel = Duel::of(Build::Maxed).apart(0);
    duel.act(together([SHOOT, UNDER]));
    assert!(!duel.me().attacking);
}

#[test]
fn a_new_way_replaces_the_old_one() {
    let mut duel = Duel::of(Build::Maxed);
    duel.me().path.walk(HERE, HERE.offset(0, 20));
    duel.place(1, HERE.offset(6, 0));
    duel.act(UNDER);
    assert_eq!(duel.me().path.tiles(), [3, 4, 5, 6].map(|x| HERE.offset(x, 0)));
}

#[test]
fn agents_begin_up_to_five_tiles_apart_in_the_field() {
    let mut setup = Setup { beside: false, ..setup(Rules::Server2024, Build::Maxed) };
    let mut apart = HashSet::new();
    for seed in 0..2000 {
        let [a, b] = Fight::start(&setup, &mut seed::rng(seed)).fighters;
        for at in [a.at, b.at] {
            assert!((3041..=3101).contains(&at.x) && (3530..=3557).contains(&at.y));
        }
        apart.extend([b.at.x - a.at.x, b.at.y - a.at.y]);
        assert!((40..=60).contains(&a.redraw) && (40..=60).contains(&b.redraw));
    }
    // The south-western tiles reach one further.
    assert_eq!(apart, (-5..=4).collect());
    setup.beside = true;
    let [a, b] = Fight::start(&setup, &mut seed::rng(0)).fighters;
    assert_eq!(b.at, a.at.offset(-1, 0));
}
