//! Episodes as bytes, before they are compressed.
//!
//! Most numbers of an observation are those of the step before: every row is stored as what differs from
//! the one above it, bit by bit, which leaves long runs of zeros to the compression and loses nothing.

use lanista_game::{End, Episode, Role, Spec, Verdict};

use super::matches::match_of_source;

/// The most bytes of a name.
const MOST_NAME: usize = 4096;

const PRIVILEGED: u8 = 1;
const PROBABILITIES: u8 = 2;
const TERMS: u8 = 4;
/// The match is named; in datasets of version 1 it is not.
const MATCH: u8 = 8;

/// Appends an episode.
pub fn encode(episode: &Episode, role: &Role, out: &mut Vec<u8>) {
    let flag = |any: bool, flag: u8| if any { flag } else { 0 };
    out.extend((episode.len() as u32).to_le_bytes());
    out.extend((episode.role as u16).to_le_bytes());
    out.push(
        flag(!episode.privileged.is_empty(), PRIVILEGED)
            | flag(!episode.probabilities.is_empty(), PROBABILITIES)
            | flag(!episode.terms.is_empty(), TERMS)
            | MATCH,
    );
    out.push(match episode.verdict {
        None => 0,
        Some(Verdict::Won) => 1,
        Some(Verdict::Drawn) => 2,
        Some(Verdict::Lost) => 3,
    });
    out.push(match episode.end {
        None => 0,
        Some(End::Terminated) => 1,
        Some(End::Truncated) => 2,
    });
    for name in [episode.player.as_str(), &episode.source, episode.of_match()] {
        let mut end = name.len().min(MOST_NAME);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        out.extend((end as u16).to_le_bytes());
        out.extend(&name.as_bytes()[..end]);
    }
    words(episode.steps.iter().copied(), 1, out);
    words(episode.observation.iter().map(|x| x.to_bits()), role.features(), out);
    words(episode.privileged.iter().map(|x| x.to_bits()), role.privileged.len(), out);
    bits(&episode.mask, role.actions(), out);
    bits(&episode.forbidden, role.pair_values(), out);
    words(episode.actions.iter().copied(), role.heads.len(), out);
    words(episode.probabilities.iter().map(|x| x.to_bits()), role.actions(), out);
    let terms = episode.terms.len().checked_div(episode.len()).unwrap_or(0);
    words(episode.terms.iter().map(|x| x.to_bits()), terms, out);
}

fn words(numbers: impl Iterator<Item = u32>, width: usize, out: &mut Vec<u8>) {
    let mut above = vec![0u32; width];
    for (i, number) in numbers.enumerate() {
        let above = &mut above[i % width];
        out.extend((number ^ *above).to_le_bytes());
        *above = number;
    }
}

fn bits(flags: &[bool], width: usize, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let mut above = vec![0u8; width.div_ceil(8)];
    for row in flags.chunks_exact(width) {
        for (byte, above) in row.chunks(8).zip(&mut above) {
            let packed = byte.iter().enumerate().fold(0, |all, (i, &f)| all | u8::from(f) << i);
            out.push(packed ^ *above);
            *above = packed;
        }
    }
}

/// Bytes of an episode that are left to read.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    fn name(&mut self) -> Option<String> {
        let length = usize::from(self.u16()?);
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn words(&mut self, rows: usize, width: usize) -> Option<Vec<u32>> {
        let bytes = self.take(rows.checked_mul(width)?.checked_mul(4)?)?;
        let mut numbers: Vec<u32> =
            bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        for i in width..numbers.len() {
            numbers[i] ^= numbers[i - width];
        }
        Some(numbers)
    }

    fn floats(&mut self, rows: usize, width: usize) -> Option<Vec<f32>> {
        Some(self.words(rows, width)?.into_iter().map(f32::from_bits).collect())
    }

    fn bits(&mut self, rows: usize, width: usize) -> Option<Vec<bool>> {
        let packed = width.div_ceil(8);
        let bytes = self.take(rows.checked_mul(packed)?)?;
        let mut flags = Vec::with_capacity(rows * width);
        let mut above = vec![0u8; packed];
        for row in bytes.chunks_exact(packed.max(1)) {
            above.iter_mut().zip(row).for_each(|(above, byte)| *above ^= byte);
            flags.extend((0..width).map(|i| above[i / 8] >> (i % 8) & 1 == 1));
        }
        Some(flags)
    }

    /// The next episode of a game; `None` if the bytes are none.
    pub fn episode(&mut self, spec: &Spec) -> Option<Episode> {
        let n = self.u32()? as usize;
        let role_index = usize::from(self.u16()?);
        let role = spec.roles.get(role_index)?;
        let [flags, verdict, end] = *self.take(3)? else { return None };
        let of = |flag: u8, width: usize| if flags & flag != 0 { width } else { 0 };
        let (player, source) = (self.name()?, self.name()?);
        let match_key = match flags & MATCH {
            0 => match_of_source(&source).to_owned(),
            _ => self.name()?,
        };
        Some(Episode {
            role: role_index,
            player,
            source,
            match_key,
            verdict: match verdict {
                0 => None,
                1 => Some(Verdict::Won),
                2 => Some(Verdict::Drawn),
                3 => Some(Verdict::Lost),
                _ => return None,
            },
            end: match end {
                0 => None,
                1 => Some(End::Terminated),
                2 => Some(End::Truncated),
                _ => return None,
            },
            steps: self.words(n, 1)?,
            observation: self.floats(n, role.features())?,
            privileged: self.floats(n, of(PRIVILEGED, role.privileged.len()))?,
            mask: self.bits(n, role.actions())?,
            forbidden: self.bits(n, role.pair_values())?,
            actions: self.words(n, role.heads.len())?,
            probabilities: self.floats(n, of(PROBABILITIES, role.actions()))?,
            terms: self.floats(n, of(TERMS, spec.terms.len()))?,
        })
    }
}
