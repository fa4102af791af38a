//! What a shard of matches saw, did and earned in one iteration.
//!
//! Samples are appended as seats act, so a waiting, empty or scripted seat costs nothing. A *row* is
//! a seat of a match; the samples of a row form a chain. Between two acts of a row its rewards add
//! up on the earlier one.

/// No sample.
pub const NONE: u32 = u32::MAX;

/// What follows a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Follow {
    /// The row's next sample, in the same episode.
    Next(u32),
    /// The episode ended for good.
    Terminated,
    /// The episode or the rollout was cut off; this is the value of where it stood.
    Cut(f32),
    /// The rollout ended before the row acted again: nothing tells how the act turned out, so it
    /// only bootstraps the one before it.
    Unknown,
}

/// The samples of one shard, in the order in which they were acted.
#[derive(Clone, Debug, Default)]
pub struct Rollout {
    /// `[samples, features]`, raw.
    pub observation: Vec<f32>,
    /// `[samples, privileged]`, raw.
    pub privileged: Vec<f32>,
    /// `[samples, actions]`, as narrowed by the choices made.
    pub mask: Vec<bool>,
    /// `[samples, heads]`
    pub actions: Vec<u32>,
    /// `[samples]`
    pub log_prob: Vec<f32>,
    /// `[samples]`: the critic's opinion when acting.
    pub value: Vec<f32>,
    /// `[samples]`: what the row earned until its next act.
    pub reward: Vec<f32>,
    /// `[samples]`: is it the row's first act of an episode?
    pub start: Vec<bool>,
    /// `[samples]`
    pub follow: Vec<Follow>,
    /// `[samples]`: the row's next sample, across episodes.
    pub chain: Vec<u32>,
    /// `[samples]`
    pub row: Vec<u32>,
    /// Stretches of chains for truncated backpropagation.
    pub sequences: Vec<Sequence>,
    /// `[sequences, actor state]`
    pub actor_state: Vec<f32>,
    /// `[sequences, critic state]`
    pub critic_state: Vec<f32>,
    /// `[samples]`, filled in by [`crate::advantage`].
    pub advantage: Vec<f32>,
    /// `[samples]`: what the critic should have said.
    pub returns: Vec<f32>,
    /// `[rows]`: each row's discounted sum of rewards, for scaling; it outlives the rollout.
    pub traces: Vec<f32>,
    /// `[samples, actions]`: how likely a teacher finds each action, an anchor or whoever is cloned; empty
    /// if there is none, 0 over all of a head of which it says nothing.
    pub teacher: Vec<f32>,
    /// `[rows, state]`: what an anchor with memory remembers of each row; it outlives the rollout. Empty
    /// without one.
    pub teacher_state: Vec<f32>,
    rows: Vec<Row>,
}

/// A stretch of one row's samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// Its first sample; [`Rollout::chain`] leads on.
    pub first: u32,
    /// How many samples.
    pub length: u32,
}

/// Where a row's chain ends so far.
#[derive(Clone, Copy, Debug)]
struct Row {
    last: u32,
    sequence: u32,
    /// Does the last sample belong to the episode now being played?
    open: bool,
}

/// One act of one row.
pub struct Act<'a> {
    /// Which seat of the shard.
    pub row: usize,
    /// `[features]`, raw.
    pub observation: &'a [f32],
    /// `[privileged]`, raw.
    pub privileged: &'a [f32],
    /// `[actions]`, narrowed.
    pub mask: &'a [bool],
    /// `[heads]`
    pub actions: &'a [u32],
    /// Of the joint action.
    pub log_prob: f32,
    /// The critic's opinion.
    pub value: f32,
    /// Is it the row's first act of an episode?
    pub start: bool,
    /// The row's states before the act.
    pub actor_state: &'a [f32],
    /// Likewise.
    pub critic_state: &'a [f32],
}

impl Rollout {
    /// An empty rollout for so many rows.
    pub fn new(rows: usize) -> Self {
        let fresh = Row { last: NONE, sequence: NONE, open: false };
        Self { rows: vec![fresh; rows], traces: vec![0.0; rows], ..Self::default() }
    }

    /// Forgets all samples and keeps the memory they lay in.
    pub fn clear(&mut self) {
        self.observation.clear();
        self.privileged.clear();
        self.mask.clear();
        self.actions.clear();
        self.log_prob.clear();
        self.value.clear();
        self.reward.clear();
        self.start.clear();
        self.follow.clear();
        self.chain.clear();
        self.row.clear();
        self.sequences.clear();
        self.actor_state.clear();
        self.critic_state.clear();
        self.teacher.clear();
        self.rows.fill(Row { last: NONE, sequence: NONE, open: false });
    }

    /// How many rows it is for.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.reward.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.reward.is_empty()
    }

    /// Appends an act.
    pub fn push(&mut self, act: Act, sequence_length: usize) {
        let sample = self.len() as u32;
        let row = &mut self.rows[act.row];
        if row.last != NONE {
            self.chain[row.last as usize] = sample;
            if row.open {
                self.follow[row.last as usize] = Follow::Next(sample);
            }
        }
        let full = match self.sequences.get(row.sequence as usize) {
            Some(sequence) => sequence.length as usize == sequence_length,
            None => true,
        };
        if full {
            row.sequence = self.sequences.len() as u32;
            self.sequences.push(Sequence { first: sample, length: 0 });
            self.actor_state.extend_from_slice(act.actor_state);
            self.critic_state.extend_from_slice(act.critic_state);
        }
        self.sequences[row.sequence as usize].length += 1;
        row.last = sample;
        row.open = true;
        append(&mut self.observation, act.observation);
        append(&mut self.privileged, act.privileged);
        append(&mut self.mask, act.mask);
        append(&mut self.actions, act.actions);
        self.log_prob.push(act.log_prob);
        self.value.push(act.value);
        self.reward.push(0.0);
        self.start.push(act.start);
        self.follow.push(Follow::Unknown);
        self.chain.push(NONE);
        self.row.push(act.row as u32);
    }

    /// Adds to what the row's last act of this episode earned. A reward before its first act of
    /// this rollout has nobody to go to.
    #[inline]
    pub fn reward(&mut self, row: usize, reward: f32) {
        let row = self.rows[row];
        if row.open {
            self.reward[row.last as usize] += reward;
        }
    }

    /// Does the row have an act of the running episode here?
    pub fn is_open(&self, row: usize) -> bool {
        self.rows[row].open
    }

    /// Ends the row's episode, or its part of the rollout: `Terminated`, `Cut` or `Unknown`.
    pub fn end(&mut self, row: usize, follow: Follow) {
        let row = &mut self.rows[row];
        if row.open {
            self.follow[row.last as usize] = follow;
            row.open = false;
        }
    }
}

/// Appends a slice. Rows of small games are a few numbers long, and for those a call to the
/// system's copy costs more than the copy.
#[inline]
pub fn append<T: Copy>(to: &mut Vec<T>, from: &[T]) {
    if from.len() <= 8 {
        to.extend(from.iter().copied());
    } else {
        to.extend_from_slice(from);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(rollout: &mut Rollout, row: usize, value: f32) {
        let act = Act {
            row,
            observation: &[value],
            privileged: &[],
            mask: &[true],
            actions: &[0],
            log_prob: 0.0,
            value,
            start: false,
            actor_state: &[value],
            critic_state: &[],
        };
        rollout.push(act, 2);
    }

    #[test]
    fn rows_chain_and_rewards_add_up_between_acts() {
        let mut r = Rollout::new(2);
        r.reward(0, 9.0);
        act(&mut r, 0, 1.0);
        act(&mut r, 1, 2.0);
        r.reward(0, 0.5);
        r.reward(1, -1.0);
        r.reward(0, 0.25); // row 0 waits here
        act(&mut r, 0, 3.0);
        r.end(0, Follow::Terminated);
        r.reward(0, 7.0); // after the end
        act(&mut r, 0, 4.0);
        r.end(0, Follow::Cut(0.5));
        r.end(1, Follow::Unknown);
        assert_eq!(r.reward, [0.75, -1.0, 0.0, 0.0]);
        assert_eq!(
            r.follow,
            [Follow::Next(2), Follow::Unknown, Follow::Terminated, Follow::Cut(0.5)]
        );
        assert_eq!(r.chain, [2, NONE, 3, NONE]);
        let sequences: Vec<_> = r.sequences.iter().map(|s| (s.first, s.length)).collect();
        assert_eq!(sequences, [(0, 2), (1, 1), (3, 1)]);
        assert_eq!(r.actor_state, [1.0, 2.0, 4.0]);
    }
}
