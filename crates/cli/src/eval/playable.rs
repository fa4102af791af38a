//! A model, and the settings it plays under: its own, those of this machine, and those of `--set`.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use lanista_game::{Entry, Spec};
use lanista_train::RunConfig;
use lanista_train::config::OPEN;
use lanista_train::files::{RUNS, RunFiles};
use lanista_train::layers::{self, Layered, Override, nearest, to_yaml};
use lanista_train::model::{self, Metadata};
use lanista_train::player::{Player, Roster};
use lanista_train::seating::Cast;
use lanista_train::settings::{Change, changes};
use lanista_train::stages::other_shape;
use serde_json::{Map, Value, json};

use crate::catalog;

/// What the layer of a model's own settings is called.
const MODEL: &str = "the model";

/// A model that plays, and what it plays.
pub struct Playable {
    pub entry: Entry,
    pub spec: Spec,
    pub roster: Roster,
    /// Who plays the roles that it does not.
    pub cast: Cast,
    pub metadata: Metadata,
    /// The settings it plays under.
    pub settings: Value,
    /// In what they differ from those of its training.
    pub changes: Vec<Change>,
    /// What the user should know about the settings.
    pub remarks: Vec<String>,
    /// What the game says about itself, such as the arena it is played in.
    pub notes: Vec<String>,
    /// Steps a second of whoever watches it in its own time, if it has one.
    pub frames_per_second: Option<f64>,
}

impl Playable {
    /// The first role that it plays.
    pub fn first_role(&self) -> usize {
        self.roster.iter().next().map_or(0, |(role, _)| role)
    }

    /// Gives a role to a scripted player: `ROLE=bot:NAME`.
    pub fn recast(&mut self, wish: &str) -> anyhow::Result<()> {
        let roles = &self.spec.roles;
        let Some((name, bot)) = wish.split_once("=bot:") else {
            bail!("--role {wish}: write it as ROLE=bot:NAME, such as {}=bot:NAME", roles[0].name);
        };
        let Some(role) = roles.iter().position(|role| role.name == name) else {
            let known: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
            bail!("--role {wish}: there is no role `{name}`; there are: {}", known.join(", "));
        };
        if roles[role].bot(bot).is_none() {
            let known: Vec<&str> = roles[role].bots.iter().map(|bot| bot.name.as_str()).collect();
            bail!("--role {wish}: {name} has no player `{bot}`; there are: {}", known.join(", "));
        }
        let place = self.spec.bots().iter().position(|known| *known == bot);
        self.cast.others[role] = place.map(Player::Bot);
        Ok(())
    }
}

/// Reads the model of a run, or a model.zip, to be played under its settings with these on top.
pub fn read_model(run: &Path, set: &[Override]) -> anyhow::Result<Playable> {
    let path = model_path(run)?;
    let metadata = model::metadata(&path)?;
    let entry = catalog::game(&metadata.game)?;
    let own = entry.portable(&metadata.settings);
    let mut machine = of_machine(&entry, &metadata, run);
    let mut remarks = Vec::new();
    let (settings, batch) = loop {
        let layered = layered(&entry, with(&own, &machine), set)?;
        let settings = layered.read::<RunConfig>(&["settings"])?.settings;
        let error = match entry.build(&settings, 1) {
            Ok(batch) => break (settings, batch),
            Err(error) => error,
        };
        // What the machine of the training had need not be on this one, unless it was asked for. A fault may
        // lie deeper in a setting: `starts.replays`.
        let name = error.key.split('.').next().unwrap_or_default();
        match machine.remove(name) {
            Some(was) if settings.get(name) == Some(&was) => remarks.push(format!(
                "settings.{} is not what it was in training: {}",
                error.key, error.message
            )),
            _ => return Err(refused(&layered, &entry, &settings, &error)),
        }
    };
    let changes = changes(&own, &entry.portable(&settings));
    if !changes.is_empty() {
        let machine = entry.machine_settings();
        let here = machine.into_iter().map(|name| (name, settings[name].clone()));
        let here = here.filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.to_owned(), v)).collect();
        let trained = entry.spec(&with(&own, &here))?;
        if let Some(what) = other_shape(&trained, batch.spec()) {
            let keys: Vec<String> = changes.iter().map(|c| c.key.clone()).collect();
            bail!("--set {}: changes {what}, which the model depends on", keys.join(", "));
        }
    }
    let (notes, spec) = (batch.notes(), metadata.stack.widen(batch.spec().clone()));
    let (roster, metadata) = model::load(&path, &spec)?;
    let cast = cast(&roster, &spec, &metadata, &mut remarks)?;
    let frames_per_second = batch.step_secs().map(|secs| 1.0 / secs);
    Ok(Playable {
        entry,
        spec,
        roster,
        cast,
        metadata,
        settings,
        changes,
        remarks,
        notes,
        frames_per_second,
    })
}

/// Who plays the roles that a model does not: whoever did in training, or the first scripted player.
fn cast(
    roster: &Roster,
    spec: &Spec,
    metadata: &Metadata,
    remarks: &mut Vec<String>,
) -> anyhow::Result<Cast> {
    let mut others = Vec::new();
    for (index, role) in spec.roles.iter().enumerate() {
        if roster.get(index).is_some() {
            others.push(None);
            continue;
        }
        let trained_with =
            metadata.played_by.get(&role.name).and_then(|by| by.strip_prefix("bot:"));
        let known = trained_with.filter(|name| role.bot(name).is_some());
        let bot = known.or_else(|| role.bots.first().map(|bot| bot.name.as_str()));
        let Some(bot) = bot else {
            bail!("the model does not play the role {}, and no scripted player does", role.name);
        };
        remarks.push(format!("the model does not play the role {}: bot:{bot} does", role.name));
        others.push(spec.bots().iter().position(|name| *name == bot).map(Player::Bot));
    }
    Ok(Cast { others })
}

/// What the machine of the training had: from the run's configuration, or from a model that still
/// carries it.
fn of_machine(entry: &Entry, metadata: &Metadata, run: &Path) -> Map<String, Value> {
    // The configuration is no part of the model: what cannot be read there is not missed.
    let config = RunFiles::of(run).config();
    let read = || layers::load(config.to_str()?, &[], &[]).ok()?.read::<RunConfig>(&OPEN).ok();
    let kept = if config.is_file() { read().map(|config| config.settings) } else { None };
    let mut found = Map::new();
    for name in entry.machine_settings() {
        let places = [kept.as_ref(), Some(&metadata.settings)];
        let mut values = places.into_iter().flatten().filter_map(|settings| settings.get(name));
        if let Some(value) = values.find(|value| !value.is_null()) {
            found.insert(name.to_owned(), value.clone());
        }
    }
    found
}

fn with(settings: &Value, more: &Map<String, Value>) -> Value {
    let mut all = settings.as_object().cloned().unwrap_or_default();
    all.extend(more.clone());
    Value::Object(all)
}

/// The settings with the overrides on top.
fn layered(entry: &Entry, settings: Value, set: &[Override]) -> anyhow::Result<Layered> {
    if let Some(other) = set.iter().find(|one| !one.sets("settings")) {
        bail!(
            "{other}: eval changes settings of the game alone, such as --set settings.NAME=VALUE; \
             `lanista games {}` lists them",
            entry.name
        );
    }
    let text = to_yaml(&json!({"game": entry.name, "settings": settings}))?;
    Ok(layers::load(MODEL, &[(MODEL, &text)], set)?)
}

/// Says which setting the game refuses, and what was meant.
fn refused(
    layered: &Layered,
    entry: &Entry,
    settings: &Value,
    error: &lanista_game::SettingsError,
) -> anyhow::Error {
    let known: Vec<&str> = entry.settings.iter().map(|s| s.name.as_str()).collect();
    let mut written = settings.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    if let Some(unknown) = written.find(|key| !known.contains(key)) {
        let hint = nearest(unknown, known.iter().copied())
            .map_or(String::new(), |n| format!("did you mean `{n}`? "));
        let problem =
            format!("{} has no such setting: {hint}there are: {}", entry.name, known.join(", "));
        return layered.invalid(&format!("settings.{unknown}"), problem).into();
    }
    let key = match error.key.as_str() {
        "" => "settings".to_owned(),
        key => format!("settings.{key}"),
    };
    layered.invalid(&key, error.message.clone()).into()
}

/// Where the model of a run is.
pub fn model_path(run: &Path) -> anyhow::Result<PathBuf> {
    if run.is_file() {
        return Ok(run.to_owned());
    }
    let path = RunFiles::of(run).model();
    if !path.is_file() {
        let (place, model) = (run.display(), RunFiles::MODEL);
        bail!(
            "{place} holds no {model}: name a run's directory (such as {RUNS}/classic-cartpole) or a \
             {model}; `lanista train` makes one"
        );
    }
    path.canonicalize().with_context(|| format!("cannot read {}", path.display()))
}
