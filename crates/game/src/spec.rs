//! What a game is made of: roles, seats, reward terms and stats.

mod stat;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::role::{Role, doubled};

pub use stat::Stat;

/// Everything the rest of the program may know about a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    /// The name under which it is registered. A game leaves it empty: its [`crate::Entry`] knows it.
    pub name: String,
    /// The kinds of players; most games have one.
    pub roles: Vec<Role>,
    /// The most seats a match may have; a match may leave some empty.
    pub seats: Vec<Seat>,
    /// The reward terms that a step reports for every seat.
    pub terms: Vec<Term>,
    /// Numbers that a finished match reports.
    pub stats: Vec<Stat>,
}

/// A place at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// Seats of one team win and lose together. Teams count from 0.
    pub team: usize,
    /// What it sees and does: an index into [`Spec::roles`].
    #[serde(default)]
    pub role: usize,
    /// Does it stay empty in every match under these settings?
    #[serde(default)]
    pub empty: bool,
}

impl Seat {
    /// A seat of this team, of the first role, that somebody takes.
    pub const fn of(team: usize) -> Self {
        Self { team, role: 0, empty: false }
    }

    /// The same seat for another role.
    pub const fn role(self, role: usize) -> Self {
        Self { role, ..self }
    }
}

/// A fact about a step that a preset may reward.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// Its name in a preset's `rewards`.
    pub name: String,
    /// What kind of fact it is.
    pub kind: TermKind,
    /// One line: what it measures, and its unit.
    pub about: String,
}

impl Term {
    /// A fact of this kind.
    pub fn new(kind: TermKind, name: impl Into<String>, about: impl Into<String>) -> Self {
        Self { name: name.into(), kind, about: about.into() }
    }
}

/// The three kinds of reward terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TermKind {
    /// How the match ended.
    Outcome,
    /// Something that happened at one step.
    Event,
    /// A dense signal that guides early learning.
    Shaping,
}

/// A spec that contradicts itself: a defect of the game.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("game `{game}`: {fault}")]
pub struct SpecError {
    game: String,
    fault: String,
}

impl Spec {
    /// The role of a seat.
    pub fn role_of(&self, seat: usize) -> &Role {
        &self.roles[self.seats[seat].role]
    }

    /// The index of a role.
    pub fn role(&self, name: &str) -> Option<usize> {
        self.roles.iter().position(|role| role.name == name)
    }

    /// Number of teams.
    pub fn teams(&self) -> usize {
        self.seats.iter().map(|s| s.team + 1).max().unwrap_or(0)
    }

    /// Do teams meet, or does whoever plays have the match to itself, because the game has one team or
    /// nobody sits on the others under these settings?
    pub fn contested(&self) -> bool {
        let mut taken = self.seats.iter().filter(|seat| !seat.empty).map(|seat| seat.team);
        let first = taken.next();
        taken.any(|team| Some(team) != first)
    }

    /// The names of all scripted players, whatever their role.
    pub fn bots(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for bot in self.roles.iter().flat_map(|role| &role.bots) {
            if !names.contains(&bot.name.as_str()) {
                names.push(&bot.name);
            }
        }
        names
    }

    /// The index of a reward term.
    pub fn term(&self, name: &str) -> Option<usize> {
        self.terms.iter().position(|t| t.name == name)
    }

    /// The side that each team plays: teams whose seats have the same roles play the same side, and
    /// how good one is on a side says nothing about another. Most games have one side.
    pub fn sides(&self) -> Vec<usize> {
        let roles = |team: usize| {
            let mut roles: Vec<usize> =
                self.seats.iter().filter(|s| s.team == team).map(|s| s.role).collect();
            roles.sort_unstable();
            roles.dedup();
            roles
        };
        let mut known: Vec<Vec<usize>> = Vec::new();
        let side = |team| {
            let roles = roles(team);
            known.iter().position(|other| *other == roles).unwrap_or_else(|| {
                known.push(roles);
                known.len() - 1
            })
        };
        (0..self.teams()).map(side).collect()
    }

    /// What a side is called: its roles.
    pub fn side_name(&self, side: usize) -> String {
        let team = self.sides().iter().position(|&s| s == side);
        let seats = self.seats.iter().filter(|seat| Some(seat.team) == team);
        let mut roles: Vec<usize> = seats.map(|seat| seat.role).collect();
        roles.sort_unstable();
        roles.dedup();
        roles.iter().map(|&role| self.roles[role].name.as_str()).collect::<Vec<_>>().join("+")
    }

    /// Checks that indices are in range, requirements point backwards and names are unique.
    pub fn validate(&self) -> Result<(), SpecError> {
        let fault = |fault: String| Err(SpecError { game: self.name.clone(), fault });
        if self.seats.is_empty() {
            return fault("has no seats".into());
        }
        if let Some(seat) = self.seats.iter().position(|s| s.role >= self.roles.len()) {
            return fault(format!("seat {seat} has a role that there is not"));
        }
        for role in &self.roles {
            if let Some(problem) = role.fault() {
                let alone = self.roles.len() == 1;
                let of = if alone { String::new() } else { format!("role `{}`: ", role.name) };
                return fault(format!("{of}{problem}"));
            }
        }
        let stats = self.stat_names();
        for (kind, names) in [
            ("role", self.roles.iter().map(|r| r.name.as_str()).collect::<Vec<_>>()),
            ("term", self.terms.iter().map(|t| t.name.as_str()).collect()),
            ("stat", stats.iter().map(String::as_str).collect()),
        ] {
            if let Some(name) = doubled(names) {
                return fault(format!("two {kind}s are called `{name}`"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Head;

    fn spec() -> Spec {
        let role = Role {
            observation: vec![["a", "b"].into()],
            heads: vec![Head::new("first", ["x", "y"]), Head::new("second", ["u", "v", "w"])],
            bots: vec!["idle".into()],
            ..Role::default()
        };
        Spec {
            name: "toy".into(),
            roles: vec![role],
            seats: vec![Seat::of(0), Seat::of(1)],
            ..Spec::default()
        }
    }

    #[test]
    fn counts() {
        let spec = spec();
        assert_eq!((spec.teams(), spec.sides(), spec.bots()), (2, vec![0, 0], vec!["idle"]));
        assert_eq!(spec.validate(), Ok(()));
    }

    #[test]
    fn sides_are_what_teams_are_made_of() {
        let mut spec = spec();
        let bots = vec!["idle".into(), "busy".into()];
        spec.roles.push(Role { name: "guard".into(), bots, ..spec.roles[0].clone() });
        spec.seats =
            vec![Seat::of(0), Seat::of(0).role(1), Seat::of(1).role(1), Seat::of(2).role(1)];
        assert_eq!(spec.sides(), [0, 1, 1]);
        assert_eq!((spec.side_name(0), spec.side_name(1)), ("player+guard".into(), "guard".into()));
        assert_eq!(spec.bots(), ["idle", "busy"]);
        assert_eq!(spec.validate(), Ok(()));
        spec.seats[0].role = 2;
        assert!(spec.validate().unwrap_err().to_string().contains("seat 0"));
    }

    #[test]
    fn doubled_names_are_refused() {
        // What a report calls a stat of a team must not be taken either.
        let mut doubled = spec();
        doubled.stats = vec![Stat::team("goals"), "opponent_goals".into()];
        assert!(doubled.validate().unwrap_err().to_string().contains("`opponent_goals`"));
    }

    #[test]
    fn a_match_is_contested_where_two_teams_have_somebody() {
        let with = |seats: &[Seat]| Spec { seats: seats.to_vec(), ..spec() }.contested();
        let empty = |team| Seat { empty: true, ..Seat::of(team) };
        assert!(with(&[Seat::of(0), Seat::of(1)]));
        assert!(with(&[empty(0), Seat::of(0), empty(1), Seat::of(1)]));
        assert!(!with(&[Seat::of(0), Seat::of(0)]), "one team");
        assert!(!with(&[Seat::of(0), empty(1)]), "nobody on the other");
        assert!(!with(&[empty(0), Seat::of(1)]));
        assert!(!with(&[empty(0), empty(1)]));
    }
}
