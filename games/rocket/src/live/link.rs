//! The connection to the core: messages with their length before them, of which the newest packet wins.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::flat::Malformed;
use super::message::{Heard, Said};
use super::packet::Packet;

/// The longest message (65,535 bytes and two for its length) fits several times.
const ROOM: usize = 1 << 18;
/// What is waiting is taken in at most so many pieces of [`ROOM`] before somebody looks at it.
const MOST_PIECES: usize = 64;
/// How long to listen before looking around.
const PATIENCE: Duration = Duration::from_millis(100);
/// A core that takes nothing for so long is gone.
const WRITE_PATIENCE: Duration = Duration::from_secs(5);

/// What had come since the last time, without what was stale.
#[derive(Debug, Default)]
pub struct Received {
    /// Everything but packets, in order.
    pub messages: Vec<Heard>,
    /// The newest packet.
    pub packet: Option<Box<Packet>>,
    /// Packets that a newer one replaced before anybody saw them.
    pub stale: u64,
}

/// Why a connection ended.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// It is closed, or the network failed.
    #[error("{0}")]
    Lost(#[from] io::Error),
    /// What came is no message.
    #[error("it sent a message that is none of RLBot's: {0}")]
    Malformed(#[from] Malformed),
}

/// One connection.
pub struct Link {
    stream: TcpStream,
    buffer: Vec<u8>,
    held: usize,
    newest: Vec<u8>,
}

impl Link {
    /// Over a stream.
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        Ok(Self { stream, buffer: vec![0; ROOM], held: 0, newest: Vec::new() })
    }

    /// Says several things at once.
    pub fn say(&mut self, things: &[Said]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(80 * things.len());
        for thing in things {
            let message = thing.write();
            let length = u16::try_from(message.len())
                .map_err(|_| io::Error::new(ErrorKind::InvalidInput, "a message is too long"))?;
            bytes.extend(length.to_be_bytes());
            bytes.extend(message);
        }
        self.stream.write_all(&bytes)
    }

    /// Takes everything that has come, waiting for a moment if nothing has.
    ///
    /// One call of the system takes all that is there, as long as there is room for it; then the newest
    /// packet is what the game looks like now, and those before it are nobody's business any more. So a
    /// bot that was slow, or stopped for a while, goes on with the present.
    pub fn receive(&mut self) -> Result<Received, Broken> {
        let mut received = Received::default();
        let mut packets = 0;
        for _ in 0..MOST_PIECES {
            let taken = match self.stream.read(&mut self.buffer[self.held..]) {
                Ok(0) => return Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
                Ok(taken) => taken,
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted => break,
                    _ => return Err(error.into()),
                },
            };
            self.held += taken;
            let more = self.held == ROOM;
            packets += self.sort(&mut received)?;
            if !more && (packets > 0 || !received.messages.is_empty()) {
                break;
            }
        }
        if packets > 0 {
            received.stale = packets - 1;
            if let Heard::Packet(packet) = Heard::read(&self.newest)? {
                received.packet = Some(packet);
            }
        }
        Ok(received)
    }

    /// Takes the whole messages out of the buffer. Returns how many packets were among them.
    fn sort(&mut self, received: &mut Received) -> Result<u64, Malformed> {
        let (mut at, mut packets) = (0, 0);
        while let Some(length) = self.buffer[at..self.held].first_chunk::<2>() {
            let end = at + 2 + usize::from(u16::from_be_bytes(*length));
            if end > self.held {
                break;
            }
            let message = &self.buffer[at + 2..end];
            if Heard::is_packet(message) {
                packets += 1;
                self.newest.clear();
                self.newest.extend(message);
            } else {
                match Heard::read(message)? {
                    Heard::Other => {}
                    heard => received.messages.push(heard),
                }
            }
            at = end;
        }
        self.buffer.copy_within(at..self.held, 0);
        self.held -= at;
        Ok(packets)
    }
}
