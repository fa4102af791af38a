//! What goes over the wire: how bytes become requests and decisions become bytes.

mod act;
mod binary;
mod describe;
mod http;
mod lines;
mod pvp_ml;

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::ask::Ask;
use crate::batch::Outcome;
use crate::metrics::Metrics;
use crate::model::{Endpoint, Models};
use crate::refusal::{Kind, Refusal};
use crate::token::Token;

pub use binary::{MAGIC, flags, kinds, wants};

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Lines of JSON, our own.
    Lines,
    /// The same in binary.
    Binary,
    /// The same by `POST /act`.
    Http,
    /// The API of pvp-ml.
    PvpMl,
    /// Its short form: observation and masks in, action out.
    Short,
    /// `GET /metrics` and `GET /health`.
    Metrics,
}

impl Format {
    /// Those that decide.
    pub const ALL: [Self; 5] = [Self::Lines, Self::Binary, Self::Http, Self::PvpMl, Self::Short];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::Binary => "binary",
            Self::Http => "http",
            Self::PvpMl => "pvp-ml",
            Self::Short => "short",
            Self::Metrics => "metrics",
        }
    }

    /// Where its clients look for it.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Lines => 5600,
            Self::Binary => 5601,
            Self::Http => 5602,
            Self::PvpMl => 9999,
            Self::Short => 5555,
            Self::Metrics => 5609,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("there is no format `{text}`; there are: {known}")
        })
    }
}

/// What every format needs to know.
pub struct Context<'a> {
    /// What is served.
    pub models: &'a Models,
    /// What clients must show.
    pub token: Option<&'a Token>,
    /// Bytes of a message.
    pub most_bytes: usize,
    /// For those who ask for them.
    pub metrics: &'a Metrics,
}

/// What a message asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Message {
    /// A decision; the request is in the `Ask`.
    Decide,
    /// Nothing more: the answer is written, if there is one.
    Answered,
    /// The session of the `Ask` is over.
    Forget,
}

/// A whole message among the bytes that have come.
#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it says.
    pub body: Range<usize>,
    /// Bytes up to the next one.
    pub length: usize,
}

/// A client's side of a format.
pub struct Talk {
    format: Format,
    /// Has the client shown the token?
    trusted: bool,
    /// The policy that a binary client has chosen.
    chosen: Option<usize>,
    /// What the head of the HTTP request at hand said.
    head: http::Head,
    /// Was the end of the connection asked for?
    last: bool,
    /// Bodies of HTTP and probabilities on their way out.
    body: Vec<u8>,
    probs: Vec<f32>,
}

impl Talk {
    /// A client that has just come.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            trusted: false,
            chosen: None,
            head: http::Head::default(),
            last: false,
            body: Vec::new(),
            probs: Vec::new(),
        }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Should the connection end after what was answered?
    pub fn is_last(&self) -> bool {
        self.last
    }

    /// Finds a whole message; `seen` says how many bytes were looked at before in vain, and is moved on.
    pub fn frame(
        &mut self,
        bytes: &[u8],
        seen: &mut usize,
        out: &mut Vec<u8>,
        context: &Context,
    ) -> Result<Option<Frame>, Refusal> {
        match self.format {
            Format::Lines | Format::PvpMl | Format::Short => line(bytes, seen, context.most_bytes),
            Format::Binary => binary::frame(bytes, context.most_bytes),
            Format::Http | Format::Metrics => {
                http::frame(&mut self.head, bytes, seen, out, context.most_bytes)
            }
        }
    }

    /// Reads a whole message. What can be answered at once is.
    pub fn read(
        &mut self,
        body: &[u8],
        ask: &mut Ask,
        out: &mut Vec<u8>,
        context: &Context,
    ) -> Result<Message, Refusal> {
        ask.clear();
        match self.format {
            Format::Lines => lines::read(body, &mut self.trusted, ask, out, context),
            Format::PvpMl => pvp_ml::read(body, &mut self.trusted, ask, context),
            Format::Short => pvp_ml::read_short(body, &mut self.trusted, ask, context),
            Format::Binary => {
                binary::read(body, &mut self.trusted, &mut self.chosen, ask, out, context)
            }
            Format::Http => {
                self.last = self.head.closes;
                self.body.clear();
                let message = http::read(&self.head, body, ask, &mut self.body, context)?;
                if message == Message::Answered {
                    http::reply(out, "200 OK", http::JSON, &self.body, self.last);
                }
                Ok(message)
            }
            Format::Metrics => {
                self.last = self.head.closes;
                self.body.clear();
                let kind = http::monitor(&self.head, &mut self.body, context)?;
                http::reply(out, "200 OK", kind, &self.body, self.last);
                Ok(Message::Answered)
            }
        }
    }

    /// Writes a decision.
    pub fn decided(
        &mut self,
        ask: &Ask,
        endpoint: &Endpoint,
        outcome: &Outcome,
        out: &mut Vec<u8>,
    ) {
        let probs = &mut self.probs;
        match self.format {
            Format::Lines => {
                act::write(ask, endpoint, outcome, probs, out);
                out.push(b'\n');
            }
            Format::PvpMl => pvp_ml::write(ask, outcome, probs, out),
            Format::Short => pvp_ml::write_short(outcome, out),
            Format::Binary => binary::write(ask, outcome, probs, out),
            Format::Http => {
                self.body.clear();
                act::write(ask, endpoint, outcome, probs, &mut self.body);
                http::reply(out, "200 OK", http::JSON, &self.body, self.last);
            }
            Format::Metrics => {}
        }
    }

    /// Says that a session is over.
    pub fn forgotten(&mut self, ask: &Ask, out: &mut Vec<u8>) {
        match self.format {
            Format::Lines => {
                act::write_forgotten(ask, out);
                out.push(b'\n');
            }
            Format::Binary => binary::write_forgotten(ask, out),
            Format::Http => {
                self.body.clear();
                act::write_forgotten(ask, &mut self.body);
                http::reply(out, "200 OK", http::JSON, &self.body, self.last);
            }
            Format::PvpMl | Format::Short | Format::Metrics => {}
        }
    }

    /// Writes why something was refused. Returns whether the connection goes on.
    pub fn refused(&mut self, refusal: &Refusal, ask: &Ask, out: &mut Vec<u8>) -> bool {
        let goes_on = !refusal.kind.closes();
        match self.format {
            Format::Lines => {
                act::write_refusal(refusal, ask, out);
                out.push(b'\n');
                goes_on
            }
            // The original closes; its clients find the reason in front of the end.
            Format::PvpMl | Format::Short => {
                act::write_refusal(refusal, ask, out);
                out.push(b'\n');
                refusal.kind == Kind::Busy
            }
            Format::Binary => {
                binary::write_refusal(refusal, ask, out);
                goes_on && self.chosen.is_some()
            }
            Format::Http | Format::Metrics => {
                // After a head that could not be read, nobody knows where the next one begins.
                self.last |= !goes_on || !self.head.is_whole();
                self.body.clear();
                act::write_refusal(refusal, ask, &mut self.body);
                http::reply(out, refusal.kind.status(), http::JSON, &self.body, self.last);
                !self.last
            }
        }
    }
}

/// Finds a line.
fn line(bytes: &[u8], seen: &mut usize, most: usize) -> Result<Option<Frame>, Refusal> {
    let from = *seen;
    match bytes[from..].iter().position(|&b| b == b'\n') {
        Some(at) if from + at <= most => {
            Ok(Some(Frame { body: 0..from + at, length: from + at + 1 }))
        }
        None if bytes.len() <= most => {
            *seen = bytes.len();
            Ok(None)
        }
        _ => Err(too_large(most)),
    }
}

fn too_large(most: usize) -> Refusal {
    Refusal::new(Kind::TooLarge, format!("a message is longer than {most} bytes"))
}

/// Finds the policy that a request means.
fn endpoint(models: &Models, model: Option<&str>, role: Option<&str>) -> Result<usize, Refusal> {
    let only = models.endpoints().len() == 1;
    let found = match (model, role) {
        (None, None) if only => Some(0),
        (None, _) => {
            let known = models.known();
            return Err(Refusal::unknown(format!("`model` is missing; there are: {known}")));
        }
        (Some(model), None) => models.find(model),
        (Some(model), Some(role)) => models.find_role(model, role),
    };
    found.ok_or_else(|| {
        let name: String = model.unwrap_or_default().chars().take(64).collect();
        let role = role.map_or(String::new(), |role| {
            format!("/{}", role.chars().take(64).collect::<String>())
        });
        Refusal::unknown(format!("unknown model `{name}{role}`; there are: {}", models.known()))
    })
}

/// Refuses whoever has not shown the token.
fn demand(trusted: bool, context: &Context, how: &str) -> Result<(), Refusal> {
    if trusted || context.token.is_none() {
        return Ok(());
    }
    Err(Refusal::new(Kind::Token, format!("this server asks for a token: {how}")))
}

/// Looks at a token that was shown.
fn shown(token: &[u8], trusted: &mut bool, context: &Context) -> Result<(), Refusal> {
    match context.token {
        Some(secret) if !secret.is(token) => {
            Err(Refusal::new(Kind::Token, "the token is not the one of this server"))
        }
        _ => {
            *trusted = true;
            Ok(())
        }
    }
}
