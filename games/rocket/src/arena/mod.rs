//! The collision geometry of the field: real meshes when the user has them, a stand-in when not.
//!
//! RocketSim keeps one set of meshes per process. [`prepare`] loads it, once: from a directory of
//! meshes that a player dumped from their own copy of the game, or from [`procedural`], a field
//! built by our own code to the published measures. The stand-in has the walls, ramps, corners and
//! goals where they belong; the finer shapes (goal posts, the exact fillets) are approximations, so
//! a bot meant for the real game is better trained on real meshes.

pub mod anchors;
pub mod cmf;
mod goal;
pub mod meshes;
pub mod procedural;
mod surface;

use std::fmt;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lanista_game::SettingsError;
use rocketsim::GameMode;

/// The key of the settings that names the directory of meshes.
pub const KEY: &str = "collision_meshes";

/// Where the field's geometry comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The `.cmf` files of this directory.
    Meshes(PathBuf),
    /// The procedural stand-in.
    Embedded,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Meshes(directory) => {
                write!(f, "RocketSim with the collision meshes of {}", directory.display())
            }
            Self::Embedded => f.write_str(
                "RocketSim with the embedded procedural arena (a stand-in: walls, ramps, corners \
                 and goals to the published measures, not the game's own meshes; set \
                 collision_meshes for those)",
            ),
        }
    }
}

/// What this process runs on, once it does.
static PREPARED: Mutex<Option<Source>> = Mutex::new(None);

/// Initialises RocketSim for soccar: from the meshes in `meshes`, or from the embedded arena.
///
/// Any number of threads may call this any number of times. The first call that succeeds decides
/// for the whole process; a later one that asks for something else is refused. A refused directory
/// leaves the process free to try another.
pub fn prepare(meshes: Option<&Path>) -> Result<Source, SettingsError> {
    let wanted = match meshes {
        Some(directory) => Source::Meshes(meshes::locate(directory)?),
        None => Source::Embedded,
    };
    // A panic in another thread leaves the slot as it was: written in one go, after success.
    let mut prepared = PREPARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(first) = prepared.as_ref() {
        return if *first == wanted { Ok(wanted) } else { Err(conflict(first, &wanted)) };
    }
    if rocketsim::is_initialized() {
        return Err(SettingsError::new(
            KEY,
            "RocketSim was initialised by other code of this program, with unknown meshes",
        ));
    }

    let components = match &wanted {
        Source::Meshes(directory) => meshes::read(directory)?,
        Source::Embedded => procedural::components(),
    };
    // The files are checked, but by us: what the engine may still dislike must not end the program.
    let loaded = catch_unwind(|| rocketsim::init_from_mem([(GameMode::Soccar, components)], true));
    match loaded {
        Ok(Ok(())) => {
            *prepared = Some(wanted.clone());
            Ok(wanted)
        }
        Ok(Err(error)) => {
            Err(SettingsError::new(KEY, format!("RocketSim refuses {wanted}: {error}")))
        }
        Err(_) => Err(SettingsError::new(
            KEY,
            format!("RocketSim cannot use {wanted}: the triangles do not form a surface"),
        )),
    }
}

fn conflict(first: &Source, wanted: &Source) -> SettingsError {
    SettingsError::new(
        KEY,
        format!(
            "this process already runs {first} and RocketSim keeps one arena per process, so it \
             cannot change to {wanted}; give every game the same {KEY}"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_introduce_themselves() {
        assert!(Source::Embedded.to_string().contains("stand-in"));
        let meshes = Source::Meshes(PathBuf::from("/meshes/soccar"));
        assert_eq!(meshes.to_string(), "RocketSim with the collision meshes of /meshes/soccar");
    }

    #[test]
    fn a_process_keeps_its_arena() {
        std::thread::scope(|scope| {
            let calls: Vec<_> = (0..4).map(|_| scope.spawn(|| prepare(None))).collect();
            for call in calls {
                assert_eq!(call.join().unwrap(), Ok(Source::Embedded));
            }
        });
        let error = conflict(&Source::Embedded, &Source::Meshes(PathBuf::from("/meshes")));
        assert!(error.to_string().starts_with("settings.collision_meshes: "), "{error}");
        assert!(error.to_string().contains("/meshes"), "{error}");
    }
}
