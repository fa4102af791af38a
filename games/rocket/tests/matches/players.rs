//! Scripted players in a match: who is asked, how often, and what they remember, must not show.

use lanista_game::seed::{self, Rng};
use lanista_game::{Batch, Buffers, Control};
use lanista_rocket::bots::NAMES;
use lanista_rocket::games;
use rand::RngExt;
use serde_json::{Value, json};

/// A match behind the door that the program uses.
struct Match {
    batch: Box<dyn Batch>,
    seats: Vec<Control>,
    b: Buffers,
}

/// What happened in a match: the actions of every step, and a digest of what was seen and earned.
struct Played {
    actions: Vec<Vec<u32>>,
    digest: u64,
}

fn add(hash: &mut u64, bits: u32) {
    *hash = (*hash ^ u64::from(bits)).wrapping_mul(0x0000_0100_0000_01b3);
}

impl Match {
    fn new(settings: &Value, seats: &[Control]) -> Self {
        let batch = games()[0].build(settings, 1).unwrap();
        let b = Buffers::new(batch.spec(), 1);
        assert_eq!(seats.len(), batch.spec().seats.len());
        Self { batch, seats: seats.to_vec(), b }
    }

    fn start(&mut self, seed: u64) {
        self.batch.start(0, seed, &self.seats, &mut self.b).unwrap();
    }

    fn acting(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.seats.len()).filter(|&seat| self.b.acting[seat])
    }

    /// Random rows for seats that are driven from outside, and what the players choose for theirs.
    fn choose(&mut self, dice: &mut Rng) -> Vec<u32> {
        let (mut actions, acting) = (vec![0; self.seats.len()], self.acting().collect::<Vec<_>>());
        for seat in acting {
            if let Control::Bot(bot) = self.seats[seat] {
                self.batch.scripted(0, bot, seat, &mut actions[seat..=seat]).unwrap();
                continue;
            }
            let mask = &self.b.mask[seat * 90..(seat + 1) * 90];
            let legal: Vec<u32> = (0..90).filter(|&row| mask[row as usize]).collect();
            actions[seat] = legal[dice.random_range(0..legal.len())];
        }
        actions
    }

    fn show(&self, hash: &mut u64, step: usize) {
        let (b, features) = (&self.b, self.batch.spec().roles[0].features());
        for seat in self.acting() {
            let seen = &b.observation[seat * features..(seat + 1) * features];
            seen.iter().for_each(|v| add(hash, v.to_bits()));
            b.mask[seat * 90..(seat + 1) * 90].iter().for_each(|&m| add(hash, u32::from(m)));
        }
        if step > 0 {
            let earned = b.terms.iter().chain(&b.score).chain(&b.stats);
            earned.for_each(|v| add(hash, v.to_bits()));
            add(hash, b.end[0].map_or(0, |end| 1 + end as u32));
        }
    }

    fn play(&mut self, seed: u64) -> Played {
        let (mut dice, mut digest) = (seed::rng(seed ^ 0x6469_6365), 0xcbf2_9ce4_8422_2325);
        let mut played = Vec::new();
        self.start(seed);
        loop {
            self.show(&mut digest, played.len());
            if self.b.end[0].is_some() {
                return Played { actions: played, digest };
            }
            let actions = self.choose(&mut dice);
            self.batch.submit(&[0], &actions, &mut self.b).unwrap();
            played.push(actions);
        }
    }
}

const US: Control = Control::Outside;

fn bots<const N: usize>(names: [&str; N]) -> [Control; N] {
    names.map(|name| Control::Bot(NAMES.iter().position(|n| *n == name).unwrap()))
}

/// Digests of the code in which asking a player changed what it remembers.
///
/// Numbers of an engine in single precision, so they hold where they were taken.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn matches_are_what_they_were() {
    let all = bots(["rule", "chase", "random", "rule", "idle", "chase"]);
    let uneven = json!({"team_size": 2, "orange_size": 1, "max_team": 3, "limit_secs": 30,
                        "observation": "advanced"});
    let drawn = json!({"teams": {"1v1": 1, "2v1": 1, "3v3": 1}, "sticky": 0.2, "limit_secs": 30,
                       "hitbox": {"octane": 1, "plank": 1}});
    let whole = json!({"game": {"minutes": 1}, "team_size": 2, "action_delay": 2,
                       "start": {"kickoff": 1, "random": 1}});
    let alone = json!({"orange_size": 0, "limit_secs": 20, "shaping": "per_second"});
    let four = bots(["rule", "chase", "random", "rule"]);
    for (settings, seed, seats, steps, expected) in [
        (json!({}), 1, &bots(["rule", "chase"])[..], 1041, 0x51cb_6592_7d0f_f3cf),
        (json!({}), 2, &[US, bots(["random"])[0]], 225, 0x7075_464c_b19a_0520),
        (json!({}), 3, &[US, US], 225, 0xcdb2_aa88_947c_44e7),
        (json!({"team_size": 3, "limit_secs": 40}), 4, &all, 489, 0x1afb_cdd8_cb33_f7c3),
        (uneven, 5, &all, 450, 0xdc22_d17a_35be_fd5a),
        (drawn, 6, &all, 450, 0x7a3a_703f_cb05_2b9b),
        (whole, 7, &four, 901, 0x78f3_e83b_4f31_a860),
        (alone, 8, &[bots(["chase"])[0], Control::Nobody], 300, 0x3044_81d7_357e_3ec2),
    ] {
        let played = Match::new(&settings, seats).play(seed);
        assert_eq!(played.actions.len(), steps, "{settings}");
        assert_eq!(played.digest, expected, "{settings}: {:#018x}", played.digest);
    }
}

/// Resume rebuilds a match from its actions and then goes on asking.
#[test]
fn a_match_rebuilt_without_asking_meets_the_same_players() {
    let settings =
        json!({"team_size": 2, "game": {"minutes": 0.5}, "start": {"kickoff": 1, "random": 1}});
    let seats = bots(["rule", "chase", "random", "rule"]);
    for seed in 0..4 {
        let mut original = Match::new(&settings, &seats);
        let played = original.play(seed);
        for cut in [1, 7, 60, 200, played.actions.len() - 1] {
            let mut rebuilt = Match::new(&settings, &seats);
            rebuilt.start(seed);
            for actions in &played.actions[..cut] {
                rebuilt.batch.submit(&[0], actions, &mut rebuilt.b).unwrap();
            }
            for (step, expected) in played.actions.iter().enumerate().skip(cut) {
                // Asking about others, and more than once, changes nothing either.
                for seat in rebuilt.acting().collect::<Vec<_>>() {
                    for bot in (0..NAMES.len()).rev() {
                        rebuilt.batch.scripted(0, bot, seat, &mut [0]).unwrap();
                    }
                }
                let actions = rebuilt.choose(&mut seed::rng(0));
                assert_eq!(actions, *expected, "seed {seed}, cut {cut}, step {step}");
                rebuilt.batch.submit(&[0], &actions, &mut rebuilt.b).unwrap();
            }
            assert_eq!(rebuilt.b.score, original.b.score);
        }
    }
}

#[test]
fn a_seat_that_nobody_takes_has_no_car() {
    let mut table = Match::new(&json!({"team_size": 3}), &[US; 6]);
    for (empty, acting) in [
        (vec![1, 2, 3], [true, false, false, false, true, true]),
        (vec![0, 1, 2], [false, false, false, true, true, true]),
        (vec![], [true; 6]),
    ] {
        table.seats.fill(US);
        empty.iter().for_each(|&seat| table.seats[seat] = Control::Nobody);
        table.start(3);
        assert_eq!(table.b.acting, acting);
        let mut frame = String::new();
        table.batch.frame(0, &mut frame);
        let frame: Value = serde_json::from_str(&frame).unwrap();
        assert_eq!(frame["cars"].as_array().map(Vec::len), Some(6 - empty.len()), "{frame}");
        for _ in 0..20 {
            let actions = table.choose(&mut seed::rng(1));
            table.batch.submit(&[0], &actions, &mut table.b).unwrap();
            assert!(empty.iter().all(|&seat| !table.b.acting[seat]));
        }
    }
}
