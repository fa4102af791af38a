//! `lanista rocket replay`: what can be learnt from replays of the game.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};
use lanista_rocket::episodes::{Choice, Summary, episodes};
use lanista_rocket::replay::{ReplayError, open};
use lanista_rocket::settings::Settings;
use lanista_rocket::state::MAX_TEAM;
use serde_json::{Value, json};

use crate::args::ReplayFilesArgs;

pub fn run(args: &ReplayFilesArgs) -> anyhow::Result<()> {
    let settings = Settings {
        tick_skip: args.tick_skip,
        max_team: Some(MAX_TEAM),
        collision_meshes: args.collision_meshes.clone(),
        ..Settings::default()
    };
    let mut frames = match &args.frames {
        Some(path) => {
            let file =
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            Some(BufWriter::new(file))
        }
        None => None,
    };
    let mut refused = Vec::new();
    for path in &args.files {
        match episodes(path, &settings, Choice::default(), &mut |_| {}) {
            Ok(summary) => {
                tell(path, &summary, args.json);
                if let Some(out) = &mut frames {
                    write_frames(path, &settings, out)?;
                }
            }
            Err(error) => {
                if args.json {
                    println!("{}", refusal(path, &error));
                }
                refused.push(error);
            }
        }
    }
    if let Some(out) = &mut frames {
        out.flush()?;
    }
    // Each is named, and those that were of use have been told about.
    let names: Vec<String> = refused.iter().map(ToString::to_string).collect();
    match names.as_slice() {
        [] => Ok(()),
        [one] => bail!("{one}"),
        several => bail!(
            "{} of {} replays are of no use:\n  {}",
            several.len(),
            args.files.len(),
            several.join("\n  ")
        ),
    }
}

fn refusal(path: &Path, error: &ReplayError) -> Value {
    json!({
        "file": path.display().to_string(),
        "players": [], "decisions": 0, "kept": 0, "position_error_p50": null,
        "refused": error.trouble.to_string(), "reason": error.trouble.name(),
    })
}

fn tell(path: &Path, summary: &Summary, json: bool) {
    if json {
        let mut value = json!(summary);
        value["file"] = json!(path.display().to_string());
        value["mode"] = json!("soccar");
        value["refused"] = Value::Null;
        println!("{value}");
        return;
    }
    let Summary { players, decisions, kept, unique, seconds, goals, score, .. } = summary;
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    println!("{}", path.display());
    println!(
        "  {} ({} : {}), {seconds:.0} s of play, {goals} goals",
        players.join(", "),
        score[0],
        score[1]
    );
    println!(
        "  {decisions} decisions, {kept} of them known ({:.1} %), {:.1} % of those by one row alone",
        share(*kept, *decisions),
        share(*unique, *kept)
    );
    if let (Some(position), Some(worse), Some(velocity), Some(rotation)) = (
        summary.position_error_p50,
        summary.position_error_p90,
        summary.velocity_error_p50,
        summary.rotation_error_p50,
    ) {
        println!(
            "  one decision later the engine is off by {position:.2} uu ({worse:.1} in one of ten), \
             {velocity:.0} uu/s and {:.1}°",
            rotation.to_degrees()
        );
    }
}

fn write_frames(path: &Path, settings: &Settings, out: &mut impl Write) -> anyhow::Result<()> {
    let mut replay = open(path, settings)?;
    let names: Vec<String> = replay.players().map(|(name, ..)| name.to_owned()).collect();
    let file = path.display().to_string();
    let mut result = Ok(());
    replay.frames(|frame| {
        let line = json!({
            "file": file, "frame": frame.frame, "player": names[frame.player],
            "controls": frame.controls, "row": frame.row, "miss_uu": frame.miss_uu,
            "fresh": frame.fresh,
        });
        if result.is_ok() {
            result = writeln!(out, "{line}");
        }
    });
    result.context("cannot write the frames")
}
