//! What a step brought: rewards are handed out, what ended is ended and starts anew.

use lanista_game::{End, Fault};
use lanista_learn::Follow;

use super::faults::name_the_bad_term;
use super::{MatchFault, Purpose, Recorded, Shard};
use crate::finished::{Earned, Finished};
use crate::player::{Player, Policies};

impl Shard {
    /// Hands out rewards, ends what ended, and starts it anew.
    pub(crate) fn settle(
        &mut self,
        policies: Policies,
        purpose: &Purpose,
    ) -> Result<(), MatchFault> {
        let layout = self.buffers.layout();
        let (seats, terms) = (layout.seats(), layout.terms);
        let mut truncated = false;
        self.ended.clear();
        for m in 0..self.matches.len() {
            // A match that is being started, or was lost, has nothing to settle.
            if !self.waiting.take_stepped(m) {
                continue;
            }
            if self.buffers.end[m].is_some() && self.is_kept(m) {
                let kept = Recorded::of(self, m);
                self.kept.push(kept);
            }
            self.add_terms(m);
            self.own_rewards.clear();
            for row in m * seats..(m + 1) * seats {
                let earned = &self.buffers.terms[row * terms..(row + 1) * terms];
                let role = self.buffers.layout().role_of(row - m * seats);
                let reward: f32 = match purpose {
                    Purpose::Learn { weights, .. } => {
                        earned.iter().zip(&weights[role]).map(|(t, w)| t * w).sum()
                    }
                    Purpose::Evaluate { .. } => earned.iter().sum(),
                };
                if !reward.is_finite() {
                    let message = name_the_bad_term(self.batch.spec(), row - m * seats, earned);
                    return Err(self.locate(Fault { match_index: m, message }));
                }
                self.own_rewards.push(reward);
            }
            for seat in 0..seats {
                let reward = if self.sharing.is_off() {
                    self.own_rewards[seat]
                } else {
                    let (places, present) = (&self.batch.spec().seats, &self.matches[m].present);
                    self.sharing.reward(seat, &self.own_rewards, places, present)
                };
                let role = self.buffers.layout().role_of(seat);
                self.roles[role].rollout.reward(m * seats + seat, reward);
            }
            match self.buffers.end[m] {
                Some(End::Terminated) => self.end_rows(m, Follow::Terminated),
                Some(End::Truncated) => truncated = true,
                None => continue,
            }
            self.ended.push(m);
        }
        if truncated {
            self.value_truncated(policies)?;
        }
        for i in 0..self.ended.len() {
            let m = self.ended[i];
            if let Some(end) = self.buffers.end[m] {
                self.finish(m, end);
                self.start(m, self.matches[m].episode + 1)?;
            }
        }
        Ok(())
    }

    /// Ends what is open of a match.
    pub(super) fn end_rows(&mut self, m: usize, follow: Follow) {
        let seats = self.layout().seats();
        for role in &mut self.roles {
            (m * seats..(m + 1) * seats).for_each(|row| role.rollout.end(row, follow));
        }
    }

    /// What was cut off is worth the value of where it stood.
    fn value_truncated(&mut self, policies: Policies) -> Result<(), MatchFault> {
        let seats = self.layout().seats();
        for role in 0..self.roles.len() {
            let Some(policy) = policies.get(role).copied().flatten() else { continue };
            let mut rows = std::mem::take(&mut self.roles[role].inference.rows);
            rows.clear();
            for &m in &self.ended {
                if self.buffers.end[m] == Some(End::Truncated) {
                    let rollout = &self.roles[role].rollout;
                    rows.extend((m * seats..(m + 1) * seats).filter(|&r| rollout.is_open(r)));
                }
            }
            if !rows.is_empty() {
                self.load_rows(role, policy, &rows)?;
                let super::Learnt { inference, rollout, .. } = &mut self.roles[role];
                inference.value(policy);
                for (i, &row) in rows.iter().enumerate() {
                    rollout.end(row, Follow::Cut(inference.scratch.values[i]));
                }
            }
            self.roles[role].inference.rows = rows;
        }
        Ok(())
    }

    pub(super) fn add_terms(&mut self, m: usize) {
        let sums = &mut self.matches[m].terms;
        let n = sums.len();
        sums.iter_mut().zip(&self.buffers.terms[m * n..(m + 1) * n]).for_each(|(s, t)| *s += t);
    }

    fn finish(&mut self, m: usize, end: End) {
        let spec = self.batch.spec();
        let (terms, teams, stats) = (spec.terms.len(), spec.teams(), spec.stat_values());
        let state = &self.matches[m];
        let mut earned: Vec<Earned> = Vec::new();
        let mut seated: Vec<f32> = Vec::new();
        for (seat, player) in state.players.iter().enumerate() {
            if *player != Player::Learner {
                continue;
            }
            let place = spec.seats[seat];
            let sums = &state.terms[seat * terms..(seat + 1) * terms];
            match earned.iter().position(|e| e.role == place.role) {
                // In self-play the first team of a role stands for the learner: all are it.
                Some(i) if earned[i].team == place.team => {
                    earned[i].terms.iter_mut().zip(sums).for_each(|(s, t)| *s += t);
                    seated[i] += 1.0;
                }
                Some(_) => {}
                None => {
                    let (role, team) = (place.role, place.team);
                    let sums = sums.iter().map(|t| 0.0 + t).collect();
                    earned.push(Earned { role, team, terms: sums });
                    seated.push(1.0);
                }
            }
        }
        if earned.is_empty() {
            earned.push(Earned { role: 0, team: 0, terms: vec![0.0; terms] });
            seated.push(1.0);
        }
        for (earned, seats) in earned.iter_mut().zip(seated) {
            earned.terms.iter_mut().for_each(|t| *t /= seats);
        }
        let team = earned[0].team;
        self.finished.push(Finished {
            match_index: self.first_match + m,
            episode: state.episode,
            steps: state.step,
            end,
            opponent: state.opponent,
            probability: state.probability,
            stage: state.stage,
            team: if state.opponent == Player::Learner { None } else { Some(team) },
            earned,
            score: self.buffers.score[m * teams..(m + 1) * teams].to_vec(),
            stats: spec.stats_of(team, &self.buffers.stats[m * stats..(m + 1) * stats]),
        });
    }
}
