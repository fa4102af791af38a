//! What a seat may be: what it sees, what it does, and who can play it without learning.

use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::observation::{Feature, Group};
use crate::seed::Rng;

/// What a kind of player sees and does. Most games have one role; survivors, infected and a director
/// see and do different things.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// Its name, in snake case.
    pub name: String,
    /// What is seen: groups of numbers, side by side.
    pub observation: Vec<Group>,
    /// Extra inputs for the critic alone: what a fair player may not see.
    #[serde(default)]
    pub privileged: Vec<Feature>,
    /// Discrete heads; a joint action has one choice per head, made in this order.
    pub heads: Vec<Head>,
    /// Legality of an action that depends on choices of earlier heads.
    #[serde(default)]
    pub requires: Vec<Requirement>,
    /// Pairs of heads of which a view may forbid combinations, step by step.
    #[serde(default)]
    pub pairs: Vec<Pair>,
    /// Scripted players the game brings for this role.
    #[serde(default)]
    pub bots: Vec<Bot>,
}

impl Default for Role {
    /// A player that sees and does nothing yet.
    fn default() -> Self {
        Self {
            name: "player".into(),
            observation: Vec::new(),
            privileged: Vec::new(),
            heads: Vec::new(),
            requires: Vec::new(),
            pairs: Vec::new(),
            bots: Vec::new(),
        }
    }
}

/// One discrete choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// Two heads whose choices may exclude each other at a step, such as two who cannot both take the same
/// one. Which combinations are forbidden, the view says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The head that is chosen first.
    pub first: usize,
    /// The head whose mask is narrowed by it.
    pub second: usize,
}

/// A scripted player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bot {
    /// Its name in `bot:NAME`.
    pub name: String,
    /// Does the game itself drive it? Then its seat never acts, and no actions of it are recorded:
    /// it follows from the seed and what the others do. Otherwise [`crate::Game::scripted`] chooses.
    #[serde(default)]
    pub inside: bool,
}

impl Bot {
    /// A player that the game drives by itself.
    pub fn inside(name: impl Into<String>) -> Self {
        Self { name: name.into(), inside: true }
    }
}

impl<T: Into<String>> From<T> for Bot {
    fn from(name: T) -> Self {
        Self { name: name.into(), inside: false }
    }
}

impl Role {
    /// Length of an observation.
    pub fn features(&self) -> usize {
        self.observation.iter().map(Group::len).sum()
    }

    /// Every number of an observation, in order.
    pub fn flat_features(&self) -> Vec<Feature> {
        self.observation.iter().flat_map(Group::flat).collect()
    }

    /// Number of actions over all heads: the length of a mask.
    pub fn actions(&self) -> usize {
        self.heads.iter().map(|h| h.actions.len()).sum()
    }

    /// Number of actions of each head.
    pub fn head_sizes(&self) -> Vec<usize> {
        self.heads.iter().map(|h| h.actions.len()).collect()
    }

    /// Length of the tables of forbidden pairs: `[first, second]` of every pair, side by side.
    pub fn pair_values(&self) -> usize {
        let size = |head: usize| self.heads[head].actions.len();
        self.pairs.iter().map(|pair| size(pair.first) * size(pair.second)).sum()
    }

    /// The index of a scripted player.
    pub fn bot(&self, name: &str) -> Option<usize> {
        self.bots.iter().position(|bot| bot.name == name)
    }

    /// Is this joint action legal under a mask and forbidden pairs? A head that is left without a legal
    /// action takes its first.
    pub fn allows(&self, action: &[u32], mask: &[bool], forbidden: &[bool]) -> bool {
        self.heads.iter().enumerate().all(|(head, spec)| {
            let legal = |choice| self.legal(head, choice, action, mask, forbidden);
            let (chosen, size) = (action[head], spec.actions.len() as u32);
            chosen < size && (legal(chosen) || (chosen == 0 && !(0..size).any(legal)))
        })
    }

    /// Is this choice of a head legal after the choices of earlier heads in `action`?
    pub fn legal(
        &self,
        head: usize,
        choice: u32,
        action: &[u32],
        mask: &[bool],
        forbidden: &[bool],
    ) -> bool {
        let before: usize = self.heads[..head].iter().map(|h| h.actions.len()).sum();
        let mut bound = self.requires.iter().filter(|r| r.head == head && r.action == choice);
        mask[before + choice as usize]
            && bound.all(|r| r.allows(action))
            && !self.excluded(head, choice, action, forbidden)
    }

    /// Chooses head by head, evenly among what mask, requirements and pairs leave; a head that is left
    /// without a legal action takes its first. Returns how many heads had a legal action.
    pub fn draw(
        &self,
        mask: &[bool],
        forbidden: &[bool],
        dice: &mut Rng,
        action: &mut [u32],
    ) -> usize {
        let mut free = 0;
        for (head, spec) in self.heads.iter().enumerate() {
            let legal = |&choice: &u32| self.legal(head, choice, action, mask, forbidden);
            let all = 0..spec.actions.len() as u32;
            let count = all.clone().filter(legal).count();
            let mut choice = None;
            if count > 0 {
                free += 1;
                choice = all.filter(legal).nth(dice.random_range(0..count));
            }
            action[head] = choice.unwrap_or(0);
        }
        free
    }

    /// Is this choice of a head forbidden by a pair with one that was made before?
    fn excluded(&self, head: usize, choice: u32, action: &[u32], forbidden: &[bool]) -> bool {
        let mut at = 0;
        self.pairs.iter().any(|pair| {
            let (first, second) =
                (self.heads[pair.first].actions.len(), self.heads[pair.second].actions.len());
            let table = &forbidden[at..at + first * second];
            at += table.len();
            pair.second == head && table[action[pair.first] as usize * second + choice as usize]
        })
    }

    /// What contradicts itself, if anything does.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.features() == 0 {
            return Some("observes nothing".into());
        }
        if self.heads.is_empty() {
            return Some("has no heads".into());
        }
        if let Some(head) = self.heads.iter().find(|h| h.actions.is_empty()) {
            return Some(format!("head `{}` has no actions", head.name));
        }
        for r in &self.requires {
            let in_range = |head: usize, action: u32| {
                self.heads.get(head).is_some_and(|h| (action as usize) < h.actions.len())
            };
            if !in_range(r.head, r.action) {
                return Some(format!("a requirement names action {} of head {}", r.action, r.head));
            }
            if let Some(&(head, action)) =
                r.choices.iter().find(|&&(h, a)| h >= r.head || !in_range(h, a))
            {
                return Some(format!(
                    "head {} requires action {action} of head {head}, which is not an earlier choice",
                    r.head
                ));
            }
        }
        if let Some(pair) =
            self.pairs.iter().find(|p| p.first >= p.second || p.second >= self.heads.len())
        {
            return Some(format!("heads {} and {} are no pair", pair.first, pair.second));
        }
        let features = self.flat_features();
        if let Some(id) =
            features.iter().find(|f| f.vocabulary.as_ref().is_some_and(|v| v.size == 0))
        {
            return Some(format!("nothing can be a `{}`: its vocabulary is empty", id.name));
        }
        let groups = self.observation.iter().filter_map(|group| match group {
            Group::Entities { name, .. } => Some(name.as_str()),
            Group::Features(_) => None,
        });
        for (kind, names) in [
            ("feature", features.iter().map(|f| f.name.as_str()).collect::<Vec<_>>()),
            ("privileged feature", self.privileged.iter().map(|f| f.name.as_str()).collect()),
            ("head", self.heads.iter().map(|h| h.name.as_str()).collect()),
            ("bot", self.bots.iter().map(|b| b.name.as_str()).collect()),
            ("kinds of entitie", groups.collect()),
        ] {
            if let Some(name) = doubled(names) {
                return Some(format!("two {kind}s are called `{name}`"));
            }
        }
        None
    }
}

/// A name that is there twice.
pub(crate) fn doubled(mut names: Vec<&str>) -> Option<String> {
    names.sort_unstable();
    names.windows(2).find(|w| w[0] == w[1]).map(|pair| pair[0].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role() -> Role {
        Role {
            observation: vec![["a", "b"].into()],
            heads: vec![Head::new("first", ["x", "y"]), Head::new("second", ["u", "v", "w"])],
            bots: vec!["idle".into()],
            ..Role::default()
        }
    }

    #[test]
    fn counts() {
        let role = role();
        assert_eq!((role.features(), role.actions(), role.pair_values()), (2, 5, 0));
        assert_eq!(role.head_sizes(), [2, 3]);
        assert_eq!((role.bot("idle"), role.bot("busy")), (Some(0), None));
        assert_eq!(role.fault(), None);
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
        let mut role = role();
        let (head, choices) = (1, vec![(0, 1)]);
        role.requires.push(Requirement { head, action: 2, condition: Condition::All, choices });
        let all = [true; 5];
        assert!(role.allows(&[1, 2], &all, &[]));
        assert!(!role.allows(&[0, 2], &all, &[]), "w asks for y");
        assert!(!role.allows(&[0, 1], &[true, true, true, false, true], &[]));
        assert!(!role.allows(&[0, 3], &all, &[]), "there is no fourth");
        let none = [true, true, false, false, true];
        assert!(role.allows(&[0, 0], &none, &[]), "nothing else is left");
        assert!(!role.allows(&[1, 0], &none, &[]), "w is left");
    }

    #[test]
    fn forbidden_pairs_restrict_the_second_head() {
        let mut role = role();
        role.pairs.push(Pair { first: 0, second: 1 });
        assert_eq!(role.pair_values(), 6);
        let mut forbidden = [false; 6];
        forbidden[3 + 1] = true; // y excludes v
        let all = [true; 5];
        assert!(role.allows(&[0, 1], &all, &forbidden));
        assert!(!role.allows(&[1, 1], &all, &forbidden));
        assert!(role.allows(&[1, 2], &all, &forbidden));
        forbidden[3..].fill(true);
        assert!(role.allows(&[1, 0], &all, &forbidden), "nothing else is left");
        assert!(!role.allows(&[1, 2], &all, &forbidden));
        role.pairs[0] = Pair { first: 1, second: 0 };
        assert!(role.fault().unwrap().contains("no pair"));
    }

    #[test]
    fn draws_are_even_among_what_is_legal() {
        let mut role = role();
        let (head, choices) = (1, vec![(0, 1)]);
        role.requires.push(Requirement { head, action: 2, condition: Condition::All, choices });
        role.pairs.push(Pair { first: 0, second: 1 });
        let mut forbidden = [false; 6];
        forbidden[3] = true; // y excludes u
        let mask = [true, true, true, false, true];
        let (mut dice, mut seen) = (crate::seed::rng(7), [[0u32; 3]; 2]);
        for _ in 0..2000 {
            let mut action = [9, 9];
            assert_eq!(role.draw(&mask, &forbidden, &mut dice, &mut action), 2);
            assert!(role.allows(&action, &mask, &forbidden));
            seen[action[0] as usize][action[1] as usize] += 1;
        }
        assert!((900..1100).contains(&seen[0][0]) && seen[0][0] + seen[1][2] == 2000, "{seen:?}");
        let mut action = [9, 9];
        let free = role.draw(&[false; 5], &forbidden, &mut dice, &mut action);
        assert_eq!((free, action), (0, [0, 0]), "the first, where there is nothing");
    }

    #[test]
    fn a_requirement_on_a_later_head_is_refused() {
        let mut role = role();
        let choices = vec![(1, 0)];
        role.requires.push(Requirement { head: 0, action: 1, condition: Condition::All, choices });
        assert!(role.fault().unwrap().contains("not an earlier choice"));
    }

    #[test]
    fn doubled_names_are_refused() {
        let mut role = role();
        role.observation.push(["a"].into());
        assert!(role.fault().unwrap().contains("`a`"));
    }
}
