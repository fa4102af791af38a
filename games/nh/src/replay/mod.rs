//! Recorded fights, played again by the simulator and compared tick by tick.
//!
//! The simulator gets what chance decided on the server: the hits with their damage, the order of
//! play, and, where several tiles were equally near, the one that was walked to. Everything else it
//! works out itself, and both sides' observations and masks are compared with the recorded ones.

mod facts;
mod play;
mod recorded;
mod tally;

use std::path::{Path, PathBuf};

use crate::sim::other;
use crate::trace::{self, Event, Line, Snapshot, TraceError};
use play::Play;
pub use tally::{Agreement, Count, Difference, Place};

/// A recorded fight from both sides.
pub struct Recording {
    /// The name that differences are reported under.
    pub name: String,
    sides: [Option<trace::Fight>; 2],
    scripted: bool,
}

/// The other side's file: `_A` and `_B` stand before the ending.
fn sibling(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (stem, ending) = name.split_once('.')?;
    let twin = match stem.strip_suffix("_A") {
        Some(fight) => format!("{fight}_B.{ending}"),
        None => format!("{}_A.{ending}", stem.strip_suffix("_B")?),
    };
    Some(path.with_file_name(twin))
}

impl Recording {
    /// Reads the fight that a file belongs to. A fight between two agents needs both files; the
    /// second is looked for beside the first.
    ///
    /// # Errors
    /// When a file cannot be read or its twin is missing.
    pub fn read(path: &Path) -> Result<Self, TraceError> {
        let one = trace::Fight::read(path)?;
        let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        if one.against_baseline() {
            return Ok(Self { name, sides: [Some(one), None], scripted: true });
        }
        let twin = sibling(path).ok_or_else(|| TraceError {
            path: path.to_path_buf(),
            line: None,
            problem:
                "a fight between two agents needs both files, and the name does not end in _A \
                      or _B"
                    .into(),
        })?;
        let two = trace::Fight::read(&twin)?;
        let meets = |one: &trace::Fight, two: &trace::Fight| {
            two.lines.first().is_some_and(|line| one.target == line.me.name)
        };
        if !(meets(&one, &two) && meets(&two, &one)) {
            let problem = format!("is not the other side of {}", path.display());
            return Err(TraceError { path: twin, line: Some(1), problem });
        }
        Ok(Self { name, sides: [Some(one), Some(two)], scripted: false })
    }

    /// The files of this fight.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.sides.iter().flatten().map(|side| side.path.as_path())
    }

    fn line(&self, who: usize, tick: u64) -> Option<&Line> {
        let lines = &self.sides[who].as_ref()?.lines;
        let index = usize::try_from(tick.checked_sub(lines.first()?.tick)?).ok()?;
        lines.get(index)
    }

    /// A side at the end of a tick.
    fn snapshot(&self, who: usize, tick: u64) -> Option<&Snapshot> {
        self.line(who, tick)
            .map(|line| &line.me)
            .or_else(|| self.line(other(who), tick).and_then(|line| line.other.as_ref()))
    }

    fn events(&self, tick: u64) -> &[Event] {
        self.line(0, tick).or_else(|| self.line(1, tick)).map_or(&[], |line| &line.events)
    }

    /// Plays the fight and adds to the tally.
    ///
    /// # Errors
    /// When the recording lacks a side's start, or its sides are of different times.
    pub fn replay(&self, tally: &mut Agreement) -> Result<(), TraceError> {
        let starts = self.sides.iter().flatten().filter_map(|side| side.lines.first());
        let ends = self.sides.iter().flatten().filter_map(|side| side.lines.last());
        let (Some(start), Some(end)) =
            (starts.map(|line| line.tick).min(), ends.map(|line| line.tick).max())
        else {
            return Ok(());
        };
        // Every tick has a line of one side or the other, or the two are not of one fight.
        let lines: usize = self.sides.iter().flatten().map(|side| side.lines.len()).sum();
        if end - start >= lines as u64 {
            return Err(TraceError {
                path: self.files().last().map(Path::to_path_buf).unwrap_or_default(),
                line: None,
                problem: format!("{lines} lines of both sides cannot fill ticks {start} to {end}"),
            });
        }
        let mut play = Play::begin(self, start).ok_or_else(|| TraceError {
            path: self.files().next().map(Path::to_path_buf).unwrap_or_default(),
            line: Some(1),
            problem: "the first line does not show both sides".into(),
        })?;
        tally.fights += 1;
        play.compare(tally, start);
        for tick in start + 1..=end {
            play.tick(tally, tick);
            play.compare(tally, tick);
        }
        Ok(())
    }
}
