//! Walking, following and reach.

use super::combat::{Method, method};
use super::path::Tile;
use super::{Fight, other};
use crate::kinds::Style;

/// Beyond this many tiles along either axis a fighter loses sight of the other.
const SIGHT: i16 = 15;

impl Fight {
    /// Can both still fight each other?
    fn valid(&self) -> bool {
        let [a, b] = &self.fighters;
        a.hp() > 0 && b.hp() > 0 && a.at.distance(b.at) < 40
    }

    /// Can `who` attack from where it stands? Asking makes a swordsman who stands at a corner step
    /// around it, and whoever cannot fight any more lets go, which counts as reaching.
    pub(super) fn reaches(&mut self, who: usize, method: Method) -> bool {
        if !self.valid() {
            self.fighters[who].disengage();
            return true;
        }
        let foe = &self.fighters[other(who)];
        let (at, target, target_moving) = (self.fighters[who].at, foe.at, foe.moving);
        if at == target {
            return false;
        }
        let melee = method.style() == Style::Melee;
        let mut reach = method.reach(&self.fighters[who]);
        if melee && target_moving && self.fighters[who].moving {
            reach += 1;
        }
        if at.distance(target) > reach {
            return false;
        }
        if melee && !target_moving && at.diagonal(target) {
            self.step_around(who, target);
            return false;
        }
        true
    }

    /// From a corner of the target to the nearest of its sides.
    fn step_around(&mut self, who: usize, target: Tile) {
        let sides = [(-1, 0), (1, 0), (0, 1), (0, -1)].map(|(dx, dy)| target.offset(dx, dy));
        let at = self.fighters[who].at;
        // The first of equally near ones.
        let mut nearest = sides[0];
        for side in sides {
            if at.distance(side) < at.distance(nearest) {
                nearest = side;
            }
        }
        self.go(who, nearest);
    }

    /// Appends the way to a tile, unless `who` is held.
    pub(super) fn go(&mut self, who: usize, to: Tile) {
        let fighter = &mut self.fighters[who];
        if !fighter.frozen() {
            fighter.path.route(fighter.at, to);
        }
    }

    /// Moves `who` by up to two tiles.
    pub(super) fn walk(&mut self, who: usize) {
        if self.fighters[who].frozen() {
            self.fighters[who].stop();
            return;
        }
        if self.fighters[who].following {
            self.follow(who);
        }
        let fighter = &mut self.fighters[who];
        let first = fighter.path.step();
        let second = if fighter.running { fighter.path.step() } else { None };
        let moved = first.is_some();
        if let Some(tile) = second.or(first) {
            fighter.at = tile;
        }
        if moved && fighter.running {
            fighter.stamina -= 1;
            if fighter.stamina <= 0 {
                fighter.stamina = 0;
                fighter.running = false;
            }
        }
        fighter.moving = moved;
    }

    fn follow(&mut self, who: usize) {
        self.fighters[who].stop();
        let method = method(&self.fighters[who]);
        if self.reaches(who, method) {
            self.fighters[who].stop();
            return;
        }
        let (at, target) = (self.fighters[who].at, self.fighters[other(who)].at);
        if (at.x - target.x).abs() > SIGHT || (at.y - target.y).abs() > SIGHT {
            self.fighters[who].disengage();
            self.fighters[who].stop();
            return;
        }
        let reach = method.reach(&self.fighters[who]);
        let to =
            if reach == 1 || at == target { beside(at, target) } else { within(at, target, reach) };
        self.go(who, to);
    }
}

/// The side of the target that a swordsman walks to. The server sorts the sides with a comparison
/// that contradicts itself for two tiles in line with the walker, so the result depends on how the
/// sorting goes: insertion by bisection, after the run at the start.
fn beside(at: Tile, target: Tile) -> Tile {
    let mut sides = [(0, -1), (0, 1), (-1, 0), (1, 0)].map(|(dx, dy)| target.offset(dx, dy));
    let in_line = |tile: Tile| {
        let (dx, dy) = (tile.x - at.x, tile.y - at.y);
        (dx != dy && dx == 0) || dy == 0
    };
    let before = |a: Tile, b: Tile| {
        let (da, db) = (a.distance(at), b.distance(at));
        if da == db {
            if in_line(a) {
                return -1;
            } else if in_line(b) {
                return 1;
            }
        }
        i32::from(da - db)
    };
    let mut run = 2;
    if before(sides[1], sides[0]) < 0 {
        while run < 4 && before(sides[run], sides[run - 1]) < 0 {
            run += 1;
        }
        sides[..run].reverse();
    } else {
        while run < 4 && before(sides[run], sides[run - 1]) >= 0 {
            run += 1;
        }
    }
    for next in run..4 {
        let pivot = sides[next];
        let (mut low, mut high) = (0, next);
        while low < high {
            let middle = (low + high) / 2;
            if before(pivot, sides[middle]) < 0 {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        sides[low..=next].rotate_right(1);
    }
    sides[0]
}

/// The tile at exactly this distance from the target that is nearest to the walker, as the crow
/// flies; of equally near ones the nearest to the target, and of those the first from the south-west
/// up and then east.
fn within(at: Tile, target: Tile, distance: i16) -> Tile {
    let key = |tile: &Tile| (tile.squared(at), tile.squared(target));
    target.ring(distance).min_by_key(key).unwrap_or(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archer_walks_to_the_edge_of_its_reach() {
        assert_eq!(within(Tile::new(0, 0), Tile::new(10, 0), 7), Tile::new(3, 0));
        assert_eq!(within(Tile::new(0, 0), Tile::new(0, -12), 10), Tile::new(0, -2));
    }

    #[test]
    fn a_swordsman_walks_to_the_near_side() {
        assert_eq!(beside(Tile::new(0, 0), Tile::new(4, 0)), Tile::new(3, 0));
        assert_eq!(beside(Tile::new(0, 0), Tile::new(0, 4)), Tile::new(0, 3));
    }
}
