//! Frames: the pieces a recording is cut into.

use super::error::DemoError;
use super::header::HEADER_BYTES;
use super::view::VIEWS_BYTES;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameKind {
    /// Messages of the server from before play.
    Signon,
    /// Where the player stands and looks, and messages of the server.
    Packet,
    /// Play begins.
    SyncTick,
    /// A line of the console.
    ConsoleCommand,
    /// What the player pressed.
    UserCommand,
    /// Which properties the things of the game have.
    DataTables,
    /// The end.
    Stop,
    /// Something of a game's own.
    CustomData,
    /// Names by number, and what hangs on them.
    StringTables,
}

impl FrameKind {
    /// All, in the order of their numbers, which begin at 1.
    pub const ALL: [FrameKind; 9] = [
        FrameKind::Signon,
        FrameKind::Packet,
        FrameKind::SyncTick,
        FrameKind::ConsoleCommand,
        FrameKind::UserCommand,
        FrameKind::DataTables,
        FrameKind::Stop,
        FrameKind::CustomData,
        FrameKind::StringTables,
    ];

    fn from_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number).checked_sub(1)?).copied()
    }

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            FrameKind::Signon => "signon",
            FrameKind::Packet => "packet",
            FrameKind::SyncTick => "sync_tick",
            FrameKind::ConsoleCommand => "console_command",
            FrameKind::UserCommand => "user_command",
            FrameKind::DataTables => "data_tables",
            FrameKind::Stop => "stop",
            FrameKind::CustomData => "custom_data",
            FrameKind::StringTables => "string_tables",
        }
    }

    /// Bytes that stand between the frame's head and the length of its payload; `None` where the
    /// frame is its head alone.
    // facts/survivors.md §3
    fn before_length(self) -> Option<usize> {
        match self {
            FrameKind::Signon | FrameKind::Packet => Some(VIEWS_BYTES + 8),
            FrameKind::ConsoleCommand | FrameKind::DataTables | FrameKind::StringTables => Some(0),
            FrameKind::UserCommand | FrameKind::CustomData => Some(4),
            FrameKind::SyncTick | FrameKind::Stop => None,
        }
    }
}

/// A frame, still as bytes.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// What it holds.
    pub kind: FrameKind,
    /// Its tick; those before play have 0 or less.
    pub tick: i32,
    /// The seat at this machine (split screen); 0 for nearly everybody.
    pub slot: u8,
    /// Its first byte in the file.
    pub at: usize,
    /// What stands before the payload's length: views, sequence numbers.
    pub before: &'a [u8],
    /// The payload.
    pub payload: &'a [u8],
    /// The payload's first byte in the file.
    pub payload_at: usize,
}

/// All frames of a file, in order; ends after the stop frame, the last byte or the first error.
pub struct Frames<'a> {
    file: &'a [u8],
    at: usize,
    tick: i32,
    slot: u8,
    stopped: bool,
}

impl<'a> Frames<'a> {
    /// The frames that follow the header.
    pub fn new(file: &'a [u8]) -> Self {
        Self { file, at: HEADER_BYTES.min(file.len()), tick: 0, slot: 0, stopped: false }
    }

    /// The byte after the last frame that was read.
    pub fn at(&self) -> usize {
        self.at
    }

    fn rest(&self) -> &'a [u8] {
        self.file.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, count: u64, what: &'static str) -> Result<&'a [u8], DemoError> {
        let rest = self.rest();
        let taken = usize::try_from(count).ok().and_then(|count| rest.get(..count));
        let Some(taken) = taken else {
            return Err(DemoError::Truncated {
                at: self.at,
                what,
                needed: count,
                left: rest.len(),
            });
        };
        self.at += taken.len();
        Ok(taken)
    }

    fn number(&mut self, what: &'static str) -> Result<i32, DemoError> {
        let bytes = self.take(4, what)?;
        Ok(bytes.try_into().map(i32::from_le_bytes).unwrap_or_default())
    }

    fn frame(&mut self) -> Result<Frame<'a>, DemoError> {
        let at = self.at;
        let found = self.take(1, "a frame's type")?.first().copied().unwrap_or_default();
        let kind = FrameKind::from_number(found).ok_or(DemoError::UnknownFrame { at, found })?;
        if kind == FrameKind::Stop {
            // The game cuts the last byte of its recordings off, and with it the slot of the stop
            // frame; whatever is missing is that of the frame before. // facts/survivors.md §3
            self.stopped = true;
            if self.rest().len() < 5 {
                if self.rest().len() == 4 {
                    self.tick = self.number("a frame's tick")?;
                }
                self.at = self.file.len();
                return Ok(self.bare(kind, at));
            }
        }
        self.tick = self.number("a frame's tick")?;
        self.slot = self.take(1, "a frame's slot")?.first().copied().unwrap_or_default();
        let Some(before) = kind.before_length() else {
            return Ok(self.bare(kind, at));
        };
        let before = self.take(before as u64, kind.name())?;
        let length_at = self.at;
        let found = self.number("a frame's length")?;
        let length = u64::try_from(found).map_err(|_| DemoError::NegativeLength {
            at: length_at,
            what: kind.name(),
            found,
        })?;
        let payload_at = self.at;
        let payload = self.take(length, kind.name())?;
        Ok(Frame { kind, tick: self.tick, slot: self.slot, at, before, payload, payload_at })
    }

    fn bare(&self, kind: FrameKind, at: usize) -> Frame<'a> {
        let (tick, slot) = (self.tick, self.slot);
        Frame { kind, tick, slot, at, before: &[], payload: &[], payload_at: self.at }
    }
}

impl<'a> Iterator for Frames<'a> {
    type Item = Result<Frame<'a>, DemoError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.stopped || self.at >= self.file.len() {
            return None;
        }
        let frame = self.frame();
        if frame.is_err() {
            self.stopped = true;
        }
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(frames: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        frames.iter().for_each(|frame| bytes.extend(*frame));
        bytes
    }

    fn head(kind: u8, tick: i32) -> Vec<u8> {
        let mut bytes = vec![kind];
        bytes.extend(tick.to_le_bytes());
        bytes.push(0);
        bytes
    }

    #[test]
    fn a_stop_frame_may_be_cut_off_anywhere() {
        let stop = head(7, 300);
        for cut in 0..6 {
            let bytes = file(&[&head(3, 299), &stop[..6 - cut]]);
            let mut frames = Frames::new(&bytes);
            let kinds: Vec<_> = frames.by_ref().map(|frame| frame.map(|f| f.kind)).collect();
            assert_eq!(kinds, [Ok(FrameKind::SyncTick), Ok(FrameKind::Stop)], "cut {cut}");
            assert_eq!(frames.at(), bytes.len());
        }
    }

    #[test]
    fn lengths_are_compared_with_what_is_left() {
        let mut long = head(4, 7);
        long.extend(i32::MAX.to_le_bytes());
        let error = Frames::new(&file(&[&long])).next().unwrap().unwrap_err();
        assert_eq!(
            error,
            DemoError::Truncated {
                at: HEADER_BYTES + 10,
                what: "console_command",
                needed: i32::MAX as u64,
                left: 0
            }
        );
        let mut negative = head(4, 7);
        negative.extend((-1i32).to_le_bytes());
        let error = Frames::new(&file(&[&negative])).next().unwrap().unwrap_err();
        assert!(matches!(error, DemoError::NegativeLength { found: -1, .. }));
    }

    #[test]
    fn nothing_follows_an_error() {
        let bytes = file(&[&[0], &head(3, 1)]);
        let mut frames = Frames::new(&bytes);
        assert!(matches!(frames.next(), Some(Err(DemoError::UnknownFrame { found: 0, .. }))));
        assert!(frames.next().is_none());
    }
}
