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
    assert!(svg.contains(">epochs=3 (2 seeds)<") && svg.contains(">epochs=1<"), "{svg}");
    assert!(svg.contains("Steps") && svg.contains("Mean return"));
    assert_eq!(svg.matches("fill-opacity").count(), 2, "the band, and a sign of it in the legend");
    place.ok("plot runs/pole runs/pole-2 --apart --x time --metric entropy --out apart.svg");
    let svg = fs::read_to_string(place.path("apart.svg")).unwrap();
    assert!(svg.contains("Training time") && !svg.contains("fill-opacity"));
    place.ok("plot runs/pole --metric return_mean,evaluation/return_mean --out two.svg");
    let svg = fs::read_to_string(place.path("two.svg")).unwrap();
    assert!(svg.contains(">Mean return<") && svg.contains(">Mean return in evaluations<"));
    let problem = place.fails("plot runs/pole --metric entropi --out x.svg");
    assert!(problem.contains("did you mean `entropy`"), "{problem}");
    let problem = place.fails("plot runs/pole --metric retrun_mean --out x.svg");
    assert!(problem.contains("did you mean `return_mean`"), "{problem}");
    assert!(place.fails("plot runs/pole --out x.gif").contains(".svg or .png"));
    // The same as pixels, twice as many as it is said to be wide unless told otherwise.
    let wide = |line: &str| {
        place.ok(&format!("plot runs/pole runs/pole-2 runs/other --out curve.png {line}"));
        let png = fs::read(place.path("curve.png")).unwrap();
        assert!(png.starts_with(b"\x89PNG"));
        (png[16..24].chunks(4).map(|n| u32::from_be_bytes(n.try_into().unwrap())))
            .collect::<Vec<_>>()
    };
    assert_eq!(wide(""), [1440, 880]);
    assert_eq!(wide("--scale 1 --size 400x300"), [400, 300]);
    assert!(place.fails("plot runs/pole --out x.png --scale 0").contains("0.25 to 8"));
    assert!(
        place.fails("plot runs/pole --out x.png --size 8000x8000 --scale 8").contains("--scale")
    );
}

#[test]
fn a_run_knows_its_preset_whatever_it_is_called_and_whatever_becomes_of_the_file() {
    let place = trained();
    place.ok("runs rename runs/pole-2 nobody");
    place.write("pole.yml", &FEED_FORWARD.replace("epochs: 3", "epochs: 2"));
    // Together: names of groups are unique among runs that are read at once.
    let of = |name: &str| {
        let all = place.json("runs list runs --json");
        let mut runs = all["runs"].as_array().unwrap().iter();
        runs.find(|run| run["name"] == name).unwrap_or_else(|| panic!("{name}: {all}")).clone()
    };
    for (run, changed) in [("pole", 0), ("nobody", 0), ("other", 1)] {
        let run = of(run);
        assert_eq!(run["preset"], "pole.yml", "{run}");
        assert_eq!(run["changed"].as_object().unwrap().len(), changed, "{run}");
    }
    assert_eq!(of("other")["changed"]["ppo.epochs"].as_f64(), Some(1.0));
    // Seeds are one group, another number is another.
    assert_eq!(of("pole")["group"], of("nobody")["group"]);
    assert_ne!(of("pole")["group"], of("other")["group"]);
    // A run that goes on keeps what it was begun with.
    place.ok("train --resume runs/other --steps 5000 --plain");
    assert_eq!(of("other")["preset"], "pole.yml");
    assert_eq!(of("other")["changed"]["ppo.epochs"].as_f64(), Some(1.0));
    // So does one that begins as a copy of it, and one of another file is another's.
    place.ok("train pole.yml --seed 1 --plain --set run.dir=runs/later");
    assert_eq!(of("later")["changed"].as_object().unwrap().len(), 0);
    assert_ne!(of("later")["group"], of("pole")["group"], "the file has changed between them");
}

#[cfg(unix)] // limits on files are set by a shell
#[test]
fn a_run_that_failed_says_why_and_one_that_was_killed_is_stopped() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use serde_json::Value;

    use crate::disk::limited;

    let place = Place::with(&[("pole", FEED_FORWARD)]);
    // Where no file may grow, metrics do not fit: that is an error, and it is written down.
    let line = "train pole.yml --set policy.hidden=[4] --set checkpoint.every=2000 --steps 12000";
    let error = limited(&place, 20, &format!("{line} --set run.dir=runs/full --plain"));
    assert!(error.contains("metrics.jsonl: File too large"), "{error}");
    // The other is killed as soon as it has saved something.
    let mut command =
        place.command("train pole.yml --set run.dir=runs/killed --steps 900000000 --plain");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !place.path("runs/killed/model.zip").is_file() {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing was saved");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let all = place.json("runs list runs --json");
    let of = |name: &str| {
        let runs = all["runs"].as_array().unwrap().iter();
        runs.clone().find(|run| run["name"] == name).unwrap_or_else(|| panic!("{all}")).clone()
    };
    assert_eq!(
        (&of("killed")["state"], &of("killed")["failure"]),
        (&"stopped".into(), &Value::Null)
    );
    let full = of("full");
    assert_eq!(full["state"], "failed");
    let message = full["failure"]["message"].as_str().unwrap();
    assert!(message.contains("metrics.jsonl: File too large"), "{message}");
    assert!(full["failure"]["steps"].as_u64().unwrap() > 0);
    let list = place.ok("runs");
    assert!(list.contains("failed") && list.contains("full: cannot write"), "{list}");
    let shown = place.ok("runs show runs/full");
    assert!(shown.contains("failed after") && shown.contains("File too large"), "{shown}");
    // Whoever trains on takes the note away.
    place.ok(&format!("{line} --set run.dir=runs/full --plain"));
    assert!(!place.path("runs/full/failure.json").exists());
    assert!(place.ok("runs show runs/full").contains("cartpole, finished"));
}
