//! Who plays an episode: the learner's team, and whom it meets.

use std::collections::BTreeMap;
use std::sync::Arc;

use lanista_game::{Control, Spec, seed};
use lanista_league::shares::draws;
use lanista_league::{Drawn, Opponent, OpponentStyle, Shares, draw};
use serde::{Deserialize, Serialize};

use crate::player::{Player, Roster};

/// Agents that play and do not learn.
#[derive(Clone, Debug, Default)]
pub struct Guests {
    /// By number. Whoever sits in a running match is among them.
    pub policies: BTreeMap<u64, Arc<Roster>>,
    /// `[sides]`: the pool of each side, with the probability of meeting each of it.
    pub past: Vec<Vec<Drawn>>,
}

impl Guests {
    /// How likely this player is when the pool is met; 1 for those who are not of it.
    pub fn probability(&self, player: Player) -> f64 {
        let mut all = self.past.iter().flatten();
        let found = all.find(|drawn| player == Player::Frozen(drawn.id));
        found.map_or(1.0, |drawn| drawn.probability)
    }

    /// Are there any past policies?
    pub fn has_past(&self) -> bool {
        self.past.iter().any(|pool| !pool.is_empty())
    }

    /// One of the pool of a side. Before there is a past, the present stands in for it.
    fn past(&self, side: usize, uniform: f64) -> Player {
        let pool = self.past.get(side).map_or(&[][..], Vec::as_slice);
        draw(pool, uniform).map_or(Player::Learner, |drawn| Player::Frozen(drawn.id))
    }
}

/// How guests play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GuestRules {
    /// Whether they are late, and whether they take the most likely action.
    pub style: OpponentStyle,
    /// Share of matches in which the learner has one seat and guests are its mates.
    pub mates: f64,
}

/// Who takes the seats of the other teams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Deal {
    /// Always the same.
    Always(Player),
    /// By shares of matches.
    Shared {
        /// The shares.
        shares: Shares,
        /// Who is meant by all that are not of the pool. The learner plays who is missing.
        known: BTreeMap<Opponent, Player>,
    },
}

/// How many past policies the matches of a shard draw their opponents from at a time: its hand. Each
/// card of it is drawn from the whole pool, so every policy is met as often as its probability says;
/// but a shard that meets two at a time infers many rows with each, and reads few weights. (With a
/// draw for every match, the weights of a pool of twenty push everything else out of the caches.)
const HAND: u64 = 2;
/// Iterations for which a hand is held.
const HELD: u64 = 8;

/// The hand of a shard at an iteration.
pub(crate) fn hand(seed: u64, first_match: usize, iteration: u64) -> u64 {
    seed::mix(seed::mix(seed, first_match as u64), iteration / HELD)
}

/// Who sits where, drawn anew for each episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Seating {
    /// The seed of the run, or of the evaluation.
    pub seed: u64,
    /// Who is met.
    pub deal: Deal,
    /// How guests play.
    pub guest_rules: GuestRules,
    /// Do teams take turns exactly, match by match, instead of at random?
    pub turns: bool,
    /// Matches played side by side; with the episode, this numbers all matches.
    pub slots: usize,
    /// The stage of the curriculum.
    pub stage: usize,
    /// Who plays the roles that the learner does not.
    pub cast: Cast,
}

/// Who plays which role.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cast {
    /// `[roles]`: who plays a role that the learner does not play; `None` where it does. Empty stands
    /// for a learner that plays all of them.
    pub others: Vec<Option<Player>>,
}

impl Cast {
    fn other(&self, role: usize) -> Option<Player> {
        self.others.get(role).copied().flatten()
    }

    /// Does the learner play this role?
    pub fn is_learnt(&self, role: usize) -> bool {
        self.other(role).is_none()
    }

    /// The teams that the learner may take.
    fn teams(&self, spec: &Spec) -> Vec<usize> {
        let plays =
            |team: &usize| spec.seats.iter().any(|s| s.team == *team && self.is_learnt(s.role));
        let teams: Vec<usize> = (0..spec.teams().max(1)).filter(plays).collect();
        if teams.is_empty() { vec![0] } else { teams }
    }

    /// Who really takes a seat that was dealt to somebody who may not be able to play its role.
    fn able(&self, player: Player, spec: &Spec, seat: usize, guests: &Guests) -> Player {
        let role = spec.seats[seat].role;
        let can = match player {
            Player::Learner => self.is_learnt(role),
            Player::Bot(_) => matches!(player.control(spec, seat), Control::Bot(_)),
            Player::Frozen(id) => {
                guests.policies.get(&id).is_none_or(|roster| roster.get(role).is_some())
            }
        };
        if can || spec.seats[seat].empty {
            return player;
        }
        self.other(role).unwrap_or(Player::Learner)
    }
}

impl Seating {
    /// Everybody meets this player.
    pub fn against(seed: u64, player: Player, slots: usize) -> Self {
        let deal = Deal::Always(player);
        let (guest_rules, cast) = (GuestRules::default(), Cast::default());
        Self { seed, deal, guest_rules, turns: true, slots, stage: 0, cast }
    }

    /// Draws who plays an episode; returns whom the learner meets. Those of the past are from a hand.
    pub(crate) fn seat(
        &self,
        episode_seed: u64,
        number: u64,
        hand: u64,
        spec: &Spec,
        guests: &Guests,
        players: &mut [Player],
    ) -> Player {
        // The learner takes each team in turn; alone at the table, it takes all seats.
        let teams = spec.teams().max(1);
        let turn = if self.turns { number } else { draws::team(episode_seed) };
        let own = self.cast.teams(spec);
        let team = own[turn as usize % own.len()];
        let side = |team: usize| if spec.roles.len() > 1 { spec.sides()[team] } else { 0 };
        let card = seed::mix(hand, draws::held(episode_seed) % HAND);
        let opponent = match &self.deal {
            Deal::Always(player) => *player,
            Deal::Shared { shares, known } => match shares.deal(episode_seed) {
                Opponent::Past => {
                    let other = (0..teams).find(|other| *other != team).unwrap_or(team);
                    guests.past(side(other), draws::snapshot(card))
                }
                other => known.get(other).copied().unwrap_or(Player::Learner),
            },
        };
        for (player, seat) in players.iter_mut().zip(&spec.seats) {
            *player = if teams == 1 || seat.team == team { Player::Learner } else { opponent };
        }
        if teams > 1 && draws::lone(episode_seed) < self.guest_rules.mates {
            let mate = guests.past(side(team), draws::mate(card));
            let own: Vec<usize> = (0..players.len())
                .filter(|&s| spec.seats[s].team == team && self.cast.is_learnt(spec.seats[s].role))
                .collect();
            let kept = own[draws::kept(episode_seed) as usize % own.len()];
            for seat in own.into_iter().filter(|&seat| seat != kept) {
                players[seat] = mate;
            }
        }
        if spec.roles.len() > 1 || !self.cast.others.is_empty() {
            for (seat, player) in players.iter_mut().enumerate() {
                *player = self.cast.able(*player, spec, seat, guests);
            }
        }
        if teams == 1 { Player::Learner } else { opponent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seating(deal: Deal) -> Seating {
        Seating { deal, turns: false, ..Seating::against(1, Player::Learner, 1) }
    }

    fn shared(shares: &str, known: &[(&str, Player)]) -> Deal {
        let known = known.iter().map(|(name, player)| (name.parse().unwrap(), *player));
        Deal::Shared { shares: serde_json::from_str(shares).unwrap(), known: known.collect() }
    }

    fn duel() -> Spec {
        lanista_classic::games()[4].spec(&serde_json::Value::Null).unwrap()
    }

    #[test]
    fn shares_are_kept_and_teams_take_turns() {
        let spec = duel();
        let seating = seating(shared(
            r#"{"bot:a": 0.75, "bot:b": 0}"#,
            &[("bot:a", Player::Bot(0)), ("bot:b", Player::Bot(1))],
        ));
        let mut players = [Player::Learner; 2];
        let (mut bots, mut first) = (0, 0);
        for episode in 0..4000 {
            let seed = seed::mix(5, episode);
            let opponent = seating.seat(seed, episode, 0, &spec, &Guests::default(), &mut players);
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
    fn a_role_that_is_given_away_is_not_the_learners_even_if_there_is_no_other() {
        let mut seating = Seating::against(3, Player::Learner, 1);
        seating.cast = Cast { others: vec![Some(Player::Bot(1))] };
        let mut players = [Player::Learner; 2];
        seating.seat(7, 0, 0, &duel(), &Guests::default(), &mut players);
        assert_eq!(players, [Player::Bot(1); 2]);
    }

    #[test]
    fn teams_take_turns_exactly_where_that_is_asked_for() {
        let (spec, seating) = (duel(), Seating::against(3, Player::Bot(0), 1));
        let mut players = [Player::Learner; 2];
        for number in 0..10 {
            seating.seat(seed::mix(1, number), number, 0, &spec, &Guests::default(), &mut players);
            assert_eq!(players[number as usize % 2], Player::Learner);
            assert_eq!(players[1 - number as usize % 2], Player::Bot(0));
        }
    }

    #[test]
    fn the_pool_is_met_by_its_probabilities() {
        let spec = duel();
        let seating = seating(shared(r#"{"past": 1}"#, &[]));
        let mut players = [Player::Learner; 2];
        let empty = seating.seat(7, 0, 0, &spec, &Guests::default(), &mut players);
        assert_eq!(empty, Player::Learner, "without a past it meets itself");
        let drawn = |id, probability| Drawn { id, probability };
        let guests =
            Guests { past: vec![vec![drawn(3, 0.25), drawn(9, 0.75)]], ..Guests::default() };
        let met = |episode| {
            let mut players = [Player::Learner; 2];
            let hand = hand(1, 0, episode * HELD);
            seating.seat(seed::mix(5, episode), episode, hand, &spec, &guests, &mut players)
        };
        let nines = (0..4000).filter(|&e| met(e) == Player::Frozen(9)).count();
        assert!((2850..3150).contains(&nines), "{nines}");
        // While a shard holds a hand, it meets no more than that.
        let past = vec![(0..20).map(|id| drawn(id, 0.05)).collect()];
        let guests = Guests { past, ..Guests::default() };
        let mut met = std::collections::BTreeSet::new();
        for episode in 0..200 {
            let (mut players, held) = ([Player::Learner; 2], hand(1, 24, episode % HELD));
            let seed = seed::mix(5, episode);
            match seating.seat(seed, episode, held, &spec, &guests, &mut players) {
                Player::Frozen(id) => met.insert(id),
                other => panic!("{other:?} is not of the pool"),
            };
        }
        assert!(met.len() as u64 <= HAND, "{met:?}");
    }

    #[test]
    fn a_share_of_matches_is_played_with_frozen_mates() {
        // Two a side; the pool has one policy, the other team is the learner.
        let mut spec = duel();
        spec.seats = vec![0, 0, 1, 1].into_iter().map(lanista_game::Seat::of).collect();
        let mut seating = seating(shared("{}", &[]));
        seating.guest_rules.mates = 0.25;
        let guests =
            Guests { past: vec![vec![Drawn { id: 4, probability: 1.0 }]], ..Guests::default() };
        let mut places = [0; 4];
        for episode in 0..4000 {
            let mut players = [Player::Learner; 4];
            seating.seat(seed::mix(9, episode), episode, 0, &spec, &guests, &mut players);
            let mates: Vec<usize> = (0..4).filter(|&s| players[s] == Player::Frozen(4)).collect();
            assert!(mates.len() <= 1, "the learner keeps a seat of its team: {players:?}");
            mates.into_iter().for_each(|seat| places[seat] += 1);
        }
        // A quarter of 4000 in all, the same for every seat: 250 with a deviation of 15.
        assert!(places.iter().all(|n| (190..310).contains(n)), "{places:?}");
    }
}
