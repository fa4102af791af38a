//! `lanista train --ray`: the same run by the Python package, which knows Ray. What is missing is named before
//! anything begins.

use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
#[cfg(unix)]
use std::{thread, time::Duration};

use anyhow::{Context, bail};
use lanista_train::files::RunFiles;
use lanista_train::run::RunDirectory;

use crate::args::TrainArgs;
use crate::attached;
use crate::catalog::DEFAULT_PRESET;
use crate::choose::Beginning;
#[cfg(unix)]
use crate::signals::Wish;
use crate::signals::{LEFT_AT_ONCE, Signals};

/// Which Python is started.
const PYTHON: &str = "LANISTA_PYTHON";
/// What it must be able to do. A mere directory of that name has no native half.
const TRY: &str = "import lanista.ray";
/// How often it is seen whether it has ended.
#[cfg(unix)]
const GLANCE: Duration = Duration::from_millis(50);

/// Trains by Python. The preset has been read and found sound.
pub fn train(args: &TrainArgs, title: &str, beginning: &Beginning) -> anyhow::Result<()> {
    let python = look_for_python(args)?;
    if matches!(beginning, Beginning::Milestone { .. }) {
        bail!(
            "--ray goes on with a run or begins one; go back to the milestone first, with `lanista train --resume \
             MILESTONE --until 0`, and name that run"
        );
    }
    let (directory, said) = beginning.directory(title)?;
    said.iter().for_each(|line| say!("{line}"));
    let path = directory.path().to_owned();
    // Its lock: the other process takes the run from here.
    drop(directory);
    let source = match (&args.preset, beginning) {
        (None, Beginning::In(run)) if RunFiles::of(run).config().is_file() => {
            RunFiles::of(run).config().display().to_string()
        }
        (preset, _) => preset.clone().unwrap_or_else(|| DEFAULT_PRESET.to_owned()),
    };
    // Whoever kills this process means the run, which is in that one.
    let mut command = attached::command(python.as_ref())?;
    command.args(["-m", "lanista.ray"]).arg(source).arg("--directory").arg(&path);
    if let Some(address) = args.ray.as_deref().filter(|address| *address != "local") {
        command.args(["--address", address]);
    }
    for (flag, value) in [
        ("--workers", args.ray_workers.map(|n| n.to_string())),
        ("--exploiter-workers", args.ray_exploiter_workers.map(|n| n.to_string())),
        ("--evaluators", args.ray_evaluators.map(|n| n.to_string())),
        ("--mode", args.ray_mode.clone()),
        ("--max-lag", args.ray_max_lag.map(|n| n.to_string())),
        ("--until", args.until.map(|n| n.to_string())),
    ] {
        if let Some(value) = value {
            command.args([flag, &value]);
        }
    }
    for change in args.all_overrides()? {
        command.args(["--set", &change.assignment()]);
    }
    let status = watched(&mut command).with_context(|| format!("cannot start {python}"))?;
    if status.success() {
        return Ok(());
    }
    if !has_checkpoint(&path) {
        if let Ok(directory) = RunDirectory::open(&path) {
            directory.leave_if_unused();
        }
        bail!("the run on Ray has ended before its first checkpoint");
    }
    let said = format!(
        "the run on Ray has ended early; `lanista train --resume {} --ray …` goes on",
        path.display()
    );
    if status.code() == Some(LEFT_AT_ONCE) {
        complain!("{said}");
        std::process::exit(LEFT_AT_ONCE);
    }
    bail!(said)
}

/// Starts Python and waits for it. Whatever asks this process to end, be it a key or a signal, asks Python to save, as
/// Ctrl-C does; a second one lets it leave at once.
#[cfg(unix)]
fn watched(command: &mut Command) -> std::io::Result<ExitStatus> {
    use std::os::unix::process::CommandExt;

    use nix::sys::signal::{Signal, kill};
    use nix::unistd::Pid;

    let signals = Signals::listen()?;
    // In a group of its own, or keys of a terminal would reach it twice.
    let mut child = command.process_group(0).spawn()?;
    let pid = Pid::from_raw(child.id().cast_signed());
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        // It may have ended meanwhile, and is still there until it has been waited for.
        match signals.next() {
            Some(Wish::Sleep) => {
                let _ = kill(pid, Signal::SIGSTOP);
                signals.sleep();
                let _ = kill(pid, Signal::SIGCONT);
            }
            Some(_) => drop(kill(pid, Signal::SIGINT)),
            None => thread::sleep(GLANCE),
        }
    }
}

/// Starts Python and waits for it. Keys of a terminal reach it by themselves.
#[cfg(not(unix))]
fn watched(command: &mut Command) -> std::io::Result<ExitStatus> {
    let _listening = Signals::listen()?;
    command.status()
}

fn has_checkpoint(run: &Path) -> bool {
    let checkpoints = std::fs::read_dir(RunFiles::of(run).checkpoints());
    checkpoints.is_ok_and(|mut all| all.next().is_some())
}

/// The Python that is started. Everything is there that it needs, and the flags fit together.
pub fn look_for_python(args: &TrainArgs) -> anyhow::Result<String> {
    if args.ray_workers == Some(0) {
        bail!("--ray-workers 0: there is at least one");
    }
    if let Some(lag) = args.ray_max_lag
        && (lag == 0 || args.ray_mode.as_deref() != Some("async"))
    {
        bail!("--ray-max-lag {lag}: it is at least 1, and for --ray-mode async alone");
    }
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(&python);
    let tried = command.args(["-c", TRY]).stdout(Stdio::null()).stderr(Stdio::piped()).output();
    let Ok(tried) = tried else {
        bail!(
            "--ray needs Python 3.10 or newer, and there is no {python}; install it, or name one with {PYTHON}=PATH"
        );
    };
    if tried.status.success() {
        return Ok(python);
    }
    let said = String::from_utf8_lossy(&tried.stderr);
    let last = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
    bail!(
        "--ray needs the packages lanista and ray, and {python} cannot import lanista.ray: {last}\n  pip install ./python \
         (in the sources of lanista, with Rust), pip install ray, or name another Python with {PYTHON}=PATH"
    )
}
