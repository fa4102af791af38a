//! Who plays an episode: the learner's team, and whom it meets.

use std::collections::BTreeMap;
use std::sync::Arc;

use lanista_game::{Spec, seed};
use lanista_league::Conduct;
use lanista_learn::Policy;

use crate::config::Player;

/// Sets these draws apart from those of the game and of the actions.
const SEATING_SALT: u64 = 0x7365_6174_696e_6721;

/// Whom a share of matches is against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guest {
    /// Always the same.
    Known(Player),
    /// One of the pool of past policies.
    Past,
}

/// Policies that play and do not learn.
#[derive(Clone, Debug, Default)]
pub struct Guests {
    /// By number. Whoever sits in a running match is among them.
    pub policies: BTreeMap<u64, Arc<Policy>>,
    /// The pool, with the probability of meeting each.
    pub past: Vec<(u64, f64)>,
}

impl Guests {
    /// How likely this player is when the pool is met; 1 for those who are not of it.
    pub fn probability(&self, player: Player) -> f64 {
        let found = self.past.iter().find(|(id, _)| player == Player::Frozen(*id));
        found.map_or(1.0, |(_, probability)| *probability)
    }
}

/// How guests play.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manners {
    /// Whether they are late, and whether they take the most likely action.
    pub conduct: Conduct,
    /// Share of matches in which the learner has one seat and guests are its mates.
    pub mates: f64,
}

/// Who sits where, drawn anew for each episode.
#[derive(Clone, Debug)]
pub struct Seating {
    /// The seed of the run, or of the evaluation.
    pub seed: u64,
    /// Who takes the seats of the other teams, and in what share of matches.
    pub shares: Vec<(Guest, f64)>,
    /// How guests play.
    pub manners: Manners,
    /// Do teams take turns exactly, match by match, instead of at random?
    pub turns: bool,
    /// Matches played side by side; with the episode, this numbers all matches.
    pub slots: usize,
    /// The stage of the curriculum.
    pub stage: usize,
}

impl Seating {
    /// Everybody meets this player.
    pub fn against(seed: u64, player: Player, slots: usize) -> Self {
        let shares = vec![(Guest::Known(player), 1.0)];
        Self { seed, shares, manners: Manners::default(), turns: true, slots, stage: 0 }
    }

    /// Draws who plays an episode; returns whom the learner meets.
    pub(crate) fn seat(
        &self,
        episode_seed: u64,
        number: u64,
        spec: &Spec,
        guests: &Guests,
        players: &mut [Player],
    ) -> Player {
        let draw = |n: u64| f64::from(seed::uniform(seed::mix(episode_seed ^ SEATING_SALT, n)));
        let guest = pick(&self.shares, draw(0)).unwrap_or(Guest::Known(Player::Learner));
        // Before there is a past, the present stands in for it.
        let past = |n: u64| pick(&guests.past, draw(n)).map_or(Player::Learner, Player::Frozen);
        let opponent = match guest {
            Guest::Known(player) => player,
            Guest::Past => past(2),
        };
        let mate = past(3);
        // The learner takes each team in turn; alone at the table, it takes all seats.
        let teams = spec.teams().max(1);
        let turn = if self.turns { number } else { seed::mix(episode_seed ^ SEATING_SALT, 1) };
        let team = turn as usize % teams;
        for (player, seat) in players.iter_mut().zip(&spec.seats) {
            *player = if teams == 1 || seat.team == team { Player::Learner } else { opponent };
        }
        let lone = seed::uniform(seed::mix(episode_seed ^ SEATING_SALT, 4));
        if teams > 1 && f64::from(lone) < self.manners.mates {
            let own: Vec<usize> =
                (0..players.len()).filter(|&s| spec.seats[s].team == team).collect();
            let kept = own[seed::mix(episode_seed ^ SEATING_SALT, 5) as usize % own.len()];
            for seat in own.into_iter().filter(|&seat| seat != kept) {
                players[seat] = mate;
            }
        }
        if teams == 1 { Player::Learner } else { opponent }
    }
}

/// Picks by weight; nothing where all weights are zero.
fn pick<T: Copy>(weights: &[(T, f64)], uniform: f64) -> Option<T> {
    let total: f64 = weights.iter().map(|w| w.1).sum();
    let mut left = uniform * total;
    let mut picked = None;
    for &(item, weight) in weights {
        if weight > 0.0 {
            picked = Some(item);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
    }
    picked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn duel() -> Spec {
        (lanista_classic::games()[4].build)(&serde_json::Value::Null, 1).unwrap().spec().clone()
    }

    #[test]
    fn shares_are_kept_and_teams_take_turns() {
        let spec = duel();
        let known = |player, share| (Guest::Known(player), share);
        let shares = vec![
            known(Player::Learner, 1.0),
            known(Player::Bot(0), 3.0),
            known(Player::Bot(1), 0.0),
        ];
        let seating = Seating {
            seed: 1,
            shares,
            manners: Manners::default(),
            turns: false,
            slots: 1,
            stage: 0,
        };
        let mut players = [Player::Learner; 2];
        let (mut bots, mut first) = (0, 0);
        for episode in 0..4000 {
            let seed = seed::mix(5, episode);
            let opponent = seating.seat(seed, episode, &spec, &Guests::default(), &mut players);
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

    #[test]
    fn teams_take_turns_exactly_where_that_is_asked_for() {
        let (spec, seating) = (duel(), Seating::against(3, Player::Bot(0), 1));
        let mut players = [Player::Learner; 2];
        for number in 0..10 {
            seating.seat(seed::mix(1, number), number, &spec, &Guests::default(), &mut players);
            assert_eq!(players[number as usize % 2], Player::Learner);
            assert_eq!(players[1 - number as usize % 2], Player::Bot(0));
        }
    }

    #[test]
    fn the_pool_is_met_by_its_probabilities() {
        let spec = duel();
        let shares = vec![(Guest::Past, 1.0)];
        let seating = Seating {
            seed: 1,
            shares,
            manners: Manners::default(),
            turns: false,
            slots: 1,
            stage: 0,
        };
        let mut players = [Player::Learner; 2];
        let empty = seating.seat(7, 0, &spec, &Guests::default(), &mut players);
        assert_eq!(empty, Player::Learner, "without a past it meets itself");
        let guests = Guests { past: vec![(3, 0.25), (9, 0.75)], ..Guests::default() };
        let met = |episode| {
            let mut players = [Player::Learner; 2];
            seating.seat(seed::mix(5, episode), episode, &spec, &guests, &mut players)
        };
        let nines = (0..4000).filter(|&e| met(e) == Player::Frozen(9)).count();
        assert!((2850..3150).contains(&nines), "{nines}");
    }
}
