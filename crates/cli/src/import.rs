//! `lanista import`: agents that other programs have trained.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use lanista_exchange::rlgym_ppo::{BOOK, Checkpoint, POLICY, VALUE};
use lanista_game::{Entry, Spec};
use lanista_learn::Shape;
use lanista_train::files::RunFiles;
use lanista_train::layers::Override;
use lanista_train::model::{self, Metadata};
use lanista_train::player::Roster;
use lanista_train::stack::Stack;
use serde_json::{Value, json};

use crate::args::{ImportArgs, ImportWhat};
use crate::catalog;
use crate::quote::quoted;

/// The most bytes of a file of a checkpoint.
const MOST_BYTES: u64 = 1 << 30;
/// The game of rlgym-ppo.
const GAME: &str = "rocket";
/// The sizes of teams that may have been trained.
const TEAMS: [u64; 3] = [1, 2, 3];

pub fn run(args: ImportArgs) -> anyhow::Result<()> {
    match args.what {
        ImportWhat::RlgymPpo { directory, out, set, json } => {
            rlgym_ppo(&directory, &out, &set, json)
        }
    }
}

fn rlgym_ppo(directory: &Path, out: &Path, set: &[Override], as_json: bool) -> anyhow::Result<()> {
    let path = place(out)?;
    if let Some(other) = set.iter().find(|one| !one.sets("settings")) {
        bail!("{other}: only settings of the game can be set, such as --set settings.tick_skip=4");
    }
    if !directory.join(POLICY).is_file() {
        let hint = newest(directory)
            .map_or("name the directory of one checkpoint".to_owned(), |checkpoint| {
                format!("name one checkpoint, such as {}", quoted(&checkpoint))
            });
        bail!("{} holds no {POLICY}: {hint}", directory.display());
    }
    let [policy, value, book] = [POLICY, VALUE, BOOK].map(|name| read(&directory.join(name)));
    let checkpoint = Checkpoint::read(&policy?, &value?, &book?)
        .with_context(|| format!("cannot import {}", directory.display()))?;
    let Fitting { entry, settings, spec } = fitting(&checkpoint, set)?;
    let role = &spec.roles[0];
    let config = checkpoint.config();
    let metadata = Metadata {
        lanista: env!("CARGO_PKG_VERSION").to_owned(),
        game: entry.name.clone(),
        settings: entry.portable(&settings),
        policy: config.clone(),
        stack: Stack::default(),
        features: role.features(),
        privileged: role.privileged.len(),
        heads: role.head_sizes(),
        rewards: BTreeMap::new(),
        roles: BTreeMap::new(),
        played_by: BTreeMap::new(),
        spec: Some(spec.clone()),
        steps: checkpoint.steps,
        seed: 0,
    };
    let roster = Roster::single(checkpoint.policy(Shape::of(role)));
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
    }
    model::save(&path, &roster, &metadata)?;
    let critic = config.critic.hidden.unwrap_or_default();
    if as_json {
        say!(
            "{}",
            json!({
                "model": path, "game": metadata.game, "steps": metadata.steps,
                "features": metadata.features, "actions": checkpoint.actions(),
                "hidden": config.hidden, "critic_hidden": critic,
                "standardised": checkpoint.standardised(), "settings": metadata.settings,
            })
        );
        return Ok(());
    }
    let standardised = if checkpoint.standardised() { "standardised" } else { "as they are" };
    say!(
        "{}: {} after {} steps, {} numbers {standardised}, layers {:?}, the critic's {critic:?}",
        path.display(),
        entry.name,
        checkpoint.steps,
        checkpoint.features(),
        config.hidden,
    );
    say!("`lanista eval {}` plays it.", quoted(&path));
    Ok(())
}

/// The game as a checkpoint sees it.
struct Fitting {
    entry: Entry,
    settings: Value,
    spec: Spec,
}

/// Finds the size of teams whose observation is as long as the checkpoint's.
fn fitting(checkpoint: &Checkpoint, set: &[Override]) -> anyhow::Result<Fitting> {
    // RLGym hides no rows of the table: what the policy has learnt to do stays possible.
    const RULES: [&str; 5] = [
        "no_boost_when_empty",
        "no_jump_without_jump_or_flip",
        "no_aerial_rotation_on_ground",
        "no_handbrake_in_air",
        "nothing_while_demolished",
    ];
    let mut lengths = Vec::new();
    for team in TEAMS {
        let import = |key: &str, value: Value| {
            Override::flag("import rlgym-ppo", &format!("settings.{key}"), value)
        };
        let mut overrides =
            vec![import("observation", "advanced".into())?, import("team_size", team.into())?];
        for rule in RULES {
            overrides.push(import(&format!("legality.{rule}"), false.into())?);
        }
        overrides.extend(set.iter().cloned());
        let (entry, config) = catalog::load_game(GAME, &overrides)?;
        let spec = entry.spec(&config.settings)?;
        let (features, heads) = (spec.roles[0].features(), spec.roles[0].head_sizes());
        if heads != [checkpoint.actions()] {
            bail!(
                "the policy chooses among {} actions, and {GAME} has {heads:?}: only RLGym's table of 90 \
                 rows (LookupTableAction) can be imported",
                checkpoint.actions()
            );
        }
        if features == checkpoint.features() {
            return Ok(Fitting { entry, settings: config.settings, spec });
        }
        lengths.push(format!("{features} for {team}v{team}"));
    }
    lengths.dedup();
    bail!(
        "the policy sees {} numbers, and what {GAME} shows has {}: only RLGym's AdvancedObs without padding \
         can be imported (settings.observation=advanced; `lanista games {GAME} --set \
         settings.observation=advanced` names its numbers)",
        checkpoint.features(),
        lengths.join(", ")
    )
}

/// Where the model goes. Nothing is overwritten: it may have taken weeks to train.
fn place(out: &Path) -> anyhow::Result<PathBuf> {
    let zipped = out.extension().is_some_and(|ending| ending == "zip");
    let path = if out.is_dir() || !zipped { RunFiles::of(out).model() } else { out.to_owned() };
    if path.exists() {
        bail!("{} is there already: name another place with --out", path.display());
    }
    Ok(path)
}

/// The checkpoint with the most steps in a directory of checkpoints, which are called after their steps.
fn newest(directory: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(directory).ok()?.flatten();
    let steps = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u64>().ok());
    let newest = directory.join(steps.max()?.to_string());
    newest.join(POLICY).is_file().then_some(newest)
}

/// Reads a file that may be hostile, such as one that has no end.
fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}"))?;
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {shown}"))?;
    if bytes.len() as u64 > MOST_BYTES {
        bail!("{shown} is larger than {MOST_BYTES} bytes: no checkpoint is");
    }
    Ok(bytes)
}
