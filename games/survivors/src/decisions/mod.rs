//! Recordings of people as decisions to learn from: what the player saw, could do and did.
//!
//! `cut` makes stretches as long as a step of the game. `mirror` makes a world of what was told
//! before a stretch, at which the views look as they look at a simulated one; `hands` says what was done in it.
//! The list in `docs/survivors.md` says which numbers a recording tells.

mod cut;
mod hands;
mod mirror;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lanista_game::{Buffers, Episode, Role, Seat, Spec, UNKNOWN};
use thiserror::Error;

use crate::demo::entities::Snapshot;
use crate::demo::pairs::{NotPlay, Pair, pairs};
use crate::demo::{Demo, DemoError};
use crate::game::SURVIVOR;
use crate::maps::{MapError, Source};
use crate::nav::Terrain;
use crate::settings::{Settings, ViewKind};
use crate::sim::numbers::TICK_SECS;
use crate::view::{legacy, rich};
use mirror::{Mirror, Telling};

/// More bytes than a recording has: hours of play.
const MOST_BYTES: u64 = 1 << 30;
/// A gun that was asked for is in hand within a second.
const DRAW_PAIRS: usize = 30;
/// Terrain for worlds without a mesh of their own; nothing of it is shown.
const NO_MESH: &str = "corridor";

/// Why a recording gives no decisions.
#[derive(Debug, Error)]
pub enum DecisionsError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}; give a .dem file", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The file is too large.
    #[error("{} has {bytes} bytes and no recording has more than {MOST_BYTES}; give a .dem file", path.display())]
    Large {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: u64,
    },
    /// The file is no recording of the game.
    #[error("{}: {source}", path.display())]
    Demo {
        /// The file.
        path: PathBuf,
        /// Where and why.
        source: DemoError,
    },
    /// The mesh is that of another map.
    #[error("{} was made on {map}, and {} is not its mesh: give {map}.nav, or none", path.display(), nav.display())]
    OtherMap {
        /// The recording.
        path: PathBuf,
        /// Its map.
        map: String,
        /// The mesh that was given.
        nav: PathBuf,
    },
    /// The mesh cannot be read.
    #[error(transparent)]
    Map(#[from] MapError),
}

/// What was chosen of a head.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct HeadCount {
    /// The head.
    pub head: String,
    /// Decisions in which it is known what was chosen.
    pub known: u64,
    /// Those of them in which the view would not have offered it: that it was done proves that it could be.
    pub proved: u64,
    /// How often each action was chosen.
    pub chosen: Vec<(String, u64)>,
}

/// What a recording holds.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Its map.
    pub map: String,
    /// Is the mesh of the map known?
    pub meshed: bool,
    /// Ticks in which the player commanded.
    pub ticks: u64,
    /// Those of them in which a survivor was played.
    pub play_ticks: u64,
    /// Ticks of a decision.
    pub step_ticks: u32,
    /// How many decisions there are.
    pub decisions: u64,
    /// In how many stretches without a cut.
    pub episodes: u64,
    /// Stretches in which the game asks nobody: held, or hanging from a ledge.
    pub waiting: u64,
    /// Decisions in which hands did more than one choice can say.
    pub merged: u64,
    /// How often play was cut, by reason.
    pub cuts: BTreeMap<&'static str, u64>,
    /// The heads, in order.
    pub heads: Vec<HeadCount>,
    /// Numbers of the view that the recording tells, or its mesh.
    pub features_told: usize,
    /// Numbers of the view.
    pub features: usize,
    /// Numbers that are as in a fresh match, by name; of things that come several times, the first.
    pub untold: Vec<String>,
}

/// Hands the decisions of the recording player to `hear`, an episode for every stretch of play without a cut:
/// at death, at the end of a map or a round, where frames are missing and wherever else it is not play.
///
/// `nav` is the mesh of the recording's map; without it what follows from the mesh is 0. Of `settings`, the view,
/// the difficulty and the ticks of a step matter.
///
/// # Errors
/// When the recording or the mesh cannot be read, or the mesh is that of another map.
pub fn episodes(
    path: &Path,
    nav: Option<&Path>,
    settings: &Settings,
    hear: &mut dyn FnMut(Episode),
) -> Result<Summary, DecisionsError> {
    let io = |source| DecisionsError::Io { path: path.to_path_buf(), source };
    let bytes = std::fs::metadata(path).map_err(io)?.len();
    if bytes > MOST_BYTES {
        return Err(DecisionsError::Large { path: path.to_path_buf(), bytes });
    }
    let file = std::fs::read(path).map_err(io)?;
    let demo = Demo::read(&file)
        .map_err(|source| DecisionsError::Demo { path: path.to_path_buf(), source })?;
    let terrain = nav.map(|nav| mesh(path, nav, &demo.header.map)).transpose()?;
    let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
    decisions(&demo, &name, terrain.as_ref(), settings, hear)
}

fn mesh(path: &Path, nav: &Path, map: &str) -> Result<Arc<Terrain>, DecisionsError> {
    let other = || DecisionsError::OtherMap {
        path: path.to_path_buf(),
        map: map.to_owned(),
        nav: nav.to_path_buf(),
    };
    if nav.file_stem().is_none_or(|stem| stem != map) {
        return Err(other());
    }
    let loaded = Source::One(nav.to_string_lossy().into_owned()).load()?;
    loaded.into_iter().next().ok_or_else(other)
}

/// The decisions of a recording that has been read, as [`episodes`] hands them over; `source` is its name.
///
/// # Errors
/// When there is no terrain to put anybody on.
pub fn decisions(
    demo: &Demo,
    source: &str,
    terrain: Option<&Arc<Terrain>>,
    settings: &Settings,
    hear: &mut dyn FnMut(Episode),
) -> Result<Summary, DecisionsError> {
    let meshed = terrain.is_some();
    let terrain = match terrain {
        Some(terrain) => terrain.clone(),
        None => Source::One(NO_MESH.into()).load()?.into_iter().next().ok_or(MapError::NoMaps)?,
    };
    let view = settings.view;
    let role = match view {
        ViewKind::Rich => rich::role(),
        ViewKind::Legacy => legacy::role(),
    };
    let recorder = demo.users.values().find(|user| user.entity == demo.recorder() && !user.bot);
    let player = recorder.map_or(&demo.header.client, |user| &user.name);
    let step_secs = settings.ticks_per_step as f32 * TICK_SECS;
    let step_ticks = (step_secs / demo.tick_secs()).round().max(1.0) as u32;
    let pairs = pairs(demo, None);
    let snapshots: BTreeMap<i32, &Snapshot> = demo
        .packets
        .iter()
        .filter_map(|packet| Some((packet.tick, demo.snapshots.get(packet.snapshot?)?)))
        .collect();
    let mut summary = Summary::of(demo, &role, meshed, step_ticks);
    let mut mirror = Mirror::new(&terrain, meshed, settings.difficulty.of(0), &role);
    let spec = Spec { roles: vec![role.clone()], seats: vec![Seat::of(0)], ..Spec::default() };
    let mut buffers = Buffers::new(&spec, 1);
    let lost = cut::rounds_lost(demo);
    let plays = |pair: &Pair| -> Result<(), &'static str> {
        let own = snapshots.get(&pair.seen_tick).and_then(|s| s.player(demo.recorder()));
        match (pair.not_play.map(NotPlay::name), own) {
            (Some(reason), _) => Err(reason),
            _ if lost(pair.tick) => Err("lost"),
            (None, None) => Err(NotPlay::Unknown.name()),
            (None, Some(own)) if mirror::is_survivor(own) => Ok(()),
            (None, Some(_)) => Err("infected"),
        }
    };
    let cut = cut::runs(&pairs, plays);
    (summary.ticks, summary.play_ticks, summary.cuts) =
        (pairs.len() as u64, cut.play_ticks, cut.cuts);
    for run in cut.runs {
        mirror.forget();
        let mut episode = Episode {
            role: SURVIVOR,
            player: player.clone(),
            source: source.to_owned(),
            ..Episode::default()
        };
        let base = i64::from(pairs[run.start].tick);
        for stretch in cut::stretches(&pairs, run.clone(), step_ticks) {
            let (before, state) = (&pairs[stretch.start - 1], &pairs[stretch.start]);
            let Some(snapshot) = snapshots.get(&state.seen_tick) else { continue };
            let Some(own) = snapshot.player(demo.recorder()) else { continue };
            if own.held_by.is_some() || own.hanging {
                summary.waiting += 1;
                continue;
            }
            let Some(world) = mirror.fill(state, before, snapshot, own) else { continue };
            let walks = world.survivors[mirror::OWN].is_up();
            mirror::observe(world, view, &mut buffers.view(0).seat(0));
            mirror.correct(own, &mut buffers.observation);
            if buffers.observation.iter().any(|number| !number.is_finite()) {
                continue;
            }
            let after = &pairs[stretch.end..run.end.min(stretch.end + DRAW_PAIRS)];
            let done = hands::done(before, &pairs[stretch.clone()], after, walks);
            let mut action = vec![0; role.heads.len()];
            hands::write(&done, view, &mut action);
            summary.merged += u64::from(done.merged);
            summary.add(&role, &action, &mut buffers.mask);
            let step = (i64::from(state.tick) - base) / i64::from(step_ticks);
            episode.steps.push(u32::try_from(step).unwrap_or(u32::MAX));
            episode.observation.extend_from_slice(&buffers.observation);
            episode.mask.extend_from_slice(&buffers.mask);
            episode.actions.extend(action);
        }
        if !episode.is_empty() {
            let last = pairs[run.end - 1].tick;
            (episode.end, episode.verdict) = cut::ending(demo, last, step_ticks);
            summary.episodes += 1;
            hear(episode);
        }
    }
    Ok(summary)
}

impl Summary {
    fn of(demo: &Demo, role: &Role, meshed: bool, step_ticks: u32) -> Self {
        let head = |head: &lanista_game::Head| HeadCount {
            head: head.name.clone(),
            known: 0,
            proved: 0,
            chosen: head.actions.iter().map(|name| (name.clone(), 0)).collect(),
        };
        let tellings = mirror::tellings(role);
        let is_told = |t: Telling| t == Telling::Told || (t == Telling::Mesh && meshed);
        // Of those that come several times, the first speaks for all.
        let repeats = |name: &str| {
            name.split('_').any(|part| part.parse::<u32>().is_ok_and(|place| place > 0))
        };
        let untold = tellings.iter().filter(|(name, t)| !is_told(*t) && !repeats(name));
        Self {
            map: demo.header.map.clone(),
            meshed,
            ticks: 0,
            play_ticks: 0,
            step_ticks,
            decisions: 0,
            episodes: 0,
            waiting: 0,
            merged: 0,
            cuts: BTreeMap::new(),
            heads: role.heads.iter().map(head).collect(),
            features_told: tellings.iter().filter(|(_, t)| is_told(*t)).count(),
            features: tellings.len(),
            untold: untold.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// Counts a decision, and offers what was done: that it was done proves that it could be.
    fn add(&mut self, role: &Role, action: &[u32], mask: &mut [bool]) {
        self.decisions += 1;
        let mut offset = 0;
        for ((count, head), &choice) in self.heads.iter_mut().zip(&role.heads).zip(action) {
            if choice != UNKNOWN {
                count.known += 1;
                let offered = &mut mask[offset + choice as usize];
                count.proved += u64::from(!*offered);
                *offered = true;
                count.chosen[choice as usize].1 += 1;
            }
            offset += head.actions.len();
        }
    }
}
