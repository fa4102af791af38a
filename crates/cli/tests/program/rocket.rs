//! `lanista rocket trace`: one match, told.

use serde_json::Value;

use crate::support::{DUEL, Place, ROCKET};

/// Whole games with teams and hitboxes drawn, late actions and shared rewards.
const WHOLE: &str = "
import: rocket/match
settings:
  game: { minutes: 0.15, overtime_minutes: 0.1 }
  teams: { 1v1: 1, 2v1: 1, 2v2: 1, 3v3: 0 }
  hitbox: { octane: 1, dominus: 1 }
  shaping: per_second
  action_delay: 3
rollout: { matches: 6, horizon: 24, shard: 2 }
policy: { hidden: [16], memory: { cell: gru, size: 8 } }
ppo: { minibatch: 64, chunk: 16, sequence_length: 8 }
opponents: { bot:rule: 0.3, bot:random: 0.3 }
evaluation: { every: 2000, matches: 2 }
checkpoint: { every: 1000 }
stop: { steps: 3000 }
";

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn sum(line: &Value) -> f64 {
    let terms = line["terms"].as_array().unwrap();
    terms.iter().map(|t| t["value"].as_f64().unwrap() * t["weight"].as_f64().unwrap()).sum()
}

#[test]
fn a_preset_is_traced_with_scripted_players() {
    let place = Place::new();
    let line = "rocket trace rocket/1v1 --seed 3 --vs bot:idle --set settings.limit_secs=8";
    let text = place.ok(line);
    assert!(text.contains("blue rule, orange idle"), "{text}");
    assert_eq!(text.matches(" reset: ").count(), 1, "{text}");
    assert!(text.contains("blue 1") && text.contains("velocity_ball_to_goal"), "{text}");
    assert!(text.contains(" in all"), "{text}");
    assert_eq!(text, place.ok(line), "same seed, same match");
    assert_ne!(text, place.ok(&line.replace("--seed 3", "--seed 4")));
    // The idle one coasts, and says so.
    let idle = text.lines().filter(|l| l.contains("orange 1") && l.contains(" at (")).count();
    let coasting = text.lines().filter(|l| l.contains("orange 1  coast")).count();
    assert!(idle > 10 && idle == coasting, "{coasting} of {idle}");
}

#[test]
fn lines_of_json_add_up() {
    let place = Place::new();
    let line =
        "rocket trace rocket/1v1 --seed 1 --json --set settings.limit_secs=8 --reward touch=2";
    let lines = lines(&place.ok(line));
    assert_eq!(lines[0]["event"], "match");
    assert_eq!(lines[0]["weights"]["touch"], 2.0);
    assert_eq!(lines[1]["event"], "reset");
    assert_eq!(lines[1]["cars"].as_array().unwrap().len(), 2);
    let end = lines.last().unwrap();
    assert_eq!(end["event"], "end");
    let mut totals = [0.0; 2];
    let mut steps = 0;
    for step in lines.iter().filter(|l| l["event"] == "step") {
        let reward = step["reward"].as_f64().unwrap();
        assert!((reward - sum(step)).abs() < 1e-4, "{step}");
        assert!(step["action"].is_string() && step["ball"]["pos"].is_array(), "{step}");
        totals[step["seat"].as_u64().unwrap() as usize] += reward;
        steps = step["step"].as_u64().unwrap();
    }
    assert_eq!(end["steps"].as_u64(), Some(steps));
    for (total, told) in totals.iter().zip(end["totals"].as_array().unwrap()) {
        assert!((total - told["reward"].as_f64().unwrap()).abs() < 1e-3, "{told}");
    }
    let some = place.ok("rocket trace rocket/1v1 --seed 1 --json --steps 5");
    let steps: Vec<Value> = self::lines(&some);
    assert_eq!(steps.iter().filter(|l| l["event"] == "step").count(), 10);
    assert!(steps.last().unwrap()["end"].as_str().unwrap().contains("--steps"));
}

#[test]
fn a_whole_game_tells_its_kickoffs_and_its_clock() {
    let line = "rocket trace rocket/1v1 --json --vs bot:idle --set settings.game.minutes=0.5";
    let lines = lines(&Place::new().ok(line));
    let resets = lines.iter().filter(|l| l["event"] == "reset").count();
    let goals: f64 = lines.last().unwrap()["score"]
        .as_array()
        .unwrap()
        .iter()
        .map(|g| g.as_f64().unwrap())
        .sum();
    let overtime = lines.iter().any(|l| l["clock"]["overtime"] == true);
    assert!(goals >= 1.0, "{goals}");
    // A kickoff after every goal but one that ends the game, and one for overtime.
    let least = goals as usize + usize::from(overtime);
    assert!((least..=least + 1).contains(&resets), "{resets} resets, {goals} goals");
}

#[test]
fn a_model_plays_the_first_match_of_an_evaluation() {
    let place = Place::with(&[("preset", ROCKET)]);
    place.ok("train preset.yml --steps 600 --set run.dir=run --set evaluation.every=null");
    let told = lines(&place.ok("rocket trace run --seed 5 --vs bot:rule --json"));
    let report = place.json("eval run --seed 5 --vs bot:rule --matches 1 --json");
    let end = told.last().unwrap();
    let total = end["totals"][0]["reward"].as_f64().unwrap();
    assert!((total - report["return_mean"].as_f64().unwrap()).abs() < 1e-2, "{end} {report}");
    assert_eq!(end["steps"].as_f64(), report["length_mean"].as_f64());
    let text = place.ok("rocket trace run/model.zip --sampled --steps 3");
    assert!(text.contains("plays itself"), "{text}");
    let error = place.fails("rocket trace run --set settings.team_size=2");
    assert!(error.contains("what the model sees"), "{error}");
}

#[test]
fn mistakes_are_named() {
    let place = Place::with(&[("duel", DUEL)]);
    for (line, word) in [
        ("rocket trace rocket/1v2", "1v2"),
        ("rocket trace duel.yml", "plays duel"),
        ("rocket trace --bot fox", "rule"),
        ("rocket trace --vs bot:fox", "rule"),
        ("rocket trace --steps 0", "--steps"),
        ("rocket trace missing/model.zip", "missing/model.zip"),
        ("rocket trace --set settings.teams.4v4=1", "settings.teams.4v4"),
        ("rocket trace --set settings.hitbox=fox", "dominus"),
        ("rocket trace --set settings.action_delay=99", "0 to 8"),
        ("train rocket/1v1 --set reward_sharing.team_spirit=2", "reward_sharing.team_spirit"),
        ("train classic/cartpole --set reward_sharing.zero_sum=true", "reward_sharing.zero_sum"),
    ] {
        let error = place.fails(line);
        assert!(error.contains(word), "{line}: {error}");
    }
}

#[test]
fn whole_games_and_shared_rewards_repeat_and_resume_exactly() {
    let place = Place::with(&[("preset", WHOLE)]);
    place.ok("train preset.yml --seed 3 --threads 1 --set run.dir=whole");
    let whole = place.bits("whole");
    place.ok("train preset.yml --seed 3 --threads 3 --until 1600 --set run.dir=paused");
    place.ok("train --resume paused");
    whole.assert_same(&place.bits("paused"), "one thread, and three with a pause");
    let other = "--set reward_sharing.zero_sum=false --set reward_sharing.team_spirit=0";
    place.ok(&format!("train preset.yml --seed 3 --set run.dir=selfish {other}"));
    assert!(whole.differs(&place.bits("selfish")), "sharing changes what is learnt");
}
