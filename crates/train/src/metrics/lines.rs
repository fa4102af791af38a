//! `metrics.jsonl`: one JSON object a line. Everything but `time` repeats bit for bit.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use super::{Iteration, Record, Sink};
use crate::disk::DiskError;
use crate::files::RunFiles;
use crate::journal::{Journal, Mended, Seal};

/// `metrics.jsonl`.
pub struct JsonLines {
    journal: Journal,
}

impl JsonLines {
    /// Its name in a run's directory.
    pub const NAME: &str = RunFiles::METRICS;

    /// Opens the file to go on after iteration `after`, where a checkpoint sealed it: later lines, left
    /// by a run that was killed, are cut off. Returns remarks about damage.
    pub fn open(
        run: &Path,
        seal: Option<Seal>,
        after: u64,
    ) -> Result<(Self, Vec<String>), DiskError> {
        let mend = |bytes: &[u8]| mend(bytes, after);
        let (journal, remarks) = Journal::open(&RunFiles::of(run).metrics(), seal, mend)?;
        Ok((Self { journal }, remarks))
    }
}

/// The lines up to an iteration, and what is wrong with them.
fn mend(bytes: &[u8], after: u64) -> Mended {
    let (mut kept, mut seen, mut unreadable) = (Vec::new(), BTreeSet::new(), Vec::new());
    // A kill leaves a line without its end: that is no damage.
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    for (index, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
        let value: Option<Value> = serde_json::from_slice(line).ok();
        match value.as_ref().and_then(|value| value["iteration"].as_u64()) {
            Some(iteration) if iteration <= after => {
                kept.extend_from_slice(line);
                seen.insert(iteration);
            }
            Some(_) => {}
            None => unreadable.push(index + 1),
        }
    }
    let mut problems = Vec::new();
    if let Some(first) = unreadable.first() {
        let lines = unreadable.len();
        problems.push(format!("{lines} of its lines cannot be read, the first is line {first}"));
    }
    let missing = after.saturating_sub(seen.len() as u64);
    if missing > 0 {
        problems.push(format!("{missing} of {after} iterations are missing"));
    }
    Mended { kept, problems }
}

impl Sink for JsonLines {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        let Some(line) = record.to_json() else { return Ok(()) };
        self.journal.append(format!("{line}\n").as_bytes())
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        self.journal.sync()
    }

    fn seal(&self) -> Option<(&'static str, Seal)> {
        Some((Self::NAME, self.journal.seal()))
    }
}

impl Record<'_> {
    /// The line that `metrics.jsonl` has of it, for whoever reads records as they come; what is only said
    /// to people has none.
    pub fn to_json(&self) -> Option<Value> {
        match self {
            Record::Iteration(i) => Some(iteration_json(i)),
            Record::Evaluation { iteration, steps, report } => {
                Some(json!({"iteration": iteration, "steps": steps, "evaluation": report}))
            }
            Record::Remark(_) | Record::Note(_) => None,
        }
    }
}

fn iteration_json(i: &Iteration) -> Value {
    let mut line = json!({
        // These are there even if nothing is in them.
        "terms": {},
        "stats": {},
        "opponents": {},
        "exploiters": i.exploiters,
        "stage": i.stage,
        "transition": i.transition,
    });
    for metric in i.metrics.iter() {
        let Some(place) = metric.place() else { continue };
        let at = place.into_iter().fold(&mut line, |object, key| &mut object[key]);
        *at = json!(metric.value);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::Kind;
    use super::*;

    fn write(run: &Path, iterations: std::ops::RangeInclusive<u64>) -> Vec<Seal> {
        let (mut sink, remarks) = JsonLines::open(run, None, 0).unwrap();
        assert!(remarks.is_empty(), "{remarks:?}");
        let mut record = |iteration| {
            let mut shown = Iteration::default();
            shown.metrics.add(Kind::Plain, "iteration", iteration);
            shown.metrics.add(Kind::Plain, "episodes", 0u64);
            sink.record(&Record::Iteration(&shown)).unwrap();
            sink.seal().unwrap().1
        };
        iterations.map(&mut record).collect()
    }

    fn lines(run: &Path) -> usize {
        std::fs::read_to_string(run.join(JsonLines::NAME)).unwrap().lines().count()
    }

    #[test]
    fn lines_after_the_checkpoint_are_dropped() {
        let run = tempfile::tempdir().unwrap();
        let seals = write(run.path(), 1..=5);
        let path = run.path().join(JsonLines::NAME);
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"iteration\": 3, \"cut sho");
        std::fs::write(&path, &text).unwrap();
        // With a seal, and without one, as checkpoints of the first versions are.
        for seal in [Some(seals[2]), None] {
            std::fs::write(&path, &text).unwrap();
            let (_, remarks) = JsonLines::open(run.path(), seal, 3).unwrap();
            assert!(remarks.is_empty(), "{remarks:?}");
            assert_eq!(lines(run.path()), 3);
        }
    }

    #[test]
    fn damage_in_the_middle_costs_the_damaged_lines_alone() {
        let run = tempfile::tempdir().unwrap();
        let seals = write(run.path(), 1..=5);
        let path = run.path().join(JsonLines::NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        let damaged = text.replacen("\"iteration\":2", "\"iteration\"x2", 1);
        assert_ne!(text, damaged);
        std::fs::write(&path, &damaged).unwrap();
        let (_, remarks) = JsonLines::open(run.path(), Some(seals[3]), 4).unwrap();
        assert!(remarks[0].contains("the first is line 2"), "{remarks:?}");
        assert!(remarks[0].contains("1 of 4 iterations are missing"), "{remarks:?}");
        assert_eq!(lines(run.path()), 3);
        let aside = run.path().join("metrics.jsonl.damaged");
        assert_eq!(std::fs::read_to_string(aside).unwrap(), damaged);
    }

    #[test]
    fn a_number_that_was_altered_is_noticed() {
        let run = tempfile::tempdir().unwrap();
        let seals = write(run.path(), 1..=3);
        let path = run.path().join(JsonLines::NAME);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replacen("\"episodes\":0", "\"episodes\":8", 1)).unwrap();
        let (_, remarks) = JsonLines::open(run.path(), Some(seals[2]), 3).unwrap();
        assert!(remarks[0].contains("not the bytes"), "{remarks:?}");
    }

    #[test]
    fn every_metric_has_its_place() {
        let mut shown = Iteration { stage: Some("first".into()), ..Iteration::default() };
        let m = &mut shown.metrics;
        m.add(Kind::Plain, "steps", u64::MAX);
        m.add(Kind::Plain, "return_mean", None);
        m.add(Kind::Update, "entropy", 2.0);
        m.add(Kind::Update, "value_loss", f64::NAN);
        m.add(Kind::Time, "seconds", 0.5);
        m.add(Kind::Term { weight: 3.0 }, "entropy", -1.0);
        m.add(Kind::Side, "runner", 1000.0);
        m.add(Kind::Role("runner".into()), "entropy", 1.5);
        m.add(Kind::Role("chaser".into()), "entropy", 1.0);
        m.add(Kind::Exploiter, "0", 0.25);
        assert_eq!(
            iteration_json(&shown).to_string(),
            "{\"elo_by_side\":{\"runner\":1000.0},\"entropy\":2.0,\"exploiters\":[],\"opponents\":{},\
             \"return_mean\":null,\"roles\":{\"chaser\":{\"entropy\":1.0},\"runner\":{\"entropy\":1.5}},\
             \"stage\":\"first\",\"stats\":{},\"steps\":18446744073709551615,\
             \"terms\":{\"entropy\":-1.0},\"time\":{\"seconds\":0.5},\"transition\":null,\
             \"value_loss\":null}"
        );
        assert_eq!(shown.metrics.number("entropy"), Some(2.0), "not that of a term or a role");
    }
}
