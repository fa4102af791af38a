//! Lines of our own JSON.

use crate::ask::Ask;
use crate::refusal::Refusal;

use super::{Context, Message, act, demand, shown};

/// Reads a line.
pub fn read(
    body: &[u8],
    trusted: &mut bool,
    ask: &mut Ask,
    out: &mut Vec<u8>,
    context: &Context,
) -> Result<Message, Refusal> {
    let trust = |token: act::Shown| {
        if let Some(token) = token {
            shown(token.as_bytes(), trusted, context)?;
        }
        demand(*trusted, context, "send {\"token\": \"…\"} first, or with the first request")
    };
    let message = act::read(body, trust, ask, out, context)?;
    if message == Message::Answered {
        out.push(b'\n');
    }
    Ok(message)
}
