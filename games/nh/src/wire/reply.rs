//! What is answered.

use std::fmt::Write;

use serde::Deserialize;

use super::{HEADS, MASKED, Meta, OBSERVED, Told};

/// How a fight ended for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// The opponent fell.
    Won,
    /// The agent fell.
    Lost,
    /// No food is left.
    Tied,
    /// The opponent is gone.
    TargetLost,
}

impl Terminal {
    /// The word of the protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Won => "WON",
            Self::Lost => "LOST",
            Self::Tied => "TIED",
            Self::TargetLost => "TARGET_LOST",
        }
    }
}

/// A reply to a reset or a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// What the agent sees.
    pub observation: Vec<f64>,
    /// What it may do.
    pub mask: [bool; MASKED],
    /// How the fight ended, if it has.
    pub terminal: Option<String>,
    /// What is told beside.
    pub meta: Meta,
    /// What the opponent sees, if it was asked for.
    pub target_observation: Option<Vec<f64>>,
    /// What the opponent may do, if it was asked for.
    pub target_mask: Option<[bool; MASKED]>,
}

/// A reply as it stands on the line.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RawReply {
    obs: Vec<f64>,
    action_masks: Vec<Vec<bool>>,
    terminal_state: Option<String>,
    meta: RawMeta,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawMeta {
    target_obs: Option<Vec<f64>>,
    target_action_masks: Option<Vec<Vec<bool>>>,
    #[serde(flatten)]
    meta: Meta,
}

impl RawReply {
    /// The reply, if it has the numbers that it should.
    ///
    /// # Errors
    /// When it has others.
    pub fn check(self) -> Result<Reply, String> {
        let RawMeta { target_obs, target_action_masks, meta } = self.meta;
        Ok(Reply {
            observation: observation("obs", self.obs)?,
            mask: mask("actionMasks", &self.action_masks)?,
            terminal: self.terminal_state,
            meta,
            target_observation: target_obs
                .map(|numbers| observation("targetObs", numbers))
                .transpose()?,
            target_mask: target_action_masks
                .map(|heads| mask("targetActionMasks", &heads))
                .transpose()?,
        })
    }
}

impl Reply {
    /// Reads the line that answers a request; nothing when the answer has no content.
    ///
    /// # Errors
    /// What the server complains of, or what is wrong with the line.
    pub fn read(line: &[u8]) -> Result<Option<Self>, String> {
        content::<RawReply>(line)?.map(RawReply::check).transpose()
    }
}

/// Reads the line that answers a login. Is it a server that plays a tick for all agents at once? The original
/// says nothing, and is.
///
/// # Errors
/// What the server complains of, or what is wrong with the line.
pub fn welcome(line: &[u8]) -> Result<bool, String> {
    #[derive(Deserialize)]
    struct Body {
        lockstep: bool,
    }
    Ok(content::<Body>(line)?.is_none_or(|body| body.lockstep))
}

/// The line that answers a login on our server.
pub const WELCOME: &str = "{\"body\":{\"lockstep\":false}}\n";

fn content<T: serde::de::DeserializeOwned>(line: &[u8]) -> Result<Option<T>, String> {
    #[derive(Deserialize)]
    struct Line<T> {
        #[serde(default)]
        error: bool,
        message: Option<String>,
        // Not `default`: a missing one is none.
        body: Option<T>,
    }
    let line: Line<T> = serde_json::from_slice(line)
        .map_err(|error| format!("an answer is not of the protocol: {error}"))?;
    if line.error {
        let message = line.message.unwrap_or_default();
        // The first line of the original's is the message, the others are where it arose.
        let first = message.lines().next().unwrap_or("no reason given");
        return Err(format!("the server refuses: {first}"));
    }
    Ok(line.body)
}

fn observation(name: &str, numbers: Vec<f64>) -> Result<Vec<f64>, String> {
    match numbers.len() {
        OBSERVED if numbers.iter().all(|number| number.is_finite()) => Ok(numbers),
        OBSERVED => Err(format!("{name} has numbers that are not finite")),
        other => Err(format!("{name} has {other} values where {OBSERVED} are needed")),
    }
}

fn mask(name: &str, heads: &[Vec<bool>]) -> Result<[bool; MASKED], String> {
    let sizes: Vec<usize> = heads.iter().map(Vec::len).collect();
    if sizes != HEADS {
        return Err(format!("{name} has heads of {sizes:?} where {HEADS:?} are needed"));
    }
    let flat = heads.concat();
    <[bool; MASKED]>::try_from(flat.as_slice())
        .map_err(|_| format!("{name} has {} bits where {MASKED} are needed", flat.len()))
}

/// The line of a reply that has content, or of one that has none.
pub fn success(told: Option<&Told>) -> String {
    let Some(told) = told else { return "{}\n".to_owned() };
    let mut line = String::with_capacity(6000);
    line.push_str(r#"{"body":{"obs":"#);
    numbers(&mut line, &told.observation);
    line.push_str(r#","actionMasks":"#);
    bits(&mut line, &told.mask);
    if let Some(terminal) = told.terminal {
        let _ = write!(line, r#","terminalState":"{}""#, terminal.name());
    }
    line.push_str(r#","meta":"#);
    // Plain numbers and words: nothing of it can fail.
    line.push_str(&serde_json::to_string(&told.meta).unwrap_or_default());
    if let Some((observation, mask)) = &told.target {
        line.pop();
        line.push_str(r#","targetObs":"#);
        numbers(&mut line, observation);
        line.push_str(r#","targetActionMasks":"#);
        bits(&mut line, mask);
        line.push('}');
    }
    line.push_str("}}\n");
    line
}

/// The line of a reply that complains.
pub fn failure(message: &str) -> String {
    let mut line = serde_json::json!({"error": true, "message": message}).to_string();
    line.push('\n');
    line
}

/// The shortest text that is read as the same number again.
fn numbers(line: &mut String, values: &[f64]) {
    line.push('[');
    for (place, value) in values.iter().enumerate() {
        if place > 0 {
            line.push(',');
        }
        let _ = write!(line, "{value}");
    }
    line.push(']');
}

fn bits(line: &mut String, mask: &[bool; MASKED]) {
    let mut bits = mask.iter();
    line.push('[');
    for (head, size) in HEADS.into_iter().enumerate() {
        line.push_str(if head > 0 { ",[" } else { "[" });
        for (place, bit) in bits.by_ref().take(size).enumerate() {
            if place > 0 {
                line.push(',');
            }
            line.push_str(if *bit { "true" } else { "false" });
        }
        line.push(']');
    }
    line.push(']');
}
