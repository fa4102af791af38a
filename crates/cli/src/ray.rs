//! `lanista train --ray`: the same run by the Python package, which knows Ray. What is missing is named before
//! anything begins.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use lanista_train::files::RunFiles;

use crate::args::TrainArgs;
use crate::attached;
use crate::catalog::DEFAULT_PRESET;
use crate::choose::Beginning;

/// Which Python is started.
const PYTHON: &str = "LANISTA_PYTHON";

/// Trains by Python. The preset has been read and found sound.
pub fn train(args: &TrainArgs, title: &str, beginning: &Beginning) -> anyhow::Result<()> {
    let python = look_for_python()?;
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
    // Ctrl-C reaches Python, too, which saves; this process waits for that, since Python would die with it.
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default())
        .context("cannot listen for Ctrl-C")?;
    let status = command.status().with_context(|| format!("cannot start {python}"))?;
    if !status.success() {
        bail!(
            "the run on Ray has ended early; `lanista train --resume {} --ray …` goes on",
            path.display()
        );
    }
    Ok(())
}

/// The Python that is started. Both packages are there.
pub fn look_for_python() -> anyhow::Result<String> {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| "python3".to_owned());
    let tries = |code: &str| {
        let mut command = Command::new(&python);
        command.args(["-c", code]).stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    if tries("pass").is_err() {
        bail!(
            "--ray needs Python 3.10 or newer, and there is no {python}; install it, or name one with {PYTHON}=PATH"
        );
    }
    for (package, remedy) in [
        ("lanista", "pip install ./python (in the sources of lanista, with Rust)"),
        ("ray", "pip install ray"),
    ] {
        if !tries(&format!("import {package}")).is_ok_and(|status| status.success()) {
            let which = Path::new(&python).display();
            bail!("--ray needs the package {package}, which {which} does not have: {remedy}");
        }
    }
    Ok(python)
}
