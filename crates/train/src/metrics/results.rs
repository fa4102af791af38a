//! `league/results.csv`: the rated matches by opponent and period.

use std::path::Path;

use super::{Record, Sink};
use crate::disk::DiskError;
use crate::files::RunFiles;
use crate::journal::{Journal, Mended, Seal};
use crate::results::{HEADER, Row};

/// `results.csv`.
pub struct ResultsCsv {
    journal: Journal,
}

impl ResultsCsv {
    /// Its name in a run's directory.
    pub const NAME: &str = RunFiles::RESULTS;

    /// Opens the file to go on after iteration `after`, where a checkpoint sealed it. Returns remarks
    /// about damage.
    pub fn open(
        run: &Path,
        seal: Option<Seal>,
        after: u64,
    ) -> Result<(Self, Vec<String>), DiskError> {
        let mend = |bytes: &[u8]| mend(bytes, after);
        let (mut journal, remarks) = Journal::open(&RunFiles::of(run).results(), seal, mend)?;
        if journal.seal().length == 0 {
            journal.append(format!("{HEADER}\n").as_bytes())?;
        }
        Ok((Self { journal }, remarks))
    }
}

fn mend(bytes: &[u8], after: u64) -> Mended {
    let (mut kept, mut problems) = (format!("{HEADER}\n"), Vec::new());
    let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let text = String::from_utf8_lossy(&bytes[..whole]);
    for (index, line) in text.lines().enumerate() {
        match Row::parse(line) {
            Ok(row) if row.iteration <= after => kept.push_str(&row.line()),
            Ok(_) => {}
            Err(_) if index == 0 && line == HEADER => {}
            Err(problem) if problems.is_empty() => {
                problems.push(format!("line {} is skipped: {problem}", index + 1));
            }
            Err(_) => {}
        }
    }
    Mended { kept: kept.into_bytes(), problems }
}

impl Sink for ResultsCsv {
    fn record(&mut self, record: &Record) -> Result<(), DiskError> {
        let Record::Iteration(iteration) = record else { return Ok(()) };
        if iteration.results.is_empty() {
            return Ok(());
        }
        let text: String = iteration.results.iter().map(Row::line).collect();
        self.journal.append(text.as_bytes())
    }

    fn flush(&mut self) -> Result<(), DiskError> {
        self.journal.sync()
    }

    fn seal(&self) -> Option<(&'static str, Seal)> {
        Some((Self::NAME, self.journal.seal()))
    }
}
