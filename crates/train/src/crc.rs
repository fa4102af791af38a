//! CRC-32C, which finds out files that are not what was written.

/// CRC-32C of some bytes.
pub fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Crc32c::default();
    sum.add(bytes);
    sum.value()
}

/// CRC-32C of bytes that come one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Crc32c(u32);

impl Default for Crc32c {
    fn default() -> Self {
        Self(!0)
    }
}

impl Crc32c {
    /// More bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        let table = |crc: u32, byte: &u8| CRC_TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8;
        self.0 = bytes.iter().fold(self.0, table);
    }

    /// The sum so far.
    pub fn value(self) -> u32 {
        !self.0
    }
}

/// The remainder of every byte under the reversed Castagnoli polynomial.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_the_published_check_value() {
        assert_eq!(checksum(b"123456789"), 0xe306_9283);
        assert_eq!(checksum(&[0; 32]), 0x8a91_36aa);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn bytes_may_come_in_pieces() {
        let mut sum = Crc32c::default();
        sum.add(b"1234");
        sum.add(b"");
        sum.add(b"56789");
        assert_eq!(sum.value(), 0xe306_9283);
    }
}
