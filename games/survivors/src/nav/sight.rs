//! Which area sees which.
//!
//! The file has a list for each area; an area may instead change the list of another, one level deep:
//! its own entries add or, with attribute 0, take away. Two things make the answer of [`Sight`] more than
//! the lists:
//!
//! - It is symmetric: a sees b if either lists the other. The game leaves the lists of areas with
//!   `IGNORE_VISIBILITY` empty though others list them (c1m1: 169 of 171 empty lists), and who can be seen
//!   can see.
//! - An area sees itself, and areas that one walks between see each other: there is no wall between.
//!
//! `IGNORE_VISIBILITY` itself changes nothing here: it says where infected may appear, not what is seen.

use std::collections::BTreeMap;

use super::links::{Links, Way};
use super::mesh::{AreaIndex, Mesh};

/// Up to this many areas a matrix of bits answers (32 MB); above it the lists are searched.
const MATRIX_AREAS: usize = 16_384;

pub(super) struct Sight {
    matrix: Vec<u64>,
    words_a_row: usize,
    lists: Option<Lists>,
    pub notes: Vec<String>,
}

impl Sight {
    pub fn new(mesh: &Mesh, links: &Links) -> Self {
        let (lists, lost) = Lists::new(mesh, links);
        let areas = mesh.areas.len();
        let mut notes = Vec::new();
        if lost > 0 {
            notes.push(format!("{lost} entries of visibility name no area and are passed over"));
        }
        if areas > MATRIX_AREAS {
            return Self { matrix: Vec::new(), words_a_row: 0, lists: Some(lists), notes };
        }
        let words_a_row = areas.div_ceil(64);
        let mut sight =
            Self { matrix: vec![0; areas * words_a_row], words_a_row, lists: None, notes };
        for area in 0..areas {
            lists.fill(area, &mut sight.matrix[area * words_a_row..(area + 1) * words_a_row]);
        }
        for area in 0..areas {
            sight.set(area, area);
            for other in 0..area {
                if sight.bit(area, other) || sight.bit(other, area) {
                    sight.set(area, other);
                    sight.set(other, area);
                }
            }
        }
        sight
    }

    pub fn sees(&self, a: AreaIndex, b: AreaIndex) -> bool {
        let (a, b) = (usize::from(a), usize::from(b));
        match &self.lists {
            None => self.bit(a, b),
            Some(lists) => a == b || lists.has(a, b) || lists.has(b, a),
        }
    }

    fn bit(&self, a: usize, b: usize) -> bool {
        self.matrix[a * self.words_a_row + b / 64] >> (b % 64) & 1 == 1
    }

    fn set(&mut self, a: usize, b: usize) {
        self.matrix[a * self.words_a_row + b / 64] |= 1 << (b % 64);
    }
}

/// The lists as the file has them, sorted, and beside them the areas that one walks to.
struct Lists {
    own: Vec<Vec<(AreaIndex, bool)>>,
    parent: Vec<Option<AreaIndex>>,
    beside: Vec<Vec<AreaIndex>>,
}

impl Lists {
    fn new(mesh: &Mesh, links: &Links) -> (Self, usize) {
        let mut by_id = BTreeMap::new();
        for (index, area) in mesh.areas.iter().enumerate() {
            by_id.entry(area.id).or_insert(index as AreaIndex);
        }
        let mut lost = 0;
        let mut out = Self { own: Vec::new(), parent: Vec::new(), beside: Vec::new() };
        for (index, area) in mesh.areas.iter().enumerate() {
            let mut own = BTreeMap::new();
            for seen in &area.visible {
                if (seen.area as usize) < mesh.areas.len() {
                    own.insert(seen.area as AreaIndex, seen.attributes != 0);
                } else {
                    lost += 1;
                }
            }
            let walks = links.of(index as AreaIndex).iter().filter(|link| link.way == Way::Walk);
            out.beside.push(walks.map(|link| link.to).collect());
            out.own.push(own.into_iter().collect());
            let parent = (area.inherits != 0).then(|| by_id.get(&area.inherits).copied());
            out.parent.push(parent.flatten().filter(|parent| usize::from(*parent) != index));
        }
        (out, lost)
    }

    /// Sets the bits of what an area sees, without the symmetry.
    fn fill(&self, area: usize, row: &mut [u64]) {
        let parent = self.parent[area].map_or(&[][..], |parent| &self.own[usize::from(parent)]);
        for (seen, visible) in parent.iter().chain(&self.own[area]) {
            let (word, bit) = (usize::from(*seen) / 64, 1 << (seen % 64));
            row[word] = if *visible { row[word] | bit } else { row[word] & !bit };
        }
        for area in &self.beside[area] {
            row[usize::from(*area) / 64] |= 1 << (area % 64);
        }
    }

    fn has(&self, a: usize, b: usize) -> bool {
        let entry = |list: &[(AreaIndex, bool)]| {
            let found = list.binary_search_by_key(&b, |(area, _)| usize::from(*area)).ok()?;
            Some(list[found].1)
        };
        let inherited = || entry(&self.own[usize::from(self.parent[a]?)]);
        let walked = self.beside[a].iter().any(|area| usize::from(*area) == b);
        walked || entry(&self.own[a]).or_else(inherited).unwrap_or(false)
    }
}
