//! The first 1072 bytes of a recording.

use super::error::DemoError;

/// Bytes of a header. // facts/survivors.md §3
pub const HEADER_BYTES: usize = 1072;
/// The oldest network protocol of Left 4 Dead 2. // facts/survivors.md §3
pub const FIRST_NETWORK_PROTOCOL: i32 = 2000;
/// The newest network protocol of Left 4 Dead 2. // facts/survivors.md §3
pub const LAST_NETWORK_PROTOCOL: i32 = 2100;

const MAGIC: &[u8; 8] = b"HL2DEMO\0";
const NAME_BYTES: usize = 260;

/// What a recording says of itself before its first frame.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Header {
    /// Always 4.
    pub demo_protocol: i32,
    /// 2000 to 2100.
    pub network_protocol: i32,
    /// The server's name or address.
    pub server: String,
    /// The recording player's name.
    pub client: String,
    /// The map.
    pub map: String,
    /// `left4dead2`.
    pub game: String,
    /// How long the recording plays; 0 where the game did not come to write it.
    pub seconds: f32,
    /// Ticks; 0 where the game did not come to write it.
    pub ticks: i32,
    /// Frames; 0 where the game did not come to write it.
    pub frames: i32,
    /// Bytes of the frames that come before play.
    pub signon_bytes: i32,
}

impl Header {
    /// Reads it and refuses recordings of other games.
    pub fn read(file: &[u8]) -> Result<Self, DemoError> {
        let magic = file.get(..8).unwrap_or(file);
        if magic != MAGIC {
            return Err(DemoError::NotADemo { found: text(magic) });
        }
        let Some(header) = file.get(..HEADER_BYTES) else {
            return Err(DemoError::ShortHeader { bytes: file.len(), needed: HEADER_BYTES });
        };
        let name = |index: usize| text(field(header, 16 + index * NAME_BYTES, NAME_BYTES));
        let after_names = 16 + 4 * NAME_BYTES;
        let header = Header {
            demo_protocol: number(header, 8),
            network_protocol: number(header, 12),
            server: name(0),
            client: name(1),
            map: name(2),
            game: name(3),
            seconds: f32::from_bits(number(header, after_names) as u32),
            ticks: number(header, after_names + 4),
            frames: number(header, after_names + 8),
            signon_bytes: number(header, after_names + 12),
        };
        header.check()?;
        Ok(header)
    }

    fn check(&self) -> Result<(), DemoError> {
        if self.demo_protocol != 4 {
            return Err(DemoError::OtherDemoProtocol { found: self.demo_protocol });
        }
        // Portal 2 has network protocol 2001: the number alone does not tell the game.
        if self.game != "left4dead2" {
            return Err(DemoError::OtherGame { found: self.game.clone() });
        }
        let known = FIRST_NETWORK_PROTOCOL..=LAST_NETWORK_PROTOCOL;
        if !known.contains(&self.network_protocol) {
            return Err(DemoError::OtherNetworkProtocol {
                found: self.network_protocol,
                first: FIRST_NETWORK_PROTOCOL,
                last: LAST_NETWORK_PROTOCOL,
            });
        }
        Ok(())
    }
}

fn field(bytes: &[u8], at: usize, count: usize) -> &[u8] {
    bytes.get(at..at + count).unwrap_or_default()
}

fn number(bytes: &[u8], at: usize) -> i32 {
    field(bytes, at, 4).try_into().map(i32::from_le_bytes).unwrap_or_default()
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(demo: i32, network: i32, game: &str) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(demo.to_le_bytes());
        bytes.extend(network.to_le_bytes());
        for name in ["server", "client", "c1m1_hotel", game] {
            let mut field = name.as_bytes().to_vec();
            field.resize(NAME_BYTES, 0);
            bytes.extend(field);
        }
        bytes.extend(12.5f32.to_le_bytes());
        for number in [375i32, 380, 1000] {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn every_field_is_read_from_its_place() {
        let bytes = header(4, 2100, "left4dead2");
        assert_eq!(bytes.len(), HEADER_BYTES);
        let read = Header::read(&bytes).unwrap();
        assert_eq!(read.map, "c1m1_hotel");
        assert_eq!(read.server, "server");
        assert_eq!(read.client, "client");
        assert_eq!(read.seconds, 12.5);
        assert_eq!((read.ticks, read.frames, read.signon_bytes), (375, 380, 1000));
    }

    #[test]
    fn other_games_are_refused_with_place_and_remedy() {
        let cases = [
            (header(3, 24, "portal"), "byte 8: demo protocol 3"),
            (header(4, 2001, "portal2"), "byte 796: the game directory is \"portal2\""),
            (header(4, 1041, "left4dead2"), "byte 12: network protocol 1041"),
            (header(4, 2101, "left4dead2"), "byte 12: network protocol 2101"),
            (b"PK\x03\x04 and so on".to_vec(), "byte 0: this is no Source recording"),
            (header(4, 2100, "left4dead2")[..500].to_vec(), "byte 500: the file ends inside"),
            (Vec::new(), "byte 0: this is no Source recording"),
        ];
        for (bytes, start) in cases {
            let message = Header::read(&bytes).unwrap_err().to_string();
            assert!(message.starts_with(start), "{message}");
            assert!(message.contains("; "), "no remedy: {message}");
        }
    }
}
