//! Our own JSON: `{"obs": …}` in, `{"action": …}` out. Lines and HTTP carry the same objects.

use std::borrow::Cow;
use std::ops::Range;

use crate::ask::{Ask, Manner};
use crate::batch::Outcome;
use crate::json::{Reader, write_list, write_number, write_string, write_whole};
use crate::model::Endpoint;
use crate::refusal::Refusal;

use super::{Context, Message, describe, endpoint};

/// What a client calls a session or a request is not longer.
const MOST_NAME: usize = 64;

/// A token, if the object shows one.
pub type Shown = Option<String>;

/// What of a request can be read only when the model is known.
#[derive(Default)]
struct Named {
    features: Option<Range<usize>>,
    mask: Option<Range<usize>>,
}

/// Reads an object. The token it shows is looked at by `trust`, before anything else is.
pub fn read(
    body: &[u8],
    trust: impl FnOnce(Shown) -> Result<(), Refusal>,
    ask: &mut Ask,
    out: &mut Vec<u8>,
    context: &Context,
) -> Result<Message, Refusal> {
    let mut reader = Reader::new(body);
    reader.begin_object()?;
    let mut first = true;
    let (mut model, mut role, mut token) = (None, None, None);
    let (mut describes, mut forgets, mut observed) = (false, false, false);
    let mut named = Named::default();
    while let Some(key) = reader.next_key(&mut first)? {
        match &*key {
            "obs" => {
                observed = true;
                match reader.peek() {
                    Some(b'{') => named.features = Some(reader.skip()?),
                    _ => read_observation(&mut reader, ask)?,
                }
            }
            "mask" => match reader.peek() {
                Some(b'{') => named.mask = Some(reader.skip()?),
                _ => reader.flags("the mask", &mut ask.mask)?,
            },
            "model" => model = Some(short(reader.string("the name of a model")?, "model")?),
            "role" => role = Some(short(reader.string("the name of a role")?, "role")?),
            "deterministic" => read_manner(&mut reader, ask)?,
            "seed" => ask.seed = Some(reader.whole("a whole number")?),
            "reset" => ask.reset = reader.boolean("true or false")?,
            "session" => {
                let name = short(reader.string("the name of a session")?, "session")?;
                ask.session.extend_from_slice(name.as_bytes());
            }
            "state" => {
                let mut state = Vec::new();
                reader.numbers("the numbers of `state`", &mut state)?;
                ask.state = Some(state);
            }
            "privileged" => {
                reader.numbers("the numbers of `privileged`", &mut ask.privileged)?;
            }
            "forbidden" => reader.flags("the list `forbidden`", &mut ask.forbidden)?,
            "want" => read_wants(&mut reader, ask)?,
            "id" => {
                let span = reader.skip()?;
                let raw = &body[span];
                if raw.len() > MOST_NAME || matches!(raw.first(), Some(b'{' | b'[')) {
                    return Err(Refusal::malformed(format!(
                        "`id` is a number or a string of at most {MOST_NAME} bytes"
                    )));
                }
                ask.id.extend_from_slice(raw);
            }
            "token" => token = Some(reader.string("the token")?.into_owned()),
            "describe" => describes = reader.boolean("true or false")?,
            "end" => forgets = reader.boolean("true or false")?,
            other => return Err(unknown_key(other)),
        }
    }
    reader.end()?;
    let alone = token.is_some() && !observed && !describes && !forgets;
    trust(token)?;
    if alone {
        out.extend_from_slice(b"{\"ok\":true}");
        return Ok(Message::Answered);
    }
    if describes {
        let one = match model {
            None => None,
            Some(_) => Some(endpoint(context.models, model.as_deref(), role.as_deref())?),
        };
        describe::write(context.models, one, out);
        return Ok(Message::Answered);
    }
    ask.endpoint = endpoint(context.models, model.as_deref(), role.as_deref())?;
    if forgets {
        return Ok(Message::Forget);
    }
    if !observed {
        return Err(Refusal::malformed("`obs` is missing: the numbers that the model sees"));
    }
    let endpoint = &context.models.endpoints()[ask.endpoint];
    if let Some(span) = named.features {
        read_features(&body[span], endpoint, &mut ask.observation)?;
    }
    if let Some(span) = named.mask {
        read_mask(&body[span], endpoint, &mut ask.mask)?;
    }
    Ok(Message::Decide)
}

fn unknown_key(key: &str) -> Refusal {
    let key: String = key.chars().take(MOST_NAME).collect();
    Refusal::malformed(format!(
        "unknown key `{key}`; there are: obs, mask, model, role, session, reset, deterministic, seed, \
         state, privileged, forbidden, want, id, token, describe, end"
    ))
}

fn short<'a>(name: Cow<'a, str>, what: &str) -> Result<Cow<'a, str>, Refusal> {
    if name.len() > MOST_NAME {
        return Err(Refusal::malformed(format!("`{what}` is longer than {MOST_NAME} bytes")));
    }
    Ok(name)
}

/// A flat list of numbers, or a list of frames, newest first.
pub fn read_observation(reader: &mut Reader, ask: &mut Ask) -> Result<(), Refusal> {
    ask.observation.clear();
    read_frames(reader, ask)?;
    // One frame is the newest one, however it is wrapped.
    if ask.frames == Some(1) {
        ask.frames = None;
    }
    Ok(())
}

/// The same; a list of one frame stays one.
pub fn read_frames(reader: &mut Reader, ask: &mut Ask) -> Result<(), Refusal> {
    reader.begin_list("the numbers of `obs`")?;
    let (mut first, mut frames, mut wide) = (true, 0, 0);
    while reader.next_element(&mut first)? {
        if reader.peek() == Some(b'[') && (frames > 0 || ask.observation.is_empty()) {
            let count = reader.numbers("a frame of `obs`", &mut ask.observation)?;
            if frames > 0 && count != wide {
                return Err(Refusal::shape(format!(
                    "the frames of obs differ in length: {wide} and {count} numbers"
                )));
            }
            wide = count;
            frames += 1;
        } else if frames == 0 {
            ask.observation.push(reader.number("a number")?);
        } else {
            return Err(Refusal::malformed("obs mixes numbers and frames"));
        }
    }
    ask.frames = (frames > 0).then_some(frames);
    Ok(())
}

/// `true`, `false`, or a list of them by head.
pub fn read_manner(reader: &mut Reader, ask: &mut Ask) -> Result<(), Refusal> {
    ask.manner = if reader.peek() == Some(b'[') {
        let mut best = Vec::new();
        reader.flags("true or false for every head", &mut best)?;
        Manner::ByHead(best)
    } else if reader.boolean("true or false, or a list of them by head")? {
        Manner::Best
    } else {
        Manner::Sampled
    };
    Ok(())
}

fn read_wants(reader: &mut Reader, ask: &mut Ask) -> Result<(), Refusal> {
    reader.begin_list("a list such as [\"value\", \"names\"]")?;
    let mut first = true;
    while reader.next_element(&mut first)? {
        let wish = reader.string("what is wanted")?;
        let wants = &mut ask.wants;
        *match &*wish {
            "value" => &mut wants.value,
            "log_prob" => &mut wants.log_prob,
            "entropy" => &mut wants.entropy,
            "probs" => &mut wants.probs,
            "state" => &mut wants.state,
            "names" => &mut wants.names,
            other => {
                let other: String = other.chars().take(MOST_NAME).collect();
                return Err(Refusal::malformed(format!(
                    "nothing is called `{other}`; there are: value, log_prob, entropy, probs, state, names"
                )));
            }
        } = true;
    }
    Ok(())
}

/// `{"feature": number, …}` of one frame; what is left out is 0.
fn read_features(
    body: &[u8],
    endpoint: &Endpoint,
    observation: &mut Vec<f32>,
) -> Result<(), Refusal> {
    observation.clear();
    observation.resize(endpoint.frame_features, 0.0);
    let mut reader = Reader::new(body);
    reader.begin_object()?;
    let mut first = true;
    while let Some(key) = reader.next_key(&mut first)? {
        let Some(&place) = endpoint.feature_places.get(&*key) else {
            let key: String = key.chars().take(MOST_NAME).collect();
            let name = &endpoint.name;
            return Err(Refusal::shape(format!(
                "{name} has no feature `{key}`; {{\"describe\": true, \"model\": \"{name}\"}} lists them"
            )));
        };
        observation[place] = reader.number("a number")?;
    }
    Ok(())
}

/// `{"head": ["action", …], …}`: what is legal; of a head that is left out, everything.
fn read_mask(body: &[u8], endpoint: &Endpoint, mask: &mut Vec<bool>) -> Result<(), Refusal> {
    let heads = &endpoint.role.heads;
    mask.clear();
    mask.resize(endpoint.shape.actions(), true);
    let mut reader = Reader::new(body);
    reader.begin_object()?;
    let mut first = true;
    while let Some(key) = reader.next_key(&mut first)? {
        let Some(index) = heads.iter().position(|head| head.name == *key) else {
            let known: Vec<&str> = heads.iter().map(|head| head.name.as_str()).collect();
            return Err(Refusal::shape(format!(
                "{} has no head `{}`; there are: {}",
                endpoint.name,
                key.chars().take(MOST_NAME).collect::<String>(),
                known.join(", ")
            )));
        };
        let before: usize = endpoint.shape.heads[..index].iter().sum();
        let mask = &mut mask[before..before + heads[index].actions.len()];
        mask.fill(false);
        reader.begin_list("a list of actions")?;
        let mut first = true;
        while reader.next_element(&mut first)? {
            let name = reader.string("the name of an action")?;
            let Some(action) = heads[index].actions.iter().position(|action| *action == *name)
            else {
                let name: String = name.chars().take(MOST_NAME).collect();
                let (head, actions) = (&heads[index].name, heads[index].actions.join(", "));
                return Err(Refusal::shape(format!(
                    "head {head} has no action `{name}`; there are: {actions}"
                )));
            };
            mask[action] = true;
        }
    }
    Ok(())
}

/// Writes a decision.
pub fn write(
    ask: &Ask,
    endpoint: &Endpoint,
    outcome: &Outcome,
    probs: &mut Vec<f32>,
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(b"{\"action\":");
    write_list(out, outcome.actions, |out, &action| write_whole(out, action.into()));
    let wants = ask.wants;
    if wants.names {
        out.extend_from_slice(b",\"names\":");
        let heads = endpoint.role.heads.iter().zip(outcome.actions);
        write_list(out, heads, |out, (head, &action)| {
            write_string(out, &head.actions[action as usize]);
        });
    }
    if let (true, Some(value)) = (wants.value, outcome.value) {
        out.extend_from_slice(b",\"value\":");
        write_number(out, value);
    }
    if wants.log_prob {
        out.extend_from_slice(b",\"log_prob\":");
        write_number(out, outcome.log_prob);
    }
    if wants.entropy {
        out.extend_from_slice(b",\"entropy\":[");
        let mut comma = false;
        outcome.heads(probs, |head| {
            separate(out, &mut comma);
            write_number(out, head.entropy);
        });
        out.push(b']');
    }
    if wants.probs {
        out.extend_from_slice(b",\"probs\":[");
        let mut comma = false;
        outcome.heads(probs, |head| {
            separate(out, &mut comma);
            write_list(out, head.probs, |out, &p| write_number(out, p));
        });
        out.push(b']');
    }
    if wants.state {
        out.extend_from_slice(b",\"state\":");
        let state = outcome.actor_state.iter().chain(outcome.critic_state);
        write_list(out, state, |out, &number| write_number(out, number));
    }
    out.extend_from_slice(b",\"version\":");
    write_whole(out, outcome.weights.version.into());
    write_id(ask, out);
    out.push(b'}');
}

/// A comma in front of all but the first.
pub fn separate(out: &mut Vec<u8>, comma: &mut bool) {
    if std::mem::replace(comma, true) {
        out.push(b',');
    }
}

fn write_id(ask: &Ask, out: &mut Vec<u8>) {
    if !ask.id.is_empty() {
        out.extend_from_slice(b",\"id\":");
        out.extend_from_slice(&ask.id);
    }
}

/// Writes that a session is over.
pub fn write_forgotten(ask: &Ask, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"ended\":true");
    write_id(ask, out);
    out.push(b'}');
}

/// Writes why something was refused.
pub fn write_refusal(refusal: &Refusal, ask: &Ask, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"error\":");
    write_string(out, &refusal.message);
    out.extend_from_slice(b",\"kind\":");
    write_string(out, refusal.kind.name());
    write_id(ask, out);
    out.push(b'}');
}
