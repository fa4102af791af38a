//! Reading a `.nav` file.
//!
//! The file is hostile until it is read: a number of things is compared with the bytes that are left
//! before room is made for them, so a few bytes can never ask for gigabytes. Every error says in which
//! area or ladder, and at which byte, the file went wrong.

use super::error::NavError;
use super::mesh::{
    Approach, Area, Encounter, HidingSpot, Ladder, MAGIC, Mesh, Point, SUBVERSION, VERSION, Visible,
};

/// The fewest bytes that an area can have: every list empty.
const AREA_BYTES: usize = 109;
/// The bytes of a ladder.
const LADDER_BYTES: usize = 60;

impl Mesh {
    /// Reads a whole file.
    pub fn read(bytes: &[u8]) -> Result<Self, NavError> {
        let mut from = Cursor { bytes, at: 0, place: Place::Header };
        let found = from.int("the magic number")?;
        if found != MAGIC {
            return Err(NavError::Magic { found });
        }
        let version = from.int("the version")?;
        // Older versions have no subversion: what stands there is another field.
        let subversion = if version == VERSION { from.int("the subversion")? } else { 0 };
        if (version, subversion) != (VERSION, SUBVERSION) {
            return Err(NavError::Version { version, subversion });
        }
        let bsp_size = from.int("the map's size")?;
        let analyzed = from.byte("the analysed mark")?;
        let places = from.places()?;
        let has_unnamed = from.byte("the unnamed mark")?;
        let population = from.text("the population")?;
        let reserved = from.short("a reserved number")?;
        let count = from.count("areas", AREA_BYTES)?;
        let mut areas = Vec::with_capacity(count);
        for index in 0..count {
            from.place = Place::Area { index, id: None };
            areas.push(from.area(index)?);
        }
        from.place = Place::Ladders;
        let count = from.count("ladders", LADDER_BYTES)?;
        let mut ladders = Vec::with_capacity(count);
        for index in 0..count {
            from.place = Place::Ladder { index };
            ladders.push(from.ladder()?);
        }
        from.place = Place::End;
        let trailing = from.float("the trailing number")?;
        let tail = from.rest().to_vec();
        Ok(Self {
            bsp_size,
            analyzed,
            places,
            has_unnamed,
            population,
            reserved,
            areas,
            ladders,
            trailing,
            tail,
        })
    }
}

/// Where in the file reading is, for errors.
#[derive(Clone, Copy)]
enum Place {
    Header,
    Area { index: usize, id: Option<u32> },
    Ladders,
    Ladder { index: usize },
    End,
}

impl Place {
    fn words(self) -> String {
        match self {
            Self::Header => "the header".to_string(),
            Self::Area { index, id: None } => format!("area {index}"),
            Self::Area { index, id: Some(id) } => format!("area {index} (id {id})"),
            Self::Ladders => "the ladders".to_string(),
            Self::Ladder { index } => format!("ladder {index}"),
            Self::End => "the end of the file".to_string(),
        }
    }
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    place: Place,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, what: &'static str, needed: usize) -> Result<&'a [u8], NavError> {
        let taken = self.rest().get(..needed).ok_or_else(|| NavError::Truncated {
            what,
            place: self.place.words(),
            offset: self.at,
            needed,
            end: self.bytes.len(),
        })?;
        self.at += needed;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], NavError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(what, N)?);
        Ok(out)
    }

    fn byte(&mut self, what: &'static str) -> Result<u8, NavError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    fn short(&mut self, what: &'static str) -> Result<u16, NavError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    fn int(&mut self, what: &'static str) -> Result<u32, NavError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    fn float(&mut self, what: &'static str) -> Result<f32, NavError> {
        Ok(f32::from_le_bytes(self.array(what)?))
    }

    fn floats<const N: usize>(&mut self, what: &'static str) -> Result<[f32; N], NavError> {
        let mut out = [0.0; N];
        for value in &mut out {
            *value = self.float(what)?;
        }
        Ok(out)
    }

    fn point(&mut self, what: &'static str) -> Result<Point, NavError> {
        self.floats(what)
    }

    /// Checks a number of things, each of at least `each` bytes, against what is left.
    fn holds(
        &self,
        what: &'static str,
        offset: usize,
        count: u32,
        each: usize,
    ) -> Result<usize, NavError> {
        let left = self.rest().len();
        let fits = (count as usize).checked_mul(each).is_some_and(|bytes| bytes <= left);
        if fits {
            return Ok(count as usize);
        }
        Err(NavError::Count { what, place: self.place.words(), offset, count, left })
    }

    fn count(&mut self, what: &'static str, each: usize) -> Result<usize, NavError> {
        let offset = self.at;
        let count = self.int(what)?;
        self.holds(what, offset, count, each)
    }

    fn count_byte(&mut self, what: &'static str, each: usize) -> Result<usize, NavError> {
        let offset = self.at;
        let count = self.byte(what)?;
        self.holds(what, offset, count.into(), each)
    }

    fn ids(&mut self, what: &'static str) -> Result<Vec<u32>, NavError> {
        let count = self.count(what, 4)?;
        (0..count).map(|_| self.int(what)).collect()
    }

    fn places(&mut self) -> Result<Vec<Vec<u8>>, NavError> {
        let offset = self.at;
        let count = self.short("the number of places")?;
        let count = self.holds("places", offset, count.into(), 2)?;
        let mut places = Vec::new();
        for _ in 0..count {
            let length = self.short("the length of a place's name")?;
            places.push(self.take("a place's name", length.into())?.to_vec());
        }
        Ok(places)
    }

    fn text(&mut self, what: &'static str) -> Result<Vec<u8>, NavError> {
        let rest = self.rest();
        let length = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
        let text = self.take(what, length + 1)?;
        Ok(text[..length].to_vec())
    }

    fn area(&mut self, index: usize) -> Result<Area, NavError> {
        let id = self.int("the id")?;
        self.place = Place::Area { index, id: Some(id) };
        Ok(Area {
            id,
            flags: self.int("the flags")?,
            nw: self.point("the north-west corner")?,
            se: self.point("the south-east corner")?,
            ne_z: self.float("the north-east height")?,
            sw_z: self.float("the south-west height")?,
            connections: [
                self.ids("connections to the north")?,
                self.ids("connections to the east")?,
                self.ids("connections to the south")?,
                self.ids("connections to the west")?,
            ],
            hiding_spots: self.hiding_spots()?,
            encounters: self.encounters()?,
            place: self.short("the place")?,
            ladders_up: self.ids("ladders up")?,
            ladders_down: self.ids("ladders down")?,
            earliest_occupy: self.floats("the earliest times")?,
            light: self.floats("the light")?,
            spawn: self.int("the spawn attributes")?,
            reserved: self.short("a reserved number")?,
            visible: self.visible()?,
            inherits: self.int("the inherited area")?,
        })
    }

    fn hiding_spots(&mut self) -> Result<Vec<HidingSpot>, NavError> {
        let count = self.count_byte("hiding spots", 17)?;
        let mut spots = Vec::with_capacity(count);
        for _ in 0..count {
            spots.push(HidingSpot {
                id: self.int("a hiding spot")?,
                at: self.point("a hiding spot")?,
                flags: self.byte("a hiding spot")?,
            });
        }
        Ok(spots)
    }

    fn encounters(&mut self) -> Result<Vec<Encounter>, NavError> {
        let count = self.count("encounters", 11)?;
        // Not reserved at once: an encounter takes several times its bytes in memory.
        let mut encounters = Vec::new();
        for _ in 0..count {
            let (from, from_side) = (self.int("an encounter")?, self.byte("an encounter")?);
            let (to, to_side) = (self.int("an encounter")?, self.byte("an encounter")?);
            let count = self.count_byte("spots of an encounter", 5)?;
            let mut spots = Vec::with_capacity(count);
            for _ in 0..count {
                spots.push(Approach {
                    spot: self.int("a spot of an encounter")?,
                    along: self.byte("a spot of an encounter")?,
                });
            }
            encounters.push(Encounter { from, from_side, to, to_side, spots });
        }
        Ok(encounters)
    }

    fn visible(&mut self) -> Result<Vec<Visible>, NavError> {
        let count = self.count("visible areas", 5)?;
        let mut visible = Vec::with_capacity(count);
        for _ in 0..count {
            visible.push(Visible {
                area: self.int("a visible area")?,
                attributes: self.byte("a visible area")?,
            });
        }
        Ok(visible)
    }

    fn ladder(&mut self) -> Result<Ladder, NavError> {
        Ok(Ladder {
            id: self.int("the id")?,
            width: self.float("the width")?,
            top: self.point("the top")?,
            bottom: self.point("the bottom")?,
            length: self.float("the length")?,
            direction: self.int("the direction")?,
            top_forward: self.int("the areas at its ends")?,
            top_left: self.int("the areas at its ends")?,
            top_right: self.int("the areas at its ends")?,
            top_behind: self.int("the areas at its ends")?,
            bottom_area: self.int("the areas at its ends")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A mesh with something in every list.
    pub(crate) fn full() -> Mesh {
        let mut mesh = Mesh::empty();
        mesh.places = vec![b"yard\0".to_vec(), b"hall\0".to_vec()];
        mesh.population = b"ours".to_vec();
        mesh.trailing = 1500.0;
        let mut area = Area::plain(7, [0.0, 0.0, 1.0], [50.0, 25.0, 3.0]);
        area.connections = [vec![9], vec![], vec![9, 7], vec![1]];
        area.hiding_spots = vec![HidingSpot { id: 3, at: [5.0, 6.0, 1.0], flags: 8 }];
        area.encounters = vec![Encounter {
            from: 7,
            from_side: 1,
            to: 9,
            to_side: 3,
            spots: vec![Approach { spot: 3, along: 128 }],
        }];
        area.ladders_up = vec![4];
        area.visible = vec![Visible { area: 1, attributes: 3 }, Visible { area: 0, attributes: 0 }];
        area.reserved = 0xbeef;
        mesh.areas.push(area);
        let mut area = Area::plain(9, [50.0, 0.0, 200.0], [75.0, 25.0, 200.0]);
        area.inherits = 7;
        area.light = [f32::INFINITY, -0.0, 0.5, f32::MIN_POSITIVE];
        mesh.areas.push(area);
        mesh.ladders.push(Ladder {
            id: 4,
            width: 31.0,
            top: [50.0, 12.0, 200.0],
            bottom: [50.0, 12.0, 2.0],
            length: 198.0,
            direction: 3,
            top_forward: 9,
            top_left: 0,
            top_right: 0,
            top_behind: 0,
            bottom_area: 7,
        });
        mesh.tail = vec![1, 2, 3];
        mesh
    }

    #[test]
    fn what_is_written_is_read() {
        let mesh = full();
        let bytes = mesh.write();
        assert_eq!(Mesh::read(&bytes), Ok(mesh));
    }

    #[test]
    fn odd_float_bits_survive() {
        let mut mesh = full();
        mesh.tail.clear();
        mesh.trailing = f32::from_bits(0x7fa0_0001);
        mesh.areas[0].light[2] = f32::from_bits(0xffc1_2345);
        let bytes = mesh.write();
        let again = Mesh::read(&bytes).expect("it was written here").write();
        assert_eq!(bytes, again);
    }

    #[test]
    fn the_smallest_area_has_the_bytes_that_are_asked_for() {
        let mut mesh = Mesh::empty();
        let without = mesh.write().len();
        mesh.areas.push(Area::plain(1, [0.0; 3], [1.0; 3]));
        assert_eq!(mesh.write().len() - without, AREA_BYTES);
    }

    #[test]
    fn every_cut_names_a_byte_and_a_place() {
        let mut mesh = full();
        mesh.tail.clear();
        let bytes = mesh.write();
        for length in 0..bytes.len() {
            match Mesh::read(&bytes[..length]) {
                Err(NavError::Truncated { offset, end, .. }) => {
                    assert!(offset <= length && end == length);
                }
                Err(NavError::Count { offset, .. }) => assert!(offset < length),
                other => panic!("{length} bytes gave {other:?}"),
            }
        }
        let cut = Mesh::read(&bytes[..bytes.len() - 70]).expect_err("it is cut").to_string();
        assert!(cut.contains("of area 1 (id 9)"), "{cut}");
    }

    #[test]
    fn another_version_is_named_with_what_is_read() {
        let mut bytes = full().write();
        bytes[4] = 15;
        let said = Mesh::read(&bytes).expect_err("version 15").to_string();
        assert!(said.contains("version 15") && said.contains("version 16 subversion 14"), "{said}");
        assert_eq!(
            Mesh::read(b"HL2DEMO\0"),
            Err(NavError::Magic { found: u32::from_le_bytes(*b"HL2D") })
        );
    }

    #[test]
    fn a_great_number_is_refused_before_room_is_made() {
        let mut mesh = Mesh::empty();
        mesh.trailing = 0.0;
        let mut bytes = mesh.write();
        let at = bytes.len() - 12;
        bytes[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        let Err(NavError::Count { what: "areas", count: u32::MAX, offset, left: 8, .. }) =
            Mesh::read(&bytes)
        else {
            panic!("four thousand million areas in eight bytes");
        };
        assert_eq!(offset, at);
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let _ = Mesh::read(&bytes);
        }

        #[test]
        fn random_bytes_after_a_good_header_never_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            let mut file = Mesh::empty().write();
            file.truncate(file.len() - 12);
            file.extend_from_slice(&bytes);
            let _ = Mesh::read(&file);
        }

        #[test]
        fn a_changed_file_is_refused_or_written_as_it_was(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        ) {
            let mut bytes = full().write();
            for (at, value) in changes {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if let Ok(mesh) = Mesh::read(&bytes) {
                prop_assert_eq!(mesh.write(), bytes);
            }
        }
    }
}
