//! `games.csv`: every rated match of a run, read in one pass and summed up.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use anyhow::Context;
use lanista_league::MatchResult;
use lanista_league::rating::is_rating;

/// Matches over which a score is a plain mean; older ones fade from then on, as in the pool.
const SCORE_MEMORY: u64 = 100;
/// Unreadable lines that are named one by one.
const NAMED_LINES: usize = 5;

/// The rated matches of a run.
#[derive(Debug, Default)]
pub struct History {
    /// Iteration and steps of the first.
    pub first: Option<(u64, u64)>,
    /// Steps and the learner's rating after them, one point an iteration.
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
    fn record(&mut self, result: MatchResult) {
        self.games += 1;
        let weight = 1.0 / self.games.min(SCORE_MEMORY) as f64;
        self.score += weight * (result.score() - self.score);
    }
}

/// What a line says, as far as it is needed.
#[derive(Debug, PartialEq)]
struct Line {
    iteration: u64,
    steps: u64,
    opponent: String,
    result: MatchResult,
    elo: f64,
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
            let read = lines.read_until(b'\n', &mut bytes);
            read.with_context(|| format!("cannot read {}", path.display()))?;
            // The last line of a run that trains at this moment may be half written.
            if bytes.pop() != Some(b'\n') {
                break;
            }
            number += 1;
            let text = String::from_utf8_lossy(&bytes);
            if number == 1 && text.starts_with("iteration,") {
                continue;
            }
            match parse(text.trim_end_matches('\r')) {
                Ok(line) => history.add(line),
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

    fn add(&mut self, line: Line) {
        self.first.get_or_insert((line.iteration, line.steps));
        match self.curve.last_mut() {
            Some(last) if last.0 == line.steps => last.1 = line.elo,
            _ => self.curve.push((line.steps, line.elo)),
        }
        self.met.entry(line.opponent).or_default().record(line.result);
    }
}

/// Reads `iteration,steps,match,episode,"opponent",result,elo,opponent_elo`.
fn parse(text: &str) -> Result<Line, String> {
    let fields = || "it has not the 8 fields of the header".to_owned();
    let number = |name: &str, text: &str| {
        text.parse::<u64>().map_err(|_| format!("`{text}` is no number for {name}"))
    };
    let mut head = text.splitn(5, ',');
    let mut next = || head.next().ok_or_else(fields);
    let (iteration, steps) = (number("iteration", next()?)?, number("steps", next()?)?);
    number("match", next()?)?;
    number("episode", next()?)?;
    // The name may hold commas, so the rest is taken apart from its end.
    let mut tail = next()?.rsplitn(4, ',');
    let mut last = || tail.next().ok_or_else(fields);
    let (theirs, elo, result, opponent) = (last()?, last()?, last()?, last()?);
    let rating = |name: &str, text: &str| {
        let value = text.parse().ok().filter(|value: &f64| is_rating(*value));
        value.ok_or_else(|| format!("`{text}` is no rating for {name}"))
    };
    rating("opponent_elo", theirs)?;
    let result = match result {
        "won" => MatchResult::Win,
        "drawn" => MatchResult::Draw,
        "lost" => MatchResult::Loss,
        other => return Err(format!("`{other}` is no result; results are won, drawn and lost")),
    };
    let quoted = opponent.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    let opponent = quoted.unwrap_or(opponent).replace("\"\"", "\"");
    Ok(Line { iteration, steps, opponent, result, elo: rating("elo", elo)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> History {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("games.csv");
        std::fs::write(&path, text).unwrap();
        History::read(&path).unwrap()
    }

    #[test]
    fn matches_are_summed_up_by_iteration_and_by_opponent() {
        let history = read(
            "iteration,steps,match,episode,opponent,result,elo,opponent_elo\n\
             3,600,0,1,\"bot:random\",won,1508,1500\n\
             3,600,4,1,\"past:0\",lost,1500.5,1492\n\
             4,800,1,2,\"bot:random\",drawn,1501.25,1500\n",
        );
        assert_eq!(history.first, Some((3, 600)));
        assert_eq!(history.curve, [(600, 1500.5), (800, 1501.25)]);
        assert_eq!(history.met["bot:random"], Met { games: 2, score: 0.75 });
        assert_eq!(history.met["past:0"], Met { games: 1, score: 0.0 });
        assert!(history.remarks.is_empty());
    }

    #[test]
    fn names_of_models_may_hold_anything() {
        let line = parse("1,2,3,4,\"target:a,\"\"b\"\",won.zip\",drawn,1.5,-2").unwrap();
        assert_eq!(line.opponent, "target:a,\"b\",won.zip");
        assert_eq!((line.result, line.elo), (MatchResult::Draw, 1.5));
    }

    #[test]
    fn unreadable_lines_are_named_and_a_half_written_one_is_not() {
        let history = read(
            "iteration,steps,match,episode,opponent,result,elo,opponent_elo\n\
             1,2,3,4,\"past:0\",won,1508,1492\n\
             1,2,3\n\
             1,2,3,4,\"past:0\",abandoned,1508,1492\n\
             1,2,3,4,\"past:0\",won,NaN,1492\n\
             1,2,3,4,\"past:0\",won,1508,1e308\n\
             x,2,3,4,\"past:0\",won,1508,1492\n\
             1,2,3,4,\"past:0\",won,15",
        );
        assert_eq!(history.met["past:0"].games, 1);
        for (remark, parts) in history.remarks.iter().zip([
            ["games.csv:3", "8 fields"],
            ["games.csv:4", "`abandoned` is no result"],
            ["games.csv:5", "`NaN` is no rating for elo"],
            ["games.csv:6", "`1e308` is no rating for opponent_elo"],
            ["games.csv:7", "`x` is no number for iteration"],
        ]) {
            assert!(parts.iter().all(|part| remark.contains(part)), "{remark}");
        }
        assert_eq!(history.remarks.len(), 5);
        let history = read(&"nonsense\n".repeat(20));
        assert_eq!(history.remarks.len(), NAMED_LINES + 1);
        assert!(history.remarks[NAMED_LINES].contains("15 more lines"), "{:?}", history.remarks);
    }

    #[test]
    fn a_run_that_rated_nothing_has_no_file() {
        let history = History::read(Path::new("no/such/games.csv")).unwrap();
        assert_eq!((history.first, history.curve.len()), (None, 0));
    }
}
