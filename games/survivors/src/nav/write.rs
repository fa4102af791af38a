//! Writing a `.nav` file: the mirror of [`read`](super::read), field by field.

use super::mesh::{Area, Ladder, MAGIC, Mesh, Point, SUBVERSION, VERSION};

impl Mesh {
    /// The bytes of the file. What [`Mesh::read`] took gives the same bytes again.
    ///
    /// The file counts places with sixteen bits, hiding spots and what a way looks at with eight. A mesh
    /// made in memory with more of them than that loses the rest, so that what is written can be read.
    pub fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for value in [MAGIC, VERSION, SUBVERSION, self.bsp_size] {
            int(&mut out, value);
        }
        out.push(self.analyzed);
        let places = capped(&self.places, u16::MAX.into());
        short(&mut out, places.len() as u16);
        for place in places {
            let name = capped(place, u16::MAX.into());
            short(&mut out, name.len() as u16);
            out.extend_from_slice(name);
        }
        out.push(self.has_unnamed);
        let end = self.population.iter().position(|b| *b == 0).unwrap_or(self.population.len());
        out.extend_from_slice(&self.population[..end]);
        out.push(0);
        short(&mut out, self.reserved);
        int(&mut out, self.areas.len() as u32);
        for one in &self.areas {
            area(&mut out, one);
        }
        int(&mut out, self.ladders.len() as u32);
        for one in &self.ladders {
            ladder(&mut out, one);
        }
        float(&mut out, self.trailing);
        out.extend_from_slice(&self.tail);
        out
    }
}

fn area(out: &mut Vec<u8>, area: &Area) {
    int(out, area.id);
    int(out, area.flags);
    point(out, area.nw);
    point(out, area.se);
    float(out, area.ne_z);
    float(out, area.sw_z);
    for side in &area.connections {
        ids(out, side);
    }
    let spots = capped(&area.hiding_spots, u8::MAX.into());
    out.push(spots.len() as u8);
    for spot in spots {
        int(out, spot.id);
        point(out, spot.at);
        out.push(spot.flags);
    }
    int(out, area.encounters.len() as u32);
    for way in &area.encounters {
        int(out, way.from);
        out.push(way.from_side);
        int(out, way.to);
        out.push(way.to_side);
        let spots = capped(&way.spots, u8::MAX.into());
        out.push(spots.len() as u8);
        for spot in spots {
            int(out, spot.spot);
            out.push(spot.along);
        }
    }
    short(out, area.place);
    ids(out, &area.ladders_up);
    ids(out, &area.ladders_down);
    for value in area.earliest_occupy.iter().chain(&area.light) {
        float(out, *value);
    }
    int(out, area.spawn);
    short(out, area.reserved);
    int(out, area.visible.len() as u32);
    for seen in &area.visible {
        int(out, seen.area);
        out.push(seen.attributes);
    }
    int(out, area.inherits);
}

fn ladder(out: &mut Vec<u8>, ladder: &Ladder) {
    int(out, ladder.id);
    float(out, ladder.width);
    point(out, ladder.top);
    point(out, ladder.bottom);
    float(out, ladder.length);
    for value in [
        ladder.direction,
        ladder.top_forward,
        ladder.top_left,
        ladder.top_right,
        ladder.top_behind,
        ladder.bottom_area,
    ] {
        int(out, value);
    }
}

fn capped<T>(things: &[T], most: usize) -> &[T] {
    &things[..things.len().min(most)]
}

fn ids(out: &mut Vec<u8>, ids: &[u32]) {
    int(out, ids.len() as u32);
    for id in ids {
        int(out, *id);
    }
}

fn point(out: &mut Vec<u8>, at: Point) {
    for value in at {
        float(out, value);
    }
}

fn int(out: &mut Vec<u8>, value: u32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn short(out: &mut Vec<u8>, value: u16) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn float(out: &mut Vec<u8>, value: f32) {
    out.extend_from_slice(&value.to_le_bytes());
}
