//! `lanista export`: a trained agent for other programs.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use lanista_exchange::{Model, onnx, torch};
use lanista_game::Spec;
use lanista_train::decisions::{Decisions, Play};
use lanista_train::disk::replace;
use lanista_train::model::{self, Metadata};
use lanista_train::player::Roster;
use serde_json::{Map, Value, json};

use crate::args::ExportArgs;
use crate::eval::{Playable, model_path, read_model};

pub fn run(args: ExportArgs) -> anyhow::Result<()> {
    let outs = [&args.onnx, &args.torch, &args.decisions];
    outs.into_iter().flatten().try_for_each(|file| writable(file))?;
    // The game itself is needed for play alone, or for what a model of an earlier version does not say.
    let path = model_path(&args.run)?;
    let said = model::metadata(&path)?.spec.filter(|_| args.decisions.is_none());
    let (roster, metadata, spec, playable) = match said {
        Some(spec) => {
            let (roster, metadata) = model::load(&path, &spec)?;
            (roster, metadata, spec, None)
        }
        None => {
            let playable = read_model(&args.run, &[])?;
            playable.remarks.iter().for_each(|remark| complain!("warning: {remark}"));
            let Playable { roster, metadata, spec, .. } = &playable;
            (roster.clone(), metadata.clone(), spec.clone(), Some(playable))
        }
    };
    let role = find_role(args.role.as_deref(), &roster, &spec)?;
    let policy = roster.get(role).context("the role was just found")?;
    let name = &spec.roles[role].name;
    let config = metadata.roles.get(name).map_or(&metadata.policy, |role| &role.policy);
    let about = about(&metadata);
    let model = Model { policy, config, role: &spec.roles[role], about: about.clone() };

    let mut report = Map::new();
    let mut lines = Vec::new();
    if let Some(file) = &args.onnx {
        let options = onnx::Options { actor_only: args.actor_only, noise: args.noise };
        let written = onnx::write(&model, options)?;
        write(file, &written.bytes)?;
        lines.push(format!("{}: ONNX, opset {}", file.display(), onnx::OPSET));
        lines.extend(ports("in ", &written.inputs));
        lines.extend(ports("out", &written.outputs));
        let port =
            |port: &onnx::Port| json!({"name": port.name, "type": port.kind, "width": port.width});
        let list = |ports: &[onnx::Port]| ports.iter().map(port).collect::<Value>();
        let onnx = json!({
            "file": file, "bytes": written.bytes.len(), "opset": onnx::OPSET,
            "inputs": list(&written.inputs), "outputs": list(&written.outputs),
        });
        report.insert("onnx".into(), onnx);
    }
    if let Some(file) = &args.torch {
        let bytes = torch::write(&model)?;
        write(file, &bytes)?;
        lines.push(format!("{}: weights as PyTorch's modules hold them", file.display()));
        report.insert("torch".into(), json!({"file": file, "bytes": bytes.len()}));
    }
    if let (Some(file), Some(playable)) = (&args.decisions, &playable) {
        let found = gather(playable, role, &args)?;
        let bytes = found.to_bytes(&about);
        write(file, &bytes)?;
        lines.push(format!("{}: {} decisions of play as {name}", file.display(), found.rows));
        let decisions = json!({"file": file, "bytes": bytes.len(), "rows": found.rows});
        report.insert("decisions".into(), decisions);
    }
    if args.json {
        report.insert("game".into(), json!(metadata.game));
        report.insert("role".into(), json!(name));
        report.insert("steps".into(), json!(metadata.steps));
        say!("{}", Value::Object(report));
    } else {
        let (steps, weights) = (metadata.steps, policy.layout().len());
        say!("{} as {name} after {steps} steps, {weights} weights", metadata.game);
        lines.iter().for_each(|line| say!("{line}"));
    }
    Ok(())
}

/// The role that was asked for, or the first that the model plays.
fn find_role(wish: Option<&str>, roster: &Roster, spec: &Spec) -> anyhow::Result<usize> {
    let played: Vec<usize> = roster.iter().map(|(role, _)| role).collect();
    let known = || {
        let names: Vec<&str> = played.iter().map(|&role| spec.roles[role].name.as_str()).collect();
        names.join(", ")
    };
    match wish {
        None => played.first().copied().context("the model plays no role"),
        Some(name) => match spec.role(name) {
            Some(role) if played.contains(&role) => Ok(role),
            Some(_) => bail!("--role {name}: the model does not play it; it plays: {}", known()),
            None => {
                bail!("--role {name}: {} has no such role; the model plays: {}", spec.name, known())
            }
        },
    }
}

/// What a file says of the model beside the names of its numbers.
fn about(metadata: &Metadata) -> BTreeMap<String, String> {
    let stack = serde_json::to_string(&metadata.stack).unwrap_or_default();
    BTreeMap::from([
        ("lanista".to_owned(), metadata.lanista.clone()),
        ("game".to_owned(), metadata.game.clone()),
        ("settings".to_owned(), metadata.settings.to_string()),
        ("stack".to_owned(), stack),
        ("steps".to_owned(), metadata.steps.to_string()),
        ("seed".to_owned(), metadata.seed.to_string()),
    ])
}

/// A line for each input or output.
fn ports<'a>(way: &'a str, ports: &'a [onnx::Port]) -> impl Iterator<Item = String> + 'a {
    ports.iter().map(move |port| {
        let shape = port.width.map_or("[batch]".to_owned(), |width| format!("[batch, {width}]"));
        format!("  {way} {:14} {:6} {shape}", port.name, port.kind)
    })
}

fn gather(playable: &Playable, role: usize, args: &ExportArgs) -> anyhow::Result<Decisions> {
    let play = Play {
        entry: &playable.entry,
        settings: &playable.settings,
        stack: &playable.metadata.stack,
        roster: &playable.roster,
        cast: &playable.cast,
        seed: args.seed,
    };
    Ok(Decisions::gather(&play, role, args.count)?)
}

/// Refuses a place that cannot be written to, before any work is done for it.
pub fn writable(file: &Path) -> anyhow::Result<()> {
    let shown = file.display();
    if file.is_dir() {
        bail!("cannot write {shown}: it is a directory; name a file in it");
    }
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    match parent {
        Some(parent) if !parent.is_dir() => {
            bail!(
                "cannot write {shown}: there is no directory {}; create it first",
                parent.display()
            )
        }
        _ => Ok(()),
    }
}

/// Writes a file as a whole.
fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let here = Path::new(".").join(file);
    replace(&here, bytes)
        .map_err(|e| anyhow!("cannot write {}: {}; name another place", file.display(), e.error))
}
