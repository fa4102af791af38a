//! Renaming and removing. A run's own lock is held meanwhile, so none that is being trained is touched.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use lanista_train::RunError;
use lanista_train::files::RunFiles;
use lanista_train::run::RunDirectory;
use lanista_watch::human;
use serde_json::json;

/// Takes a run, so that nobody trains it while it is changed.
fn hold(run: &Path) -> anyhow::Result<RunDirectory> {
    ensure!(
        RunFiles::of(run).config().is_file(),
        "{} is no run: name a run's directory; `lanista runs` lists them",
        run.display()
    );
    match RunDirectory::open(run) {
        Ok(held) => Ok(held),
        Err(RunError::Locked(_)) => {
            bail!("{} is being trained: stop it first (Ctrl-C saves it)", run.display())
        }
        Err(error) => Err(error.into()),
    }
}

pub fn rename(run: &Path, name: &str, json: bool) -> anyhow::Result<()> {
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\n']);
    ensure!(
        plain,
        "`{name}` is no name: it is a single word without slashes, beside the other runs"
    );
    let _held = hold(run)?;
    let whole = run.canonicalize().with_context(|| format!("cannot read {}", run.display()))?;
    let to = whole.with_file_name(name);
    ensure!(!to.exists(), "{} exists already: choose another name", to.display());
    fs::rename(&whole, &to)
        .with_context(|| format!("cannot rename {} to {}", whole.display(), to.display()))?;
    let shown = run.with_file_name(name);
    match json {
        true => say!("{}", json!({ "from": run, "to": shown })),
        false => say!("{} is now {}", run.display(), shown.display()),
    }
    Ok(())
}

pub fn remove(runs: &[PathBuf], yes: bool, json: bool) -> anyhow::Result<()> {
    // All of them are held before the first goes.
    let held = runs.iter().map(|run| hold(run)).collect::<anyhow::Result<Vec<_>>>()?;
    let sizes: Vec<u64> = runs.iter().map(|run| bytes(run)).collect();
    if !json || !yes {
        for (run, size) in runs.iter().zip(&sizes) {
            complain!("{}: {}", run.display(), megabytes(*size));
        }
    }
    if !agreed(&format!("remove {} for good", human::plural(runs.len() as u64, "run")), yes)? {
        return Ok(());
    }
    for run in runs {
        fs::remove_dir_all(run).with_context(|| format!("cannot remove {}", run.display()))?;
    }
    drop(held);
    match json {
        true => say!("{}", json!({ "removed": runs, "bytes": sizes.iter().sum::<u64>() })),
        false => say!(
            "removed {}, {}",
            human::plural(runs.len() as u64, "run"),
            megabytes(sizes.iter().sum())
        ),
    }
    Ok(())
}

pub fn prune(runs: &[PathBuf], yes: bool, json: bool) -> anyhow::Result<()> {
    let (mut held, mut surplus, mut trained) = (Vec::new(), Vec::new(), Vec::new());
    for run in runs {
        match RunDirectory::open(run) {
            Ok(directory) => {
                surplus.extend(surplus_of(run));
                held.push(directory);
            }
            Err(RunError::Locked(path)) => trained.push(path),
            Err(error) => return Err(error.into()),
        }
    }
    for path in trained.iter().filter(|_| !json) {
        complain!("{} is being trained and stays as it is", path.display());
    }
    let size: u64 = surplus.iter().map(|path| bytes(path)).sum();
    if surplus.is_empty() {
        match json {
            true => say!("{}", json!({ "removed": surplus, "bytes": 0 })),
            false => say!("nothing to remove in {}", human::plural(runs.len() as u64, "run")),
        }
        return Ok(());
    }
    if !json || !yes {
        surplus.iter().for_each(|path| complain!("{}", path.display()));
    }
    if !agreed(&format!("remove these, {}", megabytes(size)), yes)? {
        return Ok(());
    }
    for path in &surplus {
        let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        removed.with_context(|| format!("cannot remove {}", path.display()))?;
    }
    drop(held);
    match json {
        true => say!("{}", json!({ "removed": surplus, "bytes": size })),
        false => say!("removed {}", megabytes(size)),
    }
    Ok(())
}

/// Checkpoints before the newest, and copies of damaged files.
fn surplus_of(run: &Path) -> Vec<PathBuf> {
    let files = RunFiles::of(run);
    let mut checkpoints: Vec<(u64, PathBuf)> = entries(&files.checkpoints())
        .filter_map(|path| Some((path.file_name()?.to_str()?.parse().ok()?, path)))
        .collect();
    checkpoints.sort();
    checkpoints.pop();
    let damaged = entries(run).chain(entries(&files.league())).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        path.is_file()
            && name.rsplit_once(".damaged").is_some_and(|(_, rest)| {
                rest.is_empty() || rest.strip_prefix('-').is_some_and(|n| n.parse::<u32>().is_ok())
            })
    });
    checkpoints.into_iter().map(|(_, path)| path).chain(damaged).collect()
}

fn entries(directory: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path())
}

fn bytes(path: &Path) -> u64 {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => entries(path).map(|path| bytes(&path)).sum(),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Asks, unless the answer is known.
fn agreed(what: &str, yes: bool) -> anyhow::Result<bool> {
    if yes {
        return Ok(true);
    }
    if !std::io::stdin().is_terminal() {
        bail!("nobody can be asked here: give --yes to {what}");
    }
    let _ = write!(std::io::stderr(), "{what}? [y/N] ");
    let _ = std::io::stderr().flush();
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("cannot read the answer")?;
    let agreed = ["y", "yes"].contains(&answer.trim().to_lowercase().as_str());
    if !agreed {
        say!("nothing was removed");
    }
    Ok(agreed)
}
