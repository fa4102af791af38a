//! One description of a layout, read twice: for the numbers and for their names.

use rocketsim::Vec3A;

/// No number leaves these bounds, whatever the state holds; in play none comes near them.
pub const LIMIT: f32 = 5.0;

/// Takes a layout's numbers one after the other.
pub(super) trait Sink {
    /// What follows belongs to this thing, the `n`-th of its kind (from 1) if there are several.
    fn group(&mut self, name: &'static str, n: Option<usize>);
    /// One number.
    fn number(&mut self, name: &'static str, value: f32);
    /// Three numbers.
    fn vector(&mut self, name: &'static str, value: Vec3A);
    /// So many zeros: places nobody fills.
    fn nobody(&mut self, count: usize);

    /// 1 or 0.
    #[inline]
    fn flag(&mut self, name: &'static str, value: bool) {
        self.number(name, f32::from(u8::from(value)));
    }

    /// Eight controls.
    #[inline]
    fn controls(&mut self, values: [f32; 8]) {
        const CONTROLS: [&str; 8] =
            ["throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake"];
        for (name, value) in CONTROLS.into_iter().zip(values) {
            self.number(name, value);
        }
    }
}

/// Keeps the values.
pub(super) struct Numbers<'a> {
    out: &'a mut [f32],
    written: usize,
}

impl<'a> Numbers<'a> {
    /// Written from the front of `out` on.
    #[inline]
    pub(super) fn into(out: &'a mut [f32]) -> Self {
        Self { out, written: 0 }
    }
}

impl Sink for Numbers<'_> {
    #[inline]
    fn group(&mut self, _: &'static str, _: Option<usize>) {}

    #[inline]
    #[expect(clippy::manual_clamp, reason = "`clamp` lets NaN through, `max` does not")]
    fn number(&mut self, _: &'static str, value: f32) {
        self.out[self.written] = value.max(-LIMIT).min(LIMIT);
        self.written += 1;
    }

    #[inline]
    fn vector(&mut self, name: &'static str, value: Vec3A) {
        for value in value.to_array() {
            self.number(name, value);
        }
    }

    #[inline]
    fn nobody(&mut self, count: usize) {
        self.out[self.written..self.written + count].fill(0.0);
        self.written += count;
    }
}

/// Keeps the names.
#[derive(Default)]
pub(super) struct Names {
    group: String,
    /// Every name so far.
    pub(super) all: Vec<String>,
}

impl Sink for Names {
    fn group(&mut self, name: &'static str, n: Option<usize>) {
        self.group = n.map_or_else(|| name.to_owned(), |n| format!("{name}_{n}"));
    }

    fn number(&mut self, name: &'static str, _: f32) {
        self.all.push(format!("{}_{name}", self.group));
    }

    fn vector(&mut self, name: &'static str, _: Vec3A) {
        self.all.extend(["x", "y", "z"].map(|axis| format!("{}_{name}_{axis}", self.group)));
    }

    fn nobody(&mut self, _: usize) {
        unreachable!("names are taken from a field with every place filled");
    }
}
