use lanista_game::seed;
use proptest::prelude::*;

use super::*;
use crate::expected_score;
use crate::rating::MatchResult::{Draw, Loss, Win};
use crate::sampler::ENOUGH_GAMES;

const PRIORITIZED: Sampler = Sampler::Prioritized { learning_rate: 0.01 };

/// A pool whose snapshots have these ratings.
fn rated(elos: &[f64]) -> Pool {
    let mut pool = Pool::new(100);
    for (i, &elo) in elos.iter().enumerate() {
        pool.add(i as u64 * 1000, Origin::Main, elo);
    }
    pool
}

fn ids(pool: &Pool) -> Vec<u64> {
    pool.snapshots().iter().map(|s| s.id).collect()
}

/// Draws many times and compares with the weights that the formula gives, by chi-square.
fn assert_draws_follow(pool: &Pool, sampler: &Sampler, my_elo: f64, weights: &[(u64, f64)]) {
    let probabilities = pool.probabilities(sampler, my_elo);
    let total: f64 = weights.iter().map(|w| w.1).sum();
    assert_eq!(probabilities.len(), weights.len());
    for (found, (id, weight)) in probabilities.iter().zip(weights) {
        assert_eq!(found.id, *id);
        assert!((found.probability - weight / total).abs() < 1e-12, "{found:?}, {weight}");
    }
    let draws = 20_000;
    let mut counts = std::collections::BTreeMap::new();
    for i in 0..draws {
        let uniform = f64::from(seed::uniform(seed::mix(3, i)));
        *counts.entry(draw(&probabilities, uniform).unwrap().id).or_insert(0.0) += 1.0;
    }
    let (mut chi_square, mut bins) = (0.0, 0);
    for (id, weight) in weights {
        let (expected, found) =
            (weight / total * draws as f64, counts.get(id).copied().unwrap_or(0.0));
        if *weight == 0.0 {
            assert_eq!(found, 0.0, "{id} must never be drawn");
        } else {
            chi_square += (found - expected).powi(2) / expected;
            bins += 1;
        }
    }
    // The value that chance exceeds once in a thousand, for 0 to 7 degrees of freedom.
    let critical = [0.0, 10.83, 13.82, 16.27, 18.47, 20.52, 22.46, 24.32][bins - 1];
    assert!(chi_square <= critical, "{chi_square} > {critical} over {bins} bins");
}

#[test]
fn uniform_draws() {
    let mut pool = rated(&[1000.0, 1500.0, 2000.0, 1400.0, 1700.0]);
    pool.damaged(2);
    let weights = [(0, 1.0), (1, 1.0), (3, 1.0), (4, 1.0)];
    assert_draws_follow(&pool, &Sampler::Uniform, 1500.0, &weights);
}

#[test]
fn elo_weighted_draws() {
    let sampler = Sampler::EloWeighted { temperature: 0.5, window: 200.0 };
    let elos: [f64; 6] = [1299.0, 1300.0, 1450.0, 1500.0, 1600.0, 1701.0];
    let pool = rated(&elos);
    let inside = [
        (0, 0.0),
        (1, (-1f64).exp()),
        (2, (-0.25f64).exp()),
        (3, 1.0),
        (4, (-0.5f64).exp()),
        (5, 0.0),
    ];
    assert_draws_follow(&pool, &sampler, 1500.0, &inside);
    // With nobody inside the window, distance alone decides.
    let far: Vec<(u64, f64)> =
        elos.iter().enumerate().map(|(i, e)| (i as u64, (-(9000.0 - e) / 200.0).exp())).collect();
    assert_draws_follow(&pool, &sampler, 9000.0, &far);
}

#[test]
fn recent_weighted_draws() {
    let mut pool = rated(&[1500.0; 6]);
    pool.damaged(4);
    // Ages count usable snapshots alone.
    let weights = [(5, 0), (3, 1), (2, 2), (1, 3), (0, 4)]
        .map(|(id, age)| (id, 0.5f64.powf(age as f64 / 2.0)));
    let mut weights = weights.to_vec();
    weights.reverse();
    assert_draws_follow(&pool, &Sampler::RecentWeighted { half_life: 2.0 }, 1500.0, &weights);
}

#[test]
fn difficulty_adjusted_draws() {
    let sampler = Sampler::DifficultyAdjusted { target_win_rate: 0.6, width: 0.2 };
    let mut pool = rated(&[1200.0, 1430.0, 1500.0, 1900.0]);
    // The ratings call snapshot 3 far too strong; its record says otherwise. Snapshot 0's record is
    // too short to count.
    for i in 0..ENOUGH_GAMES {
        let result = if i % 2 == 0 { Win } else { Loss };
        pool.record(&sampler, Drawn { id: 3, probability: 0.25 }, result);
        if i > 0 {
            pool.record(&sampler, Drawn { id: 0, probability: 0.25 }, Loss);
        }
    }
    assert!((pool.get(3).unwrap().score - 0.5).abs() < 1e-12);
    let weight = |score: f64| (-((score - 0.6) / 0.2).powi(2) / 2.0).exp();
    let weights = [
        (0, weight(expected_score(1500.0, 1200.0))),
        (1, weight(expected_score(1500.0, 1430.0))),
        (2, weight(0.5)),
        (3, weight(pool.get(3).unwrap().score)),
    ];
    assert_draws_follow(&pool, &sampler, 1500.0, &weights);
}

#[test]
fn prioritized_draws() {
    let mut pool = rated(&[1500.0; 4]);
    for (id, losses) in [(0, 60), (1, 30), (3, 10)] {
        for _ in 0..losses {
            pool.record(&PRIORITIZED, Drawn { id, probability: 0.25 }, Win);
        }
    }
    // Each loss of one drawn with a quarter among four costs 0.01.
    let weights = [(0, (-0.6f64).exp()), (1, (-0.3f64).exp()), (2, 1.0), (3, (-0.1f64).exp())];
    assert_draws_follow(&pool, &PRIORITIZED, 1500.0, &weights);
}

#[test]
fn qualities_by_hand() {
    let mut pool = rated(&[1500.0, 1500.0]);
    let half = Drawn { id: 0, probability: 0.5 };
    pool.record(&PRIORITIZED, half, Win);
    assert_eq!(pool.get(0).unwrap().quality, -0.01);
    pool.record(&PRIORITIZED, half, Loss);
    pool.record(&PRIORITIZED, half, Draw);
    assert_eq!(pool.get(0).unwrap().quality, -0.01, "only a loss of the snapshot counts");
    // e^-0.01 / (1 + e^-0.01) = 0.497500; the drop is 0.01 / (2 · 0.4975) = 0.01005025.
    let now = pool.probabilities(&PRIORITIZED, 0.0)[0];
    assert!((now.probability - 0.4975000208).abs() < 1e-9);
    pool.record(&PRIORITIZED, now, Win);
    assert!((pool.get(0).unwrap().quality + 0.0200502508).abs() < 1e-9);
    // A newcomer starts at the best quality and changes n to 3.
    pool.record(&PRIORITIZED, Drawn { id: 1, probability: 0.5 }, Win);
    let id = pool.add(9, Origin::MainExploiter, 1500.0);
    assert_eq!(pool.get(id).unwrap().quality, -0.01);
    pool.record(&PRIORITIZED, Drawn { id, probability: 0.2 }, Win);
    assert!((pool.get(id).unwrap().quality + 0.01 + 0.01 / 0.6).abs() < 1e-12);
    // Other samplers leave qualities alone, and no probability breaks them.
    pool.record(&Sampler::Uniform, half, Win);
    pool.record(&PRIORITIZED, Drawn { id: 1, probability: 0.0 }, Win);
    assert_eq!(pool.get(1).unwrap().quality, -0.01);
    assert_eq!(pool.get(1).unwrap().games, 2);
}

#[test]
fn scores_forget_slowly() {
    let mut pool = rated(&[1500.0]);
    let me = Drawn { id: 0, probability: 1.0 };
    for result in [Win, Win, Draw, Loss] {
        pool.record(&Sampler::Uniform, me, result);
    }
    assert!((pool.get(0).unwrap().score - 0.625).abs() < 1e-12);
    (0..500).for_each(|_| pool.record(&Sampler::Uniform, me, Win));
    assert!(pool.get(0).unwrap().score > 0.99);
    (0..100).for_each(|_| pool.record(&Sampler::Uniform, me, Loss));
    assert!(pool.get(0).unwrap().score < 0.37, "{:?}", pool.get(0));
}

#[test]
fn the_weak_go_first_then_what_is_too_many() {
    let mut pool = rated(&[1000.0, 1300.0, 1250.0, 1299.9, 1400.0, 900.0]);
    // The newest stays however weak it is; exactly at the limit is not below it.
    assert_eq!(pool.prune(1600.0, Some(300.0)), [0, 2, 3]);
    assert_eq!(ids(&pool), [1, 4, 5]);
    assert_eq!(pool.prune(1600.0, Some(300.0)), [] as [u64; 0]);

    let mut pool = rated(&[1300.0, 1200.0, 1250.0, 1200.0, 1600.0, 1100.0]);
    pool.set_capacity(4);
    pool.set_anchor(1);
    pool.damaged(4);
    // The damaged one, then the lowest; 1 is the anchor and 5 the newest.
    assert_eq!(pool.prune(1600.0, None), [3, 4]);
    pool.set_capacity(0);
    assert_eq!(pool.prune(1600.0, None), [0, 2]);
    assert_eq!(ids(&pool), [1, 5]);
    assert_eq!(pool.add(1, Origin::Main, 1500.0), 6, "ids are never used twice");

    let mut equals = rated(&[1500.0; 4]);
    equals.set_capacity(2);
    assert_eq!(equals.prune(1500.0, None), [0, 1], "the oldest of equals goes");

    let mut empty = Pool::new(0);
    assert_eq!(empty.prune(1500.0, Some(0.0)), [] as [u64; 0]);
}

#[test]
fn a_damaged_newest_does_not_shield_itself() {
    let mut pool = rated(&[1500.0, 1500.0, 1000.0]);
    pool.damaged(2);
    assert_eq!(pool.prune(1500.0, Some(100.0)), [2]);
    pool.damaged(1);
    assert_eq!(pool.probabilities(&PRIORITIZED, 1500.0), [Drawn { id: 0, probability: 1.0 }]);
    pool.damaged(0);
    assert!(pool.probabilities(&PRIORITIZED, 1500.0).is_empty());
    assert_eq!(draw(&pool.probabilities(&PRIORITIZED, 1500.0), 0.5), None);
    pool.damaged(77);
}

#[test]
fn a_batch_is_rated_at_once_and_the_damaged_not_at_all() {
    let mut pool = rated(&[1500.0, 1500.0, 1500.0]);
    pool.set_anchor(0);
    pool.damaged(2);
    let games = [(0, Win), (1, Win), (1, Draw), (2, Win), (99, Win)];
    let mine = pool.rate(&Elo::default(), 1500.0, &games);
    assert_eq!(mine, 1516.0);
    let elos: Vec<f64> = pool.snapshots().iter().map(|s| s.elo).collect();
    assert_eq!(elos, [1500.0, 1492.0, 1500.0]);
    let before = pool.clone();
    pool.record(&PRIORITIZED, Drawn { id: 2, probability: 0.5 }, Win);
    pool.record(&PRIORITIZED, Drawn { id: 99, probability: 0.5 }, Win);
    assert_eq!(pool, before);
}

#[test]
fn the_state_survives_a_checkpoint_in_mid_run() {
    let play = |pool: &mut Pool, mine: &mut f64, rounds: std::ops::Range<u64>| {
        for round in rounds {
            let probabilities = pool.probabilities(&PRIORITIZED, *mine);
            let u = f64::from(seed::uniform(seed::mix(5, round)));
            let drawn = draw(&probabilities, u).unwrap();
            let result = [Win, Win, Draw, Loss][seed::mix(6, round) as usize % 4];
            pool.record(&PRIORITIZED, drawn, result);
            *mine = pool.rate(&Elo::default(), *mine, &[(drawn.id, result)]);
            if round % 10 == 0 {
                pool.add(round, Origin::Main, *mine);
                pool.prune(*mine, Some(100.0));
            }
        }
    };
    let (mut pool, mut mine) = (rated(&[1500.0; 3]), 1500.0);
    pool.set_capacity(5);
    play(&mut pool, &mut mine, 0..333);
    let text = serde_json::to_string(&(&pool, mine)).unwrap();
    let (mut again, mut again_mine): (Pool, f64) = serde_json::from_str(&text).unwrap();
    assert_eq!(again, pool);
    play(&mut pool, &mut mine, 333..666);
    play(&mut again, &mut again_mine, 333..666);
    assert_eq!((again, again_mine.to_bits()), (pool, mine.to_bits()));
}

proptest! {
    #[test]
    fn probabilities_sum_to_one(
        elos in prop::collection::vec(-1e5f64..1e5, 1..20),
        mine in -1e5f64..1e5,
        which in 0usize..5,
        uniform in 0f64..1.0,
    ) {
        let sampler = [
            Sampler::Uniform,
            Sampler::EloWeighted { temperature: 0.01, window: 10.0 },
            Sampler::RecentWeighted { half_life: 0.01 },
            Sampler::DifficultyAdjusted { target_win_rate: 0.5, width: 1e-3 },
            Sampler::default(),
        ][which];
        let pool = rated(&elos);
        let probabilities = pool.probabilities(&sampler, mine);
        let total: f64 = probabilities.iter().map(|d| d.probability).sum();
        prop_assert!((total - 1.0).abs() < 1e-9, "{}", total);
        let drawn = draw(&probabilities, uniform).unwrap();
        prop_assert!(drawn.probability > 0.0);
        prop_assert!(draw(&probabilities, 1.0).is_some());
    }
}

#[test]
fn a_pool_that_no_run_can_have_is_not_read() {
    let mut pool = rated(&[1500.0, 1600.0]);
    pool.record(&PRIORITIZED, Drawn { id: 0, probability: 0.5 }, Win);
    let sound = serde_json::to_value(&pool).unwrap();
    assert_eq!(serde_json::from_value::<Pool>(sound.clone()).unwrap(), pool);
    for (place, value, part) in [
        ("/snapshots/0/elo", serde_json::json!(1e308), "1e308 is no rating"),
        ("/snapshots/1/elo", serde_json::json!(-1e7), "is no rating"),
        ("/snapshots/1/id", serde_json::json!(0), "do not ascend"),
        ("/next_id", serde_json::json!(1), "do not ascend"),
        ("/next_id", serde_json::json!(u64::MAX), "do not ascend"),
        ("/snapshots/0/games", serde_json::json!(u64::MAX), "snapshot 0"),
        ("/snapshots/0/score", serde_json::json!(2), "snapshot 0"),
        ("/snapshots/1/quality", serde_json::json!(1e305), "snapshot 1"),
    ] {
        let mut hostile = sound.clone();
        *hostile.pointer_mut(place).unwrap() = value;
        let error = serde_json::from_value::<Pool>(hostile).unwrap_err().to_string();
        assert!(error.contains(part), "{place}: {error}");
    }
}

#[test]
fn a_quality_stays_a_number() {
    let mut pool = rated(&[1500.0, 1600.0]);
    for _ in 0..3 {
        pool.record(&PRIORITIZED, Drawn { id: 0, probability: f64::MIN_POSITIVE }, Win);
        pool.record(&PRIORITIZED, Drawn { id: 1, probability: 1e-320 }, Win);
    }
    assert!(pool.snapshots().iter().all(|s| s.quality.is_finite()), "{pool:?}");
    let drawn = pool.probabilities(&PRIORITIZED, 1500.0);
    assert!((drawn.iter().map(|d| d.probability).sum::<f64>() - 1.0).abs() < 1e-12);
}
