//! Numbers that a finished match reports, and how one side of it reads them.

use serde::{Deserialize, Serialize};

use super::Spec;

/// A number that a finished match reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    /// What it is, in snake case. A number of teams is reported twice: under this name for one's own
    /// team, and as `opponent_NAME`.
    pub name: String,
    /// Has every team a number of its own, or the match one for all?
    #[serde(default)]
    pub of_teams: bool,
}

impl Stat {
    /// A number that every team has one of.
    pub fn team(name: impl Into<String>) -> Self {
        Self { name: name.into(), of_teams: true }
    }
}

impl<T: Into<String>> From<T> for Stat {
    fn from(name: T) -> Self {
        Self { name: name.into(), of_teams: false }
    }
}

impl Spec {
    /// How many numbers a match writes into `Outcome::stats`: in the order of the stats, one for a
    /// stat of the match and one a team for a stat of teams.
    pub fn stat_values(&self) -> usize {
        let teams = self.teams();
        self.stats.iter().map(|stat| if stat.of_teams { teams } else { 1 }).sum()
    }

    /// The names under which one side reports the stats.
    pub fn stat_names(&self) -> Vec<String> {
        let rivals = self.teams() > 1;
        let mut names = Vec::new();
        for stat in &self.stats {
            names.push(stat.name.clone());
            if stat.of_teams && rivals {
                names.push(format!("opponent_{}", stat.name));
            }
        }
        names
    }

    /// What a team reports of the numbers that a match wrote: its own, and the mean over the other
    /// teams. In the order of [`Spec::stat_names`].
    pub fn stats_of(&self, team: usize, written: &[f32]) -> Vec<f32> {
        let teams = self.teams();
        let (mut reported, mut at) = (Vec::new(), 0);
        for stat in &self.stats {
            let values = &written[at..at + if stat.of_teams { teams } else { 1 }];
            at += values.len();
            if !stat.of_teams {
                reported.push(values[0]);
                continue;
            }
            reported.push(values[team]);
            if teams > 1 {
                let others = values.iter().enumerate().filter(|&(other, _)| other != team);
                reported.push(others.map(|(_, value)| value).sum::<f32>() / (teams - 1) as f32);
            }
        }
        reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seat;

    fn spec(teams: usize) -> Spec {
        Spec {
            seats: (0..teams).map(Seat::of).collect(),
            stats: vec![Stat::team("goals"), "secs".into(), Stat::team("saves")],
            ..Spec::default()
        }
    }

    #[test]
    fn each_side_reads_its_own_numbers_and_those_of_the_others() {
        let two = spec(2);
        assert_eq!(two.stat_values(), 5);
        assert_eq!(
            two.stat_names(),
            ["goals", "opponent_goals", "secs", "saves", "opponent_saves"]
        );
        let written = [3.0, 1.0, 90.0, 0.0, 2.0];
        assert_eq!(two.stats_of(0, &written), [3.0, 1.0, 90.0, 0.0, 2.0]);
        assert_eq!(two.stats_of(1, &written), [1.0, 3.0, 90.0, 2.0, 0.0]);
        let three = spec(3);
        let written = [3.0, 1.0, 2.0, 90.0, 0.0, 0.0, 4.0];
        assert_eq!(three.stat_values(), written.len());
        assert_eq!(three.stats_of(1, &written), [1.0, 2.5, 90.0, 0.0, 2.0]);
        let alone = spec(1);
        assert_eq!(alone.stat_names(), ["goals", "secs", "saves"]);
        assert_eq!(alone.stats_of(0, &[3.0, 90.0, 1.0]), [3.0, 90.0, 1.0]);
    }
}
