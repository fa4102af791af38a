//! TensorBoard's events of a run.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use super::{Amount, Record, Sink};
use crate::disk::{DiskError, on};
use crate::files::EVENTS;
use crate::tensorboard::EventWriter;

/// TensorBoard events, under the tags of CleanRL.
pub struct TensorBoard {
    path: PathBuf,
    writer: EventWriter<BufWriter<File>>,
    clock: fn() -> f64,
}

impl TensorBoard {
    /// Starts a new file beside those of earlier sittings; what they wrote after `steps` is
    /// superseded.
    pub fn open(directory: &Path, steps: u64, clock: fn() -> f64) -> Result<Self, DiskError> {
        let path = directory.join(EVENTS);
        let open = || -> io::Result<_> {
            let mut writer = EventWriter::create(directory, clock(), "lanista")?;
            if steps > 0 {
                writer.session_start(steps as i64 + 1, clock())?;
            }
            Ok(writer)
        };
        let writer = on("write", &path, open())?;
        Ok(Self { path, writer, clock })
    }
}

impl Sink for TensorBoard {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        let now = (self.clock)();
        let mut tags: Vec<(String, f64)> = Vec::new();
        let mut tag = |name: &str, value: f64| tags.push((name.to_owned(), value));
        let steps = match record {
            Record::Iteration(i) => {
                for metric in i.metrics.iter() {
                    if let (Some(name), Some(value)) = (&metric.tag, metric.value.number()) {
                        tag(name, value);
                    }
                }
                match i.metrics.get("steps") {
                    Amount::Count(steps) => steps,
                    _ => 0,
                }
            }
            Record::Evaluation { steps, report, .. } => {
                tag("eval/return", report.return_mean);
                tag("eval/length", report.length_mean);
                if let Some(results) = report.results {
                    tag("eval/won", results.won);
                }
                *steps
            }
            Record::Remark(_) | Record::Note(_) => return Ok(()),
        };
        let scalars = tags.iter().map(|(name, value)| (name.as_str(), *value as f32));
        on("write", &self.path, self.writer.scalars(steps as i64, now, scalars))
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        on("write", &self.path, self.writer.flush())
    }
}
