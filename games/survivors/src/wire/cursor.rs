//! Little-endian bytes, read with bounds and written without.
//!
//! Every read says where it stands, so that an error can name the byte. Nothing is allocated before the
//! bytes for it are known to be there.

use super::WireError;

/// Reads a message from its first byte to its last.
pub struct Reader<'a> {
    what: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// Over these bytes; `what` is the message that errors name.
    pub fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { what, bytes, at: 0 }
    }

    /// Where the next byte stands.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], WireError> {
        match self.bytes[self.at..].get(..count) {
            Some(taken) => {
                self.at += count;
                Ok(taken)
            }
            None => Err(WireError::Short {
                what: self.what,
                at: self.bytes.len(),
                wanted: count - self.left(),
            }),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// A fixed run of bytes.
    pub fn bytes16(&mut self) -> Result<[u8; 16], WireError> {
        self.array()
    }

    /// A byte.
    pub fn u8(&mut self) -> Result<u8, WireError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    /// A flag: any byte but 0 is yes, as in the client that v1 comes from.
    pub fn flag(&mut self) -> Result<bool, WireError> {
        Ok(self.u8()? != 0)
    }

    /// Two bytes.
    pub fn u16(&mut self) -> Result<u16, WireError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    /// Two bytes with a sign.
    pub fn i16(&mut self) -> Result<i16, WireError> {
        Ok(i16::from_le_bytes(self.array()?))
    }

    /// Four bytes.
    pub fn u32(&mut self) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Four bytes with a sign.
    pub fn i32(&mut self) -> Result<i32, WireError> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    /// Eight bytes.
    pub fn u64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A float that is a number.
    pub fn f32(&mut self, field: &'static str) -> Result<f32, WireError> {
        let at = self.at;
        let value = f32::from_le_bytes(self.array()?);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.refuse(field, at, value, "a finite number"))
        }
    }

    /// Several floats that are numbers.
    pub fn f32s<const N: usize>(&mut self, field: &'static str) -> Result<[f32; N], WireError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.f32(field)?;
        }
        Ok(values)
    }

    /// A byte that must be 0, kept free for later.
    pub fn zero(&mut self) -> Result<(), WireError> {
        let at = self.at;
        match self.u8()? {
            0 => Ok(()),
            other => Err(self.refuse("the reserved byte", at, other, "0")),
        }
    }

    /// A name in a field of 16 bytes, zeros after it.
    pub fn name16(&mut self, field: &'static str) -> Result<String, WireError> {
        let at = self.at;
        let bytes = self.bytes16()?;
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        let (name, rest) = bytes.split_at(end);
        match std::str::from_utf8(name) {
            Ok(name) if rest.iter().all(|&b| b == 0) => Ok(name.to_owned()),
            _ => Err(self.refuse(field, at, "neither", "UTF-8 with zeros after it")),
        }
    }

    /// The name of a map behind its length: nothing that could be a path or a command.
    pub fn map(&mut self) -> Result<String, WireError> {
        let at = self.at;
        let length = usize::from(self.u8()?);
        if length > MAP_BYTES {
            return Err(self.refuse("map_len", at, length, "0 to 64"));
        }
        let bytes = self.take(length)?;
        match std::str::from_utf8(bytes) {
            Ok(map) if is_map_name(map) => Ok(map.to_owned()),
            _ => Err(self.refuse("map", at + 1, "something else", "letters, digits, _ and -")),
        }
    }

    /// An error that names a field of this message.
    pub fn refuse(
        &self,
        field: &'static str,
        at: usize,
        value: impl std::fmt::Display,
        allowed: &'static str,
    ) -> WireError {
        WireError::Field { what: self.what, field, at, value: value.to_string(), allowed }
    }

    /// The message must end here.
    pub fn end(self) -> Result<(), WireError> {
        match self.left() {
            0 => Ok(()),
            left => Err(WireError::Long { what: self.what, at: self.at, left }),
        }
    }
}

/// Longest name of a map.
pub const MAP_BYTES: usize = 64;

/// Whether a map may be called that on the wire. The empty name is "the one that runs".
pub fn is_map_name(name: &str) -> bool {
    name.len() <= MAP_BYTES
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// The little-endian bytes of floats, one after another.
pub fn put_f32s(out: &mut Vec<u8>, values: &[f32]) {
    for value in values {
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// A name cut to 16 bytes at a whole character, zeros after it.
pub fn put_name16(out: &mut Vec<u8>, name: &str) {
    let mut end = name.len().min(16);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    let mut field = [0; 16];
    field[..end].copy_from_slice(&name.as_bytes()[..end]);
    out.extend_from_slice(&field);
}

/// The name of a map behind its length; one that may not go over the wire becomes the empty name.
pub fn put_map(out: &mut Vec<u8>, map: &str) {
    let map = if is_map_name(map) { map } else { "" };
    out.push(map.len() as u8);
    out.extend_from_slice(map.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_byte() {
        let mut reader = Reader::new("HELLO", &[1, 2, 3]);
        assert_eq!(reader.u16(), Ok(0x0201));
        assert_eq!(reader.u32(), Err(WireError::Short { what: "HELLO", at: 3, wanted: 3 }));
        assert_eq!(reader.end(), Err(WireError::Long { what: "HELLO", at: 2, left: 1 }));
    }

    #[test]
    fn floats_are_numbers() {
        let bytes = f32::NAN.to_le_bytes();
        let error = Reader::new("STATE", &bytes).f32("velocity").unwrap_err();
        assert!(error.to_string().contains("velocity at byte 0 is NaN"), "{error}");
    }

    #[test]
    fn maps_are_neither_paths_nor_commands() {
        for name in ["c1m1_hotel", "", "de-dust2"] {
            let mut bytes = Vec::new();
            put_map(&mut bytes, name);
            assert_eq!(Reader::new("RESET", &bytes).map().as_deref(), Ok(name));
        }
        for name in ["../maps", "a;quit", "a b", "a\"", "ä"] {
            let mut bytes = vec![name.len() as u8];
            bytes.extend_from_slice(name.as_bytes());
            assert!(Reader::new("RESET", &bytes).map().is_err(), "{name}");
        }
        let long = [&[65][..], &[b'a'; 65]].concat();
        assert!(Reader::new("RESET", &long).map().is_err());
    }

    #[test]
    fn names_are_cut_at_a_character() {
        let mut bytes = Vec::new();
        put_name16(&mut bytes, "fifteen letters\u{e4}");
        assert_eq!(bytes.len(), 16);
        assert_eq!(Reader::new("HELLO", &bytes).name16("n").as_deref(), Ok("fifteen letters"));
        bytes[3] = 0;
        assert!(Reader::new("HELLO", &bytes).name16("n").is_err());
    }
}
