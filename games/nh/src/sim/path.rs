//! Tiles and the way between them.

/// A tile of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Tile {
    /// East.
    pub x: i16,
    /// North.
    pub y: i16,
}

impl Tile {
    /// The tile at these coordinates.
    pub const fn new(x: i16, y: i16) -> Self {
        Self { x, y }
    }

    /// The tile so far east and north of this one.
    #[inline]
    pub const fn offset(self, dx: i16, dy: i16) -> Self {
        Self { x: self.x + dx, y: self.y + dy }
    }

    /// Steps between two tiles when diagonal ones count as one.
    #[inline]
    pub fn distance(self, other: Self) -> i16 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }

    /// Do they touch at a corner only?
    #[inline]
    pub fn diagonal(self, other: Self) -> bool {
        (self.x - other.x).abs() == 1 && (self.y - other.y).abs() == 1
    }

    /// Square of the distance as the crow flies.
    #[inline]
    pub fn squared(self, other: Self) -> i32 {
        let (dx, dy) = (i32::from(self.x - other.x), i32::from(self.y - other.y));
        dx * dx + dy * dy
    }

    /// The tiles at exactly this distance, from the south-west up and then east.
    pub fn ring(self, distance: i16) -> impl Iterator<Item = Self> + Clone {
        (-distance..=distance).flat_map(move |dx| {
            // Only the columns at both ends are whole; of the others there are the two ends.
            let step = if dx.abs() == distance { 1 } else { 2 * distance as usize };
            (-distance..=distance).step_by(step).map(move |dy| self.offset(dx, dy))
        })
    }

    /// Is it in the Wilderness north of Edgeville, where the fights are?
    #[inline]
    pub fn wilderness(self) -> bool {
        (2940..=3392).contains(&self.x) && (3525..=3968).contains(&self.y)
    }
}

/// Longest way that is remembered: fighters never part further than a screen.
const CAPACITY: usize = 48;

/// The tiles that a fighter is about to walk over, next one first.
#[derive(Clone, Debug)]
pub struct Path {
    tiles: [Tile; CAPACITY],
    next: u8,
    end: u8,
}

impl Default for Path {
    fn default() -> Self {
        Self { tiles: [Tile::default(); CAPACITY], next: 0, end: 0 }
    }
}

impl Path {
    /// Forgets the way.
    #[inline]
    pub fn clear(&mut self) {
        self.next = 0;
        self.end = 0;
    }

    /// Tiles to go.
    #[inline]
    pub fn len(&self) -> usize {
        usize::from(self.end - self.next)
    }

    /// Is there nowhere to go?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.next == self.end
    }

    /// Where the way ends.
    #[inline]
    pub fn destination(&self) -> Option<Tile> {
        (!self.is_empty()).then(|| self.tiles[usize::from(self.end) - 1])
    }

    /// Takes the next tile off the way.
    #[inline]
    pub fn step(&mut self) -> Option<Tile> {
        (!self.is_empty()).then(|| {
            self.next += 1;
            self.tiles[usize::from(self.next) - 1]
        })
    }

    /// The tiles to go, next one first.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles[usize::from(self.next)..usize::from(self.end)]
    }

    fn push(&mut self, tile: Tile) {
        if usize::from(self.end) < CAPACITY {
            self.tiles[usize::from(self.end)] = tile;
            self.end += 1;
        }
    }

    /// Appends the way over `corner`, one tile at a time: along both axes as long as both differ.
    pub fn walk(&mut self, from: Tile, corner: Tile) {
        let mut at = self.destination().unwrap_or(from);
        while at != corner {
            at = at.offset((corner.x - at.x).signum(), (corner.y - at.y).signum());
            self.push(at);
        }
    }

    /// Appends the shortest way from `from` to `to` over open ground, as the server's search finds
    /// it: the straight part first, then the diagonal one.
    pub fn route(&mut self, from: Tile, to: Tile) {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let straight = (dx.abs() - dy.abs()).abs();
        let corner = if dx.abs() > dy.abs() {
            from.offset(straight * dx.signum(), 0)
        } else {
            from.offset(0, straight * dy.signum())
        };
        if corner != from {
            self.walk(from, corner);
        }
        self.walk(from, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, VecDeque};

    /// A breadth-first search that tries west, east, south, north and then the diagonals.
    fn searched(to: Tile) -> Vec<Tile> {
        const ORDER: [(i16, i16); 8] =
            [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
        let start = Tile::new(0, 0);
        let mut came = HashMap::from([(start, start)]);
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            if at == to {
                break;
            }
            for (dx, dy) in ORDER {
                let next = at.offset(dx, dy);
                if next.distance(start) < 30 && !came.contains_key(&next) {
                    came.insert(next, at);
                    queue.push_back(next);
                }
            }
        }
        let mut way = vec![to];
        while came[way.last().unwrap()] != start {
            way.push(came[way.last().unwrap()]);
        }
        way.reverse();
        way
    }

    #[test]
    fn routes_are_those_of_a_breadth_first_search() {
        for x in -12..=12 {
            for y in -12..=12 {
                let to = Tile::new(x, y);
                if to == Tile::default() {
                    continue;
                }
                let mut path = Path::default();
                path.route(Tile::default(), to);
                assert_eq!(path.tiles(), searched(to), "to {to:?}");
            }
        }
    }

    #[test]
    fn a_path_is_walked_in_order_and_ends() {
        let mut path = Path::default();
        path.route(Tile::new(5, 5), Tile::new(8, 6));
        assert_eq!(path.destination(), Some(Tile::new(8, 6)));
        assert_eq!(path.step(), Some(Tile::new(6, 5)));
        assert_eq!(path.step(), Some(Tile::new(7, 5)));
        assert_eq!(path.step(), Some(Tile::new(8, 6)));
        assert_eq!((path.step(), path.len()), (None, 0));
    }

    #[test]
    fn an_endless_walk_is_cut() {
        let mut path = Path::default();
        path.route(Tile::new(0, 0), Tile::new(1000, 0));
        assert_eq!(path.len(), CAPACITY);
    }
}
