//! Panels that share an axis of time, and what is drawn in them.

use std::fmt::Write;

use super::{Moment, Span};

/// The drawing's width, in pixels.
pub(super) const WIDTH: f32 = 1080.0;
/// Where the axis of time begins and ends.
const LEFT: f32 = 92.0;
const RIGHT: f32 = WIDTH - 28.0;
/// Steps between two marks of the axis that read well, in seconds.
const STEPS_SECS: [f32; 9] = [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0];
/// At most so many marks on the axis.
const MOST_MARKS: f32 = 14.0;
/// The shortest bar that is seen.
const LEAST_BAR: f32 = 1.5;

/// A strip of the drawing with its own scale from 0 upwards.
#[derive(Clone, Copy)]
pub(super) struct Panel {
    pub top: f32,
    pub height: f32,
    /// The value at its upper edge.
    pub most: f32,
    /// The match's length.
    pub secs: f32,
}

impl Panel {
    pub fn x(&self, secs: f32) -> f32 {
        LEFT + (RIGHT - LEFT) * (secs / self.secs).clamp(0.0, 1.0)
    }

    pub fn y(&self, value: f32) -> f32 {
        self.top + self.height * (1.0 - (value / self.most).clamp(0.0, 1.0))
    }

    fn bottom(&self) -> f32 {
        self.top + self.height
    }

    /// Lines across at these values, with their numbers.
    pub fn grid(&self, out: &mut String, name: &str, values: &[f32]) {
        for &value in values {
            let y = self.y(value);
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"number\" x=\"{:.1}\" y=\"{:.1}\">{value}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
        let middle = self.top + self.height / 2.0;
        let _ = write!(
            out,
            "<text class=\"axis\" transform=\"translate(22 {middle:.1}) rotate(-90)\">{name}</text>"
        );
    }

    /// A bar as high as the panel.
    pub fn band<T>(&self, out: &mut String, span: &Span<T>, class: &str) {
        self.bar(out, span, class, self.top, self.height);
    }

    /// A bar from `top` down, as long as a span.
    pub fn bar<T>(&self, out: &mut String, span: &Span<T>, class: &str, top: f32, height: f32) {
        let (from, to) = (self.x(span.from), self.x(span.to));
        let wide = (to - from).max(LEAST_BAR);
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" \
             height=\"{height:.1}\"/>"
        );
    }

    /// A line through the values of every moment.
    pub fn line(
        &self,
        out: &mut String,
        moments: &[Moment],
        class: &str,
        of: &dyn Fn(&Moment) -> f32,
    ) {
        let _ = write!(out, "<path class=\"{class}\" d=\"{}\"/>", self.steps(moments, of));
    }

    /// The same, filled down to 0.
    pub fn area(
        &self,
        out: &mut String,
        moments: &[Moment],
        class: &str,
        of: &dyn Fn(&Moment) -> f32,
    ) {
        let steps = self.steps(moments, of);
        let last = moments.last().map_or(0.0, |last| last.secs);
        let (bottom, from, to) = (self.bottom(), self.x(0.0), self.x(last));
        let _ = write!(
            out,
            "<path class=\"{class}\" d=\"{steps}V{bottom:.1}L{from:.1} {bottom:.1}Z\"/>\
             <path class=\"{class}-edge\" d=\"{steps}L{to:.1} {bottom:.1}\"/>"
        );
    }

    /// A path that holds each value until the next: where nothing changes there is no point.
    fn steps(&self, moments: &[Moment], of: &dyn Fn(&Moment) -> f32) -> String {
        let mut path = String::new();
        let mut before = f32::NAN;
        for moment in moments {
            let value = of(moment);
            if value == before {
                continue;
            }
            let (x, y) = (self.x(moment.secs), self.y(value));
            let _ = match path.is_empty() {
                true => write!(path, "M{x:.1} {y:.1}"),
                false => write!(path, "H{x:.1}V{y:.1}"),
            };
            before = value;
        }
        if let Some(last) = moments.last() {
            let _ = write!(path, "H{:.1}", self.x(last.secs));
        }
        path
    }

    /// The axis of time below this panel, and lines up to `top`.
    pub fn time(&self, out: &mut String, top: f32) {
        let fits = |step: &&f32| self.secs / **step <= MOST_MARKS;
        let step = STEPS_SECS.iter().find(fits).copied().unwrap_or(600.0);
        let bottom = self.bottom();
        for n in 0..=(self.secs / step) as u32 {
            let secs = n as f32 * step;
            let x = self.x(secs);
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{top:.1}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"second\" x=\"{x:.1}\" y=\"{:.1}\">{secs}</text>",
                bottom + 18.0
            );
        }
        let _ = write!(
            out,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\">seconds</text>",
            (LEFT + RIGHT) / 2.0,
            bottom + 38.0
        );
    }

    /// The name of a lane, left of it.
    pub fn lane(&self, out: &mut String, name: &str, middle: f32) {
        let _ = write!(
            out,
            "<text class=\"number\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            LEFT - 8.0,
            middle + 4.0
        );
    }
}
