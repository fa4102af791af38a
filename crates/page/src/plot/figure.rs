//! A chart: a frame, round marks, bands, curves, a legend. Light, because paper is.

use super::axis::{Scale, unit_of, unit_of_time};
use super::drawing::{Anchor, Colour, Drawing, INK, Shape};
use super::letters;
use crate::columns::Axis;

/// A point of a curve, and where it may lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// On the x axis.
    pub x: f64,
    /// The curve.
    pub mean: f64,
    /// The lower end of the band.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A curve.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Line {
    /// What the legend calls it.
    pub label: String,
    /// `[points]`, ascending.
    pub points: Vec<Point>,
    /// Has it a band?
    pub banded: bool,
    /// What single runs of it have beyond what all have; drawn thin.
    pub rest: Vec<Vec<Point>>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Above it; none in a paper, which has a caption.
    pub title: Option<String>,
    /// What the x axis shows.
    pub axis: Axis,
    /// What the y axis shows.
    pub y_label: String,
    /// Its curves.
    pub lines: Vec<Line>,
    /// In pixels of 1/96 inch.
    pub width: f64,
    /// Likewise.
    pub height: f64,
}

/// Colours that also the colour-blind tell apart (Okabe and Ito 2008), with a dash for those that come again.
const COLOURS: [Colour; 7] = [
    [0x00, 0x72, 0xb2],
    [0xd5, 0x5e, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0xe6, 0x9f, 0x00],
    [0x56, 0xb4, 0xe9],
    [0x00, 0x00, 0x00],
];
const DASHES: [&[f64]; 3] = [&[], &[7.0, 4.0], &[2.0, 3.0]];
/// Lines behind the curves.
const GRID: Colour = [0xe4; 3];
/// The size of labels, in pixels.
const LABEL: f64 = 13.0;
/// The size of what stands beside the axes.
const AXIS: f64 = 14.0;
/// The size of the title.
const TITLE: f64 = 16.0;
/// The height of a line of the legend.
const LEGEND: f64 = 19.0;

/// Where the curves are, in pixels.
struct Frame {
    left: f64,
    top: f64,
    wide: f64,
    high: f64,
    /// In units of the axis, so that its marks are round in them.
    x: Scale,
    y: Scale,
    /// What a number of the x axis is divided by, and the word for it.
    unit: (f64, &'static str),
}

impl Frame {
    fn px(&self, value: f64) -> f64 {
        self.left + self.wide * self.x.place(value / self.unit.0)
    }

    fn py(&self, value: f64) -> f64 {
        self.top + self.high * (1.0 - self.y.place(value))
    }

    fn base(&self) -> f64 {
        self.top + self.high
    }
}

impl Figure {
    /// The chart as SVG.
    pub fn svg(&self) -> String {
        self.drawing().svg()
    }

    /// The chart as PNG, with so many pixels for each of the figure's. None if that is more than a picture may have.
    pub fn png(&self, scale: f64) -> Option<Vec<u8>> {
        self.drawing().png(scale)
    }

    /// The chart in lines, areas and texts.
    pub fn drawing(&self) -> Drawing {
        let frame = self.frame();
        let mut shapes = Vec::new();
        if let Some(title) = &self.title {
            let text = text(title, frame.left + frame.wide / 2.0, 26.0, Anchor::Middle);
            shapes.push(sized(text, TITLE, true));
        }
        self.axes(&frame, &mut shapes);
        for (i, line) in self.lines.iter().enumerate().filter(|(_, line)| line.banded) {
            let colour = COLOURS[i % COLOURS.len()];
            shapes.push(Shape::Area { corners: band(&line.points, &frame), colour, opacity: 0.18 });
        }
        for (i, line) in self.lines.iter().enumerate() {
            let (colour, dash) = style(i);
            let lines: Vec<_> = line.rest.iter().flat_map(|rest| path(rest, &frame)).collect();
            if !lines.is_empty() {
                shapes.push(Shape::Lines { lines, colour, width: 0.8, dash });
            }
            let lines = path(&line.points, &frame);
            shapes.push(Shape::Lines { lines, colour, width: 1.8, dash });
        }
        let (left, base) = (frame.left, frame.base());
        let border = vec![vec![(left, frame.top), (left, base), (left + frame.wide, base)]];
        shapes.push(Shape::Lines { lines: border, colour: INK, width: 1.2, dash: &[] });
        self.legend(&frame, &mut shapes);
        Drawing { width: self.width, height: self.height, shapes }
    }

    /// Where the curves go: what is left when everything around them has its room.
    fn frame(&self) -> Frame {
        let points = || {
            self.lines.iter().flat_map(|line| line.points.iter().chain(line.rest.iter().flatten()))
        };
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            let finite = values.filter(|v| v.is_finite());
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
        };
        let (x_low, x_high) = bounds(&mut points().map(|p| p.x));
        let means = bounds(&mut points().map(|p| p.mean));
        let bands = bounds(&mut points().flat_map(|p| [p.low, p.high]));
        let (y_low, y_high) = with_bands(means, bands);
        let legend = LEGEND * self.legend_rows() as f64;
        let top = if self.title.is_some() { 44.0 } else { 18.0 } + legend;
        let (right, bottom) = (22.0, 58.0);
        let high = self.height - top - bottom;
        let y = Scale::over(y_low, y_high, (high / 55.0) as usize, true);
        let widest = y.ticks().into_iter().map(|tick| letters::width(&y.label(tick), LABEL));
        let left = 44.0 + widest.fold(7.0, f64::max);
        let begin =
            if x_low.is_finite() && x_low >= 0.0 && x_low < 0.2 * x_high { 0.0 } else { x_low };
        let wide = self.width - left - right;
        let unit = match self.axis {
            Axis::Time => unit_of_time(x_high),
            Axis::Steps | Axis::Matches => unit_of(x_high),
        };
        let marks = (wide / 80.0) as usize;
        let x = Scale::over(begin / unit.0, x_high / unit.0, marks, false);
        Frame { left, top, wide, high, x, y, unit }
    }

    fn axes(&self, frame: &Frame, shapes: &mut Vec<Shape>) {
        let (left, end, base) = (frame.left, frame.left + frame.wide, frame.base());
        for tick in frame.y.ticks() {
            let at = frame.py(tick);
            let lines = vec![vec![(left, at), (end, at)]];
            shapes.push(Shape::Lines { lines, colour: GRID, width: 1.0, dash: &[] });
            let label = frame.y.label(tick);
            shapes.push(text(&label, left - 8.0, at + 4.5, Anchor::End));
        }
        for tick in frame.x.ticks() {
            let at = left + frame.wide * frame.x.place(tick);
            let lines = vec![vec![(at, base), (at, base + 5.0)]];
            shapes.push(Shape::Lines { lines, colour: INK, width: 1.0, dash: &[] });
            shapes.push(text(&frame.x.label(tick), at, base + 20.0, Anchor::Middle));
        }
        let of = match (self.axis, frame.unit.1) {
            (Axis::Steps, "") => "Steps".to_owned(),
            (Axis::Steps, word) => format!("Steps ({word})"),
            (Axis::Matches, "") => "Matches".to_owned(),
            (Axis::Matches, word) => format!("Matches ({word})"),
            (Axis::Time, word) => format!("Training time ({word})"),
        };
        let below = text(&of, left + frame.wide / 2.0, self.height - 14.0, Anchor::Middle);
        shapes.push(sized(below, AXIS, false));
        shapes.push(Shape::Text {
            text: self.y_label.clone(),
            x: 18.0,
            y: frame.top + frame.high / 2.0,
            size: AXIS,
            anchor: Anchor::Middle,
            upright: true,
            bold: false,
        });
    }

    /// Lines of the legend: one alone needs none if there is a title.
    fn legend_rows(&self) -> usize {
        if self.lines.len() == 1 && self.title.is_some() {
            return 0;
        }
        self.placed().last().map_or(0, |(_, row)| row + 1)
    }

    /// Where each name of the legend begins, and in which of its lines.
    fn placed(&self) -> Vec<(f64, usize)> {
        let room = self.legend_room();
        let (mut at, mut row, mut places) = (0.0, 0, Vec::new());
        for line in &self.lines {
            let wide = 52.0 + letters::width(&self.shortened(line), LABEL);
            if at > 0.0 && at + wide > room {
                (at, row) = (0.0, row + 1);
            }
            places.push((at, row));
            at += wide;
        }
        places
    }

    /// How wide the legend may be, in pixels.
    fn legend_room(&self) -> f64 {
        self.width - 90.0
    }

    /// What the legend calls a curve, in one line.
    fn shortened(&self, line: &Line) -> String {
        letters::fitted(&line.label, LABEL, self.legend_room() - 52.0)
    }

    fn legend(&self, frame: &Frame, shapes: &mut Vec<Shape>) {
        let rows = self.legend_rows();
        if rows == 0 {
            return;
        }
        let top = frame.top - LEGEND * rows as f64;
        for (i, (line, (at, row))) in self.lines.iter().zip(self.placed()).enumerate() {
            let (colour, dash) = style(i);
            let (x, y) = (frame.left + at, top + LEGEND * row as f64 + 2.0);
            let lines = vec![vec![(x, y), (x + 24.0, y)]];
            if line.banded {
                let (low, high) = (y - 5.0, y + 5.0);
                let corners = vec![(x, low), (x + 24.0, low), (x + 24.0, high), (x, high)];
                shapes.push(Shape::Area { corners, colour, opacity: 0.18 });
            }
            shapes.push(Shape::Lines { lines, colour, width: 2.4, dash });
            shapes.push(text(&self.shortened(line), x + 30.0, y + 4.5, Anchor::Start));
        }
    }
}

fn text(text: &str, x: f64, y: f64, anchor: Anchor) -> Shape {
    let (text, size) = (text.to_owned(), LABEL);
    Shape::Text { text, x, y, size, anchor, upright: false, bold: false }
}

fn sized(shape: Shape, of: f64, heavy: bool) -> Shape {
    match shape {
        Shape::Text { text, x, y, anchor, upright, .. } => {
            Shape::Text { text, x, y, size: of, anchor, upright, bold: heavy }
        }
        other => other,
    }
}

fn style(i: usize) -> (Colour, &'static [f64]) {
    (COLOURS[i % COLOURS.len()], DASHES[i / COLOURS.len() % DASHES.len()])
}

/// The lines of a curve: another one after every hole.
fn path(points: &[Point], frame: &Frame) -> Vec<Vec<(f64, f64)>> {
    let known = |p: &Point| p.x.is_finite() && p.mean.is_finite();
    let runs = points.split(|p| !known(p)).filter(|run| !run.is_empty());
    runs.map(|run| run.iter().map(|p| (frame.px(p.x), frame.py(p.mean))).collect()).collect()
}

/// The range of the y axis. Bands widen it by half of what the means take, no more: those of two seeds are six
/// times as wide as they would be with a third, and would press the curves flat.
fn with_bands(means: (f64, f64), bands: (f64, f64)) -> (f64, f64) {
    let most = 0.5 * (means.1 - means.0);
    match most > 0.0 {
        true => (bands.0.max(means.0 - most), bands.1.min(means.1 + most)),
        // All the same, or nothing at all.
        false => (bands.0.min(means.0), bands.1.max(means.1)),
    }
}

/// The corners of a band: along its upper end, and back along its lower, as far as there is room.
fn band(points: &[Point], frame: &Frame) -> Vec<(f64, f64)> {
    let known = || points.iter().filter(|p| p.low.is_finite() && p.high.is_finite());
    let py = |value: f64| frame.py(value).clamp(frame.top, frame.base());
    let above = known().map(|p| (frame.px(p.x), py(p.high)));
    let below: Vec<_> = known().map(|p| (frame.px(p.x), py(p.low))).collect();
    above.chain(below.into_iter().rev()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure() -> Figure {
        let point = |i: usize| {
            let (x, mean) = (i as f64 * 5e4, (i as f64 / 20.0).sin());
            Point { x, mean, low: mean - 0.1, high: mean + 0.1 }
        };
        let line = |label: &str, banded| Line {
            label: label.into(),
            points: (0..100).map(point).collect(),
            banded,
            rest: Vec::new(),
        };
        Figure {
            title: None,
            axis: Axis::Steps,
            y_label: "return <mean>".into(),
            lines: vec![line("a & b (3 seeds)", true), line("c", false)],
            width: 640.0,
            height: 400.0,
        }
    }

    #[test]
    fn a_chart_says_what_it_shows() {
        let svg = figure().svg();
        for part in [
            "Steps (millions)",
            "return &lt;mean&gt;",
            "a &amp; b (3 seeds)",
            ">c<",
            "fill-opacity",
            ">\u{2212}1.0<",
            ">4<",
        ] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        assert_eq!(svg.matches("fill-opacity").count(), 2, "one has a band, and so has its name");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }

    #[test]
    fn a_wide_band_does_not_press_the_curves_flat() {
        let mut wide = figure();
        wide.lines[0].points.iter_mut().for_each(|p| (p.low, p.high) = (p.mean - 90.0, 90.0));
        let svg = wide.svg();
        assert!(svg.contains(">2<") && !svg.contains(">50<"), "{svg}");
        let Shape::Area { corners, .. } =
            wide.drawing().shapes.into_iter().find(|s| matches!(s, Shape::Area { .. })).unwrap()
        else {
            unreachable!()
        };
        assert!(corners.iter().all(|(_, y)| (0.0..=wide.height).contains(y)));
    }

    #[test]
    fn long_names_stay_within_the_picture() {
        let mut long = figure();
        long.lines[0].label = "some.key=0.123456, ".repeat(30);
        for shape in long.drawing().shapes {
            if let Shape::Text { text, x, size, anchor: Anchor::Start, .. } = shape {
                assert!(x + letters::width(&text, size) <= long.width, "{text}");
                assert!(text.len() < 120, "{text}");
            }
        }
        assert!(long.svg().contains("…"));
    }

    #[test]
    fn marks_of_time_are_round_in_the_unit_that_is_shown() {
        let mut days = figure();
        days.axis = Axis::Time;
        let svg = days.svg();
        assert!(svg.contains("Training time (days)"), "{svg}");
        // 57 days: a mark every ten.
        for mark in [">0<", ">10<", ">50<"] {
            assert!(svg.contains(mark), "{mark}: {svg}");
        }
    }

    #[test]
    fn nothing_to_draw_is_drawn_as_nothing() {
        let mut empty = figure();
        empty.lines.clear();
        let svg = empty.svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let mut holes = figure();
        holes.lines[1].points[50].mean = f64::NAN;
        assert!(!holes.svg().contains("NaN"));
        for figure in [empty, holes] {
            assert!(figure.png(1.0).unwrap().starts_with(b"\x89PNG"));
        }
    }
}
