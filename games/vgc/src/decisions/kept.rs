//! Battles that a client kept: `ROOM.choices.jsonl` has what was asked and chosen, `ROOM.log` what was seen.

use std::path::{Path, PathBuf};

use lanista_game::Episode;
use serde::Deserialize;
use serde_json::Value;

use crate::format::Format;
use crate::legal::Legal;
use crate::recorded::{Answer, RecordingError};
use crate::request::Request;
use crate::settings::Settings;
use crate::track::Tracker;

use super::collect::{Collector, Scene};
use super::{DecisionsError, Players, Summary, Way, read_answer};

/// How the name of what a client kept ends.
pub(super) const ENDING: &str = ".choices.jsonl";

/// A line of it; which parts are there depends on what it is about.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Note {
    format: Option<String>,
    asked: Option<Request>,
    lines: Option<usize>,
    choice: Option<String>,
    rejected: Option<Value>,
    restarted: bool,
}

/// The notes beside a log, whether they are there or not.
pub(super) fn notes_beside(log: &Path) -> PathBuf {
    exchanged(log, ".log", ENDING)
}

fn exchanged(path: &Path, ending: &str, by: &str) -> PathBuf {
    let name =
        path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let stem = name.strip_suffix(ending).unwrap_or(&name);
    path.with_file_name(format!("{stem}{by}"))
}

/// Reads what a client kept of one battle.
pub(super) fn episodes(
    path: &Path,
    settings: &Settings,
    hear: &mut dyn FnMut(Episode),
) -> Result<Summary, DecisionsError> {
    let read = |path: &Path| {
        std::fs::read_to_string(path)
            .map_err(|source| RecordingError::Unreadable { path: path.to_owned(), source })
    };
    let notes = read(path)?;
    let log: Vec<String> =
        read(&exchanged(path, ENDING, ".log"))?.lines().map(str::to_owned).collect();
    let fault =
        |line: usize, why: String| DecisionsError::Kept { path: path.to_owned(), line, why };
    let mut told = Vec::new();
    for (at, text) in notes.lines().enumerate() {
        let note: Note = serde_json::from_str(text).map_err(|e| fault(at + 1, e.to_string()))?;
        told.push(note);
    }
    let named = told.iter().find_map(|note| note.format.as_deref()).unwrap_or("");
    let Some(format) = Format::of(named) else {
        return Err(
            RecordingError::Format { path: path.to_owned(), format: named.to_owned() }.into()
        );
    };
    if !told.iter().any(|note| note.asked.is_some()) {
        let why = "it has choices without what was asked: it was kept before requests were; play anew with \
                   --keep"
            .to_owned();
        return Err(fault(0, why));
    }
    // After a restart the log was written anew, so places in it from before mean nothing.
    let from = told.iter().rposition(|note| note.restarted).map_or(0, |at| at + 1);
    let mut summary = Summary { way: Some(Way::Kept), ..Summary::default() };
    if told[..from].iter().any(|note| note.choice.is_some()) {
        summary.notes.push("choices before the connection was made anew are left out".to_owned());
    }
    let mut collector = Collector::new(settings);
    Seat::new(format, &log).play(&told[from..], &mut collector);
    summary.finish(collector, path, &Players::of(&log), hear);
    Ok(summary)
}

/// The seat that a client had.
struct Seat<'a> {
    format: &'static Format,
    log: &'a [String],
    /// Lines of the log that were read.
    read: usize,
    tracker: Option<Tracker>,
    open: Option<(Request, Legal)>,
    chosen: Option<Answer>,
    step: u32,
}

impl<'a> Seat<'a> {
    fn new(format: &'static Format, log: &'a [String]) -> Self {
        Self { format, log, read: 0, tracker: None, open: None, chosen: None, step: 0 }
    }

    fn play(&mut self, notes: &[Note], to: &mut Collector) {
        for note in notes {
            if let Some(request) = &note.asked {
                self.asked(request, note.lines.unwrap_or(0));
            } else if let Some(words) = &note.choice {
                self.chose(words, to);
            } else if note.rejected.is_some() {
                self.rejected(to);
            }
        }
    }

    fn asked(&mut self, request: &Request, lines: usize) {
        (self.open, self.chosen) = (None, None);
        let side = match request.side.id.as_str() {
            "p1" => 0,
            "p2" => 1,
            _ => return,
        };
        let tracker = self.tracker.get_or_insert_with(|| Tracker::new(self.format, side));
        let until = lines.clamp(self.read, self.log.len());
        self.log[self.read..until].iter().for_each(|line| tracker.line(line));
        self.read = until;
        tracker.request(request);
        self.step += 1;
        if !request.wait {
            let legal = Legal::new(request, tracker.battle());
            self.open = Some((request.clone(), legal));
        }
    }

    fn chose(&mut self, words: &str, to: &mut Collector) {
        let (Some(tracker), Some((request, legal))) = (&self.tracker, &self.open) else { return };
        let battle = tracker.battle();
        let (answer, fault) = read_answer(self.format, words, request, legal);
        let (side, step) = (battle.me, self.step);
        to.decision(&Scene { side, step, battle, request, legal }, answer, fault);
        self.chosen = Some(answer);
    }

    /// The last choice was not taken. The same may be asked again without it.
    fn rejected(&mut self, to: &mut Collector) {
        let (Some((_, legal)), Some(tracker)) = (&mut self.open, &self.tracker) else { return };
        let Some(answer) = self.chosen.take() else { return };
        to.take_back(tracker.battle().me);
        let _ = match answer {
            Answer::Preview(Some(number)) => legal.strike_preview(number),
            Answer::Turn([Some(first), Some(second)]) => legal.strike(first, second),
            _ => true,
        };
    }
}
