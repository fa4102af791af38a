//! How large a drawing is and where its panels lie.

use crate::nav::mesh::AreaIndex;
use crate::nav::terrain::Terrain;

/// The space around and between panels, in points of the drawing.
pub(super) const MARGIN: f32 = 24.0;
pub(super) const HEADER: f32 = 64.0;
pub(super) const FOOTER: f32 = 92.0;
pub(super) const CAPTION: f32 = 22.0;
/// How large the drawing of the panels may become.
pub(super) const WIDTH: f32 = 1500.0;
pub(super) const HEIGHT: f32 = 1100.0;

/// Where things are drawn.
pub(super) struct Frame {
    low: [f32; 2],
    /// Points of the drawing a unit of the map.
    pub scale: f32,
    columns: usize,
    /// How large marks are drawn: smaller on large maps.
    pub mark: f32,
    panel: (f32, f32),
    pub size: (f32, f32),
}

impl Frame {
    pub(super) fn new(terrain: &Terrain, panels: usize) -> Self {
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for area in 0..terrain.areas() as AreaIndex {
            let [x0, y0, x1, y1] = terrain.bounds(area);
            low = [low[0].min(x0), low[1].min(y0)];
            high = [high[0].max(x1), high[1].max(y1)];
        }
        let (wide, deep) = ((high[0] - low[0]).max(1.0), (high[1] - low[1]).max(1.0));
        // The number of columns that draws the map largest.
        let scale_of = |columns: usize| {
            let rows = panels.div_ceil(columns);
            let across = (WIDTH - MARGIN * (columns as f32 - 1.0)) / (wide * columns as f32);
            let down = (HEIGHT - (MARGIN + CAPTION) * rows as f32) / (deep * rows as f32);
            across.min(down)
        };
        let columns = (1..=panels)
            .max_by(|a, b| scale_of(*a).total_cmp(&scale_of(*b)).then(b.cmp(a)))
            .unwrap_or(1);
        let scale = scale_of(columns).max(1e-3);
        let panel = (wide * scale, deep * scale);
        let rows = panels.div_ceil(columns);
        let width = (panel.0 * columns as f32 + MARGIN * (columns as f32 + 1.0)).max(760.0);
        let height = HEADER + (panel.1 + CAPTION + MARGIN) * rows as f32 + FOOTER;
        let mark = (scale * 4.0).clamp(0.55, 1.0);
        Self { low, scale, columns, mark, panel, size: (width, height) }
    }

    pub(super) fn x(&self, x: f32) -> f32 {
        (x - self.low[0]) * self.scale
    }

    pub(super) fn y(&self, y: f32) -> f32 {
        (y - self.low[1]) * self.scale
    }

    /// The corner of a panel.
    pub(super) fn corner(&self, number: usize) -> (f32, f32) {
        let (column, row) = (number % self.columns, number / self.columns);
        (
            MARGIN + column as f32 * (self.panel.0 + MARGIN),
            HEADER + CAPTION + row as f32 * (self.panel.1 + CAPTION + MARGIN),
        )
    }
}
