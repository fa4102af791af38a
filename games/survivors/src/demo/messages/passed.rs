//! Messages that nobody here asks about: each is passed over at its exact length.
//!
//! The widths are those of facts/survivors.md §3 where it names them; the others were learnt from
//! UncraftedName/UntitledParser (MIT).

use super::super::bits::{Bits, OutOfBits};
use super::super::build::Layout;

/// A length of `width` bits, then as many bits.
fn measured(bits: &mut Bits, width: u32) -> Result<(), OutOfBits> {
    let length = bits.bits(width)? as usize;
    bits.skip(length)
}

/// Properties of a class: a flag, then a length of 16 bits.
pub(super) fn send_table(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(1)?;
    measured(bits, 16)
}

/// How voices are coded. A quality of 255 announces a sample rate.
pub(super) fn voice_init(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip_text()?;
    if bits.byte()? == 255 {
        bits.skip(16)?;
    }
    Ok(())
}

/// Somebody speaks: who, whether near, length, four bits of this game alone.
pub(super) fn voice(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(8 + 8)?;
    let length = bits.word()? as usize;
    bits.skip(4)?;
    bits.skip(length)
}

/// Sounds: a reliable one comes alone and has a shorter length.
pub(super) fn sounds(bits: &mut Bits) -> Result<(), OutOfBits> {
    if bits.flag()? {
        return measured(bits, 8);
    }
    bits.skip(8)?;
    measured(bits, 16)
}

/// A decal: place, texture, and where it is not on the world, entity and model.
pub(super) fn decal(bits: &mut Bits, layout: Layout) -> Result<(), OutOfBits> {
    let there = [bits.flag()?, bits.flag()?, bits.flag()?];
    for _ in there.into_iter().filter(|there| *there) {
        bits.coord()?;
    }
    bits.skip(9)?;
    if bits.flag()? {
        bits.skip(11 + layout.model_bits() as usize)?;
    }
    bits.skip(1)
}

/// A second player at the same machine comes or goes: what, seat, entity.
pub(super) fn split_screen(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(1 + 1 + 11)
}

/// A message of the game's own to the screen.
pub(super) fn user_message(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(8)?;
    measured(bits, 11)
}

/// A message to an entity: which, its class.
pub(super) fn entity_message(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(11 + 9)?;
    measured(bits, 11)
}

/// Effects: how many, and all of them.
pub(super) fn temp_entities(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(8)?;
    measured(bits, 18)
}

/// A menu of a server's add-on. Its length is in bytes.
// Source SDK 2013's message of the same name; no recording at hand has one.
pub(super) fn menu(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(16)?;
    let bytes = bits.word()? as usize;
    bits.skip(bytes * 8)
}

/// Keys and values for a command. The length is in bytes.
pub(super) fn key_values(bits: &mut Bits) -> Result<(), OutOfBits> {
    let bytes = bits.long()? as usize;
    bits.skip(bytes.saturating_mul(8))
}

/// Paint on the map, which only another game has.
pub(super) fn paint_map(bits: &mut Bits) -> Result<(), OutOfBits> {
    measured(bits, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_followed_to_the_bit() {
        // 11 bits that say 3, then 3 bits.
        let bytes = [0xaa, 3, 0b11_1000];
        let mut bits = Bits::new(&bytes);
        user_message(&mut bits).unwrap();
        assert_eq!(bits.at(), 8 + 11 + 3);
        let mut bits = Bits::new(&[0xff; 4]);
        assert!(user_message(&mut bits).is_err());
    }

    #[test]
    fn a_decal_on_a_thing_names_its_model() {
        // No coordinates, texture 0, on an entity.
        let bytes = [0, 0b1_0000, 0, 0, 0, 0];
        for (layout, wanted) in [(Layout::First, 36), (Layout::WideModels, 37)] {
            let mut bits = Bits::new(&bytes);
            decal(&mut bits, layout).unwrap();
            assert_eq!(bits.at(), wanted);
        }
    }
}
