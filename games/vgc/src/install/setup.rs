//! Installs the simulator into the cache of the user.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{Install, InstallError, at, cache, installed_in, node, pointer_in};
use crate::dex;
use crate::format::FORMATS;

/// Installs the pinned simulator into the cache of the user with npm: without the packages that only a
/// server needs, and without running scripts. What is there already and sound is left alone. `progress` is told how
/// it goes, several times a second.
pub fn setup(progress: &mut dyn FnMut(&str)) -> Result<Install, InstallError> {
    node()?;
    let cache = cache()?;
    let _lock = lock(&cache)?;
    let home = installed_in(&cache);
    let unwritable = |source| InstallError::Unwritable { path: cache.clone(), source };
    if let Ok(install) = at(&home).and_then(try_out) {
        remove_file(&pointer_in(&cache)).map_err(unwritable)?;
        return Ok(install);
    }
    // What a setup that was stopped has left behind; the lock says that none is at work.
    let made = cache.join("installing");
    remove(&made).map_err(unwritable)?;
    fs::create_dir(&made).map_err(unwritable)?;
    // Npm would look for a project in the directories above.
    fs::write(made.join("package.json"), "{\"private\": true}\n").map_err(unwritable)?;
    let done = npm(&made, progress)
        .and_then(|()| at(&made).and_then(try_out))
        .and_then(|_| remove(&home).map_err(unwritable))
        .and_then(|()| fs::rename(&made, &home).map_err(unwritable))
        .and_then(|()| remove_file(&pointer_in(&cache)).map_err(unwritable));
    if let Err(error) = done {
        // The error that there is says more than one about the rest of it.
        let _ = remove(&made);
        return Err(error);
    }
    at(&home)
}

/// Takes an install that was made elsewhere: it stays where it is, and the cache remembers where.
pub fn setup_from(directory: &Path) -> Result<Install, InstallError> {
    node()?;
    at(directory).and_then(try_out)?;
    let directory = directory.canonicalize().map_err(|error| InstallError::Damaged {
        directory: directory.to_owned(),
        why: error.to_string(),
    })?;
    let cache = cache()?;
    let _lock = lock(&cache)?;
    let pointer = pointer_in(&cache);
    let fresh = cache.join("from.new");
    fs::write(&fresh, format!("{}\n", directory.display()))
        .and_then(|()| fs::rename(&fresh, &pointer))
        .map_err(|source| InstallError::Unwritable { path: pointer, source })?;
    at(&directory)
}

/// One setup at a time; the lock goes with the process.
fn lock(cache: &Path) -> Result<File, InstallError> {
    let unwritable = |source| InstallError::Unwritable { path: cache.to_owned(), source };
    fs::create_dir_all(cache).map_err(unwritable)?;
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(cache.join("lock"))
        .map_err(unwritable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(InstallError::Busy(cache.to_owned())),
        Err(TryLockError::Error(error)) => Err(unwritable(error)),
    }
}

/// Lets npm install into a directory.
fn npm(into: &Path, progress: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
    let words = into.join("npm.log");
    let unwritable = |source| InstallError::Unwritable { path: into.to_owned(), source };
    let mut log = File::options()
        .create(true)
        .truncate(true)
        .read(true)
        .write(true)
        .open(&words)
        .map_err(unwritable)?;
    let spawned = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
        .args(["install", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"])
        .args(["--loglevel=error", "--no-progress"])
        .arg(format!("pokemon-showdown@{}", dex::version()))
        .current_dir(into)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log.try_clone().map_err(unwritable)?)
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(InstallError::NoNpm),
        Err(error) => return Err(InstallError::Npm { why: error.to_string() }),
    };
    let begun = Instant::now();
    let status = loop {
        progress(&format!(
            "npm installs pokemon-showdown@{}: {} s, of about 30",
            dex::version(),
            begun.elapsed().as_secs()
        ));
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => std::thread::sleep(Duration::from_millis(200)),
            Err(error) => return Err(InstallError::Npm { why: error.to_string() }),
        }
    };
    if status.success() {
        // It is no part of the install.
        return fs::remove_file(&words).map_err(unwritable);
    }
    if interrupted(status) {
        return Err(InstallError::Interrupted);
    }
    let why = last_words(&mut log).unwrap_or_else(|| status.to_string());
    Err(InstallError::Npm { why })
}

/// Was it ended by a signal, or did it end itself because of one?
fn interrupted(status: ExitStatus) -> bool {
    // A shell reports a signal as 128 and its number: 2 is a Ctrl-C, 15 a request to end.
    matches!(status.code(), None | Some(130 | 143))
}

/// What npm said at the end, on one line, without its prefixes.
fn last_words(log: &mut File) -> Option<String> {
    const MOST: u64 = 64 << 10;
    let length = log.metadata().ok()?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(MOST))).ok()?;
    let mut bytes = Vec::new();
    log.take(MOST).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text
        .lines()
        .map(|line| {
            line.trim_start_matches("npm ").trim_start_matches(['E', 'R', '!', 'e', 'r', 'o', ' '])
        })
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("A complete log"));
    let joined: Vec<&str> = lines.take(3).collect();
    let short: String = joined.join(", ").chars().filter(|c| !c.is_control()).take(300).collect();
    (!short.is_empty()).then_some(short)
}

/// Does node load the simulator, and does it know the formats?
fn try_out(install: Install) -> Result<Install, InstallError> {
    const SCRIPT: &str = "const {Dex, TeamValidator, Battle} = require(process.argv[1]);\
        for (const id of process.argv.slice(2)) if (!Dex.formats.get(id).exists) throw new Error(id + ' is unknown');\
        if (!TeamValidator || !Battle) throw new Error('parts of the simulator are missing');";
    let damaged = |why: String| InstallError::Damaged { directory: install.directory.clone(), why };
    let output = Command::new(&install.node)
        .args(["-e", SCRIPT])
        .arg(&install.package)
        .args(FORMATS.iter().map(|format| format.id))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| damaged(error.to_string()))?;
    if output.status.success() {
        return Ok(install);
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let error = words.lines().find(|line| line.contains("Error")).unwrap_or("node cannot load it");
    Err(damaged(error.chars().take(200).collect()))
}

/// Removes a directory, if it is there.
fn remove(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes a file, if it is there.
fn remove_file(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
