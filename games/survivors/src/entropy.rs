//! Randomness of the system, for nonces and names of clients. Nothing that a match does depends on it.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::Read;

/// 32 bytes that nobody has had before.
pub fn seed() -> [u8; 32] {
    let mut bytes = [0; 32];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        // Where there is no such file, the keys that the standard library draws for its maps; the clock and
        // the process besides, in case they are drawn once only.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let here = (std::process::id(), now.map_or(0, |now| now.as_nanos()));
        for (place, part) in bytes.chunks_exact_mut(8).enumerate() {
            let drawn = RandomState::new().hash_one((here, place));
            part.copy_from_slice(&drawn.to_le_bytes());
        }
    }
    bytes
}

/// A number that nobody has had before.
pub fn number() -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = seed();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_two_are_alike() {
        assert_ne!(super::seed(), super::seed());
        assert_ne!(super::number(), super::number());
    }
}
