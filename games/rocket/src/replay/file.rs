//! From the bytes of a `.replay` to its network frames, or to a sentence that says why not.
//!
//! Whoever hands over a file may have cut or changed it. The sums of checks that the game writes are
//! always compared; what the decoder does beyond that is kept from taking the program down with it.

use std::fs::File;
use std::io::Read;
use std::panic::catch_unwind;
use std::path::Path;

use boxcars::{CrcCheck, HeaderProp, ParserBuilder, Replay};

use super::{ReplayError, Trouble};

/// The game keeps its replays below 10 MB (`MaxReplaySizeMB` in their headers).
const MAX_BYTES: u64 = 32 << 20;
/// An hour at 30 frames a second; the decoder makes room for all of them at once.
const MAX_FRAMES: i32 = 108_000;
/// Rotations are quaternions from this version of the network format on; before, they were too coarse to
/// solve controls from.
const LEAST_NET_VERSION: i32 = 7;

/// Reads and decodes a file.
pub(super) fn open(path: &Path) -> Result<Replay, ReplayError> {
    let trouble = |trouble| ReplayError { path: path.to_owned(), trouble };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| trouble(Trouble::Unreadable(error)))?;
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| trouble(Trouble::Unreadable(error)))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(trouble(Trouble::TooLarge));
    }
    decode(&bytes, CrcCheck::Always).map_err(trouble)
}

/// Decodes the bytes of a file; tests look beyond its sums.
pub(super) fn decode(bytes: &[u8], sums: CrcCheck) -> Result<Replay, Trouble> {
    let header = guarded(|| {
        ParserBuilder::new(bytes).with_crc_check(sums).never_parse_network_data().parse()
    })?;
    if header.net_version.unwrap_or(0) < LEAST_NET_VERSION {
        return Err(Trouble::TooOld);
    }
    let frames = number(&header, "NumFrames").unwrap_or(0);
    if !(1..=MAX_FRAMES).contains(&frames) {
        return Err(Trouble::Damaged(format!("its header speaks of {frames} frames")));
    }
    guarded(|| ParserBuilder::new(bytes).never_check_crc().must_parse_network_data().parse())
}

/// The decoder is not ours: should it panic over bytes that nobody has tried, that is the file's fault.
fn guarded<E: std::fmt::Display>(
    parse: impl FnOnce() -> Result<Replay, E> + std::panic::UnwindSafe,
) -> Result<Replay, Trouble> {
    match catch_unwind(parse) {
        Ok(Ok(replay)) => Ok(replay),
        Ok(Err(error)) => Err(Trouble::Damaged(first_line(&error.to_string()))),
        Err(_) => Err(Trouble::Damaged("the decoder gave up on it".into())),
    }
}

/// The decoder's messages go on with dumps of what it had read.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

/// A whole number of the header.
pub(super) fn number(replay: &Replay, key: &str) -> Option<i32> {
    replay.properties.iter().find_map(|(name, value)| match value {
        HeaderProp::Int(value) if name == key => Some(*value),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_replay_is_named() {
        for bytes in [&b""[..], b"PK\x03\x04 some archive", &[0; 4096], &[0xff; 64]] {
            assert!(matches!(decode(bytes, CrcCheck::Always), Err(Trouble::Damaged(_))));
        }
        let error = open(Path::new("no/such.replay")).unwrap_err();
        assert!(error.to_string().starts_with("no/such.replay: "), "{error}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = decode(&bytes, CrcCheck::Never);
        }
    }
}
