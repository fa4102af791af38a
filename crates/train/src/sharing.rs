//! Rewards between seats: team spirit, and games that are made zero-sum.
//!
//! A game states what each seat did, and weights make a reward of it. Here a seat may also be paid for
//! what its mates did, and pay for what its opponents did. Whoever has no seat in a match neither gives
//! nor takes.

use lanista_game::Seat;
use lanista_learn::Schedule;
use serde::{Deserialize, Serialize};

/// How rewards are shared in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SharingConfig {
    /// The share of a seat's reward that is its team's mean: 0 for its own alone, 1 for the team's
    /// alone.
    pub team_spirit: Schedule,
    /// Is the mean reward of all opponents taken off?
    pub zero_sum: bool,
}

impl Default for SharingConfig {
    fn default() -> Self {
        Self { team_spirit: 0.0.into(), zero_sum: false }
    }
}

impl SharingConfig {
    /// How rewards are shared when so much of the run is done.
    pub fn at(&self, progress: f64) -> Sharing {
        Sharing { team_spirit: self.team_spirit.at(progress) as f32, zero_sum: self.zero_sum }
    }

    /// The key at fault and what is wrong with it, if anything is. `teams` is how many the game has.
    pub fn fault(&self, teams: usize) -> Option<(&'static str, String)> {
        if let Some(fault) = self.team_spirit.fault() {
            return Some(("team_spirit", fault));
        }
        (self.zero_sum && teams < 2).then(|| {
            ("zero_sum", "the game has one team: nobody's reward could be taken off".into())
        })
    }
}

/// How rewards are shared at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sharing {
    /// The share of a seat's reward that is its team's mean.
    pub team_spirit: f32,
    /// Is the mean reward of all opponents taken off?
    pub zero_sum: bool,
}

impl Sharing {
    /// Does every seat keep exactly its own?
    pub fn is_off(&self) -> bool {
        self.team_spirit == 0.0 && !self.zero_sum
    }

    /// What a seat is paid, given everybody's own rewards `[seats]` and who has a seat in this match.
    /// `(1 − τ) r + τ mean(team) [− mean(opponents)]`
    pub fn reward(&self, seat: usize, own: &[f32], seats: &[Seat], present: &[bool]) -> f32 {
        if !present[seat] {
            return own[seat];
        }
        let mean = |mates: bool| {
            let chosen = (0..seats.len())
                .filter(|&s| present[s] && (seats[s].team == seats[seat].team) == mates);
            let (sum, count) = chosen.fold((0.0, 0.0), |(sum, n), s| (sum + own[s], n + 1.0f32));
            sum / count.max(1.0)
        };
        let mut reward = own[seat];
        if self.team_spirit > 0.0 {
            reward = (1.0 - self.team_spirit) * reward + self.team_spirit * mean(true);
        }
        if self.zero_sum {
            reward -= mean(false);
        }
        reward
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seats(teams: &[usize]) -> Vec<Seat> {
        teams.iter().map(|&team| Seat::of(team)).collect()
    }

    fn all(sharing: Sharing, own: &[f32], seats: &[Seat], present: &[bool]) -> Vec<f32> {
        (0..own.len()).map(|seat| sharing.reward(seat, own, seats, present)).collect()
    }

    #[test]
    fn mates_share_and_opponents_pay() {
        let (seats, present) = (seats(&[0, 0, 1, 1]), [true; 4]);
        let own = [4.0, 0.0, 1.0, 1.0];
        let spirit = Sharing { team_spirit: 0.5, zero_sum: false };
        assert_eq!(all(spirit, &own, &seats, &present), [3.0, 1.0, 1.0, 1.0]);
        let zero_sum = Sharing { team_spirit: 0.5, zero_sum: true };
        assert_eq!(all(zero_sum, &own, &seats, &present), [2.0, 0.0, -1.0, -1.0]);
    }

    #[test]
    fn empty_seats_neither_give_nor_take() {
        let (seats, present) = (seats(&[0, 0, 1, 1]), [true, false, true, false]);
        let sharing = Sharing { team_spirit: 1.0, zero_sum: true };
        assert_eq!(all(sharing, &[3.0, 0.0, 1.0, 0.0], &seats, &present), [2.0, 0.0, -2.0, 0.0]);
        // A team of its own: no mates to share with, no opponents to pay.
        let alone = [true, false, false, false];
        assert_eq!(all(sharing, &[3.0, 0.0, 0.0, 0.0], &seats, &alone), [3.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn schedules_and_ranges() {
        let read = |text: serde_json::Value| serde_json::from_value::<SharingConfig>(text).unwrap();
        let growing = read(serde_json::json!({"team_spirit": {"linear": {"from": 0.2, "to": 1}}}));
        assert_eq!(growing.at(0.5), Sharing { team_spirit: 0.6, zero_sum: false });
        assert_eq!(growing.fault(2), None);
        assert!(SharingConfig::default().at(0.3).is_off());
        let zero_sum = read(serde_json::json!({"zero_sum": true}));
        assert_eq!((zero_sum.fault(2), zero_sum.fault(1).unwrap().0), (None, "zero_sum"));
    }

    fn any_match() -> impl Strategy<Value = (Vec<f32>, Vec<Seat>, Vec<bool>)> {
        proptest::collection::vec((-10.0f32..10.0, 0usize..3, any::<bool>()), 1..8).prop_map(
            |all| {
                let teams: Vec<usize> = all.iter().map(|s| s.1).collect();
                (
                    all.iter().map(|s| s.0).collect(),
                    seats(&teams),
                    all.iter().map(|s| s.2).collect(),
                )
            },
        )
    }

    proptest! {
        #[test]
        fn off_leaves_the_bits((own, seats, present) in any_match()) {
            let shared = all(Sharing::default(), &own, &seats, &present);
            let bits = |v: &[f32]| v.iter().map(|r| r.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&shared), bits(&own));
        }

        #[test]
        fn full_spirit_makes_mates_equal((own, seats, present) in any_match(), zero_sum: bool) {
            let shared = all(Sharing { team_spirit: 1.0, zero_sum }, &own, &seats, &present);
            for (a, b) in (0..own.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
                if present[a] && present[b] && seats[a].team == seats[b].team {
                    prop_assert!((shared[a] - shared[b]).abs() < 1e-4);
                }
            }
        }

        #[test]
        fn spirit_keeps_what_a_team_earns((own, seats, present) in any_match(), spirit in 0.0f32..1.0) {
            let sharing = Sharing { team_spirit: spirit, zero_sum: false };
            let shared = all(sharing, &own, &seats, &present);
            let sum = |rewards: &[f32]| rewards.iter().sum::<f32>();
            prop_assert!((sum(&own) - sum(&shared)).abs() < 1e-3);
        }

        #[test]
        fn equal_teams_sum_to_zero(
            blue in proptest::collection::vec(-10.0f32..10.0, 3),
            orange in proptest::collection::vec(-10.0f32..10.0, 3),
            playing in 1usize..4,
            spirit in 0.0f32..1.0,
        ) {
            let own = [blue, orange].concat();
            let seats = seats(&[0, 0, 0, 1, 1, 1]);
            let present: Vec<bool> = (0..6).map(|s| s % 3 < playing).collect();
            let shared = all(Sharing { team_spirit: spirit, zero_sum: true }, &own, &seats, &present);
            let sum: f32 = (0..6).filter(|&s| present[s]).map(|s| shared[s]).sum();
            prop_assert!(sum.abs() < 1e-3, "{}", sum);
        }
    }
}
