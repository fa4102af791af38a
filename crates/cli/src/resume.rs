//! Which run `lanista train` goes on with.

use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, bail};
use lanista_train::checkpoint::{self, Opened};
use lanista_train::disk::{replace, set_aside};
use lanista_train::files::{RUNS, RunFiles, steps_of};
use lanista_train::preset::Preset;
use lanista_train::stages::other_shape;

use crate::catalog;

/// The configuration to go on by: the milestone's own, or the run's. A run's that cannot be read is
/// set aside, and the one that its newest checkpoint keeps takes its place.
pub fn configuration(run: &Path, milestone: Option<&Path>) -> anyhow::Result<PathBuf> {
    if let Some(own) =
        milestone.map(|path| path.join(RunFiles::CONFIG)).filter(|path| path.is_file())
    {
        return Ok(own);
    }
    let path = RunFiles::of(run).config();
    let found = std::fs::read(&path).ok();
    let problem = match &found {
        None => "it is missing".to_owned(),
        Some(_) => match catalog::load(&path.display().to_string(), &[]) {
            Ok(_) => return Ok(path),
            Err(error) => format!("{error:#}"),
        },
    };
    let Some((steps, kept)) = kept_configuration(run) else {
        match found {
            None => {
                bail!(no_run(run))
            }
            // No checkpoint knows better: the mistake is told when the file is read.
            Some(_) => return Ok(path),
        }
    };
    let aside = match &found {
        Some(bytes) => format!("; the original is {}", set_aside(&path, bytes)?.display()),
        None => String::new(),
    };
    replace(&path, kept.as_bytes())?;
    complain!(
        "warning: {} is damaged: {problem}; the one kept with the checkpoint at {steps} steps takes \
         its place{aside}",
        path.display()
    );
    Ok(path)
}

/// Why a directory is no run.
pub fn no_run(directory: &Path) -> String {
    let (place, config) = (directory.display(), RunFiles::CONFIG);
    format!("{place} is no run: it has no {config}. `ls {RUNS}` shows yours")
}

/// The configuration that the newest sound checkpoint of a run keeps, and its steps.
fn kept_configuration(run: &Path) -> Option<(u64, String)> {
    let all = checkpoint::list(&RunFiles::of(run).checkpoints()).ok()?;
    let kept = |(steps, path): (u64, PathBuf)| {
        Some((steps, Opened::read(&path).ok()?.config()?.to_owned()))
    };
    all.into_iter().rev().find_map(kept)
}

/// Is a milestone there, and sound? Before anything is created for it.
pub fn check_milestone(milestone: &Path) -> anyhow::Result<()> {
    if steps_of(milestone).is_none() {
        bail!("{} is no milestone: their names begin with their steps", milestone.display());
    }
    Opened::read(milestone)?;
    Ok(())
}

/// The runs of a preset, newest first.
fn runs(name: &str) -> Vec<PathBuf> {
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(RUNS).into_iter().flatten().flatten() {
        let own = entry.file_name().to_string_lossy().into_owned();
        let number = own.strip_prefix(name).map(|rest| rest.strip_prefix('-').unwrap_or(rest));
        let is_ours = number.is_some_and(|n| n.is_empty() || n.parse::<u32>().is_ok());
        let checkpoints = RunFiles::of(entry.path()).checkpoints();
        if is_ours && checkpoints.is_dir() {
            let changed = checkpoints.metadata().and_then(|m| m.modified());
            found.extend(changed.ok().map(|t| (t, entry.path())));
        }
    }
    found.sort();
    found.into_iter().rev().map(|(_, path)| path).collect()
}

/// The newest run of a preset that fits it: the same observation, heads, policy and critic. Others are
/// named with what differs. None is no mistake: then a new run begins.
pub fn newest(name: &str, preset: &Preset) -> anyhow::Result<Option<PathBuf>> {
    for run in runs(name) {
        let recorded = RunFiles::of(&run).config();
        let differs = match catalog::load(&recorded.display().to_string(), &[]) {
            Err(error) => Some(format!("its {} cannot be used: {error:#}", RunFiles::CONFIG)),
            Ok(old) if old.config.game != preset.config.game => Some("the game differs".into()),
            Ok(old) => match other_shape(&old.spec, &preset.spec) {
                Some(what) => Some(format!("{what} differs")),
                None if old.config.policy != preset.config.policy => {
                    Some("the network (policy) differs".into())
                }
                None => None,
            },
        };
        match differs {
            None => return Ok(Some(run)),
            Some(why) => complain!("{} does not fit: {why}", run.display()),
        }
    }
    complain!("no run of {name} under {RUNS}/ to resume: a new one begins");
    Ok(None)
}

/// Lets the user pick a milestone of the preset's runs.
pub fn pick(name: &str) -> anyhow::Result<PathBuf> {
    let runs = runs(name).into_iter().map(RunFiles::of);
    let found: Vec<PathBuf> = runs.flat_map(|files| files.found_milestones()).collect();
    if found.is_empty() {
        bail!(
            "no milestones of {name} under {RUNS}/: a curriculum makes one at each transition, and \
             checkpoint.milestones=STEPS one every so often"
        );
    }
    for (index, path) in found.iter().enumerate() {
        say!("{:>3}  {}", index + 1, path.display());
    }
    if !std::io::stdin().is_terminal() {
        say!("Which one? (a number; read from standard input)");
    } else {
        let _ = write!(std::io::stdout(), "Which one? ");
        let _ = std::io::stdout().flush();
    }
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).context("cannot read standard input")?;
    let chosen = answer.trim().parse::<usize>().ok().and_then(|n| found.get(n.checked_sub(1)?));
    match chosen {
        Some(path) => Ok(path.clone()),
        None => bail!("`{}` is none of 1 to {}", answer.trim(), found.len()),
    }
}
