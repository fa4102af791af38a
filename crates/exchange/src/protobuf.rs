//! The wire format of protocol buffers, as far as writing needs it: a field is a key, which says its number
//! and how it is written, and its value. Fields follow each other without a frame.

/// Written as a number of variable length.
const VARINT: u64 = 0;
/// Written as its length and so many bytes: texts, bytes and messages.
const DELIMITED: u64 = 2;

/// A message that is being written. Fields are written in the order of the calls; those of proto3 that have
/// their default value may be left out, and are not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn varint(&mut self, mut value: u64) {
        // Seven bits a byte, the low ones first; the top bit says that more follow.
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn key(&mut self, field: u32, kind: u64) {
        self.varint(u64::from(field) << 3 | kind);
    }

    /// A whole number; a negative one takes ten bytes.
    pub fn int(&mut self, field: u32, value: i64) {
        self.key(field, VARINT);
        self.varint(value as u64);
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, field: u32, value: &[u8]) {
        self.key(field, DELIMITED);
        self.varint(value.len() as u64);
        self.bytes.extend(value);
    }

    /// A text.
    pub fn text(&mut self, field: u32, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    /// A message inside of this one.
    pub fn message(&mut self, field: u32, write: impl FnOnce(&mut Message)) {
        let mut inner = Message::default();
        write(&mut inner);
        self.bytes(field, &inner.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Message)) -> Vec<u8> {
        let mut message = Message::default();
        write(&mut message);
        message.into_bytes()
    }

    #[test]
    fn numbers_are_as_the_format_has_them() {
        // By hand: key = field · 8 + kind, 150 = 1·2⁷ + 22.
        assert_eq!(written(|m| m.int(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(written(|m| m.int(2, 0)), [0x10, 0x00]);
        assert_eq!(written(|m| m.int(1, 127)), [0x08, 0x7f]);
        assert_eq!(written(|m| m.int(1, 128)), [0x08, 0x80, 0x01]);
        let minus_one = [0x08, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0x01];
        assert_eq!(written(|m| m.int(1, -1)), minus_one);
        // Field 20 does not fit into the key's first byte.
        assert_eq!(written(|m| m.int(20, 7)), [0xa0, 0x01, 0x07]);
    }

    #[test]
    fn texts_and_messages_carry_their_length() {
        assert_eq!(written(|m| m.text(2, "testing")), b"\x12\x07testing");
        assert_eq!(written(|m| m.text(2, "")), [0x12, 0]);
        assert_eq!(written(|m| m.bytes(9, &[1, 2])), [0x4a, 2, 1, 2]);
        let nested = written(|m| m.message(3, |inner| inner.int(1, 150)));
        assert_eq!(nested, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let long = written(|m| m.bytes(1, &[7; 300]));
        assert_eq!(long[..3], [0x0a, 0xac, 0x02]);
        assert_eq!(long.len(), 303);
    }
}
