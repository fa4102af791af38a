//! What a chart consists of, before anybody writes it: lines, areas and texts in pixels.

/// Where a text stands about its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// It begins there.
    Start,
    /// It is centred there.
    Middle,
    /// It ends there.
    End,
}

/// `[red, green, blue]`
pub type Colour = [u8; 3];

/// A part of a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Lines, each from point to point.
    Lines {
        /// `[lines][points]`
        lines: Vec<Vec<(f64, f64)>>,
        /// Of what colour.
        colour: Colour,
        /// How wide, in pixels.
        width: f64,
        /// Lengths of dashes and of what is between; a whole line without any.
        dash: &'static [f64],
    },
    /// An area.
    Area {
        /// Its corners.
        corners: Vec<(f64, f64)>,
        /// Of what colour.
        colour: Colour,
        /// From 0, nothing, to 1.
        opacity: f64,
    },
    /// A text.
    Text {
        /// What it says.
        text: String,
        /// Where its base line is, to the right.
        x: f64,
        /// And down.
        y: f64,
        /// How large, in pixels.
        size: f64,
        /// How it stands there.
        anchor: Anchor,
        /// From below to above, instead of from left to right.
        upright: bool,
        /// Are its letters bold?
        bold: bool,
    },
}

/// A chart in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
    /// What is in it, one over the other.
    pub shapes: Vec<Shape>,
}

/// The colour of texts and of the frame.
pub const INK: Colour = [0x22; 3];
