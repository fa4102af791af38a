//! A rollout without whatever follows from it: what crosses a border between processes.
//!
//! Which sample is the next of a row, where sequences begin and how long they are follow from the order of
//! the samples and from the row of each. So nobody sends them, and nobody can send ones that lead nowhere.

use crate::rollout::{Follow, NONE, Rollout, Sequence};

/// What came after a sample in its episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum After {
    /// The row's next sample.
    Next,
    /// The end, for good.
    Terminated,
    /// A cut; this is the value of where it stood.
    Cut(f32),
    /// Nothing is known.
    Unknown,
}

impl From<Follow> for After {
    fn from(follow: Follow) -> Self {
        match follow {
            Follow::Next(_) => Self::Next,
            Follow::Terminated => Self::Terminated,
            Follow::Cut(value) => Self::Cut(value),
            Follow::Unknown => Self::Unknown,
        }
    }
}

/// The samples of a rollout, in the order in which they were acted. Fields are those of [`Rollout`].
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// `[samples, features]`, raw.
    pub observation: Vec<f32>,
    /// `[samples, privileged]`, raw.
    pub privileged: Vec<f32>,
    /// `[samples, actions]`
    pub mask: Vec<bool>,
    /// `[samples, heads]`
    pub actions: Vec<u32>,
    /// `[samples]`
    pub log_prob: Vec<f32>,
    /// `[samples]`
    pub value: Vec<f32>,
    /// `[samples]`
    pub reward: Vec<f32>,
    /// `[samples]`
    pub start: Vec<bool>,
    /// `[samples]`
    pub after: Vec<After>,
    /// `[samples]`
    pub row: Vec<u32>,
    /// `[sequences, actor state]`
    pub actor_state: Vec<f32>,
    /// `[sequences, critic state]`
    pub critic_state: Vec<f32>,
}

/// How many numbers of each kind a sample or a sequence has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Widths {
    /// Numbers of an observation.
    pub features: usize,
    /// Extra numbers for the critic.
    pub privileged: usize,
    /// Actions over all heads.
    pub actions: usize,
    /// Heads.
    pub heads: usize,
    /// Numbers of the actor's memory.
    pub actor_state: usize,
    /// Numbers of the critic's memory.
    pub critic_state: usize,
}

impl Rollout {
    /// Takes over samples in the place of its own. What outlives a rollout stays. Nothing is changed, and
    /// what is wrong is said, if they contradict each other.
    pub fn refill(
        &mut self,
        columns: Columns,
        widths: Widths,
        sequence_length: usize,
    ) -> Result<(), String> {
        let n = columns.row.len();
        let lengths = [
            ("observations", columns.observation.len(), n * widths.features),
            ("privileged inputs", columns.privileged.len(), n * widths.privileged),
            ("masks", columns.mask.len(), n * widths.actions),
            ("actions", columns.actions.len(), n * widths.heads),
            ("probabilities", columns.log_prob.len(), n),
            ("values", columns.value.len(), n),
            ("rewards", columns.reward.len(), n),
            ("starts", columns.start.len(), n),
            ("ends", columns.after.len(), n),
        ];
        if let Some((what, found, wanted)) = lengths.into_iter().find(|(_, a, b)| a != b) {
            return Err(format!("{found} numbers of {what} for {wanted}"));
        }
        let (mut chain, mut sequences) = (vec![NONE; n], Vec::new());
        let mut follow: Vec<Follow> = Vec::with_capacity(n);
        // `[rows]`: the last sample of each and its sequence.
        let mut last = vec![(NONE, NONE); self.rows()];
        for (sample, (&row, after)) in columns.row.iter().zip(&columns.after).enumerate() {
            let Some((previous, sequence)) = last.get_mut(row as usize) else {
                return Err(format!("a sample of row {row} of {}", self.rows()));
            };
            if let Some(chained) = chain.get_mut(*previous as usize) {
                *chained = sample as u32;
            }
            let full = |s: &Sequence| s.length as usize >= sequence_length;
            if sequences.get(*sequence as usize).is_none_or(full) {
                *sequence = sequences.len() as u32;
                sequences.push(Sequence { first: sample as u32, length: 0 });
            }
            sequences[*sequence as usize].length += 1;
            *previous = sample as u32;
            follow.push(match after {
                After::Next | After::Unknown => Follow::Unknown,
                After::Terminated => Follow::Terminated,
                After::Cut(value) => Follow::Cut(*value),
            });
        }
        for (sample, after) in columns.after.iter().enumerate().filter(|(_, a)| **a == After::Next)
        {
            if chain[sample] == NONE {
                return Err(format!("sample {sample} is followed by {after:?}, and there is none"));
            }
            follow[sample] = Follow::Next(chain[sample]);
        }
        for (what, states, width) in [
            ("actor", &columns.actor_state, widths.actor_state),
            ("critic", &columns.critic_state, widths.critic_state),
        ] {
            if states.len() != sequences.len() * width {
                let (found, wanted) = (states.len(), sequences.len() * width);
                return Err(format!("{found} numbers of the {what}'s memory for {wanted}"));
            }
        }
        self.clear();
        self.observation = columns.observation;
        self.privileged = columns.privileged;
        self.mask = columns.mask;
        self.actions = columns.actions;
        self.log_prob = columns.log_prob;
        self.value = columns.value;
        self.reward = columns.reward;
        self.start = columns.start;
        self.follow = follow;
        self.chain = chain;
        self.row = columns.row;
        self.sequences = sequences;
        self.actor_state = columns.actor_state;
        self.critic_state = columns.critic_state;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::Act;

    fn widths() -> Widths {
        let (features, privileged, actions, heads) = (1, 0, 1, 1);
        Widths { features, privileged, actions, heads, actor_state: 1, critic_state: 0 }
    }

    /// Two rows; episodes end, are cut, and stay open.
    fn played() -> Rollout {
        let mut rollout = Rollout::new(2);
        for (i, row) in [0, 1, 0, 0, 1, 0].into_iter().enumerate() {
            let (observation, memory) = ([i as f32], [-(i as f32)]);
            let act = Act {
                row,
                observation: &observation,
                privileged: &[],
                mask: &[true],
                actions: &[0],
                log_prob: 0.5,
                value: 0.25,
                start: i < 2,
                actor_state: &memory,
                critic_state: &[],
            };
            rollout.push(act, 2);
            match i {
                2 => rollout.end(0, Follow::Terminated),
                3 => rollout.end(0, Follow::Cut(1.5)),
                _ => rollout.reward(row, i as f32),
            }
        }
        rollout.end(1, Follow::Unknown);
        rollout.end(0, Follow::Cut(-0.0));
        rollout
    }

    fn columns(of: &Rollout) -> Columns {
        Columns {
            observation: of.observation.clone(),
            privileged: of.privileged.clone(),
            mask: of.mask.clone(),
            actions: of.actions.clone(),
            log_prob: of.log_prob.clone(),
            value: of.value.clone(),
            reward: of.reward.clone(),
            start: of.start.clone(),
            after: of.follow.iter().map(|&follow| follow.into()).collect(),
            row: of.row.clone(),
            actor_state: of.actor_state.clone(),
            critic_state: of.critic_state.clone(),
        }
    }

    #[test]
    fn what_follows_from_the_samples_is_found_again() {
        let played = played();
        let mut again = Rollout::new(2);
        again.refill(columns(&played), widths(), 2).unwrap();
        assert_eq!(again.chain, played.chain);
        assert_eq!(again.sequences, played.sequences);
        assert_eq!(format!("{:?}", again.follow), format!("{:?}", played.follow));
        assert_eq!(again.actor_state, played.actor_state);
        assert_eq!(again.len(), played.len());
    }

    #[test]
    fn samples_that_contradict_each_other_are_refused() {
        type Bend = fn(&mut Columns);
        for (bend, part) in [
            ((|c| c.row[2] = 2) as Bend, "row 2 of 2"),
            (|c| c.mask.truncate(5), "masks"),
            (|c| c.observation.truncate(5), "observations"),
            (|c| c.after[5] = After::Next, "followed by"),
            (|c| c.actor_state.push(0.0), "actor's memory"),
            (|c| c.row[2] = 1, "actor's memory"),
        ] {
            let mut bent = columns(&played());
            bend(&mut bent);
            let mut into = played();
            let error = into.refill(bent, widths(), 2).unwrap_err();
            assert!(error.contains(part), "{error}");
            assert_eq!(into.len(), 6, "nothing is changed");
        }
    }
}
