//! The trainer of a job: a process of this program that begins or goes on in the run's directory, whichever it finds.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::Context;
use lanista::Voice;
use lanista_train::checkpoint;
use lanista_train::files::RunFiles;

use super::process::{Ask, Process, Reach};
use crate::args::TrainArgs;
use crate::attached;
use crate::catalog::DEFAULT_PRESET;
use crate::choose::Beginning;

/// How long the last words of a trainer are waited for after its end: a process that it left behind may hold the
/// pipe open.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How the trainer is started, the first time as every other.
pub struct Trainer {
    /// The arguments of this program.
    pub arguments: Vec<OsString>,
    pub screen: Screen,
    /// Whom wishes of the job are told.
    reach: Reach,
    /// Where its complaints are kept; none if they go to a terminal.
    log: Option<PathBuf>,
    files: RunFiles,
}

/// What the trainer has of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// All of it, and its keys.
    Dashboard,
    /// It writes lines.
    Lines,
}

/// A trainer that runs.
pub struct Training {
    pub process: Process,
    /// Steps of the newest checkpoint when it began.
    began_at: Option<u64>,
    /// Hears that its complaints have been copied to the end.
    copied: Option<Receiver<()>>,
    reach: Reach,
}

impl Trainer {
    /// The trainer for a run in `directory`, which `beginning` has made.
    pub fn of(
        args: &TrainArgs,
        beginning: &Beginning,
        directory: &Path,
        log: PathBuf,
    ) -> anyhow::Result<Self> {
        let by_hand = !args.json && !args.plain && args.ray.is_none();
        let screen = match Voice::of_terminal() {
            Voice::Dashboard if by_hand => Screen::Dashboard,
            _ => Screen::Lines,
        };
        Ok(Self {
            arguments: arguments(args, beginning, directory)?,
            screen,
            // On Ray it is Python that trains, in a process of the trainer's.
            reach: if args.ray.is_some() { Reach::Group } else { Reach::Process },
            log: (!std::io::stderr().is_terminal()).then_some(log),
            files: RunFiles::of(directory),
        })
    }

    /// Where its complaints are kept, if they are.
    pub fn log(&self) -> Option<&Path> {
        self.log.as_deref()
    }

    /// The steps of the newest checkpoint.
    pub fn steps(&self) -> Option<u64> {
        let all = checkpoint::list(&self.files.checkpoints()).unwrap_or_default();
        all.last().map(|(steps, _)| *steps)
    }

    pub fn start(&self) -> anyhow::Result<Training> {
        let own = attached::own_path()?;
        let mut command = attached::command(own.as_os_str())?;
        command.args(&self.arguments);
        let mut log = None;
        if let Some(path) = &self.log {
            let file = OpenOptions::new().append(true).create(true).open(path);
            log = Some(file.with_context(|| format!("cannot write {}", path.display()))?);
            command.stderr(Stdio::piped());
        }
        let began_at = self.steps();
        let started = match self.screen {
            Screen::Dashboard => Process::beside(command),
            Screen::Lines => {
                command.stdin(Stdio::null());
                Process::apart(command)
            }
        };
        let mut process = started.context("cannot start the trainer")?;
        let copied = log.and_then(|log| Some(copy(process.take_stderr()?, log)));
        Ok(Training { process, began_at, copied, reach: self.reach })
    }
}

impl Training {
    /// Has it got further than where it began, by a checkpoint at so many steps?
    pub fn got_on(&self, now: Option<u64>) -> bool {
        now > self.began_at
    }

    /// Asks something of it.
    pub fn ask(&mut self, ask: Ask) {
        self.process.ask(ask, self.reach);
    }

    /// Its last words have been heard.
    pub fn finish(self) {
        if let Some(copied) = &self.copied {
            let _ = copied.recv_timeout(LAST_WORDS); // whatever is missing is not worth more
        }
    }
}

/// Copies what the trainer complains of to our standard error and into a log.
fn copy(mut from: impl Read + Send + 'static, mut log: File) -> Receiver<()> {
    let (done, copied) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut bytes) {
            let heard = &bytes[..length];
            // Neither a reader that went away nor a full disk is a reason to stop training.
            let _ = std::io::stderr().write_all(heard);
            let _ = log.write_all(heard);
        }
        let _ = done.send(()); // nobody may wait any more
    });
    copied
}

/// The arguments of `lanista train` that begin in the run's directory, or go on there, however often they are
/// used.
fn arguments(
    args: &TrainArgs,
    beginning: &Beginning,
    directory: &Path,
) -> anyhow::Result<Vec<OsString>> {
    let mut line: Vec<OsString> = vec!["train".into()];
    let named = args.resume.as_ref().is_some_and(Option::is_some);
    let goes_on = args.resume.is_some() || args.pick;
    // A new run under `--resume` without a path was looked for and not found.
    let resumed = goes_on && !matches!(beginning, Beginning::New);
    let preset = match (&args.preset, resumed) {
        (Some(preset), false) => Some(preset.clone()),
        (None, false) => Some(DEFAULT_PRESET.to_owned()),
        // Beside a run that was named it changes the run's settings; else it was only where to look.
        (preset, true) => preset.clone().filter(|_| named),
    };
    line.extend(preset.map(OsString::from));
    if resumed {
        line.extend(["--resume".into(), directory.into()]);
    }
    for change in args.all_overrides()?.iter().filter(|change| !change.sets("run.dir")) {
        line.extend(["--set".into(), change.assignment().into()]);
    }
    if !resumed {
        // In quotes as JSON: a path may look like a number.
        let path = directory.to_str().context("the run's directory has a name that is no text")?;
        let path = serde_json::to_string(path)?;
        line.extend(["--set".into(), format!("run.dir={path}").into()]);
    }
    for (flag, is_given) in [("--plain", args.plain), ("--json", args.json)] {
        line.extend(is_given.then(|| flag.into()));
    }
    for (flag, value) in [
        ("--until", args.until.map(|steps| steps.to_string())),
        ("--render", args.render.map(|address| address.to_string())),
        ("--ray", args.ray.clone()),
        ("--ray-workers", args.ray_workers.map(|n| n.to_string())),
        ("--ray-exploiter-workers", args.ray_exploiter_workers.map(|n| n.to_string())),
        ("--ray-evaluators", args.ray_evaluators.map(|n| n.to_string())),
        ("--ray-mode", args.ray_mode.clone()),
        ("--ray-max-lag", args.ray_max_lag.map(|n| n.to_string())),
    ] {
        if let Some(value) = value {
            line.extend([flag.into(), value.into()]);
        }
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Args, Command};
    use crate::choose::Back;

    fn parsed(line: &str) -> TrainArgs {
        let Command::Train(args) = Args::parse_from(line.split(' ')).command else {
            panic!("{line}");
        };
        args
    }

    fn becomes(line: &str, beginning: &Beginning, directory: &str) -> String {
        let words = arguments(&parsed(line), beginning, Path::new(directory)).unwrap();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn a_new_run_is_told_its_directory() {
        let line =
            "lanista train classic/duel --seed 3 --until 4k --plain --set run.dir=x --reward won=2";
        let said = becomes(line, &Beginning::In("x".into()), "x");
        assert_eq!(
            said,
            "train classic/duel --set rewards.won=2 --set run.seed=3 --set run.dir=\"x\" --plain --until 4000"
        );
        let said = becomes("lanista train", &Beginning::New, "runs/12");
        assert_eq!(said, format!("train {DEFAULT_PRESET} --set run.dir=\"runs/12\""));
    }

    #[test]
    fn a_run_that_goes_on_is_named() {
        let there = Beginning::In("runs/a".into());
        let line = "lanista train --resume runs/a --steps 9";
        assert_eq!(becomes(line, &there, "runs/a"), "train --resume runs/a --set stop.steps=9");
        let line = "lanista train classic/duel --resume runs/a";
        assert_eq!(becomes(line, &there, "runs/a"), "train classic/duel --resume runs/a");
        // The preset was where to look for it.
        let line = "lanista train classic/duel --resume";
        assert_eq!(becomes(line, &there, "runs/a"), "train --resume runs/a");
        let said = becomes(line, &Beginning::New, "runs/b");
        assert_eq!(said, "train classic/duel --set run.dir=\"runs/b\"");
    }

    #[test]
    fn what_began_at_a_milestone_goes_on_as_a_run() {
        let to = Back::NewRun(None);
        let (run, milestone) = ("runs/a".into(), "runs/a/milestones/100".into());
        let beginning = Beginning::Milestone { run, milestone, to };
        let line = "lanista train --resume runs/a/milestones/100 --overwrite";
        assert_eq!(becomes(line, &beginning, "runs/a-2"), "train --resume runs/a-2");
    }
}
