//! Matches that are put back to where they were.

use lanista_game::Fault;
use lanista_game::recording::unplayable;

use super::{MatchFault, Shard};
use crate::player::Player;

impl Shard {
    /// Rebuilds match `m` from its episode and the joint actions played in it so far. Players and
    /// opponent, if given, sit as they sat: the pool they were drawn from has moved on.
    pub fn rebuild(
        &mut self,
        m: usize,
        episode: u64,
        seated: Option<(&[Player], Player)>,
        log: &[u32],
    ) -> Result<(), MatchFault> {
        self.start(m, episode)?;
        if let Some(message) = unplayable(self.batch.spec(), log) {
            return Err(self.locate(Fault { match_index: m, message }));
        }
        if let Some((players, opponent)) = seated {
            let state = &mut self.matches[m];
            state.opponent = opponent;
            if state.players != players {
                state.players.copy_from_slice(players);
                self.open(m)?;
            }
        }
        self.await_all()?;
        let seats = self.layout().seats();
        let width = seats * self.layout().heads;
        for joint in log.chunks_exact(width) {
            let state = &mut self.matches[m];
            for seat in 0..seats {
                let acting = self.buffers.acting[m * seats + seat];
                if acting && state.players[seat] == Player::Learner {
                    state.fresh[seat] = false;
                }
            }
            self.actions[m * width..(m + 1) * width].copy_from_slice(joint);
            state.played.actions.push(joint);
            self.step_batch(&[m])?;
            self.await_all()?;
            if self.matches[m].episode != episode {
                let message = "it was lost while it was rebuilt".into();
                return Err(self.locate(Fault { match_index: m, message }));
            }
            self.waiting.take_stepped(m);
            self.add_terms(m);
            if self.buffers.end[m].is_some() {
                let message = "the recorded actions end the match: the game is not deterministic \
                               in its seed and actions, or its settings have changed"
                    .into();
                return Err(self.locate(Fault { match_index: m, message }));
            }
        }
        Ok(())
    }

    /// Starts every match anew from its present episode, dealt from whoever may be met now.
    pub fn restart_all(&mut self) -> Result<(), MatchFault> {
        (0..self.matches.len()).try_for_each(|m| self.start(m, self.matches[m].episode))?;
        self.await_all()
    }

    /// Starts matches anew in which a policy sits that is no longer there.
    pub fn restart_orphans(&mut self) -> Result<(), MatchFault> {
        for m in 0..self.matches.len() {
            let state = &self.matches[m];
            let known = |player: &Player| match player {
                Player::Frozen(id) => self.guests.policies.contains_key(id),
                _ => true,
            };
            if !state.players.iter().all(known) {
                self.start(m, state.episode + 1)?;
            }
        }
        self.await_all()
    }
}

#[cfg(test)]
mod tests {
    use lanista_learn::{Policy, PolicyConfig, Shape};

    use super::*;
    use crate::seating::Seating;

    fn duels() -> Shard {
        let batch = lanista_classic::games()[4].build(&serde_json::Value::Null, 2).unwrap();
        let policy = Policy::new(Shape::of(&batch.spec().roles[0]), &PolicyConfig::default(), 1);
        Shard::new(0, batch, &[Some(&policy)], Seating::against(1, Player::Learner, 2))
    }

    #[test]
    fn actions_that_nobody_can_have_chosen_are_refused() {
        let mut shard = duels();
        shard.rebuild(0, 3, None, &[0, 1, 2, 0]).unwrap();
        for (log, part) in [
            (&[0, 0, 0, 7][..], "the recorded choice 7 is none of `move`"),
            (&[0, u32::MAX], "none of `move`"),
            (&[0, 0, 0], "no whole steps"),
        ] {
            let error = shard.rebuild(0, 3, None, log).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("match 0, episode 3"), "{error}");
        }
    }

    #[test]
    fn an_episode_beyond_all_numbers_is_refused() {
        for episode in [u64::MAX, u64::MAX / 2] {
            let error = duels().rebuild(1, episode, None, &[]).unwrap_err().to_string();
            assert!(error.contains("no match has"), "{error}");
        }
    }
}
