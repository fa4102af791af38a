//! Reading bits, lowest bit of each byte first, as the Source engine writes them.
//!
//! A read past the end is an error with its place, never a panic and never a made-up zero: a
//! message that is read wrongly shows itself by running out of bits.

/// There were not enough bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bit {at}: {wanted} bits are wanted and {left} are left")]
pub struct OutOfBits {
    /// The bit at which the read began, from the first of this reader's bytes.
    pub at: usize,
    /// Bits that were wanted.
    pub wanted: usize,
    /// Bits that were left.
    pub left: usize,
}

/// A place in a row of bits.
#[derive(Clone, Copy, Debug)]
pub struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Bits<'a> {
    /// All bits of some bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, end: bytes.len() * 8 }
    }

    /// The bit that is read next, from the first of the bytes.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Bits that are left.
    pub fn left(&self) -> usize {
        self.end - self.at
    }

    fn want(&self, wanted: usize) -> Result<(), OutOfBits> {
        if wanted > self.left() {
            return Err(OutOfBits { at: self.at, wanted, left: self.left() });
        }
        Ok(())
    }

    /// The next `count` bits (at most 32) as a number.
    pub fn bits(&mut self, count: u32) -> Result<u32, OutOfBits> {
        debug_assert!(count <= 32);
        self.want(count as usize)?;
        let byte = self.at >> 3;
        // 32 bits that begin anywhere in a byte lie within five bytes.
        let window = match self.bytes.get(byte..byte + 8) {
            Some(eight) => {
                let mut whole = [0; 8];
                whole.copy_from_slice(eight);
                u64::from_le_bytes(whole)
            }
            None => {
                let rest = self.bytes.get(byte..).unwrap_or_default();
                rest.iter().rev().fold(0, |number, &next| number << 8 | u64::from(next))
            }
        };
        let number = (window >> (self.at & 7)) & ((1u64 << count) - 1);
        self.at += count as usize;
        Ok(number as u32)
    }

    /// The next `count` bits as a number with a sign, in two's complement.
    pub fn signed(&mut self, count: u32) -> Result<i32, OutOfBits> {
        let number = self.bits(count)?;
        if count == 0 {
            return Ok(0);
        }
        let unused = 32 - count;
        Ok(((number << unused) as i32) >> unused)
    }

    /// One bit.
    pub fn flag(&mut self) -> Result<bool, OutOfBits> {
        Ok(self.bits(1)? != 0)
    }

    /// A byte.
    pub fn byte(&mut self) -> Result<u8, OutOfBits> {
        Ok(self.bits(8)? as u8)
    }

    /// Two bytes.
    pub fn word(&mut self) -> Result<u16, OutOfBits> {
        Ok(self.bits(16)? as u16)
    }

    /// Four bytes.
    pub fn long(&mut self) -> Result<u32, OutOfBits> {
        self.bits(32)
    }

    /// A floating-point number of four bytes.
    pub fn float(&mut self) -> Result<f32, OutOfBits> {
        Ok(f32::from_bits(self.bits(32)?))
    }

    /// Text up to a zero byte. What is not UTF-8 becomes the replacement character.
    pub fn text(&mut self) -> Result<String, OutOfBits> {
        let mut bytes = Vec::new();
        loop {
            match self.byte()? {
                0 => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                other => bytes.push(other),
            }
        }
    }

    /// Passes over text up to a zero byte.
    pub fn skip_text(&mut self) -> Result<(), OutOfBits> {
        while self.byte()? != 0 {}
        Ok(())
    }

    /// `count` bytes. They need not begin at a byte of the file.
    pub fn bytes(&mut self, count: usize) -> Result<Vec<u8>, OutOfBits> {
        // Compared before anything is allocated.
        self.want(count.saturating_mul(8))?;
        let mut bytes = Vec::with_capacity(count);
        for _ in 0..count {
            bytes.push(self.byte()?);
        }
        Ok(bytes)
    }

    /// Passes over `count` bits.
    pub fn skip(&mut self, count: usize) -> Result<(), OutOfBits> {
        self.want(count)?;
        self.at += count;
        Ok(())
    }

    /// A reader of the next `count` bits alone, over which this one passes.
    pub fn part(&mut self, count: usize) -> Result<Bits<'a>, OutOfBits> {
        self.want(count)?;
        let part = Bits { bytes: self.bytes, at: self.at, end: self.at + count };
        self.at += count;
        Ok(part)
    }

    /// A number of 4, 8, 12 or 32 bits: the low four, then two that say how many follow.
    pub fn growing(&mut self) -> Result<u32, OutOfBits> {
        let low = self.bits(4)?;
        let more = match self.bits(2)? {
            0 => 0,
            1 => 4,
            2 => 8,
            _ => 28,
        };
        Ok(low | self.bits(more)? << 4)
    }

    /// A coordinate: 14 bits of whole units and 5 of fraction, each only where it is not zero.
    // Source SDK 2013, public/coordsize.h: the widths.
    pub fn coord(&mut self) -> Result<f32, OutOfBits> {
        let has_units = self.flag()?;
        let has_fraction = self.flag()?;
        if !has_units && !has_fraction {
            return Ok(0.0);
        }
        let negative = self.flag()?;
        let units = if has_units { self.bits(14)? + 1 } else { 0 };
        let fraction = if has_fraction { self.bits(5)? } else { 0 };
        let size = units as f32 + fraction as f32 / 32.0;
        Ok(if negative { -size } else { size })
    }
}

/// Bits that a number up to `largest` takes: 0 for 0, 1 for 1, 2 for 2 and 3.
pub fn width(largest: u32) -> u32 {
    32 - largest.leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_lowest_bit_of_a_byte_comes_first() {
        let mut bits = Bits::new(&[0b1010_0110, 0xff]);
        assert_eq!(bits.bits(3), Ok(0b110));
        assert_eq!(bits.bits(5), Ok(0b10100));
        assert_eq!(bits.signed(4), Ok(-1));
        assert_eq!(bits.left(), 4);
        assert_eq!(bits.bits(5), Err(OutOfBits { at: 12, wanted: 5, left: 4 }));
        assert_eq!(bits.bits(4), Ok(15), "a failed read does not move");
        assert_eq!(bits.bits(0), Ok(0));
    }

    #[test]
    fn a_part_ends_where_it_should() {
        let mut bits = Bits::new(&[0xff; 4]);
        let mut part = bits.part(13).unwrap();
        assert_eq!(bits.left(), 19);
        assert_eq!(part.bits(13), Ok(0x1fff));
        assert!(part.flag().is_err(), "the part has no more, though the bytes do");
        assert!(bits.part(20).is_err());
    }

    #[test]
    fn a_length_is_compared_before_memory_is_taken() {
        assert!(Bits::new(&[1, 2, 3]).bytes(usize::MAX).is_err());
        assert!(Bits::new(&[1, 2, 3]).bytes(4).is_err());
    }

    #[test]
    fn coordinates() {
        assert_eq!(Bits::new(&[0]).coord(), Ok(0.0));
        // Whole and fraction, negative, 4 + 1 units and 16 / 32.
        let number: u32 = 0b111 | 4 << 3 | 16 << 17;
        assert_eq!(Bits::new(&number.to_le_bytes()).coord(), Ok(-5.5));
    }

    #[test]
    fn widths() {
        assert_eq!([0, 1, 2, 3, 4, 255, 256].map(width), [0, 1, 2, 2, 3, 8, 9]);
    }

    proptest! {
        #[test]
        fn any_reads_agree_with_reading_bit_by_bit(
            bytes in proptest::collection::vec(any::<u8>(), 0..40),
            counts in proptest::collection::vec(0u32..=32, 0..40),
        ) {
            let mut fast = Bits::new(&bytes);
            let mut at = 0usize;
            for count in counts {
                let whole = bytes.len() * 8 - at >= count as usize;
                match fast.bits(count) {
                    Ok(number) => {
                        prop_assert!(whole);
                        for bit in 0..count as usize {
                            let place = at + bit;
                            let wanted = bytes[place / 8] >> (place % 8) & 1;
                            prop_assert_eq!((u64::from(number) >> bit & 1) as u8, wanted);
                        }
                        at += count as usize;
                    }
                    Err(short) => {
                        prop_assert!(!whole);
                        prop_assert_eq!(short.at, at);
                    }
                }
                prop_assert_eq!(fast.at(), at);
            }
        }
    }
}
