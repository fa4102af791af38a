//! Which areas lie where: a uniform grid seen from above.
//!
//! Everybody who moves asks every tick what is under their feet, so this is the hottest question of all.
//! A cell lists the areas that reach into it, highest first: the first that fits is nearly always the
//! answer.

use super::mesh::{Area, AreaIndex, Mesh, Point};

/// The highest rise that is walked.
pub const STEP_UNITS: f32 = 18.0;
/// The side of a cell on ordinary maps: half an area, which is 50 to 67 units wide. facts/survivors.md §2.
const CELL_UNITS: f32 = 32.0;

/// Ground as it is asked for: bounds and corner heights side by side.
#[derive(Clone, Copy)]
struct Patch {
    bounds: [f32; 4],
    /// One over the width and the depth; zero where there is none.
    scale: [f32; 2],
    /// Heights at (least x, least y), (greatest, least), (least, greatest), (greatest, greatest).
    corners: [f32; 4],
}

/// What a cell keeps of an area, to pass over most of them without looking further.
#[derive(Clone, Copy, Default)]
struct Entry {
    bounds: [f32; 4],
    lowest: f32,
    highest: f32,
    area: AreaIndex,
}

impl Entry {
    fn new(patch: &Patch, area: AreaIndex) -> Self {
        let lowest = patch.corners.into_iter().fold(f32::INFINITY, f32::min);
        let highest = patch.corners.into_iter().fold(f32::NEG_INFINITY, f32::max);
        Self { bounds: patch.bounds, lowest, highest, area }
    }
}

impl Patch {
    fn new(area: &Area) -> Self {
        let (min_x, max_x) = (area.nw[0].min(area.se[0]), area.nw[0].max(area.se[0]));
        let (min_y, max_y) = (area.nw[1].min(area.se[1]), area.nw[1].max(area.se[1]));
        let corner = |x, y| area.height(x, y);
        let corners = [
            corner(min_x, min_y),
            corner(max_x, min_y),
            corner(min_x, max_y),
            corner(max_x, max_y),
        ];
        let scale = |width: f32| if width > 0.0 { 1.0 / width } else { 0.0 };
        Self {
            bounds: [min_x, min_y, max_x, max_y],
            scale: [scale(max_x - min_x), scale(max_y - min_y)],
            corners,
        }
    }

    fn height(&self, x: f32, y: f32) -> f32 {
        let east = ((x - self.bounds[0]) * self.scale[0]).clamp(0.0, 1.0);
        let south = ((y - self.bounds[1]) * self.scale[1]).clamp(0.0, 1.0);
        let [nw, ne, sw, se] = self.corners;
        let north_z = nw + (ne - nw) * east;
        let south_z = sw + (se - sw) * east;
        north_z + (south_z - north_z) * south
    }

    /// The point of the ground that is nearest looking from above, and its squared distance.
    fn squared_distance(&self, [x, y, z]: Point) -> f32 {
        let [min_x, min_y, max_x, max_y] = self.bounds;
        let (near_x, near_y) = (x.clamp(min_x, max_x), y.clamp(min_y, max_y));
        let [dx, dy, dz] = [x - near_x, y - near_y, z - self.height(near_x, near_y)];
        dx * dx + dy * dy + dz * dz
    }
}

fn within([min_x, min_y, max_x, max_y]: [f32; 4], x: f32, y: f32) -> bool {
    // Without short circuits: four comparisons are cheaper than a wrong guess.
    (x >= min_x) & (y >= min_y) & (x <= max_x) & (y <= max_y)
}

pub(super) struct Grid {
    patches: Vec<Patch>,
    low: [f32; 2],
    cell_units: f32,
    cells_a_unit: f32,
    columns: usize,
    rows: usize,
    /// Where the list of a cell begins; one more at the end.
    first: Vec<u32>,
    lists: Vec<Entry>,
}

impl Grid {
    /// The areas of a mesh have been found to be places, and there is at least one.
    pub fn new(mesh: &Mesh) -> Self {
        let patches: Vec<Patch> = mesh.areas.iter().map(Patch::new).collect();
        let mut low = [f32::INFINITY; 2];
        let mut high = [f32::NEG_INFINITY; 2];
        for patch in &patches {
            for axis in 0..2 {
                low[axis] = low[axis].min(patch.bounds[axis]);
                high[axis] = high[axis].max(patch.bounds[axis + 2]);
            }
        }
        let mut grid = Self {
            patches,
            low,
            cell_units: CELL_UNITS,
            cells_a_unit: 1.0 / CELL_UNITS,
            columns: 1,
            rows: 1,
            first: Vec::new(),
            lists: Vec::new(),
        };
        // A strange file could ask for a cell of every list of a huge and empty plain: coarser cells keep
        // the memory in proportion to the areas.
        loop {
            grid.columns = ((high[0] - low[0]) / grid.cell_units) as usize + 1;
            grid.rows = ((high[1] - low[1]) / grid.cell_units) as usize + 1;
            let areas = grid.patches.len();
            let cells = grid.columns * grid.rows;
            let entries: usize = grid.patches.iter().map(|patch| grid.span(patch).count()).sum();
            if cells <= 64 * areas + 4096 && entries <= 64 * areas + 4096 || cells == 1 {
                break;
            }
            grid.cell_units *= 2.0;
            grid.cells_a_unit *= 0.5;
        }
        grid.fill();
        grid
    }

    fn fill(&mut self) {
        let numbered = self.patches.iter().zip(0..);
        let mut order: Vec<Entry> = numbered.map(|(patch, area)| Entry::new(patch, area)).collect();
        order.sort_by(|a, b| b.highest.total_cmp(&a.highest).then(a.area.cmp(&b.area)));
        let mut counts = vec![0_u32; self.columns * self.rows + 1];
        for patch in &self.patches {
            for cell in self.span(patch) {
                counts[cell + 1] += 1;
            }
        }
        for cell in 1..counts.len() {
            counts[cell] += counts[cell - 1];
        }
        let mut lists = vec![Entry::default(); counts.last().map_or(0, |end| *end as usize)];
        let mut next = counts.clone();
        for entry in order {
            for cell in self.span(&self.patches[usize::from(entry.area)]) {
                lists[next[cell] as usize] = entry;
                next[cell] += 1;
            }
        }
        (self.first, self.lists) = (counts, lists);
    }

    /// The cells that a patch reaches into.
    fn span(&self, patch: &Patch) -> impl Iterator<Item = usize> + use<> {
        let [min_x, min_y, max_x, max_y] = patch.bounds;
        let (left, top) = self.cell(min_x, min_y);
        let (right, bottom) = self.cell(max_x, max_y);
        let columns = self.columns;
        (top..=bottom).flat_map(move |row| (left..=right).map(move |column| row * columns + column))
    }

    /// The cell of a point, or the nearest at the border. (A float becomes an integer by saturating.)
    fn cell(&self, x: f32, y: f32) -> (usize, usize) {
        let column = ((x - self.low[0]) * self.cells_a_unit) as usize;
        let row = ((y - self.low[1]) * self.cells_a_unit) as usize;
        (column.min(self.columns - 1), row.min(self.rows - 1))
    }

    fn list(&self, column: usize, row: usize) -> &[Entry] {
        let cell = row * self.columns + column;
        &self.lists[self.first[cell] as usize..self.first[cell + 1] as usize]
    }

    pub fn bounds(&self, area: AreaIndex) -> [f32; 4] {
        self.patches[usize::from(area)].bounds
    }

    pub fn contains(&self, area: AreaIndex, x: f32, y: f32) -> bool {
        within(self.patches[usize::from(area)].bounds, x, y)
    }

    pub fn height(&self, area: AreaIndex, x: f32, y: f32) -> f32 {
        self.patches[usize::from(area)].height(x, y)
    }

    pub fn area_under(&self, [x, y, z]: Point) -> Option<AreaIndex> {
        let (column, row) = self.cell(x, y);
        let reach = z + STEP_UNITS;
        let mut best: Option<(f32, AreaIndex)> = None;
        for entry in self.list(column, row) {
            if best.is_some_and(|(height, _)| entry.highest < height) {
                break;
            }
            if entry.lowest > reach || !within(entry.bounds, x, y) {
                continue;
            }
            let height = self.patches[usize::from(entry.area)].height(x, y);
            let better = best
                .is_none_or(|(most, first)| height > most || height == most && entry.area < first);
            if better && height <= reach {
                best = Some((height, entry.area));
            }
        }
        best.map(|(_, area)| area)
    }

    pub fn nearest(&self, p: Point) -> AreaIndex {
        let (column, row) = self.cell(p[0], p[1]);
        let mut best = (f32::INFINITY, 0);
        for ring in 0..self.columns.max(self.rows) {
            // Cells of this ring are at least ring − 1 whole cells away, wherever in its cell the point is.
            let away = (ring as f32 - 1.0).max(0.0) * self.cell_units;
            if away * away > best.0 {
                break;
            }
            self.ring(column, row, ring, |area| {
                let squared = self.patches[usize::from(area)].squared_distance(p);
                if squared < best.0 || squared == best.0 && area < best.1 {
                    best = (squared, area);
                }
            });
        }
        best.1
    }

    /// Calls for the areas of all cells that are `ring` away, in the larger of columns and rows.
    fn ring(&self, column: usize, row: usize, ring: usize, mut call: impl FnMut(AreaIndex)) {
        let (left, right) = (column.saturating_sub(ring), (column + ring).min(self.columns - 1));
        let (top, bottom) = (row.saturating_sub(ring), (row + ring).min(self.rows - 1));
        for at_row in top..=bottom {
            let whole = at_row.abs_diff(row) == ring;
            for at_column in left..=right {
                if whole || at_column.abs_diff(column) == ring {
                    self.list(at_column, at_row).iter().for_each(|entry| call(entry.area));
                }
            }
        }
    }
}
