//! The connection itself: a websocket that is opened, kept alive and opened again.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tungstenite::handshake::HandshakeError;
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error, Message, WebSocket};

use super::address::Address;
use super::event::Refusal;
use super::pulse::{Backoff, Beat, Pulse};
use super::table::{Summary, Table};

/// How long a server may take to be reached and to greet.
const GREETING: Duration = Duration::from_secs(30);
/// How long a read waits before time is looked at again. What arrives is read at once.
const GLANCE: Duration = Duration::from_millis(100);
/// The largest message that is taken; a whole log of a long battle has a tenth of it.
const LARGEST: usize = 16 << 20;

/// Why it did not come to playing, or to its end.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The name of the host means nothing.
    #[error("cannot find the host of {0}: {1}; check the address given with --server")]
    Unknown(Address, io::Error),
    /// Nobody answers.
    #[error(
        "cannot reach a server at {0}: {1}; is it running, and is this its port? A local one is started \
         from the package of the simulator with `node pokemon-showdown start --skip-build --no-security`"
    )]
    Unreachable(Address, io::Error),
    /// Somebody answers who is no Showdown server.
    #[error(
        "{0} answers, but not as a Showdown server at {1}: {2}; check the port, or give the path of its \
         websocket in --server"
    )]
    NoWebsocket(Address, String, String),
    /// The connection broke and could not be made again.
    #[error("the connection to {0} was lost and did not come back: {1}")]
    Lost(Address, Box<ClientError>),
    /// The server will not have it.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

type Socket = WebSocket<TcpStream>;

/// Plays all battles of a table. `stop` is how often one was asked to stop: at the first time nothing new is
/// begun, at the second what runs is given up.
pub fn play(
    address: &Address,
    table: &mut Table,
    stop: &AtomicUsize,
) -> Result<Summary, ClientError> {
    let began = Instant::now();
    let mut socket = connect(address)?;
    loop {
        let broken = converse(&mut socket, table, stop, began)?;
        let Some(reason) = broken else {
            // Nobody is left to hear that one goes.
            let _ = socket.close(None);
            let _ = socket.flush();
            return Ok(table.summary.clone());
        };
        table.say(&format!("the connection to {address} broke: {reason}"));
        table.closed();
        table.summary.reconnects += 1;
        socket = reconnect(address, table, stop)?;
        table.say(&format!("connected to {address} again"));
    }
}

/// Talks until all is played, which is nothing, or the connection breaks, which is why.
fn converse(
    socket: &mut Socket,
    table: &mut Table,
    stop: &AtomicUsize,
    began: Instant,
) -> Result<Option<String>, ClientError> {
    let mut pulse = Pulse::new(began.elapsed());
    loop {
        let mut send = match socket.read() {
            Ok(message) => {
                pulse.heard(began.elapsed());
                match message {
                    Message::Text(text) => table.receive(&text, began.elapsed()),
                    Message::Close(_) => return Ok(Some("the server closed it".to_owned())),
                    _ => Vec::new(),
                }
            }
            Err(Error::Io(error)) if is_pause(&error) => Vec::new(),
            Err(error) => return Ok(Some(error.to_string())),
        };
        match pulse.beat(began.elapsed()) {
            Beat::Fine => {}
            Beat::Ask => {
                if let Err(error) = socket.send(Message::Ping(Vec::new().into())) {
                    return Ok(Some(error.to_string()));
                }
            }
            Beat::Dead => return Ok(Some("the server has fallen silent".to_owned())),
        }
        send.extend(table.tick(began.elapsed()));
        match stop.load(Ordering::Relaxed) {
            0 => {}
            1 => table.wind_up(),
            _ => send.extend(table.forfeit()),
        }
        for text in send {
            if let Err(error) = socket.send(Message::Text(text.into())) {
                return Ok(Some(error.to_string()));
            }
        }
        if let Some(refusal) = table.refusal.take() {
            return Err(refusal.into());
        }
        if table.is_over() || stop.load(Ordering::Relaxed) > 1 {
            return Ok(None);
        }
    }
}

/// Nothing came in time, which is no error.
fn is_pause(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}

fn reconnect(
    address: &Address,
    table: &mut Table,
    stop: &AtomicUsize,
) -> Result<Socket, ClientError> {
    let mut backoff = Backoff::default();
    loop {
        let Some(pause) = backoff.pause() else {
            let error = connect(address).err();
            let error = error.unwrap_or_else(|| {
                ClientError::Unreachable(address.clone(), io::ErrorKind::TimedOut.into())
            });
            return Err(ClientError::Lost(address.clone(), Box::new(error)));
        };
        let until = Instant::now() + pause;
        while Instant::now() < until && stop.load(Ordering::Relaxed) < 2 {
            std::thread::sleep(GLANCE.min(until.saturating_duration_since(Instant::now())));
        }
        match connect(address) {
            Ok(socket) => return Ok(socket),
            Err(error) if stop.load(Ordering::Relaxed) > 0 => {
                return Err(ClientError::Lost(address.clone(), Box::new(error)));
            }
            Err(error) => table.say(&format!("{error}; trying again")),
        }
    }
}

fn connect(address: &Address) -> Result<Socket, ClientError> {
    let unknown = |error| ClientError::Unknown(address.clone(), error);
    let unreachable = |error| ClientError::Unreachable(address.clone(), error);
    let place = (address.host.as_str(), address.port);
    let mut failed = io::ErrorKind::NotFound.into();
    for found in place.to_socket_addrs().map_err(unknown)? {
        match TcpStream::connect_timeout(&found, GREETING) {
            Ok(stream) => return greet(address, stream),
            Err(error) => failed = error,
        }
    }
    Err(unreachable(failed))
}

fn greet(address: &Address, stream: TcpStream) -> Result<Socket, ClientError> {
    let unreachable = |error| ClientError::Unreachable(address.clone(), error);
    stream.set_read_timeout(Some(GREETING)).map_err(unreachable)?;
    stream.set_write_timeout(Some(GREETING)).map_err(unreachable)?;
    // A choice is one small message that somebody waits for.
    stream.set_nodelay(true).map_err(unreachable)?;
    let config =
        WebSocketConfig::default().max_message_size(Some(LARGEST)).max_frame_size(Some(LARGEST));
    let url = address.url();
    match tungstenite::client::client_with_config(&url, stream, Some(config)) {
        Ok((socket, _)) => {
            socket.get_ref().set_read_timeout(Some(GLANCE)).map_err(unreachable)?;
            Ok(socket)
        }
        Err(error) => {
            let words = match error {
                HandshakeError::Failure(Error::Http(answer)) => {
                    format!("it says {}", answer.status())
                }
                HandshakeError::Failure(error) => error.to_string(),
                HandshakeError::Interrupted(_) => "it does not greet".to_owned(),
            };
            Err(ClientError::NoWebsocket(address.clone(), address.path.clone(), words))
        }
    }
}
