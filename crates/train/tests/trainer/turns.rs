//! Seats that wait, and matches that are cut off: what a shard records of them.

use lanista_learn::{Follow, Inputs, Policy, PolicyConfig, Rollout, Scratch, Shape};
use lanista_train::player::Player;
use lanista_train::seating::Seating;
use lanista_train::shard::{Purpose, Shard};

use crate::games::{RELAY, relay};
use crate::support::{assert_same, config, train};

const PRESET: &str = "
game: relay
rollout: { matches: 6, horizon: 5, shard: 3 }
policy: { hidden: [8] }
ppo: { minibatch: 16, epochs: 2 }
rewards: { earned: 1 }
opponents: { bot:steady: 0.5 }
evaluation: { matches: 4 }
stop: { steps: 200 }
";

fn policy(shape: Shape) -> Policy {
    Policy::new(shape, &PolicyConfig { hidden: vec![8], ..PolicyConfig::default() }, 3)
}

/// Plays one match for so many steps.
fn record(steps: usize, against: Player) -> (Policy, Shard) {
    let batch = relay().build(&serde_json::Value::Null, 1).unwrap();
    let policy = policy(Shape::of(&batch.spec().roles[0]));
    let seating = Seating::against(1, against, 1);
    let mut shard = Shard::new(0, batch, &[Some(&policy)], seating);
    let weights = [vec![1.0]];
    let purpose = Purpose::Learn { weights: &weights, sequence_length: &[16] };
    shard.start_all(0).unwrap();
    shard.begin(0.0);
    for _ in 0..steps {
        shard.step(&[Some(&policy)], &purpose).unwrap();
    }
    shard.close(&[Some(&policy)]).unwrap();
    (policy, shard)
}

/// The samples of a row, in order.
fn samples(rollout: &Rollout, row: u32) -> Vec<usize> {
    (0..rollout.len()).filter(|&s| rollout.row[s] == row).collect()
}

/// What the critic says about a seat after so many steps of a match.
fn value(policy: &Policy, steps: u32, seat: usize) -> f32 {
    let mut inputs = Inputs {
        rows: 1,
        observation: vec![steps as f32 / RELAY as f32, seat as f32],
        mask: vec![true; 2],
        reset: vec![false],
        ..Inputs::default()
    };
    inputs.packing.set_single(1);
    let mut scratch = Scratch::default();
    policy.value(&inputs, &mut scratch);
    scratch.values[0]
}

#[test]
fn rewards_of_a_waiting_seat_add_up_on_its_last_act() {
    // Two whole matches of ten steps, and four steps of a third.
    let (_, shard) = record(24, Player::Learner);
    let rollout = &shard.roles[0].rollout;
    let (always, seldom) = (samples(rollout, 0), samples(rollout, 1));
    assert_eq!(always.len(), 24);
    assert!(always.iter().all(|&s| rollout.reward[s] == 1.0));
    // Acts at steps 2, 5 and 8: worth 3+4+5, 6+7+8 and 9+10. What came before the first act of a
    // match belongs to nobody.
    let rewards: Vec<f32> = seldom.iter().map(|&s| rollout.reward[s]).collect();
    assert_eq!(rewards, [12.0, 21.0, 19.0, 12.0, 21.0, 19.0, 7.0]);
    let starts: Vec<bool> = seldom.iter().map(|&s| rollout.start[s]).collect();
    assert_eq!(starts, [true, false, false, true, false, false, true]);
    let times: Vec<f32> = seldom.iter().map(|&s| rollout.observation[2 * s]).collect();
    assert_eq!(times, [0.2, 0.5, 0.8, 0.2, 0.5, 0.8, 0.2]);
}

#[test]
fn a_match_that_is_cut_off_bootstraps_from_its_last_view() {
    let (policy, shard) = record(24, Player::Learner);
    let rollout = &shard.roles[0].rollout;
    let follow = |row: u32| -> Vec<Follow> {
        samples(rollout, row).iter().map(|&s| rollout.follow[s]).collect()
    };
    let (always, seldom) = (follow(0), follow(1));
    for (i, follow) in always.iter().enumerate() {
        let expected = match i {
            9 | 19 => Some(value(&policy, RELAY, 0)),
            // The rollout ends in mid-match, where the seat would act next.
            23 => Some(value(&policy, 4, 0)),
            _ => None,
        };
        match expected {
            Some(value) => assert_eq!(*follow, Follow::Cut(value), "act {i}"),
            None => assert!(matches!(follow, Follow::Next(_)), "act {i}: {follow:?}"),
        }
    }
    let cut = Follow::Cut(value(&policy, RELAY, 1));
    assert_eq!([seldom[2], seldom[5]], [cut, cut]);
    // The waiting seat has not seen yet what its last act led to.
    assert_eq!(seldom[6], Follow::Unknown);
    assert!([0, 1, 3, 4].iter().all(|&i| matches!(seldom[i], Follow::Next(_))), "{seldom:?}");
}

#[test]
fn a_rollout_that_ends_where_a_seat_acts_bootstraps_from_there() {
    let (policy, shard) = record(5, Player::Learner);
    let last = *samples(&shard.roles[0].rollout, 1).last().unwrap();
    assert_eq!(shard.roles[0].rollout.follow[last], Follow::Cut(value(&policy, 5, 1)));
    assert_eq!(shard.roles[0].rollout.reward[last], 12.0);
}

#[test]
fn scripted_seats_leave_no_samples() {
    let (_, shard) = record(40, Player::Bot(0));
    let (always, seldom) =
        (samples(&shard.roles[0].rollout, 0), samples(&shard.roles[0].rollout, 1));
    // The learner sits on one side or the other, anew in each of the four matches.
    assert_eq!(shard.finished.len(), 4);
    let sides: Vec<Option<usize>> = shard.finished.iter().map(|f| f.team).collect();
    let first = sides.iter().filter(|s| **s == Some(0)).count();
    assert_eq!((always.len(), seldom.len()), (10 * first, 3 * (4 - first)));
    for finished in &shard.finished {
        let earned = if finished.team == Some(0) { 10.0 } else { 55.0 };
        assert_eq!((finished.terms()[0], finished.steps), (earned, RELAY));
    }
}

#[test]
fn waiting_seats_resume_exactly() {
    // Iterations of five steps, matches of ten: every other checkpoint falls between two matches,
    // where seat 1 has not acted yet.
    for pause in [40, 80, 120] {
        let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let until = Some(pause + 40);
        train(whole.path(), relay(), config(PRESET, &[]), until).1.unwrap();
        train(parts.path(), relay(), config(PRESET, &[]), Some(pause)).1.unwrap();
        train(parts.path(), relay(), config(PRESET, &[]), until).1.unwrap();
        assert_same(whole.path(), parts.path());
    }
}
