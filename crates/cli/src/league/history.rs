//! The rated matches of a run: what `results.csv` counts by period, and the period that is not over.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use anyhow::Context;
use lanista_league::Tally;
use lanista_train::results::Row;

/// Matches over which a score is a plain mean; older ones fade from then on, as in the pool.
const SCORE_MEMORY: u64 = 100;
/// Unreadable lines that are named one by one.
const NAMED_LINES: usize = 5;
/// No line is longer: it holds a path and some numbers.
const LONGEST_LINE: u64 = 1 << 16;

/// The rated matches of a run.
#[derive(Debug, Default)]
pub struct History {
    /// Iteration and steps of the end of the first period.
    pub first: Option<(u64, u64)>,
    /// Steps and the learner's rating after them, one point a period.
    pub curve: Vec<(u64, f64)>,
    /// Matches against each opponent, by its name.
    pub met: BTreeMap<String, Met>,
    /// What could not be read, for the user.
    pub remarks: Vec<String>,
}

/// The learner's matches against one opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Met {
    pub games: u64,
    /// Points per match of the learner: the mean of the first 100, then a moving mean.
    pub score: f64,
}

impl Met {
    fn add(&mut self, tally: &Tally) {
        let Some(score) = tally.score() else { return };
        self.games = self.games.saturating_add(tally.games());
        let weight = tally.games() as f64 / self.games.min(SCORE_MEMORY) as f64;
        self.score += weight.min(1.0) * (score - self.score);
    }
}

impl History {
    /// Reads the file. Lines that make no sense are passed over and named; a file that is not there
    /// holds no matches.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let mut lines = BufReader::new(file);
        let (mut history, mut bytes) = (Self::default(), Vec::new());
        let (mut number, mut unreadable) = (0, 0);
        loop {
            bytes.clear();
            let read = lines.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes);
            read.with_context(|| format!("cannot read {}", path.display()))?;
            // The last line of a run that trains at this moment may be half written.
            if bytes.pop() != Some(b'\n') && (bytes.len() as u64) + 1 < LONGEST_LINE {
                break;
            }
            number += 1;
            let text = String::from_utf8_lossy(&bytes);
            if number == 1 && text.starts_with("iteration,") {
                continue;
            }
            match Row::parse(text.trim_end_matches('\r')) {
                Ok(row) => history.add(&row),
                Err(problem) => {
                    unreadable += 1;
                    if unreadable <= NAMED_LINES {
                        let place = format!("{}:{number}", path.display());
                        history.remarks.push(format!("{place}: {problem}; the line is skipped"));
                    }
                }
            }
        }
        if unreadable > NAMED_LINES {
            let more = unreadable - NAMED_LINES;
            history.remarks.push(format!("{}: {more} more lines are skipped", path.display()));
        }
        Ok(history)
    }

    fn add(&mut self, row: &Row) {
        self.first.get_or_insert((row.iteration, row.steps));
        match self.curve.last_mut() {
            Some(last) if last.0 == row.steps => last.1 = row.elo,
            _ => self.curve.push((row.steps, row.elo)),
        }
        self.met.entry(row.opponent.clone()).or_default().add(&row.tally);
    }

    /// Adds the period that is not over: what the league has counted since, its steps and rating.
    pub fn add_latest(&mut self, period: &BTreeMap<String, Tally>, steps: u64, elo: f64) {
        for (opponent, tally) in period {
            self.met.entry(opponent.clone()).or_default().add(tally);
        }
        if !period.is_empty() && self.curve.last().is_none_or(|last| last.0 < steps) {
            self.curve.push((steps, elo));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> History {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("results.csv");
        std::fs::write(&path, text).unwrap();
        History::read(&path).unwrap()
    }

    #[test]
    fn matches_are_summed_up_by_period_and_by_opponent() {
        let mut history = read(
            "iteration,steps,opponent,won,drawn,lost,elo,opponent_elo\n\
             3,600,\"bot:random\",1,0,1,1508,1500\n\
             3,600,\"past:0\",0,0,2,1500.5,1492\n\
             4,800,\"bot:random\",1,1,0,1501.25,1500\n",
        );
        assert_eq!(history.first, Some((3, 600)));
        assert_eq!(history.curve, [(600, 1500.5), (800, 1501.25)]);
        assert_eq!(history.met["bot:random"], Met { games: 4, score: 0.625 });
        assert_eq!(history.met["past:0"], Met { games: 2, score: 0.0 });
        assert!(history.remarks.is_empty());
        let latest = [("past:0".to_owned(), Tally { won: 2, drawn: 0, lost: 0 })].into();
        history.add_latest(&latest, 850, 1510.0);
        assert_eq!(history.met["past:0"], Met { games: 4, score: 0.5 });
        assert_eq!(history.curve.last(), Some(&(850, 1510.0)));
    }

    #[test]
    fn older_periods_fade() {
        let mut met = Met::default();
        for _ in 0..10 {
            met.add(&Tally { won: 0, drawn: 0, lost: 50 });
        }
        met.add(&Tally { won: 50, drawn: 0, lost: 0 });
        assert_eq!(met, Met { games: 550, score: 0.5 });
        met.add(&Tally { won: 5000, drawn: 0, lost: 0 });
        assert_eq!(met.score, 1.0);
    }

    #[test]
    fn unreadable_lines_are_named_and_a_half_written_one_is_not() {
        let history = read(
            "iteration,steps,opponent,won,drawn,lost,elo,opponent_elo\n\
             1,2,\"past:0\",1,0,0,1508,1492\n\
             1,2,3\n\
             1,2,\"past:0\",1,0,0,NaN,1492\n\
             x,2,\"past:0\",1,0,0,1508,1492\n\
             1,2,\"past:0\",1,0,0,15",
        );
        assert_eq!(history.met["past:0"].games, 1);
        for (remark, parts) in history.remarks.iter().zip([
            ["results.csv:3", "no name in quotes"],
            ["results.csv:4", "`NaN` is no rating for elo"],
            ["results.csv:5", "`x` is no number for iteration"],
        ]) {
            assert!(parts.iter().all(|part| remark.contains(part)), "{remark}");
        }
        assert_eq!(history.remarks.len(), 3);
        let history = read(&"nonsense\n".repeat(20));
        assert_eq!(history.remarks.len(), NAMED_LINES + 1);
        assert!(history.remarks[NAMED_LINES].contains("15 more lines"), "{:?}", history.remarks);
    }

    #[test]
    fn a_run_that_rated_nothing_has_no_file() {
        let history = History::read(Path::new("no/such/results.csv")).unwrap();
        assert_eq!((history.first, history.curve.len()), (None, 0));
    }
}
