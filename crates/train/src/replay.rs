//! A recorded match, played again.

use std::time::Duration;

use lanista_game::recording::{Ended, Recording};
use lanista_game::{Buffers, End, Entry, Fault, SettingsError, Spec, await_answer};
use lanista_learn::{Choose, Policy, categorical};
use serde::Serialize;
use serde_json::Value;
use thiserror::Error;

use crate::crc::Crc32c;
use crate::infer::{Inference, Seen};
use crate::player::Roster;
use crate::stack::Stack;

/// How long an engine may take for one answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A recording that cannot be played again.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The game refused its settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The match cannot begin: what plays it is not here.
    #[error("{0}")]
    Begin(Fault),
    /// The match could not go on.
    #[error("step {step}: {error}")]
    Match {
        /// Where.
        step: usize,
        /// Why.
        error: Fault,
    },
    /// The match ended before its recorded actions did, or has not ended after them.
    #[error("{0}")]
    Length(String),
}

/// What was seen when a match was played again.
pub struct Replayed {
    /// How it ended.
    pub result: Ended,
    /// In what that differs from the recorded result; empty if it is the same.
    pub differences: Vec<String>,
    /// What the game shows at the end.
    pub frame: String,
}

/// One step of a match that is played again.
pub struct Step<'a> {
    /// Counted from 0.
    pub number: usize,
    /// What the game shows before it.
    pub frame: &'a str,
    /// What it shows that never changes in a match; empty if there is nothing.
    pub scene: &'a str,
    /// How long a step lasts for whoever watches, if the game has a clock.
    pub step_secs: Option<f64>,
    /// `[seats, heads]`: what was chosen.
    pub joint: &'a [u32],
    /// `[seats]`: who had to act before it.
    pub acting: &'a [bool],
    /// Follows from all that was seen so far, this step included; none with a critic, who may see other frames.
    pub check: Option<u16>,
    /// What an agent thinks of it, seat by seat; `None` for seats that did not act, or that it does not
    /// play.
    pub thoughts: &'a [Option<Thought>],
    /// What the step brought.
    pub buffers: &'a Buffers,
}

/// What an agent thinks of what a seat saw and did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thought {
    /// The critic's opinion.
    pub value: f32,
    /// `[heads]`: the probability that it would have chosen the same.
    pub chosen: Vec<f32>,
    /// `[heads][actions]`
    pub probabilities: Vec<Vec<f32>>,
    /// `[heads][actions]`: what was legal, given the choices of earlier heads.
    #[serde(skip)]
    pub mask: Vec<Vec<bool>>,
}

/// An agent that is asked what it thinks of a match.
pub struct Critic<'a> {
    /// Its policies.
    pub roster: &'a Roster,
    /// Which frames it sees.
    pub stack: &'a Stack,
}

/// Plays a recorded match again under these settings: those recorded, with what this machine has.
pub fn replay(
    entry: &Entry,
    settings: &Value,
    recording: &Recording,
    critic: Option<&Critic>,
    mut hear: impl FnMut(&Step),
) -> Result<Replayed, ReplayError> {
    let batch = entry.build(settings, 1)?;
    let mut batch = critic.map_or(&Stack::default(), |critic| critic.stack).over(batch);
    let spec = batch.spec().clone();
    let mut buffers = Buffers::new(&spec, 1);
    let mut thinker = critic.map(|critic| Thinker::new(critic.roster, &spec));
    let played = &recording.played;
    let at = |step: usize| move |error: Fault| ReplayError::Match { step, error };
    let begun = batch.start(0, played.seed, &played.seats, &mut buffers);
    let begun = begun.and_then(|()| await_answer(batch.as_mut(), PATIENCE, &mut buffers));
    begun.map_err(ReplayError::Begin)?;
    let (seats, terms) = (spec.seats.len(), spec.terms.len());
    let mut joint = vec![0; played.actions.width()];
    let mut sums = vec![0.0; seats * terms];
    let mut frame = String::new();
    let mut thoughts = vec![None; seats];
    let mut acting = vec![false; seats];
    let (mut scene, step_secs) = (String::new(), batch.step_secs());
    batch.scene(0, &mut scene);
    let (mut sum, mut bytes) = (Crc32c::default(), Vec::new());
    for step in 0..played.actions.steps() {
        if buffers.end[0].is_some() {
            return Err(ReplayError::Length(format!(
                "it is over after {step} of {} recorded steps",
                played.actions.steps()
            )));
        }
        played.actions.read(step, &mut joint);
        frame.clear();
        batch.frame(0, &mut frame);
        acting.copy_from_slice(&buffers.acting[..seats]);
        if let Some(thinker) = &mut thinker {
            thinker.think(&buffers, &joint, &mut thoughts);
        }
        batch.submit(&[0], &joint, &mut buffers).map_err(at(step))?;
        await_answer(batch.as_mut(), PATIENCE, &mut buffers).map_err(at(step))?;
        sums.iter_mut().zip(&buffers.terms).for_each(|(sum, term)| *sum += term);
        let check = thinker.is_none().then(|| {
            seen(&buffers, &mut bytes);
            sum.add(&bytes);
            (sum.value() ^ (sum.value() >> 16)) as u16
        });
        let (frame, joint, thoughts) = (&frame[..], &joint[..], &thoughts[..]);
        let (number, scene, acting, buffers) = (step, &scene[..], &acting[..], &buffers);
        hear(&Step { number, frame, scene, step_secs, joint, acting, check, thoughts, buffers });
    }
    let Some(end) = buffers.end[0] else {
        return Err(ReplayError::Length(format!(
            "it is not over after all {} recorded steps",
            played.actions.steps()
        )));
    };
    let terms = match terms {
        0 => vec![Vec::new(); seats],
        terms => sums.chunks_exact(terms).map(<[f32]>::to_vec).collect(),
    };
    let result = Ended { end, score: buffers.score.clone(), stats: buffers.stats.clone(), terms };
    let differences = differences(&spec, &recording.about.result, &result);
    frame.clear();
    batch.frame(0, &mut frame);
    Ok(Replayed { result, differences, frame })
}

/// All that a step showed, as bytes.
fn seen(buffers: &Buffers, bytes: &mut Vec<u8>) {
    bytes.clear();
    for numbers in [&buffers.observation, &buffers.privileged, &buffers.terms] {
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    for flags in [&buffers.mask, &buffers.acting] {
        bytes.extend(flags.iter().map(|flag| u8::from(*flag)));
    }
    bytes.push(u8::from(buffers.end[0].is_some()));
}

/// In what two results of a match differ, in words.
fn differences(spec: &Spec, then: &Ended, now: &Ended) -> Vec<String> {
    let mut found = Vec::new();
    let end = |end: End| match end {
        End::Terminated => "was decided",
        End::Truncated => "ran out of time",
    };
    if then.end != now.end {
        found.push(format!("it {} now, and {} then", end(now.end), end(then.end)));
    }
    if then.score != now.score {
        found.push(format!("the score is {:?}, and was {:?}", now.score, then.score));
    }
    if then.stats != now.stats {
        found.push("the stats are others".into());
    }
    for (seat, (then, now)) in then.terms.iter().zip(&now.terms).enumerate() {
        for (term, (then, now)) in spec.terms.iter().zip(then.iter().zip(now)) {
            if then != now {
                found.push(format!("seat {seat} earned {now} of {}, and {then} then", term.name));
            }
        }
    }
    found
}

/// Asks an agent about every seat that acts.
struct Thinker<'a> {
    roster: &'a Roster,
    /// `[roles]`
    inferences: Vec<Inference>,
    /// `[seats]`: what actor and critic remember.
    memories: Vec<(Vec<f32>, Vec<f32>)>,
    fresh: Vec<bool>,
}

impl<'a> Thinker<'a> {
    fn new(roster: &'a Roster, spec: &Spec) -> Self {
        let memory = |seat: &lanista_game::Seat| {
            let (actor, critic) = roster.get(seat.role).map_or((0, 0), Policy::state_sizes);
            (vec![0.0; actor], vec![0.0; critic])
        };
        Self {
            roster,
            inferences: spec.roles.iter().map(|_| Inference::default()).collect(),
            memories: spec.seats.iter().map(memory).collect(),
            fresh: vec![true; spec.seats.len()],
        }
    }

    fn think(&mut self, buffers: &Buffers, joint: &[u32], thoughts: &mut [Option<Thought>]) {
        let layout = buffers.layout();
        for (seat, thought) in thoughts.iter_mut().enumerate() {
            let role = layout.role_of(seat);
            *thought = None;
            let Some(policy) = self.roster.get(role).filter(|_| buffers.acting[seat]) else {
                continue;
            };
            let own = layout.seat(seat);
            let seen = Seen { observation: &buffers.observation, buffers, role: own };
            let (actor, critic) = &mut self.memories[seat];
            let inference = &mut self.inferences[role];
            inference.clear();
            inference.add(&seen, seat, self.fresh[seat], actor);
            inference.add_critic(&seen, seat, critic);
            inference.prepare(policy);
            let chosen = &joint[seat * layout.heads..];
            inference.act(policy, Choose::Known(&|_, head| chosen[head]));
            actor.copy_from_slice(inference.memory(0));
            critic.copy_from_slice(inference.critic_memory(0));
            self.fresh[seat] = false;
            let (mut probabilities, mut masks) = (Vec::new(), Vec::new());
            for head in 0..own.heads {
                let at = own.head(head);
                let mut probs = vec![0.0; at.len()];
                let (logits, mask) =
                    (&inference.scratch.logits[at.clone()], &inference.inputs.mask[at]);
                categorical::evaluate(logits, mask, chosen[head], &mut probs);
                masks.push(mask.to_vec());
                probabilities.push(probs);
            }
            let likely = probabilities.iter().zip(chosen).map(|(p, &c)| p[c as usize]).collect();
            let value = inference.scratch.values[0];
            *thought = Some(Thought { value, chosen: likely, probabilities, mask: masks });
        }
    }
}
