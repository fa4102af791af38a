//! Going back: to a milestone, in a new run or in place, and never by accident.

use std::fs;

use crate::support::{DUEL, LEAGUE, Place, checkpoints, metrics, text, tree};

fn milestones(place: &Place, run: &str) -> Vec<String> {
    let entries = fs::read_dir(place.path(run).join("milestones")).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_milestone_begins_a_new_run_that_repeats_what_followed() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=whole");
    let before = tree(&place.path("whole"));
    let all = milestones(&place, "whole");
    let stage = all.iter().find(|name| name.ends_with("-with-the-past")).unwrap();
    let said = place.ok(&format!("train --resume whole/milestones/{stage} --plain"));
    let new = format!("whole-from-{stage}");
    assert!(said.contains(&format!("{new} begins as a copy of whole at ")), "{said}");
    assert!(said.contains("whole stays as it is"), "{said}");
    assert!(before == tree(&place.path("whole")), "the run was touched");
    place.bits("whole").assert_same(&place.bits(&new), "one go, and one from a milestone");
    assert_eq!(milestones(&place, &new), all);
    for file in ["league/results.csv", "league/games.csv"] {
        let read = |run: &str| fs::read_to_string(place.path(run).join(file)).unwrap();
        assert_eq!(read("whole"), read(&new), "{file}");
    }
    // A directory of one's own choice, and one that is taken.
    place.ok(&format!("train --resume whole/milestones/{stage} --set run.dir=mine --until 1"));
    assert!(place.path("mine/checkpoints").is_dir());
    for file in ["config.yml", "exploiter-0.yml"] {
        assert!(place.path("mine").join(file).is_file(), "{file}: a run from its first moment");
    }
    let refused =
        place.fails(&format!("train --resume whole/milestones/{stage} --set run.dir=mine"));
    assert!(refused.contains("mine is not empty"), "{refused}");
}

#[test]
fn going_back_in_place_is_asked_for() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=whole");
    place.ok("train preset.yml --seed 3 --set run.dir=back");
    let stage =
        milestones(&place, "back").into_iter().find(|n| n.ends_with("-with-the-past")).unwrap();
    let line = format!("train --resume back/milestones/{stage} --overwrite --plain --until 1");
    let said = place.ok(&line);
    assert!(said.contains("back goes back to"), "{said}");
    assert!(said.contains("resuming back at"), "{said}");
    place.ok("train --resume back");
    place.bits("whole").assert_same(&place.bits("back"), "one go, and one that went back");
    assert_eq!(milestones(&place, "whole"), milestones(&place, "back"));
}

#[test]
fn overwriting_nothing_is_refused() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=run --until 2000");
    let milestone = milestones(&place, "run").remove(0);
    let before = tree(&place.path(""));
    for line in ["train preset.yml --overwrite", "train --resume run --overwrite"] {
        let refused = place.fails(line);
        assert!(refused.contains("--overwrite: only going back to a milestone"), "{refused}");
    }
    let line = format!("train --resume run/milestones/{milestone} --overwrite");
    let refused = place.fails(&format!("{line} --set run.dir=other"));
    assert!(refused.contains("drop it or --set run.dir"), "{refused}");
    let plan = place.ok(&format!("{line} --dry-run"));
    assert!(plan.contains("would train in run\n"), "{plan}");
    assert!(before == tree(&place.path("")), "something was touched");
}

#[test]
fn a_milestone_that_is_missing_or_damaged_costs_nothing() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=run");
    let stage = milestones(&place, "run").pop().unwrap();
    fs::write(place.path(&format!("run/milestones/{stage}/policy.safetensors")), b"no").unwrap();
    let before = tree(&place.path(""));
    for how in ["", " --overwrite"] {
        let refused = place.fails(&format!("train --resume run/milestones/nowhere{how}"));
        assert!(refused.contains("nowhere is no milestone"), "{refused}");
        let refused = place.fails(&format!("train --resume run/milestones/17{how}"));
        assert!(refused.contains("17"), "{refused}");
        let refused = place.fails(&format!("train --resume run/milestones/{stage}{how}"));
        assert!(refused.contains("policy.safetensors is damaged"), "{refused}");
    }
    assert!(before == tree(&place.path("")), "something was touched");
}

#[test]
fn milestones_say_what_they_are() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=run");
    let all = milestones(&place, "run");
    let lines = metrics(&place.path("run"));
    for name in &all {
        let path = place.path(&format!("run/milestones/{name}/meta.json"));
        let meta: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let line = lines.iter().find(|l| l["steps"] == meta["steps"]).unwrap();
        for (key, of) in
            [("mean_reward", "return_mean"), ("entropy", "entropy"), ("approx_kl", "approx_kl")]
        {
            assert_eq!(meta[key], line[of], "{name}: {key}");
            assert!(meta[key].is_number(), "{name}: {meta}");
        }
        assert!(meta["time"]["seconds"].as_f64().unwrap() > 0.0, "{meta}");
        assert!(meta["stage"].is_string(), "{meta}");
    }
    assert!(all.len() >= 3, "{all:?}");
}

#[test]
fn without_its_checkpoints_a_run_is_not_begun_anew() {
    let place = Place::with(&[("preset", LEAGUE)]);
    place.ok("train preset.yml --seed 3 --set run.dir=run");
    fs::remove_dir_all(place.path("run/checkpoints")).unwrap();
    let before = tree(&place.path("run"));
    for line in ["train --resume run", "train preset.yml --set run.dir=run"] {
        let refused = place.fails(line);
        assert!(refused.contains("its checkpoints are gone"), "{refused}");
        let offered = format!("train --resume run/milestones/{}", milestones(&place, "run")[0]);
        assert!(refused.contains(&offered), "{refused}");
    }
    assert!(before == tree(&place.path("run")), "the run was touched");
    // What is offered works.
    place.ok(&format!("train --resume run/milestones/{}", milestones(&place, "run")[0]));
}

#[test]
fn a_resume_says_what_it_changes() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --seed 3 --set run.dir=run --until 1000");
    let said = place.ok("train --resume run --until 1500 --plain");
    assert!(!said.contains("changed since"), "{said}");
    let said = place
        .ok("train --resume run --until 2000 --steps 9000 --set ppo.epochs=3 --seed 4 --plain");
    for change in ["stop.steps: 4000 → 9000", "ppo.epochs: 2", "run.seed: 3 → 4"] {
        assert!(
            said.contains(&format!("changed since it was saved: {change}")),
            "{change}: {said}"
        );
    }
    assert_eq!(said.matches("changed since").count(), 3, "{said}");
}

#[test]
fn a_damaged_configuration_is_replaced_by_the_one_that_was_kept() {
    let place = Place::with(&[("preset", DUEL)]);
    place.ok("train preset.yml --seed 3 --set run.dir=whole");
    place.ok("train preset.yml --seed 3 --set run.dir=run --until 2000");
    let damaged = "game: du\0el\nppo: {";
    fs::write(place.path("run/config.yml"), damaged).unwrap();
    let output = place.run("train --resume run");
    let warning = text(&output.stderr);
    assert!(output.status.success(), "{warning}");
    assert!(warning.contains("run/config.yml is damaged"), "{warning}");
    assert!(warning.contains("the original is run/config.yml.damaged"), "{warning}");
    assert_eq!(fs::read_to_string(place.path("run/config.yml.damaged")).unwrap(), damaged);
    place.bits("whole").assert_same(&place.bits("run"), "never damaged, and damaged");
    // An altered number is no damage that shows, but it is told.
    place.ok("train preset.yml --seed 3 --set run.dir=other --until 2000");
    let path = place.path("other/config.yml");
    let config = fs::read_to_string(&path).unwrap();
    fs::write(&path, config.replace("0.002", "0.003")).unwrap();
    let said = place.ok("train --resume other --plain");
    assert!(said.contains("ppo.learning_rate: 0.002 → 0.003"), "{said}");
    assert_eq!(checkpoints(&place.path("run")), checkpoints(&place.path("whole")));
}
