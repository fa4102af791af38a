//! Recordings: a match is a function of its seed, of who drives its seats and of their actions, so
//! that is all that is kept of it, a few bytes a step.
//!
//! Resume, replays, cloning and whoever shows a match use what is here. A file is one line of text that
//! says what it is, one line of JSON with everything but the actions, and the packed actions. Newer ones end with
//! two bytes a step that follow from all that was seen so far: whoever plays it again knows the first step that
//! went another way.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::{Control, End, Spec};

/// The joint actions of a match, packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actions {
    /// `[seats, heads]`: bits of each choice; 0 where a seat has no such head.
    bits: std::sync::Arc<[u8]>,
    step_bytes: usize,
    packed: Vec<u8>,
}

impl Actions {
    /// Nothing yet, of a game like this.
    pub fn new(spec: &Spec) -> Self {
        let heads = spec.roles.iter().map(|role| role.heads.len()).max().unwrap_or(0);
        let mut bits = Vec::new();
        for seat in &spec.seats {
            let own = &spec.roles[seat.role].heads;
            bits.extend((0..heads).map(|head| {
                let size = own.get(head).map_or(1, |head| head.actions.len());
                (usize::BITS - (size.max(1) - 1).leading_zeros()) as u8
            }));
        }
        let step_bytes = bits.iter().map(|&b| usize::from(b)).sum::<usize>().div_ceil(8);
        // A step leaves a trace even if there is nothing to choose in it.
        Self { bits: bits.into(), step_bytes: step_bytes.max(1), packed: Vec::new() }
    }

    /// Choices of a step: `[seats, heads]`.
    pub fn width(&self) -> usize {
        self.bits.len()
    }

    /// Steps so far.
    pub fn steps(&self) -> usize {
        self.packed.len() / self.step_bytes
    }

    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.packed.clear();
    }

    /// Adds a step: `[seats, heads]`, each choice one that its head has.
    #[inline]
    pub fn push(&mut self, joint: &[u32]) {
        let (mut word, mut filled) = (0u64, 0u32);
        // Most games: a step is one word, written at once.
        if self.step_bytes <= 8 {
            for (&choice, &bits) in joint.iter().zip(self.bits.iter()) {
                if bits > 0 {
                    word |= (u64::from(choice) & ((1 << bits) - 1)) << filled;
                    filled += u32::from(bits);
                }
            }
            match self.step_bytes {
                1 => self.packed.push(word as u8),
                bytes => self.packed.extend_from_slice(&word.to_le_bytes()[..bytes]),
            }
            return;
        }
        let end = self.packed.len() + self.step_bytes;
        for (&choice, &bits) in joint.iter().zip(self.bits.iter()) {
            word |= (u64::from(choice) & ((1 << bits) - 1)) << filled;
            filled += u32::from(bits);
            while filled >= 8 {
                self.packed.push(word as u8);
                word >>= 8;
                filled -= 8;
            }
        }
        if filled > 0 {
            self.packed.push(word as u8);
        }
        self.packed.resize(end, 0);
    }

    /// Writes the choices of a step into `joint`, `[seats, heads]`.
    pub fn read(&self, step: usize, joint: &mut [u32]) {
        let bytes = &self.packed[step * self.step_bytes..(step + 1) * self.step_bytes];
        let mut bytes = bytes.iter();
        let (mut word, mut filled) = (0u64, 0u32);
        for (choice, &bits) in joint.iter_mut().zip(self.bits.iter()) {
            let bits = u32::from(bits);
            while filled < bits {
                word |= u64::from(bytes.next().copied().unwrap_or(0)) << filled;
                filled += 8;
            }
            *choice = (word & ((1u64 << bits) - 1)) as u32;
            word >>= bits;
            filled -= bits;
        }
    }

    /// All choices, step by step.
    pub fn unpacked(&self) -> Vec<u32> {
        let mut all = vec![0; self.steps() * self.width()];
        for (step, joint) in all.chunks_exact_mut(self.width().max(1)).enumerate() {
            self.read(step, joint);
        }
        all
    }
}

/// What a match is a function of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// What it was started with.
    pub seed: u64,
    /// `[seats]`: who drove each seat.
    pub seats: Vec<Control>,
    /// What was chosen, step by step.
    pub actions: Actions,
}

/// A match that was played to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The game, its settings, and who played.
    pub about: About,
    /// The match itself.
    pub played: Played,
    /// `[steps]`: a number that follows from all that was seen up to and after each step. Empty where nobody
    /// reckoned them: in recordings of earlier versions, and of engines outside.
    pub checks: Vec<u16>,
}

/// Everything about a recorded match but its actions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The game.
    pub game: String,
    /// Its settings.
    pub settings: Value,
    /// The version of the program that recorded it: another one may play by other rules.
    pub version: String,
    /// What the match was started with.
    pub seed: u64,
    /// Who drove each seat.
    pub seats: Vec<Control>,
    /// Who that was, in words: `learner`, `bot:random`, `past:7`, a model.
    pub players: Vec<String>,
    /// Steps of the match.
    pub steps: usize,
    /// How it ended.
    pub result: Ended,
    /// Do checks of every step follow the actions?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub checked: bool,
}

/// How a recorded match ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// By what.
    pub end: End,
    /// `[teams]`
    pub score: Vec<f32>,
    /// `[stat values]`
    pub stats: Vec<f32>,
    /// `[seats][terms]`: sums over the match.
    pub terms: Vec<Vec<f32>>,
}

/// A file that is no recording of this game.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct RecordingError(String);

/// The first line of a file.
const MAGIC: &str = "lanista recording 1\n";
/// The most bytes of what is said about a match.
const MOST_ABOUT: usize = 1 << 20;

impl Recording {
    /// As the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.as_bytes().to_vec();
        bytes.extend(serde_json::to_vec(&self.about).unwrap_or_default());
        bytes.push(b'\n');
        bytes.extend(&self.played.actions.packed);
        bytes.extend(self.checks.iter().flat_map(|check| check.to_le_bytes()));
        bytes
    }

    /// The same with checks of its steps; without, if there are not as many as steps.
    pub fn with_checks(mut self, checks: Vec<u16>) -> Self {
        self.about.checked = !checks.is_empty() && checks.len() == self.played.actions.steps();
        self.checks = if self.about.checked { checks } else { Vec::new() };
        self
    }

    /// What the bytes of a file say about the match, and where its actions begin.
    pub fn about(bytes: &[u8]) -> Result<(About, usize), RecordingError> {
        let problem = |text: String| RecordingError(text);
        let rest = bytes
            .strip_prefix(MAGIC.as_bytes())
            .ok_or_else(|| problem("it does not begin as a recording does".into()))?;
        let line = rest.iter().take(MOST_ABOUT).position(|&byte| byte == b'\n');
        let line = line.ok_or_else(|| problem("its second line does not end".into()))?;
        let about: About =
            serde_json::from_slice(&rest[..line]).map_err(|e| problem(e.to_string()))?;
        Ok((about, MAGIC.len() + line + 1))
    }

    /// Reads the bytes of a file. `spec` is that of the game under the recorded settings; nothing is
    /// taken over that does not fit it.
    pub fn from_bytes(bytes: &[u8], spec: &Spec) -> Result<Self, RecordingError> {
        let (about, at) = Self::about(bytes)?;
        let problem = |text: String| Err(RecordingError(text));
        if about.game != spec.name {
            return problem(format!("it is one of {}, not of {}", about.game, spec.name));
        }
        if about.seats.len() != spec.seats.len() || about.players.len() != spec.seats.len() {
            return problem(format!(
                "it has {} seats, not {}",
                about.seats.len(),
                spec.seats.len()
            ));
        }
        for (seat, control) in about.seats.iter().enumerate() {
            if let Control::Bot(bot) = control
                && *bot >= spec.role_of(seat).bots.len()
            {
                return problem(format!(
                    "seat {seat} is driven by a player the game does not have"
                ));
            }
        }
        let mut actions = Actions::new(spec);
        let rest = &bytes[at..];
        let step_bytes = actions.step_bytes + if about.checked { size_of::<u16>() } else { 0 };
        if about.steps.checked_mul(step_bytes) != Some(rest.len()) {
            let (steps, found) = (about.steps, rest.len());
            return problem(format!("{found} bytes of actions are no {steps} steps"));
        }
        let (packed, checks) = rest.split_at(about.steps * actions.step_bytes);
        let checks = checks.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
        let checks = checks.collect();
        actions.packed = packed.to_vec();
        if let Some(choice) = unplayable(spec, &actions.unpacked()) {
            return problem(choice);
        }
        let (seed, seats) = (about.seed, about.seats.clone());
        Ok(Self { about, played: Played { seed, seats, actions }, checks })
    }
}

/// Says which of these choices, `[steps, seats, heads]`, nobody can have made: games trust those they
/// are given.
pub fn unplayable(spec: &Spec, choices: &[u32]) -> Option<String> {
    let heads = spec.roles.iter().map(|role| role.heads.len()).max().unwrap_or(0);
    let width = spec.seats.len() * heads;
    if width == 0 || !choices.len().is_multiple_of(width) {
        return Some(format!("{} recorded choices are no whole steps", choices.len()));
    }
    choices.iter().enumerate().find_map(|(at, &choice)| {
        let (seat, head) = (at % width / heads, at % heads);
        match spec.role_of(seat).heads.get(head) {
            Some(head) if choice as usize >= head.actions.len() => {
                Some(format!("the recorded choice {choice} is none of `{}`", head.name))
            }
            None if choice != 0 => Some(format!("seat {seat} has no head {head} to choose with")),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Head, Role, Seat};

    fn spec() -> Spec {
        let names = |n: usize| (0..n).map(|i| format!("a{i}")).collect::<Vec<_>>();
        let role = |name: &str, sizes: &[usize]| Role {
            name: name.into(),
            observation: vec![["x"].into()],
            heads: sizes.iter().map(|&n| Head::new(format!("h{n}"), names(n))).collect(),
            bots: vec!["random".into()],
            ..Role::default()
        };
        Spec {
            name: "toy".into(),
            roles: vec![role("a", &[1, 2, 90]), role("b", &[300])],
            seats: vec![Seat::of(0), Seat::of(1).role(1), Seat::of(1)],
            ..Spec::default()
        }
    }

    fn recording(steps: &[[u32; 9]]) -> Recording {
        let mut actions = Actions::new(&spec());
        steps.iter().for_each(|step| actions.push(step));
        let seats = vec![Control::Outside, Control::Bot(0), Control::Nobody];
        let result = Ended {
            end: End::Truncated,
            score: vec![1.0, -0.5],
            stats: vec![],
            terms: vec![vec![0.1]; 3],
        };
        let about = About {
            game: "toy".into(),
            settings: json!({"size": 3}),
            version: "1".into(),
            seed: 7,
            seats: seats.clone(),
            players: ["learner", "bot:random", "nobody"].map(str::to_owned).to_vec(),
            steps: steps.len(),
            result,
            checked: false,
        };
        Recording { about, played: Played { seed: 7, seats, actions }, checks: Vec::new() }
    }

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(
            steps in prop::collection::vec((0u32..2, 0u32..90, 0u32..300, 0u32..2, 0u32..90), 0..40)
        ) {
            let joint: Vec<[u32; 9]> =
                steps.iter().map(|&(b, c, d, e, f)| [0, b, c, d, 0, 0, 0, e, f]).collect();
            let made = recording(&joint);
            prop_assert_eq!(made.played.actions.unpacked(), joint.concat());
            // 8 + 9 + 8 bits.
            prop_assert_eq!(made.played.actions.packed.len(), 4 * steps.len());
            let read = Recording::from_bytes(&made.to_bytes(), &spec()).unwrap();
            prop_assert_eq!(&read, &made);
            let checks: Vec<u16> = (0..steps.len() as u16).map(|i| i.wrapping_mul(40_503)).collect();
            let made = made.with_checks(checks.clone());
            let read = Recording::from_bytes(&made.to_bytes(), &spec()).unwrap();
            prop_assert_eq!(&read.checks, &checks);
            prop_assert_eq!(read, made);
        }

        #[test]
        fn mutants_are_refused_or_playable(at in 0usize..400, byte: u8) {
            let mut bytes = recording(&[[0, 1, 89, 299, 0, 0, 0, 1, 3]; 5]).to_bytes();
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(read) = Recording::from_bytes(&bytes, &spec()) {
                prop_assert_eq!(unplayable(&spec(), &read.played.actions.unpacked()), None);
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let sound = recording(&[[0, 1, 5, 9, 0, 0, 0, 0, 0]]);
        let bytes = sound.to_bytes();
        let refused =
            |bytes: &[u8], spec: &Spec| Recording::from_bytes(bytes, spec).unwrap_err().to_string();
        assert!(refused(&bytes[1..], &spec()).contains("begin"));
        assert!(refused(&bytes[..30], &spec()).contains("second line"));
        assert!(refused(&bytes[..bytes.len() - 1], &spec()).contains("no 1 steps"));
        let other = Spec { name: "other".into(), ..spec() };
        assert!(refused(&bytes, &other).contains("one of toy, not of other"));
        let mut fewer = spec();
        fewer.seats.pop();
        assert!(refused(&bytes, &fewer).contains("3 seats, not 2"));
        let wild = recording(&[[0, 0, 127, 0, 0, 0, 0, 0, 0]]);
        assert!(refused(&wild.to_bytes(), &spec()).contains("127 is none of `h90`"));
    }
}
