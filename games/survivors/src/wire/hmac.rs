//! SHA-256 and HMAC-SHA256, for tags of datagrams.
//!
//! Written here because nothing else in the program needs a hash of this kind, and a tag of a thousand bytes
//! takes microseconds. A [`Key`] has hashed its two blocks of padding in advance, so a tag costs two blocks
//! less.

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4 §4.2.2).
const ROUND: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// Those of the square roots of the first 8 primes (FIPS 180-4 §5.3.3).
const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

const BLOCK: usize = 64;

/// A SHA-256 under way.
#[derive(Clone)]
pub struct Sha256 {
    state: [u32; 8],
    block: [u8; BLOCK],
    filled: usize,
    length: u64,
}

impl Default for Sha256 {
    fn default() -> Self {
        Self { state: START, block: [0; BLOCK], filled: 0, length: 0 }
    }
}

impl Sha256 {
    /// The digest of some bytes.
    pub fn digest(bytes: &[u8]) -> [u8; 32] {
        let mut hash = Self::default();
        hash.update(bytes);
        hash.finish()
    }

    /// Takes more of the message.
    pub fn update(&mut self, mut bytes: &[u8]) {
        self.length = self.length.wrapping_add(bytes.len() as u64);
        while !bytes.is_empty() {
            let room = (BLOCK - self.filled).min(bytes.len());
            let (now, later) = bytes.split_at(room);
            self.block[self.filled..self.filled + room].copy_from_slice(now);
            self.filled += room;
            bytes = later;
            if self.filled == BLOCK {
                compress(&mut self.state, &self.block);
                self.filled = 0;
            }
        }
    }

    /// The digest of all that was taken.
    pub fn finish(mut self) -> [u8; 32] {
        let bits = self.length.wrapping_mul(8);
        self.update(&[0x80]);
        while self.filled != BLOCK - 8 {
            self.update(&[0]);
        }
        self.update(&bits.to_be_bytes());
        let mut digest = [0; 32];
        for (out, word) in digest.chunks_exact_mut(4).zip(self.state) {
            out.copy_from_slice(&word.to_be_bytes());
        }
        digest
    }
}

fn compress(state: &mut [u32; 8], block: &[u8; BLOCK]) {
    let mut w = [0u32; 64];
    for (word, bytes) in w.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for t in 16..64 {
        let s0 = w[t - 15].rotate_right(7) ^ w[t - 15].rotate_right(18) ^ w[t - 15] >> 3;
        let s1 = w[t - 2].rotate_right(17) ^ w[t - 2].rotate_right(19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16].wrapping_add(s0).wrapping_add(w[t - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for t in 0..64 {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = (e & f) ^ (!e & g);
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(ROUND[t]).wrapping_add(w[t]);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let t2 = s0.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(t2));
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
}

/// A key for HMAC-SHA256 (RFC 2104).
#[derive(Clone)]
pub struct Key {
    inner: Sha256,
    outer: Sha256,
}

impl Key {
    /// From any bytes; more than 64 are hashed first.
    pub fn new(secret: &[u8]) -> Self {
        let mut padded = [0; BLOCK];
        if secret.len() > BLOCK {
            padded[..32].copy_from_slice(&Sha256::digest(secret));
        } else {
            padded[..secret.len()].copy_from_slice(secret);
        }
        let (mut inner, mut outer) = (Sha256::default(), Sha256::default());
        inner.update(&padded.map(|b| b ^ 0x36));
        outer.update(&padded.map(|b| b ^ 0x5c));
        Self { inner, outer }
    }

    /// HMAC of the parts joined.
    pub fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut inner = self.inner.clone();
        for part in parts {
            inner.update(part);
        }
        let mut outer = self.outer.clone();
        outer.update(&inner.finish());
        outer.finish()
    }

    /// The first half of the HMAC: what a datagram carries.
    pub fn tag(&self, bytes: &[u8]) -> [u8; TAG_BYTES] {
        let mut tag = [0; TAG_BYTES];
        tag.copy_from_slice(&self.mac(&[bytes])[..TAG_BYTES]);
        tag
    }
}

/// A key is never printed.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Length of a tag.
pub const TAG_BYTES: usize = 16;

/// Whether two tags are the same, in a time that does not tell where they differ.
pub fn same_tag(ours: &[u8; TAG_BYTES], theirs: &[u8; TAG_BYTES]) -> bool {
    let differs = ours.iter().zip(theirs).fold(0, |differs, (a, b)| differs | (a ^ b));
    std::hint::black_box(differs) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// The examples that NIST publishes for FIPS 180-4.
    #[test]
    fn sha256_of_the_standard() {
        assert_eq!(
            hex(&Sha256::digest(b"abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            hex(&Sha256::digest(b"")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            hex(&Sha256::digest(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        let mut million = Sha256::default();
        for _ in 0..1000 {
            million.update(&[b'a'; 1000]);
        }
        assert_eq!(
            hex(&million.finish()),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }

    /// RFC 4231, cases 1 to 4, 6 and 7, and the truncated case 5.
    #[test]
    fn hmac_of_the_rfc() {
        let mac = |key: &[u8], data: &[u8]| hex(&Key::new(key).mac(&[data]));
        assert_eq!(
            mac(&[0x0b; 20], b"Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            mac(b"Jefe", b"what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        assert_eq!(
            mac(&[0xaa; 20], &[0xdd; 50]),
            "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
        );
        let counting: Vec<u8> = (1..=25).collect();
        assert_eq!(
            mac(&counting, &[0xcd; 50]),
            "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
        );
        assert_eq!(
            hex(&Key::new(&[0x0c; 20]).tag(b"Test With Truncation")),
            "a3b6167473100ee06e0c796c2955552b"
        );
        assert_eq!(
            mac(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
        let long =
            b"This is a test using a larger than block-size key and a larger than block-size \
            data. The key needs to be hashed before being used by the HMAC algorithm.";
        assert_eq!(
            mac(&[0xaa; 131], long),
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        );
    }

    #[test]
    fn parts_are_joined() {
        let key = Key::new(b"a key that is long enough");
        assert_eq!(key.mac(&[b"ab", b"c"]), key.mac(&[b"abc"]));
        assert!(same_tag(&[7; 16], &[7; 16]));
        for i in 0..16 {
            let mut other = [7; 16];
            other[i] ^= 0x80;
            assert!(!same_tag(&[7; 16], &other));
        }
    }
}
