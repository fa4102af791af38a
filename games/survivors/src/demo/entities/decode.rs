//! Values of properties, from bits.
//!
//! The widths are the engine's own (Source SDK 2013, public/coordsize.h and dt_common.h).

use super::super::bits::{Bits, OutOfBits, width};
use super::super::error::Reason;
use super::send_table::{PropKind, SendProp, flag};

const COORD_BITS: u32 = 14;
const COORD_BITS_NEAR: u32 = 11;
const FRACTION_BITS: u32 = 5;
const FRACTION_BITS_LOW: u32 = 3;
const NORMAL_BITS: u32 = 11;
const TEXT_BITS: u32 = 9;
/// A number of twelve ones ends the list of changed properties.
const END: u32 = 0xfff;

/// A value; texts and arrays are read past, for nobody asks for one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Decoded {
    Int(i32),
    Float(f32),
    /// The third is zero where there are two.
    Vector([f32; 3]),
    Passed,
}

/// The next property that changed, counted from the one before; `None` after the last.
pub(super) fn next_index(
    bits: &mut Bits,
    before: Option<usize>,
    short_steps: bool,
) -> Result<Option<usize>, OutOfBits> {
    let after = before.map_or(0, |before| before + 1);
    if short_steps && bits.flag()? {
        return Ok(Some(after));
    }
    let step = if short_steps && bits.flag()? {
        bits.bits(3)?
    } else {
        let low = bits.bits(5)?;
        let more = match bits.bits(2)? {
            0 => 0,
            1 => 2,
            2 => 4,
            _ => 7,
        };
        low | bits.bits(more)? << 5
    };
    Ok(if step == END { None } else { Some(after + step as usize) })
}

/// Reads a property's value. `element` is what an array is a row of.
pub(super) fn value(
    bits: &mut Bits,
    prop: &SendProp,
    element: Option<&SendProp>,
) -> Result<Decoded, Reason> {
    Ok(match prop.kind {
        PropKind::Int if prop.is(flag::UNSIGNED) => {
            Decoded::Int(bits.bits(u32::from(prop.bits))? as i32)
        }
        PropKind::Int => Decoded::Int(bits.signed(u32::from(prop.bits))?),
        PropKind::Float => Decoded::Float(float(bits, prop)?),
        PropKind::Vector => {
            let (x, y) = (float(bits, prop)?, float(bits, prop)?);
            let z = if is_normal(prop) { third(bits, x, y)? } else { float(bits, prop)? };
            Decoded::Vector([x, y, z])
        }
        PropKind::VectorXy => Decoded::Vector([float(bits, prop)?, float(bits, prop)?, 0.0]),
        PropKind::Text => {
            let bytes = bits.bits(TEXT_BITS)? as usize;
            bits.skip(bytes * 8)?;
            Decoded::Passed
        }
        PropKind::Array => {
            let element = element.filter(|element| {
                element.kind != PropKind::Array && element.kind != PropKind::Table
            });
            let element =
                element.ok_or(Reason::Inconsistent("an array does not say what it is a row of"))?;
            for _ in 0..bits.bits(width(u32::from(prop.elements)))? {
                value(bits, element, None)?;
            }
            Decoded::Passed
        }
        PropKind::Table => {
            return Err(Reason::Inconsistent("a table stands where a property should"));
        }
    })
}

/// Flags that are asked before that of a normal.
const BEFORE_NORMAL: u32 =
    flag::COORD | flag::COORD_MP | flag::COORD_MP_LOW | flag::COORD_MP_INT | flag::NO_SCALE;

fn is_normal(prop: &SendProp) -> bool {
    prop.is(flag::NORMAL) && !prop.is(BEFORE_NORMAL)
}

fn float(bits: &mut Bits, prop: &SendProp) -> Result<f32, OutOfBits> {
    if prop.is(flag::COORD) {
        bits.coord()
    } else if prop.is(flag::COORD_MP) {
        coord_near(bits, FRACTION_BITS)
    } else if prop.is(flag::COORD_MP_LOW) {
        coord_near(bits, FRACTION_BITS_LOW)
    } else if prop.is(flag::COORD_MP_INT) {
        coord_near(bits, 0)
    } else if prop.is(flag::NO_SCALE) {
        bits.float()
    } else if prop.is(flag::NORMAL) {
        normal(bits)
    } else if prop.is(flag::CELL_COORD) {
        in_cell(bits, prop, FRACTION_BITS)
    } else if prop.is(flag::CELL_COORD_LOW) {
        in_cell(bits, prop, FRACTION_BITS_LOW)
    } else if prop.is(flag::CELL_COORD_INT) {
        in_cell(bits, prop, 0)
    } else {
        let number = bits.bits(u32::from(prop.bits))?;
        let most = ((1u64 << prop.bits) - 1).max(1) as f32;
        Ok(prop.low + (prop.high - prop.low) * (number as f32 / most))
    }
}

/// A coordinate that takes fewer bits near the middle of the map.
fn coord_near(bits: &mut Bits, fraction_bits: u32) -> Result<f32, OutOfBits> {
    let near = bits.flag()?;
    let has_units = bits.flag()?;
    // Without a fraction there is no sign to a zero.
    let negative = if has_units || fraction_bits > 0 { bits.flag()? } else { false };
    let units =
        if has_units { bits.bits(if near { COORD_BITS_NEAR } else { COORD_BITS })? + 1 } else { 0 };
    let fraction = bits.bits(fraction_bits)?;
    let size = units as f32 + fraction as f32 / (1u32 << fraction_bits) as f32;
    Ok(if negative { -size } else { size })
}

/// A coordinate within the cell of the map that the entity is in.
fn in_cell(bits: &mut Bits, prop: &SendProp, fraction_bits: u32) -> Result<f32, OutOfBits> {
    let units = bits.bits(u32::from(prop.bits))?;
    let fraction = bits.bits(fraction_bits)?;
    Ok(units as f32 + fraction as f32 / (1u32 << fraction_bits) as f32)
}

fn normal(bits: &mut Bits) -> Result<f32, OutOfBits> {
    let negative = bits.flag()?;
    let size = bits.bits(NORMAL_BITS)? as f32 / ((1 << NORMAL_BITS) - 1) as f32;
    Ok(if negative { -size } else { size })
}

/// The third of three numbers whose squares add up to one: only its sign is written.
fn third(bits: &mut Bits, x: f32, y: f32) -> Result<f32, OutOfBits> {
    let negative = bits.flag()?;
    let size = (1.0 - x * x - y * y).max(0.0).sqrt();
    Ok(if negative { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prop(kind: PropKind, flags: u32, bits: u8) -> SendProp {
        SendProp {
            kind,
            name: String::new(),
            flags,
            priority: 0,
            table: None,
            elements: 0,
            low: 0.0,
            high: 100.0,
            bits,
        }
    }

    #[test]
    fn steps_to_the_next_property() {
        // Short steps: a one alone is the next.
        assert_eq!(next_index(&mut Bits::new(&[1]), None, true), Ok(Some(0)));
        assert_eq!(next_index(&mut Bits::new(&[1]), Some(6), true), Ok(Some(7)));
        // No, yes, three bits of 5.
        assert_eq!(next_index(&mut Bits::new(&[0b10110]), Some(0), true), Ok(Some(6)));
        // Twelve ones end it, whichever way.
        let long = [0xff, 0xff, 0xff];
        assert_eq!(next_index(&mut Bits::new(&long), None, false), Ok(None));
        assert_eq!(next_index(&mut Bits::new(&[0xfc, 0xff, 0xff]), None, true), Ok(None));
    }

    #[test]
    fn numbers_of_each_form() {
        let mut bits = Bits::new(&[0b1111_0110]);
        let signed = value(&mut bits, &prop(PropKind::Int, 0, 4), None);
        assert_eq!(signed, Ok(Decoded::Int(6)));
        let signed = value(&mut bits, &prop(PropKind::Int, 0, 4), None);
        assert_eq!(signed, Ok(Decoded::Int(-1)));
        let scaled = value(&mut Bits::new(&[255]), &prop(PropKind::Float, 0, 8), None);
        assert_eq!(scaled, Ok(Decoded::Float(100.0)));
        // Five bits of 9, three of fraction 4 / 8.
        let cell = prop(PropKind::Float, flag::CELL_COORD_LOW, 5);
        assert_eq!(value(&mut Bits::new(&[4 << 5 | 9]), &cell, None), Ok(Decoded::Float(9.5)));
        let normal = prop(PropKind::Vector, flag::NORMAL, 0);
        let up = value(&mut Bits::new(&[0; 4]), &normal, None);
        assert_eq!(up, Ok(Decoded::Vector([0.0, 0.0, 1.0])));
    }

    #[test]
    fn an_array_needs_its_element() {
        let mut array = prop(PropKind::Array, 0, 0);
        array.elements = 4;
        assert!(value(&mut Bits::new(&[0xff; 8]), &array, None).is_err());
        let mut bits = Bits::new(&[0b010, 0, 0]);
        value(&mut bits, &array, Some(&prop(PropKind::Int, 0, 7))).unwrap();
        assert_eq!(bits.at(), 3 + 2 * 7);
    }
}
