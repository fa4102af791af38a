//! Just enough HTTP/1.1 for scripts and for whoever watches the server: requests with a known length,
//! one after another on a connection.

use std::fmt::Write;

use crate::ask::Ask;
use crate::json::Bytes;
use crate::refusal::{Kind, Refusal};

use super::{Context, Frame, Message, act, demand, describe, shown, too_large};

/// The most bytes of what stands before a body.
const MOST_HEAD: usize = 8 << 10;
/// What bodies are.
pub const JSON: &str = "application/json";
const PROMETHEUS: &str = "text/plain; version=0.0.4";

/// What the head of a request says.
#[derive(Default)]
pub struct Head {
    method: String,
    path: String,
    token: Option<String>,
    /// Where the body begins; 0 while no head has come.
    body: usize,
    length: usize,
    /// Does the client want the connection closed after the reply?
    pub closes: bool,
}

impl Head {
    /// Was it read to its end?
    pub fn is_whole(&self) -> bool {
        self.body > 0
    }
}

/// Finds a whole request. Its head is read as soon as it has come, and is kept until its body has.
pub fn frame(
    head: &mut Head,
    bytes: &[u8],
    seen: &mut usize,
    out: &mut Vec<u8>,
    most: usize,
) -> Result<Option<Frame>, Refusal> {
    if *seen == 0 {
        *head = Head::default();
    }
    if !head.is_whole() {
        let from = seen.saturating_sub(3);
        let Some(at) = bytes[from..].windows(4).position(|w| w == b"\r\n\r\n") else {
            *seen = bytes.len();
            if bytes.len() > MOST_HEAD {
                return Err(too_large(MOST_HEAD));
            }
            return Ok(None);
        };
        *seen = from + at + 4;
        let (whole, waits) = parse(&bytes[..from + at])?;
        *head = whole;
        if head.length > most {
            return Err(too_large(most));
        }
        head.body = from + at + 4;
        if waits && bytes.len() < head.body + head.length {
            out.extend_from_slice(b"HTTP/1.1 100 Continue\r\n\r\n");
        }
    }
    let length = head.body + head.length;
    Ok((bytes.len() >= length).then_some(Frame { body: head.body..length, length }))
}

/// Reads a head; says as well whether the client waits for leave to send the body.
fn parse(bytes: &[u8]) -> Result<(Head, bool), Refusal> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Refusal::malformed("the head of the request is not UTF-8"))?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, path, version) = (first.next(), first.next(), first.next());
    let (Some(method), Some(path), Some(version)) = (method, path, version) else {
        return Err(Refusal::malformed("a request begins with METHOD PATH HTTP/1.1"));
    };
    if !["HTTP/1.1", "HTTP/1.0"].contains(&version) || first.next().is_some() {
        return Err(Refusal::malformed("a request begins with METHOD PATH HTTP/1.1"));
    }
    let mut head = Head {
        method: method.to_owned(),
        path: path.split('?').next().unwrap_or_default().to_owned(),
        closes: version == "HTTP/1.0",
        ..Head::default()
    };
    let (mut waits, mut lengths) = (false, 0);
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return Err(Refusal::malformed("a line of the head has no colon"));
        };
        let value = value.trim();
        if name.eq_ignore_ascii_case("content-length") {
            lengths += 1;
            let digits = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit());
            let length = value.parse().ok().filter(|_| digits && lengths == 1);
            head.length =
                length.ok_or_else(|| Refusal::malformed("Content-Length is one whole number"))?;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            return Err(Refusal::malformed("send the body with Content-Length, not in chunks"));
        } else if name.eq_ignore_ascii_case("connection") {
            head.closes |= value.eq_ignore_ascii_case("close");
        } else if name.eq_ignore_ascii_case("expect") {
            waits |= value.eq_ignore_ascii_case("100-continue");
        } else if name.eq_ignore_ascii_case("authorization") {
            let scheme = value.get(..7).is_some_and(|s| s.eq_ignore_ascii_case("bearer "));
            head.token = scheme.then(|| value[7..].trim().to_owned());
        }
    }
    Ok((head, waits))
}

fn authorise(head: &Head, context: &Context) -> Result<(), Refusal> {
    let mut trusted = false;
    if let Some(token) = &head.token {
        shown(token.as_bytes(), &mut trusted, context)?;
    }
    demand(trusted, context, "send the header Authorization: Bearer TOKEN")
}

/// Reads a request for a decision.
pub fn read(
    head: &Head,
    body: &[u8],
    ask: &mut Ask,
    out: &mut Vec<u8>,
    context: &Context,
) -> Result<Message, Refusal> {
    authorise(head, context)?;
    match (head.method.as_str(), head.path.as_str()) {
        ("POST", "/act") => act::read(body, |_| Ok(()), ask, out, context),
        ("GET", "/models") => {
            describe::write(context.models, None, out);
            Ok(Message::Answered)
        }
        _ => Err(Refusal::unknown("there are POST /act and GET /models")),
    }
}

/// Answers whoever watches the server; returns what kind of text it is.
pub fn monitor(head: &Head, out: &mut Vec<u8>, context: &Context) -> Result<&'static str, Refusal> {
    match (head.method.as_str(), head.path.as_str()) {
        // Says nothing but that the server lives, so it asks for nothing.
        ("GET", "/health") => {
            out.extend_from_slice(b"{\"status\":\"ok\"}");
            Ok(JSON)
        }
        ("GET", "/metrics") => {
            authorise(head, context)?;
            let _ = context.metrics.write(&mut Bytes(out), context.models);
            Ok(PROMETHEUS)
        }
        _ => Err(Refusal::new(Kind::Unknown, "there are GET /metrics and GET /health")),
    }
}

/// Writes a reply.
pub fn reply(out: &mut Vec<u8>, status: &str, kind: &str, body: &[u8], last: bool) {
    let connection = if last { "close" } else { "keep-alive" };
    let _ = write!(
        Bytes(out),
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: {connection}\r\n\r\n",
        body.len()
    );
    out.extend_from_slice(body);
}
