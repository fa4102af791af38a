//! Matches, played again from their recordings: every frame, choice and term, and whether it still ends as it
//! was recorded.

use std::sync::{Arc, Mutex};

use lanista_game::recording::{Ended, Recording};
use lanista_game::{Entry, Spec, TermKind};
use lanista_train::model;
use lanista_train::replay::{Critic, ReplayError, replay};
use serde::Serialize;
use serde_json::Value;

use crate::recordings::{Kept, MOST_BYTES};
use crate::refusal::Refusal;

/// Bytes of matches in memory.
const BUDGET: usize = 48 << 20;
/// The most bytes of the frames of one match.
const MOST_FRAMES: usize = 32 << 20;
/// The most steps of a match that is played.
const MOST_STEPS: usize = 200_000;
/// The most events of a match.
const MOST_EVENTS: usize = 2000;

/// Whether a match ends as it was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// It does.
    Same,
    /// It does not: the game, its rules or the build are others.
    Differs,
    /// It cannot be played here.
    Cannot,
}

/// Something that happened in a match.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Event {
    /// After this step.
    pub step: usize,
    /// The reward term that says so.
    pub kind: String,
    /// In words.
    pub text: String,
    /// To whom.
    pub seat: usize,
}

/// A match that was played again.
pub struct Match {
    /// The game under its settings.
    pub spec: Spec,
    /// Steps that were played; frames have one more.
    pub length: usize,
    /// `[length + 1]`: JSON of the game, before each step and at the end; empty without a picture.
    pub frames: Vec<Box<str>>,
    /// What never changes in it, as JSON of the game.
    pub scene: Option<String>,
    /// `[length][seats * heads]`
    pub joint: Vec<Box<[u32]>>,
    /// `[length][seats * terms]`
    pub terms: Vec<Box<[f32]>>,
    /// `[length][seats]`
    pub acting: Vec<Box<[bool]>>,
    /// How it ended, now; as it was recorded if it did not come so far.
    pub result: Ended,
    /// Seconds of a step, if the game has a clock.
    pub step_seconds: Option<f64>,
    /// Does it end as recorded?
    pub agreement: Agreement,
    /// What the user should know.
    pub notice: Option<String>,
    /// The first step after which something else was seen than when it was recorded.
    pub first_difference: Option<usize>,
    /// What happened.
    pub events: Vec<Event>,
    bytes: usize,
}

/// Matches in memory, the latest last.
#[derive(Default)]
pub struct Matches {
    kept: Mutex<Vec<(String, Arc<Match>)>>,
    /// One is played at a time: whoever asks for it meanwhile gets the same one.
    playing: Mutex<()>,
}

impl Matches {
    /// The match of a recording. `settings` are those recorded with what this machine has.
    pub fn get(&self, kept: &Kept, entry: &Entry, settings: &Value) -> Result<Arc<Match>, Refusal> {
        let key = format!("{}@{}", kept.id, kept.when);
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        let _playing = self.playing.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        let played = Arc::new(play(kept, entry, settings)?);
        let mut all = self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.push((key, played.clone()));
        let mut bytes: usize = all.iter().map(|(_, m)| m.bytes).sum();
        while bytes > BUDGET && all.len() > 1 {
            bytes -= all.remove(0).1.bytes;
        }
        Ok(played)
    }

    fn known(&self, key: &str) -> Option<Arc<Match>> {
        let mut all = self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let at = all.iter().position(|(known, _)| known == key)?;
        let found = all.remove(at);
        all.push(found);
        all.last().map(|(_, found)| found.clone())
    }
}

/// Reads a recording whole.
pub fn read(kept: &Kept, entry: &Entry) -> Result<(Recording, Spec), Refusal> {
    let cannot = |problem: String| {
        Refusal::bad(problem, kept.path.display().to_string(), "choose another match")
    };
    let length = std::fs::metadata(&kept.path).map_or(0, |metadata| metadata.len());
    if length > MOST_BYTES || kept.about.steps > MOST_STEPS {
        return Err(cannot(format!("a recording of {length} bytes is too long to be shown")));
    }
    let bytes = std::fs::read(&kept.path).map_err(|e| cannot(format!("it cannot be read: {e}")))?;
    let spec = entry.spec(&kept.about.settings);
    let spec = spec.map_err(|e| cannot(format!("{} refuses its settings: {e}", entry.name)))?;
    let recording = Recording::from_bytes(&bytes, &spec);
    let recording = recording.map_err(|e| cannot(format!("it is no sound recording: {e}")))?;
    Ok((recording, spec))
}

fn play(kept: &Kept, entry: &Entry, settings: &Value) -> Result<Match, Refusal> {
    let (recording, spec) = read(kept, entry)?;
    let (seats, terms) = (spec.seats.len(), spec.terms.len());
    let mut made = Match {
        length: 0,
        frames: Vec::new(),
        scene: None,
        joint: Vec::new(),
        terms: Vec::new(),
        acting: Vec::new(),
        result: recording.about.result.clone(),
        step_seconds: None,
        agreement: Agreement::Same,
        notice: None,
        first_difference: None,
        events: Vec::new(),
        bytes: 0,
        spec,
    };
    let (mut framed, mut left_out) = (0, false);
    let mut keep = |frames: &mut Vec<Box<str>>, frame: &str| {
        framed += frame.len();
        left_out |= framed > MOST_FRAMES;
        frames.push(if framed > MOST_FRAMES { "".into() } else { frame.into() });
    };
    let played = replay(entry, settings, &recording, None, |step| {
        keep(&mut made.frames, step.frame);
        if step.number == 0 {
            made.scene = Some(step.scene.to_owned()).filter(|scene| !scene.is_empty());
            made.step_seconds = step.step_secs;
        }
        made.joint.push(step.joint.into());
        made.terms.push(step.buffers.terms[..seats * terms].into());
        made.acting.push(step.acting.into());
        made.length = step.number + 1;
        if let (Some(then), Some(now)) = (recording.checks.get(step.number), step.check)
            && *then != now
        {
            made.first_difference.get_or_insert(step.number);
        }
        events(&made.spec, step.number, &step.buffers.terms, &mut made.events);
    });
    match played {
        Ok(replayed) => {
            keep(&mut made.frames, &replayed.frame);
            made.result = replayed.result;
            if !replayed.differences.is_empty() {
                made.agreement = Agreement::Differs;
                made.notice = Some(format!("not as recorded: {}", replayed.differences.join("; ")));
            } else if made.first_difference.is_some() {
                made.agreement = Agreement::Differs;
                made.notice = Some("it ends as recorded, but not on the same way".into());
            }
        }
        // Nothing was played that could differ.
        Err(error @ (ReplayError::Settings(_) | ReplayError::Begin(_))) => {
            made.agreement = Agreement::Cannot;
            made.notice = Some(format!("it cannot be played here: {error}"));
        }
        Err(error) => {
            made.agreement = Agreement::Differs;
            made.first_difference.get_or_insert(made.length);
            made.notice = Some(format!("not as recorded: {error}"));
        }
    }
    if left_out {
        let said = made.notice.take().map_or(String::new(), |notice| format!("{notice}; "));
        made.notice = Some(format!("{said}its last frames are too large and left out"));
    }
    if made.frames.iter().all(|frame| frame.is_empty()) {
        made.frames.clear();
    }
    if made.agreement == Agreement::Differs && recording.about.version != env!("CARGO_PKG_VERSION")
    {
        let version = &recording.about.version;
        let said = made.notice.take().unwrap_or_default();
        made.notice = Some(format!("{said} (it was recorded by version {version})"));
    }
    let per_step = 4 * (made.spec.seats.len() * terms)
        + made.joint.first().map_or(0, |j| 4 * j.len())
        + seats
        + 64;
    made.bytes = framed.min(MOST_FRAMES) + made.length * per_step + 128 * made.events.len();
    Ok(made)
}

/// Outcomes and events that a step brought; what only guides is none.
fn events(spec: &Spec, step: usize, terms: &[f32], out: &mut Vec<Event>) {
    for (i, &value) in terms.iter().enumerate().filter(|(_, value)| **value != 0.0) {
        let (seat, term) = (i / spec.terms.len(), &spec.terms[i % spec.terms.len()]);
        if term.kind == TermKind::Shaping || out.len() >= MOST_EVENTS || seat >= spec.seats.len() {
            continue;
        }
        let text = format!("{} {value}", term.name);
        out.push(Event { step, kind: term.name.clone(), text, seat });
    }
}

/// What a model thinks of a match, step by step and seat by seat; nothing where it was not asked.
pub struct Thoughts {
    /// `[length][seats]`: the critic's opinion.
    pub value: Vec<Vec<Option<f32>>>,
    /// `[length][seats][heads][actions]`
    pub probabilities: Vec<Vec<Option<Vec<Vec<f32>>>>>,
    /// `[length][seats][heads][actions]`: what was legal.
    pub mask: Vec<Vec<Option<Vec<Vec<bool>>>>>,
    bytes: usize,
}

/// Thoughts in memory, the latest last.
#[derive(Default)]
pub struct Thinking {
    kept: Mutex<Vec<(String, Arc<Thoughts>)>>,
    thinking: Mutex<()>,
}

impl Thinking {
    /// What the model in a file thinks of a match.
    pub fn get(
        &self,
        kept: &Kept,
        entry: &Entry,
        settings: &Value,
        path: &std::path::Path,
    ) -> Result<Arc<Thoughts>, Refusal> {
        let stamp = std::fs::metadata(path).ok().and_then(|m| m.modified().ok());
        let key = format!("{}@{}|{}@{stamp:?}", kept.id, kept.when, path.display());
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        let _thinking = self.thinking.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        let thoughts = Arc::new(think(kept, entry, settings, path)?);
        let mut all = self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.push((key, thoughts.clone()));
        let mut bytes: usize = all.iter().map(|(_, t)| t.bytes).sum();
        while bytes > BUDGET && all.len() > 1 {
            bytes -= all.remove(0).1.bytes;
        }
        Ok(thoughts)
    }

    fn known(&self, key: &str) -> Option<Arc<Thoughts>> {
        let all = self.kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        all.iter().find(|(known, _)| known == key).map(|(_, found)| found.clone())
    }
}

fn think(
    kept: &Kept,
    entry: &Entry,
    settings: &Value,
    path: &std::path::Path,
) -> Result<Thoughts, Refusal> {
    let (recording, spec) = read(kept, entry)?;
    let cannot = |problem: String| {
        Refusal::bad(
            problem,
            "model",
            "choose a model of this game: /api/models?game=GAME lists them",
        )
    };
    let metadata = model::metadata(path).map_err(|e| cannot(e.to_string()))?;
    let seen = metadata.stack.widen(spec.clone());
    let (roster, metadata) = model::load(path, &seen).map_err(|e| cannot(e.to_string()))?;
    let critic = Critic { roster: &roster, stack: &metadata.stack };
    let mut made = Thoughts { value: vec![], probabilities: vec![], mask: vec![], bytes: 0 };
    let mut too_many = false;
    let told = replay(entry, settings, &recording, Some(&critic), |step| {
        too_many |= made.bytes > BUDGET;
        if too_many {
            return;
        }
        let thoughts = step.thoughts.iter();
        made.value.push(thoughts.clone().map(|t| t.as_ref().map(|t| t.value)).collect());
        let chances = thoughts.clone().map(|t| t.as_ref().map(|t| t.probabilities.clone()));
        made.probabilities.push(chances.collect());
        made.mask.push(thoughts.map(|t| t.as_ref().map(|t| t.mask.clone())).collect());
        let actions: usize =
            step.thoughts.iter().flatten().flat_map(|t| &t.mask).map(Vec::len).sum();
        made.bytes += 64 + 48 * step.thoughts.len() + 5 * actions;
    });
    match told {
        Err(error @ (ReplayError::Settings(_) | ReplayError::Begin(_))) => {
            Err(cannot(format!("it cannot be played here: {error}")))
        }
        // As far as it went: the match itself says what is wrong.
        _ => Ok(made),
    }
}
