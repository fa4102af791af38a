//! What is written on the command line: numbers, names that are nearly right, and who is blamed.

use crate::support::{FEED_FORWARD, Place, text};

#[test]
fn counts_are_written_as_in_yaml() {
    let place = Place::with(&[
        ("preset", FEED_FORWARD),
        ("short", "import: preset\nstop: { steps: 0.4k }"),
    ]);
    let line = "train preset.yml --json --set evaluation.every=null";
    for (number, steps) in
        [("--steps 0.4k", "a"), ("--steps 4e2", "b"), ("--steps 4_00", "c"), ("--steps 400", "d")]
    {
        let value = place.json(&format!("{line} {number} --seed 1_0 --set run.dir={steps}"));
        assert_eq!((value["steps"].as_u64(), value["seed"].as_u64()), (Some(768), Some(10)));
        place.bits(steps).assert_same(&place.bits("a"), number);
    }
    let value = place.json("train short.yml --json --set checkpoint.every=1M --set ppo.epochs=1e0");
    assert_eq!(value["steps"], 768, "a suffix in a file and in --set");
    let value = place.json("train preset.yml --json --steps 1M --until 1k --set run.dir=until");
    assert_eq!((value["steps"].as_u64(), value["ended"].as_str()), (Some(1152), Some("paused")));
    let value = place.json("eval a --matches 1e1 --json");
    assert_eq!(value["matches"], 10);
    let value = place.json("bench game duel --matches 0.01k --threads 1 --seconds 0.05 --json");
    assert_eq!(value["matches"], 10);
}

#[test]
fn settings_of_a_game_take_counts_too() {
    let place = Place::new();
    let value = place.json("games duel --set settings.rounds=0.1k --json");
    let rounds = value["settings"].as_array().unwrap().iter().find(|s| s["name"] == "rounds");
    assert_eq!(rounds.unwrap()["value"], 100);
    place.json("train classic/duel --set settings.rounds=1e1 --steps 1 --json --set run.dir=run");
    let config = std::fs::read_to_string(place.path("run/config.yml")).unwrap();
    assert!(config.contains("rounds: 10\n"), "{config}");
}

#[test]
fn what_is_no_count_is_refused_by_the_flag() {
    let place = Place::new();
    for (line, flag, reason) in [
        ("train --steps 0.5", "--steps", "no fraction"),
        ("train --steps -5", "--steps", "not negative"),
        ("train --until=-1k", "--until", "not negative"),
        ("train --steps 99999999999G", "--steps", "too large"),
        ("train --seed 1.5", "--seed", "no fraction"),
        ("train --threads many", "--threads", "not a count"),
        ("eval run --matches 1e-3", "--matches", "no fraction"),
        ("league run --crossplay --matches x", "--matches", "not a count"),
        ("bench infer classic/duel --batch 1.5", "--batch", "no fraction"),
    ] {
        let error = place.fails(line);
        assert!(error.contains(flag) && error.contains(reason), "{line}: {error}");
        let right = if reason == "too large" { "18446744073709551615" } else { "5M" };
        assert!(error.contains(right), "{line} shows what is right: {error}");
    }
}

#[test]
fn mistakes_are_blamed_on_the_flag_or_file_that_has_them() {
    let place = Place::with(&[
        ("base", "game: duel\nrewards: { won: 1 }\nppo:\n  epochs: many\n"),
        ("top", "import: base\nrollout: { matches: 4 }\n"),
        (
            "staged",
            "import: classic/duel\ncurriculum:\n  - { name: a, until: { steps: 100 } }\n  \
             - name: b\n    changes:\n      ppo: { epochs: few }\n",
        ),
        (
            "other",
            "import: classic/duel\nopponents:\n  bot:random: 0.1\n  bot:nobody.at.all: 0.1\n",
        ),
    ]);
    for (line, said) in [
        ("train classic/duel --threads 0", "'--threads <THREADS>': it is at least 1"),
        ("train top.yml", "ppo.epochs in base.yml (line 4)"),
        ("train top.yml --set rollout.matches=0 --set ppo.epochs=1", "rollout.matches in --set"),
        ("train classic/duel --reward won=high", "rewards.won in --reward"),
        ("train other.yml", "opponents.bot:nobody.at.all in other.yml (line 4)"),
        ("games duel --set settings.rounds=0", "settings.rounds in --set"),
    ] {
        let error = place.fails(line);
        assert!(error.contains(said), "{line}: {error}");
    }
    let error = place.fails("train staged.yml");
    assert!(error.contains("stage `b`") && error.contains("staged.yml (line 6)"), "{error}");
    assert!(!error.contains("--set"), "{error}");
}

#[test]
fn a_name_that_is_nearly_right_gets_the_few_nearest() {
    let place = Place::new();
    let error = place.fails("train rokcet/1v1");
    assert!(error.contains("did you mean `rocket/1v1`"), "{error}");
    assert!(error.contains("`lanista games` lists the presets"), "{error}");
    assert!(!error.contains("classic/"), "only what is near: {error}");
    assert!(error.matches('/').count() <= 4, "at most three: {error}");
}

#[test]
fn what_is_no_preset_is_told_apart() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --until 1k --set run.dir=run --set checkpoint.milestones=500");
    let error = place.fails("train run");
    assert!(error.contains("run is a run, not a preset"), "{error}");
    assert!(error.contains("`lanista train --resume run`"), "{error}");
    let milestone =
        std::fs::read_dir(place.path("run/milestones")).unwrap().next().unwrap().unwrap();
    let name = milestone.file_name().into_string().unwrap();
    let error = place.fails(&format!("train run/milestones/{name}"));
    assert!(error.contains("is a milestone of a run"), "{error}");
    let error = place.fails("bench train run/model.zip");
    assert!(error.contains("is a model, not a preset: `lanista eval run/model.zip`"), "{error}");
    let error = place.fails("train run/checkpoints");
    assert!(error.contains("run/checkpoints is a directory"), "{error}");
}

#[test]
fn what_to_do_next_can_be_copied_and_is_above_the_budget() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let mut command = place.command("train preset.yml --set stop.return=1 --steps 50k --set");
    let output = command.arg("run.dir=my runs/it's").output().unwrap();
    let out = text(&output.stdout);
    assert!(output.status.success(), "{out}{}", text(&output.stderr));
    let next: Vec<&str> = out.lines().skip_while(|l| !l.ends_with("Next:")).collect();
    let resume = next.iter().find(|l| l.contains("--resume")).unwrap();
    let steps = resume.split("--steps ").nth(1).and_then(|s| s.split(' ').next()).unwrap();
    assert!(steps.parse::<u64>().unwrap() > 50_000, "{resume}");
    #[cfg(unix)]
    {
        let line = resume.split("   ").next().unwrap().replace(steps, "60k") + " --until 1k";
        let mut shell = std::process::Command::new("sh");
        let output = shell.args(["-c", &line]).current_dir(place.path("")).output().unwrap();
        assert!(output.status.success(), "{line}\n{}", text(&output.stderr));
    }
}

#[test]
fn the_version_names_the_commit() {
    let out = Place::new().ok("--version");
    let commit = out.trim().strip_prefix(concat!("lanista ", env!("CARGO_PKG_VERSION"))).unwrap();
    let hash = commit.trim().trim_start_matches('(').trim_end_matches(')');
    // Outside of a repository there is none.
    assert!(commit.is_empty() || (hash.len() == 10 && hash.chars().all(|c| c.is_ascii_hexdigit())));
    let git = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.git");
    assert_eq!(git.exists(), !commit.is_empty(), "{out}");
}

#[test]
fn shells_complete_the_command_line() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let out = place.ok(&format!("completions {shell}"));
        assert!(out.contains("lanista") && out.contains("dry-run"), "{shell}");
    }
    let error = place.fails("completions tcsh");
    assert!(error.contains("bash"), "{error}");
}

/// Runs the script in a shell, if there is one, and completes a preset.
#[cfg(unix)]
#[test]
fn bash_takes_the_script_and_completes_a_preset() {
    let place = Place::new();
    let script = place.ok("completions bash");
    place.write("lanista.bash", &script);
    let words = "source ./lanista.bash; COMP_WORDS=(lanista train classic/cartp); COMP_CWORD=2; \
                 _lanista lanista classic/cartp train; echo \"${COMPREPLY[@]}\"";
    let Ok(output) = std::process::Command::new("bash")
        .args(["--norc", "-c", words])
        .current_dir(place.path(""))
        .output()
    else {
        eprintln!("no bash here");
        return;
    };
    let out = text(&output.stdout);
    assert!(out.contains("classic/cartpole"), "{out}{}", text(&output.stderr));
}
