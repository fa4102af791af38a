//! What a game is made of: seats, observation, heads, requirements, reward terms, stats, bots.

use thiserror::Error;

use crate::Stat;

/// Everything the rest of the program may know about a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// The name under which the registry lists the game.
    pub name: &'static str,
    /// The most seats a match may have; a match may leave some empty.
    pub seats: Vec<Seat>,
    /// One entry per number of an observation, in order.
    pub observation: Vec<Feature>,
    /// Extra inputs for the critic alone: what a fair player may not see.
    pub privileged: Vec<Feature>,
    /// Discrete heads; a joint action has one choice per head, made in this order.
    pub heads: Vec<Head>,
    /// Legality of an action that depends on choices of earlier heads.
    pub requires: Vec<Requirement>,
    /// The reward terms that a step reports for every seat.
    pub terms: Vec<Term>,
    /// Numbers that a finished match reports.
    pub stats: Vec<Stat>,
    /// Scripted players the game brings.
    pub bots: Vec<&'static str>,
}

/// A place at the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Seats of one team win and lose together. Teams count from 0.
    pub team: usize,
    /// Does it stay empty in every match under these settings?
    pub empty: bool,
}

impl Seat {
    /// A seat of this team that somebody takes.
    pub const fn of(team: usize) -> Self {
        Self { team, empty: false }
    }
}

/// One number of an observation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// What the number is, in snake case: tools show and explain it.
    pub name: String,
    /// Does it stay what it is whatever the players do, such as a rule of the match? Nobody is
    /// rewarded for the novelty of such a number.
    pub constant: bool,
}

impl Feature {
    /// A number that no action changes.
    pub fn constant(name: impl Into<String>) -> Self {
        Self { name: name.into(), constant: true }
    }
}

impl<T: Into<String>> From<T> for Feature {
    fn from(name: T) -> Self {
        Self { name: name.into(), constant: false }
    }
}

/// One discrete choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// What is chosen here.
    pub name: String,
    /// The choices, by name.
    pub actions: Vec<String>,
}

impl Head {
    /// A head whose actions are named.
    pub fn new<A: Into<String>>(
        name: impl Into<String>,
        actions: impl IntoIterator<Item = A>,
    ) -> Self {
        Self { name: name.into(), actions: actions.into_iter().map(Into::into).collect() }
    }
}

/// `action` of `head` is legal only if `condition` holds of the `choices` of earlier heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The head whose action is restricted.
    pub head: usize,
    /// The restricted action.
    pub action: u32,
    /// How many of `choices` must have been made.
    pub condition: Condition,
    /// `(head, action)` pairs; every head comes before `self.head`.
    pub choices: Vec<(usize, u32)>,
}

/// How many of the listed choices must have been made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Every one of them.
    All,
    /// At least one of them.
    Any,
    /// None of them.
    None,
}

impl Requirement {
    /// Does the restriction allow its action after the choices in `action` (one per head)?
    pub fn allows(&self, action: &[u32]) -> bool {
        let mut made = self.choices.iter().map(|&(head, choice)| action[head] == choice);
        match self.condition {
            Condition::All => made.all(|m| m),
            Condition::Any => made.any(|m| m),
            Condition::None => !made.any(|m| m),
        }
    }
}

/// A fact about a step that a preset may reward.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Its name in a preset's `rewards`.
    pub name: &'static str,
    /// What kind of fact it is.
    pub kind: TermKind,
    /// One line: what it measures, and its unit.
    pub about: &'static str,
}

/// The three kinds of reward terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    game: &'static str,
    fault: String,
}

impl Spec {
    /// Length of one seat's observation.
    pub fn features(&self) -> usize {
        self.observation.len()
    }

    /// Number of actions over all heads: the length of one seat's mask.
    pub fn actions(&self) -> usize {
        self.heads.iter().map(|h| h.actions.len()).sum()
    }

    /// Number of actions of each head.
    pub fn head_sizes(&self) -> Vec<usize> {
        self.heads.iter().map(|h| h.actions.len()).collect()
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

    /// The index of a scripted player.
    pub fn bot(&self, name: &str) -> Option<usize> {
        self.bots.iter().position(|&b| b == name)
    }

    /// The index of a reward term.
    pub fn term(&self, name: &str) -> Option<usize> {
        self.terms.iter().position(|t| t.name == name)
    }

    /// Is this joint action legal under a mask? A head that is left without a legal action takes its
    /// first.
    pub fn allows(&self, action: &[u32], mask: &[bool]) -> bool {
        let mut offset = 0;
        self.heads.iter().enumerate().all(|(head, spec)| {
            let size = spec.actions.len();
            let mask = &mask[offset..offset + size];
            offset += size;
            let legal = |choice: u32| {
                let mut bound =
                    self.requires.iter().filter(|r| r.head == head && r.action == choice);
                mask[choice as usize] && bound.all(|r| r.allows(action))
            };
            let chosen = action[head];
            (chosen as usize) < size
                && (legal(chosen) || (chosen == 0 && !(0..size as u32).any(legal)))
        })
    }

    /// Checks that indices are in range, requirements point backwards and names are unique.
    pub fn validate(&self) -> Result<(), SpecError> {
        let fault = |fault: String| Err(SpecError { game: self.name, fault });
        if self.seats.is_empty() {
            return fault("has no seats".into());
        }
        if self.observation.is_empty() {
            return fault("observes nothing".into());
        }
        if self.heads.is_empty() {
            return fault("has no heads".into());
        }
        if let Some(head) = self.heads.iter().find(|h| h.actions.is_empty()) {
            return fault(format!("head `{}` has no actions", head.name));
        }
        for r in &self.requires {
            let in_range = |head: usize, action: u32| {
                self.heads.get(head).is_some_and(|h| (action as usize) < h.actions.len())
            };
            if !in_range(r.head, r.action) {
                return fault(format!(
                    "a requirement names action {} of head {}",
                    r.action, r.head
                ));
            }
            if let Some(&(head, action)) =
                r.choices.iter().find(|&&(h, a)| h >= r.head || !in_range(h, a))
            {
                return fault(format!(
                    "head {} requires action {action} of head {head}, which is not an earlier choice",
                    r.head
                ));
            }
        }
        let stats = self.stat_names();
        for (kind, names) in [
            ("feature", self.observation.iter().map(|f| f.name.as_str()).collect::<Vec<_>>()),
            ("privileged feature", self.privileged.iter().map(|f| f.name.as_str()).collect()),
            ("head", self.heads.iter().map(|h| h.name.as_str()).collect()),
            ("term", self.terms.iter().map(|t| t.name).collect()),
            ("stat", stats.iter().map(String::as_str).collect()),
            ("bot", self.bots.clone()),
        ] {
            let mut sorted = names;
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|w| w[0] == w[1]) {
                return fault(format!("two {kind}s are called `{}`", pair[0]));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> Spec {
        Spec {
            name: "toy",
            seats: vec![Seat::of(0), Seat::of(1)],
            observation: vec!["a".into(), "b".into()],
            privileged: vec![],
            heads: vec![Head::new("first", ["x", "y"]), Head::new("second", ["u", "v", "w"])],
            requires: vec![],
            terms: vec![],
            stats: vec![],
            bots: vec!["idle"],
        }
    }

    #[test]
    fn counts() {
        let spec = spec();
        assert_eq!((spec.features(), spec.actions(), spec.teams()), (2, 5, 2));
        assert_eq!(spec.head_sizes(), [2, 3]);
        assert_eq!(spec.bot("idle"), Some(0));
        assert_eq!(spec.validate(), Ok(()));
    }

    #[test]
    fn features_vary_unless_they_say_otherwise() {
        assert_eq!(Feature::from("a"), Feature { name: "a".into(), constant: false });
        assert_eq!(Feature::constant("a"), Feature { name: "a".into(), constant: true });
    }

    #[test]
    fn conditions_read_as_their_names() {
        let with = |condition| Requirement {
            head: 2,
            action: 0,
            condition,
            choices: vec![(0, 1), (1, 2)],
        };
        for (action, all, any, none) in [
            ([1, 2, 0], true, true, false),
            ([1, 0, 0], false, true, false),
            ([0, 0, 0], false, false, true),
        ] {
            assert_eq!(with(Condition::All).allows(&action), all);
            assert_eq!(with(Condition::Any).allows(&action), any);
            assert_eq!(with(Condition::None).allows(&action), none);
        }
    }

    #[test]
    fn a_joint_action_is_legal_head_by_head() {
        let mut spec = spec();
        let (head, choices) = (1, vec![(0, 1)]);
        spec.requires.push(Requirement { head, action: 2, condition: Condition::All, choices });
        let all = [true; 5];
        assert!(spec.allows(&[1, 2], &all));
        assert!(!spec.allows(&[0, 2], &all), "w asks for y");
        assert!(!spec.allows(&[0, 1], &[true, true, true, false, true]));
        assert!(!spec.allows(&[0, 3], &all), "there is no fourth");
        let none = [true, true, false, false, true];
        assert!(spec.allows(&[0, 0], &none), "nothing else is left");
        assert!(!spec.allows(&[1, 0], &none), "w is left");
    }

    #[test]
    fn a_requirement_on_a_later_head_is_refused() {
        let mut spec = spec();
        spec.requires.push(Requirement {
            head: 0,
            action: 1,
            condition: Condition::All,
            choices: vec![(1, 0)],
        });
        assert!(spec.validate().unwrap_err().to_string().contains("not an earlier choice"));
    }

    #[test]
    fn doubled_names_are_refused() {
        let mut doubled = spec();
        doubled.observation.push("a".into());
        assert!(doubled.validate().unwrap_err().to_string().contains("`a`"));
        // What a report calls a stat of a team must not be taken either.
        let mut doubled = spec();
        doubled.stats = vec![Stat::team("goals"), "opponent_goals".into()];
        assert!(doubled.validate().unwrap_err().to_string().contains("`opponent_goals`"));
    }

    #[test]
    fn a_match_is_contested_where_two_teams_have_somebody() {
        let with = |seats: &[Seat]| Spec { seats: seats.to_vec(), ..spec() }.contested();
        let empty = |team| Seat { team, empty: true };
        assert!(with(&[Seat::of(0), Seat::of(1)]));
        assert!(with(&[empty(0), Seat::of(0), empty(1), Seat::of(1)]));
        assert!(!with(&[Seat::of(0), Seat::of(0)]), "one team");
        assert!(!with(&[Seat::of(0), empty(1)]), "nobody on the other");
        assert!(!with(&[empty(0), Seat::of(1)]));
        assert!(!with(&[empty(0), empty(1)]));
    }
}
