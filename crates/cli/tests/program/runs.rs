//! `lanista runs` and `lanista plot`.

use std::fs;

use crate::support::{FEED_FORWARD, Place};

fn trained() -> Place {
    let place = Place::with(&[("pole", FEED_FORWARD)]);
    for seed in 1..=2 {
        place.ok(&format!("train pole.yml --seed {seed} --plain"));
    }
    place.ok("train pole.yml --seed 1 --plain --set ppo.epochs=1 --set run.dir=runs/other");
    place
}

#[test]
fn runs_are_listed_shown_and_compared() {
    let place = trained();
    let list = place.ok("runs");
    for part in ["pole", "pole-2", "other", "finished", "100 %"] {
        assert!(list.contains(part), "{part}: {list}");
    }
    let all = place.json("runs list runs --json");
    assert_eq!(all["runs"].as_array().unwrap().len(), 3);
    let shown = place.ok("runs show runs/pole");
    assert!(shown.contains("cartpole, finished") && shown.contains("return_mean"), "{shown}");
    let compared = place.ok("runs compare runs/pole runs/other");
    let epochs =
        compared.lines().find(|line| line.trim().starts_with("ppo.epochs")).expect("it differs");
    assert_eq!(epochs.split_whitespace().collect::<Vec<_>>(), ["ppo.epochs", "3", "1"]);
    assert!(!compared.contains("ppo.minibatch"), "{compared}");
    assert!(place.fails("runs show runs/none").contains("is no run"));
    assert!(place.fails("runs list none").contains("no directory"));
}

#[test]
fn runs_are_renamed_pruned_and_removed_but_never_while_they_train() {
    let place = trained();
    place.ok("runs rename runs/other better");
    assert!(place.path("runs/better/config.yml").is_file() && !place.path("runs/other").exists());
    assert!(place.fails("runs rename runs/better pole").contains("exists already"));
    assert!(place.fails("runs rename runs/better ../x").contains("no name"));
    let checkpoints =
        |run: &str| fs::read_dir(place.path(run).join("checkpoints")).unwrap().count();
    assert!(checkpoints("runs/pole") > 1);
    assert!(place.fails("runs prune runs").contains("--yes"), "nobody can be asked");
    let lock = fs::File::open(place.path("runs/pole-2/lock")).unwrap();
    lock.try_lock().unwrap();
    let pruned = place.json("runs prune runs --yes --json");
    assert!(pruned["bytes"].as_u64().unwrap() > 0);
    assert_eq!(checkpoints("runs/pole"), 1);
    assert!(checkpoints("runs/pole-2") > 1, "it is being trained");
    let refused = place.fails("runs remove runs/pole runs/pole-2 --yes");
    assert!(refused.contains("is being trained"), "{refused}");
    assert!(place.path("runs/pole").is_dir(), "none of them goes");
    drop(lock);
    place.ok("runs remove runs/pole runs/pole-2 --yes");
    assert!(!place.path("runs/pole").exists() && place.path("runs/better").is_dir());
    assert!(place.fails("runs remove runs --yes").contains("is no run"));
    // What was pruned goes on.
    place.ok("train --resume runs/better --plain");
}

#[test]
fn seeds_become_a_band() {
    let place = trained();
    let said = place.ok("plot runs/pole runs/pole-2 runs/other --smooth 3rows --out curve.svg");
    assert!(said.contains("curve.svg"), "{said}");
    let svg = fs::read_to_string(place.path("curve.svg")).unwrap();
    assert!(svg.contains("pole (2 seeds)") && svg.contains(">other<"), "{svg}");
    assert!(svg.contains("Steps") && svg.contains("return_mean"));
    assert_eq!(svg.matches("fill-opacity").count(), 1);
    place.ok("plot runs/pole runs/pole-2 --apart --x time --metric entropy --out apart.svg");
    let svg = fs::read_to_string(place.path("apart.svg")).unwrap();
    assert!(svg.contains("Training time") && !svg.contains("fill-opacity"));
    let problem = place.fails("plot runs/pole --metric entropi --out x.svg");
    assert!(problem.contains("did you mean `entropy`"), "{problem}");
    assert!(place.fails("plot runs/pole --out x.gif").contains(".svg"));
}
