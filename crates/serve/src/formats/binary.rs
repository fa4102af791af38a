//! Our own format in binary: a length, then that many bytes; everything little-endian.
//!
//! A client begins with [`MAGIC`], the name of a model and a token, and learns the sizes of everything.
//! `docs/serve.md` has the layout of all messages.

use crate::ask::{Ask, Manner};
use crate::batch::Outcome;
use crate::refusal::Refusal;

use super::{Context, Frame, Message, demand, describe, endpoint, shown, too_large};

/// How a conversation begins; the digit is the version of the format.
pub const MAGIC: [u8; 4] = *b"LNS1";

/// What a message after the first is, by its first byte.
pub mod kinds {
    /// A decision.
    pub const DECIDE: u8 = 1;
    /// What the model sees and does, as JSON.
    pub const DESCRIBE: u8 = 2;
    /// A session is over.
    pub const END: u8 = 3;
}

/// What a request brings; parts follow in this order.
pub mod flags {
    /// Draw the actions instead of taking the most likely ones.
    pub const SAMPLE: u16 = 1;
    /// The game begins.
    pub const RESET: u16 = 2;
    /// Dice: a `u64`.
    pub const SEED: u16 = 4;
    /// What is legal: a bit an action.
    pub const MASK: u16 = 8;
    /// Forbidden pairs: a bit a combination.
    pub const FORBIDDEN: u16 = 16;
    /// What only the critic sees: `f32`.
    pub const PRIVILEGED: u16 = 32;
    /// Memory that the client keeps: `f32`.
    pub const STATE: u16 = 64;
    /// A bit a head: the most likely action where it is set.
    pub const BY_HEAD: u16 = 128;
    /// All that there are.
    pub const ALL: u16 = 255;
}

/// What a reply brings beyond the actions; parts follow in this order.
pub mod wants {
    /// `f32`
    pub const VALUE: u8 = 1;
    /// `f32`
    pub const LOG_PROB: u8 = 2;
    /// `f32` a head.
    pub const ENTROPY: u8 = 4;
    /// `f32` an action.
    pub const PROBS: u8 = 8;
    /// `f32` a number of memory.
    pub const STATE: u8 = 16;
    /// All that there are.
    pub const ALL: u8 = 31;
}

/// Finds a message.
pub fn frame(bytes: &[u8], most: usize) -> Result<Option<Frame>, Refusal> {
    let Some(&length) = bytes.first_chunk::<4>() else { return Ok(None) };
    let length = u32::from_le_bytes(length) as usize;
    if length > most {
        return Err(too_large(most));
    }
    let whole = 4 + length;
    Ok((bytes.len() >= whole).then_some(Frame { body: 4..whole, length: whole }))
}

/// Bytes that are still to be read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], Refusal> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or_else(|| {
            let left = self.0.len();
            Refusal::malformed(format!("{what} takes {count} bytes; the message has {left} left"))
        })?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Refusal> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, what)?);
        Ok(array)
    }

    fn byte(&mut self, what: &str) -> Result<u8, Refusal> {
        Ok(self.array::<1>(what)?[0])
    }

    fn short(&mut self, what: &str) -> Result<u16, Refusal> {
        self.array(what).map(u16::from_le_bytes)
    }

    fn long(&mut self, what: &str) -> Result<u32, Refusal> {
        self.array(what).map(u32::from_le_bytes)
    }

    fn numbers(&mut self, count: usize, what: &str, out: &mut Vec<f32>) -> Result<(), Refusal> {
        let bytes = self.take(count.saturating_mul(4), what)?;
        let (chunks, _) = bytes.as_chunks::<4>();
        out.extend(chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)));
        match out[out.len() - count..].iter().all(|number| number.is_finite()) {
            true => Ok(()),
            false => Err(Refusal::malformed(format!("{what} has a number that is not finite"))),
        }
    }

    fn bits(&mut self, count: usize, what: &str, out: &mut Vec<bool>) -> Result<(), Refusal> {
        let bytes = self.take(count.div_ceil(8), what)?;
        out.extend((0..count).map(|i| bytes[i / 8] >> (i % 8) & 1 == 1));
        Ok(())
    }

    fn text(&mut self, what: &str) -> Result<&'a str, Refusal> {
        let length = self.short(what)?;
        let bytes = self.take(length.into(), what)?;
        std::str::from_utf8(bytes).map_err(|_| Refusal::malformed(format!("{what} is not UTF-8")))
    }

    fn end(&self) -> Result<(), Refusal> {
        match self.0.len() {
            0 => Ok(()),
            more => Err(Refusal::malformed(format!("{more} bytes too many"))),
        }
    }
}

/// Reads a message.
pub fn read(
    body: &[u8],
    trusted: &mut bool,
    chosen: &mut Option<usize>,
    ask: &mut Ask,
    out: &mut Vec<u8>,
    context: &Context,
) -> Result<Message, Refusal> {
    let mut rest = Rest(body);
    let Some(at) = *chosen else {
        if rest.array::<4>("the magic")? != MAGIC {
            return Err(Refusal::malformed("a conversation begins with LNS1"));
        }
        let name = rest.text("the name of a model")?;
        let token = rest.text("the token")?;
        rest.end()?;
        if context.token.is_some() && !token.is_empty() {
            shown(token.as_bytes(), trusted, context)?;
        }
        demand(*trusted, context, "it stands behind the name of the model")?;
        let name = Some(name).filter(|name| !name.is_empty());
        let at = endpoint(context.models, name, None)?;
        *chosen = Some(at);
        greet(at, out, context);
        return Ok(Message::Answered);
    };
    ask.endpoint = at;
    let endpoint = &context.models.endpoints()[at];
    let kind = rest.byte("the kind")?;
    let wants = rest.byte("what is wanted")?;
    let flags = rest.short("the flags")?;
    ask.id.extend_from_slice(rest.take(4, "the id")?);
    ask.session.extend_from_slice(rest.take(4, "the session")?);
    match kind {
        kinds::DECIDE => {}
        kinds::END => return rest.end().map(|()| Message::Forget),
        kinds::DESCRIBE => {
            rest.end()?;
            let start = begin(out, 0, wants, 0, &ask.id);
            describe::write(context.models, Some(at), out);
            finish(out, start);
            return Ok(Message::Answered);
        }
        other => {
            return Err(Refusal::malformed(format!(
                "a message of the kind {other}; there are 1 to 3"
            )));
        }
    }
    if wants & !wants::ALL != 0 || flags & !flags::ALL != 0 {
        return Err(Refusal::malformed("a flag is set that does not exist"));
    }
    let wanted = |bit: u8| wants & bit != 0;
    ask.wants.value = wanted(wants::VALUE);
    ask.wants.log_prob = wanted(wants::LOG_PROB);
    ask.wants.entropy = wanted(wants::ENTROPY);
    ask.wants.probs = wanted(wants::PROBS);
    ask.wants.state = wanted(wants::STATE);
    let has = |bit: u16| flags & bit != 0;
    ask.reset = has(flags::RESET);
    ask.manner = if has(flags::SAMPLE) { Manner::Sampled } else { Manner::Best };
    let count = rest.long("the length of the observation")? as usize;
    rest.numbers(count, "the observation", &mut ask.observation)?;
    if has(flags::SEED) {
        ask.seed = Some(rest.array("the seed").map(u64::from_le_bytes)?);
    }
    let shape = &endpoint.shape;
    if has(flags::MASK) {
        rest.bits(shape.actions(), "the mask", &mut ask.mask)?;
    }
    if has(flags::FORBIDDEN) {
        rest.bits(shape.pair_values, "the forbidden pairs", &mut ask.forbidden)?;
    }
    if has(flags::PRIVILEGED) {
        rest.numbers(shape.privileged, "what is privileged", &mut ask.privileged)?;
    }
    if has(flags::STATE) {
        let mut state = Vec::new();
        let (actor, critic) = endpoint.state_sizes;
        rest.numbers(actor + critic, "the state", &mut state)?;
        ask.state = Some(state);
    }
    if has(flags::BY_HEAD) {
        let mut best = Vec::new();
        rest.bits(shape.heads.len(), "the manner by head", &mut best)?;
        ask.manner = Manner::ByHead(best);
    }
    rest.end()?;
    Ok(Message::Decide)
}

/// Begins a reply; returns where its length stands.
fn begin(out: &mut Vec<u8>, status: u8, wants: u8, count: u16, id: &[u8]) -> usize {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&[status, wants]);
    out.extend_from_slice(&count.to_le_bytes());
    let mut whole = [0; 4];
    whole[..id.len().min(4)].copy_from_slice(&id[..id.len().min(4)]);
    out.extend_from_slice(&whole);
    start
}

fn finish(out: &mut [u8], start: usize) {
    let length = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
}

/// Says what the sizes of everything are.
fn greet(at: usize, out: &mut Vec<u8>, context: &Context) {
    let endpoint = &context.models.endpoints()[at];
    let shape = &endpoint.shape;
    let start = begin(out, 0, 0, shape.heads.len() as u16, &MAGIC);
    for number in [
        endpoint.weights().version as usize,
        endpoint.frame_features,
        shape.features,
        shape.privileged,
        shape.actions(),
        shape.pair_values,
        endpoint.state_sizes.0 + endpoint.state_sizes.1,
    ]
    .into_iter()
    .chain(shape.heads.iter().copied())
    {
        out.extend_from_slice(&(number as u32).to_le_bytes());
    }
    finish(out, start);
}

/// Writes a decision.
pub fn write(ask: &Ask, outcome: &Outcome, probs: &mut Vec<f32>, out: &mut Vec<u8>) {
    let asked = ask.wants;
    let bits = [
        (asked.value && outcome.value.is_some(), wants::VALUE),
        (asked.log_prob, wants::LOG_PROB),
        (asked.entropy, wants::ENTROPY),
        (asked.probs, wants::PROBS),
        (asked.state, wants::STATE),
    ];
    let bits = bits.iter().filter(|(on, _)| *on).fold(0, |all, (_, bit)| all | bit);
    let start = begin(out, 0, bits, outcome.actions.len() as u16, &ask.id);
    out.extend_from_slice(&outcome.weights.version.to_le_bytes());
    for &action in outcome.actions {
        out.extend_from_slice(&(action as u16).to_le_bytes());
    }
    let number = |out: &mut Vec<u8>, number: f32| out.extend_from_slice(&number.to_le_bytes());
    if let (true, Some(value)) = (asked.value, outcome.value) {
        number(out, value);
    }
    if asked.log_prob {
        number(out, outcome.log_prob);
    }
    if asked.entropy {
        outcome.heads(probs, |head| number(out, head.entropy));
    }
    if asked.probs {
        outcome.heads(probs, |head| head.probs.iter().for_each(|&p| number(out, p)));
    }
    if asked.state {
        outcome.actor_state.iter().chain(outcome.critic_state).for_each(|&n| number(out, n));
    }
    finish(out, start);
}

/// Writes that a session is over.
pub fn write_forgotten(ask: &Ask, out: &mut Vec<u8>) {
    let start = begin(out, 0, 0, 0, &ask.id);
    finish(out, start);
}

/// Writes why something was refused.
pub fn write_refusal(refusal: &Refusal, ask: &Ask, out: &mut Vec<u8>) {
    let text = refusal.message.as_bytes();
    let text = &text[..text.len().min(u16::MAX.into())];
    let start = begin(out, refusal.kind.code(), 0, text.len() as u16, &ask.id);
    out.extend_from_slice(text);
    finish(out, start);
}
