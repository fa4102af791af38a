//! The presets that the program brings, and those that it writes.

use crate::support::{DUEL, FEED_FORWARD, HEADS, Place, RECURRENT, STACKED, metrics};

/// The names under `Presets` in the list of games.
fn embedded(place: &Place) -> Vec<String> {
    let out = place.ok("games");
    let presets = out.lines().skip_while(|l| !l.starts_with("Presets")).skip(1);
    let names = presets.take_while(|l| l.starts_with("  "));
    names.map(|l| l.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn every_embedded_preset_trains() {
    let place = Place::new();
    let presets = embedded(&place);
    assert!(presets.len() >= 5, "{presets:?}");
    // First what is cloned: others begin with it.
    let clones = |preset: &String| preset.contains("/clone");
    let (first, others): (Vec<String>, Vec<String>) = presets.into_iter().partition(clones);
    for preset in first.iter().chain(&others) {
        let run = preset.replace('/', "-");
        if preset.starts_with("vgc/")
            && let Err(error) = lanista_vgc::install::locate(None)
        {
            println!("skipped: {preset}: {error}");
            continue;
        }
        // Iterations of 100,000 steps show no more than shorter ones, and a battle is slow.
        let short = match preset.split('/').next() {
            Some("nh" | "rocket" | "survivors") => " --set rollout.horizon=16",
            Some("vgc") => {
                " --set rollout.matches=8 --set rollout.horizon=4 --set rollout.shard=4 --set \
                 ppo.minibatch=16 --set settings.limit_turns=2 --set settings.processes=1"
            }
            _ => "",
        };
        if clones(preset) {
            place.json(&format!(
                "clone {preset} --json --epochs 1 --set run.dir={run} --set evaluation.matches=2 --set \
                 clone.play.matches=8{short}"
            ));
            continue;
        }
        let begun = match preset.split_once("/anchored") {
            Some((game, _)) => {
                let model = first.iter().find(|clone| clone.starts_with(game)).unwrap();
                format!(" --from {}", model.replace('/', "-"))
            }
            None => String::new(),
        };
        let line = format!(
            "train {preset}{begun} --json --set run.dir={run} --set evaluation.matches=2{short}"
        );
        let first = place.json(&format!("{line} --steps 1"));
        let more = first["steps"].as_u64().unwrap() + 1;
        place.json(&format!("{line} --steps {more}"));
        let records = metrics(&place.path(&run));
        let iterations: Vec<_> = records.iter().filter(|r| r["evaluation"].is_null()).collect();
        // Three where nobody of those who learn had come into the game in the first.
        assert!((2..=3).contains(&iterations.len()), "{preset}");
        for record in iterations {
            for key in ["policy_loss", "value_loss", "entropy", "grad_norm"] {
                assert!(record[key].is_f64(), "{preset}: {key} in {record}");
            }
            assert_eq!(record["dropped_updates"], 0, "{preset}");
        }
    }
}

#[test]
fn the_configuration_of_a_run_is_a_preset_that_repeats_it() {
    for preset in [FEED_FORWARD, RECURRENT, DUEL, HEADS, STACKED] {
        let place = Place::with(&[("preset", preset)]);
        place.ok("train preset.yml --seed 9 --threads 1 --set run.dir=run");
        place.ok("train run/config.yml --set run.dir=again");
        place.bits("run").assert_same(&place.bits("again"), "a run, and its config.yml");
        let config = |run: &str| {
            let text = std::fs::read_to_string(place.path(run).join("config.yml")).unwrap();
            text.replace(&format!("dir: {run}\n"), "")
        };
        assert_eq!(config("run"), config("again"));
    }
}

#[test]
fn presets_import_embedded_ones_and_each_other() {
    let place = Place::with(&[
        ("base", "import: classic/cartpole\nrollout: { matches: 4 }\nppo: { minibatch: 64 }\n"),
        ("top", "import: base\nrollout: { horizon: 16 }\nrun: { seed: 5 }\n"),
    ]);
    let value = place.json("train top.yml --steps 1 --json");
    assert_eq!((value["steps"].as_u64(), value["seed"].as_u64()), (Some(64), Some(5)));
    let value = place.json("train top.yml --steps 1 --json --seed 6 --set rollout.matches=5");
    assert_eq!((value["steps"].as_u64(), value["seed"].as_u64()), (Some(80), Some(6)));
}

#[test]
fn rewards_are_weighed_on_the_command_line() {
    let place = Place::with(&[("preset", HEADS)]);
    let line = "train preset.yml --steps 1 --json --reward key=2 --reward lever=-0.5";
    let value = place.json(&format!("{line} --set run.dir=run"));
    let term = |i: usize| value["evaluation"]["terms"][i][1].as_f64().unwrap();
    assert_eq!(value["evaluation"]["terms"][0][0], "key");
    let weighed = 2.0 * term(0) - 0.5 * term(1);
    assert!((value["return_mean"].as_f64().unwrap() - weighed).abs() < 1e-6, "{value}");
    let config = std::fs::read_to_string(place.path("run/config.yml")).unwrap();
    assert!(config.contains("  key: 2.0\n  lever: -0.5\n"), "{config}");
}
