//! Real collision meshes, as a player has them in a directory. The files are those of the embedded
//! arena: to the program they are as good as the game's. One test, because a process has one arena.

use std::fs;
use std::path::{Path, PathBuf};

use lanista_rocket::arena::{Source, prepare, procedural};
use rocketsim::{Arena, GameMode};

/// A fresh directory with sixteen good files in `soccar/`.
fn dump(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(directory.join("soccar")).unwrap();
    for (i, bytes) in procedural::components().iter().enumerate() {
        fs::write(file(&directory, i), bytes).unwrap();
    }
    directory
}

fn file(directory: &Path, i: usize) -> PathBuf {
    directory.join(format!("soccar/mesh_{i}.cmf"))
}

fn refused(directory: &Path, reason: &str) {
    let error = prepare(Some(directory)).unwrap_err();
    assert_eq!(error.key, "collision_meshes");
    assert!(error.message.contains(reason), "{error}");
    assert!(error.message.contains("soccar/*.cmf"), "says what is right: {error}");
}

#[test]
fn directories_are_refused_with_the_reason_or_used() {
    refused(Path::new("/nowhere/collision_meshes"), "does not exist");
    refused(Path::new(env!("CARGO_MANIFEST_PATH")), "not a directory");
    refused(Path::new(env!("CARGO_MANIFEST_DIR")), "no .cmf files");

    let missing = dump("meshes_missing");
    fs::remove_file(file(&missing, 3)).unwrap();
    refused(&missing, "15 of the 16");

    let strange = dump("meshes_strange");
    let mut bytes = fs::read(file(&strange, 5)).unwrap();
    let end = bytes.len();
    bytes[end - 4..].copy_from_slice(&7.5f32.to_le_bytes());
    fs::write(file(&strange, 5), &bytes).unwrap();
    refused(&strange, "1 .cmf files that are not of the soccar arena");

    let truncated = dump("meshes_truncated");
    fs::write(file(&truncated, 5), &bytes[..end - 5]).unwrap();
    refused(&truncated, "truncated");

    let hostile = dump("meshes_hostile");
    fs::write(file(&hostile, 0), [0xFF; 64]).unwrap();
    refused(&hostile, "no collision mesh");
    fs::write(file(&hostile, 0), [0; 64]).unwrap();
    refused(&hostile, "no collision mesh");
    bytes[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(file(&hostile, 0), &bytes).unwrap();
    refused(&hostile, "damaged");

    let doubled = dump("meshes_doubled");
    fs::copy(file(&doubled, 1), doubled.join("soccar/more.cmf")).unwrap();
    refused(&doubled, "the same component as");

    // Nothing so far has decided for the process.
    assert!(!rocketsim::is_initialized());
    let good = dump("meshes_good");
    fs::write(good.join("soccar/readme.txt"), "not a mesh").unwrap();
    let soccar = fs::canonicalize(good.join("soccar")).unwrap();
    let source = prepare(Some(&good)).unwrap();
    assert_eq!(source, Source::Meshes(soccar));
    assert_eq!(prepare(Some(&good.join("soccar/../soccar"))), Ok(source));
    let mut arena = Arena::new(GameMode::Soccar);
    arena.step_tick();

    let error = prepare(None).unwrap_err();
    assert!(error.message.contains("already runs"), "{error}");
}
