//! Rewards that seats share, as a shard records them.

use lanista_learn::{Policy, PolicyConfig, Shape};
use lanista_train::player::Player;
use lanista_train::seating::Seating;
use lanista_train::shard::{Purpose, Shard};
use lanista_train::sharing::Sharing;

/// What both seats of some duels were paid, in the order of their acts.
fn paid(sharing: Sharing) -> Vec<(u32, f32)> {
    let entry = lanista_classic::games()[4].clone();
    assert_eq!(entry.name, "duel");
    let batch = entry.build(&serde_json::Value::Null, 3).unwrap();
    let config = PolicyConfig { hidden: vec![8], ..PolicyConfig::default() };
    let policy = Policy::new(Shape::of(&batch.spec().roles[0]), &config, 3);
    let weights = [vec![1.0; batch.spec().terms.len()]];
    let policies = [Some(&policy)];
    let mut shard = Shard::new(0, batch, &policies, Seating::against(1, Player::Learner, 3));
    shard.start_all(0).unwrap();
    shard.begin(0.0);
    shard.sharing = sharing;
    let purpose = Purpose::Learn { weights: &weights, sequence_length: &[16] };
    for _ in 0..40 {
        shard.step(&policies, &purpose).unwrap();
    }
    shard.close(&policies).unwrap();
    let rollout = &shard.roles[0].rollout;
    rollout.row.iter().copied().zip(rollout.reward.iter().copied()).collect()
}

#[test]
fn a_zero_sum_game_doubles_and_spirit_without_mates_changes_nothing() {
    let own = paid(Sharing::default());
    assert!(own.iter().any(|(_, reward)| *reward != 0.0));
    let spirited = paid(Sharing { team_spirit: 0.7, zero_sum: false });
    for ((row, own), (_, shared)) in own.iter().zip(&spirited) {
        assert!((shared - own).abs() < 1e-6, "row {row}: {own} became {shared}");
    }
    // What one wins in a duel the other loses already: less the opponent's, it is twice as much.
    let zero_sum = paid(Sharing { team_spirit: 0.0, zero_sum: true });
    for ((row, own), (_, shared)) in own.iter().zip(zero_sum) {
        assert!((shared - 2.0 * own).abs() < 1e-6, "row {row}: {own} became {shared}");
    }
}
