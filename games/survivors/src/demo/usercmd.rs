//! User commands: what the recording player pressed, tick by tick.

use super::bits::{Bits, OutOfBits};
use super::error::Reason;

/// Names of the button bits, lowest first; `attack2` is the shove.
// facts/survivors.md §8 for those the game uses; the others are Source's own names.
pub const BUTTONS: [&str; 32] = [
    "attack",
    "jump",
    "duck",
    "forward",
    "back",
    "use",
    "cancel",
    "left",
    "right",
    "moveleft",
    "moveright",
    "attack2",
    "run",
    "reload",
    "alt1",
    "alt2",
    "score",
    "speed",
    "walk",
    "zoom",
    "weapon1",
    "weapon2",
    "bullrush",
    "grenade1",
    "grenade2",
    "lookspin",
    "ability",
    "ability_before",
    "ability1",
    "ability2",
    "ability3",
    "ability4",
];

/// The bit of the crouch button.
pub const DUCK: u32 = 1 << 2;
/// The bit of the jump button.
pub const JUMP: u32 = 1 << 1;

/// What the recording player pressed in a tick. What the file leaves out is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct UserCommand {
    /// The tick of its frame.
    pub tick: i32,
    /// The seat of its frame.
    pub slot: u8,
    /// The sequence number of the packet it went out in.
    pub sequence: i32,
    /// Its own number.
    pub number: u32,
    /// The server's tick that the player saw.
    pub server_tick: u32,
    /// Pitch, yaw and roll in degrees.
    pub angles: [f32; 3],
    /// Wish to go forward, ±450. // facts/survivors.md §3: forward stands first
    pub forward: f32,
    /// Wish to go to the right, ±450.
    pub side: f32,
    /// Wish to go up, on ladders and in water.
    pub up: f32,
    /// One bit a button, see [`BUTTONS`].
    pub buttons: u32,
    /// A command by number: flashlight, sprays.
    pub impulse: u8,
    /// The entity of the weapon to change to; 0 for none.
    pub weapon: u16,
    /// Its kind within the weapon.
    pub weapon_subtype: u8,
    /// Mouse to the right, in counts.
    pub mouse_x: i16,
    /// Mouse down, in counts.
    pub mouse_y: i16,
}

impl UserCommand {
    /// Reads one. `before` holds the sequence number. Bits that do not fill the last byte are
    /// padding; a whole byte more is an error, for then the layout is not this one.
    pub fn read(tick: i32, slot: u8, before: &[u8], payload: &[u8]) -> Result<Self, Reason> {
        let sequence = Bits::new(before).long()? as i32;
        let mut bits = Bits::new(payload);
        let mut command = UserCommand { tick, slot, sequence, ..Default::default() };
        command.number = optional(&mut bits, Bits::long)?;
        command.server_tick = optional(&mut bits, Bits::long)?;
        for angle in &mut command.angles {
            *angle = optional(&mut bits, Bits::float)?;
        }
        command.forward = optional(&mut bits, Bits::float)?;
        command.side = optional(&mut bits, Bits::float)?;
        command.up = optional(&mut bits, Bits::float)?;
        command.buttons = optional(&mut bits, Bits::long)?;
        command.impulse = optional(&mut bits, Bits::byte)?;
        if bits.flag()? {
            command.weapon = bits.bits(11)? as u16;
            command.weapon_subtype = optional(&mut bits, |bits| Ok(bits.bits(6)? as u8))?;
        }
        command.mouse_x = optional(&mut bits, Bits::word)? as i16;
        command.mouse_y = optional(&mut bits, Bits::word)? as i16;
        match bits.left() {
            0..8 => Ok(command),
            left => Err(Reason::Leftover { left }),
        }
    }

    /// Names of the pressed buttons, in the order of their bits.
    pub fn button_names(&self) -> Vec<&'static str> {
        names(self.buttons)
    }
}

/// Names of the buttons in a set.
pub fn names(buttons: u32) -> Vec<&'static str> {
    let pressed = BUTTONS.iter().enumerate().filter(|(bit, _)| buttons >> bit & 1 != 0);
    pressed.map(|(_, name)| *name).collect()
}

/// A field that a bit says is there, or zero.
fn optional<'a, T: Default>(
    bits: &mut Bits<'a>,
    read: impl FnOnce(&mut Bits<'a>) -> Result<T, OutOfBits>,
) -> Result<T, OutOfBits> {
    if bits.flag()? { read(bits) } else { Ok(T::default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_pressed_is_two_bytes_of_zeroes() {
        let command = UserCommand::read(5, 0, &7i32.to_le_bytes(), &[0, 0]).unwrap();
        assert_eq!(command, UserCommand { tick: 5, sequence: 7, ..Default::default() });
    }

    #[test]
    fn fields_come_in_their_order() {
        // Forward is the sixth optional field: five absent, then a one and its 32 bits.
        let number = (u64::from(450f32.to_bits()) << 6) | 1 << 5;
        let mut payload = number.to_le_bytes().to_vec();
        payload.resize(6, 0);
        let command = UserCommand::read(0, 0, &[0; 4], &payload).unwrap();
        assert_eq!((command.forward, command.side), (450.0, 0.0));
    }

    #[test]
    fn too_short_and_too_long_are_errors() {
        assert!(matches!(UserCommand::read(0, 0, &[0; 4], &[0]), Err(Reason::OutOfBits(_))));
        let long = UserCommand::read(0, 0, &[0; 4], &[0; 4]);
        assert!(matches!(long, Err(Reason::Leftover { .. })));
    }

    #[test]
    fn buttons_have_their_names() {
        assert_eq!(names(1 | 1 << 2 | 1 << 11 | 1 << 13), ["attack", "duck", "attack2", "reload"]);
    }
}
