//! Event files for TensorBoard.
//!
//! An event file is a sequence of framed records; each record is one `Event` message of protocol
//! buffers. Both formats are small enough to be written by hand, which spares a code generator.
//!
//! Every sitting writes a new file: TensorBoard merges all event files of a directory in the order
//! of their names, and those start with the time. A sitting that resumes from an earlier step says
//! so with [`EventWriter::session_start`], and TensorBoard drops what the lost steps had written.
//! Nothing here truncates or rewrites older files.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::crc::checksum;
use crate::files::EVENTS;

/// Writes events to a file, or to anything else that takes bytes.
#[derive(Debug)]
pub struct EventWriter<W: Write> {
    writer: W,
}

/// The name of an event file: TensorBoard reads files with `tfevents` in their names, and sorts
/// them by name. `label` sets files of the same second apart.
fn file_name(wall_time: f64, label: &str) -> String {
    format!("{EVENTS}.{:010}.{label}", wall_time as u64)
}

impl EventWriter<BufWriter<File>> {
    /// Opens a new event file in a directory, never one that exists.
    pub fn create(directory: &Path, wall_time: f64, label: &str) -> io::Result<Self> {
        let mut path = directory.join(file_name(wall_time, label));
        let mut copies = 0;
        loop {
            match File::create_new(&path) {
                Ok(file) => return Self::new(BufWriter::new(file), wall_time),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    copies += 1;
                    path = directory.join(file_name(wall_time, &format!("{label}.{copies}")));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl<W: Write> EventWriter<W> {
    /// Starts an event file on a writer. Times are seconds since 1970.
    pub fn new(writer: W, wall_time: f64) -> io::Result<Self> {
        let mut this = Self { writer };
        let mut event = Message::default();
        event.double(1, wall_time);
        event.bytes(3, b"brain.Event:2");
        this.record(&event.0)?;
        Ok(this)
    }

    /// Says that training goes on at `step`: events of that step or later in earlier files are
    /// void, because the sitting that wrote them was lost or rewound.
    pub fn session_start(&mut self, step: i64, wall_time: f64) -> io::Result<()> {
        let mut session = Message::default();
        session.varint(1, 1); // status: start
        let mut event = Message::default();
        event.double(1, wall_time);
        event.int64(2, step);
        event.message(7, &session);
        self.record(&event.0)
    }

    /// Writes several numbers of the same step as one event.
    pub fn scalars<'a>(
        &mut self,
        step: i64,
        wall_time: f64,
        values: impl IntoIterator<Item = (&'a str, f32)>,
    ) -> io::Result<()> {
        let mut summary = Message::default();
        for (tag, number) in values {
            let mut value = Message::default();
            value.bytes(1, tag.as_bytes());
            value.float(2, number);
            summary.message(1, &value);
        }
        let mut event = Message::default();
        event.double(1, wall_time);
        event.int64(2, step);
        event.message(5, &summary);
        self.record(&event.0)
    }

    /// Hands everything written so far to the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// A record: its length, a checksum of the length, the data, a checksum of the data.
    fn record(&mut self, data: &[u8]) -> io::Result<()> {
        let length = (data.len() as u64).to_le_bytes();
        // One write per record: a reader that follows the file sees whole records more often.
        let mut record = Vec::with_capacity(data.len() + 16);
        record.extend(length);
        record.extend(masked_crc32c(&length).to_le_bytes());
        record.extend(data);
        record.extend(masked_crc32c(data).to_le_bytes());
        self.writer.write_all(&record)
    }
}

/// A protocol-buffers message under construction. Methods take the number of the field first.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, field: u32, value: u64) {
        self.key(field, 0);
        self.raw_varint(value);
    }

    /// Negative numbers take ten bytes: the format sign-extends them to 64 bits.
    fn int64(&mut self, field: u32, value: i64) {
        self.varint(field, value.cast_unsigned());
    }

    fn double(&mut self, field: u32, value: f64) {
        self.key(field, 1);
        self.0.extend(value.to_le_bytes());
    }

    fn float(&mut self, field: u32, value: f32) {
        self.key(field, 5);
        self.0.extend(value.to_le_bytes());
    }

    fn bytes(&mut self, field: u32, value: &[u8]) {
        self.key(field, 2);
        self.raw_varint(value.len() as u64);
        self.0.extend(value);
    }

    fn message(&mut self, field: u32, value: &Message) {
        self.bytes(field, &value.0);
    }

    fn key(&mut self, field: u32, wire_type: u32) {
        self.raw_varint(u64::from(field << 3 | wire_type));
    }

    /// Seven bits per byte, lowest first; the top bit says that more follow.
    fn raw_varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// Records may hold records with checksums of their own; the mask keeps those apart.
fn masked_crc32c(data: &[u8]) -> u32 {
    checksum(data).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a file into the data of its records and checks the frames.
    fn records(mut file: &[u8]) -> Vec<Vec<u8>> {
        let mut records = Vec::new();
        while !file.is_empty() {
            let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
            assert_eq!(file[8..12], masked_crc32c(&file[..8]).to_le_bytes());
            let data = &file[12..12 + length];
            assert_eq!(file[12 + length..16 + length], masked_crc32c(data).to_le_bytes());
            records.push(data.to_vec());
            file = &file[16 + length..];
        }
        records
    }

    #[test]
    fn varints() {
        let encoded = |value| {
            let mut message = Message::default();
            message.raw_varint(value);
            message.0
        };
        assert_eq!(encoded(0), [0]);
        assert_eq!(encoded(127), [127]);
        assert_eq!(encoded(300), [0xac, 0x02]);
        assert_eq!(encoded(u64::MAX).len(), 10);
    }

    #[test]
    fn a_file_byte_by_byte() {
        let mut file = Vec::new();
        let mut writer = EventWriter::new(&mut file, 1.0).unwrap();
        writer.scalars(2, 1.5, [("a", 0.5), ("b", -1.0)]).unwrap();
        writer.session_start(-1, 1.5).unwrap();
        writer.flush().unwrap();
        let records = records(&file);
        assert_eq!(records.len(), 3);
        let mut first = vec![0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x1a, 13];
        first.extend(b"brain.Event:2");
        assert_eq!(records[0], first);
        let mut second = vec![0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f, 0x10, 2, 0x2a, 20];
        second.extend([0x0a, 8, 0x0a, 1, b'a', 0x15, 0, 0, 0, 0x3f]);
        second.extend([0x0a, 8, 0x0a, 1, b'b', 0x15, 0, 0, 0x80, 0xbf]);
        assert_eq!(records[1], second);
        assert!(records[2].ends_with(&[0xff, 0xff, 0x01, 0x3a, 2, 0x08, 1]), "{:x?}", records[2]);
    }

    #[test]
    fn files_of_one_second_do_not_overwrite_each_other() {
        let directory = std::env::temp_dir().join(format!("lanista-events-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        for _ in 0..3 {
            EventWriter::create(&directory, 12.9, "run").unwrap();
        }
        let mut names: Vec<_> = std::fs::read_dir(&directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        std::fs::remove_dir_all(&directory).unwrap();
        names.sort();
        let name = "events.out.tfevents.0000000012.run";
        assert_eq!(names, [name.to_owned(), format!("{name}.1"), format!("{name}.2")]);
    }
}
