//! A chart as SVG, written by ourselves: a frame, round marks, bands, curves, a legend. Light, because paper is.

use std::fmt::Write;

use super::axis::{Scale, unit_of, unit_of_time};
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
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What the legend calls it.
    pub label: String,
    /// `[points]`, ascending.
    pub points: Vec<Point>,
    /// Has it a band?
    pub banded: bool,
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
const COLOURS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES: [&str; 3] = ["", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 3\""];
const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
/// How wide a letter is, about, at the size of the labels: an SVG does not know the letters of its reader.
const LETTER: f64 = 7.0;
/// The height of a line of the legend.
const LEGEND: f64 = 19.0;

impl Figure {
    /// The chart.
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let bounds = |values: &mut dyn Iterator<Item = f64>| {
            let finite = values.filter(|v| v.is_finite());
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
        };
        let (x_low, x_high) = bounds(&mut points().map(|p| p.x));
        let (y_low, y_high) = bounds(&mut points().flat_map(|p| [p.low, p.high, p.mean]));
        let legend_rows = self.legend_rows();
        let top = if self.title.is_some() { 44.0 } else { 18.0 } + LEGEND * legend_rows as f64;
        let (right, bottom) = (22.0, 58.0);
        let y = Scale::over(y_low, y_high, ((self.height - top - bottom) / 55.0) as usize, true);
        let y_labels: Vec<String> = y.ticks().iter().map(|&tick| y.label(tick, 1.0)).collect();
        let widest = y_labels.iter().map(|label| label.chars().count()).max().unwrap_or(1);
        let left = 44.0 + LETTER * widest as f64;
        let begin =
            if x_low.is_finite() && x_low >= 0.0 && x_low < 0.2 * x_high { 0.0 } else { x_low };
        let x = Scale::over(begin, x_high, ((self.width - left - right) / 95.0) as usize, false);
        let (unit, word) = match self.axis {
            Axis::Time => unit_of_time(x.high),
            Axis::Steps | Axis::Matches => unit_of(x.high),
        };
        let (wide, high) = (self.width - left - right, self.height - top - bottom);
        let px = |value: f64| left + wide * x.place(value);
        let py = |value: f64| top + high * (1.0 - y.place(value));
        let mut out = String::new();
        let (width, height) = (self.width, self.height);
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" font-size=\"13\" fill=\"#222\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
        );
        if let Some(title) = &self.title {
            let (middle, title) = (left + wide / 2.0, escaped(title));
            let _ = writeln!(
                out,
                "<text x=\"{middle:.1}\" y=\"26\" font-size=\"16\" font-weight=\"bold\" text-anchor=\"middle\">{title}</text>"
            );
        }
        for (tick, label) in y.ticks().iter().zip(&y_labels) {
            let (at, end, before) = (py(*tick), left + wide, left - 8.0);
            let _ = write!(
                out,
                "<path d=\"M{left:.1} {at:.1}H{end:.1}\" stroke=\"#e4e4e4\"/>\n\
                 <text x=\"{before:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
                at + 4.5
            );
        }
        let base = top + high;
        for tick in x.ticks() {
            let (at, label) = (px(tick), x.label(tick, unit));
            let _ = write!(
                out,
                "<path d=\"M{at:.1} {base:.1}v5\" stroke=\"#222\"/>\n\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
                base + 20.0
            );
        }
        for (i, line) in self.lines.iter().enumerate().filter(|(_, line)| line.banded) {
            let colour = COLOURS[i % COLOURS.len()];
            let _ = writeln!(
                out,
                "<path d=\"{}\" fill=\"{colour}\" fill-opacity=\"0.18\"/>",
                band(&line.points, px, py)
            );
        }
        for (i, line) in self.lines.iter().enumerate() {
            let (colour, dash) = style(i);
            let _ = writeln!(
                out,
                "<path d=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{dash}/>",
                path(&line.points, px, py)
            );
        }
        let _ = writeln!(
            out,
            "<path d=\"M{left:.1} {top:.1}V{base:.1}H{:.1}\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.2\"/>",
            left + wide
        );
        let of = match (self.axis, word) {
            (Axis::Steps, "") => "Steps".to_owned(),
            (Axis::Steps, word) => format!("Steps ({word})"),
            (Axis::Matches, "") => "Matches".to_owned(),
            (Axis::Matches, word) => format!("Matches ({word})"),
            (Axis::Time, word) => format!("Training time ({word})"),
        };
        let (middle, under) = (left + wide / 2.0, height - 14.0);
        let (beside, label) = (top + high / 2.0, escaped(&self.y_label));
        let _ = write!(
            out,
            "<text x=\"{middle:.1}\" y=\"{under:.1}\" font-size=\"14\" text-anchor=\"middle\">{of}</text>\n\
             <text transform=\"translate(18 {beside:.1}) rotate(-90)\" font-size=\"14\" text-anchor=\"middle\">{label}</text>\n"
        );
        self.legend(&mut out, left, top - LEGEND * legend_rows as f64);
        out.push_str("</svg>\n");
        out
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
        let room = self.width - 120.0;
        let (mut at, mut row, mut places) = (0.0, 0, Vec::new());
        for line in &self.lines {
            let wide = 46.0 + LETTER * line.label.chars().count() as f64;
            if at > 0.0 && at + wide > room {
                (at, row) = (0.0, row + 1);
            }
            places.push((at, row));
            at += wide;
        }
        places
    }

    fn legend(&self, out: &mut String, left: f64, top: f64) {
        if self.legend_rows() == 0 {
            return;
        }
        for (i, (line, (at, row))) in self.lines.iter().zip(self.placed()).enumerate() {
            let (colour, dash) = style(i);
            let (x, y) = (left + at, top + LEGEND * row as f64 + 2.0);
            let label = escaped(&line.label);
            let _ = write!(
                out,
                "<path d=\"M{x:.1} {y:.1}h24\" stroke=\"{colour}\" stroke-width=\"2.4\"{dash}/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\">{label}</text>\n",
                x + 30.0,
                y + 4.5
            );
        }
    }
}

fn style(i: usize) -> (&'static str, &'static str) {
    (COLOURS[i % COLOURS.len()], DASHES[i / COLOURS.len() % DASHES.len()])
}

fn path(points: &[Point], px: impl Fn(f64) -> f64, py: impl Fn(f64) -> f64) -> String {
    let (mut out, mut down) = (String::new(), false);
    for point in points {
        if !(point.x.is_finite() && point.mean.is_finite()) {
            down = false; // a hole
            continue;
        }
        let _ =
            write!(out, "{}{:.2} {:.2}", if down { 'L' } else { 'M' }, px(point.x), py(point.mean));
        down = true;
    }
    out
}

fn band(points: &[Point], px: impl Fn(f64) -> f64, py: impl Fn(f64) -> f64) -> String {
    let known = || points.iter().filter(|p| p.low.is_finite() && p.high.is_finite());
    let mut out = String::new();
    for (i, p) in known().enumerate() {
        let _ = write!(out, "{}{:.2} {:.2}", if i == 0 { 'M' } else { 'L' }, px(p.x), py(p.high));
    }
    for p in known().collect::<Vec<_>>().into_iter().rev() {
        let _ = write!(out, "L{:.2} {:.2}", px(p.x), py(p.low));
    }
    if !out.is_empty() {
        out.push('Z');
    }
    out
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
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
        assert_eq!(svg.matches("fill-opacity").count(), 1, "one has a band");
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
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
    }
}
