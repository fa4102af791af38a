//! What was chosen in recorded battles, as a policy would have seen it.
//!
//! A battle is told again in the most exact way that its recording allows ([`Way`]): played again by the simulator,
//! where the seed is written beside the choices, which needs no log; from the requests themselves, where a client has kept them; from
//! teams, log and choices; or from a log alone, in which choices that were never carried out stay unknown. What a
//! side sees, may choose and chose is what a match of training would show it under the same settings.

mod collect;
mod kept;
mod rerun;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lanista_game::{End, Episode, UNKNOWN, Verdict};

use crate::dex;
use crate::format::Format;
use crate::host::{Engine, Patience, Pool};
use crate::install;
use crate::legal::Legal;
use crate::recorded::{self, Answer, Input, Recording, RecordingError};
use crate::request::Request;
use crate::settings::Settings;

use collect::{Collector, Scene};

/// How the decisions of a battle were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The simulator played it again from its seed: everything is its own.
    Played,
    /// A client kept what it was asked.
    Kept,
    /// From teams, log and choices: requests are told again.
    Told,
    /// From a log without choices: those are told from what happened.
    Inferred,
}

/// What a file gave.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// How the decisions were found; nothing if there are none.
    pub way: Option<Way>,
    /// Episodes handed over: one a side.
    pub episodes: usize,
    /// Decisions in them.
    pub decisions: usize,
    /// Decisions of which everything is known, and within what was offered.
    pub inside: usize,
    /// Decisions of which something was not offered; it is handed over as unknown.
    pub outside: usize,
    /// Choices of single heads that are known, and those that are not.
    pub known_heads: usize,
    /// See [`Self::known_heads`].
    pub unknown_heads: usize,
    /// Why something is not known or not exact, in words.
    pub notes: Vec<String>,
    /// What is wrong with the recording, by side and turn: choices that were not offered or cannot be read. They are
    /// handed over as unknown.
    pub faults: Vec<String>,
    /// Sides that were left out, and why.
    pub refused: Vec<String>,
}

/// Why no decisions can be read from a file.
#[derive(Debug, thiserror::Error)]
pub enum DecisionsError {
    /// It is no recorded battle.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// What a client kept cannot be read.
    #[error("{}, line {line}: {why}", .path.display())]
    Kept {
        /// The file.
        path: PathBuf,
        /// Its line, from 1; 0 for all of it.
        line: usize,
        /// What is wrong, and what to do about it.
        why: String,
    },
}

/// Reads decisions from files. It keeps the simulator's process for the next file.
pub struct Reader {
    settings: Settings,
    /// Opened by the first battle that can be played again; `Err` says why there is none.
    pool: Option<Result<Arc<Pool>, String>>,
}

/// Reads the decisions of one file: an episode for each side whose team is known.
///
/// # Errors
/// If it cannot be read or is no battle.
pub fn episodes(
    path: &Path,
    settings: &Settings,
    hear: &mut dyn FnMut(Episode),
) -> Result<Summary, DecisionsError> {
    Reader::new(settings).episodes(path, hear)
}

/// Could a file hold decisions, by its name? The log beside what a client kept is read with that, not by itself.
pub fn is_recording(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    if name.ends_with(kept::ENDING) {
        return true;
    }
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("json" | "txt") => true,
        Some("log") => !kept::notes_beside(path).exists(),
        _ => false,
    }
}

impl Reader {
    /// For a game under these settings.
    pub fn new(settings: &Settings) -> Self {
        Self { settings: settings.clone(), pool: None }
    }

    /// Reads the decisions of one file.
    ///
    /// # Errors
    /// If it cannot be read or is no battle.
    pub fn episodes(
        &mut self,
        path: &Path,
        hear: &mut dyn FnMut(Episode),
    ) -> Result<Summary, DecisionsError> {
        if path.to_str().is_some_and(|path| path.ends_with(kept::ENDING)) {
            return kept::episodes(path, &self.settings, hear);
        }
        let recording = Recording::read(path)?;
        Ok(self.recording(&recording, hear))
    }

    /// The decisions of a recording that was read already.
    pub fn recording(&mut self, recording: &Recording, hear: &mut dyn FnMut(Episode)) -> Summary {
        let mut summary = Summary::default();
        let mut collector = Collector::new(&self.settings);
        let mut log = Vec::new();
        if recording.seed.is_some() {
            let played = self.pool().and_then(|pool| rerun::play(recording, &pool, &mut collector));
            match played {
                Ok(told) => (summary.way, log) = (Some(Way::Played), told),
                Err(why) if recording.log.is_empty() => {
                    let why = format!("it has no log, and cannot be played again: {why}");
                    summary.refused.push(why);
                    return summary;
                }
                Err(why) => {
                    collector = Collector::new(&self.settings);
                    summary.notes.push(format!("it is not played again: {why}"));
                }
            }
        }
        if summary.way.is_none() {
            let stated = Input::of(&recording.choices).choices.iter().any(|side| !side.is_empty());
            summary.way = Some(if stated { Way::Told } else { Way::Inferred });
            let refused = recorded::moments(recording, &mut |moment| {
                let recorded::Moment { side, step, battle, request, legal, .. } = *moment;
                let why = moment.why.clone().unwrap_or_else(|| "it is not offered".to_owned());
                let fault = moment.wrong.then_some(why);
                let scene = Scene { side, step, battle, request, legal };
                collector.decision(&scene, moment.answer, fault);
                if let (Some(why), false) = (&moment.why, moment.wrong) {
                    summary.notes.push(format!("p{} at turn {}: {why}", side + 1, battle.turn));
                }
            });
            summary
                .refused
                .extend(refused.iter().map(|(side, why)| format!("p{}: {why}", side + 1)));
            summary.notes.extend(inexact(recording));
        }
        let log = if recording.log.is_empty() { &log } else { &recording.log };
        let players = Players::of(log);
        summary.finish(collector, &recording.file, &players, hear);
        summary
    }

    fn pool(&mut self) -> Result<Arc<Pool>, String> {
        let settings = &self.settings;
        let open = || {
            let install =
                install::locate(settings.showdown.as_deref()).map_err(|e| e.to_string())?;
            let engine = Engine {
                node: install.node,
                package: install.package,
                version: dex::version().to_owned(),
                formats: vec![settings.format().id.to_owned()],
                patience: Patience::default(),
            };
            Pool::open(&engine, 1).map_err(|error| error.to_string())
        };
        self.pool.get_or_insert_with(open).clone()
    }
}

/// What words mean as an answer to a request, and what is wrong with them if they mean nothing, or what was not
/// offered.
fn read_answer(
    format: &Format,
    words: &str,
    request: &Request,
    legal: &Legal,
) -> (Answer, Option<String>) {
    match recorded::answer_of(format, words, request, legal) {
        Some(answer) if answer.is_offered(legal) => (answer, None),
        Some(answer) => (answer, Some(format!("`{words}`: it is not offered"))),
        None => {
            let left = recorded::left_to_showdown(words);
            let answer = match legal.preview {
                true => Answer::Preview(None),
                false => Answer::Turn([None; 2]),
            };
            (answer, (!left).then(|| format!("`{words}` cannot be read")))
        }
    }
}

/// In what a battle that is told again cannot be exact.
fn inexact(recording: &Recording) -> Vec<String> {
    let mut notes = Vec::new();
    for (side, team) in recording.teams.iter().enumerate() {
        if team.iter().any(|set| set.sheet) {
            let side = side + 1;
            notes.push(format!(
                "p{side}: its stats and points of health are guessed: a sheet has none"
            ));
        }
    }
    notes
}

impl Summary {
    /// Hands the episodes over.
    fn finish(
        &mut self,
        mut collector: Collector,
        path: &Path,
        players: &Players,
        hear: &mut dyn FnMut(Episode),
    ) {
        self.inside += collector.inside;
        self.outside += collector.outside;
        self.faults.extend(collector.faults.drain(..).map(|(_, fault)| fault));
        let episodes = std::mem::take(&mut collector.episodes);
        for (side, mut episode) in episodes.into_iter().enumerate() {
            if episode.is_empty() {
                continue;
            }
            episode.player = players.names[side].clone();
            episode.source = format!("{} p{}", path.display(), side + 1);
            episode.verdict = players.verdict(side);
            episode.end = players.over.then_some(End::Terminated);
            let unknown = episode.actions.iter().filter(|&&action| action == UNKNOWN).count();
            if let Some(fault) = episode.fault(collector.spec()) {
                // By construction there is none; a dataset is no place to find out otherwise.
                self.refused.push(format!("p{}: {fault}", side + 1));
                continue;
            }
            self.episodes += 1;
            self.decisions += episode.len();
            self.unknown_heads += unknown;
            self.known_heads += episode.actions.len() - unknown;
            hear(episode);
        }
        if self.episodes == 0 {
            self.way = None;
        }
    }

    /// Adds what another file gave; ways are not added.
    pub fn add(&mut self, other: &Self) {
        self.way = None;
        self.episodes += other.episodes;
        self.decisions += other.decisions;
        self.inside += other.inside;
        self.outside += other.outside;
        self.known_heads += other.known_heads;
        self.unknown_heads += other.unknown_heads;
        self.notes.extend_from_slice(&other.notes);
        self.faults.extend_from_slice(&other.faults);
        self.refused.extend_from_slice(&other.refused);
    }
}

/// Who played, and who won.
#[derive(Debug, Default)]
struct Players {
    names: [String; 2],
    winner: Option<String>,
    over: bool,
    tied: bool,
}

impl Players {
    fn of(log: &[String]) -> Self {
        let mut players = Self::default();
        for line in log {
            let mut parts = line.split('|').skip(1);
            match (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next()) {
                ("player", side @ ("p1" | "p2"), Some(name)) if !name.is_empty() => {
                    players.names[usize::from(side == "p2")] = name.to_owned();
                }
                ("win", name, _) => {
                    players.over = true;
                    players.winner = Some(name.to_owned());
                }
                ("tie", ..) => {
                    players.over = true;
                    players.tied = true;
                }
                _ => {}
            }
        }
        players
    }

    fn verdict(&self, side: usize) -> Option<Verdict> {
        if self.tied {
            return Some(Verdict::Drawn);
        }
        let won = |side: usize| Some(&self.names[side]) == self.winner.as_ref();
        match (won(side), won(1 - side)) {
            (true, false) => Some(Verdict::Won),
            (false, true) => Some(Verdict::Lost),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
