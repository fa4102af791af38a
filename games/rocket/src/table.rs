//! The 90 actions: one row of controls each, in the order of RLGym's `LookupTableAction`, so that
//! policies and habits carry over.
//!
//! 24 rows are for the ground and vary throttle, steering, boost and handbrake; 66 are for the air
//! and vary pitch, yaw, roll, jump and boost. Every axis is at −1, 0 or +1. Some rows only make
//! sense in some situations: [`crate::legality`] says which.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use rocketsim::CarControls;

/// How many rows the table has.
pub const ROWS: usize = 90;
/// How many of them, from the first on, are for the ground.
pub const GROUND_ROWS: usize = 24;
/// The row that touches nothing.
pub const NEUTRAL: usize = 8;

/// The controls of one action.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// −1 backwards, +1 forwards.
    pub throttle: f32,
    /// Of the wheels: −1 left, +1 right.
    pub steer: f32,
    /// In the air: −1 nose down, +1 nose up.
    pub pitch: f32,
    /// In the air: −1 left, +1 right.
    pub yaw: f32,
    /// In the air: −1 left, +1 right.
    pub roll: f32,
    /// Jumps, double jumps or, with a direction, flips; acts when newly pressed.
    pub jump: bool,
    /// Burns boost.
    pub boost: bool,
    /// Lets the wheels slide.
    pub handbrake: bool,
}

/// The rows, in order.
pub fn table() -> &'static [Row; ROWS] {
    &TABLE
}

/// What each row is called, in order.
pub fn names() -> &'static [String; ROWS] {
    static NAMES: OnceLock<[String; ROWS]> = OnceLock::new();
    NAMES.get_or_init(|| std::array::from_fn(|row| TABLE[row].name()))
}

/// What the table can express, in a sentence.
pub fn coverage() -> String {
    let values = |axis: fn(&Row) -> f32| {
        let distinct: BTreeSet<i32> = TABLE.iter().map(|row| axis(row) as i32).collect();
        distinct.iter().map(|v| format!("{v:+}").replace("+0", "0")).collect::<Vec<_>>().join(" ")
    };
    let count = |of: fn(&Row) -> bool| TABLE.iter().filter(|row| of(row)).count();
    format!(
        "{ROWS} actions ({GROUND_ROWS} for the ground, {} for the air): steer {}, pitch {}, yaw {}, \
         roll {}; {} turn the wheels, {} turn the car in the air, {} jump, {} boost",
        ROWS - GROUND_ROWS,
        values(|r| r.steer),
        values(|r| r.pitch),
        values(|r| r.yaw),
        values(|r| r.roll),
        count(|r| r.steer != 0.0),
        count(|r| r.pitch != 0.0 || r.yaw != 0.0 || r.roll != 0.0),
        count(|r| r.jump),
        count(|r| r.boost),
    )
}

impl Row {
    /// The row as the engine takes it.
    pub const fn controls(&self) -> CarControls {
        CarControls {
            throttle: self.throttle,
            steer: self.steer,
            pitch: self.pitch,
            yaw: self.yaw,
            roll: self.roll,
            jump: self.jump,
            boost: self.boost,
            handbrake: self.handbrake,
        }
    }

    /// The eight controls in the order of the fields; pressed buttons are 1.
    pub const fn numbers(&self) -> [f32; 8] {
        self.controls().to_floats()
    }

    /// A name that no other row has: "boost left slide", "pitch-up roll-right jump".
    pub fn name(&self) -> String {
        let mut words = Vec::with_capacity(4);
        if self.pitch == 0.0 && self.roll == 0.0 && !self.jump {
            words.push(match self.throttle {
                _ if self.boost => "boost",
                t if t < 0.0 => "reverse",
                t if t > 0.0 => "drive",
                _ => "coast",
            });
            words.extend(side(self.steer, "left", "right"));
            words.extend(self.handbrake.then_some("slide"));
        } else {
            words.extend(side(self.pitch, "pitch-down", "pitch-up"));
            words.extend(side(self.yaw, "yaw-left", "yaw-right"));
            words.extend(side(self.roll, "roll-left", "roll-right"));
            words.extend(self.jump.then_some("jump"));
            words.extend(self.boost.then_some("boost"));
        }
        words.join(" ")
    }
}

impl From<Row> for CarControls {
    fn from(row: Row) -> Self {
        row.controls()
    }
}

fn side(axis: f32, negative: &'static str, positive: &'static str) -> Option<&'static str> {
    if axis == 0.0 { None } else { Some(if axis < 0.0 { negative } else { positive }) }
}

static TABLE: [Row; ROWS] = BUILT;
pub(crate) const BUILT: [Row; ROWS] = build();

/// Counts through the two families in the community's order. `for` does not exist in a `const fn`,
/// so each family counts through one number, its last digit turning fastest.
const fn build() -> [Row; ROWS] {
    let mut rows = [ground(0.0, 0.0, false, false); ROWS];
    let mut filled = 0;

    let mut n = 0;
    while n < 3 * 3 * 2 * 2 {
        let (throttle, steer) = (axis(n / 12), axis(n / 4 % 3));
        let (boost, handbrake) = (n / 2 % 2 == 1, n % 2 == 1);
        // Boost opens the throttle by itself: with another throttle it would say nothing new.
        if !boost || throttle == 1.0 {
            rows[filled] = ground(throttle, steer, boost, handbrake);
            filled += 1;
        }
        n += 1;
    }

    let mut n = 0;
    while n < 3 * 3 * 3 * 2 * 2 {
        let (pitch, yaw, roll) = (axis(n / 36), axis(n / 12 % 3), axis(n / 4 % 3));
        let (jump, boost) = (n / 2 % 2 == 1, n % 2 == 1);
        // A flip to the side is rolled, so yaw is not needed with a jump; and what neither
        // pitches nor rolls nor jumps is a row of the ground.
        let side_flip_by_yaw = jump && yaw != 0.0;
        let on_the_ground = pitch == 0.0 && roll == 0.0 && !jump;
        if !side_flip_by_yaw && !on_the_ground {
            rows[filled] = aerial(pitch, yaw, roll, jump, boost);
            filled += 1;
        }
        n += 1;
    }
    assert!(filled == ROWS);
    rows
}

/// The digits 0, 1, 2 as −1, 0, +1.
const fn axis(digit: usize) -> f32 {
    digit as f32 - 1.0
}

const fn ground(throttle: f32, steer: f32, boost: bool, handbrake: bool) -> Row {
    Row { throttle, steer, pitch: 0.0, yaw: steer, roll: 0.0, jump: false, boost, handbrake }
}

const fn aerial(pitch: f32, yaw: f32, roll: f32, jump: bool, boost: bool) -> Row {
    Row {
        throttle: if boost { 1.0 } else { 0.0 },
        steer: yaw,
        pitch,
        yaw,
        roll,
        jump,
        boost,
        // For wavedashes: a flip into the ground slides on instead of biting (RLGym's reason).
        handbrake: jump && (pitch != 0.0 || yaw != 0.0 || roll != 0.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_rlgym() {
        let fixture: serde_json::Value =
            serde_json::from_str(include_str!("../fixtures/rocket_lut.json")).unwrap();
        let rows: Vec<[f32; 8]> = serde_json::from_value(fixture["table"].clone()).unwrap();
        assert_eq!(rows.len(), ROWS);
        for (at, expected) in rows.iter().enumerate() {
            assert_eq!(&table()[at].numbers(), expected, "row {at}");
        }
    }

    #[test]
    fn controls_carry_the_row() {
        for row in table() {
            assert_eq!(CarControls::from_floats(row.numbers(), 0.5), (*row).into());
        }
        assert_eq!(table()[NEUTRAL].controls(), CarControls::DEFAULT);
    }

    #[test]
    fn the_ground_comes_first() {
        let for_the_ground = |row: &Row| row.pitch == 0.0 && row.roll == 0.0 && !row.jump;
        assert!(table()[..GROUND_ROWS].iter().all(for_the_ground));
        assert!(!table()[GROUND_ROWS..].iter().any(for_the_ground));
    }

    #[test]
    fn names_are_unique_and_readable() {
        let distinct: BTreeSet<&String> = names().iter().collect();
        assert_eq!(distinct.len(), ROWS);
        for (row, name) in [
            (1, "reverse left slide"),
            (8, "coast"),
            (16, "drive"),
            (14, "boost left"),
            (56, "jump"),
            (57, "jump boost"),
            (36, "pitch-down jump"),
            (89, "pitch-up yaw-right roll-right boost"),
        ] {
            assert_eq!(names()[row], name);
        }
    }

    #[test]
    fn coverage_counts_the_table() {
        assert_eq!(
            coverage(),
            "90 actions (24 for the ground, 66 for the air): steer -1 0 +1, pitch -1 0 +1, \
             yaw -1 0 +1, roll -1 0 +1; 48 turn the wheels, 80 turn the car in the air, 18 jump, \
             39 boost"
        );
    }
}
