//! The inference API of pvp-ml, and its short form: lines of JSON.
//!
//! A request of the API names its model and brings masks by head and frames, newest first; frames that
//! are missing are zeros, as they are before the beginning of a match in training. A reply has exactly
//! six keys: the original's client reads no others.

use std::borrow::Cow;

use crate::ask::{Ask, Manner};
use crate::batch::Outcome;
use crate::json::{Reader, write_list, write_number, write_whole};
use crate::refusal::Refusal;

use super::act::{read_frames, read_manner, read_observation, separate};
use super::{Context, Message, demand, endpoint, shown};

const HOW: &str = "send {\"token\": \"…\"} as a line before anything else";

/// Reads a request of the API.
pub fn read(
    body: &[u8],
    trusted: &mut bool,
    ask: &mut Ask,
    context: &Context,
) -> Result<Message, Refusal> {
    request(body, trusted, ask, context, false)
}

/// Reads a request of the short form.
pub fn read_short(
    body: &[u8],
    trusted: &mut bool,
    ask: &mut Ask,
    context: &Context,
) -> Result<Message, Refusal> {
    request(body, trusted, ask, context, true)
}

fn request(
    body: &[u8],
    trusted: &mut bool,
    ask: &mut Ask,
    context: &Context,
    short: bool,
) -> Result<Message, Refusal> {
    let mut reader = Reader::new(body);
    reader.begin_object()?;
    let mut first = true;
    let (mut model, mut masked, mut observed) = (None::<Cow<str>>, false, false);
    ask.manner = Manner::Sampled;
    while let Some(key) = reader.next_key(&mut first)? {
        match &*key {
            "token" if !*trusted && context.token.is_some() => {
                shown(reader.string("the token")?.as_bytes(), trusted, context)?;
                // Nothing is answered, so that a client which knows no tokens can go on from here.
                return Ok(Message::Answered);
            }
            "model" => model = Some(reader.string("the name of a model")?),
            "actionMasks" => {
                masked = true;
                reader.flags("the list `actionMasks`", &mut ask.mask)?;
            }
            "obs" => {
                observed = true;
                match short {
                    true => read_observation(&mut reader, ask)?,
                    false => {
                        ask.observation.clear();
                        read_frames(&mut reader, ask)?;
                    }
                }
            }
            "deterministic" => read_manner(&mut reader, ask)?,
            "returnLogProb" if !short => ask.wants.log_prob = reader.boolean("true or false")?,
            "returnEntropy" if !short => ask.wants.entropy = reader.boolean("true or false")?,
            "returnValue" if !short => ask.wants.value = reader.boolean("true or false")?,
            "returnProbs" if !short => ask.wants.probs = reader.boolean("true or false")?,
            "extensions" if !short => read_extensions(&mut reader)?,
            other => {
                let other: String = other.chars().take(64).collect();
                return Err(Refusal::malformed(format!("unknown key `{other}`")));
            }
        }
    }
    reader.end()?;
    demand(*trusted, context, HOW)?;
    let missing = |what: &str| Refusal::malformed(format!("`{what}` is missing"));
    if !observed {
        return Err(missing("obs"));
    }
    if !short && !masked {
        return Err(missing("actionMasks"));
    }
    if !short && model.is_none() {
        return Err(missing("model"));
    }
    ask.endpoint = endpoint(context.models, model.as_deref(), None)?;
    Ok(Message::Decide)
}

/// Our models have no extensions, so the list must be empty.
fn read_extensions(reader: &mut Reader) -> Result<(), Refusal> {
    if reader.null() {
        return Ok(());
    }
    reader.begin_list("the list `extensions`")?;
    let mut first = true;
    if reader.next_element(&mut first)? {
        let name: String = reader.string("the name of an extension")?.chars().take(64).collect();
        return Err(Refusal::unknown(format!("the model has no extension `{name}`")));
    }
    Ok(())
}

/// Writes a reply of the API.
pub fn write(ask: &Ask, outcome: &Outcome, probs: &mut Vec<f32>, out: &mut Vec<u8>) {
    const NULL: &[u8] = b"null";
    let wants = ask.wants;
    out.extend_from_slice(b"{\"action\": ");
    write_list(out, outcome.actions, |out, &action| write_whole(out, action.into()));
    out.extend_from_slice(b", \"logProb\": ");
    if wants.log_prob {
        let mut sum = 0.0;
        outcome.heads(probs, |head| sum += log(head.probs[head.action as usize]));
        write_number(out, sum);
    } else {
        out.extend_from_slice(NULL);
    }
    out.extend_from_slice(b", \"entropy\": ");
    if wants.entropy {
        let mut comma = false;
        out.push(b'[');
        outcome.heads(probs, |head| {
            separate(out, &mut comma);
            write_number(out, -head.probs.iter().map(|&p| p * log(p)).sum::<f32>());
        });
        out.push(b']');
    } else {
        out.extend_from_slice(NULL);
    }
    out.extend_from_slice(b", \"values\": ");
    match outcome.value {
        Some(value) if wants.value => write_number(out, value),
        _ => out.extend_from_slice(NULL),
    }
    out.extend_from_slice(b", \"probs\": ");
    if wants.probs {
        let mut comma = false;
        out.push(b'[');
        outcome.heads(probs, |head| {
            separate(out, &mut comma);
            write_list(out, head.probs, |out, &p| write_number(out, p));
        });
        out.push(b']');
    } else {
        out.extend_from_slice(NULL);
    }
    out.extend_from_slice(b", \"extensionResults\": []}\n");
}

/// The logarithm of a probability that is kept away from 0 and 1, as the original has it.
fn log(probability: f32) -> f32 {
    probability.clamp(f32::EPSILON, 1.0 - f32::EPSILON).ln()
}

/// Writes a reply of the short form.
pub fn write_short(outcome: &Outcome, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"action\": ");
    write_list(out, outcome.actions, |out, &action| write_whole(out, action.into()));
    out.extend_from_slice(b"}\n");
}
