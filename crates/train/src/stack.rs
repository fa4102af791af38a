//! Frames of earlier steps beside the current one: memory for networks that have none.
//!
//! `Stacked` is a batch around any other. It widens the observation and the spec, so everything
//! behind it (networks, normalisers, resume by replay, evaluation) sees a game with a longer
//! observation and nothing else.

use std::fmt;
use std::time::Duration;

use lanista_game::{Answer, Batch, Buffers, Control, Fault, Group, Spec};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Every frame costs its share of every recorded sample; beyond this it can only be a mistake.
const MOST: usize = 1000;

/// Which frames a policy sees side by side: 0 is the current one, 1 that of the step before.
///
/// A preset writes a number of frames or their list; it is kept as the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Stack(Vec<usize>);

impl Default for Stack {
    fn default() -> Self {
        Self(vec![0])
    }
}

impl Stack {
    /// A stack of these frames, in this order, or what is wrong with them.
    pub fn new(frames: Vec<usize>) -> Result<Self, String> {
        if frames.is_empty() {
            return Err("no frame is listed, so nothing is seen; [0] is the current one".into());
        }
        if let Some(frame) = frames.iter().find(|&&f| f >= MOST) {
            return Err(format!("frame {frame} lies too far back; the last is {}", MOST - 1));
        }
        let mut sorted = frames.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|w| w[0] == w[1]) {
            return Err(format!("frame {} is listed twice; list each once", pair[0]));
        }
        Ok(Self(frames))
    }

    /// The frames in their order.
    pub fn frames(&self) -> &[usize] {
        &self.0
    }

    /// The game as it looks through the stack.
    pub fn widen(&self, mut spec: Spec) -> Spec {
        let newest = self.0.iter().min();
        let seen = |frame: &usize, group: &Group| {
            let group = match frame {
                0 => group.clone(),
                frame => group.renamed(|name| format!("{name}@{frame}")),
            };
            // No act changes what was seen before it; its novelty was rewarded when it was new.
            if Some(frame) == newest { group } else { group.constant() }
        };
        for role in &mut spec.roles {
            let frames = self.0.iter();
            role.observation =
                frames.flat_map(|k| role.observation.iter().map(move |g| seen(k, g))).collect();
        }
        spec
    }

    /// A batch as it looks through the stack; itself if only the current frame is wanted.
    pub fn over(&self, batch: Box<dyn Batch>) -> Box<dyn Batch> {
        if self.0 == [0] { batch } else { Box::new(Stacked::new(batch, self)) }
    }
}

// By hand: serde's own code for "one or the other" cannot say what was wrong.
impl<'de> Deserialize<'de> for Stack {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrList;

        impl<'de> Visitor<'de> for NumberOrList {
            type Value = Stack;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number of frames such as 4, or a list of them such as [0, 1, 3]")
            }

            fn visit_u64<E: Error>(self, frames: u64) -> Result<Stack, E> {
                match usize::try_from(frames) {
                    Ok(n) if (1..=MOST).contains(&n) => Ok(Stack((0..n).collect())),
                    _ => Err(E::custom(format!("{frames} frames; it is between 1 and {MOST}"))),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Stack, A::Error> {
                let mut frames = Vec::new();
                while let Some(frame) = list.next_element()? {
                    frames.push(frame);
                }
                Stack::new(frames).map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(NumberOrList)
    }
}

/// A batch whose seats see several frames.
///
/// The history of a match advances once a step for every seat, acting or not: a seat that waits
/// finds what the game showed it meanwhile, which is its latest view if the game writes none. It is
/// empty when a match starts, and a frame from before that is all zeros.
struct Stacked {
    inner: Box<dyn Batch>,
    spec: Spec,
    frames: Vec<usize>,
    /// What the inner batch writes to. Between calls only its observations, the current frame of
    /// every match, are its own; the rest lies with whoever drives this batch.
    now: Buffers,
    /// `[matches, depth, seats, features]`: the frames of the steps before, in a ring.
    past: Vec<f32>,
    /// `[matches]`: the place in the ring that is overwritten next.
    next: Vec<usize>,
    depth: usize,
}

impl Stacked {
    fn new(inner: Box<dyn Batch>, stack: &Stack) -> Self {
        let (spec, matches) = (inner.spec(), inner.matches());
        let depth = stack.0.iter().max().map_or(0, |&f| f);
        let now = Buffers::new(spec, matches);
        Self {
            spec: stack.widen(spec.clone()),
            frames: stack.0.clone(),
            past: vec![0.0; depth * now.observation.len()],
            next: vec![0; matches],
            now,
            depth,
            inner,
        }
    }

    /// Numbers in the frame of a match.
    fn size(&self) -> usize {
        self.now.observation.len() / self.next.len()
    }

    /// Puts the current frame of a match into its history.
    fn remember(&mut self, m: usize) {
        let size = self.size();
        let to = (m * self.depth + self.next[m]) * size;
        let from = m * size;
        self.past[to..to + size].copy_from_slice(&self.now.observation[from..from + size]);
        self.next[m] = (self.next[m] + 1) % self.depth;
    }

    /// Writes the frames of a match side by side.
    fn show(&self, m: usize, buffers: &mut Buffers) {
        let size = self.size();
        let (narrow, seats) = (self.now.layout(), self.now.layout().seats());
        let wide = buffers.layout().features;
        let shown = &mut buffers.observation[m * seats * wide..(m + 1) * seats * wide];
        for (i, &frame) in self.frames.iter().enumerate() {
            let seen = match frame {
                0 => &self.now.observation[m * size..(m + 1) * size],
                _ => {
                    let place = (self.next[m] + self.depth - frame) % self.depth;
                    let at = (m * self.depth + place) * size;
                    &self.past[at..at + size]
                }
            };
            for seat in 0..seats {
                let features = narrow.seat(seat).features;
                let (to, from) = (seat * wide + i * features, seat * narrow.features);
                shown[to..to + features].copy_from_slice(&seen[from..from + features]);
            }
        }
    }
}

impl Batch for Stacked {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn matches(&self) -> usize {
        self.inner.matches()
    }

    fn start(
        &mut self,
        m: usize,
        seed: u64,
        seats: &[Control],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        let size = self.size();
        self.past[m * self.depth * size..(m + 1) * self.depth * size].fill(0.0);
        // A waiting seat need not be written: nothing of the match before may stay in its place, or
        // a match that is rebuilt would remember something else.
        self.now.observation[m * size..(m + 1) * size].fill(0.0);
        self.now.swap_all_but_observations(buffers);
        let started = self.inner.start(m, seed, seats, &mut self.now);
        self.now.swap_all_but_observations(buffers);
        started?;
        if !self.inner.waits() {
            self.show(m, buffers);
        }
        Ok(())
    }

    fn submit(
        &mut self,
        which: &[usize],
        actions: &[u32],
        buffers: &mut Buffers,
    ) -> Result<(), Fault> {
        which.iter().for_each(|&m| self.remember(m));
        self.now.swap_all_but_observations(buffers);
        let submitted = self.inner.submit(which, actions, &mut self.now);
        self.now.swap_all_but_observations(buffers);
        submitted?;
        if !self.inner.waits() {
            which.iter().for_each(|&m| self.show(m, buffers));
        }
        Ok(())
    }

    fn waits(&self) -> bool {
        self.inner.waits()
    }

    fn collect(
        &mut self,
        patience: Duration,
        buffers: &mut Buffers,
        answers: &mut Vec<Answer>,
    ) -> Result<(), Fault> {
        let before = answers.len();
        self.now.swap_all_but_observations(buffers);
        let collected = self.inner.collect(patience, &mut self.now, answers);
        self.now.swap_all_but_observations(buffers);
        collected?;
        for answer in &answers[before..] {
            if let Answer::Ready(m) = answer {
                self.show(*m, buffers);
            }
        }
        Ok(())
    }

    fn abandon(&mut self, m: usize) {
        self.inner.abandon(m);
    }

    fn release(&mut self) {
        self.inner.release();
    }

    fn scripted(
        &mut self,
        m: usize,
        bot: usize,
        seat: usize,
        action: &mut [u32],
    ) -> Result<(), Fault> {
        self.inner.scripted(m, bot, seat, action)
    }

    fn frame(&self, m: usize, out: &mut String) {
        self.inner.frame(m, out);
    }

    fn scene(&self, m: usize, out: &mut String) {
        self.inner.scene(m, out);
    }

    fn transcript(&self, m: usize) -> Option<String> {
        self.inner.transcript(m)
    }

    fn notes(&self) -> Vec<String> {
        self.inner.notes()
    }

    fn step_secs(&self) -> Option<f64> {
        self.inner.step_secs()
    }

    fn step_ticks(&self) -> u32 {
        self.inner.step_ticks()
    }

    fn replays(&self) -> bool {
        self.inner.replays()
    }
}

#[cfg(test)]
#[path = "stack_tests.rs"]
mod tests;
