//! What the clients ask: requests of made-up numbers, written once and asked in turn.

use std::fmt::Write as _;

use lanista_game::seed;

use crate::formats::{Format, flags, kinds};
use crate::json::{Bytes, write_string};
use crate::model::Endpoint;

/// A request as it goes over the wire, and what may be answered.
#[derive(Debug)]
pub struct Request {
    /// The whole message.
    pub bytes: Vec<u8>,
    /// Which actions it calls legal, over all heads.
    pub mask: Vec<bool>,
}

impl Request {
    /// The `i`th request to a model; none in a format that has no load.
    ///
    /// Masks leave every head its first action. pvp-ml's own server keeps no frames between requests
    /// and takes no fewer than its model sees, so requests of its API bring as many.
    pub fn new(format: Format, endpoint: &Endpoint, i: u64) -> Option<Self> {
        let frames = match format {
            Format::PvpMl => endpoint.frames.len(),
            _ => 1,
        };
        let size = endpoint.frame_features;
        let number = |f: usize| seed::uniform(seed::mix(i, f as u64)) * 2.0 - 1.0;
        let observation: Vec<f32> = (0..frames * size).map(number).collect();
        let mut masks = Vec::new();
        let mut at = 0;
        for &size in &endpoint.shape.heads {
            let legal =
                |a: usize| a == 0 || !seed::mix(i, (1_000_000 + at + a) as u64).is_multiple_of(3);
            masks.push((0..size).map(legal).collect::<Vec<bool>>());
            at += size;
        }
        let mask = masks.concat();
        let bytes = match format {
            Format::Binary => binary(&observation, &mask),
            Format::Lines | Format::PvpMl | Format::Short => {
                json(format, &endpoint.name, observation.chunks(size), &masks)
            }
            Format::Http | Format::Metrics => return None,
        };
        Some(Self { bytes, mask })
    }
}

fn binary(observation: &[f32], mask: &[bool]) -> Vec<u8> {
    let mut body = vec![kinds::DECIDE, 0];
    body.extend_from_slice(&flags::MASK.to_le_bytes());
    body.extend_from_slice(&[0; 8]);
    body.extend_from_slice(&(observation.len() as u32).to_le_bytes());
    observation.iter().for_each(|n| body.extend_from_slice(&n.to_le_bytes()));
    for byte in mask.chunks(8) {
        body.push(byte.iter().enumerate().fold(0, |all, (b, &on)| all | (u8::from(on) << b)));
    }
    [&(body.len() as u32).to_le_bytes()[..], &body].concat()
}

fn json<'a>(
    format: Format,
    model: &str,
    frames: impl Iterator<Item = &'a [f32]>,
    masks: &[Vec<bool>],
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut text = Bytes(&mut out);
    let comma = |i: usize| if i > 0 { "," } else { "" };
    let (begin, between, end) = match format {
        Format::Lines => ("{\"obs\":[", ",", "],\"mask\":["),
        _ => ("{\"obs\":[[", "],[", "]],\"actionMasks\":["),
    };
    let _ = text.write_str(begin);
    for (f, frame) in frames.enumerate() {
        let _ = text.write_str(if f > 0 { between } else { "" });
        for (i, number) in frame.iter().enumerate() {
            let _ = write!(text, "{}{number:.6}", comma(i));
        }
    }
    let _ = text.write_str(end);
    for (h, head) in masks.iter().enumerate() {
        let _ = write!(text, "{}[", comma(h));
        for (a, legal) in head.iter().enumerate() {
            let _ = write!(text, "{}{legal}", comma(a));
        }
        let _ = text.write_str("]");
    }
    let _ = text.write_str("],\"deterministic\":true");
    if format != Format::Short {
        let _ = text.write_str(",\"model\":");
        write_string(text.0, model);
    }
    out.extend_from_slice(b"}\n");
    out
}
