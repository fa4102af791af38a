use lanista_game::seed;
use proptest::prelude::*;

use super::*;
use crate::expected_score;
use crate::rating::MatchResult::{Draw, Loss, Win};

fn tally(won: u64, drawn: u64, lost: u64) -> Tally {
    Tally { won, drawn, lost }
}

fn of(estimates: &[Estimate], name: &str) -> Interval {
    estimates.iter().find(|e| e.name == name).unwrap().rating.unwrap()
}

/// A pool with known ratings whose players all met so often, with so large a share of draws among
/// equals. Player `p00` is the anchor.
fn pool(seed: u64, ratings: &[f64], meetings: u64, drawn: f64) -> PairResults {
    let mut results = PairResults::default();
    let mut counter = 0;
    for a in 0..ratings.len() {
        for b in a + 1..ratings.len() {
            let expected = expected_score(ratings[a], ratings[b]);
            let draw = drawn * 2.0 * expected.min(1.0 - expected);
            for _ in 0..meetings {
                let u = f64::from(seed::uniform(seed::mix(seed, counter)));
                counter += 1;
                let result = match u {
                    u if u < draw => Draw,
                    u if u < draw / 2.0 + expected => Win,
                    _ => Loss,
                };
                results.record(&format!("p{a:02}"), &format!("p{b:02}"), result);
            }
        }
    }
    results
}

/// How many true ratings of how many lie inside their intervals, over many pools.
fn coverage(pools: u64, meetings: u64, drawn: f64) -> f64 {
    let (mut inside, mut all) = (0, 0);
    for run in 0..pools {
        let run = seed::mix(11, run);
        let players = 8 + run as usize % 13;
        let strength =
            |i: u64| 1500.0 + 700.0 * (f64::from(seed::uniform(seed::mix(run, i))) - 0.5);
        let truth: Vec<f64> = (0..players as u64).map(strength).collect();
        let estimates = estimate(&pool(!run, &truth, meetings, drawn), "p00", truth[0]);
        assert_eq!(estimates.len(), players);
        for (i, truth) in truth.iter().enumerate().skip(1) {
            let found = of(&estimates, &format!("p{i:02}"));
            assert!(found.low < found.elo && found.elo < found.high);
            inside += u32::from((found.low..=found.high).contains(truth));
            all += 1;
        }
    }
    f64::from(inside) / f64::from(all)
}

#[test]
fn intervals_hold_the_truth() {
    // About 1300 ratings. Those of a pool share the anchor's luck, so the share of a pool varies.
    let many = coverage(100, 30, 0.0);
    assert!((0.92..=0.98).contains(&many), "{many}");
    let few = coverage(100, 3, 0.0);
    assert!((0.92..=0.99).contains(&few), "{few}");
    let drawish = coverage(100, 30, 0.6);
    assert!(drawish > 0.97, "{drawish}");
}

#[test]
fn the_order_is_found() {
    for run in 0..20 {
        let players = 8 + run as usize % 13;
        // Each 80 points above the next, in an order that has nothing to do with names.
        let rank = |i: usize| (i * 23 + run as usize) % players;
        let truth: Vec<f64> = (0..players).map(|i| 1000.0 + 80.0 * rank(i) as f64).collect();
        let estimates = estimate(&pool(run, &truth, 300, 0.2), "p00", truth[0]);
        let found: Vec<f64> =
            estimates.iter().map(|e| truth[e.name[1..].parse::<usize>().unwrap()]).collect();
        assert!(found.is_sorted_by(|a, b| a > b), "{found:?}");
    }
}

#[test]
fn two_players_by_hand() {
    let mut results = PairResults::default();
    results.add("me", "rule", tally(15, 0, 5));
    let estimates = estimate(&results, "rule", 1200.0);
    assert_eq!(estimates[0].name, "me");
    assert_eq!((estimates[0].games, estimates[1].games), (20, 20));
    assert_eq!(of(&estimates, "rule"), Interval { elo: 1200.0, low: 1200.0, high: 1200.0 });
    // With the one draw of the prior 15.5 to 5.5; the information is 21 p (1 - p).
    let elo = 400.0 * (15.5f64 / 5.5).log10();
    let p: f64 = 15.5 / 21.0;
    let half = 1.959964 * (400.0 / 10f64.ln()) / (21.0 * p * (1.0 - p)).sqrt();
    let me = of(&estimates, "me");
    assert!((me.elo - 1200.0 - elo).abs() < 1e-6, "{me:?}");
    assert!((me.high - me.elo - half).abs() < 1e-3 && (me.elo - me.low - half).abs() < 1e-3);
    let alone = difference(15, 0, 5);
    assert!((alone.elo - elo).abs() < 1e-9, "{alone:?}");
}

#[test]
fn a_chain_adds_up_and_grows_less_sure() {
    let mut results = PairResults::default();
    for (a, b) in [("b", "a"), ("c", "b"), ("d", "c")] {
        results.add(a, b, tally(30, 10, 10));
    }
    let found = estimate(&results, "a", 0.0);
    // A chain has no loops, so each link is the ratio of its own points and prior. In the middle
    // both bring half a draw; at the ends one brings a whole draw, the other a half.
    let link = |prior: f64| 400.0 * ((35.0 + prior / 2.0) / (15.0 + prior / 2.0)).log10();
    let (b, c, d) = (of(&found, "b"), of(&found, "c"), of(&found, "d"));
    assert!((b.elo - link(0.75)).abs() < 1e-6, "{b:?}");
    assert!((c.elo - b.elo - link(0.5)).abs() < 1e-6, "{c:?}");
    assert!((d.elo - c.elo - link(0.75)).abs() < 1e-6, "{d:?}");
    let width = |i: Interval| i.high - i.low;
    assert!(width(b) < width(c) && width(c) < width(d));
    // Moving the anchor moves everybody and changes nothing else.
    let moved = of(&estimate(&results, "a", 1500.0), "d");
    assert!((moved.elo - d.elo - 1500.0).abs() < 1e-9);
}

#[test]
fn a_balanced_cycle_is_level() {
    let mut results = PairResults::default();
    for (a, b) in [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")] {
        results.add(a, b, tally(100, 0, 0));
    }
    for e in estimate(&results, "rock", 1500.0) {
        assert!((e.rating.unwrap().elo - 1500.0).abs() < 1e-6, "{e:?}");
    }
}

#[test]
fn nothing_is_known_without_matches() {
    let nobody = PairResults::default();
    let found = estimate(&nobody, "rule", 1000.0);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].games, of(&found, "rule").elo), (0, 1000.0));

    let mut results = PairResults::default();
    results.add("x", "y", tally(5, 0, 0));
    results.add("me", "rule", tally(1, 0, 1));
    results.add("never", "rule", tally(0, 0, 0));
    let found = estimate(&results, "rule", 1000.0);
    let unknown: Vec<&str> =
        found.iter().filter(|e| e.rating.is_none()).map(|e| e.name.as_str()).collect();
    assert_eq!(unknown, ["never", "x", "y"]);
    assert!(found[..2].iter().all(|e| e.rating.is_some()));
    // An anchor that nobody met rates nobody but itself.
    assert_eq!(
        estimate(&results, "other", 1000.0).iter().filter(|e| e.rating.is_some()).count(),
        1
    );
}

#[test]
fn whitewashes_are_finite_and_grow_with_the_evidence() {
    let rated = |won: u64| {
        let mut results = PairResults::default();
        results.add("me", "rule", tally(won, 0, 0));
        of(&estimate(&results, "rule", 0.0), "me")
    };
    let elo: Vec<f64> = [1, 10, 100, 1000, 1_000_000].map(|won| rated(won).elo).into();
    assert!(elo.is_sorted_by(|a, b| a < b) && elo.iter().all(|e| e.is_finite()), "{elo:?}");
    assert!((elo[2] - 400.0 * 201f64.log10()).abs() < 1e-6, "{elo:?}");
    // A ladder of whitewashes: thousands of points from end to end.
    let mut ladder = PairResults::default();
    for i in 0..30 {
        ladder.add(&format!("p{i:02}"), &format!("p{:02}", i + 1), tally(0, 0, 100));
    }
    let found = estimate(&ladder, "p00", 0.0);
    assert_eq!(found[0].name, "p30");
    assert!(of(&found, "p30").elo > 20_000.0 && of(&found, "p30").high.is_finite());
}

#[test]
fn differences_by_hand() {
    let even = difference(50, 0, 50);
    assert_eq!(even.elo, 0.0);
    assert!((even.low + even.high).abs() < 1e-9);
    // Wilson's interval for 50 of 100 is 0.4038 to 0.5962: 67.7 points to either side.
    assert!((even.high - 67.7).abs() < 0.1, "{even:?}");
    // For 8 of 10 it is 0.4902 to 0.9433.
    let ahead = difference(8, 0, 2);
    assert!((ahead.low + 6.8).abs() < 0.2 && (ahead.high - 488.4).abs() < 1.0, "{ahead:?}");
    assert!((ahead.elo - 400.0 * (8.5f64 / 2.5).log10()).abs() < 1e-9);
    assert_eq!(difference(30, 40, 30), difference(50, 0, 50));
    let none = difference(0, 0, 0);
    assert_eq!((none.elo, none.low, none.high), (0.0, f64::NEG_INFINITY, f64::INFINITY));
    // 100 of 100: at least 0.963.
    let all = difference(100, 0, 0);
    assert!(all.high == f64::INFINITY && (all.low - 566.1).abs() < 1.0, "{all:?}");
    let none = difference(0, 0, 100);
    assert!(none.low == f64::NEG_INFINITY && (none.elo + all.elo).abs() < 1e-9, "{none:?}");
}

#[test]
fn differences_hold_the_truth_even_for_a_handful_of_matches() {
    for (truth, games) in [(0.0, 5), (100.0, 10), (250.0, 20), (400.0, 40), (-150.0, 7)] {
        let (mut inside, runs) = (0, 2000);
        for run in 0..runs {
            let bits = |g: u64| seed::mix(seed::mix(games ^ 77, run), g);
            let won = (0..games)
                .filter(|&g| f64::from(seed::uniform(bits(g))) < expected_score(truth, 0.0))
                .count() as u64;
            let found = difference(won, 0, games - won);
            inside += u32::from(found.low <= truth && truth <= found.high);
        }
        let share = f64::from(inside) / runs as f64;
        assert!(share > 0.9, "{truth} over {games}: {share}");
    }
}

proptest! {
    #[test]
    fn nothing_is_ever_nan(
        games in prop::collection::vec((0usize..8, 0usize..8, 0u64..2000, 0u64..3, 0u64..2000), 0..20)
    ) {
        let mut results = PairResults::default();
        for (a, b, won, drawn, lost) in games {
            results.add(&a.to_string(), &b.to_string(), tally(won, drawn, lost));
            let d = difference(won, drawn, lost);
            prop_assert!(d.low <= d.elo && d.elo <= d.high && d.elo.is_finite(), "{:?}", d);
        }
        for e in estimate(&results, "0", 1500.0) {
            if let Some(r) = e.rating {
                prop_assert!(r.low <= r.elo && r.elo <= r.high, "{:?}", e);
                prop_assert!(r.low.is_finite() && r.high.is_finite(), "{:?}", e);
            }
        }
    }
}
