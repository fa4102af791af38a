//! Who plays an episode: the learner's team, and whom it meets.

use lanista_game::{Spec, seed};

use crate::config::Player;

/// Sets these draws apart from those of the game and of the actions.
const SEATING_SALT: u64 = 0x7365_6174_696e_6721;

/// Who sits where, drawn anew for each episode.
#[derive(Clone, Debug)]
pub struct Seating {
    /// The seed of the run, or of the evaluation.
    pub seed: u64,
    /// Who takes the seats of the other teams, and in what share of matches.
    pub shares: Vec<(Player, f64)>,
}

impl Seating {
    /// Draws who plays an episode; returns whom the learner meets.
    pub(crate) fn seat(&self, episode_seed: u64, spec: &Spec, players: &mut [Player]) -> Player {
        let total: f64 = self.shares.iter().map(|s| s.1).sum();
        let bits = seed::mix(episode_seed ^ SEATING_SALT, 0);
        let mut left = f64::from(seed::uniform(bits)) * total;
        let mut opponent = Player::Learner;
        for &(player, share) in &self.shares {
            if share > 0.0 {
                opponent = player;
                left -= share;
                if left < 0.0 {
                    break;
                }
            }
        }
        // The learner takes each team in turn at random; alone at the table, it takes all seats.
        let teams = spec.teams().max(1);
        let team = seed::mix(episode_seed ^ SEATING_SALT, 1) as usize % teams;
        for (player, seat) in players.iter_mut().zip(&spec.seats) {
            *player = if teams == 1 || seat.team == team { Player::Learner } else { opponent };
        }
        if teams == 1 { Player::Learner } else { opponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_kept_and_teams_take_turns() {
        let spec = (lanista_classic::games()[4].build)(&serde_json::Value::Null, 1)
            .unwrap()
            .spec()
            .clone();
        let shares = vec![(Player::Learner, 1.0), (Player::Bot(0), 3.0), (Player::Bot(1), 0.0)];
        let seating = Seating { seed: 1, shares };
        let mut players = [Player::Learner; 2];
        let (mut bots, mut first) = (0, 0);
        for episode in 0..4000 {
            let opponent = seating.seat(seed::mix(5, episode), &spec, &mut players);
            assert_ne!(opponent, Player::Bot(1), "a share of zero never plays");
            if opponent == Player::Bot(0) {
                bots += 1;
                first += u32::from(players[0] == Player::Learner);
                assert_eq!(players.iter().filter(|p| **p == Player::Learner).count(), 1);
            } else {
                assert_eq!(players, [Player::Learner; 2]);
            }
        }
        // Three quarters of 4000 with a deviation of 27; half of those with one of 27.
        assert!((2850..3150).contains(&bots), "{bots}");
        assert!((first as f64 / bots as f64 - 0.5).abs() < 0.05, "{first} of {bots}");
    }
}
