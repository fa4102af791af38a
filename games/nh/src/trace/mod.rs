//! Fights that were recorded on the original server: one JSON object per line, one line per tick.

mod event;
mod snapshot;

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde::Deserialize;

pub use event::{DamageRoll, Event, Hit, Roll};
pub use snapshot::Snapshot;

use crate::wire::{self, RawReply};
pub use crate::wire::{HEADS, MASKED, Meta, OBSERVED, ResetParams};

/// Longest line, in bytes; ten times what the server writes. A small file can unpack to a large one.
const LONGEST_LINE: usize = 1 << 16;
/// Most bytes of a file once unpacked; thirty times the longest recorded fight.
const LARGEST_FILE: usize = 1 << 28;

/// The last tick that a server can have reached: twenty thousand years after its start.
const LAST_TICK: u64 = 1 << 40;

/// Why a recorded fight cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The file.
    pub path: PathBuf,
    /// The line in it, from 1; none when the file as a whole is meant.
    pub line: Option<usize>,
    /// What is wrong there.
    pub problem: String,
}

impl TraceError {
    fn new(path: &Path, line: Option<usize>, problem: impl fmt::Display) -> Self {
        Self { path: path.to_path_buf(), line, problem: problem.to_string() }
    }
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl Error for TraceError {}

/// One fight as one of its fighters saw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fight {
    /// Where it was read from.
    pub path: PathBuf,
    /// Whom the reset asked for: a name, or `baseline` for the scripted opponent.
    pub target: String,
    /// Does the fight go on when the food is gone?
    pub death_match: bool,
    /// The parameters of the reset.
    pub params: ResetParams,
    /// The reply to the reset and those to every step.
    pub lines: Vec<Line>,
}

/// The state after one tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What was done in this tick, chosen from the line before; none in the first line.
    pub action: Option<[u8; 12]>,
    /// The tick of the server.
    pub tick: u64,
    /// The fighter whose file it is.
    pub me: Snapshot,
    /// Its opponent: in every line of fights against the scripted one, else in the first.
    pub other: Option<Snapshot>,
    /// What happened, in order, to either fighter.
    pub events: Vec<Event>,
    /// What the fighter sees; [`OBSERVED`] numbers.
    pub observation: Vec<f64>,
    /// What the fighter may do next.
    pub mask: [bool; MASKED],
    /// How the fight ended, in the last line.
    pub terminal: Option<String>,
    /// The numbers that rewards are made of.
    pub meta: Meta,
    /// What the opponent sees; [`OBSERVED`] numbers.
    pub target_observation: Option<Vec<f64>>,
    /// What the opponent may do next.
    pub target_mask: Option<[bool; MASKED]>,
}

impl Fight {
    /// Reads a file, unpacking it if its name ends in `.gz`.
    ///
    /// # Errors
    /// When the file cannot be read or is not a recorded fight from its first line to its last.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let file = File::open(path).map_err(|error| TraceError::new(path, None, error))?;
        let file = BufReader::new(file);
        if path.extension().is_some_and(|extension| extension == "gz") {
            Self::parse(path, BufReader::new(MultiGzDecoder::new(file)))
        } else {
            Self::parse(path, file)
        }
    }

    /// Reads the lines of a fight; `path` is what errors name.
    ///
    /// # Errors
    /// When they are not a recorded fight from the first to the last.
    pub fn parse(path: &Path, mut text: impl BufRead) -> Result<Self, TraceError> {
        let mut fight: Option<Self> = None;
        let mut left = LARGEST_FILE;
        let mut bytes = Vec::new();
        for number in 1.. {
            let fail = |problem: String| TraceError::new(path, Some(number), problem);
            bytes.clear();
            (&mut text)
                .take(LONGEST_LINE as u64 + 1)
                .read_until(b'\n', &mut bytes)
                .map_err(|error| fail(format!("cannot be read: {error}")))?;
            if bytes.is_empty() {
                break;
            }
            if bytes.len() > LONGEST_LINE {
                return Err(fail(format!("longer than {LONGEST_LINE} bytes")));
            }
            left = left
                .checked_sub(bytes.len())
                .ok_or_else(|| fail(format!("the file unpacks to over {LARGEST_FILE} bytes")))?;
            let raw: RawLine =
                serde_json::from_slice(&bytes).map_err(|error| fail(within_line(&error)))?;
            match &mut fight {
                None => fight = Some(raw.first(path).map_err(fail)?),
                Some(fight) => {
                    let line = raw.next(fight.lines.last()).map_err(fail)?;
                    fight.lines.push(line);
                }
            }
        }
        fight.ok_or_else(|| TraceError::new(path, None, "no line in it"))
    }

    /// Is the opponent the scripted one?
    pub fn against_baseline(&self) -> bool {
        self.target == "baseline"
    }
}

/// The shape of a line.
#[derive(Deserialize)]
struct RawLine {
    reset: Option<wire::Reset>,
    action: Option<Vec<u8>>,
    oracle: RawOracle,
    resp: RawReply,
}

#[derive(Deserialize)]
struct RawOracle {
    tick: u64,
    #[serde(rename = "self")]
    me: snapshot::Raw,
    target: Option<snapshot::Raw>,
    events: Vec<event::Raw>,
}

impl RawLine {
    /// The first line begins a fight.
    fn first(mut self, path: &Path) -> Result<Fight, String> {
        let reset = self.reset.take().ok_or("the first line has no reset")?;
        if self.action.is_some() {
            return Err("the first line has an action".into());
        }
        Ok(Fight {
            path: path.to_path_buf(),
            target: reset.target,
            death_match: reset.death_match,
            params: reset.reset_params,
            lines: vec![self.check()?],
        })
    }

    /// Any later line continues it.
    fn next(self, last: Option<&Line>) -> Result<Line, String> {
        if self.reset.is_some() {
            return Err("a second reset".into());
        }
        if self.action.is_none() {
            return Err("no action".into());
        }
        let line = self.check()?;
        if let Some(last) = last {
            if let Some(state) = &last.terminal {
                return Err(format!("the fight ended ({state}) in the line before"));
            }
            if Some(line.tick) != last.tick.checked_add(1) {
                return Err(format!("tick {} follows tick {}", line.tick, last.tick));
            }
        }
        Ok(line)
    }

    fn check(self) -> Result<Line, String> {
        let Self { action, oracle, resp, .. } = self;
        let within = |name: &'static str| move |problem: String| format!("{name}: {problem}");
        if oracle.tick > LAST_TICK {
            return Err(format!("tick {} is beyond what any server reaches", oracle.tick));
        }
        let reply = resp.check()?;
        Ok(Line {
            action: action.as_deref().map(actions).transpose()?,
            tick: oracle.tick,
            me: oracle.me.check().map_err(within("self"))?,
            other: oracle.target.map(|raw| raw.check().map_err(within("target"))).transpose()?,
            events: oracle
                .events
                .into_iter()
                .map(|raw| raw.check().map_err(within("events")))
                .collect::<Result<_, _>>()?,
            observation: reply.observation,
            mask: reply.mask,
            terminal: reply.terminal,
            meta: reply.meta,
            target_observation: reply.target_observation,
            target_mask: reply.target_mask,
        })
    }
}

/// What the parser says. It takes the line for a file of its own, so only the column is of use.
fn within_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let problem = text.split(" at line ").next().unwrap_or(&text);
    format!("{problem}, in column {}", error.column())
}

fn actions(heads: &[u8]) -> Result<[u8; 12], String> {
    let chosen: [u8; 12] = snapshot::exactly("action", heads)?;
    for (head, (action, size)) in chosen.iter().zip(HEADS).enumerate() {
        if usize::from(*action) >= size {
            return Err(format!("action[{head}] is {action} and must be below {size}"));
        }
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests;
