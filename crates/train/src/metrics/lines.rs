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
        let (journal, remarks) = Journal::open(&run.join(Self::NAME), seal, mend)?;
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
        let line = match record {
            Record::Iteration(i) => iteration_json(i),
            Record::Evaluation { iteration, steps, report } => {
                json!({"iteration": iteration, "steps": steps, "evaluation": report})
            }
            Record::Remark(_) => return Ok(()),
        };
        self.journal.append(format!("{line}\n").as_bytes())
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        self.journal.sync()
    }

    fn seal(&self) -> Option<(&'static str, Seal)> {
        Some((Self::NAME, self.journal.seal()))
    }
}

fn iteration_json(i: &Iteration) -> Value {
    let l = &i.losses;
    let map = |pairs: Vec<(&str, f64)>| -> Value {
        pairs
            .into_iter()
            .map(|(k, v)| (k.to_owned(), json!(v)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "iteration": i.iteration,
        "steps": i.steps,
        "episodes": i.episodes,
        "return_mean": i.return_mean,
        "length_mean": i.length_mean,
        "policy_loss": l.policy_loss,
        "value_loss": l.value_loss,
        "entropy": l.entropy,
        "approx_kl": l.approx_kl,
        "clip_fraction": l.clip_fraction,
        "explained_variance": l.explained_variance,
        "grad_norm": l.grad_norm,
        "novelty": l.novelty,
        "learning_rate": l.learning_rate,
        "epochs": l.epochs,
        "samples": l.samples,
        "dropped_updates": i.dropped_updates,
        "terms": map(i.terms.iter().map(|t| (t.0.as_str(), t.2)).collect()),
        "stats": map(i.stats.iter().map(|s| (s.0.as_str(), s.1)).collect()),
        "opponents": map(i.opponents.iter().map(|o| (o.0.as_str(), o.1)).collect()),
        "elo": i.elo,
        "pool": i.pool,
        "exploiters": i.exploiters,
        "stage": i.stage,
        "transition": i.transition,
        "time": i.time,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(run: &Path, iterations: std::ops::RangeInclusive<u64>) -> Vec<Seal> {
        let (mut sink, remarks) = JsonLines::open(run, None, 0).unwrap();
        assert!(remarks.is_empty(), "{remarks:?}");
        let mut record = |iteration| {
            let iteration = Iteration { iteration, ..Iteration::default() };
            sink.record(&Record::Iteration(&iteration)).unwrap();
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
}
