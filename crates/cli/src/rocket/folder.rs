//! `lanista rocket rlbot`: a model as a bot that RLBot's launcher takes as it is.
//!
//! The core runs a bot's command in its folder, by `cmd.exe /c` on Windows and by `/bin/sh -c "…"`
//! elsewhere, so a command here has no quotes. `cmd.exe` looks for a program in the folder before it goes
//! through the PATH; the shell is told to. So one command serves both: the program in the folder, if there
//! is one, and else the one that is installed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use lanista_rocket::hitbox::{Hitbox, Hitboxes};
use lanista_rocket::settings::Settings;
use serde_json::json;

use crate::args::RlbotArgs;
use crate::eval::{Playable, model_path, read_model};

const MODEL: &str = "model.zip";
const RUN: &str = "lanista play rocket model.zip";
const RUN_LINUX: &str = "PATH=.:$PATH lanista play rocket model.zip";
/// The longest name that fits the scoreboard.
const LONGEST_NAME: usize = 32;

pub fn run(args: &RlbotArgs) -> anyhow::Result<()> {
    let model = read_model(&args.model, &[])?;
    let game = &model.metadata.game;
    ensure!(game == "rocket", "the model plays {game}, not rocket");
    let settings: Settings = lanista_game::parse_settings(&model.settings)?;
    check_name(&args.name, "--name", LONGEST_NAME)?;
    let agent_id = match &args.agent_id {
        Some(id) => id.clone(),
        None => format!("lanista/{}", args.name.to_lowercase().replace(' ', "-")),
    };
    check_name(&agent_id, "--agent-id", 128)?;
    let programs = programs(args)?;
    prepare(&args.out)?;
    let write = |name: &str, text: String| {
        let path = args.out.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    };
    copy(&model_path(&args.model)?, &args.out.join(MODEL))?;
    write("bot.toml", bot(args, &agent_id, &model, &settings))?;
    write("loadout.toml", loadout(&settings))?;
    for program in &programs {
        copy(program, &args.out.join(program_name(program)))?;
    }
    let names: Vec<&str> = programs.iter().map(|program| program_name(program)).collect();
    if args.json {
        say!("{}", json!({"out": args.out, "agent_id": agent_id, "programs": names}));
        return Ok(());
    }
    say!("{}: bot.toml, loadout.toml, {MODEL}", args.out.display());
    match names.is_empty() {
        true => say!("The bot runs the `lanista` that is in the PATH."),
        false => say!("With it: {}.", names.join(", ")),
    }
    for (name, system) in [("lanista.exe", "Windows"), ("lanista", "Linux")] {
        if !names.contains(&name) {
            say!("On {system} it needs {name} in the folder or in the PATH.");
        }
    }
    say!(
        "Add the folder in RLBot's launcher (Add/Remove > Add folder), and put the bot on a team."
    );
    Ok(())
}

fn check_name(name: &str, flag: &str, longest: usize) -> anyhow::Result<()> {
    let plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    ensure!(
        (1..=longest).contains(&name.chars().count()) && name.chars().all(plain),
        "{flag} {name}: it has 1 to {longest} characters, no quotes and no backslashes"
    );
    Ok(())
}

/// The programs that go into the folder.
fn programs(args: &RlbotArgs) -> anyhow::Result<Vec<PathBuf>> {
    if args.no_program {
        return Ok(Vec::new());
    }
    if args.program.is_empty() {
        return Ok(vec![std::env::current_exe().context("cannot find this program's own file")?]);
    }
    for program in &args.program {
        ensure!(program.is_file(), "--program {}: there is no such file", program.display());
    }
    let same = |a: &PathBuf, b: &PathBuf| program_name(a) == program_name(b);
    if args.program.iter().enumerate().any(|(i, a)| args.program[..i].iter().any(|b| same(a, b))) {
        bail!(
            "--program: two programs for one system; name one for Windows (.exe) and one for Linux"
        );
    }
    Ok(args.program.clone())
}

fn program_name(path: &Path) -> &'static str {
    match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exe")) {
        true => "lanista.exe",
        false => "lanista",
    }
}

/// Makes the folder, and refuses one in which something lies: what is another's stays.
fn prepare(out: &Path) -> anyhow::Result<()> {
    let shown = out.display();
    fs::create_dir_all(out).with_context(|| format!("--out {shown}"))?;
    let mut entries = fs::read_dir(out).with_context(|| format!("--out {shown}"))?;
    ensure!(entries.next().is_none(), "--out {shown}: it is not empty; name another folder");
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn bot(args: &RlbotArgs, agent_id: &str, model: &Playable, settings: &Settings) -> String {
    let (blue, orange) = settings.sizes();
    let seats = settings.seats_a_team();
    let alone = seats == 1;
    let tags = match (alone, blue == 1 && orange <= 1) {
        (true, _) => r#""1v1""#,
        (_, true) => r#""1v1", "teamplay""#,
        _ => r#""teamplay""#,
    };
    let sizes = if alone { "1v1".to_owned() } else { format!("up to {seats}v{seats}") };
    format!(
        r#"# A model of Lanista, for RLBot v5.

[settings]
agent_id = "{agent_id}"
name = "{name}"
loadout_file = "loadout.toml"
root_dir = "."
run_command = "{RUN}"
run_command_linux = "{RUN_LINUX}"
# One process drives all of its cars.
hivemind = true

[details]
description = "Trained with Lanista for {steps} steps; sees {sizes}; decides every {ticks} ticks."
fun_fact = ""
source_link = ""
developer = ""
language = "rust"
tags = [{tags}]
"#,
        name = args.name,
        steps = model.metadata.steps,
        ticks = settings.step_ticks(),
    )
}

/// A car with the hitbox that the model has learnt to drive.
fn loadout(settings: &Settings) -> String {
    let hitbox = match &settings.hitbox {
        Hitboxes::Same(hitbox) => *hitbox,
        Hitboxes::Drawn(weights) => {
            let heaviest = weights.iter().max_by(|a, b| a.1.total_cmp(b.1));
            heaviest.map_or_else(Hitbox::default, |(hitbox, _)| *hitbox)
        }
    };
    // The game's number of a car that has the hitbox.
    let (car, name) = match hitbox {
        Hitbox::Octane => (23, "Octane"),
        Hitbox::Dominus => (403, "Dominus"),
        Hitbox::Plank => (803, "Batmobile"),
        Hitbox::Breakout => (22, "Breakout"),
        Hitbox::Hybrid => (31, "Venom"),
        Hitbox::Merc => (30, "Merc"),
    };
    let team = |table: &str, color: u32| {
        format!(
            "[{table}]\n# {name}\ncar_id = {car}\nteam_color_id = {color}\ncustom_color_id = 0\n"
        )
    };
    format!("{}\n{}", team("blue_loadout", 27), team("orange_loadout", 32))
}
