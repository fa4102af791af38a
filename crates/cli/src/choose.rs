//! What `lanista train` trains, and where: a new run, one that goes on, or one that goes back.

use std::path::{Path, PathBuf};

use anyhow::bail;
use lanista_train::Plan;
use lanista_train::files::{RUNS, RunFiles, numbered, run_of};
use lanista_train::layers::Override;
use lanista_train::preset::{Preset, PresetError, run_name};
use lanista_train::run::{Forked, RunDirectory};

use crate::args::TrainArgs;
use crate::catalog::{self, DEFAULT_PRESET};
use crate::resume;

/// What is to be trained.
pub struct Chosen {
    pub title: String,
    pub plan: Plan,
    pub beginning: Beginning,
}

/// Where a run begins.
pub enum Beginning {
    /// With a new run, in a directory of its own.
    New,
    /// In this directory: anew if it is empty, else where its newest checkpoint is.
    In(PathBuf),
    /// At a milestone of a run.
    Milestone { run: PathBuf, milestone: PathBuf, to: Back },
}

/// Where a run goes back to a milestone.
pub enum Back {
    /// In place: what came after it is removed.
    InPlace,
    /// In a new run, in this directory or in a fresh one beside the old run.
    NewRun(Option<PathBuf>),
}

/// The preset, or the configuration of the run to resume, with the flags on top. In this order: the
/// run or milestone that was named, a milestone picked from a list, the newest run of the preset
/// that fits, a new run.
pub fn choose(args: &TrainArgs, overrides: Vec<Override>) -> anyhow::Result<Chosen> {
    let name = args.preset.as_deref().unwrap_or(DEFAULT_PRESET);
    let named = args.resume.clone().flatten();
    if let (Some(path), true) = (&named, args.pick) {
        let path = path.display();
        bail!(
            "--resume {path} --pick: one names the place to go on from, the other asks for it; drop one"
        );
    }
    let picked = match (&named, args.pick) {
        (None, true) => Some(resume::pick(&run_name(name))?),
        _ => None,
    };
    let place = match named.or(picked) {
        Some(path) => Some(path),
        None if args.resume.is_some() => {
            let preset = catalog::load(name, &overrides)?;
            resume::newest(&run_name(name), &preset)?
        }
        None => None,
    };
    if args.overwrite && place.as_deref().is_none_or(|place| run_of(place).1.is_none()) {
        let milestone = RunFiles::of("RUN").milestones().join("N");
        bail!(
            "--overwrite: only going back to a milestone overwrites something; name one with \
             --resume {} or --pick, or drop --overwrite",
            milestone.display()
        );
    }
    let Some(place) = place else {
        let mut preset = catalog::load(name, &overrides)?;
        let beginning = preset.take_dir().map_or(Beginning::New, Beginning::In);
        let plan = plan(preset, &beginning)?;
        return Ok(Chosen { title: name.to_owned(), plan, beginning });
    };
    let (run, milestone) = run_of(&place);
    let recorded = resume::configuration(&run, milestone.as_deref())?;
    // A preset named beside --resume PATH changes the run's settings; the shapes must still agree.
    let source = match &args.preset {
        Some(preset) if args.resume.as_ref().is_some_and(Option::is_some) => preset.clone(),
        _ => recorded.display().to_string(),
    };
    let mut preset = catalog::load(&source, &overrides)?;
    let into = preset.take_dir().filter(|_| preset.sets("run.dir"));
    let title = run.file_name().map_or_else(|| name.to_owned(), |n| n.to_string_lossy().into());
    let beginning = match milestone {
        Some(_) if args.overwrite && into.is_some() => {
            bail!("--overwrite goes back in the run's own directory; drop it or --set run.dir")
        }
        Some(milestone) => {
            let to = if args.overwrite { Back::InPlace } else { Back::NewRun(into) };
            Beginning::Milestone { run, milestone, to }
        }
        None if into.as_ref().is_some_and(|into| *into != run) => bail!(
            "--resume {} goes on in that directory, so run.dir cannot be another one; go back to a \
             milestone to begin a run elsewhere",
            run.display()
        ),
        None => Beginning::In(run),
    };
    let plan = plan(preset, &beginning)?;
    Ok(Chosen { title, plan, beginning })
}

/// What is to be trained. The exploiters of a run that goes on by its own configuration train with what
/// that run has kept for them.
fn plan(preset: Preset, beginning: &Beginning) -> Result<Plan, PresetError> {
    let keeper = match beginning {
        Beginning::In(run) if preset.is_configuration_of(run) => Some(run),
        Beginning::Milestone { run, milestone, .. }
            if preset.is_configuration_of(milestone) || preset.is_configuration_of(run) =>
        {
            Some(run)
        }
        _ => None,
    };
    preset.plan(keeper.map(PathBuf::as_path))
}

impl Beginning {
    /// The directory that it would have now, if nobody else takes it.
    pub fn place(&self, title: &str) -> PathBuf {
        let free = |parent: &Path, name: &str| {
            let all = (1..).map(|n| numbered(parent, name, n));
            all.into_iter().find(|path| !path.exists()).unwrap_or_else(|| parent.join(name))
        };
        match self {
            Self::New => free(Path::new(RUNS), &run_name(title)),
            Self::In(path) => path.clone(),
            Self::Milestone { run, to: Back::InPlace, .. } => run.clone(),
            Self::Milestone { to: Back::NewRun(Some(path)), .. } => path.clone(),
            Self::Milestone { run, milestone, .. } => {
                free(run.parent().unwrap_or(Path::new(".")), &forked_name(title, milestone))
            }
        }
    }

    /// Opens or creates the run's directory. Returns what is to be said about it.
    pub fn directory(&self, title: &str) -> anyhow::Result<(RunDirectory, Option<String>)> {
        match self {
            Self::New => Ok((RunDirectory::claim(Path::new(RUNS), &run_name(title))?, None)),
            Self::In(path) => Ok((RunDirectory::open(path)?, None)),
            Self::Milestone { run, milestone, to: Back::InPlace } => {
                let directory = RunDirectory::open(run)?;
                directory.roll_back(milestone)?;
                let (run, milestone) = (run.display(), milestone.display());
                Ok((
                    directory,
                    Some(format!(
                        "{run} goes back to {milestone}: its later checkpoints, milestones and \
                         metrics are removed"
                    )),
                ))
            }
            Self::Milestone { run, milestone, to: Back::NewRun(into) } => {
                resume::check_milestone(milestone)?;
                let directory = match into {
                    Some(path) => RunDirectory::open(path)?,
                    None => {
                        let parent = run.parent().unwrap_or(Path::new("."));
                        RunDirectory::claim(parent, &forked_name(title, milestone))?
                    }
                };
                let forked = directory.fork(milestone)?;
                let said = describe(run, milestone, &directory, &forked);
                Ok((directory, Some(said)))
            }
        }
    }
}

fn describe(run: &Path, milestone: &Path, into: &RunDirectory, forked: &Forked) -> String {
    let (run, milestone, into) = (run.display(), milestone.display(), into.path().display());
    let Forked { steps, iterations, milestones, snapshots } = forked;
    format!(
        "{into} begins as a copy of {run} at {steps} steps ({milestone}), with the metrics of \
         {iterations} iterations, {milestones} milestones and {snapshots} snapshots; {run} stays as \
         it is (--overwrite goes back in place)"
    )
}

fn forked_name(title: &str, milestone: &Path) -> String {
    let name = milestone.file_name().unwrap_or_default().to_string_lossy();
    format!("{title}-from-{name}")
}
