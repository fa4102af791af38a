//! Where the recording player stands and looks, as every packet says.

use super::bits::{Bits, OutOfBits};

/// Bytes of the views that stand before the messages of a packet: four seats of 76. // facts §3
pub const VIEWS_BYTES: usize = 304;

const USES_SECOND_ORIGIN: u32 = 1;
const USES_SECOND_ANGLES: u32 = 2;
const JUMPS: u32 = 4;

/// The view of one seat.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct View {
    /// What the recording says beside the numbers; see the methods.
    pub flags: u32,
    /// Where the feet are (not the eyes, whatever the name says). // facts/survivors.md §3
    pub origin: [f32; 3],
    /// Pitch, yaw and roll in degrees.
    pub angles: [f32; 3],
    /// The same three as the player's own machine had them.
    pub local_angles: [f32; 3],
    /// Origin after the view was set anew.
    pub second_origin: [f32; 3],
    /// Angles after the view was set anew.
    pub second_angles: [f32; 3],
    /// Local angles after the view was set anew.
    pub second_local_angles: [f32; 3],
}

impl View {
    /// The first seat's view in what stands before the messages of a packet.
    pub fn read(before: &[u8]) -> Result<Self, OutOfBits> {
        let mut bits = Bits::new(before);
        let triple = |bits: &mut Bits| -> Result<[f32; 3], OutOfBits> {
            Ok([bits.float()?, bits.float()?, bits.float()?])
        };
        Ok(View {
            flags: bits.long()?,
            origin: triple(&mut bits)?,
            angles: triple(&mut bits)?,
            local_angles: triple(&mut bits)?,
            second_origin: triple(&mut bits)?,
            second_angles: triple(&mut bits)?,
            second_local_angles: triple(&mut bits)?,
        })
    }

    /// The origin that holds.
    pub fn feet(&self) -> [f32; 3] {
        if self.flags & USES_SECOND_ORIGIN != 0 { self.second_origin } else { self.origin }
    }

    /// The angles that hold.
    pub fn looks(&self) -> [f32; 3] {
        if self.flags & USES_SECOND_ANGLES != 0 { self.second_angles } else { self.angles }
    }

    /// Does the view jump here, so that nothing moved in between?
    pub fn jumps(&self) -> bool {
        self.flags & JUMPS != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_set_holds_when_the_flags_say_so() {
        let mut bytes = vec![3u8, 0, 0, 0];
        for number in 0..18 {
            bytes.extend((number as f32).to_le_bytes());
        }
        let view = View::read(&bytes).unwrap();
        assert_eq!(view.origin, [0.0, 1.0, 2.0]);
        assert_eq!(view.feet(), [9.0, 10.0, 11.0]);
        assert_eq!(view.looks(), [12.0, 13.0, 14.0]);
        assert!(!view.jumps());
        assert!(View::read(&bytes[..75]).is_err());
    }
}
