//! Recorded decisions: what a seat saw, what it could choose and what it chose, one after the other.
//!
//! Where a match cannot be played again (a person's game, a server's log), this is what is left of it to
//! learn from. It is flat like everything else, holds single frames, and knows no network: whoever learns
//! from it stacks and normalises.

use thiserror::Error;

use crate::{Condition, End, Requirement, Role, Spec};

/// In [`Episode::actions`]: nobody knows what was chosen of this head.
pub const UNKNOWN: u32 = u32::MAX;

/// How a match went for the team of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Its score was the highest, alone.
    Won,
    /// It shared the highest score.
    Drawn,
    /// Another had a higher score.
    Lost,
}

impl Verdict {
    /// What these scores, one a team, say of a team.
    pub fn of(score: &[f32], team: usize) -> Self {
        let own = score[team];
        let others = score.iter().enumerate().filter(|(other, _)| *other != team);
        let best = others.map(|(_, &score)| score).fold(f32::NEG_INFINITY, f32::max);
        match own.total_cmp(&best) {
            std::cmp::Ordering::Greater => Self::Won,
            std::cmp::Ordering::Equal => Self::Drawn,
            std::cmp::Ordering::Less => Self::Lost,
        }
    }
}

/// Consecutive decisions of one seat of one match. Nothing is remembered from before the first of them.
///
/// Rows lie side by side; a buffer that is not known for this episode is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Episode {
    /// Its role, an index into [`Spec::roles`].
    pub role: usize,
    /// Who decided: `bot:greedy`, a player's name, a model.
    pub player: String,
    /// Where it comes from: a file and what of it.
    pub source: String,
    /// What everything that comes of one match shares: its seats, both sides' recordings of it, copies of
    /// it in a mirror. Empty where the source is that already; see [`Self::of_match`].
    pub match_key: String,
    /// How the match went for it, if that is known.
    pub verdict: Option<Verdict>,
    /// How the match ended after the last decision; `None` where the recording was cut.
    pub end: Option<End>,
    /// `[decisions]`: the step of the match, growing. Between two decisions of a seat it may have waited.
    pub steps: Vec<u32>,
    /// `[decisions, features]`
    pub observation: Vec<f32>,
    /// `[decisions, privileged]`, or empty.
    pub privileged: Vec<f32>,
    /// `[decisions, actions]`, as the game offered it, before any choice narrowed it.
    pub mask: Vec<bool>,
    /// `[decisions, pair values]`
    pub forbidden: Vec<bool>,
    /// `[decisions, heads]`: what was chosen, or [`UNKNOWN`].
    pub actions: Vec<u32>,
    /// `[decisions, actions]`: how likely each action of each head was to whoever decided, after the
    /// choices of earlier heads; or empty.
    pub probabilities: Vec<f32>,
    /// `[decisions, terms]`: what was earned until the next decision, unweighted; or empty.
    pub terms: Vec<f32>,
}

/// An episode that does not fit its game.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EpisodeFault {
    /// It has a role that the game has not.
    #[error("the game has no role number {0}")]
    Role(usize),
    /// A buffer has another length than the game asks for.
    #[error("{found} numbers of {what} where {wanted} belong")]
    Length {
        /// The buffer.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many it should have.
        wanted: usize,
    },
    /// A number is not finite.
    #[error("decision {decision}: a number of {what} is not finite")]
    NotFinite {
        /// Which decision.
        decision: usize,
        /// The buffer.
        what: &'static str,
    },
    /// Steps do not grow.
    #[error("decision {0} comes at no later step than the one before")]
    Order(usize),
    /// A choice that the head has not, or that was not legal.
    #[error("decision {decision}: {problem}")]
    Illegal {
        /// Which decision.
        decision: usize,
        /// What was chosen, by name.
        problem: String,
    },
}

impl Episode {
    /// How many decisions there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The match it comes of: episodes with the same answer are learnt from together, or held out together.
    pub fn of_match(&self) -> &str {
        if self.match_key.is_empty() { &self.source } else { &self.match_key }
    }

    /// What of it does not fit a game, if anything does: lengths, numbers, and choices outside of their
    /// masks.
    pub fn fault(&self, spec: &Spec) -> Option<EpisodeFault> {
        let Some(role) = spec.roles.get(self.role) else {
            return Some(EpisodeFault::Role(self.role));
        };
        let n = self.len();
        let (features, actions, heads) = (role.features(), role.actions(), role.heads.len());
        let pairs = role.pair_values();
        let optional = |length: usize, width: usize| if length == 0 { 0 } else { n * width };
        for (what, found, wanted) in [
            ("observation", self.observation.len(), n * features),
            ("mask", self.mask.len(), n * actions),
            ("forbidden", self.forbidden.len(), n * pairs),
            ("actions", self.actions.len(), n * heads),
            (
                "privileged",
                self.privileged.len(),
                optional(self.privileged.len(), role.privileged.len()),
            ),
            (
                "probabilities",
                self.probabilities.len(),
                optional(self.probabilities.len(), actions),
            ),
            ("terms", self.terms.len(), optional(self.terms.len(), spec.terms.len())),
        ] {
            if found != wanted {
                return Some(EpisodeFault::Length { what, found, wanted });
            }
        }
        for (what, numbers) in [
            ("observation", &self.observation),
            ("privileged", &self.privileged),
            ("probabilities", &self.probabilities),
            ("terms", &self.terms),
        ] {
            if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
                return Some(EpisodeFault::NotFinite { decision: at * n / numbers.len(), what });
            }
        }
        if let Some(at) = self.steps.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Some(EpisodeFault::Order(at + 1));
        }
        (0..n).find_map(|decision| {
            let problem = role.unlawful(
                &self.actions[decision * heads..(decision + 1) * heads],
                &self.mask[decision * actions..(decision + 1) * actions],
                &self.forbidden[decision * pairs..(decision + 1) * pairs],
            )?;
            Some(EpisodeFault::Illegal { decision, problem })
        })
    }
}

impl Requirement {
    /// Does the restriction allow its action after the choices that are known? What an unknown choice
    /// leaves open is allowed.
    pub fn may_allow(&self, action: &[u32]) -> bool {
        let made = |wanted: bool| {
            move |&(head, choice): &(usize, u32)| {
                action[head] == UNKNOWN || (action[head] == choice) == wanted
            }
        };
        match self.condition {
            Condition::All => self.choices.iter().all(made(true)),
            Condition::Any => self.choices.iter().any(made(true)),
            Condition::None => self.choices.iter().all(made(false)),
        }
    }
}

impl Role {
    /// Says which choice of a joint action, of which heads may be [`UNKNOWN`], cannot have been made under
    /// a mask and forbidden pairs. A head that is left without a legal action takes its first.
    pub fn unlawful(&self, action: &[u32], mask: &[bool], forbidden: &[bool]) -> Option<String> {
        let mut offset = 0;
        for (head, about) in self.heads.iter().enumerate() {
            let size = about.actions.len();
            let mask = &mask[offset..offset + size];
            offset += size;
            let choice = action[head];
            if choice == UNKNOWN {
                continue;
            }
            if choice as usize >= size {
                return Some(format!("choice {choice} is none of `{}`", about.name));
            }
            let legal = |choice: u32| {
                let mut bound =
                    self.requires.iter().filter(|r| r.head == head && r.action == choice);
                mask[choice as usize]
                    && bound.all(|r| r.may_allow(action))
                    && !self.may_exclude(head, choice, action, forbidden)
            };
            if !legal(choice) && (choice != 0 || (0..size as u32).any(legal)) {
                let name = &about.actions[choice as usize];
                return Some(format!("`{name}` of `{}` was not legal", about.name));
            }
        }
        None
    }

    /// Is a choice forbidden by a pair with one that is known to have been made before?
    fn may_exclude(&self, head: usize, choice: u32, action: &[u32], forbidden: &[bool]) -> bool {
        let mut at = 0;
        self.pairs.iter().any(|pair| {
            let (first, second) =
                (self.heads[pair.first].actions.len(), self.heads[pair.second].actions.len());
            let table = &forbidden[at..at + first * second];
            at += table.len();
            let before = action[pair.first];
            pair.second == head
                && (before as usize) < first
                && table[before as usize * second + choice as usize]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Head, Pair, Seat, Term, TermKind};

    fn spec() -> Spec {
        let role = Role {
            observation: vec![["x", "y"].into()],
            heads: vec![
                Head::new("attack", ["none", "melee", "magic"]),
                Head::new("spell", ["none", "ice"]),
                Head::new("move", ["stay", "go"]),
            ],
            requires: vec![Requirement {
                head: 1,
                action: 1,
                condition: Condition::All,
                choices: vec![(0, 2)],
            }],
            pairs: vec![Pair { first: 0, second: 2 }],
            ..Role::default()
        };
        Spec {
            name: "toy".into(),
            roles: vec![role],
            seats: vec![Seat::of(0)],
            terms: vec![Term::new(TermKind::Event, "tick", "1 a step")],
            ..Spec::default()
        }
    }

    fn episode(actions: &[[u32; 3]]) -> Episode {
        let n = actions.len();
        Episode {
            player: "somebody".into(),
            steps: (0..n as u32).collect(),
            observation: vec![0.5; 2 * n],
            mask: vec![true; 7 * n],
            forbidden: vec![false; 6 * n],
            actions: actions.concat(),
            terms: vec![1.0; n],
            ..Episode::default()
        }
    }

    #[test]
    fn sound_episodes_have_no_fault() {
        let sound = [[2, 1, 0], [UNKNOWN, 1, 1], [0, UNKNOWN, UNKNOWN], [1, 0, 0]];
        assert_eq!(episode(&sound).fault(&spec()), None);
        assert_eq!(Episode::default().fault(&spec()), None);
    }

    #[test]
    fn choices_outside_of_their_masks_are_named() {
        let problem = |episode: &Episode| match episode.fault(&spec()) {
            Some(EpisodeFault::Illegal { decision, problem }) => (decision, problem),
            other => panic!("{other:?}"),
        };
        // Ice needs magic.
        let (at, text) = problem(&episode(&[[2, 1, 0], [1, 1, 0]]));
        assert!(at == 1 && text.contains("`ice` of `spell`"), "{text}");
        let (_, text) = problem(&episode(&[[7, 0, 0]]));
        assert!(text.contains("7 is none of `attack`"), "{text}");
        let mut masked = episode(&[[1, 0, 0]]);
        masked.mask[1] = false;
        assert!(problem(&masked).1.contains("`melee`"));
        // With nothing legal left a head takes its first action, and no other.
        masked.mask[0] = false;
        masked.mask[2] = false;
        assert!(problem(&masked).1.contains("`melee`"));
        masked.actions[0] = 0;
        assert_eq!(masked.fault(&spec()), None);
        let mut paired = episode(&[[1, 0, 1]]);
        paired.forbidden[3] = true; // melee and go
        assert!(problem(&paired).1.contains("`go` of `move`"));
        paired.actions[0] = UNKNOWN;
        assert_eq!(paired.fault(&spec()), None);
    }

    #[test]
    fn what_has_another_shape_is_named() {
        let mut short = episode(&[[0, 0, 0]; 3]);
        short.observation.pop();
        let wanted = EpisodeFault::Length { what: "observation", found: 5, wanted: 6 };
        assert_eq!(short.fault(&spec()), Some(wanted));
        let mut wild = episode(&[[0, 0, 0]; 3]);
        wild.observation[3] = f32::NAN;
        let wanted = EpisodeFault::NotFinite { decision: 1, what: "observation" };
        assert_eq!(wild.fault(&spec()), Some(wanted));
        let mut back = episode(&[[0, 0, 0]; 3]);
        back.steps[2] = 1;
        assert_eq!(back.fault(&spec()), Some(EpisodeFault::Order(2)));
        let other = Episode { role: 3, ..Episode::default() };
        assert_eq!(other.fault(&spec()), Some(EpisodeFault::Role(3)));
    }

    #[test]
    fn a_match_is_told_by_its_key_or_else_by_the_source() {
        let alone = Episode { source: "match 3".into(), ..Episode::default() };
        assert_eq!(alone.of_match(), "match 3");
        let keyed = Episode { match_key: "a.rec".into(), source: "a.rec, seat 1".into(), ..alone };
        assert_eq!(keyed.of_match(), "a.rec");
    }

    #[test]
    fn a_verdict_follows_from_the_scores() {
        assert_eq!(Verdict::of(&[1.0, 0.0], 0), Verdict::Won);
        assert_eq!(Verdict::of(&[1.0, 0.0], 1), Verdict::Lost);
        assert_eq!(Verdict::of(&[0.5, 0.5, 0.0], 1), Verdict::Drawn);
    }
}
