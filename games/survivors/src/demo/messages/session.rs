//! Messages about the connection and the server itself.

use super::super::bits::{Bits, OutOfBits, width};
use super::super::build::Layout;

/// What a server says of itself. // facts/survivors.md §3
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ServerInfo {
    /// Its network protocol.
    pub network_protocol: u16,
    /// Does a dedicated server run the game?
    pub dedicated: bool,
    /// Classes of entities.
    pub classes: u16,
    /// The recording player's seat on the server; his entity is one more.
    pub player: u8,
    /// Seats.
    pub seats: u8,
    /// Seconds of a tick.
    pub tick_secs: f32,
    /// The game's directory.
    pub game: String,
    /// The map.
    pub map: String,
    /// The server's name.
    pub host: String,
    /// The campaign, where the build says it.
    pub mission: Option<String>,
    /// The game mode, where the build says it.
    pub mode: Option<String>,
}

impl ServerInfo {
    pub(super) fn read(bits: &mut Bits, layout: Layout) -> Result<Self, OutOfBits> {
        let network_protocol = bits.word()?;
        bits.skip(32)?; // how many servers this process has run
        bits.skip(1)?; // a relay for spectators?
        let dedicated = bits.flag()?;
        if layout.names_mission() {
            bits.skip(1)?; // are add-ons restricted?
        }
        bits.skip(2 * 32)?; // check sums of the client and of its string tables
        let classes = bits.word()?;
        bits.skip(32)?; // the map's check sum
        let player = bits.byte()?;
        let seats = bits.byte()?;
        let tick_secs = bits.float()?;
        bits.skip(8)?; // the operating system's letter
        let game = bits.text()?;
        let map = bits.text()?;
        bits.skip_text()?; // the sky
        let host = bits.text()?;
        let named = layout.names_mission();
        let mission = if named { Some(bits.text()?) } else { None };
        let mode = if named { Some(bits.text()?) } else { None };
        Ok(ServerInfo {
            network_protocol,
            dedicated,
            classes,
            player,
            seats,
            tick_secs,
            game,
            map,
            host,
            mission,
            mode,
        })
    }
}

/// The server's tick; two figures about its frame time follow.
pub(super) fn tick(bits: &mut Bits) -> Result<u32, OutOfBits> {
    let tick = bits.long()?;
    bits.skip(2 * 16)?;
    Ok(tick)
}

/// A file that is offered or asked for: number, name, two flags.
pub(super) fn file(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(32)?;
    bits.skip_text()?;
    bits.skip(2)
}

/// Console variables: a count, then name and value of each.
pub(super) fn variables(bits: &mut Bits) -> Result<(), OutOfBits> {
    for _ in 0..bits.byte()? {
        bits.skip_text()?;
        bits.skip_text()?;
    }
    Ok(())
}

/// How far the connection is: state, spawn count, players, their ids and the map, by length.
pub(super) fn signon_state(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(8 + 32 + 32)?;
    let ids = bits.long()? as usize;
    bits.skip(ids.saturating_mul(8))?;
    let map = bits.long()? as usize;
    bits.skip(map.saturating_mul(8))
}

/// The classes of entities; the names follow only where the client does not know them.
pub(super) fn class_info(bits: &mut Bits) -> Result<(), OutOfBits> {
    let classes = bits.word()?;
    if bits.flag()? {
        return Ok(());
    }
    for _ in 0..classes {
        bits.skip(width(u32::from(classes)) as usize)?;
        bits.skip_text()?;
        bits.skip_text()?;
    }
    Ok(())
}

/// The server asks for a console variable: a cookie and the name.
pub(super) fn variable_asked(bits: &mut Bits) -> Result<(), OutOfBits> {
    bits.skip(32)?;
    bits.skip_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(layout: Layout) -> Vec<u8> {
        // The add-on flag is one bit: without it the rest would begin two bits into a byte.
        let mut number: u128 = 0;
        let mut at = 0;
        let mut put = |value: u64, width: u32| {
            number |= u128::from(value) << at;
            at += width;
        };
        put(2100, 16);
        put(1, 32);
        put(0b10, 2);
        if layout.names_mission() {
            put(0, 1);
        }
        let head = at;
        let mut bytes = Vec::new();
        let mut rest: Vec<u8> = Vec::new();
        rest.extend([0; 8]);
        rest.extend(278u16.to_le_bytes());
        rest.extend([0; 4]);
        rest.extend([0, 8]);
        rest.extend((1.0f32 / 30.0).to_le_bytes());
        rest.push(b'w');
        let names = b"left4dead2\0c5m4\0sky\0host\0L4D2C5\0coop\0";
        rest.extend(names);
        let mut bits: Vec<bool> = (0..head).map(|bit| number >> bit & 1 != 0).collect();
        bits.extend(rest.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 != 0)));
        for byte in bits.chunks(8) {
            bytes.push(byte.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit)));
        }
        bytes
    }

    #[test]
    fn the_mission_is_read_where_the_build_has_it() {
        for layout in Layout::ALL {
            let bytes = info(layout);
            let mut bits = Bits::new(&bytes);
            let info = ServerInfo::read(&mut bits, layout).unwrap();
            assert_eq!((info.classes, info.seats, info.map.as_str()), (278, 8, "c5m4"));
            assert!(info.dedicated);
            assert_eq!(info.mode.as_deref(), layout.names_mission().then_some("coop"));
        }
    }

    #[test]
    fn a_class_list_without_end_is_refused() {
        assert!(class_info(&mut Bits::new(&[0xff, 0xff, 0])).is_err());
    }
}
