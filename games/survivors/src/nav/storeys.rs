//! Sorting areas into storeys, so that a drawing from above shows every one of them.
//!
//! Real maps have no storeys, only heights. A height is a good place to cut when much lies above much
//! else there and few ways lead across: between two floors of a house, not through a ramp.

use super::mesh::AreaIndex;
use super::terrain::Terrain;

/// More drawings than this show nothing.
const MOST: usize = 6;
/// A cut must part at least this share of the areas from something above or below them.
const WORTH: f32 = 0.03;
/// A way that is cut spoils a drawing as much as this many hidden areas.
const PRICE: f32 = 0.5;

/// A range of heights, and the areas whose middle is in it.
pub(super) struct Storey {
    pub low: f32,
    pub high: f32,
    pub areas: Vec<AreaIndex>,
}

/// The storeys of a map, lowest first.
pub(super) fn storeys(terrain: &Terrain) -> Vec<Storey> {
    let mut order: Vec<AreaIndex> = (0..terrain.areas() as AreaIndex).collect();
    let height = |area: AreaIndex| terrain.center(area)[2];
    order.sort_by(|a, b| height(*a).total_cmp(&height(*b)).then(a.cmp(b)));
    let mut bands = vec![order];
    while bands.len() < MOST {
        let cuts = bands.iter().map(|band| cut(terrain, band)).enumerate();
        let best = cuts.filter_map(|(band, cut)| cut.map(|(gain, at)| (gain, band, at)));
        let Some((_, band, at)) = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)))
        else {
            break;
        };
        let upper = bands[band].split_off(at);
        bands.insert(band + 1, upper);
    }
    let storey = |areas: Vec<AreaIndex>| Storey {
        low: areas.first().map_or(0.0, |area| height(*area)),
        high: areas.last().map_or(0.0, |area| height(*area)),
        areas,
    };
    bands.into_iter().map(storey).collect()
}

/// The best place to cut a band that is sorted by height, and what it gains.
fn cut(terrain: &Terrain, band: &[AreaIndex]) -> Option<(f32, usize)> {
    let mut rank = vec![None; terrain.areas()];
    for (at, area) in band.iter().enumerate() {
        rank[usize::from(*area)] = Some(at);
    }
    // Every pair gains or costs at all the cuts between its two ranks: mark both ends, then sum up.
    let mut marks = vec![0.0_f32; band.len() + 1];
    let mut mark = |a: usize, b: usize, gain: f32| {
        marks[a.min(b) + 1] += gain;
        marks[a.max(b) + 1] -= gain;
    };
    for (at, area) in band.iter().enumerate() {
        // Each area counts once, however many lie above it.
        let above = (at + 1..band.len()).find(|other| covers(terrain, *area, band[*other]));
        if let Some(above) = above {
            mark(at, above, 1.0);
        }
        for link in terrain.links(*area) {
            if let Some(other) = rank[usize::from(link.to)] {
                mark(at, other, -PRICE);
            }
        }
    }
    let mut best: Option<(f32, usize)> = None;
    let mut sum = 0.0;
    for at in 1..band.len() {
        sum += marks[at];
        let level = terrain.center(band[at - 1])[2] == terrain.center(band[at])[2];
        if !level && best.is_none_or(|(most, _)| sum > most) {
            best = Some((sum, at));
        }
    }
    best.filter(|(gain, _)| *gain > WORTH * terrain.areas() as f32)
}

/// Whether one area hides a good part of another, seen from above.
fn covers(terrain: &Terrain, a: AreaIndex, b: AreaIndex) -> bool {
    let ([ax0, ay0, ax1, ay1], [bx0, by0, bx1, by1]) = (terrain.bounds(a), terrain.bounds(b));
    ax1.min(bx1) - ax0.max(bx0) > 8.0 && ay1.min(by1) - ay0.max(by0) > 8.0
}

#[cfg(test)]
mod tests {
    use super::super::{Area, Hint, Mesh};
    use super::*;

    #[test]
    fn two_floors_are_two_storeys_and_one_is_one() {
        let mut mesh = Mesh::empty();
        for index in 0..20_u32 {
            let (x, z) = ((index % 10) as f32 * 50.0, (index / 10) as f32 * 128.0);
            mesh.areas.push(Area::plain(index + 1, [x, 0.0, z], [x + 50.0, 50.0, z]));
        }
        let terrain = Terrain::new(&mesh, &Hint::default()).expect("a good mesh");
        let found = storeys(&terrain);
        assert_eq!(found.iter().map(|s| s.areas.len()).collect::<Vec<_>>(), [10, 10]);
        mesh.areas.truncate(10);
        let terrain = Terrain::new(&mesh, &Hint::default()).expect("a good mesh");
        assert_eq!(storeys(&terrain).len(), 1);
    }
}
