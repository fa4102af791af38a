//! A run that was stopped goes on as if it had never stopped.

use std::fs;

use lanista_nn::Arrays;

use crate::support::{
    DUEL, FEED_FORWARD, HEADS, LEAGUE, NH, Place, RECURRENT, ROCKET, STACKED, TWO_ROLES,
    checkpoints, newest_checkpoint, text,
};

/// Trains a preset in one go, and in two goes with a pause that is neither a multiple of the
/// checkpoint interval nor between episodes, resumed by both ways that there are.
fn a_pause_changes_nothing(preset: &str, pause: u64) {
    let place = Place::with(&[("preset", preset)]);
    place.ok("train preset.yml --seed 3 --set run.dir=whole");
    let whole = place.bits("whole");
    assert!(whole.steps() > 3 * pause / 2, "the pause is about half way");

    for run in ["again", "resumed"] {
        place.ok(&format!("train preset.yml --seed 3 --until {pause} --set run.dir={run}"));
        assert_ne!(checkpoints(&place.path(run)).last().unwrap() % 1000, 0);
        assert!(matches_are_under_way(&place, run));
    }
    place.ok("train preset.yml --seed 3 --set run.dir=again");
    whole.assert_same(&place.bits("again"), "one go, and two by the same command");
    place.ok("train --resume resumed");
    whole.assert_same(&place.bits("resumed"), "one go, and two by --resume");
}

fn matches_are_under_way(place: &Place, run: &str) -> bool {
    let file = newest_checkpoint(&place.path(run)).join("matches.safetensors");
    let mut arrays = Arrays::from_bytes(&fs::read(file).unwrap()).unwrap();
    arrays.take_u32("log_length").unwrap().iter().any(|&length| length > 0)
}

#[test]
fn feed_forward_runs_resume_exactly() {
    a_pause_changes_nothing(FEED_FORWARD, 2300);
}

#[test]
fn recurrent_runs_resume_exactly() {
    a_pause_changes_nothing(RECURRENT, 2020);
}

#[test]
fn duels_against_itself_and_a_bot_resume_exactly() {
    a_pause_changes_nothing(DUEL, 2100);
}

#[test]
fn rocket_matches_with_scripted_players_resume_exactly() {
    a_pause_changes_nothing(ROCKET, 2100);
}

#[test]
fn leagues_and_curricula_resume_exactly() {
    a_pause_changes_nothing(LEAGUE, 2020);
}

#[test]
fn two_roles_resume_exactly() {
    a_pause_changes_nothing(TWO_ROLES, 2020);
}

#[test]
fn no_honour_fights_resume_exactly() {
    a_pause_changes_nothing(NH, 2050);
}

#[test]
fn a_run_keeps_what_its_exploiters_train_with() {
    let league = "
import: duel.yml
opponents: { self: null, bot:random: 0.3, past: 0.5 }
league: { every: 400 }
exploiters: [{ preset: own.yml, rollouts: 3, start: scratch }]
";
    let own = "import: duel.yml\nppo: { learning_rate: 1e-3 }\n";
    let place = Place::with(&[("duel", DUEL), ("league", league), ("own", own)]);
    place.ok("train league.yml --seed 3 --set run.dir=whole");
    place.ok("train league.yml --seed 3 --set run.dir=half --until 1500");
    fs::write(place.path("own.yml"), "import: duel.yml\nppo: { learning_rate: 0.05 }\n").unwrap();
    place.ok("train --resume half");
    place.bits("whole").assert_same(&place.bits("half"), "one go, and one with a changed file");
    // A flag about exploiters reads the preset that it names.
    fs::remove_file(place.path("own.yml")).unwrap();
    let refused = place.fails("train --resume half --steps 6000 --set exploiters.0.rollouts=5");
    assert!(refused.contains("exploiters.0.preset") && refused.contains("own.yml"), "{refused}");
}

#[test]
fn resume_without_a_path_takes_the_newest_run_that_fits_or_begins_one() {
    let place = Place::with(&[("preset", DUEL)]);
    let new = place.run("train preset.yml --resume --until 1000 --plain");
    assert!(text(&new.stderr).contains("a new one begins"), "{}", text(&new.stderr));
    let fits = place.ok("train preset.yml --resume --until 1500 --plain");
    assert!(fits.contains("resuming preset at"), "{fits}");
    let other = place.run("train preset.yml --resume --until 1000 --plain --set policy.hidden=[9]");
    assert!(text(&other.stderr).contains("the network (policy) differs"));
    assert!(place.path("runs/preset-2").is_dir());
    let none = place.fails("train preset.yml --pick");
    assert!(none.contains("no milestones of preset"), "{none}");
}

#[test]
fn dependent_heads_resume_exactly() {
    a_pause_changes_nothing(HEADS, 2100);
}

#[test]
fn stacks_noise_and_novelty_resume_exactly() {
    a_pause_changes_nothing(STACKED, 2100);
}

#[test]
fn a_finished_run_trained_further_equals_a_longer_run() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --set run.dir=whole");
    place.ok("train preset.yml --set run.dir=again --steps 2300");
    place.ok("train preset.yml --set run.dir=again");
    place.ok("train preset.yml --set run.dir=resumed --steps 2300");
    place.ok("train --resume resumed --steps 4600");
    let whole = place.bits("whole");
    whole.assert_same(&place.bits("again"), "one run, and a shorter one by the same command");
    whole.assert_same(&place.bits("resumed"), "one run, and a shorter one by --resume");
}

#[test]
fn many_pauses_change_nothing() {
    let place = Place::with(&[("preset", RECURRENT)]);
    place.ok("train preset.yml --set run.dir=whole");
    for pause in (300..4000).step_by(600) {
        let threads = 1 + pause % 4;
        let line = format!("train preset.yml --until {pause} --threads {threads}");
        place.ok(&format!("{line} --set run.dir=parts"));
    }
    place.ok("train --resume parts");
    place.bits("whole").assert_same(&place.bits("parts"), "one go, and eight");
}

#[test]
fn a_finished_run_has_nothing_left_to_do() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --set run.dir=run");
    let before = place.bits("run");
    for _ in 0..2 {
        place.ok("train preset.yml --set run.dir=run");
        before.assert_same(&place.bits("run"), "a finished run, and the same trained again");
    }
}

#[test]
fn resume_without_a_path_finds_the_newest_run_of_the_preset() {
    let place = Place::with(&[("mine", FEED_FORWARD), ("mine-too", FEED_FORWARD)]);
    place.ok("train mine.yml --until 400");
    place.ok("train mine.yml --until 800");
    place.ok("train mine-too.yml --until 1200");
    assert_eq!(place.bits("runs/mine").steps(), 768);
    let out = place.ok("train mine.yml --until 1500 --resume");
    assert!(out.starts_with("resuming mine-2 at 1152 steps"), "{out}");
    assert_eq!(place.bits("runs/mine").steps(), 768);
    assert_eq!(place.bits("runs/mine-2").steps(), 1536);
    assert_eq!(place.bits("runs/mine-too").steps(), 1536);
}

#[test]
fn a_run_that_is_named_must_exist() {
    let place = Place::with(&[("mine", FEED_FORWARD)]);
    let error = place.fails("train --resume elsewhere");
    assert!(error.contains("elsewhere is no run"), "{error}");
    assert!(!place.path("elsewhere").exists());
}

#[test]
fn other_settings_of_the_game_start_its_matches_anew() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --until 1200 --set run.dir=run");
    let output = place.run("train preset.yml --set run.dir=run --set settings.limit=100");
    let out = text(&output.stdout);
    assert!(output.status.success() && out.contains("the matches start anew"), "{out}");
    assert_eq!(place.bits("run").steps(), 4608);
}
