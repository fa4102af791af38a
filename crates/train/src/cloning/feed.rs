//! Recorded episodes as rollouts: frames stacked, masks narrowed, returns reckoned.

use lanista_game::{End, Episode, UNKNOWN, Verdict, seed};
use lanista_learn::{Act, Follow, Policy, Rollout, Shape, clone};

use crate::stack::Stack;

/// What becomes of an episode before it is learnt from.
pub(crate) struct Feed<'a> {
    /// Which frames the policy sees.
    pub stack: &'a Stack,
    /// Only decisions of these players; all when it is empty.
    pub players: &'a [String],
    /// Only matches that were won.
    pub winners: bool,
    /// `[terms]`: what terms are worth, if values are learnt.
    pub weights: Option<&'a [f32]>,
    /// Discount of what is earned later.
    pub gamma: f32,
    /// Decisions that gradients flow back through memory.
    pub sequence_length: usize,
    /// Numbers of an observation, over all frames, that each decision takes from another one.
    pub scrambled: &'a [usize],
    /// Which one.
    pub dice: u64,
}

impl Feed<'_> {
    /// Is an episode of a role one to learn from?
    pub fn wants(&self, episode: &Episode, role: usize) -> bool {
        episode.role == role
            && !episode.is_empty()
            && (self.players.is_empty() || self.players.contains(&episode.player))
            && (!self.winners || episode.verdict == Some(Verdict::Won))
    }

    /// Episodes of one role as one rollout: a row each, in the order of their decisions, so that those at
    /// the same place can be looked at together.
    pub fn rollout(&self, policy: &Policy, episodes: &[&Episode]) -> Rollout {
        let shape = policy.shape();
        let (actor, critic) = policy.state_sizes();
        let mut rollout = Rollout::new(episodes.len());
        let (mut seen, mut mask) = (Vec::new(), Vec::new());
        let taught = episodes.iter().any(|episode| !episode.probabilities.is_empty());
        let returns: Vec<Vec<f32>> = episodes.iter().map(|e| self.returns(e)).collect();
        let nothing = (vec![0.0; actor], vec![0.0; critic]);
        let blind = vec![0.0; shape.privileged];
        let longest = episodes.iter().map(|episode| episode.len()).max().unwrap_or(0);
        for d in 0..longest {
            for (row, episode) in episodes.iter().enumerate().filter(|(_, e)| d < e.len()) {
                self.stacked(episode, d, shape, &mut seen);
                let (heads, actions, pairs) =
                    (shape.heads.len(), shape.actions(), shape.pair_values);
                let chosen = &episode.actions[d * heads..(d + 1) * heads];
                mask.clear();
                mask.extend_from_slice(&episode.mask[d * actions..(d + 1) * actions]);
                let forbidden = &episode.forbidden[d * pairs..(d + 1) * pairs];
                shape.narrow_recorded(chosen, &mut mask, forbidden);
                let known = chosen.iter().any(|&choice| choice != UNKNOWN);
                let privileged = match episode.privileged.is_empty() {
                    true => &blind[..],
                    false => &episode.privileged[d * shape.privileged..(d + 1) * shape.privileged],
                };
                let act = Act {
                    row,
                    observation: &seen,
                    privileged,
                    mask: &mask,
                    actions: chosen,
                    log_prob: 0.0,
                    value: 0.0,
                    start: d == 0,
                    actor_state: &nothing.0,
                    critic_state: &nothing.1,
                };
                rollout.push(act, self.sequence_length);
                // Only whether it counts is read of this.
                rollout.end(row, if known { Follow::Terminated } else { Follow::Unknown });
                rollout.returns.push(returns[row][d]);
                if taught {
                    match episode.probabilities.is_empty() {
                        true => rollout.teacher.resize(rollout.len() * actions, 0.0),
                        false => rollout.teacher.extend_from_slice(
                            &episode.probabilities[d * actions..(d + 1) * actions],
                        ),
                    }
                }
            }
        }
        self.scramble(&mut rollout, shape.features);
        if policy.recurrent() {
            clone::remember(policy, &mut rollout);
        }
        rollout
    }

    /// Deals numbers among decisions: what they say stays likely, and tells nothing of the decision.
    fn scramble(&self, rollout: &mut Rollout, features: usize) {
        if self.scrambled.is_empty() || rollout.is_empty() {
            return;
        }
        let seen = rollout.observation.clone();
        for (s, row) in rollout.observation.chunks_exact_mut(features).enumerate() {
            let other = (seed::mix(self.dice, s as u64) % (seen.len() / features) as u64) as usize;
            for &feature in self.scrambled {
                row[feature] = seen[other * features + feature];
            }
        }
    }

    /// The frames of a decision side by side. A seat that waited saw what it saw at its last decision;
    /// before the first there is nothing.
    fn stacked(&self, episode: &Episode, d: usize, shape: &Shape, seen: &mut Vec<f32>) {
        let frames = self.stack.frames();
        let features = shape.features / frames.len();
        seen.clear();
        for &frame in frames {
            let step = i64::from(episode.steps[d]) - frame as i64;
            let latest = (0..=d).rev().find(|&d| i64::from(episode.steps[d]) <= step);
            match latest {
                Some(d) => {
                    seen.extend_from_slice(&episode.observation[d * features..(d + 1) * features]);
                }
                None => seen.resize(seen.len() + features, 0.0),
            }
        }
    }

    /// `[decisions]`: what was earned from each on, discounted; no number where that is not known.
    fn returns(&self, episode: &Episode) -> Vec<f32> {
        let n = episode.len();
        let known = episode.end == Some(End::Terminated) && !episode.terms.is_empty();
        let Some(weights) = self.weights.filter(|_| known) else { return vec![f32::NAN; n] };
        let mut returns = vec![0.0; n];
        let mut later = 0.0;
        for (d, earned) in episode.terms.chunks_exact(weights.len().max(1)).enumerate().rev() {
            let now: f32 = earned.iter().zip(weights).map(|(term, weight)| term * weight).sum();
            later = now + self.gamma * later;
            returns[d] = later;
        }
        returns
    }
}

#[cfg(test)]
mod tests {
    use lanista_learn::PolicyConfig;

    use super::*;

    fn shape(frames: usize) -> Shape {
        let features = 2 * frames;
        Shape {
            features,
            groups: vec![lanista_learn::Group::Plain { features }],
            heads: vec![3],
            requires: vec![vec![]],
            ..Shape::default()
        }
    }

    fn episode(steps: &[u32]) -> Episode {
        let n = steps.len();
        Episode {
            player: "a".into(),
            steps: steps.to_vec(),
            observation: steps.iter().flat_map(|&s| [s as f32, -(s as f32)]).collect(),
            mask: vec![true; 3 * n],
            actions: vec![1; n],
            terms: vec![1.0; n],
            end: Some(End::Terminated),
            verdict: Some(Verdict::Won),
            ..Episode::default()
        }
    }

    fn feed<'a>(stack: &'a Stack, weights: Option<&'a [f32]>) -> Feed<'a> {
        Feed {
            stack,
            players: &[],
            winners: false,
            weights,
            gamma: 0.5,
            sequence_length: 4,
            scrambled: &[],
            dice: 7,
        }
    }

    #[test]
    fn frames_are_stacked_as_in_play() {
        let stack = Stack::new(vec![0, 1, 3]).unwrap();
        let policy = Policy::new(shape(3), &PolicyConfig::default(), 1);
        // The seat waited at steps 2 and 4: it saw then what it had seen before.
        let rollout = feed(&stack, None).rollout(&policy, &[&episode(&[0, 1, 3, 5])]);
        let rows: Vec<&[f32]> = rollout.observation.chunks(6).collect();
        assert_eq!(rows[0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(rows[1], [1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(rows[2], [3.0, -3.0, 1.0, -1.0, 0.0, 0.0]);
        assert_eq!(rows[3], [5.0, -5.0, 3.0, -3.0, 1.0, -1.0]);
    }

    #[test]
    fn rows_lie_abreast_and_returns_are_discounted() {
        let stack = Stack::default();
        let policy = Policy::new(shape(1), &PolicyConfig::default(), 1);
        let (long, mut cut) = (episode(&[0, 1, 2]), episode(&[0, 1]));
        cut.end = None;
        cut.actions[0] = UNKNOWN;
        let rollout = feed(&stack, Some(&[2.0])).rollout(&policy, &[&long, &cut]);
        assert_eq!(rollout.row, [0, 1, 0, 1, 0]);
        let known = |r: f32| r.is_finite().then_some(r);
        let returns: Vec<_> = rollout.returns.iter().map(|&r| known(r)).collect();
        assert_eq!(returns, [Some(3.5), None, Some(3.0), None, Some(2.0)]);
        let counted: Vec<bool> = rollout.follow.iter().map(|f| *f != Follow::Unknown).collect();
        assert_eq!(counted, [true, false, true, true, true]);
        assert!(rollout.teacher.is_empty());
    }

    #[test]
    fn scrambled_numbers_are_those_of_other_decisions() {
        let stack = Stack::default();
        let policy = Policy::new(shape(1), &PolicyConfig::default(), 1);
        let steps: Vec<u32> = (0..100).collect();
        let wish = Feed { scrambled: &[1], ..feed(&stack, None) };
        let rollout = wish.rollout(&policy, &[&episode(&steps)]);
        let (mut kept, mut own) = (0, 0);
        for (s, row) in rollout.observation.chunks(2).enumerate() {
            kept += usize::from(row[0] == s as f32);
            own += usize::from(row[1] == -(s as f32));
            assert!((-99.0..=0.0).contains(&row[1]));
        }
        assert!(kept == 100 && own < 10, "{kept} {own}");
    }

    #[test]
    fn only_who_is_wanted_is_learnt_from() {
        let (stack, players) = (Stack::default(), ["a".to_owned()]);
        let wish = Feed { players: &players, winners: true, ..feed(&stack, None) };
        let won = episode(&[0]);
        assert!(wish.wants(&won, 0) && !wish.wants(&won, 1));
        assert!(!wish.wants(&Episode { verdict: Some(Verdict::Lost), ..won.clone() }, 0));
        assert!(!wish.wants(&Episode { player: "b".into(), ..won }, 0));
    }
}
