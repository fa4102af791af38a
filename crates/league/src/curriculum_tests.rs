use lanista_game::seed;
use serde_json::{Value, json};

use super::*;
use crate::rating::MatchResult::{Draw, Loss, Win};

fn stages(value: Value) -> Vec<Stage> {
    serde_json::from_value(value).unwrap()
}

fn until(condition: Value) -> Vec<Stage> {
    stages(json!([{"name": "first", "until": condition}, {"name": "second"}]))
}

fn rule() -> Opponent {
    Opponent::Bot("rule".into())
}

/// A match against `bot:rule` in the present stage.
fn met(progress: &mut Standing, stages: &[Stage], result: MatchResult) {
    let finished =
        StageMatch { stage: progress.stage(), opponent: &rule(), result: Some(result), stats: &[] };
    progress.observe(stages, &finished);
}

/// A match that reported this number of touches.
fn touched(progress: &mut Standing, stages: &[Stage], touches: f64) {
    let finished = StageMatch {
        stage: progress.stage(),
        opponent: &Opponent::Myself,
        result: None,
        stats: &[("goals", 1.0), ("touches", touches)],
    };
    progress.observe(stages, &finished);
}

#[test]
fn steps_count_from_the_start_of_the_stage_or_of_the_run() {
    let list = stages(json!([
        {"name": "a", "until": {"steps": 100}},
        {"name": "b", "until": {"steps": 100}},
        {"name": "c", "until": {"total_steps": 1000}},
        {"name": "d", "until": {"steps": 1}},
    ]));
    let mut progress = Standing::default();
    assert!(!progress.should_advance(&list, 99, None));
    let a = progress.advance(&list, 130, None).unwrap();
    assert_eq!((a.from.as_str(), a.to.as_str(), a.stage, a.stage_steps), ("a", "b", 1, 130));
    assert_eq!(a.reason, "130 of 100 steps of the stage");
    assert_eq!(progress.entered_at(), 130);
    assert_eq!(progress.advance(&list, 229, None), None);
    assert_eq!(progress.advance(&list, 230, None).unwrap().stage_steps, 100);
    assert_eq!(progress.advance(&list, 999, None), None);
    assert_eq!(progress.advance(&list, 1000, None).unwrap().to, "d");
    // The last stage lasts.
    assert_eq!(progress.advance(&list, u64::MAX, Some(1e9)), None);
    assert_eq!(progress.stage(), 3);
}

#[test]
fn a_win_rate_needs_a_whole_window_and_forgets_what_lies_before_it() {
    let list = until(json!({"win_rate": {"vs": "bot:rule", "at_least": 0.75, "over": 4}}));
    let mut progress = Standing::default();
    for result in [Win, Win, Win] {
        met(&mut progress, &list, result);
        assert!(!progress.should_advance(&list, 0, None));
    }
    assert_eq!(progress.status(&list, 0, None), "3 of 4 matches against bot:rule");
    met(&mut progress, &list, Draw);
    assert!(progress.should_advance(&list, 0, None), "three of four are won");
    for result in [Loss, Loss, Win, Win] {
        met(&mut progress, &list, result);
        assert!(!progress.should_advance(&list, 0, None));
    }
    met(&mut progress, &list, Win);
    let reason = progress.advance(&list, 9, None).unwrap().reason;
    assert_eq!(reason, "won 0.75 of the last 4 matches against bot:rule (0.75 needed)");
}

#[test]
fn matches_of_others_do_not_count() {
    let list = until(json!({"win_rate": {"vs": "bot:rule", "at_least": 0.5, "over": 1}}));
    let mut progress = Standing::default();
    let finished = |stage, opponent, result| StageMatch { stage, opponent, result, stats: &[] };
    let (rule, past) = (rule(), Opponent::Past);
    for other in
        [finished(0, &past, Some(Win)), finished(0, &rule, None), finished(1, &rule, Some(Win))]
    {
        progress.observe(&list, &other);
        assert!(!progress.should_advance(&list, 0, None));
    }
    assert!(progress.results.values().all(VecDeque::is_empty), "{progress:?}");
    progress.observe(&list, &finished(0, &rule, Some(Win)));
    assert_eq!(progress.advance(&list, 0, None).unwrap().matches, 3);
}

#[test]
fn stats_have_bounds() {
    let list = until(json!({"stat": {"name": "touches", "at_least": 2, "at_most": 3, "over": 2}}));
    let mut progress = Standing::default();
    for (touches, inside) in
        [(2.0, false), (1.0, false), (3.0, true), (3.0, true), (4.0, false), (0.0, true)]
    {
        touched(&mut progress, &list, touches);
        assert_eq!(progress.should_advance(&list, 0, None), inside, "{touches}");
    }
    touched(&mut progress, &list, f64::NAN);
    touched(&mut progress, &list, f64::INFINITY);
    assert!(progress.should_advance(&list, 0, None), "what is no number is passed over");
    let status = progress.status(&list, 0, None);
    assert_eq!(status, "touches 2.000 over the last 2 matches (at least 2, at most 3 needed)");
}

#[test]
fn ratings_and_combinations() {
    let elo = |elo| Some(elo);
    let list = until(json!({"elo": 1400}));
    let progress = Standing::default();
    assert!(!progress.should_advance(&list, 0, None));
    assert!(!progress.should_advance(&list, 0, elo(1399.9)));
    assert!(progress.should_advance(&list, 0, elo(1400.0)));

    let list = until(json!({"all": [{"steps": 10}, {"any": [{"elo": 1400}, {"steps": 50}]}]}));
    for (steps, rating, over) in [
        (9, elo(1500.0), false),
        (10, elo(1500.0), true),
        (49, elo(1000.0), false),
        (49, None, false),
        (50, None, true),
    ] {
        assert_eq!(progress.should_advance(&list, steps, rating), over, "{steps} {rating:?}");
    }
    assert_eq!(
        progress.status(&list, 20, None),
        "20 of 10 steps of the stage and not rated yet (1400 needed) or 20 of 50 steps of the stage"
    );
    let reason = progress.clone().advance(&list, 20, elo(1450.0)).unwrap().reason;
    assert_eq!(reason, "20 of 10 steps of the stage and rated 1450 (1400 needed)");

    assert!(!progress.should_advance(&until(json!("never")), u64::MAX, elo(1e9)));
    assert!(!progress.should_advance(&until(json!({"any": []})), u64::MAX, elo(1e9)));
    assert!(progress.should_advance(&until(json!({"all": []})), 0, None));
    assert!(!progress.should_advance(&[], 0, None));
}

#[test]
fn a_stage_is_judged_by_its_own_matches() {
    let rate = json!({"win_rate": {"vs": "bot:rule", "at_least": 0.5, "over": 2}});
    let list = stages(json!([
        {"name": "a", "until": rate}, {"name": "b", "until": rate}, {"name": "c"},
    ]));
    let mut progress = Standing::default();
    (0..5).for_each(|_| met(&mut progress, &list, Win));
    assert!(progress.advance(&list, 10, None).is_some());
    assert_eq!(progress.advance(&list, 10, None), None);
    // A match that began before the transition was played under the old rules.
    let late = StageMatch { stage: 0, opponent: &rule(), result: Some(Win), stats: &[] };
    (0..5).for_each(|_| progress.observe(&list, &late));
    assert_eq!(progress.advance(&list, 20, None), None);
    (0..2).for_each(|_| met(&mut progress, &list, Win));
    assert_eq!(progress.advance(&list, 30, None).unwrap().matches, 2);
    progress.enter(0, 40);
    assert_eq!((progress.stage(), progress.entered_at()), (0, 40));
    // A preset that lost stages since: nothing to wait for, nothing to break.
    progress.enter(7, 40);
    met(&mut progress, &list, Win);
    assert_eq!(
        (progress.advance(&list, 50, None), progress.status(&list, 50, None)),
        (None, "".into())
    );
}

#[test]
fn windows_are_bounded_by_the_longest_that_is_asked_for() {
    let list = until(json!({"all": [
        {"win_rate": {"vs": "bot:rule", "at_least": 0.9, "over": 3}},
        {"any": [{"win_rate": {"vs": "bot:rule", "at_least": 0.5, "over": 8}}]},
        {"stat": {"name": "touches", "at_least": 2, "over": 5}},
    ]}));
    let mut progress = Standing::default();
    for _ in 0..100 {
        met(&mut progress, &list, Win);
        touched(&mut progress, &list, 1.0);
    }
    assert_eq!(progress.results[&rule()].len(), 8);
    assert_eq!(progress.stats["touches"].len(), 5);
    assert_eq!((progress.results.len(), progress.stats.len()), (1, 1), "nothing else is kept");
    let shorter = until(json!({"win_rate": {"vs": "bot:rule", "at_least": 0.9, "over": 2}}));
    met(&mut progress, &shorter, Win);
    assert_eq!(progress.results[&rule()].len(), 2);
}

#[test]
fn the_state_survives_a_checkpoint_in_the_middle_of_a_window() {
    let list = stages(json!([
        {"name": "a", "until": {"stat": {"name": "touches", "at_least": 0.45, "over": 30}}},
        {"name": "b", "until": {"all": [
            {"win_rate": {"vs": "bot:rule", "at_least": 0.4, "over": 40}},
            {"stat": {"name": "touches", "at_most": 0.55, "over": 25}},
        ]}},
        {"name": "c", "until": {"win_rate": {"vs": "bot:rule", "at_least": 0.5, "over": 20}}},
        {"name": "d"},
    ]));
    let play =
        |progress: &mut Standing, log: &mut Vec<Transition>, matches: std::ops::Range<u64>| {
            for m in matches {
                let touches = f64::from(seed::uniform(seed::mix(1, m))) / 1.1;
                touched(progress, &list, touches);
                met(progress, &list, [Win, Loss, Draw][seed::mix(2, m) as usize % 3]);
                log.extend(progress.advance(&list, 10 * m, None));
            }
        };
    let (mut whole, mut log) = (Standing::default(), Vec::new());
    play(&mut whole, &mut log, 0..400);
    assert_eq!(log.len(), 3, "all stages are passed through: {log:?}");
    for cut in [1, 17, 29, 30, 31, 55, 90, 200] {
        let (mut progress, mut cut_log) = (Standing::default(), Vec::new());
        play(&mut progress, &mut cut_log, 0..cut);
        let text = serde_json::to_string(&progress).unwrap();
        let mut resumed: Standing = serde_json::from_str(&text).unwrap();
        assert_eq!(resumed, progress);
        assert_eq!(serde_json::to_string(&resumed).unwrap(), text);
        play(&mut resumed, &mut cut_log, cut..400);
        assert_eq!((&resumed, &cut_log), (&whole, &log));
    }
    let text = serde_json::to_string(&log).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Transition>>(&text).unwrap(), log);
}
