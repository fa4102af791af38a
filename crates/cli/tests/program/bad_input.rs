//! What the user can get wrong: the message names what and where, and nothing is lost.

use std::fs;
use std::process::Stdio;

use crate::support::{DUEL, FEED_FORWARD, Place, Running, slashes, text, tree};

/// Runs the program, which must fail, say all of this and leave nothing behind.
fn refused(place: &Place, line: &str, said: &[&str]) {
    let before = tree(&place.path(""));
    let error = place.fails(line);
    for part in said {
        assert!(error.contains(part), "lanista {line}\n{error}\ndoes not say `{part}`");
    }
    assert!(before == tree(&place.path("")), "lanista {line} changed files");
    assert!(!place.path("runs").exists(), "lanista {line} began a run");
}

#[test]
fn names_that_do_not_exist() {
    let place = Place::with(&[("duel", DUEL), ("ff", FEED_FORWARD)]);
    for (line, said) in [
        ("train classic/cartpol", ["classic/cartpol", "did you mean `classic/cartpole`?"]),
        ("train cartpole", ["no file called `cartpole`", "did you mean `classic/cartpole`?"]),
        ("train nowhere.yml", ["nowhere.yml", "`lanista games` lists the presets"]),
        ("train --set game=legl", ["game in --set: no game `legl`", "did you mean `legal`?"]),
        ("train --set game=chess", ["no game `chess`", "cartpole, cartpole-novel, legal, levers"]),
        ("games dule", ["no game `dule`", "did you mean `duel`?"]),
        ("bench game dule", ["no game `dule`", "did you mean `duel`?"]),
        ("bench train classic/levres", ["classic/levres", "did you mean `classic/levers`?"]),
        ("bench infer classic/levres", ["classic/levres", "did you mean `classic/levers`?"]),
        (
            "train duel.yml --set opponents.bot:randm=1",
            ["opponents.bot:randm in --set", "did you mean `bot:random`?"],
        ),
        (
            "train duel.yml --set evaluation.vs=bot:biasd",
            ["evaluation.vs in --set", "did you mean `bot:biased`?"],
        ),
        (
            "train ff.yml --reward balence=1",
            ["rewards.balence in --reward", "did you mean `balance`?"],
        ),
        (
            "train ff.yml --set ppo.minbatch=64",
            ["unknown key `ppo.minbatch` in --set", "did you mean `minibatch`?"],
        ),
        (
            "train rocket/1v1 --set settings.team_size=9",
            ["settings.team_size in --set", "it is 1, 2 or 3"],
        ),
        (
            "train rocket/1v1 --set settings.team_size=0",
            ["settings.team_size in --set", "it is 1, 2 or 3"],
        ),
        (
            "train rocket/1v1 --set settings.collision_meshes=nowhere",
            ["settings.collision_meshes in --set", "nowhere"],
        ),
        ("train rocket/1v1 --reward tuch=1", ["rewards.tuch in --reward", "did you mean `touch`?"]),
        (
            r#"train ff.yml --set observation.noise=[{"features":["angel"],"scale":1}]"#,
            ["observation.noise.0.features.0 in --set", "did you mean `angle`?"],
        ),
        (
            "train ff.yml --set settings.limits=9",
            ["settings.limits in --set", "unknown field `limits`, expected `limit`"],
        ),
    ] {
        refused(&place, line, &said);
    }
}

#[test]
fn values_that_make_no_sense() {
    let place = Place::with(&[("duel", DUEL), ("ff", FEED_FORWARD)]);
    for (line, said) in [
        ("train ff.yml --set ppo.epochs=four", ["ppo.epochs in --set", "four"]),
        ("train ff.yml --set policy.hidden=wide", ["policy.hidden in --set", "wide"]),
        ("train ff.yml --set rollout.matches=2.5", ["rollout.matches in --set", "2.5"]),
        ("train ff.yml --set rollout.matches=0", ["rollout.matches in --set", "at least 1"]),
        ("train ff.yml --set rollout.horizon=0", ["rollout.horizon in --set", "at least 1"]),
        ("train ff.yml --set ppo.learning_rate=-1", ["ppo.learning_rate in --set", "at least 0"]),
        ("train ff.yml --set ppo.gamma=2", ["ppo.gamma in --set", "at most 1"]),
        ("train ff.yml --set ppo.minibatch=385", ["ppo.minibatch in --set", "batch of 384"]),
        ("train ff.yml --set ppo.minibatch=0", ["ppo.minibatch in --set", "at least 1"]),
        ("train ff.yml --set checkpoint.every=0", ["checkpoint.every in --set", "at least 1"]),
        ("train ff.yml --threads 0", ["--threads", "at least 1"]),
        ("train ff.yml --reward balance=0", ["rewards", "weigh at least one of: balance"]),
        ("train ff.yml --reward balance=null", ["rewards", "weigh at least one of: balance"]),
        ("train duel.yml --set opponents.past=0.8", ["opponents", "sum to 1.8"]),
        ("train duel.yml --set exploiters=[{}]", ["exploiters", "set opponents.past"]),
        (
            r#"train nh/exploiter --set exploiters=[{"rollouts":0}]"#,
            ["exploiters.0.rollouts", "at least 1"],
        ),
        (
            r#"train nh/exploiter --set exploiters=[{"preset":"nh/small"}]"#,
            ["exploiters.0.preset", "another network"],
        ),
        (
            r#"train nh/exploiter --set exploiters=[{"preset":"rocket/1v1"}]"#,
            ["exploiters.0.preset", "name a preset of nh"],
        ),
        ("train duel.yml --set league.sampler=fancy", ["league.sampler", "prioritized"]),
        ("train duel.yml --set league.pool=0", ["league.pool", "at least 1"]),
        ("train duel.yml --set league.anchor=self", ["league.anchor", "bot:NAME"]),
        ("train duel.yml --set league.delay_chance=2", ["league.delay_chance", "at most 1"]),
        ("train duel.yml --set opponents.self=-1", ["opponents.self in --set", "at least 0"]),
        ("train ff.yml --set settings.limit=0", ["settings.limit in --set", "1"]),
        ("train ff.yml --set observation.stack=0", ["observation.stack in --set", "1 and 1000"]),
        ("train ff.yml --set observation.stack=[0,2,2]", ["observation.stack in", "listed twice"]),
        ("train ff.yml --set observation.stack=few", ["observation.stack in", "such as [0, 1, 3]"]),
        (
            r#"train ff.yml --set observation.noise=[{"features":[0,4],"scale":1}]"#,
            ["observation.noise.0.features.1 in --set", "the last one, 3 (`angular_velocity`)"],
        ),
        (
            r#"train ff.yml --set observation.noise=[{"features":[0],"scale":-1}]"#,
            ["observation.noise.0.scale in --set", "from 0 to"],
        ),
        ("train ff.yml --set ppo.novelty=-1", ["ppo.novelty in --set", "at least 0"]),
        ("train ff.yml --set ppo.novelty=0.1", ["ppo.novelty", "normalize_observations=true"]),
        ("train ff.yml --set ppo.epochs", ["--set ppo.epochs: no `=`", "--set key.path=value"]),
        ("train ff.yml --set ppo.epochs=[1", ["--set ppo.epochs=[1", "not YAML"]),
        ("train ff.yml --reward balance", ["--reward balance: no `=`", "--reward term=weight"]),
        ("train ff.yml --steps many", ["--steps", "many"]),
        ("bench infer classic/cartpole --batch 0", ["--batch 0", "at least one row"]),
        ("bench game cartpole --matches 0", ["--matches", "at least 1"]),
    ] {
        refused(&place, line, &said);
    }
}

#[test]
fn presets_that_are_no_presets() {
    let place = Place::with(&[
        ("open", "game: cartpole\nppo: {epochs: [1\n"),
        ("twice", "game: cartpole\nrun: { seed: 1 }\ngame: duel\n"),
        ("list", "- game\n- cartpole\n"),
        ("empty", ""),
        ("typo", "game: cartpole\n\nrewards: { balance: 1 }\nrolout: { matches: 8 }\n"),
        ("deep", "import: classic/cartpole\nppo:\n  epochs: 4\n  gamma: 1.5\n"),
        ("ring", "import: round\n"),
        ("round", "import: ring\n"),
        ("lost", "game: cartpole\nimport: nobody\n"),
    ]);
    for (preset, said) in [
        ("open", ["open.yml, line 2", "["]),
        ("twice", ["twice.yml, line 3", "duplicate"]),
        ("list", ["list.yml", "a preset is a map of keys"]),
        ("empty", ["game", "no game is named"]),
        ("typo", ["unknown key `rolout` in typo.yml (line 4)", "did you mean `rollout`?"]),
        ("deep", ["ppo.gamma in deep.yml (line 4)", "at most 1"]),
        ("ring", ["import one another in a circle", "ring.yml -> round.yml -> ring.yml"]),
        ("lost", ["`nobody`", "imported by lost.yml (line 2)"]),
    ] {
        refused(&place, &format!("train {preset}.yml"), &said);
    }
}

#[test]
fn evaluations_that_cannot_be() {
    let place = Place::with(&[("duel", DUEL), ("ff", FEED_FORWARD)]);
    place.ok("train duel.yml --steps 1 --set run.dir=duel");
    place.ok("train ff.yml --steps 1 --set run.dir=ff");
    for (line, said) in [
        ("eval duel --vs bot:randm", ["--vs", "did you mean `bot:random`?"]),
        ("eval duel --vs random", ["--vs", "did you mean `bot:random`?"]),
        ("eval ff --vs bot:random", ["--vs bot:random", "nobody to play against"]),
        ("eval ff --matches 0", ["--matches 0", "at least one match"]),
        ("eval elsewhere", ["elsewhere holds no model.zip", "lanista train"]),
        ("eval ff.yml", ["ff.yml is not a sound model", ""]),
    ] {
        refused(&place, line, &said);
    }
}

#[test]
fn a_run_of_another_network_is_refused_and_left_alone() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.ok("train preset.yml --until 800 --set run.dir=run");
    for (change, differs) in [
        ("policy.hidden=[16,24]", "actor.hidden.1.weight is [16, 16] in the file and [16, 24]"),
        ("policy.hidden=[16]", "superfluous actor.hidden.1.bias, actor.hidden.1.weight"),
        ("policy.memory={cell:\u{20}gru,\u{20}size:\u{20}8}", "memory"),
        ("game=cartpole-novel", "actor.hidden.0.weight is [4, 16] in the file and [2, 16]"),
    ] {
        let before = tree(&place.path("run"));
        let mut command = place.command("train preset.yml --set run.dir=run --set");
        let output = command.arg(change).output().unwrap();
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{change}: {error}");
        assert!(error.contains("policy.safetensors holds another network"), "{error}");
        assert!(error.contains(differs), "{change}: {error}");
        assert!(error.contains("--set run.dir=DIR"), "{error}");
        assert!(before == tree(&place.path("run")), "{change} changed the run");
    }
    place.ok("train --resume run");
}

#[test]
fn a_second_process_may_not_train_in_the_same_run() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    let line = "train preset.yml --set run.dir=run";
    let mut first = Running::start(place.command(&format!("{line} --steps 1000000000")));
    first.wait_for("steps ");
    for second in [line, "train --resume run"] {
        let error = place.fails(second);
        assert!(error.contains("another process is training in run"), "{error}");
    }
    assert!(first.child.try_wait().unwrap().is_none(), "the first process was disturbed");
    first.child.kill().unwrap();
    first.child.wait().unwrap();
    place.ok(&format!("{line} --steps 1 --json"));
}

#[test]
fn a_file_in_the_way_of_the_run_is_left_alone() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    place.write("taken", "mine");
    refused(&place, "train preset.yml --set run.dir=taken", &["cannot create taken: "]);
    refused(&place, "train preset.yml --set run.dir=taken/run", &["cannot create taken/run: "]);
    let error = place.fails("train preset.yml --set run.dir=taken");
    assert_eq!(error.matches("os error").count(), 1, "the reason is given once: {error}");
}

#[test]
fn a_directory_in_the_way_of_a_file_is_named() {
    let place = Place::with(&[("preset", FEED_FORWARD)]);
    for name in ["metrics.jsonl", "config.yml", "checkpoints/1152/x", "model.zip"] {
        let run = name.replace(['/', '.'], "-");
        fs::create_dir_all(place.path(&run).join(name)).unwrap();
        let error = place.fails(&format!("train preset.yml --set run.dir={run}"));
        let place_named = name.trim_end_matches("/x");
        assert!(slashes(&error).contains(place_named), "{name}: {error}");
    }
}

#[test]
fn output_that_cannot_be_written_is_no_reason_to_panic() {
    let place = Place::new();
    for line in ["games", "games duel", "bench infer classic/cartpole --seconds 0.05"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place.command(line).stdout(Stdio::from(writer)).output().unwrap();
        let error = text(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "lanista {line}: {error}");
    }
}

#[test]
fn a_target_of_another_game_is_refused_by_name() {
    let place = Place::with(&[("duel", DUEL)]);
    place.ok("train duel.yml --set run.dir=other --until 300");
    let line = r#"train nh/small --set opponents."target:other/model.zip"=0.5"#;
    let line = format!("{line} --set opponents.bot:baseline=0.5");
    refused(&place, &line, &["other/model.zip plays duel, not nh", "name a model of nh"]);
    let line = r#"train duel.yml --set opponents."target:none.zip"=0.5"#;
    refused(&place, &format!("{line} --set opponents.bot:random=0"), &["none.zip"]);
}

#[test]
fn a_stage_that_can_never_end_is_warned_of_at_the_start() {
    let place = Place::with(&[("duel", DUEL)]);
    let stages = r#"[{"name":"first","until":{"win_rate":{"vs":"bot:biased","at_least":0.9}}},{"name":"second"}]"#;
    let line = format!("train duel.yml --until 300 --set curriculum={stages}");
    let output = place.run(&line);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("warning") && said.contains("first"), "{said}");
    assert!(said.contains("bot:biased"), "{said}");
}
