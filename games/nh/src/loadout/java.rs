//! The arithmetic of `java.util.Random` and `String.hashCode`, which the recorded server draws
//! loadouts with. Both are specified to the bit, so a recorded episode id names one loadout.

/// A linear congruential generator of 48 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(u64);

const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const MASK: u64 = (1 << 48) - 1;

impl Random {
    /// The generator of this seed.
    pub const fn new(seed: i64) -> Self {
        Self((seed as u64 ^ MULTIPLIER) & MASK)
    }

    /// The generator of a text: seeded with its hash.
    pub fn of(text: &str) -> Self {
        Self::new(i64::from(string_hash(text)))
    }

    /// The next 31 bits.
    pub const fn next31(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(0xB) & MASK;
        (self.0 >> 17) as u32
    }

    /// A number below `bound`; below 1 if `bound` is 0. One draw, or more where the last, incomplete
    /// run of the 2³¹ values would favour small numbers.
    pub const fn next_int(&mut self, bound: u16) -> u16 {
        let bound = if bound == 0 { 1 } else { bound as u32 };
        if bound.is_power_of_two() {
            // The high bits: the low ones of such a generator repeat soon.
            return ((bound as u64 * self.next31() as u64) >> 31) as u16;
        }
        loop {
            let bits = self.next31();
            let number = bits % bound;
            if bits - number + (bound - 1) < 1 << 31 {
                return number as u16;
            }
        }
    }
}

/// The hash of a text: over its UTF-16 units, base 31, wrapping.
pub fn string_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_java() {
        assert_eq!(string_hash(""), 0);
        assert_eq!(string_hash("a"), 97);
        assert_eq!(string_hash("hello"), 99_162_322);
        // A known collision, and the one text whose hash has no absolute value.
        assert_eq!(string_hash("Aa"), string_hash("BB"));
        assert_eq!(string_hash("polygenelubricants"), i32::MIN);
        // Outside the basic plane: two units.
        assert_eq!(string_hash("\u{1F600}"), 0xD83D * 31 + 0xDE00);
    }

    #[test]
    fn draws_are_those_of_java() {
        // The first two nextInt() of seed 42 are -1170105035 and 234785527: their upper 31 bits.
        let mut random = Random::new(42);
        assert_eq!(random.next31(), (-1_170_105_035_i32 as u32) >> 1);
        assert_eq!(random.next31(), 234_785_527 >> 1);
        // Bounds that are powers of two and bounds that are not.
        let mut random = Random::new(-123_456_789);
        for (bound, drawn) in [
            (1, 0),
            (2, 1),
            (3, 1),
            (4, 2),
            (5, 4),
            (9, 0),
            (10, 6),
            (20, 17),
            (100, 98),
            (1000, 591),
            (65535, 24281),
            (32768, 31855),
        ] {
            assert_eq!(random.next_int(bound), drawn, "below {bound}");
        }
    }

    #[test]
    fn a_bound_of_one_draws_all_the_same() {
        let (mut one, mut two) = (Random::new(-7), Random::new(-7));
        assert_eq!(one.next_int(1), 0);
        two.next31();
        assert_eq!(one, two);
        assert_eq!(one.next_int(0), 0);
    }
}
