use serde_json::json;

use super::*;

fn stages(value: Value) -> Vec<Stage> {
    serde_json::from_value(value).unwrap()
}

/// A stage with this condition, and one after it.
fn until(condition: Value) -> Vec<Stage> {
    stages(json!([{"name": "first", "until": condition}, {"name": "second"}]))
}

fn warned(condition: Value) -> Vec<String> {
    let shares: Shares =
        serde_json::from_value(json!({"bot:rule": 0.5, "past": 0.25, "bot:idle": 0})).unwrap();
    let existing = Existing {
        stats: &["touches", "goals"],
        bots: &["rule", "idle"],
        shares: &[shares],
        rated: false,
        total_steps: Some(1_000_000),
    };
    warnings(&until(condition), &existing)
}

#[test]
fn conditions_are_read_and_written() {
    let read = until(json!({"all": [
        {"steps": 5}, {"total_steps": 6}, {"elo": 1400}, "never", {"any": []},
        {"win_rate": {"vs": "bot:rule", "at_least": 0.6, "over": 50}},
        {"stat": {"name": "touches", "at_most": 3}},
    ]}));
    let Goal::All(parts) = &read[0].until else { panic!("{read:?}") };
    assert_eq!(parts[0], Goal::Steps(5));
    assert_eq!(parts[2], Goal::Elo(1400.0));
    let rule = Opponent::Bot("rule".into());
    assert_eq!(parts[5], Goal::WinRate { vs: rule, at_least: 0.6, over: 50 });
    let Goal::Stat { at_least: None, at_most: Some(3.0), over: 100, .. } = parts[6] else {
        panic!("{:?}", parts[6])
    };
    assert_eq!(read[1].until, Goal::Never);
    assert_eq!(stages(serde_json::to_value(&read).unwrap()), read);
    for (wrong, hint) in [
        (json!({"step": 5}), "`total_steps`"),
        (json!({"win_rate": {"at_least": 1}}), "`vs`"),
        (json!({"win_rate": {"vs": "rule", "at_least": 1}}), "no opponent `rule`"),
        (json!({"stat": {"name": "x", "atleast": 1}}), "`at_least`"),
    ] {
        let error = serde_json::from_value::<Goal>(wrong).unwrap_err().to_string();
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn senseless_stages_are_refused() {
    let refused = |s: &[Stage]| check(s).unwrap_err().to_string();
    for (condition, key) in [
        (json!({"win_rate": {"vs": "past", "at_least": 0.5, "over": 0}}), "win_rate.over"),
        (json!({"stat": {"name": "x", "at_least": 1, "over": 0}}), "stat.over"),
        (json!({"stat": {"name": "x"}}), "stat: it needs"),
        (json!({"stat": {"name": "x", "at_least": 2, "at_most": 1}}), "stat: nothing is"),
        (json!({"any": ["never", {"all": [{"stat": {"name": "x"}}]}]}), "any.1.all.0.stat:"),
    ] {
        let text = refused(&until(condition));
        assert!(text.starts_with(&format!("0.until.{key}")), "{text}");
    }
    let mut infinite = until(json!("never"));
    infinite[0].until = Goal::Elo(f64::NAN);
    assert!(refused(&infinite).starts_with("0.until.elo: NaN"));
    let named = |a: &str, b: &str| stages(json!([{"name": a}, {"name": b}]));
    assert!(refused(&named("a", "a")).starts_with("1.name: two stages"));
    assert!(refused(&named("a", "")).starts_with("1.name"));
    assert!(refused(&named("../a", "b")).starts_with("0.name"));
    assert_eq!(check(&named("Phase1-BallTouching", "b")), Ok(()));
    assert_eq!(check(&[]), Ok(()));
}

#[test]
fn endless_stages_are_warned_about() {
    let rate = |vs: &str| json!({"win_rate": {"vs": vs, "at_least": 0.6}});
    for (condition, reason) in [
        (json!("never"), "`never`"),
        (json!({"any": []}), "`any` lists no condition"),
        (json!({"steps": 2_000_000}), "the run ends after 1000000 steps"),
        (json!({"total_steps": 1_000_000}), "the run ends after 1000000 steps"),
        (json!({"elo": 1400}), "nothing rates the learner"),
        (json!({"stat": {"name": "tuches", "at_least": 1}}), "it has touches, goals"),
        (json!({"win_rate": {"vs": "past", "at_least": 1.1}}), "at most 1"),
        (rate("self"), "at once"),
        (rate("bot:rul"), "it has rule, idle"),
        (rate("bot:idle"), "`bot:idle` has no share"),
        (rate("target:x"), "`target:x` has no share"),
        (json!({"all": [{"steps": 5}, "never"]}), "`never`"),
        (json!({"any": ["never", {"elo": 1}]}), "`never`; nothing rates"),
    ] {
        let warnings = warned(condition.clone());
        assert_eq!(warnings.len(), 1, "{condition}");
        assert!(warnings[0].starts_with("stage `first` never ends, so `second` never begins"));
        assert!(warnings[0].contains(reason), "{warnings:?}");
    }
}

#[test]
fn stages_that_can_end_are_not() {
    for condition in [
        json!({"steps": 1000}),
        json!({"total_steps": 999_999}),
        json!({"win_rate": {"vs": "bot:rule", "at_least": 1}}),
        json!({"win_rate": {"vs": "past", "at_least": 0.6}}),
        json!({"stat": {"name": "goals", "at_most": 1}}),
        json!({"any": ["never", {"steps": 1000}]}),
        json!({"all": [{"steps": 1000}, {"any": [{"elo": 1}, {"steps": 9}]}]}),
    ] {
        assert_eq!(warned(condition), [] as [String; 0]);
    }
    let existing = Existing { stats: &[], bots: &[], shares: &[], rated: true, total_steps: None };
    assert!(warnings(&[], &existing).is_empty());
    // What the last stage waits for does not matter.
    assert!(
        warnings(&stages(json!([{"name": "only", "until": {"any": []}}])), &existing).is_empty()
    );
    assert!(warnings(&until(json!({"elo": 3000})), &existing).is_empty());
}

#[test]
fn stages_that_end_at_once_are_warned_about() {
    for condition in
        [json!({"all": []}), json!({"steps": 0}), json!({"any": ["never", {"steps": 0}]})]
    {
        let warnings = warned(condition);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("as soon as it begins"), "{warnings:?}");
    }
}

#[test]
fn each_stage_has_shares_of_its_own() {
    let rate = json!({"win_rate": {"vs": "bot:rule", "at_least": 0.6}});
    let list = stages(json!([
        {"name": "a", "until": rate}, {"name": "b", "until": rate},
        {"name": "c", "until": rate}, {"name": "d"},
    ]));
    let with: Shares = serde_json::from_value(json!({"bot:rule": 0.5})).unwrap();
    let existing =
        |shares| Existing { stats: &[], bots: &["rule"], shares, rated: false, total_steps: None };
    let shares = [Shares::default(), with];
    let found = warnings(&list, &existing(&shares));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("stage `a`"));
    assert_eq!(warnings(&list, &existing(&[])).len(), 3);
}
