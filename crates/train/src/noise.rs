//! Noise on what policies see while they learn: a policy that must not rely on exact numbers, or on
//! some of them at all.
//!
//! Noise belongs to a number at a step of a match: it is a function of the episode's seed, the step,
//! the seat and the feature, and of the scale that its schedule has in the iteration. It is added
//! when a policy looks and never stored in a match, so a match that is rebuilt from its actions is
//! seen as it would have been. A stacked frame shows a number with the noise of the step it is from.

use std::collections::BTreeSet;
use std::fmt;

use lanista_game::{Feature, Group, Role, Spec, seed};
use lanista_learn::Schedule;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error as ThisError;

use crate::layers::nearest;
use crate::stack::Stack;

/// Sets these draws apart from those of the game, of the seating and of the actions.
const NOISE_SALT: u64 = 0x6e6f_6973_6521_6e21;
/// No observation that learns is larger; what is can only be a mistake.
const LARGEST: f64 = 1e6;

/// One entry of `observation.noise`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseConfig {
    /// Which features it is added to.
    pub features: Vec<Selector>,
    /// How large it is.
    pub scale: Schedule,
    /// What it is.
    #[serde(default)]
    pub kind: NoiseKind,
}

/// What is added to a feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoiseKind {
    /// A normal number with the deviation `scale`.
    #[default]
    Normal,
    /// A uniform number between `-scale` and `scale`.
    Uniform,
    /// `scale` itself.
    Offset,
}

/// Some features of a game, as a preset names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Selector {
    /// One, counted from 0.
    Index(usize),
    /// The name of one, or a range `a:b` without its end.
    Text(String),
}

// By hand: serde's own code for an untagged enum cannot say what was wrong.
impl<'de> Deserialize<'de> for Selector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrText;

        impl Visitor<'_> for NumberOrText {
            type Value = Selector;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("the name of a feature, its index, or a range such as \"3:6\"")
            }

            fn visit_u64<E: Error>(self, index: u64) -> Result<Selector, E> {
                // What does not fit is out of range whatever the game.
                Ok(Selector::Index(usize::try_from(index).unwrap_or(usize::MAX)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Selector, E> {
                Ok(Selector::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(NumberOrText)
    }
}

/// An entry of `observation.noise` that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[error("{key}: {problem}")]
pub struct NoiseError {
    /// The key at fault, dotted.
    pub key: String,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

/// Checks what can be checked without the game.
pub fn check(entries: &[NoiseConfig]) -> Result<(), NoiseError> {
    for (i, entry) in entries.iter().enumerate() {
        let fail = |key: &str, problem: String| {
            Err(NoiseError { key: format!("observation.noise.{i}.{key}"), problem })
        };
        if entry.features.is_empty() {
            return fail("features", "no feature is listed; name one or drop the entry".into());
        }
        if let Some(fault) = entry.scale.fault() {
            return fail("scale", fault);
        }
        let least = if entry.kind == NoiseKind::Offset { -LARGEST } else { 0.0 };
        if let Some(v) = entry.scale.values().iter().find(|v| !(least..=LARGEST).contains(*v)) {
            return fail("scale", format!("{v} is out of range; it is from {least} to {LARGEST}"));
        }
    }
    Ok(())
}

/// Noise on the observations of a shard.
#[derive(Clone, Debug)]
pub struct Noise {
    entries: Vec<Entry>,
    /// Which frame stands at which place of an observation.
    frames: Vec<usize>,
    /// Numbers in a frame of a seat.
    features: usize,
    /// `[rows, frames, features]`: what policies see, for the rows that were looked at last.
    seen: Vec<f32>,
}

#[derive(Clone, Debug)]
struct Entry {
    features: Vec<usize>,
    schedule: Schedule,
    kind: NoiseKind,
    scale: f32,
}

impl Noise {
    /// The noise that a preset asks for, if it does, on what a role sees of a game without a stack.
    pub fn new(
        config: &[NoiseConfig],
        spec: &Spec,
        role: usize,
        stack: &Stack,
    ) -> Result<Option<Self>, NoiseError> {
        check(config)?;
        let all = spec.roles[role].flat_features();
        let mut entries = Vec::new();
        for (i, entry) in config.iter().enumerate() {
            // What is named twice in one entry is meant once.
            let mut features = BTreeSet::new();
            for (j, selector) in entry.features.iter().enumerate() {
                match selector.resolve(&all, &spec.name) {
                    Ok(found) => {
                        let problem = exact(&spec.roles[role]).into_iter().find_map(|(f, what)| {
                            let name = &all[f].name;
                            found.contains(&f).then(|| format!("`{name}` is {what}, which noise would turn into nonsense: leave it out"))
                        });
                        if let Some(problem) = problem {
                            let key = format!("observation.noise.{i}.features.{j}");
                            return Err(NoiseError { key, problem });
                        }
                        features.extend(found);
                    }
                    // What only another role sees is meant for that role.
                    Err(_) if selector.is_of_another(spec, role) => {}
                    Err(problem) => {
                        let key = format!("observation.noise.{i}.features.{j}");
                        return Err(NoiseError { key, problem });
                    }
                }
            }
            entries.push(Entry {
                features: features.into_iter().collect(),
                schedule: entry.scale.clone(),
                kind: entry.kind,
                scale: 0.0,
            });
        }
        let (frames, features) = (stack.frames().to_vec(), all.len());
        Ok((!entries.is_empty()).then(|| Self { entries, frames, features, seen: Vec::new() }))
    }

    /// Reads the scales off their schedules.
    pub(crate) fn set_progress(&mut self, progress: f64) {
        for entry in &mut self.entries {
            entry.scale = entry.schedule.at(progress) as f32;
        }
    }

    /// Looks at some rows of a role: `observation` is what their matches show, `[rows, width]`. `at`
    /// tells the seed and the step of a match.
    pub(crate) fn look(
        &mut self,
        observation: &[f32],
        width: usize,
        rows: &[usize],
        at: impl Fn(usize) -> (u64, u32),
        seats: usize,
    ) {
        let own = self.features * self.frames.len();
        self.seen.resize(observation.len(), 0.0);
        for &row in rows {
            let place = row * width..row * width + own;
            let seen = &mut self.seen[place.clone()];
            seen.copy_from_slice(&observation[place]);
            let (match_seed, now) = at(row / seats);
            for (seen, &frame) in seen.chunks_exact_mut(self.features).zip(&self.frames) {
                // The zeros from before the match show nothing, so nothing can blur them.
                let Some(step) = u64::from(now).checked_sub(frame as u64) else { continue };
                let here =
                    seed::mix(seed::mix(match_seed ^ NOISE_SALT, step), (row % seats) as u64);
                for (i, entry) in self.entries.iter().enumerate().filter(|(_, e)| e.scale != 0.0) {
                    let own = seed::mix(here, i as u64);
                    for &f in &entry.features {
                        seen[f] += entry.scale * entry.kind.draw(seed::mix(own, f as u64));
                    }
                }
            }
        }
    }

    /// `[rows, features]`: what was seen by the rows that were looked at last.
    pub(crate) fn seen(&self) -> &[f32] {
        &self.seen
    }
}

/// The numbers of an observation that mean something only as they are, and what they are.
fn exact(role: &Role) -> Vec<(usize, &'static str)> {
    let mut exact = Vec::new();
    let mut at = 0;
    for group in &role.observation {
        let flat = group.flat();
        // Of an entity, the first number says whether it is there.
        let stride = match group {
            Group::Features(_) => usize::MAX,
            Group::Entities { features, .. } => features.len() + 1,
        };
        for (i, feature) in flat.iter().enumerate() {
            if feature.vocabulary.is_some() {
                exact.push((at + i, "an id"));
            } else if stride != usize::MAX && i % stride == 0 {
                exact.push((at + i, "the sign that something is there"));
            }
        }
        at += flat.len();
    }
    exact
}

impl NoiseKind {
    /// Noise of scale 1 from random bits.
    fn draw(self, bits: u64) -> f32 {
        // Two numbers of 24 bits from disjoint parts of the 64.
        let (first, second) = (seed::uniform(bits), seed::uniform(bits << 24));
        match self {
            // Box and Muller 1958; `first` is below 1, so the logarithm is finite.
            Self::Normal => {
                (-2.0 * (1.0 - first).ln()).sqrt() * (std::f32::consts::TAU * second).cos()
            }
            Self::Uniform => 2.0 * first - 1.0,
            Self::Offset => 1.0,
        }
    }
}

impl Selector {
    /// Does it mean something that a role other than this one sees?
    fn is_of_another(&self, spec: &Spec, role: usize) -> bool {
        let others = spec.roles.iter().enumerate().filter(|(other, _)| *other != role);
        others.into_iter().any(|(_, r)| self.resolve(&r.flat_features(), &spec.name).is_ok())
    }

    /// The features it stands for in a game.
    fn resolve(&self, all: &[Feature], game: &str) -> Result<std::ops::Range<usize>, String> {
        let n = all.len();
        let last = || format!("{} (`{}`)", n - 1, all[n - 1].name);
        match self {
            Self::Index(index) if *index < n => Ok(*index..index + 1),
            Self::Index(index) => Err(format!(
                "there is no feature {index} in {game}: did you mean the last one, {}?",
                last()
            )),
            Self::Text(text) => {
                if let Some(index) = all.iter().position(|f| f.name == *text) {
                    return Ok(index..index + 1);
                }
                let ends = text.split_once(':');
                let ends =
                    ends.and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
                match ends {
                    Some((from, to)) if from < to && to <= n => Ok(from..to),
                    Some((from, to)) if from < to => Err(format!(
                        "`{text}` reaches beyond the last feature of {game}, {}: did you mean \
                         `{}:{n}`?",
                        last(),
                        from.min(n - 1)
                    )),
                    Some((from, _)) => Err(format!(
                        "`{text}` is empty: a range ends before its second number; did you mean \
                         `{from}:{}`?",
                        from.saturating_add(1)
                    )),
                    None => {
                        let names = all.iter().map(|f| f.name.as_str());
                        let hint = nearest(text, names)
                            .map_or(String::new(), |name| format!("did you mean `{name}`? "));
                        Err(format!(
                            "no feature `{text}` in {game}: {hint}`lanista games {game}` lists them"
                        ))
                    }
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "noise_tests.rs"]
mod tests;
