//! Which game is meant, under which settings, with which weights and with whom on its seats.

use std::collections::BTreeMap;

use lanista_catalog::{PRESETS, catalog};
use lanista_game::{Entry, Spec};
use lanista_train::RunConfig;
use lanista_train::layers::{self, nearest};
use lanista_train::stack::Stack;
use pyo3::prelude::*;
use serde_json::{Map, Value, json};

use crate::error::preset;
use crate::matches::Driver;
use crate::python_game;

/// The presets whose weights a bare game is played with when none are given.
const WEIGHED_BY: &[(&str, &str)] = &[
    ("cartpole", "classic/cartpole"),
    ("cartpole-novel", "classic/cartpole-novel"),
    ("duel", "classic/duel"),
    ("hideout", "classic/hideout"),
    ("legal", "classic/legal"),
    ("levers", "classic/levers"),
    ("odd-one", "classic/odd-one"),
    ("rocket", "rocket/1v1"),
    ("nh", "nh/small"),
    ("survivors", "survivors/base"),
    ("vgc", "vgc/small"),
];

/// A game with everything that a preset says about its matches.
pub struct Chosen {
    /// The game.
    pub entry: Entry,
    /// Its settings.
    pub settings: Value,
    /// Which frames are seen.
    pub stack: Stack,
    /// The game as it is seen through the stack.
    pub spec: Spec,
    /// `[roles][terms]`
    pub weights: Vec<Vec<f32>>,
}

impl Chosen {
    /// Reads the name of a game or of a preset, or a game that is written in Python. `settings` come on
    /// top of the preset's, `rewards` take the place of its weights.
    pub fn new(
        game: &Bound<'_, PyAny>,
        settings: &str,
        rewards: Option<&str>,
        stack: Option<Vec<usize>>,
    ) -> PyResult<Self> {
        let (entry, config) = match game.extract::<String>() {
            Ok(name) => named(&name)?,
            Err(_) => (python_game::entry(game)?, RunConfig::default()),
        };
        let settings = merged(config.settings.clone(), parsed(settings)?);
        let py = game.py();
        let plain = py.detach(|| entry.spec(&settings)).map_err(preset)?;
        plain.validate().map_err(preset)?;
        let stack = match stack {
            Some(frames) => Stack::new(frames).map_err(|e| preset(format!("stack: {e}")))?,
            None => config.observation.stack.clone(),
        };
        let weights = match rewards {
            Some(given) => given_weights(&plain, given)?,
            // Nobody has weighed a game that was just written.
            None if config.game.is_empty() => {
                vec![vec![1.0; plain.terms.len()]; plain.roles.len()]
            }
            None => of_config(&plain, &config)?,
        };
        let spec = stack.widen(plain);
        Ok(Self { entry, settings, stack, spec, weights })
    }

    /// Who drives each seat: `"outside"`, `"bot:NAME"`, `"random"`. An empty seat stays empty.
    pub fn drivers(&self, wishes: &[String]) -> PyResult<Vec<Driver>> {
        let seats = self.spec.seats.len();
        if wishes.len() != seats {
            return Err(preset(format!("{} players for {seats} seats", wishes.len())));
        }
        let driver = |(seat, wish): (usize, &String)| match wish.as_str() {
            _ if self.spec.seats[seat].empty => Ok(Driver::Nobody),
            "outside" => Ok(Driver::Outside),
            "random" => Ok(Driver::Random),
            name => {
                let role = self.spec.role_of(seat);
                let bot = name.strip_prefix("bot:").unwrap_or(name);
                role.bot(bot).map(Driver::Bot).ok_or_else(|| {
                    let known = role.bots.iter().map(|bot| bot.name.as_str());
                    let near = nearest(bot, known.clone());
                    let hint = near.map_or(String::new(), |n| format!(" did you mean bot:{n}?"));
                    let all: Vec<String> = known.map(|bot| format!("bot:{bot}")).collect();
                    preset(format!(
                        "seat {seat} ({}) cannot be played by `{name}`:{hint} there are: random{}{}",
                        role.name,
                        if all.is_empty() { "" } else { ", " },
                        all.join(", ")
                    ))
                })
            }
        };
        wishes.iter().enumerate().map(driver).collect()
    }
}

/// A game or a preset of the catalogue.
fn named(name: &str) -> PyResult<(Entry, RunConfig)> {
    if let Ok(entry) = catalog().game(name) {
        let weights = WEIGHED_BY.iter().find(|(game, _)| *game == name).map(|&(_, preset)| preset);
        let mut config = match weights {
            Some(preset) => read(preset)?,
            None => RunConfig::default(),
        };
        // The weights alone: the game itself is asked for as it is.
        (config.settings, config.observation) = (Value::Null, RunConfig::default().observation);
        return Ok((entry, config));
    }
    let known = PRESETS.iter().any(|(preset, _)| *preset == name);
    if !known && !name.ends_with(".yml") && !name.ends_with(".yaml") {
        let all = catalog().games.iter().map(|game| game.name.as_str());
        let all = all.chain(PRESETS.iter().map(|(preset, _)| *preset));
        let hint = nearest(name, all).map_or(String::new(), |n| format!(" did you mean `{n}`?"));
        return Err(preset(format!(
            "no game or preset `{name}`:{hint} lanista.games() and lanista.presets() list them"
        )));
    }
    let config = read(name)?;
    Ok((catalog().game(&config.game).map_err(preset)?, config))
}

fn read(name: &str) -> PyResult<RunConfig> {
    let layered = layers::load(name, PRESETS, &[]).map_err(preset)?;
    RunConfig::read(&layered).map_err(preset)
}

/// The weights of a preset at the beginning of its run.
fn of_config(spec: &Spec, config: &RunConfig) -> PyResult<Vec<Vec<f32>>> {
    let roles = config.roles(spec).map_err(|f| preset(format!("{}: {}", f.key, f.problem)))?;
    Ok(roles.iter().map(|role| role.weights(spec, 0.0)).collect())
}

/// Weights as Python writes them: of terms, or by role of terms.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Given {
    Same(BTreeMap<String, f32>),
    ByRole(BTreeMap<String, BTreeMap<String, f32>>),
}

/// `[roles][terms]`
fn given_weights(spec: &Spec, text: &str) -> PyResult<Vec<Vec<f32>>> {
    let given: Given = serde_json::from_str(text).map_err(|_| {
        preset("rewards: give a number for each term, {term: weight}, or {role: {term: weight}}")
    })?;
    match given {
        Given::Same(terms) => Ok(vec![weighed(spec, &terms)?; spec.roles.len()]),
        Given::ByRole(roles) => {
            if let Some(unknown) = roles.keys().find(|name| spec.role(name).is_none()) {
                let known: Vec<&str> = spec.roles.iter().map(|role| role.name.as_str()).collect();
                let known = known.join(", ");
                return Err(preset(format!("rewards: no role `{unknown}`: there are: {known}")));
            }
            let none = BTreeMap::new();
            let row =
                |role: &lanista_game::Role| weighed(spec, roles.get(&role.name).unwrap_or(&none));
            spec.roles.iter().map(row).collect()
        }
    }
}

/// `[terms]`
fn weighed(spec: &Spec, given: &BTreeMap<String, f32>) -> PyResult<Vec<f32>> {
    for (name, weight) in given {
        if spec.term(name).is_none() {
            let known: Vec<&str> = spec.terms.iter().map(|term| term.name.as_str()).collect();
            let near = nearest(name, known.iter().copied());
            let hint = near.map_or(String::new(), |n| format!(" did you mean `{n}`?"));
            return Err(preset(format!(
                "rewards: {} has no term `{name}`:{hint} there are: {}",
                spec.name,
                known.join(", ")
            )));
        }
        if !weight.is_finite() {
            return Err(preset(format!("rewards: the weight of `{name}` is not finite")));
        }
    }
    Ok(spec.terms.iter().map(|t| given.get(&t.name).copied().unwrap_or(0.0)).collect())
}

/// Settings as Python writes them: nothing at all stands for the defaults.
fn parsed(settings: &str) -> PyResult<Value> {
    let value: Value =
        serde_json::from_str(settings).map_err(|e| preset(format!("settings: {e}")))?;
    Ok(if value.as_object().is_some_and(Map::is_empty) { Value::Null } else { value })
}

/// Settings on top of others.
fn merged(base: Value, top: Value) -> Value {
    match (base, top) {
        (base, Value::Null) => base,
        (Value::Object(mut base), Value::Object(top)) => {
            base.extend(top);
            Value::Object(base)
        }
        (_, top) => top,
    }
}

/// Every game: name, what it is, and its settings, as JSON.
#[pyfunction]
pub fn games() -> String {
    let game = |entry: &Entry| {
        let setting = |s: &lanista_game::Setting| json!({"name": s.name, "default": s.default, "about": s.about, "machine": s.machine});
        let settings: Vec<Value> = entry.settings.iter().map(setting).collect();
        json!({"name": entry.name, "about": entry.about, "settings": settings})
    };
    Value::from(catalog().games.iter().map(game).collect::<Vec<_>>()).to_string()
}

/// The names of all presets.
#[pyfunction]
pub fn presets() -> Vec<&'static str> {
    PRESETS.iter().map(|(name, _)| *name).collect()
}

/// What a game is made of under these settings, as JSON. No match is built for it.
#[pyfunction]
#[pyo3(signature = (game, settings, stack = None))]
pub fn spec(
    game: &Bound<'_, PyAny>,
    settings: &str,
    stack: Option<Vec<usize>>,
) -> PyResult<String> {
    let chosen = Chosen::new(game, settings, Some("{}"), stack)?;
    serde_json::to_string(&chosen.spec).map_err(preset)
}
