//! A `.nav` file as numbers: nothing is left out, so that it can be written again byte for byte.
//!
//! The layout is that of version 16 subversion 14 (facts/survivors.md §2). It differs from the public
//! engine's version 16: a population name follows the places, spawn attributes stand before the
//! visibility list, that list names areas by their number and not by their id, and one float follows the
//! ladders. Numbers whose meaning is not known are kept as `reserved`.

/// The only version that is read.
pub const VERSION: u32 = 16;
/// The only subversion that is read.
pub const SUBVERSION: u32 = 14;
/// The first four bytes.
pub(super) const MAGIC: u32 = 0xFEED_FACE;

/// A place: x to the east, y to the south of the file's own compass, z up.
pub type Point = [f32; 3];

/// The number of an area in its file: what a compiled mesh calls it by.
pub type AreaIndex = u16;

/// A whole file.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    /// The size in bytes of the map that it was made for.
    pub bsp_size: u32,
    /// Not zero when the game has analysed the mesh.
    pub analyzed: u8,
    /// Names of places, each with the zero that ends it.
    pub places: Vec<Vec<u8>>,
    /// Not zero when some area is in no place.
    pub has_unnamed: u8,
    /// Which infected live here, without the zero that ends it.
    pub population: Vec<u8>,
    /// Zero in every file seen.
    pub reserved: u16,
    /// The areas; visibility lists name them by their number here.
    pub areas: Vec<Area>,
    /// The ladders.
    pub ladders: Vec<Ladder>,
    /// A number after the ladders, per map; its meaning is not known.
    pub trailing: f32,
    /// Bytes after everything that is known: none in every file seen.
    pub tail: Vec<u8>,
}

/// A rectangle of ground with a height at each corner.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// What connections, ladders and inheritance call it.
    pub id: u32,
    /// Ground bits, see [`attributes`](super::attributes).
    pub flags: u32,
    /// The corner of least x and least y.
    pub nw: Point,
    /// The corner of greatest x and greatest y.
    pub se: Point,
    /// Height at greatest x and least y.
    pub ne_z: f32,
    /// Height at least x and greatest y.
    pub sw_z: f32,
    /// Ids of the neighbours to the north (least y), east, south, west.
    pub connections: [Vec<u32>; 4],
    /// Corners to hide in or to put things.
    pub hiding_spots: Vec<HidingSpot>,
    /// Ways through with what to look at: none in every file seen.
    pub encounters: Vec<Encounter>,
    /// Number of its place, counted from one; zero is none.
    pub place: u16,
    /// Ids of the ladders that lead up from here.
    pub ladders_up: Vec<u32>,
    /// Ids of the ladders that lead down from here.
    pub ladders_down: Vec<u32>,
    /// Seconds until either team could be here: 120 in every file seen.
    pub earliest_occupy: [f32; 2],
    /// Light at the corners: nw, ne, se, sw.
    pub light: [f32; 4],
    /// Spawn bits, see [`attributes`](super::attributes).
    pub spawn: u32,
    /// Zero in every file seen.
    pub reserved: u16,
    /// What is seen from here, as a change of what [`inherits`](Self::inherits) sees.
    pub visible: Vec<Visible>,
    /// Id of the area whose list this one changes; zero is none.
    pub inherits: u32,
}

/// A corner to hide in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HidingSpot {
    /// Its id.
    pub id: u32,
    /// Where it is.
    pub at: Point,
    /// 1 in cover, 2 good sniper spot, 4 ideal sniper spot, 8 exposed.
    pub flags: u8,
}

/// A way through an area.
#[derive(Debug, Clone, PartialEq)]
pub struct Encounter {
    /// Id of the area that one comes from.
    pub from: u32,
    /// The side that one comes in by.
    pub from_side: u8,
    /// Id of the area that one goes to.
    pub to: u32,
    /// The side that one goes out by.
    pub to_side: u8,
    /// Hiding spots to look at on the way.
    pub spots: Vec<Approach>,
}

/// A hiding spot to look at on the way through an area.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Approach {
    /// Id of the hiding spot.
    pub spot: u32,
    /// How far along the way, in 255ths.
    pub along: u8,
}

/// One entry of a visibility list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Visible {
    /// The number of the area in the file, not its id.
    pub area: u32,
    /// 1 partly, 2 wholly visible; 0 takes away what was inherited.
    pub attributes: u8,
}

/// A ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ladder {
    /// Its id.
    pub id: u32,
    /// Its width.
    pub width: f32,
    /// The middle of its upper end.
    pub top: Point,
    /// The middle of its lower end.
    pub bottom: Point,
    /// Its length.
    pub length: f32,
    /// The way it faces: 0 north, 1 east, 2 south, 3 west.
    pub direction: u32,
    /// Id of the area ahead of one who comes up; zero is none, as for those below.
    pub top_forward: u32,
    /// Id of the area to the left of one who comes up.
    pub top_left: u32,
    /// Id of the area to the right of one who comes up.
    pub top_right: u32,
    /// Id of the area behind one who comes up: only a way down.
    pub top_behind: u32,
    /// Id of the area at the foot.
    pub bottom_area: u32,
}

impl Area {
    /// A flat or sloped area of ground with nothing else to it.
    pub fn plain(id: u32, nw: Point, se: Point) -> Self {
        Self {
            id,
            flags: 0,
            nw,
            se,
            ne_z: nw[2],
            sw_z: se[2],
            connections: Default::default(),
            hiding_spots: Vec::new(),
            encounters: Vec::new(),
            place: 0,
            ladders_up: Vec::new(),
            ladders_down: Vec::new(),
            earliest_occupy: [120.0; 2],
            light: [1.0; 4],
            spawn: 0,
            reserved: 0,
            visible: Vec::new(),
            inherits: 0,
        }
    }

    /// The ground height at a point, bilinear between the corners; outside, that of the nearest edge.
    pub fn height(&self, x: f32, y: f32) -> f32 {
        let east = fraction(x, self.nw[0], self.se[0]);
        let south = fraction(y, self.nw[1], self.se[1]);
        let north_z = self.nw[2] + (self.ne_z - self.nw[2]) * east;
        let south_z = self.sw_z + (self.se[2] - self.sw_z) * east;
        north_z + (south_z - north_z) * south
    }
}

/// How far `at` is from `low` to `high`, 0 to 1; 0 where the two are the same.
pub(super) fn fraction(at: f32, low: f32, high: f32) -> f32 {
    let width = high - low;
    if width == 0.0 { 0.0 } else { ((at - low) / width).clamp(0.0, 1.0) }
}

impl Mesh {
    /// A mesh without areas, as a generator begins.
    pub fn empty() -> Self {
        Self {
            bsp_size: 0,
            analyzed: 1,
            places: Vec::new(),
            has_unnamed: 1,
            population: Vec::new(),
            reserved: 0,
            areas: Vec::new(),
            ladders: Vec::new(),
            trailing: 0.0,
            tail: Vec::new(),
        }
    }

    /// The names of the places as text.
    pub fn place_names(&self) -> Vec<String> {
        self.places.iter().map(|name| text(name)).collect()
    }

    /// The name of the population as text.
    pub fn population_name(&self) -> String {
        text(&self.population)
    }

    /// How many connections there are, counting each direction.
    pub fn connections(&self) -> usize {
        self.areas.iter().flat_map(|area| &area.connections).map(Vec::len).sum()
    }

    /// How many entries the visibility lists have, before inheritance.
    pub fn visible(&self) -> usize {
        self.areas.iter().map(|area| area.visible.len()).sum()
    }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_is_bilinear_between_its_corners() {
        let mut area = Area::plain(1, [0.0, 0.0, 0.0], [100.0, 50.0, 30.0]);
        area.ne_z = 10.0;
        area.sw_z = 20.0;
        assert_eq!(area.height(0.0, 0.0), 0.0);
        assert_eq!(area.height(100.0, 0.0), 10.0);
        assert_eq!(area.height(0.0, 50.0), 20.0);
        assert_eq!(area.height(100.0, 50.0), 30.0);
        assert_eq!(area.height(50.0, 25.0), 15.0);
        assert_eq!(area.height(-500.0, 0.0), 0.0);
    }

    #[test]
    fn an_area_without_size_has_the_height_of_its_corner() {
        let area = Area::plain(1, [5.0, 5.0, 7.0], [5.0, 5.0, 9.0]);
        assert_eq!(area.height(5.0, 5.0), 7.0);
    }

    #[test]
    fn a_place_is_read_up_to_its_zero() {
        let mut mesh = Mesh::empty();
        mesh.places.push(b"ceda\0".to_vec());
        assert_eq!(mesh.place_names(), ["ceda"]);
    }
}
