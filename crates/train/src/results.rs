//! The rated matches of a run: counted by opponent and period in `league/results.csv`, which stays
//! small however long the run, and the latest ones singly in `league/games.csv`.

use std::fmt::Write as _;

use lanista_league::rating::is_rating;
use lanista_league::{MatchResult, Tally};
use serde::{Deserialize, Serialize};

/// So many of the latest rated matches are kept singly.
pub const LATEST: usize = 1000;
/// The steps of a run are cut into about so many periods.
const PERIODS: u64 = 500;

/// The first line of `results.csv`.
pub(crate) const HEADER: &str = "iteration,steps,opponent,won,drawn,lost,elo,opponent_elo";
/// The first line of `games.csv`.
const GAMES_HEADER: &str = "game,iteration,steps,match,episode,opponent,result,elo,opponent_elo";

/// Steps of one period of a run of so many.
pub fn period(steps: u64) -> u64 {
    (steps / PERIODS).max(1)
}

/// A line of `results.csv`: one opponent in one period.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The last iteration of the period.
    pub iteration: u64,
    /// Steps after it.
    pub steps: u64,
    /// Whom the learner met.
    pub opponent: String,
    /// How it went.
    pub tally: Tally,
    /// The learner's rating at the end of the period.
    pub elo: f64,
    /// The opponent's.
    pub opponent_elo: f64,
}

impl Row {
    /// Writes a line.
    pub(crate) fn line(&self) -> String {
        let Self { iteration, steps, tally, elo, opponent_elo, .. } = self;
        let Tally { won, drawn, lost } = tally;
        let opponent = quoted(&self.opponent);
        format!("{iteration},{steps},{opponent},{won},{drawn},{lost},{elo},{opponent_elo}\n")
    }

    /// Reads a line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (before, opponent, after) = split(text)?;
        let ([iteration, steps], [won, drawn, lost, elo, opponent_elo]) =
            (fields(before)?, fields(after)?);
        Ok(Self {
            iteration: number("iteration", iteration)?,
            steps: number("steps", steps)?,
            opponent,
            tally: Tally {
                won: number("won", won)?,
                drawn: number("drawn", drawn)?,
                lost: number("lost", lost)?,
            },
            elo: rating("elo", elo)?,
            opponent_elo: rating("opponent_elo", opponent_elo)?,
        })
    }
}

/// A rated match: a line of `games.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RatedGame {
    /// Counted over the run, from 0.
    pub number: u64,
    /// The iteration in which it ended.
    pub iteration: u64,
    /// Steps after that.
    pub steps: u64,
    /// Which match, counted over the run.
    pub match_index: usize,
    /// Which of its episodes.
    pub episode: u64,
    /// Whom the learner met.
    pub opponent: String,
    /// How it ended for the learner.
    pub result: MatchResult,
    /// Ratings after it: the learner's.
    pub elo: f64,
    /// The opponent's.
    pub opponent_elo: f64,
}

impl From<RatedGame> for String {
    fn from(game: RatedGame) -> Self {
        let RatedGame { number, iteration, steps, match_index, episode, .. } = game;
        let result = match game.result {
            MatchResult::Win => "won",
            MatchResult::Draw => "drawn",
            MatchResult::Loss => "lost",
        };
        let (opponent, elo, theirs) = (quoted(&game.opponent), game.elo, game.opponent_elo);
        format!(
            "{number},{iteration},{steps},{match_index},{episode},{opponent},{result},{elo},{theirs}"
        )
    }
}

impl TryFrom<String> for RatedGame {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (before, opponent, after) = split(&text)?;
        let [game, iteration, steps, match_index, episode] = fields(before)?;
        let [result, elo, opponent_elo] = fields(after)?;
        Ok(Self {
            number: number("game", game)?,
            iteration: number("iteration", iteration)?,
            steps: number("steps", steps)?,
            match_index: number("match", match_index)?.try_into().map_err(|_| "no such match")?,
            episode: number("episode", episode)?,
            opponent,
            result: match result {
                "won" => MatchResult::Win,
                "drawn" => MatchResult::Draw,
                "lost" => MatchResult::Loss,
                other => return Err(format!("`{other}` is no result; they are won, drawn, lost")),
            },
            elo: rating("elo", elo)?,
            opponent_elo: rating("opponent_elo", opponent_elo)?,
        })
    }
}

/// The latest rated matches as a file.
pub fn games_csv<'a>(games: impl Iterator<Item = &'a RatedGame>) -> String {
    let mut text = format!("{GAMES_HEADER}\n");
    for game in games {
        let _ = writeln!(text, "{}", String::from(game.clone())); // writing to a string cannot fail
    }
    text
}

/// Names of models are paths, which may hold anything but the end of a line.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\"").replace(['\n', '\r'], " "))
}

/// What stands before the quoted name, the name, and what stands after it.
fn split(text: &str) -> Result<(&str, String, &str), String> {
    let parts = text.split_once(",\"").and_then(|(before, rest)| {
        let (name, after) = rest.rsplit_once("\",")?;
        Some((before, name.replace("\"\"", "\""), after))
    });
    parts.ok_or_else(|| "it has no name in quotes".to_owned())
}

fn fields<const N: usize>(text: &str) -> Result<[&str; N], String> {
    let all: Vec<&str> = text.split(',').collect();
    all.try_into().map_err(|_| "it has not the fields of the header".to_owned())
}

fn number(name: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is no number for {name}"))
}

fn rating(name: &str, text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    let value = value.filter(|value| is_rating(*value));
    value.ok_or_else(|| format!("`{text}` is no rating for {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_read_as_they_were_written(
            name in "[^\n\r]{0,12}",
            counts in proptest::array::uniform8(any::<u64>()),
            elo in -1e6f64..1e6,
            theirs in -1e6f64..1e6,
        ) {
            let [iteration, steps, won, drawn, lost, number, episode, index] = counts;
            let tally = Tally { won, drawn, lost };
            let opponent = name.clone();
            let row = Row { iteration, steps, opponent, tally, elo, opponent_elo: theirs };
            prop_assert_eq!(Row::parse(row.line().trim_end_matches('\n')), Ok(row));
            let result = [MatchResult::Win, MatchResult::Draw, MatchResult::Loss][won as usize % 3];
            let game = RatedGame {
                number, iteration, steps, match_index: index as usize, episode,
                opponent: name, result, elo, opponent_elo: theirs,
            };
            prop_assert_eq!(RatedGame::try_from(String::from(game.clone())), Ok(game));
        }

        #[test]
        fn no_line_breaks_the_reader(text in ".{0,60}") {
            let _ = Row::parse(&text);
            let _ = RatedGame::try_from(text);
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (line, problem) in [
            ("1,2,3", "no name in quotes"),
            ("1,2,\"a\",1,2,3,4", "fields of the header"),
            ("x,2,\"a\",1,2,3,4,5", "`x` is no number for iteration"),
            ("1,2,\"a\",1,2,3,NaN,5", "`NaN` is no rating for elo"),
            ("1,2,\"a\",1,2,3,4,1e308", "`1e308` is no rating for opponent_elo"),
        ] {
            let found = Row::parse(line).unwrap_err();
            assert!(found.contains(problem), "{line}: {found}");
        }
    }

    #[test]
    fn a_long_run_has_few_periods() {
        assert_eq!((period(1), period(100_000), period(u64::MAX)), (1, 200, u64::MAX / 500));
    }
}
