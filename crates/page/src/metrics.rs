//! The metrics of one run: its lines, followed, as columns in memory.

use std::io;
use std::path::Path;

use serde::Serialize;

use crate::columns::{Axis, Column, Columns, Place};
use crate::line::{Lines, Remarkable};
use crate::tail::{Seen, Tail};

/// The most buckets of a metric.
pub const BUCKETS: usize = 4096;
/// The most marks of a run that are kept: a chart has no room for more.
const MOST_MARKS: usize = 4096;

/// What a mark on a chart stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// Another stage of the curriculum began.
    Stage,
    /// A checkpoint that is kept for good.
    Milestone,
    /// Matches without learning.
    Evaluation,
    /// A policy that joined the pool.
    Snapshot,
    /// Something is wrong.
    Warning,
}

/// A moment of a run that is worth a mark.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What it stands for.
    pub kind: MarkKind,
    /// Where.
    pub place: Place,
    /// What happened.
    pub label: String,
}

#[derive(Clone, Copy, Default)]
struct Watched {
    names: usize,
    places: [Option<usize>; 3],
    evaluated: Option<usize>,
    won: Option<usize>,
    dropped: Option<usize>,
}

/// The metrics of one run.
pub struct RunMetrics {
    tail: Tail,
    lines: Lines,
    columns: Columns,
    /// Metrics that are looked at in every line, found again when there are new names: the axes, what an
    /// evaluation showed, and what went wrong.
    watched: Watched,
    marks: Vec<Mark>,
    stage: Option<String>,
    dropped: Option<f64>,
    /// Counts how often everything was read anew: cursors of before mean nothing after.
    generation: u64,
    /// Lines that are no JSON.
    unreadable: u64,
}

impl Default for RunMetrics {
    fn default() -> Self {
        Self {
            tail: Tail::default(),
            lines: Lines::default(),
            columns: Columns::new(BUCKETS),
            watched: Watched::default(),
            marks: Vec::new(),
            stage: None,
            dropped: None,
            generation: 0,
            unreadable: 0,
        }
    }
}

impl RunMetrics {
    /// Nothing yet; cursors of an earlier generation mean nothing.
    pub fn of_generation(generation: u64) -> Self {
        Self { generation, ..Self::default() }
    }

    /// Reads what the file has that is new, or a part of it if that is much.
    pub fn follow(&mut self, path: &Path) -> io::Result<Seen> {
        let mut tail = std::mem::take(&mut self.tail);
        let seen = tail.follow(path, self, Self::begin, |own, at, line| own.take(at, line));
        self.tail = tail;
        seen
    }

    fn begin(&mut self) {
        *self = Self { generation: self.generation + 1, ..Self::default() };
    }

    fn take(&mut self, offset: u64, line: &[u8]) {
        let Some(Remarkable { stage, transition }) = self.lines.read(line) else {
            self.unreadable += 1;
            return;
        };
        if self.watched.names != self.lines.names().len() {
            self.watched = Watched {
                names: self.lines.names().len(),
                places: [Axis::Steps, Axis::Time, Axis::Matches]
                    .map(|axis| self.metric(axis.metric())),
                evaluated: self.metric("evaluation/return_mean"),
                won: self.metric("evaluation/results/won"),
                dropped: self.metric("dropped_updates"),
            };
        }
        let watched = self.watched;
        self.columns.push(offset, self.lines.values(), self.lines.touched(), &watched.places);
        if let Some(transition) = transition {
            let to = transition["to"].as_str().unwrap_or("another stage");
            self.mark(MarkKind::Stage, format!("stage {to} begins"));
        }
        if stage.is_some() && stage != self.stage {
            self.stage = stage;
        }
        if let Some(mean) = self.shown(watched.evaluated) {
            let won = self.shown(watched.won);
            let won = won.map_or(String::new(), |won| format!(", {:.0} % won", 100.0 * won));
            self.mark(MarkKind::Evaluation, format!("evaluation: return {mean:.4}{won}"));
        }
        if let Some(dropped) = self.shown(watched.dropped) {
            if dropped > self.dropped.unwrap_or(0.0) {
                self.mark(MarkKind::Warning, format!("{dropped:.0} updates were dropped so far"));
            }
            self.dropped = Some(dropped);
        }
    }

    /// What the latest line says of a metric.
    fn shown(&self, metric: Option<usize>) -> Option<f64> {
        let value = self.lines.values()[metric?];
        (!value.is_nan()).then_some(value)
    }

    fn mark(&mut self, kind: MarkKind, label: String) {
        if self.marks.len() < MOST_MARKS {
            self.marks.push(Mark { kind, place: self.columns.place(), label });
        }
    }

    /// The number of a metric.
    pub fn metric(&self, name: &str) -> Option<usize> {
        self.lines.names().iter().position(|known| known == name)
    }

    /// A metric by its name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.column(self.metric(name)?)
    }

    /// The latest number of a metric.
    pub fn last(&self, name: &str) -> Option<f64> {
        self.column(name)?.last
    }

    /// The names of all metrics.
    pub fn names(&self) -> &[String] {
        self.lines.names()
    }

    /// All metrics.
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// What happened.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// The stage of the curriculum at the end.
    pub fn stage(&self) -> Option<&str> {
        self.stage.as_deref()
    }

    /// How often everything was read anew.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Bytes of the file that were read.
    pub fn read_bytes(&self) -> u64 {
        self.tail.offset()
    }

    /// Lines that are no JSON.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Bytes in memory, nearly.
    pub fn bytes(&self) -> usize {
        self.columns.bytes() + 96 * self.marks.len() + 256 * self.lines.names().len()
    }
}
