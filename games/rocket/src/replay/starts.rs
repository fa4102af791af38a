//! Recorded states to begin matches with.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lanista_game::SettingsError;
use lanista_game::seed::Rng;
use rand::RngExt;
use rocketsim::GameMode;
use rocketsim::consts::{ball, car};

use super::decisions::open;
use crate::hitbox::Hitbox;
use crate::settings::Settings;
use crate::start::{CarSetup, Setup, StartKind};
use crate::state::{Body, Car, MAX_TEAM, State, Team};

/// The settings key.
const KEY: &str = "starts.replays";
/// Most states of one directory: a state of six cars has about 1 kB.
const MAX_STATES: usize = 50_000;
/// Ticks between two states of a replay: a second apart they are different situations.
const EVERY_TICKS: u32 = 120;
/// A ball beyond the goal line would be a goal at once.
const GOAL_LINE_UU: f32 = 5120.0;

/// States of a directory of replays, by the sizes of their teams.
#[derive(Debug)]
pub struct Library {
    /// Of blue and of orange.
    setups: [[Vec<Setup>; MAX_TEAM + 1]; MAX_TEAM + 1],
    /// What is to be said of replays that are of no use, if there are any.
    refused: Option<String>,
}

impl Library {
    /// Draws a state with so many blue cars and as many cars as there are hitboxes, which they get.
    pub fn draw(&self, rng: &mut Rng, blue: usize, hitboxes: &[Hitbox]) -> Option<Setup> {
        let setups = self.setups.get(blue)?.get(hitboxes.len().checked_sub(blue)?)?;
        if setups.is_empty() {
            return None;
        }
        let mut setup = setups.get(rng.random_range(0..setups.len()))?.clone();
        for (car, hitbox) in setup.cars.iter_mut().zip(hitboxes) {
            car.hitbox = *hitbox;
        }
        Some(setup)
    }

    /// How many replays were passed over, and why the first of them was.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// How many states there are for teams of these sizes.
    pub fn len(&self, blue: usize, orange: usize) -> usize {
        self.setups.get(blue).and_then(|by| by.get(orange)).map_or(0, Vec::len)
    }

    fn total(&self) -> usize {
        self.setups.iter().flatten().map(Vec::len).sum()
    }
}

/// The library of a directory. It is read once in the life of a program, however many matches ask for it.
pub fn library(directory: &Path, settings: &Settings) -> Result<Arc<Library>, SettingsError> {
    static LIBRARIES: OnceLock<Mutex<HashMap<PathBuf, Arc<Library>>>> = OnceLock::new();
    let known = LIBRARIES.get_or_init(Mutex::default);
    // Whoever comes second waits for the first one to have read it.
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    let library = match known.get(directory) {
        Some(library) => library.clone(),
        None => {
            let library = Arc::new(read(directory, settings)?);
            known.insert(directory.to_owned(), library.clone());
            library
        }
    };
    let (blue, orange) = settings.teams.most().unwrap_or(settings.sizes());
    if settings.teams.is_empty() && library.len(blue, orange) == 0 {
        let message = format!(
            "no replay in {} has {blue} cars against {orange}; add some, or set team_size to what they have",
            directory.display()
        );
        return Err(SettingsError::new(KEY, message));
    }
    Ok(library)
}

fn read(directory: &Path, settings: &Settings) -> Result<Library, SettingsError> {
    let refuse = |message: String| Err(SettingsError::new(KEY, message));
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return refuse(format!("{}: {error}", directory.display())),
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("replay")))
        .collect();
    // The same states in the same order on every machine: a match follows from its seed.
    paths.sort_by(|a, b| a.file_name().cmp(&b.file_name()));
    let mut library = Library { setups: Default::default(), refused: None };
    let mut refused = Vec::new();
    for path in &paths {
        match open(path, settings) {
            Ok(mut replay) => replay.states(EVERY_TICKS, |state| {
                if library.total() < MAX_STATES
                    && let Some(setup) = setup(state)
                {
                    let blue = state.cars.iter().filter(|c| c.team == Team::Blue).count();
                    library.setups[blue][state.cars.len() - blue].push(setup);
                }
            }),
            Err(error) => refused.push(error),
        }
    }
    if library.total() > 0 {
        library.refused = refused.first().map(|first| {
            let (count, all) = (refused.len(), paths.len());
            format!("{count} of {all} replays in {} are passed over: {first}", directory.display())
        });
        return Ok(library);
    }
    refuse(match refused.first() {
        Some(error) => format!("no replay of {} is of use: {error}", directory.display()),
        None => format!("there is no .replay in {}", directory.display()),
    })
}

/// A state as the engine begins with it; `None` if a goal or a demolition is in the way.
fn setup(state: &State) -> Option<Setup> {
    let whole = state.cars.iter().all(|car| !car.demolished);
    if !whole || state.ball.pos.y.abs() > GOAL_LINE_UU - ball::get_radius(GameMode::Soccar) {
        return None;
    }
    let ball = Body {
        vel: state.ball.vel.clamp_length_max(ball::MAX_SPEED),
        ang_vel: state.ball.ang_vel.clamp_length_max(ball::MAX_ANG_SPEED),
        ..state.ball
    };
    Some(Setup {
        kind: StartKind::Recorded,
        ball,
        cars: state.cars.iter().map(car_setup).collect(),
    })
}

fn car_setup(car: &Car) -> CarSetup {
    CarSetup {
        team: car.team,
        body: Body {
            pos: car.body.pos,
            vel: car.body.vel.clamp_length_max(car::MAX_SPEED),
            ang_vel: car.body.ang_vel.clamp_length_max(car::MAX_ANG_SPEED),
        },
        world_from_car: car.world_from_car,
        boost: car.boost,
        on_ground: car.on_ground,
        has_jumped: !car.has_jump,
        // One that is in the middle of a flip begins after it.
        has_flipped: !car.on_ground && !car.has_flip,
        secs_since_jump: if car.has_jump { 0.0 } else { car.air_secs },
        hitbox: Hitbox::default(),
    }
}
